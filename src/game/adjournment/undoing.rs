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
    /// That this end has come was the order, and it is forgotten when that is taken back.
    has_ended: bool,
    absent: ByColor<bool>,
    /// The clock of the player whose sealed move came on the board by it, before that and after it.
    clock: Option<(Color, Clock, Clock)>,
}

impl Kept {
    /// What there was; `None`: the ruling is about something else.
    pub(in crate::game) fn of(game: &Game, ruling: &Ruling) -> Option<Kept> {
        let times_lost = game.adjournment.as_ref().is_some_and(|adjournment| adjournment.lost == Some(Lost::Times));
        let adjourns =
            matches!(ruling, Ruling::OrderSeal | Ruling::TakeCustody | Ruling::LoseEnvelope { .. } | Ruling::Open { .. } | Ruling::Decipher { .. })
                || (times_lost && matches!(ruling, Ruling::SetClocks { .. }));
        // With the position that is restored an envelope, an answer in its own, and what was written fall away, and the order moves.
        let restores = matches!(ruling, Ruling::Restore { .. } | Ruling::RuleIllegal { .. } | Ruling::Uphold { .. });
        let seals = game.stage() == Some(Stage::Ordered) || game.draft.is_some() || game.envelope().is_some();
        (adjourns || (restores && seals)).then(|| Kept::now(game))
    }

    /// What there was before the announced end of the session, which was announced wrongly if that is taken back.
    pub(in crate::game) fn of_session_end(game: &Game) -> Kept {
        Kept { has_ended: true, ..Kept::now(game) }
    }

    fn now(game: &Game) -> Kept {
        let (adjournment, draft) = (game.adjournment.clone(), game.draft.clone());
        Kept { adjournment, draft, ends: game.session.ends, has_ended: false, absent: game.absent, clock: None }
    }

    /// The sealed move came on the board.
    pub(in crate::game) fn plays(&mut self, by: Color, before: Clock, after: Clock) {
        self.clock = Some((by, before, after));
    }

    /// Whether a session has begun since, so that this cannot come back. That a move was sealed counts as one made.
    pub(in crate::game) fn is_past(&self, game: &Game) -> bool {
        let resumed = |adjournment: &Option<Box<Adjournment>>| adjournment.as_ref().and_then(|adjournment| adjournment.resumed_at);
        resumed(&game.adjournment).is_some() && resumed(&game.adjournment) != resumed(&self.adjournment)
    }

    /// Both clocks, without what the sealed move brought its player; what has been charged to him since stays so.
    pub(in crate::game) fn clocks(&self, game: &Game) -> Option<ByColor<Clock>> {
        let (color, before, after) = self.clock?;
        let now = game.clock.side(color);
        let counter = now.counter.saturating_add(before.counter).saturating_sub(after.counter);
        let clock = Clock { left: now.left.adjusted(before.left.to(after.left).reversed()), counter, ..before };
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
        game.session.ends = if self.has_ended { game.session.ends.filter(|ends| Some(*ends) != self.ends) } else { game.session.ends.or(self.ends) };
        game.absent = ByColor::new_with(|color| *game.absent.get(color) && *self.absent.get(color));
    }
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ends {:?} {} absent {:?} clock {:?}", self.ends, self.has_ended, self.absent, self.clock)?;
        self.draft.iter().try_for_each(|draft| write!(f, " draft {draft}"))?;
        self.adjournment.iter().try_for_each(|adjournment| write!(f, " adjournment {adjournment}"))
    }
}
