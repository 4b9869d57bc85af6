//! The time of day: recorded for people, and the arbiter's own watch where the Laws ask for it.

use std::fmt;
use std::str::FromStr;

use super::Millis;

/// Time of day in milliseconds since 1970 UTC.
///
/// Recorded for people. Nothing that a chessclock measures is a difference of two of these; only what the
/// Laws measure by the arbiter's watch is: when a session ends, and how late a player comes to its resumption.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct WallTime(pub i64);

impl WallTime {
    /// So much later.
    #[must_use]
    pub fn plus(self, span: Millis) -> WallTime {
        WallTime(self.0.saturating_add_unsigned(span.0))
    }

    /// How long it is until then; nothing where that has passed.
    pub fn until(self, then: WallTime) -> Millis {
        Millis(u64::try_from(then.0.saturating_sub(self.0)).unwrap_or(0))
    }
}

impl fmt::Display for WallTime {
    /// `2026-05-02T13:00:00.000Z`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(time) => write!(f, "{time:.3}"),
            Err(_) => write!(f, "{} ms", self.0),
        }
    }
}

/// A text that is no time of day.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no time of day: write 2026-05-02T20:00+02:00, or 2026-05-02T18:00Z")]
pub struct ParseWallTimeError(String);

impl FromStr for WallTime {
    type Err = ParseWallTimeError;

    /// An instant with its offset from UTC.
    fn from_str(text: &str) -> Result<WallTime, ParseWallTimeError> {
        let wrong = || ParseWallTimeError(text.chars().take(40).collect());
        let time = text.parse::<jiff::Timestamp>().map_err(|_| wrong())?.as_millisecond();
        // The last second that there is cannot be printed to the millisecond.
        jiff::Timestamp::from_millisecond(time).map(|_| WallTime(time)).map_err(|_| wrong())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_printed_and_compared() {
        let evening: WallTime = "2026-05-02T20:00+02:00".parse().unwrap();
        assert_eq!(evening.to_string(), "2026-05-02T18:00:00.000Z");
        assert_eq!(evening.plus(Millis::minutes(3)).to_string().parse(), Ok(evening.plus(Millis::minutes(3))));
        assert_eq!(evening.until(evening.plus(Millis(5))), Millis(5));
        assert_eq!(evening.plus(Millis(5)).until(evening), Millis::ZERO);
        for text in ["tomorrow", "2026-05-02T20:00", "9999-12-30T22:00:00.999Z"] {
            assert!(text.parse::<WallTime>().is_err(), "{text}");
        }
    }
}
