//! `zeitnot envelope cover`: the outside of a game's envelope, for paper or for the terminal.

use std::path::PathBuf;

use clap::Args;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::json;

use super::super::output::{print, say};
use super::super::remote::Remote;
use super::super::{Stop, exit, state};
use crate::clock::Millis;
use crate::format::cover::Cover;
use crate::wire::v1;

/// Options of `envelope cover`.
#[derive(Debug, Args)]
pub(in crate::cli) struct Print {
    /// Game.
    game: u64,
    /// A page made for paper, in place of plain text.
    #[arg(long)]
    html: bool,
    /// File to write, which must not be there; stdout where not given.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    remote: Remote,
}

impl Print {
    pub(super) fn run(self) -> Result<(), Stop> {
        let request = v1::HallRequest { game: self.game, ..v1::HallRequest::default() };
        let hall = self.remote.office(async |mut office| office.hall(request).await)?;
        let game = hall.games.first().ok_or_else(|| Stop::new(exit::REFUSED, format!("there is no game {}", self.game)))?;
        let sealed = game.adjournment.as_ref().filter(|a| matches!(a.stage.as_str(), "sealed" | "adjourned" | "resuming"));
        let Some(adjournment) = sealed else {
            return Err(Stop::new(exit::REFUSED, format!("game {} has no closed envelope", self.game)));
        };
        let mut cover = cover(game, adjournment);
        let tournament = game.pairing.as_ref().and_then(|p| hall.tournaments.iter().find(|t| t.tournament == p.tournament));
        cover.event = tournament.map_or_else(String::new, |t| t.name.clone());
        let text = if self.html { cover.html() } else { cover.text() };
        match &self.out {
            Some(path) => {
                let failed = |e: std::io::Error| Stop::new(exit::USAGE, format!("cannot write {}: {e}", path.display()));
                let mut file = std::fs::File::create_new(path).map_err(failed)?;
                std::io::Write::write_all(&mut file, text.as_bytes()).map_err(failed)?;
                self.remote.say(|| json!({ "file": path.display().to_string() }), || format!("written to {}", path.display()))
            }
            None if self.remote.json => say(json!({ "cover": text })),
            None => print(&text),
        }
    }
}

fn cover(game: &v1::GameState, adjournment: &v1::Adjournment) -> Cover {
    let side = |color: v1::Color| match color {
        v1::Color::White => Some("White".to_string()),
        v1::Color::Black => Some("Black".to_string()),
        v1::Color::Unspecified => None,
    };
    let ([white, black], [left, right]) = (state::players(game), state::clocks(game, 0));
    let used = adjournment.used.unwrap_or_default();
    let sealer = side(adjournment.sealer()).unwrap_or_default();
    let mark = if sealer == "Black" { "…" } else { "" };
    let commitment = adjournment.envelope.as_ref().map_or(&[][..], |envelope| &envelope.commitment);
    Cover {
        game: game.game,
        event: String::new(),
        place_in_event: state::place(game),
        white,
        black,
        fen: game.fen.clone(),
        used: [used.white_ms, used.black_ms].map(|ms| Millis(ms).to_string()),
        left: [left, right].map(|left| left.to_string()),
        sealer,
        number: format!("{}{mark}", adjournment.number),
        offer: side(adjournment.offer()),
        resumes: game.resumes_ms.map_or_else(String::new, local),
        place: adjournment.place.clone(),
        commitment: commitment.iter().map(|byte| format!("{byte:02x}")).collect(),
        laws: format!("Laws of {}", game.regulations.as_ref().map_or(0, |r| r.edition)),
    }
}

/// Date and time as the wall of this machine's hall shows them, with the offset from UTC.
pub(in crate::cli) fn local(at: i64) -> String {
    match Timestamp::from_millisecond(at) {
        Ok(at) => at.to_zoned_datetime(TimeZone::system()).strftime("%Y-%m-%d %H:%M %:z").to_string(),
        Err(_) => String::new(),
    }
}
