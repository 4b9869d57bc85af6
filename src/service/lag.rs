//! How far the readers of the feeds are behind: one figure, that of the slowest.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Of every feed that is read: how far it is behind, and its number.
#[derive(Clone, Default)]
pub(super) struct Lags(Arc<Mutex<All>>);

#[derive(Default)]
struct All {
    behind: BTreeSet<(u64, u64)>,
    last: u64,
}

/// One feed among them, until it ends.
pub(super) struct Lag {
    all: Lags,
    number: u64,
    entries: u64,
}

impl Lags {
    /// One more.
    pub(super) fn begin(&self) -> Lag {
        let mut number = 0;
        self.change(|all| {
            all.last += 1;
            number = all.last;
            all.behind.insert((0, number));
        });
        Lag { all: self.clone(), number, entries: 0 }
    }

    fn change(&self, change: impl FnOnce(&mut All)) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut all);
        metrics::gauge!("zeitnot_feed_lag_entries").set(all.behind.last().map_or(0, |(entries, _)| *entries) as f64);
    }
}

impl Lag {
    /// It is so many entries behind.
    pub(super) fn set(&mut self, entries: u64) {
        let (before, number) = (std::mem::replace(&mut self.entries, entries), self.number);
        self.all.change(|all| {
            all.behind.remove(&(before, number));
            all.behind.insert((entries, number));
        });
    }
}

impl Drop for Lag {
    fn drop(&mut self) {
        let last = (self.entries, self.number);
        self.all.change(|all| _ = all.behind.remove(&last));
    }
}
