//! An envelope that was tampered with in the log is found, also where whoever did it has put the chain right again.
#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

#[path = "common/hall.rs"]
mod hall;

use std::path::Path;

use hall::*;
use prost::Message;
use v1::admin::Kind as Admin;
use v1::consequence::Kind as So;
use v1::entry::{Payload, Subject};
use v1::fact::Kind as Fact;
use v1::ruling::Kind as Ruling;
use zeitnot::cli::exit;
use zeitnot::format::jsonl;
use zeitnot::game::Seq;
use zeitnot::log::{Chain, Log, MemoryLog, Options, SledLog};
use zeitnot::wire::v1;
use zeitnot::writer;

const ROOKS: &str = "r5k1/5ppp/1p6/8/8/1P1R4/5PPP/6K1 w - - 0 31";

/// A log in which both envelopes of two games were opened, the sealer's and the answer to it. The first game's also has a text that was replaced.
async fn played() -> Vec<v1::Entry> {
    let mut hall = Hall::open().await;
    let private = hall.key().await;
    let tournament = hall.tournament(laws(2018)).await;
    let games = [hall.seat(tournament, 1, ROOKS, 0).await, hall.seat(tournament, 2, ROOKS, 0).await];
    for (game, own) in games.into_iter().zip([10, 20]) {
        let key = |n: u32| format!("{game}-{n}");
        let rules = async |n, kind| hall.ask(ruling(&key(n), game, kind)).await.unwrap();
        let notes = async |n, kind| hall.ask(note(&key(n), game, kind)).await.unwrap();
        let seals = async |n, by, text, nonce| hall.ask(seal_at_console(&key(n), game, seal(by, text, nonce))).await.unwrap();
        rules(1, Ruling::Start(v1::Start {})).await;
        rules(2, Ruling::OrderSeal(v1::OrderSeal {})).await;
        seals(3, WHITE, "Kf1", own).await;
        seals(4, WHITE, "Rd7", own + 1).await;
        notes(5, Fact::Stop(WHITE)).await;
        rules(6, place("Library")).await;
        let at = hence(1_000);
        rules(7, resumes(at)).await;
        rules(8, Ruling::TakeCustody(v1::TakeCustody {})).await;
        passed(at).await;
        notes(9, Fact::Arrival(BLACK)).await;
        rules(10, Ruling::Resume(v1::Resume {})).await;
        hall.ask(open_with(&key(11), game, &private)).await.unwrap();
        seals(12, BLACK, "h6", own + 2).await;
        notes(13, press(BLACK, "")).await;
        notes(14, Fact::Arrival(WHITE)).await;
        hall.ask(open_with(&key(15), game, &private)).await.unwrap();
        notes(16, Fact::Resignation(BLACK)).await;
    }
    hall.kill();
    hall.entries()
}

/// The places of what was sealed and of what was opened in the first game: the replaced one, the sealer's, the answer.
fn places(entries: &[v1::Entry]) -> ([usize; 3], [usize; 2]) {
    let of_the_first = |entry: &&v1::Entry| entry.subject == Some(Subject::Game(1));
    let sealed = |entry: &v1::Entry| matches!(&entry.payload, Some(Payload::Fact(v1::Fact { kind: Some(Fact::SealedMove(_)) })));
    let opened = |entry: &v1::Entry| matches!(&entry.payload, Some(Payload::Ruling(v1::Ruling { kind: Some(Ruling::Open(_)) })));
    let at = |is: &dyn Fn(&v1::Entry) -> bool| -> Vec<usize> {
        entries.iter().filter(of_the_first).filter(|entry| is(entry)).map(|entry| entry.seq as usize - 1).collect()
    };
    (at(&sealed).try_into().unwrap(), at(&opened).try_into().unwrap())
}

fn sealed(entry: &mut v1::Entry) -> &mut v1::SealedMove {
    match &mut entry.payload {
        Some(Payload::Fact(v1::Fact { kind: Some(Fact::SealedMove(sealed)) })) => sealed,
        other => panic!("{other:?}"),
    }
}

fn opened(entry: &mut v1::Entry) -> &mut v1::Open {
    match &mut entry.payload {
        Some(Payload::Ruling(v1::Ruling { kind: Some(Ruling::Open(open)) })) => open,
        other => panic!("{other:?}"),
    }
}

/// The entries as an export, the chain made to fit them.
fn exported(entries: &[v1::Entry], to: &Path) {
    let (mut log, mut text) = (MemoryLog::new(), String::new());
    for entry in entries {
        let body = entry.encode_to_vec();
        log.append(Seq(entry.seq), std::slice::from_ref(&body)).unwrap();
        let line = jsonl::Line { seq: entry.seq, chain: log.tip().0, body };
        text += &(jsonl::write(&writer::read(Seq(entry.seq), &line.body).unwrap(), &line) + "\n");
    }
    write(to, text.as_bytes());
}

/// What `verify` of the directory and `envelope verify` of directory and export say of these entries, put into a log of their own.
fn looked_at(entries: &[v1::Entry], code: u8, envelopes: u8) -> [String; 3] {
    let dir = tempfile::tempdir().unwrap();
    let [data, export] = ["data", "export.jsonl"].map(|name| dir.path().join(name).display().to_string());
    exported(entries, Path::new(&export));
    ends(&["log", "import", "--data", &data, &export], exit::OK);
    let verified = ends(&["verify", "--data", &data], code);
    [verified, ends(&["envelope", "verify", "--data", &data], envelopes), ends(&["envelope", "verify", "--export", &export], envelopes)]
}

/// Something is done to the log, and found: the entry that opens, and the one that sealed, are named.
fn found(what: &str, entries: &[v1::Entry], (sealed_in, opened_in): (usize, usize), change: impl FnOnce(&mut Vec<v1::Entry>)) {
    let mut changed = entries.to_vec();
    change(&mut changed);
    assert_ne!(changed, entries, "{what}");
    println!("{what}");
    let [verified, in_log, in_export] = looked_at(&changed, exit::DAMAGED, exit::FAILED);
    let (sealed_in, opened_in) = (sealed_in + 1, opened_in + 1);
    assert!(verified.contains(&format!("entry {opened_in}: what was opened there is not what entry {sealed_in} sealed")), "{what}: {verified}");
    assert_eq!(in_log, in_export);
    let line = in_log.lines().find(|line| line.contains(&format!("opened in entry {opened_in}"))).unwrap_or_default();
    assert!(!line.is_empty() && !line.contains("as sealed in") && line.contains(&format!("entry {sealed_in}")), "{what}: {in_log}");
    assert!(in_log.contains("4 opened, ") && !in_log.contains(" 0 not what was sealed"), "{what}: {in_log}");
    let json = {
        let dir = tempfile::tempdir().unwrap();
        let export = dir.path().join("export.jsonl");
        exported(&changed, &export);
        ends(&["envelope", "verify", "--json", "--export", &export.display().to_string()], exit::FAILED)
    };
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let wrong = json["opened"].as_array().unwrap().iter().find(|one| one["holds"] == false).unwrap();
    assert_eq!((&wrong["sealed_in"], &wrong["opened_in"]), (&sealed_in.into(), &opened_in.into()), "{what}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_changed_envelope_is_found_though_the_chain_is_right() {
    let entries = played().await;
    let [verified, in_log, in_export] = looked_at(&entries, exit::OK, exit::OK);
    assert!(verified.contains("mirror   the same"));
    assert_eq!(in_log, in_export);
    assert!(in_log.contains("4 opened, 0 not what was sealed"), "{in_log}");

    let ([_, first, answer], [first_opened, answer_opened]) = places(&entries);
    for (name, at) in [("first", (first, first_opened)), ("answer", (answer, answer_opened))] {
        let found = |what: &str, change: &dyn Fn(&mut Vec<v1::Entry>)| found(&format!("{name}, {what}"), &entries, at, change);
        for byte in [0, 100, 303] {
            found("ciphertext", &|log| sealed(&mut log[at.0]).ciphertext[byte] ^= 1);
        }
        found("commitment", &|log| sealed(&mut log[at.0]).commitment[31] ^= 0x80);
        found("nonce", &|log| opened(&mut log[at.1]).nonce[5] ^= 1);
        found("text", &|log| opened(&mut log[at.1]).text = "g6".to_string());
        found("spelling", &|log| opened(&mut log[at.1]).text.push(' '));
        found("no text", &|log| opened(&mut log[at.1]).text.clear());
        found("ply", &|log| sealed(&mut log[at.0]).ply += 2);
        found("neither", &|log| *opened(&mut log[at.1]) = v1::Open::default());
    }
}

/// What holds by itself, and is another game's, ply's or player's.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_envelope_from_elsewhere_is_found() {
    let entries = played().await;
    let ([replaced, first, answer], [first_opened, answer_opened]) = places(&entries);
    let (at, answered) = ((first, first_opened), (answer, answer_opened));
    // The other game's note, whole.
    let other = |is: &dyn Fn(&v1::Entry) -> bool, nth| {
        entries.iter().filter(|entry| entry.subject == Some(Subject::Game(2)) && is(entry)).nth(nth).unwrap().clone()
    };
    let is_sealed = |entry: &v1::Entry| matches!(&entry.payload, Some(Payload::Fact(v1::Fact { kind: Some(Fact::SealedMove(_)) })));
    let is_opened = |entry: &v1::Entry| matches!(&entry.payload, Some(Payload::Ruling(v1::Ruling { kind: Some(Ruling::Open(_)) })));
    let (mut theirs, mut their_opening) = (other(&is_sealed, 1), other(&is_opened, 0));
    found("another game's note", &entries, at, |log| {
        *sealed(&mut log[at.0]) = sealed(&mut theirs).clone();
        *opened(&mut log[at.1]) = opened(&mut their_opening).clone();
    });
    found("the one that was replaced", &entries, at, |log| {
        *sealed(&mut log[at.0]) = sealed(&mut log[replaced]).clone();
    });
    found("one ply later", &entries, at, |log| {
        sealed(&mut log[at.0]).ply = 2;
        for entry in log.iter_mut().filter(|entry| entry.subject == Some(Subject::Game(1))) {
            if let Some(Payload::Consequence(v1::Consequence { kind: Some(So::MoveSealed(sealed)) })) = &mut entry.payload {
                sealed.plies = 2;
            }
        }
    });
    // What is not the answer of who has to answer is in no envelope.
    found("the other player's", &entries, answered, |log| sealed(&mut log[answered.0]).by = WHITE);
    // Both games under each other's number from their beginning on.
    found("renumbered", &entries, at, |log| {
        for entry in log.iter_mut() {
            if let Some(Subject::Game(game)) = &mut entry.subject {
                *game = 3 - *game;
            }
            if let Some(Payload::Admin(v1::Admin { kind: Some(Admin::GameOpened(opened)) })) = &mut entry.payload {
                opened.game = 3 - opened.game;
            }
        }
    });
}

/// Without a chain put right it is found as every damage is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flipped_byte_breaks_the_log() {
    let entries = played().await;
    let ([_, first, _], _) = places(&entries);
    let mut ciphertext = entries[first].clone();
    let needle = sealed(&mut ciphertext).ciphertext.clone();
    let dir = tempfile::tempdir().unwrap();
    for (file, words) in [("mirror.zn", format!("(entry {}", first + 1)), ("store/db", "the store is damaged: it ends at entry ".to_string())] {
        let data = dir.path().join(file.replace('/', "-"));
        let mut log = SledLog::open(&data, &Options::default()).unwrap();
        for entry in &entries {
            log.append(Seq(entry.seq), &[entry.encode_to_vec()]).unwrap();
        }
        drop(log);
        let path = data.display().to_string();
        ends(&["verify", "--data", &path], exit::OK);
        let mut bytes = std::fs::read(data.join(file)).unwrap();
        let at = bytes.windows(needle.len()).position(|window| window == needle).unwrap();
        bytes[at + 17] ^= 4;
        write(&data.join(file), &bytes);
        let said = ends(&["verify", "--data", &path], exit::DAMAGED);
        assert!(said.contains(&words), "{file}: {said}");
    }
}

/// An export whose chain was not put right is not taken in.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_changed_line_is_not_imported() {
    let entries = played().await;
    let ([_, first, _], _) = places(&entries);
    let dir = tempfile::tempdir().unwrap();
    let [data, export] = ["data", "export.jsonl"].map(|name| dir.path().join(name).display().to_string());
    let (mut chain, mut text) = (Chain::GENESIS, String::new());
    for (at, entry) in entries.iter().enumerate() {
        let mut entry = entry.clone();
        chain = chain.next(&entry.encode_to_vec());
        if at == first {
            sealed(&mut entry).ciphertext[0] ^= 1;
        }
        let line = jsonl::Line { seq: entry.seq, chain: chain.0, body: entry.encode_to_vec() };
        text += &(jsonl::write(&writer::read(Seq(entry.seq), &line.body).unwrap(), &line) + "\n");
    }
    write(Path::new(&export), text.as_bytes());
    let said = ends(&["log", "import", "--data", &data, &export], exit::USAGE);
    assert!(said.contains(&format!("line {}: the chain does not follow", first + 1)), "{said}");
    ends(&["envelope", "verify", "--export", &export], exit::FAILED);
}
