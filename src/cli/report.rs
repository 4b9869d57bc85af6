//! `zeitnot report`: the whole record of a game for an appeal, from a running daemon or from a log.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use jiff::tz::TimeZone;
use serde_json::json;

use super::data::{self, Data};
use super::output::{print, progress, say};
use super::remote::Remote;
use super::{Stop, exit};
use crate::format::report::Reporter;
use crate::game::GameId;
use crate::log::Log;
use crate::wire::v1;

/// Options of `report`.
#[derive(Debug, Args)]
pub(super) struct Report {
    /// Game.
    game: u64,
    /// Reads the log in this directory, whose daemon does not run, in place of asking a daemon.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// A page made for paper, in place of plain text.
    #[arg(long, conflicts_with = "json")]
    html: bool,
    /// File to write, which must not be there; stdout where not given.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    remote: Remote,
}

impl Report {
    pub(super) fn run(self) -> Result<(), Stop> {
        let text = match &self.data {
            Some(dir) => self.of_log(Data::at(dir.clone()))?,
            None => {
                let format = match (self.html, self.remote.json) {
                    (true, _) => v1::ReportFormat::Html,
                    (_, true) => v1::ReportFormat::Json,
                    _ => v1::ReportFormat::Unspecified,
                };
                let request = v1::ReportRequest { game: self.game, format: format.into() };
                self.remote.office(async |mut office| office.report(request).await)?.report
            }
        };
        let Some(path) = &self.out else { return if text.ends_with('\n') { print(&text) } else { say(text) } };
        let failed = |e: std::io::Error| Stop::new(exit::USAGE, format!("cannot write {}: {e}", path.display()));
        std::fs::File::create_new(path).and_then(|mut file| file.write_all(text.as_bytes())).map_err(failed)?;
        self.remote.say(|| json!({ "file": path.display().to_string() }), || format!("written to {}", path.display()))
    }

    fn of_log(&self, data: Data) -> Result<String, Stop> {
        let log = data.open()?;
        let bar = progress("reading", log.head().0);
        let mut reporter = Reporter::new(GameId(self.game));
        data::scan(&*log.reader(), None, &mut |stored, entry| {
            reporter.entry(entry);
            bar.set_position(stored.seq.0);
            Ok(())
        })?;
        bar.finish_and_clear();
        let report = reporter.finish().ok_or_else(|| Stop::new(exit::USAGE, format!("there is no game {} in this log", self.game)))?;
        let zone = TimeZone::system();
        Ok(match (self.html, self.remote.json) {
            (true, _) => report.html(&zone),
            (_, true) => report.json().to_string(),
            _ => report.text(&zone),
        })
    }
}
