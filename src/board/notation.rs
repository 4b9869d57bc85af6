//! Moves as clocks and people give them: UCI (`e2e4`), or algebraic notation (`Nf3`, `0-0`, `e8Q`).

use std::fmt;
use std::str::FromStr;

use shakmaty::fen::Fen;
use shakmaty::san::{San, SanPlus};
use shakmaty::{Chess, Color, EnPassantMode, Position, Role, Square, uci::UciMove};

/// A move as it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MoveText {
    /// From and to square: any move that a hand can make.
    Uci(UciMove),
    /// Algebraic notation, which only a legal move has.
    San(San),
}

/// Longest text that can be a move.
const MAX_TEXT: usize = 16;

/// A text that is no move in either notation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no move: write e2e4 or Nf3")]
pub struct ParseMoveError(String);

impl FromStr for MoveText {
    type Err = ParseMoveError;

    fn from_str(text: &str) -> Result<MoveText, ParseMoveError> {
        let wrong = || ParseMoveError(text.chars().take(MAX_TEXT).collect());
        if text.len() > MAX_TEXT || !text.is_ascii() {
            return Err(wrong());
        }
        let plain = text.trim_end_matches(['+', '#', '!', '?']);
        if let Ok(uci) = plain.parse::<UciMove>() {
            return if matches!(uci, UciMove::Normal { .. }) { Ok(MoveText::Uci(uci)) } else { Err(wrong()) };
        }
        match san(plain) {
            // It is printed as its squares, so it is read as them.
            Some(San::Normal { role: Role::Pawn, file: Some(file), rank: Some(rank), capture: false, to, promotion }) => {
                Ok(MoveText::Uci(UciMove::Normal { from: Square::from_coords(file, rank), to, promotion }))
            }
            Some(san @ (San::Normal { .. } | San::Castle(_))) => Ok(MoveText::San(san)),
            _ => Err(wrong()),
        }
    }
}

/// SAN, and what the Laws' Appendix C and people write for it: castling with zeros, promotion without `=`.
fn san(text: &str) -> Option<San> {
    let text = text.replace('0', "O");
    if let Ok(san) = text.parse() {
        return Some(san);
    }
    let (pawn, role) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let role = role.trim_matches(|c| !"QRBN".contains(c));
    if role.is_empty() || !pawn.starts_with(|c: char| c.is_ascii_lowercase()) {
        return None;
    }
    format!("{pawn}={role}").parse().ok()
}

impl MoveText {
    /// The squares of the move, where the notation has a meaning in the position; a move given by its squares needs none.
    pub fn resolve(self, position: Option<&Chess>) -> Option<UciMove> {
        match self {
            MoveText::Uci(uci) => Some(uci),
            MoveText::San(san) => {
                let position = position?;
                let m = san.to_move(position).ok()?;
                Some(m.to_uci(position.castles().mode()))
            }
        }
    }
}

impl fmt::Display for MoveText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveText::Uci(uci) => uci.fmt(f),
            MoveText::San(san) => san.fmt(f),
        }
    }
}

/// The FEN of a position with castling rights by the files of the rooks (Shredder-FEN).
pub fn shredder_fen(position: &Chess) -> String {
    let fen = Fen::from_position(position, EnPassantMode::Legal);
    let setup = fen.as_setup();
    let mut rights = String::new();
    for color in Color::ALL {
        for rook in (setup.castling_rights & setup.board.by_color(color)).into_iter().rev() {
            let file = rook.file().char();
            rights.push(color.fold_wb(file.to_ascii_uppercase(), file));
        }
    }
    let text = fen.to_string();
    let mut fields: Vec<&str> = text.split(' ').collect();
    if let (Some(field), false) = (fields.get_mut(2), rights.is_empty()) {
        *field = &rights;
    }
    fields.join(" ")
}

/// A line in algebraic notation.
pub fn sans(position: &Chess, line: &[UciMove]) -> Vec<String> {
    let mut now = position.clone();
    let played = line.iter().map_while(|made| {
        let m = made.to_move(&now).ok()?;
        Some(SanPlus::from_move_and_play_unchecked(&mut now, m).to_string())
    });
    played.collect()
}

/// The same with move numbers.
pub fn numbered(position: &Chess, line: &[UciMove]) -> String {
    let (mut number, mut turn) = (position.fullmoves().get(), position.turn());
    let mut words = Vec::new();
    for (i, san) in sans(position, line).into_iter().enumerate() {
        words.push(match turn {
            Color::White => format!("{number}. {san}"),
            Color::Black if i == 0 => format!("{number}... {san}"),
            Color::Black => san,
        });
        number += u32::from(turn.is_black());
        turn = !turn;
    }
    if words.is_empty() { "it has mated".to_string() } else { words.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_notations_and_what_people_write() {
        for (text, printed) in [
            ("e2e4", "e2e4"),
            ("Nf3", "Nf3"),
            ("O-O", "O-O"),
            ("0-0-0+", "O-O-O"),
            ("e8Q", "e8=Q"),
            ("a7a8q", "a7a8q"),
            ("g1f3+", "g1f3"),
            ("Pe2e4", "e2e4"),
            ("Nbd2", "Nbd2"),
            ("exd5", "exd5"),
        ] {
            let read = text.parse::<MoveText>();
            assert_eq!(read.as_ref().map(|m| m.to_string()).as_deref(), Ok(printed), "{text}");
            assert_eq!(printed.parse(), read, "{text}");
        }
        for text in ["", "e9", "Kx", "0000", "@e4", "P@e4", "e4e5e6", "0-1", "1-0", "Ä"] {
            assert!(text.parse::<MoveText>().is_err(), "{text}");
        }
    }
}
