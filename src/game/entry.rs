//! The vocabulary of a game: facts, rulings, consequences, and why something is not taken.
//!
//! Facts are nouns: they happened. Rulings are verbs: an arbiter decides. Consequences are
//! participles: what the Laws derive, with the result in figures, so that replay computes nothing.
#![expect(missing_docs, reason = "a variant's sentence names its fields, and their types carry the units")]

use shakmaty::fen::Epd;
use shakmaty::{ByColor, Color, Square, uci::UciMove};

pub use super::terms::{Answer, Claim, Duty, Ground, Item, Loss, Lost, Opened, Penalty};
pub use super::words::{IncidentCode, Score, Termination, UnknownWord};

use crate::board::mating::Mating;
use crate::board::{Meaning, MoveText};
use crate::clock::{Adjustment, Clock, Interval, Millis, Reading, WallTime};
use crate::envelope::Sealed;
use crate::laws::Article;

/// Longest reason or note, in bytes.
pub const MAX_TEXT: usize = 500;
/// Most moves that one scoresheet entry may bring.
pub const MAX_SCORESHEET: usize = 600;
/// Longest line, in plies, by which an entry may show that a side can still mate.
pub const MAX_MATING_LINE: usize = 2_000;

/// Neither a control character nor one that turns the direction of what follows, or breaks the line.
pub(crate) fn is_plain(c: char) -> bool {
    !c.is_control() && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

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
    /// A side of the chessclock was pressed; where a player plays from afar, `lag` is how long the press was on its way, as he measures it.
    Press { by: Color, moved: Moved, shown: Option<Millis>, lag: Option<Millis> },
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
    /// The device reports that both flags are down and cannot tell which fell first.
    BothFlags,
    /// A player claims something, or asks for it.
    Claim { by: Color, claim: Claim },
    /// By the daemon's reckoning the default time has passed and this player has not come.
    Late { color: Color },
    /// Whether either side can still mate in the position after that many plies, as worked out beside the writer.
    Verdict { ply: u32, position: Box<Epd>, mating: ByColor<Option<Mating>> },
    /// A player has written the move that he seals, which is to be ply `ply` (0 is the first). The last one before he stops the clock counts.
    SealedMove { by: Color, ply: u32, sealed: Box<Sealed> },
    /// A player stopped the clocks and started none: he has sealed his move (I.1.1).
    Stop { by: Color },
    /// What a player says that he sealed, where the envelope is lost (I.12.1).
    Declaration { by: Color, made: MoveText },
    /// By the arbiter's watch the session is over (I.14).
    SessionOver,
    /// By the daemon's reckoning the time of the game's device leapt, or stood still, by so much.
    Leap { by: Adjustment },
    /// What a device reports of this game that is not at its board any more. It is noted, and changes nothing.
    Belated { fact: Box<Fact> },
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

impl Fact {
    /// The player whose act it was.
    pub fn by(&self) -> Option<Color> {
        match self {
            Fact::Move { by, .. }
            | Fact::Press { by, .. }
            | Fact::Touch { by, .. }
            | Fact::Offer { by }
            | Fact::Acceptance { by }
            | Fact::Rejection { by }
            | Fact::Resignation { by }
            | Fact::Claim { by, .. }
            | Fact::SealedMove { by, .. }
            | Fact::Stop { by }
            | Fact::Declaration { by, .. } => Some(*by),
            Fact::Belated { fact } => fact.by(),
            _ => None,
        }
    }
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
    /// Puts another device at one side of the board, which keeps that side's time alone (6.10.1).
    ReplaceOwnClock { color: Color, device: DeviceId },
    /// Ends the game with a result.
    DeclareResult { score: Score, reason: String },
    /// Puts a result right.
    CorrectResult { score: Score, reason: String },
    /// Declares the game void.
    Annul { reason: String },
    /// Takes the last ruling back that can be.
    Undo { reason: String },
    /// Grants the pending claim or request.
    Uphold { reason: String },
    /// Turns the pending claim or request down.
    Reject { reason: String },
    /// Puts the decision off (III.5.2).
    Postpone { reason: String },
    /// Observes that a flag is down (6.8).
    CallFlag { color: Color },
    /// Rules the last completed move of a side illegal (7.5).
    RuleIllegal { color: Option<Color>, two_hands: bool },
    /// Inflicts a penalty (12.9).
    Penalise { color: Color, penalty: Penalty, reason: String },
    /// Goes back to the position after that many plies (7.1).
    Restore { plies: u32 },
    /// Finds that the colours were reversed (7.3).
    FindColoursReversed,
    /// Finds that the game began from a wrong position (7.2.1).
    FindWrongSetup,
    /// Rules that being late does not lose (6.7, I.10).
    Excuse { color: Color, reason: String },
    /// Orders the player on move to seal (I.1.1).
    OrderSeal,
    /// Announces when this session ends, or when the game is resumed (I.14).
    Announce { ends: Option<WallTime>, resumes: Option<WallTime> },
    /// Writes an item on the envelope, or compares one that is known (I.2).
    WriteEnvelope { item: Item },
    /// Checks the envelope and takes it into custody (I.3): the game is adjourned.
    TakeCustody,
    /// Finds the envelope lost, and what can still be established (I.12).
    LoseEnvelope { lost: Lost },
    /// Opens the envelope (I.7); `None` where a move on the board is the sealed one and nothing was written.
    Open { opened: Option<Opened> },
    /// Says what the opened text means; `None`: nothing that can be established (I.8).
    Decipher { made: Option<MoveText> },
}

impl Ruling {
    /// Why, as the arbiter said; empty: he did not.
    pub fn reason(&self) -> &str {
        match self {
            Ruling::Stop { reason }
            | Ruling::AddTime { reason, .. }
            | Ruling::DeclareResult { reason, .. }
            | Ruling::CorrectResult { reason, .. }
            | Ruling::Annul { reason }
            | Ruling::Undo { reason }
            | Ruling::Uphold { reason }
            | Ruling::Reject { reason }
            | Ruling::Postpone { reason }
            | Ruling::Penalise { reason, .. }
            | Ruling::Excuse { reason, .. } => reason,
            _ => "",
        }
    }
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
    /// The device was told something, and will confirm it; where each side has one of its own, which one.
    Ordered { order: OrderNo, command: Command, to: Option<Color> },
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
    /// Another device keeps the time of this side, and of this side alone.
    OwnClockReplaced { color: Color, device: DeviceId },
    /// When it was by the hall's time that this side's flag fell, or that what its device told ended the game, where each side has a
    /// device of its own.
    Placed { by: Color, flag: bool, hall: Interval },
    /// Something for the arbiter to look at.
    Incident { code: IncidentCode, color: Option<Color>, article: Article, note: String },
    /// A press was `reported` to have been so long on its way; so much of it was credited, which is at most the cap and what was thought.
    Compensated { by: Color, reported: Millis, credited: Millis },
    /// A clock reads zero, and nobody who may has called it.
    FlagDown { color: Color, at: Millis },
    /// A claim was looked at: what the Laws say, on what evidence, and whether it waits for a decision.
    ClaimJudged { by: Color, claim: Claim, answer: Answer, because: String, article: Article, pending: bool },
    /// The pending claim was decided, or fell away.
    ClaimEnded { article: Article },
    /// The decision was put off.
    ClaimPostponed { article: Article },
    /// What the player has to play, or that he may play anything again.
    DutySet { by: Color, duty: Option<Duty> },
    /// Illegal moves of a player so far.
    IllegalCounted { color: Color, count: u32, article: Article },
    /// So many plies stand; the others were taken back. With that the counts of each side.
    Restored { plies: u32, on_move: Color, made: ByColor<u32>, completed: ByColor<u32>, article: Article },
    /// A pawn left on the last rank became a queen.
    Promoted { by: Color, made: UciMove },
    /// Half points that the result will gain or lose for a side.
    PointsChanged { color: Color, halves: i32 },
    /// From now on each move brings both so much.
    IncrementSet { each: Millis },
    /// Whether either side can still mate is being worked out, for the position after that many plies, and what hangs on it.
    MatingAsked { plies: u32, then: Option<Loss> },
    /// Whether a side can still mate, after that many plies.
    MatingJudged { plies: u32, mating: ByColor<Option<Mating>> },
    /// A penalty or finding that changes nothing on the board, under its article.
    Noted { color: Option<Color>, article: Article },
    /// Being late does not lose any more.
    Excused { color: Color },
    /// Nobody may castle with the rooks on these squares any more.
    CastlingForbidden { rooks: Vec<Square> },
    /// The player on move has to seal.
    SealOrdered { color: Color, article: Article },
    /// When the session ends and when the game is resumed, where that changes.
    SessionAnnounced { ends: Option<WallTime>, resumes: Option<WallTime>, article: Article },
    /// A move is sealed after so many plies, one made on the board or the one written last; which draw offer is noted.
    MoveSealed { by: Color, plies: u32, board: Option<UciMove>, offer: Option<Color>, article: Article },
    /// An item stands on the envelope that nobody could know before.
    EnvelopeWritten { item: Item, article: Article },
    /// The arbiter keeps the envelope, and the players go.
    Adjourned { article: Article },
    /// The envelope is lost.
    EnvelopeLost { lost: Lost, article: Article },
    /// The session has begun in which the game is resumed: position and times are set.
    Resumed { at: WallTime, article: Article },
    /// Somebody is too late, and it cannot be said yet what that means; `None`: both are.
    LatenessOpen { color: Option<Color>, article: Article },
    /// What the sealed move was found to mean, on what ground, and whether that waits for the arbiter.
    SealedMoveJudged { by: Color, meaning: Meaning, because: String, article: Article, pending: bool },
    /// The sealed move stands on the board and is completed.
    SealedMovePlayed { by: Color, made: UciMove, clock: Clock, completed: u32, article: Article },
    /// An answer to one who is away is in an envelope of its own; his clock runs since then.
    ReplySealed { by: Color, clock: Clock, other: Millis, since: Millis, article: Article },
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
    /// It was adjourned.
    Adjourned,
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
    /// The device's time leapt, or stood still.
    DeviceLeapt,
    /// Another device was put at the board.
    ClockReplaced,
    /// A flag fell and who has won cannot be told.
    FlagUndecided,
    /// The game is over.
    GameOver,
    /// A player claims something.
    Claim,
    /// A move was taken back, or a position restored.
    Restored,
    /// Whether a side can still mate is being worked out.
    MatingAsked,
    /// The move is sealed.
    Sealed,
    /// The sealed move is about to be put on the board.
    Resuming,
    /// The device was pressed after the end, which did not count, and the end was taken back.
    Uncounted,
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
