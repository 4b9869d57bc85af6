//! The command line: one file a subcommand.

mod fleet;
mod serve;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Exit codes, the same for every subcommand.
pub mod exit {
    /// Done, and what was checked holds.
    pub const OK: u8 = 0;
    /// What was checked does not hold: a failed scenario, a difference found by an audit, a game that went otherwise.
    pub const FAILED: u8 = 1;
    /// The input cannot be used: options, files, names.
    pub const USAGE: u8 = 2;
    /// The daemon refused, and said why.
    pub const REFUSED: u8 = 3;
    /// The daemon cannot be reached, or went away.
    pub const UNAVAILABLE: u8 = 69;
    /// The log is damaged or cannot be opened.
    pub const DAMAGED: u8 = 74;
    /// The log failed while running (disk full, device gone): free space or repair, then start again.
    pub const LOG_FAILED: u8 = 75;
}

/// The arbiter a playing hall lacks: every clock press, move and ruling durable in one log.
#[derive(Debug, Parser)]
#[command(name = "zeitnot", version, about)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs the daemon.
    Serve(serve::Serve),
    /// Plays games of PGN files with simulated clocks.
    Fleet(fleet::Fleet),
}

/// Why a subcommand ended without doing what it was asked.
#[derive(Debug)]
pub struct Stop {
    code: u8,
    why: String,
}

impl Stop {
    fn new(code: u8, why: impl std::fmt::Display) -> Stop {
        Stop { code, why: why.to_string() }
    }
}

/// Runs what the command line says.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    let done = match cli.command {
        Command::Serve(serve) => serve.run(),
        Command::Fleet(fleet) => fleet.run(),
    };
    match done {
        Ok(()) => ExitCode::from(exit::OK),
        Err(stop) => {
            if !stop.why.is_empty() {
                eprintln!("zeitnot: {}", stop.why);
            }
            ExitCode::from(stop.code)
        }
    }
}

/// The runtime of the subcommands that speak to a daemon or are one.
fn runtime() -> Result<tokio::runtime::Runtime, Stop> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|e| Stop::new(exit::UNAVAILABLE, e))
}
