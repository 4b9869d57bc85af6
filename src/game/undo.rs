//! Taking a ruling back by compensation: a later entry undoes its effect, and both stay in the log.

use shakmaty::{ByColor, Color};

use super::entry::{Command, Consequence, Reopened, Ruling, Score, Seq};
use super::{Decision, Game, Phase, chessclock, orders};
use crate::clock::{Adjustment, Chessclock, Clock};

/// Most rulings of one game that can still be taken back; older ones stand.
const MAX_UNDOABLE: usize = 32;

/// A ruling that can be taken back, and what it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Undoable {
    pub(super) ruling: Seq,
    effect: Effect,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Effect {
    /// Times and counters; measured when they are set.
    Clocks(Option<ByColor<Change>>),
    /// A result, where there was none.
    Result,
    /// A correction of this result.
    Correction(Score),
    /// The annulment.
    Annulment,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Change {
    left: Adjustment,
    counter: i64,
}

impl Undoable {
    /// What the ruling, about to be applied to the game, will have changed; `None`: nothing that undo takes back.
    pub(super) fn of(game: &mut Game, ruling_seq: Seq, ruling: &Ruling) -> Option<Undoable> {
        let effect = match ruling {
            Ruling::SetClocks { .. } | Ruling::AddTime { .. } | Ruling::SetCounter { .. } => Effect::Clocks(None),
            Ruling::DeclareResult { .. } => Effect::Result,
            Ruling::CorrectResult { .. } => Effect::Correction(game.outcome.as_ref()?.score),
            Ruling::Annul { .. } => Effect::Annulment,
            Ruling::Start | Ruling::Stop { .. } | Ruling::Resume | Ruling::ReplaceClock { .. } | Ruling::Undo { .. } => return None,
        };
        if game.undoable.len() >= MAX_UNDOABLE {
            game.undoable.remove(0);
        }
        Some(Undoable { ruling: ruling_seq, effect })
    }

    /// Notes by how much the clocks are set, the first time after the ruling.
    pub(super) fn measure(&mut self, before: &Chessclock, after: &ByColor<Clock>) {
        if let Effect::Clocks(change @ None) = &mut self.effect {
            *change = Some(ByColor::new_with(|color| {
                let (old, new) = (before.side(color), after.get(color));
                Change { left: old.left.to(new.left), counter: i64::from(new.counter) - i64::from(old.counter) }
            }));
        }
    }
}

/// Takes the last ruling back that can be.
pub(super) fn undo(d: &mut Decision) {
    let Some(last) = d.game.undoable.last().cloned() else { return };
    match last.effect {
        Effect::Clocks(None) => {}
        Effect::Clocks(Some(change)) => {
            let sides = ByColor::new_with(|color| {
                let (clock, change) = (d.game.clock.side(color), change.get(color));
                let counter = i64::from(clock.counter) - change.counter;
                Clock { left: clock.left.adjusted(change.left.reversed()), counter: u32::try_from(counter).unwrap_or(0), ..*clock }
            });
            d.so(Consequence::ClocksSet { sides });
            if d.game.phase == Phase::Running {
                for color in Color::ALL {
                    let by = change.get(color).left.reversed();
                    if by != Adjustment(0) {
                        orders::tell(d, Command::Add { color, by });
                    }
                }
            } else {
                let sides = chessclock::sides(&d.game.clock);
                orders::tell(d, Command::Set { sides });
            }
        }
        Effect::Result => d.so(Consequence::Reopened { phase: d.game.before_end }),
        Effect::Correction(score) => d.so(Consequence::ResultCorrected { score }),
        Effect::Annulment => {
            let phase = if d.game.outcome.is_some() { Reopened::Over } else { d.game.before_end };
            d.so(Consequence::Reopened { phase });
        }
    }
    d.so(Consequence::Undone { ruling: last.ruling });
}
