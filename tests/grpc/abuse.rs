//! What nobody should do, and what it leads to: nothing is lost, nothing comes back to life, nobody is charged.

use std::time::Duration;

use tokio_stream::StreamExt;
use tonic::Code;
use zeitnot::wire::v1::{self, clock_report};

use crate::clock::{Clock, hello, introduction, report};
use crate::console::{Console, note, refused, ruling, taken};
use crate::hall::Hall;
use crate::words::{WHITE, add, clocks, confirmation, flag, left, press, replace_clock, restarted, result, resume, undo};

fn kind(kind: v1::ruling::Kind) -> v1::Ruling {
    v1::Ruling { kind: Some(kind) }
}

/// A stamp that the log could not be read back with is not taken into it.
#[tokio::test(start_paused = true)]
async fn a_stamp_has_a_limit() {
    let hall = Hall::open().await;
    let mut clock = Clock::attach(hall.channel(), 7, 1).await;
    clock.says(i64::MAX as u64 - 5, restarted()).await;
    let told = clock.refusal().await;
    assert_eq!((told.status, told.code.as_str()), (Code::InvalidArgument as i32, "unreadable"));
    assert!(told.text.starts_with("at_ms"), "{}", told.text);
    hall.restart().await;

    let hall = Hall::open().await;
    let wild = v1::Introduction { wrap_us: u64::MAX, ..introduction() };
    let mut clock = Clock::introduced(hall.channel(), 7, 1, wild).await;
    assert_eq!(clock.ended().await.code(), Code::InvalidArgument);
}

/// A late press takes a flag back, but never an arbiter's ruling that came after the flag.
#[tokio::test(start_paused = true)]
async fn a_late_press_takes_no_ruling_back() {
    for decision in [
        kind(v1::ruling::Kind::Annul(v1::Annul { reason: "x".into() })),
        kind(v1::ruling::Kind::CorrectResult(v1::Result { score: "0-0".into(), reason: "x".into() })),
    ] {
        let (hall, mut clock, mut arbiter, game) = Clock::running("60", 1_000).await;
        clock.does(61_000, flag(WHITE)).await;
        arbiter.rules(game, decision).await;
        let before = hall.state(game).await;
        clock.does(30_000, press(WHITE, "e2e4")).await;
        let after = hall.state(game).await;
        assert_eq!((after.phase, after.score), (before.phase, before.score));
    }
}

/// Times are not set while the device may still be charging somebody.
#[tokio::test(start_paused = true)]
async fn times_wait_for_a_stop_to_be_confirmed() {
    let (hall, mut clock, mut arbiter, game) = Clock::running("600", 1_000).await;
    arbiter.rules(game, result("1-0")).await;
    arbiter.rules(game, undo()).await;
    let told = refused(arbiter.outcome(ruling("early", game, 0, clocks(600_000, 600_000))).await);
    assert_eq!(told.code, "stop-pending");
    clock.does(61_000, confirmation(2)).await;
    arbiter.rules(game, clocks(600_000, 600_000)).await;
    assert_eq!(left(&hall.state(game).await), [600_000, 600_000]);
    let told = refused(arbiter.outcome(ruling("much", game, 0, add(WHITE, 3_600_000_000))).await);
    assert_eq!(told.code, "unreadable");
}

/// A clock that is replaced hears of it.
#[tokio::test(start_paused = true)]
async fn a_replaced_clock_is_told() {
    let (hall, mut clock, mut arbiter, game) = Clock::running("600", 0).await;
    let mut other = Clock::attach(hall.channel(), 8, 1).await;
    other.assigned(0).await;
    arbiter.rules(game, replace_clock(8)).await;
    clock.assigned(0).await;
    other.assigned(game).await;
}

/// Only the device confirms an order; only it presses and pauses.
#[tokio::test(start_paused = true)]
async fn nobody_speaks_for_a_device() {
    let (hall, _clock, mut arbiter, game) = Clock::at_board("600").await;
    arbiter.rules(game, crate::words::start()).await;
    let facts = [confirmation(1), press(WHITE, "e2e4"), crate::words::pause(), flag(WHITE)];
    for (i, fact) in facts.into_iter().enumerate() {
        let told = refused(arbiter.outcome(note(&format!("n{i}"), game, fact)).await);
        assert!(["not-allowed", "unreadable"].contains(&told.code.as_str()), "{told:?}");
    }
    assert_eq!(hall.state(game).await.orders.len(), 1);
}

/// A game that comes back to life has no clock that has gone elsewhere.
#[tokio::test(start_paused = true)]
async fn a_game_that_is_over_lets_its_clock_go() {
    let (hall, _clock, mut arbiter, game) = Clock::running("600", 0).await;
    arbiter.rules(game, result("1-0")).await;
    let mut office = v1::office_client::OfficeClient::new(hall.channel());
    office.assign_device(v1::AssignDeviceRequest { device: 7, ..v1::AssignDeviceRequest::default() }).await.unwrap();
    arbiter.rules(game, undo()).await;
    arbiter.rules(game, resume()).await;
    let state = hall.state(game).await;
    assert_eq!((state.device, state.phase.as_str()), (0, "running"));
}

/// A key names one input: another move under it is a conflict, castling too.
#[tokio::test(start_paused = true)]
async fn castling_is_not_any_move() {
    let hall = Hall::open().await;
    let game = hall.game("600", 0).await;
    let mut arbiter = Console::attach(hall.channel()).await;
    taken(arbiter.outcome(note("k", game, crate::words::made(WHITE, "e2e4"))).await);
    assert_eq!(refused(arbiter.outcome(note("k", game, crate::words::made(WHITE, "O-O"))).await).code, "conflict");
}

/// A clock that was away sends what it holds as fast as the line takes it, and the daemon has other work: that is no attack.
#[tokio::test]
async fn five_thousand_held_reports_are_taken_at_once() {
    const HELD: u32 = 5_000;
    let hall = Hall::open().await;
    let mut clocks = hall.clocks();
    let battery =
        |number| v1::Report { boot: 1, number, previous: None, at_ms: u64::from(number), game: 0, kind: Some(v1::report::Kind::Battery(50)) };
    let restart = report(1, 1, 0, restarted());
    let held = std::iter::once(restart).chain((2..=HELD).map(battery));
    let held = held.map(|report| v1::ClockReport { device: 0, kind: Some(clock_report::Kind::Report(report)) });
    let all = std::iter::once(hello(7, 1, introduction())).chain(held).collect::<Vec<_>>();
    // Each in a frame of its own, as clients in other languages send them.
    let alone = tokio_stream::iter(all).then(|report| async {
        tokio::task::yield_now().await;
        report
    });
    let stream = Box::pin(alone.chain(tokio_stream::pending()));
    let busy = hall.log.hold();
    let attached = tokio::spawn(async move { clocks.attach(stream).await });
    tokio::time::sleep(Duration::from_millis(300)).await;
    drop(busy);
    let mut orders = attached.await.unwrap().unwrap().into_inner();
    while orders.message().await.unwrap().expect("the line holds").acked_report < HELD {}
}

/// A connection that says nothing, or not all that says of which kind it is, is not kept for ever.
#[tokio::test(start_paused = true)]
async fn who_says_nothing_is_cut_off() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let hall = Hall::open().await;
    for beginning in ["", "PRI * HTTP/2.0\r\n", "GET / HT"] {
        let mut pipe = hall.pipe();
        pipe.write_all(beginning.as_bytes()).await.unwrap();
        let mut said = Vec::new();
        let ended = tokio::time::timeout(Duration::from_secs(60), pipe.read_to_end(&mut said)).await;
        assert!(ended.is_ok(), "{beginning:?} is still there after a minute");
    }
}
