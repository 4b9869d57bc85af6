//! Reading the store beside the writer, up to what is durable.

use std::{
    ops::ControlFlow,
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering},
};

use super::{
    Entry, Error, Reader,
    dir::Dir,
    next,
    record::Record,
    store::{self, Store},
};
use crate::game::Seq;

/// Reads the store up to the head, which the writer moves. Records beyond it may be there,
/// not yet durable and, as sled applies a batch in no order, with gaps.
#[derive(Debug)]
pub(super) struct SledReader {
    records: sled::Tree,
    head: AtomicU64,
    path: PathBuf,
    /// While somebody reads, nobody may open the directory anew.
    _dir: Option<Dir>,
}

impl SledReader {
    /// Reads `store` up to `head`, and keeps the lock of `dir` as long as it lives.
    pub(super) fn new(store: &Store, head: Seq, dir: Option<Dir>) -> SledReader {
        SledReader { records: store.records().clone(), head: AtomicU64::new(head.0), path: store.path().to_owned(), _dir: dir }
    }

    /// The last entry readers may see.
    pub(super) fn head(&self) -> Seq {
        Seq(self.head.load(Ordering::Acquire))
    }

    /// Shows readers the entries up to `head`.
    pub(super) fn publish(&self, head: Seq) {
        self.head.store(head.0, Ordering::Release);
    }

    /// The key of the record that holds `seq`.
    fn record_of(&self, seq: Seq) -> Result<sled::IVec, Error> {
        self.records
            .range(..=seq.0.to_be_bytes())
            .next_back()
            .transpose()
            .map_err(|e| store::error("read", &self.path, seq, e))?
            .map(|(key, _)| key)
            .ok_or_else(|| Error::damaged(seq, "no record holds it"))
    }
}

impl Reader for SledReader {
    fn scan(&self, after: Seq, each: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>) -> Result<(), Error> {
        let head = self.head();
        if after >= head {
            return Ok(());
        }
        let mut expected = next(after);
        let mut records = self.records.range(self.record_of(expected)?..);
        while expected <= head {
            let (key, value) = records
                .next()
                .transpose()
                .map_err(|e| store::error("read", &self.path, expected, e))?
                .ok_or_else(|| Error::damaged(expected, "it and all after it are missing"))?;
            let record = Record::open(store::seq_of(&key)?, &value)?;
            // Only the first record may begin before what is wanted.
            let begins = record.first() == expected || expected == next(after);
            if !begins || record.first() > expected || record.last() < expected {
                return Err(Error::damaged(expected, "it is missing"));
            }
            for entry in record.entries() {
                let entry = entry?;
                if entry.seq > after && entry.seq <= head && each(entry).is_break() {
                    return Ok(());
                }
            }
            expected = next(record.last());
        }
        Ok(())
    }
}
