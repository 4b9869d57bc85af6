//! One commit in the mirror.
//!
//! ```text
//! magic "znm1" | length u32 | crc32 u32 | length bytes: one or more x (first u64 | length u32 | record)
//! ```
//!
//! Numbers are little-endian. The checksum covers the frame's offset in the file, its length
//! and what follows, so that a frame is one in its own place only: not when its bytes stand in
//! the text of an entry. A commit is one frame, hence in the mirror wholly or not at all.

use super::{
    Error, MAX_BATCH, MAX_ENTRY,
    record::{Packed, Record},
};
use crate::game::Seq;

/// How a frame begins. Not zero, so that a zeroed tail is no frame.
pub(super) const MAGIC: [u8; 4] = *b"znm1";
/// Bytes before the records.
pub(super) const HEADER: usize = 12;
/// Bytes before each record.
const LABEL: usize = 12;
/// More than any commit takes: a length above is no length.
const MAX_LENGTH: usize = MAX_BATCH * (MAX_ENTRY + 64);

/// Writes a commit's frame for `offset` into `into`, in place of what is there.
pub(super) fn encode(offset: u64, records: &[Packed], into: &mut Vec<u8>) {
    into.clear();
    into.extend_from_slice(&MAGIC);
    into.extend_from_slice(&[0; 8]);
    for record in records {
        into.extend_from_slice(&record.first.0.to_le_bytes());
        into.extend_from_slice(&(record.bytes.len() as u32).to_le_bytes());
        into.extend_from_slice(&record.bytes);
    }
    let length = (into.len() - HEADER) as u32;
    let crc = checksum(offset, length, &into[HEADER..]);
    into[4..8].copy_from_slice(&length.to_le_bytes());
    into[8..12].copy_from_slice(&crc.to_le_bytes());
}

/// The beginning of a frame, not yet believed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    /// How many bytes follow.
    pub(super) length: usize,
    crc: u32,
}

impl Header {
    /// Reads it; `None` if it cannot begin a frame.
    pub(super) fn read(bytes: &[u8; HEADER]) -> Option<Header> {
        let [m0, m1, m2, m3, l0, l1, l2, l3, c0, c1, c2, c3] = *bytes;
        let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
        let begins = [m0, m1, m2, m3] == MAGIC && length <= MAX_LENGTH;
        begins.then_some(Header { length, crc: u32::from_le_bytes([c0, c1, c2, c3]) })
    }

    /// Whether `payload` is what follows a frame at `offset`.
    pub(super) fn fits(&self, offset: u64, payload: &[u8]) -> bool {
        checksum(offset, payload.len() as u32, payload) == self.crc
    }
}

fn checksum(offset: u64, length: u32, payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&offset.to_le_bytes());
    hasher.update(&length.to_le_bytes());
    hasher.update(payload);
    hasher.finalize()
}

/// The records of a frame.
#[derive(Debug)]
pub(super) struct Records<'a> {
    pub(super) rest: &'a [u8],
    /// Where the next record has to begin.
    pub(super) expected: Seq,
}

impl<'a> Records<'a> {
    fn take(&mut self) -> Option<(Seq, &'a [u8])> {
        let (label, rest) = self.rest.split_first_chunk::<LABEL>()?;
        let [f0, f1, f2, f3, f4, f5, f6, f7, l0, l1, l2, l3] = *label;
        let first = u64::from_le_bytes([f0, f1, f2, f3, f4, f5, f6, f7]);
        let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
        let (bytes, rest) = rest.split_at_checked(length)?;
        self.rest = rest;
        Some((Seq(first), bytes))
    }

    fn parse(&mut self) -> Result<Record<'a>, Error> {
        let (first, bytes) = self.take().ok_or_else(|| Error::damaged(self.expected, "the frame ends inside a record"))?;
        if first != self.expected {
            let what = format!("entry {} comes next instead", first.0);
            return Err(Error::damaged(self.expected, what));
        }
        let record = Record::open(first, bytes)?;
        self.expected = super::next(record.last());
        Ok(record)
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let record = self.parse();
        if record.is_err() {
            self.rest = &[];
        }
        Some(record)
    }
}
