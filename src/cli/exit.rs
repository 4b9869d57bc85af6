//! Exit codes, the same for every subcommand.

/// Done, and what was checked holds.
pub const OK: u8 = 0;
/// What was checked does not hold: a failed scenario, a difference found by an audit, a game that went otherwise.
pub const FAILED: u8 = 1;
/// The input cannot be used: options, files, names.
pub const USAGE: u8 = 2;
/// The daemon refused, and said why.
pub const REFUSED: u8 = 3;
/// The daemon cannot be reached, or went away.
pub const UNAVAILABLE: u8 = 69;
/// The log is damaged or cannot be opened.
pub const DAMAGED: u8 = 74;
/// The log failed while running (disk full, device gone): free space or repair, then start again.
pub const LOG_FAILED: u8 = 75;
