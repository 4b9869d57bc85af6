//! Article 5 and the completed move: moves made, mate, stalemate, dead position, resignation.

use shakmaty::{Color, Position};

use super::entry::{Command, Consequence, Fact, IncidentCode, Moved, Score, StopReason, Termination};
use super::{Before, Decision, chessclock, orders};
use crate::laws::Article;

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

/// A move was made on the board. It completes the mover's last one if that was never pressed
/// (6.2.1.2), and answers an offer to him (9.1.2.1).
pub(super) fn made(d: &mut Decision, by: Color, before: &Before) {
    let legal = d.game.line.plies().len() > before.plies;
    if *before.uncompleted.get(by) && before.last_mover != Some(by) {
        let completed = d.game.completed.get(by) + 1;
        d.so(Consequence::MoveCompleted { by, completed });
        let counter = d.game.clock.side(by).counter;
        if counter != completed {
            let note = format!("{completed} moves completed, {counter} counted");
            d.incident(IncidentCode::CounterMismatch, Some(by), &d.game.laws.counter, note);
        }
    }
    if !legal {
        d.incident(IncidentCode::IllegalMove, Some(by), &d.game.laws.illegal_move, "");
    }
    if d.game.offer == Some(!by) {
        d.so(Consequence::OfferEnded);
    }
}

/// Mate, stalemate and the position in which neither can mate end the game as soon as they stand on the board.
pub(super) fn check(d: &mut Decision) {
    if d.game.is_finished() {
        return;
    }
    let Some(position) = d.game.line.position() else { return };
    let laws = d.game.laws;
    let mover = !position.turn();
    let (score, termination, article) = if position.is_checkmate() {
        (Score::win(mover), Termination::Checkmate, &laws.checkmate)
    } else if position.is_stalemate() {
        (Score::Draw, Termination::Stalemate, &laws.stalemate)
    } else if position.is_insufficient_material() {
        (Score::Draw, Termination::DeadPosition, &laws.dead_position)
    } else {
        return;
    };
    if *d.game.uncompleted.get(mover) {
        let completed = d.game.completed.get(mover) + 1;
        d.so(Consequence::MoveCompleted { by: mover, completed });
    }
    over(d, score, termination, article);
}

/// A player resigns: he has lost, or it is a draw where the opponent cannot mate (5.1.2).
pub(super) fn resign(d: &mut Decision, by: Color) {
    let resignation = &d.game.laws.resignation;
    let unwinnable = d.game.line.position().map(|position| position.has_insufficient_material(!by));
    if unwinnable.is_none() && resignation.draws_if_unwinnable {
        let note = "moves are missing: whether the opponent could mate was not looked at";
        d.incident(IncidentCode::PositionUnknown, Some(by), &resignation.article, note);
    }
    let drawn = unwinnable == Some(true) && resignation.draws_if_unwinnable;
    let score = if drawn { Score::Draw } else { Score::win(!by) };
    over(d, score, Termination::Resignation, &resignation.article);
}

/// Ends the game.
pub(super) fn over(d: &mut Decision, score: Score, termination: Termination, article: &Article) {
    stop_for_good(d, StopReason::GameOver);
    d.so(Consequence::GameOver { score, termination, article: *article });
}

/// The clocks stop now, or, where the instant is not known on the device's timeline, when the device says so.
pub(super) fn stop_for_good(d: &mut Decision, reason: StopReason) {
    let runs = d.game.clock.running().is_some();
    if runs && (d.now.is_some() || d.game.device.is_none()) {
        let stopped = d.game.clock.stopped(d.now);
        d.so(Consequence::ClocksStopped { sides: chessclock::sides(&stopped), reason });
    }
    let starts = d.game.orders.iter().any(|(_, command)| matches!(command, Command::Start { .. }));
    if runs || starts {
        orders::tell(d, Command::Stop);
    }
}
