//! The one writer: it owns the venue and the log, decides and evolves each input in turn, and
//! commits all of them at once.
//!
//! A plain synchronous value. Nothing that it decided may be told to anyone before [`Writer::commit`].

use std::ops::ControlFlow;
use std::sync::mpsc;

use crate::game::{GameId, Seq};
use crate::log::{self, Log};
use crate::venue::{self, Admin, At, Command, Decided, Entry, Payload, Refusal, Subject, TournamentId, Venue, Version};
use crate::wire;

/// Most inputs of one commit. What waits longer is the next commit's.
pub const MAX_COMMIT: usize = 512;
/// Most entries that one input leads to, so that a commit stays within the log's limit.
const ROOM: usize = log::MAX_BATCH / 4;

/// An input that was taken, now or before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken {
    /// Place of the input; 0 where nothing had to be recorded.
    pub seq: Seq,
    /// Version of its subject with it.
    pub version: Version,
    /// What was made: a tournament, a game or a credential.
    pub made: u64,
    /// Whether it was taken before.
    pub repeated: bool,
    /// Whether it was taken as a proposal, which holds when a second arbiter has ruled the same.
    pub waits: bool,
}

/// Why the writer cannot go on, or could not start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The log failed.
    #[error(transparent)]
    Log(#[from] log::Error),
    /// An entry of the log is none of ours.
    #[error("entry {seq}: {why}")]
    Entry {
        /// Its place.
        seq: u64,
        /// What is wrong with it.
        why: String,
    },
}

/// The venue and what is decided but not yet durable.
#[derive(Debug, Default)]
pub struct Writer {
    venue: Venue,
    pending: Vec<Vec<u8>>,
    pending_entries: Vec<Entry>,
}

/// Entries that a reading thread of a replay takes at a time.
const STRETCH: u64 = 4_096;
/// Stretches that may be read ahead of what has been applied.
const AHEAD: usize = 4;
/// Threads that read the log for a replay; one more applies what they have read.
const READERS: u64 = 2;

/// Rebuilds a venue from a log: evolves, never decides. `until` ends it after that entry; `progress` hears every entry's place.
///
/// Reading and decoding is most of the work and no entry needs another one for it, so threads take turns at stretches of the log.
///
/// # Errors
/// Where the log cannot be read, or an entry is none of ours.
pub fn replay(reader: &dyn log::Reader, until: Option<Seq>, progress: &mut dyn FnMut(Seq)) -> Result<Venue, Error> {
    let mut venue = Venue::default();
    std::thread::scope(|scope| {
        let read = |turn: u64| {
            let (stretches, applied) = mpsc::sync_channel(AHEAD);
            scope.spawn(move || {
                for n in (turn..).step_by(READERS as usize) {
                    let stretch = stretch(reader, n * STRETCH, until);
                    let last = !stretch.as_ref().is_ok_and(|entries| entries.len() as u64 == STRETCH);
                    // Nobody applies any more after an error, or is still there after the end.
                    if stretches.send(stretch).is_err() || last {
                        return;
                    }
                }
            });
            applied
        };
        let applied: Vec<_> = (0..READERS).map(read).collect();
        for stretches in applied.iter().cycle() {
            let Ok(stretch) = stretches.recv() else { return Ok(()) };
            let entries = stretch?;
            for entry in &entries {
                progress(entry.seq);
                venue.evolve(entry);
            }
            if (entries.len() as u64) < STRETCH {
                return Ok(());
            }
        }
        Ok::<(), Error>(())
    })?;
    Ok(venue)
}

/// One stretch of the log.
fn stretch(reader: &dyn log::Reader, after: u64, until: Option<Seq>) -> Result<Vec<Entry>, Error> {
    let mut entries = Vec::with_capacity(STRETCH as usize);
    let end = Seq(until.map_or(u64::MAX, |until| until.0).min(after + STRETCH));
    each_entry(reader, Seq(after), Some(end), &mut |entry| entries.push(entry))?;
    Ok(entries)
}

/// Shows every entry after `after`, up to and with `until`.
///
/// # Errors
/// Where the log cannot be read, or an entry is none of ours.
pub fn each_entry(reader: &dyn log::Reader, after: Seq, until: Option<Seq>, each: &mut dyn FnMut(Entry)) -> Result<(), Error> {
    let mut wrong = None;
    reader.scan(after, &mut |stored| {
        if until.is_some_and(|until| stored.seq > until) {
            return ControlFlow::Break(());
        }
        match read(stored.seq, stored.body) {
            Ok(entry) => {
                each(entry);
                ControlFlow::Continue(())
            }
            Err(e) => {
                wrong = Some(e);
                ControlFlow::Break(())
            }
        }
    })?;
    wrong.map_or(Ok(()), Err)
}

/// Reads an entry out of its stored bytes.
///
/// # Errors
/// Where it is none of ours.
pub fn read(seq: Seq, body: &[u8]) -> Result<Entry, Error> {
    let wrong = |why: String| Error::Entry { seq: seq.0, why };
    let message: wire::v1::Entry = prost::Message::decode(body).map_err(|e| wrong(e.to_string()))?;
    let entry = wire::entry(message).map_err(|e| wrong(e.to_string()))?;
    if entry.seq == seq { Ok(entry) } else { Err(wrong(format!("says that it is entry {}", entry.seq.0))) }
}

impl Writer {
    /// A writer on a venue as replayed.
    pub fn new(venue: Venue) -> Writer {
        Writer { venue, pending: Vec::new(), pending_entries: Vec::new() }
    }

    /// The venue, with everything decided so far: only to be told after a commit.
    pub fn venue(&self) -> &Venue {
        &self.venue
    }

    /// Whether anything waits for a commit.
    pub fn has_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Whether one more input fits this commit.
    pub fn has_room(&self) -> bool {
        self.pending.len() + ROOM <= log::MAX_BATCH
    }

    /// Decides an input and applies what follows. Not durable before the commit.
    ///
    /// # Errors
    /// Outer: the log cannot be read, and the writer must not go on. Inner: nothing was taken, and why.
    pub fn decide(&mut self, reader: &dyn log::Reader, command: Command, at: At) -> Result<Result<Taken, Refusal>, Error> {
        let again = command.clone();
        match venue::decide(&self.venue, command, at) {
            Err(refusal) => Ok(Err(refusal)),
            Ok(Decided::Repeat(seq)) => {
                let first = self.entry(reader, seq)?;
                let device = again.origin.stamp.and_then(|stamp| self.venue.devices().get(&stamp.device));
                let wrap = device.and_then(|device| device.introduction.as_ref()?.wrap);
                Ok(if venue::same(&first, &again, wrap) { Ok(taken(&first, true)) } else { Err(Refusal::Conflict { seq }) })
            }
            Ok(Decided::Entries(entries)) => {
                let input = entries.iter().rev().find(|entry| entry.origin.is_some());
                let taken =
                    input.map_or(Taken { seq: Seq(0), version: Version(0), made: 0, repeated: true, waits: false }, |input| taken(input, false));
                for entry in entries {
                    self.venue.evolve(&entry);
                    self.pending.push(prost::Message::encode_to_vec(&wire::encode_entry(&entry)));
                    self.pending_entries.push(entry);
                }
                Ok(Ok(taken))
            }
        }
    }

    /// Takes what waits to be made durable: the place of the first, the bodies, the entries.
    pub fn take_pending(&mut self) -> (Seq, Vec<Vec<u8>>, Vec<Entry>) {
        let first = Seq(self.venue.head().0 + 1 - self.pending.len() as u64);
        (first, std::mem::take(&mut self.pending), std::mem::take(&mut self.pending_entries))
    }

    /// Makes everything decided durable, in as many commits as it takes; an input and what follows from it are in one.
    ///
    /// # Errors
    /// The log failed, and the writer must not go on.
    pub fn commit(&mut self, log: &mut dyn Log) -> Result<(), Error> {
        let (mut first, bodies, entries) = self.take_pending();
        let mut rest = 0..bodies.len();
        while !rest.is_empty() {
            let most = rest.end.min(rest.start + log::MAX_BATCH);
            let ends = |end: &usize| *end == bodies.len() || entries[*end].input() != entries[*end - 1].input();
            let end = (rest.start + 1..=most).rev().find(ends).unwrap_or(most);
            log.append(first, &bodies[rest.start..end])?;
            first.0 += (end - rest.start) as u64;
            rest.start = end;
        }
        Ok(())
    }

    fn entry(&self, reader: &dyn log::Reader, seq: Seq) -> Result<Entry, Error> {
        if let Some(entry) = self.pending_entries.iter().find(|entry| entry.seq == seq) {
            return Ok(entry.clone());
        }
        let found = reader.read(Seq(seq.0 - 1), 1)?;
        let stored = found.first().ok_or_else(|| Error::Entry { seq: seq.0, why: "is not in the log".to_string() })?;
        read(seq, &stored.body)
    }
}

fn taken(entry: &Entry, repeated: bool) -> Taken {
    let made = match (entry.subject, &entry.payload) {
        (Subject::Tournament(TournamentId(id)) | Subject::Game(GameId(id)), _) => id,
        (Subject::Venue, Payload::Admin(Admin::Invited { credential, .. } | Admin::Enrolled { credential, .. })) => credential.0,
        (Subject::Venue | Subject::Device(_), _) => 0,
    };
    let waits = matches!(entry.payload, Payload::Admin(Admin::Proposed { .. }));
    Taken { seq: entry.seq, version: entry.version, made, repeated, waits }
}
