//! What a fleet has to say in the end.

use hdrhistogram::Histogram;
use serde::Serialize;

use super::journal::Kept;

/// Longest press-to-ack time that is told apart, in microseconds: ten minutes.
const LONGEST: u64 = 600_000_000;

/// Counts of a board or of the whole fleet.
#[derive(Debug, Clone)]
pub struct Report {
    /// Games played.
    pub games: u64,
    /// Games whose result, final clocks and moves in the daemon equal the PGN's.
    pub equal: u64,
    /// The others.
    pub differences: Vec<Difference>,
    /// Games that could not be played.
    pub unplayable: Vec<Unplayable>,
    /// Games that the Laws end before their file does.
    pub cut_short: Vec<Unplayable>,
    /// Presses sent.
    pub presses: u64,
    /// Presses acknowledged as durable.
    pub presses_acked: u64,
    /// Reports sent, presses among them, each counted once.
    pub reports: u64,
    /// Rulings of the fleet's arbiter.
    pub rulings: u64,
    /// Times that were set by a ruling since no play under the game's control gives them.
    pub clocks_set: u64,
    /// Results that were entered by a ruling.
    pub results_ruled: u64,
    /// Results that were corrected by a ruling.
    pub corrections: u64,
    /// Restarts of a device after which the arbiter confirmed the times.
    pub restarts_confirmed: u64,
    /// Games whose file gave no control that could be used.
    pub default_controls: u64,
    /// Games whose file gave no times.
    pub invented: u64,
    /// Reports lost on the way.
    pub dropped: u64,
    /// Reports sent twice.
    pub duplicated: u64,
    /// Reports sent after the next.
    pub reordered: u64,
    /// Reports sent again.
    pub resent: u64,
    /// Restarts of devices.
    pub reboots: u64,
    /// Times that the network was gone.
    pub partitions: u64,
    /// Connections opened.
    pub connections: u64,
    latency: Histogram<u64>,
}

/// A game that went otherwise than its file.
#[derive(Debug, Clone, Serialize)]
pub struct Difference {
    /// In the daemon.
    pub game: u64,
    /// Its file.
    pub file: String,
    /// Its number there.
    pub number: usize,
    /// Result and final clocks of the file.
    pub expected: String,
    /// Those in the daemon.
    pub got: String,
}

/// A game that cannot be played, or not to the end of its file.
#[derive(Debug, Clone, Serialize)]
pub struct Unplayable {
    /// Its file.
    pub file: String,
    /// Its number there; 0: the file itself.
    pub number: usize,
    /// Why not.
    pub reason: String,
}

impl Default for Report {
    fn default() -> Report {
        Report {
            games: 0,
            equal: 0,
            differences: Vec::new(),
            unplayable: Vec::new(),
            cut_short: Vec::new(),
            presses: 0,
            presses_acked: 0,
            reports: 0,
            rulings: 0,
            clocks_set: 0,
            results_ruled: 0,
            corrections: 0,
            restarts_confirmed: 0,
            default_controls: 0,
            invented: 0,
            dropped: 0,
            duplicated: 0,
            reordered: 0,
            resent: 0,
            reboots: 0,
            partitions: 0,
            connections: 0,
            latency: Histogram::new_with_max(LONGEST, 3).expect("the bounds are in order"),
        }
    }
}

impl Report {
    pub(super) fn acked(&mut self, kept: &Kept) {
        if kept.is_press {
            self.presses_acked += 1;
            let micros = u64::try_from(kept.since.elapsed().as_micros()).unwrap_or(LONGEST);
            self.latency.saturating_record(micros.clamp(1, LONGEST));
        }
    }

    /// Takes a board's counts in.
    pub fn add(&mut self, part: Report) {
        self.differences.extend(part.differences);
        self.unplayable.extend(part.unplayable);
        self.cut_short.extend(part.cut_short);
        self.latency += part.latency;
        for (sum, n) in [
            (&mut self.games, part.games),
            (&mut self.equal, part.equal),
            (&mut self.presses, part.presses),
            (&mut self.presses_acked, part.presses_acked),
            (&mut self.reports, part.reports),
            (&mut self.rulings, part.rulings),
            (&mut self.clocks_set, part.clocks_set),
            (&mut self.results_ruled, part.results_ruled),
            (&mut self.corrections, part.corrections),
            (&mut self.restarts_confirmed, part.restarts_confirmed),
            (&mut self.default_controls, part.default_controls),
            (&mut self.invented, part.invented),
            (&mut self.dropped, part.dropped),
            (&mut self.duplicated, part.duplicated),
            (&mut self.reordered, part.reordered),
            (&mut self.resent, part.resent),
            (&mut self.reboots, part.reboots),
            (&mut self.partitions, part.partitions),
            (&mut self.connections, part.connections),
        ] {
            *sum += n;
        }
    }

    /// Press-to-ack time that a share of the presses did not exceed, in microseconds.
    pub fn latency_us(&self, share: f64) -> u64 {
        self.latency.value_at_quantile(share)
    }

    /// Whether every game went as its file says.
    pub fn all_equal(&self) -> bool {
        self.differences.is_empty() && self.games == self.equal
    }

    /// For programs.
    pub fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "games": self.games, "equal": self.equal, "differences": self.differences, "unplayable": self.unplayable, "cut_short": self.cut_short,
            "presses": self.presses, "presses_acked": self.presses_acked, "reports": self.reports,
            "press_to_ack_us": { "p50": self.latency_us(0.5), "p99": self.latency_us(0.99), "max": self.latency_us(1.0) },
            "rulings": { "all": self.rulings, "clocks_set": self.clocks_set, "results_ruled": self.results_ruled,
                "corrections": self.corrections, "restarts_confirmed": self.restarts_confirmed },
            "default_controls": self.default_controls, "invented_times": self.invented,
            "faults": { "dropped": self.dropped, "duplicated": self.duplicated, "reordered": self.reordered, "reboots": self.reboots,
                "partitions": self.partitions },
            "resent": self.resent, "connections": self.connections,
        })
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ms = |us: u64| us as f64 / 1_000.0;
        writeln!(f, "games          {} played, {} equal to their files, {} not", self.games, self.equal, self.differences.len())?;
        writeln!(f, "not playable   {}", self.unplayable.len())?;
        writeln!(f, "presses        {} sent, {} acknowledged", self.presses, self.presses_acked)?;
        let (p50, p99) = (ms(self.latency_us(0.5)), ms(self.latency_us(0.99)));
        writeln!(f, "press to ack   p50 {p50:.2} ms, p99 {p99:.2} ms, most {:.2} ms", ms(self.latency_us(1.0)))?;
        writeln!(
            f,
            "rulings        {} in all: {} set times that no play gives, {} gave results, {} corrected them, {} after restarts",
            self.rulings, self.clocks_set, self.results_ruled, self.corrections, self.restarts_confirmed
        )?;
        writeln!(f, "times          {} games with the default control, {} with invented times", self.default_controls, self.invented)?;
        write!(
            f,
            "faults         {} dropped, {} doubled, {} out of order, {} reboots, {} partitions; {} sent again, {} connections",
            self.dropped, self.duplicated, self.reordered, self.reboots, self.partitions, self.resent, self.connections
        )?;
        for d in &self.differences {
            write!(f, "\ndiffers: {} game {}: expected {}, got {} (game {} of the daemon)", d.file, d.number, d.expected, d.got, d.game)?;
        }
        for c in &self.cut_short {
            write!(f, "\nover before its file ends: {} game {}: {}", c.file, c.number, c.reason)?;
        }
        for u in &self.unplayable {
            write!(f, "\nnot playable: {} game {}: {}", u.file, u.number, u.reason)?;
        }
        Ok(())
    }
}
