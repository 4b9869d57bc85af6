//! The daemon's log on a simulated disk: a commit may be refused, lost, kept all the same, or torn.
//!
//! What is torn is not whole, and a start drops it, as the store and the mirror do with a frame whose checksum is wrong.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::Bug;
use super::env::Env;
use crate::game::Seq;
use crate::log::{Chain, Entry, Error, Log, MemoryLog, Reader};

/// The disk with the log.
#[derive(Debug)]
pub(super) struct Disk {
    log: MemoryLog,
    bug: Option<Bug>,
    /// No room until then.
    pub(super) full: bool,
    /// How many entries of the last commit a start finds, where it was torn.
    torn: Option<usize>,
}

impl Disk {
    pub(super) fn new(bug: Option<Bug>) -> Disk {
        Disk { log: MemoryLog::new(), bug, full: false, torn: None }
    }

    /// Commits, or fails: then the process has to stop.
    pub(super) fn append(&mut self, env: &mut Env, first: Seq, bodies: &[Vec<u8>]) -> Result<(), Error> {
        if self.full || (env.is_open() && env.chance.happens(env.weather.full)) {
            if !std::mem::replace(&mut self.full, true) {
                env.counts.disk_full += 1;
                let wait = env.chance.between(1_000, 60_000);
                env.after(wait, super::env::Event::Room);
            }
            return Err(Error::DiskFull { what: "append".to_string() });
        }
        if env.is_open() && env.chance.happens(env.weather.disk) {
            return Err(self.fail(env, first, bodies));
        }
        self.log.append(first, bodies)
    }

    /// A commit of which the process hears nothing good: nothing, a part or all of it is on the disk.
    fn fail(&mut self, env: &mut Env, first: Seq, bodies: &[Vec<u8>]) -> Error {
        env.counts.disk_failed += 1;
        let kept = match env.chance.between(0, 3) {
            0 => return Error::Halted,
            1 => None,
            _ => Some(env.chance.between(0, bodies.len() as u64) as usize),
        };
        if let Err(e) = self.log.append(first, bodies) {
            return e;
        }
        env.counts.torn += u64::from(kept.is_some());
        self.torn = kept;
        Error::Halted
    }

    /// The process is gone in the middle of a commit.
    pub(super) fn killed_within(&mut self, env: &mut Env, first: Seq, bodies: &[Vec<u8>]) {
        // Whether the log failed or the process makes no difference to what is there.
        let _ = self.fail(env, first, bodies);
    }

    /// A start: what is whole is there.
    pub(super) fn open(&mut self) {
        match self.torn.take() {
            Some(kept) if self.bug == Some(Bug::TornCommitKept) => self.log.tear(kept),
            Some(_) => self.log.tear(0),
            None => self.log.restart(),
        }
    }

    pub(super) fn head(&self) -> Seq {
        self.log.head()
    }

    pub(super) fn tip(&self) -> Chain {
        self.log.tip()
    }

    pub(super) fn reader(&self) -> Arc<dyn Reader> {
        let reader = self.log.reader();
        if self.bug == Some(Bug::ByteRots) { Arc::new(Rotten(reader)) } else { reader }
    }
}

/// A log in which one entry is not what it was.
struct Rotten(Arc<dyn Reader>);

/// Where.
const ROTTEN: Seq = Seq(200);

impl Reader for Rotten {
    fn scan(&self, after: Seq, each: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>) -> Result<(), Error> {
        self.0.scan(after, &mut |entry| {
            if entry.seq == ROTTEN {
                // The wall time of the record, which nothing is decided by.
                each(Entry { chain: Chain([7; Chain::LEN]), ..entry })
            } else {
                each(entry)
            }
        })
    }
}
