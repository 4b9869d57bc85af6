//! Claims, illegal moves and penalties over the wire; what a tournament sets and where its games start.

use tonic::Code;
use zeitnot::wire::v1::{self, fact, ruling};

use crate::console::{Console, note, refused};
use crate::hall::Hall;
use crate::words::{BLACK, WHITE, control, made, player, press, resume, start};

fn claim(by: i32, kind: v1::claim::Kind) -> v1::Fact {
    v1::Fact { kind: Some(fact::Kind::Claim(v1::Claim { by, kind: Some(kind) })) }
}

fn rules(kind: ruling::Kind) -> v1::Ruling {
    v1::Ruling { kind: Some(kind) }
}

#[tokio::test(start_paused = true)]
async fn a_claim_waits_for_its_decision() {
    let hall = Hall::open().await;
    let game = hall.game("5400+30", 0).await;
    let mut arbiter = Console::attach(hall.channel()).await;
    arbiter.rules(game, start()).await;
    arbiter.notes(game, claim(BLACK, v1::claim::Kind::Clocks(v1::Times { white_ms: 60_000, black_ms: 50_000 }))).await;
    let state = hall.state(game).await;
    assert_eq!((state.phase.as_str(), state.stop_reason()), ("stopped", v1::StopReason::Claim));
    let waits = v1::PendingClaim { by: BLACK, text: "clock 0:01:00 0:00:50".to_string(), answer: "open".to_string(), postponed: false };
    assert_eq!(state.claim, Some(waits));

    arbiter.rules(game, rules(ruling::Kind::Reject(v1::Reject { reason: "they are right".to_string() }))).await;
    let state = hall.state(game).await;
    assert_eq!((state.claim, state.phase.as_str()), (None, "stopped"));
}

#[tokio::test(start_paused = true)]
async fn an_illegal_move_stands_on_the_board_until_it_is_ruled() {
    let hall = Hall::open().await;
    let game = hall.game("5400+30", 0).await;
    let mut arbiter = Console::attach(hall.channel()).await;
    arbiter.rules(game, start()).await;
    for (by, text) in [(WHITE, "d2d4"), (BLACK, "d7d5"), (WHITE, "d1d5"), (BLACK, "e8d7")] {
        arbiter.notes(game, made(by, text)).await;
        arbiter.notes(game, press(by, "")).await;
        let board = hall.state(game).await.board;
        assert_eq!(board.is_empty(), text != "d1d5" && text != "e8d7", "{text}: {board}");
    }
    arbiter.rules(game, rules(ruling::Kind::RuleIllegal(v1::RuleIllegal { color: WHITE, two_hands: false }))).await;
    let state = hall.state(game).await;
    assert_eq!((state.illegal_white, state.illegal_black, state.board.as_str(), state.moves.len()), (1, 0, "", 2));

    let half = v1::Penalise { color: WHITE, kind: "opponent-points".to_string(), half_points: 1, ..Default::default() };
    arbiter.rules(game, rules(ruling::Kind::Penalise(half))).await;
    let state = hall.state(game).await;
    assert_eq!((state.half_points_white, state.half_points_black), (0, 1));
    arbiter.rules(game, resume()).await;
    arbiter.notes(game, claim(WHITE, v1::claim::Kind::Threefold("b1c3".to_string()))).await;
    let state = hall.state(game).await;
    assert_eq!((state.duty_of, state.duty.as_str()), (WHITE, "b1c3 has to be played"));
}

#[tokio::test(start_paused = true)]
async fn what_a_tournament_sets_comes_back() {
    let hall = Hall::open().await;
    let mut office = hall.office();
    let set = v1::Regulations {
        full_supervision: true,
        default_time_ms: Some(0),
        flags: v1::FlagsBy::Players.into(),
        claims_by_arbiter: true,
        quickplay: Some(true),
        otherwise: vec!["claim-offer ends".to_string(), "fines announced".to_string()],
        ..control("900")
    };
    let asked = |name: &str, starts_on: &str| v1::CreateTournamentRequest {
        name: name.to_string(),
        regulations: Some(set.clone()),
        starts_on: starts_on.to_string(),
        ..Default::default()
    };
    let wrong = office.create_tournament(asked("Open", "2 May")).await.unwrap_err();
    assert_eq!(wrong.code(), Code::InvalidArgument);
    assert!(wrong.message().contains("starts_on"), "{wrong:?}");
    let tournament = office.create_tournament(asked("Open", "2026-05-02")).await.unwrap().into_inner().id;
    office.create_tournament(asked("Other", "")).await.unwrap();
    let known = office.hall(v1::HallRequest::default()).await.unwrap().into_inner().tournaments;
    assert_eq!(known.iter().map(|t| t.starts_on.as_str()).collect::<Vec<_>>(), ["2026-05-02", ""]);
    let whole = v1::Regulations { edition: 2023, play: v1::Play::Rapid.into(), ..set.clone() };
    assert_eq!(known[0].regulations.as_ref(), Some(&whole));

    office.open_round(v1::OpenRoundRequest { tournament, round: 1, ..Default::default() }).await.unwrap();
    let start = Some(v1::StartPosition { seed: Some(2026), ..Default::default() });
    let pairing = v1::Pairing { tournament, round: 1, board: 1, white: player("A"), black: player("B"), start, ..Default::default() };
    office.pair(v1::PairRequest { pairing: Some(pairing), ..Default::default() }).await.unwrap();
    let opened = v1::OpenGameRequest { tournament, round: 1, board: 1, ..Default::default() };
    let game = office.open_game(opened).await.unwrap().into_inner().id;
    let hall = hall.restart().await;
    let drawn = hall.state(game).await.pairing.unwrap().start.unwrap();
    assert_eq!((drawn.chess960, drawn.seed), (Some(zeitnot::board::drawn(2026)), Some(2026)));
}

/// Who is late, and who can still mate, only the daemon finds out.
#[tokio::test(start_paused = true)]
async fn what_the_daemon_finds_out_nobody_else_says() {
    let hall = Hall::open().await;
    let game = hall.game("300", 0).await;
    let mut arbiter = Console::attach(hall.channel()).await;
    arbiter.rules(game, start()).await;
    let unclear = v1::Mating { kind: Some(v1::mating::Kind::Unclear(v1::Unclear {})) };
    let verdict = v1::Verdict { plies: 0, white: Some(unclear), black: None, position: "4k3/8/8/8/8/8/8/4K3 w - -".to_string() };
    for (key, kind) in [("a", fact::Kind::Late(BLACK)), ("b", fact::Kind::Verdict(verdict)), ("c", fact::Kind::BothFlags(v1::BothFlags {}))] {
        let outcome = arbiter.outcome(note(key, game, v1::Fact { kind: Some(kind) })).await;
        assert_eq!(refused(outcome).code, "not-allowed", "{key}");
    }
}
