//! Reports are taken once and in order, however often and in whatever order they come.

use tonic::Code;
use zeitnot::wire::v1::{self, clock_report::Kind as Said};

use crate::clock::{Clock, hello, introduction, report};
use crate::hall::Hall;
use crate::words::{BLACK, WHITE, flag, left, made, press, restarted};

/// The moves one after the other, one second each from `at`; gives the stamp of the last.
async fn play(clock: &mut Clock, moves: &str, mut at: u64) -> u64 {
    for (i, uci) in moves.split(' ').enumerate() {
        at += 1_000;
        clock.does(at, press(if i % 2 == 0 { WHITE } else { BLACK }, uci)).await;
    }
    at
}

/// BH-20: the last move comes again after the link was down.
#[tokio::test(start_paused = true)]
async fn what_comes_again_changes_nothing() {
    let (hall, mut clock, _arbiter, game) = Clock::running("5400+30", 0).await;
    let at = play(&mut clock, "d2d4 d7d5 c2c4 e7e6 b1c3", 0).await;
    // The link drops before the acknowledgement is read.
    clock.says(at + 10_200, press(BLACK, "g8f6")).await;
    let number = clock.number;
    crate::hall::pass(1).await;
    let (before, entries) = (hall.state(game).await, hall.log.entries().len());
    assert_eq!(before.moves.len(), 6);
    drop(clock);

    let mut clock = Clock::attach(hall.channel(), 7, 1).await;
    clock.assigned(game).await;
    assert_eq!(clock.acked, (1, number), "the answer to the hello says what is durable");
    clock.number = number - 1;
    clock.does(at + 10_200, press(BLACK, "g8f6")).await;
    let after = hall.state(game).await;
    assert_eq!((after.digest, after.version), (before.digest, before.version));
    let more: Vec<String> = hall.log.entries()[entries..].iter().map(|entry| entry.payload.to_string()).collect();
    assert_eq!(more, ["device  lost", "device  back"]);
    assert!(hall.log.incidents().is_empty());
}

/// A start that nobody has introduced would put every later one behind it, for good.
#[tokio::test(start_paused = true)]
async fn a_report_of_a_start_that_has_not_said_hello_is_refused() {
    let (hall, mut clock, _arbiter, _game) = Clock::running("300", 0).await;
    clock.reports(report(u32::MAX, 1, 1_000, press(WHITE, "d2d4"))).await;
    let refused = clock.refusal().await;
    assert_eq!((refused.boot, refused.number, refused.code.as_str()), (u32::MAX, 1, "no-hello"));
    let alone = v1::ClockReport { device: 7, kind: Some(Said::Report(report(2, 1, 0, restarted()))) };
    let refused = v1::clocks_client::ClocksClient::new(hall.channel()).send(alone).await.unwrap_err();
    assert_eq!((refused.code(), refused.message().contains("has not said hello")), (Code::FailedPrecondition, true), "{refused:?}");
    clock.does(1_000, press(WHITE, "d2d4")).await;
    drop(clock);
    Clock::attach(hall.channel(), 7, 2).await;
}

/// BH-20, variant: another move under the same number.
#[tokio::test(start_paused = true)]
async fn another_report_under_a_taken_number_is_a_conflict() {
    let (hall, mut clock, _arbiter, game) = Clock::running("300", 0).await;
    clock.does(1_000, press(WHITE, "d2d4")).await;
    clock.reports(report(1, clock.number, 1_000, press(WHITE, "e2e4"))).await;
    let refused = clock.refusal().await;
    assert_eq!((refused.number, refused.status, refused.code.as_str()), (2, Code::AlreadyExists as i32, "conflict"));
    clock.does(2_000, press(BLACK, "d7d5")).await;
    assert_eq!(hall.state(game).await.moves, ["d2d4", "d7d5"]);
    // And the arbiters are told, once.
    clock.reports(report(1, 2, 1_000, press(WHITE, "e2e4"))).await;
    clock.refusal().await;
    clock.does(3_000, press(WHITE, "c2c4")).await;
    let told = hall.log.entries().iter().filter(|entry| entry.to_string().contains("sent something else as report 2")).count();
    assert_eq!(told, 1);
}

#[tokio::test(start_paused = true)]
async fn what_comes_too_early_is_a_gap() {
    let (hall, mut clock, _arbiter, game) = Clock::running("300", 0).await;
    let reports =
        [(2, 1_000, WHITE, "e2e4"), (3, 2_000, BLACK, "e7e5"), (4, 3_000, WHITE, "g1f3")].map(|(n, at, by, uci)| report(1, n, at, press(by, uci)));
    for report in [&reports[2], &reports[1]] {
        clock.reports(report.clone()).await;
        let refused = clock.refusal().await;
        assert_eq!((refused.number, refused.code.as_str(), refused.last), (report.number, "gap", 1));
        assert_eq!(refused.status, Code::OutOfRange as i32);
    }
    for report in &reports {
        clock.reports(report.clone()).await;
    }
    clock.acknowledged(4).await;
    let state = hall.state(game).await;
    assert_eq!((state.moves, left(&hall.state(game).await)), (vec!["e2e4".into(), "e7e5".into(), "g1f3".into()], [298_000, 299_000]));
}

/// BH-13 (a): the flag's report is delivered before that of the mate made before it.
#[tokio::test(start_paused = true)]
async fn mate_before_the_flag_is_mate_in_whatever_order_they_come() {
    let (hall, mut clock, _arbiter, game) = Clock::running("60", 0).await;
    let at = play(&mut clock, "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6", 0).await;
    let last = clock.number;
    let (mate, fall) = (report(1, last + 1, at + 56_950, made(WHITE, "h5f7")), report(1, last + 2, at + 57_000, flag(WHITE)));
    clock.reports(fall.clone()).await;
    assert_eq!(clock.refusal().await.last, last);
    clock.reports(mate).await;
    clock.reports(fall).await;
    clock.acknowledged(last + 2).await;
    let state = hall.state(game).await;
    assert_eq!((state.score.as_str(), state.termination.as_str()), ("1-0", "checkmate"));
}

/// BH-13 (b): the flag first, on the device's own timeline.
#[tokio::test(start_paused = true)]
async fn a_flag_before_mate_is_lost() {
    let (hall, mut clock, _arbiter, game) = Clock::running("60", 0).await;
    let at = play(&mut clock, "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6", 0).await;
    clock.does(at + 57_000, flag(WHITE)).await;
    clock.does(at + 57_050, made(WHITE, "h5f7")).await;
    let state = hall.state(game).await;
    assert_eq!((state.score.as_str(), state.termination.as_str()), ("0-1", "time"));
}

/// A device that numbers the move after the flag, but stamped it before: the stamps say what was first.
#[tokio::test(start_paused = true)]
async fn a_move_stamped_before_the_flag_overtakes_it() {
    let (hall, mut clock, _arbiter, game) = Clock::running("60", 0).await;
    let at = play(&mut clock, "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6", 0).await;
    clock.does(at + 57_000, flag(WHITE)).await;
    assert_eq!(hall.state(game).await.score, "0-1");
    clock.does(at + 56_950, made(WHITE, "h5f7")).await;
    let state = hall.state(game).await;
    assert_eq!((state.score.as_str(), state.termination.as_str()), ("1-0", "checkmate"));
}

#[tokio::test(start_paused = true)]
async fn after_a_refused_report_the_next_names_the_one_before_it() {
    let (hall, mut clock, _arbiter, game) = Clock::running("300", 0).await;
    // No knight can go there, so the text names no move.
    clock.reports(report(1, 2, 1_000, made(WHITE, "Nd5"))).await;
    let refused = clock.refusal().await;
    assert_eq!((refused.number, refused.status, refused.code.as_str()), (2, Code::InvalidArgument as i32, "unreadable"));
    clock.reports(report(1, 3, 2_000, press(WHITE, "e2e4"))).await;
    assert_eq!(clock.refusal().await.code, "gap");
    clock.reports(v1::Report { previous: Some(1), ..report(1, 3, 2_000, press(WHITE, "e2e4")) }).await;
    clock.acknowledged(3).await;
    clock.reports(report(1, 4, 3_000, press(BLACK, "e7e5"))).await;
    clock.acknowledged(4).await;
    assert_eq!(hall.state(game).await.moves.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_read_is_answered_and_the_stream_goes_on() {
    let (hall, mut clock, _arbiter, game) = Clock::running("300", 0).await;
    let said = |report| v1::ClockReport { device: 0, kind: Some(Said::Report(report)) };
    let fact = |fact| said(report(1, 2, 1_000, fact));
    let fields = [
        (v1::ClockReport { device: 8, ..fact(press(WHITE, "")) }, 3, "device:"),
        (v1::ClockReport { device: 0, kind: None }, 3, "kind:"),
        (hello(7, 1, introduction()), 9, "kind:"),
        (said(v1::Report { kind: None, ..report(1, 2, 0, press(WHITE, "")) }), 3, "kind:"),
        (fact(v1::Fact { kind: None }), 3, "fact:"),
        (fact(press(0, "e2e4")), 3, "press.by:"),
        (fact(press(9, "e2e4")), 3, "press.by:"),
        (fact(press(WHITE, "e9e4")), 3, "press.move:"),
        (fact(press(WHITE, "Nf3")), 3, "press.move:"),
        (fact(made(WHITE, "???")), 3, "move.move:"),
        (fact(flag(3)), 3, "flag:"),
        (said(report(1, 2, u64::MAX, press(WHITE, "e2e4"))), 3, "at_ms:"),
        (said(report(0, 2, 0, press(WHITE, "e2e4"))), 3, "report:"),
        (said(report(1, 0, 0, press(WHITE, "e2e4"))), 3, "report:"),
        (said(v1::Report { kind: Some(v1::report::Kind::Battery(101)), ..report(1, 2, 0, press(WHITE, "")) }), 3, "percent:"),
    ];
    let before = hall.log.entries().len();
    for (message, status, names) in fields {
        clock.sends(message.clone()).await;
        let refused = clock.refusal().await;
        assert_eq!(refused.status, status, "{message:?}: {refused:?}");
        assert!(refused.text.starts_with(names), "{message:?}: {refused:?}");
    }
    assert_eq!(hall.log.entries().len(), before);
    clock.does(1_000, press(WHITE, "e2e4")).await;
    assert_eq!(hall.state(game).await.moves.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_device_at_no_board_has_nothing_to_report() {
    let hall = crate::hall::Hall::open().await;
    let mut clock = Clock::attach(hall.channel(), 7, 1).await;
    clock.reports(report(1, 1, 0, press(WHITE, "e2e4"))).await;
    let refused = clock.refusal().await;
    assert_eq!((refused.status, refused.code.as_str()), (Code::NotFound as i32, "not-assigned"));
}

/// A clock that begins to number anew, as after its memory was wiped, is not told that what it reports now was taken before.
#[tokio::test(start_paused = true)]
async fn what_was_stamped_otherwise_is_no_repeat() {
    let (hall, mut clock, _arbiter, game) = Clock::running("300", 0).await;
    clock.does(9_000, press(WHITE, "e2e4")).await;
    clock.reports(report(1, 2, 9_000, press(WHITE, "e2e4"))).await;
    clock.acknowledged(2).await;
    for other in [report(1, 2, 5_000, press(WHITE, "e2e4")), v1::Report { game: 9, ..report(1, 2, 9_000, press(WHITE, "e2e4")) }] {
        clock.reports(other).await;
        assert_eq!(clock.refusal().await.code, "conflict");
    }
    assert_eq!(hall.state(game).await.moves.len(), 1);
}

/// Starts are numbered upwards: one that is over does not say hello again.
#[tokio::test(start_paused = true)]
async fn a_start_that_is_over_is_not_greeted() {
    let hall = Hall::open().await;
    let mut clock = Clock::attach(hall.channel(), 7, 3).await;
    clock.assigned(0).await;
    clock.does(0, restarted()).await;
    let mut orders = hall.clocks();
    let hello = hello(7, 2, introduction());
    let refused = orders.orders(hello).await.unwrap_err();
    assert!(refused.message().contains("start 3 of this device has reported already"), "{refused:?}");
}
