//! `zeitnot replay`: the venue, or one game of it, as the log makes it.

use clap::Args;
use serde_json::json;

use super::data::{self, Data};
use super::output::{print, progress, say};
use super::{Stop, exit, json};
use crate::game::GameId;
use crate::log::{Chain, Log};
use crate::venue::Venue;

/// Options of `replay`.
#[derive(Debug, Args)]
pub(super) struct Replay {
    #[command(flatten)]
    data: Data,
    /// Ends after this entry.
    #[arg(long, value_name = "SEQ")]
    until: Option<u64>,
    /// Prints the whole state of this game, and its digest.
    #[arg(long)]
    game: Option<u64>,
    /// Prints every entry on the way.
    #[arg(long)]
    print: bool,
    /// Prints JSON: with --print a line an entry, then one object.
    #[arg(long)]
    json: bool,
}

impl Replay {
    pub(super) fn run(self) -> Result<(), Stop> {
        let log = self.data.open()?;
        let until = data::end(&log, self.until)?;
        let bar = progress("replaying", until.0);
        let (mut venue, mut head) = (Venue::default(), Chain::GENESIS);
        data::scan(&*log.reader(), Some(until), &mut |stored, entry| {
            head = stored.chain;
            if self.print {
                if self.json { say(json::entry(&entry))? } else { say(&entry)? }
            }
            venue.evolve(&entry);
            bar.set_position(entry.seq.0);
            Ok(())
        })?;
        bar.finish_and_clear();
        let table = match self.game {
            None => None,
            Some(id) => {
                let none = || Stop::new(exit::USAGE, format!("--game {id}: there is no such game up to entry {}", until.0));
                Some(venue.table(GameId(id)).ok_or_else(none)?)
            }
        };
        if self.json {
            let game =
                table.map(|table| json!({ "game": table.game.id.0, "text": table.game.canonical(), "digest": table.game.digest().to_string() }));
            return say(json!({ "entries": until.0, "head": head.to_string(), "digest": venue.digest().to_string(), "game": game }));
        }
        if let Some(table) = table {
            print(&table.game.canonical())?;
            say(format!("game digest  {}\n", table.game.digest()))?;
        }
        say(format!("entries  {}\nhead     {head}\ndigest   {}", until.0, venue.digest()))
    }
}
