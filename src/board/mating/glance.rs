//! The cheap look at every position: dead for certain, locked so that the full question should be asked, or nothing remarkable.

use shakmaty::{Bitboard, Board, ByColor, Chess, Color, Position};

use super::Proof;
use super::lemma::cannot_mate;
use super::reach::Reach;
use super::tree::{Forced, all_end, forced};

/// What a first look at a position tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Glance {
    /// Neither side can mate, for these reasons.
    Dead(ByColor<Proof>),
    /// Nothing remarkable; not looked into any further.
    Open,
    /// The pawns are locked, or nearly: ask [`super::judge`].
    Locked,
}

/// More legal moves than this are no reason to look ahead.
const FEW_MOVES: usize = 4;
/// Longest forced line and most nodes of a look ahead.
const PLIES: u32 = 40;
const NODES: u64 = 60;
/// Pawns that may still move, and officers other than bishops, in a locked position.
const FREE: usize = 2;

/// A look at a position, to be had after every move.
pub fn glance(position: &Chess) -> Glance {
    let both = |proof| Glance::Dead(ByColor { white: proof, black: proof });
    let moves = position.legal_moves();
    if moves.is_empty() {
        return if position.is_check() { Glance::Open } else { both(Proof::Terminal) };
    }
    let board = position.board();
    if cannot_mate(board, Color::White) && cannot_mate(board, Color::Black) {
        return both(Proof::Material);
    }
    if moves.len() <= FEW_MOVES
        && let Some(proofs) = for_both(|winner| ahead(position, winner, moves.len()))
    {
        return Glance::Dead(proofs);
    }
    if !is_locked(board) {
        return Glance::Open;
    }
    let reach = Reach::of(position);
    match for_both(|winner| reach.as_ref().filter(|reach| reach.excludes_mate(winner)).map(Reach::proof)) {
        Some(proofs) => Glance::Dead(proofs),
        None => Glance::Locked,
    }
}

fn for_both(proof: impl Fn(Color) -> Option<Proof>) -> Option<ByColor<Proof>> {
    Some(ByColor { white: proof(Color::White)?, black: proof(Color::Black)? })
}

/// A proof from the next few moves.
fn ahead(position: &Chess, winner: Color, moves: usize) -> Option<Proof> {
    if cannot_mate(position.board(), winner) {
        return Some(Proof::Material);
    }
    if moves == 1
        && let Forced::Ends { plies } = forced(position, winner, PLIES, &mut 0)
    {
        return Some(Proof::ForcedLine { plies });
    }
    all_end(position, winner, 4, &mut 0, NODES).map(|leaves| Proof::Tree { leaves })
}

/// Whether all pawns but a few stand before another pawn, and few officers but bishops are left.
fn is_locked(board: &Board) -> bool {
    let pawns = board.pawns();
    let (white, black) = (pawns & board.white(), pawns & board.black());
    if pawns.is_empty() || (board.knights() | board.rooks_and_queens()).count() > FREE {
        return false;
    }
    let free = |pawns: Bitboard, ahead: Bitboard| (pawns & !ahead).count();
    free(white, Bitboard(pawns.0 >> 8)) + free(black, Bitboard(pawns.0 << 8)) <= FREE
}
