//! The table worked out: every placement of some pieces, with the loser to move, until one is found where each move allows mate in one.

use shakmaty::attacks::{king_attacks, knight_attacks};
use shakmaty::{Bitboard, Board, CastlingMode, Chess, Color, FromSetup, Piece, Position, Role, Setup, Square};

use super::{KINDS, Kind, Material};
use crate::board::mating::lemma::cannot_mate;

/// A position with this material, White being the winner and Black to move, where every legal move allows mate in one.
/// All placements are gone through, but for those that reflection makes of others.
pub(super) fn witness(material: &Material) -> Option<Chess> {
    let mut pieces = Vec::new();
    for (side, color) in [(&material.winner, Color::White), (&material.loser, Color::Black)] {
        for (kind, count) in KINDS.into_iter().zip(side.0) {
            pieces.extend((0..count).map(|_| (kind, color)));
        }
    }
    let [pawns, _, others @ ..] = material.winner.0;
    let knights_alone = pawns == 0 && others == [0; 4];
    let search = Search { knights_alone, loser: material.loser.0.iter().map(|n| usize::from(*n)).sum(), roomy: roomy(material), pieces };
    let pawns = material.winner.0[0] + material.loser.0[0] > 0;
    let bishops = search.pieces.iter().any(|(kind, _)| matches!(kind, Kind::Light | Kind::Dark));
    for king in Square::ALL {
        let (file, rank) = (king.file() as u32, king.rank() as u32);
        // Reflection on a file changes the colour of squares, that on a long diagonal does not.
        let distinct = match (pawns, bishops) {
            (false, false) => file < 4 && rank <= file,
            (false, true) => rank <= file && rank <= 7 - file,
            (true, false) => file < 4,
            (true, true) => true,
        };
        if !distinct {
            continue;
        }
        for other in !king_attacks(king) & !Bitboard::from_square(king) {
            let mut board = Board::empty();
            board.set_piece_at(king, Color::Black.king());
            board.set_piece_at(other, Color::White.king());
            if let Some(found) = search.place(&mut board, 0, Square::A1) {
                return Some(found);
            }
        }
    }
    None
}

struct Search {
    pieces: Vec<(Kind, Color)>,
    /// Whether White has nothing but knights: no pins, no checks from afar.
    knights_alone: bool,
    /// How many pieces the loser has.
    loser: usize,
    /// For each square of the loser's king and each of the other: whether there is too much room for mate.
    roomy: Vec<bool>,
}

/// Where a king cannot be mated by one move of the other side, whose king stands there.
///
/// The squares around it must be held by the other king, from where it stands or after a move, blocked by pieces, or held by officers:
/// of the eight a knight attacks two at most, one that gives check one, and a bishop no more than three; the others may hold all of them.
/// Bishops of one square colour, alone, mate on that colour only, and hold none of the squares of the other colour around.
fn roomy(material: &Material) -> Vec<bool> {
    let [pawns, knights, light, dark, rooks, queens] = material.winner.0.map(usize::from);
    let loser: usize = material.loser.0.iter().map(|n| usize::from(*n)).sum();
    let colour = match (pawns + knights + rooks + queens, light, dark) {
        (0, _, 0) => Some(Bitboard::LIGHT_SQUARES),
        (0, 0, _) => Some(Bitboard::DARK_SQUARES),
        _ => None,
    };
    let holds = match (pawns + rooks + queens, light + dark) {
        _ if colour.is_some() => 0,
        (0, 0) => (2 * knights).saturating_sub(1),
        (others, bishops) => 8 * others + 2 * knights + 3 * bishops,
    };
    let both = Square::ALL.iter().flat_map(|king| Square::ALL.iter().map(move |other| (*king, *other)));
    let room = both.map(|(king, other)| {
        let around = king_attacks(king) & !colour.unwrap_or_default();
        let stands = king_attacks(other) | Bitboard::from_square(other);
        let near = stands.into_iter().map(|from| (king_attacks(from) & around).count()).max().unwrap_or(0);
        colour.is_some_and(|colour| !colour.contains(king)) || around.count() > near + holds + loser
    });
    room.collect()
}

impl Search {
    fn place(&self, board: &mut Board, next: usize, from: Square) -> Option<Chess> {
        let Some(&(kind, color)) = self.pieces.get(next) else { return self.mates(board) };
        if color.is_black() && self.pieces.get(next.wrapping_sub(1)).is_none_or(|(_, before)| before.is_white()) && self.escapes(board) {
            return None;
        }
        for square in kind.squares() & !board.occupied() {
            if square < from {
                continue;
            }
            board.set_piece_at(square, Piece { color, role: kind.role() });
            // Equal pieces stand in the order of their squares.
            let again = self.pieces.get(next + 1) == Some(&(kind, color));
            let found = self.place(board, next + 1, if again { square } else { Square::A1 });
            board.discard_piece_at(square);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Whether the king has more squares with too much room for mate to go to than pieces that might stand there.
    fn escapes(&self, board: &Board) -> bool {
        let (Some(king), Some(other)) = (board.king_of(Color::Black), board.king_of(Color::White)) else { return false };
        let behind = board.occupied() ^ Bitboard::from_square(king);
        let roomy = king_attacks(king).into_iter().filter(|to| board.attacks_to(*to, Color::White, behind).is_empty() && self.is_roomy(*to, other));
        roomy.count() > self.loser
    }

    /// The position, if every legal move of Black allows mate in one.
    fn mates(&self, board: &Board) -> Option<Chess> {
        let (king, other) = (board.king_of(Color::Black)?, board.king_of(Color::White)?);
        if !board.attacks_to(other, Color::Black, board.occupied()).is_empty() {
            return None;
        }
        // Where the king may step to a square on which there is too much room for mate, this is none of them.
        let behind = board.occupied() ^ Bitboard::from_square(king);
        let mut stays = true;
        for to in king_attacks(king) & !board.black() {
            if board.attacks_to(to, Color::White, behind).is_empty() {
                stays = false;
                if self.is_roomy(to, other) {
                    return None;
                }
            }
        }
        if stays && self.is_roomy(king, other) {
            return None;
        }
        if self.knights_alone && self.has_other_moves(board) && !self.may_be_checked(board, king) {
            return None;
        }
        let setup = Setup { board: board.clone(), turn: Color::Black, ..Setup::empty() };
        let position = Chess::from_setup(setup, CastlingMode::Standard).ok()?;
        every_move_allows_mate(&position).then_some(position)
    }

    /// Whether a piece of Black's that is no pawn has a move, where nothing pins it and there is no check.
    fn has_other_moves(&self, board: &Board) -> bool {
        let Some(king) = board.king_of(Color::Black) else { return false };
        let officers = board.black() & !board.pawns() & !board.kings();
        board.attacks_to(king, Color::White, board.occupied()).is_empty()
            && officers.into_iter().any(|from| !(board.attacks_from(from) & !board.black() & !board.kings()).is_empty())
    }

    /// Whether a knight may give check where the king stands, one that mates.
    fn may_be_checked(&self, board: &Board, king: Square) -> bool {
        let Some(other) = board.king_of(Color::White) else { return false };
        !self.is_roomy(king, other) && (board.white() & board.knights()).into_iter().any(|from| knight_attacks(from).intersects(knight_attacks(king)))
    }

    fn is_roomy(&self, king: Square, other: Square) -> bool {
        self.roomy[king as usize * 64 + other as usize]
    }
}

/// Whether there is a move, and after each of them mate in one.
pub(super) fn every_move_allows_mate(position: &Chess) -> bool {
    let moves = position.legal_moves();
    let all = moves.iter().all(|m| {
        let mut next = position.clone();
        next.play_unchecked(*m);
        mate_in_one(&next)
    });
    all && !moves.is_empty()
}

fn mate_in_one(position: &Chess) -> bool {
    position.legal_moves().into_iter().any(|m| {
        let mut next = position.clone();
        next.play_unchecked(m);
        next.is_checkmate()
    })
}

/// Whether the material lemma excludes any mate.
pub(super) fn is_hopeless(material: &Material) -> bool {
    let mut board = Board::empty();
    board.set_piece_at(Square::A1, Color::White.king());
    board.set_piece_at(Square::H8, Color::Black.king());
    for (side, color) in [(&material.winner, Color::White), (&material.loser, Color::Black)] {
        for (kind, count) in KINDS.into_iter().zip(side.0) {
            for _ in 0..count {
                if let Some(square) = (kind.squares() & !board.occupied()).first() {
                    board.set_piece_at(square, Piece { color, role: kind.role() });
                }
            }
        }
    }
    cannot_mate(&board, Color::White)
}

impl Kind {
    fn role(self) -> Role {
        match self {
            Kind::Pawn => Role::Pawn,
            Kind::Knight => Role::Knight,
            Kind::Light | Kind::Dark => Role::Bishop,
            Kind::Rook => Role::Rook,
            Kind::Queen => Role::Queen,
        }
    }

    fn squares(self) -> Bitboard {
        match self {
            Kind::Pawn => !Bitboard::BACKRANKS,
            Kind::Light => Bitboard::LIGHT_SQUARES,
            Kind::Dark => Bitboard::DARK_SQUARES,
            _ => Bitboard::FULL,
        }
    }
}
