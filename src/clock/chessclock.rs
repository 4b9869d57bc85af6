//! The chessclock: two displays of which at most one runs (6.1, 6.2.1, 6.3).
//!
//! Delay and Bronstein are one calculation: a player's time in hand for the current move, `free`,
//! goes first and his main time after it. A flag falls when both are used; a press that comes at
//! that very millisecond comes too late.

use std::sync::Arc;

use shakmaty::{ByColor, Color};

use super::{Bonus, Millis, TimeControl};

/// Whether the increment of the first move is on the clock before it is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CountFrom {
    /// From move 1, before it is played: the display starts at base and increment (FIDE).
    #[default]
    Before,
    /// First added after move 1.
    After,
}

/// When the time of the next period is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PeriodAdded {
    /// With the press of the period's last move (clock with a move counter).
    #[default]
    Counted,
    /// When the time runs out and the moves have been made (clock without one).
    AtZero,
}

/// One side of the chessclock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Clock {
    /// Main time left when it last stopped or was read.
    pub left: Millis,
    /// Time of the move to come that costs nothing (delay, Bronstein).
    pub free: Millis,
    /// Period whose time has been given, from 0.
    pub period: u32,
    /// Moves by the clock's counter: its presses, unless corrected.
    pub counter: u32,
}

/// The side that runs, and the instant at which its `left` was true.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Running {
    /// Whose clock runs.
    pub color: Color,
    /// Instant on the timekeeper's timeline.
    pub since: Millis,
}

/// Both displays at one instant.
pub type Reading = ByColor<Millis>;

/// A pair of clocks under one time control.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chessclock {
    control: Arc<TimeControl>,
    count_from: CountFrom,
    period_added: PeriodAdded,
    sides: ByColor<Clock>,
    running: Option<Running>,
}

impl Chessclock {
    /// A chessclock set for the control, standing.
    pub fn new(control: Arc<TimeControl>, count_from: CountFrom, period_added: PeriodAdded) -> Chessclock {
        let sides = ByColor::new_with(|color| {
            let first = control.period(color, 0);
            let early = if count_from == CountFrom::Before { first.bonus.increment() } else { Millis::ZERO };
            Clock { left: first.time.plus(early), free: first.bonus.free(), period: 0, counter: 0 }
        });
        Chessclock { control, count_from, period_added, sides, running: None }
    }

    /// The agreed control.
    pub fn control(&self) -> &Arc<TimeControl> {
        &self.control
    }

    /// How it counts increments.
    pub fn count_from(&self) -> CountFrom {
        self.count_from
    }

    /// How it adds periods.
    pub fn period_added(&self) -> PeriodAdded {
        self.period_added
    }

    /// One side, as it last stood.
    pub fn side(&self, color: Color) -> &Clock {
        self.sides.get(color)
    }

    /// The side that runs, if one does.
    pub fn running(&self) -> Option<Running> {
        self.running
    }

    /// Sets one side as a ruling or a record says.
    pub fn set_side(&mut self, color: Color, clock: Clock) {
        *self.sides.get_mut(color) = clock;
    }

    /// From now on each move brings both sides so much, in every period.
    pub fn set_increment(&mut self, each: Millis) {
        self.control = Arc::new(self.control.with_increment(each));
    }

    /// From now on the control is this.
    pub fn set_control(&mut self, control: Arc<TimeControl>) {
        self.control = control;
    }

    /// Starts one side at an instant; the other stands. Nobody ever has two running.
    pub fn run(&mut self, color: Color, since: Millis) {
        self.running = Some(Running { color, since });
    }

    /// Forgets which side ran, charging nobody: its time stays as last read.
    pub fn halt(&mut self) {
        self.running = None;
    }

    /// What both displays show of main time at an instant. Before the instant of the last reading that reading holds.
    pub fn reading(&self, now: Option<Millis>) -> Reading {
        let read = self.at(now);
        ByColor::new_with(|color| read.sides.get(color).left)
    }

    /// The same chessclock with the time until `now` charged; `None`: as last read.
    pub fn at(&self, now: Option<Millis>) -> Chessclock {
        let mut read = self.clone();
        if let (Some(Running { color, since }), Some(now)) = (read.running, now) {
            let elapsed = now.less(since);
            let clock = read.sides.get_mut(color);
            let used = elapsed.less(clock.free).0.min(clock.left.0);
            clock.free = clock.free.less(elapsed);
            clock.left = clock.left.less(Millis(used));
            if self.is_hourglass() {
                let other = read.sides.get_mut(!color);
                other.left = other.left.plus(Millis(used));
            }
            read.running = Some(Running { color, since: since.plus(elapsed) });
        }
        read
    }

    /// The instant at which the running side's time, bonus and all, is used up.
    pub fn falls_at(&self) -> Option<Millis> {
        self.running.map(|Running { color, since }| {
            let clock = self.side(color);
            since.plus(clock.free).plus(clock.left)
        })
    }

    /// The same chessclock stopped at an instant (6.11.1).
    pub fn stopped(&self, now: Option<Millis>) -> Chessclock {
        let mut read = self.at(now);
        read.running = None;
        read
    }

    /// The same chessclock after the running side pressed at an instant: its own clock
    /// stops, what the move earns is added, the other side starts (6.2.1).
    pub fn pressed(&self, now: Millis) -> Chessclock {
        let mut next = self.at(Some(now));
        let Some(Running { color, since }) = next.running else { return next };
        next = next.completed(color);
        next.run(!color, since);
        next
    }

    /// The same chessclock with one more move of a side counted and what that earns added, whatever runs.
    pub fn completed(&self, color: Color) -> Chessclock {
        let mut next = self.clone();
        let played = next.period(color).bonus;
        let mut clock = *next.side(color);
        clock.counter += 1;
        if next.period_added == PeriodAdded::Counted {
            let due = next.control.period_of_move(color, clock.counter + 1);
            while (clock.period as usize) < due {
                clock.period += 1;
                clock.left = clock.left.plus(next.control.period(color, clock.period as usize).time);
            }
        }
        let to_come = next.control.period(color, clock.period as usize).bonus;
        clock.left = clock.left.plus(match next.count_from {
            CountFrom::Before => to_come.increment(),
            CountFrom::After => played.increment(),
        });
        clock.free = to_come.free();
        next.set_side(color, clock);
        next
    }

    /// What a side has used of the time that the control has given it so far; time set or added by rulings counts as given by nobody.
    pub fn used(&self, color: Color) -> Millis {
        let clock = self.side(color);
        let early = u32::from(self.count_from == CountFrom::Before);
        let periods: u64 = (0..=clock.period).map(|n| self.period_of(color, n).time.0).sum();
        let increments = self.period(color).bonus.increment().0.saturating_mul(u64::from(clock.counter.saturating_add(early)));
        Millis(periods.saturating_add(increments)).less(clock.left)
    }

    /// The same chessclock with the next period given to the running side whose time ran out, if
    /// that is how its periods come and it has made so many moves as the period asks for (6.4);
    /// `None`: the flag has fallen.
    pub fn next_period_at_zero(&self, moves: u32) -> Option<Chessclock> {
        let Running { color, .. } = self.running?;
        let zero = self.falls_at()?;
        let mut next = self.at(Some(zero));
        let mut clock = *next.side(color);
        let due = next.control.moves_until(color, clock.period as usize)?;
        if next.period_added == PeriodAdded::Counted || moves < due {
            return None;
        }
        clock.period += 1;
        clock.left = next.period_of(color, clock.period).time;
        next.set_side(color, clock);
        Some(next)
    }

    fn period(&self, color: Color) -> super::Period {
        self.period_of(color, self.side(color).period)
    }

    fn period_of(&self, color: Color, n: u32) -> super::Period {
        self.control.period(color, n as usize)
    }

    fn is_hourglass(&self) -> bool {
        self.control.period(Color::White, 0).bonus == Bonus::Hourglass
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::Color::{Black, White};

    use super::*;

    fn clock(control: &str) -> Chessclock {
        Chessclock::new(Arc::new(control.parse().unwrap()), CountFrom::Before, PeriodAdded::Counted)
    }

    fn left(clock: &Chessclock) -> [u64; 2] {
        [clock.side(White).left.0, clock.side(Black).left.0]
    }

    /// BH-09: the first move has its increment, for both sides.
    #[test]
    fn first_increment() {
        let mut c = clock("180+2");
        assert_eq!(left(&c), [182_000, 182_000]);
        c.run(White, Millis(0));
        assert_eq!(left(&c.pressed(Millis(10_000))), [174_000, 182_000]);

        let mut c = clock("1500+10");
        c.run(White, Millis(0));
        assert_eq!(left(&c.pressed(Millis(5_000)).pressed(Millis(12_000))), [1_515_000, 1_513_000]);
    }

    /// BH-10: delay and Bronstein agree on the main time; a stop in between gives no new delay.
    #[test]
    fn delay_is_no_increment() {
        for control in ["60d5", "60b5"] {
            let mut c = clock(control);
            let (mut now, mut main) = (0, Vec::new());
            for used in [3_000, 5_000, 8_000, 12_000] {
                c.run(White, Millis(now));
                if used == 8_000 {
                    c = c.stopped(Some(Millis(now + 2_000)));
                    assert_eq!(c.side(White).free, Millis(3_000));
                    now += 60_000;
                    c.run(White, Millis(now + 2_000));
                }
                assert_eq!(c.falls_at(), Some(Millis(now + 5_000).plus(c.side(White).left)));
                now += used;
                c = c.pressed(Millis(now)).stopped(None);
                main.push(c.side(White).left.0 / 1_000);
            }
            assert_eq!(main, [60, 60, 57, 50]);
        }
    }

    /// BH-11: the next period's own time is given, each side by its own count, once.
    #[test]
    fn each_period_gives_its_own_time() {
        let mut c = clock("40/6000+30:20/3000+30:900+30");
        c.set_side(White, Clock { left: Millis::seconds(250), free: Millis::ZERO, period: 0, counter: 39 });
        c.run(White, Millis(0));
        let c = c.pressed(Millis(0));
        assert_eq!(*c.side(White), Clock { left: Millis::seconds(3_280), free: Millis::ZERO, period: 1, counter: 40 });
        assert_eq!(c.side(Black).period, 0);
        let mut c = c.stopped(None);
        for (counter, gained) in [(59, 930), (60, 30)] {
            let before = c.side(White).left;
            c.set_side(White, Clock { counter, ..*c.side(White) });
            c.run(White, Millis(0));
            c = c.pressed(Millis(0)).stopped(None);
            assert_eq!(c.side(White).left, before.plus(Millis::seconds(gained)));
        }
    }

    #[test]
    fn the_hourglass_only_moves_time() {
        let mut c = clock("*60");
        c.run(White, Millis(0));
        let c = c.pressed(Millis(20_000)).pressed(Millis(25_000));
        assert_eq!(left(&c), [45_000, 75_000]);
    }

    #[derive(Debug, Clone)]
    enum Act {
        Wait(u64),
        Press,
        Stop,
        Start(bool),
    }

    fn acts() -> impl Strategy<Value = Vec<Act>> {
        let act = prop_oneof![
            4 => (0..40_000_u64).prop_map(Act::Wait),
            4 => Just(Act::Press),
            1 => Just(Act::Stop),
            1 => any::<bool>().prop_map(Act::Start)
        ];
        prop::collection::vec(act, 0..200)
    }

    /// Plays the acts on a chessclock; also keeps, by hand, the time that each side's turns took.
    fn play(control: &str, from: CountFrom, acts: &[Act]) -> (Chessclock, ByColor<u64>) {
        let mut c = Chessclock::new(Arc::new(control.parse().unwrap()), from, PeriodAdded::Counted);
        let (mut now, mut charged, mut turn) = (0, ByColor::<u64>::default(), 0);
        let mut free = ByColor::new_with(|color| c.side(color).free.0);
        for act in acts {
            match *act {
                Act::Wait(time) => {
                    if let Some(Running { color, .. }) = c.running() {
                        if c.falls_at().is_some_and(|zero| now + time >= zero.0) {
                            break;
                        }
                        let kept = free.get_mut(color);
                        *charged.get_mut(color) += time - time.min(*kept);
                        *kept -= time.min(*kept);
                    }
                    now += time;
                }
                Act::Press => {
                    if let Some(Running { color, .. }) = c.running() {
                        c = c.pressed(Millis(now));
                        *free.get_mut(color) = c.side(color).free.0;
                        turn += 1;
                    }
                }
                Act::Stop => c = c.stopped(Some(Millis(now))),
                Act::Start(white) if c.running().is_none() => c.run(Color::from_white(white), Millis(now)),
                Act::Start(_) => {}
            }
        }
        assert_eq!(c.side(White).counter + c.side(Black).counter, turn);
        (c.stopped(Some(Millis(now))), charged)
    }

    fn allotted(c: &Chessclock, color: Color, from: CountFrom) -> u64 {
        let clock = c.side(color);
        let base: u64 = (0..=clock.period as usize).map(|n| c.control().period(color, n).time.0).sum();
        let moves = match from {
            CountFrom::Before => 1..=clock.counter + 1,
            CountFrom::After => 1..=clock.counter,
        };
        let bonus = |n| c.control().period(color, c.control().period_of_move(color, n)).bonus.increment().0;
        base + moves.map(bonus).sum::<u64>()
    }

    proptest! {
        #[test]
        fn time_is_conserved(
            acts in acts(),
            before in any::<bool>(),
            control in prop::sample::select(vec!["300+2", "3/60+10:2/45:30+5", "120d5", "2/90b8:60", "300|90+1", "600"]),
        ) {
            let from = if before { CountFrom::Before } else { CountFrom::After };
            let (c, charged) = play(control, from, &acts);
            for color in [White, Black] {
                prop_assert_eq!(c.side(color).left.0 + charged.get(color), allotted(&c, color, from));
            }
        }

        #[test]
        fn the_hourglass_keeps_its_sum(acts in acts()) {
            let (c, _) = play("*300", CountFrom::Before, &acts);
            prop_assert_eq!(left(&c).iter().sum::<u64>(), 600_000);
        }

        #[test]
        fn delay_and_bronstein_have_one_main_time(acts in acts()) {
            let (delay, _) = play("90d7", CountFrom::Before, &acts);
            let (bronstein, _) = play("90b7", CountFrom::Before, &acts);
            prop_assert_eq!(left(&delay), left(&bronstein));
        }

        #[test]
        fn at_most_one_runs_and_the_other_stands(acts in acts(), later in 0..100_000_u64) {
            let mut c = clock("300+2");
            c.run(White, Millis(0));
            for (i, act) in acts.iter().enumerate() {
                if let (Act::Press, Some(zero)) = (act, c.falls_at()) && zero.0 > i as u64 {
                    c = c.pressed(Millis(i as u64));
                }
                let running = c.running().unwrap().color;
                let seen = c.at(Some(c.running().unwrap().since.plus(Millis(later))));
                prop_assert_eq!(seen.side(!running), c.side(!running));
            }
        }
    }
}
