//! The digest over everything that the log says of a venue.

use std::fmt::Write;

use super::{Proposed, Table, Venue};
use crate::game::Digest;

impl Venue {
    /// The digest over everything: equal logs give equal digests on every machine.
    pub fn digest(&self) -> Digest {
        let (before, after) = self.around_the_tables();
        digest(before, &self.tables, &after)
    }

    /// What works the digest out elsewhere, however the venue goes on.
    pub fn digesting(&self) -> impl FnOnce() -> Digest + Send + use<> {
        let ((before, after), tables) = (self.around_the_tables(), self.tables.clone());
        move || digest(before, &tables, &after)
    }

    /// What the digest is over, before and after the tables.
    fn around_the_tables(&self) -> (String, String) {
        let (mut before, mut text) = (String::new(), String::new());
        for (id, tournament) in &self.tournaments {
            let _ = writeln!(before, "tournament {} {} {:?}", id.0, tournament.name, tournament.regulations);
            if let Some(date) = tournament.starts_on {
                let _ = writeln!(before, "from {date}");
            }
            for (round, boards) in &tournament.rounds {
                for (board, (pairing, game)) in boards {
                    let _ = writeln!(before, "{round}.{board} {:?} {:?}", pairing.players, game);
                }
            }
        }
        for (id, device) in &self.devices {
            let _ = writeln!(text, "device {} {}", id.0, device.canonical());
        }
        if !self.seconded.is_empty() {
            let _ = writeln!(text, "second {:?}", self.seconded);
        }
        if let Some(key) = self.envelope_key {
            let _ = writeln!(text, "envelopes {key}");
        }
        for (id, credential) in self.credentials() {
            let _ = writeln!(text, "credential {} {credential:?}", id.0);
        }
        if let Some(last) = self.last_signed() {
            let _ = writeln!(text, "signed {last:?}");
        }
        let _ = writeln!(text, "head {} keys {}", self.head.0, self.keys.len());
        (before, text)
    }
}

fn digest(mut text: String, tables: &[Table], after: &str) -> Digest {
    for table in tables {
        let _ = writeln!(text, "game {} version {} {}", table.game.id.0, table.version.0, table.game.digest());
        if let Some(Proposed { ruling, by }) = &table.proposed {
            let _ = writeln!(text, "proposed {ruling} {by:?}");
        }
    }
    text.push_str(after);
    Digest::of(&text)
}
