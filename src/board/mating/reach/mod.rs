//! Where each piece of a locked position may ever come, and that this is not enough for mate.
//!
//! For each piece of the position there is the set of squares on which it may ever stand, and whether it may ever be taken.
//! A piece is *fixed* as long as its set is its own square and it is not known that it may be taken. The invariant: in every position
//! that legal moves lead to, each piece that is left stands in its set, and each that is gone may be taken. The sets are the least ones
//! that hold the start and are closed under the moves below, and each of these takes back only what the rules of chess forbid
//! as long as the invariant holds *before* the move, by pieces that stand there before and after it:
//!
//! - a piece comes on no square of a fixed piece of its own or of a fixed king; pawns push onto no square of a fixed piece;
//! - a king comes on no square next to, or attacked by, a fixed piece of the other side that is no slider or stands beside it;
//! - of two pawns facing each other on a file neither comes past the other's first square, while neither may leave the file
//!   and the other may not be taken;
//! - a piece is taken where one of the other side may come to a square of its set; a line piece walks its line square by square.
//!
//! Where a pawn may promote, a king castle, or one be taken in passing at once, there is no such proof.

pub(super) mod checked;

use shakmaty::attacks::{king_attacks, knight_attacks, pawn_attacks};
use shakmaty::{Bitboard, ByColor, Chess, Color, Position, Role, Square};

use super::Proof;

/// The sets of a position.
#[derive(Debug, Clone)]
pub(super) struct Reach {
    pieces: Vec<Piece>,
    /// Attacked for certain by fixed pieces, by colour.
    held: ByColor<Bitboard>,
    fixed: ByColor<Bitboard>,
}

/// A piece, by where it stands at first.
#[derive(Debug, Clone, Copy)]
struct Piece {
    color: Color,
    role: Role,
    start: Square,
    reach: Bitboard,
    taken: bool,
}

impl Piece {
    fn is_fixed(&self) -> bool {
        !self.taken && self.reach == Bitboard::from_square(self.start)
    }

    /// Squares that it may attack from its set, one step far.
    fn steps(&self) -> Bitboard {
        match self.role {
            Role::Pawn => around(self.reach, |s| pawn_attacks(self.color, s)),
            Role::Knight => around(self.reach, knight_attacks),
            Role::King => around(self.reach, king_attacks),
            Role::Bishop => around(self.reach, diagonal),
            Role::Rook => around(self.reach, straight),
            Role::Queen => around(self.reach, king_attacks),
        }
    }
}

fn around(squares: Bitboard, steps: impl Fn(Square) -> Bitboard) -> Bitboard {
    squares.into_iter().fold(Bitboard::EMPTY, |all, square| all | steps(square))
}

fn straight(square: Square) -> Bitboard {
    king_attacks(square) & (Bitboard::from_file(square.file()) | Bitboard::from_rank(square.rank()))
}

fn diagonal(square: Square) -> Bitboard {
    king_attacks(square) ^ straight(square)
}

impl Reach {
    /// The sets; `None` where there is no proof of this kind.
    pub(super) fn of(position: &Chess) -> Option<Reach> {
        if !position.castles().is_empty() || !position.en_passant_moves().is_empty() {
            return None;
        }
        let board = position.board();
        let piece = |(start, piece): (Square, shakmaty::Piece)| Piece {
            color: piece.color,
            role: piece.role,
            start,
            reach: Bitboard::from_square(start),
            taken: false,
        };
        let mut reach = Reach { pieces: board.iter().map(piece).collect(), held: ByColor::default(), fixed: ByColor::default() };
        while reach.grow()? {}
        Some(reach)
    }

    /// What the sets come to, as a proof.
    pub(super) fn proof(&self) -> Proof {
        Proof::Reach { squares: self.squares() }
    }

    /// How many squares all sets have.
    pub(super) fn squares(&self) -> u32 {
        self.pieces.iter().map(|piece| piece.reach.count() as u32).sum()
    }

    /// Takes in what may come of one more move; `None` if a pawn may promote.
    fn grow(&mut self) -> Option<bool> {
        self.settle();
        let mut grown = false;
        for i in 0..self.pieces.len() {
            let piece = self.pieces[i];
            let mut to = piece.reach | self.quiet(&piece);
            let strikes = if piece.role == Role::King { piece.steps() & !self.held[!piece.color] } else { piece.steps() };
            for other in &mut self.pieces {
                if other.color != piece.color && other.role != Role::King && strikes.intersects(other.reach) {
                    to |= strikes & other.reach;
                    grown |= !std::mem::replace(&mut other.taken, true);
                }
            }
            if piece.role == Role::Pawn && to.intersects(Bitboard::BACKRANKS) {
                return None;
            }
            grown |= to != piece.reach;
            self.pieces[i].reach = to;
        }
        Some(grown)
    }

    /// What the fixed pieces hold and block.
    fn settle(&mut self) {
        self.held = ByColor::default();
        self.fixed = ByColor::default();
        for piece in self.pieces.iter().filter(|piece| piece.is_fixed()) {
            self.fixed[piece.color] |= piece.reach;
            self.held[piece.color] |= piece.steps();
        }
    }

    /// Squares where a piece may come without taking.
    fn quiet(&self, piece: &Piece) -> Bitboard {
        let fixed = self.fixed.white | self.fixed.black;
        match piece.role {
            Role::Pawn => {
                let ahead = if piece.color.is_white() { Bitboard(piece.reach.0 << 8) } else { Bitboard(piece.reach.0 >> 8) };
                ahead & !fixed & !self.beyond(piece)
            }
            Role::King => piece.steps() & !fixed & !self.held[!piece.color],
            _ => piece.steps() & !fixed,
        }
    }

    /// Squares of its file that a pawn cannot push to, as a pawn of the other side faces it there.
    fn beyond(&self, pawn: &Piece) -> Bitboard {
        let file = Bitboard::from_file(pawn.start.file());
        let mut beyond = Bitboard::EMPTY;
        if !(pawn.reach & !file).is_empty() {
            return beyond;
        }
        for other in self.pieces.iter().filter(|other| other.role == Role::Pawn && other.color != pawn.color && !other.taken) {
            let ahead = if pawn.color.is_white() { other.start > pawn.start } else { other.start < pawn.start };
            if (other.reach & !file).is_empty() && ahead {
                let wall = Bitboard::from_square(other.start);
                let behind = if pawn.color.is_white() { Bitboard(!(wall.0 - 1)) } else { Bitboard(wall.0 | (wall.0 - 1)) };
                beyond |= behind & file;
            }
        }
        beyond
    }

    /// Whether no position within the sets is mate by `winner`.
    pub(super) fn excludes_mate(&self, winner: Color) -> bool {
        let own = || self.pieces.iter().filter(move |piece| piece.color == winner);
        let attacks = own().filter(|piece| piece.role != Role::King).fold(Bitboard::EMPTY, |all, piece| all | piece.steps());
        let king_of = |color: Color| self.pieces.iter().find(|piece| piece.color == color && piece.role == Role::King);
        let (Some(mine), Some(king)) = (king_of(winner), king_of(!winner)) else { return false };
        (king.reach & attacks).into_iter().all(|at| {
            let open = king_attacks(at) & !attacks;
            let near = mine.reach & !king_attacks(at) & !Bitboard::from_square(at);
            // The winner's king is somewhere, or too far to hold anything.
            let mut left: Vec<Bitboard> = near.into_iter().map(|from| open & !king_attacks(from)).collect();
            left.sort();
            left.dedup();
            left.into_iter().all(|open| !self.fills(open, !winner))
        })
    }

    /// Whether pieces of a side may stand on all of these squares at once.
    fn fills(&self, squares: Bitboard, side: Color) -> bool {
        let pieces: Vec<Bitboard> =
            self.pieces.iter().filter(|piece| piece.color == side && piece.role != Role::King).map(|piece| piece.reach).collect();
        let mut owner: Vec<Option<Square>> = vec![None; pieces.len()];
        squares.into_iter().all(|square| place(square, &pieces, &mut owner, &mut vec![false; pieces.len()]))
    }
}

/// Finds a piece for a square, moving others to other squares if need be.
fn place(square: Square, pieces: &[Bitboard], owner: &mut [Option<Square>], tried: &mut [bool]) -> bool {
    for i in 0..pieces.len() {
        if pieces[i].contains(square) && !std::mem::replace(&mut tried[i], true) {
            let free = match owner[i] {
                None => true,
                Some(other) => place(other, pieces, owner, tried),
            };
            if free {
                owner[i] = Some(square);
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use rand::seq::IndexedRandom;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use shakmaty::{Board, CastlingMode, File, FromSetup, Move, Rank, Setup};

    use super::*;

    /// Pawns that face each other on most files, kings, and a few officers, wherever they fall.
    fn wall(random: &mut ChaCha8Rng) -> Option<Chess> {
        let mut board = Board::empty();
        let mut rank = random.random_range(2..5);
        for file in File::ALL {
            // Another rank than beside it, mostly: nothing can be taken.
            if random.random_bool(0.95) {
                rank = if rank == 3 { *[2, 4].choose(random)? } else { 3 };
            }
            if random.random_bool(0.93) {
                let gap = u32::from(random.random_bool(0.05));
                board.set_piece_at(Square::from_coords(file, Rank::new(rank)), Color::White.pawn());
                board.set_piece_at(Square::from_coords(file, Rank::new(rank + 1 + gap)), Color::Black.pawn());
            }
        }
        for color in Color::ALL {
            for i in 0..random.random_range(1..4) {
                let square = Square::new(random.random_range(0..64));
                let role = if i == 0 { Role::King } else { *[Role::Bishop, Role::Bishop, Role::Bishop, Role::Knight, Role::Rook].choose(random)? };
                if board.piece_at(square).is_none() {
                    board.set_piece_at(square, role.of(color));
                }
            }
        }
        let setup = Setup { board, turn: Color::from_white(random.random_bool(0.5)), ..Setup::empty() };
        Chess::from_setup(setup, CastlingMode::Standard).ok()
    }

    /// Follows each piece from its first square: it never leaves its set, and what is taken could be.
    fn plays_within(reach: &Reach, start: &Chess, random: &mut ChaCha8Rng) -> usize {
        let mut now = start.clone();
        let mut at: Vec<Option<Square>> = reach.pieces.iter().map(|piece| Some(piece.start)).collect();
        let mut moves = 0;
        for _ in 0..150 {
            let legal = now.legal_moves();
            // Captures and pawn moves rather than more of the same.
            let rare: Vec<&Move> = legal.iter().filter(|m| m.is_zeroing()).collect();
            let chosen = if random.random_bool(0.5) { rare.choose(random).map(|m| **m) } else { None };
            let Some(m) = chosen.or_else(|| legal.choose(random).copied()) else { break };
            let taken = match m {
                Move::EnPassant { from, to } => Some(Square::from_coords(to.file(), from.rank())),
                _ => m.is_capture().then(|| m.to()),
            };
            if let Some(i) = taken.and_then(|taken| at.iter().position(|square| *square == Some(taken))) {
                assert!(reach.pieces[i].taken, "{:?} taken in {start:?}", reach.pieces[i]);
                at[i] = None;
            }
            let i = at.iter().position(|square| *square == m.from()).unwrap();
            assert!(reach.pieces[i].reach.contains(m.to()), "{:?} to {} in {start:?}", reach.pieces[i], m.to());
            at[i] = Some(m.to());
            now.play_unchecked(m);
            moves += 1;
        }
        for winner in Color::ALL {
            assert!(!(now.is_checkmate() && now.turn() != winner && reach.excludes_mate(winner)), "{start:?}");
        }
        moves
    }

    #[test]
    fn no_playout_leaves_the_sets() {
        let mut random = ChaCha8Rng::seed_from_u64(4);
        let (mut moves, mut proofs) = (0, 0);
        for _ in 0..40_000 {
            let Some(start) = wall(&mut random) else { continue };
            let Some(reach) = Reach::of(&start) else { continue };
            assert!(checked::is_closed(&reach) && checked::starts_with(&reach, &start));
            proofs += Color::ALL.into_iter().filter(|winner| reach.excludes_mate(*winner)).count();
            moves += plays_within(&reach, &start, &mut random);
        }
        println!("{moves} moves, {proofs} proofs");
        assert!(moves > 60_000 && proofs > 800, "{moves} {proofs}");
    }

    #[test]
    fn smaller_sets_are_refused() {
        let start = crate::board::mating::asked("8/2k5/p1p1p3/P1PpP1p1/3Pp1Pp/4P2P/6K1/8 b - - 0 1").unwrap();
        let reach = Reach::of(&start).unwrap();
        assert!(checked::is_closed(&reach) && checked::starts_with(&reach, &start));
        for (i, piece) in reach.pieces.iter().enumerate() {
            for square in piece.reach.into_iter().filter(|square| *square != piece.start) {
                let mut less = reach.clone();
                less.pieces[i].reach.discard(square);
                assert!(!checked::is_closed(&less), "{piece:?} without {square}");
            }
        }
        let mut other = reach.clone();
        other.pieces.pop();
        assert!(!checked::starts_with(&other, &start));
    }
}
