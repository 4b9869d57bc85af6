//! What the search looks into first. Nothing here decides anything: it only orders.

use shakmaty::attacks::king_attacks;
use shakmaty::{Bitboard, Board, Chess, Color, File, Position, Rank, Square};

/// Number of orders, one for each queue.
pub(super) const QUEUES: usize = 3;

/// The orders of one search.
#[derive(Debug)]
pub(super) struct Guide {
    winner: Color,
    ticks: usize,
}

impl Guide {
    pub(super) fn new(_position: &Chess, winner: Color) -> Guide {
        Guide { winner, ticks: 0 }
    }

    /// The place of a position in each queue, the least first.
    pub(super) fn priorities(&mut self, position: &Chess) -> [usize; QUEUES] {
        self.ticks += 1;
        let board = position.board();
        [self.mate(board), self.progress(board), self.ticks / 64]
    }

    /// How far from mate it looks: room of the king to be mated, distances, and what is left to mate with.
    fn mate(&self, board: &Board) -> usize {
        let (own, other) = (board.by_color(self.winner), board.by_color(!self.winner));
        let Some(king) = board.king_of(!self.winner) else { return 0 };
        let Some(mine) = board.king_of(self.winner) else { return 0 };
        let mut held = king_attacks(mine);
        for square in own ^ Bitboard::from_square(mine) {
            held |= board.attacks_from(square);
        }
        let room = (king_attacks(king) & !other & !held).count();
        let bishops = own & board.bishops();
        let strong = own & board.rooks_and_queens();
        let corner = if strong.is_empty() && bishops.any() && (own & board.knights()).is_empty() {
            let light = bishops.intersects(Bitboard::LIGHT_SQUARES);
            let (a, b) = if light { (Square::H1, Square::A8) } else { (Square::A1, Square::H8) };
            king.distance(a).min(king.distance(b)) as usize
        } else {
            let file = king.file() as usize;
            let rank = king.rank() as usize;
            file.min(7 - file).min(rank.min(7 - rank)) + file.min(7 - file).max(rank.min(7 - rank)) / 2
        };
        let near = (king.distance(mine) as usize).max(2) - 2;
        let far = if strong.any() { 0 } else { 2 * self.walk(board, self.winner) + 4 };
        let loss = 12 - (own.count().min(12));
        2 * room + 2 * corner + 2 * near + 2 * far + loss + other.count()
    }

    /// How many steps the foremost pawn of a side still has, 8 without a pawn.
    fn walk(&self, board: &Board, side: Color) -> usize {
        let pawns = board.pawns() & board.by_color(side);
        let foremost = if side.is_white() { pawns.last().map(|s| 7 - s.rank() as usize) } else { pawns.first().map(|s| s.rank() as usize) };
        foremost.unwrap_or(8)
    }

    /// What cannot be taken back is done first: captures and pawn moves, by whomever.
    fn progress(&self, board: &Board) -> usize {
        let steps = |pawns: Bitboard, white: bool| {
            Rank::ALL
                .iter()
                .map(|rank| (pawns & Bitboard::from_rank(*rank)).count() * if white { 7 - *rank as usize } else { *rank as usize })
                .sum::<usize>()
        };
        let _ = File::A;
        let own = board.by_color(self.winner);
        let pawns = board.pawns();
        let walk = steps(pawns & board.white(), true) + steps(pawns & board.black(), false);
        let other = board.by_color(!self.winner);
        let strength = 9 * (own & board.queens()).count() + 5 * (own & board.rooks()).count() + 3 * own.count();
        walk * 2 + other.count() * 3 + 120 - strength.min(120)
    }
}
