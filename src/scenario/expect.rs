//! Whether an expectation holds; if not, what is there instead.

use shakmaty::{ByColor, Color};

use super::parse::Expectation;
use super::run::Played;
use crate::board::MoveText;
use crate::clock::Millis;
use crate::game::{Consequence, Duty, Entry, Game, GameId, side};

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
        Expectation::Phase(phase) => differ(format!("phase {phase}"), format!("phase {}", game.phase_word())),
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
            let expected = code.map_or("none".to_string(), |code| code.to_string());
            let holds = if code.is_some() { raised.contains(&expected) } else { raised.is_empty() };
            if holds { None } else { Some((format!("incident {expected}"), format!("incidents [{}]", raised.join(" ")))) }
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
        Expectation::Claim(pending) => {
            let word = |pending: bool| format!("claim {}", if pending { "pending" } else { "none" });
            differ(word(*pending), word(game.claim.is_some()))
        }
        Expectation::Verdict(answer, because) => {
            let said = played.entries.iter().rev().find_map(|(_, entry)| match entry {
                Entry::Consequence(Consequence::ClaimJudged { answer, because, .. }) => Some((*answer, because.clone())),
                _ => None,
            });
            let expected = because.as_ref().map_or(format!("verdict {answer}"), |because| format!("verdict {answer} because {because}"));
            match said {
                Some((said, why)) if said == *answer && because.as_ref().is_none_or(|because| why.contains(because.as_str())) => None,
                Some((said, why)) => Some((expected, format!("verdict {said} because {why}"))),
                None => Some((expected, "no verdict".to_string())),
            }
        }
        Expectation::MustPlay(san) => {
            let wanted = san.parse::<MoveText>().ok().and_then(|text| text.resolve(game.line.position()));
            let got = match game.duty {
                Some((_, Duty::Play(uci))) => Some(uci),
                _ => None,
            };
            let shown = game.duty.map_or("nothing has to be played".to_string(), |(by, duty)| format!("{}: {duty}", side(by)));
            if wanted.is_some() && wanted == got { None } else { Some((format!("must-play {san}"), shown)) }
        }
        Expectation::IllegalCount(counts) => differ(format!("illegal-count {}", pair(counts)), format!("illegal-count {}", pair(&game.illegal))),
        Expectation::Exempt(who) => {
            let got = ByColor::new_with(|color| game.is_exempt(color, Some(now)));
            let word = |who: &ByColor<bool>| match (who.white, who.black) {
                (true, true) => "exempt both",
                (true, false) => "exempt white",
                (false, true) => "exempt black",
                (false, false) => "exempt none",
            };
            differ(word(who).to_string(), word(&got).to_string())
        }
        Expectation::NotVisible(text) => {
            let seen = played.entries.iter().find(|(_, entry)| [entry.to_string(), format!("{entry:?}")].iter().any(|shown| shown.contains(text)));
            let shown = seen.map(|(_, entry)| entry.to_string()).or_else(|| game.canonical().contains(text).then(|| "the game's state".to_string()));
            shown.map(|shown| (format!("not-visible \"{text}\""), shown))
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
    let digit = |c: char| c.is_ascii_digit();
    cited.strip_prefix(wanted).is_some_and(|rest| !(wanted.ends_with(digit) && rest.starts_with(digit)))
}
