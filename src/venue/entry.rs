//! Entries as the log holds them: where they stand, what they are about, who sent them, what they follow from.
#![expect(missing_docs, reason = "a variant's sentence names its fields, and their types carry the units")]

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use jiff::civil::Date;
use shakmaty::{ByColor, Color};

use super::credentials::{CredentialId, Grant, SecretHash};
use crate::board::Start;
use crate::clock::{Adjustment, Estimate, Millis, Reading, WallTime, Wrap};
use crate::envelope::PublicKey;
use crate::game::{self, DeviceId, GameId, Regulations, Seq};
use crate::signature::SignedHead;

/// Longest name of a tournament, player, arbiter or device model, in bytes.
pub const MAX_NAME: usize = 120;
/// Longest idempotency key, in bytes.
pub const MAX_KEY: usize = 64;
/// Highest round and board number.
pub const MAX_NUMBER: u32 = 9_999;

/// Place within one subject, from 1, without gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Version(pub u64);

/// Name of a tournament, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TournamentId(pub u64);

/// Names an input of a console or office for ever.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub String);

/// Names a device's report for ever; `at` compares only within a boot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceStamp {
    /// The device.
    pub device: DeviceId,
    /// Which start of it, from 1.
    pub boot: u32,
    /// Which report since then, from 1.
    pub report: u32,
    /// The device's own monotonic time, unwrapped.
    pub at: Millis,
    /// What the device's timeline showed when the report came, as far as probes tell; the rest of the way is the network's.
    pub arrived: Option<Estimate>,
}

/// How far ahead of its own device's time a stamp may seem to be before it is not believed, on a clock at the usual rate.
pub const STAMP_TOLERANCE: Millis = Millis::seconds(1);

impl DeviceStamp {
    /// How far the stamp lies ahead of what can be, by a device that runs at this scale (1000: as every real clock):
    /// nothing is stamped later than it arrives.
    pub fn ahead(&self, scale: u64) -> Option<Adjustment> {
        let arrived = self.arrived?;
        let tolerance = Millis(STAMP_TOLERANCE.0.saturating_mul(scale) / 1_000);
        let latest = arrived.at.plus(arrived.uncertainty).plus(tolerance);
        (self.at > latest).then(|| arrived.at.to(self.at))
    }

    /// The stamp of an input to a game that the daemon times: its own monotonic time, in the name of device 0.
    pub fn of_the_daemon(at: Millis) -> DeviceStamp {
        DeviceStamp { device: DeviceId(0), boot: 0, report: 0, at, arrived: None }
    }
}

/// What an entry is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    Venue,
    Tournament(TournamentId),
    Game(GameId),
    Device(DeviceId),
}

/// In what role an input is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// A clock device.
    Clock,
    /// An arbiter at a console.
    Arbiter,
    /// The office: tournaments, pairings, scoresheets.
    Office,
    /// The daemon itself: timers, games that it times.
    Daemon,
    /// A reader.
    Feed,
    /// A player at a tablet of his own.
    Player,
}

/// Who sent an input.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Origin {
    /// In what role.
    pub role: Role,
    /// By what name; empty for devices and the daemon.
    pub name: String,
    /// The device's own stamp.
    pub stamp: Option<DeviceStamp>,
    /// The credential that was shown; `None`: the daemon itself, or a venue that asks for none.
    pub credential: Option<CredentialId>,
}

/// One entry of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Place in the log.
    pub seq: Seq,
    /// What it is about.
    pub subject: Subject,
    /// Place within its subject.
    pub version: Version,
    /// When the daemon recorded it.
    pub recorded_at: WallTime,
    /// Who sent the input; of what follows from it, `None`: as its cause.
    pub origin: Option<Origin>,
    /// The input that it follows from.
    pub cause: Option<Seq>,
    /// Idempotency key of the input.
    pub key: Option<Key>,
    /// What it says.
    pub payload: Payload,
}

/// What an entry says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    /// About a game.
    Game(game::Entry),
    /// About the venue and its tournaments.
    Admin(Admin),
    /// About a device.
    Device(DeviceEntry),
}

/// A player.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Player {
    /// As it is printed: "Family, Given".
    pub name: String,
    /// FIDE id, 0 where there is none.
    pub fide_id: u64,
}

/// Who plays whom where, and what that game has of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pairing {
    pub tournament: TournamentId,
    pub round: u32,
    pub board: u32,
    pub players: ByColor<Player>,
    /// Where it does not start from the usual position.
    pub start: Arc<Start>,
    /// Where it is not the tournament's own.
    pub regulations: Option<Arc<Regulations>>,
}

/// Venue, tournaments, pairings, devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admin {
    /// The daemon started on this log.
    Started { build: String },
    /// A tournament, and its first day, where that was told.
    TournamentCreated { tournament: TournamentId, name: String, regulations: Arc<Regulations>, starts_on: Option<Date> },
    /// A round of it.
    RoundOpened { tournament: TournamentId, round: u32 },
    /// A pairing of a round.
    Paired { pairing: Pairing },
    /// The game of a pairing, with all that never changes afterwards.
    GameOpened {
        game: GameId,
        tournament: TournamentId,
        round: u32,
        board: u32,
        regulations: Arc<Regulations>,
        start: Arc<Start>,
        device: Option<DeviceId>,
        absent: ByColor<bool>,
        clocks: Option<Reading>,
        /// The annulled game in whose place it is played.
        replaces: Option<GameId>,
        /// Black's own device, where each side has one; `device` is White's then.
        black_device: Option<DeviceId>,
    },
    /// A device is put at a game's board, at one side of it, or taken away.
    DeviceAssigned { device: DeviceId, game: Option<GameId>, side: Option<Color> },
    /// Something for the arbiters of the whole hall.
    Alarm { text: String },
    /// Envelopes are sealed to this key from now on.
    EnvelopeKey { key: PublicKey },
    /// Rulings of these kinds need a second arbiter from now on.
    SecondNeeded { rulings: BTreeSet<String> },
    /// A ruling on a game waits until a second arbiter rules the same.
    Proposed { ruling: game::Ruling },
    /// Somebody is to get a credential: who shows the code before `until` gets it.
    Invited { credential: CredentialId, grant: Grant, name: String, code: SecretHash, until: WallTime, expires: Option<WallTime> },
    /// The code was exchanged for a secret.
    Enrolled { credential: CredentialId, secret: SecretHash },
    /// A credential is no good any more.
    Revoked { credential: CredentialId, reason: String },
    /// The head of the log up to an entry was signed.
    Signed { head: SignedHead },
}

/// What a device says of itself, and what the daemon notices about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceEntry {
    /// It said hello for the first time, or differently from the last.
    Introduced(Introduction),
    /// Charge of its battery, 0 to 100.
    Battery { percent: u32 },
    /// It has restarted while it was at no board.
    Restarted,
    /// Its connection is gone. Its game goes on: the clock runs on the board.
    Lost,
    /// It is connected again.
    Back,
    /// Its time leapt, or stood still, by so much.
    Leapt { by: Adjustment },
    /// It runs faster than the daemon's clock by so many millionths, or slower.
    Drifts { ppm: i64 },
}

/// A device's hello.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Introduction {
    /// Maker's name of the model.
    pub model: String,
    /// Version of what runs on it.
    pub firmware: String,
    /// Whether it sees the moves on the board.
    pub senses_board: bool,
    /// When its counter starts again, where it does.
    pub wrap: Option<Wrap>,
    /// Its milliseconds for a thousand of the hall's: 1000 for every real clock.
    pub scale: u64,
}

impl Entry {
    /// The place of the input that it belongs to: its own, or its cause's.
    pub fn input(&self) -> Seq {
        self.cause.unwrap_or(self.seq)
    }
}

/// Gathers entries that come in order into groups: an input and all that follows from it.
#[derive(Debug, Default)]
pub struct Groups(Vec<Entry>);

impl Groups {
    /// The next entry. `Some`: it belongs to another input than those before it, and this is their group.
    pub fn entry(&mut self, entry: Entry) -> Option<Vec<Entry>> {
        let whole = self.0.last().is_some_and(|last| last.input() != entry.input()).then(|| self.end());
        self.0.push(entry);
        whole
    }

    /// The last group; empty where nothing has come since one ended.
    pub fn end(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.0)
    }
}

impl Origin {
    /// The daemon itself.
    pub fn daemon() -> Origin {
        Origin::new(Role::Daemon, String::new())
    }

    /// Somebody in a role, by name, without a stamp or a credential.
    pub fn new(role: Role, name: String) -> Origin {
        Origin { role, name, stamp: None, credential: None }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Venue => f.write_str("venue"),
            Subject::Tournament(id) => write!(f, "tournament {}", id.0),
            Subject::Game(id) => write!(f, "game {}", id.0),
            Subject::Device(id) => write!(f, "device {}", id.0),
        }
    }
}

impl Role {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Role::Clock => "clock",
            Role::Arbiter => "arbiter",
            Role::Office => "office",
            Role::Daemon => "daemon",
            Role::Feed => "feed",
            Role::Player => "player",
        }
    }
}

impl fmt::Display for Entry {
    /// One line: place, time, subject, what, and who says so, or the device's stamp.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>8}  {}  {:<12}  {}", self.seq.0, self.recorded_at, self.subject.to_string(), self.payload)?;
        let Some(Origin { role, name, stamp, .. }) = &self.origin else { return Ok(()) };
        let who = match (role, name.as_str()) {
            // Nobody asks a player for a name, but that it was one tells who sealed.
            (Role::Player, "") => role.word().to_string(),
            (_, "") => String::new(),
            (role, name) => format!("{} {name}", role.word()),
        };
        match stamp {
            Some(s) if s.device.0 != 0 => {
                write!(f, "   [device {} boot {} report {} at {}", s.device.0, s.boot, s.report, s.at)?;
                s.arrived.map_or(Ok(()), |came| write!(f, ", came at {} ± {}", came.at, came.uncertainty))?;
                f.write_str("]")
            }
            Some(s) if who.is_empty() => write!(f, "   [at {}]", s.at),
            Some(s) => write!(f, "   [{who} at {}]", s.at),
            None if who.is_empty() => Ok(()),
            None => write!(f, "   [{who}]"),
        }
    }
}

impl fmt::Display for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Payload::Game(entry) => entry.fmt(f),
            Payload::Admin(admin) => write!(f, "admin   {admin}"),
            Payload::Device(entry) => write!(f, "device  {entry}"),
        }
    }
}

impl fmt::Display for Admin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Admin::Started { build } => write!(f, "started {build}"),
            Admin::TournamentCreated { tournament, name, regulations, starts_on } => {
                write!(f, "tournament {} \"{name}\" laws {} control {}", tournament.0, regulations.edition.year(), regulations.control)?;
                starts_on.map_or(Ok(()), |date| write!(f, " from {date}"))
            }
            Admin::RoundOpened { tournament, round } => write!(f, "round {round} of tournament {}", tournament.0),
            Admin::Paired { pairing: p } => {
                write!(f, "paired {}.{}.{} {} - {}", p.tournament.0, p.round, p.board, p.players.white.name, p.players.black.name)
            }
            Admin::GameOpened { game, tournament, round, board, regulations, replaces, .. } => {
                write!(f, "game {} opened at {}.{round}.{board} control {}", game.0, tournament.0, regulations.control)?;
                replaces.map_or(Ok(()), |old| write!(f, " in place of game {}", old.0))
            }
            Admin::DeviceAssigned { device, game: Some(game), side } => {
                write!(f, "device {} at game {}", device.0, game.0)?;
                side.map_or(Ok(()), |side| write!(f, ", {}'s side", game::side(side)))
            }
            Admin::DeviceAssigned { device, game: None, .. } => write!(f, "device {} at no board", device.0),
            Admin::Alarm { text } => write!(f, "alarm {text}"),
            Admin::SecondNeeded { rulings } if rulings.is_empty() => f.write_str("no ruling needs a second arbiter"),
            Admin::SecondNeeded { rulings } => {
                write!(f, "a second arbiter is needed for {}", rulings.iter().map(String::as_str).collect::<Vec<_>>().join(", "))
            }
            Admin::Proposed { ruling } => write!(f, "waits for a second arbiter: {}", game::Entry::Ruling(ruling.clone())),
            Admin::EnvelopeKey { key } => write!(f, "envelopes are sealed to {key}"),
            Admin::Invited { credential, grant, name, until, expires, .. } => {
                write!(f, "invited {} {name:?} as {grant}, by a code until {until}", credential.0)?;
                expires.map_or(Ok(()), |at| write!(f, ", for as long as until {at}"))
            }
            Admin::Enrolled { credential, .. } => write!(f, "enrolled {}", credential.0),
            Admin::Revoked { credential, reason } => write!(f, "revoked {} {reason:?}", credential.0),
            Admin::Signed { head } => write!(f, "signed the log up to entry {} by {}", head.seq, head.key),
        }
    }
}

impl fmt::Display for DeviceEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceEntry::Introduced(intro) => write!(f, "introduced {} {}", intro.model, intro.firmware),
            DeviceEntry::Battery { percent } => write!(f, "battery {percent}%"),
            DeviceEntry::Restarted => f.write_str("restarted"),
            DeviceEntry::Lost => f.write_str("lost"),
            DeviceEntry::Back => f.write_str("back"),
            DeviceEntry::Leapt { by } => write!(f, "its time leapt by {by}"),
            DeviceEntry::Drifts { ppm } => write!(f, "drifts by {ppm} millionths"),
        }
    }
}
