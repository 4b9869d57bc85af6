//! Nothing is told to anyone before it is durable, and nothing ever that is not.

use std::time::Duration;

use tokio::time::advance;
use tokio_test::{assert_pending, task};
use tonic::Code;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};
use zeitnot::wire::v1;

use crate::clock::{Clock, report};
use crate::console::{Console, note, ruling, taken};
use crate::hall::{Hall, pass, settle, soon};
use crate::words::{BLACK, WHITE, left, offer, press, start, stop};

#[tokio::test(start_paused = true)]
async fn nobody_sees_what_is_not_durable() {
    let (hall, mut clock, mut arbiter, game) = Clock::running("300", 0).await;
    let position = arbiter.follows(0, 0, &[]).await.position;
    let mut feed = hall.feeds().follow(v1::FollowRequest { after: position, ..Default::default() }).await.unwrap().into_inner();
    let caught_up = feed.message().await.unwrap().unwrap();
    assert!(matches!(caught_up.kind, Some(v1::feed_update::Kind::CaughtUp(_))), "{caught_up:?}");

    let held = hall.log.hold();
    let number = clock.says(1_000, press(WHITE, "e2e4")).await;
    arbiter.asks(ruling("stop", game, 0, stop())).await;
    let mut asked = task::spawn(hall.state(game));
    let mut shown = task::spawn(feed.message());
    {
        let mut outcome = task::spawn(arbiter.hear());
        let mut answer = task::spawn(clock.acknowledged(number));
        for _ in 0..20 {
            assert_pending!(shown.poll());
            assert_pending!(asked.poll());
            assert_pending!(outcome.poll());
            assert_pending!(answer.poll());
            settle().await;
        }
    }
    assert_eq!(hall.log.entries().len() as u64, position);

    drop(held);
    clock.acknowledged(number).await;
    let entry = arbiter.entry().await;
    assert_eq!(entry.seq, position + 1);
    assert_eq!(shown.await.unwrap().unwrap().position, position + 1);
    assert_eq!(asked.await.moves, ["e2e4"]);
}

/// The log fails under a press: `keep` of its entries are there all the same. Gives the hall after the restart.
async fn fails(keep: usize) -> (Hall, u32, u64) {
    let (mut hall, mut clock, mut arbiter, game) = Clock::running("300", 0).await;
    clock.does(1_000, press(WHITE, "e2e4")).await;
    let position = arbiter.follows(0, 0, &[]).await.position;
    let mut health = HealthClient::new(hall.channel());
    let mut watches = Vec::new();
    for service in ["zeitnot.v1.Clocks", "zeitnot.v1.Consoles", "zeitnot.v1.Feeds", "zeitnot.v1.Office", ""] {
        let mut watch = health.watch(HealthCheckRequest { service: service.to_string() }).await.unwrap().into_inner();
        assert_eq!(watch.message().await.unwrap().unwrap().status(), ServingStatus::Serving, "{service}");
        watches.push((service, watch));
    }

    hall.log.fail(1, keep);
    clock.says(2_000, press(BLACK, "e7e5")).await;
    let error = soon("the failure", hall.daemon.failed()).await;
    assert!(error.to_string().contains("append to memory"), "{error}");
    hall.daemon.stop().await;
    assert_eq!(clock.ended().await.code(), Code::Unavailable);
    assert_eq!(clock.acked, (1, 2));
    let end = arbiter.ended().await;
    assert_eq!((end.code(), end.metadata().get("zeitnot-position").unwrap().to_str().unwrap()), (Code::Unavailable, &*position.to_string()));
    assert!(!arbiter.has_entries(), "nothing of a failed commit is shown");
    for (service, mut watch) in watches {
        let told = soon("its health", watch.message()).await.unwrap().map(|told| told.status());
        assert_eq!(told, Some(ServingStatus::NotServing), "{service}");
    }

    let log = hall.log.clone();
    drop(hall);
    log.repair();
    let hall = Hall::on(log).await;
    let mut clock = Clock::attach(hall.channel(), 7, 1).await;
    clock.assigned(game).await;
    let acked = clock.acked.1;
    clock.reports(report(1, 3, 2_000, press(BLACK, "e7e5"))).await;
    clock.acknowledged(3).await;
    (hall, acked, game)
}

#[tokio::test(start_paused = true)]
async fn what_the_log_refused_is_gone_and_comes_again() {
    let (hall, acked, game) = fails(0).await;
    assert_eq!(acked, 2);
    assert_eq!(hall.state(game).await.moves, ["e2e4", "e7e5"]);
    assert_eq!((hall.log.count("fact    press black"), hall.log.count("pressed black")), (1, 1));
}

/// The commit was whole on the disk, only its acknowledgement was lost.
#[tokio::test(start_paused = true)]
async fn what_was_durable_and_not_acknowledged_is_taken_once() {
    let (hall, acked, game) = fails(usize::MAX).await;
    assert_eq!(acked, 3);
    assert_eq!(hall.state(game).await.moves, ["e2e4", "e7e5"]);
    assert_eq!((hall.log.count("fact    press black"), hall.log.count("pressed black")), (1, 1));
}

/// Whoever asks a daemon whose log has failed is told to come again.
#[tokio::test(start_paused = true)]
async fn a_failed_daemon_takes_nothing() {
    let (mut hall, _clock, mut arbiter, game) = Clock::running("300", 0).await;
    let mut consoles = hall.consoles();
    let first = taken(arbiter.outcome(ruling("stop", game, 0, stop())).await);
    hall.log.fail(1, 0);
    let asked = |key: &str| ruling(key, game, 0, crate::words::add(WHITE, 1_000));
    assert_eq!(consoles.send(asked("a")).await.unwrap_err().code(), Code::Unavailable);
    soon("the failure", hall.daemon.failed()).await;
    assert_eq!(consoles.send(asked("b")).await.unwrap_err().code(), Code::Unavailable);
    let state = hall.office().hall(v1::HallRequest::default()).await;
    assert_eq!(state.unwrap_err().code(), Code::Unavailable);
    assert_eq!(hall.log.entries().len() as u64, first.seq + 1, "the ruling and its order");
}

/// A press counts when it came, however long the disk takes for what was before it.
#[tokio::test(start_paused = true)]
async fn a_slow_disk_charges_nobody() {
    let hall = Hall::open().await;
    let game = hall.game("60", 0).await;
    let mut arbiter = Console::attach(hall.channel()).await;
    arbiter.rules(game, start()).await;
    pass(58_000).await;
    let held = hall.log.hold();
    arbiter.asks(note("draw", game, offer(BLACK))).await;
    settle().await;
    // No time passes by itself while the disk is busy.
    advance(Duration::from_millis(1_000)).await;
    let mut other = Console::attach(hall.channel()).await;
    other.asks(note("e4", game, press(WHITE, "e2e4"))).await;
    settle().await;
    advance(Duration::from_millis(5_000)).await;
    drop(held);
    soon("the move", async { while hall.state(game).await.moves.is_empty() {} }).await;
    let state = hall.state(game).await;
    assert_eq!((state.phase.as_str(), left(&state)[0]), ("running", 1_000));
}
