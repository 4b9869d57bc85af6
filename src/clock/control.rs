//! Time controls: lists of periods, in the grammar of PGN's `TimeControl` tag and TRF's field 222.
//!
//! `40/5400+30:1800+30` is forty moves in ninety minutes, then thirty minutes, with thirty
//! seconds a move from the first. In place of `+` a `d` makes the bonus a delay and a `b` a
//! Bronstein bonus; `*180` is an hourglass. Two sides with different clocks stand on either
//! side of a bar: `300|180`. All numbers are seconds; a fraction of up to three digits may follow.

use std::fmt;
use std::str::FromStr;

use shakmaty::ByColor;

use super::Millis;

/// Most periods that a control may have.
pub const MAX_PERIODS: usize = 8;
/// Most moves that one period may ask for.
pub const MAX_MOVES: u32 = 999;
/// Most time that a period may give: a thousand hours.
pub const MAX_TIME: Millis = Millis::minutes(60_000);
/// Longest bonus a move: one hour.
pub const MAX_BONUS: Millis = Millis::minutes(60);

/// What a player is given for each move besides the main time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bonus {
    /// Nothing.
    None,
    /// Cumulative mode (6.3.1): added for each move.
    Increment(Millis),
    /// Delay mode (6.3.2): the main time waits this long; what is not used is not kept.
    Delay(Millis),
    /// The time used is given back, up to this much. The main time is that of a delay.
    Bronstein(Millis),
    /// Hourglass: what one side uses the other side gains.
    Hourglass,
}

/// One period of a control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Period {
    /// How many moves must be completed in it; `None`: all the rest.
    pub moves: Option<u32>,
    /// Main time that it gives.
    pub time: Millis,
    /// What each move in it gives.
    pub bonus: Bonus,
}

/// A time control: each side's periods. The last period, where it asks for a number of moves, is given again and again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TimeControl {
    periods: ByColor<Vec<Period>>,
}

impl Bonus {
    /// Time added to the clock for each move.
    pub fn increment(self) -> Millis {
        if let Bonus::Increment(time) = self { time } else { Millis::ZERO }
    }

    /// Time of each move that costs nothing.
    pub fn free(self) -> Millis {
        match self {
            Bonus::Delay(time) | Bonus::Bronstein(time) => time,
            Bonus::None | Bonus::Increment(_) | Bonus::Hourglass => Millis::ZERO,
        }
    }
}

impl TimeControl {
    /// The same periods for both sides.
    ///
    /// # Errors
    /// Where a limit is passed or the periods make no control.
    pub fn both(periods: Vec<Period>) -> Result<TimeControl, ParseControlError> {
        TimeControl::new(ByColor { black: periods.clone(), white: periods })
    }

    /// Each side's own periods.
    ///
    /// # Errors
    /// Where a limit is passed or the periods make no control.
    pub fn new(periods: ByColor<Vec<Period>>) -> Result<TimeControl, ParseControlError> {
        for side in [&periods.white, &periods.black] {
            check(side)?;
        }
        let glass = |p: &Period| p.bonus == Bonus::Hourglass;
        if periods.white.iter().any(glass) != periods.black.iter().any(glass) {
            return Err(ParseControlError::LonelyHourglass);
        }
        Ok(TimeControl { periods })
    }

    /// The same periods with another increment.
    pub fn with_increment(&self, each: Millis) -> TimeControl {
        let side = |periods: &Vec<Period>| periods.iter().map(|period| Period { bonus: Bonus::Increment(each), ..*period }).collect();
        TimeControl { periods: ByColor { white: side(&self.periods.white), black: side(&self.periods.black) } }
    }

    /// That side's periods, as they were given.
    pub fn periods(&self, color: shakmaty::Color) -> &[Period] {
        self.periods.get(color)
    }

    /// That side's period number `n`, from 0; past the end the last one again.
    pub fn period(&self, color: shakmaty::Color, n: usize) -> Period {
        let side = self.periods.get(color);
        side[n.min(side.len() - 1)]
    }

    /// Moves that must be completed by the end of that side's period `n`, from 0; `None`: it has no end.
    pub fn moves_until(&self, color: shakmaty::Color, n: usize) -> Option<u32> {
        let side = self.periods.get(color);
        let given: Option<u32> = side.iter().take(n + 1).map(|period| period.moves).sum();
        let again = u32::try_from((n + 1).saturating_sub(side.len())).unwrap_or(u32::MAX);
        Some(given?.saturating_add(again.saturating_mul(side.last()?.moves.unwrap_or(0))))
    }

    /// The period in which that side's move number `n` (from 1) is played, from 0.
    pub fn period_of_move(&self, color: shakmaty::Color, n: u32) -> usize {
        let side = self.periods.get(color);
        let mut end = 0;
        for (i, period) in side.iter().enumerate() {
            match period.moves {
                Some(moves) => end += moves,
                None => return i,
            }
            if n <= end {
                return i;
            }
        }
        let again = side.last().and_then(|period| period.moves).map_or(0, |moves| (n - end).div_ceil(moves));
        side.len() - 1 + again as usize
    }

    /// Whether the two sides have the same periods.
    pub fn is_equal(&self) -> bool {
        self.periods.white == self.periods.black
    }
}

fn check(periods: &[Period]) -> Result<(), ParseControlError> {
    if periods.is_empty() {
        return Err(ParseControlError::Empty);
    }
    if periods.len() > MAX_PERIODS {
        return Err(ParseControlError::TooMany);
    }
    for (i, period) in periods.iter().enumerate() {
        let last = i + 1 == periods.len();
        if !last && period.moves.is_none() {
            return Err(ParseControlError::AfterTheRest);
        }
        if period.moves.is_some_and(|n| n == 0 || n > MAX_MOVES) {
            return Err(ParseControlError::Moves);
        }
        let bonus = period.bonus.increment().plus(period.bonus.free());
        if period.time > MAX_TIME || bonus > MAX_BONUS || period.time.plus(bonus) == Millis::ZERO {
            return Err(ParseControlError::Time);
        }
        if period.bonus == Bonus::Hourglass && (periods.len() > 1 || period.moves.is_some()) {
            return Err(ParseControlError::LonelyHourglass);
        }
    }
    Ok(())
}

/// Why a text is no time control.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseControlError {
    /// No period at all.
    #[error("a time control needs at least one period, as in 5400+30")]
    Empty,
    /// More periods than [`MAX_PERIODS`].
    #[error("a time control has at most {MAX_PERIODS} periods")]
    TooMany,
    /// A period after one for the rest of the game.
    #[error("only the last period may be for the rest of the game: name the moves of the others, as in 40/5400:1800")]
    AfterTheRest,
    /// Moves out of range.
    #[error("a period is for 1 to {MAX_MOVES} moves")]
    Moves,
    /// Time out of range.
    #[error("a period gives more than nothing and at most {MAX_TIME}, with at most {MAX_BONUS} a move")]
    Time,
    /// An hourglass beside something else.
    #[error("an hourglass is the whole control, for both sides: *180")]
    LonelyHourglass,
    /// Not in the grammar.
    #[error("'{0}' is no period: write MOVES/SECONDS, SECONDS, and +SECONDS, dSECONDS or bSECONDS for a bonus, as in 40/5400+30")]
    Period(String),
}

impl FromStr for TimeControl {
    type Err = ParseControlError;

    fn from_str(text: &str) -> Result<TimeControl, ParseControlError> {
        match text.split_once('|') {
            Some((white, black)) => TimeControl::new(ByColor { white: side(white)?, black: side(black)? }),
            None => TimeControl::both(side(text)?),
        }
    }
}

fn side(text: &str) -> Result<Vec<Period>, ParseControlError> {
    if text.is_empty() {
        return Err(ParseControlError::Empty);
    }
    text.split(':').take(MAX_PERIODS + 1).map(period).collect()
}

fn period(text: &str) -> Result<Period, ParseControlError> {
    let wrong = || ParseControlError::Period(text.chars().take(40).collect());
    if let Some(glass) = text.strip_prefix('*') {
        return Ok(Period { moves: None, time: seconds(glass).ok_or_else(wrong)?, bonus: Bonus::Hourglass });
    }
    let (moves, rest) = match text.split_once('/') {
        Some((moves, rest)) => {
            let plain = !moves.is_empty() && moves.bytes().all(|b| b.is_ascii_digit());
            let n = if plain { moves.parse().map_err(|_| ParseControlError::Moves)? } else { return Err(wrong()) };
            (Some(n), rest)
        }
        None => (None, text),
    };
    let at = rest.find(['+', 'd', 'b']);
    let time = seconds(&rest[..at.unwrap_or(rest.len())]).ok_or_else(wrong)?;
    let bonus = match at {
        None => Bonus::None,
        Some(at) => {
            let size = seconds(&rest[at + 1..]).ok_or_else(wrong)?;
            match (size, rest.as_bytes()[at]) {
                (Millis::ZERO, _) => Bonus::None,
                (_, b'+') => Bonus::Increment(size),
                (_, b'd') => Bonus::Delay(size),
                _ => Bonus::Bronstein(size),
            }
        }
    };
    Ok(Period { moves, time, bonus })
}

fn seconds(text: &str) -> Option<Millis> {
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(w, f)| (w, Some(f)));
    let plain = |t: &str, most: usize| (1..=most).contains(&t.len()) && t.bytes().all(|b| b.is_ascii_digit());
    if !plain(whole, 9) || fraction.is_some_and(|f| !plain(f, 3)) {
        return None;
    }
    let rest = fraction.map_or(Some(0), |f| format!("{f:0<3}").parse().ok())?;
    Some(Millis(whole.parse::<u64>().ok()? * 1_000 + rest))
}

struct Seconds(Millis);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.0 / 1_000)?;
        match self.0.0 % 1_000 {
            0 => Ok(()),
            rest => write!(f, ".{}", format!("{rest:03}").trim_end_matches('0')),
        }
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.bonus == Bonus::Hourglass {
            f.write_str("*")?;
        }
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", Seconds(self.time))?;
        match self.bonus {
            Bonus::None | Bonus::Hourglass => Ok(()),
            Bonus::Increment(size) => write!(f, "+{}", Seconds(size)),
            Bonus::Delay(size) => write!(f, "d{}", Seconds(size)),
            Bonus::Bronstein(size) => write!(f, "b{}", Seconds(size)),
        }
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |f: &mut fmt::Formatter<'_>, periods: &[Period]| {
            periods.iter().enumerate().try_for_each(|(i, p)| write!(f, "{}{p}", if i > 0 { ":" } else { "" }))
        };
        side(f, &self.periods.white)?;
        if self.is_equal() {
            return Ok(());
        }
        f.write_str("|")?;
        side(f, &self.periods.black)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_grammar() {
        for text in ["5400+30", "40/5400+30:1800+30", "300", "2/90:30", "20d5", "240b8", "*180", "300|180+2", "0.5+1.25", "40/7200:20/3600:900"] {
            assert_eq!(text.parse::<TimeControl>().map(|c| c.to_string()).as_deref(), Ok(text));
        }
        assert_eq!("300+0".parse::<TimeControl>(), "300".parse());
        for text in [
            "", "?", "-", "40/", "/60", "300+", "300+x", "300:60", "0", "0/60", "60:", "1000/60", "*60:30", "*60|60", "-60", "60 ", "15 min",
            "60+3601", "3600001",
        ] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
        assert!("1/1:".repeat(9).parse::<TimeControl>().is_err());
    }

    #[test]
    fn the_last_period_repeats() {
        let control: TimeControl = "40/7200:20/3600".parse().unwrap();
        let white = shakmaty::Color::White;
        assert_eq!([1, 40, 41, 60, 61, 80, 81].map(|n| control.period_of_move(white, n)), [0, 0, 1, 1, 2, 2, 3]);
        assert_eq!(control.moves_until(white, 2), Some(80));
    }

    fn bonus() -> impl Strategy<Value = Bonus> {
        let size = (1..=3_600_000_u64).prop_map(Millis);
        prop_oneof![Just(Bonus::None), size.clone().prop_map(Bonus::Increment), size.clone().prop_map(Bonus::Delay), size.prop_map(Bonus::Bronstein)]
    }

    fn periods() -> impl Strategy<Value = Vec<Period>> {
        let one = (1..=MAX_MOVES, 1..=MAX_TIME.0, bonus());
        (prop::collection::vec(one, 1..=MAX_PERIODS), any::<bool>()).prop_map(|(list, open)| {
            let last = list.len() - 1;
            let period = |(i, (moves, time, bonus)): (usize, (u32, u64, Bonus))| Period {
                moves: (i < last || !open).then_some(moves),
                time: Millis(time),
                bonus,
            };
            list.into_iter().enumerate().map(period).collect()
        })
    }

    proptest! {
        #[test]
        fn printing_then_parsing_is_the_identity(white in periods(), black in periods()) {
            let control = TimeControl::new(ByColor { white, black }).unwrap();
            prop_assert_eq!(control.to_string().parse(), Ok(control));
        }
    }
}
