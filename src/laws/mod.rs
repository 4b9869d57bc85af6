//! What each edition of the Laws says, as values.
//!
//! Rules read these values and never ask which edition it is. So far there is one edition; each
//! further one is a file of its own, written as the one before with its differences.

mod y2023;

use std::fmt;

use crate::clock::{Millis, TimeControl};

/// Longest citation, in bytes.
pub const MAX_ARTICLE: usize = 23;

/// A citation, in the numbering of its edition.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Article {
    text: [u8; MAX_ARTICLE],
    length: u8,
}

impl Article {
    /// A citation written in the code; what is past [`MAX_ARTICLE`] is cut off.
    pub const fn new(text: &str) -> Article {
        let bytes = text.as_bytes();
        let mut article = Article { text: [0; MAX_ARTICLE], length: 0 };
        while (article.length as usize) < bytes.len() && (article.length as usize) < MAX_ARTICLE {
            article.text[article.length as usize] = bytes[article.length as usize];
            article.length += 1;
        }
        article
    }

    /// As it is cited: `6.9`.
    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.text[..self.length as usize]).unwrap_or_default()
    }
}

impl fmt::Debug for Article {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Article {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An edition, by the year from which it is in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Edition {
    /// In force from 1 January 2023.
    #[default]
    Y2023,
}

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

/// What one edition says for one kind of play.
#[derive(Debug, PartialEq, Eq)]
pub struct Laws {
    /// Edition that these are.
    pub edition: Edition,
    /// Kind of play that these are for.
    pub play: Play,
    /// Mate ends the game.
    pub checkmate: Article,
    /// Stalemate draws.
    pub stalemate: Article,
    /// A position in which neither can mate draws.
    pub dead_position: Article,
    /// Draw by agreement.
    pub agreement: Agreement,
    /// A player resigns.
    pub resignation: Resignation,
    /// Time used up.
    pub flag: Article,
    /// Moves counted by their completion.
    pub completed: Article,
    /// Missing press or counter out of step: the arbiter adjusts clocks and counter.
    pub counter: Article,
    /// Draw offers.
    pub offer: Offer,
    /// A completed illegal move.
    pub illegal_move: Article,
    /// Press without a move.
    pub press_without_move: Article,
    /// Stopping and starting the clocks.
    pub stopping: Article,
    /// What the chessclock shows is conclusive unless it is evidently defective.
    pub defective_clock: Article,
    /// The arbiter gives a player time.
    pub time_added: Article,
    /// The start of the game.
    pub start: Article,
    /// A signed result stands.
    pub result: Article,
    /// A game is void.
    pub annulled: Article,
    /// Recording of the moves.
    pub recording: Article,
    /// The general duty under which the arbiter corrects what went wrong.
    pub arbiter: Article,
}

/// Draw by agreement.
#[derive(Debug, PartialEq, Eq)]
pub struct Agreement {
    /// Citation.
    pub article: Article,
    /// Whether both players must have made at least one move.
    pub both_have_moved: bool,
}

/// Resignation.
#[derive(Debug, PartialEq, Eq)]
pub struct Resignation {
    /// Citation.
    pub article: Article,
    /// Whether it is a draw where the opponent cannot mate by any series of legal moves.
    pub draws_if_unwinnable: bool,
}

/// Draw offers.
#[derive(Debug, PartialEq, Eq)]
pub struct Offer {
    /// Citation of how one is made and what ends it.
    pub article: Article,
    /// Citation of disturbing the opponent.
    pub disturbance: Article,
}

impl Laws {
    /// The Laws of an edition for a kind of play.
    pub fn of(edition: Edition, play: Play) -> &'static Laws {
        match (edition, play) {
            (Edition::Y2023, Play::Standard) => &y2023::STANDARD,
            (Edition::Y2023, Play::Rapid) => &y2023::RAPID,
            (Edition::Y2023, Play::Blitz) => &y2023::BLITZ,
        }
    }
}

impl Edition {
    /// Every edition known, oldest first.
    pub const ALL: [Edition; 1] = [Edition::Y2023];

    /// The year by which it is called.
    pub fn year(self) -> u32 {
        match self {
            Edition::Y2023 => 2023,
        }
    }

    /// The edition called by a year.
    pub fn of_year(year: u32) -> Option<Edition> {
        Edition::ALL.into_iter().find(|edition| edition.year() == year)
    }
}

impl Play {
    /// Every kind of play.
    pub const ALL: [Play; 3] = [Play::Standard, Play::Rapid, Play::Blitz];

    /// The kind of play that a control makes: by the time a player has for 60 moves, more than
    /// ten minutes and less than sixty is rapid (A.1), ten or less is blitz (B.1). Of two different sides the longer counts.
    pub fn of(control: &TimeControl) -> Play {
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
        match sixty(shakmaty::Color::White).max(sixty(shakmaty::Color::Black)) {
            long if long >= Millis::minutes(60) => Play::Standard,
            middle if middle > Millis::minutes(10) => Play::Rapid,
            _ => Play::Blitz,
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
            assert_eq!(Play::of(&control.parse().unwrap()), play, "{control}");
        }
    }
}
