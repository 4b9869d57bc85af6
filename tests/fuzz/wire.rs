//! The wire: entries as they stand in the log, and every message of the protocol.

use std::fmt::Debug;

use prost::Message;
use zeitnot::format::jsonl::{self, Line};
use zeitnot::game::Seq;
use zeitnot::venue::Entry;
use zeitnot::wire::{self, v1};
use zeitnot::writer;

use crate::engine::{Target, says_what_is_wrong};
use crate::kept;

/// Bytes that protobuf is made of: a few keys, numbers at the edges, lengths that are too long.
const PARTS: &[&str] = &[
    "\x08",
    "\x10",
    "\x18",
    "\x22",
    "\x2a",
    "\x32",
    "\x3a",
    "\x42",
    "\x4a",
    "\x52",
    "\x5a",
    "\x62",
    "\x6a",
    "\x00",
    "\x01",
    "\x02",
    "\x7f",
    "\x0a\x04e2e4",
    "\u{80}\x01",
    "\x12\x00",
    "\x1a\x02ab",
];

fn encoded(entry: &Entry) -> Vec<u8> {
    wire::encode_entry(entry).encode_to_vec()
}

/// What is read of an entry is written so that the same is read again, whatever stands in it; and what cannot be read is told with its place.
#[test]
fn an_entry() {
    Target::of("entry", kept::bodies()).of_messages(0).with_words(PARTS).with_inputs(2_000).holds(|bytes| {
        let message = match v1::Entry::decode(bytes) {
            Ok(message) => message,
            Err(e) => return says_what_is_wrong(&e),
        };
        let entry = match wire::entry(message) {
            Ok(entry) => entry,
            Err(e) => {
                assert!(!e.field.is_empty() && !e.why.is_empty());
                return says_what_is_wrong(&e);
            }
        };
        let again = encoded(&entry);
        let read = writer::read(entry.seq, &again).unwrap_or_else(|e| panic!("{entry}: {e}"));
        assert_eq!(read, entry);
        assert_eq!(encoded(&read), again);
        let line = Line { seq: entry.seq.0, body: again, chain: [7; 32] };
        assert_eq!(jsonl::read(&jsonl::write(&entry, &line)), Ok(line));
        let elsewhere = writer::read(Seq(entry.seq.0.wrapping_add(1)), bytes).unwrap_err();
        says_what_is_wrong(&elsewhere);
    });
}

/// A message of that kind: read and written it is the same again.
fn same_again<M: Message + Default + PartialEq>(bytes: &[u8]) -> Option<M> {
    let message = M::decode(bytes).ok()?;
    let again = M::decode(message.encode_to_vec().as_slice());
    assert!(again.is_ok_and(|again| again == message));
    Some(message)
}

fn told<T: Debug>(read: Result<T, wire::Error>) {
    if let Err(e) = read {
        says_what_is_wrong(&e);
    }
}

/// Whatever a clock, a console or an office sends is read, or refused by its field. Bytes that are one message are tried as every other.
#[test]
fn a_message() {
    Target::of("message", kept::bodies()).and_seeds(kept::payloads()).of_messages(0).with_words(PARTS).with_inputs(2_000).holds(|bytes| {
        same_again::<v1::ClockReport>(bytes);
        same_again::<v1::ConsoleRequest>(bytes);
        same_again::<v1::CreateTournamentRequest>(bytes);
        same_again::<v1::OpenGameRequest>(bytes);
        same_again::<v1::InviteRequest>(bytes);
        if let Some(fact) = same_again::<v1::Fact>(bytes) {
            told(wire::fact(fact));
        }
        if let Some(ruling) = same_again::<v1::Ruling>(bytes) {
            told(wire::ruling(ruling));
        }
        if let Some(pairing) = same_again::<v1::Pairing>(bytes) {
            told(wire::pairing(pairing));
        }
        if let Some(times) = same_again::<v1::Times>(bytes) {
            told(wire::times(times));
        }
        if let Some(grant) = same_again::<v1::Grant>(bytes) {
            match wire::grant(grant) {
                Ok(grant) => assert_eq!(wire::grant(wire::encode_grant(&grant)), Ok(grant)),
                Err(e) => says_what_is_wrong(&e),
            }
        }
        if let Some(seal) = same_again::<v1::Seal>(bytes) {
            let text = seal.note.as_ref().map(|note| note.text.clone()).unwrap_or_default();
            if let Err(e) = wire::seal(seal) {
                // No error repeats what a player wrote.
                assert!(text.len() < 6 || !e.to_string().contains(&text));
            }
        }
        if let Some(v1::AskRequest { position: Some(v1::ask_request::Position::Fen(fen)), moves, edition, .. }) = same_again(bytes) {
            told(wire::question(&fen, &moves, edition));
        }
        told(wire::public_key(bytes));
        told(wire::secret_hash("hash", bytes));
        told(wire::date("starts_on", &String::from_utf8_lossy(bytes)));
    });
}
