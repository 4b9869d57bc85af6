//! Claims and requests: how the Laws see one, whether it is decided at once, what an arbiter decides.

use shakmaty::Color;

use super::entry::{Answer, Claim, Consequence, IncidentCode, Refusal, StopReason};
use super::{ClaimsBy, Decision, Game, Phase, adjournment, arbiter, chessclock, drawn_game, flags, irregularities, quickplay};
use crate::laws::Article;

/// How the Laws see a claim.
#[derive(Debug)]
pub(super) struct Judgement {
    pub(super) answer: Answer,
    pub(super) because: String,
    pub(super) article: Article,
    /// Whether it is a claim at all at this moment: one that is not stops nothing and costs nothing.
    pub(super) admitted: bool,
}

impl Judgement {
    pub(super) fn correct(article: Article, because: impl Into<String>) -> Judgement {
        Judgement { answer: Answer::Correct, because: because.into(), article, admitted: true }
    }

    pub(super) fn incorrect(article: Article, because: impl Into<String>) -> Judgement {
        Judgement { answer: Answer::Incorrect, because: because.into(), article, admitted: true }
    }

    pub(super) fn open(article: Article, because: impl Into<String>) -> Judgement {
        Judgement { answer: Answer::Open, because: because.into(), article, admitted: true }
    }

    pub(super) fn not_admitted(article: Article, because: impl Into<String>) -> Judgement {
        Judgement { answer: Answer::Incorrect, because: because.into(), article, admitted: false }
    }
}

/// A player claims something, or asks for it.
pub(super) fn claim(d: &mut Decision, by: Color, claim: Claim) {
    if let Some(judgement) = adjournment::closes(&d.game, by, claim) {
        return put(d, by, claim, judgement);
    }
    match claim {
        Claim::Threefold { .. } | Claim::Fifty { .. } => drawn_game::claim(d, by, claim),
        Claim::Flag => flags::claim(d, by),
        Claim::IllegalMove => irregularities::claim(d, by),
        Claim::Quickplay { .. } => quickplay::claim(d, by, claim),
        Claim::FiveSeconds => quickplay::request(d, by),
        Claim::Clocks { .. } => clocks(d, by, claim),
    }
}

/// The clocks should show other times: for the arbiter, as long as the edition lets it be claimed (6.10.2, A.5.1).
fn clocks(d: &mut Decision, by: Color, claim: Claim) {
    let laws = d.game.laws;
    let closed = laws.wrong_setup.closes_after.is_some_and(|moves| irregularities::both_have_completed(&d.game, moves));
    let judgement = match (closed, d.game.waits()) {
        (true, _) => Judgement::not_admitted(laws.wrong_setup.article, "too many moves have been made"),
        (false, true) => Judgement::not_admitted(laws.wrong_setting, "a claim waits for its decision"),
        (false, false) => adjournment::wrong_times(&d.game, Some(by))
            .unwrap_or_else(|| Judgement::open(laws.wrong_setting, "what the clocks should show is for the arbiter")),
    };
    if judgement.admitted {
        stop_for_claim(d);
    }
    put(d, by, claim, judgement);
}

/// The clocks stop for a claim, now or when the device has stopped them.
pub(super) fn stop_for_claim(d: &mut Decision) {
    chessclock::halt(d, StopReason::Claim);
}

/// A claim as it was judged: decided at once, or waiting.
pub(super) fn put(d: &mut Decision, by: Color, claim: Claim, judgement: Judgement) {
    let Judgement { answer, because, article, admitted } = judgement;
    // Times can only be worked out when the clocks stand.
    let runs = d.game.is_at_work(None);
    let pending = admitted && (answer == Answer::Open || d.game.regulations.claims == ClaimsBy::Arbiter || runs);
    d.so(Consequence::ClaimJudged { by, claim, answer, because: because.clone(), article, pending });
    if !admitted {
        return d.incident(IncidentCode::ClaimNotAdmitted, Some(by), &article, because);
    }
    if !pending {
        carry_out(d, by, claim, answer == Answer::Correct);
    }
}

/// The device has stopped the clocks: a claim that waited only for that is decided.
pub(super) fn now_standing(d: &mut Decision) {
    let Some(pending) = d.game.claim else { return };
    if let Some(why) = quickplay::too_early(&d.game, &pending) {
        let article = quickplay::decided_by(d.game.laws, pending.claim, false);
        d.so(Consequence::ClaimEnded { article });
        return d.incident(IncidentCode::ClaimNotAdmitted, Some(pending.by), &article, why);
    }
    if pending.answer != Answer::Open && d.game.regulations.claims == ClaimsBy::Auto && !pending.postponed {
        // A flag that was still up by the last reading may have been down when it was claimed.
        let down = pending.claim == Claim::Flag && d.game.down.get(!pending.by).is_some();
        let granted = pending.answer == Answer::Correct || down;
        let article = decided_by(d, pending.claim, granted);
        d.so(Consequence::ClaimEnded { article });
        carry_out(d, pending.by, pending.claim, granted);
    }
}

/// The article by which a claim is granted or turned down.
fn decided_by(d: &Decision, claim: Claim, granted: bool) -> Article {
    let laws = d.game.laws;
    match (claim, granted) {
        (Claim::Threefold { .. } | Claim::Fifty { .. }, true) => laws.claim.correct,
        (Claim::Threefold { .. } | Claim::Fifty { .. }, false) => laws.claim.incorrect,
        (Claim::Flag, _) => laws.flag.claimed,
        (Claim::IllegalMove, _) => laws.illegal_move.article,
        (Claim::Quickplay { .. } | Claim::FiveSeconds, granted) => quickplay::decided_by(laws, claim, granted),
        (Claim::Clocks { .. }, _) => adjournment::wrong_times(&d.game, None).map_or(laws.wrong_setting, |judgement| judgement.article),
    }
}

fn carry_out(d: &mut Decision, by: Color, claim: Claim, granted: bool) {
    match (claim, granted) {
        (Claim::Threefold { .. } | Claim::Fifty { .. }, true) => drawn_game::granted(d, claim),
        (Claim::Threefold { .. } | Claim::Fifty { .. }, false) => drawn_game::turned_down(d, by, claim),
        (Claim::Flag, true) => flags::called(d, !by),
        (Claim::IllegalMove, true) => irregularities::rule(d, !by, false),
        (Claim::Quickplay { .. }, true) => quickplay::upheld(d),
        (Claim::Quickplay { .. }, false) => quickplay::rejected(d, by),
        (Claim::FiveSeconds, true) => quickplay::five_seconds(d, by),
        (Claim::Clocks { times }, true) => arbiter::set_clocks(d, times),
        (Claim::Flag | Claim::IllegalMove | Claim::FiveSeconds | Claim::Clocks { .. }, false) => {}
    }
}

/// The arbiter grants the pending claim.
pub(super) fn uphold(d: &mut Decision) {
    decide(d, true);
}

/// The arbiter turns the pending claim down.
pub(super) fn reject(d: &mut Decision) {
    decide(d, false);
}

fn decide(d: &mut Decision, granted: bool) {
    let Some(pending) = d.game.claim else { return };
    let fallen = quickplay::flag_has_fallen(d, &pending);
    let article = decided_by(d, pending.claim, granted);
    d.so(Consequence::ClaimEnded { article });
    if granted || !fallen {
        carry_out(d, pending.by, pending.claim, granted);
    } else {
        flags::lost_on_time(d, pending.by);
    }
}

/// The arbiter puts the decision off.
pub(super) fn postpone(d: &mut Decision) {
    if let Some(article) = d.game.laws.quickplay.as_ref().map(|quickplay| quickplay.postponed) {
        d.so(Consequence::ClaimPostponed { article });
    }
}

/// What stands against deciding the pending claim in this way.
pub(super) fn admit(game: &Game, granted: Option<bool>) -> Result<(), Refusal> {
    let laws = game.laws;
    let against = |code, article: Article, why: &str| Err(Refusal::Contradicts { code, article, why: why.to_string() });
    let Some(pending) = game.claim else {
        return against("no-claim", laws.claim.procedure, "no claim waits for a decision");
    };
    let quickplay = matches!(pending.claim, Claim::Quickplay { .. });
    match granted {
        None if !quickplay => against("not-postponable", laws.claim.procedure, "only a claim of the quickplay finish can be postponed"),
        None if pending.postponed => against("postponed", laws.claim.procedure, "it has been postponed already"),
        Some(true) if pending.claim == Claim::Flag && game.down.get(!pending.by).is_none() && !game.is_at_work(None) => {
            against("not-fallen", laws.flag.observed, "by the clock that flag has not fallen: reject the claim")
        }
        Some(true) if pending.claim == Claim::IllegalMove => irregularities::admit_claim(game, !pending.by),
        Some(false) if quickplay && quickplay::cannot_reject(game, &pending) => {
            let article = laws.quickplay.as_ref().map_or(laws.arbiter, |quickplay| quickplay.postponed);
            against("no-rejection", article, "this edition knows no rejection: uphold or postpone")
        }
        _ if game.phase == Phase::Running && !pending.postponed && game.awaits_stop() => {
            against("stop-pending", laws.stopping.article, "the clock has been told to stop and has not confirmed it")
        }
        _ => Ok(()),
    }
}
