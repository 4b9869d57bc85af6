//! Whether every signed head is the head that the log has there, and by whose key.

use std::collections::VecDeque;

use crate::game::Seq;
use crate::signature::{SignedHead, VerifyingKey};
use crate::venue::{Admin, Entry, Payload, SIGNED_WITHIN};

/// Follows the signatures of a log: fed with every entry in order.
#[derive(Debug, Default)]
pub struct Signatures {
    /// The key that somebody kept: no other may have signed.
    kept: Option<VerifyingKey>,
    /// The heads of the last entries, the newest last.
    heads: VecDeque<[u8; 32]>,
    seq: u64,
    found: Signed,
}

/// What signatures a log holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Signed {
    /// How many.
    pub count: u64,
    /// The last, with the entry that holds it. What stands behind the place that it names is not signed.
    pub last: Option<(Seq, SignedHead)>,
    /// From which entry on another key signs, and which.
    pub keys: Vec<(Seq, VerifyingKey)>,
}

/// A signature that proves nothing, or that something was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant's sentence says what is wrong")]
pub enum SignatureWrong {
    #[error("entry {}: the signature is not that of the key {key} over entry {of}", entry.0)]
    Forged { entry: Seq, of: u64, key: VerifyingKey },
    #[error("entry {}: another head of entry {of} was signed than the log has: something up to there was changed after the signature", entry.0)]
    OtherHead { entry: Seq, of: u64 },
    #[error("entry {}: signs entry {of}, which is not among the {SIGNED_WITHIN} before it", entry.0)]
    OutOfReach { entry: Seq, of: u64 },
    #[error("entry {}: signed by the key {key}, and not by the one that was kept, {kept}", entry.0)]
    OtherKey { entry: Seq, key: VerifyingKey, kept: VerifyingKey },
    #[error("nothing in the log is signed by {kept}")]
    Unsigned { kept: VerifyingKey },
}

impl Signatures {
    /// Where somebody kept a key, no other may have signed, and it must have.
    pub fn by(kept: Option<VerifyingKey>) -> Signatures {
        Signatures { kept, ..Signatures::default() }
    }

    /// The next entry of the log, and the chain up to and with it.
    ///
    /// # Errors
    /// It is a signature that does not hold.
    pub fn entry(&mut self, entry: &Entry, chain: [u8; 32]) -> Result<(), SignatureWrong> {
        if let Payload::Admin(Admin::Signed { head }) = &entry.payload {
            self.check(entry.seq, head)?;
        }
        if self.heads.len() as u64 > SIGNED_WITHIN {
            self.heads.pop_front();
        }
        self.heads.push_back(chain);
        self.seq = entry.seq.0;
        Ok(())
    }

    /// The log has ended.
    ///
    /// # Errors
    /// The key that was kept has signed nothing.
    pub fn finish(self) -> Result<Signed, SignatureWrong> {
        match self.kept {
            Some(kept) if self.found.count == 0 => Err(SignatureWrong::Unsigned { kept }),
            _ => Ok(self.found),
        }
    }

    fn check(&mut self, entry: Seq, head: &SignedHead) -> Result<(), SignatureWrong> {
        let (of, key) = (head.seq, head.key);
        if !head.holds() {
            return Err(SignatureWrong::Forged { entry, of, key });
        }
        let back = self.seq.checked_sub(of).and_then(|back| usize::try_from(back).ok());
        let place = back.and_then(|back| self.heads.len().checked_sub(back + 1));
        let there = place.and_then(|place| self.heads.get(place)).ok_or(SignatureWrong::OutOfReach { entry, of })?;
        if *there != head.head {
            return Err(SignatureWrong::OtherHead { entry, of });
        }
        if let Some(kept) = self.kept.filter(|kept| *kept != key) {
            return Err(SignatureWrong::OtherKey { entry, key, kept });
        }
        if self.found.keys.last().is_none_or(|(_, last)| *last != key) {
            self.found.keys.push((entry, key));
        }
        self.found.count += 1;
        self.found.last = Some((entry, *head));
        Ok(())
    }
}
