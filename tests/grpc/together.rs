//! One act for many boards: a round is started with its exceptions, and after a fire alarm every clock goes on as it stood.

use zeitnot::wire::v1::{self, hall_act::Act};

use crate::clock::Clock;
use crate::console::Console;
use crate::hall::{Hall, pass};
use crate::words::{BLACK, WHITE, confirmation, control, left, pause, press, resume};

const START: Act = Act::Start(v1::HallStart {});

fn stop() -> Act {
    Act::Stop(v1::HallStop { reason: "fire alarm".to_string() })
}

fn go_on(after: &str) -> Act {
    Act::Resume(v1::HallResume { after: after.to_string() })
}

/// One act, with the boards at which it was done and those at which it was not.
async fn act(hall: &Hall, key: &str, act: Act) -> (Vec<u64>, Vec<(u64, String)>, v1::HallActAnswer) {
    acts(hall, v1::HallAct { key: key.to_string(), arbiter: "Chief".to_string(), act: Some(act), ..Default::default() }).await
}

async fn acts(hall: &Hall, asked: v1::HallAct) -> (Vec<u64>, Vec<(u64, String)>, v1::HallActAnswer) {
    let answer = hall.consoles().act(asked).await.unwrap().into_inner();
    let done = answer.done.iter().map(|done| done.game).collect();
    (done, answer.left.iter().map(|left| (left.game, left.why.clone())).collect(), answer)
}

/// Games 1, 2 at clocks of their own (serial 1, 2), games 3, 4 timed by the daemon.
async fn four() -> (Hall, Vec<Clock>, Console) {
    let hall = Hall::open().await;
    let tournament = hall.tournament("Open", control("300")).await;
    let mut clocks = Vec::new();
    for serial in [1, 2] {
        let mut clock = Clock::attach(hall.channel(), serial, 1).await;
        clock.assigned(0).await;
        assert_eq!(hall.seat(tournament, serial as u32, serial, None).await, serial);
        clock.assigned(serial).await;
        clocks.push(clock);
    }
    for board in [3, 4] {
        hall.seat(tournament, board, 0, None).await;
    }
    let arbiter = Console::attach(hall.channel()).await;
    (hall, clocks, arbiter)
}

async fn confirms(clock: &mut Clock, at: u64) {
    let order = clock.order().await;
    clock.does(at, confirmation(order.order)).await;
}

#[tokio::test(start_paused = true)]
async fn everything_stands_and_goes_on_as_it_stood() {
    let (hall, mut clocks, mut arbiter) = four().await;
    let (done, left_out, answer) = act(&hall, "morning", START).await;
    assert_eq!((done, left_out), (vec![1, 2, 3, 4], vec![]));
    for (n, clock) in clocks.iter_mut().enumerate() {
        confirms(clock, 1_000 * (n as u64 + 1)).await;
    }
    assert_eq!(act(&hall, "morning", START).await.2, answer, "sent again: done once");
    assert_eq!(act(&hall, "again", START).await.0, Vec::<u64>::new());

    clocks[0].does(11_000, press(WHITE, "e2e4")).await;
    // Board 2 stands already, for its own reason; the alarm leaves it alone.
    clocks[1].does(5_000, pause()).await;
    pass(20_000).await;
    let (done, left_out, stopped) = act(&hall, "fire", stop()).await;
    assert_eq!((done, left_out), (vec![1, 3, 4], vec![]));
    // The clock on the board says when it stood.
    confirms(&mut clocks[0], 14_500).await;
    let before: Vec<[u64; 2]> = [left(&hall.state(1).await), left(&hall.state(3).await), left(&hall.state(4).await)].into();
    assert_eq!(before[0], [290_000, 296_500]);
    pass(600_000).await;
    assert_eq!(act(&hall, "fire", stop()).await.2, stopped);

    // In game 4 the arbiter has ruled meanwhile.
    arbiter.rules(4, crate::words::clocks(200_000, 250_000)).await;
    let (done, left_out, answer) = act(&hall, "all clear", go_on("")).await;
    assert_eq!((done, answer.key.as_str()), (vec![1, 3], "all clear"));
    assert!(left_out.len() == 1 && left_out[0].0 == 4 && left_out[0].1.contains("was ruled or happened here since"), "{left_out:?}");
    assert_eq!(act(&hall, "all clear", go_on("")).await.0, [1, 3], "sent again: done once");
    confirms(&mut clocks[0], 700_000).await;
    assert_eq!(left(&hall.state(1).await), before[0]);
    assert_eq!(left(&hall.state(3).await), before[1]);
    let phases = [1, 2, 3, 4].map(|game| hall.state(game));
    let mut now = Vec::new();
    for phase in phases {
        let state = phase.await;
        now.push((state.phase, state.running));
    }
    let is = |phase: &str, running: i32| (phase.to_string(), running);
    assert_eq!(now, [is("running", BLACK), is("stopped", 0), is("running", WHITE), is("stopped", 0)]);

    // A second alarm. What the first one has let go on is no concern of the key of the first.
    arbiter.rules(2, resume()).await;
    confirms(&mut clocks[1], 701_000).await;
    assert_eq!(act(&hall, "fire 2", stop()).await.0, [1, 2, 3]);
    let (done, left_out, _) = act(&hall, "too early", go_on("fire")).await;
    assert_eq!(done, Vec::<u64>::new());
    assert_eq!(left_out.iter().filter(|(_, why)| why.contains("by another act: fire 2")).count(), 3, "{left_out:?}");
    let missing = v1::HallAct { key: "x".into(), arbiter: "Chief".into(), act: Some(go_on("no such")), ..Default::default() };
    assert_eq!(hall.consoles().act(missing).await.unwrap_err().code(), tonic::Code::NotFound);
}

/// Two arbiters each stop what is theirs; one act lets all of it go on, but for a board at which something else has stopped the clock.
#[tokio::test(start_paused = true)]
async fn whatever_acts_have_stopped_goes_on() {
    let (hall, mut clocks, _arbiter) = four().await;
    act(&hall, "morning", START).await;
    for clock in &mut clocks {
        confirms(clock, 1_000).await;
    }
    for (key, boards) in [("left half", vec![1, 3]), ("right half", vec![2, 4])] {
        let asked = v1::HallAct { key: key.into(), arbiter: "Arbiter".into(), boards, act: Some(stop()), ..Default::default() };
        assert_eq!(acts(&hall, asked).await.0.len(), 2);
    }
    // Clock 1 restarts before it has carried the stop out: what it shows is not known.
    clocks[0].order().await;
    let mut back = Clock::attach(hall.channel(), 1, 2).await;
    back.assigned(1).await;
    back.does(0, crate::words::restarted()).await;
    confirms(&mut clocks[1], 5_000).await;
    let (done, left_out, _) = act(&hall, "all clear", go_on("")).await;
    assert_eq!(done, [2, 3, 4]);
    assert!(left_out.len() == 1 && left_out[0].0 == 1, "{left_out:?}");
}

/// What was ordered of a clock that is not there is told to wait; a round that is not there is an error; games that are over are no concern.
#[tokio::test(start_paused = true)]
async fn what_waits_is_told_and_what_is_not_there_is_refused() {
    let (hall, mut clocks, mut arbiter) = four().await;
    drop(clocks.remove(0));
    crate::hall::settle().await;
    let (done, left_out, answer) = act(&hall, "morning", START).await;
    assert_eq!((done, left_out), (vec![1, 2, 3, 4], vec![]));
    let waits: Vec<(u64, &str)> = answer.done.iter().map(|done| (done.game, done.why.as_str())).collect();
    assert_eq!(waits[..2], [(1, "waits for device 1, which is not connected"), (2, "")]);
    let nowhere = v1::HallAct { key: "x".into(), arbiter: "Chief".into(), tournament: 1, round: 9, act: Some(START), ..Default::default() };
    let status = hall.consoles().act(nowhere).await.unwrap_err();
    assert_eq!((status.code(), status.message()), (tonic::Code::NotFound, "there is no round 1.9"));
    act(&hall, "fire", stop()).await;
    arbiter.rules(3, crate::words::result("1-0")).await;
    let (done, left_out, _) = act(&hall, "all clear", go_on("")).await;
    let waits: Vec<u64> = left_out.iter().filter(|(_, why)| why.contains("has not confirmed it")).map(|(game, _)| *game).collect();
    assert_eq!((done, waits, left_out.len()), (vec![4], vec![1, 2], 2), "{left_out:?}: and 3 is over");
}

/// The alarm comes before a clock has said that it was started: it is stopped after that, and goes on with all the others.
#[tokio::test(start_paused = true)]
async fn a_clock_that_is_about_to_start_is_stopped_too() {
    let (hall, mut clocks, _arbiter) = four().await;
    act(&hall, "morning", START).await;
    assert_eq!(act(&hall, "fire", stop()).await.0, [1, 2, 3, 4]);
    confirms(&mut clocks[0], 1_000).await;
    assert_eq!(hall.state(1).await.phase, "running", "its order to stop waits");
    confirms(&mut clocks[0], 1_500).await;
    let state = hall.state(1).await;
    assert_eq!((state.phase.as_str(), left(&state)), ("stopped", [299_500, 300_000]));
    let (done, left_out, _) = act(&hall, "again", stop()).await;
    assert!(left_out.iter().any(|(game, why)| *game == 1 && why.contains("by the act fire")), "{done:?} {left_out:?}");
    let (done, ..) = act(&hall, "all clear", go_on("")).await;
    assert!(done.contains(&1), "{done:?}");
    confirms(&mut clocks[0], 60_000).await;
    assert_eq!((hall.state(1).await.phase.as_str(), left(&hall.state(1).await)), ("running", [299_500, 300_000]));
}

/// Nobody takes the keys of acts before, or is met by an act because of how he spells a key.
#[tokio::test(start_paused = true)]
async fn the_keys_of_acts_are_theirs() {
    let (hall, _clocks, mut arbiter) = four().await;
    act(&hall, "morning", START).await;
    for (key, game, fact) in [("stop all x/3", 3, crate::words::offer(WHITE)), ("go on x/4", 3, crate::words::offer(WHITE))] {
        let told = crate::console::refused(arbiter.outcome(crate::console::note(key, game, fact)).await);
        assert!(told.code == "unreadable" && told.text.starts_with("key"), "{told:?}");
    }
    let told = crate::console::refused(arbiter.outcome(crate::console::ruling("stop all x/3", 4, 0, crate::words::stop())).await);
    assert_eq!(told.code, "unreadable");
}

#[tokio::test(start_paused = true)]
async fn a_round_is_started_with_its_exceptions() {
    let hall = Hall::open().await;
    let tournament = hall.tournament("Open", control("300")).await;
    for board in 1..=4 {
        let (white, black) = (crate::words::player("White"), crate::words::player("Black"));
        let pairing = v1::Pairing { tournament, round: 1, board, white, black, ..Default::default() };
        hall.office().pair(v1::PairRequest { pairing: Some(pairing), ..Default::default() }).await.unwrap();
        if board != 2 {
            let open = v1::OpenGameRequest { tournament, round: 1, board, ..Default::default() };
            hall.office().open_game(open).await.unwrap();
        }
    }
    let whole = |key: &str| v1::HallAct { key: key.into(), arbiter: "Chief".into(), tournament, round: 1, act: Some(START), ..Default::default() };
    let (done, left_out, answer) = acts(&hall, v1::HallAct { except: vec![4], ..whole("a") }).await;
    assert_eq!((done.len(), left_out), (2, vec![(0, "no game is open".to_string())]));
    assert_eq!(answer.left[0].board, 2);
    let boards: Vec<u32> = answer.done.iter().map(|done| done.board).collect();
    assert_eq!(boards, [1, 3]);
    let (done, ..) = acts(&hall, v1::HallAct { boards: vec![4], ..whole("b") }).await;
    assert_eq!(done.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_read_names_its_field() {
    let hall = Hall::open().await;
    let good = v1::HallAct { key: "k".into(), arbiter: "Chief".into(), act: Some(START), ..Default::default() };
    let long = Act::Stop(v1::HallStop { reason: "x".repeat(501) });
    for (wrong, field) in [
        (v1::HallAct { key: String::new(), ..good.clone() }, "key"),
        (v1::HallAct { key: "k".repeat(41), ..good.clone() }, "key"),
        (v1::HallAct { key: "a/b".into(), ..good.clone() }, "key"),
        (v1::HallAct { arbiter: " ".into(), ..good.clone() }, "arbiter"),
        (v1::HallAct { act: None, ..good.clone() }, "act"),
        (v1::HallAct { act: Some(long), ..good.clone() }, "reason"),
        (v1::HallAct { boards: vec![1; 1_001], ..good.clone() }, "boards"),
    ] {
        let status = hall.consoles().act(wrong).await.unwrap_err();
        assert!(status.code() == tonic::Code::InvalidArgument && status.message().starts_with(field), "{status:?}");
    }
}
