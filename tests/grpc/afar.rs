//! Players who play from afar, in games that the daemon times: the network is charged to nobody, and nobody gains by it.

use zeitnot::wire::v1;

use crate::clock::Clock;
use crate::console::Console;
use crate::hall::{Hall, pass};
use crate::words::{BLACK, WHITE, control, left, start};

/// A press with a move that says how long it was on its way.
fn press(by: i32, made: &str, lag_ms: i64) -> v1::Fact {
    let press = v1::Press { by, r#move: made.to_string(), lag_ms: Some(lag_ms), ..Default::default() };
    v1::Fact { kind: Some(v1::fact::Kind::Press(press)) }
}

async fn play(hall: &Hall, key: &str, game: u64, fact: v1::Fact) -> Result<u64, tonic::Status> {
    let asked = v1::PlayRequest { key: key.to_string(), game, fact: Some(fact) };
    hall.clocks().play(asked).await.map(|answer| answer.into_inner().seq)
}

/// A running game of that control with a cap of a second, timed by the daemon.
async fn running(time: &str) -> (Hall, Console, u64) {
    let hall = Hall::open().await;
    let tournament = hall.tournament("Online", v1::Regulations { compensation_ms: Some(1_000), ..control(time) }).await;
    let game = hall.seat(tournament, 1, 0, None).await;
    let mut arbiter = Console::attach(hall.channel()).await;
    arbiter.rules(game, start()).await;
    (hall, arbiter, game)
}

/// BH-19: what is credited is the least of what is reported, the cap and what was thought; never below zero, and once.
#[tokio::test(start_paused = true)]
async fn a_press_is_credited_its_way_once() {
    let (hall, _arbiter, game) = running("300").await;
    let mut left_now = left(&hall.state(game).await);
    let cases = [(1_200, 350, 850), (1_200, 5_000, 200), (600, 1_500, 0), (1_200, -200, 1_200), (1_200, i64::MAX, 200), (0, 400, 0)];
    for (n, (elapsed, lag, debit)) in cases.into_iter().enumerate() {
        let (by, side) = if n % 2 == 0 { (WHITE, 0) } else { (BLACK, 1) };
        let made = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6"][n];
        pass(elapsed).await;
        let key = format!("move {n}");
        let seq = play(&hall, &key, game, press(by, made, lag)).await.unwrap();
        left_now[side] -= debit;
        assert_eq!(left(&hall.state(game).await), left_now, "{elapsed} {lag}");
        assert_eq!(play(&hall, &key, game, press(by, made, lag)).await.unwrap(), seq, "sent again");
        assert_eq!(left(&hall.state(game).await), left_now);
    }
    // The ledger says what was credited, and the opponent's clock began when the press came.
    let credited: Vec<String> = hall.log.said().into_iter().filter(|said| said.contains("compensated")).collect();
    assert_eq!(credited.len(), 4, "{credited:?}");
    assert!(credited[1].contains("0:00:01 of 0:00:05"), "{credited:?}");
    assert!(hall.log.incidents().is_empty());
}

/// BH-19 (e): where a clock stamps presses itself, its own word counts and nothing is credited.
#[tokio::test(start_paused = true)]
async fn a_clock_that_stamps_its_presses_is_credited_nothing() {
    let hall = Hall::open().await;
    let tournament = hall.tournament("Hall", v1::Regulations { compensation_ms: Some(1_000), ..control("300") }).await;
    let mut clock = Clock::attach(hall.channel(), 7, 1).await;
    clock.assigned(0).await;
    let game = hall.seat(tournament, 1, 7, None).await;
    clock.assigned(game).await;
    let mut arbiter = Console::attach(hall.channel()).await;
    clock.started(&mut arbiter, game, 1_000).await;
    clock.does(2_200, press(WHITE, "e2e4", 350)).await;
    assert_eq!(left(&hall.state(game).await), [298_800, 300_000]);
}

/// A flag waits for a press that may be on its way, and no longer than that.
#[tokio::test(start_paused = true)]
async fn a_flag_waits_for_what_is_on_its_way() {
    let (hall, _arbiter, game) = running("60").await;
    pass(60_400).await;
    assert_eq!(hall.state(game).await.score, "");
    play(&hall, "late", game, press(WHITE, "e2e4", 500)).await.unwrap();
    let state = hall.state(game).await;
    assert_eq!((left(&state), state.running), ([100, 60_000], BLACK));
    pass(60_900).await;
    assert_eq!(hall.state(game).await.score, "");
    pass(300).await;
    let state = hall.state(game).await;
    assert_eq!((state.score.as_str(), state.termination.as_str(), left(&state)), ("1-0", "time", [100, 0]));
    // What comes after the fall, way and all, is too late.
    let (hall, _arbiter, game) = running("60").await;
    pass(60_700).await;
    play(&hall, "too late", game, press(WHITE, "e2e4", 500)).await.unwrap();
    assert_eq!(hall.state(game).await.score, "0-1");
}

#[tokio::test(start_paused = true)]
async fn what_a_player_cannot_say_is_refused() {
    let (hall, mut arbiter, game) = running("300").await;
    let restart = v1::Fact { kind: Some(v1::fact::Kind::Restart(v1::Restart {})) };
    assert_eq!(play(&hall, "a", game, restart).await.unwrap_err().code(), tonic::Code::PermissionDenied);
    assert_eq!(play(&hall, "", game, press(WHITE, "e2e4", 0)).await.unwrap_err().code(), tonic::Code::InvalidArgument);
    assert_eq!(play(&hall, &"k".repeat(65), game, press(WHITE, "e2e4", 0)).await.unwrap_err().code(), tonic::Code::InvalidArgument);
    let missing = v1::PlayRequest { key: "b".to_string(), game, fact: None };
    assert_eq!(hall.clocks().play(missing).await.unwrap_err().code(), tonic::Code::InvalidArgument);
    // An arbiter notes presses, and tells of no network.
    let outcome = arbiter.outcome(crate::console::note("c", game, press(WHITE, "e2e4", 300))).await;
    let Some(v1::outcome::Kind::Refused(refused)) = outcome.kind else { panic!("{outcome:?}") };
    assert!(refused.text.contains("press.lag_ms"), "{refused:?}");
    let over = v1::Regulations { compensation_ms: Some(10_001), ..control("300") };
    let made = v1::CreateTournamentRequest { name: "Over".to_string(), regulations: Some(over), ..Default::default() };
    let status = hall.office().create_tournament(made).await.unwrap_err();
    assert!(status.message().contains("regulations.compensation_ms"), "{status:?}");
}
