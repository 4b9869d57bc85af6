//! What a clock is told to do takes effect with the stamp by which it confirms.

use zeitnot::wire::v1::{self, order::Command};

use crate::clock::{Clock, report};
use crate::console::Console;
use crate::hall::{Hall, pass};
use crate::words::{BLACK, WHITE, add, clocks, confirmation, left, press, restarted, resume, start, stop};

#[tokio::test(start_paused = true)]
async fn a_start_takes_effect_when_the_clock_confirms_it() {
    let (hall, mut clock, mut arbiter, game) = Clock::at_board("300+2").await;
    arbiter.rules(game, start()).await;
    let order = clock.order().await;
    assert_eq!(order, v1::Order { order: 1, command: Some(Command::Start(WHITE)), to: 0 });
    pass(5_000).await;
    let state = hall.state(game).await;
    assert_eq!((state.phase.as_str(), state.orders), ("ready", vec![order]));
    clock.does(12_345, confirmation(1)).await;
    let state = hall.state(game).await;
    assert_eq!((state.phase.as_str(), state.running, state.running_since_ms), ("running", WHITE, 12_345));
    assert!(state.orders.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_press_brings_its_move_and_its_time() {
    let (hall, mut clock, _arbiter, game) = Clock::running("300+2", 1_000).await;
    clock.does(9_500, press(WHITE, "e2e4")).await;
    clock.does(10_250, press(BLACK, "c7c5")).await;
    let state = hall.state(game).await;
    assert_eq!(left(&state), [295_500, 303_250]);
    assert_eq!((state.moves, state.completed_white, state.completed_black), (vec!["e2e4".to_string(), "c7c5".to_string()], 1, 1));
}

/// BH-19 (e): elapsed time is a difference of the device's stamps, whatever the network does.
#[tokio::test(start_paused = true)]
async fn a_slow_network_costs_nobody_time() {
    let hall = Hall::open().await;
    let (channel, line) = hall.line();
    let mut clock = Clock::attach(channel, 7, 1).await;
    clock.assigned(0).await;
    let game = hall.game("300", 7).await;
    clock.assigned(game).await;
    let mut arbiter = Console::attach(hall.channel()).await;
    clock.started(&mut arbiter, game, 0).await;
    line.delay(3_000);
    for (at, by, uci) in [(1_000, WHITE, "e2e4"), (1_500, BLACK, "e7e5"), (3_750, WHITE, "g1f3")] {
        clock.does(at, press(by, uci)).await;
    }
    assert_eq!(left(&hall.state(game).await), [296_750, 299_500]);
}

/// The arbiter's word was first in the log, but the player's hand was first at the board.
#[tokio::test(start_paused = true)]
async fn a_press_on_its_way_counts_before_a_stop() {
    let hall = Hall::open().await;
    let (channel, line) = hall.line();
    let mut clock = Clock::attach(channel, 7, 1).await;
    clock.assigned(0).await;
    let game = hall.game("300", 7).await;
    let mut arbiter = Console::attach(hall.channel()).await;
    clock.started(&mut arbiter, game, 0).await;

    line.delay(2_000);
    clock.says(9_000, press(WHITE, "e2e4")).await;
    let stopped = arbiter.rules(game, stop()).await;
    assert_eq!(hall.state(game).await.moves.len(), 0);
    let order = clock.order().await;
    assert_eq!(order.command, Some(Command::Stop(v1::StopClocks {})));
    clock.does(9_400, confirmation(order.order)).await;
    let state = hall.state(game).await;
    assert_eq!((state.phase.as_str(), state.moves.len(), left(&state)), ("stopped", 1, [291_000, 299_600]));
    assert!(state.version > stopped.version);
}

#[tokio::test(start_paused = true)]
async fn a_stopped_game_goes_on_where_it_stood() {
    let (hall, mut clock, mut arbiter, game) = Clock::running("300", 0).await;
    clock.does(10_000, press(WHITE, "e2e4")).await;
    arbiter.rules(game, stop()).await;
    let no = clock.order().await.order;
    clock.does(14_000, confirmation(no)).await;
    arbiter.rules(game, clocks(250_000, 260_000)).await;
    let set = clock.order().await;
    assert!(matches!(set.command, Some(Command::Set(_))), "{set:?}");
    clock.does(60_000, confirmation(set.order)).await;
    arbiter.rules(game, resume()).await;
    let go = clock.order().await;
    assert_eq!(go.command, Some(Command::Start(BLACK)));
    clock.does(61_000, confirmation(go.order)).await;
    arbiter.rules(game, add(WHITE, 60_000)).await;
    let more = clock.order().await;
    assert_eq!(more.command, Some(Command::Add(v1::AddToClock { color: WHITE, by_ms: 60_000 })));
    clock.does(63_000, press(BLACK, "e7e5")).await;
    assert_eq!(left(&hall.state(game).await), [310_000, 258_000]);
}

/// What was not confirmed is said again after the clock has connected anew; what was, is not.
#[tokio::test(start_paused = true)]
async fn an_order_waits_for_its_clock() {
    let (hall, mut clock, mut arbiter, game) = Clock::running("300", 0).await;
    drop(clock);
    pass(10).await;
    arbiter.rules(game, stop()).await;
    clock = Clock::attach(hall.channel(), 7, 1).await;
    clock.number = 1;
    let order = clock.order().await;
    assert_eq!((order.order, order.command), (2, Some(Command::Stop(v1::StopClocks {}))));
    clock.assigned(game).await;
    arbiter.rules(game, add(WHITE, 1_000)).await;
    assert_eq!(clock.order().await.order, 3);
    clock.listens(20_000).await;
    assert_eq!(clock.unheeded(), 0, "an order is said once on a connection");
    clock.does(7_000, confirmation(2)).await;
    assert_eq!(left(&hall.state(game).await), [294_000, 300_000]);
}

/// A device that restarts has forgotten the game: it stands as last known until the arbiter sets it right.
#[tokio::test(start_paused = true)]
async fn a_device_that_restarts_waits_for_the_arbiter() {
    let (hall, mut clock, mut arbiter, game) = Clock::running("300", 1_000).await;
    clock.does(11_000, press(WHITE, "e2e4")).await;
    drop(clock);

    let mut clock = Clock::attach(hall.channel(), 7, 2).await;
    clock.assigned(game).await;
    // A report of its earlier start that it held comes first.
    clock.reports(report(1, 3, 15_000, press(BLACK, "e7e5"))).await;
    clock.does(20, restarted()).await;
    let state = hall.state(game).await;
    assert_eq!((state.phase.as_str(), state.stop_reason()), ("stopped", v1::StopReason::DeviceRestart));
    assert_eq!((state.moves.len(), left(&state)), (2, [290_000, 296_000]));
    assert_eq!(hall.log.incidents(), ["device-restarted"]);

    clock.reports(report(1, 4, 16_000, press(WHITE, "g1f3"))).await;
    let refused = clock.refusal().await;
    assert_eq!((refused.code.as_str(), refused.status), ("old-boot", 9));

    arbiter.rules(game, clocks(288_000, 296_000)).await;
    let set = clock.order().await;
    clock.does(30_000, confirmation(set.order)).await;
    arbiter.rules(game, resume()).await;
    let go = clock.order().await;
    assert_eq!(go.command, Some(Command::Start(WHITE)));
    clock.does(31_000, confirmation(go.order)).await;
    clock.does(33_500, press(WHITE, "g1f3")).await;
    assert_eq!(left(&hall.state(game).await), [285_500, 296_000]);
}

/// A device that restarts and does not say so is found out by its stamps' new start.
#[tokio::test(start_paused = true)]
async fn a_restart_that_is_not_told_stops_the_game_too() {
    let (hall, mut clock, _arbiter, game) = Clock::running("300", 1_000).await;
    clock.does(11_000, press(WHITE, "e2e4")).await;
    let mut clock = Clock::attach(hall.channel(), 7, 2).await;
    clock.does(400, press(BLACK, "e7e5")).await;
    let state = hall.state(game).await;
    assert_eq!((state.phase.as_str(), left(&state)), ("stopped", [290_000, 300_000]));
}
