//! Kill -9 and power cuts under load, again and again: what was acknowledged is in the log, once and in order, and it always opens.
//!
//! A few of both in `make test`, hundreds in `make crash`. `CRASH_KILLS`, `CRASH_CUTS` and `CRASH_CONTROLS` say how many,
//! `CRASH_BOARDS` how large the hall is, and `CRASH_SEED` when in a round the daemon dies.
#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

mod clock;
mod daemon;
mod disk;
mod hall;
mod left;
mod rounds;
mod tally;

use crate::daemon::Syncs;
use crate::disk::Disk;
use crate::rounds::{Site, Trial};
use crate::tally::{Tally, setting};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_survives_kill_9() {
    let mut tally = Tally::new("kill -9", setting("CRASH_KILLS", 20));
    while tally.left() > 0 {
        Trial::new(Site::here(), Syncs::Done, &mut tally).day().await;
    }
    tally.end();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_survives_power_cuts() {
    let mut tally = Tally::new("power cuts", setting("CRASH_CUTS", 8));
    while tally.left() > 0 {
        let Some(disk) = disk() else { return };
        Trial::new(Site::Disk(disk), Syncs::Done, &mut tally).day().await;
    }
    tally.end();
}

/// Without the syncs a power cut loses what was acknowledged, and the tests above would see it; where all is synced from
/// outside before the power goes, the same daemon loses nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_syncs_power_cuts_lose_what_was_acknowledged() {
    let mut tally = Tally::new("without syncs", setting("CRASH_CONTROLS", 1));
    let mut lost = Vec::new();
    for _ in 0..tally.left() {
        let Some(disk) = disk() else { return };
        lost.extend(Trial::new(Site::Disk(disk), Syncs::Left, &mut tally).one_evening(false).await.err());
    }
    println!("without syncs {} of {} power cuts lost what was acknowledged, first: {:?}", lost.len(), setting("CRASH_CONTROLS", 1), lost.first());
    assert!(!lost.is_empty(), "nothing is lost without syncs: this disk tests nothing");
    let Some(disk) = disk() else { return };
    let mut synced = Tally::new("synced outside", 1);
    Trial::new(Site::Disk(disk), Syncs::Left, &mut synced).one_evening(true).await.unwrap();
}

/// `None`, with the reason printed, where there can be no such disk.
fn disk() -> Option<Disk> {
    Disk::new().map_err(|why| println!("skipped: there are no power cuts here: {why} (it takes root and loop devices)")).ok()
}
