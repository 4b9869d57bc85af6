//! Articles 6.10, 11 and 12: what an arbiter may rule, on times, counters, devices and results.

use shakmaty::{ByColor, Color};

use super::entry::{Command, Consequence, DeviceId, MAX_TEXT, Refusal, Ruling, Score, StopReason, Termination};
use super::{Decision, Game, Phase, chessclock, completion, orders};
use crate::clock::{Adjustment, Clock, MAX_TIME, Millis, Reading};

/// Highest number to which a move counter can be set.
const MAX_COUNTER: u32 = 9_999;

/// Whether the state admits the ruling; if not, what stands against it.
pub(super) fn admit(game: &Game, ruling: &Ruling, now: Option<Millis>) -> Result<(), Refusal> {
    let laws = game.laws;
    readable(game, ruling, now)?;
    let against = match (ruling, game.phase) {
        (Ruling::CorrectResult { .. }, Phase::Over) | (Ruling::Annul { .. }, Phase::Over) => None,
        (Ruling::Undo { .. }, _) if game.undoable.is_empty() => {
            Some(("nothing-to-undo", &laws.arbiter, "no ruling is left that could be taken back"))
        }
        (Ruling::Undo { .. }, _) => None,
        (_, Phase::Annulled) => Some(("annulled", &laws.annulled, "the game is annulled: only undo can bring it back")),
        (Ruling::CorrectResult { .. }, _) => Some(("no-result", &laws.result, "the game has no result yet: rule a result")),
        (_, Phase::Over) => Some(("game-over", &laws.result, "the game is over: correct, annul or undo")),
        (Ruling::Start, Phase::Running | Phase::Stopped(_)) => {
            Some(("already-started", &laws.start, "the game has started: resume, if the clocks stand"))
        }
        (Ruling::Start | Ruling::Resume, _) if pending(game, |c| matches!(c, Command::Start { .. })) => {
            Some(("start-pending", &laws.stopping, "the clock has been told to start and has not confirmed it"))
        }
        (Ruling::Stop { .. }, _) if pending(game, |c| *c == Command::Stop) => {
            Some(("stop-pending", &laws.stopping, "the clock has been told to stop and has not confirmed it"))
        }
        (Ruling::Stop { .. }, phase) if phase != Phase::Running => Some(("not-running", &laws.stopping, "no clock runs")),
        (Ruling::Resume, Phase::Running) => Some(("not-stopped", &laws.stopping, "a clock runs already")),
        (Ruling::Resume, Phase::Scheduled | Phase::Ready) => Some(("not-started", &laws.start, "the game has not started: start it")),
        (Ruling::SetClocks { .. } | Ruling::SetCounter { .. }, Phase::Running) => {
            Some(("running", &laws.counter, "a clock runs: stop the clocks first, or add time"))
        }
        (Ruling::SetClocks { .. } | Ruling::SetCounter { .. }, _) if game.clock.running().is_some() => {
            Some(("stop-pending", &laws.stopping, "the clock has been told to stop and has not confirmed it"))
        }
        (Ruling::ReplaceClock { device }, _) if *device == game.device => {
            Some(("same-clock", &laws.defective_clock, "that clock is at the board already"))
        }
        _ => None,
    };
    match against {
        Some((code, article, why)) => Err(Refusal::Contradicts { code, article: *article, why: why.to_string() }),
        None => Ok(()),
    }
}

fn pending(game: &Game, which: impl Fn(&Command) -> bool) -> bool {
    game.orders.iter().any(|(_, command)| which(command))
}

/// Limits, and amounts that mean nothing.
fn readable(game: &Game, ruling: &Ruling, now: Option<Millis>) -> Result<(), Refusal> {
    let wrong = |field, why: String| Err(Refusal::Unreadable { field, why });
    match ruling {
        Ruling::Stop { reason }
        | Ruling::AddTime { reason, .. }
        | Ruling::DeclareResult { reason, .. }
        | Ruling::CorrectResult { reason, .. }
        | Ruling::Annul { reason }
        | Ruling::Undo { reason }
            if reason.len() > MAX_TEXT =>
        {
            wrong("reason", format!("longer than {MAX_TEXT} bytes"))
        }
        Ruling::CorrectResult { reason, .. } | Ruling::Annul { reason } if reason.trim().is_empty() => {
            wrong("reason", "a correction or annulment needs a reason".to_string())
        }
        Ruling::SetClocks { times } if times.white > MAX_TIME || times.black > MAX_TIME => wrong("times", format!("more than {MAX_TIME}")),
        Ruling::SetCounter { moves, .. } if *moves > MAX_COUNTER => wrong("moves", format!("more than {MAX_COUNTER}")),
        Ruling::AddTime { by: Adjustment(0), .. } => wrong("by", "nothing to add".to_string()),
        Ruling::AddTime { color, by, .. } => {
            let left = *game.clock.reading(now).get(*color);
            if by.0.unsigned_abs() > MAX_TIME.0 {
                wrong("by", format!("more than {MAX_TIME}"))
            } else if left.adjusted(*by) > MAX_TIME {
                wrong("by", format!("that makes more than {MAX_TIME}"))
            } else if by.0 < 0 && by.0.unsigned_abs() >= left.0 {
                wrong("by", format!("{} has only {left} left", if color.is_white() { "White" } else { "Black" }))
            } else {
                Ok(())
            }
        }
        _ => Ok(()),
    }
}

/// Both players are there (6.7).
pub(super) fn arrival(d: &mut Decision) {
    if d.game.phase == Phase::Scheduled && !d.game.absent.white && !d.game.absent.black {
        d.so(Consequence::PlayersReady);
    }
}

pub(super) fn set_clocks(d: &mut Decision, times: Reading) {
    let sides = ByColor::new_with(|color| Clock { left: *times.get(color), ..*d.game.clock.side(color) });
    set(d, sides);
}

pub(super) fn add_time(d: &mut Decision, color: Color, by: Adjustment) {
    let mut sides = chessclock::sides(&d.game.clock);
    let clock = sides.get_mut(color);
    clock.left = clock.left.adjusted(by);
    d.so(Consequence::ClocksSet { sides });
    orders::tell(d, Command::Add { color, by });
}

pub(super) fn set_counter(d: &mut Decision, color: Color, moves: u32) {
    let mut sides = chessclock::sides(&d.game.clock);
    sides.get_mut(color).counter = moves;
    set(d, sides);
}

fn set(d: &mut Decision, sides: ByColor<Clock>) {
    d.so(Consequence::ClocksSet { sides });
    orders::tell(d, Command::Set { sides });
}

/// Another device keeps the time from here on; the clocks stand as last known until they are confirmed (6.10.1).
pub(super) fn replace_clock(d: &mut Decision, device: Option<DeviceId>) {
    if d.game.clock.running().is_some() {
        d.so(Consequence::ClocksStopped { sides: chessclock::sides(&d.game.clock), reason: StopReason::ClockReplaced });
    }
    d.so(Consequence::ClockReplaced { device });
}

pub(super) fn declare(d: &mut Decision, score: Score) {
    let article = &d.game.laws.result;
    completion::over(d, score, Termination::Arbiter, article);
}

pub(super) fn correct(d: &mut Decision, score: Score) {
    d.so(Consequence::ResultCorrected { score });
}

pub(super) fn annul(d: &mut Decision) {
    completion::stop_for_good(d, StopReason::Arbiter);
    d.so(Consequence::Annulled);
}
