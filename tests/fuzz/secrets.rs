//! One-time codes, tokens, hashes, and what goes into an envelope.

use zeitnot::envelope::{self, CIPHERTEXT, MAX_WRITTEN, Nonce, Note, PrivateKey};
use zeitnot::log::Chain;
use zeitnot::venue::secrets::{Code, Token};
use zeroize::Zeroizing;

use crate::engine::{Target, says_what_is_wrong};

/// A code is read in many spellings, and all of them are the one that is shown.
#[test]
fn a_code() {
    Target::of_lines("code").with_words(&["-", " ", "O", "I", "l", "0", "é", "U"]).holds_for_text(|text| {
        let Some(code) = Code::read(text) else { return };
        let shown = code.to_string();
        assert_eq!(shown.len(), 14, "{text}");
        let again = Code::read(&shown).unwrap();
        assert!(again.hash() == code.hash() && again.to_string() == shown, "{text}");
        assert!(!format!("{code:?}").contains(&shown[..4]));
    });
}

/// A token has one spelling: what is read is what is shown.
#[test]
fn a_token() {
    Target::of_lines("token").with_words(&["zeitnot.", ".", "+", "-", "0", "ff", "FF", "é", "18446744073709551615"]).holds_for_text(|text| {
        let Some(token) = Token::read(text) else { return };
        assert_eq!(token.to_string(), text);
        assert!(token.is(token.hash()) && !format!("{token:?}").contains(text.rsplit('.').next().unwrap()));
    });
}

#[test]
fn a_chain() {
    Target::of_lines("chain").with_words(&["00", "F", "g", " "]).holds_for_text(|text| match text.parse::<Chain>() {
        Ok(chain) => assert_eq!(chain.to_string(), text.to_ascii_lowercase()),
        Err(e) => says_what_is_wrong(&e),
    });
}

/// Whatever was sealed comes out of its envelope as it went in, for this game and ply only, and every envelope looks alike.
#[test]
fn a_sealed_text() {
    let key = || PrivateKey::new(Zeroizing::new([9; 32]));
    Target::of_lines("written").with_words(&["\n", "\0", "é", "Nf3"]).with_inputs(100).holds_for_text(|text| {
        let nonce = Nonce(*blake3::hash(text.as_bytes()).as_bytes());
        let note = match Note::new(Zeroizing::new(text.to_string()), nonce) {
            Ok(note) => note,
            Err(e) => return says_what_is_wrong(&e),
        };
        assert!(text.len() <= MAX_WRITTEN && !text.trim().is_empty());
        let sealed = envelope::seal(&key().public(), u64::MAX, u32::MAX, &note);
        assert_eq!(sealed.ciphertext.len(), CIPHERTEXT);
        assert_eq!(envelope::open(&key(), u64::MAX, u32::MAX, &sealed), Ok(note.clone()), "{text}");
        assert!(envelope::open(&key(), u64::MAX, 0, &sealed).is_err() && envelope::open(&key(), 1, u32::MAX, &sealed).is_err());
        assert!(!format!("{note:?}{sealed:?}").contains(text.trim()) || text.trim().len() < 4, "{text}");
        assert_eq!(envelope::verify(Some(&key().public()), u64::MAX, u32::MAX, &note, &sealed), Ok(()));
    });
}

/// An envelope that is not as it was sealed opens for nobody, or holds what can be sealed.
#[test]
fn a_ciphertext() {
    let (key, nonce) = (PrivateKey::new(Zeroizing::new([9; 32])), Nonce(*b"0123456789abcdef0123456789abcdef"));
    let note = Note::new(Zeroizing::new("Rd7".to_string()), nonce).unwrap();
    let sealed = envelope::seal(&key.public(), 1, 7, &note);
    Target::of("ciphertext", vec![sealed.ciphertext.clone(), Vec::new()]).with_inputs(100).holds(|bytes| {
        let changed = envelope::Sealed { commitment: sealed.commitment, ciphertext: bytes.to_vec() };
        match envelope::open(&key, 1, 7, &changed) {
            Ok(read) => assert_eq!((read, bytes), (note.clone(), &sealed.ciphertext[..])),
            Err(e) => says_what_is_wrong(&e),
        }
    });
}
