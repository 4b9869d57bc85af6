//! Nothing is told to anyone before it is durable, and nothing ever that is not.

use tokio_test::{assert_pending, task};
use tonic::Code;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};
use zeitnot::wire::v1;

use crate::clock::{Clock, report};
use crate::console::{ruling, taken};
use crate::hall::{Hall, settle, soon};
use crate::words::{BLACK, WHITE, press, stop};

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
