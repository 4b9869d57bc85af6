//! The record of a game for an appeal, of games in the kept logs: as it reads, what it leaves out, and that its figures add up.

use shakmaty::Color;
use zeitnot::format::report::{Report, Reporter};
use zeitnot::game::{DISPLAY_TOLERANCE, GameId, Seq};
use zeitnot::log::Log;
use zeitnot::venue::{Entry, Subject};

use super::{KEPT, day, day3, day4, entries};
use jiff::tz::TimeZone;

fn reported(entries: &[Entry], game: u64) -> Option<Report> {
    let mut reporter = Reporter::new(GameId(game));
    entries.iter().cloned().for_each(|entry| reporter.entry(entry));
    reporter.finish()
}

/// Every game of every kept log, with the entries of its log.
fn all() -> Vec<(Vec<Entry>, Report)> {
    let mut all = Vec::new();
    for kept in &KEPT {
        let entries = entries(&*kept.log().reader());
        all.extend((1..).map_while(|game| reported(&entries, game)).map(|report| (entries.clone(), report)));
    }
    assert!(all.len() > 30);
    all
}

/// What the kept log says of a game, against the file; `UPDATE_GOLDEN=1` writes that anew.
fn reads(file: &str, now: &str) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/report/").to_string() + file;
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, now).unwrap();
    }
    let then = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = then.lines().zip(now.lines()).find(|(then, now)| then != now);
    assert!(then == now, "{file}: {differs:#?}; if that is meant: UPDATE_GOLDEN=1");
}

#[test]
fn reports_read_as_they_did() {
    let cases: [(usize, u64, &str); 6] =
        [(0, 1, "arbiter"), (0, 3, "withdrawn"), (1, 7, "called"), (1, 8, "both-flags"), (2, 1, "adjourned"), (4, 1, "two-devices")];
    for (log, game, name) in cases {
        let report = reported(&entries(&*KEPT[log].log().reader()), game).unwrap();
        reads(&format!("{name}.txt"), &report.text(&TimeZone::UTC));
        reads(&format!("{name}.html"), &report.html(&TimeZone::UTC));
    }
}

/// Each entry of the game stands in one row, and no other game's in any.
#[test]
fn no_entry_is_left_out() {
    for (entries, report) in all() {
        let of = |seq: Seq| entries[seq.0 as usize - 1].subject;
        let game = Subject::Game(GameId(report.game));
        let told = report.rows.iter().flat_map(|row| (row.first.0..=row.last.0).map(Seq)).filter(|seq| of(*seq) == game);
        let own = entries.iter().filter(|entry| entry.subject == game).map(|entry| entry.seq);
        assert!(told.eq(own), "game {}", report.game);
        assert!(report.rows.windows(2).all(|pair| pair[0].last < pair[1].first));
        let (text, html) = (report.text(&TimeZone::UTC), report.html(&TimeZone::UTC));
        for row in &report.rows {
            assert!(text.contains(&row.said) && text.contains(&row.who), "{row:?}");
            assert!(row.follows.iter().all(|follow| text.contains(&follow.said)));
        }
        let whole = |tag: &str| {
            html.matches(&format!("<{tag}>")).count() + html.matches(&format!("<{tag} ")).count() == html.matches(&format!("</{tag}>")).count()
        };
        assert!(["table", "tr", "td", "th", "p", "dl", "dt", "dd", "span", "section", "pre"].into_iter().all(whole), "game {}", report.game);
        assert!(!html.contains("<script") && !html.contains("://"), "a page that needs nothing else");
    }
}

/// A reader who adds up finds the same instant, or the device's word within what a display shows.
#[test]
fn every_flag_adds_up() {
    let mut ran = 0;
    for (_, report) in all() {
        for flag in &report.flags {
            let Some(found) = &flag.ran else { continue };
            assert!(found.ends().distance(flag.at) <= DISPLAY_TOLERANCE, "{flag:?}");
            assert!(found.entry < flag.entry && flag.press.is_none_or(|press| press.at <= found.since && press.entry < flag.entry), "{flag:?}");
            ran += 1;
        }
    }
    assert!(ran >= 6, "{ran}");
}

/// The clocks were given so much, by those and by nobody else: what all rulings together changed.
#[test]
fn the_ledger_is_what_the_rulings_changed() {
    let mut changed = 0;
    for (_, report) in all() {
        for color in Color::ALL {
            let by_ruling = |row: &zeitnot::format::report::Row| {
                let own = report.ledger.corrections.iter().filter(|correction| row.first <= correction.entry && correction.entry <= row.last);
                (own.clone().count(), own.map(|correction| correction.change.get(color).0).sum::<i64>())
            };
            for row in &report.rows {
                let (count, sum) = by_ruling(row);
                if let (Some([before, after]), true) = (&row.change, count > 0) {
                    let differs = before.left.get(color).to(*after.left.get(color));
                    assert_eq!(sum, differs.0, "game {}, {row:#?}", report.game);
                    changed += 1;
                }
            }
            let all: i64 = report.rows.iter().map(|row| by_ruling(row).1).sum();
            assert_eq!(all, report.ledger.gained(color).0);
        }
    }
    assert!(changed > 10, "{changed}");
}

#[test]
fn what_was_sealed_and_not_opened_is_in_no_report() {
    let entries = entries(&*day3::played().reader());
    for (game, text, opened) in day3::TEXTS {
        let report = reported(&entries, game).unwrap();
        let nonce = day3::note(text).nonce.to_string();
        for said in [report.text(&TimeZone::UTC), report.html(&TimeZone::UTC), report.json().to_string()] {
            let quoted = format!("“{text}”").replace('"', "&quot;");
            assert!(!said.contains(&nonce), "{text}");
            assert!(opened || !said.contains(&quoted), "{text}");
        }
        assert_eq!(report.text(&TimeZone::UTC).contains(&format!("“{text}”")), opened, "{text}");
    }
}

#[test]
fn a_report_says_by_whose_credential() {
    let report = reported(&entries(&*day4::played().reader()), 1).unwrap();
    let text = report.text(&TimeZone::UTC);
    // A press stamped 0:00:03.500 came when the device's time was 0:00:03.540, give or take 7 ms; the last one, from the future, counts for nothing.
    assert!(text.contains("its time 0:00:03.500; came +0:00:00.040 ± 0:00:00.007 after it"), "{text}");
    assert!(text.contains("its time 0:01:35, which cannot be: it came 0:01:11 ± 0:00:00.012 before that; counted at 0:00:20"), "{text}");
    let believed = |row: &serde_json::Value| (row["believed"].as_bool(), row["counted_at_ms"].as_u64());
    let json = report.json();
    let told: Vec<_> = json["rows"].as_array().unwrap().iter().map(believed).filter(|(believed, _)| believed.is_some()).collect();
    assert_eq!((told.first(), told.last()), (Some(&(Some(true), None)), Some(&(Some(false), Some(20_000)))));
    let network = report.ledger.network;
    assert_eq!(
        [network.white, network.black].map(|side| (side.measured, side.sum.0, side.greatest.map(|late| late.0))),
        [(1, 40, Some(40)), (1, 40, Some(40))]
    );
    for said in ["arbiter (Arbiter), credential 3 of arbiter of boards 1 to 20 of tournament 1", "clock, credential 2 of clock of device 7"] {
        assert!(text.contains(said), "{said}\n{text}");
    }
    assert!(reported(&entries(&*day::played().log.reader()), 99).is_none());
    // The daemon timed the other game, and the way of its presses is the player's but for what he was credited.
    let afar = reported(&entries(&*day4::played().reader()), 2).unwrap().text(&TimeZone::UTC);
    assert!(
        afar.contains("White's presses on the network: not measured; counted as thinking time, but for 0:00:00.090 credited, as reported."),
        "{afar}"
    );
    assert!(!afar.contains("charged to nobody"), "{afar}");
}

/// What people call themselves and why they rule is text, on paper too.
#[test]
fn nothing_in_a_page_is_taken_for_a_tag() {
    use zeitnot::game::{Input as About, Ruling};
    use zeitnot::venue::{Input, Role};
    let mut day = day::played();
    let reason = "<script>alert(\"1\")</script> & 'so'".to_string();
    day.named(Role::Arbiter, "<b>chief</b>", Input::Game { game: GameId(4), input: About::Ruling(Ruling::Stop { reason }) });
    let page = reported(&entries(&*day.log.reader()), 4).unwrap().html(&TimeZone::UTC);
    assert!(page.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; 'so'") && page.contains("&lt;b&gt;chief&lt;/b&gt;"));
    assert!(!page.contains("<script") && !page.contains("<b>chief"));
    let text = reported(&entries(&*day.log.reader()), 4).unwrap().text(&TimeZone::UTC);
    assert!(text.contains("reason: <script>alert(\"1\")</script> & 'so'\n"), "what people wrote reads as they wrote it: {text}");
}
