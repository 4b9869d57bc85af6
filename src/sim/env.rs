//! What every actor of a simulated day shares: virtual time, what is due when, chance, and the trace of what happened.

use std::collections::{BTreeMap, VecDeque};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Counts;
use super::weather::Weather;
use crate::venue::Command;

/// Lines of the trace that are kept for a failure.
const TRACE: usize = 40;
/// Milliseconds of an hour.
pub(super) const HOUR: u64 = 3_600_000;

/// Something that is due.
#[derive(Debug, Clone)]
pub(super) enum Event {
    /// A message has come over the network to the daemon.
    ToDaemon(Post),
    /// An answer to one report has come to a device.
    Answer { device: usize, attempt: u64, bytes: Vec<u8> },
    /// A message of a device's stream has come to it.
    Order { device: usize, line: u64, bytes: Vec<u8> },
    /// A device or reader finds that its connection is gone.
    LineLost { device: usize, line: u64 },
    /// A device looks whether something is to be sent again, or a connection to be opened.
    Look { device: usize },
    /// A device's own clock reaches zero, unless something has happened since.
    Falls { device: usize, epoch: u64 },
    /// A player acts, unless something has happened since.
    Act { board: usize, epoch: u64 },
    /// Something befalls a device.
    Strike { device: usize },
    /// The daemon takes what waits.
    Works,
    /// The daemon is started.
    Starts,
    /// The daemon looks what is due.
    Due,
    /// The daemon's process is killed.
    Kill,
    /// The disk has room again.
    Room,
    /// The arbiters look around.
    Rounds,
    /// An answer has come to the arbiters or the office.
    Outcome { key: String, bytes: Vec<u8> },
    /// A reader asks for what is new.
    Reads { reader: usize },
    /// A page has come to a reader.
    Page { reader: usize, line: u64, from: u64, to: u64, entries: Vec<Vec<u8>> },
}

/// A message to the daemon, as bytes.
#[derive(Debug, Clone)]
pub(super) enum Post {
    /// From a device: which, on which of its connections, which sending of it.
    Device { device: usize, line: u64, attempt: u64, sent: u64, bytes: Vec<u8> },
    /// From the arbiters' console.
    Console { bytes: Vec<u8> },
    /// From the office.
    Office { command: Box<Command> },
}

/// Chance, drawn from a seed.
#[derive(Debug)]
pub(super) struct Chance(ChaCha8Rng);

impl Chance {
    pub(super) fn new(seed: u64) -> Chance {
        Chance(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Whether something of that probability happens.
    pub(super) fn happens(&mut self, p: f64) -> bool {
        p > 0.0 && self.0.random_bool(p.min(1.0))
    }

    /// A whole number from `least` to before `most`.
    pub(super) fn between(&mut self, least: u64, most: u64) -> u64 {
        if most <= least { least } else { self.0.random_range(least..most) }
    }

    /// A share of one.
    pub(super) fn share(&mut self) -> f64 {
        self.0.random_range(0.0..1.0)
    }

    /// How long until the next of so many an hour.
    pub(super) fn next_of(&mut self, an_hour: f64) -> u64 {
        let wait = -(1.0 - self.share()).ln() * HOUR as f64 / an_hour.max(1e-9);
        (wait as u64).clamp(1, 1_000 * HOUR)
    }

    /// One of some.
    pub(super) fn one_of<'a, T>(&mut self, some: &'a [T]) -> &'a T {
        &some[self.between(0, some.len() as u64) as usize]
    }
}

/// Virtual time and everything that depends on it.
#[derive(Debug)]
pub(super) struct Env {
    /// The hall's time, in milliseconds since the day began.
    pub(super) now: u64,
    /// When players and arbiters go home; what is on its way then still arrives.
    pub(super) closes: u64,
    pub(super) chance: Chance,
    pub(super) weather: Weather,
    pub(super) counts: Counts,
    due: BTreeMap<(u64, u64), Event>,
    /// Breaks ties of events that are due at one instant, in the order in which they were made.
    made: u64,
    trace: VecDeque<(u64, String)>,
    /// Up to when each device is cut off.
    pub(super) cut: Vec<u64>,
    /// When the last message of each device's stream arrives: those after it come later.
    streams: Vec<u64>,
    /// The same of the last message from and to each device besides its stream.
    last: Vec<(u64, u64)>,
    works: bool,
    /// When something was last recorded.
    pub(super) committed: u64,
}

impl Env {
    pub(super) fn new(chance: Chance, weather: Weather, closes: u64, devices: usize) -> Env {
        Env {
            now: 0,
            closes,
            chance,
            weather,
            counts: Counts::default(),
            due: BTreeMap::new(),
            made: 0,
            trace: VecDeque::new(),
            cut: vec![0; devices + 1],
            streams: vec![0; devices],
            last: vec![(0, 0); devices + 1],
            works: false,
            committed: 0,
        }
    }

    /// Something will happen after a while.
    pub(super) fn after(&mut self, wait: u64, event: Event) {
        self.made += 1;
        self.due.insert((self.now + wait, self.made), event);
    }

    /// The next thing that is due before `until`; time goes on to it.
    pub(super) fn next(&mut self, until: u64) -> Option<Event> {
        let first = self.due.first_entry().filter(|first| first.key().0 <= until)?;
        let ((at, _), event) = first.remove_entry();
        self.now = at;
        if matches!(event, Event::Works) {
            self.works = false;
        }
        self.counts.steps += 1;
        Some(event)
    }

    /// The daemon will look at its inbox.
    pub(super) fn wake_daemon(&mut self) {
        if !std::mem::replace(&mut self.works, true) {
            let wait = self.chance.between(0, 4);
            self.after(wait, Event::Works);
        }
    }

    /// Whether the hall is open: people act, and things go wrong.
    pub(super) fn is_open(&self) -> bool {
        self.now < self.closes
    }

    /// Notes what happened, for a failure.
    pub(super) fn note(&mut self, what: impl FnOnce() -> String) {
        if self.trace.len() == TRACE {
            self.trace.pop_front();
        }
        self.trace.push_back((self.now, what()));
    }

    /// What happened last.
    pub(super) fn trace(&self) -> Vec<String> {
        self.trace.iter().map(|(at, what)| format!("{:>12}  {what}", crate::clock::Millis(*at).to_string())).collect()
    }

    /// Whether a device is cut off.
    pub(super) fn is_cut(&self, device: usize) -> bool {
        self.now < self.cut[device]
    }

    /// The line of the arbiters' console and of the office, which is no device's.
    pub(super) fn console(&self) -> usize {
        self.cut.len() - 1
    }

    /// A message on its way from or to a device, besides its stream: it may be lost, come twice, and overtake others.
    pub(super) fn carry(&mut self, device: usize, event: &Event) {
        if self.is_cut(device) || (self.is_open() && self.chance.happens(self.weather.loss)) {
            self.counts.lost += 1;
            return;
        }
        self.arrive(device, event.clone());
        if self.is_open() && self.chance.happens(self.weather.doubling) {
            self.counts.doubled += 1;
            self.arrive(device, event.clone());
        }
    }

    /// In order, or out of it.
    fn arrive(&mut self, device: usize, event: Event) {
        let mut wait = self.delay();
        if self.is_open() && self.chance.happens(self.weather.overtaking) {
            self.counts.overtaken += 1;
        } else {
            let last = &mut self.last[device];
            let last = if matches!(event, Event::ToDaemon(_)) { &mut last.0 } else { &mut last.1 };
            *last = (self.now + wait).max(*last + 1);
            wait = *last - self.now;
        }
        self.after(wait, event);
    }

    /// A message of a device's stream: in order, or the connection is gone. Says whether it is on its way.
    pub(super) fn stream(&mut self, device: usize, line: u64, event: Event) -> bool {
        if self.is_cut(device) || (self.is_open() && self.chance.happens(self.weather.loss / 4.0)) {
            self.counts.lines_lost += 1;
            let notices = self.chance.between(2_000, 15_000);
            self.after(notices, Event::LineLost { device, line });
            return false;
        }
        let at = (self.now + self.delay()).max(self.streams[device] + 1);
        self.streams[device] = at;
        self.after(at - self.now, event);
        true
    }

    /// How long a message takes.
    pub(super) fn delay(&mut self) -> u64 {
        let usual = self.chance.between(1, 2 + self.weather.delay);
        if self.is_open() && self.chance.happens(self.weather.slow) { usual + self.chance.between(100, 8_000) } else { usual }
    }
}
