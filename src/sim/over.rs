//! What may still happen in a game that is over: facts are noted, the device's stop is timed, the result may be put right.

use crate::game::{self, Consequence, Phase, Ruling};
use crate::venue::{Entry, Payload, Subject, Venue};

/// What an entry does that it may not, in a game that is over before it.
pub(super) fn stirs(venue: &Venue, entry: &Entry) -> Option<String> {
    let (Payload::Game(said), Subject::Game(game)) = (&entry.payload, entry.subject) else { return None };
    let over = venue.table(game).is_some_and(|table| matches!(table.game.phase, Phase::Over | Phase::Annulled));
    (over && !may(said)).then(|| format!("after the end of game {}: {said}", game.0))
}

fn may(said: &game::Entry) -> bool {
    match said {
        game::Entry::Fact(_) => true,
        game::Entry::Ruling(ruling) => {
            matches!(ruling, Ruling::CorrectResult { .. } | Ruling::Annul { .. } | Ruling::Undo { .. } | Ruling::Excuse { .. })
        }
        game::Entry::Consequence(consequence) => !matches!(
            consequence,
            Consequence::PlayersReady
                | Consequence::ClockStarted { .. }
                | Consequence::Pressed { .. }
                | Consequence::MoveCompleted { .. }
                | Consequence::MoveTakenBack { .. }
                | Consequence::PeriodAdded { .. }
                | Consequence::ClockRead { .. }
                | Consequence::FlagFallen { .. }
                | Consequence::FlagDown { .. }
                | Consequence::OfferMade { .. }
                | Consequence::GameOver { .. }
                | Consequence::ClaimJudged { .. }
                | Consequence::IllegalCounted { .. }
                | Consequence::Restored { .. }
                | Consequence::SealOrdered { .. }
                | Consequence::MoveSealed { .. }
        ),
    }
}
