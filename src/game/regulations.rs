//! What a tournament sets on top of the Laws, fixed when a game opens.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::clock::{CountFrom, Millis, PeriodAdded, TimeControl};
use crate::laws::{Edition, FlagCalled, Laws, Play, Supervision, Unstated};

/// What a tournament sets on top of the Laws.
#[derive(Clone, PartialEq, Eq)]
pub struct Regulations {
    /// Edition of the Laws.
    pub edition: Edition,
    /// Kind of play.
    pub play: Play,
    /// Whether the competition rules apply to rapid and blitz.
    pub supervision: Supervision,
    /// Time control.
    pub control: Arc<TimeControl>,
    /// When the first increment counts.
    pub count_from: CountFrom,
    /// When the next period's time is added.
    pub period_added: PeriodAdded,
    /// Whether moves on the board are reported.
    pub board: BoardSeen,
    /// How late a player may be; `None`: what the edition says.
    pub default_time: Option<Millis>,
    /// Most that a player who plays from afar is credited for the way of one press; `None`: nothing.
    pub compensation: Option<Millis>,
    /// Who notices a fallen flag; `None`: as the edition says for that play.
    pub flags: Option<FlagsBy>,
    /// Who decides claims that can be computed.
    pub claims: ClaimsBy,
    /// Whether the rules for the quickplay finish were announced; `None`: as the edition says.
    pub quickplay: Option<bool>,
    /// Open points of the Laws that are settled otherwise than is usual.
    pub otherwise: BTreeSet<OpenPoint>,
}

/// The venue's digest is made of it, so what a later version brought is told only where it is set.
impl fmt::Debug for Regulations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told = f.debug_struct("Regulations");
        told.field("edition", &self.edition).field("play", &self.play).field("supervision", &self.supervision);
        told.field("control", &self.control).field("count_from", &self.count_from).field("period_added", &self.period_added);
        told.field("board", &self.board).field("default_time", &self.default_time).field("flags", &self.flags);
        told.field("claims", &self.claims).field("quickplay", &self.quickplay).field("otherwise", &self.otherwise);
        if let Some(cap) = &self.compensation {
            told.field("compensation", cap);
        }
        told.finish()
    }
}

/// Whether moves on the board are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BoardSeen {
    /// By sensors or by hand, as they are made.
    #[default]
    Seen,
    /// Only presses are known; moves may be typed in later.
    Unseen,
}

/// Who notices a fallen flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FlagsBy {
    /// The daemon, on the clock's word.
    Auto,
    /// The arbiter or a player.
    Arbiter,
    /// Only a player.
    Players,
}

/// Who decides claims that can be computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ClaimsBy {
    /// The Laws, at once.
    #[default]
    Auto,
    /// The arbiter, who is told what the Laws say.
    Arbiter,
}

/// A point that the Laws leave open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OpenPoint {
    /// Whether the offer in a rejected claim stands.
    ClaimOffer,
    /// What becomes of a claim by a player who does not have the move.
    OffMoveClaim,
    /// Whether a fiftieth move that is announced and would mate draws.
    FiftyAnnouncedMate,
    /// Reversed colours, found when one player has made ten moves and the other has not.
    UnevenTenMoves,
    /// Both flags down in the last period where no guideline was adopted.
    BothFlags,
    /// Which side's time decides the kind of play, where they differ.
    UnequalTimes,
    /// Whether a position that was restored counts again for repetition.
    RestoredPosition,
    /// Whether an arbiter is there in the quickplay finish.
    Arbiter,
    /// Whether fines were announced in advance.
    Fines,
}

impl OpenPoint {
    /// Every one, with its name and the words for what is usual and what is not.
    pub const ALL: [(OpenPoint, &str, &str, &str); 9] = [
        (OpenPoint::ClaimOffer, "claim-offer", "stands", "ends"),
        (OpenPoint::OffMoveClaim, "off-move-claim", "inadmissible", "penalised"),
        (OpenPoint::FiftyAnnouncedMate, "fifty-announced-mate", "draw", "refused"),
        (OpenPoint::UnevenTenMoves, "uneven-ten-moves", "restart", "continue"),
        (OpenPoint::BothFlags, "both-flags", "draw", "arbiter"),
        (OpenPoint::UnequalTimes, "unequal-times", "longer", "shorter"),
        (OpenPoint::RestoredPosition, "restored-position", "same", "again"),
        (OpenPoint::Arbiter, "arbiter", "present", "absent"),
        (OpenPoint::Fines, "fines", "none", "announced"),
    ];

    /// Reads `KEY VALUE`: the point, and whether it is settled otherwise than is usual.
    ///
    /// # Errors
    /// Names what is not known, and what is.
    pub fn read(key: &str, value: &str) -> Result<(OpenPoint, bool), String> {
        let Some((point, _, usual, other)) = OpenPoint::ALL.into_iter().find(|(_, name, ..)| *name == key) else {
            let known: Vec<&str> = OpenPoint::ALL.iter().map(|(_, name, ..)| *name).collect();
            return Err(format!("'{key}' is none of: {}", known.join(" ")));
        };
        match value {
            _ if value == usual => Ok((point, false)),
            _ if value == other => Ok((point, true)),
            _ => Err(format!("'{key}' is {usual} or {other}, not '{value}'")),
        }
    }
}

impl fmt::Display for OpenPoint {
    /// As it is settled otherwise: `claim-offer ends`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match OpenPoint::ALL.iter().find(|(point, ..)| point == self) {
            Some((_, name, _, other)) => write!(f, "{name} {other}"),
            None => Ok(()),
        }
    }
}

impl FromStr for OpenPoint {
    type Err = String;

    fn from_str(text: &str) -> Result<OpenPoint, String> {
        let (key, value) = text.split_once(' ').ok_or_else(|| format!("'{text}' is no KEY VALUE"))?;
        match OpenPoint::read(key, value)? {
            (point, true) => Ok(point),
            (_, false) => Err(format!("'{text}' is what holds anyway")),
        }
    }
}

/// Largest cap on what a player is credited for the way of a press.
pub const MAX_COMPENSATION: Millis = Millis::seconds(10);

impl Regulations {
    /// The regulations for a control, everything else as it is when nothing is said.
    pub fn of(control: TimeControl) -> Regulations {
        let edition = Edition::default();
        Regulations {
            edition,
            play: Play::of(&control, edition, false),
            supervision: Supervision::default(),
            control: Arc::new(control),
            count_from: CountFrom::default(),
            period_added: PeriodAdded::default(),
            board: BoardSeen::default(),
            default_time: None,
            compensation: None,
            flags: None,
            claims: ClaimsBy::default(),
            quickplay: None,
            otherwise: BTreeSet::new(),
        }
    }

    /// The Laws that they choose.
    pub fn laws(&self) -> &'static Laws {
        Laws::of(self.edition, self.play, self.supervision)
    }

    /// Whether an open point is settled otherwise than is usual.
    pub fn otherwise(&self, point: OpenPoint) -> bool {
        self.otherwise.contains(&point)
    }

    /// How late a player may be; `None`: it has to be stated, and is not.
    pub fn default_time(&self) -> Option<Millis> {
        self.default_time.or(match self.laws().default_time.unless_stated {
            Unstated::Hour => Some(Millis::minutes(60)),
            Unstated::Zero => Some(Millis::ZERO),
            Unstated::MustBeStated => None,
        })
    }

    /// Who notices a fallen flag.
    pub fn flags(&self) -> FlagsBy {
        self.flags.unwrap_or(match self.laws().flag.called {
            FlagCalled::ArbiterShall => FlagsBy::Auto,
            FlagCalled::ByArbiter => FlagsBy::Arbiter,
            FlagCalled::ByPlayers | FlagCalled::ByPlayersUnlessBoth => FlagsBy::Players,
        })
    }

    /// Whether the rules for the quickplay finish apply, as far as that is a matter of announcing them.
    pub fn quickplay_announced(&self) -> bool {
        self.quickplay.unwrap_or(self.laws().quickplay.as_ref().is_some_and(|quickplay| !quickplay.announced))
    }
}
