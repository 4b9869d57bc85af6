//! `zeitnot verify`: whether a log is whole, both copies of it.

use clap::Args;
use serde_json::{Value, json};

use super::data::{self, Data};
use super::output::{progress, say};
use super::sign::key;
use super::{Stop, exit};
use crate::audit::{Envelopes, Signatures, Signed, Versions, in_turn};
use crate::clock::{Millis, WallTime};
use crate::log::{self, Log, Verified};
use crate::venue::{UnsignedRound, Venue};

/// How long before the log's end a round may have ended so that a daemon that died then could not sign it any more.
const MOMENTS: Millis = Millis::seconds(10);

/// Options of `verify`.
#[derive(Debug, Args)]
pub(super) struct Verify {
    #[command(flatten)]
    data: Data,
    /// The key that somebody kept, or a file that holds it: only this one may have signed the log, and it must have.
    #[arg(long, value_name = "FILE|HEX")]
    key: Option<String>,
    /// Prints one JSON object.
    #[arg(long)]
    json: bool,
}

impl Verify {
    pub(super) fn run(self) -> Result<(), Stop> {
        let kept = self.key.as_deref().map(key::kept).transpose()?;
        let (log, copy) = self.data.open_both()?;
        let Verified { entries, head } = log::verify(&*log.reader()).map_err(|e| Stop::new(exit::DAMAGED, e))?;
        let bar = progress("verifying", entries);
        let (mut venue, mut versions, mut envelopes) = (Venue::default(), Versions::default(), Envelopes::default());
        let (mut signatures, mut last) = (Signatures::by(kept), WallTime(0));
        data::scan(&*log.reader(), None, &mut |stored, entry| {
            signatures.entry(&entry, stored.chain.0).map_err(|e| Stop::new(exit::DAMAGED, e))?;
            versions.entry(&entry).map_err(|e| Stop::new(exit::DAMAGED, format!("entry {}: {e}", entry.seq.0)))?;
            in_turn(&venue, &entry).map_err(|e| Stop::new(exit::DAMAGED, format!("entry {}: {e}", entry.seq.0)))?;
            if let Some(opened) = envelopes.entry(&venue, &entry) {
                opened.checked().map_err(|e| Stop::new(exit::DAMAGED, e))?;
            }
            venue.evolve(&entry);
            last = entry.recorded_at;
            bar.set_position(entry.seq.0);
            Ok(())
        })?;
        bar.finish_and_clear();
        let signed = signatures.finish().map_err(|e| Stop::new(exit::DAMAGED, e))?;
        let digest = venue.digest();
        // Without a key that was kept nobody says that there had to be signatures.
        let unsigned: Vec<UnsignedRound> = venue.unsigned_rounds().filter(|_| kept.is_some()).collect();
        if self.json {
            let rounds: Vec<_> = unsigned.iter().map(|of| json!({ "tournament": of.tournament.0, "round": of.round, "entry": of.seq.0 })).collect();
            let mirror = copy.map(|copy| json!({ "entries": copy.verified.entries, "head": copy.verified.head.to_string() }));
            say(
                json!({ "entries": entries, "head": head.to_string(), "digest": digest.to_string(), "signed": as_json(&signed), "unsigned_rounds": rounds, "mirror": mirror }),
            )?;
            return ended(&unsigned, last);
        }
        say(format!("entries  {entries}\nhead     {head}\ndigest   {digest}\nsigned   {}", as_text(&signed, entries)))?;
        match copy {
            Some(copy) if copy.verified.entries == entries => say(format!("mirror   the same, in {}", copy.path.display())),
            Some(copy) => {
                let (has, path) = (copy.verified.entries, copy.path.display());
                say(format!("mirror   {has} entries in {path}: the next start makes both the same"))
            }
            None => say("mirror   none"),
        }?;
        ended(&unsigned, last)
    }
}

/// Whether every round that is over is signed, in a log whose last entry was recorded then.
fn ended(unsigned: &[UnsignedRound], last: WallTime) -> Result<(), Stop> {
    if unsigned.is_empty() {
        return Ok(());
    }
    let lines = unsigned.iter().map(|of| {
        let (round, tournament, seq, before) = (of.round, of.tournament.0, of.seq.0, of.at.until(last));
        let died = if before <= MOMENTS {
            format!("; it ended {before} before the log does, and a daemon that died then had no time to sign")
        } else {
            String::new()
        };
        format!("round {round} of tournament {tournament} is over, and no signature covers its result in entry {seq}{died}")
    });
    let what =
        "compare these results with a backup, a report or the sheets; where they are right, the daemon signs them when it is started with its key";
    Err(Stop::new(exit::FAILED, format!("{}\n{what}", lines.collect::<Vec<_>>().join("\n"))))
}

/// What the signatures prove, and what they do not.
fn as_text(signed: &Signed, entries: u64) -> String {
    let Some((entry, last)) = &signed.last else { return "never".to_string() };
    let times = if signed.count == 1 { "once".to_string() } else { format!("{} times", signed.count) };
    let mut text = format!("{times}, last up to entry {} (in entry {}) by {}", last.seq, entry.0, last.key);
    for (since, key) in signed.keys.iter().filter(|_| signed.keys.len() > 1) {
        text += &format!("\n         from entry {} on by {key}", since.0);
    }
    text + &format!("\n         the {} entries after entry {} are not signed", entries - last.seq, last.seq)
}

fn as_json(signed: &Signed) -> Value {
    signed.last.map_or(Value::Null, |(entry, last)| {
        let keys: Vec<_> = signed.keys.iter().map(|(since, key)| json!({ "since": since.0, "key": key.to_string() })).collect();
        json!({ "count": signed.count, "entry": entry.0, "seq": last.seq, "key": last.key.to_string(), "keys": keys })
    })
}
