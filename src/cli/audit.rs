//! `zeitnot audit`: every recorded fact and ruling decided again.

use clap::Args;
use serde_json::json;

use super::data::{self, Data};
use super::output::{progress, say};
use super::{Stop, exit};
use crate::audit::{self, Difference};
use crate::log::{Chain, Log};

/// Options of `audit`.
#[derive(Debug, Args)]
pub(super) struct Audit {
    #[command(flatten)]
    data: Data,
    /// Prints one JSON object.
    #[arg(long)]
    json: bool,
}

impl Audit {
    pub(super) fn run(self) -> Result<(), Stop> {
        let log = self.data.open()?;
        let bar = progress("auditing", log.head().0);
        let (mut audit, mut head) = (audit::Audit::default(), Chain::GENESIS);
        data::scan(&*log.reader(), None, &mut |stored, entry| {
            head = stored.chain;
            audit.entry(entry);
            bar.set_position(stored.seq.0);
            Ok(())
        })?;
        bar.finish_and_clear();
        let found = audit.finish();
        let (entries, digest, inputs) = (found.venue.head().0, found.venue.digest(), found.inputs);
        if self.json {
            let differences: Vec<_> = found.differences.iter().map(as_json).collect();
            let head = head.to_string();
            say(json!({ "entries": entries, "head": head, "digest": digest.to_string(), "inputs": inputs, "differences": differences }))?;
        } else {
            found.differences.iter().try_for_each(|difference| say(as_text(difference)))?;
            say(format!("entries      {entries}\nhead         {head}\ndigest       {digest}"))?;
            say(format!("inputs       {inputs}\ndifferences  {}", found.differences.len()))?;
        }
        if found.differences.is_empty() { Ok(()) } else { Err(Stop::quiet(exit::FAILED)) }
    }
}

fn as_json(d: &Difference) -> serde_json::Value {
    json!({ "seq": d.seq.0, "subject": d.subject.to_string(), "recorded": d.recorded, "today": d.today })
}

fn as_text(d: &Difference) -> String {
    let lines = |entries: &[String]| entries.iter().map(|entry| format!("    {entry}\n")).collect::<String>();
    format!("entry {} ({}): recorded\n{}  today\n{}", d.seq.0, d.subject, lines(&d.recorded), lines(&d.today))
}
