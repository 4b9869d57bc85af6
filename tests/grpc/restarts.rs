//! The daemon starts again: nothing that stood in the log is lost, nobody is charged, nothing happens twice.

use zeitnot::game::Seq;
use zeitnot::venue::WallTime;
use zeitnot::wire::v1;

use crate::clock::{Clock, report};
use crate::console::{Console, note, ruling, taken};
use crate::hall::{Hall, pass};
use crate::ledger::Ledger;
use crate::words::{BLACK, WHITE, add, clocks, control, left, pause, press, restarted, resume, start, stop};

/// BH-21: the clock went on while the daemon was away, and its own word counts.
#[tokio::test(start_paused = true)]
async fn a_device_keeps_the_time_while_the_daemon_is_away() {
    let hall = Hall::open().await;
    let mut clock = Clock::attach(hall.channel(), 7, 1).await;
    clock.assigned(0).await;
    let tournament = hall.tournament("Open", control("5400+30")).await;
    let game = hall.seat(tournament, 1, 7, Some(v1::Times { white_ms: 2_467_800, black_ms: 3_000_000 })).await;
    let mut arbiter = Console::attach(hall.channel()).await;
    clock.started(&mut arbiter, game, 1_000_000).await;

    let log = hall.stop().await;
    pass(100_000).await;
    let hall = Hall::on(log).await;
    let state = hall.state(game).await;
    assert_eq!((state.phase.as_str(), left(&state)), ("running", [2_467_800, 3_000_000]));

    let mut back = Clock::attach(hall.channel(), 7, 1).await;
    assert_eq!(back.assigned(game).await.phase, "running");
    back.number = clock.number;
    back.does(1_018_500, pause()).await;
    let state = hall.state(game).await;
    assert_eq!((state.phase.as_str(), state.stop_reason()), ("stopped", v1::StopReason::Pause));
    assert_eq!(left(&state), [2_449_300, 3_000_000]);
    assert!(hall.log.incidents().is_empty());
}

/// BH-21, variant: where the daemon itself kept the time the game stands as last known until an arbiter starts it again.
#[tokio::test(start_paused = true)]
async fn a_game_the_daemon_timed_waits_for_the_arbiter() {
    let hall = Hall::open().await;
    let game = hall.game("300", 0).await;
    let mut arbiter = Console::attach(hall.channel()).await;
    arbiter.rules(game, start()).await;
    pass(10_000).await;
    taken(arbiter.outcome(note("e4", game, press(WHITE, "e2e4"))).await);
    pass(50_000).await;

    let hall = hall.restart().await;
    let state = hall.state(game).await;
    assert_eq!((state.phase.as_str(), state.stop_reason()), ("stopped", v1::StopReason::TimekeeperRestart));
    assert_eq!(left(&state), [290_000, 300_000]);
    assert_eq!(hall.log.incidents(), ["timekeeper-restarted"]);
    pass(400_000).await;
    assert_eq!(left(&hall.state(game).await), [290_000, 300_000]);

    let mut arbiter = Console::attach(hall.channel()).await;
    taken(arbiter.outcome(ruling("set", game, 0, clocks(290_000, 251_000))).await);
    taken(arbiter.outcome(ruling("go", game, 0, resume())).await);
    pass(1_000).await;
    taken(arbiter.outcome(note("e5", game, press(BLACK, "e7e5"))).await);
    assert_eq!(left(&hall.state(game).await), [290_000, 250_000]);
}

/// The daemon's stamps begin anew with each start of it: none of them is before a flag that fell in an earlier one.
#[tokio::test(start_paused = true)]
async fn a_flag_stays_fallen_over_a_restart() {
    let hall = Hall::open().await;
    let game = hall.game("60", 0).await;
    Console::attach(hall.channel()).await.rules(game, start()).await;
    pass(61_000).await;
    assert_eq!(hall.state(game).await.score, "0-1");

    let hall = hall.restart().await;
    pass(5_000).await;
    let mut arbiter = Console::attach(hall.channel()).await;
    taken(arbiter.outcome(note("late", game, press(WHITE, "e2e4"))).await);
    let state = hall.state(game).await;
    assert_eq!((state.phase.as_str(), state.score.as_str()), ("over", "0-1"));
}

/// And so it is with a device that starts anew.
#[tokio::test(start_paused = true)]
async fn a_flag_stays_fallen_over_a_restart_of_its_device() {
    let (hall, mut clock, _arbiter, game) = Clock::running("60", 1_000).await;
    clock.does(61_000, crate::words::flag(WHITE)).await;
    assert_eq!(hall.state(game).await.score, "0-1");
    let mut clock = Clock::attach(hall.channel(), 7, 2).await;
    clock.does(0, crate::words::restarted()).await;
    clock.does(5_000, press(WHITE, "e2e4")).await;
    assert_eq!(hall.state(game).await.score, "0-1");
    // Also if it does not say so.
    let mut clock = Clock::attach(hall.channel(), 7, 3).await;
    clock.does(5_000, press(WHITE, "e2e4")).await;
    assert_eq!(hall.state(game).await.score, "0-1");
}

#[tokio::test(start_paused = true)]
async fn a_ruling_has_the_same_outcome_for_ever() {
    let (hall, clock, mut arbiter, game) = Clock::running("300", 0).await;
    drop(clock);
    let asked = ruling("why-1", game, 0, stop());
    let first = taken(arbiter.outcome(asked.clone()).await);
    assert_eq!(taken(arbiter.outcome(asked.clone()).await), first);
    let hall = hall.restart().await;
    let mut arbiter = Console::attach(hall.channel()).await;
    let before = hall.log.entries().len();
    assert_eq!(taken(arbiter.outcome(asked).await), first);
    assert_eq!(hall.log.entries().len(), before);
}

/// BH-22: what the log says does not depend on when it is read.
#[tokio::test(start_paused = true)]
async fn replay_reads_no_clock() {
    let hall = Hall::open().await;
    let tournament = hall.tournament("Open", control("300")).await;
    let game = hall.seat(tournament, 1, 0, Some(v1::Times { white_ms: 30_000, black_ms: 30_000 })).await;
    let mut arbiter = Console::attach(hall.channel()).await;
    arbiter.rules(game, start()).await;
    pass(10_000).await;
    arbiter.rules(game, stop()).await;
    let log = hall.stop().await;
    let (digest, said) = (log.replayed().digest(), log.said());

    pass(4 * 3_600_000).await;
    assert_eq!(log.replayed().digest(), digest);
    let next_day = WallTime(4_102_444_800_000);
    let hall = Hall::at(log, next_day).await;
    pass(60_000).await;
    let state = hall.state(game).await;
    assert_eq!((state.phase.as_str(), state.running, left(&state)), ("stopped", 0, [20_000, 30_000]));
    assert_eq!(hall.log.said(), said, "a start tells nothing again");
    assert_eq!(hall.log.entries().last().unwrap().recorded_at, next_day);
    let reader = zeitnot::log::Log::reader(&hall.log);
    let before = zeitnot::writer::replay(&*reader, Some(Seq(hall.log.entries().len() as u64 - 1)), &mut |_| {}).unwrap();
    assert_eq!(before.digest(), digest);
}

/// As many games as one commit of the log cannot hold.
#[tokio::test(start_paused = true)]
async fn a_full_hall_starts_again() {
    let games = 500;
    let hall = Hall::on(full_hall(games)).await;
    assert_eq!(hall.state(500).await.phase, "stopped");
    assert_eq!(hall.log.count("clocks stopped"), games);
    assert_eq!(hall.log.incidents().len(), games);
    let hall = hall.restart().await;
    assert_eq!(hall.log.count("clocks stopped"), games);
}

/// A log of so many running games that the daemon times.
fn full_hall(games: usize) -> Ledger {
    use zeitnot::game::{Input as About, Ruling};
    use zeitnot::venue::{At, Command, Input, Origin, Pairing, Player, Role, TournamentId};

    let mut log = Ledger::default();
    let reader = zeitnot::log::Log::reader(&log);
    let mut writer = zeitnot::writer::Writer::default();
    let at = At { wall: WallTime(0), hall: zeitnot::clock::Millis(0) };
    let mut does = |role, input| {
        let origin = Origin::new(role, String::new());
        writer.decide(&*reader, Command { origin, key: None, seen: None, input }, at).unwrap().unwrap();
        writer.commit(&mut log).unwrap();
    };
    let (tournament, round) = (TournamentId(1), 1);
    let regulations: zeitnot::game::Regulations = control("300").try_into().unwrap();
    does(Role::Office, Input::CreateTournament { name: "Open".to_string(), regulations, starts_on: None });
    does(Role::Office, Input::OpenRound { tournament, round });
    for board in 1..=u32::try_from(games).unwrap() {
        let player = || Player { name: format!("Player, {board}"), fide_id: 0 };
        let players = shakmaty::ByColor::new_with(|_| player());
        let start = std::sync::Arc::new(zeitnot::board::Start::standard());
        does(Role::Office, Input::Pair { pairing: Pairing { tournament, round, board, players, start, regulations: None } });
        let absent = shakmaty::ByColor::default();
        does(Role::Office, Input::OpenGame { tournament, round, board, device: None, black_device: None, absent, clocks: None });
        does(Role::Arbiter, Input::Game { game: zeitnot::game::GameId(board.into()), input: About::Ruling(Ruling::Start) });
    }
    log
}

/// A device that restarts is told of its game at once, and again when what it held from before is taken: its times are others by then.
#[tokio::test(start_paused = true)]
async fn who_has_forgotten_the_game_is_told_what_it_held_has_changed() {
    let (hall, mut clock, mut arbiter, game) = Clock::running("300", 0).await;
    clock.does(10_000, press(WHITE, "e2e4")).await;
    let mut back = Clock::attach(hall.channel(), 7, 2).await;
    let times = |told: v1::Assignment| told.sides.map(|sides| [sides.white, sides.black].map(|side| side.unwrap_or_default().left_ms));
    assert_eq!(times(back.assigned(game).await), Some([290_000, 300_000]));
    back.reports(report(1, clock.number + 1, 30_000, press(BLACK, "e7e5"))).await;
    arbiter.rules(game, stop()).await;
    back.does(0, restarted()).await;
    let told = back.assigned(game).await;
    assert_eq!((times(told.clone()), told.counted), (Some([290_000, 280_000]), 2));
    // What was added since is in the times of whoever takes them now.
    arbiter.rules(game, add(WHITE, 60_000)).await;
    let mut again = Clock::attach(hall.channel(), 7, 2).await;
    let told = again.assigned(game).await;
    assert_eq!((times(told.clone()), told.counted), (Some([350_000, 280_000]), 3));
}
