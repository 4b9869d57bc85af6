//! A log of every released format, kept for ever: it must replay and read as it did.
//!
//! `v1/log.jsonl` is a log as `zeitnot log export` writes it, with every kind of entry; it is
//! never written again. `v1/printed.txt` is how it reads; `UPDATE_GOLDEN=1` writes that anew.
#![expect(clippy::unwrap_used, reason = "what does not go as told here is a failed test")]

mod day;
mod kinds;

use std::collections::BTreeSet;
use std::path::PathBuf;

use zeitnot::format::jsonl::{self, Line};
use zeitnot::game::Seq;
use zeitnot::log::{Log, MAX_BATCH, MemoryLog, Reader, Verified, verify};
use zeitnot::venue::Entry;
use zeitnot::writer;

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v1").join(name)
}

fn entries(reader: &dyn Reader) -> Vec<Entry> {
    let mut found = Vec::new();
    writer::each_entry(reader, Seq(0), None, &mut |entry| found.push(entry)).unwrap();
    found
}

/// The kept log, with its own chain found right.
fn kept() -> MemoryLog {
    let text = std::fs::read_to_string(file("log.jsonl")).unwrap();
    let lines: Vec<Line> = text.lines().map(|line| jsonl::read(line).unwrap()).collect();
    let mut log = MemoryLog::new();
    for batch in lines.chunks(MAX_BATCH) {
        let bodies: Vec<Vec<u8>> = batch.iter().map(|line| line.body.clone()).collect();
        log.append(Seq(batch[0].seq), &bodies).unwrap();
    }
    let stored = log.reader().read(Seq(0), usize::MAX).unwrap();
    assert!(stored.iter().map(|stored| stored.chain.0).eq(lines.iter().map(|line| line.chain)));
    log
}

/// How a log reads: every entry, and where it ends.
fn printed(log: &MemoryLog) -> String {
    let Verified { entries: count, head } = verify(&*log.reader()).unwrap();
    let venue = writer::replay(&*log.reader(), None, &mut |_| {}).unwrap();
    let lines: String = entries(&*log.reader()).iter().map(|entry| format!("{entry}\n")).collect();
    format!("{lines}entries  {count}\nhead     {head}\ndigest   {}\n", venue.digest())
}

#[test]
fn the_kept_log_reads_as_it_did() {
    let now = printed(&kept());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(file("printed.txt"), &now).unwrap();
    }
    let then = std::fs::read_to_string(file("printed.txt")).unwrap();
    let differs = then.lines().zip(now.lines()).find(|(then, now)| then != now);
    assert!(then == now, "{differs:#?}; if that is meant: UPDATE_GOLDEN=1, and say so in the changelog");
}

#[test]
fn the_kept_log_holds_every_kind_of_entry() {
    let found: BTreeSet<&str> = entries(&*kept().reader()).iter().map(kinds::of).collect();
    let missing: Vec<_> = kinds::ALL.iter().filter(|kind| !found.contains(**kind)).collect();
    assert!(missing.is_empty(), "missing: {missing:?}; a new kind needs a log of its own beside v1");
}

/// What the program writes today is what it wrote then, byte for byte.
#[test]
fn the_same_day_gives_the_same_log() {
    let today = day::played();
    if std::env::var_os("ZEITNOT_NEW_GOLDEN").is_some() && !file("log.jsonl").exists() {
        let stored = today.reader().read(Seq(0), usize::MAX).unwrap();
        let line = |stored: &zeitnot::log::Stored| Line { seq: stored.seq.0, body: stored.body.clone(), chain: stored.chain.0 };
        let text: String = entries(&*today.reader()).iter().zip(&stored).map(|(entry, s)| jsonl::write(entry, &line(s)) + "\n").collect();
        std::fs::write(file("log.jsonl"), text).unwrap();
    }
    let kept = kept();
    let differs = entries(&*today.reader()).into_iter().zip(entries(&*kept.reader())).find(|(today, then)| today != then);
    assert!(today.tip() == kept.tip(), "decided otherwise today: {differs:#?}");
}
