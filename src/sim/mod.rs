//! A day of a whole hall, simulated from a seed: devices, players, arbiters, readers, a network that fails and a
//! daemon that is killed between any two steps, all in virtual time.
//!
//! The writer, the decisions, the bytes on the wire and in the log, what readers may see and the audit are the real
//! ones; what is simulated is everything around them. One seed is one day: the same seed, boards and hours give the
//! same day on every machine.

mod arbiters;
mod board;
mod bug;
mod check;
mod daemon;
mod day;
mod device;
mod disk;
mod env;
mod flags;
mod over;
mod readers;
mod session;
mod tampered;
mod time_kept;
mod weather;

use std::fmt;

pub use bug::Bug;

/// Most boards of a simulated hall.
pub const MAX_BOARDS: usize = 2_000;
/// Longest simulated day, in hours.
pub const MAX_HOURS: f64 = 100.0;

/// A day to be simulated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// What everything is drawn from.
    pub seed: u64,
    /// Boards, each with a device, but for a few that the daemon times.
    pub boards: usize,
    /// How long is played.
    pub hours: f64,
    /// A bug to be found.
    pub bug: Option<Bug>,
}

impl Options {
    /// A day without a bug.
    pub fn new(seed: u64, boards: usize, hours: f64) -> Options {
        Options { seed, boards: boards.clamp(1, MAX_BOARDS), hours: hours.clamp(0.0, MAX_HOURS), bug: None }
    }
}

/// What must hold after every step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Invariant {
    /// What was acknowledged is in the log, whatever crashed since.
    AckedIsDurable,
    /// What a reader was shown is in the log, whatever crashed since.
    ShownIsDurable,
    /// Every reader saw everything that he may see once and in order.
    ReadersSawAll,
    /// No reader saw anything that he may not see.
    OnlyPublic,
    /// A replay of the log is what the daemon lived.
    ReplayIsLived,
    /// The log holds the reports as their devices wrote and stamped them, each once and in order.
    StampsAreTheDevices,
    /// A clock lost what ran on its device between two of its stamps, and gained what the control and the rulings gave.
    TimeIsConserved,
    /// No flag fell that had not fallen on the device's own clock.
    FlagsFellOnTheClock,
    /// A ruling holds once, however often it comes.
    RulingsHoldOnce,
    /// The versions of every subject are numbered without gaps.
    VersionsHaveNoGap,
    /// Nothing happens in a game that is over but what may.
    OverIsOver,
    /// An input is in the log with all that follows from it, or not at all.
    CommitsAreWhole,
    /// The chain holds over the whole log.
    ChainHolds,
    /// Decided again, everything comes out as recorded.
    AuditAgrees,
    /// Once nothing goes wrong any more, everything arrives: reports, orders, rulings, pages.
    AllSettles,
}

impl fmt::Display for Invariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = format!("{self:?}");
        for (i, c) in words.chars().enumerate() {
            if i > 0 && c.is_uppercase() {
                f.write_str(" ")?;
            }
            write!(f, "{}", c.to_ascii_lowercase())?;
        }
        Ok(())
    }
}

/// An invariant that does not hold, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Broken {
    invariant: Invariant,
    how: String,
}

/// A day on which an invariant did not hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// The day.
    pub options: Options,
    /// What does not hold.
    pub invariant: Invariant,
    /// How that shows.
    pub how: String,
    /// At which step.
    pub step: u64,
    /// What happened last.
    pub trace: Vec<String>,
}

impl Failure {
    /// The command that simulates the same day again.
    pub fn command(&self) -> String {
        format!("zeitnot simulate --seed {} --boards {} --hours {}", self.options.seed, self.options.boards, self.options.hours)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.trace.iter().try_for_each(|line| writeln!(f, "{line}"))?;
        writeln!(f, "seed {} fails at step {}: {}: {}", self.options.seed, self.step, self.invariant, self.how)?;
        write!(f, "again: {}", self.command())
    }
}

/// Declares the figures of days, each with its name, and how those of several days are added.
macro_rules! counts {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        /// What happened on a day, or on several.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct Counts {
            $($(#[$doc])* pub $name: u64,)+
        }

        impl Counts {
            /// Adds those of another day.
            pub fn add(&mut self, other: &Counts) {
                $(self.$name += other.$name;)+
            }

            /// Every figure with its name.
            pub fn named(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($name), self.$name)),+]
            }
        }
    };
}

counts! {
    /// Events of the simulation.
    steps,
    /// Entries in the log.
    entries,
    /// Their bytes.
    bytes,
    /// Commits.
    commits,
    /// Games opened.
    games,
    /// Games that ended.
    finished,
    /// Presses of devices.
    presses,
    /// Reports that devices wrote.
    reports,
    /// Reports that devices sent again.
    resent,
    /// Rulings sent.
    rulings,
    /// Requests of arbiters and office that were refused.
    refused,
    /// Messages that were lost.
    lost,
    /// Messages that came twice.
    doubled,
    /// Messages that may have overtaken others.
    overtaken,
    /// Streams that broke.
    lines_lost,
    /// Devices that were cut off.
    cuts,
    /// Devices that restarted.
    reboots,
    /// Device counters that were set.
    clock_steps,
    /// Devices that went for good.
    deaths,
    /// Devices that were replaced in a game.
    swaps,
    /// Kills of the daemon between two events.
    kills,
    /// Kills of the daemon in the middle of its work.
    kills_at_work,
    /// Starts of the daemon.
    starts,
    /// Commits that failed.
    disk_failed,
    /// Commits that were torn.
    torn,
    /// Commits that found the disk full.
    disk_full,
    /// Entries that readers saw.
    shown,
    /// Flags that fell.
    flags,
    /// Reports that came late, of games that their devices had left.
    belated,
    /// Digests of a replay that were compared.
    digests,
    /// Games whose displays were compared with the record at the end.
    displays,
}

/// Simulates a day.
///
/// # Errors
/// Where an invariant does not hold.
pub fn day(options: &Options) -> Result<Counts, Box<Failure>> {
    day::Day::new(*options).run()
}
