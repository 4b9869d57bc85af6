//! The chain of a whole log, calculated anew.

use std::ops::ControlFlow;
use std::path::Path;

use super::mirror::Mirror;
use super::{Chain, Error, Place, Reader};
use crate::game::Seq;

/// A log whose chain was calculated anew from the first entry and found right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified {
    /// How many entries there are.
    pub entries: u64,
    /// The chain at the last.
    pub head: Chain,
}

/// Calculates the chain of every entry anew.
///
/// # Errors
///
/// [`Error::Damaged`] at the first entry that does not follow from those before it, and the
/// errors of [`Reader::scan`].
pub fn verify(reader: &dyn Reader) -> Result<Verified, Error> {
    let mut found = Verified { entries: 0, head: Chain::GENESIS };
    let mut broken = None;
    reader.scan(Seq(0), &mut |entry| {
        let chain = found.head.next(entry.body);
        if chain != entry.chain {
            broken = Some(entry.seq);
            return ControlFlow::Break(());
        }
        found = Verified { entries: found.entries + 1, head: chain };
        ControlFlow::Continue(())
    })?;
    match broken {
        Some(seq) => Err(Error::damaged(seq, "its chain does not follow from the entry before and its bytes")),
        None => Ok(found),
    }
}

/// A mirror that was read through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mirrored {
    /// What it holds.
    pub verified: Verified,
    /// Its first entry of the last commit: a crash may have kept that from the store.
    pub last_commit: Seq,
}

/// Calculates the chain of a mirror anew, and leaves the file as it is.
///
/// # Errors
///
/// [`Error::Damaged`] at the first frame or entry that is wrong, [`Error::Io`].
pub fn verify_mirror(path: &Path) -> Result<Mirrored, Error> {
    let mut found = Mirrored { verified: Verified { entries: 0, head: Chain::GENESIS }, last_commit: Seq(0) };
    Mirror::look(path)?.commits(&mut |first, entry| {
        let before = found.verified;
        let chain = before.head.next(entry.body);
        if chain != entry.chain {
            let what = format!("its chain does not follow in the mirror {}", path.display());
            return Err(Error::Damaged { at: Place::Entry(entry.seq), what });
        }
        found = Mirrored { verified: Verified { entries: before.entries + 1, head: chain }, last_commit: first };
        Ok(())
    })?;
    Ok(found)
}
