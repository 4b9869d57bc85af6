//! How time runs: displays, periods, cumulative and delay mode (Articles 6.1 to 6.3).
//!
//! Everything here is arithmetic on whole milliseconds. Nothing reads a clock: the instant
//! comes in as an argument, on the timeline of whatever keeps the game's time.

mod chessclock;
mod control;
mod interval;
mod millis;
mod timebase;
mod walltime;

pub use chessclock::{Chessclock, Clock, CountFrom, PeriodAdded, Reading, Running};
pub use control::{Bonus, MAX_BONUS, MAX_MOVES, MAX_PERIODS, MAX_TIME, ParseControlError, Period, TimeControl};
pub use interval::Interval;
pub use millis::{Adjustment, Millis, ParseMillisError};
pub use timebase::{DRIFT_LIMIT_PPM, Drift, Estimate, Probe, Timebase, Wrap};
pub use walltime::{ParseWallTimeError, WallTime};
