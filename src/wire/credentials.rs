//! Credentials on the wire.

use super::decode::color;
use super::{Error, v1};
use crate::game::{DeviceId, GameId};
use crate::venue::{Credential, CredentialId, Grant, SecretHash, Sector, TournamentId, WallTime};
use v1::grant::Kind;

/// What a credential is for.
///
/// # Errors
/// Nothing is named, or something that cannot be.
pub fn grant(grant: v1::Grant) -> Result<Grant, Error> {
    Ok(match grant.kind.ok_or_else(|| Error::new("grant", "a clock, a player, an arbiter, a chief arbiter, a feed or an auditor"))? {
        Kind::Clock(clock) => Grant::Clock(DeviceId(clock.device)),
        Kind::Player(player) => Grant::Player(GameId(player.game), color("grant.player.color", player.color)?),
        Kind::Arbiter(arbiter) => Grant::Arbiter(arbiter.sector.map(|sector| Sector {
            tournament: (sector.tournament > 0).then_some(TournamentId(sector.tournament)),
            first: sector.first_board,
            last: sector.last_board,
        })),
        Kind::ChiefArbiter(_) => Grant::ChiefArbiter,
        Kind::Feed(_) => Grant::Feed,
        Kind::Auditor(_) => Grant::Auditor,
    })
}

/// The same as a message.
pub fn encode_grant(grant: &Grant) -> v1::Grant {
    let kind = match grant {
        Grant::Clock(device) => Kind::Clock(v1::GrantClock { device: device.0 }),
        Grant::Player(game, of) => Kind::Player(v1::GrantPlayer { game: game.0, color: super::encode::color(*of) }),
        Grant::Arbiter(sector) => {
            let sector = sector.map(|s| v1::Sector { tournament: s.tournament.map_or(0, |t| t.0), first_board: s.first, last_board: s.last });
            Kind::Arbiter(v1::GrantArbiter { sector })
        }
        Grant::ChiefArbiter => Kind::ChiefArbiter(v1::GrantChiefArbiter {}),
        Grant::Feed => Kind::Feed(v1::GrantFeed {}),
        Grant::Auditor => Kind::Auditor(v1::GrantAuditor {}),
    };
    v1::Grant { kind: Some(kind) }
}

/// A hash of 32 bytes.
///
/// # Errors
/// It has another length.
pub fn secret_hash(field: &'static str, bytes: &[u8]) -> Result<SecretHash, Error> {
    bytes.try_into().map(SecretHash).map_err(|_| Error::new(field, format!("32 bytes, not {}", bytes.len())))
}

/// A credential as a list shows it: no hash.
pub fn encode_credential(id: CredentialId, credential: &Credential, by: Option<CredentialId>, now: WallTime) -> v1::Credential {
    v1::Credential {
        credential: id.0,
        grant: Some(encode_grant(&credential.grant)),
        name: credential.name.clone(),
        standing: credential.standing(now).word().to_string(),
        code_until_ms: credential.code.1.0,
        expires_ms: credential.expires.map(|at| at.0),
        revoked_because: credential.revoked.clone().unwrap_or_default(),
        invited_by: by.map_or(0, |by| by.0),
    }
}

/// A code, a token and what is made of them print as nothing.
macro_rules! secret {
    ($($message:ident),*) => {
        $(impl std::fmt::Debug for v1::$message {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(stringify!($message))
            }
        })*
    };
}
secret!(EnrolRequest, Invitation, Login);
