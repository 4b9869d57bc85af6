//! What the search looks into first. Nothing here decides anything: it only orders.

use shakmaty::attacks::king_attacks;
use shakmaty::{Bitboard, Board, Chess, Color, Position, Rank, Square};

/// Number of orders, one for each queue.
pub(super) const QUEUES: usize = 5;

/// The orders of one search.
#[derive(Debug)]
pub(super) struct Guide {
    winner: Color,
    ticks: usize,
}

/// Positions that were found together share a place in the order of finding.
const BATCH: usize = 64;

impl Guide {
    pub(super) fn new(winner: Color) -> Guide {
        Guide { winner, ticks: 0 }
    }

    /// The place of a position in each queue, the least first.
    pub(super) fn priorities(&mut self, position: &Chess) -> [usize; QUEUES] {
        self.ticks += 1;
        let board = position.board();
        let (own, other) = (board.by_color(self.winner), board.by_color(!self.winner));
        let (Some(king), Some(mine)) = (board.king_of(!self.winner), board.king_of(self.winner)) else { return [0; QUEUES] };
        let mut held = king_attacks(mine);
        for square in own ^ Bitboard::from_square(mine) {
            held |= board.attacks_from(square);
        }
        let room = (king_attacks(king) & !other & !held).count();
        let strong = own & board.rooks_and_queens();
        let far = if strong.any() { 0 } else { 4 + 2 * walk(board, self.winner) };
        let near = (king.distance(mine) as usize).max(2) - 2;
        let loss = 12 - own.count().min(12);
        let rest = 2 * (near + far) + loss + other.count();
        let mate = rest + 2 * room;
        // A bishop mates in a corner of its colour; a knight where a bishop of the other side's can stand beside the king.
        let (bishops, blockers) = (own & board.bishops(), other & board.bishops());
        let light = if bishops.any() { bishops.intersects(Bitboard::LIGHT_SQUARES) } else { blockers.intersects(Bitboard::DARK_SQUARES) };
        let (one, two) = if light { (Square::H1, Square::A8) } else { (Square::A1, Square::H8) };
        let blocked = |corner: Square| {
            let blockers = other & !board.kings();
            let block = blockers.into_iter().map(|square| square.distance(corner) as usize).min().unwrap_or(0);
            let away = king.distance(corner) as usize;
            let tight = if away == 0 { 2 * room } else { 16 + 3 * away };
            rest + tight + if strong.is_empty() { 2 * block + 2 * (mine.distance(corner) as usize).max(2) } else { 0 }
        };
        let steps = steps(board);
        let progress =
            2 * steps + 3 * other.count() + 120 - (9 * (own & board.queens()).count() + 5 * (own & board.rooks()).count() + 3 * own.count()).min(120);
        let nearest = |from: Square, pawns: Bitboard| pawns.into_iter().map(|pawn| from.distance(pawn) as usize).min().unwrap_or(8);
        let raid = 4 * progress + nearest(mine, board.pawns() & other) + nearest(king, board.pawns() & own);
        [mate + 2 * edge(king), blocked(one), blocked(two), raid, self.ticks / BATCH]
    }
}

/// How far a square is from a corner.
fn edge(square: Square) -> usize {
    let (file, rank) = (square.file() as usize, square.rank() as usize);
    let (file, rank) = (file.min(7 - file), rank.min(7 - rank));
    file.min(rank) + file.max(rank) / 2
}

/// How far the pawn is from promotion that has the shortest way, one in its way counting as three steps; 10 without a pawn.
fn walk(board: &Board, side: Color) -> usize {
    let pawns = board.pawns() & board.by_color(side);
    let ways = pawns.into_iter().map(|pawn| {
        let file = Bitboard::from_file(pawn.file()).0;
        let (ahead, steps) = match side {
            Color::White => (file & (!0 << (pawn as u32)) << 1, 7 - pawn.rank() as usize),
            Color::Black => (file & !(!0 << (pawn as u32)), pawn.rank() as usize),
        };
        steps + 3 * (board.pawns() & Bitboard(ahead)).count()
    });
    ways.min().unwrap_or(10)
}

/// How many steps all pawns still have.
fn steps(board: &Board) -> usize {
    let of = |pawns: Bitboard, rank: Rank, steps: usize| (pawns & Bitboard::from_rank(rank)).count() * steps;
    let (white, black) = (board.pawns() & board.white(), board.pawns() & board.black());
    Rank::ALL.into_iter().map(|rank| of(white, rank, 7 - rank as usize) + of(black, rank, rank as usize)).sum()
}
