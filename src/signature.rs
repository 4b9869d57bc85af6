//! The signature over a log's head: who kept the venue's public key can tell, years later, whether the log still says what it said then.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};

/// The first line of what is signed.
const TITLE: &str = "zeitnot head";

/// The public half of the key by which a venue signs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VerifyingKey(pub [u8; 32]);

/// The private half. It stays in the daemon and its file, and prints as nothing.
#[derive(Clone)]
pub struct SigningKey(Arc<Ed25519KeyPair>);

/// An ed25519 signature.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Signature(pub [u8; 64]);

/// The head of a log as it was after an entry, signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SignedHead {
    /// Place of that entry.
    pub seq: u64,
    /// The chain there.
    pub head: [u8; 32],
    /// By which key.
    pub key: VerifyingKey,
    /// The signature over [`text`].
    pub signature: Signature,
}

/// What is signed: three lines that anybody can write again.
pub fn text(seq: u64, head: &[u8; 32]) -> String {
    format!("{TITLE}\nseq {seq}\nhead {}\n", blake3::Hash::from_bytes(*head).to_hex())
}

impl SigningKey {
    /// From the 32 bytes that are kept; `None`: they make no key.
    pub fn new(seed: &[u8; 32]) -> Option<SigningKey> {
        Ed25519KeyPair::from_seed_unchecked(seed).ok().map(|pair| SigningKey(Arc::new(pair)))
    }

    /// The half that goes with it.
    pub fn public(&self) -> VerifyingKey {
        let mut key = [0; 32];
        let public = self.0.public_key().as_ref();
        key.iter_mut().zip(public).for_each(|(to, from)| *to = *from);
        VerifyingKey(key)
    }

    /// Signs the head after an entry.
    pub fn sign(&self, seq: u64, head: [u8; 32]) -> SignedHead {
        let mut signature = [0; 64];
        let made = self.0.sign(text(seq, &head).as_bytes());
        signature.iter_mut().zip(made.as_ref()).for_each(|(to, from)| *to = *from);
        SignedHead { seq, head, key: self.public(), signature: Signature(signature) }
    }
}

impl SignedHead {
    /// Whether the signature is the key's over this head at this place.
    pub fn holds(&self) -> bool {
        UnparsedPublicKey::new(&ED25519, self.key.0).verify(text(self.seq, &self.head).as_bytes(), &self.signature.0).is_ok()
    }
}

fn hex(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

impl fmt::Display for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex(&self.0, f)
    }
}

impl fmt::Debug for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VerifyingKey({self})")
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex(&self.0, f)
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signature({self})")
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey of {}", self.public())
    }
}

/// A text that is no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a key to check by is 64 hexadecimal digits")]
pub struct NotAKey;

impl FromStr for VerifyingKey {
    type Err = NotAKey;

    fn from_str(text: &str) -> Result<VerifyingKey, NotAKey> {
        blake3::Hash::from_hex(text).map(|bytes| VerifyingKey(*bytes.as_bytes())).map_err(|_| NotAKey)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_signed_is_told_from_all_else() {
        let key = SigningKey::new(&[7; 32]).unwrap();
        let signed = key.sign(812, [0xab; 32]);
        assert!(signed.holds());
        assert_eq!(text(812, &[0xab; 32]), format!("zeitnot head\nseq 812\nhead {}\n", "ab".repeat(32)));
        let mut flipped = signed;
        flipped.signature.0[63] ^= 1;
        let other = SigningKey::new(&[8; 32]).unwrap().public();
        for wrong in [SignedHead { seq: 813, ..signed }, SignedHead { head: [0xac; 32], ..signed }, SignedHead { key: other, ..signed }, flipped] {
            assert!(!wrong.holds(), "{wrong:?}");
        }
    }

    /// The first example of RFC 8032 (7.1): the same key and signature as every other program makes.
    #[test]
    fn keys_and_signatures_are_those_of_the_standard() {
        let seed: VerifyingKey = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60".parse().unwrap();
        let key = SigningKey::new(&seed.0).unwrap();
        assert_eq!(key.public().to_string(), "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
    }

    #[test]
    fn a_key_is_read_as_it_is_written_and_a_secret_one_prints_as_nothing() {
        let key = SigningKey::new(&[7; 32]).unwrap();
        assert_eq!(key.public().to_string().parse(), Ok(key.public()));
        for wrong in ["", "ab", &"g".repeat(64), &"a".repeat(63)] {
            assert_eq!(wrong.parse::<VerifyingKey>(), Err(NotAKey));
        }
        assert!(!format!("{key:?}").contains(&"07".repeat(16)));
    }
}
