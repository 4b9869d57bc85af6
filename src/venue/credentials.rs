//! Credentials: who may speak for what. A one-time code is exchanged for a secret; the log holds only their hashes.

use std::fmt;

use shakmaty::Color;

use super::entry::{Admin, MAX_NAME, MAX_NUMBER, Origin, Payload, Role, Subject, TournamentId};
use super::{Batch, Input, Refusal, Venue};
use crate::clock::{Millis, WallTime};
use crate::game::{self, DeviceId, GameId, Ruling};

/// Most credentials that a venue gives out.
pub const MAX_CREDENTIALS: usize = 100_000;
/// How long a one-time code can be good for.
pub const MAX_CODE_VALID: Millis = Millis::minutes(7 * 24 * 60);

/// Number of a credential, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct CredentialId(pub u64);

/// The hash of a code or a secret (BLAKE3, 32 bytes). Both have entropy enough that it needs no salt.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SecretHash(pub [u8; 32]);

/// What a credential is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Grant {
    /// This device, and nothing else.
    Clock(DeviceId),
    /// One side of one game.
    Player(GameId, Color),
    /// Rulings and notes at these boards; all boards where none are named.
    Arbiter(Option<Sector>),
    /// All of the venue.
    ChiefArbiter,
    /// Public entries.
    Feed,
    /// Everything, to read.
    Auditor,
}

/// The boards of one arbiter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sector {
    /// Of this tournament; of any where none is named.
    pub tournament: Option<TournamentId>,
    /// From this board.
    pub first: u32,
    /// To this one, itself included.
    pub last: u32,
}

/// A credential as the log tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// What it is for.
    pub grant: Grant,
    /// Whose: a person, a device, a program.
    pub name: String,
    /// The hash of the code that is exchanged for it, and until when.
    pub code: (SecretHash, WallTime),
    /// The hash of its secret, once the code was exchanged.
    pub secret: Option<SecretHash>,
    /// From when on it is no good any more.
    pub expires: Option<WallTime>,
    /// Why it was revoked.
    pub revoked: Option<String>,
}

/// How a credential stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Its code has not been exchanged yet.
    Invited,
    /// Its code was not exchanged in time.
    Lapsed,
    /// Good.
    Good,
    /// Its time is over.
    Expired,
    /// It was revoked.
    Revoked,
}

impl Credential {
    /// How it stands at a time of day.
    pub fn standing(&self, now: WallTime) -> Standing {
        match (&self.revoked, self.secret, self.expires) {
            (Some(_), _, _) => Standing::Revoked,
            (None, _, Some(expires)) if expires <= now => Standing::Expired,
            (None, Some(_), _) => Standing::Good,
            (None, None, _) if self.code.1 <= now => Standing::Lapsed,
            (None, None, _) => Standing::Invited,
        }
    }
}

impl Standing {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Standing::Invited => "invited",
            Standing::Lapsed => "lapsed",
            Standing::Good => "good",
            Standing::Expired => "expired",
            Standing::Revoked => "revoked",
        }
    }
}

impl Grant {
    /// The role in which its inputs are recorded; `None`: it sends none.
    pub fn role(self) -> Option<Role> {
        match self {
            Grant::Clock(_) => Some(Role::Clock),
            Grant::Player(..) => Some(Role::Player),
            Grant::Arbiter(_) | Grant::ChiefArbiter => Some(Role::Arbiter),
            Grant::Feed | Grant::Auditor => None,
        }
    }

    /// The word for its role.
    pub fn word(self) -> &'static str {
        match self {
            Grant::Clock(_) => "clock",
            Grant::Player(..) => "player",
            Grant::Arbiter(_) => "arbiter",
            Grant::ChiefArbiter => "chief arbiter",
            Grant::Feed => "feed",
            Grant::Auditor => "auditor",
        }
    }
}

impl Sector {
    fn holds(&self, tournament: TournamentId, board: u32) -> bool {
        self.tournament.is_none_or(|own| own == tournament) && (self.first..=self.last).contains(&board)
    }
}

impl Venue {
    /// Every credential that was ever given out, by number.
    pub fn credentials(&self) -> impl Iterator<Item = (CredentialId, &Credential)> {
        self.credentials.iter().enumerate().map(|(i, credential)| (CredentialId(i as u64 + 1), credential))
    }

    /// A credential.
    pub fn credential(&self, id: CredentialId) -> Option<&Credential> {
        self.credentials.get(usize::try_from(id.0.checked_sub(1)?).ok()?)
    }

    /// Whether it has given out credentials, and so asks everybody but the daemon for one.
    pub fn asks_who(&self) -> bool {
        !self.credentials.is_empty()
    }

    fn credential_mut(&mut self, id: CredentialId) -> Option<&mut Credential> {
        self.credentials.get_mut(usize::try_from(id.0.checked_sub(1)?).ok()?)
    }

    /// Whether a credential admits an input. One without a credential comes from the daemon, or from a venue that asks for none.
    ///
    /// # Errors
    /// It is not good any more, or is for something else.
    pub(crate) fn admits(&self, origin: &Origin, input: &Input, now: WallTime) -> Result<(), Refusal> {
        let Some(id) = origin.credential else { return Ok(()) };
        let credential = self.credential(id).ok_or_else(|| Refusal::CredentialOver { why: format!("there is no credential {}", id.0) })?;
        match credential.standing(now) {
            Standing::Good => {}
            other => return Err(Refusal::CredentialOver { why: format!("credential {} is {}", id.0, other.word()) }),
        }
        let not_yours = |why: String| Err(Refusal::NotYours { why });
        if let (Grant::Arbiter(_), Input::Game { game, input: game::Input::Ruling(Ruling::Undo { .. }) }) = (credential.grant, input) {
            self.may_undo(*game, id)?;
        }
        match (credential.grant, input) {
            (Grant::Clock(own), Input::Hello { device, .. }) if *device != own => {
                not_yours(format!("this is the credential of device {}, not {}", own.0, device.0))
            }
            (Grant::Clock(own), Input::Report { .. }) if origin.stamp.is_none_or(|stamp| stamp.device != own) => {
                not_yours(format!("this is the credential of device {}", own.0))
            }
            (Grant::Player(own, color), Input::Seal { game, by, .. }) if (own, color) != (*game, *by) => {
                not_yours(format!("this is the credential of {} in game {}", game::side(color), own.0))
            }
            (Grant::Player(own, color), Input::Game { game, input: game::Input::Fact(fact) }) if own != *game || fact.by() != Some(color) => {
                not_yours(format!("this is the credential of {} in game {}", game::side(color), own.0))
            }
            (Grant::Arbiter(_), Input::Game { input: game::Input::Ruling(Ruling::CorrectResult { .. } | Ruling::Annul { .. }), .. }) => {
                not_yours("results are corrected, and games annulled, by the chief arbiter".to_string())
            }
            (Grant::Arbiter(Some(sector)), Input::Game { game, .. } | Input::Seal { game, .. } | Input::Open { game, .. }) => {
                match self.table(*game).map(|table| &table.pairing) {
                    Some(place) if !sector.holds(place.tournament, place.board) => {
                        not_yours(format!("board {} is not of your sector, {sector}", place.board))
                    }
                    _ => Ok(()),
                }
            }
            (Grant::Auditor, Input::Sign { .. }) if origin.role == Role::Office => Ok(()),
            (Grant::ChiefArbiter, _) if matches!(origin.role, Role::Arbiter | Role::Office) => Ok(()),
            (grant, _) if grant.role() == Some(origin.role) => Ok(()),
            _ => Err(Refusal::NotAllowed { role: credential.grant.word() }),
        }
    }

    /// Whether an arbiter may take back what would be taken back next: not what the chief arbiter did to a result that stood, and an end
    /// of the game only if it is his own ruling.
    fn may_undo(&self, game: GameId, id: CredentialId) -> Result<(), Refusal> {
        let not_yours = |why: &str| Err(Refusal::NotYours { why: why.to_string() });
        let Some((table, (seq, ruling))) = self.table(game).and_then(|table| Some((table, table.game.undo_is_of()?))) else { return Ok(()) };
        if matches!(ruling, Ruling::CorrectResult { .. } | Ruling::Annul { .. }) {
            return not_yours("corrections and annulments are taken back by the chief arbiter");
        }
        let own = table.ruled.is_some_and(|(ruled, by)| ruled == seq && by.contains(&Some(id)));
        if table.game.undo_reopens() && !own {
            return not_yours("the end of a game is taken back by the arbiter who ruled it, or by the chief arbiter");
        }
        Ok(())
    }

    /// By which credential another one was invited; `None`: it was made where the log is.
    pub fn invited_by(&self, id: CredentialId) -> Option<CredentialId> {
        self.invited.get(&id).copied()
    }

    /// The credentials that one has invited, and that are good or may still become so.
    pub fn invited(&self, by: CredentialId, now: WallTime) -> impl Iterator<Item = CredentialId> {
        let stands = move |id: &CredentialId| {
            self.credential(*id).is_some_and(|credential| matches!(credential.standing(now), Standing::Good | Standing::Invited))
        };
        self.invited.iter().filter(move |(_, inviter)| **inviter == by).map(|(id, _)| *id).filter(stands)
    }

    /// Applies what an entry says of credentials.
    pub(super) fn enrolled(&mut self, admin: &Admin, origin: Option<&Origin>) {
        match admin {
            Admin::Invited { credential, grant, name, code, until, expires } => {
                if let Some(by) = origin.and_then(|origin| origin.credential) {
                    self.invited.insert(*credential, by);
                }
                let (name, code) = (name.clone(), (*code, *until));
                self.credentials.push(Credential { grant: *grant, name, code, secret: None, expires: *expires, revoked: None });
            }
            Admin::Enrolled { credential, secret } => {
                if let Some(credential) = self.credential_mut(*credential) {
                    credential.secret = Some(*secret);
                }
            }
            Admin::Revoked { credential, reason } => {
                if let Some(credential) = self.credential_mut(*credential) {
                    credential.revoked = Some(reason.clone());
                }
                self.proposals_fall(*credential);
            }
            _ => {}
        }
    }
}

/// What somebody is invited to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    /// What the credential is for.
    pub grant: Grant,
    /// Whose it is.
    pub name: String,
    /// The hash of the one-time code.
    pub code: SecretHash,
    /// Until when that is good.
    pub until: WallTime,
    /// From when on the credential is no good any more.
    pub expires: Option<WallTime>,
}

impl Batch<'_> {
    pub(super) fn invite(&mut self, invitation: Invitation) -> Result<(), Refusal> {
        let Invitation { grant, name, code, until, expires } = invitation;
        let wrong = |field, why: String| Err(Refusal::Unreadable { field, why });
        if self.origin.credential.is_none() && self.origin.role != Role::Daemon {
            return Err(Refusal::NotYours { why: "this venue asks nobody who he is: set it up first, with zeitnot venue init".to_string() });
        }
        if name.trim().is_empty() || name.len() > MAX_NAME || name.chars().any(char::is_control) {
            return wrong("name", format!("1 to {MAX_NAME} bytes of text without control characters"));
        }
        if until <= self.at.wall || self.at.wall.plus(MAX_CODE_VALID) < until {
            return wrong("until", format!("within {MAX_CODE_VALID} from now"));
        }
        if expires.is_some_and(|expires| expires <= self.at.wall) {
            return wrong("expires", "that time has passed".to_string());
        }
        match grant {
            Grant::Clock(DeviceId(0)) => return wrong("device", "serial numbers begin at 1".to_string()),
            Grant::Player(game, _) if self.venue.table(game).is_none() => return Err(super::no_game(game)),
            Grant::Arbiter(Some(s)) if s.first == 0 || s.first > s.last || s.last > MAX_NUMBER => {
                return wrong("boards", format!("from one to another, within 1 to {MAX_NUMBER}"));
            }
            _ => {}
        }
        if self.venue.credentials.len() >= MAX_CREDENTIALS {
            return wrong("credential", format!("a venue gives out {MAX_CREDENTIALS}"));
        }
        let credential = CredentialId(self.venue.credentials.len() as u64 + 1);
        let invited = Admin::Invited { credential, grant, name, code, until, expires };
        self.put(Subject::Venue, Payload::Admin(invited));
        Ok(())
    }

    /// The code is exchanged for a secret, once.
    pub(super) fn enrol(&mut self, code: SecretHash, secret: SecretHash) -> Result<(), Refusal> {
        let now = self.at.wall;
        let invited = |(_, credential): &(CredentialId, &Credential)| credential.code.0 == code && credential.standing(now) == Standing::Invited;
        let Some((credential, _)) = self.venue.credentials().find(invited) else { return Err(Refusal::NoSuchCode) };
        self.put(Subject::Venue, Payload::Admin(Admin::Enrolled { credential, secret }));
        Ok(())
    }

    pub(super) fn revoke(&mut self, credential: CredentialId, reason: String) -> Result<(), Refusal> {
        let known = self.venue.credential(credential).ok_or_else(|| Refusal::NoSuch { what: "credential", name: credential.0.to_string() })?;
        if known.revoked.is_some() {
            return Err(Refusal::Exists { what: "revocation of credential", name: credential.0.to_string() });
        }
        if reason.len() > MAX_NAME || reason.chars().any(char::is_control) {
            return Err(Refusal::Unreadable { field: "reason", why: format!("at most {MAX_NAME} bytes of text without control characters") });
        }
        let chief = |(id, other): (CredentialId, &Credential)| {
            id != credential && other.grant == Grant::ChiefArbiter && other.standing(self.at.wall) == Standing::Good
        };
        if known.grant == Grant::ChiefArbiter && !self.venue.credentials().any(chief) {
            return Err(Refusal::NotYours { why: "it is the last one of a chief arbiter: enrol another first".to_string() });
        }
        self.put(Subject::Venue, Payload::Admin(Admin::Revoked { credential, reason }));
        Ok(())
    }
}

impl fmt::Display for SecretHash {
    /// The first half: enough to tell them apart.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().take(16).try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for SecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretHash({self})")
    }
}

impl fmt::Display for Sector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "boards {} to {}", self.first, self.last)?;
        self.tournament.map_or(Ok(()), |tournament| write!(f, " of tournament {}", tournament.0))
    }
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())?;
        match self {
            Grant::Clock(device) => write!(f, " of device {}", device.0),
            Grant::Player(game, color) => write!(f, " of {} in game {}", game::side(*color), game.0),
            Grant::Arbiter(Some(sector)) => write!(f, " of {sector}"),
            Grant::Arbiter(None) | Grant::ChiefArbiter | Grant::Feed | Grant::Auditor => Ok(()),
        }
    }
}
