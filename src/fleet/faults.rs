//! What goes wrong on the way from a clock to the daemon, drawn from a seed.

use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Probabilities, each for every report.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Faults {
    /// It is not sent, until it is sent again.
    pub drop: f64,
    /// It is sent twice.
    pub duplicate: f64,
    /// It is sent after the one that comes next.
    pub reorder: f64,
    /// The clock restarts after it.
    pub reboot: f64,
    /// The network is gone for a while after it.
    pub partition: f64,
}

/// What happens to one report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fate {
    pub(super) dropped: bool,
    pub(super) doubled: bool,
    pub(super) held_back: bool,
    pub(super) reboots: bool,
    pub(super) cut_off: Option<Duration>,
}

/// Draws fates.
#[derive(Debug)]
pub(super) struct Draw {
    faults: Faults,
    random: ChaCha8Rng,
}

impl Draw {
    pub(super) fn new(faults: Faults, seed: u64, board: u64) -> Draw {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(board);
        Draw { faults, random }
    }

    pub(super) fn fate(&mut self) -> Fate {
        let mut happens = |p: f64| p > 0.0 && self.random.random_bool(p.min(1.0));
        let (dropped, doubled, held_back) = (happens(self.faults.drop), happens(self.faults.duplicate), happens(self.faults.reorder));
        let (reboots, cut_off) = (happens(self.faults.reboot), happens(self.faults.partition));
        let cut_off = cut_off.then(|| Duration::from_millis(self.random.random_range(50..800)));
        Fate { dropped, doubled, held_back, reboots, cut_off }
    }
}
