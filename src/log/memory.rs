//! The log in memory, for tests and the simulation: it fails and tears on demand.

use std::{
    ops::ControlFlow,
    sync::{Arc, PoisonError, RwLock},
};

use super::{Alarm, Chain, Entry, Error, Log, Reader, Stored, admit, next};
use crate::game::Seq;

/// How many entries a scan takes at once: the log is not held while they are shown.
const PAGE: usize = 256;

/// A log in memory, for tests and the simulation. It can be told to fail, and to lose a part
/// of a commit, as no log should.
#[derive(Debug, Default)]
pub struct MemoryLog {
    kept: Arc<Kept>,
    /// How many entries the last append brought.
    last: usize,
    fault: Option<Fault>,
    halted: bool,
}

/// An append that is going to fail.
#[derive(Debug, Clone, Copy)]
struct Fault {
    /// Appends before it.
    before: u64,
    /// How many of its entries are kept all the same.
    keep: usize,
}

impl MemoryLog {
    /// An empty log.
    pub fn new() -> MemoryLog {
        MemoryLog::default()
    }

    /// Makes the `k`-th append from now fail as on a full disk; 1 is the next. Its first
    /// `keep` entries are in the log all the same, as after a crash between two writes.
    pub fn fail(&mut self, k: u64, keep: usize) {
        self.fault = Some(Fault { before: k.saturating_sub(1), keep });
    }

    /// Loses all but the first `keep` entries of the last append, and starts anew.
    pub fn tear(&mut self, keep: usize) {
        let lost = self.last.saturating_sub(keep);
        self.kept.change(|kept| kept.truncate(kept.len() - lost));
        self.restart();
    }

    /// Starts anew: what was kept is there, and appends are taken again.
    pub fn restart(&mut self) {
        self.last = 0;
        self.fault = None;
        self.halted = false;
    }

    /// Whether this append is the one to fail, and how many of its entries are kept then.
    fn fault(&mut self) -> Option<usize> {
        let fault = self.fault.as_mut()?;
        match fault.before.checked_sub(1) {
            Some(before) => {
                fault.before = before;
                None
            }
            None => Some(fault.keep),
        }
    }
}

impl Log for MemoryLog {
    fn append(&mut self, first: Seq, bodies: &[Vec<u8>]) -> Result<(), Error> {
        if self.halted {
            return Err(Error::Halted);
        }
        admit(self.head(), first, bodies)?;
        if let Some(keep) = self.fault() {
            self.halted = true;
            self.kept.extend(&bodies[..keep.min(bodies.len())]);
            let what = "append to memory, as told".to_owned();
            return Err(Error::DiskFull { what });
        }
        self.kept.extend(bodies);
        self.last = bodies.len();
        Ok(())
    }

    fn head(&self) -> Seq {
        self.kept.end().0
    }

    fn tip(&self) -> Chain {
        self.kept.end().1
    }

    fn reader(&self) -> Arc<dyn Reader> {
        self.kept.clone()
    }

    fn alarms(&mut self) -> Vec<Alarm> {
        Vec::new()
    }
}

/// The entries, shared by the writer and its readers.
#[derive(Debug, Default)]
struct Kept(RwLock<Vec<Arc<Stored>>>);

impl Kept {
    fn look<T>(&self, at: impl FnOnce(&Vec<Arc<Stored>>) -> T) -> T {
        at(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn change(&self, by: impl FnOnce(&mut Vec<Arc<Stored>>)) {
        by(&mut self.0.write().unwrap_or_else(PoisonError::into_inner));
    }

    fn end(&self) -> (Seq, Chain) {
        self.look(|kept| match kept.last() {
            Some(last) => (last.seq, last.chain),
            None => (Seq(0), Chain::GENESIS),
        })
    }

    fn extend(&self, bodies: &[Vec<u8>]) {
        let (mut seq, mut chain) = self.end();
        self.change(|kept| {
            kept.extend(bodies.iter().map(|body| {
                (seq, chain) = (next(seq), chain.next(body));
                let body = body.clone();
                Arc::new(Stored { seq, body, chain })
            }));
        });
    }
}

impl Reader for Kept {
    fn scan(&self, after: Seq, each: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>) -> Result<(), Error> {
        let head = self.end().0;
        let mut at = after;
        while at < head {
            let rest = at.0 as usize..(head.0 as usize).min(at.0 as usize + PAGE);
            let page = self.look(|kept| kept.get(rest).map(<[_]>::to_vec));
            // Torn off meanwhile.
            let Some(page) = page else { break };
            for stored in page {
                let entry = Entry { seq: stored.seq, body: &stored.body, chain: stored.chain };
                if each(entry).is_break() {
                    return Ok(());
                }
                at = stored.seq;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bodies(n: u8) -> Vec<Vec<u8>> {
        (0..n).map(|i| vec![i]).collect()
    }

    #[test]
    fn fails_when_told_and_stays_halted_until_restarted() {
        let mut log = MemoryLog::new();
        log.fail(2, 1);
        log.append(Seq(1), &bodies(3)).unwrap();
        let error = log.append(Seq(4), &bodies(2)).unwrap_err();
        assert!(matches!(error, Error::DiskFull { .. }));
        assert_eq!(log.head(), Seq(4), "one of two is there");
        assert!(matches!(log.append(Seq(5), &bodies(1)), Err(Error::Halted)));
        log.restart();
        log.append(Seq(5), &bodies(1)).unwrap();
        assert_eq!(super::super::verify(&*log.reader()).unwrap().entries, 5);
    }

    #[test]
    fn tears_the_last_append_only() {
        let mut log = MemoryLog::new();
        log.append(Seq(1), &bodies(3)).unwrap();
        let tip = log.tip();
        log.append(Seq(4), &bodies(4)).unwrap();
        log.tear(0);
        assert_eq!((log.head(), log.tip()), (Seq(3), tip));
        log.append(Seq(4), &bodies(4)).unwrap();
        log.tear(3);
        assert_eq!(log.head(), Seq(6));
    }

    #[test]
    fn reads_across_pages() {
        let mut log = MemoryLog::new();
        log.append(Seq(1), &vec![b"x".to_vec(); 2 * PAGE + 1]).unwrap();
        let read = log.reader().read(Seq(PAGE as u64 - 1), PAGE + 1).unwrap();
        let seqs = read.iter().map(|stored| stored.seq.0);
        assert!(seqs.eq(256..=512));
        assert!(log.reader().read(Seq(513), 9).unwrap().is_empty());
    }
}
