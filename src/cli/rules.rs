//! What a tournament sets on top of the Laws, as options.

use clap::{Args, ValueEnum};

use super::{Stop, exit};
use crate::clock::Millis;
use crate::game::OpenPoint;
use crate::wire::v1;

/// What is set on top of the Laws.
#[derive(Debug, Clone, PartialEq, Eq, Default, Args)]
pub(super) struct Rules {
    /// Edition of the Laws, by year; by the first day where that is given, else the latest.
    #[arg(long = "laws", default_value_t = 0, hide_default_value = true, value_name = "YEAR")]
    edition: u32,
    /// Kind of play; by the control where not given.
    #[arg(long)]
    play: Option<Play>,
    /// Full brings the competition rules to rapid and blitz.
    #[arg(long)]
    supervision: Option<Supervision>,
    /// How late a player may be, as 0:30:00; what the edition says where not given.
    #[arg(long, value_name = "H:MM:SS")]
    default_time: Option<Millis>,
    /// Most that a player who plays from afar is credited for the way of one press, as 0:00:01; nothing where not given.
    #[arg(long, value_name = "H:MM:SS")]
    compensation: Option<Millis>,
    /// Who notices a fallen flag; as the edition says for that play where not given.
    #[arg(long)]
    flags: Option<Flags>,
    /// Who decides claims that can be computed.
    #[arg(long)]
    claims: Option<Claims>,
    /// Whether the rules for the quickplay finish were announced; as the edition says where not given.
    #[arg(long)]
    quickplay: Option<Switch>,
    /// A point that the Laws leave open, settled otherwise than is usual, as 'claim-offer=ends'; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// The increment is first added after move 1.
    #[arg(long)]
    count_from_after: bool,
    /// The next period's time is added at zero, not with the press of the last move.
    #[arg(long)]
    period_at_zero: bool,
    /// Moves on the board are not reported, only presses.
    #[arg(long)]
    board_unseen: bool,
}

/// Kinds of play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Play {
    /// Standard chess.
    Standard,
    /// Rapid chess.
    Rapid,
    /// Blitz.
    Blitz,
}

/// How closely rapid and blitz are watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Supervision {
    /// The competition rules.
    Full,
    /// The appendix.
    Limited,
}

/// Who notices a fallen flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Flags {
    /// The daemon, on the clock's word.
    Auto,
    /// The arbiter or a player.
    Arbiter,
    /// Only a player.
    Players,
}

/// Who decides claims that can be computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Claims {
    /// The Laws, at once.
    Auto,
    /// The arbiter.
    Arbiter,
}

/// Yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    /// They were.
    On,
    /// They were not.
    Off,
}

impl Rules {
    /// Whether nothing is set.
    pub(super) fn is_empty(&self) -> bool {
        *self == Rules::default()
    }

    /// As the daemon reads them.
    pub(super) fn with(&self, control: &str) -> Result<v1::Regulations, Stop> {
        let mut otherwise = Vec::new();
        for text in &self.set {
            let wrong = |why: String| Stop::new(exit::USAGE, format!("--set {text}: {why}"));
            let (key, value) = text.split_once('=').ok_or_else(|| wrong("write KEY=VALUE".to_string()))?;
            if let (point, true) = OpenPoint::read(key, value).map_err(wrong)? {
                otherwise.push(point.to_string());
            }
        }
        let play = match self.play {
            None => v1::Play::Unspecified,
            Some(Play::Standard) => v1::Play::Standard,
            Some(Play::Rapid) => v1::Play::Rapid,
            Some(Play::Blitz) => v1::Play::Blitz,
        };
        let flags = match self.flags {
            None => v1::FlagsBy::Unspecified,
            Some(Flags::Auto) => v1::FlagsBy::Auto,
            Some(Flags::Arbiter) => v1::FlagsBy::Arbiter,
            Some(Flags::Players) => v1::FlagsBy::Players,
        };
        Ok(v1::Regulations {
            edition: self.edition,
            play: play.into(),
            control: control.to_string(),
            count_from_after: self.count_from_after,
            period_at_zero: self.period_at_zero,
            board_unseen: self.board_unseen,
            full_supervision: self.supervision == Some(Supervision::Full),
            default_time_ms: self.default_time.map(|time| time.0),
            compensation_ms: self.compensation.map(|time| time.0),
            flags: flags.into(),
            claims_by_arbiter: self.claims == Some(Claims::Arbiter),
            quickplay: self.quickplay.map(|switch| switch == Switch::On),
            otherwise,
        })
    }
}
