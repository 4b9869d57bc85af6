//! Each device's own timeline: counters that wrap, clocks that run fast, flags nobody reported; and the daemon's own.

use zeitnot::wire::v1;

use crate::clock::{Clock, introduction};
use crate::console::Console;
use crate::hall::{Hall, pass};
use crate::words::{BLACK, WHITE, clocks, confirmation, left, press, result, resume, start};

/// The clock number 7 as it introduces itself, in a running game of that control, started at that stamp.
async fn running(said: v1::Introduction, control: &str, at: u64) -> (Hall, Clock, Console, u64) {
    let hall = Hall::open().await;
    let mut clock = Clock::introduced(hall.channel(), 7, 1, said).await;
    clock.set_time(at);
    clock.assigned(0).await;
    let game = hall.game(control, 7).await;
    let mut arbiter = Console::attach(hall.channel()).await;
    clock.started(&mut arbiter, game, at).await;
    (hall, clock, arbiter, game)
}

/// BH-18: a 32-bit counter of microseconds starts again after 71 min 35 s.
#[tokio::test(start_paused = true)]
async fn a_counter_that_wraps_goes_on() {
    let wraps = v1::Introduction { wrap_us: 1 << 32, ..introduction() };
    let (hall, mut clock, _arbiter, game) = running(wraps, "5400", 4_290_000).await;
    clock.listens(4_960).await;
    clock.does(4_294_960, press(WHITE, "e2e4")).await;
    clock.listens(21).await;
    clock.does(13, press(BLACK, "e7e5")).await;
    let state = hall.state(game).await;
    let [white, black] = left(&state);
    assert_eq!(white, 5_400_000 - 4_960);
    assert!((19..=22).contains(&(5_400_000 - black)), "{black}");
    assert_eq!(state.phase, "running");
    assert!(hall.log.incidents().is_empty());
}

/// BH-18, the other modulus: where going back may as well be a fault as a leap of days, nobody is charged and the arbiter is asked.
#[tokio::test(start_paused = true)]
async fn a_leap_that_may_be_none_costs_nobody_the_game() {
    let wraps = v1::Introduction { wrap_us: (1 << 32) * 1_000, ..introduction() };
    let (hall, mut clock, _arbiter, game) = running(wraps, "5400", 4_290_000).await;
    clock.listens(4_960).await;
    clock.does(4_294_960, press(WHITE, "e2e4")).await;
    clock.does(13, press(BLACK, "e7e5")).await;
    let state = hall.state(game).await;
    assert_eq!((state.phase.as_str(), state.score.as_str(), left(&state)[1]), ("stopped", "", 5_400_000));
    assert_eq!(hall.log.incidents(), ["stamps-backwards"]);
}

/// What the daemon estimates of a device's time goes on over the wrap too.
#[tokio::test(start_paused = true)]
async fn a_display_goes_on_over_the_wrap() {
    let wraps = v1::Introduction { wrap_us: 1 << 32, ..introduction() };
    let (hall, mut clock, _arbiter, game) = running(wraps, "60", 4_290_000).await;
    clock.listens(20_000).await;
    let shown = hall.state(game).await.running_for_ms;
    assert!((19_000..=21_000).contains(&shown), "{shown}");
    clock.listens(43_500).await;
    assert_eq!(hall.log.incidents(), ["flag-due"]);
}

/// A simulated clock may run faster than the hall's.
#[tokio::test(start_paused = true)]
async fn a_fast_timeline_is_followed() {
    let fast = v1::Introduction { time_scale: 60_000, ..introduction() };
    let (hall, mut clock, _arbiter, game) = running(fast, "300", 0).await;
    clock.listens(2_000).await;
    let shown = hall.state(game).await.running_for_ms;
    assert!((119_000..=121_000).contains(&shown), "{shown}");
    clock.listens(4_900).await;
    assert!(hall.log.incidents().is_empty(), "two seconds of the hall are two minutes of the device");
    clock.listens(400).await;
    assert_eq!(hall.log.incidents(), ["flag-due"]);
}

/// A device that is silent past its flag is a matter for the arbiter, once; the daemon gives no result.
#[tokio::test(start_paused = true)]
async fn a_silent_device_is_reported_once() {
    let (hall, mut clock, mut arbiter, game) = running(introduction(), "60", 1_000).await;
    clock.listens(61_900).await;
    assert!(hall.log.incidents().is_empty());
    clock.listens(400).await;
    assert_eq!(hall.log.incidents(), ["flag-due"]);
    clock.listens(30_000).await;
    assert_eq!(hall.log.incidents(), ["flag-due"]);
    let state = hall.state(game).await;
    assert_eq!((state.phase.as_str(), state.score.as_str()), ("running", ""));
    arbiter.rules(game, result("0-1")).await;
    assert_eq!(hall.state(game).await.score, "0-1");
}

/// The press was made in time, only its report was late.
#[tokio::test(start_paused = true)]
async fn a_late_report_still_counts() {
    let (hall, mut clock, _arbiter, game) = running(introduction(), "60", 0).await;
    clock.listens(70_000).await;
    assert_eq!(hall.log.incidents(), ["flag-due"]);
    clock.does(59_999, press(WHITE, "e2e4")).await;
    assert_eq!(left(&hall.state(game).await), [1, 60_000]);
}

/// Where the daemon keeps the time a flag falls by itself, to the millisecond.
#[tokio::test(start_paused = true)]
async fn the_daemon_s_own_flag_falls() {
    let hall = Hall::open().await;
    let game = hall.game("60", 0).await;
    let mut arbiter = Console::attach(hall.channel()).await;
    pass(1_234).await;
    arbiter.rules(game, start()).await;
    let since = hall.state(game).await.running_since_ms;
    assert!((1_234..1_400).contains(&since), "{since}");
    pass(30_000).await;
    assert_eq!(hall.state(game).await.running_for_ms, 30_000);
    pass(29_999).await;
    assert_eq!(hall.state(game).await.phase, "running");
    pass(102).await;
    let state = hall.state(game).await;
    assert_eq!((state.score.as_str(), state.termination.as_str(), left(&state)), ("0-1", "time", [0, 60_000]));
    assert_eq!(hall.log.count(&format!("flag fallen white at {}", zeitnot::clock::Millis(since + 60_000))), 1);
    pass(5_000).await;
    assert_eq!(hall.log.count("flag fallen"), 1);
}

/// A stamp from a time that the device cannot have yet is not believed: nobody is charged, and the arbiter is told by how much.
#[tokio::test(start_paused = true)]
async fn a_stamp_from_the_future_costs_nobody_time() {
    let (hall, mut clock, mut arbiter, game) = running(introduction(), "300", 0).await;
    clock.listens(10_000).await;
    clock.does(130_000, press(WHITE, "e2e4")).await;
    let state = hall.state(game).await;
    assert_eq!((state.phase.as_str(), left(&state), state.moves.len()), ("stopped", [300_000, 300_000], 1));
    assert_eq!(hall.log.incidents(), ["device-leapt"]);
    assert_eq!(hall.log.count("leap +0:02:00"), 1);
    // The arbiter has it go on, and what it says next is believed.
    arbiter.rules(game, clocks(290_000, 300_000)).await;
    arbiter.rules(game, resume()).await;
    while hall.state(game).await.phase != "running" {
        let order = clock.order().await;
        clock.does(10_000, confirmation(order.order)).await;
    }
    assert_eq!(hall.log.incidents(), ["device-leapt"]);
}

/// A device whose time stood still, or was set, is found by its probes; the clocks stand as they were last known.
#[tokio::test(start_paused = true)]
async fn a_device_that_slept_is_found_out() {
    let (hall, mut clock, _arbiter, game) = running(introduction(), "300", 0).await;
    clock.listens(20_000).await;
    clock.does(20_000, press(WHITE, "e2e4")).await;
    clock.set_time(14_000);
    clock.listens(5_000).await;
    let state = hall.state(game).await;
    assert_eq!((state.phase.as_str(), left(&state)), ("stopped", [280_000, 300_000]));
    assert_eq!(hall.log.incidents(), ["device-leapt"]);
    assert_eq!(hall.log.count("its time leapt by -0:00:06"), 1);
}

/// A device that slept until its connection was gone is found out when it comes back: nobody gains the time that it did not count.
#[tokio::test(start_paused = true)]
async fn a_device_that_slept_through_its_connection_is_found_out() {
    let hall = Hall::open().await;
    let (channel, line) = hall.line();
    let mut clock = Clock::attach(channel, 7, 1).await;
    clock.assigned(0).await;
    let game = hall.game("3000", 7).await;
    let mut arbiter = Console::attach(hall.channel()).await;
    arbiter.follows(0, 0, &[]).await;
    clock.set_time(0);
    clock.started(&mut arbiter, game, 0).await;
    clock.listens(20_000).await;
    line.lose();
    arbiter.health(7, false).await;
    pass(600_000).await;

    let mut back = Clock::attach(hall.channel(), 7, 1).await;
    back.set_time(30_000);
    back.listens(5_000).await;
    assert_eq!((hall.state(game).await.phase.as_str(), hall.log.incidents()), ("stopped", vec!["device-leapt"]));
}

/// A counter that is set back a little is no turn of it: what is told is the step, and what comes after is measured by it.
#[tokio::test(start_paused = true)]
async fn a_step_back_of_a_counter_that_wraps_is_a_step_back() {
    let wraps = v1::Introduction { wrap_us: (1 << 32) * 1_000, ..introduction() };
    let (hall, mut clock, _arbiter, _game) = running(wraps, "5400", 100_000).await;
    clock.listens(21_000).await;
    clock.set_time(clock.time() - 5_000);
    clock.listens(21_000).await;
    assert_eq!(hall.log.count("its time leapt by -0:00:05"), 1, "{:?}", hall.log.said());
}

/// What a report of the unary call was on its way is known as well: a stamp from the future is not believed there either.
#[tokio::test(start_paused = true)]
async fn a_stamp_from_the_future_is_not_believed_however_it_comes() {
    let (hall, mut clock, _arbiter, game) = running(introduction(), "300", 0).await;
    clock.listens(21_000).await;
    let report = v1::Report { number: clock.number + 1, ..crate::clock::report(1, 0, 3_000_000, press(WHITE, "e2e4")) };
    let sent = v1::ClockReport { device: 7, kind: Some(v1::clock_report::Kind::Report(report)) };
    hall.clocks().send(sent).await.unwrap();
    let state = hall.state(game).await;
    assert_eq!((state.phase.as_str(), state.score.as_str(), left(&state)), ("stopped", "", [300_000, 300_000]));
}

/// A clock that runs two thousandths too fast is told of once, and its game goes on.
#[tokio::test(start_paused = true)]
async fn a_clock_that_drifts_is_told_of_once() {
    let (hall, mut clock, _arbiter, game) = running(introduction(), "5400", 0).await;
    for second in 1..=200 {
        clock.listens(1_000).await;
        clock.set_time(second * 1_002);
    }
    let told = hall.log.entries().iter().filter(|entry| entry.to_string().contains("drifts by")).count();
    assert_eq!(told, 1);
    assert_eq!(hall.state(game).await.phase, "running");
    let health = &hall.devices().await[0];
    let (drift, error) = (health.drift_ppm.unwrap(), i64::try_from(health.drift_uncertainty_ppm).unwrap());
    assert!((drift - 2_000).abs() <= error, "{drift} ± {error}");
    assert!(hall.log.incidents().is_empty());
}

/// What the network took stands beside each report, and is charged to nobody.
#[tokio::test(start_paused = true)]
async fn how_late_a_report_came_is_recorded() {
    let (hall, mut clock, _arbiter, game) = running(introduction(), "300", 0).await;
    clock.listens(30_000).await;
    clock.does(12_000, press(WHITE, "e2e4")).await;
    assert_eq!(left(&hall.state(game).await), [288_000, 300_000]);
    let entries = hall.log.entries();
    let stamp = entries.iter().filter_map(|entry| entry.origin.as_ref()?.stamp).next_back().unwrap();
    let came = stamp.arrived.unwrap();
    assert_eq!(stamp.at.0, 12_000);
    assert!(came.at.0.abs_diff(30_000) <= came.uncertainty.0 && came.uncertainty.0 < 20, "{came:?}");
}
