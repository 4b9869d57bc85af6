//! The command line: one file a subcommand.

mod ask;
mod audit;
mod backup;
mod data;
mod digest;
mod envelope;
pub mod exit;
mod fleet;
mod game;
mod hall;
mod json;
mod laws;
mod login;
mod office;
mod output;
mod remote;
mod replay;
mod report;
mod rule;
mod rules;
mod scenario;
mod serve;
mod settings;
mod setup;
mod sign;
mod simulate;
mod state;
mod transfer;
mod venue;
mod verify;
mod watch;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The arbiter a playing hall lacks: every clock press, move and ruling durable in one log.
#[derive(Debug, Parser)]
#[command(name = "zeitnot", version, about, after_help = EXIT_CODES)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done; 1 what was checked does not hold; 2 options, files or names that cannot be used; \
                          3 refused by the daemon; 69 the daemon cannot be reached; 74 the log is damaged or cannot be opened; \
                          75 the log failed while running.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs the daemon.
    Serve(serve::Serve),
    /// The venue itself: its certificates, and who may come in.
    #[command(subcommand)]
    Venue(venue::Venue),
    /// Exchanges a one-time code for a login.
    Login(login::Enrol),
    /// Plays games of PGN files with simulated clocks.
    Fleet(fleet::Fleet),
    /// Simulates days of a whole hall from seeds, with everything that goes wrong, and checks that nothing is lost.
    Simulate(simulate::Simulate),
    /// Follows the hall in the terminal.
    Watch(watch::Watch),
    /// One act for many boards: a round is started, all clocks are stopped, and go on as they stood.
    #[command(subcommand)]
    Hall(hall::Hall),
    /// Rules on a game.
    Rule(rule::Rule),
    /// Records what a player did and the arbiter was told.
    Note(rule::Note),
    /// Tournaments.
    #[command(subcommand)]
    Tournament(office::Tournament),
    /// Rounds.
    #[command(subcommand)]
    Round(office::Round),
    /// Pairs two players at a board.
    Pair(office::Pair),
    /// Games.
    #[command(subcommand)]
    Game(game::Game),
    /// Clock devices.
    #[command(subcommand)]
    Device(office::Device),
    /// Types moves in from a scoresheet.
    Moves(office::Moves),
    /// Results of a round.
    Results(office::Results),
    /// Position, chain and digest of a running daemon, to be compared with those of `replay`.
    Digest(digest::Digest),
    /// Signs the head of a running daemon's log.
    Sign(sign::Sign),
    /// Plays scenarios and checks what they expect.
    Scenario(scenario::Scenario),
    /// Rebuilds the venue from its log.
    Replay(replay::Replay),
    /// The whole record of a game, for an appeal: every entry, each flag's proof, what the clocks were given.
    Report(report::Report),
    /// Tells whether a position is dead, and who can still mate.
    Ask(ask::Ask),
    /// Decides every recorded fact and ruling again, and shows where today's Laws differ.
    Audit(audit::Audit),
    /// What an edition of the Laws says, and what another one changed.
    #[command(subcommand)]
    Laws(laws::Laws),
    /// Envelopes of sealed moves: the venue's key, their outside, and whether they hold what was sealed.
    #[command(subcommand)]
    Envelope(envelope::Envelope),
    /// Copies the log of a running daemon into a directory, and later adds what has come since. `serve --data` goes on from such a copy.
    Backup(backup::Backup),
    /// Checks a log: every hash, every entry, every version.
    Verify(verify::Verify),
    /// Takes a log out as text, and in again.
    #[command(subcommand)]
    Log(transfer::Transfer),
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

    /// A log does not open.
    fn unopened(e: &crate::log::Error) -> Stop {
        let code = match e {
            crate::log::Error::DiskFull { .. } => exit::LOG_FAILED,
            crate::log::Error::NotAMirror { .. } => exit::USAGE,
            _ => exit::DAMAGED,
        };
        Stop::new(code, e)
    }

    /// The input cannot be used.
    fn unusable(why: impl std::fmt::Display) -> Stop {
        Stop::new(exit::USAGE, why)
    }

    /// Nothing more to say.
    fn quiet(code: u8) -> Stop {
        Stop { code, why: String::new() }
    }
}

/// What passes through memory (a move that is being sealed, a key, a passphrase) must not end up in a file when a command crashes.
fn no_core_dumps() {
    if let Err(e) = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable) {
        output::complain(&format!("core dumps could not be switched off: {e}"), exit::OK, false);
    }
}

/// Runs what the command line says.
pub fn run() -> ExitCode {
    no_core_dumps();
    // Also what is wrong with the options themselves is told as JSON.
    let json = std::env::args_os().any(|arg| arg == "--json");
    let done = match Cli::try_parse() {
        Ok(cli) => cli.command.run(),
        Err(e) if json && e.use_stderr() => Err(Stop::unusable(e)),
        Err(e) => e.exit(),
    };
    match done {
        Ok(()) => ExitCode::from(exit::OK),
        Err(stop) => {
            if !stop.why.is_empty() {
                output::complain(&stop.why, stop.code, json);
            }
            ExitCode::from(stop.code)
        }
    }
}

impl Command {
    fn run(self) -> Result<(), Stop> {
        match self {
            Command::Serve(serve) => serve.run(),
            Command::Venue(venue) => venue.run(),
            Command::Login(enrol) => enrol.run(),
            Command::Fleet(fleet) => fleet.run(),
            Command::Simulate(simulate) => simulate.run(),
            Command::Watch(watch) => watch.run(),
            Command::Hall(hall) => hall.run(),
            Command::Rule(rule) => rule.run(),
            Command::Note(note) => note.run(),
            Command::Tournament(tournament) => tournament.run(),
            Command::Round(round) => round.run(),
            Command::Pair(pair) => pair.run(),
            Command::Game(game) => game.run(),
            Command::Device(device) => device.run(),
            Command::Moves(moves) => moves.run(),
            Command::Results(results) => results.run(),
            Command::Digest(digest) => digest.run(),
            Command::Sign(sign) => sign.run(),
            Command::Scenario(scenario) => scenario.run(),
            Command::Replay(replay) => replay.run(),
            Command::Report(report) => report.run(),
            Command::Ask(ask) => ask.run(),
            Command::Audit(audit) => audit.run(),
            Command::Laws(laws) => laws.run(),
            Command::Backup(backup) => backup.run(),
            Command::Verify(verify) => verify.run(),
            Command::Envelope(envelope) => envelope.run(),
            Command::Log(transfer) => transfer.run(),
        }
    }
}

/// The runtime of the subcommands that speak to a daemon or are one.
fn runtime() -> Result<tokio::runtime::Runtime, Stop> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|e| Stop::new(exit::UNAVAILABLE, e))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    /// A full disk is to be tried again once there is room; a damaged log is for a person.
    #[test]
    fn why_a_log_does_not_open_decides_what_the_service_does() {
        use super::{Stop, exit};
        use crate::log::Error;
        let path = std::path::PathBuf::from("x");
        let table = [
            (Error::DiskFull { what: "open the store".to_string() }, exit::LOG_FAILED),
            (Error::NotAMirror { path: path.clone() }, exit::USAGE),
            (Error::StoreLost { dir: path, why: String::new() }, exit::DAMAGED),
        ];
        for (error, code) in table {
            assert_eq!(Stop::unopened(&error).code, code, "{error}");
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
