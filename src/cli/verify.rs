//! `zeitnot verify`: whether a log is whole, both copies of it.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::data::{self, Data};
use super::output::{progress, say};
use super::{Stop, exit};
use crate::audit::Versions;
use crate::game::Seq;
use crate::log::{self, Log, Verified, verify_mirror};
use crate::venue::Venue;

/// Options of `verify`.
#[derive(Debug, Args)]
pub(super) struct Verify {
    #[command(flatten)]
    data: Data,
    /// The log's second copy; the one beside the log, if there is one, where not given.
    #[arg(long, env = "ZEITNOT_MIRROR", value_name = "PATH")]
    mirror: Option<PathBuf>,
    /// Prints one JSON object.
    #[arg(long)]
    json: bool,
}

impl Verify {
    pub(super) fn run(self) -> Result<(), Stop> {
        let damaged = |e: log::Error| Stop::new(exit::DAMAGED, e);
        let log = self.data.open()?;
        let Verified { entries, head } = log::verify(&*log.reader()).map_err(damaged)?;
        let bar = progress("verifying", entries);
        let (mut venue, mut versions) = (Venue::default(), Versions::default());
        data::scan(&*log.reader(), None, &mut |_, entry| {
            versions.entry(&entry).map_err(|e| Stop::new(exit::DAMAGED, format!("entry {}: {e}", entry.seq.0)))?;
            venue.evolve(&entry);
            bar.set_position(entry.seq.0);
            Ok(())
        })?;
        bar.finish_and_clear();
        let mirror = self.mirror.filter(|path| path.as_os_str() != "none");
        let mirror = mirror.unwrap_or_else(|| self.data.data.join("mirror.zn"));
        let mirrored = if mirror.exists() { Some(verify_mirror(&mirror, log.head()).map_err(damaged)?) } else { None };
        if let Some(copy) = mirrored
            && let Some(stored) = log.reader().read(Seq(copy.entries.saturating_sub(1)), 1).map_err(damaged)?.first()
            && copy.entries > 0
            && copy.head != stored.chain
        {
            let why = format!("up to entry {} the mirror {} is not the same log as the store", copy.entries, mirror.display());
            return Err(Stop::new(exit::DAMAGED, why));
        }
        let digest = venue.digest();
        if self.json {
            let copy = mirrored.map(|copy| json!({ "entries": copy.entries, "head": copy.head.to_string() }));
            return say(json!({ "entries": entries, "head": head.to_string(), "digest": digest.to_string(), "mirror": copy }));
        }
        say(format!("entries  {entries}\nhead     {head}\ndigest   {digest}"))?;
        match mirrored {
            Some(copy) => say(format!("mirror   {} entries in {}", copy.entries, mirror.display())),
            None => say("mirror   none"),
        }
    }
}
