//! The log of a daemon that does not run, opened to be read: nothing is appended, made or mended.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::{Stop, exit};
use crate::game::Seq;
use crate::log::{self, Log, MirrorAt, Reader, SledLog};
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
}

impl Data {
    /// Opens the log; one that is not there is not made.
    pub(super) fn open(&self) -> Result<SledLog, Stop> {
        let dir = &self.data;
        if !["FORMAT", "store", "mirror.zn"].iter().any(|name| dir.join(name).exists()) {
            return Err(Stop::new(exit::USAGE, format!("there is no log in {}: `zeitnot serve --data DIR` makes one", dir.display())));
        }
        let options = log::Options { mirror: MirrorAt::Nowhere, wait: WAIT };
        SledLog::open(dir, &options).map_err(|e| Stop::new(exit::DAMAGED, unopened(dir, &e)))
    }
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
