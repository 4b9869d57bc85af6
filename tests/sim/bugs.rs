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
        let found = (0..SEEDS).find_map(|seed| day(&Options { bug: Some(bug), ..Options::new(seed, 5, 0.3) }).err().map(|failure| (seed, failure)));
        match found {
            Some((seed, failure)) if failure.invariant == invariant => println!("{bug:?}: seed {seed}: {invariant}: {}", failure.how),
            Some((_, failure)) => missed.lock().unwrap().push(format!("{bug:?} should break '{invariant}', and that was found: {failure}")),
            None => missed.lock().unwrap().push(format!("{bug:?} was not found in {SEEDS} days")),
        }
    });
    let missed = missed.into_inner().unwrap();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
