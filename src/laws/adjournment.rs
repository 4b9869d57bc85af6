//! Adjourned games: Appendix A of old, Appendix E, Guidelines I.

use super::Article;

/// Adjourned games, from the order to seal to the resumption.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adjournment {
    /// Citation of the order to seal: how it is done, until when the move can be changed, and a move made on the board all the same.
    pub sealing: Article,
    /// Citation of a player who adjourns before the end of the session: his time until then counts as used.
    pub early: Article,
    /// Whether the text says that the time that remains is recorded so; where it does not, the effect is the same.
    pub early_recorded: bool,
    /// Citation of what has to stand on the envelope.
    pub envelope: Article,
    /// Which draw offer is noted on the envelope.
    pub offer_noted: OfferNoted,
    /// Citation of the item of the envelope that notes it.
    pub offer_item: Article,
    /// Citation by which the arbiter checks what the envelope says and keeps it.
    pub custody: Article,
    /// Citation of a draw offered after the opponent has sealed: it stands until he answers.
    pub offer_after: Article,
    /// Citation of the position and the times with which the game is set up again.
    pub set_up: Article,
    /// Citation by which agreement or resignation before the resumption ends the game.
    pub ended: Article,
    /// Citation by which the envelope is opened only when the player who must reply is present.
    pub opening: Article,
    /// A sealed move that loses.
    pub bad_move: BadMove,
    /// Citation of the resumption with the player who must reply present: the move is made and his clock started.
    pub responder_present: Article,
    /// Citation of the resumption without the player who must reply: his clock runs until he comes.
    pub responder_absent: Article,
    /// Citation of the resumption without the player who sealed: his opponent may seal his reply.
    pub sealer_absent: Article,
    /// Citation by which the arbiter keeps that reply until the absent player comes; `None` where the text does not say so.
    pub reply_kept: Option<Article>,
    /// A player who is late for the resumption.
    pub late: Late,
    /// Citation of what decides the game otherwise where the late player is the one who sealed.
    pub late_sealer: Article,
    /// Neither is there: the player who must reply loses the time until he comes; `None` where the text does not say so (his clock runs all the same).
    pub neither_present: Option<Article>,
    /// Citation of a lost envelope: the game goes on with the move that the player says he sealed.
    pub lost: Article,
    /// Citation by which the game is void where the position is lost as well.
    pub position_lost: Article,
    /// Citation of wrong times on the clocks, shown by a player before his first move.
    pub wrong_times: Article,
    /// Whether they are corrected when shown later.
    pub corrected_later: CorrectedLater,
    /// Citation of the session of the resumption, which the arbiter's clock measures.
    pub sessions: Article,
    /// Whether its end has to be announced as well as its start.
    pub end_announced: bool,
}

/// Which draw offer is noted on the envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfferNoted {
    /// One that was made before the adjournment, even if it was refused.
    Made,
    /// One that still stands.
    Current,
}

/// A sealed move that loses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadMove {
    /// Citation of the loss.
    pub article: Article,
    /// Citation of a move that can be read as more than one.
    pub ambiguous: Article,
    /// Citation of a move whose meaning cannot be established.
    pub undecipherable: Article,
    /// Citation of a move that is illegal.
    pub illegal: Article,
    /// The articles that go before it, as the text lists them.
    pub except: &'static str,
}

/// A player who is late for the resumption.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Late {
    /// Citation.
    pub article: Article,
    /// After how long he has lost.
    pub after: LateAfter,
    /// Who may decide otherwise.
    pub let_out: LetOut,
}

/// After how long a player who is late for the resumption has lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LateAfter {
    /// More than an hour.
    Hour,
    /// The default time.
    DefaultTime,
}

/// Who may decide that a player who is late for the resumption has not lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LetOut {
    /// Nobody.
    None,
    /// The rules of the competition, or the arbiter.
    RulesOrArbiter,
    /// The arbiter.
    Arbiter,
}

/// Whether wrong times are corrected that were not shown before the first move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CorrectedLater {
    /// Only if the arbiter finds the consequences too severe.
    IfTooSevere,
    /// As the arbiter decides.
    AsTheArbiterDecides,
}
