//! The editions, and which one a competition is played under.

use jiff::civil::{Date, date};

use super::play::{Play, RapidRange, Supervision};
use super::{Laws, y1997, y2001, y2005, y2009, y2014, y2017, y2018, y2023};

/// An edition, by the year from which it is in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Edition {
    /// In force from 1 July 1997.
    Y1997,
    /// In force from 1 July 2001.
    Y2001,
    /// In force from 1 July 2005.
    Y2005,
    /// In force from 1 July 2009.
    Y2009,
    /// In force from 1 July 2014.
    Y2014,
    /// In force from 1 July 2017, for half a year.
    Y2017,
    /// In force from 1 January 2018.
    Y2018,
    /// In force from 1 January 2023.
    #[default]
    Y2023,
}

impl Edition {
    /// Every edition known, oldest first.
    pub const ALL: [Edition; 8] =
        [Edition::Y1997, Edition::Y2001, Edition::Y2005, Edition::Y2009, Edition::Y2014, Edition::Y2017, Edition::Y2018, Edition::Y2023];

    /// The year by which it is called.
    pub fn year(self) -> u32 {
        match self {
            Edition::Y1997 => 1997,
            Edition::Y2001 => 2001,
            Edition::Y2005 => 2005,
            Edition::Y2009 => 2009,
            Edition::Y2014 => 2014,
            Edition::Y2017 => 2017,
            Edition::Y2018 => 2018,
            Edition::Y2023 => 2023,
        }
    }

    /// The first day on which it is in force.
    pub fn in_force(self) -> Date {
        match self {
            Edition::Y1997 => date(1997, 7, 1),
            Edition::Y2001 => date(2001, 7, 1),
            Edition::Y2005 => date(2005, 7, 1),
            Edition::Y2009 => date(2009, 7, 1),
            Edition::Y2014 => date(2014, 7, 1),
            Edition::Y2017 => date(2017, 7, 1),
            Edition::Y2018 => date(2018, 1, 1),
            Edition::Y2023 => date(2023, 1, 1),
        }
    }

    /// Which time for 60 moves makes rapid chess.
    pub fn rapid_range(self) -> &'static RapidRange {
        &Laws::of(self, Play::Standard, Supervision::Full).range
    }

    /// The edition called by a year.
    pub fn of_year(year: u32) -> Option<Edition> {
        Edition::ALL.into_iter().find(|edition| edition.year() == year)
    }

    /// The edition for a competition that starts on that day: it holds to its end. Before 1 July 1997: the oldest.
    pub fn at(start: Date) -> Edition {
        Edition::ALL.into_iter().rev().find(|edition| edition.in_force() <= start).unwrap_or(Edition::Y1997)
    }
}

impl Laws {
    /// The Laws of an edition for a kind of play under a kind of supervision. Until 2005 no appendix knew full supervision of rapid and blitz.
    pub fn of(edition: Edition, play: Play, supervision: Supervision) -> &'static Laws {
        let (standard, [rapid, blitz], [rapid_supervised, blitz_supervised]) = match edition {
            Edition::Y1997 => (&y1997::STANDARD, [&y1997::RAPID, &y1997::BLITZ], [&y1997::RAPID, &y1997::BLITZ]),
            Edition::Y2001 => (&y2001::STANDARD, [&y2001::RAPID, &y2001::BLITZ], [&y2001::RAPID, &y2001::BLITZ]),
            Edition::Y2005 => (&y2005::STANDARD, [&y2005::RAPID, &y2005::BLITZ], [&y2005::RAPID, &y2005::BLITZ]),
            Edition::Y2009 => (&y2009::STANDARD, [&y2009::RAPID, &y2009::BLITZ], [&y2009::RAPID_SUPERVISED, &y2009::BLITZ_SUPERVISED]),
            Edition::Y2014 => (&y2014::STANDARD, [&y2014::RAPID, &y2014::BLITZ], [&y2014::RAPID_SUPERVISED, &y2014::BLITZ_SUPERVISED]),
            Edition::Y2017 => (&y2017::STANDARD, [&y2017::RAPID, &y2017::BLITZ], [&y2017::RAPID_SUPERVISED, &y2017::BLITZ_SUPERVISED]),
            Edition::Y2018 => (&y2018::STANDARD, [&y2018::RAPID, &y2018::BLITZ], [&y2018::RAPID_SUPERVISED, &y2018::BLITZ_SUPERVISED]),
            Edition::Y2023 => (&y2023::STANDARD, [&y2023::RAPID, &y2023::BLITZ], [&y2023::RAPID_SUPERVISED, &y2023::BLITZ_SUPERVISED]),
        };
        match (play, supervision) {
            (Play::Standard, _) => standard,
            (Play::Rapid, Supervision::Limited) => rapid,
            (Play::Rapid, Supervision::Full) => rapid_supervised,
            (Play::Blitz, Supervision::Limited) => blitz,
            (Play::Blitz, Supervision::Full) => blitz_supervised,
        }
    }
}
