//! The Laws, told by hand: every scenario under `tests/laws`, and those handed to the project where they are present.
#![expect(clippy::unwrap_used, reason = "what cannot be read here is a failed test")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use zeitnot::laws::{Edition, Laws, Play, Supervision, diff};
use zeitnot::scenario::{Scenario, run};

fn scenarios(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(dir) else { return found };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(scenarios(&path));
        } else if path.extension().is_some_and(|ext| ext == "scn") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn all_hold(files: &[PathBuf]) {
    let mut wrong = Vec::new();
    for path in files {
        match std::fs::read_to_string(path).unwrap().parse::<Scenario>() {
            Ok(scenario) => {
                let report = run(&scenario);
                assert!(report.expectations > 0, "{} expects nothing", path.display());
                let line = |f: &zeitnot::scenario::Failure| format!("{}:{}: expected {}, got {}", path.display(), f.line, f.expected, f.got);
                wrong.extend(report.failures.iter().map(line));
            }
            Err(e) => wrong.push(format!("{}: {e}", path.display())),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_laws_hold() {
    let files = scenarios(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/laws"));
    assert!(!files.is_empty());
    all_hold(&files);
}

#[test]
fn the_handed_scenarios_hold() {
    let shared = std::env::var_os("ZEITNOT_SHARED").map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    for (folder, least) in [("scenarios/01-basics", 40), ("scenarios/02-laws", 60), ("scenarios/03-adjournment", 12)] {
        let dir = shared.join(folder);
        if !dir.is_dir() {
            println!("skipped: {} is not there (ZEITNOT_SHARED names its folder)", dir.display());
            continue;
        }
        let files = scenarios(&dir);
        assert!(files.len() > least, "{folder} has only {}", files.len());
        all_hold(&files);
    }
}

/// Decided examples of the Laws, by number.
fn examples() -> impl Iterator<Item = u32> {
    1..=201
}

/// Reported faults that the rules at a board answer for.
const FAULTS: [&str; 17] = ["01", "02", "03", "04", "05", "06", "07", "08", "14", "16", "17", "30", "31", "32", "33", "34", "40"];

#[test]
fn every_example_and_every_fault_has_its_scenario() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/laws");
    let names: Vec<String> = scenarios(&dir).iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect();
    let tables = std::fs::read_to_string(dir.join("TABLES.txt")).unwrap();
    let told =
        |prefix: &str| names.iter().any(|name| name.starts_with(prefix)) || tables.lines().any(|line| line.starts_with(prefix.trim_end_matches('-')));
    let missing: Vec<u32> = examples().filter(|n| !told(&format!("{n:03}-"))).collect();
    assert!(missing.is_empty(), "no scenario tells examples {missing:?}");
    let fault = |number: &str| names.iter().any(|name| name.strip_prefix("bh-").is_some_and(|rest| rest.starts_with(number)));
    let missing: Vec<&str> = FAULTS.into_iter().filter(|number| !fault(number)).collect();
    assert!(missing.is_empty(), "no scenario tells faults {missing:?}");
}

/// Examples 185 and 186: bishops on squares of one colour, a king that is not between the rooks, a black array that is no mirror.
#[test]
fn arrays_that_are_none() {
    let arrays: BTreeSet<String> = (0..=zeitnot::board::MAX_NUMBER).map(|n| zeitnot::board::Start::chess960(n).unwrap().to_fen()).collect();
    assert_eq!(arrays.len(), 960);
    let fen = |black: &str, white: &str| format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w KQkq - 0 1");
    assert!(arrays.contains(&fen("rnbkqbnr", "RNBKQBNR")));
    for (black, white) in [("rbqbnknr", "RBQBNKNR"), ("krnbbqnr", "KRNBBQNR"), ("rnbkqbnr", "RNBQKBNR")] {
        assert!(!arrays.contains(&fen(black, white)), "{white}");
    }
}

/// What changed from edition to edition, in a table written by hand from the texts: play, supervision and field with the new value and its article.
#[test]
fn neighbouring_editions_differ_as_the_table_says() {
    let table = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/laws/editions.tsv")).unwrap();
    let lines: Vec<Vec<&str>> =
        table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| line.split('\t').collect()).collect();
    let combinations = [
        (Play::Standard, Supervision::Full),
        (Play::Rapid, Supervision::Full),
        (Play::Rapid, Supervision::Limited),
        (Play::Blitz, Supervision::Full),
        (Play::Blitz, Supervision::Limited),
    ];
    let mut wrong = Vec::new();
    for pair in Edition::ALL.windows(2) {
        let year = pair[1].year().to_string();
        for (play, supervision) in combinations {
            let here = |line: &&Vec<&str>| line[0] == year && [play.word(), "*"].contains(&line[1]) && [supervision.word(), "*"].contains(&line[2]);
            let by_hand: BTreeSet<[&str; 3]> = lines.iter().filter(here).map(|line| [line[3], line[4], line.get(5).copied().unwrap_or("")]).collect();
            let changed = diff(Laws::of(pair[0], play, supervision), Laws::of(pair[1], play, supervision));
            let in_code: BTreeSet<[&str; 3]> = changed.iter().map(|(field, _, new)| [*field, new.value.as_str(), new.article.as_str()]).collect();
            let at = format!("{year} {} {}", play.word(), supervision.word());
            wrong.extend(by_hand.difference(&in_code).map(|row| format!("{at}: only in the table: {row:?}")));
            wrong.extend(in_code.difference(&by_hand).map(|row| format!("{at}: only in the code: {row:?}")));
        }
    }
    assert!(wrong.is_empty(), "{} differences\n{}", wrong.len(), wrong.join("\n"));
}
