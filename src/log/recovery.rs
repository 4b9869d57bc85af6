//! What a start does before the log is open: takes the store that is there, or builds it anew
//! from the mirror, and makes both the same.

use std::{fs, path::PathBuf};

use super::{
    Alarm, Error, MirrorAt, Options,
    dir::Dir,
    mirror::Mirror,
    reconcile::{Done, reconcile},
    sled_reader::SledReader,
    store::{Failure, Store},
};
use crate::game::Seq;

/// Store and mirror, the same, and what was wrong with them.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) store: Store,
    pub(super) mirror: Option<Mirror>,
    pub(super) alarms: Vec<Alarm>,
}

/// A store that had to be built anew.
#[derive(Debug)]
struct Lost {
    why: String,
    aside: Option<PathBuf>,
}

/// Opens both copies and makes them the same.
///
/// # Errors
///
/// Those of [`SledLog::open`](super::SledLog::open).
pub(super) fn recover(dir: &Dir, options: &Options) -> Result<Found, Error> {
    let mut alarms = Vec::new();
    let mirror = open_mirror(dir, options, &mut alarms)?;
    let (store, lost) = open_store(dir, options, mirror.as_ref(), &mut alarms)?;
    let mut found = Found { store, mirror, alarms };
    let Some(mirror) = &mut found.mirror else {
        return Ok(found);
    };
    let (head, _) = found.store.tip()?;
    if dir.behind().noted()?.is_some_and(|last| head < last) {
        not_behind(dir, &format!("it ends at entry {}", head.0))?;
    }
    let reader = SledReader::new(&found.store, head, None);
    let path = mirror.path().to_owned();
    match (reconcile(&found.store, &reader, mirror)?, lost) {
        (Done::StoreRolledForward(entries), Some(Lost { why, aside })) => {
            found.alarms.push(Alarm::StoreRebuilt { why, aside, entries });
        }
        (Done::StoreRolledForward(entries), None) => {
            found.alarms.push(Alarm::StoreRolledForward { entries });
        }
        (Done::MirrorRefilled(entries), _) => {
            found.alarms.push(Alarm::MirrorRefilled { path, entries });
        }
        (Done::MirrorFailed(alarm), _) => {
            found.alarms.push(alarm);
            found.mirror = None;
        }
        (Done::Nothing, _) => {}
    }
    Ok(found)
}

/// A mirror that is not there to be opened, its stick forgotten, is an alarm; one that is
/// there and wrong is an error.
fn open_mirror(dir: &Dir, options: &Options, alarms: &mut Vec<Alarm>) -> Result<Option<Mirror>, Error> {
    let path = match &options.mirror {
        MirrorAt::Beside => dir.mirror(),
        MirrorAt::Path(path) => path.clone(),
        MirrorAt::Nowhere => return Ok(None),
    };
    match Mirror::open(&path, options.wait) {
        Ok(mirror) => Ok(Some(mirror)),
        Err(e @ (Error::Io { .. } | Error::DiskFull { .. })) => {
            alarms.push(Alarm::MirrorFailed { path, last: Seq(0), why: e.to_string() });
            Ok(None)
        }
        Err(e) => Err(e),
    }
}

fn open_store(dir: &Dir, options: &Options, mirror: Option<&Mirror>, alarms: &mut Vec<Alarm>) -> Result<(Store, Option<Lost>), Error> {
    let why = match try_store(dir, options, alarms) {
        Ok(store) => return Ok((store, None)),
        Err(Failure::Other(e)) => return Err(e),
        Err(Failure::Damaged(why)) => why,
    };
    let lost = |why| Error::StoreLost { dir: dir.store(), why };
    not_behind(dir, &why)?;
    if mirror.is_none_or(|mirror| mirror.head() == Seq(0)) {
        return Err(lost(why));
    }
    let aside = set_aside(dir)?;
    match Store::open(dir, options.wait, alarms) {
        Ok(store) => Ok((store, Some(Lost { why, aside }))),
        Err(Failure::Other(e)) => Err(e),
        Err(Failure::Damaged(why)) => Err(lost(why)),
    }
}

/// A store that has lost entries is not mended from a mirror that never had them.
fn not_behind(dir: &Dir, why: &str) -> Result<(), Error> {
    let behind = dir.behind();
    match behind.noted()? {
        Some(last) => Err(Error::MirrorBehind { dir: dir.store(), why: why.to_owned(), last, note: behind.path().to_owned() }),
        None => Ok(()),
    }
}

/// Opens the store that has to be there, or a new one if none has.
fn try_store(dir: &Dir, options: &Options, alarms: &mut Vec<Alarm>) -> Result<Store, Failure> {
    if dir.born() && !dir.store().join("db").exists() {
        return Err(Failure::Damaged("it is missing".to_owned()));
    }
    let store = Store::open(dir, options.wait, alarms)?;
    if dir.born() && !store.marked()? {
        return Err(Failure::Damaged("it has lost all it held".to_owned()));
    }
    Ok(store)
}

/// Moves a store that is no good out of the way.
fn set_aside(dir: &Dir) -> Result<Option<PathBuf>, Error> {
    let store = dir.store();
    if !store.exists() {
        return Ok(None);
    }
    let aside = dir.aside("store");
    fs::rename(&store, &aside).map_err(|e| Error::io("put aside", &store, e))?;
    Ok(Some(aside))
}
