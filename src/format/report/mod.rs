//! The whole record of one game, for an appeal: every entry in order, each flag's proof, and what the clocks were given and by whom.
//!
//! [`Reporter`] is fed with a log and gathers it; [`Report`] prints as text, as a page for paper, and as JSON.

mod flags;
mod follows;
mod gather;
mod html;
mod json;
mod ledger;
mod text;
mod words;

use jiff::tz::TimeZone;
use shakmaty::{ByColor, Color};

use crate::clock::{Adjustment, Millis, Reading, WallTime};
use crate::game::{Seq, is_plain};
use crate::laws::Article;
use crate::venue::DeviceStamp;
pub use flags::FlagProof;
pub use gather::Reporter;
pub use ledger::{Between, Correction, Ledger, Network};

/// The record of one game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The game.
    pub game: u64,
    /// What was agreed before, and how it ended: each with its name.
    pub head: Vec<(&'static str, String)>,
    /// What happened, in order.
    pub rows: Vec<Row>,
    /// Every flag that fell.
    pub flags: Vec<FlagProof>,
    /// What the clocks were given and by whom.
    pub ledger: Ledger,
    /// The moves, as PGN has them.
    pub moves: String,
    /// The log's last entry that was looked at, and when it was recorded.
    pub until: (Seq, WallTime),
}

/// Something that happened, or was decided, with what followed from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its first entry.
    pub first: Seq,
    /// Its last.
    pub last: Seq,
    /// When the daemon recorded it.
    pub at: WallTime,
    /// Who said it: role, name and credential.
    pub who: String,
    /// The device's own stamp, or the daemon's.
    pub stamp: Option<DeviceStamp>,
    /// How long it was on its way, where that was measured.
    pub came: Option<Came>,
    /// Where the stamp cannot be: the instant at which it counted.
    pub counted_at: Option<Millis>,
    /// In plain words.
    pub said: String,
    /// By which article.
    pub article: Option<Article>,
    /// Why, as the arbiter said.
    pub reason: String,
    /// What followed.
    pub follows: Vec<Follow>,
    /// What both clocks showed afterwards.
    pub left: Reading,
    /// Of a ruling: how the game stood before and after.
    pub change: Option<[Standing; 2]>,
}

/// How long a report was on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Came {
    /// From its stamp to its arrival, by the hall's time; less than nothing only within the error, or where the stamp cannot be.
    pub late: Adjustment,
    /// How far that may be off, either way.
    pub error: Millis,
    /// The time of day at which it was stamped, as far off.
    pub stamped_at: WallTime,
    /// Whether the stamp can be: one from the future counts for nothing.
    pub believed: bool,
}

/// What followed from something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Follow {
    /// Its entry.
    pub entry: Seq,
    /// In plain words.
    pub said: String,
    /// By which article.
    pub article: Option<Article>,
    /// Whether it is for the arbiter to look at.
    pub incident: bool,
}

/// How a game stood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// What the clocks showed.
    pub left: Reading,
    /// Moves by the clocks' counters.
    pub counted: ByColor<u32>,
    /// Moves made, by both, that stand on the board.
    pub plies: usize,
    /// Where the game stood.
    pub phase: String,
    /// Its result.
    pub result: String,
}

impl Standing {
    /// Its parts, each with its name.
    fn parts(&self) -> [(&'static str, String); 6] {
        let none = |text: &str| if text.is_empty() { "none".to_string() } else { text.to_string() };
        [
            ("White's clock", self.left.white.to_string()),
            ("Black's clock", self.left.black.to_string()),
            ("moves counted", format!("{} and {}", self.counted.white, self.counted.black)),
            ("half-moves on the board", self.plies.to_string()),
            ("state", self.phase.clone()),
            ("result", none(&self.result)),
        ]
    }

    /// What is otherwise afterwards: its name, what it was and what it is.
    fn changes(&self, after: &Standing) -> Vec<(&'static str, String, String)> {
        let pairs = self.parts().into_iter().zip(after.parts());
        pairs.filter(|((_, was), (_, is))| was != is).map(|((name, was), (_, is))| (name, was, is)).collect()
    }

    /// What is as it was, in a line.
    fn unchanged(&self, after: &Standing) -> String {
        let same = self.parts().into_iter().zip(after.parts()).filter(|((_, was), (_, is))| was == is);
        same.map(|((name, was), _)| format!("{name} {was}")).collect::<Vec<_>>().join("; ")
    }
}

/// A span of a device's time on the hall's; the device counts so many milliseconds for a thousand of the hall's.
fn by_the_hall(span: Adjustment, scale: u64) -> Adjustment {
    Adjustment(i64::try_from(i128::from(span.0) * 1_000 / i128::from(scale.max(1))).unwrap_or(i64::MAX))
}

/// A side, at the beginning of a sentence or within it.
fn name(color: Color) -> &'static str {
    color.fold_wb("White", "Black")
}

/// The time of day in a hall, to the millisecond.
fn time_of_day(at: WallTime, zone: &TimeZone) -> String {
    in_zone(at, zone, "%H:%M:%S%.3f")
}

/// The day.
fn day(at: WallTime, zone: &TimeZone) -> String {
    in_zone(at, zone, "%Y-%m-%d")
}

fn in_zone(at: WallTime, zone: &TimeZone, format: &str) -> String {
    match jiff::Timestamp::from_millisecond(at.0) {
        Ok(time) => time.to_zoned_datetime(zone.clone()).strftime(format).to_string(),
        Err(_) => at.to_string(),
    }
}

/// What somebody wrote, as it is: only what would not stand in its line as it reads is escaped.
fn plain(text: &str) -> String {
    let shown = |c: char| if is_plain(c) { c.to_string() } else { c.escape_unicode().to_string() };
    text.chars().map(shown).collect()
}

/// One entry, or from which to which.
fn entries(first: Seq, last: Seq) -> String {
    if first == last { first.0.to_string() } else { format!("{}–{}", first.0, last.0) }
}

/// A row's stamp in words, and what the network made of it.
fn stamped(row: &Row, zone: &TimeZone) -> String {
    let Some(stamp) = &row.stamp else { return String::new() };
    if stamp.device.0 == 0 {
        return format!("the daemon's time {}", stamp.at);
    }
    let came = row.came.map_or(String::new(), |came| {
        let error = came.error;
        if !came.believed {
            let counted = row.counted_at.map_or("not counted".to_string(), |at| format!("counted at {at}"));
            return format!(", which cannot be: it came {} ± {error} before that; {counted}", Millis(came.late.0.unsigned_abs()));
        }
        format!("; came {} ± {error} after it, so that was at {} ± {error}", came.late, time_of_day(came.stamped_at, zone))
    });
    format!("device {}, boot {}, report {}, its time {}{came}", stamp.device.0, stamp.boot, stamp.report, stamp.at)
}
