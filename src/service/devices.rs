//! Who is connected: a device's wake-up call, its timebase and whether it can be reached. None of it is recorded.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Notify, watch};

use crate::clock::{Adjustment, Drift, Estimate, Millis, Probe, Timebase};
use crate::game::{DeviceId, GameId};
use crate::venue::Venue;
use crate::wire::v1;

/// The devices that are or were connected since the daemon started.
#[derive(Debug, Clone)]
pub struct Devices {
    links: Arc<Mutex<BTreeMap<DeviceId, Link>>>,
    changed: watch::Sender<u64>,
}

#[derive(Debug)]
struct Link {
    wake: Arc<Notify>,
    /// The start of the device whose timeline that is.
    boot: u32,
    timebase: Timebase,
    /// Number of the connection that speaks for the device now; a later one takes its place.
    connection: u64,
    online: bool,
    /// The arbiters were told that its time drifts.
    drifts: bool,
    /// The game that its connection was told of.
    told: Option<GameId>,
}

impl Default for Devices {
    fn default() -> Devices {
        Devices { links: Arc::default(), changed: watch::Sender::new(0) }
    }
}

impl Devices {
    /// Opens a connection of a start of a device with its time scale: its number, and what wakes it. What was measured of that start's
    /// timeline stays, so that a time that leapt meanwhile is found.
    pub(crate) fn connect(&self, device: DeviceId, boot: u32, scale: u64) -> (u64, Arc<Notify>) {
        let opened = self.with(|links| {
            let link = links.entry(device).or_insert_with(|| Link {
                wake: Arc::default(),
                boot,
                timebase: Timebase::new(scale),
                connection: 0,
                online: false,
                drifts: false,
                told: None,
            });
            if link.boot != boot || !link.timebase.has_scale(scale) {
                (link.boot, link.timebase, link.drifts) = (boot, Timebase::new(scale), false);
            }
            link.connection += 1;
            link.online = true;
            // The connection whose place is taken finds out, even if it is busy just now.
            link.wake.notify_one();
            link.wake = Arc::default();
            (link.connection, link.wake.clone())
        });
        self.tell();
        opened
    }

    /// The start that has said hello last, since the daemon runs.
    pub(super) fn boot(&self, device: DeviceId) -> u32 {
        self.with(|links| links.get(&device).map_or(0, |link| link.boot))
    }

    /// Whether that connection still speaks for the device.
    pub(super) fn is_current(&self, device: DeviceId, connection: u64) -> bool {
        self.with(|links| links.get(&device).is_some_and(|link| link.connection == connection))
    }

    /// Closes a connection. Tells whether the device had it, and has none now.
    pub(crate) fn disconnect(&self, device: DeviceId, connection: u64) -> bool {
        let lost = self.with(|links| {
            let link = links.get_mut(&device).filter(|link| link.connection == connection && link.online);
            link.map(|link| link.online = false).is_some()
        });
        self.tell();
        lost
    }

    /// Takes a probe's answer in: by how much the device's time leapt, and its drift where that is too much, once a start.
    pub(crate) fn observe(&self, device: DeviceId, probe: Probe) -> (Option<Adjustment>, Option<Drift>) {
        self.with(|links| {
            let Some(link) = links.get_mut(&device) else { return (None, None) };
            let leap = link.timebase.observe(probe);
            let drift = link.timebase.drift().filter(|drift| drift.is_too_much() && !link.drifts);
            link.drifts |= drift.is_some();
            (leap, drift)
        })
    }

    /// Whether it is connected.
    pub(super) fn is_online(&self, device: DeviceId) -> bool {
        self.with(|links| links.get(&device).is_some_and(|link| link.online))
    }

    /// What that start's timeline shows when a report of it comes, give or take.
    pub(crate) fn came(&self, device: DeviceId, boot: u32, hall: Millis) -> Option<Estimate> {
        self.with(|links| links.get(&device).filter(|link| link.boot == boot)?.timebase.estimate(hall))
    }

    /// What the timeline of a device that is connected showed when it answered last: what it had to report before that has come.
    pub(crate) fn answered(&self, device: DeviceId) -> Option<Millis> {
        self.with(|links| links.get(&device).filter(|link| link.online)?.timebase.answered())
    }

    /// What the device's timeline shows now, give or take, as far as it was ever measured.
    pub(crate) fn estimate(&self, device: DeviceId, hall: Millis) -> Option<Estimate> {
        self.with(|links| links.get(&device)?.timebase.estimate(hall))
    }

    /// A span of the hall's time on the device's timeline.
    pub(crate) fn scaled(&self, device: DeviceId, span: Millis) -> Millis {
        self.with(|links| links.get(&device).map_or(span, |link| link.timebase.scaled(span)))
    }

    /// Wakes the connections of devices for which there is something.
    pub(super) fn wake(&self, devices: impl Iterator<Item = DeviceId>) {
        let mut devices = devices.peekable();
        if devices.peek().is_none() {
            return;
        }
        self.with(|links| {
            for device in devices {
                if let Some(link) = links.get(&device) {
                    link.wake.notify_one();
                }
            }
        });
    }

    /// Notes of which game a device was told.
    pub(super) fn tell_of(&self, device: DeviceId, game: Option<GameId>) {
        self.with(|links| {
            if let Some(link) = links.get_mut(&device) {
                link.told = game;
            }
        });
    }

    /// Wakes the connections that were told of these games.
    pub(super) fn wake_told(&self, games: impl Iterator<Item = GameId>) {
        let games: Vec<GameId> = games.collect();
        if !games.is_empty() {
            self.with(|links| {
                links.values().filter(|link| link.told.is_some_and(|game| games.contains(&game))).for_each(|link| link.wake.notify_one())
            });
        }
    }

    /// Turns whenever a device comes or goes.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// How every device of the venue is reached.
    pub(super) fn health(&self, venue: &Venue, now: Millis) -> Vec<v1::DeviceHealth> {
        self.with(|links| {
            let health = |(id, device): (&DeviceId, &crate::venue::Device)| {
                let link = links.get(id);
                v1::DeviceHealth {
                    device: id.0,
                    game: device.game.map_or(0, |game| game.0),
                    online: link.is_some_and(|link| link.online),
                    round_trip_ms: link.and_then(|link| link.timebase.round_trip()).map(|time| time.0),
                    uncertainty_ms: link.and_then(|link| link.timebase.estimate(now)).map(|estimate| estimate.uncertainty.0),
                    offset_ms: link.and_then(|link| link.timebase.estimate(now)).map(|estimate| now.to(estimate.at).0),
                    drift_ppm: link.and_then(|link| link.timebase.drift()).map(|drift| drift.ppm),
                    drift_uncertainty_ppm: link.and_then(|link| link.timebase.drift()).map_or(0, |drift| drift.uncertainty.unsigned_abs()),
                    battery: device.battery,
                    time_scale: device.introduction.as_ref().map_or(0, |introduction| introduction.scale),
                }
            };
            venue.devices().iter().map(health).collect()
        })
    }

    fn with<T>(&self, act: impl FnOnce(&mut BTreeMap<DeviceId, Link>) -> T) -> T {
        // Nothing in here can leave the map half changed.
        act(&mut self.links.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn tell(&self) {
        self.changed.send_modify(|n| *n += 1);
    }
}
