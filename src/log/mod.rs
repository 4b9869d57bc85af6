//! The log: every entry of the venue, in one order, durable before anyone is told.
//!
//! An entry is opaque bytes here (protobuf elsewhere) with a place, its [`Seq`], and a
//! [`Chain`], the hash over the entry and all before it. What a writer hands over in one
//! [`Log::append`] is a commit: on the disk wholly, or not at all.
//!
//! [`SledLog`] is the log of the daemon: a sled store, which is read, and a mirror file, the
//! second copy from which a store that will not open is built anew. [`MemoryLog`] is the log
//! of tests and of the simulation.

mod alarm;
mod chain;
mod dir;
mod error;
mod filesystem;
mod frame;
mod memory;
mod mirror;
mod reconcile;
mod record;
mod recovery;
mod sled_log;
mod sled_reader;
mod store;
mod verify;

#[cfg(test)]
mod tests;

use std::{ops::ControlFlow, sync::Arc};

pub use alarm::Alarm;
pub use chain::{Chain, NotAChain};
pub use error::{Error, Place};
pub use memory::MemoryLog;
pub use sled_log::{MirrorAt, Options, SledLog};
pub use verify::{Mirrored, Verified, verify, verify_mirror};

use crate::game::Seq;

/// Most bytes of one entry: 16 KiB. A ruling with a long remark takes less than one.
pub const MAX_ENTRY: usize = 16 * 1024;

/// Most bytes of one record of the store, unless a single entry takes more: 12 KiB. Measured
/// best: sled writes a page of up to 17 records anew with every tenth record that joins it.
pub const MAX_RECORD: usize = 12 * 1024;

/// Most entries of one commit. Bounds what one append holds in memory, at most 16 MiB, and
/// how long all others wait for it.
pub const MAX_BATCH: usize = 1024;

/// An entry as it lies in the log: its bytes and the hash that chains it to all before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Its place.
    pub seq: Seq,
    /// Its bytes.
    pub body: Vec<u8>,
    /// The chain up to and with this entry.
    pub chain: Chain,
}

/// An entry seen in passing, its bytes still inside the record it came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'a> {
    /// Its place.
    pub seq: Seq,
    /// Its bytes.
    pub body: &'a [u8],
    /// The chain up to and with this entry.
    pub chain: Chain,
}

impl Entry<'_> {
    /// A copy that outlives the record.
    pub fn to_stored(self) -> Stored {
        Stored { seq: self.seq, body: self.body.to_vec(), chain: self.chain }
    }
}

/// The one writer's side of a log.
pub trait Log: Send {
    /// Appends all of `bodies`, the first at `first`, and returns when they are durable.
    /// Nothing to append is nothing done.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfOrder`] and [`Error::TooLarge`] refuse the commit before anything is
    /// written, and the log goes on. After any other error the log is halted: it may or may
    /// not hold the commit, only a new start can tell, and until then every append is
    /// [`Error::Halted`].
    fn append(&mut self, first: Seq, bodies: &[Vec<u8>]) -> Result<(), Error>;

    /// The last entry that is durable; 0 in an empty log.
    fn head(&self) -> Seq;

    /// The chain at the head.
    fn tip(&self) -> Chain;

    /// A reader beside this writer, good for other threads too.
    fn reader(&self) -> Arc<dyn Reader>;

    /// What went wrong and was survived since the last call. Each alarm is given out once,
    /// so that the daemon can record it and show it.
    fn alarms(&mut self) -> Vec<Alarm>;
}

/// Reads beside the writer. Sees durable entries only.
pub trait Reader: Send + Sync {
    /// The entries after `after` in order, at most `limit` of them.
    ///
    /// # Errors
    ///
    /// As [`Reader::scan`].
    fn read(&self, after: Seq, limit: usize) -> Result<Vec<Stored>, Error> {
        let mut found = Vec::new();
        if limit == 0 {
            return Ok(found);
        }
        self.scan(after, &mut |entry| {
            found.push(entry.to_stored());
            if found.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        Ok(found)
    }

    /// Shows the entries after `after` to `each`, in order and without copying, until it
    /// breaks or the head (as of the call) is passed. Checks checksums and that no entry is
    /// missing, not the chain: that is [`verify`].
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] with the place, [`Error::Io`].
    fn scan(&self, after: Seq, each: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>) -> Result<(), Error>;
}

/// What every log refuses before it writes: a commit that does not follow the head, or that
/// breaks a limit.
fn admit(head: Seq, first: Seq, bodies: &[Vec<u8>]) -> Result<(), Error> {
    let expected = next(head);
    if first != expected {
        return Err(Error::OutOfOrder { first, expected });
    }
    if bodies.len() > MAX_BATCH {
        return Err(Error::TooLarge { what: "commit, in entries", size: bodies.len(), limit: MAX_BATCH });
    }
    match bodies.iter().find(|body| body.len() > MAX_ENTRY) {
        Some(body) => Err(Error::TooLarge { what: "entry, in bytes", size: body.len(), limit: MAX_ENTRY }),
        None => Ok(()),
    }
}

/// The place after `seq`.
fn next(seq: Seq) -> Seq {
    Seq(seq.0 + 1)
}
