//! The office: from a tournament to its results, and what can be asked at any time.

use tonic::Code;
use zeitnot::wire::v1;

use crate::clock::Clock;
use crate::console::{Console, note, taken};
use crate::hall::{Hall, pass};
use crate::words::{BLACK, WHITE, control, left, player, press, result, start};

/// A game of presses only: its moves are typed in from the scoresheets when it is over.
#[tokio::test(start_paused = true)]
async fn moves_are_typed_in_after_the_game() {
    let hall = Hall::open().await;
    let mut clock = Clock::attach(hall.channel(), 7, 1).await;
    let unseen = v1::Regulations { board_unseen: true, ..control("300+2") };
    let tournament = hall.tournament("Open", unseen).await;
    let game = hall.seat(tournament, 1, 7, None).await;
    let mut arbiter = Console::attach(hall.channel()).await;
    clock.started(&mut arbiter, game, 0).await;
    for (i, by) in [WHITE, BLACK, WHITE, BLACK].into_iter().enumerate() {
        clock.does(1_000 * (i as u64 + 1), press(by, "")).await;
    }
    assert_eq!(hall.state(game).await.moves, ["?", "?", "?", "?"]);
    assert!(hall.log.incidents().is_empty());
    arbiter.rules(game, result("1/2-1/2")).await;

    let mut office = hall.office();
    let sheet = |moves: &[&str]| v1::EnterMovesRequest {
        key: "sheet".into(),
        game,
        moves: moves.iter().map(|m| m.to_string()).collect(),
        ..Default::default()
    };
    let illegal = office.enter_moves(v1::EnterMovesRequest { key: "x".into(), ..sheet(&["e4", "e5", "Nf6"]) }).await.unwrap_err();
    assert_eq!(illegal.code(), Code::InvalidArgument);
    assert!(illegal.message().contains("moves: ply 2: Nf6"), "{illegal:?}");
    let moves = ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6"];
    let first = office.enter_moves(sheet(&moves)).await.unwrap().into_inner();
    assert_eq!(office.enter_moves(sheet(&moves)).await.unwrap().into_inner(), first);
    assert_eq!(hall.state(game).await.moves, ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6"]);

    let pgn = office.pgn(v1::PgnRequest { game, ..Default::default() }).await.unwrap().into_inner().pgn;
    for part in ["[Event \"Open\"]", "[Round \"1.1\"]", "[White \"White, 1\"]", "[TimeControl \"300+2\"]", "1. e4", "e5", "2. Nf3", "Bb5", "1/2-1/2"]
    {
        assert!(pgn.contains(part), "{part} in\n{pgn}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_round_has_results() {
    let hall = Hall::open().await;
    let tournament = hall.tournament("Open", control("300")).await;
    let (first, second) = (hall.seat(tournament, 1, 0, None).await, hall.seat(tournament, 2, 0, None).await);
    let mut office = hall.office();
    let pairing = v1::Pairing { tournament, round: 1, board: 3, white: player("Late, A"), black: player("Late, B"), ..Default::default() };
    office.pair(v1::PairRequest { pairing: Some(pairing), ..Default::default() }).await.unwrap();
    let mut arbiter = Console::attach(hall.channel()).await;
    arbiter.rules(first, result("1-0")).await;
    arbiter.rules(second, result("--")).await;
    let results = office.results(v1::ResultsRequest { tournament, round: 1 }).await.unwrap().into_inner().results;
    let lines: Vec<_> = results.iter().map(|r| (r.board, r.white.as_str(), r.score.as_str(), r.termination.as_str(), r.game)).collect();
    assert_eq!(lines, [(1, "White, 1", "1-0", "arbiter", 1), (2, "White, 2", "--", "arbiter", 2), (3, "Late, A", "", "", 0)]);

    let round = office.pgn(v1::PgnRequest { tournament, round: 1, ..Default::default() }).await.unwrap().into_inner().pgn;
    assert_eq!(round.matches("[Event ").count(), 2);
    for missing in [v1::ResultsRequest { tournament, round: 2 }, v1::ResultsRequest { tournament: 9, round: 1 }] {
        assert_eq!(office.results(missing).await.unwrap_err().code(), Code::NotFound);
    }
    assert_eq!(office.pgn(v1::PgnRequest { game: 9, ..Default::default() }).await.unwrap_err().code(), Code::NotFound);
    assert_eq!(office.hall(v1::HallRequest { game: 9, ..Default::default() }).await.unwrap_err().code(), Code::NotFound);
}

#[tokio::test(start_paused = true)]
async fn a_game_is_seen_as_it_was() {
    let hall = Hall::open().await;
    let game = hall.game("300", 0).await;
    let mut arbiter = Console::attach(hall.channel()).await;
    arbiter.rules(game, start()).await;
    let mut was = vec![];
    for (i, (by, uci)) in [(WHITE, "e2e4"), (BLACK, "e7e5"), (WHITE, "g1f3")].into_iter().enumerate() {
        pass(1_000).await;
        taken(arbiter.outcome(note(&i.to_string(), game, press(by, uci))).await);
        let head = hall.log.entries().len() as u64;
        was.push((head, hall.state(game).await));
    }
    let mut office = hall.office();
    for (until, state) in was {
        let then = office.replay(v1::ReplayRequest { game, until }).await.unwrap().into_inner();
        assert_eq!((then.digest, then.moves, then.version), (state.digest, state.moves, state.version));
    }
    let now = office.replay(v1::ReplayRequest { game, until: 0 }).await.unwrap().into_inner();
    assert_eq!((now.moves.len(), left(&now)), (3, [298_000, 299_000]));
    assert_eq!(office.replay(v1::ReplayRequest { game, until: 999 }).await.unwrap_err().code(), Code::OutOfRange);
    assert_eq!(office.replay(v1::ReplayRequest { game, until: 1 }).await.unwrap_err().code(), Code::NotFound);
    assert_eq!(office.replay(v1::ReplayRequest { game: 9, until: 0 }).await.unwrap_err().code(), Code::NotFound);
}

#[tokio::test(start_paused = true)]
async fn the_digest_is_that_of_the_log() {
    let (hall, mut clock, _arbiter, _game) = Clock::running("300", 0).await;
    clock.does(1_000, press(WHITE, "e2e4")).await;
    let answer = hall.office().digest(v1::DigestRequest {}).await.unwrap().into_inner();
    assert_eq!(answer.position, hall.log.entries().len() as u64);
    assert_eq!(answer.digest, hall.log.replayed().digest().to_string());
    assert_eq!(answer.head, zeitnot::log::Log::tip(&hall.log).to_string());
}

#[tokio::test(start_paused = true)]
async fn a_key_is_one_input_in_the_office_too() {
    let hall = Hall::open().await;
    let mut office = hall.office();
    let asked = |name: &str| v1::CreateTournamentRequest {
        key: "new".to_string(),
        name: name.to_string(),
        regulations: Some(control("300")),
        by: "Office, Olga".to_string(),
        ..Default::default()
    };
    let first = office.create_tournament(asked("Open")).await.unwrap().into_inner();
    assert_eq!(first.id, 1);
    assert_eq!(office.create_tournament(asked("Open")).await.unwrap().into_inner(), first);
    let other = office.create_tournament(asked("Other")).await.unwrap_err();
    assert_eq!((other.code(), other.message()), (Code::AlreadyExists, "entry 2 holds another input under the same key"));
}
