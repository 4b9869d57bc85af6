//! Article 9: the offer of a draw, its answer and what ends it; claims by repetition and by fifty moves.

use shakmaty::{Chess, Color, Position, Square, uci::UciMove};

use super::claims::{Judgement, stop_for_claim};
use super::entry::{Claim, Consequence, Duty, IncidentCode, Score, Termination};
use super::{Decision, Game, OpenPoint, Phase, Stage, adjournment, completion};
use crate::board::{Line, MoveText};
use crate::clock::{Adjustment, Millis};
use crate::laws::{Fivefold, Halving, Laws, RefusedBy};

/// Half-moves without pawn move and capture that make fifty moves by each player.
const FIFTY_MOVES: u32 = 100;
/// The same for seventy-five.
pub(super) const SEVENTY_FIVE_MOVES: u32 = 150;
/// Occurrences that a claim needs.
const THREE: usize = 3;
/// Occurrences that draw by themselves.
const FIVE: usize = 5;
/// Plies from a position to the same one in consecutive alternate moves of both players.
const ALTERNATE: usize = 4;

/// An offer is made after the move and before the press; at any other time it is valid, and noted as a disturbance (9.1.2.1, 11.5).
pub(super) fn offer(d: &mut Decision, by: Color) {
    stands(d, by);
    // After the sealing both may offer (I.4), and the sealer with his move.
    let seals = d.game.adjournment.as_ref().is_some_and(|a| a.stage == Stage::Ordered && a.sealer == by);
    if seals || d.game.is_suspended() || d.game.draft.as_ref().is_some_and(|draft| draft.by == by) {
        return;
    }
    let in_turn = *d.game.uncompleted.get(by) && d.game.running() == Some(by);
    if !in_turn {
        d.incident(IncidentCode::OfferOutOfTurn, Some(by), &d.game.laws.offer.disturbance, "");
    }
}

/// An offer in answer to one stands in its place.
pub(super) fn stands(d: &mut Decision, by: Color) {
    if d.game.offer != Some(by) {
        d.so(Consequence::OfferMade { by });
    }
}

/// Agreement ends the game, if both have made a move where the edition asks for that (5.2.3).
pub(super) fn accept(d: &mut Decision, by: Color) {
    if d.game.offer != Some(!by) {
        return;
    }
    let agreement = &d.game.laws.agreement;
    if agreement.both_have_moved && !both_have_moved(&d.game) {
        d.incident(IncidentCode::AgreementTooEarly, Some(by), &agreement.article, "both must have made a move");
    } else {
        let article = adjournment::ended_by(&d.game).unwrap_or(agreement.article);
        completion::over(d, Score::Draw, Termination::Agreement, &article);
    }
}

/// Whether both players have made a move. In a position that was set up the moves before it count by its move number.
fn both_have_moved(game: &Game) -> bool {
    let start = &game.line.start().position;
    let before = start.fullmoves().get() > 1;
    // A sealed move is made, on the board or not.
    let sealed = |color| game.is_suspended() && game.adjournment.as_ref().is_some_and(|adjournment| adjournment.sealer == color);
    let white = before || start.turn() == Color::Black || game.made.white > 0 || sealed(Color::White);
    white && (before || game.made.black > 0 || sealed(Color::Black))
}

pub(super) fn reject(d: &mut Decision, by: Color) {
    if d.game.offer == Some(!by) {
        d.so(Consequence::OfferEnded);
    }
}

/// Touching a piece is an answer too, where the edition says so.
pub(super) fn touch(d: &mut Decision, by: Color) {
    if d.game.laws.offer.refused_by == RefusedBy::Touch {
        reject(d, by);
    }
}

/// Another move than the one that has to be played is for the arbiter.
pub(super) fn duty(d: &mut Decision, by: Color) {
    let Some((_, duty)) = d.game.duty.filter(|(whose, _)| *whose == by) else { return };
    let made = d.game.line.plies().last().and_then(|ply| ply.made);
    let done = match (duty, made) {
        (Duty::Play(must), Some(made)) => must == made,
        (Duty::Move(square), Some(UciMove::Normal { from, .. })) => square == from,
        _ => false,
    };
    if !done {
        d.incident(IncidentCode::MustPlay, Some(by), &d.game.laws.claim.incorrect, duty.to_string());
    }
}

/// A claim of a draw (9.2, 9.3), as the Laws see it.
pub(super) fn judged(game: &Game, by: Color, claim: Claim) -> Judgement {
    let laws = &game.laws.claim;
    if game.waits() {
        return Judgement::not_admitted(laws.procedure, "a claim waits for its decision");
    }
    if let Some(judgement) = super::adjournment::closes(game, by, claim) {
        return judgement;
    }
    if !matches!(game.phase, Phase::Running | Phase::Stopped(_)) {
        return Judgement::not_admitted(laws.procedure, "the game has not started");
    }
    if game.line.turn() != by {
        let penalised = game.regulations.otherwise(OpenPoint::OffMoveClaim);
        let why = "only the player who has the move may claim";
        return if penalised { Judgement::incorrect(laws.incorrect, why) } else { Judgement::not_admitted(laws.lapse, why) };
    }
    if laws.lost_by == RefusedBy::Touch && *game.touched.get(by) {
        return Judgement::not_admitted(laws.lapse, "a piece was touched: the right to claim on this move is lost");
    }
    let Some(position) = game.line.position().filter(|_| game.line.raw().is_none()) else {
        return Judgement::open(laws.procedure, missing(game));
    };
    let with = match claim {
        Claim::Threefold { with } | Claim::Fifty { with } => with,
        _ => None,
    };
    let after = match with {
        None => None,
        Some(text) => match played(position, text) {
            Some(after) => Some(after),
            None => return Judgement::incorrect(laws.incorrect, format!("{text} is no legal move")),
        },
    };
    match claim {
        Claim::Fifty { .. } => fifty(game, position, after),
        _ => threefold(game, position, after),
    }
}

/// What the record lacks.
fn missing(game: &Game) -> String {
    let (known, _) = game.line.known();
    let unknown: Vec<String> =
        (game.line.plies().iter().enumerate().skip(known)).filter(|(_, ply)| ply.made.is_none()).map(|(i, _)| (i + 1).to_string()).collect();
    match (game.line.raw(), unknown.first(), unknown.last()) {
        (_, Some(first), Some(last)) if first == last => format!("the move of ply {first} is missing"),
        (_, Some(first), Some(last)) => format!("{} moves are missing, plies {first} to {last}", unknown.len()),
        (Some(_), ..) => "an illegal move stands on the board".to_string(),
        _ => "moves are missing".to_string(),
    }
}

fn played(position: &Chess, text: MoveText) -> Option<(Chess, bool)> {
    let m = text.resolve(Some(position))?.to_move(position).ok()?;
    let mut after = position.clone();
    after.play_unchecked(m);
    Some((after, position.is_irreversible(m)))
}

fn threefold(game: &Game, position: &Chess, after: Option<(Chess, bool)>) -> Judgement {
    let laws = &game.laws.claim;
    let (article, mut plies) = match &after {
        Some((_, true)) => (laws.threefold.written, Vec::new()),
        Some((after, false)) => (laws.threefold.written, game.line.occurrences_of(after)),
        None => (laws.threefold.standing, game.line.occurrences_of(position)),
    };
    if after.is_some() {
        plies.push(game.line.plies().len() + 1);
    }
    let stood: Vec<String> = plies.iter().map(ToString::to_string).collect();
    let because = format!("the position stands {} times, after plies {}", plies.len(), stood.join(", "));
    if plies.len() >= THREE { Judgement::correct(article, because) } else { Judgement::incorrect(laws.incorrect, because) }
}

fn fifty(game: &Game, position: &Chess, after: Option<(Chess, bool)>) -> Judgement {
    let laws = &game.laws.claim;
    let article = if after.is_some() { laws.fifty.written } else { laws.fifty.standing };
    let counted = after.as_ref().map_or(position.halfmoves(), |(after, _)| after.halfmoves());
    let because = format!("{counted} half-moves since the last pawn move or capture");
    if after.as_ref().is_some_and(|(after, _)| after.is_checkmate()) && game.regulations.otherwise(OpenPoint::FiftyAnnouncedMate) {
        return Judgement::incorrect(laws.incorrect, format!("{because}, and the move mates"));
    }
    if counted >= FIFTY_MOVES { Judgement::correct(article, because) } else { Judgement::incorrect(laws.incorrect, because) }
}

/// A draw was claimed: the clocks stop, the claim is an offer where the edition says so.
pub(super) fn claim(d: &mut Decision, by: Color, claim: Claim) {
    let judgement = judged(&d.game, by, claim);
    if judgement.admitted {
        stop_for_claim(d);
    }
    if d.game.laws.claim.is_offer.is_some() && !d.game.waits() {
        stands(d, by);
    }
    super::claims::put(d, by, claim, judgement);
}

/// A correct claim draws at once (9.5.2).
pub(super) fn granted(d: &mut Decision, claim: Claim) {
    let (articles, termination) = match claim {
        Claim::Fifty { .. } => (&d.game.laws.claim.fifty, Termination::Fifty),
        _ => (&d.game.laws.claim.threefold, Termination::Threefold),
    };
    let written = matches!(claim, Claim::Threefold { with: Some(_) } | Claim::Fifty { with: Some(_) });
    let article = if written { articles.written } else { articles.standing };
    completion::over(d, Score::Draw, termination, &article);
}

/// An incorrect claim: the times of the edition, and the written move must be played (9.5.3).
pub(super) fn turned_down(d: &mut Decision, by: Color, claim: Claim) {
    let laws = d.game.laws;
    let read = d.game.clock.reading(d.now);
    let kept = laws.claim.claimant_loses.as_ref().map_or(*read.get(by), |halving| halved(*read.get(by), halving));
    let taken = read.get(by).to(kept);
    super::arbiter::adjust(d, &[(by, taken), (!by, Adjustment::gain(laws.claim.opponent_gains))]);
    if let Claim::Threefold { with: Some(text) } | Claim::Fifty { with: Some(text) } = claim
        && let Some(duty) = must_play(d, text)
    {
        d.so(Consequence::DutySet { by, duty: Some(duty) });
    }
    if d.game.regulations.otherwise(OpenPoint::ClaimOffer) && d.game.offer == Some(by) {
        d.so(Consequence::OfferEnded);
    }
}

/// Half of the time goes, at most so much, and not below the floor for one who was above it. An odd millisecond stays with the player.
fn halved(time: Millis, halving: &Halving) -> Millis {
    let left = time.less(Millis((time.0 / 2).min(halving.at_most.0)));
    match halving.floor {
        Some(floor) => left.max(time.min(floor)),
        None => left,
    }
}

/// The written move, or, where it is illegal, a move of the piece that it names, if that has one.
fn must_play(d: &Decision, text: MoveText) -> Option<Duty> {
    let position = d.game.line.position()?;
    let legal = text.resolve(Some(position)).filter(|uci| d.game.line.is_legal(*uci));
    if let Some(uci) = legal {
        return Some(Duty::Play(uci));
    }
    let MoveText::Uci(UciMove::Normal { from, .. }) = text else { return None };
    can_move(position, from).then_some(Duty::Move(from))
}

fn can_move(position: &Chess, square: Square) -> bool {
    position.legal_moves().iter().any(|m| m.from() == Some(square))
}

/// Whether the position draws by repetition without a claim (9.6.1).
pub(super) fn fivefold(line: &Line, laws: &Laws) -> bool {
    let stood = line.stood();
    let Some((_, position)) = stood.last() else { return false };
    match &laws.fivefold {
        Fivefold::Never => false,
        Fivefold::AnyOrder(_) => stood.len() > FIVE && line.occurrences() >= FIVE,
        Fivefold::Consecutive(_) => {
            stood.len() > ALTERNATE * (FIVE - 1) && stood.iter().rev().step_by(ALTERNATE).take(FIVE).all(|(_, earlier)| earlier == position)
        }
    }
}
