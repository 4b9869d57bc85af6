//! Whether somebody can still mate, worked out beside the writer: no board waits for another's mate.
//!
//! What a decision could not settle within its small budget stands in the game as a question. It is
//! answered with the full budget on a thread of its own, and the answer goes in as a fact. After a
//! restart the questions that are still open are found again in the venue.

use std::collections::BTreeSet;
use std::time::Duration;

use shakmaty::{Chess, Color};
use tracing::{error, warn};

use super::Hall;
use crate::board::mating::Budget;
use crate::game::{Fact, GameId, Input as About, named, who_can_mate};
use crate::venue::{Command, Input, Origin, Venue};

/// How often the daemon looks for questions.
const EVERY: Duration = Duration::from_millis(100);

/// An open question: of which game, after how many plies, on which position, whose mate first.
pub(crate) type Question = (GameId, u32, Chess, Color);

/// Runs until the daemon stops. What could not be answered is not tried again before the next start.
pub async fn questions(hall: Hall) {
    let mut given_up = BTreeSet::new();
    loop {
        tokio::select! {
            biased;
            () = hall.closed() => return,
            () = tokio::time::sleep(EVERY) => {}
        }
        let Ok(open) = hall.ask(open).await else { return };
        for (game, ply, position, first) in open {
            let name = named(&position);
            let question = (game, ply, name.to_string());
            if given_up.contains(&question) {
                continue;
            }
            let mating = match tokio::task::spawn_blocking(move || who_can_mate(&position, first, Budget::DEFAULT)).await {
                Ok(mating) => mating,
                Err(failure) => {
                    error!(%failure, game = game.0, ply, position = %name, "whether somebody can mate could not be worked out: it is for the arbiter");
                    given_up.insert(question);
                    continue;
                }
            };
            let input = Input::Game { game, input: About::Fact(Fact::Verdict { ply, position: name, mating }) };
            let command = Command { origin: Origin::daemon(), key: None, seen: None, input };
            match hall.submit(command).await {
                Ok(Ok(_)) => {}
                Ok(Err(refusal)) => {
                    warn!(%refusal, game = game.0, ply, "a verdict was refused");
                    given_up.insert(question);
                }
                Err(_) => return,
            }
        }
    }
}

pub(crate) fn open(venue: &Venue) -> Vec<Question> {
    let question = |game: &crate::game::Game| {
        let question = game.question?;
        Some((game.id, question.plies, game.line.position_after(question.plies as usize)?, question.first))
    };
    venue.asking().filter_map(question).collect()
}
