//! Tournaments, regulations, pairings and games to protobuf.

use jiff::civil::Date;

use super::super::credentials::encode_grant;
use super::super::v1;
use super::{color_or_none, times};
use crate::board::Start;
use crate::clock::{CountFrom, PeriodAdded};
use crate::game::{BoardSeen, ClaimsBy, FlagsBy, Regulations};
use crate::laws::{Play, Supervision};
use crate::signature::SignedHead;
use crate::venue::{Admin, Pairing, Player, TournamentId};

/// Regulations.
pub fn regulations(r: &Regulations) -> v1::Regulations {
    v1::Regulations {
        edition: r.edition.year(),
        play: match r.play {
            Play::Standard => v1::Play::Standard,
            Play::Rapid => v1::Play::Rapid,
            Play::Blitz => v1::Play::Blitz,
        }
        .into(),
        control: r.control.to_string(),
        count_from_after: r.count_from == CountFrom::After,
        period_at_zero: r.period_added == PeriodAdded::AtZero,
        board_unseen: r.board == BoardSeen::Unseen,
        full_supervision: r.supervision == Supervision::Full,
        default_time_ms: r.default_time.map(|time| time.0),
        compensation_ms: r.compensation.map(|time| time.0),
        flags: match r.flags {
            None => v1::FlagsBy::Unspecified,
            Some(FlagsBy::Auto) => v1::FlagsBy::Auto,
            Some(FlagsBy::Arbiter) => v1::FlagsBy::Arbiter,
            Some(FlagsBy::Players) => v1::FlagsBy::Players,
        }
        .into(),
        claims_by_arbiter: r.claims == ClaimsBy::Arbiter,
        quickplay: r.quickplay,
        otherwise: r.otherwise.iter().map(ToString::to_string).collect(),
    }
}

fn start(s: &Start) -> Option<v1::StartPosition> {
    if s.is_standard() {
        return None;
    }
    let fen = if s.number.is_some() { String::new() } else { s.to_fen() };
    Some(v1::StartPosition { fen, chess960: s.number, seed: s.seed })
}

fn player(p: &Player) -> v1::Player {
    v1::Player { name: p.name.clone(), fide_id: p.fide_id }
}

pub(in crate::wire) fn pairing(p: &Pairing) -> v1::Pairing {
    v1::Pairing {
        tournament: p.tournament.0,
        round: p.round,
        board: p.board,
        white: Some(player(&p.players.white)),
        black: Some(player(&p.players.black)),
        start: start(&p.start),
        regulations: p.regulations.as_ref().map(|r| regulations(r)),
    }
}

/// A tournament.
pub fn tournament(id: TournamentId, name: &str, r: &Regulations, starts_on: Option<Date>) -> v1::Tournament {
    v1::Tournament {
        tournament: id.0,
        name: name.to_string(),
        regulations: Some(regulations(r)),
        starts_on: starts_on.map_or_else(String::new, |date| date.to_string()),
    }
}

/// A signed head.
pub fn signed(head: &SignedHead) -> v1::Signed {
    v1::Signed { seq: head.seq, head: head.head.to_vec(), key: head.key.0.to_vec(), signature: head.signature.0.to_vec() }
}

/// What the office did.
pub fn admin(a: &Admin) -> v1::Admin {
    use v1::admin::Kind;
    let kind = match a {
        Admin::Started { build } => Kind::Started(build.clone()),
        Admin::TournamentCreated { tournament: id, name, regulations: r, starts_on } => Kind::TournamentCreated(tournament(*id, name, r, *starts_on)),
        Admin::RoundOpened { tournament, round } => Kind::RoundOpened(v1::Round { tournament: tournament.0, round: *round }),
        Admin::Paired { pairing: p } => Kind::Paired(pairing(p)),
        Admin::GameOpened { game, tournament, round, board, regulations: r, start: s, device, absent, clocks, replaces, black_device } => {
            Kind::GameOpened(v1::GameOpened {
                game: game.0,
                tournament: tournament.0,
                round: *round,
                board: *board,
                regulations: Some(regulations(r)),
                start: start(s),
                device: device.map_or(0, |d| d.0),
                absent_white: absent.white,
                absent_black: absent.black,
                clocks: clocks.as_ref().map(times),
                replaces: replaces.map_or(0, |old| old.0),
                black_device: black_device.map_or(0, |d| d.0),
            })
        }
        Admin::DeviceAssigned { device, game, side } => {
            Kind::DeviceAssigned(v1::DeviceAssigned { device: device.0, game: game.map_or(0, |g| g.0), side: color_or_none(*side) })
        }
        Admin::Alarm { text } => Kind::Alarm(text.clone()),
        Admin::EnvelopeKey { key } => Kind::EnvelopeKey(key.0.to_vec()),
        Admin::Invited { credential, grant, name, code, until, expires } => Kind::Invited(v1::Invited {
            credential: credential.0,
            grant: Some(encode_grant(grant)),
            name: name.clone(),
            code: code.0.to_vec(),
            until_ms: until.0,
            expires_ms: expires.map(|at| at.0),
        }),
        Admin::Enrolled { credential, secret } => Kind::Enrolled(v1::Enrolled { credential: credential.0, secret: secret.0.to_vec() }),
        Admin::Revoked { credential, reason } => Kind::Revoked(v1::Revoked { credential: credential.0, reason: reason.clone() }),
        Admin::SecondNeeded { rulings } => Kind::SecondNeeded(v1::SecondNeeded { rulings: rulings.iter().cloned().collect() }),
        Admin::Proposed { ruling } => Kind::Proposed(v1::Ruling::from(ruling)),
        Admin::Signed { head } => Kind::Signed(signed(head)),
    };
    v1::Admin { kind: Some(kind) }
}
