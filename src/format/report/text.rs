//! A report as plain text.

use std::fmt::Write;

use jiff::tz::TimeZone;
use shakmaty::Color;

use super::{Report, Row, day, entries, name, plain, stamped, time_of_day};

impl Report {
    /// Plain text, with times of day as in this zone.
    pub fn text(&self, zone: &TimeZone) -> String {
        let mut text = format!("RECORD OF GAME {}\n\n", self.game);
        for (name, what) in &self.head {
            let _ = writeln!(text, "{name:<20} {what}");
        }
        let _ = writeln!(text, "{:<20} {}", "Times of day", self.zoned(zone));
        text.push_str("\nWHAT HAPPENED\n");
        let mut today = String::new();
        for row in &self.rows {
            let date = day(row.at, zone);
            if date != today {
                let _ = writeln!(text, "\n{date}");
                today = date;
            }
            text.push('\n');
            write_row(&mut text, row, zone);
        }
        self.text_flags(&mut text, zone);
        self.text_ledger(&mut text);
        let _ = writeln!(text, "\nMOVES\n\n{}", self.moves);
        text
    }

    /// Up to where, and in which zone the times of day are.
    pub(super) fn zoned(&self, zone: &TimeZone) -> String {
        let (seq, at) = self.until;
        format!(
            "the daemon's, when each came to it; as at UTC{}; the log was read up to entry {}, of {} {}",
            super::in_zone(at, zone, "%:z"),
            seq.0,
            day(at, zone),
            time_of_day(at, zone)
        )
    }

    fn text_flags(&self, text: &mut String, zone: &TimeZone) {
        text.push_str("\nFLAGS\n");
        if self.flags.is_empty() {
            text.push_str("\nNo flag fell.\n");
        }
        for flag in &self.flags {
            let _ = writeln!(text, "\n{}'s flag, entry {}", name(flag.color), flag.entry.0);
            for (name, what) in flag.parts(&|at| time_of_day(at, zone)) {
                let _ = writeln!(text, "    {name:<18} {what}");
            }
        }
    }

    fn text_ledger(&self, text: &mut String) {
        let _ = writeln!(text, "\nWHAT THE CLOCKS WERE GIVEN\n\nPresses: White {}, Black {}.", self.ledger.presses.white, self.ledger.presses.black);
        for color in Color::ALL {
            let _ = writeln!(text, "{}'s presses on the network: {}.", name(color), self.ledger.network.get(color));
        }
        if let Some(between) = &self.ledger.between {
            let _ = writeln!(text, "Between a press and the start of the other clock: {between}.");
        }
        for correction in &self.ledger.corrections {
            let article = correction.article.map_or(String::new(), |article| format!("  [{article}]"));
            let (white, black) = (correction.change.white, correction.change.black);
            let _ = writeln!(text, "Entry {:>6}  White {white}, Black {black}  {}{article}", correction.entry.0, correction.said);
        }
        let _ = writeln!(text, "In all: {}.", self.ledger.sum());
    }
}

fn write_row(text: &mut String, row: &Row, zone: &TimeZone) {
    let stamp = row.stamp.map_or(String::new(), |_| format!(" · {}", stamped(row, zone)));
    let _ = writeln!(text, "{}  entry {}  {}{stamp}", time_of_day(row.at, zone), entries(row.first, row.last), row.who);
    let article = row.article.map_or(String::new(), |article| format!("  [{article}]"));
    let _ = writeln!(text, "    {}{article}", row.said);
    if !row.reason.is_empty() {
        let _ = writeln!(text, "    reason: {}", plain(&row.reason));
    }
    for follow in &row.follows {
        let article = follow.article.map_or(String::new(), |article| format!("  [{article}]"));
        let mark = if follow.incident { "!" } else { ">" };
        let _ = writeln!(text, "    {mark} {}{article}", follow.said);
    }
    match &row.change {
        None => _ = writeln!(text, "    clocks: White {}, Black {}", row.left.white, row.left.black),
        Some([before, after]) => {
            for (name, was, is) in before.changes(after) {
                let _ = writeln!(text, "    {name}: {was} → {is}");
            }
            let _ = writeln!(text, "    before and after: {}", before.unchanged(after));
        }
    }
}
