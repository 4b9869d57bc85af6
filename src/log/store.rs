//! The store: sled, with what it needs to be trusted. It was measured, and read:
//!
//! - its `flush` is no sync on Linux (`sync_file_range`, spacejam/sled#1077): a second file
//!   handle gives the `fdatasync`;
//! - a bad or half-written snapshot stops it for ever (#1527, #1533): snapshots only shorten
//!   the start and can go;
//! - it panics on some damage (#1387): opening is under `catch_unwind`;
//! - a page above a quarter of a segment becomes a file of its own that is never synced
//!   (`blob_io.rs`): the segments are large enough for no page to be.

use std::{
    fs::{self, File},
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    time::Duration,
};

use super::{
    Alarm, Chain, Error, MAX_ENTRY, MAX_RECORD,
    dir::{Dir, patiently, still_whole, sync_dir},
    record::{Commit, Packed, Record},
};
use crate::game::Seq;
use crate::time::Stopwatch;

/// Bytes of sled's cache, which takes two or three times that.
const CACHE: u64 = 64 * 1024 * 1024;
/// Bytes of a segment. Sled splits a leaf above 16 records, so a page is 17 of the largest at
/// most, and that must stay below a quarter of a segment. More is slower.
const SEGMENT: usize = 2 * 1024 * 1024;
const _: () = assert!(17 * (MAX_ENTRY + 256) < SEGMENT / 4 && MAX_RECORD < MAX_ENTRY);
/// The tree and the key that tell a log without entries from a store that lost them.
const ABOUT: &str = "about";
const FORMAT: &str = "format";

/// An open store.
#[derive(Debug)]
pub(super) struct Store {
    db: sled::Db,
    /// The file sled writes, for the sync sled leaves out.
    raw: File,
    dir: PathBuf,
}

/// Why a store did not open.
#[derive(Debug)]
pub(super) enum Failure {
    /// The store is no good. Only a copy helps.
    Damaged(String),
    /// Something else, and the store may be fine.
    Other(Error),
}

impl From<Error> for Failure {
    fn from(e: Error) -> Failure {
        Failure::Other(e)
    }
}

impl Store {
    /// Opens the store, made if need be. Puts snapshots aside if it will not open otherwise,
    /// and says so.
    ///
    /// # Errors
    ///
    /// See [`Failure`].
    pub(super) fn open(dir: &Dir, wait: Duration, alarms: &mut Vec<Alarm>) -> Result<Store, Failure> {
        for half in snapshots(&dir.store(), |name| name.ends_with(".generating"))? {
            fs::remove_file(&half).map_err(|e| Error::io("remove", &half, e))?;
        }
        let db = match open_sled(&dir.store(), wait) {
            Err(Failure::Damaged(why)) => match set_snapshots_aside(dir)? {
                Some(alarm) => {
                    alarms.push(alarm);
                    open_sled(&dir.store(), wait)?
                }
                None => return Err(Failure::Damaged(why)),
            },
            opened => opened?,
        };
        Ok(Store::sync_names(db, dir.store())?)
    }

    /// Sled syncs neither its directory nor its settings, and what it read may be in the page
    /// cache only: nobody may be told of that before it is on the disk.
    fn sync_names(db: sled::Db, dir: PathBuf) -> Result<Store, Error> {
        let file = |name: &str| {
            let path = dir.join(name);
            let file = File::open(&path).map_err(|e| Error::io("open", &path, e))?;
            file.sync_all().map_err(|e| Error::io("sync", &path, e))?;
            Ok(file)
        };
        file("conf")?;
        let raw = file("db")?;
        sync_dir(&dir)?;
        Ok(Store { db, raw, dir })
    }

    /// Makes every later sync fail.
    #[cfg(test)]
    pub(super) fn break_sync(&mut self) {
        self.raw = File::open("/dev/null").unwrap();
    }

    /// Whether it was marked by [`Store::mark`]; a store that was and is not has lost all.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], [`Error::Damaged`].
    pub(super) fn marked(&self) -> Result<bool, Error> {
        self.db.open_tree(ABOUT).and_then(|about| about.contains_key(FORMAT)).map_err(|e| self.error("read", Seq(0), e))
    }

    /// Marks it as a log's, for [`Store::marked`].
    ///
    /// # Errors
    ///
    /// As [`Store::sync`].
    pub(super) fn mark(&self) -> Result<(), Error> {
        if self.marked()? {
            return Ok(());
        }
        self.db.open_tree(ABOUT).and_then(|about| about.insert(FORMAT, "1")).map_err(|e| self.error("mark", Seq(0), e))?;
        self.sync()
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.dir
    }

    /// The tree of records.
    pub(super) fn records(&self) -> &sled::Tree {
        &self.db
    }

    /// The last entry and the chain there.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], [`Error::Damaged`].
    pub(super) fn tip(&self) -> Result<(Seq, Chain), Error> {
        match self.db.last().map_err(|e| self.error("read", Seq(0), e))? {
            Some((key, value)) => {
                let record = Record::open(seq_of(&key)?, &value)?;
                Ok((record.last(), record.tip()))
            }
            None => Ok((Seq(0), Chain::GENESIS)),
        }
    }

    /// Puts a commit in, not yet durable.
    ///
    /// # Errors
    ///
    /// [`Error::DiskFull`], [`Error::Io`], [`Error::Damaged`].
    pub(super) fn put(&self, commit: &Commit) -> Result<(), Error> {
        let put = match commit.records.as_slice() {
            // One write is whole by itself, without the trouble of a batch.
            [record] => self.db.insert(key(record), &*record.bytes).map(drop),
            records => {
                let mut batch = sled::Batch::default();
                for record in records {
                    batch.insert(&key(record), &*record.bytes);
                }
                self.db.apply_batch(batch)
            }
        };
        put.map_err(|e| self.error("append to", commit.head, e))
    }

    /// Makes all that was put in durable.
    ///
    /// # Errors
    ///
    /// As [`Store::put`]. A failed sync must never be tried again: the kernel has forgotten
    /// what it could not write.
    pub(super) fn sync(&self) -> Result<(), Error> {
        self.db.flush().map_err(|e| self.error("flush", Seq(0), e))?;
        let watch = Stopwatch::start();
        self.raw.sync_data().and_then(|()| still_whole(&self.raw, 0)).map_err(|e| Error::io("sync", &self.dir, e))?;
        metrics::histogram!("zeitnot_fsync_seconds", "file" => "store").record(watch.elapsed());
        Ok(())
    }

    fn error(&self, what: &str, near: Seq, e: sled::Error) -> Error {
        error(what, &self.dir, near, e)
    }
}

/// What sled said while trying to do `what` near an entry.
pub(super) fn error(what: &str, dir: &Path, near: Seq, e: sled::Error) -> Error {
    match e {
        sled::Error::Io(e) => Error::io(&format!("{what} the store"), dir, e),
        e => Error::damaged(near, format!("could not {what} the store: {e}")),
    }
}

/// A record's key: in this order of bytes, the order of keys is that of entries.
fn key(record: &Packed) -> [u8; 8] {
    record.first.0.to_be_bytes()
}

/// The place a key stands for.
///
/// # Errors
///
/// [`Error::Damaged`] for a key that is none of ours.
pub(super) fn seq_of(key: &[u8]) -> Result<Seq, Error> {
    let bytes = key.try_into().map_err(|_| {
        let what = format!("the store has a key of {} bytes, not 8", key.len());
        Error::damaged(Seq(0), what)
    })?;
    Ok(Seq(u64::from_be_bytes(bytes)))
}

fn open_sled(path: &Path, wait: Duration) -> Result<sled::Db, Failure> {
    let config = sled::Config::new()
        .path(path)
        .cache_capacity(CACHE)
        .segment_size(SEGMENT)
        // Its own flusher would be a second writer of syncs nobody waits for.
        .flush_every_ms(None);
    let open = || match catch_unwind(AssertUnwindSafe(|| config.open())) {
        Ok(Ok(db)) => Ok(Ok(db)),
        Ok(Err(sled::Error::Io(e))) if e.to_string().contains("could not acquire lock") => Err(Error::Locked { path: path.to_owned() }),
        // What was cut off reads as an early end.
        Ok(Err(sled::Error::Io(e))) if e.kind() != io::ErrorKind::UnexpectedEof => Err(Error::io("open the store", path, e)),
        Ok(Err(e)) => Ok(Err(format!("sled says {e}"))),
        Err(_) => Ok(Err("sled panicked".to_owned())),
    };
    patiently(wait, open)?.map_err(Failure::Damaged)
}

fn snapshots(store: &Path, wanted: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>, Error> {
    let failed = |e| Error::io("list", store, e);
    let listing = match fs::read_dir(store) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        listing => listing.map_err(failed)?,
    };
    let mut found = Vec::new();
    for file in listing {
        let file = file.map_err(failed)?;
        let name = file.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("snap.") && wanted(&name) {
            found.push(file.path());
        }
    }
    Ok(found)
}

fn set_snapshots_aside(dir: &Dir) -> Result<Option<Alarm>, Error> {
    let found = snapshots(&dir.store(), |_| true)?;
    if found.is_empty() {
        return Ok(None);
    }
    let aside = dir.aside("snaps");
    fs::create_dir(&aside).map_err(|e| Error::io("make", &aside, e))?;
    for path in &found {
        if let Some(name) = path.file_name() {
            fs::rename(path, aside.join(name)).map_err(|e| Error::io("put aside", path, e))?;
        }
    }
    Ok(Some(Alarm::SnapshotsSetAside { aside, files: found.len() }))
}
