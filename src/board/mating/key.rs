//! A position in 32 bytes, whole: two positions have the same key exactly if they are the same for the Laws (9.2.3).

use shakmaty::{Bitboard, Board, ByColor, ByRole, CastlingMode, Chess, Color, EnPassantMode, FromSetup, Position, PositionError, Setup};

/// Four planes of bits, a column of four for each square.
///
/// The first three give what stands there: pawn 1, knight 2, bishop 3, rook 4, queen 5, the king that is to move 6, the other king 7;
/// a pawn on a back rank is a rook that may still castle. The fourth gives White's pieces; on an empty square it marks
/// where a pawn may be taken in passing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key([u64; 4]);

impl Key {
    /// The key of a position.
    pub(super) fn of(position: &Chess) -> Key {
        let (role, color) = position.board().clone().into_bitboards();
        let castling = position.castles().castling_rights();
        let us = role.king & position.us();
        let them = role.king ^ us;
        let passing = match position.maybe_ep_square() {
            None => Bitboard::EMPTY,
            Some(_) => position.ep_square(EnPassantMode::Legal).map_or(Bitboard::EMPTY, Bitboard::from_square),
        };
        Key([
            (role.pawn | role.bishop | role.queen | them | castling).0,
            (role.knight | role.bishop | role.king).0,
            ((role.rook ^ castling) | role.queen | role.king).0,
            (color.white | passing).0,
        ])
    }

    /// The position of a key; `None` only for what is the key of none.
    pub(super) fn position(self, mode: CastlingMode) -> Option<Chess> {
        let [a, b, c, d] = self.0.map(Bitboard);
        let occupied = a | b | c;
        let pawns = a & !b & !c;
        let castling = pawns & Bitboard::BACKRANKS;
        let role = ByRole {
            pawn: pawns ^ castling,
            knight: b & !a & !c,
            bishop: a & b & !c,
            rook: (c & !a & !b) | castling,
            queen: a & c & !b,
            king: b & c,
        };
        let color = ByColor { white: occupied & d, black: occupied & !d };
        let to_move = b & c & !a;
        let setup = Setup {
            board: Board::try_from_bitboards(role, color).ok()?,
            castling_rights: castling,
            ep_square: (d & !occupied).first(),
            turn: Color::from_white(to_move.intersects(color.white)),
            ..Setup::empty()
        };
        // Whatever was reached by legal moves is taken as it is.
        Chess::from_setup(setup, mode).or_else(PositionError::ignore_too_much_material).or_else(PositionError::ignore_impossible_check).ok()
    }

    /// A place in a table of a power of two; the table compares whole keys.
    pub(super) fn place(self) -> usize {
        let mixed = self.mixed(0x9e37_79b9_7f4a_7c15);
        (mixed ^ (mixed >> 29)) as usize
    }

    fn mixed(self, seed: u64) -> u64 {
        let mut h = seed;
        for word in self.0 {
            h = (h ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
            h ^= h >> 32;
        }
        h = h.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        h ^ (h >> 29)
    }
}

/// What a set of positions comes to, in whatever order they are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Sum([u64; 4]);

impl Sum {
    pub(super) fn add(&mut self, key: Key) {
        for (lane, sum) in self.0.iter_mut().enumerate() {
            *sum = sum.wrapping_add(key.mixed(0x5851_f42d_4c95_7f2d_u64.wrapping_mul(lane as u64 + 1)));
        }
    }

    pub(super) fn bytes(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for (chunk, word) in bytes.chunks_exact_mut(8).zip(self.0) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }
}
