//! What a device reports late of a game that it has left: noted there, and never taken for something at its next board.

use zeitnot::wire::v1;

use crate::clock::{Clock, report};
use crate::words::{BLACK, WHITE, confirmation, left, pause, press, replace_clock, resignation, result, undo};

/// A clock that was cut off holds two presses and a resignation; its game is ruled and the next round begins at it.
#[tokio::test(start_paused = true)]
async fn a_press_of_the_last_round_is_none_of_this_one() {
    let (hall, mut clock, mut arbiter, first) = Clock::running("600", 0).await;
    arbiter.rules(first, result("1-0")).await;
    clock.order().await;
    let tournament = hall.tournament("Second", crate::words::control("600")).await;
    let second = hall.seat(tournament, 1, 7, None).await;
    clock.assigned(second).await;
    clock.started(&mut arbiter, second, 50_000).await;

    let held = [press(WHITE, "e2e4"), press(BLACK, "e7e5"), resignation(WHITE), confirmation(1)];
    for (at, fact) in (10_000..).step_by(1_000).zip(held) {
        clock.number += 1;
        clock.reports(v1::Report { game: first, ..report(1, clock.number, at, fact) }).await;
        clock.acknowledged(clock.number).await;
    }
    let state = hall.state(second).await;
    assert_eq!((state.phase.as_str(), state.moves.len(), left(&state)), ("running", 0, [600_000, 600_000]));
    assert_eq!(hall.state(first).await.score, "1-0");
    assert_eq!((hall.log.count("belated press"), hall.log.count("belated resignation"), hall.log.incidents().len()), (2, 1, 0));

    clock.does(60_000, press(WHITE, "d2d4")).await;
    assert_eq!(left(&hall.state(second).await), [590_000, 600_000]);
}

/// The arbiter hears of a press that was made before the clock was replaced, and the times that he has ruled stand.
#[tokio::test(start_paused = true)]
async fn a_press_from_before_the_clock_was_replaced_is_for_the_arbiter() {
    let (hall, mut clock, mut arbiter, game) = Clock::running("600", 0).await;
    let mut other = Clock::attach(hall.channel(), 8, 1).await;
    other.assigned(0).await;
    arbiter.rules(game, replace_clock(8)).await;
    let stood = hall.state(game).await;
    for (at, fact) in [(10_000, press(WHITE, "e2e4")), (11_000, confirmation(1))] {
        // That it carried an order out is nothing that the arbiter has to look at.
        clock.number += 1;
        clock.reports(v1::Report { game, ..report(1, clock.number, at, fact) }).await;
        clock.acknowledged(clock.number).await;
    }
    let state = hall.state(game).await;
    assert_eq!((state.phase.as_str(), left(&state), state.moves.len()), ("stopped", left(&stood), 0));
    assert_eq!(hall.log.incidents(), ["belated-report"]);
}

/// A device speaks of no game at whose board it never was, nor of none.
#[tokio::test(start_paused = true)]
async fn a_device_says_nothing_of_games_that_were_never_its_own() {
    let (hall, mut clock, _arbiter, game) = Clock::running("600", 0).await;
    let tournament = hall.tournament("Second", crate::words::control("600")).await;
    let foreign = hall.seat(tournament, 1, 0, None).await;
    for other in [foreign, 99, 0] {
        clock.number += 1;
        clock.reports(v1::Report { game: other, ..report(1, clock.number, 10_000, press(WHITE, "e2e4")) }).await;
        assert_eq!(clock.refusal().await.code, "not-assigned", "game {other}");
        clock.number -= 1;
    }
    clock.does(10_000, press(WHITE, "e2e4")).await;
    assert_eq!((hall.state(game).await.moves.len(), hall.state(foreign).await.moves.len()), (1, 0));
}

/// A clock that replaces another lets the game go that is over, and so its orders.
#[tokio::test(start_paused = true)]
async fn a_clock_that_comes_to_the_rescue_leaves_its_last_game() {
    let (hall, mut clock, mut arbiter, first) = Clock::running("600", 0).await;
    let tournament = hall.tournament("Second", crate::words::control("600")).await;
    let mut other = Clock::attach(hall.channel(), 8, 1).await;
    other.assigned(0).await;
    let second = hall.seat(tournament, 1, 8, None).await;
    other.assigned(second).await;
    other.started(&mut arbiter, second, 0).await;
    arbiter.rules(first, result("1-0")).await;
    arbiter.rules(second, replace_clock(7)).await;
    clock.assigned(second).await;
    arbiter.rules(first, undo()).await;
    let state = hall.state(first).await;
    assert_eq!((state.device, hall.state(second).await.device), (0, 7));
}

/// A result is taken back while the clock on the board still runs: what was pressed meanwhile did not count, and nobody is charged for it.
#[tokio::test(start_paused = true)]
async fn what_was_pressed_after_the_end_is_charged_to_nobody() {
    for pressed_before_it_is_taken_back in [true, false] {
        let (hall, mut clock, mut arbiter, game) = Clock::running("600", 0).await;
        clock.does(10_000, press(WHITE, "e2e4")).await;
        arbiter.rules(game, result("1/2-1/2")).await;
        if pressed_before_it_is_taken_back {
            clock.does(15_000, press(BLACK, "e7e5")).await;
            arbiter.rules(game, undo()).await;
        } else {
            arbiter.rules(game, undo()).await;
            clock.does(15_000, pause()).await;
        }
        clock.does(60_000, confirmation(2)).await;
        let state = hall.state(game).await;
        assert_eq!((state.stop_reason(), left(&state)), (v1::StopReason::Uncounted, [590_000, 600_000]));
        assert_eq!(hall.log.incidents(), ["clock-discrepancy"]);
    }
}

/// Where nothing was pressed it is known to the millisecond how long the clock ran.
#[tokio::test(start_paused = true)]
async fn a_result_that_is_taken_back_at_once_costs_what_was_thought() {
    let (hall, mut clock, mut arbiter, game) = Clock::running("600", 0).await;
    clock.does(10_000, press(WHITE, "e2e4")).await;
    arbiter.rules(game, result("1/2-1/2")).await;
    arbiter.rules(game, undo()).await;
    clock.does(12_500, confirmation(2)).await;
    let state = hall.state(game).await;
    assert_eq!((state.stop_reason(), left(&state)), (v1::StopReason::Arbiter, [590_000, 597_500]));
    assert!(hall.log.incidents().is_empty());
}

/// What is belated the daemon says: a clock reports what happened.
#[tokio::test(start_paused = true)]
async fn a_clock_does_not_call_its_reports_belated() {
    let (hall, mut clock, _arbiter, _) = Clock::running("600", 0).await;
    let belated = v1::Fact { kind: Some(v1::fact::Kind::Belated(Box::new(press(WHITE, "e2e4")))) };
    clock.says(10_000, belated).await;
    assert_eq!(clock.refusal().await.code, "unreadable");
    assert_eq!(hall.log.count("belated"), 0);
}
