//! The fleet: simulated clocks that play games of PGN files against a daemon over the real protocol, with faults.

mod arbiter;
mod board;
mod clock;
mod faults;
mod files;
pub(crate) mod journal;
mod link;
mod office;
pub mod plan;
mod report;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use indicatif::ProgressBar;

pub use faults::Faults;
pub use files::{Source, plans};
pub use report::{Difference, Report, Unplayable};

use arbiter::Arbiter;
use board::Board;
use office::Office;
use plan::Plan;

use crate::client::{Reach, reason};
use crate::wire::v1::{self, access_client::AccessClient};

/// Most boards that play at one time.
pub const MAX_BOARDS: usize = 5_000;

/// How a fleet plays.
#[derive(Debug, Clone)]
pub struct Options {
    /// The daemon. A token that is shown to it is a chief arbiter's, who gives each clock a credential of its own.
    pub reach: Reach,
    /// Boards that play at one time, each with a clock of its own.
    pub boards: usize,
    /// How many times faster than real the clocks run; `None`: as fast as they can.
    pub speed: Option<f64>,
    /// What goes wrong.
    pub faults: Faults,
    /// What fixes everything that is drawn.
    pub seed: u64,
}

/// Why a fleet gave up.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The daemon cannot be reached.
    #[error("{server} cannot be reached: {why}")]
    Unreachable {
        /// As given.
        server: String,
        /// What the transport says.
        why: String,
    },
    /// The daemon refused what the fleet needs.
    #[error("{what}: {why}")]
    Refused {
        /// What was asked.
        what: String,
        /// The answer.
        why: String,
    },
}

/// What all boards of a fleet share.
#[derive(Debug)]
struct Shared {
    options: Options,
    reach: Reach,
    office: Office,
    arbiter: Arbiter,
    queue: Mutex<VecDeque<(usize, Plan)>>,
    bar: ProgressBar,
}

/// Plays the plans to their ends and says how each went. `bar` counts the games that are done.
///
/// # Errors
/// Where the daemon cannot be reached or refuses what the fleet needs.
pub async fn run(options: Options, plans: Vec<Plan>, bar: ProgressBar) -> Result<Report, Error> {
    let unreachable = |why: String| Error::Unreachable { server: options.reach.server(), why };
    let reach = options.reach.clone().patient(link::PATIENCE, Some(link::PATIENCE));
    let line = reach.connect().await.map_err(|e| unreachable(reason(&e)))?;
    let boards = options.boards.clamp(1, MAX_BOARDS).min(plans.len().max(1));
    let office = Office::open(line, plans.len().div_ceil(boards), options.seed).await?;
    let arbiter = Arbiter::start(reach.clone(), office.tournament());
    let queue = Mutex::new(plans.into_iter().enumerate().collect());
    bar.set_length(office.games(&queue) as u64);
    let shared = Arc::new(Shared { options, reach, office, arbiter, queue, bar });
    let mut playing = tokio::task::JoinSet::new();
    for number in 0..boards {
        playing.spawn(Board::new(shared.clone(), number, boards).play_all());
    }
    let mut report = Report::default();
    while let Some(done) = playing.join_next().await {
        match done {
            Ok(Ok(part)) => report.add(part),
            Ok(Err(e)) => return Err(e),
            Err(panic) => return Err(Error::Refused { what: "a board".to_string(), why: panic.to_string() }),
        }
    }
    shared.bar.finish_and_clear();
    Ok(report)
}

impl Shared {
    /// How a clock reaches the daemon: with a credential of its own, where one is asked for.
    async fn reach_of(&self, device: u64) -> Result<Reach, Error> {
        if !self.reach.shows_a_token() {
            return Ok(self.reach.clone());
        }
        let refused = |why: String| Error::Refused { what: format!("a credential for clock {device}"), why };
        let line = self.reach.connect().await.map_err(|e| refused(reason(&e)))?;
        let mut access = AccessClient::new(line);
        let grant = v1::Grant { kind: Some(v1::grant::Kind::Clock(v1::GrantClock { device })) };
        let invite = v1::InviteRequest { grant: Some(grant), name: format!("clock {device}"), ..Default::default() };
        let invited = access.invite(invite).await.map_err(|status| refused(status.message().to_string()))?.into_inner();
        let login = access.enrol(v1::EnrolRequest { code: invited.code }).await.map_err(|status| refused(status.message().to_string()))?;
        self.reach.clone().showing(&login.into_inner().token).map_err(|e| refused(e.to_string()))
    }

    /// The next game to be played.
    fn next(&self) -> Option<(usize, Plan)> {
        // Nothing in here can leave the queue half changed.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }
}
