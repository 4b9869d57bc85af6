//! `zeitnot scenario`: games told in plain lines, played and checked.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use super::output::say;
use super::{Stop, exit, json};
use crate::scenario::{self, ParseScenarioError, Report};
use crate::wire;

/// Options of `scenario`.
#[derive(Debug, Args)]
pub(super) struct Scenario {
    /// Scenario files, or directories of them (*.scn, at any depth).
    #[arg(required = true, value_name = "FILE|DIR")]
    paths: Vec<PathBuf>,
    /// Prints a JSON object for each file: failures, final state, entries, digest.
    #[arg(long)]
    json: bool,
    /// Prints each step with what it led to.
    #[arg(long)]
    trace: bool,
}

impl Scenario {
    pub(super) fn run(self) -> Result<(), Stop> {
        let mut files = Vec::new();
        for path in &self.paths {
            let before = files.len();
            gather(path, &mut files).map_err(|e| Stop::new(exit::USAGE, format!("cannot read {}: {e}", path.display())))?;
            if files.len() == before {
                return Err(Stop::new(exit::USAGE, format!("{}: no file of that directory ends in .scn", path.display())));
            }
        }
        let (mut expectations, mut failures, mut unreadable) = (0, 0, 0);
        for file in &files {
            match played(file) {
                Ok(report) => {
                    expectations += report.expectations;
                    failures += report.failures.len();
                    if self.json { say(as_json(file, &report))? } else { self.show(file, &report)? }
                }
                Err(ParseScenarioError { line, why }) => {
                    unreadable += 1;
                    if self.json {
                        say(json!({ "file": file.display().to_string(), "holds": false, "unreadable": { "line": line, "why": why } }))?;
                    } else {
                        say(format!("{}:{line}: cannot be read: {why}", file.display()))?;
                    }
                }
            }
        }
        if !self.json {
            let unread = if unreadable > 0 { format!(", {unreadable} cannot be read") } else { String::new() };
            say(format!("{} scenarios, {expectations} expectations, {failures} failed{unread}", files.len()))?;
        }
        match (unreadable, failures) {
            (0, 0) => Ok(()),
            (0, _) => Err(Stop::quiet(exit::FAILED)),
            _ => Err(Stop::quiet(exit::USAGE)),
        }
    }

    fn show(&self, file: &Path, report: &Report) -> Result<(), Stop> {
        if self.trace {
            say(file.display())?;
            for step in &report.trace {
                say(format!("{:>5}  {}", step.line, step.text))?;
                step.entries.iter().try_for_each(|entry| say(format!("           {entry}")))?;
            }
        }
        report.failures.iter().try_for_each(|f| say(format!("{}:{}: expected {}, got {}", file.display(), f.line, f.expected, f.got)))
    }
}

/// A file as it is named; of a directory, every scenario in it.
fn gather(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !fs::metadata(path)?.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut inside = fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    inside.sort();
    let scenario = |path: &Path| path.extension().is_some_and(|ext| ext == "scn");
    inside.iter().filter(|path| path.is_dir() || scenario(path)).try_for_each(|path| gather(path, files))
}

fn played(file: &Path) -> Result<Report, ParseScenarioError> {
    let text = fs::read_to_string(file).map_err(|e| ParseScenarioError { line: 1, why: e.to_string() })?;
    Ok(scenario::run(&text.parse()?))
}

fn as_json(file: &Path, report: &Report) -> Value {
    let failures: Vec<Value> = report.failures.iter().map(|f| json!({ "line": f.line, "expected": f.expected, "got": f.got })).collect();
    let steps: Vec<Value> = report.trace.iter().map(|step| json!({ "line": step.line, "step": step.text, "entries": step.entries })).collect();
    let entries: Vec<&String> = report.trace.iter().flat_map(|step| &step.entries).collect();
    json!({
        "file": file.display().to_string(),
        "holds": failures.is_empty(),
        "expectations": report.expectations,
        "failures": failures,
        "steps": steps,
        "entries": entries,
        "state": json::game(&wire::state(&report.game, None)),
        "digest": report.game.digest().to_string(),
    })
}
