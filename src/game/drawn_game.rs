//! Article 9.1: the offer of a draw, its answer, and what ends it.

use shakmaty::Color;

use super::Decision;
use super::completion;
use super::entry::{Consequence, IncidentCode, Score, Termination};

/// An offer is made after the move and before the press; at any other time it is valid, and noted as a disturbance (9.1.2.1, 11.5).
pub(super) fn offer(d: &mut Decision, by: Color) {
    // An offer in answer to one stands in its place.
    if d.game.offer != Some(by) {
        d.so(Consequence::OfferMade { by });
    }
    let in_turn = *d.game.uncompleted.get(by) && d.game.running() == Some(by);
    if !in_turn {
        d.incident(IncidentCode::OfferOutOfTurn, Some(by), &d.game.laws.offer.disturbance, "");
    }
}

/// Agreement ends the game, if both have made a move (5.2.3).
pub(super) fn accept(d: &mut Decision, by: Color) {
    if d.game.offer != Some(!by) {
        return;
    }
    let agreement = &d.game.laws.agreement;
    if agreement.both_have_moved && (d.game.made.white == 0 || d.game.made.black == 0) {
        d.incident(IncidentCode::AgreementTooEarly, Some(by), &agreement.article, "both must have made a move");
    } else {
        completion::over(d, Score::Draw, Termination::Agreement, &agreement.article);
    }
}

pub(super) fn reject(d: &mut Decision, by: Color) {
    if d.game.offer == Some(!by) {
        d.so(Consequence::OfferEnded);
    }
}

/// Touching a piece is an answer too.
pub(super) fn touch(d: &mut Decision, by: Color) {
    reject(d, by);
}
