//! Article 6: the press, the flag, starting and stopping the clocks, the device that restarts.

use shakmaty::{ByColor, Color, Position};

use super::entry::{Command, Consequence, Entry, Fact, IncidentCode, Moved, Score, StopReason, Termination};
use super::{Before, Decision, Phase, completion, orders};
use crate::clock::{Chessclock, Clock, Millis, Reading};

/// How far a display may be from what the stamps give before the arbiter is told: one second, which is what a display shows.
pub const DISPLAY_TOLERANCE: Millis = Millis::seconds(1);

/// Periods that one input may bring at zero. A stamp that leaps over more is not believed: the clocks stand, and the arbiter looks.
pub const PERIODS_AT_ONCE: usize = 64;

pub(super) fn sides(clock: &Chessclock) -> ByColor<Clock> {
    ByColor::new_with(|color| *clock.side(color))
}

/// Brings the clocks to `now`: what ran out before it has run out, whoever noticed (6.8). A stamp before the last one charges nobody.
pub(super) fn settle(d: &mut Decision) {
    let Some(now) = d.now else { return };
    if d.game.phase != Phase::Running {
        return;
    }
    if d.game.clock.running().is_some_and(|running| now < running.since) {
        return backwards(d, now);
    }
    for _ in 0..PERIODS_AT_ONCE {
        match d.game.clock.falls_at() {
            Some(zero) if zero <= now && d.game.phase == Phase::Running => run_out(d, zero),
            _ => return,
        }
    }
    if d.game.phase == Phase::Running {
        not_believed(d, IncidentCode::ClockDiscrepancy, format!("stamp {now} leaps over {PERIODS_AT_ONCE} periods"));
    }
}

/// After a flag was withdrawn for what came before it: it falls again at its own instant, unless that has stopped this player's clock.
pub(super) fn settle_again(d: &mut Decision) {
    let withdrawn = d.entries.iter().find_map(|entry| match entry {
        Entry::Consequence(Consequence::FlagWithdrawn { color }) => Some(*color),
        _ => None,
    });
    if let (Some(color), Some(zero)) = (withdrawn, d.game.clock.falls_at())
        && d.game.running() == Some(color)
    {
        run_out(d, zero);
    }
}

fn run_out(d: &mut Decision, zero: Millis) {
    let Some(running) = d.game.clock.running() else { return };
    let moves = d.game.clock.side(running.color).counter.max(*d.game.completed.get(running.color));
    match d.game.clock.next_period_at_zero(moves) {
        Some(next) => {
            let (color, other) = (running.color, next.side(!running.color).left);
            d.so(Consequence::PeriodAdded { color, clock: *next.side(color), other, since: zero });
        }
        None => fallen(d, running.color, zero),
    }
}

/// Time used up: a loss, or a draw where the opponent cannot mate (6.9).
fn fallen(d: &mut Decision, color: Color, at: Millis) {
    let article = d.game.laws.flag;
    d.so(Consequence::FlagFallen { color, at, article });
    let drawn = d.game.line.position().map(|position| position.has_insufficient_material(!color));
    let clock = d.game.clock.side(color);
    let due = d.game.clock.control().moves_until(color, clock.period as usize);
    if due.is_some_and(|due| *d.game.completed.get(color) >= due) {
        // The moves were made, and the clock's counter missed one (6.4): whether time was due is for the arbiter.
        let note = format!("{} moves completed, {} counted: check the moves", d.game.completed.get(color), clock.counter);
        d.so(Consequence::ClocksStopped { sides: sides(&d.game.clock), reason: StopReason::FlagUndecided });
        d.incident(IncidentCode::CounterMismatch, Some(color), &d.game.laws.counter, note);
        return orders::tell(d, Command::Stop);
    }
    match drawn {
        Some(drawn) => {
            let score = if drawn { Score::Draw } else { Score::win(!color) };
            d.so(Consequence::GameOver { score, termination: Termination::Time, article });
        }
        None => {
            d.so(Consequence::ClocksStopped { sides: sides(&d.game.clock), reason: StopReason::FlagUndecided });
            let note = "moves are missing: whether the opponent can mate is for the arbiter";
            d.incident(IncidentCode::PositionUnknown, Some(color), &article, note);
        }
    }
    orders::tell(d, Command::Stop);
}

fn backwards(d: &mut Decision, now: Millis) {
    let since = d.game.clock.running().map_or(Millis::ZERO, |r| r.since);
    not_believed(d, IncidentCode::StampsBackwards, format!("stamp {now} after {since}"));
}

/// A stamp that cannot be: nobody is charged for it.
fn not_believed(d: &mut Decision, code: IncidentCode, note: String) {
    d.so(Consequence::ClocksStopped { sides: sides(&d.game.clock), reason: StopReason::StampsBackwards });
    let article = &d.game.laws.defective_clock;
    d.incident(code, None, article, note);
    orders::tell(d, Command::Stop);
}

/// A fact of the flagged player that the device stamped before the fall counts before it, though it came later.
pub(super) fn overtake_flag(d: &mut Decision, fact: &Fact) {
    let (Fact::Move { by, .. } | Fact::Press { by, .. }) = fact else { return };
    let by_time = d.game.outcome.as_ref().is_some_and(|o| o.termination == Termination::Time);
    let Some((fallen, now)) = d.game.fallen.as_ref().zip(d.now) else { return };
    let ran = fallen.clock.running();
    if by_time && d.game.phase == Phase::Over && now < fallen.at && ran.is_some_and(|ran| ran.color == *by && ran.since <= now) {
        d.so(Consequence::FlagWithdrawn { color: *by });
    }
}

/// The press stops the presser's clock and starts the opponent's (6.2.1); on a side that stands it does nothing.
pub(super) fn press(d: &mut Decision, by: Color, moved: Moved, shown: Option<Millis>, before: &Before) {
    if d.game.running() != Some(by) {
        return;
    }
    if moved != Moved::AsReported {
        completion::made(d, by, before);
        completion::check(d);
        if d.game.is_finished() {
            return;
        }
    }
    let Some(now) = d.now else { return };
    let next = d.game.clock.pressed(now);
    let completed = *d.game.completed.get(by);
    let has_moved = *d.game.uncompleted.get(by);
    let clock = *next.side(by);
    let completed = if has_moved { completed + 1 } else { completed };
    d.so(Consequence::Pressed { by, clock, other: next.side(!by).left, completed, since: now });
    if !has_moved {
        let article = &d.game.laws.press_without_move;
        d.incident(IncidentCode::PressWithoutMove, Some(by), article, "");
    }
    if let Some(shown) = shown {
        compare(d, by, shown, clock.left);
    }
}

/// The device's word that a flag fell, where the stamps bear it out within what a display shows (6.10.1).
pub(super) fn flag(d: &mut Decision, color: Color) {
    let left = *d.game.clock.reading(d.now).get(color);
    match d.now {
        Some(now) if d.game.running() == Some(color) && left <= DISPLAY_TOLERANCE => fallen(d, color, now),
        _ => {
            let article = &d.game.laws.defective_clock;
            d.incident(IncidentCode::FlagDoubtful, Some(color), article, format!("by the stamps {left} is left"));
        }
    }
}

pub(super) fn silence(d: &mut Decision, color: Color) {
    if d.game.running() == Some(color) {
        d.incident(IncidentCode::FlagDue, Some(color), &d.game.laws.flag, "the device has not reported a fall");
    }
}

pub(super) fn display(d: &mut Decision, shown: Reading) {
    let read = d.game.clock.at(d.now);
    for color in Color::ALL {
        compare(d, color, *shown.get(color), read.side(color).left);
    }
    if let (Phase::Running, Some(running)) = (d.game.phase, read.running()) {
        let (color, since) = (running.color, running.since);
        d.so(Consequence::ClockRead { color, clock: *read.side(color), other: read.side(!color).left, since });
    }
}

fn compare(d: &mut Decision, color: Color, shown: Millis, reckoned: Millis) {
    if shown.distance(reckoned) > DISPLAY_TOLERANCE {
        let note = format!("shows {shown}, by its stamps {reckoned}");
        d.incident(IncidentCode::ClockDiscrepancy, Some(color), &d.game.laws.defective_clock, note);
    }
}

/// The pause button: both clocks stand, and the player does not lose the move (6.11.2).
pub(super) fn pause(d: &mut Decision) {
    if d.game.clock.running().is_some() {
        let stopped = d.game.clock.stopped(d.now);
        d.so(Consequence::ClocksStopped { sides: sides(&stopped), reason: StopReason::Pause });
    }
}

/// A device that restarts has forgotten the game: the clocks stand as last known until the arbiter confirms or sets them (6.10.1).
pub(super) fn restart(d: &mut Decision) {
    if d.game.clock.running().is_some() {
        let (reason, code) = if d.game.device.is_some() {
            (StopReason::DeviceRestart, IncidentCode::DeviceRestarted)
        } else {
            (StopReason::TimekeeperRestart, IncidentCode::TimekeeperRestarted)
        };
        d.so(Consequence::ClocksStopped { sides: sides(&d.game.clock), reason });
        d.incident(code, None, &d.game.laws.defective_clock, "times as last known: confirm or set them");
    }
}

pub(super) fn start(d: &mut Decision) {
    let color = d.game.line.start().position.turn();
    orders::command(d, Command::Start { color });
}

pub(super) fn stop(d: &mut Decision) {
    orders::command(d, Command::Stop);
}

pub(super) fn resume(d: &mut Decision) {
    let color = d.game.on_move;
    orders::command(d, Command::Start { color });
}
