//! The header of a scenario: how its game opens.

use std::collections::BTreeSet;
use std::sync::Arc;

use shakmaty::ByColor;

use super::verbs::number;
use crate::board::Start;
use crate::clock::{CountFrom, Millis, PeriodAdded, Reading, TimeControl};
use crate::game::{BoardSeen, ClaimsBy, FlagsBy, OpenPoint, Regulations};
use crate::laws::{Edition, Play, Supervision};

/// How the game opens.
#[derive(Debug, Clone)]
pub struct Header {
    /// Regulations.
    pub regulations: Arc<Regulations>,
    /// Start position.
    pub start: Arc<Start>,
    /// Other times than the control's.
    pub clocks: Option<Reading>,
    /// Who is not there.
    pub absent: ByColor<bool>,
    /// When the session ends, on the scenario's time.
    pub session_end: Option<Millis>,
    /// When an adjourned game is resumed.
    pub resume_at: Option<Millis>,
}

/// The lines of a header, as they are gathered.
#[derive(Debug, Default)]
pub(super) struct HeaderLines {
    edition: Edition,
    play: Option<Play>,
    control: Option<TimeControl>,
    clocks: Option<Reading>,
    count_from: CountFrom,
    period_added: PeriodAdded,
    start: Option<Start>,
    board: BoardSeen,
    absent: ByColor<bool>,
    supervision: Supervision,
    default_time: Option<Millis>,
    flags: Option<FlagsBy>,
    claims: ClaimsBy,
    quickplay: Option<bool>,
    otherwise: BTreeSet<OpenPoint>,
    session_end: Option<Millis>,
    resume_at: Option<Millis>,
}

impl HeaderLines {
    /// One more line, in words.
    pub(super) fn take(&mut self, words: &[String]) -> Result<(), String> {
        let (key, args) = words.split_first().ok_or("an empty line")?;
        let [value, more @ ..] = args else { return Err(format!("the header '{key}' is not known, or lacks its value")) };
        let value = value.as_str();
        let unknown = || Err(format!("'{value}' is not known for the header '{key}'"));
        match (key.as_str(), more) {
            ("position", _) => {
                self.start = Some(Start::fen(&args.join(" ")).map_err(|e| e.to_string())?);
                return Ok(());
            }
            ("clocks", [black]) => {
                let time = |text: &str| text.parse().map_err(|e: crate::clock::ParseMillisError| e.to_string());
                self.clocks = Some(ByColor { white: time(value)?, black: time(black)? });
                return Ok(());
            }
            ("set", [setting]) => {
                let (point, otherwise) = OpenPoint::read(value, setting)?;
                if otherwise {
                    self.otherwise.insert(point);
                } else {
                    self.otherwise.remove(&point);
                }
                return Ok(());
            }
            (_, [extra, ..]) => return Err(format!("'{extra}' is too much for the header '{key}', or the header is not known")),
            _ => {}
        }
        match (key.as_str(), value) {
            ("laws", year) => {
                self.edition = year.parse().ok().and_then(Edition::of_year).ok_or_else(|| format!("the edition '{year}' is not known"))?
            }
            ("play", word) => match Play::ALL.into_iter().find(|play| play.word() == word) {
                Some(play) => self.play = Some(play),
                None => return unknown(),
            },
            ("control", text) => self.control = Some(text.parse().map_err(|e: crate::clock::ParseControlError| e.to_string())?),
            ("count-from", "before") => self.count_from = CountFrom::Before,
            ("count-from", "after") => self.count_from = CountFrom::After,
            ("period", "counted") => self.period_added = PeriodAdded::Counted,
            ("period", "at-zero") => self.period_added = PeriodAdded::AtZero,
            ("chess960", text) => self.start = Some(Start::chess960(number(text)?).map_err(|e| e.to_string())?),
            ("board", "seen") => self.board = BoardSeen::Seen,
            ("board", "unseen") => self.board = BoardSeen::Unseen,
            ("absent", "white") => self.absent.white = true,
            ("absent", "black") => self.absent.black = true,
            ("absent", "both") => self.absent = ByColor { white: true, black: true },
            ("flags", "auto") => self.flags = Some(FlagsBy::Auto),
            ("flags", "arbiter") => self.flags = Some(FlagsBy::Arbiter),
            ("flags", "players") => self.flags = Some(FlagsBy::Players),
            ("claims", "auto") => self.claims = ClaimsBy::Auto,
            ("claims", "arbiter") => self.claims = ClaimsBy::Arbiter,
            ("quickplay", "on") => self.quickplay = Some(true),
            ("quickplay", "off") => self.quickplay = Some(false),
            ("supervision", "full") => self.supervision = Supervision::Full,
            ("supervision", "limited") => self.supervision = Supervision::Limited,
            ("session-end", text) => self.session_end = Some(text.parse().map_err(|e: crate::clock::ParseMillisError| e.to_string())?),
            ("resume-at", text) => self.resume_at = Some(text.parse().map_err(|e: crate::clock::ParseMillisError| e.to_string())?),
            ("default-time", text) => self.default_time = Some(text.parse().map_err(|e: crate::clock::ParseMillisError| e.to_string())?),
            ("count-from" | "period" | "board" | "absent" | "flags" | "claims" | "quickplay" | "supervision" | "clocks", _) => return unknown(),
            _ => return Err(format!("the header '{key}' is not known")),
        }
        Ok(())
    }

    /// How the game opens by all of them.
    pub(super) fn finish(self) -> Result<Header, String> {
        let control = match self.control {
            Some(control) => control,
            None => "40/7200:3600".parse().map_err(|e: crate::clock::ParseControlError| e.to_string())?,
        };
        let defaults = Regulations::of(control);
        let regulations = Regulations {
            edition: self.edition,
            play: self.play.unwrap_or(Play::of(&defaults.control, self.edition, self.otherwise.contains(&OpenPoint::UnequalTimes))),
            supervision: self.supervision,
            default_time: self.default_time,
            flags: self.flags,
            claims: self.claims,
            quickplay: self.quickplay,
            otherwise: self.otherwise,
            count_from: self.count_from,
            period_added: self.period_added,
            board: self.board,
            ..defaults
        };
        Ok(Header {
            regulations: Arc::new(regulations),
            start: Arc::new(self.start.unwrap_or_else(Start::standard)),
            clocks: self.clocks,
            absent: self.absent,
            session_end: self.session_end,
            resume_at: self.resume_at,
        })
    }
}
