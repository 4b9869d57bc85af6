//! What was tried and what came of it: a line now and then, and a table at the end.

use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use zeitnot::log::Alarm;
use zeitnot::time::Stopwatch;

use crate::hall::Players;
use crate::left::Left;

/// Rounds of one kind.
pub(crate) struct Tally {
    pub(crate) name: &'static str,
    pub(crate) boards: u32,
    pub(crate) seed: u64,
    pub(crate) dice: ChaCha8Rng,
    /// How many rounds there were.
    pub(crate) rounds: u32,
    wanted: u32,
    began: Stopwatch,
    /// Rounds in which the daemon died while it opened its log, or perhaps.
    early: u32,
    reports: u64,
    rulings: u64,
    again: u64,
    /// Entries of the logs of the days that are over.
    entries: u64,
    forward: u32,
    refilled: u32,
    rebuilt: u32,
    snapshots: u32,
}

/// Lines of the table, of all kinds that ran in this process.
static TABLE: Mutex<Vec<String>> = Mutex::new(Vec::new());

const HEADINGS: &str = "| died by | times | while opening | boards | seed | acknowledged reports | rulings | sent again | entries | store rolled forward | mirror refilled | store rebuilt | snapshots put aside | seconds | lost |";

/// A number from the environment.
pub(crate) fn setting(name: &str, usual: u32) -> u32 {
    std::env::var(name).map_or(usual, |value| value.parse().unwrap_or_else(|e| panic!("{name}={value}: {e}")))
}

impl Tally {
    pub(crate) fn new(name: &'static str, wanted: u32) -> Tally {
        let seed = setting("CRASH_SEED", 7).into();
        let dice = ChaCha8Rng::seed_from_u64(seed);
        println!("{name}: {wanted} times, seed {seed}");
        Tally {
            name,
            boards: setting("CRASH_BOARDS", 8),
            seed,
            dice,
            rounds: 0,
            wanted,
            began: Stopwatch::start(),
            early: 0,
            reports: 0,
            rulings: 0,
            again: 0,
            entries: 0,
            forward: 0,
            refilled: 0,
            rebuilt: 0,
            snapshots: 0,
        }
    }

    /// How many rounds are left.
    pub(crate) fn left(&self) -> u32 {
        self.wanted - self.rounds
    }

    /// A round is over, and nothing was lost.
    pub(crate) fn round(&mut self, early: bool, left: &Left) {
        self.rounds += 1;
        self.early += u32::from(early);
        for alarm in &left.alarms {
            match alarm {
                Alarm::StoreRolledForward { .. } => self.forward += 1,
                Alarm::MirrorRefilled { .. } => self.refilled += 1,
                Alarm::StoreRebuilt { .. } => self.rebuilt += 1,
                Alarm::SnapshotsSetAside { .. } => self.snapshots += 1,
                Alarm::MirrorFailed { .. } => panic!("{alarm}"),
            }
        }
        if self.rounds.is_multiple_of(5) {
            println!(
                "{}: {} of {}, {:.0} s, {} entries in the log",
                self.name,
                self.rounds,
                self.wanted,
                self.began.elapsed().as_secs_f64(),
                left.entries
            );
        }
    }

    /// A day is over.
    pub(crate) fn over(&mut self, players: &Players, entries: u64) {
        self.reports += players.clocks.iter().map(|clock| u64::from(clock.acked)).sum::<u64>();
        self.again += players.clocks.iter().map(|clock| u64::from(clock.again)).sum::<u64>();
        self.rulings += players.rulings.len() as u64;
        self.entries += entries;
    }

    /// All rounds are over, and nothing was lost: the table as it is by now.
    pub(crate) fn end(self) {
        let Tally { name, rounds, early, boards, seed, reports, rulings, again, entries, forward, refilled, rebuilt, snapshots, .. } = self;
        let seconds = self.began.elapsed().as_secs();
        let mut table = TABLE.lock().unwrap_or_else(PoisonError::into_inner);
        table.push(format!(
            "| {name} | {rounds} | {early} | {boards} | {seed} | {reports} | {rulings} | {again} | {entries} | {forward} | {refilled} | {rebuilt} | {snapshots} | {seconds} | none |"
        ));
        let mut page = format!("\n{HEADINGS}\n");
        for line in &*table {
            let _ = writeln!(page, "{line}");
        }
        println!("{page}");
    }
}
