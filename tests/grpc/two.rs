//! Two devices at one board, one a side: each on its own timeline, told and heard for itself.

use zeitnot::audit::Audit;
use zeitnot::wire::v1::{self, order::Command, ruling};

use crate::clock::Clock;
use crate::console::{Console, refused, ruling as asked, taken};
use crate::hall::Hall;
use crate::words::{BLACK, WHITE, confirmation, control, flag, left, player, press, resignation, restarted, resume, start, stop};

/// A board with device 7 at White's side and device 8 at Black's, whose timelines have nothing in common, and an arbiter.
struct Board {
    hall: Hall,
    white: Clock,
    black: Clock,
    arbiter: Console,
    game: u64,
}

impl Board {
    /// Opened with these times, where they are given.
    async fn open(regulations: v1::Regulations, clocks: Option<v1::Times>) -> Board {
        let hall = Hall::open().await;
        let mut white = Clock::attach(hall.channel(), 7, 1).await;
        let mut black = Clock::attach(hall.channel(), 8, 1).await;
        white.set_time(5_000_000);
        black.set_time(70);
        for clock in [&mut white, &mut black] {
            clock.does(clock.time(), restarted()).await;
            clock.assigned(0).await;
        }
        let tournament = hall.tournament("Open", regulations).await;
        let pairing = v1::Pairing { tournament, round: 1, board: 1, white: player("White"), black: player("Black"), ..Default::default() };
        hall.office().pair(v1::PairRequest { pairing: Some(pairing), ..Default::default() }).await.unwrap();
        let open = v1::OpenGameRequest { tournament, round: 1, board: 1, device: 7, black_device: 8, clocks, ..Default::default() };
        let game = hall.office().open_game(open).await.unwrap().into_inner().id;
        assert_eq!((white.assigned(game).await.side, black.assigned(game).await.side), (WHITE, BLACK));
        let arbiter = Console::attach(hall.channel()).await;
        Board { hall, white, black, arbiter, game }
    }

    /// The same with White's clock running; its stamp.
    async fn running(regulations: v1::Regulations, clocks: Option<v1::Times>) -> (Board, u64) {
        let mut board = Board::open(regulations, clocks).await;
        board.listen(10_000).await;
        board.arbiter.rules(board.game, start()).await;
        let began = carried_out(&mut board.white).await;
        (board, began)
    }

    async fn listen(&mut self, ms: u64) {
        tokio::join!(self.white.listens(ms), self.black.listens(ms));
    }

    async fn state(&self) -> v1::GameState {
        self.hall.state(self.game).await
    }

    /// What was decided is what is decided again, from the log alone.
    fn is_audited(&self) {
        let mut audit = Audit::default();
        self.hall.log.entries().into_iter().for_each(|entry| audit.entry(entry));
        let differences = audit.finish().differences;
        assert!(differences.is_empty(), "{differences:#?}");
    }
}

/// The clock does what it is told next, now; its stamp.
async fn carried_out(clock: &mut Clock) -> u64 {
    let order = clock.order().await;
    let at = clock.time();
    clock.does(at, confirmation(order.order)).await;
    at
}

async fn presses(clock: &mut Clock, by: i32, made: &str) -> u64 {
    let at = clock.time();
    clock.does(at, press(by, made)).await;
    at
}

/// A second between the press and the start, as a slow network makes it: no second of it is anybody's.
#[tokio::test(start_paused = true)]
async fn a_second_between_press_and_start_is_nobody_s() {
    let (mut board, began) = Board::running(control("300+2"), None).await;
    board.listen(3_000).await;
    let pressed = presses(&mut board.white, WHITE, "e2e4").await;
    board.listen(1_000).await;
    let state = board.state().await;
    assert_eq!((state.phase.as_str(), state.running, left(&state)), ("running", 0, [304_000 - (pressed - began), 302_000]));
    assert_eq!((state.device, state.black_device, state.orders[0].to), (7, 8, BLACK));
    let black = carried_out(&mut board.black).await;
    board.listen(5_000).await;
    let answered = presses(&mut board.black, BLACK, "e7e5").await;
    let state = board.state().await;
    assert_eq!(left(&state), [304_000 - (pressed - began), 304_000 - (answered - black)]);
    assert!((3_000..3_100).contains(&(pressed - began)) && (5_000..5_100).contains(&(answered - black)));
    assert!(board.hall.log.incidents().is_empty());
    board.is_audited();
}

/// The live time of the side that runs is shown by its own device's timeline.
#[tokio::test(start_paused = true)]
async fn a_running_clock_is_shown_by_its_own_device() {
    let (mut board, _) = Board::running(control("300"), None).await;
    presses(&mut board.white, WHITE, "e2e4").await;
    carried_out(&mut board.black).await;
    board.listen(20_000).await;
    let shown = board.state().await.running_for_ms;
    assert!((19_900..=20_100).contains(&shown), "{shown}");
    board.listen(283_000).await;
    assert_eq!(board.hall.log.incidents(), ["flag-due"]);
}

/// The time of the device that stands leaps: no clock was kept by it. When it runs it is another matter.
#[tokio::test(start_paused = true)]
async fn a_leap_of_the_side_that_stands_stops_nobody() {
    let (mut board, _) = Board::running(control("300"), None).await;
    board.listen(9_000).await;
    board.black.set_time(500_000);
    board.listen(9_000).await;
    assert_eq!((board.state().await.running, board.hall.log.incidents()), (WHITE, vec![]));
    let leaps = |board: &Board| board.hall.log.entries().iter().filter(|entry| entry.to_string().contains("its time leapt by")).count();
    assert_eq!(leaps(&board), 1);
    board.white.set_time(9_000_000);
    board.listen(9_000).await;
    assert_eq!((board.state().await.phase.as_str(), board.hall.log.incidents()), ("stopped", vec!["device-leapt"]));
    board.is_audited();
}

#[tokio::test(start_paused = true)]
async fn a_device_is_refused_what_is_not_its_side_s() {
    let (mut board, _) = Board::running(control("300"), None).await;
    board.black.says(20_000, press(WHITE, "e2e4")).await;
    let refusal = board.black.refusal().await;
    assert_eq!((refusal.code.as_str(), refusal.text.as_str()), ("unreadable", "fact: this device keeps Black's time and reports for that side only"));
    assert_eq!(board.state().await.running, WHITE);
}

/// Both flags are down when the arbiter calls one: the order by the hall's time, or, where that cannot be established, the article.
#[tokio::test(start_paused = true)]
async fn two_flags_have_an_order_or_have_none() {
    for (left, termination, score) in [(400, "time", "0-1"), (3, "both-flags", "1/2-1/2")] {
        let regulations = v1::Regulations { flags: v1::FlagsBy::Arbiter.into(), play: v1::Play::Standard.into(), ..control("60") };
        let clocks = Some(v1::Times { white_ms: 2_000, black_ms: left });
        let (mut board, began) = Board::running(regulations, clocks).await;
        board.listen(2_001).await;
        assert!(board.white.time() > began + 2_000);
        presses(&mut board.white, WHITE, "e2e4").await;
        carried_out(&mut board.black).await;
        board.listen(left + 1).await;
        let at = board.black.time();
        board.black.does(at, flag(BLACK)).await;
        let state = board.state().await;
        assert!(state.flag_down_white && state.flag_down_black && state.score.is_empty());
        board.arbiter.rules(board.game, v1::Ruling { kind: Some(ruling::Kind::CallFlag(BLACK)) }).await;
        let state = board.state().await;
        assert_eq!((state.termination.as_str(), state.score.as_str()), (termination, score), "{:#?}", board.hall.log.said());
        board.is_audited();
    }
}

/// The daemon's own time begins anew with each start of it: a flag that fell before that fell first all the same.
#[tokio::test(start_paused = true)]
async fn two_flags_keep_their_order_over_a_start_of_the_daemon() {
    let regulations = v1::Regulations { flags: v1::FlagsBy::Arbiter.into(), play: v1::Play::Standard.into(), ..control("60") };
    let (mut board, _) = Board::running(regulations, Some(v1::Times { white_ms: 2_000, black_ms: 2_000 })).await;
    board.listen(2_001).await;
    presses(&mut board.white, WHITE, "e2e4").await;
    carried_out(&mut board.black).await;
    let (log, game) = (board.hall.stop().await, board.game);
    let hall = Hall::on(log).await;
    let mut black = Clock::attach(hall.channel(), 8, 1).await;
    (black.number, black.boot) = (board.black.number, 1);
    black.set_time(board.black.time());
    black.listens(2_001).await;
    let at = black.time();
    black.does(at, flag(BLACK)).await;
    let call = asked("call", game, 0, v1::Ruling { kind: Some(ruling::Kind::CallFlag(BLACK)) });
    taken(Console::attach(hall.channel()).await.outcome(call).await);
    let state = hall.state(game).await;
    assert_eq!((state.termination.as_str(), state.score.as_str()), ("time", "0-1"), "{:#?}", hall.log.said());
}

/// White's device was cut off when his flag fell. Black resigned before that was known: the arbiter is told, and nothing is undone.
#[tokio::test(start_paused = true)]
async fn a_flag_from_before_the_resignation_is_told() {
    let (mut board, began) = Board::running(control("60"), None).await;
    board.listen(61_500).await;
    let at = board.black.time();
    board.black.does(at, resignation(BLACK)).await;
    board.listen(2_000).await;
    board.white.does(began + 60_000, flag(WHITE)).await;
    let state = board.state().await;
    assert_eq!((state.termination.as_str(), state.score.as_str()), ("resignation", "1-0"));
    assert_eq!(board.hall.log.incidents(), ["happened-before"]);
    assert_eq!(board.hall.log.count("ended by black between"), 1);
    board.is_audited();
}

/// One of the two is swapped in the middle of the game, and comes with no game of its own.
#[tokio::test(start_paused = true)]
async fn one_of_the_two_is_swapped() {
    let (mut board, began) = Board::running(control("300"), None).await;
    let mut fresh = Clock::attach(board.hall.channel(), 9, 1).await;
    fresh.set_time(123);
    fresh.assigned(0).await;
    let swap = |device| v1::Ruling { kind: Some(ruling::Kind::ReplaceOwnClock(v1::OwnClock { color: BLACK, device })) };
    let here = board.arbiter.outcome(asked("here", board.game, 0, swap(7))).await;
    assert_eq!(refused(here).code, "device-elsewhere");
    board.arbiter.rules(board.game, swap(9)).await;
    assert_eq!((fresh.assigned(board.game).await.side, board.black.assigned(0).await.game), (BLACK, 0));
    // White's own device stops his clock, and he is charged until then and no longer.
    board.listen(500).await;
    let stopped = carried_out(&mut board.white).await;
    let state = board.state().await;
    assert_eq!((state.phase.as_str(), left(&state)), ("stopped", [300_000 - (stopped - began), 300_000]));
    board.arbiter.rules(board.game, resume()).await;
    let used = stopped - began;
    let began = carried_out(&mut board.white).await;
    let pressed = presses(&mut board.white, WHITE, "e2e4").await;
    assert_eq!(left(&board.state().await)[0], 300_000 - used - (pressed - began));
    let begins = carried_out(&mut fresh).await;
    fresh.listens(700).await;
    let answered = presses(&mut fresh, BLACK, "e7e5").await;
    assert_eq!(left(&board.state().await)[1], 300_000 - (answered - begins));
    board.is_audited();
}

/// A device that restarts hears its own side and its own orders; the other side loses nothing.
#[tokio::test(start_paused = true)]
async fn one_of_the_two_restarts() {
    let (mut board, began) = Board::running(control("300"), None).await;
    board.black = Clock::attach(board.hall.channel(), 8, 2).await;
    board.black.set_time(0);
    assert_eq!(board.black.assigned(board.game).await.side, BLACK);
    board.black.does(1, restarted()).await;
    assert_eq!(board.hall.log.incidents(), ["device-restarted"]);
    board.listen(2_000).await;
    let stopped = carried_out(&mut board.white).await;
    let state = board.state().await;
    assert_eq!((state.phase.as_str(), left(&state)), ("stopped", [300_000 - (stopped - began), 300_000]));
    // Between press and start it is the device about to start that restarts: it starts and stops, and is charged what it ran.
    board.arbiter.rules(board.game, resume()).await;
    carried_out(&mut board.white).await;
    presses(&mut board.white, WHITE, "e2e4").await;
    board.black = Clock::attach(board.hall.channel(), 8, 3).await;
    board.black.set_time(0);
    board.black.does(1, restarted()).await;
    let orders = [board.black.order().await, board.black.order().await];
    assert!(matches!(orders.map(|order| order.command), [Some(Command::Start(BLACK)), Some(Command::Stop(_))]), "{orders:?}");
    board.black.does(10, confirmation(orders[0].order)).await;
    board.black.does(14, confirmation(orders[1].order)).await;
    let state = board.state().await;
    assert_eq!((state.phase.as_str(), left(&state)[1]), ("stopped", 299_996));
    board.is_audited();
}

/// The daemon starts again in the middle: both devices go on, each with its side and what it was told.
#[tokio::test(start_paused = true)]
async fn both_go_on_while_the_daemon_is_away() {
    let (mut board, began) = Board::running(control("300"), None).await;
    board.arbiter.rules(board.game, stop()).await;
    let (log, game) = (board.hall.stop().await, board.game);
    let hall = Hall::on(log).await;
    let mut white = Clock::attach(hall.channel(), 7, 1).await;
    white.number = board.white.number;
    assert_eq!((white.assigned(game).await.side, white.order().await.to), (WHITE, WHITE));
    let mut black = Clock::attach(hall.channel(), 8, 1).await;
    assert_eq!(black.assigned(game).await.side, BLACK);
    assert_eq!(black.unheeded(), 0, "the order is the other one's");
    white.does(began + 9_000, confirmation(2)).await;
    assert_eq!(left(&hall.state(game).await), [291_000, 300_000]);
}

/// What cannot be two: one device twice, Black's without White's, an hourglass.
#[tokio::test(start_paused = true)]
async fn what_cannot_be_two_is_refused() {
    let mut board = Board::open(control("300"), None).await;
    let tournament = board.hall.tournament("Glass", control("*300")).await;
    for n in [1, 2] {
        let pairing = v1::Pairing { tournament, round: 1, board: n, white: player("White"), black: player("Black"), ..Default::default() };
        board.hall.office().pair(v1::PairRequest { pairing: Some(pairing), ..Default::default() }).await.unwrap();
    }
    for serial in [9, 10] {
        Clock::attach(board.hall.channel(), serial, 1).await.assigned(0).await;
    }
    let open = |device, black_device| v1::OpenGameRequest { tournament, round: 1, board: 1, device, black_device, ..Default::default() };
    for (device, black_device, field) in [(9, 10, "device: in an hourglass"), (9, 9, "black_device: "), (0, 9, "black_device: ")] {
        let status = board.hall.office().open_game(open(device, black_device)).await.unwrap_err();
        assert!(status.message().starts_with(field), "{status:?}");
    }
    // Before the game starts a device is put at a side, or both are taken over by one.
    let assign = |device, side| v1::AssignDeviceRequest { device, game: board.game, side, ..Default::default() };
    board.hall.office().assign_device(assign(9, BLACK)).await.unwrap();
    assert_eq!(board.black.assigned(0).await.game, 0);
    board.hall.office().assign_device(assign(7, 0)).await.unwrap();
    let state = board.hall.state(board.game).await;
    assert_eq!((state.device, state.black_device), (7, 0));
    assert_eq!(board.white.assigned(board.game).await.side, 0);
}

/// In the next round both come to their new board, and the game that is over keeps neither.
#[tokio::test(start_paused = true)]
async fn both_come_to_the_next_board() {
    let (mut board, _) = Board::running(control("600"), None).await;
    board.arbiter.rules(board.game, crate::words::result("1-0")).await;
    let tournament = board.hall.tournament("Second", control("600")).await;
    let pairing = v1::Pairing { tournament, round: 1, board: 1, white: player("White"), black: player("Black"), ..Default::default() };
    board.hall.office().pair(v1::PairRequest { pairing: Some(pairing), ..Default::default() }).await.unwrap();
    let open = v1::OpenGameRequest { tournament, round: 1, board: 1, device: 8, black_device: 7, ..Default::default() };
    let next = board.hall.office().open_game(open).await.unwrap().into_inner().id;
    assert_eq!((board.black.assigned(next).await.side, board.white.assigned(next).await.side), (WHITE, BLACK));
    let (over, state) = (board.hall.state(board.game).await, board.hall.state(next).await);
    assert_eq!([(over.device, over.black_device), (state.device, state.black_device)], [(0, 0), (8, 7)]);
    let devices: Vec<(u64, u64)> = board.hall.devices().await.iter().map(|device| (device.device, device.game)).collect();
    assert_eq!(devices, [(7, next), (8, next)]);
    board.is_audited();
}

/// Each of the devices that are not connected is named.
#[tokio::test(start_paused = true)]
async fn the_device_that_is_lost_is_named() {
    let hall = Hall::open().await;
    let (channel, line) = hall.line();
    let mut white = Clock::attach(hall.channel(), 7, 1).await;
    let mut black = Clock::attach(channel, 8, 1).await;
    white.assigned(0).await;
    black.assigned(0).await;
    let mut arbiter = Console::attach(hall.channel()).await;
    arbiter.follows(0, 0, &[]).await;
    let tournament = hall.tournament("Open", control("600")).await;
    let pairing = v1::Pairing { tournament, round: 1, board: 1, white: player("White"), black: player("Black"), ..Default::default() };
    hall.office().pair(v1::PairRequest { pairing: Some(pairing), ..Default::default() }).await.unwrap();
    let open = v1::OpenGameRequest { tournament, round: 1, board: 1, device: 7, black_device: 8, ..Default::default() };
    let game = hall.office().open_game(open).await.unwrap().into_inner().id;
    line.lose();
    arbiter.health(8, false).await;
    assert_eq!(hall.state(game).await.lost, [8]);
}
