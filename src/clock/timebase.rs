//! A device's own timeline: counters that wrap, and its offset, drift and uncertainty against the hall's time.
//!
//! Elapsed time is always a difference of stamps of one device; what is here only shows live
//! times, and notices a silent flag and a stamp that cannot be.

use super::{Adjustment, Millis};

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

    /// What a device's counter reads now, unwrapped. A turn that is nearly a whole one is none: the counter was set back a little, and stands
    /// as it reads.
    pub fn read(self, raw: Millis, last: Millis) -> Millis {
        let read = self.unwrapped(raw, last);
        let turns = |at: Millis| u128::from(at.0) * 1_000 / u128::from(self.0.max(1));
        let goes_round = turns(read) > turns(last) && self.is_doubtful(read, last);
        if goes_round { read.less(Millis(self.0 / 1_000)) } else { read }
    }

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Estimate {
    /// Most likely instant on the device's timeline.
    pub at: Millis,
    /// Greatest error either way.
    pub uncertainty: Millis,
    /// The hall's time for which that holds, where it is of use: where another device keeps the time of the other side.
    pub hall: Option<Millis>,
}

/// How fast a device's time runs against the hall's, in millionths too fast; negative where it is too slow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drift {
    /// Most likely.
    pub ppm: i64,
    /// Greatest error either way.
    pub uncertainty: i64,
}

/// What a clock may drift before the arbiters are told: one second in an hour, in millionths.
pub const DRIFT_LIMIT_PPM: i64 = 278;

impl Drift {
    /// Whether it drifts more than a clock may, whatever the measurement's error.
    pub fn is_too_much(self) -> bool {
        self.ppm.abs() - self.uncertainty > DRIFT_LIMIT_PPM
    }
}

/// What the daemon knows of the timeline of one start of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timebase {
    /// Device milliseconds for a thousand of the hall's: 1000 for every real clock.
    scale: u64,
    /// The quickest one of the first, from which drift is measured.
    first: Option<Probe>,
    best: Option<Probe>,
    last: Option<Probe>,
}

/// Parts per million that a quartz may be off; the uncertainty grows by it after a probe.
pub(super) const DRIFT_PPM: u64 = 100;
/// How far a device's time may be from where it was to be, uncertainty apart, before it has leapt: of a clock at the usual rate.
const LEAP: Millis = Millis(250);
/// How long the hall's time must have passed before a drift is told.
const DRIFT_AFTER: Millis = Millis::seconds(60);
/// How long the first probe may still be replaced by a quicker one.
const FIRST_WITHIN: Millis = Millis::seconds(20);

impl Timebase {
    /// Knows nothing yet but the time scale that the device declared, in device milliseconds a thousand of the hall's.
    pub fn new(scale: u64) -> Timebase {
        Timebase { scale: scale.max(1), first: None, best: None, last: None }
    }

    /// Whether it is of a device of that scale.
    pub fn has_scale(&self, scale: u64) -> bool {
        self.scale == scale.max(1)
    }

    /// Takes a probe's answer in. A quick one replaces a slow one; any one replaces what has aged, or what it shows to be wrong.
    /// Tells by how much the device's time leapt, or stood still, since the last one.
    pub fn observe(&mut self, probe: Probe) -> Option<Adjustment> {
        let middle = probe.middle();
        let expected = self.estimate(middle).map(|estimate| (estimate.at, estimate.uncertainty.plus(self.error(probe, probe.received))));
        let off = expected.filter(|(at, error)| at.distance(probe.device) > *error);
        // Of a clock that may drift as much as clocks may, however long it was away.
        let away = self.best.map_or(0, |best| probe.middle().less(best.middle()).0);
        let drifted = Millis(away * DRIFT_LIMIT_PPM.unsigned_abs() / 1_000_000);
        let leap = off.filter(|(at, error)| at.distance(probe.device) > error.plus(self.scaled(LEAP.plus(drifted))));
        if leap.is_some() {
            self.first = None;
        }
        let worse = |best: Probe| self.error(best, probe.received) < self.error(probe, probe.received);
        if off.is_some() || !self.best.is_some_and(worse) {
            self.best = Some(probe);
        }
        let begins = |first: Probe| first.received.plus(FIRST_WITHIN) > probe.received && probe.round_trip() < first.round_trip();
        if self.first.is_none_or(begins) {
            self.first = Some(probe);
        }
        self.last = Some(probe);
        leap.map(|(at, _)| at.to(probe.device))
    }

    /// Network round trip of the probe in use.
    pub fn round_trip(&self) -> Option<Millis> {
        self.best.map(Probe::round_trip)
    }

    /// What the device's timeline shows at the hall's time `now`.
    pub fn estimate(&self, now: Millis) -> Option<Estimate> {
        self.best.map(|probe| {
            let middle = probe.middle();
            let at = probe.device.plus(self.scaled(now.less(middle))).less(self.scaled(middle.less(now)));
            Estimate { at, uncertainty: self.error(probe, now), hall: Some(now) }
        })
    }

    /// How fast the device's time runs, once enough of it has passed.
    pub fn drift(&self) -> Option<Drift> {
        let (first, last) = self.first.zip(self.last)?;
        let passed = last.middle().less(first.middle());
        if passed < DRIFT_AFTER {
            return None;
        }
        let (hall, device) = (i128::from(self.scaled(passed).0), i128::from(last.device.0) - i128::from(first.device.0));
        let error = i128::from(self.error(first, first.received).plus(self.error(last, last.received)).0);
        let ppm = |ms: i128| i64::try_from(ms * 1_000_000 / hall).unwrap_or(i64::MAX);
        Some(Drift { ppm: ppm(device - hall), uncertainty: ppm(error) + 1 })
    }

    fn error(&self, probe: Probe, now: Millis) -> Millis {
        let half = Millis(probe.round_trip().0.div_ceil(2));
        let drift = Millis(now.distance(probe.middle()).0 * DRIFT_PPM / 1_000_000);
        // The hall's own readings are cut to whole milliseconds, and so is the device's.
        self.scaled(half.plus(drift).plus(Millis(1))).plus(Millis(1))
    }

    /// What the device's timeline showed when it answered last.
    pub fn answered(&self) -> Option<Millis> {
        self.last.map(|probe| probe.device)
    }

    /// A span of the hall's time on the device's timeline.
    pub fn scaled(&self, hall: Millis) -> Millis {
        Millis(u64::try_from(u128::from(hall.0) * u128::from(self.scale) / 1_000).unwrap_or(u64::MAX))
    }
}

impl Probe {
    fn round_trip(self) -> Millis {
        self.received.less(self.sent)
    }

    /// The hall's time at which the device read its own, give or take half of the round trip.
    fn middle(self) -> Millis {
        Millis(u64::midpoint(self.sent.0, self.received.0))
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

    /// A clock that drifts as much as clocks may has not leapt when it comes back after hours.
    #[test]
    fn who_was_away_for_long_may_have_drifted() {
        let away = 2 * 3_600_000;
        for (ppm, leaps) in [(270, false), (-270, false), (1_000, true)] {
            let mut base = Timebase::new(1_000);
            base.observe(Probe { sent: Millis(0), device: Millis(50_000), received: Millis(10) });
            let device = Millis(50_000 + away).adjusted(Adjustment(away as i64 * ppm / 1_000_000));
            let leap = base.observe(Probe { sent: Millis(away), device, received: Millis(away + 10) });
            assert_eq!(leap.is_some(), leaps, "{ppm}: {leap:?}");
        }
    }

    #[test]
    fn a_quick_probe_is_kept_until_it_has_aged() {
        let mut base = Timebase::new(1_000);
        assert_eq!(base.estimate(Millis(5)), None);
        base.observe(Probe { sent: Millis(1_000), device: Millis(50), received: Millis(1_010) });
        base.observe(Probe { sent: Millis(2_000), device: Millis(1_300), received: Millis(2_400) });
        assert_eq!(base.estimate(Millis(2_005)), Some(Estimate { at: Millis(1_050), uncertainty: Millis(7), hall: Some(Millis(2_005)) }));
        assert_eq!(base.round_trip(), Some(Millis(10)));
    }

    #[test]
    fn a_simulated_clock_may_run_faster() {
        let mut base = Timebase::new(60_000);
        base.observe(Probe { sent: Millis(0), device: Millis(0), received: Millis(0) });
        assert_eq!(base.estimate(Millis(1_000)).map(|e| e.at), Some(Millis(60_000)));
    }

    /// Probes of a device with this rate in millionths, every four seconds, with a round trip of 10 ms.
    fn probed(base: &mut Timebase, from: u64, to: u64, ppm: i64, offset: i64) -> Vec<Adjustment> {
        let probe = |n: u64| {
            let sent = Millis::seconds(4 * n);
            let (middle, drift) = (sent.0 + 5, i64::try_from(sent.0).unwrap() * ppm / 1_000_000);
            Probe { sent, device: Millis(middle.saturating_add_signed(drift + offset)), received: sent.plus(Millis(10)) }
        };
        (from..to).filter_map(|n| base.observe(probe(n))).collect()
    }

    #[test]
    fn a_clock_that_drifts_is_found_out_and_a_good_one_is_not() {
        for (ppm, too_much) in [(0, false), (100, false), (-250, false), (400, true), (-900, true), (20_000, true)] {
            let mut base = Timebase::new(1_000);
            assert_eq!(probed(&mut base, 0, 10, ppm, 5_000), []);
            assert_eq!(base.drift(), None);
            assert_eq!(probed(&mut base, 10, 300, ppm, 5_000), []);
            let drift = base.drift().unwrap();
            assert!((drift.ppm - ppm).abs() <= drift.uncertainty, "{drift:?} for {ppm}");
            assert_eq!(drift.is_too_much(), too_much, "{drift:?}");
        }
    }

    #[test]
    fn a_leap_is_told_once_and_by_its_length() {
        for by in [5_000, -5_000, 300, -300] {
            let mut base = Timebase::new(1_000);
            assert_eq!(probed(&mut base, 0, 100, 50, 600_000), []);
            let leaps = probed(&mut base, 100, 200, 50, 600_000 + by);
            assert_eq!(leaps.len(), 1);
            assert!((leaps[0].0 - by).abs() <= 30, "{leaps:?}");
            assert!(!base.drift().unwrap().is_too_much());
        }
        let mut base = Timebase::new(1_000);
        probed(&mut base, 0, 100, 0, 600_000);
        assert_eq!(probed(&mut base, 100, 200, 0, 600_200), [], "less than what counts as a leap");
    }

    /// A slow answer says little, and no leap is made of it.
    #[test]
    fn a_slow_network_is_no_leap() {
        let mut base = Timebase::new(1_000);
        probed(&mut base, 0, 10, 0, 1_000);
        let late = Probe { sent: Millis(50_000), device: Millis(51_010), received: Millis(59_000) };
        assert_eq!(base.observe(late), None);
        assert_eq!(base.round_trip(), Some(Millis(10)));
    }
}
