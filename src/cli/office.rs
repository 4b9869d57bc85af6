//! What the office does from the shell: tournaments, rounds, pairings, devices, scoresheets, results.

use clap::{Args, Subcommand};
use serde_json::json;

use super::Stop;
use super::json;
use super::remote::{Remote, sender};
use super::rules::Rules;
use crate::wire::v1;

/// Whose act it is, and under which key.
#[derive(Debug, Args)]
pub(super) struct Act {
    #[command(flatten)]
    pub(super) remote: Remote,
    /// Name that is recorded with it; the user's where not given.
    #[arg(long = "as", env = "ZEITNOT_AS", value_name = "NAME")]
    sender: Option<String>,
    /// Idempotency key: the same key gets the first outcome again.
    #[arg(long, default_value = "")]
    pub(super) key: String,
}

impl Act {
    /// The name that is recorded.
    pub(super) fn by(&self) -> String {
        sender(self.sender.clone(), "office")
    }
}

/// Tournaments.
#[derive(Debug, Subcommand)]
pub(super) enum Tournament {
    /// Creates a tournament.
    Create {
        /// Its name.
        name: String,
        /// Time control in PGN's grammar, with d for delay and b for Bronstein: 5400+30, 40/7200:3600, 300d5.
        #[arg(long)]
        control: String,
        /// First day, as 2026-05-02: it is played under the edition of the Laws that is in force then.
        #[arg(long, default_value = "", hide_default_value = true, value_name = "DATE")]
        starts: String,
        #[command(flatten)]
        rules: Rules,
        #[command(flatten)]
        act: Act,
    },
    /// Lists tournaments.
    List {
        #[command(flatten)]
        remote: Remote,
    },
}

impl Tournament {
    pub(super) fn run(self) -> Result<(), Stop> {
        match self {
            Tournament::Create { name, control, starts, rules, act } => {
                let (key, by, regulations) = (act.key.clone(), act.by(), Some(rules.with(&control)?));
                let request = v1::CreateTournamentRequest { key, name, regulations, by, starts_on: starts };
                act.remote.record(|id| format!("tournament {id}"), async |mut office| office.create_tournament(request).await)
            }
            Tournament::List { remote } => {
                let hall = remote.office(async |mut office| office.hall(v1::HallRequest::default()).await)?;
                let control = |t: &v1::Tournament| t.regulations.as_ref().map_or(String::new(), |r| r.control.clone());
                let laws = |t: &v1::Tournament| t.regulations.as_ref().map_or(0, |r| r.edition);
                let list = || hall.tournaments.iter();
                remote.say(
                    || list().map(|t| json!({ "tournament": t.tournament, "name": t.name, "control": control(t), "laws": laws(t), "starts_on": t.starts_on })).collect(),
                    || list().map(|t| format!("{:>4}  {}  {}  laws {}\n", t.tournament, t.name, control(t), laws(t))).collect(),
                )
            }
        }
    }
}

/// Rounds.
#[derive(Debug, Subcommand)]
pub(super) enum Round {
    /// Opens a round.
    Open {
        /// Tournament, by number.
        tournament: u64,
        /// Round.
        round: u32,
        #[command(flatten)]
        act: Act,
    },
    /// Announces to every game of a round that is not over when the session ends, or when adjourned games are resumed.
    Announce(super::rule::Announce),
}

impl Round {
    pub(super) fn run(self) -> Result<(), Stop> {
        match self {
            Round::Open { tournament, round, act } => {
                let request = v1::OpenRoundRequest { key: act.key.clone(), tournament, round, by: act.by() };
                act.remote.record(|_| format!("round {tournament}.{round}"), async |mut office| office.open_round(request).await)
            }
            Round::Announce(announce) => announce.run(),
        }
    }
}

/// Options of `pair`.
#[derive(Debug, Args)]
pub(super) struct Pair {
    /// Tournament, by number.
    tournament: u64,
    /// Round.
    round: u32,
    /// Board.
    board: u32,
    /// White's name, as it is printed: "Family, Given".
    #[arg(long)]
    white: String,
    /// Black's name.
    #[arg(long)]
    black: String,
    /// White's FIDE id.
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    white_fide: u64,
    /// Black's FIDE id.
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    black_fide: u64,
    /// Starts from this position.
    #[arg(long, conflicts_with = "chess960")]
    fen: Option<String>,
    /// Starts from this array of Chess960, 0 to 959.
    #[arg(long, value_name = "N")]
    chess960: Option<u32>,
    /// Starts from the array of Chess960 that this number draws, which is recorded; the same number draws the same array for every board.
    #[arg(long, value_name = "SEED", conflicts_with_all = ["chess960", "fen"])]
    chess960_seed: Option<u64>,
    /// Another control than the tournament's; the options about play and counting go with it.
    #[arg(long)]
    control: Option<String>,
    #[command(flatten)]
    rules: Rules,
    #[command(flatten)]
    act: Act,
}

impl Pair {
    pub(super) fn run(self) -> Result<(), Stop> {
        if self.control.is_none() && !self.rules.is_empty() {
            return Err(Stop::new(
                super::exit::USAGE,
                "options about edition, play and counting go with a control of the pairing's own: give --control too",
            ));
        }
        let player = |name: &str, fide_id| Some(v1::Player { name: name.to_string(), fide_id });
        let start = (self.fen.is_some() || self.chess960.is_some() || self.chess960_seed.is_some()).then(|| v1::StartPosition {
            fen: self.fen.clone().unwrap_or_default(),
            chess960: self.chess960,
            seed: self.chess960_seed,
        });
        let pairing = v1::Pairing {
            tournament: self.tournament,
            round: self.round,
            board: self.board,
            white: player(&self.white, self.white_fide),
            black: player(&self.black, self.black_fide),
            start,
            regulations: self.control.as_deref().map(|control| self.rules.with(control)).transpose()?,
        };
        let request = v1::PairRequest { key: self.act.key.clone(), pairing: Some(pairing), by: self.act.by() };
        let place = format!("board {}.{}.{}", self.tournament, self.round, self.board);
        self.act.remote.record(|_| place, async |mut office| office.pair(request).await)
    }
}

/// Clock devices.
#[derive(Debug, Subcommand)]
pub(super) enum Device {
    /// Lists devices and how they are reached.
    List {
        #[command(flatten)]
        remote: Remote,
    },
    /// Puts a device at a board before the game starts; game 0 takes it away.
    Assign {
        /// Serial number.
        serial: u64,
        /// Game.
        game: u64,
        /// The side whose time it keeps, white or black, while the device that is there keeps the other's; both where not given.
        #[arg(long, value_parser = super::venue::side)]
        side: Option<i32>,
        #[command(flatten)]
        act: Act,
    },
}

impl Device {
    pub(super) fn run(self) -> Result<(), Stop> {
        match self {
            Device::List { remote } => {
                let hall = remote.office(async |mut office| office.hall(v1::HallRequest::default()).await)?;
                remote.say(
                    || hall.devices.iter().map(json::device).collect(),
                    || hall.devices.iter().map(|device| super::state::device(device) + "\n").collect(),
                )
            }
            Device::Assign { serial, game, side, act } => {
                let side = side.unwrap_or_default();
                let request = v1::AssignDeviceRequest { key: act.key.clone(), device: serial, game, by: act.by(), side };
                act.remote.record(|_| format!("device {serial}"), async |mut office| office.assign_device(request).await)
            }
        }
    }
}

/// Options of `moves`.
#[derive(Debug, Args)]
pub(super) struct Moves {
    /// Game.
    game: u64,
    /// Ply of the first of the moves; 0 is the first of the game.
    from_ply: u32,
    /// The moves, as in Nf3 or g1f3.
    #[arg(required = true)]
    moves: Vec<String>,
    #[command(flatten)]
    act: Act,
}

impl Moves {
    pub(super) fn run(self) -> Result<(), Stop> {
        let (key, by) = (self.act.key.clone(), self.act.by());
        let request = v1::EnterMovesRequest { key, game: self.game, from_ply: self.from_ply, moves: self.moves, by };
        self.act.remote.record(|id| format!("game {id}"), async |mut office| office.enter_moves(request).await)
    }
}

/// Options of `results`.
#[derive(Debug, Args)]
pub(super) struct Results {
    /// Tournament, by number.
    tournament: u64,
    /// Round.
    round: u32,
    #[command(flatten)]
    remote: Remote,
}

impl Results {
    pub(super) fn run(self) -> Result<(), Stop> {
        let request = v1::ResultsRequest { tournament: self.tournament, round: self.round };
        let answer = self.remote.office(async |mut office| office.results(request).await)?;
        let boards = || answer.results.iter();
        self.remote.say(
            || {
                let one = |r: &v1::BoardResult| json!({ "board": r.board, "white": r.white, "black": r.black, "score": r.score, "termination": r.termination, "game": r.game });
                boards().map(one).collect()
            },
            || {
                let score = |r: &v1::BoardResult| if r.score.is_empty() { "*".to_string() } else { r.score.clone() };
                boards().map(|r| format!("{:>4}  {:<24} {:<7} {:<24} {}\n", r.board, r.white, score(r), r.black, r.termination)).collect()
            },
        )
    }
}
