//! Whether a side can still give mate by any series of legal moves (5.2.2, 6.9), with what shows it.
//!
//! [`judge`] answers *yes* with a helpmate that has been replayed, *no* with a proof that [`check`] accepts, or neither.
//! The rules of 50 and 75 moves and of repetition are not looked at. Budgets are numbers of positions, never time,
//! so that the same question always gets the same answer. [`glance`] is cheap enough for every move.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `lemma.rs` | what the material alone decides |
//! | `tree.rs` | mate or no move on the board, forced lines, short lines that all end |
//! | `reach/` | where the pieces of a locked position may ever come |
//! | `search.rs`, `guide.rs`, `key.rs` | helpmates, and all positions that can be reached |
//! | `check.rs` | proofs checked without the search |
//! | `potential/` | mating potential, as blitz had it in 1997 |

mod check;
mod glance;
mod guide;
mod key;
mod lemma;
pub mod potential;
mod reach;
mod search;
mod tree;

use std::fmt;

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Color, Position, PositionError};

pub use check::check;
pub use glance::{Glance, glance};

use super::StartError;
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
    /// The same, where positions locked by a capture or a pawn move, as in [`Proof::Reach`], are left out.
    Locking {
        /// How many there are.
        positions: u32,
        /// Their sum.
        digest: [u8; 32],
    },
}

impl Proof {
    /// A word for the kind of proof.
    pub fn word(&self) -> &'static str {
        match self {
            Proof::Terminal => "terminal",
            Proof::Material => "material",
            Proof::ForcedLine { .. } => "forced-line",
            Proof::Tree { .. } => "tree",
            Proof::Reach { .. } => "reach",
            Proof::Closure { .. } => "closure",
            Proof::Locking { .. } => "locking",
        }
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Proof::Terminal => f.write_str("there is no legal move"),
            Proof::Material => f.write_str("the material allows no mate"),
            Proof::ForcedLine { plies } => write!(f, "the only line ends after {plies} plies"),
            Proof::Tree { leaves } => write!(f, "all lines end soon, at {leaves} ends"),
            Proof::Reach { .. } => f.write_str("the pieces cannot come where mate would need them"),
            Proof::Closure { positions, .. } => write!(f, "none of the {positions} positions that can be reached is mate"),
            Proof::Locking { positions, .. } => write!(f, "none of {positions} positions is mate, and what leads on from them is locked"),
        }
    }
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
    pub const QUICK: Budget = Budget { nodes: 5_000 };
    /// A full verdict: a second at most.
    pub const DEFAULT: Budget = Budget { nodes: 1_500_000 };
}

/// A position to be asked about: any in which each side has a king and the one that is not to move is not in check.
/// There may be more material than a game can bring about, or checks that no move can give.
///
/// # Errors
/// Where the text is no FEN, or no such position.
pub fn asked(text: &str) -> Result<Chess, StartError> {
    let short = || text.chars().take(100).collect::<String>();
    let fen: Fen = text.parse().map_err(|_| StartError::Fen(short()))?;
    let mode = CastlingMode::detect(fen.as_setup());
    let position = fen.into_position(mode).or_else(PositionError::ignore_too_much_material).or_else(PositionError::ignore_impossible_check);
    position.map_err(|e| StartError::Illegal(short(), e.to_string()))
}

/// Up to how many nodes the plain search and the one that looks for locked positions go on in turn.
const TURNS: [(u64, u64); 4] = [(5_000, 7_000), (20_000, 60_000), (400_000, 800_000), (u64::MAX, u64::MAX)];

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
    *nodes += search::REACH_NODES;
    if let Some(reach) = Reach::of(position).filter(|reach| reach.excludes_mate(winner)) {
        return Mating::Impossible(reach.proof());
    }
    let mut plain = Search::new(position, winner, false);
    let mut locking = Search::new(position, winner, true);
    for (first, then) in TURNS {
        match plain.run(nodes, first.min(budget.nodes)) {
            Found::Spent => {}
            found => return settle(position, winner, found, false),
        }
        match locking.run(nodes, then.min(budget.nodes)) {
            Found::Spent => {}
            found => return settle(position, winner, found, true),
        }
    }
    Mating::Unclear
}

fn settle(position: &Chess, winner: Color, found: Found, locking: bool) -> Mating {
    match found {
        Found::Mate(line) if replays(position, &line, winner) => Mating::Possible(line),
        Found::Closed { positions, digest } if locking => Mating::Impossible(Proof::Locking { positions, digest }),
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
