//! One record: the entries of a commit, or a part of them, as one value of the store.
//!
//! ```text
//! version u8 | crc32 u32 | count u16 | count x (length u16 | body | chain 32 bytes)
//! ```
//!
//! Numbers are little-endian. The checksum covers the place of the first entry, which is the
//! record's key, and everything else but itself: a record in a wrong place is damaged too.

use super::{Chain, Entry, Error, MAX_RECORD, next};
use crate::game::Seq;

/// The layout above.
const VERSION: u8 = 1;
/// Bytes before the first entry.
const HEADER: usize = 7;
/// Where the checksum is.
const CRC: std::ops::Range<usize> = 1..5;
/// Bytes of an entry beside its body.
const FRINGE: usize = 2 + Chain::LEN;

/// A record's bytes and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Packed {
    pub(super) first: Seq,
    pub(super) bytes: Vec<u8>,
}

/// A commit, packed, and the log after it.
#[derive(Debug)]
pub(super) struct Commit {
    pub(super) records: Vec<Packed>,
    pub(super) head: Seq,
    pub(super) tip: Chain,
}

/// Chains `bodies` to `tip` and packs them into as few records as the limit allows.
///
/// A body is at most [`MAX_ENTRY`](super::MAX_ENTRY): see [`admit`](super::admit).
pub(super) fn pack(first: Seq, mut tip: Chain, bodies: &[Vec<u8>]) -> Commit {
    let mut records = Vec::new();
    let mut seq = first;
    let mut rest = bodies;
    while !rest.is_empty() {
        let (now, later) = rest.split_at(fitting(rest));
        records.push(pack_one(seq, &mut tip, now));
        seq.0 += now.len() as u64;
        rest = later;
    }
    Commit { records, head: Seq(seq.0 - 1), tip }
}

/// How many of `bodies` go into one record: as many as fit, and at least one.
fn fitting(bodies: &[Vec<u8>]) -> usize {
    let mut size = HEADER;
    let fit = |body: &&Vec<u8>| {
        size += FRINGE + body.len();
        size <= MAX_RECORD
    };
    bodies.iter().take_while(fit).count().max(1)
}

fn pack_one(first: Seq, tip: &mut Chain, bodies: &[Vec<u8>]) -> Packed {
    let size = bodies.iter().map(|body| FRINGE + body.len()).sum::<usize>();
    let mut bytes = Vec::with_capacity(HEADER + size);
    bytes.push(VERSION);
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(&(bodies.len() as u16).to_le_bytes());
    for body in bodies {
        *tip = tip.next(body);
        bytes.extend_from_slice(&(body.len() as u16).to_le_bytes());
        bytes.extend_from_slice(body);
        bytes.extend_from_slice(&tip.0);
    }
    let crc = checksum(first, &bytes);
    bytes[CRC].copy_from_slice(&crc.to_le_bytes());
    Packed { first, bytes }
}

fn checksum(first: Seq, bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&first.0.to_be_bytes());
    hasher.update(&bytes[..CRC.start]);
    hasher.update(&bytes[CRC.end..]);
    hasher.finalize()
}

/// A record whose checksum is right, seen through its bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record<'a> {
    first: Seq,
    count: u16,
    entries: &'a [u8],
    tip: Chain,
}

impl<'a> Record<'a> {
    /// Checks the record that lies at `first`.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] at `first`.
    pub(super) fn open(first: Seq, bytes: &'a [u8]) -> Result<Record<'a>, Error> {
        if bytes.len() < HEADER + FRINGE {
            let what = format!("a record of {} bytes is too short", bytes.len());
            return Err(Error::damaged(first, what));
        }
        if checksum(first, bytes).to_le_bytes() != bytes[CRC] {
            return Err(Error::damaged(first, "the record's checksum is wrong"));
        }
        if bytes[0] != VERSION {
            let what = format!("record version {}, only {VERSION} is known", bytes[0]);
            return Err(Error::damaged(first, what));
        }
        let count = u16::from_le_bytes([bytes[5], bytes[6]]);
        let tip = bytes.last_chunk().copied().map(Chain);
        match (count, tip) {
            (1.., Some(tip)) => Ok(Record { first, count, entries: &bytes[HEADER..], tip }),
            _ => Err(Error::damaged(first, "a record without entries")),
        }
    }

    /// The place of its first entry.
    pub(super) fn first(&self) -> Seq {
        self.first
    }

    /// The place of its last entry.
    pub(super) fn last(&self) -> Seq {
        Seq(self.first.0 + u64::from(self.count) - 1)
    }

    /// The chain at its last entry.
    pub(super) fn tip(&self) -> Chain {
        self.tip
    }

    /// Its entries in order. An error ends them: the record lied about its lengths under a
    /// right checksum, so it was written wrong.
    pub(super) fn entries(&self) -> Entries<'a> {
        Entries { seq: self.first, left: self.count, rest: self.entries }
    }
}

/// See [`Record::entries`].
#[derive(Debug)]
pub(super) struct Entries<'a> {
    seq: Seq,
    left: u16,
    rest: &'a [u8],
}

impl<'a> Entries<'a> {
    fn take(&mut self) -> Option<Entry<'a>> {
        let (len, rest) = self.rest.split_first_chunk()?;
        let (body, rest) = rest.split_at_checked(usize::from(u16::from_le_bytes(*len)))?;
        let (chain, rest) = rest.split_first_chunk()?;
        self.rest = rest;
        Some(Entry { seq: self.seq, body, chain: Chain(*chain) })
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<Entry<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let entry = self.take();
        if entry.is_none() {
            self.left = 0;
            let what = "the record ends inside this entry";
            return Some(Err(Error::damaged(self.seq, what)));
        }
        self.seq = next(self.seq);
        entry.map(Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::{super::MAX_ENTRY, *};

    fn unpack(commit: &Commit) -> Vec<(u64, Vec<u8>, Chain)> {
        let mut all = Vec::new();
        for packed in &commit.records {
            let record = Record::open(packed.first, &packed.bytes).unwrap();
            for entry in record.entries() {
                let entry = entry.unwrap();
                all.push((entry.seq.0, entry.body.to_vec(), entry.chain));
            }
        }
        all
    }

    #[test]
    fn unpacks_what_was_packed() {
        let bodies = [b"a".to_vec(), Vec::new(), vec![7; 300]];
        let commit = pack(Seq(5), Chain::GENESIS, &bodies);
        assert_eq!(commit.records.len(), 1);
        let mut tip = Chain::GENESIS;
        let wanted = bodies.iter().zip(5..).map(|(body, seq)| {
            tip = tip.next(body);
            (seq, body.clone(), tip)
        });
        assert_eq!(unpack(&commit), wanted.collect::<Vec<_>>());
        assert_eq!(commit.head, Seq(7));
        assert_eq!(commit.tip, tip);
    }

    #[test]
    fn fills_records_to_the_limit_and_not_beyond() {
        let bodies = vec![vec![1; 100]; 1000];
        let commit = pack(Seq(1), Chain::GENESIS, &bodies);
        let per_record = (MAX_RECORD - HEADER) / (FRINGE + 100);
        assert_eq!(commit.records.len(), 1000_usize.div_ceil(per_record));
        assert!(commit.records.iter().all(|r| r.bytes.len() <= MAX_RECORD));
        assert_eq!(unpack(&commit).len(), 1000);
    }

    #[test]
    fn a_large_entry_is_a_record_alone() {
        let bodies = [vec![1], vec![2; MAX_ENTRY], vec![3; MAX_ENTRY], vec![4]];
        let commit = pack(Seq(1), Chain::GENESIS, &bodies);
        let firsts = commit.records.iter().map(|r| r.first.0);
        assert!(firsts.eq(1..=4));
        assert_eq!(unpack(&commit).len(), 4);
    }

    #[test]
    fn no_flipped_bit_goes_unseen() {
        let packed = &pack(Seq(9), Chain::GENESIS, &[b"e4".to_vec()]).records[0];
        for bit in 0..packed.bytes.len() * 8 {
            let mut bytes = packed.bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let error = Record::open(Seq(9), &bytes).unwrap_err();
            assert!(error.to_string().contains("entry 9"), "{error}");
        }
        assert!(Record::open(Seq(8), &packed.bytes).is_err(), "wrong place");
        for cut in 0..packed.bytes.len() {
            assert!(Record::open(Seq(9), &packed.bytes[..cut]).is_err());
        }
    }
}
