//! A log of every released format, kept for ever: it must replay and read as it did.
//!
//! `v1/log.jsonl` and those after it are logs as `zeitnot log export` writes them; together they hold every kind of
//! entry. They are never written again: what is new comes in a log of its own. `printed.txt` beside each is how it
//! reads; `UPDATE_GOLDEN=1` writes that anew.
#![expect(clippy::unwrap_used, reason = "what does not go as told here is a failed test")]

mod day;
mod day2;
mod day3;
mod day4;
mod day5;
mod directory;
mod envelopes;
mod forged;
mod kinds;
mod report;
mod round_trip;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use zeitnot::audit::Audit;
use zeitnot::envelope::{self, Note};
use zeitnot::format::jsonl::{self, Line};
use zeitnot::game::{self, Fact, GameId, Ruling, Seq};
use zeitnot::log::{Log, MAX_BATCH, MemoryLog, Reader, Verified, verify};
use zeitnot::venue::{Entry, Payload, Role, Subject};
use zeitnot::{wire, writer};

/// A kept log.
struct Kept {
    name: &'static str,
    /// Its days, where they are still decided as they were. In the first nobody asked who can still mate.
    played: Option<fn() -> MemoryLog>,
    /// Inputs that came without a credential in a venue that gives them out: its daemon asked nobody.
    unasked: usize,
}

const KEPT: [Kept; 5] = [
    Kept { name: "v1", played: None, unasked: 0 },
    Kept { name: "v2", played: Some(day2::played), unasked: 0 },
    Kept { name: "v3", played: Some(day3::played), unasked: 0 },
    Kept { name: "v4", played: Some(day4::played), unasked: 4 },
    Kept { name: "v5", played: Some(day5::played), unasked: 0 },
];

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
fn printed(reader: &dyn Reader) -> String {
    let Verified { entries: count, head } = verify(reader).unwrap();
    let venue = writer::replay(reader, None, &mut |_| {}).unwrap();
    let lines: String = entries(reader).iter().map(|entry| format!("{entry}\n")).collect();
    format!("{lines}entries  {count}\nhead     {head}\ndigest   {}\n", venue.digest())
}

#[test]
fn the_kept_logs_read_as_they_did() {
    for kept in &KEPT {
        let now = printed(&*kept.log().reader());
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
    for (kept, played) in KEPT.iter().filter_map(|kept| kept.played.map(|played| (kept, played))) {
        kept.begin(&played());
        let mut audit = Audit::default();
        for stored in kept.log().reader().read(Seq(0), usize::MAX).unwrap() {
            let entry = writer::read(stored.seq, &stored.body).unwrap();
            assert_eq!(prost::Message::encode_to_vec(&wire::encode_entry(&entry)), stored.body, "{entry}");
            audit.entry(entry);
        }
        let (unasked, differences): (Vec<_>, Vec<_>) = audit.finish().differences.into_iter().partition(|one| one.today == [forged::NOBODY_ASKED]);
        assert_eq!(unasked.len(), kept.unasked, "{}", kept.name);
        assert!(differences.is_empty(), "{}: decided otherwise today: {differences:#?}", kept.name);
    }
}

/// What only some can know, in another one's mouth: the entries follow from each other, but nobody can have said them.
#[test]
fn the_audit_asks_who_can_have_said_it() {
    for (kept, least) in KEPT.iter().filter(|kept| kept.played.is_some()).zip([20, 20, 1, 4]) {
        let (mut audit, mut forged) = (Audit::default(), 0);
        for mut entry in entries(&*kept.log().reader()) {
            let role = match &entry.payload {
                Payload::Game(game::Entry::Fact(Fact::Verdict { .. } | Fact::Late { .. } | Fact::SessionOver)) => Some(Role::Clock),
                Payload::Game(game::Entry::Fact(Fact::Stop { .. } | Fact::Declaration { .. })) => Some(Role::Player),
                Payload::Game(game::Entry::Fact(Fact::SealedMove { .. }) | game::Entry::Ruling(_)) => Some(Role::Office),
                _ => None,
            };
            if let Some((origin, role)) = entry.origin.as_mut().zip(role) {
                origin.role = role;
                forged += 1;
            }
            audit.entry(entry);
        }
        let mut differences = audit.finish().differences;
        differences.retain(|one| one.today != [forged::NOBODY_ASKED]);
        assert!(forged > least, "{}: {forged}", kept.name);
        assert_eq!(differences.len(), forged, "{}", kept.name);
        assert!(differences.iter().all(|difference| difference.today == ["who is said to have said it cannot"]), "{differences:#?}");
    }
}

/// What a player sealed stands nowhere in the log before the ruling that opens it, neither as he wrote it nor by its nonce.
#[test]
fn nobody_reads_a_sealed_move_before_its_time() {
    let log = day3::played();
    let stored = log.reader().read(Seq(0), usize::MAX).unwrap();
    let entries = entries(&*log.reader());
    for (game, text, opened) in day3::TEXTS {
        let note = day3::note(text);
        let nonce = note.nonce.to_string();
        let tells = |body: &[u8], entry: &Entry| {
            let (holds, printed) = (|part: &[u8]| body.windows(part.len()).any(|window| window == part), entry.to_string());
            holds(text.as_bytes()) || holds(&note.nonce.0) || printed.contains(text) || printed.contains(&nonce)
        };
        let first = stored.iter().zip(&entries).find(|(stored, entry)| tells(&stored.body, entry)).map(|(_, entry)| entry);
        let opens = |entry: &&Entry| match &entry.payload {
            Payload::Game(game::Entry::Ruling(Ruling::Open { opened: Some(opened) })) => {
                entry.subject == Subject::Game(GameId(game)) && opened.text == text
            }
            _ => false,
        };
        assert_eq!((first.is_some(), first.filter(opens).is_some()), (opened, opened), "{text}: {first:?}");
    }
}

/// Everybody seals, and what was opened is what was sealed, as anyone can find who has the log and the key.
#[test]
fn what_was_opened_is_what_was_sealed() {
    let (mut sealed, mut roles, mut opened) = (BTreeMap::new(), BTreeSet::new(), 0);
    for entry in entries(&*day3::played().reader()) {
        let Subject::Game(game) = entry.subject else { continue };
        match &entry.payload {
            Payload::Game(game::Entry::Fact(Fact::SealedMove { by, ply, sealed: closed })) => {
                sealed.insert(game, (*ply, closed.clone()));
                roles.insert((entry.origin.unwrap().role.word(), by.fold_wb("white", "black")));
            }
            Payload::Game(game::Entry::Ruling(Ruling::Open { opened: Some(found) })) => {
                let (ply, closed) = &sealed[&game];
                let note = Note::new(found.text.clone().into(), found.nonce).unwrap();
                assert_eq!(envelope::verify(Some(&day3::key().public()), game.0, *ply, &note, closed), Ok(()), "{found:?}");
                assert_eq!(envelope::open(&day3::key(), game.0, *ply, closed), Ok(note));
                opened += 1;
            }
            _ => {}
        }
    }
    assert_eq!(roles, BTreeSet::from([("arbiter", "black"), ("arbiter", "white"), ("clock", "white"), ("player", "black"), ("player", "white")]));
    assert_eq!(opened, day3::TEXTS.iter().filter(|(.., opened)| *opened).count());
}
