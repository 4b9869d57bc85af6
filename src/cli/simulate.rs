//! `zeitnot simulate`: days of a whole hall from seeds, with everything that goes wrong.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Map, Value, json};

use super::{Stop, exit};
use crate::sim::{self, Counts, Failure, MAX_BOARDS, MAX_HOURS, Options};
use crate::time::Stopwatch;

/// Options of `simulate`.
#[derive(Debug, Args)]
pub(super) struct Simulate {
    /// The day, or the first of several: the same seed, boards and hours give the same day again.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Boards of the hall.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=MAX_BOARDS as u64))]
    boards: u64,
    /// Hours that are played.
    #[arg(long, default_value_t = 1.0, value_parser = hours)]
    hours: f64,
    /// How many days, each from the next seed; on all processors.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// Begin no further day after so many real seconds.
    #[arg(long)]
    seconds: Option<u64>,
    /// Print the figures as JSON.
    #[arg(long)]
    json: bool,
}

fn hours(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(hours) if (0.01..=MAX_HOURS).contains(&hours) => Ok(hours),
        _ => Err(format!("hours from 0.01 to {MAX_HOURS}")),
    }
}

/// What several threads have found together.
#[derive(Debug, Default)]
struct Found {
    days: u64,
    counts: Counts,
    failure: Option<Box<Failure>>,
}

impl Simulate {
    pub(super) fn run(self) -> Result<(), Stop> {
        let style =
            ProgressStyle::with_template("{elapsed_precise} {bar:40} {pos}/{len} days {msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(self.seeds).with_style(style);
        bar.enable_steady_tick(Duration::from_millis(500));
        let watch = Stopwatch::start();
        let found = self.simulate(&bar, watch);
        bar.finish_and_clear();
        let seconds = watch.elapsed().as_secs_f64();
        if self.json {
            println!("{}", self.as_json(&found, seconds));
        } else {
            self.print(&found, seconds);
        }
        match found.failure {
            Some(failure) if self.json => Err(Stop::new(exit::FAILED, failure.command())),
            Some(failure) => Err(Stop::new(exit::FAILED, failure)),
            None => Ok(()),
        }
    }

    /// Threads take the next seed until none is left, one has failed, or the time is up.
    fn simulate(&self, bar: &ProgressBar, watch: Stopwatch) -> Found {
        let found = Mutex::new(Found::default());
        let next = AtomicU64::new(0);
        let lock = || found.lock().unwrap_or_else(PoisonError::into_inner);
        let work = || {
            loop {
                let n = next.fetch_add(1, Ordering::Relaxed);
                let late = self.seconds.is_some_and(|seconds| watch.elapsed().as_secs() >= seconds);
                if n >= self.seeds || late || lock().failure.is_some() {
                    return;
                }
                let done = sim::day(&Options::new(self.seed + n, self.boards as usize, self.hours));
                let mut found = lock();
                match done {
                    Ok(counts) => {
                        found.days += 1;
                        found.counts.add(&counts);
                    }
                    Err(failure) => found.failure = Some(failure),
                }
                bar.inc(1);
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(usize::try_from(self.seeds).unwrap_or(1));
        std::thread::scope(|scope| (0..threads).for_each(|_| _ = scope.spawn(work)));
        found.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn as_json(&self, found: &Found, seconds: f64) -> Value {
        let mut all: Map<String, Value> = found.counts.named().into_iter().map(|(name, n)| (name.to_string(), json!(n))).collect();
        all.insert("seed".to_string(), json!(self.seed));
        all.insert("days".to_string(), json!(found.days));
        all.insert("seconds".to_string(), json!(seconds));
        all.insert("failed_seed".to_string(), json!(found.failure.as_ref().map(|failure| failure.options.seed)));
        all.insert("failed".to_string(), json!(found.failure.as_ref().map(|failure| format!("{}: {}", failure.invariant, failure.how))));
        Value::Object(all)
    }

    fn print(&self, found: &Found, seconds: f64) {
        for (name, n) in found.counts.named() {
            println!("{:<14} {n:>12}", name.replace('_', " "));
        }
        let days = if found.days == 1 { "day" } else { "days" };
        let held = if found.failure.is_none() { ": whatever was acknowledged is in the log, and every invariant held" } else { "" };
        println!("{} {days} of {} boards and {} hours in {seconds:.1} s, from seed {}{held}", found.days, self.boards, self.hours, self.seed);
    }
}
