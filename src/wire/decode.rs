//! Protobuf to domain, checked at the edge: an error names the field.

mod admin;
mod consequence;
mod fact;
mod ruling;

pub use admin::{date, pairing, signed};
pub use fact::fact;
pub use ruling::ruling;

use shakmaty::{ByColor, Color, Square, uci::UciMove};

use super::Error;
use super::v1::{self, device_entry, entry};
use crate::board::MoveText;
use crate::clock::{Adjustment, Clock, Estimate, Millis, Reading, Wrap};
use crate::game::{self, DeviceId, GameId, Seq};
use crate::venue::{
    self, CredentialId, DeviceEntry, DeviceStamp, Introduction, Key, Origin, Payload, Role, Subject, TournamentId, Version, WallTime,
};

/// Largest time that a message may carry: what a signed 64-bit difference can hold.
const MAX_MILLIS: u64 = i64::MAX as u64;

/// An entry as it stands in the log.
///
/// # Errors
/// Where it is none of ours.
pub fn entry(e: v1::Entry) -> Result<venue::Entry, Error> {
    let subject = match e.subject {
        None => Subject::Venue,
        Some(entry::Subject::Tournament(id)) => Subject::Tournament(TournamentId(id)),
        Some(entry::Subject::Game(id)) => Subject::Game(GameId(id)),
        Some(entry::Subject::Device(id)) => Subject::Device(DeviceId(id)),
    };
    let payload = match e.payload.ok_or_else(|| Error::missing("payload"))? {
        entry::Payload::Fact(f) => Payload::Game(game::Entry::Fact(fact(f)?)),
        entry::Payload::Ruling(r) => Payload::Game(game::Entry::Ruling(ruling(r)?)),
        entry::Payload::Consequence(c) => Payload::Game(game::Entry::Consequence(consequence::consequence(c)?)),
        entry::Payload::Admin(a) => Payload::Admin(admin::admin(a)?),
        entry::Payload::DeviceEntry(d) => Payload::Device(device_entry(d)?),
    };
    Ok(venue::Entry {
        seq: Seq(e.seq),
        subject,
        version: Version(e.version),
        recorded_at: WallTime(e.recorded_at_ms),
        origin: e.origin.map(origin).transpose()?,
        cause: (e.cause > 0).then_some(Seq(e.cause)),
        key: (!e.key.is_empty()).then_some(Key(e.key)),
        payload,
    })
}

fn origin(o: v1::Origin) -> Result<Origin, Error> {
    let role = match o.role() {
        v1::Role::Clock => Role::Clock,
        v1::Role::Arbiter => Role::Arbiter,
        v1::Role::Office => Role::Office,
        v1::Role::Daemon => Role::Daemon,
        v1::Role::Feed => Role::Feed,
        v1::Role::Player => Role::Player,
        v1::Role::Unspecified => return Err(Error::missing("origin.role")),
    };
    let stamp = match o.at_ms {
        Some(at) => {
            let estimate = |at| -> Result<Estimate, Error> {
                let hall = o.hall_ms.map(|hall| millis("origin.hall_ms", hall)).transpose()?;
                Ok(Estimate { at: millis("origin.arrived_ms", at)?, uncertainty: millis("origin.uncertainty_ms", o.uncertainty_ms)?, hall })
            };
            let (at, arrived) = (millis("origin.at_ms", at)?, o.arrived_ms.map(estimate).transpose()?);
            Some(DeviceStamp { device: DeviceId(o.device), boot: o.boot, report: o.report, at, arrived })
        }
        None => None,
    };
    let credential = (o.credential > 0).then_some(CredentialId(o.credential));
    Ok(Origin { role, name: o.name, stamp, credential })
}

pub(super) fn millis(field: &'static str, ms: u64) -> Result<Millis, Error> {
    if ms > MAX_MILLIS { Err(Error::new(field, format!("{ms} ms is no time"))) } else { Ok(Millis(ms)) }
}

/// A signed span, no longer than a time may be.
pub(super) fn adjustment(field: &'static str, ms: i64) -> Result<Adjustment, Error> {
    millis(field, ms.unsigned_abs()).map(|_| Adjustment(ms))
}

pub(super) fn color(field: &'static str, c: i32) -> Result<Color, Error> {
    color_or_none(field, c)?.ok_or_else(|| Error::new(field, "COLOR_WHITE or COLOR_BLACK"))
}

/// A side, or none.
///
/// # Errors
/// Where it is neither.
pub fn color_or_none(field: &'static str, c: i32) -> Result<Option<Color>, Error> {
    match v1::Color::try_from(c) {
        Ok(v1::Color::White) => Ok(Some(Color::White)),
        Ok(v1::Color::Black) => Ok(Some(Color::Black)),
        Ok(v1::Color::Unspecified) => Ok(None),
        Err(_) => Err(Error::new(field, format!("{c} is no colour"))),
    }
}

/// Both times.
///
/// # Errors
/// Where one is no time.
pub fn times(t: v1::Times) -> Result<Reading, Error> {
    Ok(ByColor { white: millis("white_ms", t.white_ms)?, black: millis("black_ms", t.black_ms)? })
}

/// Highest counter, period and number of moves that an entry may carry: far more than a game has moves.
const MAX_COUNT: u32 = 1_000_000;

pub(super) fn count(field: &'static str, n: u32) -> Result<u32, Error> {
    if n > MAX_COUNT { Err(Error::new(field, format!("more than {MAX_COUNT}"))) } else { Ok(n) }
}

pub(super) fn side(s: Option<v1::Side>) -> Result<Clock, Error> {
    let s = s.ok_or_else(|| Error::missing("side"))?;
    if s.counter > MAX_COUNT || s.period > MAX_COUNT {
        return Err(Error::new("counter", format!("more than {MAX_COUNT}")));
    }
    Ok(Clock { left: millis("left_ms", s.left_ms)?, free: millis("free_ms", s.free_ms)?, period: s.period, counter: s.counter })
}

fn sides(s: Option<v1::Sides>) -> Result<ByColor<Clock>, Error> {
    let s = s.ok_or_else(|| Error::missing("sides"))?;
    Ok(ByColor { white: side(s.white)?, black: side(s.black)? })
}

/// A text within its limit.
///
/// # Errors
/// Where it is longer.
pub fn text(field: &'static str, text: String, most: usize) -> Result<String, Error> {
    if text.len() > most { Err(Error::new(field, format!("longer than {most} bytes"))) } else { Ok(text) }
}

pub(super) fn move_text(field: &'static str, text: &str) -> Result<MoveText, Error> {
    // Every move of a log passes here, and nearly all are plain UCI.
    match UciMove::from_ascii(text.as_bytes()) {
        Ok(uci @ UciMove::Normal { .. }) => Ok(MoveText::Uci(uci)),
        _ => text.parse().map_err(|e: crate::board::ParseMoveError| Error::new(field, e.to_string())),
    }
}

/// A move by its squares.
pub(super) fn uci(field: &'static str, text: &str) -> Result<UciMove, Error> {
    match UciMove::from_ascii(text.as_bytes()) {
        Ok(uci @ UciMove::Normal { .. }) => Ok(uci),
        _ => Err(Error::new(field, format!("'{}' is no move by its squares, as in e2e4", short(text)))),
    }
}

fn square(field: &'static str, text: &str) -> Result<Square, Error> {
    text.parse().map_err(|_| Error::new(field, "a square is named as in e4"))
}

/// As much of a text as an error repeats.
pub(super) fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

fn device_entry(d: v1::DeviceEntry) -> Result<DeviceEntry, Error> {
    use device_entry::Kind;
    Ok(match d.kind.ok_or_else(|| Error::missing("device_entry"))? {
        Kind::Introduced(i) => DeviceEntry::Introduced(i.into()),
        Kind::Battery(percent) => DeviceEntry::Battery { percent },
        Kind::Restarted(_) => DeviceEntry::Restarted,
        Kind::Lost(_) => DeviceEntry::Lost,
        Kind::Back(_) => DeviceEntry::Back,
        Kind::LeaptMs(by) => DeviceEntry::Leapt { by: adjustment("leapt_ms", by)? },
        Kind::DriftsPpm(ppm) => DeviceEntry::Drifts { ppm },
    })
}

impl From<v1::Introduction> for Introduction {
    fn from(i: v1::Introduction) -> Introduction {
        Introduction {
            model: i.model,
            firmware: i.firmware,
            senses_board: i.senses_board,
            wrap: (i.wrap_us > 0).then_some(Wrap(i.wrap_us)),
            scale: if i.time_scale == 0 { 1_000 } else { i.time_scale },
        }
    }
}
