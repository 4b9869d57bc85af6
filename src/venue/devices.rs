//! Devices: what they said, at which board they are, and which of their reports have been taken.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use shakmaty::Color;

use super::entry::{Admin, DeviceEntry, DeviceStamp, Introduction, MAX_NAME, Payload, Subject, Version};
use super::{Batch, Noticed, Origin, Refusal, Report, Venue, no_game};
use crate::clock::{Bonus, Estimate, Millis};
use crate::game::{self, DeviceId, Fact, Game, GameId, Own, Phase, Regulations, Seq, When};

/// Slowest and fastest time scale that a device may declare.
const SCALES: std::ops::RangeInclusive<u64> = 1..=1_000_000_000;

/// Largest stamp, unwrapped: some thirty thousand years.
const MAX_STAMP: Millis = Millis(1 << 50);
/// Largest range that a device's counter may declare, in microseconds.
const MAX_WRAP: u64 = 1 << 52;

/// What is known of a device.
#[derive(Debug, Clone, Default)]
pub struct Device {
    /// Its last hello.
    pub introduction: Option<Introduction>,
    /// The game at whose board it is.
    pub game: Option<GameId>,
    /// Its latest start of which a report has been taken.
    pub boot: u32,
    /// Number of the last report taken of that start.
    pub last_report: u32,
    /// Stamp of that report, unwrapped.
    pub last_stamp: Millis,
    /// Charge, where it has told.
    pub battery: Option<u32>,
    /// Its connection was lost, and it has not come back.
    pub lost: bool,
    pub(super) version: Version,
    /// Every game at whose board it has been.
    games: BTreeSet<GameId>,
    /// Where each report went, by start; in order of report number.
    taken: BTreeMap<u32, Vec<(u32, Seq)>>,
}

impl Device {
    /// The entry that holds a report, if it has been taken.
    pub fn taken(&self, boot: u32, report: u32) -> Option<Seq> {
        let reports = self.taken.get(&boot)?;
        reports.binary_search_by_key(&report, |(n, _)| *n).ok().map(|i| reports[i].1)
    }

    /// Number of the last report taken of a start; 0 where none was.
    pub fn last_of(&self, boot: u32) -> u32 {
        self.taken.get(&boot).and_then(|reports| reports.last()).map_or(0, |(n, _)| *n)
    }

    /// The game as a report with this stamp meets it: the first one of a new start compares with nothing before it.
    pub fn as_stamped<'a>(&self, game: &'a Game, stamp: &DeviceStamp) -> Cow<'a, Game> {
        if stamp.boot == self.boot {
            return Cow::Borrowed(game);
        }
        let mut anew = game.clone();
        anew.begin_timeline_of(game.side_of(stamp.device));
        Cow::Owned(anew)
    }

    /// Where each side of the game has a device of its own, what this one's stamp says in that.
    pub fn own(&self, game: &Game, stamp: &DeviceStamp) -> Option<Own> {
        game.side_of(stamp.device).map(|side| Own { side, arrived: stamp.arrived, scale: self.scale() })
    }

    /// Whether it is, or has been, at the board of a game.
    pub fn was_at(&self, game: GameId) -> bool {
        self.games.contains(&game)
    }

    /// Its milliseconds for a thousand of the hall's: 1000 for every real clock.
    pub fn scale(&self) -> u64 {
        self.introduction.as_ref().map_or(1_000, |introduction| introduction.scale)
    }

    /// The instant at which a stamp counts: its own, or, where that cannot be, the last one that was known, so that nobody is charged.
    pub fn believed(&self, game: &Game, stamp: &DeviceStamp) -> Millis {
        let last = game.clock.running().map(|running| running.since);
        last.filter(|_| stamp.ahead(self.scale()).is_some()).unwrap_or(stamp.at)
    }

    /// It is at the board of a game from now on, or at none.
    pub(super) fn moves_to(&mut self, game: Option<GameId>) {
        self.game = game;
        self.games.extend(game);
    }

    pub(super) fn took(&mut self, stamp: &DeviceStamp, seq: Seq) {
        self.taken.entry(stamp.boot).or_default().push((stamp.report, seq));
        self.boot = stamp.boot;
        self.last_report = stamp.report;
        // What is not believed is no measure for what comes after it.
        if stamp.ahead(self.scale()).is_none() {
            self.last_stamp = stamp.at;
        }
    }

    pub(super) fn said(&mut self, entry: &DeviceEntry) {
        match entry {
            DeviceEntry::Introduced(introduction) => self.introduction = Some(introduction.clone()),
            DeviceEntry::Battery { percent } => self.battery = Some(*percent),
            DeviceEntry::Lost => self.lost = true,
            DeviceEntry::Back => self.lost = false,
            DeviceEntry::Restarted | DeviceEntry::Leapt { .. } | DeviceEntry::Drifts { .. } => {}
        }
    }

    pub(super) fn canonical(&self) -> String {
        let (game, stamp) = (self.game.map_or(0, |g| g.0), self.last_stamp.0);
        let lost = if self.lost { " lost" } else { "" };
        format!("{:?} game {game} boot {} report {} at {stamp} battery {:?}{lost}", self.introduction, self.boot, self.last_report, self.battery)
    }
}

impl Batch<'_> {
    /// A report: taken once, in order. Gives the entry that holds it where it was taken before.
    pub(super) fn report(&mut self, previous: u32, game: Option<GameId>, report: Report) -> Result<Option<Seq>, Refusal> {
        let Some(mut stamp) = self.origin.stamp else {
            return Err(Refusal::Unreadable { field: "stamp", why: "a report carries its device's stamp".to_string() });
        };
        let device = match self.venue.devices.get(&stamp.device) {
            Some(device) => device,
            None => return Err(Refusal::NoSuch { what: "device", name: stamp.device.0.to_string() }),
        };
        if let Some(seq) = device.taken(stamp.boot, stamp.report) {
            return Ok(Some(seq));
        }
        if !device.game.and_then(|game| self.venue.table(game)).is_some_and(|table| table.game.has_two()) {
            // Only there does it matter when by the hall's time something happened.
            stamp.arrived = stamp.arrived.map(|came| Estimate { hall: None, ..came });
            self.origin.stamp = Some(stamp);
        }
        if stamp.boot == 0 || stamp.report == 0 {
            return Err(Refusal::Unreadable { field: "report", why: "boots and reports are numbered from 1".to_string() });
        }
        if stamp.boot < device.boot {
            return Err(Refusal::OldBoot { boot: stamp.boot, now: device.boot });
        }
        let last = device.last_of(stamp.boot);
        if previous != last || stamp.report <= last {
            return Err(Refusal::Gap { boot: stamp.boot, last });
        }
        let rebooted = stamp.boot > device.boot;
        if let (Some(wrap), false) = (device.introduction.as_ref().and_then(|i| i.wrap), rebooted) {
            let at = wrap.unwrapped(stamp.at, device.last_stamp);
            // A leap that would cost the game, and may be none: it stands as it reads, backwards, and the arbiter is asked.
            let game = device.game.and_then(|game| self.venue.table(game)).map(|table| &table.game);
            let falls = game.filter(|game| game.phase == Phase::Running).and_then(|game| game.clock.falls_at());
            if !(wrap.is_doubtful(at, device.last_stamp) && falls.is_some_and(|zero| zero <= at)) {
                stamp.at = at;
                self.origin.stamp = Some(stamp);
            }
        }
        if stamp.at > MAX_STAMP {
            return Err(Refusal::Unreadable { field: "at_ms", why: format!("a stamp of at most {} ms", MAX_STAMP.0) });
        }
        match report {
            Report::Battery { percent } if percent > 100 => return Err(Refusal::Unreadable { field: "percent", why: "0 to 100".to_string() }),
            Report::Battery { percent } => self.put(Subject::Device(stamp.device), Payload::Device(DeviceEntry::Battery { percent })),
            Report::Fact(Fact::Belated { .. }) => {
                return Err(Refusal::Unreadable { field: "fact", why: "what only the daemon finds out".to_string() });
            }
            Report::Fact(Fact::Restart) if device.game.is_none() => self.put(Subject::Device(stamp.device), Payload::Device(DeviceEntry::Restarted)),
            Report::Fact(Fact::Restart) => self.fact(device, stamp, Fact::Restart, rebooted)?,
            Report::Fact(fact) if game == device.game => self.fact(device, stamp, fact, rebooted)?,
            Report::Fact(fact) => self.belated(device, stamp, game, fact)?,
            Report::Seal { by, note } => {
                let game = game.filter(|_| game == device.game).ok_or(Refusal::NotAssigned { device: stamp.device })?;
                let fact = self.sealed(game, by, &note)?;
                self.fact(device, stamp, fact, rebooted)?;
            }
        }
        Ok(None)
    }

    fn fact(&mut self, device: &Device, stamp: DeviceStamp, fact: Fact, rebooted: bool) -> Result<(), Refusal> {
        let id = device.game.ok_or(Refusal::NotAssigned { device: stamp.device })?;
        let table = self.venue.table(id).ok_or_else(|| no_game(id))?;
        let wall = self.at.wall;
        let own = device.own(&table.game, &stamp);
        // What befalls a device whose side stands concerns no clock.
        let at_work = table.game.is_at_work(own.map(|own| own.side));
        if fact == Fact::Restart {
            let entries = game::decide(&table.game, game::Input::Fact(fact), When { at: None, own }, wall)?;
            self.game(id, entries);
            return Ok(());
        }
        let mut game = device.as_stamped(&table.game, &stamp).into_owned();
        let ran = own.is_none_or(|own| table.game.running() == Some(own.side));
        if rebooted && ran && table.game.phase == Phase::Running {
            // A device that has restarted and does not say so: its stamps begin anew all the same.
            game = table.game.clone();
            self.daemon_finds(&mut game, Fact::Restart)?;
        }
        let at = device.believed(&game, &stamp);
        let entries = game::decide(&game, game::Input::Fact(fact), When { at: Some(at), own }, wall)?;
        entries.iter().for_each(|entry| game.evolve(Seq(0), entry));
        self.game(id, entries);
        if let Some(by) = stamp.ahead(device.scale()).filter(|_| !rebooted && at_work && game.phase == Phase::Running) {
            self.daemon_finds(&mut game, Fact::Leap { by })?;
        }
        Ok(())
    }

    /// What happened at a board at which the device is not any more: noted there, whatever it does now.
    fn belated(&mut self, device: &Device, stamp: DeviceStamp, game: Option<GameId>, fact: Fact) -> Result<(), Refusal> {
        let id = game.filter(|game| device.was_at(*game)).ok_or(Refusal::NotAssigned { device: stamp.device })?;
        let table = self.venue.table(id).ok_or_else(|| no_game(id))?;
        let entries = game::decide(&table.game, game::Input::Fact(Fact::Belated { fact: Box::new(fact) }), None, self.at.wall)?;
        self.game(id, entries);
        Ok(())
    }

    /// What a report tells that it does not say, in the daemon's own name.
    fn daemon_finds(&mut self, game: &mut Game, fact: Fact) -> Result<(), Refusal> {
        let entries = game::decide(game, game::Input::Fact(fact), None, self.at.wall)?;
        entries.iter().for_each(|entry| game.evolve(Seq(0), entry));
        let (origin, key) = (std::mem::replace(&mut self.origin, Origin::daemon()), self.key.take());
        self.game(game.id, entries);
        (self.origin, self.key) = (origin, key);
        Ok(())
    }

    /// What the daemon noticed about a device. A time that leapt stops the clocks that it keeps.
    pub(super) fn noticed(&mut self, id: DeviceId, noticed: Noticed) -> Result<(), Refusal> {
        let device = self.venue.devices.get(&id).ok_or_else(|| Refusal::NoSuch { what: "device", name: id.0.to_string() })?;
        let entry = match noticed {
            Noticed::Lost => DeviceEntry::Lost,
            Noticed::Back => DeviceEntry::Back,
            Noticed::Leapt { by } => DeviceEntry::Leapt { by },
            Noticed::Drifts { ppm } => DeviceEntry::Drifts { ppm },
        };
        if matches!(noticed, Noticed::Lost) == device.lost && matches!(noticed, Noticed::Lost | Noticed::Back) {
            return Ok(());
        }
        self.put(Subject::Device(id), Payload::Device(entry));
        let table = device.game.and_then(|game| self.venue.table(game)).filter(|table| table.game.phase == Phase::Running);
        let table = table.filter(|table| table.game.is_at_work(table.game.side_of(id)));
        if let (Noticed::Leapt { by }, Some(table)) = (noticed, table) {
            let entries = game::decide(&table.game, game::Input::Fact(Fact::Leap { by }), None, self.at.wall)?;
            self.game(table.game.id, entries);
        }
        Ok(())
    }

    pub(super) fn hello(&mut self, device: DeviceId, introduction: Introduction) -> Result<(), Refusal> {
        if device.0 == 0 {
            return Err(Refusal::Unreadable { field: "device", why: "the maker's serial number, from 1".to_string() });
        }
        for (field, text) in [("model", &introduction.model), ("firmware", &introduction.firmware)] {
            if text.len() > MAX_NAME || text.chars().any(char::is_control) {
                return Err(Refusal::Unreadable { field, why: format!("at most {MAX_NAME} bytes of text without control characters") });
            }
        }
        if introduction.wrap.is_some_and(|wrap| wrap.0 > MAX_WRAP) {
            return Err(Refusal::Unreadable { field: "wrap_us", why: format!("at most {MAX_WRAP}") });
        }
        if !SCALES.contains(&introduction.scale) {
            return Err(Refusal::Unreadable { field: "time_scale", why: format!("{} to {}; 1000 for a real clock", SCALES.start(), SCALES.end()) });
        }
        let known = self.venue.devices.get(&device).and_then(|d| d.introduction.as_ref());
        if known != Some(&introduction) {
            self.put(Subject::Device(device), Payload::Device(DeviceEntry::Introduced(introduction)));
        }
        Ok(())
    }

    /// Games that are over let devices go, so that they never come back to life with a clock that is elsewhere.
    pub(super) fn let_go(&mut self, going: &[DeviceId]) {
        let games: BTreeSet<GameId> = going.iter().filter_map(|device| self.venue.devices.get(device)?.game).collect();
        for table in games.into_iter().filter_map(|game| self.venue.table(game)).filter(|table| table.game.is_finished()) {
            let stays = table.game.devices().find(|at_board| !going.contains(at_board));
            if table.game.devices().any(|at_board| going.contains(&at_board)) {
                let gone = game::Consequence::ClockReplaced { device: stays };
                self.so(Subject::Game(table.game.id), Payload::Game(game::Entry::Consequence(gone)));
            }
        }
    }

    /// A device may be at one board only.
    pub(super) fn device_is_free(&self, device: DeviceId) -> Result<(), Refusal> {
        let known = self.venue.devices.get(&device).ok_or_else(|| Refusal::NoSuch { what: "device", name: device.0.to_string() })?;
        match known.game {
            Some(game) if self.venue.table(game).is_some_and(|table| !table.game.is_finished()) => Err(Refusal::DeviceElsewhere { device, game }),
            _ => Ok(()),
        }
    }

    pub(super) fn assign(&mut self, device: DeviceId, game: Option<GameId>, side: Option<Color>) -> Result<(), Refusal> {
        let known = self.venue.devices.get(&device).ok_or_else(|| Refusal::NoSuch { what: "device", name: device.0.to_string() })?;
        let there = game.and_then(|game| self.venue.table(game)).map(|table| table.game.side_of(device));
        if known.game == game && there.is_none_or(|there| there == side) {
            return Err(Refusal::Exists { what: "assignment of device", name: device.0.to_string() });
        }
        let playing = |game: &GameId| self.venue.table(*game).filter(|table| !table.game.is_finished());
        if let Some(table) = known.game.as_ref().and_then(playing)
            && table.game.phase == Phase::Running
        {
            return Err(Refusal::DeviceElsewhere { device, game: table.game.id });
        }
        let mut replaced = None;
        if let Some(id) = game {
            let table = self.venue.table(id).ok_or_else(|| no_game(id))?;
            if !matches!(table.game.phase, Phase::Scheduled | Phase::Ready) {
                return Err(Refusal::Unreadable { field: "game", why: "the game has started: rule replace-clock".to_string() });
            }
            if side.is_some() {
                can_have_two(&table.game.regulations)?;
                if table.game.devices().all(|at_board| at_board == device) {
                    let why = "no other device is at the board: put one there first, without a side".to_string();
                    return Err(Refusal::Unreadable { field: "side", why });
                }
            }
            replaced = Some(id);
        } else if side.is_some() {
            return Err(Refusal::Unreadable { field: "side", why: "a side of no board".to_string() });
        }
        self.put(Subject::Device(device), Payload::Admin(Admin::DeviceAssigned { device, game, side }));
        self.let_go(&[device]);
        let put = |consequence| Payload::Game(game::Entry::Consequence(consequence));
        if let Some(table) = known.game.as_ref().and_then(playing) {
            self.so(Subject::Game(table.game.id), put(game::Consequence::ClockReplaced { device: without(&table.game, device) }));
        }
        if let Some(id) = replaced {
            let replaced = match side {
                Some(color) => game::Consequence::OwnClockReplaced { color, device },
                None => game::Consequence::ClockReplaced { device: Some(device) },
            };
            self.so(Subject::Game(id), put(replaced));
        }
        Ok(())
    }
}

impl Venue {
    /// A game's time is kept by other devices than `before` from now on.
    pub(super) fn moved_devices(&mut self, game: GameId, before: &[DeviceId]) {
        let now: Vec<DeviceId> = self.table(game).map(|table| table.game.devices().collect()).unwrap_or_default();
        for old in before.iter().filter(|old| !now.contains(old)) {
            if let Some(old) = self.devices.get_mut(old).filter(|old| old.game == Some(game)) {
                old.moves_to(None);
            }
        }
        // One that stays at a board that is over may be at another one already.
        for new in now.iter().filter(|new| !before.contains(new)) {
            self.devices.entry(*new).or_default().moves_to(Some(game));
        }
    }
}

/// The device that keeps the time of both sides when this one is gone.
fn without(game: &Game, device: DeviceId) -> Option<DeviceId> {
    game.devices().find(|left| *left != device)
}

/// Whether each side can have a device of its own: an hourglass moves time between the two at every instant.
pub(super) fn can_have_two(regulations: &Regulations) -> Result<(), Refusal> {
    if regulations.control.period(Color::White, 0).bonus == Bonus::Hourglass {
        let why = "in an hourglass what one side uses the other one gains: both sides are in one device".to_string();
        return Err(Refusal::Unreadable { field: "device", why });
    }
    Ok(())
}
