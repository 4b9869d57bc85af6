//! Whether an expectation holds; if not, what is there instead.

use shakmaty::{ByColor, Color};

use super::parse::Expectation;
use super::run::Played;
use crate::clock::Millis;
use crate::game::{Consequence, Entry, Game, GameId, side};

/// What `~` in front of a clock expectation allows.
const ABOUT: Millis = Millis::seconds(1);

/// `None`: it holds. Otherwise what was expected and what was got.
pub(super) fn fails(expected: &Expectation, played: &Played, now: Millis) -> Option<(String, String)> {
    let game = &played.game;
    let differ = |expected: String, got: String| if expected == got { None } else { Some((expected, got)) };
    let name = |color: Option<Color>| color.map_or("none".to_string(), |color| side(color).to_string());
    let pair = |pair: &ByColor<u32>| format!("{} {}", pair.white, pair.black);
    match expected {
        Expectation::Clocks { times, about } => {
            let read = game.clock.reading(Some(now));
            let tolerance = if *about { ABOUT } else { Millis::ZERO };
            let near = Color::ALL.into_iter().all(|color| read.get(color).distance(*times.get(color)) <= tolerance);
            if near { None } else { differ(format!("clocks {} {}", times.white, times.black), format!("clocks {} {}", read.white, read.black)) }
        }
        Expectation::Running(who) => differ(format!("running {}", name(*who)), format!("running {}", name(game.running()))),
        Expectation::Phase(phase) => differ(format!("phase {phase}"), format!("phase {}", game.phase.word())),
        Expectation::Result(score, how) => {
            let expected = how.map_or(format!("result {score}"), |how| format!("result {score} {how}"));
            match &game.outcome {
                None => Some((expected, "no result".to_string())),
                Some(outcome) if outcome.score == *score && how.is_none_or(|how| how == outcome.termination) => None,
                Some(outcome) => Some((expected, format!("result {} {}", outcome.score, outcome.termination))),
            }
        }
        Expectation::Article(article) => {
            let cited = played.entries.iter().rev().find_map(|(_, entry)| entry.article(game.laws));
            let cited = cited.map_or("none".to_string(), |cited| cited.to_string());
            if begins(&cited, article) { None } else { Some((format!("article {article}"), format!("article {cited}"))) }
        }
        Expectation::Refused(code) => {
            let expected = code.as_ref().map_or("refused".to_string(), |code| format!("refused {code}"));
            match &played.refusal {
                None => Some((expected, "not refused".to_string())),
                Some(refusal) if code.as_ref().is_none_or(|code| code == refusal.code()) => None,
                Some(refusal) => Some((expected, format!("refused {}: {refusal}", refusal.code()))),
            }
        }
        Expectation::Incident(code) => {
            let raised: Vec<String> = played.last_step().filter_map(incident).collect();
            let expected = code.to_string();
            if raised.contains(&expected) { None } else { Some((format!("incident {expected}"), format!("incidents [{}]", raised.join(" ")))) }
        }
        Expectation::Offer(who) => differ(format!("offer {}", name(*who)), format!("offer {}", name(game.offer))),
        Expectation::Moves(moves) => {
            let counted = ByColor::new_with(|color| game.clock.side(color).counter);
            differ(format!("moves {}", pair(moves)), format!("moves {}", pair(&counted)))
        }
        Expectation::Completed(moves) => differ(format!("completed {}", pair(moves)), format!("completed {}", pair(&game.completed))),
        Expectation::Fen(fen) => differ(format!("fen {fen}"), format!("fen {}", game.line.fen())),
        Expectation::Period(who, n) => {
            let of = |color| game.clock.side(color).period + 1;
            let holds = Color::ALL.into_iter().filter(|color| who.is_none_or(|who| who == *color)).all(|color| of(color) == *n);
            if holds { None } else { Some((format!("period {n}"), format!("periods {} {}", of(Color::White), of(Color::Black)))) }
        }
        Expectation::DigestStable => {
            let mut again = played.opened.clone();
            played.entries.iter().for_each(|(seq, entry)| again.evolve(*seq, entry));
            differ(described(game), described(&again))
        }
    }
}

fn described(game: &Game) -> String {
    let GameId(id) = game.id;
    format!("game {id} with digest {}", game.digest())
}

fn incident(entry: &Entry) -> Option<String> {
    match entry {
        Entry::Consequence(Consequence::Incident { code, .. }) => Some(code.to_string()),
        _ => None,
    }
}

/// `7.5` holds for 7.5 and 7.5.5, not for 7.51.
fn begins(cited: &str, wanted: &str) -> bool {
    cited.strip_prefix(wanted).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
}
