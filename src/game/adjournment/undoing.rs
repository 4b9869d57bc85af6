//! What taking back a ruling on an adjournment gives back: how far it had come, and the sealer's clock.

use std::fmt;

use shakmaty::{ByColor, Color};

use super::{Adjournment, Draft, Session, Stage};
use crate::clock::Clock;
use crate::game::entry::Ruling;
use crate::game::{Game, side};

/// How far an adjournment had come before a ruling on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::game) struct Kept {
    adjournment: Option<Box<Adjournment>>,
    draft: Option<Box<Draft>>,
    session: Session,
    absent: ByColor<bool>,
    /// The clock of the player whose envelope was opened, which its move has changed.
    clock: Option<(Color, Clock)>,
}

impl Kept {
    /// What there was; `None`: the ruling is about something else.
    pub(in crate::game) fn of(game: &Game, ruling: &Ruling) -> Option<Kept> {
        let opens = matches!(ruling, Ruling::Open { .. } | Ruling::Decipher { .. });
        let clock = game.envelope().filter(|_| opens).map(|envelope| (envelope.by, *game.clock.side(envelope.by)));
        let adjourns = matches!(ruling, Ruling::OrderSeal | Ruling::TakeCustody | Ruling::LoseEnvelope { .. });
        let (adjournment, draft) = (game.adjournment.clone(), game.draft.clone());
        (opens || adjourns).then_some(Kept { adjournment, draft, session: game.session, absent: game.absent, clock })
    }

    /// Whether a session has begun since, so that this cannot come back.
    pub(in crate::game) fn is_past(&self, game: &Game) -> bool {
        let resumed = |adjournment: &Option<Box<Adjournment>>| adjournment.as_ref().and_then(|adjournment| adjournment.resumed_at);
        resumed(&game.adjournment).is_some() && resumed(&game.adjournment) != resumed(&self.adjournment)
    }

    /// Both clocks with that of the sealer as it was, where it has changed.
    pub(in crate::game) fn clocks(&self, game: &Game) -> Option<ByColor<Clock>> {
        let (color, clock) = self.clock.filter(|(color, clock)| game.clock.side(*color) != clock)?;
        Some(ByColor::new_with(|side| if side == color { clock } else { *game.clock.side(side) }))
    }

    /// Puts it back. What was done since and no ruling stays: a text that was read or written, who has come, and what was announced.
    pub(in crate::game) fn give_back(self, game: &mut Game) {
        let now = game.adjournment.take();
        let closed = now.as_ref().filter(|now| now.stage == Stage::Sealed);
        let closed = closed.and_then(|now| Some(Draft { by: now.sealer, sealed: now.sealed.clone()? }));
        let written = game.draft.take().or(closed.map(Box::new));
        let text = now.and_then(|now| now.text);
        game.adjournment = self.adjournment;
        if let Some(adjournment) = &mut game.adjournment {
            adjournment.text = text.or(adjournment.text.take());
        }
        game.draft = written.filter(|draft| game.seals().is_some_and(|(by, _)| by == draft.by)).or(self.draft);
        let Session { ends, resumes } = game.session;
        game.session = Session { ends: ends.or(self.session.ends), resumes: resumes.or(self.session.resumes) };
        game.absent = ByColor::new_with(|color| *game.absent.get(color) && *self.absent.get(color));
    }
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "session {:?} absent {:?} clock {:?}", self.session, self.absent, self.clock)?;
        self.draft.iter().try_for_each(|draft| write!(f, " draft {} {}", side(draft.by), draft.sealed.commitment))?;
        self.adjournment.iter().try_for_each(|adjournment| write!(f, " adjournment {adjournment}"))
    }
}
