//! What players claim, what the Laws answer, what arbiters inflict, and what is written on an envelope.
#![expect(missing_docs, reason = "a variant's sentence names its fields, and their types carry the units")]

use std::fmt;

use shakmaty::{Color, Square, uci::UciMove};

use super::words::Termination;

use crate::board::MoveText;
use crate::clock::{Millis, Reading, WallTime};
use crate::envelope::{Nonce, Note};
use crate::laws::{Article, Penalties};

/// What a player claims or asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// The same position for the third time, standing or after the written move (9.2).
    Threefold { with: Option<MoveText> },
    /// Fifty moves without pawn move and capture, made or with the written move (9.3).
    Fifty { with: Option<MoveText> },
    /// The opponent's flag is down (6.8).
    Flag,
    /// The opponent's last move was illegal (7.5).
    IllegalMove,
    /// The opponent cannot win, or does not try to, by normal means (III.5).
    Quickplay { ground: Ground },
    /// The clocks should show these times (6.10.2).
    Clocks { times: Reading },
    /// Five seconds a move for both (III.4).
    FiveSeconds,
}

/// The ground of a claim in the quickplay finish.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ground {
    /// (a): the opponent cannot win by normal means.
    CannotWin,
    /// (b): he makes no effort to.
    NoEffort,
    /// Both.
    Both,
}

/// What the Laws say of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Answer {
    /// It holds.
    Correct,
    /// It does not.
    Incorrect,
    /// It is for the arbiter.
    Open,
}

/// A penalty, against an offender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Penalty {
    /// A warning.
    Warning,
    /// More time for the opponent.
    OpponentTime(Millis),
    /// Less time for the offender.
    OwnTime(Millis),
    /// More half points for the opponent.
    OpponentPoints(u8),
    /// Fewer half points for the offender.
    OwnPoints(u8),
    /// The game is lost.
    Loss,
    /// A fine announced in advance.
    Fine,
    /// Exclusion from rounds.
    Exclusion,
    /// Expulsion from the competition.
    Expulsion,
}

/// What a player has to play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Duty {
    /// This move.
    Play(UciMove),
    /// A move of the piece on this square.
    Move(Square),
}

/// A loss that becomes a draw where the opponent cannot mate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loss {
    /// Who loses.
    pub color: Color,
    /// By what.
    pub termination: Termination,
    /// Its ground.
    pub article: Article,
}

/// An item on the outside of an envelope (I.2). What the daemon knows itself is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// Where the game is resumed.
    Place(String),
    /// When it is.
    Resumes(WallTime),
    /// Number of the sealed move.
    Number(u32),
    /// Who sealed.
    Sealer(Color),
    /// Whose draw offer is noted.
    Offer(Option<Color>),
    /// What the clocks show.
    Times(Reading),
}

/// What cannot be established any more (I.12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lost {
    /// The sealed move.
    Move,
    /// That, and the times.
    Times,
    /// The position.
    Position,
}

/// What was in an envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// As the player wrote it.
    pub text: String,
    /// With what the sealing device hid it.
    pub nonce: Nonce,
}

impl From<&Note> for Opened {
    fn from(note: &Note) -> Opened {
        Opened { text: note.text.to_string(), nonce: note.nonce }
    }
}

impl fmt::Display for Claim {
    /// As it is written in scenarios.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Claim::Threefold { with: None } => f.write_str("threefold"),
            Claim::Threefold { with: Some(text) } => write!(f, "threefold with {text}"),
            Claim::Fifty { with: None } => f.write_str("fifty"),
            Claim::Fifty { with: Some(text) } => write!(f, "fifty with {text}"),
            Claim::Flag => f.write_str("flag"),
            Claim::IllegalMove => f.write_str("illegal"),
            Claim::Quickplay { ground } => write!(f, "quickplay {ground}"),
            Claim::Clocks { times } => write!(f, "clock {} {}", times.white, times.black),
            Claim::FiveSeconds => f.write_str("increment"),
        }
    }
}

impl fmt::Display for Ground {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ground::CannotWin => "a",
            Ground::NoEffort => "b",
            Ground::Both => "a b",
        })
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Answer::Correct => "correct",
            Answer::Incorrect => "incorrect",
            Answer::Open => "open",
        })
    }
}

impl fmt::Display for Penalty {
    /// As it is written in scenarios.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let points = |halves: &u8| if halves.is_multiple_of(2) { (halves / 2).to_string() } else { format!("{}.5", halves / 2) };
        match self {
            Penalty::Warning => f.write_str("warning"),
            Penalty::OpponentTime(time) => write!(f, "time+{time}"),
            Penalty::OwnTime(time) => write!(f, "time-{time}"),
            Penalty::OpponentPoints(halves) => write!(f, "points+{}", points(halves)),
            Penalty::OwnPoints(halves) => write!(f, "points-{}", points(halves)),
            Penalty::Loss => f.write_str("loss"),
            Penalty::Fine => f.write_str("fine"),
            Penalty::Exclusion => f.write_str("exclusion"),
            Penalty::Expulsion => f.write_str("expel"),
        }
    }
}

impl fmt::Display for Duty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Duty::Play(made) => write!(f, "{made} has to be played"),
            Duty::Move(square) => write!(f, "the piece on {square} has to be moved"),
        }
    }
}

impl fmt::Display for Item {
    /// As it is written in scenarios.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Item::Place(place) => write!(f, "place \"{}\"", place.escape_debug()),
            Item::Resumes(at) => write!(f, "resume {at}"),
            Item::Number(number) => write!(f, "number {number}"),
            Item::Sealer(color) => write!(f, "sealer {}", super::side(*color)),
            Item::Offer(color) => write!(f, "offer {}", color.map_or("none", super::side)),
            Item::Times(times) => write!(f, "times {} {}", times.white, times.black),
        }
    }
}

impl Lost {
    /// The word for what is lost besides the sealed move.
    pub fn word(self) -> &'static str {
        match self {
            Lost::Move => "",
            Lost::Times => "times",
            Lost::Position => "position",
        }
    }
}

impl Penalties {
    /// The citation of a penalty; `None`: the edition has no such penalty.
    pub fn article(&self, penalty: Penalty) -> Option<Article> {
        match penalty {
            Penalty::Warning => Some(self.warning),
            Penalty::OpponentTime(_) => Some(self.opponent_time),
            Penalty::OwnTime(_) => Some(self.own_time),
            Penalty::OpponentPoints(_) => self.opponent_points,
            Penalty::OwnPoints(_) => self.own_points,
            Penalty::Loss => Some(self.loss),
            Penalty::Fine => self.fine,
            Penalty::Exclusion => self.exclusion,
            Penalty::Expulsion => Some(self.expulsion),
        }
    }
}
