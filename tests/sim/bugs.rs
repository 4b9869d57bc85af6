//! The simulation is given a bug, and the invariant that is named beside it finds it.

use std::sync::Mutex;

use zeitnot::sim::{Bug, Options, day};

/// Days within which a bug has to be found.
const SEEDS: u64 = 40;

#[test]
fn every_bug_is_found_by_its_invariant() {
    let missed = Mutex::new(Vec::new());
    super::days::each(Bug::ALL.len() as u64, |i| {
        let (bug, invariant) = Bug::ALL[i as usize];
        // On another day another invariant may see it first; it counts only what the named one finds.
        let failures = (0..SEEDS).filter_map(|seed| day(&Options { bug: Some(bug), ..Options::new(seed, 5, 0.3) }).err());
        match failures.into_iter().find(|failure| failure.invariant == invariant) {
            Some(failure) => println!("{bug:?}: seed {}: {invariant}: {}", failure.options.seed, failure.how),
            None => missed.lock().unwrap().push(format!("{bug:?} breaks '{invariant}', and that was not found in {SEEDS} days")),
        }
    });
    let missed = missed.into_inner().unwrap();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
