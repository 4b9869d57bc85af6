//! `zeitnot log export|import`: a log as lines of JSON, and back byte for byte.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::data::{self, Data};
use super::output::{progress, say, written};
use super::{Stop, exit};
use crate::audit::{Signatures, Versions, in_turn};
use crate::format::jsonl;
use crate::game::Seq;
use crate::log::{Chain, Log, MAX_BATCH, MAX_ENTRY, Options, SledLog};
use crate::venue::Venue;
use crate::writer;

/// Longest line that is read: an entry of the largest size in hexadecimal, with what is said of it.
const MAX_LINE: u64 = 8 * MAX_ENTRY as u64;

/// Taking a log out and in.
#[derive(Debug, Subcommand)]
pub(super) enum Transfer {
    /// Writes every entry as a line of JSON.
    Export(Export),
    /// Makes a log from exported lines, wholly or not at all.
    Import(Import),
}

/// Options of `log export`.
#[derive(Debug, Args)]
pub(super) struct Export {
    #[command(flatten)]
    data: Data,
    /// File to write, which must not be there; stdout where not given.
    file: Option<PathBuf>,
}

/// Options of `log import`.
#[derive(Debug, Args)]
pub(super) struct Import {
    /// Directory of the new log: empty, or not there.
    #[arg(long, env = "ZEITNOT_DATA")]
    data: PathBuf,
    /// File to read; stdin where not given.
    file: Option<PathBuf>,
}

impl Transfer {
    pub(super) fn run(self) -> Result<(), Stop> {
        match self {
            Transfer::Export(export) => export.run(),
            Transfer::Import(import) => import.run(),
        }
    }
}

impl Export {
    fn run(self) -> Result<(), Stop> {
        let log = self.data.open()?;
        let Some(path) = &self.file else { return lines(&log, &mut BufWriter::new(io::stdout().lock())) };
        let failed = |e: io::Error| Stop::new(exit::USAGE, format!("cannot write {}: {e}", path.display()));
        let mut file = BufWriter::new(File::create_new(path).map_err(failed)?);
        lines(&log, &mut file)?;
        file.into_inner().map_err(|e| failed(e.into_error()))?.sync_all().map_err(failed)
    }
}

fn lines(log: &SledLog, out: &mut dyn Write) -> Result<(), Stop> {
    let bar = progress("exporting", log.head().0);
    data::scan(&*log.reader(), None, &mut |stored, entry| {
        let line = jsonl::Line { seq: stored.seq.0, body: stored.body.to_vec(), chain: stored.chain.0 };
        bar.set_position(stored.seq.0);
        written(writeln!(out, "{}", jsonl::write(&entry, &line)))
    })?;
    bar.finish_and_clear();
    written(out.flush())
}

impl Import {
    fn run(self) -> Result<(), Stop> {
        let into = &self.data;
        if fs::read_dir(into).is_ok_and(|mut inside| inside.next().is_some()) || into.is_file() {
            return Err(Stop::new(exit::USAGE, format!("{} is not empty: a log is imported into a directory of its own", into.display())));
        }
        let from: Box<dyn BufRead> = match &self.file {
            None => Box::new(io::stdin().lock()),
            Some(path) => {
                let file = File::open(path).map_err(|e| Stop::new(exit::USAGE, format!("cannot read {}: {e}", path.display())))?;
                Box::new(BufReader::new(file))
            }
        };
        let beside = beside(into)?;
        let failed = |what: &str, e: io::Error| Stop::new(exit::USAGE, format!("cannot {what} {}: {e}", into.display()));
        fs::create_dir_all(&beside).map_err(|e| failed("make a directory beside", e))?;
        let done = fill(&beside, from).and_then(|head| {
            fs::rename(&beside, into).map_err(|e| failed("put the log to", e))?;
            let parent = into.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
            File::open(parent).and_then(|parent| parent.sync_all()).map_err(|e| failed("sync the directory of", e))?;
            Ok(head)
        });
        if done.is_err() {
            // What was half imported is of no use to anybody.
            let _ = fs::remove_dir_all(&beside);
        }
        let (entries, head) = done?;
        say(format!("entries  {}\nhead     {head}", entries.0))
    }
}

/// A directory beside the new log, on the same disk, that nobody else uses.
fn beside(into: &Path) -> Result<PathBuf, Stop> {
    let nameless = || Stop::new(exit::USAGE, format!("{} is no name for a directory", into.display()));
    let name = into.file_name().ok_or_else(nameless)?.to_string_lossy();
    Ok(into.with_file_name(format!(".{name}.import-{}", std::process::id())))
}

/// Fills a new log with what the lines say, each checked before it is taken.
fn fill(dir: &Path, mut from: Box<dyn BufRead>) -> Result<(Seq, Chain), Stop> {
    let mut log = SledLog::open(dir, &Options::default()).map_err(|e| Stop::new(exit::DAMAGED, e))?;
    let (mut chain, mut checks, mut batch) = (log.tip(), Checks::default(), Vec::new());
    for number in 1_u64.. {
        let wrong = |why: String| Stop::new(exit::USAGE, format!("line {number}: {why}; nothing was imported"));
        let mut text = String::new();
        let read = io::Read::take(&mut from, MAX_LINE).read_line(&mut text).map_err(|e| wrong(e.to_string()))?;
        if read as u64 == MAX_LINE {
            return Err(wrong(format!("longer than any entry can be ({MAX_LINE} bytes)")));
        }
        if read > 0 {
            let line = jsonl::read(&text).map_err(|e| wrong(e.to_string()))?;
            chain = chain.next(&line.body);
            checks.line(number, &line, chain, &text).map_err(wrong)?;
            batch.push(line.body);
        }
        if batch.len() == MAX_BATCH || read == 0 {
            let first = Seq(log.head().0 + 1);
            log.append(first, &batch).map_err(|e| Stop::new(exit::LOG_FAILED, e))?;
            batch.clear();
        }
        if read == 0 {
            break;
        }
    }
    if log.head() == Seq(0) {
        return Err(Stop::new(exit::USAGE, "there is no line to import: nothing was imported"));
    }
    if let (count, Some(first)) = checks.misleading {
        eprintln!(
            "zeitnot: in {count} of the lines, line {first} first, the words beside the body are not what this version says of it: \
             another version wrote them, or somebody changed them; the log is what the bodies say, and the chain holds over those alone"
        );
    }
    Ok((log.head(), log.tip()))
}

/// What the lines so far come to, for what has to follow on them.
#[derive(Debug, Default)]
struct Checks {
    versions: Versions,
    signatures: Signatures,
    venue: Venue,
    /// Lines whose words are not those of their body: how many, and the first.
    misleading: (u64, Option<u64>),
}

impl Checks {
    /// Whether a line is the entry that has to come there.
    fn line(&mut self, number: u64, line: &jsonl::Line, chain: Chain, text: &str) -> Result<(), String> {
        if line.seq != number {
            return Err(format!("holds entry {}, and entry {number} comes there", line.seq));
        }
        if chain.0 != line.chain {
            return Err("the chain does not follow from the entries before and this body".to_string());
        }
        if line.body.len() > MAX_ENTRY {
            return Err(format!("the body is longer than {MAX_ENTRY} bytes"));
        }
        let entry = writer::read(Seq(line.seq), &line.body).map_err(|e| e.to_string())?;
        self.versions.entry(&entry).map_err(|e| e.to_string())?;
        self.signatures.entry(&entry, chain.0).map_err(|e| e.to_string())?;
        in_turn(&self.venue, &entry).map_err(|e| e.to_string())?;
        self.venue.evolve(&entry);
        if jsonl::misleads(text, &entry) {
            self.misleading.0 += 1;
            self.misleading.1.get_or_insert(number);
        }
        Ok(())
    }
}
