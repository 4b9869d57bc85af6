//! The Laws, told by hand: every scenario under `tests/laws`, and those handed to the project where they are present.
#![expect(clippy::unwrap_used, reason = "what cannot be read here is a failed test")]

use std::path::{Path, PathBuf};

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
    let dir = shared.join("scenarios/01-basics");
    if !dir.is_dir() {
        println!("skipped: {} is not there (ZEITNOT_SHARED names its folder)", dir.display());
        return;
    }
    let files = scenarios(&dir);
    assert!(files.len() > 40);
    all_hold(&files);
}
