//! What players and arbiters do, in the words of the command line and of scenarios.

use shakmaty::Color;
use zeitnot::scenario::{facts, ruling};

use crate::engine::{Target, says_what_is_wrong};

const WORDS: &[&str] = &[
    " ",
    "play",
    "move",
    "claim",
    "threefold",
    "with",
    "Nf3",
    "e2e4",
    "quickplay",
    "a",
    "penalty",
    "white",
    "black",
    "time+",
    "0:02:00",
    "points-0.5",
    "result",
    "1-0",
    "envelope",
    "place",
    "resume",
    "number",
    "add",
    "moves",
    "4294967296",
    "clocks",
    "restore",
    "illegal",
    "two-hands",
    "undo",
];

/// What is taken reads again as text, and what is not is said with the word that is wrong.
#[test]
fn an_act() {
    Target::of_lines("act").with_words(WORDS).holds_for_text(|text| {
        let words: Vec<String> = text.split(' ').map(str::to_string).collect();
        let (verb, args) = words.split_first().unwrap();
        match facts(Color::Black, verb, args) {
            Ok(facts) => {
                assert!(facts.len() == 1 || verb == "play" && facts.len() == 2, "{text}");
                assert!(facts.iter().all(|fact| !fact.to_string().is_empty()));
            }
            Err(e) => says_what_is_wrong(&e),
        }
        match ruling(verb, args) {
            Ok(ruling) => assert!(!ruling.to_string().is_empty()),
            Err(e) => says_what_is_wrong(&e),
        }
    });
}
