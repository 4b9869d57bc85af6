//! Spans of time: whole milliseconds, never negative, and a signed type for what is added or taken.

use std::fmt;
use std::str::FromStr;

/// A span of time, or an instant on some device's own timeline, in whole milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Millis(pub u64);

/// A signed number of milliseconds: what a ruling adds to a clock or takes off it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Adjustment(pub i64);

impl Millis {
    /// Nothing left: the flag has fallen (6.1.1).
    pub const ZERO: Millis = Millis(0);

    /// `n` seconds.
    pub const fn seconds(n: u64) -> Millis {
        Millis(n * 1_000)
    }

    /// `n` minutes.
    pub const fn minutes(n: u64) -> Millis {
        Millis(n * 60_000)
    }

    /// `self - other`, or zero where that would be negative.
    pub const fn less(self, other: Millis) -> Millis {
        Millis(self.0.saturating_sub(other.0))
    }

    /// `self + other`; saturates, which no time within the limits can reach.
    pub const fn plus(self, other: Millis) -> Millis {
        Millis(self.0.saturating_add(other.0))
    }

    /// `self` moved by a signed adjustment, never below zero.
    pub const fn adjusted(self, by: Adjustment) -> Millis {
        Millis(self.0.saturating_add_signed(by.0))
    }

    /// What must be added to `self` to give `other`.
    pub const fn to(self, other: Millis) -> Adjustment {
        Adjustment(other.0.wrapping_sub(self.0).cast_signed())
    }

    /// The distance between two instants, whichever comes first.
    pub const fn distance(self, other: Millis) -> Millis {
        Millis(self.0.abs_diff(other.0))
    }

    /// `h:mm:ss` with the rest of a second cut off, as PGN's `%clk` has it.
    pub fn whole_seconds(self) -> impl fmt::Display {
        Millis(self.0 / 1_000 * 1_000)
    }
}

impl Adjustment {
    /// The adjustment that adds so much.
    pub const fn gain(by: Millis) -> Adjustment {
        Adjustment(by.0.cast_signed())
    }

    /// The adjustment that takes this one back.
    pub const fn reversed(self) -> Adjustment {
        Adjustment(-self.0)
    }
}

impl fmt::Display for Millis {
    /// `h:mm:ss`, or `h:mm:ss.mmm` where it is not a whole second; hours are unbounded.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, rest) = (self.0 / 1_000, self.0 % 1_000);
        write!(f, "{}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)?;
        if rest > 0 { write!(f, ".{rest:03}") } else { Ok(()) }
    }
}

impl fmt::Display for Adjustment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { '-' } else { '+' };
        write!(f, "{sign}{}", Millis(self.0.unsigned_abs()))
    }
}

/// A text that is no time of the form `h:mm:ss` or `h:mm:ss.mmm`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no time: write h:mm:ss or h:mm:ss.mmm, as in 1:30:00 or 0:00:07.250")]
pub struct ParseMillisError(String);

impl FromStr for Millis {
    type Err = ParseMillisError;

    fn from_str(text: &str) -> Result<Millis, ParseMillisError> {
        parse(text).ok_or_else(|| ParseMillisError(text.chars().take(40).collect()))
    }
}

impl FromStr for Adjustment {
    type Err = ParseMillisError;

    /// A time with a sign before it: `+0:02:00`, `-0:00:30`.
    fn from_str(text: &str) -> Result<Adjustment, ParseMillisError> {
        let wrong = || ParseMillisError(text.chars().take(40).collect());
        let (sign, rest) = match text.as_bytes().first() {
            Some(b'+') => (1, &text[1..]),
            Some(b'-') => (-1, &text[1..]),
            _ => return Err(wrong()),
        };
        let size = i64::try_from(parse(rest).ok_or_else(wrong)?.0).map_err(|_| wrong())?;
        Ok(Adjustment(sign * size))
    }
}

fn parse(text: &str) -> Option<Millis> {
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(w, f)| (w, Some(f)));
    let mut parts = whole.split(':');
    let (hours, minutes, seconds) = (digits(parts.next()?, 1, 6)?, digits(parts.next()?, 2, 2)?, digits(parts.next()?, 2, 2)?);
    if parts.next().is_some() || minutes > 59 || seconds > 59 {
        return None;
    }
    let rest = match fraction {
        None => 0,
        Some(f) => digits(f, 1, 3)? * 10_u64.pow(3 - u32::try_from(f.len()).ok()?),
    };
    Some(Millis((hours * 3_600 + minutes * 60 + seconds) * 1_000 + rest))
}

fn digits(text: &str, least: usize, most: usize) -> Option<u64> {
    let fits = (least..=most).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    if fits { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_print_and_parse() {
        for (ms, text) in [
            (0, "0:00:00"),
            (1, "0:00:00.001"),
            (90_000, "0:01:30"),
            (183_845_000, "51:04:05"),
            (35_999_000, "9:59:59"),
            (35_999_000 + 1_000, "10:00:00"),
            (53_500, "0:00:53.500"),
        ] {
            assert_eq!(Millis(ms).to_string(), text);
            assert_eq!(text.parse(), Ok(Millis(ms)));
        }
        assert_eq!("0:00:00.5".parse(), Ok(Millis(500)));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in ["", "1:30", "1:60:00", "1:00:60", "1:00:00.", "1:00:00.1234", "-1:00:00", "1:0:00", "a:00:00", "1:00:00:00"] {
            assert!(text.parse::<Millis>().is_err(), "{text}");
        }
        assert!("0:01:00".parse::<Adjustment>().is_err());
        assert_eq!("-0:00:30".parse(), Ok(Adjustment(-30_000)));
        assert_eq!(Adjustment(-30_000).to_string(), "-0:00:30");
    }
}
