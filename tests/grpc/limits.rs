//! What the office cannot use: the status, and the field or thing that it names.

use tonic::{Code, Status};
use zeitnot::service::MAX_MESSAGE;
use zeitnot::wire::v1;

use crate::clock::Clock;
use crate::console::Console;
use crate::hall::Hall;
use crate::words::{control, player, start};

fn is(result: Result<impl std::fmt::Debug, Status>, code: Code, begins: &str) {
    let status = result.expect_err(begins);
    assert_eq!(status.code(), code, "{status:?}");
    assert!(status.message().starts_with(begins), "{begins}: {status:?}");
}

fn wrong(result: Result<impl std::fmt::Debug, Status>, field: &str) {
    is(result, Code::InvalidArgument, &format!("{field}:"));
}

#[tokio::test(start_paused = true)]
async fn a_tournament_is_named_and_has_a_control() {
    let hall = Hall::open().await;
    let mut office = hall.office();
    let good = v1::CreateTournamentRequest { name: "Open".to_string(), regulations: Some(control("300")), ..Default::default() };
    let named = |name: &str| v1::CreateTournamentRequest { name: name.to_string(), ..good.clone() };
    let under = |regulations| v1::CreateTournamentRequest { regulations, ..good.clone() };
    for name in ["", "   ", "a\nb", &"n".repeat(121)] {
        wrong(office.create_tournament(named(name)).await, "name");
    }
    wrong(office.create_tournament(under(None)).await, "regulations");
    for text in ["", "soon", "0", "300+", "60001:5", "999999999"] {
        wrong(office.create_tournament(under(Some(control(text)))).await, "regulations.control");
    }
    wrong(office.create_tournament(under(Some(v1::Regulations { edition: 1851, ..control("300") }))).await, "regulations.edition");
    wrong(office.create_tournament(under(Some(v1::Regulations { play: 9, ..control("300") }))).await, "regulations.play");
    wrong(office.create_tournament(v1::CreateTournamentRequest { key: "k".repeat(65), ..good.clone() }).await, "key");
    wrong(office.create_tournament(v1::CreateTournamentRequest { by: "b".repeat(121), ..good.clone() }).await, "name");
    assert_eq!(hall.log.entries().len(), 1, "nothing of it was recorded");

    office.create_tournament(named(&"n".repeat(120))).await.unwrap();
    office.create_tournament(good.clone()).await.unwrap();
    is(office.create_tournament(good).await, Code::AlreadyExists, "tournament Open");
}

#[tokio::test(start_paused = true)]
async fn a_round_and_its_pairings() {
    let hall = Hall::open().await;
    let tournament = hall.tournament("Open", control("300")).await;
    let mut office = hall.office();
    let round = |tournament, round| v1::OpenRoundRequest { tournament, round, ..Default::default() };
    wrong(office.open_round(round(tournament, 0)).await, "round");
    wrong(office.open_round(round(tournament, 10_000)).await, "round");
    is(office.open_round(round(9, 1)).await, Code::NotFound, "there is no tournament 9");
    is(office.open_round(round(tournament, 1)).await, Code::AlreadyExists, "round 1");

    let good = v1::Pairing { tournament, round: 1, board: 1, white: player("A"), black: player("B"), ..Default::default() };
    let pair = |pairing| v1::PairRequest { pairing: Some(pairing), ..Default::default() };
    wrong(office.pair(v1::PairRequest::default()).await, "pairing");
    let from = |fen: &str, chess960| Some(v1::StartPosition { fen: fen.to_string(), chess960, seed: None });
    for (pairing, field) in [
        (v1::Pairing { white: None, ..good.clone() }, "white"),
        (v1::Pairing { black: None, ..good.clone() }, "black"),
        (v1::Pairing { white: player(""), ..good.clone() }, "white"),
        (v1::Pairing { black: player(&"n".repeat(121)), ..good.clone() }, "black"),
        (v1::Pairing { board: 0, ..good.clone() }, "board"),
        (v1::Pairing { board: 10_000, ..good.clone() }, "board"),
        (v1::Pairing { start: from("", Some(960)), ..good.clone() }, "start"),
        (v1::Pairing { start: from("8/8/8/8/8/8/8/8 w - - 0 1", None), ..good.clone() }, "start"),
        (v1::Pairing { regulations: Some(control("x")), ..good.clone() }, "regulations.control"),
    ] {
        wrong(office.pair(pair(pairing)).await, field);
    }
    is(office.pair(pair(v1::Pairing { tournament: 9, ..good.clone() })).await, Code::NotFound, "there is no tournament 9");
    is(office.pair(pair(v1::Pairing { round: 2, ..good.clone() })).await, Code::NotFound, "there is no round 2");
    office.pair(pair(good.clone())).await.unwrap();
    is(office.pair(pair(good)).await, Code::AlreadyExists, "pairing at board 1");
}

#[tokio::test(start_paused = true)]
async fn a_game_and_its_device() {
    let hall = Hall::open().await;
    let _clock = Clock::attach(hall.channel(), 7, 1).await;
    let tournament = hall.tournament("Open", control("300")).await;
    let (first, second) = (hall.seat(tournament, 1, 7, None).await, hall.seat(tournament, 2, 0, None).await);
    let mut office = hall.office();
    let open = |round, board, device| v1::OpenGameRequest { tournament, round, board, device, ..Default::default() };
    is(office.open_game(open(1, 1, 0)).await, Code::AlreadyExists, "game 1");
    is(office.open_game(open(2, 1, 0)).await, Code::NotFound, "there is no round 2");
    is(office.open_game(open(1, 9, 0)).await, Code::NotFound, "there is no pairing at board 9");
    let pairing = v1::Pairing { tournament, round: 1, board: 3, white: player("A"), black: player("B"), ..Default::default() };
    office.pair(v1::PairRequest { pairing: Some(pairing), ..Default::default() }).await.unwrap();
    is(office.open_game(open(1, 3, 8)).await, Code::NotFound, "there is no device 8");
    is(office.open_game(open(1, 3, 7)).await, Code::FailedPrecondition, "device 7 is at the board of game 1");
    let clocks = |white_ms| v1::OpenGameRequest { clocks: Some(v1::Times { white_ms, black_ms: 1 }), ..open(1, 3, 0) };
    wrong(office.open_game(clocks(u64::MAX)).await, "white_ms");
    wrong(office.open_game(clocks(u64::MAX / 4)).await, "clocks");

    let assign = |device, game| v1::AssignDeviceRequest { device, game, ..Default::default() };
    is(office.assign_device(assign(8, second)).await, Code::NotFound, "there is no device 8");
    is(office.assign_device(assign(7, 99)).await, Code::NotFound, "there is no game 99");
    is(office.assign_device(assign(7, first)).await, Code::AlreadyExists, "assignment of device 7");
    Console::attach(hall.channel()).await.rules(second, start()).await;
    wrong(office.assign_device(assign(7, second)).await, "game");

    let enter = |game, from_ply, moves: Vec<&str>| v1::EnterMovesRequest {
        game,
        from_ply,
        moves: moves.into_iter().map(Into::into).collect(),
        ..Default::default()
    };
    is(office.enter_moves(enter(99, 0, vec!["e4"])).await, Code::NotFound, "there is no game 99");
    wrong(office.enter_moves(enter(first, 0, vec!["hm?"])).await, "scoresheet.moves");
    wrong(office.enter_moves(enter(first, 0, vec!["e4"; 601])).await, "scoresheet.moves");
    wrong(office.enter_moves(enter(first, 0, vec![])).await, "moves");
    wrong(office.enter_moves(enter(first, 1, vec!["e4"])).await, "moves");
}

#[tokio::test(start_paused = true)]
async fn a_message_has_a_largest_size() {
    let hall = Hall::open().await;
    let request = v1::CreateTournamentRequest { name: "n".repeat(MAX_MESSAGE), regulations: Some(control("300")), ..Default::default() };
    is(hall.office().create_tournament(request).await, Code::OutOfRange, "");
    assert_eq!(hall.log.entries().len(), 1);
}
