//! What happens because time passes: flags of games that the daemon times, and devices that keep silent about one.
//!
//! A small task that sends ordinary inputs, so that the writer has one way in.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{Devices, Hall};
use crate::clock::{Adjustment, Millis};
use crate::game::{Fact, Game, GameId, Input as About};
use crate::venue::{At, Command, Input, Origin, Venue};

/// How often the daemon looks.
const EVERY: Duration = Duration::from_millis(100);
/// How long past the estimated fall, uncertainty included, a device may keep silent.
const PATIENCE: Millis = Millis::seconds(2);

/// Runs until the daemon stops.
pub async fn timers(hall: Hall) {
    let mut told: BTreeMap<GameId, Millis> = BTreeMap::new();
    let mut watched = Watched::at(&hall);
    loop {
        tokio::select! {
            biased;
            () = hall.closed() => return,
            () = tokio::time::sleep(EVERY) => {}
        }
        for text in watched.again(&hall) {
            if hall.submit(Command { origin: Origin::daemon(), key: None, seen: None, input: Input::Alarm { text } }).await.is_err() {
                return;
            }
        }
        let asked = hall.clone();
        let Ok(due) = hall.ask(move |venue| due(&asked.devices, venue, asked.clock.now(), asked.clock.since_start())).await else { return };
        for (game, since, fact) in due {
            if matches!(fact, Fact::Silence { .. }) && told.insert(game, since) == Some(since) {
                continue;
            }
            let input = Input::Game { game, input: About::Fact(fact) };
            let command = Command { origin: Origin::daemon(), key: None, seen: None, input };
            if hall.submit(command).await.is_err() {
                return;
            }
        }
    }
}

/// The machine's own time, as it was last looked at: whether it slept, and whether somebody set its time of day.
struct Watched {
    /// How long it has slept.
    slept: Millis,
    /// How far its time of day is ahead of the time since it was switched on.
    ahead: Adjustment,
}

/// What is told of the machine's own time: less is how clocks are.
const TOLD_FROM: Millis = Millis::seconds(1);

impl Watched {
    fn at(hall: &Hall) -> Watched {
        Watched { slept: hall.clock.slept(), ahead: hall.clock.time_of_day_is_ahead() }
    }

    /// What the arbiters have to know since the last look.
    fn again(&mut self, hall: &Hall) -> Vec<String> {
        let now = Watched::at(hall);
        let mut alarms = Vec::new();
        let slept = now.slept.less(self.slept);
        if slept > TOLD_FROM {
            self.slept = now.slept;
            alarms.push(format!("this machine was suspended for {slept}: games that the daemon times have not been charged for it"));
        }
        let stepped = now.ahead.0.abs_diff(self.ahead.0);
        if Millis(stepped) > TOLD_FROM {
            let by = Adjustment(now.ahead.0.saturating_sub(self.ahead.0));
            self.ahead = now.ahead;
            alarms.push(format!("this machine's time of day was set by {by}: the record goes on by its own until the daemon is started again"));
        }
        alarms
    }
}

/// Games whose running clock is used up by now, with when it was started. `awake`: the time that devices are measured by.
pub(crate) fn due(devices: &Devices, venue: &Venue, at: At, awake: Millis) -> Vec<(GameId, Millis, Fact)> {
    let (now, wall) = (at.hall, at.wall);
    // By the arbiter's watch, which the daemon's is: the end of a session, and who is too late for a resumption.
    let over = venue.running().filter(|game| game.session_is_over(wall)).map(|game| (game.id, now, Fact::SessionOver));
    let missing = venue.awaited().filter_map(|game| {
        let (color, until) = game.resumption_awaited()?;
        (wall > until).then_some((game.id, now, Fact::Late { color }))
    });
    let late = venue.running().filter_map(|game| overdue(devices, game, now));
    venue
        .running()
        .filter_map(|game| {
            let (running, zero) = (game.clock.running()?, game.clock.falls_at()?);
            let (color, since) = (running.color, running.since);
            if game.down.get(color).is_some() {
                return None;
            }
            match game.device_of(color) {
                // A press from afar may be on its way.
                None => (now >= zero.plus(game.regulations.compensation.unwrap_or(Millis::ZERO))).then_some((game.id, since, Fact::Flag { color })),
                Some(device) => {
                    let estimate = devices.estimate(device, awake)?;
                    let late = estimate.at.less(estimate.uncertainty) > zero.plus(devices.scaled(device, PATIENCE));
                    late.then_some((game.id, since, Fact::Silence { color }))
                }
            }
        })
        .chain(late)
        .chain(over)
        .chain(missing)
        .collect()
}

/// A player who has not come within the default time, by the clock that keeps the game's time. A device has to have said since that it was
/// so late: a press that was in time may be on its way, or wait for a network that fails.
fn overdue(devices: &Devices, game: &Game, now: Millis) -> Option<(GameId, Millis, Fact)> {
    let (started, (color, until)) = game.started.zip(game.awaited())?;
    let now = match game.device_of(game.starter()) {
        None => now,
        Some(device) => devices.answered(device)?.less(devices.scaled(device, PATIENCE)),
    };
    (now > until).then_some((game.id, started, Fact::Late { color }))
}
