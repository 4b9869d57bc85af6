//! Who can still mate: positions with known answers, what playouts and games show, and proofs and lines that are not true.
#![expect(clippy::unwrap_used, reason = "what does not go as told here is a failed test")]

mod common;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use shakmaty::uci::UciMove;
use shakmaty::{ByColor, Chess, Color, Position};
use zeitnot::board::mating::{Budget, Glance, Mating, Proof, asked, check, glance, judge, replays};
use zeitnot::format::pgn;

/// Enough for nearly every position here.
const SMALL: Budget = Budget { nodes: 20_000 };

/// Position, and whether White and Black can mate.
const TABLE: &[(&str, bool, bool)] = &[
    // No move: mate, stalemate; before any look at the material.
    ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", true, false),
    ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", false, false),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", true, true),
    // Material.
    ("8/8/8/3k4/8/8/8/K7 w - - 0 1", false, false),
    ("8/8/8/3k4/8/8/N7/K7 w - - 0 1", false, false),
    ("8/8/8/3k4/8/8/NN6/K7 w - - 0 1", true, false),
    ("8/8/8/3k4/8/q7/3N4/7K b - - 0 1", false, true),
    ("8/8/8/3k4/8/r7/3N4/7K b - - 0 1", true, true),
    ("8/8/8/3k4/8/r7/3B4/7K b - - 0 1", false, true),
    ("8/8/8/3k4/8/q7/3B4/7K b - - 0 1", false, true),
    ("8/8/8/3k4/8/b7/3B4/7K b - - 0 1", false, false),
    ("8/8/8/3k4/b7/8/3B4/7K b - - 0 1", true, true),
    ("8/8/8/3k4/8/n7/3B4/7K b - - 0 1", true, true),
    // The only move takes the last officer; or all of them do.
    ("7K/7q/8/8/8/8/8/k7 w - - 0 1", false, false),
    ("8/8/8/8/8/2n5/3r3k/2K5 w - - 0 1", false, false),
    // Locked pawns; and the same with a way through, or with a piece that sees to it.
    ("8/2k5/p1p1p3/P1PpP1p1/3Pp1Pp/4P2P/6K1/8 b - - 0 1", false, false),
    ("8/4k3/8/p1p2p1p/P1P2P1P/2K2P2/8/8 w - - 0 1", false, false),
    // What takes the queen locks everything.
    ("8/6Q1/4Bk2/p1p1pBp1/P1P1P1P1/8/8/4K3 b - - 0 1", false, false),
    ("8/8/4p3/4P2p/2p2p1P/2P2P1K/8/6k1 b - - 0 1", true, true),
    ("8/1p3p2/1P2pP2/p2pP3/P1pP3p/1KP3pP/6P1/1k6 w - - 0 1", true, true),
    ("1b2kb2/8/2pp4/3p2p1/p1K1pP2/1P1P1P2/8/1B3B2 w - - 0 1", true, true),
];

fn verdict(position: &Chess, winner: Color, budget: Budget) -> Option<bool> {
    let judged = judge(position, winner, budget);
    match &judged.mating {
        Mating::Possible(line) => {
            assert!(replays(position, line, winner));
            Some(true)
        }
        Mating::Impossible(proof) => {
            assert!(check(position, winner, proof), "{proof:?}");
            Some(false)
        }
        Mating::Unclear => None,
    }
}

#[test]
fn the_table() {
    for (fen, white, black) in TABLE {
        let position = asked(fen).unwrap();
        for (winner, expected) in [(Color::White, *white), (Color::Black, *black)] {
            assert_eq!(verdict(&position, winner, Budget::DEFAULT), Some(expected), "{winner} in {fen}");
        }
        match glance(&position) {
            Glance::Dead(ByColor { white: one, black: other }) => {
                assert!(!white && !black, "{fen}");
                assert!(check(&position, Color::White, &one) && check(&position, Color::Black, &other), "{fen}");
            }
            Glance::Open | Glance::Locked => {}
        }
    }
}

#[test]
fn castling_of_chess960_may_be_part_of_it() {
    let array = zeitnot::board::chess960(339).unwrap();
    for winner in Color::ALL {
        assert_eq!(verdict(&array, winner, SMALL), Some(true));
    }
    // Of the two positions the one with the right to castle is another one.
    let with = asked("8/8/8/8/8/k7/8/1K1R4 w D - 0 1").unwrap();
    assert_eq!(verdict(&with, Color::White, SMALL), Some(true));
    assert_eq!(verdict(&with, Color::Black, SMALL), Some(false));
}

#[test]
fn the_positions_handed_in_are_judged_as_they_are_labelled() {
    let Some(folder) = common::shared("corpus/unwinnable") else { return };
    let text = std::fs::read_to_string(folder.join("handed.txt")).unwrap();
    let (mut right, mut unclear) = (0, 0);
    for line in text.lines().step_by(11) {
        let fields: Vec<&str> = line.split(" ; ").collect();
        let (position, winner) = (asked(fields[0]).unwrap(), Color::from_white(fields[1] == "white"));
        match verdict(&position, winner, SMALL) {
            None => unclear += 1,
            Some(said) => {
                assert_eq!(said, fields[2] == "winnable", "{line}");
                right += 1;
            }
        }
    }
    println!("{right} right, {unclear} unclear");
    assert!(right > 800 && unclear * 20 < right);
}

/// The lines that published solvers get wrong, or leave open.
#[test]
fn where_others_err() {
    let Some(folder) = common::shared("corpus/unwinnable") else { return };
    let text = std::fs::read_to_string(folder.join("handed.txt")).unwrap();
    let (mut lines, mut unclear) = (0, 0);
    for line in text.lines().filter(|line| line.contains("; anchor-") || line.contains("; D3-Chess-issue")) {
        let fields: Vec<&str> = line.split(" ; ").collect();
        let (position, winner) = (asked(fields[0]).unwrap(), Color::from_white(fields[1] == "white"));
        lines += 1;
        match verdict(&position, winner, SMALL) {
            None => unclear += 1,
            Some(said) => assert_eq!(said, fields[2] == "winnable", "{line}"),
        }
    }
    assert!(lines >= 35 && unclear <= 8, "{lines} {unclear}");
}

#[test]
fn whoever_mated_could_mate_before() {
    let Some(folder) = common::shared("corpus/pgn/python-chess") else { return };
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut mates = 0;
    for path in paths.iter().filter(|path| path.extension().is_some_and(|ext| ext == "pgn")) {
        for game in pgn::games(&std::fs::read(path).unwrap()).unwrap().flatten() {
            let mut line = vec![game.start.position.clone()];
            for made in &game.moves {
                let mut next = line.last().unwrap().clone();
                next.play_unchecked(made.uci.to_move(&next).unwrap());
                line.push(next);
            }
            let last = line.last().unwrap();
            if !last.is_checkmate() || mates >= 20 {
                continue;
            }
            mates += 1;
            for position in line.iter().rev().step_by(7) {
                assert_ne!(verdict(position, !last.turn(), SMALL), Some(false), "{} game {}", path.display(), game.number);
                assert!(!matches!(glance(position), Glance::Dead(_)));
            }
        }
    }
    println!("{mates} games that ended in mate");
}

/// Plays at random, mostly from locked positions, and holds the verdicts against what happens.
#[test]
fn no_playout_contradicts_a_verdict() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let mut starts: Vec<String> = TABLE.iter().map(|(fen, ..)| fen.to_string()).collect();
    if let Some(folder) = common::shared("corpus/unwinnable") {
        let text = std::fs::read_to_string(folder.join("handed.txt")).unwrap();
        starts.extend(text.lines().step_by(31).map(|line| line.split(" ; ").next().unwrap().to_string()));
    }
    let (mut moves, mut impossible) = (0, 0);
    for fen in &starts {
        let start = asked(fen).unwrap();
        let cannot = Color::ALL.map(|winner| verdict(&start, winner, SMALL) == Some(false));
        let is_dead = matches!(glance(&start), Glance::Dead(_));
        impossible += cannot.iter().filter(|cannot| **cannot).count();
        for _ in 0..4 {
            let mut now = start.clone();
            for _ in 0..random.random_range(1..120) {
                let legal = now.legal_moves();
                let Some(m) = legal.choose(&mut random) else { break };
                now.play_unchecked(*m);
                moves += 1;
            }
            if now.is_checkmate() {
                assert!(!is_dead && !cannot[usize::from(now.turn().is_white())], "{fen}");
            }
            // What cannot be won does not become so.
            for (winner, cannot) in Color::ALL.into_iter().zip(cannot) {
                if cannot {
                    assert_ne!(verdict(&now, winner, Budget { nodes: 2_000 }), Some(true), "{winner} in {fen}");
                }
            }
        }
    }
    println!("{moves} moves from {} positions, {impossible} verdicts of impossible", starts.len());
}

#[test]
fn the_same_question_gets_the_same_answer() {
    for (fen, ..) in TABLE {
        let position = asked(fen).unwrap();
        for winner in Color::ALL {
            let first = judge(&position, winner, Budget::QUICK);
            assert_eq!(judge(&position, winner, Budget::QUICK), first);
            assert!(first.nodes <= Budget::QUICK.nodes + 300, "{fen}: {}", first.nodes);
        }
    }
}

#[test]
fn what_is_not_true_is_refused() {
    let mut random = ChaCha8Rng::seed_from_u64(6);
    for (fen, ..) in TABLE {
        let position = asked(fen).unwrap();
        for winner in Color::ALL {
            match judge(&position, winner, SMALL).mating {
                Mating::Impossible(proof) => {
                    for wrong in corrupted(&proof) {
                        assert!(!check(&position, winner, &wrong), "{wrong:?} for {proof:?} in {fen}");
                    }
                }
                Mating::Possible(line) => {
                    assert!(!replays(&position, &line, !winner));
                    let proofs = [Proof::Terminal, Proof::Material, Proof::ForcedLine { plies: 0 }, Proof::Tree { leaves: 1 }];
                    assert!(proofs.iter().all(|proof| !check(&position, winner, proof)), "{fen}");
                    if let Some(i) = (!line.is_empty()).then(|| random.random_range(0..line.len())) {
                        let without: Vec<UciMove> = line.iter().enumerate().filter(|(at, _)| *at != i).map(|(_, made)| *made).collect();
                        assert!(!replays(&position, &without, winner) || without.len().is_multiple_of(2) != line.len().is_multiple_of(2), "{fen}");
                        let mut twice = line.clone();
                        twice.insert(i, line[i]);
                        assert!(!replays(&position, &twice, winner), "{fen}");
                    }
                }
                Mating::Unclear => {}
            }
        }
    }
}

/// Proofs like this one that are not true.
fn corrupted(proof: &Proof) -> Vec<Proof> {
    match *proof {
        Proof::Terminal => vec![Proof::Material],
        Proof::Material => vec![Proof::Terminal, Proof::ForcedLine { plies: 1_000_000 }, Proof::Tree { leaves: 2 }],
        Proof::ForcedLine { plies } => vec![Proof::ForcedLine { plies: plies + 1_000 }, Proof::Terminal],
        Proof::Tree { leaves } => vec![Proof::Tree { leaves: leaves + 1 }, Proof::Tree { leaves: leaves.wrapping_sub(1) }],
        Proof::Reach { squares } => vec![Proof::Reach { squares: squares + 1 }, Proof::Tree { leaves: squares }],
        Proof::Closure { positions, digest } => {
            let mut changed = digest;
            changed[positions as usize % 32] ^= 1;
            let closure = |positions, digest| Proof::Closure { positions, digest };
            let locking = Proof::Locking { positions: positions + 1, digest };
            vec![closure(positions + 1, digest), closure(positions - 1, digest), closure(positions, changed), locking]
        }
        Proof::Locking { positions, digest } => {
            let locking = |positions, digest| Proof::Locking { positions, digest };
            vec![locking(positions + 1, digest), locking(positions, [0; 32]), Proof::Closure { positions, digest }]
        }
        _ => Vec::new(),
    }
}

/// What `zeitnot ask` prints, and how it ends.
fn ask(args: &[&str]) -> (Option<i32>, String) {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_zeitnot")).arg("ask").args(args).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn it_can_be_asked_from_the_shell() {
    let (code, said) = ask(&["7K/7q/8/8/8/8/8/k7 w - - 0 1"]);
    assert_eq!(code, Some(0));
    assert!(said.contains("dead    yes") && said.contains("white   cannot mate") && said.contains("black   cannot mate"), "{said}");
    let (code, said) = ask(&["nqrkbbnr/pppppppp/8/8/8/8/PPPPPPPP/NQRKBBNR w HChc - 0 1", "--json"]);
    let answer: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!((code, answer["black"]["mate"].as_str(), answer["dead"].as_bool()), (Some(0), Some("possible"), Some(false)));
    assert!(answer["shredder_fen"].as_str().unwrap().contains(" HChc ") && answer["fen"].as_str().unwrap().contains(" KQkq "));
    assert!(answer["black"]["line"].as_str().unwrap().ends_with('#') && !answer["white"].is_null());
    for no_position in ["hello", "8/8/8/8/8/8/8/8 w - - 0 1"] {
        assert_eq!(ask(&[no_position]).0, Some(2));
    }
    assert_eq!(ask(&[]).0, Some(2));

    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().display().to_string();
    let lines = ["8/8/8/3k4/8/8/NN6/K7 w - - 0 1 ; white ; winnable ; book", "8/8/8/3k4/8/8/N7/K7 w - - 0 1 ; white"];
    std::fs::write(&path, lines.join("\n")).unwrap();
    let (code, said) = ask(&["--file", &path]);
    assert!(code == Some(0) && said.contains("right    1") && said.contains("answer, unwinnable: 2:"), "{said}");
    std::fs::write(&path, "8/8/8/3k4/8/8/N7/K7 w - - 0 1 ; white ; winnable").unwrap();
    let (code, said) = ask(&["--file", &path, "--json"]);
    let totals: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!((code, totals["wrong"].as_u64(), totals["lines"][0]["what"].as_str()), (Some(1), Some(1), Some("wrong")));
    std::fs::write(&path, "8/8/8/3k4/8/8/N7/K7 w - - 0 1 ; green").unwrap();
    assert_eq!(ask(&["--file", &path]).0, Some(2));
    let demo = concat!(env!("CARGO_MANIFEST_DIR"), "/src/fleet/demo.pgn");
    let (code, said) = ask(&["--pgn", demo, "--nodes", "2000"]);
    assert!(code == Some(0) && said.contains("wrong      0"), "{said}");
}
