//! Where time enters: the one module that reads a clock.

use std::time::{SystemTime, UNIX_EPOCH};

use rustix::time::ClockId;
use tokio::time::Instant;

use crate::clock::{Adjustment, Millis};
use crate::venue::{At, WallTime};

/// The daemon's clock: time of day for people, monotonic time for everything else.
///
/// The time of day is read once and carried on by a clock that nobody sets, so that a stepped system clock never makes
/// the record run backwards while the daemon is up. That clock goes on while the machine is suspended: a laptop that
/// was closed over night knows the hour at which an adjourned game is resumed.
#[derive(Debug, Clone, Copy)]
pub struct HallClock {
    wall: i64,
    start: Instant,
    /// How long the machine had been suspended since it was switched on; `None`: the time of day was handed in, and nothing of the
    /// machine's is asked.
    asleep: Option<Millis>,
}

impl HallClock {
    /// Starts now.
    #[expect(clippy::disallowed_methods, reason = "this is where the time of day enters")]
    pub fn start() -> HallClock {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
        HallClock { asleep: Some(asleep()), ..HallClock::at(WallTime(i64::try_from(wall).unwrap_or(i64::MAX))) }
    }

    /// Starts now, whatever the time of day, at this one.
    pub fn at(wall: WallTime) -> HallClock {
        HallClock { wall: wall.0, start: Instant::now(), asleep: None }
    }

    /// Milliseconds since the start in which the machine was awake.
    pub fn hall(&self) -> Millis {
        Millis(u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    /// How long the machine has been suspended since the start.
    pub fn slept(&self) -> Millis {
        self.asleep.map_or(Millis::ZERO, |before| asleep().less(before))
    }

    /// Milliseconds since the start, suspended or not: what other machines' clocks are measured by.
    pub fn since_start(&self) -> Millis {
        self.hall().plus(self.slept())
    }

    /// Both times now.
    pub fn now(&self) -> At {
        At { wall: WallTime(self.wall.saturating_add_unsigned(self.since_start().0)), hall: self.hall() }
    }

    /// By how much the machine's time of day is ahead of the time since it was switched on; where that changes, somebody set it.
    pub fn time_of_day_is_ahead(&self) -> Adjustment {
        self.asleep.map_or(Adjustment(0), |_| read(ClockId::Boottime).to(read(ClockId::Realtime)))
    }
}

/// How long the machine has been suspended since it was switched on: of its two clocks one goes on meanwhile.
fn asleep() -> Millis {
    // In this order, so that the time between the readings is never taken for sleep.
    let all = read(ClockId::Boottime);
    all.less(read(ClockId::Monotonic))
}

fn read(clock: ClockId) -> Millis {
    let now = rustix::time::clock_gettime(clock);
    Millis(u64::try_from(now.tv_sec.saturating_mul(1_000).saturating_add(now.tv_nsec / 1_000_000)).unwrap_or(0))
}

/// How long something took.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(std::time::Instant);

impl Stopwatch {
    /// Starts now.
    #[expect(clippy::disallowed_methods, reason = "this is where real elapsed time enters")]
    pub fn start() -> Stopwatch {
        Stopwatch(std::time::Instant::now())
    }

    /// Real time since the start.
    pub fn elapsed(&self) -> std::time::Duration {
        self.0.elapsed()
    }
}
