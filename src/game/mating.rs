//! Where the Laws ask whether a player can still mate "by any possible series of legal moves": on
//! time used up, on resignation (2023), on the losing illegal move, and for the dead position.
//!
//! What can be worked out within a decision is; otherwise the question is asked, and the verdict
//! comes back as a fact of its own.

use shakmaty::fen::Epd;
use shakmaty::{ByColor, Chess, Color, EnPassantMode, Position};

use super::entry::{Consequence, IncidentCode, Loss, MAX_MATING_LINE, Score, StopReason, Termination};
use super::{Decision, Game, Phase, chessclock, completion};
use crate::board::Line;
use crate::board::mating::{self, Budget, Glance, Mating};
use crate::laws::MatingBy;

/// Ends the game by a loss, or by a draw where the opponent cannot mate, or asks.
pub(super) fn decides(d: &mut Decision, loss: Loss) {
    let Loss { color, article, .. } = loss;
    let Some(position) = d.game.line.position().cloned() else {
        chessclock::halt(d, StopReason::FlagUndecided);
        let note = "moves are missing: whether the opponent can mate is for the arbiter";
        return d.incident(IncidentCode::PositionUnknown, Some(color), &article, note);
    };
    let by_rule = matches!(loss.termination, Termination::Time | Termination::SealedMove);
    if d.game.laws.needed_to_win.by == MatingBy::Potential && by_rule {
        let article = d.game.laws.needed_to_win.article;
        return if mating::potential::potential(position.board(), !color) { ends(d, loss, false) } else { ends(d, Loss { article, ..loss }, true) };
    }
    let plies = d.game.line.plies().len() as u32;
    let mating = who_can_mate(&position, !color, Budget::QUICK);
    let unclear = mating.iter().flatten().any(|one| *one == Mating::Unclear);
    if unclear {
        chessclock::halt(d, StopReason::MatingAsked);
        d.so(Consequence::MatingAsked { plies, then: Some(loss) });
    } else {
        d.so(Consequence::MatingJudged { plies, mating: mating.clone() });
        answered(d, &mating, Some(loss));
    }
}

/// What follows from knowing who can mate.
fn answered(d: &mut Decision, mating: &ByColor<Option<Mating>>, loss: Option<Loss>) {
    let impossible = |color: Color| matches!(mating.get(color), Some(Mating::Impossible(_)));
    if impossible(Color::White) && impossible(Color::Black) {
        let article = d.game.laws.dead_position;
        return completion::over(d, Score::Draw, Termination::DeadPosition, &article);
    }
    if let Some(loss) = loss {
        match mating.get(!loss.color) {
            Some(Mating::Possible(_)) => ends(d, loss, false),
            Some(Mating::Impossible(_)) => ends(d, loss, true),
            Some(Mating::Unclear) | None => {
                let note = "whether the opponent could mate was not found out: rule a result";
                d.incident(IncidentCode::MatingUnclear, Some(loss.color), &loss.article, note);
            }
        }
    }
}

fn ends(d: &mut Decision, loss: Loss, drawn: bool) {
    let score = if drawn { Score::Draw } else { Score::win(!loss.color) };
    completion::over(d, score, loss.termination, &loss.article);
}

/// The name of a position in a verdict: its EPD, which is all that decides which moves are possible from there.
pub fn named(position: &Chess) -> Box<Epd> {
    Box::new(Epd::from_position(position, EnPassantMode::Legal))
}

/// The position after so many plies, if it is the one of that name: a move that was taken back may have left another.
pub(super) fn stood(game: &Game, plies: u32, name: &Epd) -> Option<Chess> {
    game.line.position_after(plies as usize).filter(|position| *named(position) == *name)
}

/// A loss whose question went with a move that was taken back is asked about where the game stands now.
pub(super) fn asks_again(d: &mut Decision, before: &Game) {
    let gone = before.question.is_some_and(|question| d.game.asked != Some(question.plies));
    if let Some(loss) = d.game.awaiting.filter(|_| gone && d.game.phase == Phase::Stopped(StopReason::MatingAsked)) {
        decides(d, loss);
    }
}

/// The verdict that was asked for, on the position of that name after that many plies.
pub(super) fn verdict(d: &mut Decision, plies: u32, on: &Epd, said: &ByColor<Option<Mating>>) {
    let Some(position) = stood(&d.game, plies, on).filter(|_| d.game.asked == Some(plies)) else { return };
    // A helpmate counts once it has been replayed here.
    let replayed = |color: Color, one: &Option<Mating>| match one {
        Some(Mating::Possible(line)) if !mating::replays(&position, line, color) => Some(Mating::Unclear),
        other => other.clone(),
    };
    let mating = &ByColor { white: replayed(Color::White, &said.white), black: replayed(Color::Black, &said.black) };
    let made = d.game.line.plies().len() as u32;
    let loss = d.game.awaiting.filter(|_| plies == made);
    let dead = mating.iter().all(|one| matches!(one, Some(Mating::Impossible(_))));
    let overridden = d.game.outcome.as_ref().is_some_and(|outcome| {
        matches!(
            outcome.termination,
            Termination::Time | Termination::Resignation | Termination::IllegalMoves | Termination::SealedMove | Termination::Agreement
        )
    });
    // What was dead stays dead: an earlier dead position overrides what came later.
    if (!d.game.is_finished() && (loss.is_some() || dead)) || (dead && overridden) {
        answered(d, mating, loss);
    }
}

/// After a move: the position in which nobody can mate ends the game at once (5.2.2).
pub(super) fn dead_position(d: &mut Decision) -> bool {
    let Some(position) = d.game.line.position() else { return false };
    match mating::glance(position) {
        Glance::Dead(_) => true,
        Glance::Open => false,
        Glance::Locked => {
            let last = d.game.line.last_irreversible() as u32;
            if d.game.asked.is_some_and(|asked| asked >= last) {
                return false;
            }
            locked(d)
        }
    }
}

/// A locked position, asked about once until a pawn moves or something is captured.
fn locked(d: &mut Decision) -> bool {
    let Some(position) = d.game.line.position() else { return false };
    let plies = d.game.line.plies().len() as u32;
    let mating = who_can_mate(position, Color::White, Budget::QUICK);
    if mating.iter().flatten().any(|one| *one == Mating::Unclear) {
        d.so(Consequence::MatingAsked { plies, then: None });
        return false;
    }
    let dead = mating.iter().all(|one| matches!(one, Some(Mating::Impossible(_))));
    d.so(Consequence::MatingJudged { plies, mating });
    dead
}

/// A helpmate too long for an entry shows nothing.
fn within(mating: Mating) -> Mating {
    match mating {
        Mating::Possible(line) if line.len() > MAX_MATING_LINE => Mating::Unclear,
        other => other,
    }
}

/// The same for a line without a game: whether nobody can mate any more after its last move.
pub(super) fn is_dead(line: &Line, asked: &mut Option<usize>) -> bool {
    let Some(position) = line.position() else { return false };
    match mating::glance(position) {
        Glance::Dead(_) => true,
        Glance::Open => false,
        Glance::Locked if asked.is_some_and(|asked| asked >= line.last_irreversible()) => false,
        Glance::Locked => {
            *asked = Some(line.plies().len());
            who_can_mate(position, Color::White, Budget::DEFAULT).iter().all(|one| matches!(one, Some(Mating::Impossible(_))))
        }
    }
}

/// Whether a side can still mate, and, where it cannot, whether the other one can: if neither, the position is dead.
pub fn who_can_mate(position: &Chess, first: Color, budget: Budget) -> ByColor<Option<Mating>> {
    let mut mating = ByColor::<Option<Mating>>::default();
    let judged = within(mating::judge(position, first, budget).mating);
    if !matches!(judged, Mating::Possible(_)) {
        *mating.get_mut(!first) = Some(within(mating::judge(position, !first, budget).mating));
    }
    *mating.get_mut(first) = Some(judged);
    mating
}
