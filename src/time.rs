//! Where time enters: the one module that reads a clock.

use std::time::{SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

use crate::clock::Millis;
use crate::venue::{At, WallTime};

/// The daemon's clock: time of day for people, monotonic time for everything else.
///
/// The time of day is read once and carried on monotonically, so that a stepped system clock
/// never makes the record run backwards while the daemon is up.
#[derive(Debug, Clone, Copy)]
pub struct HallClock {
    wall: i64,
    start: Instant,
}

impl HallClock {
    /// Starts now.
    #[expect(clippy::disallowed_methods, reason = "this is where the time of day enters")]
    pub fn start() -> HallClock {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
        HallClock::at(WallTime(i64::try_from(wall).unwrap_or(i64::MAX)))
    }

    /// Starts now, whatever the time of day, at this one.
    pub fn at(wall: WallTime) -> HallClock {
        HallClock { wall: wall.0, start: Instant::now() }
    }

    /// Milliseconds since the start.
    pub fn hall(&self) -> Millis {
        Millis(u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    /// Both times now.
    pub fn now(&self) -> At {
        let hall = self.hall();
        At { wall: WallTime(self.wall.saturating_add_unsigned(hall.0)), hall }
    }
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
