//! The sets checked square by square: whatever legal move there may be from within them stays within them.

use shakmaty::attacks::{king_attacks, knight_attacks, pawn_attacks};
use shakmaty::{Bitboard, Chess, Color, Position, Rank, Role, Square};

use super::{Piece, Reach};

/// Whether no move leads out of the sets.
pub(in crate::board::mating) fn is_closed(reach: &Reach) -> bool {
    reach.pieces.iter().all(|piece| piece.reach.into_iter().all(|from| stays(reach, piece, from)))
}

fn stays(reach: &Reach, piece: &Piece, from: Square) -> bool {
    let goes = |to: Square| piece.reach.contains(to) || !may_come(reach, piece, to);
    // Whatever may stand where this piece strikes may be taken, and this piece may come there.
    let strikes = |to: Square| {
        let mut others = reach.pieces.iter().filter(|other| other.color != piece.color && other.role != Role::King && other.reach.contains(to));
        let safe = piece.role == Role::King && is_held(reach, !piece.color, to);
        safe || others.all(|other| other.taken && piece.reach.contains(to))
    };
    match piece.role {
        Role::Pawn => {
            let ahead = from.offset(piece.color.fold_wb(8, -8));
            let pushes = ahead.is_some_and(|to| faced(reach, piece, to) || goes(to));
            pushes && pawn_attacks(piece.color, from).into_iter().all(strikes) && !matches!(from.rank(), Rank::First | Rank::Eighth)
        }
        _ => king_and_knight_steps(piece.role, from).into_iter().all(|to| goes(to) && strikes(to)),
    }
}

fn king_and_knight_steps(role: Role, from: Square) -> Bitboard {
    let level = |to: &Square| to.file() == from.file() || to.rank() == from.rank();
    match role {
        Role::Knight => knight_attacks(from),
        Role::Bishop => king_attacks(from).into_iter().filter(|to| !level(to)).collect(),
        Role::Rook => king_attacks(from).into_iter().filter(level).collect(),
        _ => king_attacks(from),
    }
}

/// Whether a square can be empty and, for a king, safe.
fn may_come(reach: &Reach, piece: &Piece, to: Square) -> bool {
    let stands = reach.pieces.iter().any(|other| other.start == to && stays_home(other));
    !stands && (piece.role != Role::King || !is_held(reach, !piece.color, to))
}

fn stays_home(piece: &Piece) -> bool {
    !piece.taken && piece.reach.count() == 1
}

fn is_held(reach: &Reach, by: Color, square: Square) -> bool {
    reach.pieces.iter().filter(|piece| piece.color == by && stays_home(piece)).any(|piece| match piece.role {
        Role::Pawn => pawn_attacks(by, piece.start).contains(square),
        role => king_and_knight_steps(role, piece.start).contains(square),
    })
}

/// Whether a pawn that stays on the file keeps another, that stays there too, from a square.
fn faced(reach: &Reach, pawn: &Piece, to: Square) -> bool {
    let on_file = |piece: &Piece| piece.role == Role::Pawn && piece.reach.into_iter().all(|square| square.file() == pawn.start.file());
    on_file(pawn)
        && reach.pieces.iter().filter(|other| other.color != pawn.color && on_file(other) && !other.taken).any(|other| {
            let (own, wall, to) = (pawn.start.rank() as i8, other.start.rank() as i8, to.rank() as i8);
            if pawn.color.is_white() { own < wall && to >= wall } else { own > wall && to <= wall }
        })
}

/// Whether the sets are those of a position: one for each piece, with its own square in it, and nothing that they leave out possible.
pub(in crate::board::mating) fn starts_with(reach: &Reach, position: &Chess) -> bool {
    let board = position.board();
    let same = |piece: &Piece| {
        piece.reach.contains(piece.start) && board.piece_at(piece.start) == Some(shakmaty::Piece { color: piece.color, role: piece.role })
    };
    let starts: Bitboard = reach.pieces.iter().map(|piece| piece.start).collect();
    starts == board.occupied()
        && reach.pieces.len() == board.occupied().count()
        && reach.pieces.iter().all(same)
        && position.castles().is_empty()
        && position.en_passant_moves().is_empty()
}
