//! Adjourned games in the wire format: everything that an entry can tell of them, and what cannot be read.

use shakmaty::Color::*;
use shakmaty::{ByColor, Color, uci::UciMove};
use zeitnot::board::Meaning;
use zeitnot::clock::{Clock, MAX_TIME, Millis, WallTime};
use zeitnot::envelope::{CIPHERTEXT, Commitment, MAX_WRITTEN, Nonce, Sealed};
use zeitnot::game::entry::MAX_TEXT;
use zeitnot::game::{Consequence, Fact, Item, Lost, Opened, Ruling};
use zeitnot::laws::Article;
use zeitnot::wire::{self, v1};

/// Most moves between which an entry may say that a text does not choose.
const MAX_MEANT: usize = 64;

fn uci(text: &str) -> UciMove {
    text.parse().unwrap()
}

fn white() -> i32 {
    v1::Color::White.into()
}

/// Nobody, and either side.
const WHOSE: [Option<Color>; 3] = [None, Some(White), Some(Black)];
/// No time, the epoch, one before it, and those furthest away.
const WHEN: [Option<WallTime>; 5] = [None, Some(WallTime(0)), Some(WallTime(-1)), Some(WallTime(i64::MIN)), Some(WallTime(i64::MAX))];

pub(crate) fn facts() -> Vec<Fact> {
    let mut facts = vec![Fact::SessionOver];
    for (by, ply) in [(White, 0), (Black, u32::MAX)] {
        let ciphertext = (0..CIPHERTEXT).map(|i| i as u8).collect();
        facts.push(Fact::SealedMove { by, ply, sealed: Box::new(Sealed { commitment: Commitment([0xff; 32]), ciphertext }) });
        facts.push(Fact::Stop { by });
        facts.extend(["e1g1", "Nbd2", "O-O-O", "exd8=N"].map(|text| Fact::Declaration { by, made: text.parse().unwrap() }));
    }
    facts
}

fn items() -> Vec<Item> {
    let most = ByColor { white: MAX_TIME, black: Millis::ZERO };
    let mut items =
        vec![Item::Place(String::new()), Item::Place("ü".repeat(MAX_TEXT / 2)), Item::Number(0), Item::Number(u32::MAX), Item::Times(most)];
    items.extend(WHEN.into_iter().flatten().map(Item::Resumes));
    items.extend(Color::ALL.map(Item::Sealer));
    items.extend(WHOSE.map(Item::Offer));
    items
}

pub(crate) fn rulings() -> Vec<Ruling> {
    let mut rulings = vec![Ruling::OrderSeal, Ruling::TakeCustody, Ruling::Open { opened: None }, Ruling::Decipher { made: None }];
    rulings.extend(WHEN.into_iter().flat_map(|ends| WHEN.map(|resumes| Ruling::Announce { ends, resumes })));
    rulings.extend(items().into_iter().map(|item| Ruling::WriteEnvelope { item }));
    rulings.extend([Lost::Move, Lost::Times, Lost::Position].map(|lost| Ruling::LoseEnvelope { lost }));
    for text in ["", "31...Rd8-d7", "Тd7 +", &"ü".repeat(MAX_WRITTEN / 2)] {
        rulings.push(Ruling::Open { opened: Some(Opened { text: text.to_string(), nonce: Nonce([7; 32]) }) });
    }
    rulings.extend(["a7a8q", "Rd7", "O-O"].map(|text| Ruling::Decipher { made: Some(text.parse().unwrap()) }));
    rulings
}

fn meanings() -> [Meaning; 6] {
    let several = |most| (0..most).map(|i| if i % 2 == 0 { uci("a1d1") } else { uci("f1d1") }).collect();
    [
        Meaning::Move(uci("a7a8n")),
        Meaning::Ambiguous(several(2)),
        Meaning::Ambiguous(several(MAX_MEANT)),
        Meaning::Illegal,
        Meaning::NoMeaning,
        Meaning::Unclear,
    ]
}

pub(crate) fn consequences() -> Vec<Consequence> {
    let article = Article::new("Guidelines 12.4, I.12.4");
    let clock = Clock { left: MAX_TIME, free: Millis(5), period: 1, counter: 40 };
    let mut all = vec![Consequence::Adjourned { article }];
    for by in Color::ALL {
        all.push(Consequence::SealOrdered { color: by, article });
        all.push(Consequence::SealedMovePlayed { by, made: uci("e1h1"), clock, completed: 40, article });
        all.push(Consequence::ReplySealed { by, clock, other: Millis(3), since: Millis(4), article });
        for (offer, board) in WHOSE.into_iter().flat_map(|offer| [(offer, None), (offer, Some(uci("d1d6")))]) {
            all.push(Consequence::MoveSealed { by, plies: 60, board, offer, article });
        }
        for (meaning, pending) in meanings().into_iter().flat_map(|meaning| [(meaning.clone(), false), (meaning, true)]) {
            let because = if pending { "x".repeat(MAX_TEXT) } else { String::new() };
            all.push(Consequence::SealedMoveJudged { by, meaning, because, article, pending });
        }
    }
    all.extend(WHOSE.map(|color| Consequence::LatenessOpen { color, article }));
    all.extend(WHEN.into_iter().flat_map(|ends| WHEN.map(|resumes| Consequence::SessionAnnounced { ends, resumes, article })));
    all.extend(WHEN.into_iter().flatten().map(|at| Consequence::Resumed { at, article }));
    all.extend(items().into_iter().map(|item| Consequence::EnvelopeWritten { item, article }));
    all.extend([Lost::Move, Lost::Times, Lost::Position].map(|lost| Consequence::EnvelopeLost { lost, article }));
    all
}

#[test]
fn a_fact_that_cannot_be_read_names_its_field() {
    use v1::fact::Kind;
    let sealed = |by, commitment: usize, ciphertext: usize| {
        Kind::SealedMove(v1::SealedMove { by, ply: 1, commitment: vec![1; commitment], ciphertext: vec![1; ciphertext] })
    };
    let declared = |by, made: &str| Kind::Declaration(v1::Move { by, r#move: made.to_string() });
    for (kind, field) in [
        (sealed(0, 32, CIPHERTEXT), "sealed_move.by"),
        (sealed(3, 32, CIPHERTEXT), "sealed_move.by"),
        (sealed(white(), 0, CIPHERTEXT), "sealed_move.commitment"),
        (sealed(white(), 31, CIPHERTEXT), "sealed_move.commitment"),
        (sealed(white(), 33, CIPHERTEXT), "sealed_move.commitment"),
        (sealed(white(), 32, 0), "sealed_move.ciphertext"),
        (sealed(white(), 32, CIPHERTEXT - 1), "sealed_move.ciphertext"),
        (sealed(white(), 32, CIPHERTEXT + 1), "sealed_move.ciphertext"),
        (Kind::Stop(0), "stop"),
        (declared(0, "Rd7"), "declaration.by"),
        (declared(white(), ""), "declaration.move"),
        (declared(white(), "rook to d7"), "declaration.move"),
    ] {
        let said = format!("{kind:?}").chars().take(80).collect::<String>();
        assert_eq!(wire::fact(v1::Fact { kind: Some(kind) }).unwrap_err().field, field, "{said}");
    }
}

#[test]
fn a_ruling_that_cannot_be_read_names_its_field() {
    use v1::envelope_item::Item as On;
    use v1::ruling::Kind;
    let writes = |item| Kind::WriteEnvelope(v1::EnvelopeItem { item });
    let times = |white_ms, black_ms| writes(Some(On::Times(v1::Times { white_ms, black_ms })));
    let opens = |text: usize, nonce: usize| Kind::Open(v1::Open { text: "x".repeat(text), nonce: vec![1; nonce] });
    let loses = |lost: &str| Kind::LoseEnvelope(v1::LoseEnvelope { lost: lost.to_string() });
    let deciphers = |made: &str| Kind::Decipher(v1::Decipher { r#move: made.to_string() });
    for (kind, field) in [
        (writes(None), "envelope.item"),
        (writes(Some(On::Place("x".repeat(MAX_TEXT + 1)))), "envelope.place"),
        (writes(Some(On::Sealer(0))), "envelope.sealer"),
        (writes(Some(On::Offer(3))), "envelope.offer"),
        (times(MAX_TIME.0 + 1, 0), "envelope.times"),
        (times(0, u64::MAX), "envelope.times"),
        (loses("move"), "lost"),
        (loses("everything"), "lost"),
        (opens(3, 0), "open.nonce"),
        (opens(3, 31), "open.nonce"),
        (opens(3, 33), "open.nonce"),
        (opens(0, 1), "open.nonce"),
        (opens(MAX_WRITTEN + 1, 32), "open.text"),
        (deciphers("e9"), "decipher.move"),
        (deciphers("none"), "decipher.move"),
    ] {
        let said = format!("{kind:?}").chars().take(80).collect::<String>();
        assert_eq!(wire::ruling(v1::Ruling { kind: Some(kind) }).unwrap_err().field, field, "{said}");
    }
}

#[test]
fn what_the_log_cannot_hold_names_its_field() {
    use v1::consequence::Kind;
    let judged = |word: &str, made: &str, moves: usize| {
        let moves = vec![made.to_string(); moves];
        Kind::SealedMoveJudged(v1::SealedMoveJudged { by: white(), meaning: word.to_string(), moves, ..Default::default() })
    };
    let sealed = v1::MoveSealed { by: white(), ..Default::default() };
    let played = v1::SealedMovePlayed { by: white(), r#move: "e2e4".to_string(), side: Some(v1::Side::default()), ..Default::default() };
    let reply = v1::ReplySealed { by: white(), side: Some(v1::Side::default()), ..Default::default() };
    for (kind, field) in [
        (judged("", "", 0), "meaning"),
        (judged("clear", "", 0), "meaning"),
        (judged("Move", "e2e4", 1), "meaning"),
        (judged("move", "", 0), "meaning"),
        (judged("move", "e2e4", 2), "meaning"),
        (judged("ambiguous", "e2e4", 1), "meaning"),
        (judged("illegal", "e2e4", 1), "meaning"),
        (judged("no-meaning", "e2e4", 1), "meaning"),
        (judged("unclear", "e2e4", 2), "meaning"),
        (judged("move", "Nf3", 1), "moves"),
        (judged("ambiguous", "e2e9", 2), "moves"),
        (judged("ambiguous", "e2e4", MAX_MEANT + 1), "moves"),
        (Kind::SealedMoveJudged(v1::SealedMoveJudged { meaning: "illegal".to_string(), ..Default::default() }), "by"),
        (Kind::SealOrdered(v1::SealOrdered::default()), "color"),
        (Kind::LatenessOpen(v1::LatenessOpen { color: 3, ..Default::default() }), "color"),
        (Kind::EnvelopeWritten(v1::EnvelopeWritten::default()), "item"),
        (Kind::EnvelopeWritten(v1::EnvelopeWritten { item: Some(v1::EnvelopeItem::default()), ..Default::default() }), "envelope.item"),
        (Kind::EnvelopeLost(v1::EnvelopeLost { lost: "key".to_string(), ..Default::default() }), "lost"),
        (Kind::MoveSealed(v1::MoveSealed::default()), "by"),
        (Kind::MoveSealed(v1::MoveSealed { plies: u32::MAX, ..sealed.clone() }), "plies"),
        (Kind::MoveSealed(v1::MoveSealed { board: "Rd7".to_string(), ..sealed.clone() }), "board"),
        (Kind::MoveSealed(v1::MoveSealed { offer: 3, ..sealed }), "offer"),
        (Kind::SealedMovePlayed(v1::SealedMovePlayed { by: 0, ..played.clone() }), "by"),
        (Kind::SealedMovePlayed(v1::SealedMovePlayed { r#move: String::new(), ..played.clone() }), "move"),
        (Kind::SealedMovePlayed(v1::SealedMovePlayed { side: None, ..played.clone() }), "side"),
        (Kind::SealedMovePlayed(v1::SealedMovePlayed { completed: u32::MAX, ..played }), "completed"),
        (Kind::ReplySealed(v1::ReplySealed { by: 0, ..reply.clone() }), "by"),
        (Kind::ReplySealed(v1::ReplySealed { side: None, ..reply.clone() }), "side"),
        (Kind::ReplySealed(v1::ReplySealed { other_ms: u64::MAX, ..reply.clone() }), "other_ms"),
        (Kind::ReplySealed(v1::ReplySealed { since_ms: u64::MAX, ..reply }), "since_ms"),
        (Kind::Reopened(5), "reopened"),
    ] {
        let said = format!("{kind:?}").chars().take(80).collect::<String>();
        let payload = Some(v1::entry::Payload::Consequence(v1::Consequence { kind: Some(kind) }));
        assert_eq!(wire::entry(v1::Entry { payload, ..Default::default() }).unwrap_err().field, field, "{said}");
    }
    for length in [0, 31, 33] {
        let payload = Some(v1::entry::Payload::Admin(v1::Admin { kind: Some(v1::admin::Kind::EnvelopeKey(vec![1; length])) }));
        assert_eq!(wire::entry(v1::Entry { payload, ..Default::default() }).unwrap_err().field, "envelope_key");
    }
}

/// And no error, and no message as it is printed, repeats what the player wrote or what the key is.
#[test]
fn what_cannot_be_sealed_or_opened_names_its_field() {
    let nonce = || (0..32).collect::<Vec<u8>>();
    let seal = |by, text: &str, nonce| v1::Seal { by, note: Some(v1::Note { text: text.to_string(), nonce }) };
    let (by, note) = wire::seal(seal(white(), "Rd7", nonce())).unwrap();
    assert_eq!((by, note.text.as_str(), note.nonce.0.as_slice()), (White, "Rd7", nonce().as_slice()));
    for (message, field) in [
        (v1::Seal { by: white(), note: None }, "seal.note"),
        (seal(0, "secret", nonce()), "seal.by"),
        (seal(white(), "secret", vec![]), "seal.note.nonce"),
        (seal(white(), "secret", vec![1; 31]), "seal.note.nonce"),
        (seal(white(), "secret", vec![1; 33]), "seal.note.nonce"),
        (seal(white(), "secret", vec![1; 32]), "seal.note"),
        (seal(white(), "", nonce()), "seal.note"),
        (seal(white(), "  ", nonce()), "seal.note"),
        (seal(white(), "secret\n", nonce()), "seal.note"),
        (seal(white(), &"secret".repeat(MAX_WRITTEN), nonce()), "seal.note"),
    ] {
        let said = format!("{message:?}");
        let error = wire::seal(message).unwrap_err();
        assert_eq!(error.field, field, "{said}");
        assert!(!said.contains("secret") && !format!("{error} {error:?}").contains("secret"), "{said}: {error}");
    }
    assert_eq!(wire::public_key(&[3; 32]).map(|key| key.0), Ok([3; 32]));
    assert_eq!(wire::private_key(v1::PrivateKey { bytes: vec![3; 32] }).map(|key| *key.bytes()).ok(), Some([3; 32]));
    for length in [0, 31, 33] {
        assert_eq!(wire::public_key(&vec![3; length]).unwrap_err().field, "envelope_key");
        let key = v1::PrivateKey { bytes: vec![77; length] };
        assert!(!format!("{key:?}").contains("77"));
        let error = wire::private_key(key).unwrap_err();
        assert!(error.field == "private_key" && !error.why.contains("77"), "{error}");
    }
}
