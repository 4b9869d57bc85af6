//! The board, on shakmaty: the line of play with its repetitions, moves as people write them, Chess960 numbers, and who can still mate.

mod chess960;
mod line;
pub mod mating;
mod notation;
mod raw;
mod written;

pub use chess960::{MAX_NUMBER, back_rank, drawn, position as chess960};
pub use line::{Line, MAX_PLIES, Ply, Start, StartError};
pub use notation::{MoveText, ParseMoveError, numbered, sans, shredder_fen};
pub use raw::Raw;
pub use written::{Meaning, Written, written};
