//! Formats that the chess world reads and writes.

pub mod cover;
pub mod jsonl;
pub mod pgn;
pub mod trf;
