//! Days on which nothing may go wrong but what is meant to.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use zeitnot::sim::{Counts, Options, day};

/// Days of `make test`; `zeitnot simulate --seeds` and `make soak` take more.
const SEEDS: u64 = 16;
/// Boards and hours of each.
const HALL: (usize, f64) = (6, 0.4);

/// Works through `0..n` on two threads.
pub(crate) fn each(n: u64, work: impl Fn(u64) + Sync) {
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(i) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|i| *i < n) {
                    work(i);
                }
            });
        }
    });
}

#[test]
fn every_invariant_holds_on_every_day() {
    let all = Mutex::new(Counts::default());
    each(SEEDS, |seed| match day(&Options::new(seed, HALL.0, HALL.1)) {
        Ok(counts) => all.lock().unwrap().add(&counts),
        Err(failure) => panic!("{failure}"),
    });
    let all = all.into_inner().unwrap();
    println!("{all:?}");
    // A simulation in which nothing happens would hold everything as well.
    let happened = all.named().into_iter().filter(|(name, n)| *n == 0 && !matches!(*name, "disk_full" | "swaps" | "deaths"));
    assert_eq!(happened.count(), 0, "{all:?}");
}

#[test]
fn the_same_seed_is_the_same_day() {
    let options = Options::new(77, 4, 0.2);
    assert_eq!(day(&options).unwrap(), day(&options).unwrap());
    assert_ne!(day(&options).unwrap(), day(&Options { seed: 78, ..options }).unwrap());
}
