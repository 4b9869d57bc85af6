//! Time is conserved: a ledger of each game, kept by hand from the stamps, the control and the rulings.
//!
//! It is written from what the control says and not from how the chessclock works, so that the one checks the other.

use std::sync::Arc;

use shakmaty::{ByColor, Color};

use crate::clock::{Adjustment, Bonus, Chessclock, Clock, CountFrom, Millis, TimeControl};
use crate::game::{self, Consequence, Fact, Penalty, Regulations, Ruling, StopReason};
use crate::laws::{Fixed, Laws};

/// How far the device's word of a fall may be before what its stamps give.
const EARLY: u64 = 1_000;

/// One side's account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Account {
    left: u64,
    free: u64,
    presses: u32,
    period: usize,
    down: bool,
}

/// Both sides' accounts, and which one runs since when.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    control: Arc<TimeControl>,
    laws: &'static Laws,
    early: bool,
    sides: ByColor<Account>,
    running: Option<(Color, u64)>,
    fallen: Option<(ByColor<Account>, (Color, u64))>,
    /// What a ruling that is being heard grants.
    granted: Option<Ruling>,
    /// Whose illegal move is being paid for, and which one it is.
    illegal: Option<(Color, u32)>,
    /// The game has ended since its clock was started last, and whether its clock was used after that.
    ended: bool,
    used: bool,
    /// A ruling was taken back: the state says what was given back.
    anew: bool,
    /// The clocks stood as last known once, and not as the device showed them.
    pub(super) as_last_known: bool,
}

impl Kept {
    pub(super) fn new(regulations: &Regulations) -> Kept {
        let early = regulations.count_from == CountFrom::Before;
        let control = regulations.control.clone();
        let sides = ByColor::new_with(|color| {
            let first = control.period(color, 0);
            let left = first.time.0 + if early { first.bonus.increment().0 } else { 0 };
            Account { left, free: first.bonus.free().0, presses: 0, period: 0, down: false }
        });
        let laws = regulations.laws();
        Kept {
            control,
            laws,
            early,
            sides,
            running: None,
            fallen: None,
            granted: None,
            illegal: None,
            ended: false,
            used: false,
            anew: false,
            as_last_known: false,
        }
    }

    /// Charges the running side with what has passed on the timekeeper's own clock.
    fn charge(&mut self, now: u64) {
        let Some((color, since)) = self.running else { return };
        let passed = now.saturating_sub(since);
        let side = self.sides.get_mut(color);
        let used = passed.saturating_sub(side.free).min(side.left);
        side.free = side.free.saturating_sub(passed);
        side.left -= used;
        if self.control.period(Color::White, 0).bonus == Bonus::Hourglass {
            self.sides.get_mut(!color).left += used;
        }
        self.running = Some((color, since.max(now)));
    }

    fn earns(&mut self, color: Color) {
        let side = self.sides.get_mut(color);
        let played = self.control.period(color, side.period).bonus;
        side.presses += 1;
        while self.control.moves_until(color, side.period).is_some_and(|until| side.presses >= until) {
            side.period += 1;
            side.left += self.control.period(color, side.period).time.0;
        }
        let to_come = self.control.period(color, side.period).bonus;
        side.left += if self.early { to_come } else { played }.increment().0;
        side.free = to_come.free().0;
    }

    /// Hears an entry of the game, stamped `now`; what is wrong with the times that it says.
    pub(super) fn hears(&mut self, said: &game::Entry, now: Option<Millis>) -> Option<String> {
        match said {
            game::Entry::Ruling(ruling) => (self.granted, self.illegal) = (Some(ruling.clone()), None),
            game::Entry::Fact(fact) => {
                let at_the_clock = matches!(fact, Fact::Press { .. } | Fact::Pause { .. } | Fact::Stop { .. } | Fact::Restart | Fact::Leap { .. });
                self.used |= self.ended && self.running.is_some() && at_the_clock;
                (self.granted, self.illegal) = (None, None);
            }
            game::Entry::Consequence(consequence) => return self.follows(consequence, now),
        }
        None
    }

    fn follows(&mut self, said: &Consequence, now: Option<Millis>) -> Option<String> {
        match said {
            Consequence::GameOver { .. } | Consequence::Annulled => {
                self.ended = true;
                None
            }
            Consequence::ClockStarted { color, since } => {
                (self.ended, self.used) = (false, false);
                self.running = Some((*color, since.0));
                (Some(*since) != now).then(|| format!("a clock starts at {since}, which is not the stamp"))
            }
            Consequence::ClocksStopped { sides, reason } => {
                let as_known = matches!(
                    reason,
                    StopReason::DeviceRestart
                        | StopReason::TimekeeperRestart
                        | StopReason::StampsBackwards
                        | StopReason::DeviceLeapt
                        | StopReason::ClockReplaced
                );
                // What was not counted is charged to nobody.
                if let Some(now) = now.filter(|_| !as_known && !self.used) {
                    self.charge(now.0);
                }
                self.as_last_known |= matches!(reason, StopReason::DeviceLeapt | StopReason::Uncounted);
                self.running = None;
                self.compare(sides)
            }
            Consequence::Pressed { by, clock, other, since, .. } => {
                if self.running.map(|(color, _)| color) != Some(*by) || Some(*since) != now {
                    return Some(format!("a press at {since} that is not the stamp, or not of the side that runs"));
                }
                self.charge(since.0);
                if self.sides.get(*by).down {
                    self.sides.get_mut(*by).presses += 1;
                } else {
                    self.earns(*by);
                }
                self.running = Some((!*by, since.0));
                let (mine, his) = (self.sides.get(*by), self.sides.get(!*by));
                let right = (mine.left, mine.free, his.left) == (clock.left.0, clock.free.0, other.0);
                (!right).then(|| {
                    format!("after the press {} and {other} are left, by the stamps {} and {}", clock.left, Millis(mine.left), Millis(his.left))
                })
            }
            Consequence::ClockRead { color, clock, since, .. } => {
                self.charge(since.0);
                let left = self.sides.get(*color).left;
                (left != clock.left.0).then(|| format!("{} is read, by the stamps {}", clock.left, Millis(left)))
            }
            Consequence::FlagFallen { color, at, .. } => self.falls(*color, at.0),
            Consequence::FlagDown { color, at } => {
                self.charge(at.0);
                let side = self.sides.get_mut(*color);
                let left = std::mem::take(&mut side.left);
                (side.free, side.down) = (0, true);
                (left > EARLY).then(|| format!("a flag is down with {} left", Millis(left)))
            }
            Consequence::FlagWithdrawn { .. } => {
                let Some((sides, running)) = self.fallen.take() else { return Some("a flag is withdrawn that has not fallen".to_string()) };
                (self.sides, self.running) = (sides, Some(running));
                None
            }
            Consequence::IllegalCounted { color, count, .. } => {
                self.illegal = Some((*color, *count));
                None
            }
            Consequence::ClocksSet { sides } => self.set(sides),
            Consequence::Undone { .. } | Consequence::IncrementSet { .. } | Consequence::PeriodAdded { .. } => {
                self.anew = true;
                None
            }
            _ => None,
        }
    }

    fn falls(&mut self, color: Color, at: u64) -> Option<String> {
        let Some(running) = self.running else {
            // One that was down is called.
            return (!self.sides.get(color).down).then(|| "a flag falls on a clock that stands".to_string());
        };
        let before = self.sides;
        self.fallen = Some((before, running));
        self.charge(at);
        let side = self.sides.get_mut(color);
        let left = std::mem::take(&mut side.left) + std::mem::take(&mut side.free);
        self.running = None;
        (left > EARLY).then(|| format!("a flag falls with {} left", Millis(left)))
    }

    /// Who gains what by a ruling, and nobody else anything; `None`: it says so nowhere.
    fn gain(&self, ruled: Option<&Ruling>) -> Option<(Color, Adjustment)> {
        if let Some((color, count)) = self.illegal {
            let laws = &self.laws.illegal_move;
            let last_period = self.control.moves_until(color, self.sides.get(color).period).is_none();
            let priced = laws.fixed == Fixed::Always || last_period;
            let lost = laws.loses_at.is_some_and(|limit| count >= limit);
            return Some((!color, if priced && !lost { Adjustment::gain(laws.opponent_gains) } else { Adjustment(0) }));
        }
        match ruled? {
            Ruling::AddTime { color, by, .. } => Some((*color, *by)),
            Ruling::Penalise { color, penalty: Penalty::OpponentTime(time), .. } => Some((!*color, Adjustment::gain(*time))),
            Ruling::Penalise { color, penalty: Penalty::OwnTime(time), .. } => Some((*color, Adjustment::gain(*time).reversed())),
            Ruling::Restore { .. } | Ruling::SetCounter { .. } => Some((Color::White, Adjustment(0))),
            _ => None,
        }
    }

    /// A ruling sets or adds, exactly what it says, and a price is the edition's.
    fn set(&mut self, sides: &ByColor<Clock>) -> Option<String> {
        let wrong = match &self.granted {
            Some(Ruling::SetClocks { times }) => Color::ALL.into_iter().any(|color| sides.get(color).left != *times.get(color)),
            ruled => self.gain(ruled.as_ref()).is_some_and(|(gains, by)| {
                let added = |side: Color| if side == gains { by } else { Adjustment(0) };
                Color::ALL.into_iter().any(|side| Millis(self.sides.get(side).left).adjusted(added(side)) != sides.get(side).left)
            }),
        };
        for color in Color::ALL {
            let (side, clock) = (self.sides.get_mut(color), sides.get(color));
            (side.left, side.free, side.presses, side.period) = (clock.left.0, clock.free.0, clock.counter, clock.period as usize);
            side.down &= side.left == 0;
        }
        wrong.then(|| "the clocks are set to other times than the ruling's".to_string())
    }

    fn compare(&self, sides: &ByColor<Clock>) -> Option<String> {
        Color::ALL.into_iter().find_map(|color| {
            let (mine, said) = (self.sides.get(color), sides.get(color));
            let right = (mine.left, mine.free) == (said.left.0, said.free.0);
            (!right).then(|| format!("{} has {} left, by the stamps {}", game::side(color), said.left, Millis(mine.left)))
        })
    }

    /// What is different between these accounts and the clocks of the game's state.
    pub(super) fn stands(&mut self, clock: &Chessclock) -> Option<String> {
        let sides = ByColor::new_with(|color| *clock.side(color));
        let running = clock.running().map(|running| (running.color, running.since.0));
        if std::mem::take(&mut self.anew) {
            self.granted = None;
            self.set(&sides);
            (self.running, self.control) = (running, clock.control().clone());
            return None;
        }
        if running != self.running {
            return Some(format!("{running:?} runs, by the entries {:?}", self.running));
        }
        self.compare(&sides)
    }
}
