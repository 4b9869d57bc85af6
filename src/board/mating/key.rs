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

#[cfg(test)]
mod tests {
    use rand::seq::IndexedRandom;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::board::chess960;

    #[test]
    fn keys_hold_all_of_a_position() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut seen: Vec<(Key, Chess)> = Vec::new();
        for _ in 0..60 {
            let mut now = chess960(random.random_range(0..960)).unwrap();
            for _ in 0..80 {
                let key = Key::of(&now);
                let again = key.position(CastlingMode::Chess960).unwrap();
                assert_eq!(again, now);
                assert_eq!(again.legal_moves().len(), now.legal_moves().len());
                seen.push((key, now.clone()));
                let moves = now.legal_moves();
                let Some(m) = moves.choose(&mut random) else { break };
                now.play_unchecked(*m);
            }
        }
        for (i, (key, position)) in seen.iter().enumerate().step_by(37) {
            assert!(seen.iter().enumerate().all(|(j, (other, one))| (key == other) == (position == one) || i == j));
        }
    }

    #[test]
    fn what_the_board_alone_does_not_show_is_in_it() {
        let key = |fen: &str| Key::of(&crate::board::mating::asked(fen).unwrap());
        let same = [("r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1", "r3k3/8/8/8/8/8/8/4K2R w Kq - 31 77")];
        let different = [
            ("r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1", "r3k3/8/8/8/8/8/8/4K2R w K - 0 1"),
            ("r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1", "r3k3/8/8/8/8/8/8/4K2R b Kq - 0 1"),
            ("4k3/8/8/pP6/8/8/8/4K3 w - a6 0 1", "4k3/8/8/pP6/8/8/8/4K3 w - - 0 1"),
        ];
        assert!(same.iter().all(|(a, b)| key(a) == key(b)));
        assert!(different.iter().all(|(a, b)| key(a) != key(b)));
        // Nobody can take in passing there.
        assert_eq!(key("4k3/8/8/p7/8/8/8/4K3 w - a6 0 1"), key("4k3/8/8/p7/8/8/8/4K3 w - - 0 1"));
    }
}
