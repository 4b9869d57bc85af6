//! What a command prints. A reader that has gone ends it quietly: that is no error and no panic.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::{Stop, exit};

/// Prints a line, at once.
pub(super) fn say(line: impl Display) -> Result<(), Stop> {
    let mut out = io::stdout().lock();
    written(writeln!(out, "{line}").and_then(|()| out.flush()))
}

/// Prints a text as it is.
pub(super) fn print(text: &str) -> Result<(), Stop> {
    let mut out = io::stdout().lock();
    written(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// What became of a write.
pub(super) fn written(done: io::Result<()>) -> Result<(), Stop> {
    match done {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == ErrorKind::BrokenPipe => Err(Stop::quiet(exit::OK)),
        Err(e) => Err(Stop::new(exit::USAGE, format!("cannot write: {e}"))),
    }
}

/// Tells an error on stderr; who does not listen there cannot be told.
pub(super) fn complain(why: &str, code: u8, json: bool) {
    let why = why.trim_start_matches("error: ").trim_end();
    let line = if json { json!({ "error": why, "code": code }).to_string() } else { format!("zeitnot: {why}") };
    let _ = writeln!(io::stderr(), "{line}");
}

/// A bar on stderr while a log of that many entries is read; nothing where that is no terminal.
pub(super) fn progress(what: &'static str, entries: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {human_pos}/{human_len} entries, {eta} left");
    let bar = ProgressBar::new(entries).with_message(what);
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
