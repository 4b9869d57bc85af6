//! When something happened by the hall's time, as far as that can be known: between two instants.
//!
//! Two devices share no timeline. Each one's is known against the hall's give or take what its probes leave open, so
//! events of the two are in order only where their intervals do not meet.

use std::fmt;

use super::timebase::DRIFT_PPM;
use super::{Estimate, Millis};

/// From the earliest to the latest instant at which something can have happened, both included, since the daemon started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Interval {
    /// The earliest.
    pub from: Millis,
    /// The latest.
    pub until: Millis,
}

impl Interval {
    /// Before the daemon started, whose time begins with it: before all that certainly came after that.
    pub const EARLIER: Interval = Interval { from: Millis::ZERO, until: Millis::ZERO };

    /// Whether this certainly happened first.
    pub fn is_before(self, other: Interval) -> bool {
        self.until < other.from
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "between {} and {}", self.from, self.until)
    }
}

impl Estimate {
    /// When, by the hall's time, a device that runs at this scale stamped `at`, which came when this was estimated; `None`: that is not known.
    pub fn hall_of(&self, at: Millis, scale: u64) -> Option<Interval> {
        let came = self.hall?;
        let in_the_hall = |span: u64| u64::try_from(u128::from(span) * 1_000 / u128::from(scale.max(1))).unwrap_or(u64::MAX);
        let since = in_the_hall(self.at.distance(at).0);
        let middle = if at <= self.at { came.less(Millis(since)) } else { came.plus(Millis(since)) };
        // What it may have drifted meanwhile, and what was cut off to whole milliseconds.
        let drift = since.saturating_mul(DRIFT_PPM) / 1_000_000;
        let error = Millis(in_the_hall(self.uncertainty.0).saturating_add(drift).saturating_add(2));
        // Nothing happens after it was told.
        let until = middle.plus(error).min(came);
        Some(Interval { from: middle.less(error).min(until), until })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn came(at: u64, uncertainty: u64, hall: u64) -> Estimate {
        Estimate { at: Millis(at), uncertainty: Millis(uncertainty), hall: Some(Millis(hall)) }
    }

    fn between(from: u64, until: u64) -> Interval {
        Interval { from: Millis(from), until: Millis(until) }
    }

    #[test]
    fn a_stamp_is_as_sure_as_the_probes_were_and_less_the_older_it_is() {
        let estimate = came(50_000, 10, 9_000);
        assert_eq!(estimate.hall_of(Millis(49_000), 1_000), Some(between(7_988, 8_012)));
        assert_eq!(estimate.hall_of(Millis(50_000), 1_000), Some(between(8_988, 9_000)), "nothing comes before it happens");
        assert_eq!(estimate.hall_of(Millis(50_005), 1_000), Some(between(8_993, 9_000)));
        let later = came(4_000_000, 10, 4_000_000);
        assert_eq!(later.hall_of(Millis(400_000), 1_000), Some(between(399_628, 400_372)), "an hour may drift by 360 ms");
        assert_eq!(Estimate { hall: None, ..estimate }.hall_of(Millis(49_000), 1_000), None);
    }

    #[test]
    fn a_simulated_clock_may_run_faster() {
        assert_eq!(came(600_000, 600, 10_000).hall_of(Millis(540_000), 60_000), Some(between(8_988, 9_012)));
    }

    #[test]
    fn only_what_does_not_meet_has_an_order() {
        assert!(between(10, 20).is_before(between(21, 30)));
        assert!(!between(10, 20).is_before(between(20, 30)));
        assert!(!between(21, 30).is_before(between(10, 20)));
        assert!(Interval::EARLIER.is_before(between(1, 5)));
        assert!(!came(900_000, 5, 1_000).hall_of(Millis(10_000), 1_000).unwrap().is_before(Interval::EARLIER), "both before the start");
    }
}
