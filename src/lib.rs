//! zeitnot
pub mod board;
pub mod clock;
pub mod disclosure;
pub mod fleet;
pub mod format;
pub mod game;
pub mod laws;
pub mod log;
pub mod scenario;
pub mod venue;
pub mod wire;
