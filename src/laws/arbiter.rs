//! What is left to the arbiter: the quickplay finish, and penalties.

use super::Article;
use crate::clock::Millis;

/// The quickplay finish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quickplay {
    /// Citation of the claim.
    pub article: Article,
    /// Whether it has to be announced.
    pub announced: bool,
    /// Whether it is for games without increment only.
    pub without_increment: bool,
    /// The claimant has less than this.
    pub below: Millis,
    /// Citation of an upheld claim.
    pub upheld: Article,
    /// Citation of a postponed decision.
    pub postponed: Article,
    /// Rejecting it; `None`: it can only be upheld or postponed.
    pub rejected: Option<Rejected>,
    /// Citation by which the claim is also an offer of a draw.
    pub is_offer: Option<Article>,
    /// Citation of asking for five seconds a move instead.
    pub five_seconds: Option<Article>,
    /// Citation of the claim where no arbiter is present.
    pub no_arbiter: Article,
}

/// Rejecting a claim of the quickplay finish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// Citation.
    pub article: Article,
    /// What the opponent gets.
    pub opponent_gains: Millis,
}

/// What an arbiter may inflict: the citation of each, `None` where the edition has no such penalty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Penalties {
    /// A warning.
    pub warning: Article,
    /// More time for the opponent.
    pub opponent_time: Article,
    /// Less time for the offender.
    pub own_time: Article,
    /// More points for the opponent, up to the maximum.
    pub opponent_points: Option<Article>,
    /// Fewer points for the offender.
    pub own_points: Option<Article>,
    /// The game is lost.
    pub loss: Article,
    /// A fine announced in advance.
    pub fine: Option<Article>,
    /// Exclusion from rounds.
    pub exclusion: Option<Article>,
    /// Expulsion from the competition.
    pub expulsion: Article,
}
