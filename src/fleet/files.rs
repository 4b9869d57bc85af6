//! The PGN files of a fleet: every game that can be played is planned, every other one is named with its reason.

use std::path::{Path, PathBuf};

use super::plan::Plan;
use super::report::{Report, Unplayable};
use crate::format::pgn;

/// The demo that is part of the program.
const DEMO: &[u8] = include_bytes!("demo.pgn");

/// Where games come from.
#[derive(Debug, Clone)]
pub enum Source {
    /// The demo.
    Demo,
    /// Files, and folders of them.
    Files(Vec<PathBuf>),
}

/// Reads and plans every game. The report begins with those that cannot be played.
///
/// # Errors
/// A file or folder that cannot be read.
pub fn plans(source: &Source, seed: u64) -> Result<(Vec<Plan>, Report), String> {
    let (mut plans, mut report) = (Vec::new(), Report::default());
    match source {
        Source::Demo => add("demo", DEMO, seed, &mut plans, &mut report),
        Source::Files(paths) => {
            for path in paths {
                for file in files(path)? {
                    let bytes = std::fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
                    add(&file.display().to_string(), &bytes, seed, &mut plans, &mut report);
                }
            }
        }
    }
    for plan in &plans {
        if let Some(cut) = plan.cut_short {
            let reason = format!("ply {} ends the game ({}); {} moves after it are no part of it", cut.ply, cut.article, cut.beyond);
            report.cut_short.push(Unplayable { file: plan.source.clone(), number: plan.number, reason });
        }
    }
    report.default_controls = plans.iter().filter(|plan| plan.default_control).count() as u64;
    report.invented = plans.iter().filter(|plan| plan.invented).count() as u64;
    Ok((plans, report))
}

fn add(name: &str, bytes: &[u8], seed: u64, plans: &mut Vec<Plan>, report: &mut Report) {
    let mut unplayable = |number, reason: String| report.unplayable.push(Unplayable { file: name.to_string(), number, reason });
    let games = match pgn::games(bytes) {
        Ok(games) => games,
        Err(e) => return unplayable(0, e.to_string()),
    };
    for game in games {
        match game.and_then(|game| Plan::of(name, &game, seed)) {
            Ok(plan) => plans.push(plan),
            Err(problem) => unplayable(problem.number, problem.reason.to_string()),
        }
    }
}

/// The file itself, or every `.pgn` below the folder, in order.
fn files(path: &Path) -> Result<Vec<PathBuf>, String> {
    let wrong = |e: std::io::Error| format!("{}: {e}", path.display());
    if !std::fs::metadata(path).map_err(wrong)?.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut entries: Vec<PathBuf> = std::fs::read_dir(path).map_err(wrong)?.filter_map(|entry| entry.ok().map(|e| e.path())).collect();
    entries.sort();
    let mut found = Vec::new();
    for entry in entries {
        if entry.is_dir() {
            found.extend(files(&entry)?);
        } else if entry.extension().is_some_and(|ext| ext.eq_ignore_ascii_case("pgn")) {
            found.push(entry);
        }
    }
    Ok(found)
}
