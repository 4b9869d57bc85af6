//! What is told of a game and not by its device: facts from people and from the daemon, and rulings.

use super::devices::can_have_two;
use super::entry::{Admin, DeviceStamp, Payload, Role, Subject, Version};
use super::{At, Batch, Refusal, Table, fresh, no_game};
use crate::clock::Millis;
use crate::game::{self, Fact, GameId, Phase};

/// The instant of a game's timekeeper that goes with an input that comes now; `None`: a device times it and did not stamp this.
fn now_of(table: &Table, at: At) -> Option<Millis> {
    if table.game.device.is_none() { Some(at.hall) } else { None }
}

impl Batch<'_> {
    /// A fact or a ruling about a game, not from its device.
    pub(super) fn about(&mut self, game: GameId, input: game::Input, seen: Option<Version>) -> Result<(), Refusal> {
        let table = self.venue.table(game).ok_or_else(|| no_game(game))?;
        fresh(seen, table.version)?;
        let device = table.game.device.is_some();
        let timed = match &input {
            game::Input::Fact(Fact::Press { .. } | Fact::Pause { .. }) => true,
            // Where the clocks stand already nothing is measured.
            game::Input::Fact(Fact::Stop { .. }) => table.game.clock.running().is_some(),
            _ => false,
        };
        if matches!(input, game::Input::Fact(Fact::Press { lag: Some(_), .. })) && self.origin.role != Role::Player {
            let why = "only a player tells how long his press was on its way".to_string();
            return Err(Refusal::Unreadable { field: "press.lag_ms", why });
        }
        if device && timed {
            let why = "a clock device keeps this game's time, and only it reports presses, pauses and stops".to_string();
            return Err(Refusal::Unreadable { field: "fact", why });
        }
        let seat = self.venue.tournaments.get(&table.pairing.tournament).and_then(|t| t.rounds.get(&table.pairing.round));
        let current = seat.and_then(|boards| boards.get(&table.pairing.board)).and_then(|(_, current)| *current);
        if table.game.phase == Phase::Annulled && current != Some(game) && matches!(input, game::Input::Ruling(game::Ruling::Undo { .. })) {
            let why = format!("another game is played in its place, game {}", current.map_or(0, |current| current.0));
            return Err(Refusal::Unreadable { field: "game", why });
        }
        let comes = match &input {
            game::Input::Ruling(game::Ruling::ReplaceClock { device }) => *device,
            game::Input::Ruling(game::Ruling::ReplaceOwnClock { color, device }) if table.game.device_of(*color) != Some(*device) => {
                can_have_two(&table.game.regulations)?;
                Some(*device)
            }
            _ => None,
        };
        comes.map_or(Ok(()), |device| self.device_is_free(device))?;
        let stamped = !matches!(input, game::Input::Fact(Fact::Restart | Fact::Silence { .. } | Fact::Leap { .. }));
        let now = now_of(table, self.at).filter(|_| stamped);
        self.origin.stamp = now.map(DeviceStamp::of_the_daemon);
        let waits = match &input {
            game::Input::Ruling(ruling) if self.venue.lacks_second(table, ruling, &self.origin, self.at.wall) => Some(ruling.clone()),
            _ => None,
        };
        // What could not be ruled is refused to the first arbiter already.
        let entries = game::decide(&table.game, input, now, self.at.wall)?;
        match waits {
            Some(ruling) => self.put(Subject::Game(game), Payload::Admin(Admin::Proposed { ruling })),
            None => {
                self.game(game, entries);
                self.let_go(comes.as_slice());
            }
        }
        Ok(())
    }
}
