//! The board as hands make it: any move that can be made, also one that no rule allows.

use std::num::NonZeroU32;

use shakmaty::san::San;
use shakmaty::{
    Bitboard, CastlingMode, CastlingSide, Chess, Color, EnPassantMode, File, Piece, Position, PositionError, Rank, Role, Setup, Square, attacks,
    fen::Fen, uci::UciMove,
};

/// A board on which an illegal move stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raw {
    setup: Setup,
    mode: CastlingMode,
}

impl Raw {
    /// A legal position, from which a hand goes on.
    pub fn of(position: &Chess) -> Raw {
        Raw { setup: position.to_setup(EnPassantMode::Always), mode: position.castles().mode() }
    }

    /// FEN of what stands there.
    pub fn fen(&self) -> String {
        Fen::try_from(self.setup.clone()).map_or_else(|_| String::new(), |fen| fen.to_string())
    }

    /// Whose move it is.
    pub fn turn(&self) -> Color {
        self.setup.turn
    }

    /// What stands on a square.
    pub fn piece(&self, square: Square) -> Option<Piece> {
        self.setup.board.piece_at(square)
    }

    /// Whether both kings are attacked, or one is missing.
    pub fn kings_in_check(&self) -> bool {
        Color::ALL.into_iter().all(|color| self.king_in_check(color))
    }

    fn attacked(&self, square: Square, by: Color) -> bool {
        self.setup.board.attacks_to(square, by, self.setup.board.occupied()).any()
    }

    /// Whether a side's king can be taken, or is gone.
    pub fn king_in_check(&self, color: Color) -> bool {
        self.setup.board.king_of(color).is_none_or(|king| self.attacked(king, !color))
    }

    /// Without the right to castle with the rooks on these squares.
    pub fn forbid_castling(&mut self, rooks: Bitboard) {
        self.setup.castling_rights &= !rooks;
    }

    /// The move is made as it is, and the turn passes. Nothing on its first square: only the turn passes.
    pub fn make(&mut self, made: UciMove) {
        let mover = self.setup.turn;
        self.setup.halfmoves = self.setup.halfmoves.saturating_add(1);
        let en_passant = self.setup.ep_square.take();
        if let UciMove::Normal { from, to, promotion } = made
            && let Some(piece) = self.setup.board.remove_piece_at(from)
        {
            match self.castled(piece, from, to) {
                Some((rook, side)) => {
                    self.setup.board.discard_piece_at(rook);
                    self.setup.board.set_piece_at(Square::from_coords(side.king_to_file(), from.rank()), piece);
                    self.setup.board.set_piece_at(Square::from_coords(side.rook_to_file(), from.rank()), piece.color.rook());
                }
                None => {
                    let captured = self.setup.board.remove_piece_at(to);
                    let pawn = piece.role == Role::Pawn;
                    if pawn && Some(to) == en_passant {
                        self.setup.board.discard_piece_at(Square::from_coords(to.file(), from.rank()));
                    }
                    if pawn && from.file() == to.file() && from.distance(to) == 2 {
                        let behind = piece.color.fold_wb(Rank::Third, Rank::Sixth);
                        self.setup.ep_square = Some(Square::from_coords(to.file(), behind));
                    }
                    if pawn || captured.is_some() {
                        self.setup.halfmoves = 0;
                    }
                    self.setup.board.set_piece_at(to, Piece { role: promotion.unwrap_or(piece.role), ..piece });
                }
            }
            for color in Color::ALL {
                // A king that has moved, or is gone, does not castle.
                if piece == color.king() || self.setup.board.king_of(color).is_none() {
                    self.setup.castling_rights &= !Bitboard::from(color.fold_wb(Rank::First, Rank::Eighth));
                }
            }
            self.setup.castling_rights &= !Bitboard::from(from) & !Bitboard::from(to);
        }
        self.setup.turn = !mover;
        if mover == Color::Black {
            self.setup.fullmoves = self.setup.fullmoves.checked_add(1).unwrap_or(NonZeroU32::MAX);
        }
    }

    /// Where a king's move is castling: the square of the rook, and the side.
    fn castled(&self, piece: Piece, from: Square, to: Square) -> Option<(Square, CastlingSide)> {
        if piece.role != Role::King || from.rank() != to.rank() {
            return None;
        }
        let rook = |square: Square| self.setup.board.piece_at(square) == Some(piece.color.rook()) && self.setup.castling_rights.contains(square);
        let side = if to > from { CastlingSide::KingSide } else { CastlingSide::QueenSide };
        if rook(to) {
            return Some((to, side));
        }
        let corner = Square::from_coords(if to > from { File::H } else { File::A }, from.rank());
        (self.mode == CastlingMode::Standard && from.distance(to) == 2 && rook(corner)).then_some((corner, side))
    }

    /// The position as a legal one, where it is: both kings there, and the side that has just moved not in check.
    pub fn legal(&self) -> Option<Chess> {
        self.setup
            .clone()
            .position::<Chess>(self.mode)
            .or_else(PositionError::ignore_invalid_castling_rights)
            .or_else(PositionError::ignore_invalid_ep_square)
            .or_else(PositionError::ignore_too_much_material)
            .or_else(PositionError::ignore_impossible_check)
            .ok()
    }

    /// Whether no pawn move and no capture came last.
    pub fn reversible(&self) -> bool {
        self.setup.halfmoves > 0
    }

    /// The squares of a move in algebraic notation, read by how pieces go and not by what is legal; `None`: no piece or more than one could be meant.
    pub fn resolve(&self, san: San) -> Option<UciMove> {
        let (board, turn) = (&self.setup.board, self.setup.turn);
        match san {
            San::Castle(side) => {
                let king = board.king_of(turn)?;
                let rooks = self.setup.castling_rights & board.by_piece(turn.rook()) & Bitboard::from(king.rank());
                let rook = if side == CastlingSide::KingSide { rooks.last()? } else { rooks.first()? };
                let to = match self.mode {
                    CastlingMode::Standard => Square::from_coords(side.king_to_file(), king.rank()),
                    CastlingMode::Chess960 => rook,
                };
                Some(UciMove::Normal { from: king, to, promotion: None })
            }
            San::Normal { role, file, rank, capture, to, promotion } => {
                let goes = |from: Square| match role {
                    Role::Pawn if capture => attacks::pawn_attacks(turn, from).contains(to),
                    Role::Pawn => self.pushes(from, to),
                    _ => attacks::attacks(from, Piece { role, color: turn }, board.occupied()).contains(to),
                };
                let mut from = (board.by_piece(Piece { role, color: turn }))
                    .into_iter()
                    .filter(|from| file.is_none_or(|file| from.file() == file) && rank.is_none_or(|rank| from.rank() == rank) && goes(*from));
                let one = from.next()?;
                from.next().is_none().then_some(UciMove::Normal { from: one, to, promotion })
            }
            San::Put { .. } | San::Null => None,
        }
    }

    fn pushes(&self, from: Square, to: Square) -> bool {
        let turn = self.setup.turn;
        let ahead = |square: Square| square.offset(turn.fold_wb(8, -8)).filter(|square| self.piece(*square).is_none());
        let one = ahead(from);
        let two = one.filter(|_| from.rank() == turn.fold_wb(Rank::Second, Rank::Seventh)).and_then(ahead);
        one == Some(to) || two == Some(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(fen: &str, moves: &str) -> Raw {
        let position = fen.parse::<Fen>().unwrap().into_position::<Chess>(CastlingMode::Standard).unwrap();
        let mut raw = Raw::of(&position);
        moves.split_whitespace().for_each(|uci| raw.make(uci.parse().unwrap()));
        raw
    }

    #[test]
    fn what_hands_make() {
        const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        for (fen, moves, then, legal) in [
            (START, "e1e2", "rnbqkbnr/pppppppp/8/8/8/8/PPPPKPPP/RNBQ1BNR b kq - 0 1", true),
            (START, "e2e4 e7e5 f1b5 e8e1", "rnbq1bnr/pppp1ppp/8/1B2p3/4P3/8/PPPP1PPP/RNBQk1NR w - - 0 3", false),
            (START, "b1b1 a7a6", "rnbqkbnr/1ppppppp/p7/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 2", true),
            ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8", "P3k3/8/8/8/8/8/8/4K3 b - - 0 1", false),
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1", true),
        ] {
            let raw = after(fen, moves);
            assert_eq!(raw.fen(), then, "{moves}");
            assert_eq!(raw.legal().is_some(), legal, "{moves}");
        }
    }

    #[test]
    fn notation_without_legality() {
        let raw = after("rnbqkbnr/ppp2ppp/3p4/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 1 3", "g8f6");
        for (san, uci) in [("O-O", "e1g1"), ("Bxe8", "b5e8"), ("d4", "d2d4"), ("Nxe5", "f3e5")] {
            assert_eq!(raw.resolve(san.parse().unwrap()).map(|uci| uci.to_string()).as_deref(), Some(uci), "{san}");
        }
        assert_eq!(raw.resolve("Qd4".parse().unwrap()), None);
    }
}
