//! A log of every released format, kept for ever: it must replay and read as it did.
//!
//! `v1/log.jsonl` and those after it are logs as `zeitnot log export` writes them; together they hold every kind of
//! entry. They are never written again: what is new comes in a log of its own. `printed.txt` beside each is how it
//! reads; `UPDATE_GOLDEN=1` writes that anew.
#![expect(clippy::unwrap_used, reason = "what does not go as told here is a failed test")]

mod day;
mod day2;
mod kinds;
mod round_trip;

use std::collections::BTreeSet;
use std::path::PathBuf;

use zeitnot::audit::Audit;
use zeitnot::format::jsonl::{self, Line};
use zeitnot::game::{self, Fact, Seq};
use zeitnot::log::{Log, MAX_BATCH, MemoryLog, Reader, Verified, verify};
use zeitnot::venue::{Entry, Payload, Role};
use zeitnot::{wire, writer};

/// A kept log.
struct Kept {
    name: &'static str,
}

const KEPT: [Kept; 2] = [Kept { name: "v1" }, LAST];
/// The last of them, whose days are still decided as they were. In the first nobody asked who can still mate.
const LAST: Kept = Kept { name: "v2" };

impl Kept {
    fn file(&self, name: &str) -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(self.name).join(name)
    }

    /// The log, with its own chain found right.
    fn log(&self) -> MemoryLog {
        let text = std::fs::read_to_string(self.file("log.jsonl")).unwrap();
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

    /// Writes what does not exist yet, where that is wanted.
    fn begin(&self, today: &MemoryLog) {
        if std::env::var_os("ZEITNOT_NEW_GOLDEN").is_none() || self.file("log.jsonl").exists() {
            return;
        }
        let stored = today.reader().read(Seq(0), usize::MAX).unwrap();
        let line = |stored: &zeitnot::log::Stored| Line { seq: stored.seq.0, body: stored.body.clone(), chain: stored.chain.0 };
        let text: String = entries(&*today.reader()).iter().zip(&stored).map(|(entry, s)| jsonl::write(entry, &line(s)) + "\n").collect();
        std::fs::create_dir_all(self.file("")).unwrap();
        std::fs::write(self.file("log.jsonl"), text).unwrap();
    }
}

fn entries(reader: &dyn Reader) -> Vec<Entry> {
    let mut found = Vec::new();
    writer::each_entry(reader, Seq(0), None, &mut |entry| found.push(entry)).unwrap();
    found
}

/// How a log reads: every entry, and where it ends.
fn printed(log: &MemoryLog) -> String {
    let Verified { entries: count, head } = verify(&*log.reader()).unwrap();
    let venue = writer::replay(&*log.reader(), None, &mut |_| {}).unwrap();
    let lines: String = entries(&*log.reader()).iter().map(|entry| format!("{entry}\n")).collect();
    format!("{lines}entries  {count}\nhead     {head}\ndigest   {}\n", venue.digest())
}

#[test]
fn the_kept_logs_read_as_they_did() {
    for kept in &KEPT {
        let now = printed(&kept.log());
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(kept.file("printed.txt"), &now).unwrap();
        }
        let then = std::fs::read_to_string(kept.file("printed.txt")).unwrap();
        let differs = then.lines().zip(now.lines()).find(|(then, now)| then != now);
        assert!(then == now, "{}: {differs:#?}; if that is meant: UPDATE_GOLDEN=1, and say so in the changelog", kept.name);
    }
}

#[test]
fn the_kept_logs_hold_every_kind_of_entry() {
    let found: BTreeSet<&str> = KEPT.iter().flat_map(|kept| entries(&*kept.log().reader())).map(|entry| kinds::of(&entry)).collect();
    let missing: Vec<_> = kinds::ALL.iter().filter(|kind| !found.contains(**kind)).collect();
    assert!(missing.is_empty(), "missing: {missing:?}; a new kind needs a log of its own beside those kept");
}

/// What was decided then is decided so today (another helpmate finds the same), and written in the same bytes.
#[test]
fn the_last_days_are_decided_and_written_as_they_were() {
    LAST.begin(&day2::played());
    let kept = LAST.log();
    let mut audit = Audit::default();
    for stored in kept.reader().read(Seq(0), usize::MAX).unwrap() {
        let entry = writer::read(stored.seq, &stored.body).unwrap();
        assert_eq!(prost::Message::encode_to_vec(&wire::encode_entry(&entry)), stored.body, "{entry}");
        audit.entry(entry);
    }
    let differences = audit.finish().differences;
    assert!(differences.is_empty(), "decided otherwise today: {differences:#?}");
}

/// What only the daemon works out, in another one's mouth: the entries follow from each other, but nobody can have said them.
#[test]
fn the_audit_asks_who_can_have_said_it() {
    let (mut audit, mut forged) = (Audit::default(), 0);
    for stored in LAST.log().reader().read(Seq(0), usize::MAX).unwrap() {
        let mut entry = writer::read(stored.seq, &stored.body).unwrap();
        let role = match &entry.payload {
            Payload::Game(game::Entry::Fact(Fact::Verdict { .. } | Fact::Late { .. })) => Role::Clock,
            Payload::Game(game::Entry::Ruling(_)) => Role::Office,
            _ => Role::Feed,
        };
        if let Some(origin) = entry.origin.as_mut().filter(|_| role != Role::Feed) {
            origin.role = role;
            forged += 1;
        }
        audit.entry(entry);
    }
    let differences = audit.finish().differences;
    assert!(forged > 20, "{forged}");
    assert_eq!(differences.len(), forged);
    assert!(differences.iter().all(|difference| difference.today == ["who is said to have said it cannot"]), "{differences:#?}");
}
