//! What is certain from the material alone.

use shakmaty::{Bitboard, Board, Color};

/// Whether `winner` can give mate in no position that legal moves may lead to from one with this material, if it is not mate already.
///
/// - A bare king checks nobody.
/// - King and knight against king and queens. With the king on e1 and the check from f3, the squares e2 and f2 are next to both. A queen
///   there takes the knight, so the winner's king must hold both, which it does from e3 alone. Then nothing holds f1: the king goes there,
///   or a queen that stands there takes the knight by the file. It is the same from every side, and nothing pins a queen.
/// - King and bishops of one square colour, on a board without pawns, knights and bishops of the other colour. The two squares that lie
///   between the king's rank, its file and the diagonal of the check are of the other colour. The winner's king, which cannot be next to
///   the other one, holds at most one of them; so on one there must be a rook or a queen of the loser's, which takes or
///   interposes on the diagonal next to the king, and is not pinned, as it stands on no diagonal of the king. Two such bishops never check at once.
///
/// Captures and moves leave such material as it is or take from it; without pawns nothing is added.
pub(super) fn cannot_mate(board: &Board, winner: Color) -> bool {
    let own = board.by_color(winner);
    if own.intersects(board.pawns() | board.rooks_and_queens()) {
        return false;
    }
    let officers = own ^ (own & board.kings());
    if officers.is_empty() {
        return true;
    }
    if officers.intersects(board.knights()) {
        let other = board.by_color(!winner);
        return officers.count() == 1 && (other & !board.kings() & !board.queens()).is_empty();
    }
    let one_colour = !board.bishops().intersects(Bitboard::DARK_SQUARES) || !board.bishops().intersects(Bitboard::LIGHT_SQUARES);
    one_colour && (board.knights() | board.pawns()).is_empty()
}

#[cfg(test)]
mod tests {
    use rand::seq::IndexedRandom;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use shakmaty::{CastlingMode, Chess, FromSetup, Position, PositionError, Role, Setup, Square};

    use super::*;

    /// Black to move, with this on the board besides the kings.
    fn position(king: Square, other: Square, officers: &[(Square, Color, Role)]) -> Option<Chess> {
        let mut board = Board::empty();
        board.set_piece_at(king, Color::Black.king());
        board.set_piece_at(other, Color::White.king());
        for (square, color, role) in officers {
            if board.piece_at(*square).is_some() {
                return None;
            }
            board.set_piece_at(*square, role.of(*color));
        }
        let setup = Setup { board, turn: Color::Black, ..Setup::empty() };
        Chess::from_setup(setup, CastlingMode::Standard).or_else(PositionError::ignore_too_much_material).ok()
    }

    /// Every position of a lone knight against a queen, and of a lone bishop against a rook or a queen, that is a check.
    #[test]
    fn one_officer_does_not_mate_against_one() {
        let mut checks = 0;
        for king in Square::ALL.into_iter().filter(|king| (king.file() as u32) < 4 && king.rank() as u32 <= king.file() as u32) {
            for (role, others) in [(Role::Knight, vec![Role::Queen]), (Role::Bishop, vec![Role::Rook, Role::Queen])] {
                let from = if role == Role::Knight {
                    shakmaty::attacks::knight_attacks(king)
                } else {
                    shakmaty::attacks::bishop_attacks(king, Bitboard::EMPTY)
                };
                for (at, mine) in from.into_iter().flat_map(|at| Square::ALL.map(|mine| (at, mine))) {
                    for (square, other) in Square::ALL.into_iter().flat_map(|square| others.iter().map(move |other| (square, *other))) {
                        let found = position(king, mine, &[(at, Color::White, role), (square, Color::Black, other)]);
                        let Some(found) = found.filter(Position::is_check) else { continue };
                        checks += 1;
                        assert!(cannot_mate(found.board(), Color::White) && !found.is_checkmate(), "{found:?}");
                    }
                }
            }
        }
        assert!(checks > 50_000, "{checks}");
    }

    /// Kings in the corner, crowded by whatever the lemma allows.
    #[test]
    fn crowds_do_not_help() {
        let mut random = ChaCha8Rng::seed_from_u64(2);
        let mut checks = 0;
        for _ in 0..150_000 {
            let near = |random: &mut ChaCha8Rng| {
                Square::from_coords(shakmaty::File::new(random.random_range(0..4)), shakmaty::Rank::new(random.random_range(0..4)))
            };
            let knight = random.random_bool(0.5);
            let (role, other): (Role, &[Role]) =
                if knight { (Role::Knight, &[Role::Queen]) } else { (Role::Bishop, &[Role::Queen, Role::Rook, Role::Rook, Role::Bishop]) };
            let mut officers = vec![(near(&mut random), Color::White, role)];
            for _ in 0..random.random_range(1..7) {
                officers.extend(other.choose(&mut random).map(|role| (near(&mut random), Color::Black, *role)));
            }
            let Some(found) = position(near(&mut random), near(&mut random), &officers).filter(Position::is_check) else { continue };
            if cannot_mate(found.board(), Color::White) {
                checks += 1;
                assert!(!found.is_checkmate(), "{found:?}");
            }
        }
        assert!(checks > 500, "{checks}");
    }

    #[test]
    fn it_agrees_with_shakmaty_on_material() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        for _ in 0..20_000 {
            let any = |random: &mut ChaCha8Rng| Square::new(random.random_range(8..56));
            let roles = [Role::Pawn, Role::Knight, Role::Bishop, Role::Bishop, Role::Rook, Role::Queen];
            let officers: Vec<_> = (0..random.random_range(0..4))
                .map(|_| (any(&mut random), Color::from_white(random.random_bool(0.5)), roles[random.random_range(0..6)]))
                .collect();
            if let Some(found) = position(Square::A1, Square::H8, &officers) {
                for winner in Color::ALL {
                    assert_eq!(cannot_mate(found.board(), winner), found.has_insufficient_material(winner), "{found:?}");
                }
            }
        }
    }
}
