//! What is certain from the material alone.

use shakmaty::{Bitboard, Board, Color};

/// Whether `winner` can give mate in no position that legal moves may lead to from one with this material, if it is not mate already.
///
/// - A bare king checks nobody.
/// - King and knight against king and queens. A knight two files and one rank from the king is next to two squares that are next to
///   the king, and whichever of them is not held by the one king that could hold both lets the mated king out or a queen take the knight;
///   if both are held, the king's square on the other side of the knight's file is not, and a queen there takes the knight along the file.
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
