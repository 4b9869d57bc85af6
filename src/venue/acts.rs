//! One act on many boards: the keys of its rulings, and at which boards what it stopped still stands.

use super::Refusal;
use super::entry::{Entry, Key};
use super::input::Input;
use crate::game::{self, Consequence, Game, GameId, Ruling, StopReason};

/// What stands before the key of an act, and then a stroke and the number of a game.
pub const START: &str = "start all ";
/// The same of an act that stops clocks.
pub const STOP: &str = "stop all ";
/// The same of one that lets them go on.
pub const RESUME: &str = "go on ";

/// The act that has stopped a game's clocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoppedByAct {
    /// Its key.
    pub act: String,
    /// Nothing was ruled since, and nothing else has stopped the clocks.
    pub stands: bool,
}

/// The key of an act's ruling on a game.
pub fn key(prefix: &str, act: &str, game: GameId) -> Key {
    Key(format!("{prefix}{act}/{}", game.0))
}

/// Only the act's ruling on a game comes under the key that acts make, so that nobody takes it before, or is met by the act.
pub(super) fn admits(key: &Key, input: &Input) -> Result<(), Refusal> {
    let is_an_acts = [START, STOP, RESUME].iter().any(|prefix| key.0.starts_with(prefix));
    let suffix = |game: &GameId| format!("/{}", game.0);
    let is_of_its_game = matches!(input, Input::Game { game, input: game::Input::Ruling(_) } if key.0.ends_with(&suffix(game)));
    if is_an_acts && !is_of_its_game {
        let why = format!("what begins with '{START}', '{STOP}' or '{RESUME}' names acts on many boards");
        return Err(Refusal::Unreadable { field: "key", why });
    }
    Ok(())
}

/// What becomes of it with a further entry of the game.
pub(super) fn follows(stopped: Option<StoppedByAct>, game: &Game, entry: &Entry, said: &game::Entry) -> Option<StoppedByAct> {
    let fallen = stopped.clone().map(|stopped| StoppedByAct { stands: false, ..stopped });
    match said {
        game::Entry::Ruling(Ruling::Stop { .. }) => {
            let act = entry.key.as_ref().and_then(|key| key.0.strip_prefix(STOP)?.rsplit_once('/')).map(|(act, _)| act.to_string());
            act.map(|act| StoppedByAct { act, stands: true }).or(fallen)
        }
        game::Entry::Ruling(_) => fallen,
        // What was ordered to start before is stopped next.
        game::Entry::Consequence(Consequence::ClockStarted { .. }) if !game.orders.iter().any(|order| order.command == game::Command::Stop) => None,
        game::Entry::Consequence(Consequence::ClocksStopped { reason, .. }) if *reason != StopReason::Arbiter => fallen,
        _ => stopped,
    }
}
