//! A report as one page for paper, A4, that needs nothing else.

use std::fmt::Write;

use jiff::tz::TimeZone;
use shakmaty::Color;

use super::{Report, Row, day, entries, name, stamped, time_of_day};
use crate::format::escaped;
use crate::laws::Article;

/// How the page looks.
const STYLE: &str = "\
@page { size: A4; margin: 15mm 12mm 16mm; @bottom-right { content: counter(page) \" / \" counter(pages); font: 8pt sans-serif } }\n\
body { font: 9.5pt/1.35 serif; color: #000; background: #fff; max-width: 186mm; margin: 0 auto }\n\
h1 { font-size: 15pt; margin: 0 0 3mm } h2 { font-size: 11.5pt; margin: 6mm 0 2mm; break-after: avoid } h3 { font-size: 10pt; margin: 3mm 0 1mm; break-after: avoid }\n\
dl { display: grid; grid-template-columns: max-content 1fr; gap: .4mm 4mm; margin: 0 } dt { font-weight: bold } dd { margin: 0; overflow-wrap: anywhere }\n\
section { break-inside: avoid } table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: .8mm 1.5mm }\n\
th { border-bottom: .3mm solid #000; font: bold 8pt sans-serif } td { border-bottom: .1mm solid #999; overflow-wrap: anywhere } tr { break-inside: avoid }\n\
td.n, td.t { font: 8pt/1.5 sans-serif; white-space: nowrap; font-variant-numeric: tabular-nums } td.who { width: 38mm; font-size: 8.5pt }\n\
tr.ruling td { background: #eee; -webkit-print-color-adjust: exact; print-color-adjust: exact } tr.day td { font-weight: bold; border-bottom: .3mm solid #000 }\n\
p { margin: 0 0 .6mm } p.said { font-weight: bold } p.incident { border-left: 1mm solid #000; padding-left: 1.5mm }\n\
.a { font: 8pt sans-serif; white-space: nowrap } .s { font: 8pt sans-serif; color: #333 }\n\
pre { font: 9pt/1.4 monospace; white-space: pre-wrap; margin: 0 } footer { margin-top: 8mm }\n";

fn cited(article: Option<Article>) -> String {
    article.map_or(String::new(), |article| format!(" <span class=\"a\">[{}]</span>", escaped(article.as_str())))
}

fn list<'a>(page: &mut String, parts: impl IntoIterator<Item = (&'a str, String)>) {
    page.push_str("<dl>\n");
    for (name, what) in parts {
        let _ = writeln!(page, "<dt>{}</dt><dd>{}</dd>", escaped(name), escaped(&what));
    }
    page.push_str("</dl>\n");
}

impl Report {
    /// A page, with times of day as in this zone.
    pub fn html(&self, zone: &TimeZone) -> String {
        let mut page = format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Record of game {}</title>\n<style>\n{STYLE}</style></head><body>\n<h1>Record of game {}</h1>\n",
            self.game, self.game
        );
        let head = self.head.iter().map(|(name, what)| (*name, what.clone()));
        list(&mut page, head.chain([("Times of day", self.zoned(zone))]));
        page.push_str("<h2>What happened</h2>\n<table>\n<thead><tr><th>Entry</th><th>Time</th><th>Who</th><th>What</th><th>White</th><th>Black</th></tr></thead>\n<tbody>\n");
        let mut today = String::new();
        for row in &self.rows {
            let date = day(row.at, zone);
            if date != today {
                let _ = writeln!(page, "<tr class=\"day\"><td colspan=\"6\">{}</td></tr>", escaped(&date));
                today = date;
            }
            write_row(&mut page, row, zone);
        }
        page.push_str("</tbody></table>\n<h2>Flags</h2>\n");
        if self.flags.is_empty() {
            page.push_str("<p>No flag fell.</p>\n");
        }
        for flag in &self.flags {
            let _ = writeln!(page, "<section><h3>{}'s flag, entry {}</h3>", name(flag.color), flag.entry.0);
            list(&mut page, flag.parts(&|at| time_of_day(at, zone)));
            page.push_str("</section>\n");
        }
        self.html_ledger(&mut page);
        let _ = writeln!(page, "<h2>Moves</h2>\n<pre>{}</pre>", escaped(&self.moves));
        page.push_str("<footer>Chief arbiter ______________________________ &nbsp; Date ________________</footer>\n</body></html>\n");
        page
    }

    fn html_ledger(&self, page: &mut String) {
        let presses = self.ledger.presses;
        let _ = writeln!(
            page,
            "<h2>What the clocks were given</h2>\n<table>\n<thead><tr><th>Entry</th><th>What</th><th>White</th><th>Black</th></tr></thead>\n<tbody>\n\
             <tr><td></td><td>presses</td><td class=\"t\">{}</td><td class=\"t\">{}</td></tr>",
            presses.white, presses.black
        );
        for color in Color::ALL {
            let network = escaped(&self.ledger.network.get(color).to_string());
            let _ = writeln!(page, "<tr><td></td><td colspan=\"3\">{}'s presses on the network: {network}</td></tr>", name(color));
        }
        if let Some(between) = &self.ledger.between {
            let _ = writeln!(page, "<tr><td></td><td colspan=\"3\">Between a press and the start of the other clock: {between}</td></tr>");
        }
        for correction in &self.ledger.corrections {
            let (said, cited) = (escaped(&correction.said), cited(correction.article));
            let (white, black) = (correction.change.white, correction.change.black);
            let _ = writeln!(
                page,
                "<tr><td class=\"n\">{}</td><td>{said}{cited}</td><td class=\"t\">{white}</td><td class=\"t\">{black}</td></tr>",
                correction.entry.0
            );
        }
        let _ = writeln!(page, "</tbody></table>\n<p>In all: {}.</p>", escaped(&self.ledger.sum()));
    }
}

fn write_row(page: &mut String, row: &Row, zone: &TimeZone) {
    let class = if row.change.is_some() { " class=\"ruling\"" } else { "" };
    let stamp = row.stamp.map_or(String::new(), |_| format!("<br><span class=\"s\">{}</span>", escaped(&stamped(row, zone))));
    let _ = write!(
        page,
        "<tr{class}><td class=\"n\">{}</td><td class=\"t\">{}</td><td class=\"who\">{}{stamp}</td><td><p class=\"said\">{}{}</p>",
        entries(row.first, row.last),
        escaped(&time_of_day(row.at, zone)),
        escaped(&row.who),
        escaped(&row.said),
        cited(row.article)
    );
    if !row.reason.is_empty() {
        let _ = write!(page, "<p>Reason: {}</p>", escaped(&row.reason));
    }
    for follow in &row.follows {
        let class = if follow.incident { " class=\"incident\"" } else { "" };
        let _ = write!(page, "<p{class}>{}{}</p>", escaped(&follow.said), cited(follow.article));
    }
    if let Some([before, after]) = &row.change {
        for (name, was, is) in before.changes(after) {
            let _ = write!(page, "<p>{}: {} → <b>{}</b></p>", escaped(name), escaped(&was), escaped(&is));
        }
        let _ = write!(page, "<p class=\"s\">Before and after: {}</p>", escaped(&before.unchanged(after)));
    }
    let _ = writeln!(page, "</td><td class=\"t\">{}</td><td class=\"t\">{}</td></tr>", row.left.white, row.left.black);
}
