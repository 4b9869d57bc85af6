//! The log of a daemon that does not run, opened to be read: nothing is appended, made or mended.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::{Stop, exit};
use crate::game::Seq;
use crate::log::{self, Log, MirrorAt, Mirrored, Reader, SledLog, Verified};
use crate::venue::Entry;
use crate::writer;

/// How long to wait for a daemon that may be going.
const WAIT: Duration = Duration::from_secs(1);

/// Which log.
#[derive(Debug, Args)]
pub(super) struct Data {
    /// Directory of the log.
    #[arg(long, env = "ZEITNOT_DATA")]
    pub(super) data: PathBuf,
    /// The log's second copy; the one beside the log, if there is one, where not given.
    #[arg(long, env = "ZEITNOT_MIRROR", value_name = "PATH")]
    mirror: Option<PathBuf>,
}

/// The second copy, read through.
#[derive(Debug)]
pub(super) struct Copy {
    /// Where it is.
    pub(super) path: PathBuf,
    /// What it holds.
    pub(super) verified: Verified,
}

impl Data {
    /// The log of a directory, its second copy beside it.
    pub(super) fn at(data: PathBuf) -> Data {
        Data { data, mirror: None }
    }

    /// Opens the log; one that is not there is not made.
    pub(super) fn open(&self) -> Result<SledLog, Stop> {
        self.open_both().map(|(log, _)| log)
    }

    /// Opens the log and reads its second copy through, where there is one.
    pub(super) fn open_both(&self) -> Result<(SledLog, Option<Copy>), Stop> {
        let dir = &self.data;
        // Without it there has never been a store; to open one would make it.
        if !dir.join("FORMAT").metadata().is_ok_and(|format| format.len() > 0) {
            let holds = |name: &str| dir.join(name).exists();
            let (code, why) = match (holds("store/db"), holds("mirror.zn")) {
                (true, _) => (exit::DAMAGED, "a store without its file FORMAT, which says how to read it: `zeitnot serve` makes both whole"),
                (false, true) => (exit::USAGE, "only a mirror: `zeitnot serve` makes the log anew from it"),
                (false, false) => (exit::USAGE, "no log: `zeitnot serve --data DIR` makes one"),
            };
            return Err(Stop::new(code, format!("there is {why} (in {})", dir.display())));
        }
        let options = log::Options { mirror: MirrorAt::Nowhere, wait: WAIT };
        let log = SledLog::open(dir, &options).map_err(|e| Stop::new(exit::DAMAGED, unopened(dir, &e)))?;
        let named = self.mirror.clone().filter(|path| path.as_os_str() != "none");
        if let Some(path) = named.as_ref().filter(|path| !path.exists()) {
            return Err(Stop::unusable(format!("there is no mirror {}", path.display())));
        }
        let path = named.unwrap_or_else(|| dir.join("mirror.zn"));
        if !path.exists() {
            return Ok((log, None));
        }
        let Mirrored { verified, last_commit } = log::verify_mirror(&path).map_err(|e| Stop::new(exit::DAMAGED, e))?;
        same(&log, &path, &verified, last_commit).map_err(|why| Stop::new(exit::DAMAGED, why))?;
        Ok((log, Some(Copy { path, verified })))
    }
}

/// Whether store and mirror are one log. Sled drops what is damaged at its end without a word; the mirror knows.
fn same(log: &SledLog, mirror: &Path, copy: &Verified, last_commit: Seq) -> Result<(), String> {
    let (head, mirror) = (log.head(), mirror.display());
    // A crash may have kept the last commit from the store: nobody was told of it.
    if copy.entries > head.0 && (head == Seq(0) || head.0 + 1 < last_commit.0) {
        return Err(format!(
            "the store is damaged: it ends at entry {} and the mirror {mirror} at {}; `zeitnot serve` takes the rest from there",
            head.0, copy.entries
        ));
    }
    let Some(before) = copy.entries.min(head.0).checked_sub(1) else { return Ok(()) };
    let stored = log.reader().read(Seq(before), 1).map_err(|e| e.to_string())?;
    if copy.entries <= head.0 && stored.first().is_none_or(|stored| stored.chain != copy.head) {
        return Err(format!("the log is damaged: up to entry {} the mirror {mirror} is not the same as the store", copy.entries));
    }
    Ok(())
}

/// Why a log does not open, and what to do instead.
fn unopened(dir: &Path, error: &log::Error) -> String {
    match error {
        log::Error::Locked { .. } => {
            format!("a daemon has {} open: ask it (`zeitnot game show GAME --until SEQ`, `zeitnot digest`), or stop it first", dir.display())
        }
        log::Error::StoreLost { dir: store, why } => format!(
            "the log is damaged: the store {} cannot be used ({why}); where there is a mirror, `zeitnot serve` rebuilds the store from it",
            store.display()
        ),
        other => other.to_string(),
    }
}

/// Shows every entry up to and with `until`, as it is stored and as it reads, until `each` stops.
pub(super) fn scan(reader: &dyn Reader, until: Option<Seq>, each: &mut dyn FnMut(log::Entry<'_>, Entry) -> Result<(), Stop>) -> Result<(), Stop> {
    let mut stopped = Ok(());
    let scanned = reader.scan(Seq(0), &mut |stored| {
        if until.is_some_and(|until| stored.seq > until) {
            return ControlFlow::Break(());
        }
        stopped = writer::read(stored.seq, stored.body).map_err(|e| Stop::new(exit::DAMAGED, e)).and_then(|entry| each(stored, entry));
        if stopped.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    stopped.and(scanned.map_err(|e| Stop::new(exit::DAMAGED, e)))
}

/// Where to stop: `until`, which has to be there, or the end.
pub(super) fn end(log: &SledLog, until: Option<u64>) -> Result<Seq, Stop> {
    let head = log.head();
    match until {
        Some(until) if until > head.0 => Err(Stop::new(exit::USAGE, format!("--until {until}: the log ends at entry {}", head.0))),
        Some(until) => Ok(Seq(until)),
        None => Ok(head),
    }
}
