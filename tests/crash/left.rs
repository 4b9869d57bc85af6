//! What a crash left: looked through in copies, so that the daemon finds it as it was.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use zeitnot::game::Seq;
use zeitnot::log::{Alarm, Log, MirrorAt, Options, SledLog, verify_mirror};
use zeitnot::venue::Venue;
use zeitnot::wire::v1;
use zeitnot::writer;

use crate::disk::scratch;
use crate::hall::Players;

/// What was found, with everything that was acknowledged.
#[derive(Debug)]
pub(crate) struct Left {
    pub(crate) entries: u64,
    pub(crate) alarms: Vec<Alarm>,
}

/// The log as it reads.
#[derive(Default)]
struct Read {
    venue: Venue,
    /// Where the reports of each device are, by their numbers in order.
    reports: BTreeMap<u64, Vec<(u32, Seq)>>,
    /// Where each key is.
    keys: BTreeMap<String, Vec<Seq>>,
    /// The digest where the daemon had said one.
    digest: Option<String>,
}

/// Opens a copy of `data` as the daemon would, and compares it with what the players were told and with what the daemon said of itself.
/// Store and mirror have to hold all of that, each of them alone.
///
/// # Errors
/// What was lost or is wrong.
pub(crate) fn look(data: &Path, players: Option<&Players>, said: Option<&v1::DigestAnswer>) -> Result<Left, String> {
    let scratch = scratch();
    let (copy, apart) = (scratch.path().join("data"), scratch.path().join("apart"));
    copy_dir(data, &copy);
    copy_dir(data, &apart);
    let mut log = SledLog::open(&copy, &Options::default()).map_err(|e| format!("does not open: {e}"))?;
    let read = read(&log, said)?;
    let mut acknowledged = Seq(0);
    if let Some(said) = said.filter(|said| said.position > 0) {
        let head = log.reader().read(Seq(said.position - 1), 1).map_err(|e| e.to_string())?;
        let found = (read.digest.as_ref(), head.first().map(|stored| stored.chain.to_string()));
        if found != (Some(&said.digest), Some(said.head.clone())) {
            return Err(format!("the daemon said {said:?}, a replay says {found:?}"));
        }
        acknowledged = Seq(said.position);
    }
    if let Some(players) = players {
        acknowledged = acknowledged.max(told(players, &read)?);
    }
    let (entries, alarms) = (log.head().0, log.alarms());
    drop(log);
    let verified = Command::new(env!("CARGO_BIN_EXE_zeitnot")).arg("verify").arg("--data").arg(&copy).output().unwrap();
    if !verified.status.success() {
        return Err(format!("zeitnot verify: {}", String::from_utf8_lossy(&verified.stderr)));
    }
    each_alone(&apart, acknowledged)?;
    Ok(Left { entries, alarms })
}

fn read(log: &SledLog, said: Option<&v1::DigestAnswer>) -> Result<Read, String> {
    let mut read = Read::default();
    let each = &mut |entry: zeitnot::venue::Entry| {
        read.venue.evolve(&entry);
        if said.is_some_and(|said| said.position == entry.seq.0) {
            read.digest = Some(read.venue.digest().to_string());
        }
        if let Some(stamp) = entry.origin.as_ref().and_then(|origin| origin.stamp).filter(|stamp| stamp.device.0 > 0) {
            read.reports.entry(stamp.device.0).or_default().push((stamp.report, entry.seq));
        }
        if let Some(key) = entry.key {
            read.keys.entry(key.0).or_default().push(entry.seq);
        }
    };
    writer::each_entry(&*log.reader(), Seq(0), None, each).map_err(|e| format!("cannot be read: {e}"))?;
    Ok(read)
}

/// Whether what the players were told is there, and what they sent once and in order; gives the last entry that they know of.
fn told(players: &Players, read: &Read) -> Result<Seq, String> {
    let mut last = Seq(0);
    for clock in &players.clocks {
        let (device, made, acked) = (clock.device, clock.made as usize, clock.acked as usize);
        let there = read.reports.get(&device).map_or(&[][..], Vec::as_slice);
        if !there.iter().map(|(number, _)| *number).eq((1..).take(there.len())) {
            return Err(format!("device {device}: not every report is there once and in order"));
        }
        if there.len() < acked || there.len() > made {
            return Err(format!("device {device}: of {made} reports {acked} were acknowledged, {} are there", there.len()));
        }
        last = last.max(acked.checked_sub(1).map_or(Seq(0), |place| there[place].1));
    }
    if let Some((key, places)) = read.keys.iter().find(|(_, places)| places.len() > 1) {
        return Err(format!("key {key} is there {} times", places.len()));
    }
    for (key, taken) in &players.rulings {
        if read.keys.get(key) != Some(&vec![Seq(taken.seq)]) {
            return Err(format!("ruling {key} was acknowledged as entry {} and is not there", taken.seq));
        }
        last = last.max(Seq(taken.seq));
    }
    Ok(last)
}

/// Whether the store without the mirror, and the mirror without the store, hold everything up to that entry.
fn each_alone(data: &Path, acknowledged: Seq) -> Result<(), String> {
    if acknowledged == Seq(0) {
        return Ok(());
    }
    let mirrored = verify_mirror(&data.join("mirror.zn")).map_err(|e| format!("the mirror alone: {e}"))?;
    let mirror = mirrored.verified.entries;
    let alone = Options { mirror: MirrorAt::Nowhere, ..Options::default() };
    let store = SledLog::open(data, &alone).map_err(|e| format!("the store alone: {e}"))?.head().0;
    if store.min(mirror) < acknowledged.0 {
        return Err(format!("entry {} was acknowledged; the store holds {store}, the mirror {mirror}", acknowledged.0));
    }
    if store < mirror && store + 1 != mirrored.last_commit.0 {
        return Err(format!("a torn commit: it begins at entry {}, the store ends at {store}", mirrored.last_commit.0));
    }
    Ok(())
}

fn copy_dir(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    // A power cut can leave no directory at all.
    for file in std::fs::read_dir(from).into_iter().flatten() {
        let file = file.unwrap();
        let to = to.join(file.file_name());
        if file.file_type().unwrap().is_dir() { copy_dir(&file.path(), &to) } else { std::fs::copy(file.path(), to).map(drop).unwrap() }
    }
}
