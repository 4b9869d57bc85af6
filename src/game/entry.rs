//! The vocabulary of a game: facts, rulings, consequences, and why something is not taken.
//!
//! Facts are nouns: they happened. Rulings are verbs: an arbiter decides. Consequences are
//! participles: what the Laws derive, with the result in figures, so that replay computes nothing.
#![expect(missing_docs, reason = "a variant's sentence names its fields, and their types carry the units")]

use std::fmt;
use std::str::FromStr;

use shakmaty::{ByColor, Color, Square, uci::UciMove};

use crate::board::MoveText;
use crate::clock::{Adjustment, Clock, Millis, Reading};
use crate::laws::{Article, Laws};

/// Longest reason or note, in bytes.
pub const MAX_TEXT: usize = 500;
/// Most moves that one scoresheet entry may bring.
pub const MAX_SCORESHEET: usize = 600;

/// Name of a game, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct GameId(pub u64);

/// Name of a clock device: its maker's serial number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct DeviceId(pub u64);

/// Place in the venue's log, from 1, without gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Seq(pub u64);

/// Number of an order to a game's device, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct OrderNo(pub u32);

/// What goes in: something that happened, or a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Something that happened at the board.
    Fact(Fact),
    /// An arbiter's decision.
    Ruling(Ruling),
}

/// One entry about a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// Something that happened.
    Fact(Fact),
    /// A decision.
    Ruling(Ruling),
    /// What follows.
    Consequence(Consequence),
}

/// Something that happened at the board. Never refused for breaking a law.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    /// A player has come.
    Arrival { color: Color },
    /// A move was made on the board, any that a hand can make. In the log always by its squares.
    Move { by: Color, made: MoveText },
    /// A side of the chessclock was pressed.
    Press { by: Color, moved: Moved, shown: Option<Millis> },
    /// A player touched a piece.
    Touch { by: Color, square: Square },
    /// The device reports that a flag fell.
    Flag { color: Color },
    /// The clocks were paused at the device.
    Pause { by: Option<Color> },
    /// A draw was offered.
    Offer { by: Color },
    /// The offer that stands was accepted.
    Acceptance { by: Color },
    /// The offer that stands was refused.
    Rejection { by: Color },
    /// A player resigned.
    Resignation { by: Color },
    /// The device carried an order out.
    Confirmation { order: OrderNo },
    /// What the device's displays show.
    Display { shown: Reading },
    /// The device has restarted and forgotten the game.
    Restart,
    /// Moves from a scoresheet, from ply `from` (0 is the first).
    Scoresheet { from: u32, moves: Vec<MoveText> },
    /// By the daemon's reckoning the flag is due and the device is silent.
    Silence { color: Color },
}

/// What a press says of the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Moved {
    /// Nothing of its own: what was reported before it stands.
    AsReported,
    /// A move was made that the device could not read.
    Unknown,
    /// This move.
    Move(UciMove),
}

/// An arbiter's decision. Refused where it contradicts the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ruling {
    /// Starts the game (6.6).
    Start,
    /// Stops both clocks (6.11.1).
    Stop { reason: String },
    /// Starts again the clock that ran.
    Resume,
    /// Sets both clocks (6.10).
    SetClocks { times: Reading },
    /// Adds to one clock or takes from it (12.5).
    AddTime { color: Color, by: Adjustment, reason: String },
    /// Corrects a move counter (6.10.2).
    SetCounter { color: Color, moves: u32 },
    /// Puts another device at the board (6.10.1).
    ReplaceClock { device: Option<DeviceId> },
    /// Ends the game with a result.
    DeclareResult { score: Score, reason: String },
    /// Puts a result right.
    CorrectResult { score: Score, reason: String },
    /// Declares the game void.
    Annul { reason: String },
    /// Takes the last ruling back that can be.
    Undo { reason: String },
}

/// What the Laws derive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Consequence {
    /// Both players are there.
    PlayersReady,
    /// A clock was started at an instant of the timekeeper's timeline.
    ClockStarted { color: Color, since: Millis },
    /// Both clocks were stopped and show these.
    ClocksStopped { sides: ByColor<Clock>, reason: StopReason },
    /// A press was worked out: the presser's clock, his completed moves; the other's clock runs since then.
    Pressed { by: Color, clock: Clock, other: Millis, completed: u32, since: Millis },
    /// A move was completed otherwise than by a press (6.2.1.1, 6.2.1.2).
    MoveCompleted { by: Color, completed: u32 },
    /// The move made and not pressed was taken back for another.
    MoveTakenBack { by: Color },
    /// The next period was given to a player whose time ran out with his moves made (6.4).
    PeriodAdded { color: Color, clock: Clock, other: Millis, since: Millis },
    /// The running clock was read: what it shows, and the other one, at an instant.
    ClockRead { color: Color, clock: Clock, other: Millis, since: Millis },
    /// A flag fell, at an instant of the timekeeper's timeline.
    FlagFallen { color: Color, at: Millis, article: Article },
    /// The flag's fall is overtaken by what the same device stamped before it and sent after it.
    FlagWithdrawn { color: Color },
    /// Both clocks and counters were set.
    ClocksSet { sides: ByColor<Clock> },
    /// The device was told something, and will confirm it.
    Ordered { order: OrderNo, command: Command },
    /// A draw offer stands.
    OfferMade { by: Color },
    /// The offer no longer stands.
    OfferEnded,
    /// The game is over.
    GameOver { score: Score, termination: Termination, article: Article },
    /// The result is now this.
    ResultCorrected { score: Score },
    /// The game is void.
    Annulled,
    /// The end of the game was taken back; the clocks stand.
    Reopened { phase: Reopened },
    /// A ruling was taken back.
    Undone { ruling: Seq },
    /// Another device keeps the time, or the daemon.
    ClockReplaced { device: Option<DeviceId> },
    /// Something for the arbiter to look at.
    Incident { code: IncidentCode, color: Option<Color>, article: Article, note: String },
}

/// What a game goes back to when its end is taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reopened {
    /// It had not started.
    Waiting,
    /// It had: now it is stopped.
    Stopped,
    /// It was over before it was annulled.
    Over,
}

/// Why the clocks stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StopReason {
    /// The arbiter stopped them.
    Arbiter,
    /// They were paused at the device.
    Pause,
    /// The device restarted.
    DeviceRestart,
    /// The daemon, which kept the time, restarted.
    TimekeeperRestart,
    /// The device's stamps went backwards, or leapt further than can be.
    StampsBackwards,
    /// Another device was put at the board.
    ClockReplaced,
    /// A flag fell and who has won cannot be told.
    FlagUndecided,
    /// The game is over.
    GameOver,
}

/// What a device is told to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Start this side.
    Start { color: Color },
    /// Stop both sides.
    Stop,
    /// Show these times and counters.
    Set { sides: ByColor<Clock> },
    /// Add to one side.
    Add { color: Color, by: Adjustment },
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant,)* }

        impl $name {
            /// Every one of them.
            pub const ALL: &[$name] = &[$($name::$variant,)*];

            /// The word for it.
            pub const fn word(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.word())
            }
        }

        impl FromStr for $name {
            type Err = UnknownWord;

            fn from_str(text: &str) -> Result<$name, UnknownWord> {
                let found = $name::ALL.iter().copied().find(|one| one.word() == text);
                found.ok_or_else(|| UnknownWord {
                    text: text.chars().take(40).collect(),
                    known: $name::ALL.iter().map(|one| one.word()).collect::<Vec<_>>().join(" "),
                })
            }
        }
    };
}

/// A word that is none of those known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is none of: {known}")]
pub struct UnknownWord {
    text: String,
    known: String,
}

words! {
    /// A result (8.7, 10, 11.8): both may lose, one may have half.
    Score {
        /// White won.
        WhiteWins = "1-0",
        /// Black won.
        BlackWins = "0-1",
        /// Drawn.
        Draw = "1/2-1/2",
        /// Lost by both.
        BothLose = "0-0",
        /// White half, Black nothing.
        WhiteHalf = "1/2-0",
        /// Black half, White nothing.
        BlackHalf = "0-1/2",
        /// White won by forfeit.
        WhiteForfeitWin = "+-",
        /// Black won by forfeit.
        BlackForfeitWin = "-+",
        /// Forfeited by both.
        DoubleForfeit = "--",
    }
}

words! {
    /// How a game ended.
    Termination {
        /// Mate.
        Checkmate = "checkmate",
        /// Stalemate.
        Stalemate = "stalemate",
        /// Neither can mate.
        DeadPosition = "dead-position",
        /// Draw by agreement.
        Agreement = "agreement",
        /// Resignation.
        Resignation = "resignation",
        /// Time used up.
        Time = "time",
        /// The arbiter's decision.
        Arbiter = "arbiter",
    }
}

words! {
    /// What an arbiter should look at.
    IncidentCode {
        /// A press with nothing moved.
        PressWithoutMove = "press-without-move",
        /// An illegal move on the board.
        IllegalMove = "illegal-move",
        /// The clock's counter and the moves made disagree.
        CounterMismatch = "counter-mismatch",
        /// The flag is due and the device is silent.
        FlagDue = "flag-due",
        /// A flag was reported that the times do not bear out.
        FlagDoubtful = "flag-doubtful",
        /// A draw offered at another time than after the move and before the press.
        OfferOutOfTurn = "offer-out-of-turn",
        /// A draw agreed before both had moved.
        AgreementTooEarly = "agreement-too-early",
        /// The device shows other times than its stamps give.
        ClockDiscrepancy = "clock-discrepancy",
        /// The device restarted.
        DeviceRestarted = "device-restarted",
        /// The daemon, which kept the time, restarted.
        TimekeeperRestarted = "timekeeper-restarted",
        /// The device's stamps went backwards.
        StampsBackwards = "stamps-backwards",
        /// A flag fell and moves are missing, so who can still mate is not known.
        PositionUnknown = "position-unknown",
    }
}

impl Entry {
    /// The article that stands behind the entry, where one does.
    pub fn article(&self, laws: &Laws) -> Option<Article> {
        match self {
            Entry::Fact(_) => None,
            Entry::Ruling(ruling) => Some(match ruling {
                Ruling::Start => laws.start,
                Ruling::Stop { .. } | Ruling::Resume => laws.stopping,
                Ruling::SetClocks { .. } | Ruling::SetCounter { .. } => laws.counter,
                Ruling::AddTime { .. } => laws.time_added,
                Ruling::ReplaceClock { .. } => laws.defective_clock,
                Ruling::DeclareResult { .. } | Ruling::CorrectResult { .. } => laws.result,
                Ruling::Annul { .. } => laws.annulled,
                Ruling::Undo { .. } => laws.arbiter,
            }),
            Entry::Consequence(consequence) => match consequence {
                Consequence::FlagFallen { article, .. } | Consequence::GameOver { article, .. } | Consequence::Incident { article, .. } => {
                    Some(*article)
                }
                _ => None,
            },
        }
    }
}

impl Score {
    /// The win of one side over the board.
    pub fn win(color: Color) -> Score {
        color.fold_wb(Score::WhiteWins, Score::BlackWins)
    }
}

/// Why an input is not taken. Nothing was appended.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A ruling that contradicts the state.
    #[error("{why} ({article})")]
    Contradicts {
        /// A word for programs.
        code: &'static str,
        /// The ground.
        article: Article,
        /// For people: what stands against it and what would be right.
        why: String,
    },
    /// An input that cannot be read.
    #[error("{field}: {why}")]
    Unreadable {
        /// The field that is wrong.
        field: &'static str,
        /// What is wrong, and what would be right.
        why: String,
    },
}

impl Refusal {
    /// A word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Refusal::Contradicts { code, .. } => code,
            Refusal::Unreadable { .. } => "unreadable",
        }
    }
}
