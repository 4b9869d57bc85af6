//! PGN: what is read of a game, what can be wrong with one, and the limits.

mod read;
mod spelling;
mod write;

use std::fmt;
use std::sync::Arc;

use shakmaty::uci::UciMove;

use crate::board::{MAX_PLIES, Start};
use crate::clock::{Millis, TimeControl};
use crate::game::Score;

pub use read::{Games, games};
pub use write::write;

/// Largest file, in bytes.
pub const MAX_FILE: usize = 64 << 20;
/// Most games that are read of one file.
pub const MAX_GAMES: usize = 200_000;
/// Most tags that are kept of one game.
pub const MAX_TAGS: usize = 100;
/// Longest tag, name and value, in bytes.
pub const MAX_TAG: usize = 4_096;
/// How much of one comment is looked at for clock times, in bytes.
pub const MAX_COMMENT: usize = 4_096;

/// A game's tag pairs, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tags(pub Vec<(String, String)>);

/// A game that can be played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PgnGame {
    /// Its number in the file, from 1.
    pub number: usize,
    /// Its tags.
    pub tags: Tags,
    /// Where it starts.
    pub start: Arc<Start>,
    /// Its moves, all legal.
    pub moves: Vec<PgnMove>,
    /// Its result; `None` is PGN's `*`.
    pub result: Option<Score>,
}

/// One move, with the times that its comments give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PgnMove {
    /// Its squares.
    pub uci: UciMove,
    /// What the mover's clock showed after it (`%clk`).
    pub clk: Option<Shown>,
    /// Time that it took (`%emt`).
    pub emt: Option<Shown>,
}

/// A time as it was shown: what is less than a unit has been cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shown {
    /// The least time that looks like this.
    pub time: Millis,
    /// A second for `h:mm:ss`, less with a fraction, a minute for `h:mm`.
    pub unit: Millis,
}

/// A game that cannot be played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("game {number}: {reason}")]
pub struct PgnProblem {
    /// Its number in the file, from 1.
    pub number: usize,
    /// Why not.
    pub reason: Reason,
}

/// Why a game cannot be played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant's sentence names its fields")]
pub enum Reason {
    /// Other rules than those of chess.
    #[error("the variant '{0}' is not chess as the Laws have it")]
    OtherVariant(String),
    /// The tag FEN gives no position to play from.
    #[error("{0}")]
    Position(String),
    /// No legal move.
    #[error("ply {ply}, {text}: no legal move there")]
    IllegalMove { ply: usize, text: String },
    /// A move that is none.
    #[error("ply {ply}: a null move")]
    NullMove { ply: usize },
    /// Nothing was played.
    #[error("it has no moves")]
    NoMoves,
    /// Longer than a game may be.
    #[error("it has more than {MAX_PLIES} plies")]
    TooLong,
    /// Not PGN.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// The file has more games than are read.
    #[error("only the first {MAX_GAMES} games of a file are read")]
    TooMany,
}

impl Reason {
    /// A word for the kind of problem, to count by.
    pub fn word(&self) -> &'static str {
        match self {
            Reason::OtherVariant(_) => "other-variant",
            Reason::Position(_) => "position",
            Reason::IllegalMove { .. } => "illegal-move",
            Reason::NullMove { .. } => "null-move",
            Reason::NoMoves => "no-moves",
            Reason::TooLong => "too-long",
            Reason::Unreadable(_) => "unreadable",
            Reason::TooMany => "too-many",
        }
    }
}

/// A file that is larger than [`MAX_FILE`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the file has {0} bytes; at most {MAX_FILE} are read: split it")]
pub struct PgnTooLarge(pub usize);

impl Tags {
    /// The value of a tag.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(one, _)| one == name).map(|(_, value)| value.as_str())
    }

    /// The time control, where the tag `TimeControl` is one of our grammar. `?`, `-` and prose are none; they stay among the tags.
    pub fn time_control(&self) -> Option<TimeControl> {
        self.get("TimeControl")?.trim().parse().ok()
    }
}

impl Shown {
    /// Whether a clock with this time left looks like that.
    pub fn is(self, left: Millis) -> bool {
        left >= self.time && left < self.time.plus(self.unit)
    }
}

impl std::str::FromStr for Shown {
    type Err = crate::clock::ParseMillisError;

    /// `h:mm:ss` with or without a fraction, one digit of hours or more; `h:mm` is hours and minutes.
    fn from_str(text: &str) -> Result<Shown, Self::Err> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        if fraction.is_empty() && whole.matches(':').count() == 1 {
            return Ok(Shown { time: format!("{whole}:00").parse()?, unit: Millis::minutes(1) });
        }
        // What is finer than a millisecond is cut off.
        let digits = fraction.len().min(3);
        let cut = text.len() - (fraction.len() - digits);
        let unit = Millis(1_000 / 10_u64.pow(digits as u32));
        Ok(Shown { time: text.get(..cut).unwrap_or(text).parse()?, unit })
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.time.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_as_they_are_shown() {
        for (text, time, unit) in [
            ("1:30:56", 5_456_000, 1_000),
            ("00:15:19", 919_000, 1_000),
            ("0:02:58.9", 178_900, 100),
            ("0:00:00.0375", 37, 1),
            ("1:57", 7_020_000, 60_000),
            ("51:04:05", 183_845_000, 1_000),
        ] {
            assert_eq!(text.parse(), Ok(Shown { time: Millis(time), unit: Millis(unit) }), "{text}");
        }
        for text in ["", "57", "1:75:00", "1:75", "0:00:0x", "1:30:56.", "-1:00:00", "0:00:07.é"] {
            assert!(text.parse::<Shown>().is_err(), "{text}");
        }
        assert!(Shown { time: Millis(7_000), unit: Millis(1_000) }.is(Millis(7_999)));
    }
}
