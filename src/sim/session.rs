//! A device's connection as the daemon sees it: what it was told, and the probes that are out.

use std::collections::BTreeMap;

use prost::Message;

use super::Bug;
use super::env::{Env, Event};
use crate::clock::{Adjustment, Millis, Probe, Wrap};
use crate::game::{DeviceId, GameId, OrderNo};
use crate::service::{self, Devices};
use crate::venue::Venue;
use crate::wire::v1::{self, clock_order::Kind as Say};

/// Probes kept while their answers are out.
const PROBES_OPEN: usize = 8;

/// An open stream to a device.
#[derive(Debug)]
pub(super) struct Session {
    index: usize,
    pub(super) line: u64,
    pub(super) acked: (u32, u32),
    /// The start of the device of which a report had been taken when it was told of its game.
    known_boot: u32,
    told: Option<(GameId, OrderNo)>,
    text: String,
    wrap: Option<Wrap>,
    read: Millis,
    probes: BTreeMap<u32, Millis>,
    last_probe: u32,
    /// A message was lost, and with it the stream.
    lost: bool,
}

impl Session {
    /// A device has said hello.
    pub(super) fn open(index: usize, line: u64, hello: &v1::Hello, venue: &Venue) -> Session {
        let device = DeviceId(index as u64 + 1);
        let known = venue.devices().get(&device);
        let last = known.map_or(0, |known| known.last_of(hello.boot));
        let wrap = known.and_then(|known| known.introduction.as_ref()).and_then(|introduction| introduction.wrap);
        Session {
            index,
            line,
            acked: (hello.boot, last),
            known_boot: 0,
            told: None,
            text: String::new(),
            wrap,
            read: Millis::ZERO,
            probes: BTreeMap::new(),
            last_probe: 0,
            lost: false,
        }
    }

    fn id(&self) -> DeviceId {
        DeviceId(self.index as u64 + 1)
    }

    /// The game that the device was told of.
    pub(super) fn told_of(&self) -> Option<GameId> {
        self.told.map(|(game, _)| game)
    }

    fn say(&mut self, kind: Say, env: &mut Env) {
        if self.lost {
            return;
        }
        let bytes = v1::ClockOrder { acked_boot: self.acked.0, acked_report: self.acked.1, kind: Some(kind) }.encode_to_vec();
        let order = Event::Order { device: self.index, line: self.line, bytes };
        self.lost = !env.stream(self.index, self.line, order);
    }

    /// Sends the assignment if it is new, and the orders that were not sent yet.
    pub(super) fn tell(&mut self, first: bool, venue: &Venue, bug: Option<Bug>, env: &mut Env) {
        let service::Standing { boot, assignment, orders, text } = service::standing(venue, self.id());
        let game = assignment.as_ref().map(|a| GameId(a.game));
        let restarted = self.known_boot > 0 && boot != self.known_boot;
        let other = first || game != self.told_of();
        if other || restarted {
            self.known_boot = boot;
            let last = self.told.filter(|_| !other).map_or(OrderNo(0), |(_, last)| last);
            self.told = game.map(|game| (game, last));
            if let Some((_, last)) = self.told.as_mut().filter(|_| first && bug == Some(Bug::OrderForgotten)) {
                *last = orders.last().map_or(OrderNo(0), |order| OrderNo(order.order));
            }
            self.say(Say::Assignment(assignment.unwrap_or_default()), env);
        }
        for order in orders {
            if let Some((_, last)) = &mut self.told
                && OrderNo(order.order) > *last
            {
                *last = OrderNo(order.order);
                self.say(Say::Order(order), env);
            }
        }
        if text != self.text {
            self.text.clone_from(&text);
            self.say(Say::Text(text), env);
        }
    }

    /// Asks for the device's time.
    pub(super) fn probe(&mut self, hall: Millis, env: &mut Env) {
        self.last_probe += 1;
        if self.probes.len() >= PROBES_OPEN {
            self.probes.pop_first();
        }
        self.probes.insert(self.last_probe, hall);
        self.say(Say::Probe(v1::Probe { probe: self.last_probe }), env);
    }

    /// The answer to that: by how much the device's time leapt.
    pub(super) fn probed(&mut self, answer: &v1::ProbeAnswer, received: Millis, venue: &Venue, devices: &Devices) -> Option<Adjustment> {
        let sent = self.probes.remove(&answer.probe)?;
        let mut at = Millis(answer.at_ms);
        if let Some(wrap) = self.wrap {
            let stamped = venue.devices().get(&self.id()).filter(|known| known.boot == self.acked.0).map_or(Millis::ZERO, |known| known.last_stamp);
            let last = self.read.max(stamped);
            at = wrap.read(at, last);
            self.read = last.max(at);
        }
        devices.observe(self.id(), Probe { sent, device: at, received }).0
    }
}
