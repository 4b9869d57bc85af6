//! The daemon as a process: it takes what waits, lets the writer decide, commits, tells, and can be killed in between.

use std::collections::{BTreeMap, VecDeque};

use prost::Message;

use super::Bug;
use super::check::Check;
use super::disk::Disk;
use super::env::{Env, Event, Post};
use super::session::Session;
use super::tampered;
use crate::board::mating::Budget;
use crate::clock::{Millis, WallTime};
use crate::game::{self, DeviceId, Fact, GameId, Seq};
use crate::service::{self, Devices, Filter};
use crate::venue::{At, Command, DeviceStamp, Entry, Input, Key, Noticed, Origin, Refusal, Role, Venue};
use crate::wire::v1::{self, clock_order, clock_report, outcome};
use crate::writer::{self, MAX_COMMIT, Taken, Writer};

/// How often the daemon looks what is due, in milliseconds.
const DUE_EVERY: u64 = 1_000;
/// How often it probes, in looks.
const PROBE_EVERY: u64 = 20;
/// The time of day at which the hall opens.
const MORNING: i64 = 1_767_225_600_000;
/// Positions that are looked at for a verdict beside the writer.
const BUDGET: Budget = Budget::DEFAULT;

/// Where an outcome goes.
#[derive(Debug)]
enum Reply {
    Device { device: usize, attempt: u64, boot: u32, number: u32 },
    Asked { key: String },
    Nobody,
}

/// Where the process is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Decided,
    Committing,
    Committed,
    HalfAnswered,
}

type Outcome = Result<Taken, Refusal>;

/// The process, and the disk that outlives it.
pub(super) struct Daemon {
    bug: Option<Bug>,
    writer: Writer,
    pub(super) disk: Disk,
    pub(super) up: bool,
    started: u64,
    looks: u64,
    devices: Devices,
    sessions: BTreeMap<DeviceId, Session>,
    hellos: Vec<(usize, u64, v1::Hello)>,
    /// Where each reader is, as far as the daemon knows.
    pub(super) cursors: BTreeMap<usize, (Seq, Filter)>,
    inbox: VecDeque<(Post, At)>,
    own: VecDeque<(Command, At)>,
    /// When what is decided now came.
    came: At,
    told: BTreeMap<GameId, Millis>,
    /// Where the process is killed during this work.
    fate: Option<Fate>,
}

impl Daemon {
    pub(super) fn new(bug: Option<Bug>) -> Daemon {
        Daemon {
            bug,
            writer: Writer::default(),
            disk: Disk::new(bug),
            up: false,
            started: 0,
            looks: 0,
            devices: Devices::default(),
            sessions: BTreeMap::new(),
            hellos: Vec::new(),
            cursors: BTreeMap::new(),
            came: At { wall: WallTime(MORNING), hall: Millis::ZERO },
            inbox: VecDeque::new(),
            own: VecDeque::new(),
            told: BTreeMap::new(),
            fate: None,
        }
    }

    pub(super) fn bug(&self) -> Option<Bug> {
        self.bug
    }

    /// The venue, of which everything is durable between two events.
    pub(super) fn venue(&self) -> Option<&Venue> {
        self.up.then(|| self.writer.venue())
    }

    fn at(&self, env: &Env) -> At {
        At { wall: WallTime(MORNING + env.now as i64), hall: Millis(env.now - self.started) }
    }

    /// A message has come.
    pub(super) fn receives(&mut self, post: Post, env: &mut Env) {
        if self.up {
            self.inbox.push_back((post, self.at(env)));
            env.wake_daemon();
        }
    }

    /// The process is gone with everything that was only in memory.
    pub(super) fn dies(&mut self, env: &mut Env) {
        env.note(|| "the daemon dies".to_string());
        self.up = false;
        for (device, session) in std::mem::take(&mut self.sessions) {
            let notices = env.chance.between(50, 5_000);
            env.after(notices, Event::LineLost { device: device.0 as usize - 1, line: session.line });
        }
        self.writer = Writer::default();
        self.inbox.clear();
        self.own.clear();
        self.hellos.clear();
        self.cursors.clear();
        self.told.clear();
        self.fate = None;
        let wait = env.chance.between(300, 15_000);
        env.after(wait, Event::Starts);
    }

    /// The process starts on what is on the disk.
    pub(super) fn starts(&mut self, env: &mut Env, check: &mut Check) {
        if self.up {
            return;
        }
        self.disk.open();
        env.note(|| format!("the daemon starts on {} entries", self.disk.head().0));
        env.counts.starts += 1;
        let reader = self.disk.reader();
        check.starts(&*reader, self.disk.head());
        let venue = match tampered::replay(&*reader, self.bug) {
            Ok(venue) => venue,
            Err(e) => return check.breaks(super::Invariant::ChainHolds, || e.to_string()),
        };
        check.lives(&venue, true);
        env.counts.digests += 1;
        self.writer = Writer::new(venue);
        self.devices = Devices::default();
        (self.started, self.looks) = (env.now, 0);
        let started = Command { origin: Origin::daemon(), key: None, seen: None, input: Input::Started { build: "simulation".to_string() } };
        let at = self.at(env);
        self.came = at;
        let decided = self.writer.decide(&*reader, started, at);
        debug_assert!(matches!(decided, Ok(Ok(_))), "a start is always taken");
        self.up = true;
        if self.commit(env, check).is_some() {
            env.after(DUE_EVERY, Event::Due);
        }
    }

    /// Takes what waits, decides each in turn, commits once, then answers.
    pub(super) fn works(&mut self, env: &mut Env, check: &mut Check) {
        if !self.up {
            return;
        }
        let mut replies: Vec<(Reply, Outcome)> = Vec::new();
        while self.writer.has_room() && replies.len() < MAX_COMMIT {
            let Some((post, came)) = self.inbox.pop_front() else { break };
            self.came = self.came.not_before(came);
            replies.extend(self.takes(post, env));
        }
        while self.writer.has_room() {
            let Some((command, came)) = self.own.pop_front() else { break };
            self.came = self.came.not_before(came);
            // Nobody waits for the outcome of what the daemon tells itself.
            let _ = self.decide(command);
        }
        if !self.inbox.is_empty() {
            env.wake_daemon();
        }
        self.fate = self.fate_of(env);
        if self.fate == Some(Fate::Decided) {
            return self.dies(env);
        }
        if self.bug == Some(Bug::AckBeforeCommit) {
            replies.drain(..).for_each(|(reply, outcome)| answer(reply, &outcome, env));
        }
        let Some(entries) = self.commit(env, check) else { return };
        self.tell(&entries, env);
        let told = if self.fate == Some(Fate::HalfAnswered) { replies.len() / 2 } else { replies.len() };
        replies.drain(..told).for_each(|(reply, outcome)| answer(reply, &outcome, env));
        if self.fate == Some(Fate::HalfAnswered) {
            return self.dies(env);
        }
        self.ponder(env);
    }

    /// Whether the process is killed during this work, and where.
    fn fate_of(&self, env: &mut Env) -> Option<Fate> {
        let killed = env.is_open() && env.chance.happens(env.weather.kills_at_work);
        env.counts.kills_at_work += u64::from(killed);
        killed.then(|| *env.chance.one_of(&[Fate::Decided, Fate::Committing, Fate::Committed, Fate::HalfAnswered]))
    }

    /// Makes durable what is decided. `None`: the process is gone.
    fn commit(&mut self, env: &mut Env, check: &mut Check) -> Option<Vec<Entry>> {
        let (first, mut bodies, entries) = self.writer.take_pending();
        if bodies.is_empty() {
            return Some(entries);
        }
        let tampered = tampered::commit(self.bug, &entries, &mut bodies);
        check.tries(first, bodies.len());
        if self.bug == Some(Bug::ShownBeforeCommit) {
            self.shows(first, &bodies, env);
        }
        if self.fate == Some(Fate::Committing) {
            self.disk.killed_within(env, first, &bodies);
            self.dies(env);
            return None;
        }
        if let Err(e) = self.disk.append(env, first, &bodies) {
            env.note(|| format!("the log failed at entry {}: {e}", first.0));
            self.dies(env);
            return None;
        }
        env.counts.commits += 1;
        env.committed = env.now;
        check.follow(&*self.disk.reader());
        if tampered && matches!(self.bug, Some(Bug::WrongScore | Bug::PaysTooMuch)) {
            // The daemon believes it too: only who decides it again can tell.
            self.writer = Writer::new(writer::replay(&*self.disk.reader(), None, &mut |_| {}).unwrap_or_default());
        }
        check.lives(self.writer.venue(), false);
        if self.fate == Some(Fate::Committed) {
            self.dies(env);
            return None;
        }
        Some(entries)
    }

    /// Wakes the devices for which there is something, and opens the streams of those that said hello.
    fn tell(&mut self, entries: &[Entry], env: &mut Env) {
        let venue = self.writer.venue();
        let mut wake: Vec<DeviceId> = entries.iter().flat_map(|entry| service::concerns(venue, entry)).collect();
        let replaced: Vec<GameId> = entries.iter().filter_map(service::replaced).collect();
        wake.extend(self.sessions.iter().filter(|(_, s)| s.told_of().is_some_and(|game| replaced.contains(&game))).map(|(id, _)| *id));
        wake.sort_unstable();
        wake.dedup();
        for device in wake {
            if let Some(session) = self.sessions.get_mut(&device) {
                session.tell(false, venue, self.bug, env);
            }
        }
        for (device, line, hello) in std::mem::take(&mut self.hellos) {
            let id = DeviceId(device as u64 + 1);
            if self.sessions.get(&id).is_some_and(|session| session.line >= line) {
                continue;
            }
            self.devices.connect(id, hello.boot, 1_000);
            let mut session = Session::open(device, line, &hello, venue);
            session.tell(true, venue, self.bug, env);
            session.probe(Millis(env.now - self.started), env);
            self.sessions.insert(id, session);
        }
    }

    fn decide(&mut self, command: Command) -> Outcome {
        let (reader, at) = (self.disk.reader(), self.came);
        match self.writer.decide(&*reader, command, at) {
            Ok(outcome) => outcome,
            // A log that cannot be read is found by whoever reads it next.
            Err(e) => Err(Refusal::Unreadable { field: "log", why: e.to_string() }),
        }
    }

    fn takes(&mut self, post: Post, env: &mut Env) -> Option<(Reply, Outcome)> {
        match post {
            Post::Device { device, line, attempt, sent, bytes } => {
                let message = v1::ClockReport::decode(&*bytes).ok()?;
                let id = DeviceId(message.device);
                match message.kind? {
                    clock_report::Kind::Hello(hello) => {
                        let introduction = hello.introduction.clone()?.into();
                        let input = Input::Hello { device: id, introduction };
                        let origin = Origin::new(Role::Clock, String::new());
                        let outcome = self.decide(Command { origin, key: None, seen: None, input });
                        if outcome.is_ok() {
                            self.hellos.push((device, line, hello));
                        }
                        Some((Reply::Nobody, outcome))
                    }
                    clock_report::Kind::Report(report) => {
                        let (boot, number) = (report.boot, report.number);
                        let mut command = service::report(Origin::new(Role::Clock, String::new()), id, report).ok()?;
                        let arrived = self.devices.came(id, boot, Millis(env.now - self.started));
                        command.origin.stamp = command.origin.stamp.map(|stamp| DeviceStamp { arrived, ..stamp });
                        let outcome = self.reported(command, env.now - sent);
                        if let Some(session) = self.sessions.get_mut(&id).filter(|session| outcome.is_ok() && session.line == line) {
                            session.acked = session.acked.max((boot, number));
                        }
                        Some((Reply::Device { device, attempt, boot, number }, outcome))
                    }
                    clock_report::Kind::ProbeAnswer(answer) => {
                        let received = Millis(env.now - self.started);
                        let session = self.sessions.get_mut(&id).filter(|session| session.line == line)?;
                        let by = session.probed(&answer, received, self.writer.venue(), &self.devices)?;
                        let input = Input::Noticed { device: id, noticed: Noticed::Leapt { by } };
                        Some((Reply::Nobody, self.decide(Command { origin: Origin::daemon(), key: None, seen: None, input })))
                    }
                }
            }
            Post::Console { bytes } => {
                let request = v1::ConsoleRequest::decode(&*bytes).ok()?;
                let (key, command) = service::asked(Origin::new(Role::Arbiter, request.arbiter), request.kind).ok()?;
                let mut outcome = self.decide(command.clone());
                if self.bug == Some(Bug::RuledTwice) && outcome.as_ref().is_ok_and(|taken| taken.repeated) {
                    outcome = self.decide(Command { key: None, ..command });
                }
                Some((Reply::Asked { key }, outcome))
            }
            Post::Office { command } => {
                let key = command.key.clone().map_or_else(String::new, |Key(key)| key);
                let outcome = self.decide(*command);
                Some((Reply::Asked { key }, outcome))
            }
        }
    }

    /// A device's report, and what a bug makes of it.
    fn reported(&mut self, mut command: Command, late: u64) -> Outcome {
        if let (Some(Bug::DelayCharged), Some(stamp)) = (self.bug, &mut command.origin.stamp) {
            stamp.at.0 += late;
        }
        if let (Some(Bug::TakenElsewhere), Some(stamp), Input::Report { game, .. }) = (self.bug, &command.origin.stamp, &mut command.input) {
            *game = self.writer.venue().devices().get(&stamp.device).and_then(|device| device.game).or(*game);
        }
        let outcome = self.decide(command.clone());
        let Some(stamp) = &mut command.origin.stamp else { return outcome };
        match (self.bug, &outcome, &mut command.input) {
            (Some(Bug::GapAccepted), Err(Refusal::Gap { last, .. }), Input::Report { previous, .. }) => *previous = *last,
            (Some(Bug::TakenTwice), Ok(Taken { repeated: true, .. }), Input::Report { previous, .. }) => {
                let last = self.writer.venue().devices().get(&stamp.device).map_or(0, |device| device.last_of(stamp.boot));
                (*previous, stamp.report) = (last, last + 1);
            }
            _ => return outcome,
        }
        self.decide(command)
    }

    /// What happens because time passes.
    pub(super) fn looks(&mut self, env: &mut Env) {
        if !self.up {
            return;
        }
        env.after(DUE_EVERY, Event::Due);
        let at = self.at(env);
        let venue = self.writer.venue();
        for (game, since, fact) in service::due(&self.devices, venue, at, at.hall) {
            if matches!(fact, Fact::Silence { .. }) && self.told.insert(game, since) == Some(since) {
                continue;
            }
            let mut command =
                Command { origin: Origin::daemon(), key: None, seen: None, input: Input::Game { game, input: game::Input::Fact(fact) } };
            if self.bug == Some(Bug::FlagByArrival) {
                command = tampered::flag(venue, game).unwrap_or(command);
            }
            self.own.push_back((command, at));
            env.wake_daemon();
        }
        self.looks += 1;
        if self.looks.is_multiple_of(PROBE_EVERY) {
            self.sessions.values_mut().for_each(|session| session.probe(at.hall, env));
        }
    }

    /// Answers the open questions of who can still mate.
    fn ponder(&mut self, env: &mut Env) {
        for (game, ply, position, first) in service::open_questions(self.writer.venue()) {
            let mating = game::who_can_mate(&position, first, BUDGET);
            let fact = Fact::Verdict { ply, position: game::named(&position), mating };
            let input = Input::Game { game, input: game::Input::Fact(fact) };
            let command = Command { origin: Origin::daemon(), key: None, seen: None, input };
            self.own.push_back((command, self.at(env)));
            env.wake_daemon();
        }
    }

    /// A page for a reader: from where to where, and what it may see there.
    pub(super) fn page(&mut self, reader: usize, role: Role) -> Result<(u64, u64, Vec<v1::Entry>), writer::Error> {
        let head = self.disk.head();
        let Some((cursor, filter)) = self.cursors.get_mut(&reader) else { return Ok((0, 0, Vec::new())) };
        let from = *cursor;
        let role = if self.bug == Some(Bug::NothingWithheld) { Role::Arbiter } else { role };
        let (mut entries, to) = service::page(&*self.disk.reader(), role, filter, from, head)?;
        *cursor = to;
        if self.bug == Some(Bug::EntrySkipped) && to.0 > 300 {
            entries.pop();
        }
        Ok((from.0, to.0, entries))
    }

    /// Shows readers what is not committed.
    fn shows(&mut self, first: Seq, bodies: &[Vec<u8>], env: &mut Env) {
        for (reader, (cursor, _)) in &mut self.cursors {
            // Feeds would be shown what is not public as well.
            if cursor.0 + 1 != first.0 || reader.is_multiple_of(2) {
                continue;
            }
            let (from, to) = (cursor.0, cursor.0 + bodies.len() as u64);
            cursor.0 = to;
            let entries = tampered::chained(self.disk.tip(), bodies);
            env.after(1, Event::Page { reader: *reader, line: 0, from, to, entries });
        }
    }
}

fn answer(reply: Reply, outcome: &Outcome, env: &mut Env) {
    match reply {
        Reply::Nobody => {}
        Reply::Device { device, attempt, boot, number } => {
            let order = match outcome {
                Ok(_) => v1::ClockOrder { acked_boot: boot, acked_report: number, kind: None },
                Err(refusal) => {
                    let last = if let Refusal::Gap { last, .. } = refusal { *last } else { 0 };
                    let (code, text) = (refusal.code().to_string(), refusal.to_string());
                    let refused = v1::ReportRefused { boot, number, status: 0, code, text, last };
                    v1::ClockOrder { kind: Some(clock_order::Kind::Refused(refused)), ..Default::default() }
                }
            };
            env.carry(device, &Event::Answer { device, attempt, bytes: order.encode_to_vec() });
        }
        Reply::Asked { key } => {
            let kind = match outcome {
                Ok(taken) => outcome::Kind::Taken(v1::Taken { seq: taken.seq.0, version: taken.version.0, waits: taken.waits }),
                Err(refusal) => {
                    outcome::Kind::Refused(v1::Refused { code: refusal.code().to_string(), text: refusal.to_string(), ..Default::default() })
                }
            };
            let bytes = v1::Outcome { key: key.clone(), kind: Some(kind) }.encode_to_vec();
            let console = env.console();
            env.carry(console, &Event::Outcome { key, bytes });
        }
    }
}
