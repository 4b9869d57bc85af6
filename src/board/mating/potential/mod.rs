//! Mating potential, as the Laws of 1997 had it for blitz (Appendix C4).

use shakmaty::{Bitboard, Board, Color};

#[cfg(test)]
pub mod derive;

/// A kind of piece besides the king. Bishops of light and of dark squares are different ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind { Pawn, Knight, Light, Dark, Rook, Queen }

pub const KINDS: [Kind; 6] = [Kind::Pawn, Kind::Knight, Kind::Light, Kind::Dark, Kind::Rook, Kind::Queen];

/// How many there are of each kind, in the order of [`KINDS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Side(pub [u8; 6]);
/// x
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Material { pub winner: Side, pub loser: Side }
