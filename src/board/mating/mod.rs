//! Whether a side can still give mate by any series of legal moves.

mod check;
mod glance;
mod guide;
mod key;
mod lemma;
mod reach;
mod search;
mod tree;

use shakmaty::{Chess, Color, Position, uci::UciMove};

pub use check::check;
pub use glance::{Glance, glance};

use reach::Reach;
use search::{Found, Search};

/// Whether a side can give mate by any possible series of legal moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mating {
    /// It can: this line is legal and mates.
    Possible(Vec<UciMove>),
    /// It cannot, for this reason.
    Impossible(Proof),
    /// Neither was found within the budget.
    Unclear,
}

/// Why a side cannot give mate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Proof {
    /// Stalemate, or that side is mated itself.
    Terminal,
    /// The material allows no mate.
    Material,
    /// Each move is the only one, until nothing is left to mate with, or a position repeats.
    ForcedLine {
        /// Length of the line.
        plies: u32,
    },
    /// All lines end within a few plies.
    Tree {
        /// How many ends there are.
        leaves: u32,
    },
    /// The pieces cannot come where mate would need them.
    Reach {
        /// How many squares the pieces' sets have in all.
        squares: u32,
    },
    /// None of the positions that can be reached is a mate.
    Closure {
        /// How many there are.
        positions: u32,
        /// Their sum.
        digest: [u8; 32],
    },
}

/// A verdict and what it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The verdict.
    pub mating: Mating,
    /// Positions made on the way.
    pub nodes: u64,
}

/// How much may be spent on a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Positions made, at most (a few more while the last one is finished).
    pub nodes: u64,
}

impl Budget {
    /// Fits inside a decision: about 2 ms.
    pub const QUICK: Budget = Budget { nodes: 6_000 };
    /// A full verdict: a second at most.
    pub const DEFAULT: Budget = Budget { nodes: 2_000_000 };
}

/// Whether `winner` can still give mate.
pub fn judge(position: &Chess, winner: Color, budget: Budget) -> Judged {
    let mut nodes = 1;
    let mating = verdict(position, winner, budget, &mut nodes);
    Judged { mating, nodes }
}

fn verdict(position: &Chess, winner: Color, budget: Budget, nodes: &mut u64) -> Mating {
    if let Some(plain) = tree::plain(position, winner) {
        return plain;
    }
    if let tree::Forced::Ends { plies } = tree::forced(position, winner, 200, nodes) {
        return Mating::Impossible(Proof::ForcedLine { plies });
    }
    let limit = *nodes + 1_000;
    for depth in [2, 4, 8] {
        if let Some(leaves) = tree::all_end(position, winner, depth, nodes, limit) {
            return Mating::Impossible(Proof::Tree { leaves });
        }
    }
    *nodes += 50;
    if let Some(reach) = Reach::of(position).filter(|reach| reach.excludes_mate(winner)) {
        return Mating::Impossible(reach.proof());
    }
    let mut search = Search::new(position, winner);
    match search.run(nodes, budget.nodes) {
        Found::Mate(line) if replays(position, &line, winner) => Mating::Possible(line),
        Found::Closed { positions, digest } => Mating::Impossible(Proof::Closure { positions, digest }),
        Found::Mate(_) | Found::Spent => Mating::Unclear,
    }
}

/// Whether a line is legal from a position and ends with `winner` having mated.
pub fn replays(position: &Chess, line: &[UciMove], winner: Color) -> bool {
    let mut now = position.clone();
    for made in line {
        let Ok(m) = made.to_move(&now) else { return false };
        now.play_unchecked(m);
    }
    now.turn() != winner && now.is_checkmate()
}
