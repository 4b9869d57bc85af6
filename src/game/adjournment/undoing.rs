//! What taking back a ruling on an adjournment gives back: how far it had come, and the sealer's clock.

use std::fmt;

use shakmaty::{ByColor, Color};

use super::{Adjournment, Draft, Stage};
use crate::clock::{Clock, WallTime};
use crate::game::Game;
use crate::game::entry::{Lost, Ruling};

/// How far an adjournment had come before a ruling on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::game) struct Kept {
    adjournment: Option<Box<Adjournment>>,
    draft: Option<Box<Draft>>,
    /// The announced end of the session, which an adjournment forgets.
    ends: Option<WallTime>,
    absent: ByColor<bool>,
    /// The clock of the player whose envelope was opened, which its move has changed.
    clock: Option<(Color, Clock)>,
}

impl Kept {
    /// What there was; `None`: the ruling is about something else.
    pub(in crate::game) fn of(game: &Game, ruling: &Ruling) -> Option<Kept> {
        let opens = matches!(ruling, Ruling::Open { .. } | Ruling::Decipher { .. });
        let clock = game.envelope().filter(|_| opens).map(|envelope| (envelope.by, *game.clock.side(envelope.by)));
        let times_lost = game.adjournment.as_ref().is_some_and(|adjournment| adjournment.lost == Some(Lost::Times));
        let adjourns = matches!(ruling, Ruling::OrderSeal | Ruling::TakeCustody | Ruling::LoseEnvelope { .. })
            || (times_lost && matches!(ruling, Ruling::SetClocks { .. }));
        // With the position that is restored an envelope, or an answer in its own, falls away.
        let restores = game.envelope().is_some() && matches!(ruling, Ruling::Restore { .. } | Ruling::RuleIllegal { .. });
        let (adjournment, draft) = (game.adjournment.clone(), game.draft.clone());
        (opens || adjourns || restores).then_some(Kept { adjournment, draft, ends: game.session.ends, absent: game.absent, clock })
    }

    /// Whether a session has begun since, so that this cannot come back. That a move was sealed counts as one made.
    pub(in crate::game) fn is_past(&self, game: &Game) -> bool {
        let resumed = |adjournment: &Option<Box<Adjournment>>| adjournment.as_ref().and_then(|adjournment| adjournment.resumed_at);
        resumed(&game.adjournment).is_some() && resumed(&game.adjournment) != resumed(&self.adjournment)
    }

    /// Both clocks with that of the sealer as it was, where it has changed.
    pub(in crate::game) fn clocks(&self, game: &Game) -> Option<ByColor<Clock>> {
        let (color, clock) = self.clock.filter(|(color, clock)| game.clock.side(*color) != clock)?;
        Some(ByColor::new_with(|side| if side == color { clock } else { *game.clock.side(side) }))
    }

    /// Puts it back. What was done since and is no ruling stays: a text that was read or written, who has come, what was announced or
    /// written on the envelope.
    pub(in crate::game) fn give_back(self, game: &mut Game) {
        let (text, place) = game.adjournment.take().map_or((None, None), |adjournment| (adjournment.text, adjournment.place));
        let written = game.draft.take();
        game.adjournment = self.adjournment;
        if let Some(adjournment) = &mut game.adjournment {
            adjournment.text = text.or(adjournment.text.take());
            // An earlier adjournment comes back where the order to seal again is taken back, and its envelope is another.
            if adjournment.stage != Stage::Resumed {
                adjournment.place = place;
            }
        }
        game.draft = written.filter(|draft| game.seals().is_some_and(|(by, _)| by == draft.by)).or(self.draft);
        game.session.ends = game.session.ends.or(self.ends);
        game.absent = ByColor::new_with(|color| *game.absent.get(color) && *self.absent.get(color));
    }
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ends {:?} absent {:?} clock {:?}", self.ends, self.absent, self.clock)?;
        self.draft.iter().try_for_each(|draft| write!(f, " draft {draft}"))?;
        self.adjournment.iter().try_for_each(|adjournment| write!(f, " adjournment {adjournment}"))
    }
}
