//! `zeitnot backup`: a copy of the log of a running daemon, and later what has come since.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::output::progress;
use super::remote::Remote;
use super::{Stop, exit, runtime};
use crate::game::Seq;
use crate::log::{self, Chain, Log, MAX_BATCH, Options, SledLog};
use crate::wire::v1::{self, feeds_client::FeedsClient};

/// Options of `backup`.
#[derive(Debug, Args)]
pub(super) struct Backup {
    #[command(flatten)]
    remote: Remote,
    /// Directory of the backup: of one made before, which is gone on with, or empty, or not there.
    dir: PathBuf,
}

impl Backup {
    pub(super) fn run(self) -> Result<(), Stop> {
        let dir = &self.dir;
        let strange = fs::read_dir(dir).is_ok_and(|mut inside| inside.next().is_some()) && !dir.join("FORMAT").exists();
        if strange || dir.is_file() {
            let why = format!("{} holds something else than a log: name the directory of an earlier backup, or an empty one", dir.display());
            return Err(Stop::new(exit::USAGE, why));
        }
        let (added, log) = runtime()?.block_on(async {
            let mut feeds = FeedsClient::new(self.remote.line().await?);
            let open = || SledLog::open(dir, &Options::default()).map_err(|e| Stop::unopened(&e));
            let before = dir.join("FORMAT").exists().then(open).transpose()?;
            let (began, tip) = before.as_ref().map_or((0, Chain::GENESIS), |log| (log.head().0, log.tip()));
            let asked = v1::CopyRequest { after: began, chain: if began > 0 { tip.0.to_vec() } else { Vec::new() } };
            let mut stretches = feeds.copy(asked).await.map_err(|status| refused(dir, &status))?.into_inner();
            // Only now, with somebody to copy from, is anything made.
            let mut log = before.map_or_else(open, Ok)?;
            let bar = progress("copying", began);
            let mut taken = Taken::after(&log);
            while let Some(stretch) = stretches.message().await? {
                bar.set_length(stretch.head);
                bar.set_position(stretch.first);
                taken.take(stretch)?;
                if taken.bodies.len() > MAX_BATCH / 2 {
                    taken.append_to(&mut log)?;
                }
            }
            taken.append_to(&mut log)?;
            bar.finish_and_clear();
            Ok::<_, Stop>((log.head().0 - began, log))
        })?;
        let (entries, head) = (log.head().0, log.tip().to_string());
        self.remote.say(
            || json!({ "entries": entries, "head": head, "added": added }),
            || format!("entries  {entries}, {added} of them new\nhead     {head}"),
        )
    }
}

/// What the daemon says where it does not go on with this backup.
fn refused(dir: &Path, status: &tonic::Status) -> Stop {
    let stop = Stop::from(status.clone());
    match status.code() {
        tonic::Code::FailedPrecondition | tonic::Code::OutOfRange => {
            Stop::new(stop.code, format!("{} is no backup of this log: {}; name another directory", dir.display(), status.message()))
        }
        _ => stop,
    }
}

/// Entries that have come and are not yet in the backup.
struct Taken {
    last: Seq,
    chain: Chain,
    bodies: Vec<Vec<u8>>,
}

impl Taken {
    fn after(log: &SledLog) -> Taken {
        Taken { last: log.head(), chain: log.tip(), bodies: Vec::new() }
    }

    /// Takes what follows, with its chain calculated anew.
    fn take(&mut self, stretch: v1::Stretch) -> Result<(), Stop> {
        if stretch.first != self.last.0 + 1 {
            return Err(Stop::new(exit::DAMAGED, format!("the daemon sent entry {}, and entry {} comes next", stretch.first, self.last.0 + 1)));
        }
        self.last.0 += stretch.bodies.len() as u64;
        self.chain = stretch.bodies.iter().fold(self.chain, |chain, body| chain.next(body));
        if self.chain.0[..] != stretch.chain[..] {
            return Err(Stop::new(exit::DAMAGED, format!("up to entry {} the chain does not follow from what the daemon sent", self.last.0)));
        }
        self.bodies.extend(stretch.bodies);
        Ok(())
    }

    fn append_to(&mut self, log: &mut SledLog) -> Result<(), Stop> {
        let first = Seq(self.last.0 + 1 - self.bodies.len() as u64);
        log.append(first, &std::mem::take(&mut self.bodies)).map_err(|e: log::Error| Stop::new(exit::LOG_FAILED, e))
    }
}
