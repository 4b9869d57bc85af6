//! A clock's connection: hello, its game, who speaks for the device, and a peer that vanishes.

use tonic::Code;
use zeitnot::wire::v1::{self, clock_report::Kind as Said, clocks_client::ClocksClient};

use crate::clock::{Clock, hello, introduction, report};
use crate::console::Console;
use crate::hall::{Hall, pass, settle};
use crate::words::{BLACK, WHITE, confirmation, control, left, press};

#[tokio::test(start_paused = true)]
async fn a_hello_is_answered_with_the_game() {
    let hall = Hall::open().await;
    let mut clock = Clock::attach(hall.channel(), 7, 1).await;
    assert_eq!(clock.assigned(0).await, v1::Assignment::default());

    let game = hall.game("5400+30", 7).await;
    let told = clock.assigned(game).await;
    assert_eq!((told.tournament, told.round, told.board), (1, 1, 1));
    assert_eq!((told.white.as_str(), told.black.as_str(), told.phase.as_str()), ("White, 1", "Black, 1", "ready"));
    assert_eq!(told.regulations.unwrap().control, "5400+30");
    assert_eq!(told.sides.unwrap().white.unwrap().left_ms, 5_430_000);

    let mut again = Clock::attach(hall.channel(), 7, 1).await;
    assert_eq!(again.assigned(game).await.board, 1);
    assert_eq!(hall.log.entries().iter().filter(|e| e.subject == zeitnot::venue::Subject::Device(zeitnot::game::DeviceId(7))).count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_device_is_assigned_and_taken_away() {
    let hall = Hall::open().await;
    let mut clock = Clock::attach(hall.channel(), 7, 1).await;
    clock.assigned(0).await;
    let game = hall.game("300", 0).await;
    let mut office = hall.office();
    let assign = |game| v1::AssignDeviceRequest { device: 7, game, ..Default::default() };
    office.assign_device(assign(game)).await.unwrap();
    assert_eq!(clock.assigned(game).await.game, game);
    assert_eq!(hall.state(game).await.device, 7);
    office.assign_device(assign(0)).await.unwrap();
    assert_eq!(clock.assigned(0).await.game, 0);
    assert_eq!(hall.state(game).await.device, 0);
}

#[tokio::test(start_paused = true)]
async fn what_is_no_hello_ends_the_stream() {
    let hall = Hall::open().await;
    let unnamed = v1::ClockReport { device: 7, kind: Some(Said::Hello(v1::Hello { introduction: None, boot: 1 })) };
    let first = [
        (v1::ClockReport { device: 7, kind: Some(Said::Report(report(1, 1, 0, press(WHITE, "e2e4")))) }, Code::FailedPrecondition, "hello"),
        (hello(7, 0, introduction()), Code::InvalidArgument, "hello.boot"),
        (hello(0, 1, introduction()), Code::InvalidArgument, "device"),
        (unnamed, Code::InvalidArgument, "hello.introduction"),
        (hello(7, 1, v1::Introduction { model: "m".repeat(121), ..introduction() }), Code::InvalidArgument, "model"),
        (hello(7, 1, v1::Introduction { time_scale: 2_000_000_000, ..introduction() }), Code::InvalidArgument, "time_scale"),
    ];
    for (message, code, names) in first {
        let mut stream = hall.clocks().attach(tokio_stream::once(message)).await.unwrap().into_inner();
        let status = stream.message().await.unwrap_err();
        assert_eq!(status.code(), code, "{status:?}");
        assert!(status.message().contains(names), "{status:?}");
    }
    assert_eq!(hall.log.entries().len(), 1, "nothing but the start is recorded");
}

#[tokio::test(start_paused = true)]
async fn the_later_connection_speaks_for_the_device() {
    let (hall, mut first, mut arbiter, game) = Clock::at_board("300").await;
    let mut second = Clock::attach(hall.channel(), 7, 1).await;
    assert_eq!(first.ended().await.code(), Code::Aborted);
    second.assigned(game).await;
    second.started(&mut arbiter, game, 1_000).await;
    assert!(hall.devices().await[0].online);
}

/// The first connection is busy with a report at the moment when the second one opens.
#[tokio::test(start_paused = true)]
async fn a_busy_connection_gives_way_too() {
    let (hall, mut first, _, _) = Clock::at_board("300").await;
    let held = hall.log.hold();
    for at in 1..=3 {
        first.says(at, press(WHITE, "e2e4")).await;
    }
    settle().await;
    let channel = hall.channel();
    let second = tokio::spawn(Clock::attach(channel, 7, 1));
    settle().await;
    drop(held);
    second.await.unwrap();
    assert_eq!(first.ended().await.code(), Code::Aborted);
}

#[tokio::test(start_paused = true)]
async fn consoles_see_devices_come_and_go() {
    let (hall, clock, mut arbiter, game) = Clock::at_board("300").await;
    let snapshot = arbiter.follows(0, 0, &[]).await;
    assert!(snapshot.devices[0].online);
    drop(clock);
    let health = arbiter.health(7, false).await;
    assert_eq!((health.game, health.battery), (game, None));

    let mut clock = Clock::attach(hall.channel(), 7, 1).await;
    arbiter.health(7, true).await;
    clock.number += 1;
    clock.reports(v1::Report { boot: 1, number: 1, previous: None, at_ms: 5, game: 0, kind: Some(v1::report::Kind::Battery(81)) }).await;
    clock.acknowledged(1).await;
    assert_eq!(hall.devices().await[0].battery, Some(81));
}

/// BH-25: a peer that vanishes without a word is found out by keepalive, and what it held comes later, once and in order.
#[tokio::test(start_paused = true)]
async fn a_peer_that_vanished_is_found_out() {
    let hall = Hall::open().await;
    let (channel, line) = hall.line();
    let mut clock = Clock::attach(channel, 7, 1).await;
    clock.assigned(0).await;
    let game = hall.game("300", 7).await;
    let mut arbiter = Console::attach(hall.channel()).await;
    arbiter.follows(0, 0, &[]).await;
    clock.started(&mut arbiter, game, 100_000).await;
    clock.does(105_000, press(WHITE, "e2e4")).await;

    let lost = tokio::time::Instant::now();
    line.lose();
    arbiter.health(7, false).await;
    assert!(lost.elapsed().as_secs() <= 15, "noticed after {:?}", lost.elapsed());
    pass(40_000).await;
    let state = hall.state(game).await;
    assert_eq!((state.phase.as_str(), state.lost.as_slice(), left(&state)), ("running", &[7][..], [295_000, 300_000]));

    let mut back = Clock::attach(hall.channel(), 7, 1).await;
    back.number = clock.number;
    back.says(131_400, press(BLACK, "e7e5")).await;
    back.says(140_900, press(WHITE, "g1f3")).await;
    back.acknowledged(back.number).await;
    let state = hall.state(game).await;
    assert_eq!((state.moves.len(), state.lost.len(), left(&state)), (3, 0, [285_500, 273_600]));
    assert!(hall.devices().await[0].online);
}

/// BH-25: nor does its absence flag anybody. What it sends again is taken once, what it held counts by its own stamps.
#[tokio::test(start_paused = true)]
async fn a_lost_line_flags_nobody() {
    let hall = Hall::open().await;
    let (channel, line) = hall.line();
    let mut clock = Clock::attach(channel, 7, 1).await;
    clock.set_time(100_000);
    clock.assigned(0).await;
    let game = hall.game("60", 7).await;
    let mut arbiter = Console::attach(hall.channel()).await;
    arbiter.follows(0, 0, &[]).await;
    clock.started(&mut arbiter, game, 100_000).await;
    // Probes tell what it shows, until the line is lost.
    clock.listens(5_000).await;
    line.lose();
    arbiter.health(7, false).await;
    pass(80_000).await;
    let state = hall.state(game).await;
    assert_eq!((state.phase.as_str(), state.score.as_str(), state.running), ("running", "", WHITE));
    assert_eq!(hall.log.incidents(), ["flag-due"], "the arbiter is told, and that is all");

    let mut back = Clock::attach(hall.channel(), 7, 1).await;
    assert_eq!(back.assigned(game).await.phase, "running");
    let before = hall.log.entries().len();
    back.number = clock.number - 1;
    back.does(100_000, confirmation(1)).await;
    assert_eq!(hall.log.entries().len(), before, "what was taken is acknowledged again, and that is all");
    back.does(131_400, press(WHITE, "e2e4")).await;
    back.does(140_900, press(BLACK, "e7e5")).await;
    let state = hall.state(game).await;
    assert_eq!((state.phase.as_str(), left(&state)), ("running", [60_000 - 31_400, 60_000 - 9_500]));
    assert_eq!(hall.log.incidents(), ["flag-due"]);
}

#[tokio::test(start_paused = true)]
async fn browsers_report_and_listen_apart() {
    let hall = Hall::open().await;
    let mut clocks = ClocksClient::new(hall.channel());
    let mut orders = clocks.orders(hello(9, 1, introduction())).await.unwrap().into_inner();
    let first = orders.message().await.unwrap().unwrap();
    assert!(matches!(first.kind, Some(v1::clock_order::Kind::Assignment(_))), "{first:?}");
    let tournament = hall.tournament("Open", control("300")).await;
    hall.seat(tournament, 1, 9, None).await;

    let said = |number| v1::ClockReport { device: 9, kind: Some(Said::Report(report(1, number, 1_000, press(WHITE, "e2e4")))) };
    for _ in 0..2 {
        let answer = clocks.send(said(1)).await.unwrap().into_inner();
        assert_eq!((answer.acked_boot, answer.acked_report), (1, 1));
    }
    assert_eq!(clocks.send(said(3)).await.unwrap_err().code(), Code::OutOfRange);
    assert_eq!(clocks.send(hello(9, 1, introduction())).await.unwrap_err().code(), Code::InvalidArgument);
    assert_eq!(hall.log.count("fact    press"), 1);

    hall.daemon.stop().await;
    let end = loop {
        match orders.message().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("ended without a status"),
            Err(status) => break status,
        }
    };
    assert_eq!(end.code(), Code::Unavailable);
}
