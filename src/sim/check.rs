//! What is checked after every step: the truth that the devices know, against the log, what was answered and what was shown.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use super::device::Written;
use super::time_kept::Kept;
use super::{Broken, Invariant, flags, over};
use crate::audit::{Audit, Versions};
use crate::clock::{Millis, Wrap};
use crate::disclosure;
use crate::game::{self, Fact, GameId, Seq};
use crate::log::{self, Chain, Reader};
use crate::venue::{self, Admin, Command, DeviceStamp, Entry, Groups, Input, Origin, Payload, Report, Role, Subject, Venue};
use crate::wire::{self, v1};
use crate::writer;

/// Why a device's report may be refused for good: it is at no board any more.
const MAY_BE_REFUSED: [&str; 1] = ["not-assigned"];
/// Of how many entries one has its game compared at once with the state that the daemon lives.
const COMPARED: u64 = 8;

/// The invariants and what they need to know.
#[derive(Debug, Default)]
pub(super) struct Check {
    broken: Option<Broken>,
    written: BTreeMap<(u64, u32), Vec<Written>>,
    refused: BTreeSet<(u64, u32, u32)>,
    /// Up to where each device was told that its reports are durable.
    acked: BTreeMap<(u64, u32), u32>,
    /// Requests that were answered as taken.
    answered: BTreeMap<String, u64>,
    /// The last entry that any reader was shown.
    shown: Option<(Seq, Chain)>,
    /// The last commit that was tried.
    tried: (Seq, usize),
    /// The log as far as it has been looked at, replayed as it came.
    venue: Venue,
    audit: Audit,
    versions: Versions,
    taken: BTreeMap<(u64, u32), u32>,
    keys: BTreeMap<String, Seq>,
    kept: BTreeMap<GameId, Kept>,
    groups: Groups,
    /// Games of which something has been read since they were compared.
    touched: BTreeSet<GameId>,
    pub(super) flags: u64,
    pub(super) belated: u64,
    pub(super) bytes: u64,
}

impl Check {
    /// An invariant does not hold. The first one counts.
    pub(super) fn breaks(&mut self, invariant: Invariant, how: impl FnOnce() -> String) {
        if self.broken.is_none() {
            self.broken = Some(Broken { invariant, how: how() });
        }
    }

    pub(super) fn take_broken(&mut self) -> Option<Broken> {
        self.broken.take()
    }

    /// Whether a game's clocks stood as last known once, and not as its device showed them.
    pub(super) fn as_last_known(&self, game: GameId) -> bool {
        self.kept.get(&game).is_some_and(|kept| kept.as_last_known)
    }

    /// A device has written a report.
    pub(super) fn wrote(&mut self, device: u64, written: Written) {
        self.written.entry((device, written.report.boot)).or_default().push(written);
    }

    /// A device was told that a report will not be taken.
    pub(super) fn refused(&mut self, device: u64, (boot, number): (u32, u32), code: &str) {
        self.refused.insert((device, boot, number));
        if !MAY_BE_REFUSED.contains(&code) {
            self.breaks(Invariant::StampsAreTheDevices, || format!("report {number} of boot {boot} of device {device} is refused: {code}"));
        }
    }

    /// A device was told that everything up to a report is durable.
    pub(super) fn acked(&mut self, device: u64, boot: u32, number: u32) {
        let acked = self.acked.entry((device, boot)).or_default();
        *acked = number.max(*acked);
        self.is_taken(device, boot, number);
    }

    fn is_taken(&mut self, device: u64, boot: u32, number: u32) {
        let last = self.taken.get(&(device, boot)).copied().unwrap_or(0);
        if last < number {
            self.breaks(Invariant::AckedIsDurable, || {
                format!("report {number} of boot {boot} of device {device} was acknowledged, and the log ends at report {last} of it")
            });
        }
    }

    /// A request was answered as taken.
    pub(super) fn answered(&mut self, key: &str, seq: u64) {
        self.answered.insert(key.to_string(), seq);
        self.is_recorded(key, seq);
    }

    fn is_recorded(&mut self, key: &str, seq: u64) {
        if self.keys.get(key) != Some(&Seq(seq)) {
            self.breaks(Invariant::AckedIsDurable, || format!("request {key} was answered as entry {seq}, and that is not in the log"));
        }
    }

    /// Reads what has become durable.
    pub(super) fn follow(&mut self, reader: &dyn Reader) {
        let mut found = Vec::new();
        let scanned = reader.scan(self.venue.head(), &mut |stored| {
            found.push((writer::read(stored.seq, stored.body), stored.body.len() as u64));
            ControlFlow::Continue(())
        });
        if let Err(e) = scanned {
            self.breaks(Invariant::ChainHolds, || e.to_string());
        }
        for (entry, bytes) in found {
            match entry {
                Ok(entry) => self.entry(entry),
                Err(e) => self.breaks(Invariant::ChainHolds, || e.to_string()),
            }
            self.bytes += bytes;
        }
        let last = self.groups.end();
        self.close(&last);
    }

    fn entry(&mut self, entry: Entry) {
        let group = self.groups.entry(entry.clone());
        group.into_iter().for_each(|group| self.close(&group));
        if let Err(e) = self.versions.entry(&entry) {
            self.breaks(Invariant::VersionsHaveNoGap, || e.to_string());
        }
        self.audit.entry(entry);
    }

    /// An input and all that follows from it.
    fn close(&mut self, group: &[Entry]) {
        let Some(input) = group.iter().find(|entry| entry.origin.is_some()) else {
            if let Some(first) = group.first() {
                self.breaks(Invariant::CommitsAreWhole, || format!("entry {} follows from none that is with it", first.seq.0));
            }
            return;
        };
        let stamp = input.origin.as_ref().and_then(|origin| origin.stamp);
        let device = stamp.filter(|stamp| stamp.device.0 != 0);
        let written = device.and_then(|stamp| self.written_as(&stamp)).cloned();
        for entry in group {
            if let Some(how) = flags::fell(entry, device.as_ref(), written.as_ref(), &self.venue) {
                self.breaks(Invariant::FlagsFellOnTheClock, || format!("entry {}: {how}", entry.seq.0));
            }
        }
        if let Some(stamp) = device {
            self.report(input, &stamp, written.as_ref());
        }
        self.keyed(input);
        self.time(group, stamp.map(|stamp| self.counts_at(&stamp)));
        for entry in group {
            if let Some(how) = over::stirs(&self.venue, entry) {
                self.breaks(Invariant::OverIsOver, || format!("entry {}: {how}", entry.seq.0));
            }
            if let Subject::Game(game) = entry.subject {
                self.touched.insert(game);
            }
            self.flags += u64::from(flags::is_fall(entry));
            self.venue.evolve(entry);
        }
        self.time_stands(group);
    }

    /// The instant at which a stamp counts: where it lies ahead of its own arrival, the last one that was known.
    fn counts_at(&self, stamp: &DeviceStamp) -> Millis {
        let device = self.venue.devices().get(&stamp.device);
        let game = device.and_then(|device| self.venue.table(device.game?));
        device.zip(game).map_or(stamp.at, |(device, table)| device.believed(&table.game, stamp))
    }

    fn written_as(&self, stamp: &DeviceStamp) -> Option<&Written> {
        self.written.get(&(stamp.device.0, stamp.boot))?.get(stamp.report.checked_sub(1)? as usize)
    }

    /// A report in the log is the one that the device wrote, and follows on the one before.
    fn report(&mut self, input: &Entry, stamp: &DeviceStamp, written: Option<&Written>) {
        let (device, boot, number) = (stamp.device.0, stamp.boot, stamp.report);
        let name = || format!("entry {}, report {number} of boot {boot} of device {device}", input.seq.0);
        let last = self.taken.insert((device, boot), number).unwrap_or(0);
        if number <= last {
            self.breaks(Invariant::StampsAreTheDevices, || format!("{}: comes after report {last}", name()));
        }
        if let Some(missing) = (last + 1..number).find(|n| !self.refused.contains(&(device, boot, *n))) {
            self.breaks(Invariant::StampsAreTheDevices, || format!("{}: report {missing} is missing before it", name()));
        }
        let Some(written) = written else {
            return self.breaks(Invariant::StampsAreTheDevices, || format!("{}: the device has written no such report", name()));
        };
        let tells = !matches!(input.payload, Payload::Game(game::Entry::Fact(Fact::Restart)) | Payload::Device(_));
        if tells && input.subject != Subject::Game(GameId(written.report.game)) {
            let name = name();
            let how = format!("{name}: of game {} by the device and of {} in the log", written.report.game, input.subject);
            return self.breaks(Invariant::StampsAreTheDevices, || how);
        }
        self.belated += u64::from(matches!(input.payload, Payload::Game(game::Entry::Fact(Fact::Belated { .. }))));
        // A counter that wraps is cut to milliseconds before the turns are added; turns that passed in silence are not known.
        let wraps = self.venue.devices().get(&stamp.device).and_then(|known| known.introduction.as_ref()?.wrap);
        let off = stamp.at.distance(Millis(written.at)).0;
        let is_off = wraps.map_or(off > 0, |Wrap(range)| (u128::from(off) * 1_000 + 1_500) % u128::from(range) > 3_000);
        if is_off {
            self.breaks(Invariant::StampsAreTheDevices, || format!("{}: stamped {} by the device and {} in the log", name(), written.at, stamp.at.0));
        }
        let kind = written.report.kind.clone();
        let Some(Ok(fact)) = (if let Some(v1::report::Kind::Fact(fact)) = kind { Some(wire::fact(fact)) } else { None }) else { return };
        let said = Input::Report { previous: 0, game: None, report: Report::Fact(fact) };
        if !venue::same(input, &Command { origin: Origin::daemon(), key: None, seen: None, input: said }, None) {
            self.breaks(Invariant::StampsAreTheDevices, || format!("{}: it is not what the device wrote", name()));
        }
    }

    /// What people ask for carries a key, once.
    fn keyed(&mut self, input: &Entry) {
        let people = input.origin.as_ref().is_some_and(|origin| matches!(origin.role, Role::Arbiter | Role::Office));
        match &input.key {
            Some(key) => _ = self.keys.insert(key.0.clone(), input.seq),
            None if people => self.breaks(Invariant::RulingsHoldOnce, || format!("entry {} holds a request a second time", input.seq.0)),
            None => {}
        }
    }

    fn time(&mut self, group: &[Entry], now: Option<Millis>) {
        for entry in group {
            match (&entry.payload, entry.subject) {
                (Payload::Admin(Admin::GameOpened { game, regulations, .. }), _) => {
                    self.kept.insert(*game, Kept::new(regulations));
                }
                (Payload::Game(said), Subject::Game(game)) => {
                    if let Some(how) = self.kept.get_mut(&game).and_then(|kept| kept.hears(said, now)) {
                        self.breaks(Invariant::TimeIsConserved, || format!("entry {} of game {}: {how}", entry.seq.0, game.0));
                    }
                }
                _ => {}
            }
        }
    }

    /// What the entries add up to is what the game's state says.
    fn time_stands(&mut self, group: &[Entry]) {
        let games: BTreeSet<GameId> =
            group.iter().filter_map(|entry| if let Subject::Game(game) = entry.subject { Some(game) } else { None }).collect();
        let head = self.venue.head().0;
        for game in games {
            let Some((kept, table)) = self.kept.get_mut(&game).zip(self.venue.table(game)) else { continue };
            if let Some(how) = kept.stands(&table.game.clock) {
                self.breaks(Invariant::TimeIsConserved, || format!("game {} after entry {head}: {how}", game.0));
            }
        }
    }

    /// What the daemon lives is what its log says: some of the games that have changed, or everything.
    pub(super) fn lives(&mut self, lived: &Venue, all: bool) {
        let touched = std::mem::take(&mut self.touched);
        let digest = |venue: &Venue, game: GameId| venue.table(game).map(|table| table.game.digest());
        let differs = if all {
            (lived.digest() != self.venue.digest()).then(|| "the venue".to_string())
        } else {
            let some = touched.into_iter().filter(|_| self.venue.head().0.is_multiple_of(COMPARED));
            some.map(|game| (game, digest(lived, game) != digest(&self.venue, game)))
                .find(|(_, differs)| *differs)
                .map(|(game, _)| format!("game {}", game.0))
        };
        if let Some(what) = differs {
            let head = self.venue.head().0;
            self.breaks(Invariant::ReplayIsLived, || format!("{what} replayed up to entry {head} is not what the daemon has lived"));
        }
    }

    /// A commit is being tried.
    pub(super) fn tries(&mut self, first: Seq, entries: usize) {
        self.tried = (first, entries);
    }

    /// The daemon starts on a log that ends there.
    pub(super) fn starts(&mut self, reader: &dyn Reader, head: Seq) {
        let (first, entries) = self.tried;
        let whole = entries == 0 || head.0 + 1 == first.0 || head.0 + 1 == first.0 + entries as u64;
        if !whole {
            self.breaks(Invariant::CommitsAreWhole, || {
                format!("of a commit of {entries} entries from {} on the log keeps those up to {}", first.0, head.0)
            });
        }
        let seen = self.venue.head();
        if head < seen {
            self.breaks(Invariant::ShownIsDurable, || format!("the log ended at {} and now at {}", seen.0, head.0));
            return;
        }
        self.follow(reader);
        for ((device, boot), number) in self.acked.clone() {
            self.is_taken(device, boot, number);
        }
        for (key, seq) in self.answered.clone() {
            self.is_recorded(&key, seq);
        }
        if let Some((seq, chain)) = self.shown
            && reader.read(Seq(seq.0 - 1), 1).ok().and_then(|found| found.first().map(|stored| stored.chain)) != Some(chain)
        {
            self.breaks(Invariant::ShownIsDurable, || format!("a reader was shown another entry {}", seq.0));
        }
    }

    /// A page has come to a reader who had everything up to `position`.
    pub(super) fn page(&mut self, reader: &dyn Reader, role: Role, position: u64, (from, to): (u64, u64), entries: &[v1::Entry]) {
        if from != position {
            return self.breaks(Invariant::ReadersSawAll, || format!("a reader who had everything up to {position} is sent what follows {from}"));
        }
        let mut sent = entries.iter().peekable();
        let stored = reader.read(Seq(from), (to - from) as usize).unwrap_or_default();
        for stored in stored {
            let Ok(entry) = writer::read(stored.seq, &stored.body) else { continue };
            let may = disclosure::shown(role, &entry);
            let Some(shown) = sent.next_if(|shown| shown.seq == entry.seq.0) else {
                if may {
                    return self.breaks(Invariant::ReadersSawAll, || format!("a {} is not shown entry {}", role.word(), entry.seq.0));
                }
                continue;
            };
            if !may {
                return self.breaks(Invariant::OnlyPublic, || format!("a {} is shown entry {}: {entry}", role.word(), entry.seq.0));
            }
            let expected = wire::encode_entry(&disclosure::redacted(role, entry));
            if (v1::Entry { chain: stored.chain.0.to_vec(), ..expected }) != *shown {
                return self.breaks(Invariant::ShownIsDurable, || format!("a reader is shown another entry {} than the log's", shown.seq));
            }
        }
        if let Some(more) = sent.next() {
            let invariant = if more.seq > to || more.seq > self.venue.head().0 { Invariant::ShownIsDurable } else { Invariant::ReadersSawAll };
            return self.breaks(invariant, || format!("a reader is shown entry {} out of its place", more.seq));
        }
        let last = entries.last().and_then(|last| Some((Seq(last.seq), Chain(last.chain.clone().try_into().ok()?))));
        self.shown = self.shown.max(last);
    }

    /// The day is over: the whole log once more.
    pub(super) fn ends(&mut self, reader: &dyn Reader, tip: Chain) {
        match log::verify(reader) {
            Ok(verified) if verified.entries == self.venue.head().0 && verified.head == tip => {}
            Ok(verified) => self.breaks(Invariant::ChainHolds, || format!("{} entries with another chain at their end", verified.entries)),
            Err(e) => self.breaks(Invariant::ChainHolds, || e.to_string()),
        }
        for ((device, boot), reports) in std::mem::take(&mut self.written) {
            let last = self.taken.get(&(device, boot)).copied().unwrap_or(0);
            let lost = (last + 1..=reports.len() as u32).find(|n| !self.refused.contains(&(device, boot, *n)));
            if let Some(lost) = lost.filter(|_| !self.is_dead(device)) {
                self.breaks(Invariant::AllSettles, || format!("report {lost} of boot {boot} of device {device} never arrived"));
            }
        }
        let audited = std::mem::take(&mut self.audit).finish();
        if let Some(d) = audited.differences.first() {
            self.breaks(Invariant::AuditAgrees, || format!("entry {} of {}: recorded {:?}, today {:?}", d.seq.0, d.subject, d.recorded, d.today));
        }
        if audited.venue.digest() != self.venue.digest() {
            self.breaks(Invariant::ReplayIsLived, || "the audit has replayed another venue".to_string());
        }
    }

    /// A device is gone for good, with what it had not sent.
    pub(super) fn died(&mut self, device: u64) {
        self.refused.insert((device, 0, 0));
    }

    fn is_dead(&self, device: u64) -> bool {
        self.refused.contains(&(device, 0, 0))
    }
}
