//! Tournaments, regulations, pairings and games from protobuf.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::civil::Date;
use shakmaty::ByColor;

use super::super::adjournment::public_key;
use super::super::credentials::{grant, secret_hash};
use super::super::v1;
use super::{Error, color_or_none, millis, short, text, times};
use crate::board::Start;
use crate::clock::{CountFrom, MAX_TIME, PeriodAdded, TimeControl};
use crate::game::{BoardSeen, ClaimsBy, DeviceId, FlagsBy, GameId, MAX_COMPENSATION, OpenPoint, Regulations};
use crate::laws::{Edition, Play, Supervision};
use crate::signature::{Signature, SignedHead, VerifyingKey};
use crate::venue::{self, Admin, CredentialId, Pairing, Player, TournamentId, WallTime};

fn regulations(r: v1::Regulations) -> Result<Regulations, Error> {
    let control: TimeControl = r.control.parse().map_err(|e: crate::clock::ParseControlError| Error::new("regulations.control", e.to_string()))?;
    let defaults = Regulations::of(control);
    let edition = match r.edition {
        0 => defaults.edition,
        year => Edition::of_year(year).ok_or_else(|| Error::new("regulations.edition", format!("there is no edition of {year}")))?,
    };
    let otherwise = r.otherwise.iter().map(|text| text.parse().map_err(|why: String| Error::new("regulations.otherwise", why)));
    let otherwise: BTreeSet<OpenPoint> = otherwise.collect::<Result<_, _>>()?;
    let play = match v1::Play::try_from(r.play) {
        Ok(v1::Play::Unspecified) => Play::of(&defaults.control, edition, otherwise.contains(&OpenPoint::UnequalTimes)),
        Ok(v1::Play::Standard) => Play::Standard,
        Ok(v1::Play::Rapid) => Play::Rapid,
        Ok(v1::Play::Blitz) => Play::Blitz,
        Err(_) => return Err(Error::new("regulations.play", format!("{} is no kind of play", r.play))),
    };
    let flags = match v1::FlagsBy::try_from(r.flags) {
        Ok(v1::FlagsBy::Unspecified) => None,
        Ok(v1::FlagsBy::Auto) => Some(FlagsBy::Auto),
        Ok(v1::FlagsBy::Arbiter) => Some(FlagsBy::Arbiter),
        Ok(v1::FlagsBy::Players) => Some(FlagsBy::Players),
        Err(_) => return Err(Error::new("regulations.flags", format!("{} is nobody who notices flags", r.flags))),
    };
    let compensation = r.compensation_ms.map(|ms| millis("regulations.compensation_ms", ms)).transpose()?;
    if compensation.is_some_and(|time| time > MAX_COMPENSATION) {
        return Err(Error::new("regulations.compensation_ms", format!("more than {MAX_COMPENSATION}")));
    }
    let default_time = r.default_time_ms.map(|ms| millis("regulations.default_time_ms", ms)).transpose()?;
    if default_time.is_some_and(|time| time > MAX_TIME) {
        return Err(Error::new("regulations.default_time_ms", format!("more than {MAX_TIME}")));
    }
    Ok(Regulations {
        edition,
        play,
        supervision: if r.full_supervision { Supervision::Full } else { Supervision::Limited },
        control: defaults.control,
        count_from: if r.count_from_after { CountFrom::After } else { CountFrom::Before },
        period_added: if r.period_at_zero { PeriodAdded::AtZero } else { PeriodAdded::Counted },
        board: if r.board_unseen { BoardSeen::Unseen } else { BoardSeen::Seen },
        default_time,
        compensation,
        flags,
        claims: if r.claims_by_arbiter { ClaimsBy::Arbiter } else { ClaimsBy::Auto },
        quickplay: r.quickplay,
        otherwise,
    })
}

impl TryFrom<v1::Regulations> for Regulations {
    type Error = Error;

    fn try_from(r: v1::Regulations) -> Result<Regulations, Error> {
        regulations(r)
    }
}

fn start(s: Option<v1::StartPosition>) -> Result<Arc<Start>, Error> {
    let wrong = |e: crate::board::StartError| Error::new("start", e.to_string());
    let Some(s) = s else { return Ok(Arc::new(Start::standard())) };
    let numbered = |number| Start::chess960(number).map_err(wrong);
    Ok(Arc::new(match (s.chess960, s.seed) {
        (None, None) => Start::fen(&s.fen).map_err(wrong)?,
        (None, Some(_)) if !s.fen.is_empty() => return Err(Error::new("start.seed", "draws an array, and goes with no position")),
        (Some(number), None) => numbered(number)?,
        (number, Some(seed)) => {
            let drawn = Start::drawn(seed);
            if let Some(number) = number.filter(|number| drawn.number != Some(*number)) {
                numbered(number)?;
                let why = format!("{seed} draws array {}, not {number}", drawn.number.unwrap_or_default());
                return Err(Error::new("start.seed", why));
            }
            drawn
        }
    }))
}

/// A day, as in 2026-05-02; empty: none.
///
/// # Errors
/// Where the text is no day.
pub fn date(field: &'static str, text: &str) -> Result<Option<Date>, Error> {
    if text.is_empty() {
        return Ok(None);
    }
    // Only this one spelling: jiff reads more.
    let date = Date::strptime("%Y-%m-%d", text).ok().filter(|date| date.to_string() == text);
    date.map(Some).ok_or_else(|| Error::new(field, format!("'{}' is no day: write it as in 2026-05-02", short(text))))
}

/// A pairing.
///
/// # Errors
/// Names the field that is wrong.
pub fn pairing(p: v1::Pairing) -> Result<Pairing, Error> {
    let player = |field, p: Option<v1::Player>| {
        let p = p.ok_or_else(|| Error::missing(field))?;
        Ok::<_, Error>(Player { name: text(field, p.name, venue::MAX_NAME)?, fide_id: p.fide_id })
    };
    Ok(Pairing {
        tournament: TournamentId(p.tournament),
        round: p.round,
        board: p.board,
        players: ByColor { white: player("white", p.white)?, black: player("black", p.black)? },
        start: start(p.start)?,
        regulations: p.regulations.map(regulations).transpose()?.map(Arc::new),
    })
}

pub(super) fn admin(a: v1::Admin) -> Result<Admin, Error> {
    use v1::admin::Kind;
    let needed = |r: Option<v1::Regulations>| regulations(r.ok_or_else(|| Error::missing("regulations"))?).map(Arc::new);
    Ok(match a.kind.ok_or_else(|| Error::missing("admin"))? {
        Kind::Started(build) => Admin::Started { build },
        Kind::TournamentCreated(t) => Admin::TournamentCreated {
            tournament: TournamentId(t.tournament),
            name: t.name,
            regulations: needed(t.regulations)?,
            starts_on: date("starts_on", &t.starts_on)?,
        },
        Kind::RoundOpened(r) => Admin::RoundOpened { tournament: TournamentId(r.tournament), round: r.round },
        Kind::Paired(p) => Admin::Paired { pairing: pairing(p)? },
        Kind::GameOpened(g) => Admin::GameOpened {
            game: GameId(g.game),
            tournament: TournamentId(g.tournament),
            round: g.round,
            board: g.board,
            regulations: needed(g.regulations)?,
            start: start(g.start)?,
            device: (g.device > 0).then_some(DeviceId(g.device)),
            absent: ByColor { white: g.absent_white, black: g.absent_black },
            clocks: g.clocks.map(times).transpose()?,
            replaces: (g.replaces > 0).then_some(GameId(g.replaces)),
            black_device: (g.black_device > 0).then_some(DeviceId(g.black_device)),
        },
        Kind::DeviceAssigned(d) => Admin::DeviceAssigned {
            device: DeviceId(d.device),
            game: (d.game > 0).then_some(GameId(d.game)),
            side: color_or_none("device_assigned.side", d.side)?,
        },
        Kind::Alarm(text) => Admin::Alarm { text },
        Kind::EnvelopeKey(key) => Admin::EnvelopeKey { key: public_key(&key)? },
        Kind::Invited(i) => Admin::Invited {
            credential: CredentialId(i.credential),
            grant: grant(i.grant.ok_or_else(|| Error::missing("grant"))?)?,
            name: i.name,
            code: secret_hash("code", &i.code)?,
            until: WallTime(i.until_ms),
            expires: i.expires_ms.map(WallTime),
        },
        Kind::Enrolled(e) => Admin::Enrolled { credential: CredentialId(e.credential), secret: secret_hash("secret", &e.secret)? },
        Kind::Revoked(r) => Admin::Revoked { credential: CredentialId(r.credential), reason: r.reason },
        Kind::SecondNeeded(s) => Admin::SecondNeeded { rulings: s.rulings.into_iter().collect() },
        Kind::Proposed(r) => Admin::Proposed { ruling: super::ruling(r)? },
        Kind::Signed(s) => Admin::Signed { head: signed(s)? },
    })
}

/// A signed head.
///
/// # Errors
/// Where a part has another length. Whether the signature holds is not looked at.
pub fn signed(s: v1::Signed) -> Result<SignedHead, Error> {
    let bytes = |field, bytes: Vec<u8>| <[u8; 32]>::try_from(bytes).map_err(|_| Error::new(field, "32 bytes"));
    let signature = s.signature.try_into().map_err(|_| Error::new("signed.signature", "64 bytes"))?;
    let (head, key) = (bytes("signed.head", s.head)?, VerifyingKey(bytes("signed.key", s.key)?));
    Ok(SignedHead { seq: s.seq, head, key, signature: Signature(signature) })
}
