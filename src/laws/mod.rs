//! What each edition of the Laws says, as values.
//!
//! Rules read these values and never ask which edition it is. Each edition is a file of its own,
//! written as the one before with its differences; a number stands beside its article, since numbering moves.

mod adjournment;
mod arbiter;
mod article;
mod edition;
mod play;
mod rows;
mod y1997;
mod y2001;
mod y2005;
mod y2009;
mod y2014;
mod y2017;
mod y2018;
mod y2023;

pub use adjournment::{Adjournment, BadMove, CorrectedLater, Late, LateAfter, LetOut, OfferNoted};
pub use arbiter::{Penalties, Quickplay, Rejected};
pub use article::{Article, MAX_ARTICLE};
pub use edition::Edition;
pub use play::{Play, RapidRange, Supervision};
pub use rows::{Row, diff, rows};

use crate::clock::Millis;

/// What one edition says for one kind of play under one kind of supervision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Laws {
    /// Edition that these are.
    pub edition: Edition,
    /// Kind of play that these are for.
    pub play: Play,
    /// Whether the competition rules apply to rapid and blitz. Standard play is always under full supervision.
    pub supervision: Supervision,
    /// Rows of this table (as `zeitnot laws show` names them; `flag.*` is all that begin so) that were not seen in a text of this edition.
    pub unverified: &'static [&'static str],
    /// Which time makes rapid chess, and with it blitz and standard play.
    pub range: RapidRange,

    // Article 5
    /// Mate ends the game.
    pub checkmate: Article,
    /// Stalemate draws.
    pub stalemate: Article,
    /// A position in which neither can mate draws.
    pub dead_position: Article,
    /// Draw by agreement.
    pub agreement: Agreement,
    /// A player resigns.
    pub resignation: Resignation,

    // Article 6
    /// When a move is completed.
    pub completed: Completed,
    /// Missing press or counter out of step: the arbiter adjusts clocks and counter.
    pub counter: Article,
    /// The start of the game.
    pub start: Article,
    /// A player who is late.
    pub default_time: DefaultTime,
    /// Time used up.
    pub flag: Flag,
    /// Both flags are down and nobody can tell which fell first.
    pub both_flags: BothFlags,
    /// What the opponent must have so that time used up loses and does not draw.
    pub needed_to_win: NeededToWin,
    /// What the chessclock shows is conclusive unless it is evidently defective.
    pub defective_clock: Article,
    /// A chessclock that is set wrongly.
    pub wrong_setting: Article,
    /// Stopping and starting the clocks.
    pub stopping: Stopping,

    // Article 7
    /// A position is restored, with clocks and counter.
    pub restored: Article,
    /// The game began from a wrong position.
    pub wrong_setup: WrongSetup,
    /// Colours were reversed.
    pub colours_reversed: ColoursReversed,
    /// A completed illegal move.
    pub illegal_move: IllegalMove,

    // Article 8
    /// Recording of the moves.
    pub recording: Recording,
    /// A signed result stands.
    pub result: Article,

    // Article 9
    /// Draw offers.
    pub offer: Offer,
    /// Claims of a draw by repetition or by fifty moves.
    pub claim: DrawClaim,
    /// The same position for the fifth time draws without a claim.
    pub fivefold: Fivefold,
    /// Seventy-five moves without pawn move and capture draw without a claim.
    pub seventy_five: Option<Article>,

    // Article 10 of old, Appendix G, Guidelines III
    /// The quickplay finish, where there is one for this play.
    pub quickplay: Option<Quickplay>,

    // Appendix A of old, Appendix E, Guidelines I
    /// Adjourned games.
    pub adjournment: Adjournment,

    // Articles 11 to 13
    /// The arbiter gives a player time for a disturbance from outside.
    pub time_added: Article,
    /// The general duty under which the arbiter corrects what went wrong.
    pub arbiter: Article,
    /// What an arbiter may inflict.
    pub penalties: Penalties,
}

/// Draw by agreement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreement {
    /// Citation.
    pub article: Article,
    /// Whether both players must have made at least one move.
    pub both_have_moved: bool,
}

/// Resignation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resignation {
    /// Citation.
    pub article: Article,
    /// Whether it is a draw where the opponent cannot mate by any series of legal moves.
    pub draws_if_unwinnable: bool,
}

/// When a move is completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completed {
    /// Citation.
    pub article: Article,
    /// Whether a move never pressed is completed by the same player's next one.
    pub by_next_move: bool,
}

/// A player who is late.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefaultTime {
    /// Citation.
    pub article: Article,
    /// What holds where the regulations say nothing.
    pub unless_stated: Unstated,
    /// Neither is there at the start: White loses the time until he comes; `None` where the text does not say so (his clock runs all the same).
    pub neither_present: Option<Article>,
}

/// The default time where the regulations state none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unstated {
    /// One hour.
    Hour,
    /// Nothing: whoever is not there at the start has lost.
    Zero,
    /// It must be stated, or no game can start.
    MustBeStated,
}

/// Time used up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// Citation of what a fall leads to.
    pub article: Article,
    /// Citation of when a flag is considered to have fallen.
    pub observed: Article,
    /// Whether the arbiter may or must call a fall.
    pub called: FlagCalled,
    /// Citation of a player's claim of a fall.
    pub claimed: Article,
}

/// Who may call a fallen flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlagCalled {
    /// The arbiter when he observes it, or a player.
    ByArbiter,
    /// The arbiter, who shall, or a player.
    ArbiterShall,
    /// Only a player: the arbiter must not.
    ByPlayers,
    /// Only a player, but for the case that both flags are down.
    ByPlayersUnlessBoth,
}

/// Both flags down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BothFlags {
    /// Citation of the draw.
    pub article: Article,
    /// Citation of the game going on.
    pub continues: Article,
    /// What follows.
    pub then: BothFlagsThen,
}

/// What follows when both flags are down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BothFlagsThen {
    /// The game continues; in the quickplay finish it is drawn.
    ContinuesUnlessQuickplay,
    /// The game continues; in the last period it is drawn.
    ContinuesUnlessLastPeriod,
    /// As in the last one, but by a guideline for games without increment; with increment the clock's own evidence decides.
    Guideline,
    /// Drawn, in whatever order they fell.
    AlwaysDrawn,
}

/// What the opponent must have so that time used up loses and does not draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NeededToWin {
    /// Citation.
    pub article: Article,
    /// How it is judged.
    pub by: MatingBy,
}

/// How it is judged whether a player can still mate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatingBy {
    /// There is some series of legal moves to a mate.
    AnySeries,
    /// Material with which the side to move can be unable to avoid mate in one (1997 blitz, C4).
    Potential,
}

/// Stopping and starting the clocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stopping {
    /// Citation of the arbiter's stop and start.
    pub article: Article,
    /// Citation of a player's stop.
    pub by_player: Article,
    /// Citation of the penalty for stopping without a reason, where there is one.
    pub without_reason: Option<Article>,
}

/// The game began from a wrong position, or with the board turned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongSetup {
    /// Citation by which the game is void.
    pub voids: Article,
    /// Citation of the time after which it goes on all the same.
    pub article: Article,
    /// Completed moves by each after which it can no longer be claimed; `None`: until the game is over.
    pub closes_after: Option<u32>,
    /// With which misplaced pieces a player may not castle when the game goes on all the same.
    pub castling: WrongCastling,
}

/// With which misplaced pieces a player may not castle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrongCastling {
    /// The text says nothing.
    Allowed,
    /// With a misplaced king.
    King,
    /// With a misplaced king or rook.
    KingOrRook,
}

/// Colours were reversed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColoursReversed {
    /// Citation.
    pub article: Article,
    /// A new game, if found before both have made so many moves; `None`: the game continues.
    pub restart_before: Option<u32>,
}

/// A completed illegal move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IllegalMove {
    /// Citation of what is put right and how.
    pub article: Article,
    /// Citation of the penalty.
    pub tariff: Article,
    /// What the opponent gets.
    pub opponent_gains: Millis,
    /// Citation of how much that is.
    pub amount: Article,
    /// Which one loses; `None`: none by itself.
    pub loses_at: Option<u32>,
    /// Whether the penalty is fixed in every phase, or only in the quickplay finish.
    pub fixed: Fixed,
    /// Whether the losing one is a draw where the opponent cannot mate.
    pub draws_if_unwinnable: bool,
    /// Until when it can be put right.
    pub until: Until,
    /// Whether an arbiter may act on what he sees, or only on a claim.
    pub arbiter_acts: Acts,
    /// A position that is still impossible (both kings in check, a pawn on the last rank) after the next completed move draws, by this article.
    pub still_impossible: Option<Article>,
    /// A pawn left on the last rank.
    pub promotion: Promotion,
    /// A press without a move: `Some` where it counts as an illegal move.
    pub press_without_move: Option<Article>,
    /// Citation of a press without a move where it is no illegal move.
    pub handling: Article,
    /// Two hands for one move: `Some` where that counts as an illegal move.
    pub two_hands: Option<Article>,
}

/// In which phases a penalty is fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fixed {
    /// In every phase.
    Always,
    /// In the quickplay finish only; before it the arbiter decides.
    InQuickplay,
}

/// Until when an illegal move can be put right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// As long as the game lasts.
    GameEnds,
    /// Until the opponent has made his next move.
    OpponentMoves,
}

/// Whether an arbiter may act on what he sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acts {
    /// He does.
    Always,
    /// Only when a player claims.
    OnClaim,
    /// Only when a player claims, but for both kings in check and a pawn on the last rank.
    OnClaimUnlessImpossible,
}

/// What becomes of a pawn left on the last rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Promotion {
    /// The move is taken back.
    TakenBack,
    /// It becomes a queen and the move stands, with the penalty of an illegal one.
    Queen,
}

/// Recording of the moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recording {
    /// Citation.
    pub article: Article,
    /// Whether the players must record.
    pub required: bool,
    /// Citation of the exemption.
    pub exemption: Article,
    /// Under how much time a player need not record any more.
    pub exempt_below: Millis,
    /// With that increment, or more, he must all the same; `None`: increments do not matter.
    pub unless_increment: Option<Millis>,
}

/// Draw offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// Citation of how one is made and what ends it.
    pub article: Article,
    /// Citation of disturbing the opponent.
    pub disturbance: Article,
    /// Citation of noting it on the scoresheet.
    pub recorded: Article,
    /// What the opponent's hand does that refuses it.
    pub refused_by: RefusedBy,
}

/// What the opponent's hand does that refuses an offer, or ends a right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusedBy {
    /// Making a move.
    Move,
    /// Touching a piece with the intention of moving or capturing it.
    Touch,
}

/// Claims of a draw by repetition or by fifty moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawClaim {
    /// Citations of the threefold repetition.
    pub threefold: Grounds,
    /// Citations of the fifty moves.
    pub fifty: Grounds,
    /// Citation of losing the right to claim.
    pub lapse: Article,
    /// What loses it on this move.
    pub lost_by: RefusedBy,
    /// Citation of the clocks being stopped and the claim not withdrawn.
    pub procedure: Article,
    /// Citation of a correct claim.
    pub correct: Article,
    /// Citation of an incorrect claim.
    pub incorrect: Article,
    /// What the opponent then gets.
    pub opponent_gains: Millis,
    /// Citation of how much that is.
    pub amount: Article,
    /// What the claimant then loses.
    pub claimant_loses: Option<Halving>,
    /// Citation by which a claim is also an offer of a draw.
    pub is_offer: Option<Article>,
}

/// What a claim rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grounds {
    /// Citation of what a written move is about to bring.
    pub written: Article,
    /// Citation of what stands on the board.
    pub standing: Article,
}

/// Half of the claimant's time goes, within limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Halving {
    /// At most so much.
    pub at_most: Millis,
    /// He keeps so much, if he had it; `None`: there is no such limit.
    pub floor: Option<Millis>,
}

/// The same position for the fifth time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fivefold {
    /// Needs a claim like the third.
    Never,
    /// In five consecutive alternate moves by each player.
    Consecutive(Article),
    /// At any five times.
    AnyOrder(Article),
}

#[cfg(test)]
mod tests;
