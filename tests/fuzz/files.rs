//! Files that people hand in: games, scenarios, exported logs.

use std::path::Path;

use shakmaty::{Chess, Position};
use zeitnot::board::MAX_PLIES;
use zeitnot::format::jsonl;
use zeitnot::format::pgn::{self, MAX_TAG, MAX_TAGS};
use zeitnot::game::Seq;
use zeitnot::scenario::{Scenario, run};
use zeitnot::writer;

use crate::engine::{Target, files, says_what_is_wrong};

fn project(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Every game that is read has legal moves and keeps the limits, games are numbered in order, and there are not more of them than bytes.
#[test]
fn games() {
    let words = &[
        "[Event \"x\"]\n",
        "[FEN \"8/P6k/8/8/8/8/8/K7 w - - 0 1\"]\n",
        "[Result \"0-0\"]\n",
        "[Variant \"Chess960\"]\n",
        "\n\n",
        "1. e4 ",
        "e5 ",
        "0-0 ",
        "--",
        "{[%clk 1:57]}",
        "{",
        "}",
        "(",
        ")",
        ";",
        "%",
        "$1",
        "1-0",
        "*",
        "½-½",
        "\"",
        "\\",
        "e8Q",
        "e7e8q",
        "gxf6ep",
        "++",
        "\u{feff}",
        "\r\n",
    ];
    Target::of_files("pgn", "pgn").with_words(words).holds(|bytes| {
        let mut number = 0;
        for game in pgn::games(bytes).unwrap() {
            number += 1;
            match game {
                Ok(game) => {
                    assert!(game.number == number && !game.moves.is_empty() && game.moves.len() <= MAX_PLIES);
                    assert!(game.tags.0.len() <= MAX_TAGS && game.tags.0.iter().all(|(name, value)| name.len() + value.len() <= 2 * MAX_TAG));
                    let mut position: Chess = game.start.position.clone();
                    for made in &game.moves {
                        position.play_unchecked(made.uci.to_move(&position).unwrap());
                    }
                    assert!(game.tags.time_control().is_none_or(|control| control.to_string().len() < 500));
                }
                Err(problem) => {
                    assert_eq!(problem.number, number);
                    says_what_is_wrong(&problem);
                }
            }
        }
        assert!(number <= bytes.len());
    });
}

/// A scenario that can be read is played to its end, whatever it asks for: replay gives the same game, and it goes the same way again.
#[test]
fn scenarios() {
    let words = &[
        "0:00:00 ",
        "+0:05 ",
        "white ",
        "black ",
        "clock ",
        "arbiter ",
        "; ",
        "press",
        "play e4",
        "flag both",
        "lost",
        "back",
        "restart",
        "start",
        "resume",
        "undo",
        "seal \"Nf3\"",
        "stop",
        "custody",
        "open",
        "\n= digest-stable\n",
        "\n= clocks ~ 0:01:00 0:01:00\n",
        "\ncontrol 1/1b1:1\n",
        "laws 1997\n",
        "order-seal",
        "resume",
        "claim threefold",
        "uphold",
        "restore 0",
        "setup",
        "colours",
        "annul x",
        "result 0-0",
        "correct 1-0 x",
        "999999:59:59",
    ];
    let told = files(&project("tests/laws"), "scn");
    assert!(told.len() > 100, "{}", told.len());
    // All of them are played elsewhere.
    let told = told.into_iter().step_by(6);
    Target::of_files("scenario", "scn").and_seeds(told).with_words(words).with_inputs(100).holds_for_text(|text| {
        let scenario: Scenario = match text.parse() {
            Ok(scenario) => scenario,
            Err(e) => return says_what_is_wrong(&e),
        };
        let report = run(&scenario);
        assert_eq!(report.trace.len(), scenario.steps.len());
        assert!(report.failures.iter().all(|failure| !failure.expected.starts_with("game 1 with digest")), "{:?}", report.failures);
        assert_eq!(run(&scenario).game.digest(), report.game.digest());
    });
}

/// A line that is read is written as it was, as far as it counts.
#[test]
fn exported_lines() {
    let kept = std::fs::read_to_string(project("tests/golden/v3/log.jsonl")).unwrap();
    let lines = kept.lines().step_by(40).map(|line| line.as_bytes().to_vec());
    let words = &["\"", "\\", "{", "}", "\"seq\":", "\"body\":\"", "\"chain\":\"", "00", "é", "null", "-1", "1e999", "18446744073709551616"];
    Target::of_lines("jsonl").and_seeds(lines).with_words(words).holds_for_text(|text| {
        let line = match jsonl::read(text) {
            Ok(line) => line,
            Err(e) => return says_what_is_wrong(&e),
        };
        match writer::read(Seq(line.seq), &line.body) {
            Ok(entry) => {
                let again = jsonl::write(&entry, &line);
                assert_eq!(jsonl::read(&again).as_ref(), Ok(&line));
                assert_eq!(jsonl::text(&again).as_deref(), serde_json::from_str::<serde_json::Value>(&again).unwrap()["text"].as_str());
            }
            Err(e) => says_what_is_wrong(&e),
        }
    });
}
