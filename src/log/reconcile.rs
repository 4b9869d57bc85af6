//! Store and mirror at the start: each may lack what the other has, the last commit after a
//! crash, or all of it. What they both have must be the same.

use std::{cmp::Ordering, io, ops::ControlFlow};

use super::{
    Alarm, Chain, Entry, Error, MAX_BATCH, Reader, Stored,
    mirror::Mirror,
    next,
    record::{Commit, pack},
    store::Store,
};
use crate::game::Seq;

/// What was done to make them the same.
#[derive(Debug)]
pub(super) enum Done {
    /// Nothing, they were.
    Nothing,
    /// The store took so many entries from the mirror.
    StoreRolledForward(u64),
    /// The mirror took so many entries from the store.
    MirrorRefilled(u64),
    /// The mirror lacks entries and will not take them; the store is whole.
    MirrorFailed(Alarm),
}

/// Makes store and mirror the same. `reader` reads the store.
///
/// # Errors
///
/// [`Error::Contradiction`]; [`Error::Damaged`] if an entry to be copied does not follow from
/// those before it; what [`Mirror`] and [`Store`] say.
pub(super) fn reconcile(store: &Store, reader: &dyn Reader, mirror: &mut Mirror) -> Result<Done, Error> {
    let (head, tip) = store.tip()?;
    let common = head.min(mirror.head());
    if chain_in_store(reader, common)? != chain_in_mirror(mirror, common)? {
        return Err(Error::Contradiction { seq: first_difference(reader, mirror)?, mirror: mirror.path().to_owned() });
    }
    match mirror.head().cmp(&head) {
        Ordering::Equal => Ok(Done::Nothing),
        Ordering::Greater => {
            roll_forward(store, head, tip, mirror)?;
            Ok(Done::StoreRolledForward(mirror.head().0 - head.0))
        }
        Ordering::Less => {
            let from = mirror.head();
            match refill(reader, mirror)? {
                Ok(()) => Ok(Done::MirrorRefilled(head.0 - from.0)),
                Err(e) => Ok(Done::MirrorFailed(mirror.failed(e))),
            }
        }
    }
}

fn roll_forward(store: &Store, head: Seq, tip: Chain, mirror: &Mirror) -> Result<(), Error> {
    let mut put = |commit: &Commit| store.put(commit);
    let mut copy = Copier::new(head, tip, &mut put);
    mirror.entries(&mut |entry| {
        if entry.seq > head {
            copy.take(entry)?;
        }
        Ok(ControlFlow::Continue(()))
    })?;
    copy.finish()?;
    store.sync()
}

/// The inner error is the mirror's.
fn refill(reader: &dyn Reader, mirror: &mut Mirror) -> Result<io::Result<()>, Error> {
    let (head, tip) = (mirror.head(), mirror.tip());
    let mut failed = Ok(());
    let mut put = |commit: &Commit| {
        // Each is synced by itself: see `mirror` on what may be unsynced.
        failed = mirror.append(commit);
        failed.as_ref().map_err(|_| Error::Halted).copied()
    };
    let mut copy = Copier::new(head, tip, &mut put);
    let mut stopped = Ok(());
    reader.scan(head, &mut |entry| {
        stopped = copy.take(entry);
        match stopped {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    })?;
    match stopped.and_then(|()| copy.finish()) {
        Ok(()) | Err(Error::Halted) => Ok(failed),
        Err(e) => Err(e),
    }
}

fn chain_in_store(reader: &dyn Reader, seq: Seq) -> Result<Chain, Error> {
    match seq.0.checked_sub(1) {
        None => Ok(Chain::GENESIS),
        Some(before) => match reader.read(Seq(before), 1)?.first() {
            Some(stored) => Ok(stored.chain),
            None => Err(Error::damaged(seq, "it is missing")),
        },
    }
}

fn chain_in_mirror(mirror: &Mirror, seq: Seq) -> Result<Chain, Error> {
    if seq == mirror.head() {
        return Ok(mirror.tip());
    }
    let mut found = Chain::GENESIS;
    mirror.entries(&mut |entry| {
        if entry.seq > seq {
            return Ok(ControlFlow::Break(()));
        }
        found = entry.chain;
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

fn first_difference(reader: &dyn Reader, mirror: &Mirror) -> Result<Seq, Error> {
    let mut found = Seq(0);
    let mut page = Vec::new().into_iter();
    mirror.entries(&mut |entry| {
        found = entry.seq;
        let stored: Option<Stored> = match page.next() {
            Some(stored) => Some(stored),
            None => {
                page = reader.read(Seq(entry.seq.0 - 1), MAX_BATCH)?.into_iter();
                page.next()
            }
        };
        Ok(match stored {
            Some(stored) if stored.chain == entry.chain => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        })
    })?;
    Ok(found)
}

/// Copies entries in commits as large as may be, and calculates their chain anew.
struct Copier<'a> {
    head: Seq,
    tip: Chain,
    bodies: Vec<Vec<u8>>,
    /// The chain that came with the last of `bodies`.
    claimed: Chain,
    put: &'a mut dyn FnMut(&Commit) -> Result<(), Error>,
}

impl<'a> Copier<'a> {
    fn new(head: Seq, tip: Chain, put: &'a mut dyn FnMut(&Commit) -> Result<(), Error>) -> Copier<'a> {
        Copier { head, tip, bodies: Vec::new(), claimed: tip, put }
    }

    fn take(&mut self, entry: Entry<'_>) -> Result<(), Error> {
        self.bodies.push(entry.body.to_vec());
        self.claimed = entry.chain;
        if self.bodies.len() == MAX_BATCH {
            self.finish()?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Error> {
        if self.bodies.is_empty() {
            return Ok(());
        }
        let commit = pack(next(self.head), self.tip, &self.bodies);
        if commit.tip != self.claimed {
            return Err(Error::damaged(commit.head, "its chain does not follow from the entries before it, so it was not copied"));
        }
        (self.put)(&commit)?;
        (self.head, self.tip) = (commit.head, commit.tip);
        self.bodies.clear();
        Ok(())
    }
}
