//! On a disk and in real time: what was acknowledged is there after a restart.

use std::path::Path;
use std::time::Duration;

use zeitnot::daemon::Daemon;
use zeitnot::log::{Error, Options, SledLog};
use zeitnot::time::HallClock;
use zeitnot::wire::v1;

use crate::clock::Clock;
use crate::console::{Console, ruling, taken};
use crate::hall::Hall;
use crate::ledger::Ledger;
use crate::words::{BLACK, WHITE, add, left, press};

/// A daemon on a directory, as soon as the one before it has let it go. The ledger stays empty.
async fn open(dir: &Path) -> Hall {
    let log = loop {
        match SledLog::open(dir, &Options { wait: Duration::ZERO, ..Options::default() }) {
            Ok(log) => break log,
            Err(Error::Locked { .. }) => tokio::time::sleep(Duration::from_millis(5)).await,
            Err(error) => panic!("{error}"),
        }
    };
    let daemon = Daemon::start(Box::new(log), HallClock::start(), None, &mut |_| {}).await.unwrap();
    Hall { daemon, log: Ledger::default() }
}

#[tokio::test]
async fn what_was_acknowledged_is_there_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let hall = open(dir.path()).await;
    let mut clock = Clock::attach(hall.channel(), 7, 1).await;
    clock.assigned(0).await;
    let game = hall.game("300", 7).await;
    let mut arbiter = Console::attach(hall.channel()).await;
    clock.started(&mut arbiter, game, 0).await;
    clock.does(1_000, press(WHITE, "e2e4")).await;
    let ruled = taken(arbiter.outcome(ruling("more", game, 0, add(BLACK, 5_000))).await);
    hall.stop().await;

    let hall = open(dir.path()).await;
    let mut back = Clock::attach(hall.channel(), 7, 1).await;
    back.assigned(game).await;
    assert_eq!(back.acked, (1, clock.number));
    back.number = clock.number - 1;
    back.does(1_000, press(WHITE, "e2e4")).await;
    back.does(2_500, press(BLACK, "e7e5")).await;
    let mut arbiter = Console::attach(hall.channel()).await;
    assert_eq!(taken(arbiter.outcome(ruling("more", game, 0, add(BLACK, 5_000))).await), ruled);
    let state = hall.state(game).await;
    assert_eq!((state.moves.len(), left(&state)), (2, [299_000, 303_500]));

    let said = hall.office().digest(v1::DigestRequest {}).await.unwrap().into_inner();
    hall.stop().await;
    let hall = open(dir.path()).await;
    let then = hall.office().replay(v1::ReplayRequest { game, until: said.position }).await.unwrap().into_inner();
    assert_eq!(then.digest, state.digest);
}
