//! What holds for the source as a whole: who may use whom, what is pure, how files begin and how long they are.
#![expect(clippy::unwrap_used, reason = "what does not go as told here is a failed test")]

use std::path::{Path, PathBuf};

/// The modules in the order in which they may use one another: each those before its own line.
const ORDER: &[&[&str]] = &[
    &["clock"],
    &["laws"],
    &["board"],
    &["envelope", "signature"],
    &["game"],
    &["venue"],
    &["audit", "disclosure", "format", "scenario"],
    &["wire", "time"],
    &["log"],
    &["writer"],
    &["service"],
    &["http"],
    &["daemon"],
    &["client"],
    &["fleet"],
    &["sim"],
    &["cli"],
    &["main"],
];
/// How many lines of [`ORDER`] are pure: no IO, no async, no store, no protobuf.
const PURE: usize = 7;
/// What a pure module does not name; but a cursor over bytes in memory is no IO.
const IMPURE: &[&str] = &["tokio::", "tonic::", "sled::", "prost::", "std::io", "async fn"];
/// Longest file, in lines.
const MAX_LINES: usize = 450;

/// A source file, by its path under the root.
struct Source {
    path: String,
    text: String,
}

impl Source {
    fn new(path: &str, text: &str) -> Source {
        Source { path: path.to_string(), text: text.to_string() }
    }

    /// What the program itself is made of: no comment, no test.
    fn program(&self) -> impl Iterator<Item = (usize, &str)> {
        let tests = self.text.find("#[cfg(test)]\nmod tests {").unwrap_or(self.text.len());
        self.text[..tests].lines().enumerate().map(|(i, line)| (i + 1, line)).filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    /// The module that it belongs to, and its place in the order.
    fn module(&self) -> Option<(&str, usize)> {
        let name = self.path.strip_prefix("src/")?.split('/').next()?.trim_end_matches(".rs");
        rank(name).map(|rank| (name, rank))
    }

    fn is_pure(&self) -> bool {
        self.module().is_some_and(|(_, rank)| rank < PURE) || self.path.starts_with("src/fleet/plan")
    }

    /// Whether it is compiled for tests only.
    fn is_test(&self) -> bool {
        !self.path.starts_with("src/") || self.path.contains("/tests/")
    }
}

fn rank(module: &str) -> Option<usize> {
    ORDER.iter().position(|line| line.contains(&module))
}

/// The paths that a line names in this crate, each from its module on.
fn used(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("crate::").map(|(at, _)| &line[at + "crate::".len()..])
}

/// Uses against the order.
fn against_the_order(source: &Source) -> Vec<String> {
    let Some((module, own)) = source.module().filter(|_| !source.is_test()) else { return Vec::new() };
    let mut wrong = Vec::new();
    for (number, line) in source.program() {
        for path in used(line) {
            let name = path.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            let fine = match rank(name) {
                None => false,
                // Entries are opaque bytes there: a place, and how long a write took, is all that it knows.
                Some(_) if module == "log" && name != "log" => path.starts_with("game::Seq") || path.starts_with("time::Stopwatch"),
                Some(rank) => name == module || rank < own,
            };
            if !fine {
                wrong.push(format!("{}:{number}: {module} uses crate::{}", source.path, path.trim_end_matches([';', ' ', '{'])));
            }
        }
    }
    wrong
}

/// Impure words in pure modules.
fn impure(source: &Source) -> Vec<String> {
    let lines = source.program().filter(|_| source.is_pure());
    let words = lines
        .flat_map(|(number, line)| IMPURE.iter().filter(|word| line.replace("std::io::Cursor", "").contains(*word)).map(move |word| (number, word)));
    words.map(|(number, word)| format!("{}:{number}: {word} in a pure module", source.path)).collect()
}

/// How a file begins, and how long it is.
fn misshapen(source: &Source) -> Vec<String> {
    let mut wrong = Vec::new();
    if !source.text.lines().next().is_some_and(|first| first.starts_with("//! ")) {
        wrong.push(format!("{}: the first line does not say what the file is", source.path));
    }
    let lines = source.text.lines().count();
    if lines > MAX_LINES {
        wrong.push(format!("{}: {lines} lines, {MAX_LINES} at most", source.path));
    }
    wrong
}

/// Words that no file may hold: what is left undone, and where the machine it was written on keeps things.
fn unwanted(source: &Source) -> Vec<String> {
    let words = [
        ["TO", "DO"],
        ["FIX", "ME"],
        ["to", "do!("],
        ["unimpl", "emented!"],
        ["#[ign", "ore"],
        ["/wo", "rk/"],
        ["/ro", "ot/"],
        ["/ho", "me/"],
        ["/tm", "p/"],
        [".car", "go/registry"],
    ];
    let found = words.iter().map(|parts| parts.concat()).filter(|word| source.text.contains(word));
    found.map(|word| format!("{}: holds {word}", source.path)).collect()
}

fn files(dir: &Path, found: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(dir).into_iter().flatten().map(|entry| entry.unwrap().path()) {
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

/// Every text of the project under these names.
fn sources(names: &[&str], endings: &[&str]) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for name in names {
        let path = root.join(name);
        if path.is_dir() { files(&path, &mut found) } else { found.push(path) }
    }
    found.sort();
    let wanted = |path: &PathBuf| endings.is_empty() || path.extension().is_some_and(|ext| endings.iter().any(|end| ext == *end));
    let read = |path: PathBuf| {
        let text = std::fs::read(&path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        Source { path: path.strip_prefix(root).unwrap().display().to_string(), text }
    };
    found.into_iter().filter(wanted).map(read).collect()
}

fn none(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn modules_keep_their_order() {
    let sources = sources(&["src"], &["rs"]);
    assert!(sources.len() > 50);
    let unknown = sources.iter().filter(|source| source.module().is_none() && source.path != "src/lib.rs");
    none(unknown.map(|source| format!("{}: has no place in the order", source.path)).collect());
    none(sources.iter().flat_map(against_the_order).collect());
}

#[test]
fn pure_modules_are_pure() {
    none(sources(&["src"], &["rs"]).iter().flat_map(impure).collect());
}

#[test]
fn files_say_what_they_are_and_stay_short() {
    none(sources(&["src", "tests", "benches", "build.rs"], &["rs"]).iter().flat_map(misshapen).collect());
}

#[test]
fn nothing_is_left_undone_and_no_machine_is_named() {
    let names = ["src", "tests", "benches", "proto", "deploy", "docs", "build.rs", "Makefile", "README.md", "ARCHITECTURE.md", "CHANGELOG.md"];
    none(sources(&names, &[]).iter().flat_map(unwanted).collect());
}

#[test]
fn these_tests_can_fail() {
    let bad = Source::new("src/game/x.rs", "use crate::writer::Writer;\nuse std::io;\n// crate::cli\n");
    assert_eq!(against_the_order(&bad), ["src/game/x.rs:1: game uses crate::writer::Writer"]);
    assert_eq!(impure(&bad).len(), 1);
    assert_eq!(misshapen(&bad).len(), 1);
    assert_eq!(against_the_order(&Source::new("src/log/x.rs", "use crate::game::{Seq, Game};")).len(), 1);
    assert_eq!(against_the_order(&Source::new("src/log/x.rs", "use crate::time::HallClock;\nuse crate::game::Seq;")).len(), 1);
    assert_eq!(against_the_order(&Source::new("src/scenario/x.rs", "let x = crate::format::pgn::games;")).len(), 1);
    assert_eq!(impure(&Source::new("src/fleet/plan/x.rs", "async fn x() {}")).len(), 1);
    assert!(impure(&Source::new("src/fleet/x.rs", "async fn x() {}")).is_empty());
    assert_eq!(misshapen(&Source::new("src/x.rs", &"//! x\n".repeat(MAX_LINES + 1))).len(), 1);
    assert_eq!(unwanted(&Source::new("x", &["TO", "DO /wo", "rk/x"].concat())).len(), 2);
}
