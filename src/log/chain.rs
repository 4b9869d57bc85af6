//! The hash that chains every entry to all before it.

use std::{fmt, str::FromStr};

/// The hash at an entry: blake3 over the hash at the entry before, and the entry's bytes.
/// Two logs with the same chain at the same place are the same up to there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Chain(pub [u8; Chain::LEN]);

impl Chain {
    /// Bytes of a hash.
    pub const LEN: usize = 32;

    /// Before the first entry.
    pub const GENESIS: Chain = Chain([0; Chain::LEN]);

    /// The chain after an entry of these bytes.
    pub fn next(&self, body: &[u8]) -> Chain {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.0);
        hasher.update(body);
        Chain(*hasher.finalize().as_bytes())
    }
}

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl fmt::Debug for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Chain({self})")
    }
}

/// A text that is not a chain.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a chain is 64 hexadecimal digits, not {0:?}")]
pub struct NotAChain(String);

impl FromStr for Chain {
    type Err = NotAChain;

    fn from_str(text: &str) -> Result<Chain, NotAChain> {
        blake3::Hash::from_hex(text).map(|hash| Chain(*hash.as_bytes())).map_err(|_| NotAChain(text.chars().take(70).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_blake3_over_the_chain_before_and_the_body() {
        let first = Chain::GENESIS.next(b"e4");
        let mut joined = vec![0; 32];
        joined.extend_from_slice(b"e4");
        assert_eq!(first.0, *blake3::hash(&joined).as_bytes());
        assert_ne!(first.next(b"e5"), Chain::GENESIS.next(b"e5"));
    }

    #[test]
    fn reads_what_it_writes() {
        let chain = Chain::GENESIS.next(b"");
        assert_eq!(chain.to_string().parse(), Ok(chain));
        assert!("abc".parse::<Chain>().is_err());
        assert!("g".repeat(64).parse::<Chain>().is_err());
    }
}
