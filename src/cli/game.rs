//! `zeitnot game`: opening games, and looking at them.

use clap::{Subcommand, ValueEnum};

use super::office::Act;
use super::output::print;
use super::remote::{MAX_ANSWER, Remote};
use super::{Stop, exit, json, runtime, state};
use crate::clock::Millis;
use crate::wire::{self, v1};
use v1::console_update::Kind as Said;
use v1::consoles_client::ConsolesClient;

/// Games.
#[derive(Debug, Subcommand)]
pub(super) enum Game {
    /// Opens the game of a pairing.
    Open {
        /// Tournament, by number.
        tournament: u64,
        /// Round.
        round: u32,
        /// Board.
        board: u32,
        /// Serial number of the device at the board; the daemon keeps the time where not given.
        #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "SERIAL")]
        device: u64,
        /// Serial number of Black's own device, where each side has one; --device is White's then.
        #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "SERIAL", requires = "device")]
        black_device: u64,
        /// Other times than the control's, as in 0:45:00 0:40:00.
        #[arg(long, num_args = 2, value_names = ["WHITE", "BLACK"])]
        clocks: Vec<Millis>,
        /// Who is not there yet.
        #[arg(long)]
        absent: Option<Absent>,
        #[command(flatten)]
        act: Act,
    },
    /// Lists games.
    List {
        /// Only this tournament.
        #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "N")]
        tournament: u64,
        /// Only this round.
        #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "N")]
        round: u32,
        #[command(flatten)]
        remote: Remote,
    },
    /// Shows a game.
    Show {
        /// Game.
        #[arg(value_parser = clap::value_parser!(u64).range(1..))]
        game: u64,
        /// As it was after this entry of the log.
        #[arg(long, value_name = "SEQ")]
        until: Option<u64>,
        #[command(flatten)]
        remote: Remote,
    },
    /// Prints every entry about a game.
    Log {
        /// Game.
        #[arg(value_parser = clap::value_parser!(u64).range(1..))]
        game: u64,
        #[command(flatten)]
        remote: Remote,
    },
    /// Prints a game, or a round, as PGN.
    Pgn {
        /// Game.
        #[arg(required_unless_present = "round")]
        game: Option<u64>,
        /// All games of a round, as in 1.3, or of a tournament, as in 1.
        #[arg(long, value_name = "T.R", conflicts_with = "game")]
        round: Option<String>,
        #[command(flatten)]
        remote: Remote,
    },
}

/// Who is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Absent {
    /// White.
    White,
    /// Black.
    Black,
    /// Both.
    Both,
}

impl Game {
    pub(super) fn run(self) -> Result<(), Stop> {
        match self {
            Game::Open { tournament, round, board, device, black_device, clocks, absent, act } => {
                let times = if let [white, black] = clocks[..] { Some(v1::Times { white_ms: white.0, black_ms: black.0 }) } else { None };
                let request = v1::OpenGameRequest {
                    key: act.key.clone(),
                    tournament,
                    round,
                    board,
                    device,
                    black_device,
                    absent_white: matches!(absent, Some(Absent::White | Absent::Both)),
                    absent_black: matches!(absent, Some(Absent::Black | Absent::Both)),
                    clocks: times,
                    by: act.by(),
                };
                act.remote.record(|id| format!("game {id}"), async |mut office| office.open_game(request).await)
            }
            Game::List { tournament, round, remote } => {
                let request = v1::HallRequest { tournament, round, game: 0 };
                let hall = remote.office(async |mut office| office.hall(request).await)?;
                let lost = |game: &v1::GameState| if !game.lost.is_empty() { " LOST" } else { "" };
                let device = |game: &v1::GameState| if game.device > 0 { format!("{}{}", game.device, lost(game)) } else { "-".to_string() };
                let row = |game: &v1::GameState| state::row(game, game.running_for_ms, &device(game)) + "\n";
                remote.say(
                    || hall.games.iter().map(json::game).collect(),
                    || format!("{}\n", state::HEADS) + &hall.games.iter().map(row).collect::<String>(),
                )
            }
            Game::Show { game, until, remote } => {
                let found = match until {
                    Some(until) => remote.office(async |mut office| office.replay(v1::ReplayRequest { game, until }).await)?,
                    None => {
                        let request = v1::HallRequest { game, ..v1::HallRequest::default() };
                        let hall = remote.office(async |mut office| office.hall(request).await)?;
                        hall.games.into_iter().next().ok_or_else(|| Stop::new(exit::REFUSED, format!("there is no game {game}")))?
                    }
                };
                remote.say(|| json::game(&found), || state::text(&found))
            }
            Game::Log { game, remote } => log(game, &remote),
            Game::Pgn { game, round, remote } => {
                let (tournament, round) = round.as_deref().map_or(Ok((0, 0)), place)?;
                let request = v1::PgnRequest { game: game.unwrap_or(0), tournament, round };
                let answer = remote.office(async |mut office| office.pgn(request).await)?;
                if remote.json { super::output::say(serde_json::json!({ "pgn": answer.pgn })) } else { print(&answer.pgn) }
            }
        }
    }
}

/// Every entry about a game, up to now, as an arbiter sees it.
fn log(game: u64, remote: &Remote) -> Result<(), Stop> {
    runtime()?.block_on(async {
        let mut consoles = ConsolesClient::new(remote.line().await?).max_decoding_message_size(MAX_ANSWER);
        // Nothing before a pairing can belong to a game, and the first entry of a log is no pairing.
        let after = 1;
        let follow = v1::FollowHall { game, after, ..v1::FollowHall::default() };
        let request = v1::ConsoleRequest { arbiter: String::new(), kind: Some(v1::console_request::Kind::Follow(follow)) };
        let mut updates = consoles.watch(request).await?.into_inner();
        let (mut until, mut any) = (u64::MAX, false);
        while let Some(update) = updates.message().await? {
            match update.kind {
                Some(Said::Snapshot(snapshot)) if snapshot.position <= after => break,
                Some(Said::Snapshot(snapshot)) => until = snapshot.position,
                Some(Said::Entry(entry)) if entry.seq <= until => {
                    let entry = wire::entry(entry).map_err(|e| Stop::new(exit::UNAVAILABLE, e))?;
                    any = true;
                    if remote.json { super::output::say(json::entry(&entry))? } else { super::output::say(&entry)? }
                }
                Some(Said::Entry(_)) => break,
                Some(Said::Position(position)) if position >= until => break,
                _ => {}
            }
        }
        if any { Ok(()) } else { Err(Stop::new(exit::REFUSED, format!("there is no game {game}"))) }
    })
}

/// Tournament and round, as in `1.3`; round 0 is all of them.
fn place(text: &str) -> Result<(u64, u32), Stop> {
    let (tournament, round) = text.split_once('.').unwrap_or((text, "0"));
    match (tournament.parse(), round.parse()) {
        (Ok(tournament), Ok(round)) if tournament > 0 => Ok((tournament, round)),
        _ => Err(Stop::new(exit::USAGE, format!("--round {text}: tournament and round, as in 1.3"))),
    }
}
