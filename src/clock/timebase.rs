//! A device's own timeline: counters that wrap, and its offset, drift and uncertainty against the hall's time.
//!
//! Elapsed time is always a difference of stamps of one device; what is here only shows live
//! times, notices a silent flag and orders events of two devices.

use super::Millis;

/// The modulus at which a device's counter starts again from zero, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Wrap(pub u64);

impl Wrap {
    /// A counter of microseconds in 32 bits: it starts again after 71 min 35 s.
    pub const MICROS_32: Wrap = Wrap(1 << 32);
    /// A counter of milliseconds in 32 bits: it starts again after 49 days.
    pub const MILLIS_32: Wrap = Wrap((1 << 32) * 1_000);

    /// The instant on an unwrapped timeline that a raw stamp means: the first one with that
    /// reading that is not before `last`, or a little before it, since a device may send what
    /// it stamped earlier after what it stamped later.
    pub fn unwrapped(self, raw: Millis, last: Millis) -> Millis {
        let (modulus, last) = (u128::from(self.0.max(1)), u128::from(last.less(LATE).0) * 1_000);
        let raw = u128::from(raw.0) * 1_000;
        let behind = last.saturating_sub(raw);
        let turns = behind.div_ceil(modulus);
        // A raw stamp is cut to whole milliseconds, so an equal instant may seem a hair earlier.
        Millis(u64::try_from((raw + turns * modulus) / 1_000).unwrap_or(u64::MAX))
    }
}

impl Wrap {
    /// Whether a leap on from `last` is so long that the counter may as well have been set back: more than half its range.
    pub fn is_doubtful(self, at: Millis, last: Millis) -> bool {
        u128::from(at.less(last).0) * 2_000 > u128::from(self.0)
    }
}

/// How far before the last stamp a later report's stamp may lie.
const LATE: Millis = Millis::seconds(2);

/// One probe: sent and received by the hall's time, read by the device in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probe {
    /// When the daemon sent it.
    pub sent: Millis,
    /// What the device's timeline showed when it answered.
    pub device: Millis,
    /// When the answer came.
    pub received: Millis,
}

/// What a device's timeline shows now, give or take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// Most likely instant on the device's timeline.
    pub at: Millis,
    /// Greatest error either way.
    pub uncertainty: Millis,
}

/// What the daemon knows of one device's timeline. Never logged, measured anew at each connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timebase {
    /// Device milliseconds for a thousand of the hall's: 1000 for every real clock.
    scale: u64,
    best: Option<Probe>,
}

/// Parts per million that a quartz may be off; the uncertainty grows by it after a probe.
const DRIFT_PPM: u64 = 100;

impl Timebase {
    /// Knows nothing yet but the time scale that the device declared, in device milliseconds a thousand of the hall's.
    pub fn new(scale: u64) -> Timebase {
        Timebase { scale: scale.max(1), best: None }
    }

    /// Takes a probe's answer in. A quick one replaces a slow one; any one replaces what has aged.
    pub fn observe(&mut self, probe: Probe) {
        let worse = |best: Probe| self.error(best, probe.received) < self.error(probe, probe.received);
        if !self.best.is_some_and(worse) {
            self.best = Some(probe);
        }
    }

    /// Network round trip of the probe in use.
    pub fn round_trip(&self) -> Option<Millis> {
        self.best.map(|probe| probe.received.less(probe.sent))
    }

    /// What the device's timeline shows at the hall's time `now`.
    pub fn estimate(&self, now: Millis) -> Option<Estimate> {
        self.best.map(|probe| {
            let middle = Millis(u64::midpoint(probe.sent.0, probe.received.0));
            let at = probe.device.plus(self.scaled(now.less(middle)));
            Estimate { at, uncertainty: self.error(probe, now) }
        })
    }

    fn error(&self, probe: Probe, now: Millis) -> Millis {
        let half = Millis(probe.received.less(probe.sent).0.div_ceil(2));
        let drift = now.less(probe.received).0 * DRIFT_PPM / 1_000_000;
        self.scaled(half.plus(Millis(drift))).plus(Millis(1))
    }

    /// A span of the hall's time on the device's timeline.
    pub fn scaled(&self, hall: Millis) -> Millis {
        Millis(u64::try_from(u128::from(hall.0) * u128::from(self.scale) / 1_000).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BH-18: a 32-bit microsecond counter wraps at 71 min 35 s.
    #[test]
    fn a_wrapped_counter_goes_on() {
        let later = Wrap::MICROS_32.unwrapped(Millis(13), Millis(4_294_960));
        assert!((19..=22).contains(&later.less(Millis(4_294_960)).0), "{later:?}");
        let again = Wrap::MICROS_32.unwrapped(Millis(20), later);
        assert_eq!(again.less(later), Millis(7));
        let next = Wrap::MICROS_32.unwrapped(Millis(5), Millis(4_294_967 * 3));
        assert!(next >= Millis(4_294_967 * 3) && next < Millis(4_294_968 * 4));
        assert_eq!(Wrap::MICROS_32.unwrapped(Millis(65_900), Millis(66_000)), Millis(65_900));
        assert_eq!(Wrap::MILLIS_32.unwrapped(Millis(7), Millis(4_294_967_290)), Millis(4_294_967_303));
    }

    #[test]
    fn a_quick_probe_is_kept_until_it_has_aged() {
        let mut base = Timebase::new(1_000);
        assert_eq!(base.estimate(Millis(5)), None);
        base.observe(Probe { sent: Millis(1_000), device: Millis(50), received: Millis(1_010) });
        base.observe(Probe { sent: Millis(2_000), device: Millis(1_300), received: Millis(2_400) });
        assert_eq!(base.estimate(Millis(2_005)), Some(Estimate { at: Millis(1_050), uncertainty: Millis(6) }));
        assert_eq!(base.round_trip(), Some(Millis(10)));
    }

    #[test]
    fn a_simulated_clock_may_run_faster() {
        let mut base = Timebase::new(60_000);
        base.observe(Probe { sent: Millis(0), device: Millis(0), received: Millis(0) });
        assert_eq!(base.estimate(Millis(1_000)).map(|e| e.at), Some(Millis(60_000)));
    }
}
