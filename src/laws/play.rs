//! The kinds of play, and which one a time control makes.

use shakmaty::Color;

use super::{Article, Edition};
use crate::clock::{Millis, TimeControl};

/// Which kind of play a time control makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Play {
    /// Standard chess.
    Standard,
    /// Rapid chess (Appendix A).
    Rapid,
    /// Blitz (Appendix B).
    Blitz,
}

/// Which time for 60 moves makes rapid chess; less is blitz, more is standard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RapidRange {
    /// Citation.
    pub article: Article,
    /// From this on.
    pub from: Millis,
    /// Below this.
    pub below: Millis,
}

/// How closely rapid and blitz are watched: full supervision brings the competition rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Supervision {
    /// One arbiter for few games: the competition rules apply.
    Full,
    /// The appendix for rapid or blitz applies.
    #[default]
    Limited,
}

impl Play {
    /// Every kind of play.
    pub const ALL: [Play; 3] = [Play::Standard, Play::Rapid, Play::Blitz];

    /// The kind of play that a control makes, by the time a player has for 60 moves and the edition's ranges.
    /// Of two different sides the longer one counts, or, where `shorter`, the shorter one.
    pub fn of(control: &TimeControl, edition: Edition, shorter: bool) -> Play {
        let sixty = |color| {
            let mut time = Millis::ZERO;
            for n in 0..=control.period_of_move(color, 60) {
                time = time.plus(control.period(color, n).time);
            }
            for move_number in 1..=60 {
                let bonus = control.period(color, control.period_of_move(color, move_number)).bonus;
                time = time.plus(bonus.increment()).plus(bonus.free());
            }
            time
        };
        let (white, black) = (sixty(Color::White), sixty(Color::Black));
        let time = if shorter { white.min(black) } else { white.max(black) };
        let range = edition.rapid_range();
        if time < range.from {
            Play::Blitz
        } else if time < range.below {
            Play::Rapid
        } else {
            Play::Standard
        }
    }

    /// The word for it in scenarios and settings.
    pub fn word(self) -> &'static str {
        match self {
            Play::Standard => "standard",
            Play::Rapid => "rapid",
            Play::Blitz => "blitz",
        }
    }
}

impl Supervision {
    /// Both kinds.
    pub const ALL: [Supervision; 2] = [Supervision::Full, Supervision::Limited];

    /// The word for it in scenarios and settings.
    pub fn word(self) -> &'static str {
        match self {
            Supervision::Full => "full",
            Supervision::Limited => "limited",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_play_of_a_control() {
        for (control, play) in [
            ("5400+30", Play::Standard),
            ("3600", Play::Standard),
            ("3599", Play::Rapid),
            ("900+10", Play::Rapid),
            ("1800+30", Play::Standard),
            ("600", Play::Blitz),
            ("601", Play::Rapid),
            ("180+2", Play::Blitz),
            ("480+2", Play::Blitz),
            ("481+2", Play::Rapid),
            ("180|900", Play::Rapid),
        ] {
            assert_eq!(Play::of(&control.parse().unwrap(), Edition::Y2023, false), play, "{control}");
        }
    }
}
