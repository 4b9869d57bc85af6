//! `zeitnot fleet`: simulated clocks that play the games of PGN files against a daemon.

use std::path::PathBuf;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::remote::At;
use super::{Stop, exit, runtime};
use crate::fleet::{self, Faults, MAX_BOARDS, Options, Source};

/// Options of `fleet`.
#[derive(Debug, Args)]
pub(super) struct Fleet {
    #[command(flatten)]
    at: At,
    /// PGN files, or folders of them.
    #[arg(long, num_args = 1.., required_unless_present = "demo", conflicts_with = "demo")]
    pgn: Vec<PathBuf>,
    /// Play the famous games that come with the program.
    #[arg(long)]
    demo: bool,
    /// Boards that play at one time.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..=MAX_BOARDS as u64))]
    boards: u64,
    /// How many times faster than real the clocks run, or max.
    #[arg(long, default_value = "max", value_parser = speed)]
    speed: Speed,
    /// Probability that a report is lost on the way.
    #[arg(long, default_value_t = 0.0, value_parser = probability)]
    drop: f64,
    /// Probability that a report is sent twice.
    #[arg(long, default_value_t = 0.0, value_parser = probability)]
    duplicate: f64,
    /// Probability that a report is sent after the next one.
    #[arg(long, default_value_t = 0.0, value_parser = probability)]
    reorder: f64,
    /// Probability that the clock restarts after a report.
    #[arg(long, default_value_t = 0.0, value_parser = probability)]
    reboot: f64,
    /// Probability that the network is gone for a while after a report.
    #[arg(long, default_value_t = 0.0, value_parser = probability)]
    partition: f64,
    /// What fixes invented times and faults.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
}

/// A speed, or none: as fast as possible.
#[derive(Debug, Clone, Copy)]
struct Speed(Option<f64>);

fn speed(text: &str) -> Result<Speed, String> {
    if text == "max" {
        return Ok(Speed(None));
    }
    match text.parse::<f64>() {
        Ok(x) if (0.001..=1_000_000.0).contains(&x) => Ok(Speed(Some(x))),
        _ => Err("a number from 0.001 to 1000000, or max".to_string()),
    }
}

fn probability(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(p) if (0.0..=0.5).contains(&p) => Ok(p),
        _ => Err("a probability from 0 to 0.5".to_string()),
    }
}

impl Fleet {
    pub(super) fn run(self) -> Result<(), Stop> {
        let source = if self.demo { Source::Demo } else { Source::Files(self.pgn) };
        let (plans, mut report) = fleet::plans(&source, self.seed).map_err(Stop::unusable)?;
        let faults = Faults { drop: self.drop, duplicate: self.duplicate, reorder: self.reorder, reboot: self.reboot, partition: self.partition };
        let reach = self.at.reach()?;
        let options = Options { reach, boards: self.boards as usize, speed: self.speed.0, faults, seed: self.seed };
        let style =
            ProgressStyle::with_template("{elapsed_precise} {bar:40} {pos}/{len} games {msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(0).with_style(style);
        let played = runtime()?.block_on(fleet::run(options, plans, bar)).map_err(|e| match e {
            fleet::Error::Unreachable { .. } => Stop::new(exit::UNAVAILABLE, e),
            fleet::Error::Refused { .. } => Stop::new(exit::REFUSED, e),
        })?;
        report.add(played);
        if self.json {
            println!("{}", report.json())
        } else {
            println!("{report}")
        }
        if report.all_equal() { Ok(()) } else { Err(Stop::new(exit::FAILED, "")) }
    }
}
