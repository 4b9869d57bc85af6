//! The log on the disk: store and mirror, written as one.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::Duration,
};

use tracing::{info, warn};

use super::{
    Alarm, Chain, Error, Log, Reader, admit,
    dir::{Behind, Dir},
    mirror::Mirror,
    record::{Commit, pack},
    recovery::recover,
    sled_reader::SledReader,
    store::Store,
};
use crate::game::Seq;

/// Where the second copy is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum MirrorAt {
    /// `mirror.zn` in the directory of the log.
    #[default]
    Beside,
    /// A file elsewhere, best on another disk.
    Path(PathBuf),
    /// No second copy: if the store is lost, the log is.
    Nowhere,
}

/// How to open a [`SledLog`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Where the second copy is kept.
    pub mirror: MirrorAt,
    /// How long to wait for a process that has the log open and may be going.
    pub wait: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options { mirror: MirrorAt::default(), wait: Duration::from_secs(5) }
    }
}

/// The log on the disk.
#[derive(Debug)]
pub struct SledLog {
    store: Store,
    mirror: Option<Mirror>,
    reader: Arc<SledReader>,
    tip: Chain,
    halted: bool,
    alarms: Vec<Alarm>,
    /// What is noted before something is written into the store alone.
    behind: Option<Behind>,
}

impl SledLog {
    /// Opens the log in `dir`, made if need be, and mends what a crash or a damage left:
    /// [`Log::alarms`] tells what was done.
    ///
    /// # Errors
    ///
    /// [`Error::Locked`] if another process has it; [`Error::Filesystem`], [`Error::Format`];
    /// [`Error::StoreLost`], [`Error::Contradiction`] and [`Error::Damaged`] where only a
    /// person can say what is right; [`Error::DiskFull`] (sled needs room to open),
    /// [`Error::Io`].
    pub fn open(dir: &Path, options: &Options) -> Result<SledLog, Error> {
        let mut dir = Dir::open(dir, options.wait)?;
        let found = recover(&dir, options)?;
        // Only now: before, a store cut short in its making could pass for an empty one.
        found.store.mark()?;
        dir.bear()?;
        let (head, tip) = found.store.tip()?;
        let behind = dir.behind();
        if found.mirror.is_some() {
            behind.clear()?;
        }
        for alarm in &found.alarms {
            warn!("{alarm}");
        }
        info!(head = head.0, %tip, "log open");
        Ok(SledLog {
            reader: Arc::new(SledReader::new(&found.store, head, Some(dir))),
            store: found.store,
            mirror: found.mirror,
            tip,
            halted: false,
            alarms: found.alarms,
            behind: Some(behind),
        })
    }

    /// See [`Store::break_sync`].
    #[cfg(test)]
    pub(super) fn break_sync(&mut self) {
        self.store.break_sync();
    }

    /// See [`Mirror::unplug`].
    #[cfg(test)]
    pub(super) fn unplug_mirror(&mut self) {
        self.mirror.as_mut().unwrap().unplug();
    }

    /// Writes both copies at the same time, as each waits for its disk: measured, that is a
    /// quarter more commits than one after the other, and a better p99.
    fn commit(&mut self, commit: &Commit) -> Result<(), Error> {
        let store = &self.store;
        let into_store = || store.put(commit).and_then(|()| store.sync());
        let Some(mirror) = &mut self.mirror else {
            if let Some(behind) = self.behind.take() {
                behind.note(self.reader.head())?;
            }
            return into_store();
        };
        let (mirrored, stored) = thread::scope(|scope| {
            let writer = thread::Builder::new().name("mirror".to_owned()).spawn_scoped(scope, || mirror.append(commit));
            let stored = into_store();
            let mirrored = writer.and_then(|writer| {
                let panicked = |_| Err(io::Error::other("its writer panicked"));
                writer.join().unwrap_or_else(panicked)
            });
            (mirrored, stored)
        });
        if let Err(why) = mirrored {
            let alarm = mirror.failed(why);
            warn!("{alarm}");
            if let Some(behind) = self.behind.take() {
                behind.note(mirror.head())?;
            }
            self.alarms.push(alarm);
            self.mirror = None;
        }
        stored
    }
}

impl Log for SledLog {
    fn append(&mut self, first: Seq, bodies: &[Vec<u8>]) -> Result<(), Error> {
        if self.halted {
            return Err(Error::Halted);
        }
        admit(self.head(), first, bodies)?;
        if bodies.is_empty() {
            return Ok(());
        }
        let commit = pack(first, self.tip, bodies);
        // Until it is known to have worked, it has not.
        self.halted = true;
        self.commit(&commit)?;
        self.halted = false;
        self.tip = commit.tip;
        self.reader.publish(commit.head);
        Ok(())
    }

    fn head(&self) -> Seq {
        self.reader.head()
    }

    fn tip(&self) -> Chain {
        self.tip
    }

    fn reader(&self) -> Arc<dyn Reader> {
        self.reader.clone()
    }

    fn alarms(&mut self) -> Vec<Alarm> {
        std::mem::take(&mut self.alarms)
    }
}
