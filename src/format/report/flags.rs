//! The proof of a flag's fall: from when on the clock ran and with how much, so that a reader can add it up himself.

use shakmaty::Color;

use super::{Came, name, words};
use crate::clock::{Adjustment, Chessclock, Millis, WallTime};
use crate::game::{self, Consequence, DeviceId, Fact, Seq, Termination};
use crate::laws::Article;
use crate::venue::{DeviceStamp, Role};

/// A flag that fell, with all that shows that it did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlagProof {
    /// The entry that says so.
    pub entry: Seq,
    /// Whose.
    pub color: Color,
    /// When, on the timekeeper's timeline; exact there.
    pub at: Millis,
    /// The device that kept the time; `None`: the daemon did.
    pub timekeeper: Option<DeviceId>,
    /// When that was by the hall's time of day, and how far that may be off; not known of a device that was not measured.
    pub hall: Option<(WallTime, Millis)>,
    /// How it is known.
    pub known: String,
    /// From when on the clock ran, and with how much.
    pub ran: Option<Ran>,
    /// What the other clock showed.
    pub other: Millis,
    /// The last press before it.
    pub press: Option<Press>,
    /// By which article it counts, once somebody who may has called it.
    pub called: Option<Called>,
    /// The entry that takes it back.
    pub withdrawn: Option<Seq>,
}

/// From when on a clock ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// The entry that tells.
    pub entry: Seq,
    /// What it tells.
    pub by: String,
    /// When that was, on the timekeeper's timeline.
    pub since: Millis,
    /// Time of the move that costs nothing.
    pub free: Millis,
    /// Time left.
    pub left: Millis,
}

/// A press.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Press {
    /// Its entry.
    pub entry: Seq,
    /// Whose.
    pub by: Color,
    /// When, on the timekeeper's timeline.
    pub at: Millis,
}

/// That a fall counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    /// The entry.
    pub entry: Seq,
    /// By whom.
    pub by: String,
    /// The ground.
    pub article: Article,
}

impl Ran {
    /// When the clock was used up.
    pub fn ends(&self) -> Millis {
        self.since.plus(self.free).plus(self.left)
    }
}

/// What came in together: the input that led to something, and who sent it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cause<'a> {
    pub(super) said: Option<&'a game::Entry>,
    pub(super) role: Option<Role>,
    pub(super) stamp: Option<DeviceStamp>,
    pub(super) recorded_at: WallTime,
    pub(super) came: Option<Came>,
    /// The device's milliseconds for a thousand of the hall's.
    pub(super) scale: u64,
    pub(super) who: &'a str,
}

/// Follows the clocks of one game and gathers its flags.
#[derive(Debug, Default)]
pub(super) struct Flags {
    pub(super) found: Vec<FlagProof>,
    ran: Option<(Seq, String)>,
    press: Option<Press>,
}

impl Flags {
    /// An entry of the game, the clocks before and after it, and which device keeps them.
    pub(super) fn entry(
        &mut self,
        seq: Seq,
        said: &game::Entry,
        before: &Chessclock,
        after: &Chessclock,
        timekeeper: Option<DeviceId>,
        cause: Cause<'_>,
    ) {
        if let game::Entry::Consequence(consequence) = said {
            match consequence {
                Consequence::FlagDown { color, at } => self.fell(seq, *color, *at, before, timekeeper, cause),
                Consequence::FlagFallen { color, at, article } => {
                    if !self.found.iter().any(|proof| proof.color == *color && proof.at == *at && proof.called.is_none()) {
                        self.fell(seq, *color, *at, before, timekeeper, cause);
                    }
                    if let Some(proof) = self.found.iter_mut().rfind(|proof| proof.color == *color && proof.at == *at) {
                        proof.called = Some(Called { entry: seq, by: called(cause), article: *article });
                    }
                }
                Consequence::GameOver { termination: Termination::BothFlags, article, .. } => {
                    for proof in self.found.iter_mut().filter(|proof| proof.called.is_none()) {
                        proof.called = Some(Called { entry: seq, by: "both flags are down".to_string(), article: *article });
                    }
                }
                Consequence::FlagWithdrawn { color } => {
                    if let Some(proof) = self.found.iter_mut().rfind(|proof| proof.color == *color) {
                        proof.withdrawn = Some(seq);
                    }
                }
                Consequence::Pressed { by, since, .. } => self.press = Some(Press { entry: seq, by: *by, at: *since }),
                _ => {}
            }
        }
        if after.running().is_some() && before.running() != after.running() {
            self.ran = Some((seq, began(said)));
        }
    }

    fn fell(&mut self, entry: Seq, color: Color, at: Millis, clock: &Chessclock, timekeeper: Option<DeviceId>, cause: Cause<'_>) {
        let running = clock.running().filter(|running| running.color == color);
        let ran = running.zip(self.ran.clone()).map(|(running, (entry, by))| {
            let side = clock.side(color);
            Ran { entry, by, since: running.since, free: side.free, left: side.left }
        });
        // From the stamp of what told it to the time of day; the daemon's own needs no network.
        let stamp = cause.stamp.filter(|stamp| stamp.device == timekeeper.unwrap_or(DeviceId(0)));
        let own = Came { late: Adjustment(0), error: Millis::ZERO, stamped_at: cause.recorded_at, believed: true };
        let came = if timekeeper.is_none() { Some(own) } else { cause.came.filter(|came| came.believed) };
        let since = |stamp: DeviceStamp| super::by_the_hall(at.to(stamp.at), cause.scale);
        let hall = stamp.zip(came).map(|(stamp, came)| (WallTime(came.stamped_at.0.saturating_sub(since(stamp).0)), came.error));
        let other = *clock.reading(Some(at)).get(!color);
        let known = known(cause, at);
        self.found.push(FlagProof { entry, color, at, timekeeper, hall, known, ran, other, press: self.press, called: None, withdrawn: None });
    }
}

/// What set a clock running, as the entry says.
fn began(said: &game::Entry) -> String {
    match said {
        game::Entry::Consequence(Consequence::Pressed { by, .. }) => format!("{}'s press", name(*by)),
        game::Entry::Consequence(Consequence::ClockStarted { .. }) => "the start of the clock".to_string(),
        game::Entry::Consequence(Consequence::PeriodAdded { .. }) => "the time of the next period".to_string(),
        game::Entry::Consequence(Consequence::ClockRead { .. }) => "a reading of the displays".to_string(),
        game::Entry::Consequence(Consequence::ReplySealed { .. }) => "a sealed answer".to_string(),
        _ => "what this entry tells".to_string(),
    }
}

/// How a fall is known.
fn known(cause: Cause<'_>, at: Millis) -> String {
    let later = |what: String| match cause.stamp {
        Some(stamp) if stamp.at == at => format!("{what}, stamped with that instant"),
        Some(stamp) => format!("{what}, stamped {}, which is {} after it", stamp.at, stamp.at.less(at)),
        None => what,
    };
    match (cause.said, cause.role) {
        (Some(game::Entry::Fact(Fact::Flag { .. })), Some(Role::Clock)) => later("the device reported it".to_string()),
        (Some(game::Entry::Fact(Fact::Flag { .. })), _) => later("the daemon, which keeps the time, saw it".to_string()),
        (Some(game::Entry::Fact(Fact::BothFlags)), _) => "the device reported both flags down, and cannot tell which fell first".to_string(),
        (Some(game::Entry::Fact(fact)), _) => later(format!("by what came after it: {}", words::fact(fact))),
        (Some(game::Entry::Ruling(ruling)), _) => later(format!("by what came after it: {} ({})", words::ruling(ruling), cause.who)),
        _ => "by the clocks as they stood".to_string(),
    }
}

/// Who called it, so that it counts.
fn called(cause: Cause<'_>) -> String {
    match cause.said {
        Some(game::Entry::Ruling(game::Ruling::CallFlag { .. })) => format!("called by {}", cause.who),
        Some(game::Entry::Ruling(ruling)) => format!("{} ({})", words::ruling(ruling), cause.who),
        Some(game::Entry::Fact(Fact::Claim { by, claim: game::Claim::Flag })) => format!("claimed by {}", name(*by)),
        _ => "nobody has to call it".to_string(),
    }
}

impl FlagProof {
    /// Its parts, each with its name.
    pub(super) fn parts(&self, time_of_day: &dyn Fn(WallTime) -> String) -> Vec<(&'static str, String)> {
        let by = self.timekeeper.map_or("by the daemon's time".to_string(), |device| format!("by the time of device {}", device.0));
        let mut parts = vec![("fell at", format!("{} {by}, ± 0", self.at))];
        parts.push(match self.hall {
            Some((at, error)) => ("time of day", format!("{} ± {error}", time_of_day(at))),
            None => ("time of day", "not measured: only the device's own time is known".to_string()),
        });
        parts.push(("known", self.known.clone()));
        if let Some(ran) = &self.ran {
            parts.push(("the clock ran", format!("since {}, by {} (entry {})", ran.since, ran.by, ran.entry.0)));
            let free = if ran.free > Millis::ZERO { format!(" + {} that cost nothing", ran.free) } else { String::new() };
            parts.push(("sum", format!("{}{free} + {} left = {}", ran.since, ran.left, ran.ends())));
            if self.at != ran.ends() {
                let apart = self.at.distance(ran.ends());
                parts.push(("told otherwise", format!("the device's word is {apart} from the sum, within the second that a display shows")));
            }
        }
        parts.push(("the other clock", format!("{} had {} left", name(!self.color), self.other)));
        parts.push(match self.press {
            Some(press) => ("last press before", format!("{}'s at {} (entry {})", name(press.by), press.at, press.entry.0)),
            None => ("last press before", "none".to_string()),
        });
        parts.push(match &self.called {
            Some(called) => ("counts", format!("{}, entry {} ({})", called.by, called.entry.0, called.article)),
            None => ("counts", "not: nobody who may has called it".to_string()),
        });
        if let Some(seq) = self.withdrawn {
            parts.push(("withdrawn", format!("in entry {}: what is stamped before it came after it", seq.0)));
        }
        parts
    }
}
