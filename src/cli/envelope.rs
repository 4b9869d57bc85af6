//! `zeitnot envelope`: the venue's key, the outside of an envelope, and whether what was opened is what was sealed.

mod cover;
pub(super) mod key;

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::json;
use zeroize::Zeroizing;

use super::data::{self, Data};
use super::office::Act;
use super::output::say;
use super::{Stop, exit};
use crate::audit::{Envelopes, OpenedEnvelope};
use crate::envelope::{Commitment, Nonce, Note};
use crate::format::jsonl;
use crate::game::{self, Ruling, Seq, side};
use crate::log::{Chain, Log, MAX_ENTRY};
use crate::venue::{Entry, Payload, Venue};
use crate::wire::v1;
use crate::writer;
pub(super) use cover::local;
use key::Secret;

/// Longest line of an export that is read.
const MAX_LINE: u64 = 8 * MAX_ENTRY as u64;

/// Envelopes of sealed moves.
#[derive(Debug, Subcommand)]
pub(super) enum Envelope {
    /// Makes the venue's key for envelopes, or takes the one in the file, and tells the daemon its public half.
    Key(Key),
    /// Prints what stands on the envelope of a game.
    Cover(cover::Print),
    /// Checks opened envelopes against what was sealed.
    Verify(Verify),
}

/// Options of `envelope key`.
#[derive(Debug, Args)]
pub(super) struct Key {
    /// The file of the private key, under a passphrase (PKCS#8); made if it is not there. Keep it, and a copy: without it no envelope opens.
    /// Where none is named, the key that is in use is shown.
    file: Option<PathBuf>,
    /// Lets another key take the place of the one in use. What is sealed already stays sealed to that.
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    secret: Secret,
    #[command(flatten)]
    act: Act,
}

/// Options of `envelope verify`.
#[derive(Debug, Args)]
pub(super) struct Verify {
    /// Only envelopes of this game.
    game: Option<u64>,
    /// Directory of the log.
    #[arg(long, env = "ZEITNOT_DATA", conflicts_with = "export")]
    data: Option<PathBuf>,
    /// An exported log (`zeitnot log export`).
    #[arg(long, value_name = "FILE")]
    export: Option<PathBuf>,
    /// Checks one text against one commitment, without a log.
    #[arg(long, requires_all = ["game", "ply", "text", "nonce"], conflicts_with_all = ["data", "export"], value_name = "HEX")]
    commitment: Option<Commitment>,
    /// The ply that the sealed move was to be, from 0.
    #[arg(long, requires = "commitment")]
    ply: Option<u32>,
    /// The text of the sealed move.
    #[arg(long, requires = "commitment")]
    text: Option<String>,
    /// The nonce of the sealing device.
    #[arg(long, requires = "commitment", value_name = "HEX")]
    nonce: Option<Nonce>,
    /// Prints one JSON object.
    #[arg(long)]
    json: bool,
}

impl Envelope {
    pub(super) fn run(self) -> Result<(), Stop> {
        match self {
            Envelope::Key(key) => key.run(),
            Envelope::Cover(print) => print.run(),
            Envelope::Verify(verify) => verify.run(),
        }
    }
}

impl Key {
    fn run(self) -> Result<(), Stop> {
        let remote = &self.act.remote;
        let nobody = v1::HallRequest { tournament: u64::MAX, ..v1::HallRequest::default() };
        let used = remote.office(async |mut office| office.hall(nobody).await)?.envelope_key;
        let in_use: String = used.iter().map(|byte| format!("{byte:02x}")).collect();
        let Some(file) = &self.file else {
            let text = if in_use.is_empty() { "no key for envelopes yet" } else { &in_use };
            return remote.say(|| json!({ "public_key": in_use }), || text.to_string());
        };
        let made = !file.exists();
        if made && !used.is_empty() && !self.replace {
            let why = format!("envelopes are sealed to {in_use}, and {} is not there: name the file of that key, or --replace it", file.display());
            return Err(Stop::new(exit::USAGE, why));
        }
        let key = if made { self.secret.make(file)? } else { self.secret.open(file)? };
        let public = key.public();
        if made && !remote.json {
            say(format!("made {}: keep it and its passphrase, and a copy elsewhere; without them no envelope opens", file.display()))?;
        }
        if used == public.0 {
            return remote.say(|| json!({ "public_key": public.to_string() }), || format!("envelopes are sealed to {public} already"));
        }
        if !used.is_empty() && !self.replace {
            let why = format!("envelopes are sealed to {in_use}, and {} is the key {public}: --replace lets it take that place", file.display());
            return Err(Stop::new(exit::USAGE, why));
        }
        let request = v1::SetEnvelopeKeyRequest { key: self.act.key.clone(), public_key: public.0.to_vec(), by: self.act.by() };
        let replaced = if used.is_empty() { String::new() } else { format!(", in the place of {in_use}") };
        remote.record(|_| format!("envelopes are sealed to {public}{replaced}"), async |mut office| office.set_envelope_key(request).await)
    }
}

impl Verify {
    fn run(self) -> Result<(), Stop> {
        if let (Some(commitment), Some(ply), Some(text), Some(nonce), Some(game)) = (self.commitment, self.ply, &self.text, self.nonce, self.game) {
            return one(game, ply, text, nonce, commitment, self.json);
        }
        let mut found = Found { game: self.game, venue: Venue::default(), envelopes: Envelopes::default(), opened: Vec::new() };
        match (&self.data, &self.export) {
            (Some(dir), _) => {
                let log = Data::at(dir.clone()).open()?;
                data::scan(&*log.reader(), None, &mut |_, entry| {
                    found.entry(entry);
                    Ok(())
                })?;
            }
            (None, Some(file)) => exported(file, &mut found)?,
            (None, None) => {
                let why = "which log? --data DIR, or --export FILE; or one text: GAME --ply N --text TEXT --nonce HEX --commitment HEX";
                return Err(Stop::new(exit::USAGE, why));
            }
        }
        found.tell(self.json)
    }
}

/// One text against one commitment.
fn one(game: u64, ply: u32, text: &str, nonce: Nonce, commitment: Commitment, json: bool) -> Result<(), Stop> {
    let note = Note::new(Zeroizing::new(text.to_string()), nonce).map_err(|e| Stop::new(exit::USAGE, format!("--text, --nonce: {e}")))?;
    let holds = note.commitment(game, ply) == commitment;
    if json {
        say(json!({ "game": game, "ply": ply, "holds": holds, "commitment": note.commitment(game, ply).to_string() }))?;
    } else {
        say(if holds { "it is what was sealed" } else { "it is not what was sealed: game, ply, text and nonce give another commitment" })?;
    }
    if holds { Ok(()) } else { Err(Stop::quiet(exit::FAILED)) }
}

/// The opened envelopes of a log.
struct Found {
    game: Option<u64>,
    venue: Venue,
    envelopes: Envelopes,
    opened: Vec<OpenedEnvelope>,
}

impl Found {
    fn entry(&mut self, entry: Entry) {
        let opened = self.envelopes.entry(&self.venue, &entry);
        self.opened.extend(opened.filter(|opened| self.game.is_none_or(|game| game == opened.game.0)));
        self.venue.evolve(&entry);
    }

    fn tell(self, json: bool) -> Result<(), Stop> {
        let wrong = self.opened.iter().filter(|opened| opened.holds.is_err()).count();
        if json {
            let envelopes: Vec<_> = self.opened.iter().map(as_json).collect();
            say(json!({ "opened": envelopes, "wrong": wrong }))?;
        } else {
            for opened in &self.opened {
                say(line(opened))?;
            }
            say(format!("{} opened, {wrong} not what was sealed", self.opened.len()))?;
        }
        if wrong == 0 { Ok(()) } else { Err(Stop::quiet(exit::FAILED)) }
    }
}

fn as_json(opened: &OpenedEnvelope) -> serde_json::Value {
    json!({
        "game": opened.game.0,
        "by": side(opened.by),
        "ply": opened.ply,
        "text": opened.opened.text,
        "nonce": opened.opened.nonce.to_string(),
        "commitment": opened.commitment.to_string(),
        "sealed_in": opened.sealed_in.0,
        "opened_in": opened.opened_in.0,
        "holds": opened.holds.is_ok(),
        "why": opened.holds.err().map(|e| e.to_string()),
    })
}

fn line(opened: &OpenedEnvelope) -> String {
    let held = match opened.checked() {
        Ok(()) => format!("as sealed in entry {}", opened.sealed_in.0),
        Err(e) => e.to_string(),
    };
    let (game, text) = (opened.game.0, opened.opened.text.escape_debug());
    format!("game {game}, {} for ply {}: \"{text}\", opened in entry {}, {held}", side(opened.by), opened.ply, opened.opened_in.0)
}

/// The entries of an exported log, each in its place.
fn exported(path: &Path, found: &mut Found) -> Result<(), Stop> {
    let wrong = |why: String| Stop::new(exit::USAGE, format!("{}: {why}", path.display()));
    let mut from = BufReader::new(File::open(path).map_err(|e| wrong(e.to_string()))?);
    let mut chain = Chain::GENESIS;
    for number in 1_u64.. {
        let at = |why: String| wrong(format!("line {number}: {why}"));
        let mut text = String::new();
        let read = Read::take(&mut from, MAX_LINE).read_line(&mut text).map_err(|e| at(e.to_string()))?;
        if read == 0 {
            break;
        }
        if read as u64 == MAX_LINE {
            return Err(at("longer than any entry can be".to_string()));
        }
        let line = jsonl::read(&text).map_err(|e| at(e.to_string()))?;
        chain = chain.next(&line.body);
        if chain.0 != line.chain {
            return Err(Stop::new(
                exit::FAILED,
                format!("{}: line {number}: the chain does not follow from the entries before and this body", path.display()),
            ));
        }
        let said = jsonl::text(&text);
        if line.seq != number {
            return Err(at(format!("holds entry {}, and entry {number} comes there", line.seq)));
        }
        let entry = writer::read(Seq(line.seq), &line.body).map_err(|e| at(e.to_string()))?;
        // People read the text; of an opening it has to be what the body holds.
        if matches!(entry.payload, Payload::Game(game::Entry::Ruling(Ruling::Open { .. }))) && said != jsonl::text(&jsonl::write(&entry, &line)) {
            return Err(Stop::new(exit::FAILED, format!("{}: line {number}: its text is not what its body holds", path.display())));
        }
        found.entry(entry);
    }
    Ok(())
}
