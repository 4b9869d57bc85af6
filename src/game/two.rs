//! Two devices at one game: each player has one of his own, which keeps the time of his side and of no other.
//!
//! A press stops the presser's clock by the stamps of his device. The opponent's starts when his device has carried out
//! the order to start it, by its own stamp. So no time is ever a difference of stamps of two devices, and what passes
//! between the two is charged to nobody. Events of the two have an order where their intervals of the hall's time do not
//! meet; nothing that was decided is undone by that, but the arbiter is told.

use shakmaty::{Color, Position};

use super::entry::{Command, Consequence, DeviceId, Fact, IncidentCode, OrderNo, Refusal, StopReason, Termination};
use super::{Decision, Game, Phase, chessclock, orders};
use crate::clock::{Estimate, Interval, Millis};

/// When something happened on the timeline of whatever told it, and, where each side has a device of its own, whose that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct When {
    /// The instant; `None`: it was not stamped.
    pub at: Option<Millis>,
    /// The side whose own device it was.
    pub own: Option<Own>,
}

/// A device that keeps the time of one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Own {
    /// Whose.
    pub side: Color,
    /// What its timeline showed when it told this.
    pub arrived: Option<Estimate>,
    /// Its milliseconds for a thousand of the hall's.
    pub scale: u64,
}

impl From<Option<Millis>> for When {
    fn from(at: Option<Millis>) -> When {
        When { at, own: None }
    }
}

impl When {
    /// The instant, where it can be compared with those of the clock that runs.
    pub(super) fn on_the_clock(self, game: &Game) -> Option<Millis> {
        let elsewhere = self.own.zip(game.clock.running()).is_some_and(|(own, running)| own.side != running.color);
        self.at.filter(|_| !elsewhere)
    }
}

impl Game {
    /// Whether each side has a device of its own.
    pub fn has_two(&self) -> bool {
        self.black_device.is_some()
    }

    /// The device that keeps the time of a side.
    pub fn device_of(&self, color: Color) -> Option<DeviceId> {
        self.black_device.filter(|_| color.is_black()).or(self.device)
    }

    /// The devices at its board.
    pub fn devices(&self) -> impl Iterator<Item = DeviceId> + use<> {
        self.device.into_iter().chain(self.black_device)
    }

    /// The side that this device keeps the time of, where it keeps that of one only.
    pub fn side_of(&self, device: DeviceId) -> Option<Color> {
        Color::ALL.into_iter().find(|color| self.has_two() && self.device_of(*color) == Some(device))
    }

    /// Whether that side's clock runs, or is about to; of a device that keeps both, whether either does.
    pub fn is_at_work(&self, side: Option<Color>) -> bool {
        self.at_work().is_some_and(|at_work| side.is_none_or(|side| side == at_work))
    }

    /// Whose clock runs, or will when his own device has carried out what it was told after the opponent's press.
    pub(super) fn at_work(&self) -> Option<Color> {
        self.clock.running().map(|running| running.color).or(self.is_between().then_some(self.on_move))
    }

    /// The presser's clock stands by his device, and his opponent's does not run yet by the other.
    pub(super) fn is_between(&self) -> bool {
        self.has_two() && self.phase == Phase::Running && self.clock.running().is_none()
    }

    /// Whether a device was told to stop the clock that runs, and has not confirmed it.
    pub(super) fn awaits_stop(&self) -> bool {
        self.orders.iter().any(|order| order.command == Command::Stop && (order.to.is_none() || order.to == self.at_work()))
    }

    /// On whose timeline the start of the game is: whoever has the first move.
    pub fn starter(&self) -> Color {
        self.line.start().position.turn()
    }

    /// Instants of the hall's time that were taken before the daemon started compare with none taken after it.
    pub fn begin_hall_time(&mut self) {
        self.fell = self.fell.map(|fell| fell.map(|_| Interval::EARLIER));
        self.ended = self.ended.map(|(by, _)| (by, Interval::EARLIER));
    }
}

/// A device at one side speaks for that side alone.
pub(super) fn admit(game: &Game, fact: &Fact, own: Option<Own>) -> Result<(), Refusal> {
    let Some(own) = own else { return Ok(()) };
    let ordered = |no: &OrderNo| game.orders.iter().find(|order| order.number == *no)?.to;
    let of = match fact {
        Fact::BothFlags => Some(!own.side),
        Fact::Arrival { color } | Fact::Flag { color } | Fact::Silence { color } => Some(*color),
        Fact::Pause { by } => *by,
        Fact::Confirmation { order } => ordered(order),
        fact => fact.by(),
    };
    match of {
        Some(of) if of != own.side => {
            let why = format!("this device keeps {}'s time and reports for that side only", own.side.fold_wb("White", "Black"));
            Err(Refusal::Unreadable { field: "fact", why })
        }
        _ => Ok(()),
    }
}

/// After a press: the opponent's device is told to start his clock, unless an order to stop has crossed the press.
pub(super) fn pressed(d: &mut Decision, by: Color) {
    if !d.game.has_two() {
        return;
    }
    let crossed = d.game.orders.iter().any(|order| order.command == Command::Stop && order.to == Some(by));
    if crossed {
        let sides = chessclock::sides(&d.game.clock);
        return d.so(Consequence::ClocksStopped { sides, reason: StopReason::Arbiter });
    }
    orders::tell(d, Command::Start { color: !by });
}

/// A flag is down: when that was by the hall's time.
pub(super) fn fell(d: &mut Decision, color: Color, at: Millis) {
    if let Some(hall) = hall_of(d, at) {
        d.so(Consequence::Placed { by: color, flag: true, hall });
    }
}

/// The game is over by what a device told: when that was by the hall's time. Where flags decide, it is when they fell.
pub(super) fn ended(d: &mut Decision, termination: Termination) {
    if by_flags(termination) {
        return;
    }
    if let (Some(own), Some(hall)) = (d.when.own, d.when.at.and_then(|at| hall_of(d, at))) {
        d.so(Consequence::Placed { by: own.side, flag: false, hall });
    }
}

fn by_flags(termination: Termination) -> bool {
    matches!(termination, Termination::Time | Termination::BothFlags)
}

fn hall_of(d: &Decision, at: Millis) -> Option<Interval> {
    let own = d.when.own?;
    own.arrived?.hall_of(at, own.scale)
}

/// Which flag fell first, of two that are down by two devices; `None`: it is impossible to establish.
pub(super) fn fell_first(game: &Game) -> Option<Color> {
    let (white, black) = (game.fell.white?, game.fell.black?);
    if white.is_before(black) { Some(Color::White) } else { black.is_before(white).then_some(Color::Black) }
}

/// What one device tells after something told by the other was decided, and happened before it: the arbiter looks at it.
pub(super) fn look_back(d: &mut Decision, game: &Game, fact: &Fact) {
    let decides = matches!(
        fact,
        Fact::Flag { .. } | Fact::Move { .. } | Fact::Press { .. } | Fact::Acceptance { .. } | Fact::Resignation { .. } | Fact::Claim { .. }
    );
    let (Some(own), true) = (d.when.own, decides) else { return };
    let undecided = matches!(game.phase, Phase::Stopped(StopReason::FlagUndecided | StopReason::MatingAsked));
    let theirs = match &game.outcome {
        Some(outcome) if !by_flags(outcome.termination) => game.ended.filter(|(by, _)| *by != own.side).map(|(_, hall)| hall),
        Some(_) => *game.fell.get(!own.side),
        None if undecided => *game.fell.get(!own.side),
        None => None,
    };
    let (Some(theirs), Some(mine)) = (theirs, d.when.at.and_then(|at| hall_of(d, at))) else { return };
    let both = &d.game.laws.both_flags;
    let flags = matches!(fact, Fact::Flag { .. }) && game.fell.get(!own.side).is_some();
    let left = *d.game.clock.reading(d.now).get(own.side);
    let note = format!("by the hall's time this was {mine}, what was decided {theirs}; by the record {left} is left here");
    if mine.is_before(theirs) {
        let article = if flags { both.article } else { d.game.laws.arbiter };
        d.incident(IncidentCode::HappenedBefore, Some(own.side), &article, note);
    } else if flags && !theirs.is_before(mine) {
        let article = both.article;
        d.incident(IncidentCode::BothFlags, Some(own.side), &article, format!("which flag fell first cannot be established: {note}"));
    }
}
