//! Formats that the chess world reads and writes.

pub mod cover;
pub mod jsonl;
pub mod pgn;
pub mod report;
pub mod trf;

/// A text as it may stand in a page, between tags or in quotes.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
