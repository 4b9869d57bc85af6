//! How long the players think, so that the clocks show what the file says after every press.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use shakmaty::Position;

use super::{PlannedPly, shown};
use crate::clock::{Chessclock, Clock, Millis, Reading};
use crate::format::pgn::{PgnGame, PgnMove, Shown};
use crate::game::Regulations;

/// A game's times, and the chessclock as it is after its last ply.
#[derive(Debug)]
pub(super) struct Timed {
    pub(super) regulations: Regulations,
    pub(super) plies: Vec<PlannedPly>,
    pub(super) clock: Chessclock,
}

/// What a player's clock may show after a ply.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    /// What the press adds.
    gain: Millis,
    /// Least and most, by the file; without a word of it anything above zero.
    least: Millis,
    most: Millis,
    /// The least from which the same player's next ply can still come out right.
    need: Millis,
}

impl Timed {
    pub(super) fn rulings(&self) -> usize {
        self.plies.iter().filter(|ply| ply.after.is_some()).count()
    }

    /// What the clocks show when the player on move has run out of time.
    pub(super) fn fallen(&self) -> Reading {
        let mut read = shown(&self.clock.stopped(self.clock.falls_at()));
        if let Some(running) = self.clock.running() {
            *read.get_mut(running.color) = Millis::ZERO;
        }
        read
    }
}

/// Plans the times of a game; the last move, where it ends the game, is not pressed and earns nothing.
pub(super) fn plan(game: &PgnGame, regulations: &Regulations, on_the_board: bool, seed: u64) -> Timed {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(game.number as u64);
    let first = game.start.position.turn();
    let mut clock = Chessclock::new(regulations.control.clone(), regulations.count_from, regulations.period_added);
    clock.run(first, Millis::ZERO);
    let wanted = wanted(game, &clock, on_the_board);
    let mut plies: Vec<PlannedPly> = Vec::with_capacity(game.moves.len());
    for (i, (made, want)) in game.moves.iter().zip(&wanted).enumerate() {
        let ends = on_the_board && i + 1 == game.moves.len();
        let mover = if i % 2 == 0 { first } else { !first };
        let side = *clock.side(mover);
        let idle = idly(&side, i / 2, &mut rng);
        let think = chosen(&side, *want, made, idle);
        let mut after = None;
        if think.is_none() && ends {
            // No ruling can set a clock once the game is over, so it is set before the move.
            if let Some(before) = plies.last_mut() {
                let left = want.need.plus(idle.less(side.free));
                clock.set_side(mover, Clock { left, ..side });
                before.clocks = shown(&clock);
                before.after = Some(before.clocks);
            }
        } else if think.is_none() {
            after = Some(want.need);
        }
        let think = think.unwrap_or(idle);
        let now = clock.running().map_or(Millis::ZERO, |running| running.since).plus(think);
        clock = if ends { clock.stopped(Some(now)) } else { clock.pressed(now) };
        if let Some(left) = after {
            clock.set_side(mover, Clock { left, ..*clock.side(mover) });
        }
        let clocks = shown(&clock);
        plies.push(PlannedPly { uci: made.uci, think, after: after.map(|_| clocks), clocks });
    }
    Timed { regulations: regulations.clone(), plies, clock }
}

/// What is wanted of each ply: gains from the first to the last, needs from the last to the first.
fn wanted(game: &PgnGame, clock: &Chessclock, on_the_board: bool) -> Vec<Wanted> {
    let mut idle = clock.clone();
    let mut wanted: Vec<Wanted> = game
        .moves
        .iter()
        .map(|made| {
            let Some(running) = idle.running() else { return within(made.clk, Millis::ZERO) };
            let before = idle.side(running.color).left;
            idle = idle.pressed(running.since);
            within(made.clk, idle.side(running.color).left.less(before))
        })
        .collect();
    if let Some(last) = wanted.last_mut().filter(|_| on_the_board) {
        last.gain = Millis::ZERO;
    }
    for i in (2..wanted.len()).rev() {
        let enough = wanted[i].need.less(wanted[i].gain);
        let this = &mut wanted[i - 2];
        if enough <= this.most {
            this.need = this.need.max(enough);
        }
    }
    wanted
}

fn within(clk: Option<Shown>, gain: Millis) -> Wanted {
    // A clock that reads zero has fallen, so 0:00:00 after a press is less than a second but not nothing.
    let least = clk.map_or(Millis(1), |clk| clk.time.max(Millis(1)));
    let most = clk.map_or(Millis(u64::MAX), |clk| clk.time.plus(clk.unit).less(Millis(1)));
    Wanted { gain, least, most, need: least }
}

/// The thinking time after which the clock shows what is wanted; `None`: there is none.
fn chosen(side: &Clock, want: Wanted, made: &PgnMove, idle: Millis) -> Option<Millis> {
    let most = side.left.plus(want.gain);
    // The flag must not fall: at least a millisecond is left before the press adds anything.
    let least = want.least.max(want.gain.plus(Millis(1)));
    let highest = want.most.min(most);
    if least > highest {
        return None;
    }
    let needed = least.max(want.need.min(highest));
    let spent = match made.clk {
        Some(clk) if clk.time == Millis::ZERO => most.less(Millis(u64::midpoint(needed.0, highest.0))),
        Some(_) => most.less(needed),
        None => {
            let think = made.emt.map_or(idle, |emt| emt.time);
            think.less(side.free).min(most.less(needed))
        }
    };
    // What is free costs nothing, however much of it was used.
    Some(if spent > Millis::ZERO { side.free.plus(spent) } else { made.emt.map_or(idle, |emt| emt.time).min(side.free) })
}

/// A likely thinking time, which never uses a clock up: a share of what is left, little in the opening.
fn idly(side: &Clock, moves: usize, rng: &mut ChaCha8Rng) -> Millis {
    let to_go = 45_u64.saturating_sub(moves as u64).max(12);
    let share = side.left.0 / to_go;
    let share = if moves < 6 { share / 4 } else { share };
    let percent = rng.random_range(10..=190_u64);
    let think = side.free.0 / 2 + share * percent / 100 + rng.random_range(400..=2_400_u64);
    Millis(think.min(side.free.0 + side.left.0 / 3))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use shakmaty::{ByColor, Color};

    use super::*;
    use crate::clock::CountFrom;
    use crate::format::pgn::games;

    fn timed(control: &str, count_from: CountFrom, movetext: &str) -> Timed {
        let game = games(movetext.as_bytes()).unwrap().next().unwrap().unwrap();
        let control: crate::clock::TimeControl = control.parse().unwrap();
        let regulations = Regulations { count_from, control: Arc::new(control.clone()), ..Regulations::of(control) };
        plan(&game, &regulations, movetext.contains('#'), 7)
    }

    fn white(timed: &Timed) -> Vec<u64> {
        timed.plies.iter().step_by(2).map(|ply| ply.clocks.get(Color::White).0).collect()
    }

    #[test]
    fn whole_seconds_unless_more_is_needed() {
        let t = timed("60", CountFrom::Before, "e4 {[%clk 0:00:50]} e5 Nf3 {[%clk 0:00:41]} Nc6");
        assert_eq!((white(&t), t.plies[0].think), (vec![50_000, 41_000], Millis(10_000)));
        // From 10.0 a move of no time with 0.6 a move gives 10.6, never 11: so it was 10.4 or more.
        let t = timed("10+0.6", CountFrom::After, "e4 {[%clk 0:00:10]} e5 Nf3 {[%clk 0:00:11]} Nc6");
        assert_eq!((white(&t), t.rulings()), (vec![10_400, 11_000], 0));
    }

    #[test]
    fn a_last_second_leaves_room_for_the_next_move() {
        let t = timed("60", CountFrom::Before, "e4 {[%clk 0:00:00]} e5 Nf3 {[%clk 0:00:00]} Nc6 Bc4 {[%clk 0:00:00]}");
        assert_eq!((white(&t), t.rulings()), (vec![500, 250, 125], 0));
    }

    #[test]
    fn what_no_thinking_gives_is_ruled() {
        let t = timed("60", CountFrom::Before, "e4 {[%clk 0:00:50]} e5 Nf3 {[%clk 0:00:55]} Nc6");
        assert_eq!((white(&t), t.rulings()), (vec![50_000, 55_000], 1));
        let t = timed("60+5", CountFrom::Before, "e4 {[%clk 0:00:05]} e5 Nf3 {[%clk 0:00:04]} Nc6");
        assert_eq!((white(&t), t.rulings()), (vec![5_001, 4_000], 1));
    }

    #[test]
    fn a_mate_earns_nothing_and_is_set_before() {
        let mate = "e4 e5 Qh5 Nc6 Bc4 {[%clk 0:00:30]} Nf6 Qxf7# {[%clk 0:00:31]}";
        let t = timed("60+2", CountFrom::Before, mate);
        assert_eq!((t.plies[5].after.is_some(), white(&t)[3], t.rulings()), (true, 31_000, 1));
        let t = timed("60+2", CountFrom::Before, &mate.replace("31]", "29]"));
        assert_eq!((white(&t)[3], t.rulings()), (29_000, 0));
    }

    #[test]
    fn delay_costs_nothing() {
        let t = timed("60d5", CountFrom::Before, "e4 {[%clk 0:01:00] [%emt 0:00:03]} e5 Nf3 {[%clk 0:00:58]} Nc6");
        assert_eq!((t.plies[0].think, t.plies[2].think), (Millis(3_000), Millis(7_000)));
    }

    #[test]
    fn invented_times_are_the_same_for_the_same_seed_and_use_no_clock_up() {
        let long = "Nf3 Nf6 Ng1 Ng8 ".repeat(150);
        let (one, two) = (timed("30", CountFrom::Before, &long), timed("30", CountFrom::Before, &long));
        assert_eq!(one.plies, two.plies);
        assert!(one.plies.iter().all(|ply| ply.clocks.white > Millis::ZERO && ply.clocks.black > Millis::ZERO));
        assert_eq!(ByColor::new_with(|color| one.clock.side(color).counter), ByColor { white: 300, black: 300 });
    }
}
