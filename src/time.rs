//! Where time enters: the one module that reads a clock.

use std::time::{SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

use crate::clock::Millis;
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
    /// The machine's own time at the start; `None`: the time of day goes with the monotonic time alone.
    booted: Option<i64>,
}

impl HallClock {
    /// Starts now.
    #[expect(clippy::disallowed_methods, reason = "this is where the time of day enters")]
    pub fn start() -> HallClock {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
        HallClock { booted: Some(since_boot()), ..HallClock::at(WallTime(i64::try_from(wall).unwrap_or(i64::MAX))) }
    }

    /// Starts now, whatever the time of day, at this one.
    pub fn at(wall: WallTime) -> HallClock {
        HallClock { wall: wall.0, start: Instant::now(), booted: None }
    }

    /// Milliseconds since the start.
    pub fn hall(&self) -> Millis {
        Millis(u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    /// Both times now.
    pub fn now(&self) -> At {
        let hall = self.hall();
        let passed = self.booted.map_or(hall, |booted| Millis(u64::try_from(since_boot() - booted).unwrap_or(0)));
        At { wall: WallTime(self.wall.saturating_add_unsigned(passed.0)), hall }
    }
}

/// Milliseconds since the machine started, suspension included.
fn since_boot() -> i64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    now.tv_sec.saturating_mul(1_000).saturating_add(now.tv_nsec / 1_000_000)
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
