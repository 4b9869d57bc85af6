//! The envelope of a sealed move: who seals cannot change it, and nobody reads it before its time.
//!
//! What a player wrote becomes a [`Note`], five lines of text that name the game, the ply and a nonce
//! from the sealing device. Its BLAKE3 hash is the commitment. The note itself, padded to one length, is
//! encrypted as a libsodium sealed box to the venue's key for envelopes; any tool that knows sealed boxes opens
//! it. The box's ephemeral key is derived from the note, so nothing here asks for randomness, sealing the
//! same note again gives the same bytes, and once a note is known anyone can check both hash and ciphertext.

use std::fmt;
use std::str::FromStr;

use crypto_box::aead::Aead;
use crypto_box::aead::rand_core::{CryptoRng, Error, RngCore};
use zeroize::Zeroizing;

/// Longest text of a sealed move, in bytes.
pub const MAX_WRITTEN: usize = 64;
/// Length of every padded note, in bytes, so that its length tells nothing.
const PADDED: usize = 256;
/// Length of every ciphertext: the padded note, an ephemeral key and an authenticator.
pub const CIPHERTEXT: usize = PADDED + 32 + 16;
/// The first line of every note.
const TITLE: &str = "zeitnot sealed move";
/// Separates the derivation of ephemeral keys from every other use of the hash.
const EPHEMERAL: &str = "zeitnot 2026-11-30 ephemeral key of a sealed move";

/// What a sealing device supplies so that nobody can try out the few possible moves: 32 random bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Nonce(pub [u8; 32]);

/// The public half of a venue's key for envelopes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicKey(pub [u8; 32]);

/// The private half: whoever has it can read what is sealed.
#[derive(Clone)]
pub struct PrivateKey(Zeroizing<[u8; 32]>);

/// BLAKE3 over a note: what was sealed is fixed, and not told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Commitment(pub [u8; 32]);

/// What a player wrote, with the nonce of the device.
#[derive(Clone, PartialEq, Eq)]
pub struct Note {
    /// As he wrote it.
    pub text: Zeroizing<String>,
    /// From the device.
    pub nonce: Nonce,
}

/// A note in its envelope.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Sealed {
    /// Fixes the note.
    pub commitment: Commitment,
    /// The note, for the holder of the private key; [`CIPHERTEXT`] bytes.
    pub ciphertext: Vec<u8>,
}

/// Why an envelope cannot be closed or opened. No text of a note is ever in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    /// The text is none that can be sealed.
    #[error("1 to {MAX_WRITTEN} bytes without control characters")]
    Text,
    /// Something that is no nonce.
    #[error("32 random bytes, not all the same")]
    Nonce,
    /// Another key, or a ciphertext that was changed.
    #[error("the key does not open it: it is another key, or the ciphertext was changed")]
    Key,
    /// It opens, and is another game's or ply's.
    #[error("it holds the note of another game or ply")]
    Elsewhere,
    /// It opens, and holds no note.
    #[error("it holds no note of a sealed move")]
    NoNote,
}

/// In what a note and its envelope differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// Not the note that was sealed.
    #[error("text, nonce, game and ply do not give the commitment")]
    Commitment,
    /// Not the ciphertext of this note.
    #[error("the ciphertext is not that of the note")]
    Ciphertext,
    /// Nothing in an envelope.
    #[error("no sealed move was in an envelope there")]
    NotSealed,
}

impl Note {
    /// What a player wrote.
    ///
    /// # Errors
    /// Where the text is empty, longer than [`MAX_WRITTEN`] or has control characters, or the nonce is none.
    pub fn new(text: Zeroizing<String>, nonce: Nonce) -> Result<Note, EnvelopeError> {
        if text.trim().is_empty() || text.len() > MAX_WRITTEN || text.chars().any(char::is_control) {
            return Err(EnvelopeError::Text);
        }
        if nonce.0.iter().all(|byte| *byte == nonce.0[0]) {
            return Err(EnvelopeError::Nonce);
        }
        Ok(Note { text, nonce })
    }

    fn written(&self, game: u64, ply: u32) -> Zeroizing<String> {
        Zeroizing::new(format!("{TITLE}\ngame {game}\nply {ply}\nnonce {}\n{}", self.nonce, self.text.as_str()))
    }

    /// What fixes this note as that of a game and ply.
    pub fn commitment(&self, game: u64, ply: u32) -> Commitment {
        Commitment(*blake3::hash(self.written(game, ply).as_bytes()).as_bytes())
    }
}

/// Closes a note of a game, for the ply that it is to be (0 is the game's first).
pub fn seal(key: &PublicKey, game: u64, ply: u32, note: &Note) -> Sealed {
    let written = note.written(game, ply);
    let mut padded = Zeroizing::new([0; PADDED]);
    padded[..written.len()].copy_from_slice(written.as_bytes());
    padded[written.len()] = 0x80;
    let mut hasher = blake3::Hasher::new_derive_key(EPHEMERAL);
    hasher.update(&key.0).update(written.as_bytes());
    // Sealing fails only for messages longer than memory.
    let ciphertext = crypto_box::PublicKey::from(key.0).seal(&mut Derived(hasher.finalize_xof()), &*padded).unwrap_or_default();
    Sealed { commitment: note.commitment(game, ply), ciphertext }
}

/// Opens an envelope with the private key.
///
/// # Errors
/// Where the key does not open it, or what it holds is no note of this game and ply.
pub fn open(key: &PrivateKey, game: u64, ply: u32, sealed: &Sealed) -> Result<Note, EnvelopeError> {
    let padded = crypto_box::SecretKey::from(*key.0).unseal(&sealed.ciphertext).map_err(|_| EnvelopeError::Key)?;
    let padded = Zeroizing::new(padded);
    let end = padded.iter().rposition(|byte| *byte != 0).filter(|end| padded[*end] == 0x80).ok_or(EnvelopeError::NoNote)?;
    let written = str::from_utf8(&padded[..end]).map_err(|_| EnvelopeError::NoNote)?;
    let lines: Vec<&str> = written.splitn(5, '\n').collect();
    let [title, of_game, of_ply, nonce, text] = lines[..] else { return Err(EnvelopeError::NoNote) };
    let nonce = nonce.strip_prefix("nonce ").and_then(|nonce| nonce.parse().ok()).ok_or(EnvelopeError::NoNote)?;
    if title != TITLE {
        return Err(EnvelopeError::NoNote);
    }
    if of_game != format!("game {game}") || of_ply != format!("ply {ply}") {
        return Err(EnvelopeError::Elsewhere);
    }
    Note::new(Zeroizing::new(text.to_string()), nonce).map_err(|_| EnvelopeError::NoNote)
}

/// Whether an envelope is that of a note: the commitment, and, where the key is known, the ciphertext.
///
/// # Errors
/// The first of the two that is not.
pub fn verify(key: Option<&PublicKey>, game: u64, ply: u32, note: &Note, sealed: &Sealed) -> Result<(), Mismatch> {
    if note.commitment(game, ply) != sealed.commitment {
        return Err(Mismatch::Commitment);
    }
    if key.is_some_and(|key| seal(key, game, ply, note).ciphertext != sealed.ciphertext) {
        return Err(Mismatch::Ciphertext);
    }
    Ok(())
}

impl PublicKey {
    /// Whether a secret with this key depends on the other key at all. With a point of small order it does not, and anybody can open what
    /// is sealed to it: two senders that have nothing in common then make the same box.
    pub fn hides(&self) -> bool {
        let boxed = |sender: u8| {
            let secret = crypto_box::SecretKey::from([sender; 32]);
            let nonce = crypto_box::aead::generic_array::GenericArray::default();
            crypto_box::SalsaBox::new(&crypto_box::PublicKey::from(self.0), &secret).encrypt(&nonce, &b"the same"[..]).unwrap_or_default()
        };
        boxed(1) != boxed(2)
    }
}

impl PrivateKey {
    /// From its 32 bytes.
    pub fn new(bytes: Zeroizing<[u8; 32]>) -> PrivateKey {
        PrivateKey(bytes)
    }

    /// The half that goes with it.
    pub fn public(&self) -> PublicKey {
        PublicKey(crypto_box::SecretKey::from(*self.0).public_key().to_bytes())
    }

    /// Its 32 bytes, for the file that keeps it.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// The bytes that make an ephemeral key, from a hash and not from chance.
struct Derived(blake3::OutputReader);

impl RngCore for Derived {
    fn next_u32(&mut self) -> u32 {
        let mut bytes = [0; 4];
        self.0.fill(&mut bytes);
        u32::from_le_bytes(bytes)
    }

    fn next_u64(&mut self) -> u64 {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        u64::from_le_bytes(bytes)
    }

    fn fill_bytes(&mut self, to: &mut [u8]) {
        self.0.fill(to);
    }

    fn try_fill_bytes(&mut self, to: &mut [u8]) -> Result<(), Error> {
        self.0.fill(to);
        Ok(())
    }
}

impl CryptoRng for Derived {}

impl fmt::Debug for Derived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Derived")
    }
}

/// Shows neither text nor nonce, wherever a note ends up in a message, a trace or a panic.
impl fmt::Debug for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Note(sealed)")
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateKey")
    }
}

/// A nonce is told with the text that it hides, and not before.
impl fmt::Debug for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Nonce")
    }
}

macro_rules! hexadecimal {
    ($($name:ident)*) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }

        impl FromStr for $name {
            type Err = blake3::HexError;

            fn from_str(text: &str) -> Result<$name, blake3::HexError> {
                blake3::Hash::from_hex(text).map(|hash| $name(*hash.as_bytes()))
            }
        }
    )*};
}

hexadecimal!(Nonce PublicKey Commitment);

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: u8) -> PrivateKey {
        PrivateKey::new(Zeroizing::new([n; 32]))
    }

    fn note(text: &str, n: u8) -> Note {
        let mut nonce = [n; 32];
        nonce[0] ^= 1;
        Note::new(Zeroizing::new(text.to_string()), Nonce(nonce)).unwrap()
    }

    #[test]
    fn what_is_sealed_is_what_is_opened() {
        for text in ["Rd7", "Тd7 +", "♖d7", &"x".repeat(MAX_WRITTEN)] {
            let sealed = seal(&key(3).public(), 7, 60, &note(text, 9));
            assert_eq!(sealed.ciphertext.len(), CIPHERTEXT);
            assert_eq!(open(&key(3), 7, 60, &sealed), Ok(note(text, 9)));
            assert_eq!(verify(Some(&key(3).public()), 7, 60, &note(text, 9), &sealed), Ok(()));
            assert!(!sealed.ciphertext.windows(2).any(|two| text.as_bytes().windows(2).all(|other| other == two)));
        }
    }

    #[test]
    fn nothing_else_opens_it() {
        let sealed = seal(&key(3).public(), 7, 60, &note("Rd7", 9));
        assert_eq!(open(&key(4), 7, 60, &sealed), Err(EnvelopeError::Key));
        assert_eq!(open(&key(3), 8, 60, &sealed), Err(EnvelopeError::Elsewhere));
        assert_eq!(open(&key(3), 7, 61, &sealed), Err(EnvelopeError::Elsewhere));
        for i in [0, 40, CIPHERTEXT - 1] {
            let mut changed = sealed.clone();
            changed.ciphertext[i] ^= 1;
            assert_eq!(open(&key(3), 7, 60, &changed), Err(EnvelopeError::Key));
            assert_eq!(verify(Some(&key(3).public()), 7, 60, &note("Rd7", 9), &changed), Err(Mismatch::Ciphertext));
        }
        let short = Sealed { ciphertext: vec![1; 20], ..sealed.clone() };
        assert_eq!(open(&key(3), 7, 60, &short), Err(EnvelopeError::Key));
    }

    #[test]
    fn a_commitment_is_to_text_nonce_game_and_ply() {
        let sealed = seal(&key(3).public(), 7, 60, &note("Rd7", 9));
        let differs = |game, ply, note: &Note| verify(None, game, ply, note, &sealed) == Err(Mismatch::Commitment);
        assert!(differs(7, 60, &note("Rd8", 9)) && differs(7, 60, &note("Rd7", 8)));
        assert!(differs(6, 60, &note("Rd7", 9)) && differs(7, 61, &note("Rd7", 9)));
        assert!(!differs(7, 60, &note("Rd7", 9)));
    }

    #[test]
    fn a_key_that_hides_nothing_is_none() {
        let high = |first: u8| {
            PublicKey(std::array::from_fn(|i| {
                if i == 0 {
                    first
                } else if i == 31 {
                    0x7f
                } else {
                    0xff
                }
            }))
        };
        let one = PublicKey(std::array::from_fn(|i| u8::from(i == 0)));
        // Zero, one, and the prime less one, itself and one more: points of small order, in all their spellings.
        for key in [PublicKey([0; 32]), one, high(0xec), high(0xed), high(0xee), PublicKey([0xff; 32])] {
            assert_eq!(key.hides(), key.0 == [0xff; 32], "{key}");
        }
        assert!(key(3).public().hides());
    }

    #[test]
    fn what_cannot_be_sealed() {
        let made = |text: &str, nonce: [u8; 32]| Note::new(Zeroizing::new(text.to_string()), Nonce(nonce));
        let nonce = std::array::from_fn(|i| i as u8);
        for text in ["", "  ", "R\nd7", &"x".repeat(MAX_WRITTEN + 1)] {
            assert_eq!(made(text, nonce), Err(EnvelopeError::Text), "{text:?}");
        }
        assert_eq!(made("Rd7", [0; 32]), Err(EnvelopeError::Nonce));
        assert_eq!(format!("{:?}", made("Rd7", nonce).unwrap()), "Note(sealed)");
    }

    #[test]
    fn a_note_reads_as_text() {
        let text = note("Rd7", 9).written(7, 60);
        assert_eq!(text.lines().map(|line| line.split(' ').next().unwrap_or("")).collect::<Vec<_>>(), ["zeitnot", "game", "ply", "nonce", "Rd7"]);
        assert_eq!(blake3::hash(text.as_bytes()).as_bytes(), &note("Rd7", 9).commitment(7, 60).0);
    }

    /// These bytes were opened by an implementation of sealed boxes written from their specification alone.
    #[test]
    fn the_format_stays() {
        let sealed = seal(&key(3).public(), 7, 60, &note("Rd7", 9));
        assert_eq!(sealed.commitment.to_string(), "ec7435ee8cd94a72f57cab248de8c25573ce95e2d37260084866eaa5b5ef4248");
        assert_eq!(blake3::hash(&sealed.ciphertext).to_string(), "8a5d0f6b3dcff81b6ea2adf474707ec3f724d32779a7b054d249e99bc4d0c264");
    }
}
