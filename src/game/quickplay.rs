//! The quickplay finish (Article 10 of old, Appendix G, Guidelines III): "he cannot win, or does not try to, by normal means".

use shakmaty::Color;

use super::claims::{Judgement, put, stop_for_claim};
use super::entry::{Claim, Consequence, Score, Termination};
use super::state::Pending;
use super::{Decision, Game, OpenPoint, Phase, arbiter, completion, drawn_game, flags};
use crate::clock::{Adjustment, Millis};
use crate::laws::{Article, Laws, Play, Quickplay, Supervision};

/// What a granted request brings both players for each move (III.4).
const FIVE_SECONDS: Millis = Millis::seconds(5);

/// Why there is no such claim at this moment; `None`: there is.
fn against(d: &Decision, by: Color, quickplay: &Quickplay) -> Option<&'static str> {
    let game = &d.game;
    let period = game.clock.side(by).period as usize;
    let left = *game.clock.reading(d.now).get(by);
    // What a device's clock shows by now is known when it has stopped.
    let unread = d.now.is_none() && game.device.is_some() && game.clock.running().is_some_and(|running| running.color == by);
    if game.waits() {
        Some("a claim waits for its decision")
    } else if !game.regulations.quickplay_announced() {
        Some("the rules for the quickplay finish were not announced")
    } else if quickplay.without_increment && flags::has_increment(game) {
        Some("each move brings time")
    } else if game.clock.control().moves_until(by, period).is_some() {
        Some("it is not the last period")
    } else if left >= quickplay.below && !unread {
        Some("the claimant has two minutes or more")
    } else if game.line.turn() != by {
        Some("only the player who has the move may claim")
    } else if !matches!(game.phase, Phase::Running | Phase::Stopped(_)) {
        Some("the game has not started")
    } else {
        None
    }
}

fn judged(d: &Decision, by: Color, article: impl Fn(&Quickplay) -> Option<Article>) -> Judgement {
    let laws = d.game.laws;
    let known = laws.quickplay.as_ref().and_then(|quickplay| Some((quickplay, article(quickplay)?)));
    let Some((quickplay, article)) = known else {
        return Judgement::not_admitted(laws.claim.procedure, "this edition has no such claim in this play");
    };
    match against(d, by, quickplay) {
        Some(why) => Judgement::not_admitted(article, why),
        None => Judgement::open(article, "it is for the arbiter"),
    }
}

/// A player claims a draw because his opponent cannot win, or does not try to.
pub(super) fn claim(d: &mut Decision, by: Color, claim: Claim) {
    let judgement = judged(d, by, |quickplay| Some(quickplay.article));
    if judgement.admitted {
        stop_for_claim(d);
    }
    // Also where this play has no such claim: it is a claim that is not admitted, like any other.
    let standard = Laws::of(d.game.laws.edition, Play::Standard, Supervision::Full);
    if standard.quickplay.as_ref().is_some_and(|quickplay| quickplay.is_offer.is_some()) && !d.game.waits() {
        drawn_game::stands(d, by);
    }
    put(d, by, claim, judgement);
}

/// A player asks for five seconds a move; that is an offer of a draw (III.4).
pub(super) fn request(d: &mut Decision, by: Color) {
    let judgement = judged(d, by, |quickplay| quickplay.five_seconds);
    if judgement.admitted {
        stop_for_claim(d);
        drawn_game::stands(d, by);
    }
    put(d, by, Claim::FiveSeconds, judgement);
}

/// Why a claim or request was none after all, now that the device has stopped the clocks.
pub(super) fn too_early(game: &Game, pending: &Pending) -> Option<&'static str> {
    let quickplay = game.laws.quickplay.as_ref()?;
    let one = matches!(pending.claim, Claim::Quickplay { .. } | Claim::FiveSeconds) && !pending.postponed;
    (one && game.clock.side(pending.by).left >= quickplay.below).then_some("the claimant has two minutes or more")
}

/// The article by which a claim or request is granted or turned down.
pub(super) fn decided_by(laws: &Laws, claim: Claim, granted: bool) -> Article {
    let Some(quickplay) = &laws.quickplay else { return laws.arbiter };
    match (claim, granted) {
        (Claim::FiveSeconds, _) => quickplay.five_seconds.unwrap_or(quickplay.article),
        (_, true) => quickplay.upheld,
        (_, false) => quickplay.rejected.as_ref().map_or(quickplay.article, |rejected| rejected.article),
    }
}

/// The arbiter agrees: drawn.
pub(super) fn upheld(d: &mut Decision) {
    let Some(quickplay) = &d.game.laws.quickplay else { return };
    let absent = d.game.regulations.otherwise(OpenPoint::Arbiter);
    let article = if absent { quickplay.no_arbiter } else { quickplay.upheld };
    completion::over(d, Score::Draw, Termination::Quickplay, &article);
}

/// The arbiter does not agree: the opponent gets his time; where no arbiter was there, the claim has ended play and the game is lost.
pub(super) fn rejected(d: &mut Decision, by: Color) {
    let Some(quickplay) = &d.game.laws.quickplay else { return };
    if d.game.regulations.otherwise(OpenPoint::Arbiter) {
        let article = quickplay.no_arbiter;
        return completion::over(d, Score::win(!by), Termination::Quickplay, &article);
    }
    if let Some(rejected) = &quickplay.rejected {
        arbiter::adjust(d, &[(!by, Adjustment::gain(rejected.opponent_gains))]);
    }
}

/// The request is granted: from the next press on, and two minutes for the opponent.
pub(super) fn five_seconds(d: &mut Decision, by: Color) {
    d.so(Consequence::IncrementSet { each: FIVE_SECONDS });
    if d.game.offer == Some(by) {
        d.so(Consequence::OfferEnded);
    }
    if let Some(rejected) = d.game.laws.quickplay.as_ref().and_then(|quickplay| quickplay.rejected.as_ref()) {
        arbiter::adjust(d, &[(!by, Adjustment::gain(rejected.opponent_gains))]);
    }
}

/// Whether the claimant's flag fell while the decision was put off.
pub(super) fn flag_has_fallen(d: &Decision, pending: &Pending) -> bool {
    pending.postponed && d.game.clock.side(pending.by).left == Millis::ZERO && matches!(d.game.phase, Phase::Stopped(_))
}

/// Whether the edition lets this claim be rejected at all: 1997 only upholds or postpones, and a fall after that decides.
pub(super) fn cannot_reject(game: &Game, pending: &Pending) -> bool {
    let rejects = game.laws.quickplay.as_ref().is_some_and(|quickplay| quickplay.rejected.is_some());
    let fallen = pending.postponed && game.clock.side(pending.by).left == Millis::ZERO;
    !rejects && !fallen && !game.regulations.otherwise(OpenPoint::Arbiter)
}
