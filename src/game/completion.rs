//! Article 5 and the completed move: moves made, mate, stalemate, dead position, resignation.

use shakmaty::{Color, Position};

use super::drawn_game::{self, SEVENTY_FIVE_MOVES};
use super::entry::{Command, Consequence, Fact, IncidentCode, Loss, Moved, Score, StopReason, Termination};
use super::{Before, Decision, adjournment, chessclock, mating, orders, two};
use crate::board::Line;
use crate::laws::{Article, Fivefold, Laws};

/// Whose move the fact makes, if it makes one.
fn mover(fact: &Fact) -> Option<Color> {
    match fact {
        Fact::Move { by, .. } | Fact::Press { by, moved: Moved::Unknown | Moved::Move(_), .. } => Some(*by),
        _ => None,
    }
}

/// A second move before the press takes the place of the first.
pub(super) fn before_move(d: &mut Decision, fact: &Fact) {
    if let Some(by) = mover(fact)
        && !d.game.is_finished()
        && *d.game.uncompleted.get(by)
        && d.game.last_mover == Some(by)
    {
        d.so(Consequence::MoveTakenBack { by });
    }
}

/// A move was made on the board. It completes the mover's last one if that was never pressed, where
/// the edition says so (6.2.1.2), and answers an offer to him (9.1.2.1).
pub(super) fn made(d: &mut Decision, by: Color, before: &Before) {
    let in_turn = d.game.line.plies().len() > before.plies;
    if *before.uncompleted.get(by) && before.last_mover != Some(by) && d.game.laws.completed.by_next_move {
        let completed = d.game.completed.get(by) + 1;
        d.so(Consequence::MoveCompleted { by, completed });
        let counter = d.game.clock.side(by).counter;
        if counter != completed {
            let note = format!("{completed} moves completed, {counter} counted");
            d.incident(IncidentCode::CounterMismatch, Some(by), &d.game.laws.counter, note);
        }
    }
    let legal = in_turn && d.game.line.plies().last().is_some_and(|ply| ply.legal);
    if !legal {
        d.incident(IncidentCode::IllegalMove, Some(by), &d.game.laws.illegal_move.article, "");
    }
    if in_turn {
        drawn_game::duty(d, by);
    }
    if d.game.offer == Some(!by) {
        d.so(Consequence::OfferEnded);
    }
    if d.game.duty.is_some_and(|(whose, _)| whose == !by) {
        d.so(Consequence::DutySet { by: !by, duty: None });
    }
}

/// Mate, stalemate, the position in which neither can mate, the fifth repetition and the seventy-fifth
/// move end the game as soon as they stand on the board. A position that an illegal move has made does not.
pub(super) fn check(d: &mut Decision) {
    if d.game.is_finished() || d.game.line.raw().is_some() || d.game.awaiting.is_some() {
        return;
    }
    let Some(mover) = d.game.line.position().map(|position| !position.turn()) else { return };
    let laws = d.game.laws;
    let by_move = mate_or_stalemate(&d.game.line, laws);
    let dead = |d: &mut Decision| mating::dead_position(d).then_some((Score::Draw, Termination::DeadPosition, laws.dead_position));
    let Some((score, termination, article)) = by_move.or_else(|| dead(d)).or_else(|| by_the_count(&d.game.line, laws)) else { return };
    if *d.game.uncompleted.get(mover) {
        let completed = d.game.completed.get(mover) + 1;
        d.so(Consequence::MoveCompleted { by: mover, completed });
    }
    over(d, score, termination, &article);
}

/// A queen that the Laws put on the last rank may mate or stalemate too (7.5.2).
pub(super) fn promoted(d: &mut Decision) {
    if let Some((score, termination, article)) = mate_or_stalemate(&d.game.line, d.game.laws) {
        over(d, score, termination, &article);
    }
}

type End = (Score, Termination, Article);

fn mate_or_stalemate(line: &Line, laws: &Laws) -> Option<End> {
    let position = line.position()?;
    if position.is_checkmate() {
        Some((Score::win(!position.turn()), Termination::Checkmate, laws.checkmate))
    } else {
        position.is_stalemate().then_some((Score::Draw, Termination::Stalemate, laws.stalemate))
    }
}

/// The fifth repetition and the seventy-fifth move (9.6).
fn by_the_count(line: &Line, laws: &Laws) -> Option<End> {
    if let (Fivefold::Consecutive(article) | Fivefold::AnyOrder(article), true) = (&laws.fivefold, drawn_game::fivefold(line, laws)) {
        return Some((Score::Draw, Termination::Fivefold, *article));
    }
    let article = laws.seventy_five.filter(|_| line.known().1.halfmoves() >= SEVENTY_FIVE_MOVES)?;
    Some((Score::Draw, Termination::SeventyFive, article))
}

/// How the last move of a line ends its game by itself, for whoever plays a line without a game.
/// `asked` remembers between the moves of one line when a locked position was last looked into.
pub fn ends_by_itself(line: &Line, laws: &Laws, asked: &mut Option<usize>) -> Option<End> {
    mate_or_stalemate(line, laws)
        .or_else(|| mating::is_dead(line, asked).then_some((Score::Draw, Termination::DeadPosition, laws.dead_position)))
        .or_else(|| by_the_count(line, laws))
}

/// A player resigns: he has lost, or, where the edition says so, it is a draw if the opponent cannot mate (5.1.2).
pub(super) fn resign(d: &mut Decision, by: Color) {
    let resignation = &d.game.laws.resignation;
    let article = adjournment::ended_by(&d.game).unwrap_or(resignation.article);
    let known = d.game.line.position().is_some();
    if resignation.draws_if_unwinnable && known {
        return mating::decides(d, Loss { color: by, termination: Termination::Resignation, article });
    }
    if resignation.draws_if_unwinnable {
        let note = "moves are missing: whether the opponent could mate was not looked at";
        d.incident(IncidentCode::PositionUnknown, Some(by), &article, note);
    }
    over(d, Score::win(!by), Termination::Resignation, &article);
}

/// Ends the game.
pub(super) fn over(d: &mut Decision, score: Score, termination: Termination, article: &Article) {
    stop_for_good(d, StopReason::GameOver);
    let score = score.with_points(&d.game.points);
    d.so(Consequence::GameOver { score, termination, article: *article });
    two::ended(d, termination);
}

/// The clocks stop now, or, where the instant is not known on the device's timeline, when the device says so.
pub(super) fn stop_for_good(d: &mut Decision, reason: StopReason) {
    let runs = d.game.clock.running().is_some();
    if runs && (d.now.is_some() || d.game.device.is_none()) {
        let stopped = d.game.clock.stopped(d.now);
        d.so(Consequence::ClocksStopped { sides: chessclock::sides(&stopped), reason });
    }
    let starts = d.game.orders.iter().any(|order| matches!(order.command, Command::Start { .. }));
    if runs || starts {
        orders::tell(d, Command::Stop);
    }
}
