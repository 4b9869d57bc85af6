//! zeitnot
pub mod board;
pub mod clock;
pub mod game;
pub mod laws;
pub mod log;
pub mod scenario;
