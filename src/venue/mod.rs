//! The venue: its tournaments, boards and devices, and the games to which everything is routed.

pub mod acts;
mod admin;
mod again;
pub mod credentials;
mod devices;
mod digest;
pub mod entry;
mod envelopes;
mod input;
mod refusal;
mod repeat;
mod roles;
mod second;
pub mod secrets;
mod signing;
mod told;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(crate) use again::as_input;
pub use credentials::{Credential, CredentialId, Grant, Invitation, SecretHash, Sector, Standing};
pub use devices::Device;
pub use entry::{
    Admin, DeviceEntry, DeviceStamp, Entry, Groups, Introduction, Key, MAX_KEY, MAX_NAME, MAX_NUMBER, Origin, Pairing, Payload, Player, Role,
    Subject, TournamentId, Version,
};
pub use input::{At, Command, Decided, Input, Noticed, Report};
pub use refusal::Refusal;
pub use repeat::same;
pub(crate) use roles::may_say;
pub use second::{Proposed, SECONDABLE};
pub use signing::{SIGNED_WITHIN, UnsignedRound};

use signing::Signatures;

pub use crate::clock::WallTime;
use crate::envelope::PublicKey;
use crate::game::{self, Consequence, DeviceId, Game, GameId, Phase, Regulations, Seq};

/// Most open and finished games that a venue holds.
pub const MAX_GAMES: usize = 1_000_000;

/// A game in its place.
#[derive(Debug, Clone)]
pub struct Table {
    /// The game.
    pub game: Game,
    /// Entries about it so far.
    pub version: Version,
    /// Where it is played, and by whom.
    pub pairing: Arc<Pairing>,
    /// When the game was opened.
    pub opened_at: WallTime,
    /// A ruling that waits for a second arbiter.
    pub proposed: Option<Proposed>,
    /// The act on many boards that has stopped its clocks, until they are started again.
    pub stopped: Option<acts::StoppedByAct>,
    /// The last ruling while the game went on, and the credentials of who ruled it, two where it was seconded: theirs is the end of the
    /// game, if that ended it.
    ruled: Option<(Seq, [Option<CredentialId>; 2])>,
    /// The annulled game in whose place it is played.
    pub replaces: Option<GameId>,
}

/// The pairings of a round by board, each with the game that was last opened.
pub type Boards = BTreeMap<u32, (Arc<Pairing>, Option<GameId>)>;

/// A tournament.
#[derive(Debug, Clone)]
pub struct Tournament {
    /// Its name.
    pub name: String,
    /// What it sets on top of the Laws.
    pub regulations: Arc<Regulations>,
    /// Its first day, where that was told.
    pub starts_on: Option<jiff::civil::Date>,
    /// Its rounds.
    pub rounds: BTreeMap<u32, Boards>,
    version: Version,
}

/// All that the log says.
#[derive(Debug, Clone, Default)]
pub struct Venue {
    head: Seq,
    version: Version,
    tournaments: BTreeMap<TournamentId, Tournament>,
    tables: Vec<Table>,
    devices: BTreeMap<DeviceId, Device>,
    keys: BTreeMap<Key, Seq>,
    running: BTreeSet<GameId>,
    asking: BTreeSet<GameId>,
    awaited: BTreeSet<GameId>,
    envelope_key: Option<PublicKey>,
    seconded: BTreeSet<String>,
    credentials: Vec<Credential>,
    /// Who invited whom, by the credential that was invited.
    invited: BTreeMap<CredentialId, CredentialId>,
    signatures: Signatures,
}

impl Venue {
    /// Place of the last entry.
    pub fn head(&self) -> Seq {
        self.head
    }

    /// The table of a game.
    pub fn table(&self, id: GameId) -> Option<&Table> {
        self.tables.get(usize::try_from(id.0.checked_sub(1)?).ok()?)
    }

    fn table_mut(&mut self, id: GameId) -> Option<&mut Table> {
        self.tables.get_mut(usize::try_from(id.0.checked_sub(1)?).ok()?)
    }

    /// Every table, in the order in which the games were opened.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// The inputs taken under keys that begin so, with the rest of each key.
    pub fn taken_under<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, Seq)> {
        let from = self.keys.range(Key(prefix.to_string())..);
        from.map_while(move |(key, seq)| key.0.strip_prefix(prefix).map(|rest| (rest, *seq)))
    }

    /// The games in which a clock runs.
    pub fn running(&self) -> impl Iterator<Item = &Game> {
        self.running.iter().filter_map(|id| self.table(*id)).map(|table| &table.game)
    }

    /// The games in which it is being worked out whether somebody can still mate.
    pub fn asking(&self) -> impl Iterator<Item = &Game> {
        self.asking.iter().filter_map(|id| self.table(*id)).map(|table| &table.game)
    }

    /// The games to whose resumption somebody has not come yet.
    pub fn awaited(&self) -> impl Iterator<Item = &Game> {
        self.awaited.iter().filter_map(|id| self.table(*id)).map(|table| &table.game)
    }

    /// Every tournament.
    pub fn tournaments(&self) -> &BTreeMap<TournamentId, Tournament> {
        &self.tournaments
    }

    /// Every device.
    pub fn devices(&self) -> &BTreeMap<DeviceId, Device> {
        &self.devices
    }

    /// Version of a subject.
    pub fn version(&self, subject: Subject) -> Version {
        match subject {
            Subject::Venue => self.version,
            Subject::Tournament(id) => self.tournaments.get(&id).map_or(Version(0), |t| t.version),
            Subject::Game(id) => self.table(id).map_or(Version(0), |t| t.version),
            Subject::Device(id) => self.devices.get(&id).map_or(Version(0), |d| d.version),
        }
    }
}

/// What follows from an input, or why it is not taken.
///
/// # Errors
/// See [`Refusal`]; nothing is to be appended then.
pub fn decide(venue: &Venue, command: Command, at: At) -> Result<Decided, Refusal> {
    let Command { origin, key, seen, input } = command;
    if let Some(key) = &key {
        if key.0.is_empty() || key.0.len() > MAX_KEY || key.0.chars().any(char::is_control) {
            return Err(Refusal::Unreadable { field: "key", why: format!("1 to {MAX_KEY} bytes without control characters") });
        }
        acts::admits(key, &input)?;
        if let Some(seq) = venue.keys.get(key) {
            return Ok(Decided::Repeat(*seq));
        }
    }
    let plain = |text: &str| !text.chars().any(char::is_control);
    if origin.name.len() > MAX_NAME || !plain(&origin.name) {
        return Err(Refusal::Unreadable { field: "name", why: format!("at most {MAX_NAME} bytes of text without control characters") });
    }
    roles::may(origin.role, &input)?;
    venue.admits(&origin, &input, at.wall)?;
    let mut batch = Batch { venue, at, origin, key, entries: Vec::with_capacity(4), versions: BTreeMap::new() };
    match input {
        Input::Report { previous, game, report } => {
            if let Some(seq) = batch.report(previous, game, report)? {
                return Ok(Decided::Repeat(seq));
            }
        }
        Input::Game { game, input } => batch.about(game, input, seen)?,
        Input::Seal { game, by, note } => {
            let fact = batch.sealed(game, by, &note)?;
            batch.about(game, game::Input::Fact(fact), seen)?;
        }
        Input::Open { game, key } => {
            let ruling = batch.opened(game, &key)?;
            batch.about(game, game::Input::Ruling(ruling), seen)?;
        }
        Input::SetEnvelopeKey { key } => batch.set_envelope_key(key)?,
        Input::NeedSecond { rulings } => batch.need_second(rulings)?,
        Input::Hello { device, introduction } => batch.hello(device, introduction)?,
        Input::Noticed { device, noticed } => batch.noticed(device, noticed)?,
        Input::Started { build } => batch.started(build),
        Input::Alarm { text } => batch.put(Subject::Venue, Payload::Admin(Admin::Alarm { text })),
        Input::CreateTournament { name, regulations, starts_on } => batch.create_tournament(name, regulations, starts_on)?,
        Input::OpenRound { tournament, round } => batch.open_round(tournament, round)?,
        Input::Pair { pairing } => batch.pair(pairing)?,
        Input::OpenGame { tournament, round, board, device, black_device, absent, clocks } => {
            batch.open_game((tournament, round, board), (device, black_device), absent, clocks)?
        }
        Input::Invite { invitation } => batch.invite(invitation)?,
        Input::Enrol { code, secret } => batch.enrol(code, secret)?,
        Input::Revoke { credential, reason } => batch.revoke(credential, reason)?,
        Input::Sign { head } => batch.sign(head)?,
        Input::AssignDevice { device, game, side } => batch.assign(device, game, side)?,
    }
    Ok(Decided::Entries(batch.entries))
}

fn fresh(seen: Option<Version>, now: Version) -> Result<(), Refusal> {
    match seen {
        Some(seen) if seen != now => Err(Refusal::Stale { seen, now }),
        _ => Ok(()),
    }
}

fn no_game(game: GameId) -> Refusal {
    Refusal::NoSuch { what: "game", name: game.0.to_string() }
}

/// The entries of one decision, numbered as they will stand in the log.
#[derive(Debug)]
struct Batch<'a> {
    venue: &'a Venue,
    at: At,
    origin: Origin,
    key: Option<Key>,
    entries: Vec<Entry>,
    versions: BTreeMap<Subject, Version>,
}

impl Batch<'_> {
    fn push(&mut self, subject: Subject, payload: Payload, origin: Option<Origin>, cause: Option<Seq>, key: Option<Key>) -> Seq {
        let seq = Seq(self.venue.head.0 + self.entries.len() as u64 + 1);
        let version = self.versions.entry(subject).or_insert_with(|| self.venue.version(subject));
        version.0 += 1;
        self.entries.push(Entry { seq, subject, version: *version, recorded_at: self.at.wall, origin, cause, key, payload });
        seq
    }

    /// The input itself.
    fn put(&mut self, subject: Subject, payload: Payload) {
        let (origin, key) = (self.origin.clone(), self.key.take());
        self.push(subject, payload, Some(origin), None, key);
    }

    /// What follows from the input put last.
    fn so(&mut self, subject: Subject, payload: Payload) {
        let input = self.entries.iter().rev().find(|entry| entry.origin.is_some()).map(|entry| entry.seq);
        self.push(subject, payload, None, input, None);
    }

    /// A game's decision: its input, found among the entries, carries origin and key; the rest follows from it.
    fn game(&mut self, game: GameId, entries: Vec<game::Entry>) {
        let subject = Subject::Game(game);
        let is_input = |entry: &game::Entry| !matches!(entry, game::Entry::Consequence(_));
        let input = entries.iter().position(is_input).unwrap_or(0);
        let cause = Seq(self.venue.head.0 + (self.entries.len() + input) as u64 + 1);
        for (i, entry) in entries.into_iter().enumerate() {
            if i == input {
                self.put(subject, Payload::Game(entry))
            } else {
                self.push(subject, Payload::Game(entry), None, Some(cause), None);
            }
        }
    }
}

impl Venue {
    /// Applies an entry. Total: whatever stands in a log can be applied.
    ///
    /// # Panics
    /// Where `seq` does not follow on the last entry: that is a gap in the log, and nothing after it can be trusted.
    pub fn evolve(&mut self, entry: &Entry) {
        assert_eq!(entry.seq.0, self.head.0 + 1, "gap in the log");
        self.head = entry.seq;
        if let Some(Origin { stamp: Some(stamp), .. }) = &entry.origin
            && stamp.device != DeviceId(0)
        {
            let device = self.devices.entry(stamp.device).or_default();
            let restarted = device.game.filter(|_| device.boot != stamp.boot);
            device.took(stamp, entry.seq);
            if let Some(table) = restarted.and_then(|game| self.table_mut(game)) {
                let side = table.game.side_of(stamp.device);
                table.game.begin_timeline_of(side);
            }
        }
        if let Some(key) = &entry.key {
            self.keys.insert(key.clone(), entry.seq);
        }
        match (&entry.payload, entry.subject) {
            (Payload::Game(said), Subject::Game(id)) => {
                let moved = matches!(said, game::Entry::Consequence(Consequence::ClockReplaced { .. } | Consequence::OwnClockReplaced { .. }));
                let before: Vec<DeviceId> = self.table(id).filter(|_| moved).map(|table| table.game.devices().collect()).unwrap_or_default();
                let place = usize::try_from(id.0.saturating_sub(1)).ok();
                if let Some(table) = place.and_then(|place| self.tables.get_mut(place)).filter(|table| table.game.id == id) {
                    let state = |game: &Game| (game.phase == Phase::Running, game.question.is_some(), game.resumption_awaited().is_some());
                    let (ran, asked, awaited) = state(&table.game);
                    table.version = entry.version;
                    let about = table.proposed.as_ref().map(|_| second::About::of(&table.game));
                    let ruling = if let game::Entry::Ruling(ruling) = said { Some(ruling) } else { None };
                    if let Some(ruling) = ruling.filter(|_| !table.game.is_finished()) {
                        let first = table.proposed.as_ref().filter(|first| first.is_of(ruling)).and_then(|first| first.by.credential);
                        table.ruled = Some((entry.seq, [entry.origin.as_ref().and_then(|origin| origin.credential), first]));
                    }
                    table.stopped = acts::follows(table.stopped.take(), &table.game, entry, said);
                    table.game.evolve(entry.seq, said);
                    if ruling.is_some() || about.is_some_and(|about| about != second::About::of(&table.game)) {
                        table.proposed = None;
                    }
                    let (runs, asks, awaits) = state(&table.game);
                    note(&mut self.running, id, ran, runs);
                    note(&mut self.asking, id, asked, asks);
                    note(&mut self.awaited, id, awaited, awaits);
                    if signing::is_result(said) {
                        let round = (table.pairing.tournament, table.pairing.round);
                        self.signatures.result(round, entry.seq, entry.recorded_at);
                    }
                }
                if moved {
                    self.moved_devices(id, &before);
                }
                return;
            }
            (Payload::Admin(Admin::Proposed { ruling }), Subject::Game(id)) => {
                if let (Some(table), Some(by)) = (self.table_mut(id), &entry.origin) {
                    table.version = entry.version;
                    table.proposed = Some(Proposed { ruling: ruling.clone(), by: by.clone() });
                }
            }
            (Payload::Admin(admin), _) => self.administered(admin, entry),
            (Payload::Device(said), Subject::Device(id)) => self.devices.entry(id).or_default().said(said),
            _ => {}
        }
        match entry.subject {
            Subject::Venue => self.version = entry.version,
            Subject::Tournament(id) => {
                if let Some(tournament) = self.tournaments.get_mut(&id) {
                    tournament.version = entry.version;
                }
            }
            Subject::Device(id) => self.devices.entry(id).or_default().version = entry.version,
            Subject::Game(_) => {}
        }
    }
}

/// Keeps a set of games in which something holds.
fn note(games: &mut BTreeSet<GameId>, id: GameId, before: bool, after: bool) {
    match (before, after) {
        (false, true) => _ = games.insert(id),
        (true, false) => _ = games.remove(&id),
        _ => {}
    }
}
