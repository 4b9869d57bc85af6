//! Signed heads: when the daemon signs, what a signature proves, and what it does not.
#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

#[path = "common/hall.rs"]
mod hall;

use hall::*;
use prost::Message;
use serde_json::Value;
use v1::entry::Payload;
use v1::fact::Kind as Fact;
use v1::ruling::Kind as Ruling;
use zeitnot::cli::exit;
use zeitnot::format::jsonl;
use zeitnot::game::Seq;
use zeitnot::log::{Chain, Log, Options, SledLog};
use zeitnot::signature::SigningKey;
use zeitnot::wire::v1::{self, feeds_client::FeedsClient};
use zeitnot::writer;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// What an entry records of a signature.
fn signed(entry: &v1::Entry) -> Option<&v1::Signed> {
    match &entry.payload {
        Some(Payload::Admin(v1::Admin { kind: Some(v1::admin::Kind::Signed(signed)) })) => Some(signed),
        _ => None,
    }
}

fn public(hall: &Hall) -> String {
    let said = ends(&["venue", "sign-key", "--data", &hall.data(), "--json"], exit::OK);
    serde_json::from_str::<Value>(&said).unwrap()["public_key"].as_str().unwrap().to_string()
}

/// A hall that signs, with two boards of a first round.
async fn signing() -> (Hall, String, [u64; 2]) {
    let mut hall = Hall::open().await;
    hall.kill();
    let key = public(&hall);
    hall.start().await;
    let tournament = hall.tournament(laws(2023)).await;
    let games = [hall.seat(tournament, 1, START, 0).await, hall.seat(tournament, 2, START, 0).await];
    for game in games {
        hall.ask(ruling(&format!("start {game}"), game, Ruling::Start(v1::Start {}))).await.unwrap();
    }
    (hall, key, games)
}

/// Waits for the next signature behind a place.
async fn signature(hall: &Hall, after: u64) -> (u64, v1::Signed) {
    let mut feed = FeedsClient::new(hall.channel.clone()).follow(v1::FollowRequest { after, ..Default::default() }).await.unwrap().into_inner();
    let next = async {
        loop {
            let update = feed.message().await.unwrap().unwrap();
            let Some(v1::feed_update::Kind::Entry(entry)) = update.kind else { continue };
            if let Some(signed) = signed(&entry) {
                return (entry.seq, signed.clone());
            }
        }
    };
    soon("a signature", next).await
}

fn correct(key: &str, game: u64) -> v1::ConsoleRequest {
    ruling(key, game, Ruling::CorrectResult(v1::Result { score: "1/2-1/2".into(), reason: "misread".into() }))
}

#[tokio::test]
async fn a_venue_without_a_key_says_how_to_get_one() {
    let mut hall = Hall::open().await;
    let said = ends(&["sign", "--server", &hall.url()], exit::REFUSED);
    assert!(said.contains("venue sign-key --data"), "{said}");
    hall.kill();
    assert!(ends(&["verify", "--data", &hall.data()], exit::OK).contains("signed   never"));
    let key = public(&hall);
    assert_eq!(key, public(&hall), "a key that is there is shown");
    assert!(ends(&["verify", "--data", &hall.data(), "--key", &key], exit::DAMAGED).contains(&format!("nothing in the log is signed by {key}")));
    hall.start().await;
    let said = ends(&["sign", "--server", &hall.url(), "--key", "once"], exit::OK);
    assert!(said.starts_with("zeitnot head\nseq 2\nhead ") && said.contains(&format!("key {key}")), "{said}");
    assert_eq!(ends(&["sign", "--server", &hall.url(), "--key", "once"], exit::OK), said, "the same key gets the first signature again");
    hall.kill();
    for named in [key.clone(), hall.path("data/sign.key").display().to_string()] {
        let verified = ends(&["verify", "--data", &hall.data(), "--key", &named], exit::OK);
        assert!(verified.contains(&format!("signed   once, last up to entry 2 (in entry 3) by {key}")), "{verified}");
    }
    assert!(ends(&["verify", "--data", &hall.data(), "--key", "nobody"], exit::USAGE).contains("nobody"));
}

/// By the binary, ended by a signal before its next look at the rounds.
#[tokio::test]
async fn what_is_over_when_the_daemon_is_told_to_stop_is_signed() {
    let (mut hall, key, games) = signing().await;
    for game in games {
        hall.ask(note(&format!("resigns {game}"), game, Fact::Resignation(BLACK))).await.unwrap();
        hall.ask(correct(&format!("puts right {game}"), game)).await.unwrap();
    }
    hall.end();
    ends(&["verify", "--data", &hall.data(), "--key", &key], exit::OK);
}

#[tokio::test]
async fn a_round_is_signed_when_its_last_game_is_over_and_anew_when_a_result_is_corrected() {
    let (mut hall, key, games) = signing().await;
    let resigns = |game: u64| note(&format!("resigns {game}"), game, Fact::Resignation(BLACK));
    hall.ask(resigns(games[0])).await.unwrap();
    let last = hall.ask(resigns(games[1])).await.unwrap().seq;
    let (first, of_the_round) = signature(&hall, 0).await;
    assert!(of_the_round.seq >= last, "not before the last game was over");
    let corrected = hall.ask(correct("puts right", games[0])).await.unwrap().seq;
    let (second, anew) = signature(&hall, first).await;
    assert!(anew.seq >= corrected);
    // It is signed once for every such state, also over a start of the daemon.
    hall.kill();
    hall.start().await;
    let last = hall.ask(correct("and again", games[1])).await.unwrap().seq;
    let (third, _) = signature(&hall, second).await;
    hall.kill();
    let entries = hall.entries();
    assert_eq!(entries.iter().filter_map(|entry| signed(entry).map(|_| entry.seq)).collect::<Vec<_>>(), [first, second, third]);
    let verified = ends(&["verify", "--data", &hall.data(), "--key", &key], exit::OK);
    assert!(verified.contains("signed   3 times") && last < third, "{verified}");
    let json: Value = serde_json::from_str(&ends(&["verify", "--data", &hall.data(), "--json"], exit::OK)).unwrap();
    assert_eq!(
        (json["signed"]["count"].as_u64(), json["signed"]["entry"].as_u64(), json["signed"]["key"].as_str()),
        (Some(3), Some(third), Some(&*key))
    );
}

/// A log of its own with these entries, its chain right; what `verify` says of it, and what `log import` says of its export.
fn looked_at(bodies: &[Vec<u8>], args: &[&str], code: u8) -> String {
    let dir = tempfile::tempdir().unwrap();
    let [data, copy, export] = ["data", "copy", "export.jsonl"].map(|name| dir.path().join(name).display().to_string());
    let mut log = SledLog::open(dir.path().join("data").as_path(), &Options::default()).unwrap();
    let (mut chain, mut text) = (Chain::GENESIS, String::new());
    for (body, seq) in bodies.iter().zip(1..) {
        log.append(Seq(seq), std::slice::from_ref(body)).unwrap();
        chain = chain.next(body);
        let line = jsonl::Line { seq, body: body.clone(), chain: chain.0 };
        text += &(jsonl::write(&writer::read(Seq(seq), body).unwrap(), &line) + "\n");
    }
    drop(log);
    write(std::path::Path::new(&export), text.as_bytes());
    let said = ends(&[&["verify", "--data", &data], args].concat(), code);
    // Without a key to check by, an import finds the same.
    if args.is_empty() {
        let imported = ends(&["log", "import", "--data", &copy, &export], if code == exit::OK { exit::OK } else { exit::USAGE });
        let wrong = said.split_once("entry ").map_or("", |(_, wrong)| wrong.trim_end());
        assert!(code == exit::OK || imported.contains(wrong) && imported.contains("nothing was imported"), "{imported} / {said}");
    }
    said
}

/// The same entries, each one changed as it passes; signatures made anew over the chain as it is then, where there is a key.
fn remade(entries: &[v1::Entry], with: Option<&SigningKey>, change: impl Fn(&mut v1::Entry)) -> Vec<Vec<u8>> {
    let (mut heads, mut bodies) = (vec![Chain::GENESIS], Vec::new());
    for entry in entries {
        let mut entry = entry.clone();
        change(&mut entry);
        if let (Some(key), Some(was)) = (with, signed(&entry)) {
            let anew = zeitnot::wire::encode_signed(&key.sign(was.seq, heads[was.seq as usize].0));
            entry.payload = Some(Payload::Admin(v1::Admin { kind: Some(v1::admin::Kind::Signed(anew)) }));
        }
        let body = entry.encode_to_vec();
        heads.push(heads.last().unwrap().next(&body));
        bodies.push(body);
    }
    bodies
}

#[tokio::test]
async fn what_was_changed_in_a_signed_log_is_found() {
    let (mut hall, key, games) = signing().await;
    let sign = || ends(&["sign", "--server", &hall.url()], exit::OK);
    sign();
    hall.ask(note("moves", games[0], press(WHITE, "e2e4"))).await.unwrap();
    sign();
    hall.ask(note("answers", games[0], press(BLACK, "e7e5"))).await.unwrap();
    hall.kill();
    let entries = hall.entries();
    let places: Vec<u64> = entries.iter().filter(|entry| signed(entry).is_some()).map(|entry| entry.seq).collect();
    let [first, second] = places[..] else { panic!("{places:?}") };
    let of = |place: u64| signed(&entries[place as usize - 1]).unwrap().seq;
    let later = |at: u64| move |entry: &mut v1::Entry| entry.recorded_at_ms += i64::from(entry.seq == at);
    let (kept, unsigned) = (["--key", &*key], entries.len() as u64 - of(second));

    let whole = remade(&entries, None, |_| {});
    let said = looked_at(&whole, &kept, exit::OK);
    assert!(said.contains(&format!("signed   2 times, last up to entry {} (in entry {second}) by {key}", of(second))), "{said}");
    assert!(said.contains(&format!("the {unsigned} entries after entry {} are not signed", of(second))), "{said}");
    assert_eq!(said.split("mirror").next(), looked_at(&whole, &[], exit::OK).split("mirror").next());

    // An entry before a signature, with the chain made to fit: the first signature behind it tells.
    for (at, tells) in [(1, first), (of(first), first), (of(first) + 1, second), (of(second), second)] {
        let said = looked_at(&remade(&entries, None, later(at)), &[], exit::DAMAGED);
        let of = of(tells);
        assert!(said.contains(&format!("entry {tells}: another head of entry {of} was signed than the log has")), "{at}: {said}");
    }

    // A signature that is none, and one that was moved to another place.
    let forged = |change: fn(&mut v1::Signed)| {
        remade(&entries, None, move |entry| {
            let place = entry.seq;
            if let Some(Payload::Admin(v1::Admin { kind: Some(v1::admin::Kind::Signed(signed)) })) = &mut entry.payload
                && place == second
            {
                change(signed);
            }
        })
    };
    for change in
        [|signed: &mut v1::Signed| signed.signature[9] ^= 4, |signed: &mut v1::Signed| signed.seq -= 1, |signed: &mut v1::Signed| signed.head[0] ^= 1]
    {
        let said = looked_at(&forged(change), &[], exit::DAMAGED);
        assert!(said.contains(&format!("entry {second}: the signature is not that of the key {key}")), "{said}");
    }

    // The tail behind the last signature, made anew, or cut off: that is not signed, and verify says where that begins.
    let said = looked_at(&remade(&entries, None, later(entries.len() as u64)), &kept, exit::OK);
    assert!(said.contains(&format!("the {unsigned} entries after entry {} are not signed", of(second))), "{said}");
    let said = looked_at(&whole[..second as usize], &kept, exit::OK);
    assert!(said.contains(&format!("the {} entries after entry {} are not signed", second - of(second), of(second))), "{said}");
    let said = looked_at(&whole[..second as usize - 1], &kept, exit::OK);
    assert!(said.contains("signed   once"), "{said}");
    assert!(looked_at(&whole[..first as usize - 1], &kept, exit::DAMAGED).contains("nothing in the log is signed by"));

    // Everything made anew and signed by another key: only who kept the first one can tell.
    let other = SigningKey::new(&[99; 32]).unwrap();
    let forgery = remade(&entries, Some(&other), later(1));
    assert!(looked_at(&forgery, &[], exit::OK).contains(&format!("by {}", other.public())));
    let said = looked_at(&forgery, &kept, exit::DAMAGED);
    assert!(said.contains(&format!("entry {first}: signed by the key {}, and not by the one that was kept, {key}", other.public())), "{said}");
}

/// Whoever cuts the log behind a signature and writes the rounds after it anew cannot sign them.
#[tokio::test]
async fn a_round_that_is_over_is_signed_or_whoever_kept_the_key_is_told() {
    let (mut hall, key, games) = signing().await;
    ends(&["sign", "--server", &hall.url()], exit::OK);
    for game in games {
        hall.ask(note(&format!("resigns {game}"), game, Fact::Resignation(BLACK))).await.unwrap();
    }
    let (by_hand, _) = signature(&hall, 0).await;
    let (place, _) = signature(&hall, by_hand).await;
    hall.kill();
    let entries = hall.entries();
    let kept = ["--key", &*key];
    let cut = &entries[..place as usize - 1];
    assert!(looked_at(&remade(&entries, None, |_| {}), &kept, exit::OK).contains("signed   2 times"));
    let said = looked_at(&remade(cut, None, |_| {}), &kept, exit::FAILED);
    let over = cut
        .iter()
        .rev()
        .find(|entry| matches!(&entry.payload, Some(Payload::Consequence(v1::Consequence { kind: Some(v1::consequence::Kind::GameOver(_)) }))))
        .unwrap()
        .seq;
    let first = format!("round 1 of tournament 1 is over, and no signature covers its result in entry {over}");
    assert!(said.contains(&first) && said.contains("a daemon that died then had no time to sign") && said.contains("started with its key"), "{said}");
    let json: Value =
        serde_json::from_str(looked_at(&remade(cut, None, |_| {}), &["--json", kept[0], kept[1]], exit::FAILED).lines().next().unwrap()).unwrap();
    assert_eq!(json["unsigned_rounds"], serde_json::json!([{ "tournament": 1, "round": 1, "entry": over }]));
    // Nobody says that there had to be signatures where nobody kept a key.
    looked_at(&remade(cut, None, |_| {}), &[], exit::OK);
    // Where the log went on, the daemon was there to sign.
    let last = cut.len() as u64 + 1;
    let started =
        entries.iter().find(|entry| matches!(&entry.payload, Some(Payload::Admin(v1::Admin { kind: Some(v1::admin::Kind::Started(_)) })))).unwrap();
    let version = cut.iter().filter(|entry| entry.subject == started.subject).count() as u64 + 1;
    let later = v1::Entry { seq: last, version, recorded_at_ms: cut.last().unwrap().recorded_at_ms + 3_600_000, ..started.clone() };
    let said = looked_at(&remade(&[cut, &[later]].concat(), None, |_| {}), &kept, exit::FAILED);
    assert!(said.contains(&first) && !said.contains("a daemon that died then"), "{said}");
}

#[tokio::test]
async fn another_key_is_told_with_the_entry_where_it_begins() {
    let (mut hall, key, _) = signing().await;
    ends(&["sign", "--server", &hall.url()], exit::OK);
    hall.kill();
    std::fs::rename(hall.path("data/sign.key"), hall.path("old.key")).unwrap();
    let new = public(&hall);
    hall.start().await;
    ends(&["sign", "--server", &hall.url()], exit::OK);
    hall.kill();
    let verified = ends(&["verify", "--data", &hall.data()], exit::OK);
    let place = hall.entries().len();
    assert!(verified.contains(&format!("by {key}\n")) && verified.contains(&format!("from entry {place} on by {new}")), "{verified}");
    assert!(ends(&["verify", "--data", &hall.data(), "--key", &key], exit::DAMAGED).contains(&format!("entry {place}: signed by the key {new}")));
}
