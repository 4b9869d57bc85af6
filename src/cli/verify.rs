//! `zeitnot verify`: whether a log is whole, both copies of it.

use clap::Args;
use serde_json::json;

use super::data::{self, Data};
use super::output::{progress, say};
use super::{Stop, exit};
use crate::audit::{Envelopes, Versions};
use crate::log::{self, Log, Verified};
use crate::venue::Venue;

/// Options of `verify`.
#[derive(Debug, Args)]
pub(super) struct Verify {
    #[command(flatten)]
    data: Data,
    /// Prints one JSON object.
    #[arg(long)]
    json: bool,
}

impl Verify {
    pub(super) fn run(self) -> Result<(), Stop> {
        let (log, copy) = self.data.open_both()?;
        let Verified { entries, head } = log::verify(&*log.reader()).map_err(|e| Stop::new(exit::DAMAGED, e))?;
        let bar = progress("verifying", entries);
        let (mut venue, mut versions, mut envelopes) = (Venue::default(), Versions::default(), Envelopes::default());
        data::scan(&*log.reader(), None, &mut |_, entry| {
            versions.entry(&entry).map_err(|e| Stop::new(exit::DAMAGED, format!("entry {}: {e}", entry.seq.0)))?;
            if let Some(opened) = envelopes.entry(&venue, &entry) {
                opened.checked().map_err(|e| Stop::new(exit::DAMAGED, e))?;
            }
            venue.evolve(&entry);
            bar.set_position(entry.seq.0);
            Ok(())
        })?;
        bar.finish_and_clear();
        let digest = venue.digest();
        if self.json {
            let mirror = copy.map(|copy| json!({ "entries": copy.verified.entries, "head": copy.verified.head.to_string() }));
            return say(json!({ "entries": entries, "head": head.to_string(), "digest": digest.to_string(), "mirror": mirror }));
        }
        say(format!("entries  {entries}\nhead     {head}\ndigest   {digest}"))?;
        match copy {
            Some(copy) if copy.verified.entries == entries => say(format!("mirror   the same, in {}", copy.path.display())),
            Some(copy) => {
                let (has, path) = (copy.verified.entries, copy.path.display());
                say(format!("mirror   {has} entries in {path}: the next start makes both the same"))
            }
            None => say("mirror   none"),
        }
    }
}
