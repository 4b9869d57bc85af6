//! A log in memory that outlives its daemon, can be held up, and can be told to fail.

use std::sync::{Arc, Condvar, Mutex};

use zeitnot::game::{Consequence, Entry as Said, Seq};
use zeitnot::log::{Alarm, Chain, Error, Log, MemoryLog, Reader};
use zeitnot::venue::{Entry, Payload, Venue};
use zeitnot::writer;

/// The log; every clone is the same one.
#[derive(Clone, Default)]
pub(crate) struct Ledger {
    log: Arc<Mutex<MemoryLog>>,
    held: Arc<(Mutex<bool>, Condvar)>,
}

/// No append ends as long as this lives.
pub(crate) struct Held(Ledger);

impl Ledger {
    pub(crate) fn hold(&self) -> Held {
        self.set_held(true);
        Held(self.clone())
    }

    fn set_held(&self, held: bool) {
        *self.held.0.lock().unwrap() = held;
        self.held.1.notify_all();
    }

    /// As [`MemoryLog::fail`].
    pub(crate) fn fail(&self, k: u64, keep: usize) {
        self.log.lock().unwrap().fail(k, keep);
    }

    /// As [`MemoryLog::restart`].
    pub(crate) fn repair(&self) {
        self.log.lock().unwrap().restart();
    }

    /// All that is durable.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        let mut entries = Vec::new();
        writer::each_entry(&*self.reader(), Seq(0), None, &mut |entry| entries.push(entry)).unwrap();
        entries
    }

    /// What was said of games, as it is printed.
    pub(crate) fn said(&self) -> Vec<String> {
        let said = |entry: Entry| if let Payload::Game(said) = entry.payload { Some(said.to_string().trim().to_string()) } else { None };
        self.entries().into_iter().filter_map(said).collect()
    }

    /// How often something was said of games in these words.
    pub(crate) fn count(&self, words: &str) -> usize {
        self.said().iter().filter(|said| said.contains(words)).count()
    }

    /// The words of the incidents.
    pub(crate) fn incidents(&self) -> Vec<&'static str> {
        let incident = |entry: Entry| match entry.payload {
            Payload::Game(Said::Consequence(Consequence::Incident { code, .. })) => Some(code.word()),
            _ => None,
        };
        self.entries().into_iter().filter_map(incident).collect()
    }

    pub(crate) fn replayed(&self) -> Venue {
        writer::replay(&*self.reader(), None, &mut |_| {}).unwrap()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.set_held(false);
    }
}

impl Log for Ledger {
    fn append(&mut self, first: Seq, bodies: &[Vec<u8>]) -> Result<(), Error> {
        let (held, freed) = &*self.held;
        drop(freed.wait_while(held.lock().unwrap(), |held| *held).unwrap());
        self.log.lock().unwrap().append(first, bodies)
    }

    fn head(&self) -> Seq {
        self.log.lock().unwrap().head()
    }

    fn tip(&self) -> Chain {
        self.log.lock().unwrap().tip()
    }

    fn reader(&self) -> Arc<dyn Reader> {
        self.log.lock().unwrap().reader()
    }

    fn alarms(&mut self) -> Vec<Alarm> {
        self.log.lock().unwrap().alarms()
    }
}
