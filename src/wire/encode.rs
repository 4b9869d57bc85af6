//! Domain to protobuf. Total.

mod admin;
mod consequence;
mod fact;
mod ruling;

pub use admin::{admin, regulations, signed, tournament};
pub use consequence::order;

pub(super) use admin::pairing;
pub(super) use consequence::stop_reason;

use shakmaty::ByColor;

use super::v1::{self, device_entry, entry};
use crate::clock::{Clock, Reading};
use crate::game;
use crate::venue::{self, DeviceEntry, Introduction, Origin, Payload, Role, Subject};

/// An entry, without its chain.
pub fn entry(e: &venue::Entry) -> v1::Entry {
    v1::Entry {
        seq: e.seq.0,
        subject: match e.subject {
            Subject::Venue => None,
            Subject::Tournament(id) => Some(entry::Subject::Tournament(id.0)),
            Subject::Game(id) => Some(entry::Subject::Game(id.0)),
            Subject::Device(id) => Some(entry::Subject::Device(id.0)),
        },
        version: e.version.0,
        recorded_at_ms: e.recorded_at.0,
        origin: e.origin.as_ref().map(origin),
        cause: e.cause.map_or(0, |seq| seq.0),
        key: e.key.as_ref().map_or_else(String::new, |key| key.0.clone()),
        payload: Some(match &e.payload {
            Payload::Game(game::Entry::Fact(f)) => entry::Payload::Fact(fact::fact(f)),
            Payload::Game(game::Entry::Ruling(r)) => entry::Payload::Ruling(ruling::ruling(r)),
            Payload::Game(game::Entry::Consequence(c)) => entry::Payload::Consequence(consequence::consequence(c)),
            Payload::Admin(a) => entry::Payload::Admin(admin(a)),
            Payload::Device(d) => entry::Payload::DeviceEntry(device_entry(d)),
        }),
        chain: Vec::new(),
    }
}

fn origin(o: &Origin) -> v1::Origin {
    v1::Origin {
        role: match o.role {
            Role::Clock => v1::Role::Clock,
            Role::Arbiter => v1::Role::Arbiter,
            Role::Office => v1::Role::Office,
            Role::Daemon => v1::Role::Daemon,
            Role::Feed => v1::Role::Feed,
            Role::Player => v1::Role::Player,
        }
        .into(),
        name: o.name.clone(),
        device: o.stamp.map_or(0, |s| s.device.0),
        boot: o.stamp.map_or(0, |s| s.boot),
        report: o.stamp.map_or(0, |s| s.report),
        at_ms: o.stamp.map(|s| s.at.0),
        arrived_ms: o.stamp.and_then(|s| s.arrived).map(|came| came.at.0),
        uncertainty_ms: o.stamp.and_then(|s| s.arrived).map_or(0, |came| came.uncertainty.0),
        credential: o.credential.map_or(0, |id| id.0),
        hall_ms: o.stamp.and_then(|s| s.arrived?.hall).map(|hall| hall.0),
    }
}

pub(super) fn color(c: shakmaty::Color) -> i32 {
    c.fold_wb(v1::Color::White, v1::Color::Black).into()
}

pub(super) fn color_or_none(c: Option<shakmaty::Color>) -> i32 {
    c.map_or(v1::Color::Unspecified.into(), color)
}

/// Both times.
pub fn times(t: &Reading) -> v1::Times {
    v1::Times { white_ms: t.white.0, black_ms: t.black.0 }
}

pub(super) fn side(c: &Clock) -> v1::Side {
    v1::Side { left_ms: c.left.0, free_ms: c.free.0, period: c.period, counter: c.counter }
}

/// Both sides of a chessclock.
pub fn sides(s: &ByColor<Clock>) -> v1::Sides {
    v1::Sides { white: Some(side(&s.white)), black: Some(side(&s.black)) }
}

fn device_entry(d: &DeviceEntry) -> v1::DeviceEntry {
    use device_entry::Kind;
    let kind = match d {
        DeviceEntry::Introduced(i) => Kind::Introduced(introduction(i)),
        DeviceEntry::Battery { percent } => Kind::Battery(*percent),
        DeviceEntry::Restarted => Kind::Restarted(v1::Restart {}),
        DeviceEntry::Lost => Kind::Lost(v1::DeviceLost {}),
        DeviceEntry::Back => Kind::Back(v1::DeviceBack {}),
        DeviceEntry::Leapt { by } => Kind::LeaptMs(by.0),
        DeviceEntry::Drifts { ppm } => Kind::DriftsPpm(*ppm),
    };
    v1::DeviceEntry { kind: Some(kind) }
}

fn introduction(i: &Introduction) -> v1::Introduction {
    v1::Introduction {
        model: i.model.clone(),
        firmware: i.firmware.clone(),
        senses_board: i.senses_board,
        wrap_us: i.wrap.map_or(0, |w| w.0),
        time_scale: i.scale,
    }
}
