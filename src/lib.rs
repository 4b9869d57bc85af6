//! zeitnot
pub mod game;
pub mod log;
