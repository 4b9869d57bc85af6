//! What a tournament chooses of the Laws, and what the daemon works out or notices by itself.

use tonic::Code;
use zeitnot::wire::v1::{self, fact, mating::Kind};

use crate::clock::Clock;
use crate::console::Console;
use crate::hall::{Hall, pass};
use crate::words::{WHITE, control, left, player, press, start};

async fn created(hall: &Hall, name: &str, starts_on: &str, regulations: v1::Regulations) -> Result<u64, tonic::Status> {
    let (name, starts_on) = (name.to_string(), starts_on.to_string());
    let asked = v1::CreateTournamentRequest { name, starts_on, regulations: Some(regulations), ..Default::default() };
    hall.office().create_tournament(asked).await.map(|recorded| recorded.into_inner().id)
}

/// The edition is that of the first day, for games with a control of their own too; one that states no default time wants one.
#[tokio::test(start_paused = true)]
async fn a_competition_is_played_under_the_laws_of_its_first_day() {
    let hall = Hall::open().await;
    for (name, day, edition) in [("Old", "2005-07-01", 2005), ("Later", "2017-12-31", 2017), ("New", "", 2023)] {
        let id = created(&hall, name, day, control("5400+30")).await.unwrap();
        let known = hall.office().hall(v1::HallRequest::default()).await.unwrap().into_inner().tournaments;
        let laws = known.iter().find(|t| t.tournament == id).and_then(|t| t.regulations.as_ref()).map(|r| r.edition);
        assert_eq!(laws, Some(edition), "{name}");
    }
    hall.office().open_round(v1::OpenRoundRequest { tournament: 1, round: 1, ..Default::default() }).await.unwrap();
    let (white, black) = (player("A"), player("B"));
    let own = v1::Pairing { tournament: 1, round: 1, board: 1, white, black, regulations: Some(control("300")), ..Default::default() };
    hall.office().pair(v1::PairRequest { pairing: Some(own), ..Default::default() }).await.unwrap();
    let opened = hall.office().open_game(v1::OpenGameRequest { tournament: 1, round: 1, board: 1, ..Default::default() }).await.unwrap();
    let laws = hall.state(opened.into_inner().id).await.regulations.unwrap();
    assert_eq!((laws.edition, laws.play()), (2005, v1::Play::Blitz));

    let unstated = created(&hall, "2014", "2014-09-01", control("5400")).await.unwrap_err();
    assert_eq!(unstated.code(), Code::InvalidArgument);
    assert!(unstated.message().contains("default_time_ms"), "{unstated:?}");
    let stated = v1::Regulations { default_time_ms: Some(1_800_000), ..control("5400") };
    created(&hall, "2014", "2014-09-01", stated).await.unwrap();
    let no_date = created(&hall, "When", "next week", control("5400")).await.unwrap_err();
    assert!(no_date.code() == Code::InvalidArgument && no_date.message().contains("starts_on"), "{no_date:?}");
}

async fn opened(hall: &Hall, regulations: v1::Regulations, start: Option<v1::StartPosition>, request: v1::OpenGameRequest) -> u64 {
    let tournament = hall.tournament("Open", regulations).await;
    let (white, black) = (player("White"), player("Black"));
    let pairing = v1::Pairing { tournament, round: 1, board: 1, white, black, start, ..Default::default() };
    hall.office().pair(v1::PairRequest { pairing: Some(pairing), ..Default::default() }).await.unwrap();
    let asked = v1::OpenGameRequest { tournament, round: 1, board: 1, ..request };
    hall.office().open_game(asked).await.unwrap().into_inner().id
}

/// Nobody has to notice that a player is late: with a device, by the device's own time.
#[tokio::test(start_paused = true)]
async fn who_does_not_come_in_time_has_lost() {
    for device in [0, 7] {
        let hall = Hall::open().await;
        let late = v1::Regulations { default_time_ms: Some(60_000), ..control("5400+30") };
        let mut clock = if device == 0 { None } else { Some(Clock::attach(hall.channel(), 7, 1).await) };
        let game = opened(&hall, late, None, v1::OpenGameRequest { device, absent_black: true, ..Default::default() }).await;
        let mut arbiter = Console::attach(hall.channel()).await;
        match &mut clock {
            None => _ = arbiter.rules(game, start()).await,
            Some(clock) => {
                clock.set_time(0);
                clock.started(&mut arbiter, game, 0).await;
            }
        }
        for (ms, score) in [(59_000, ""), (30_000, "1-0")] {
            match &mut clock {
                None => pass(ms).await,
                // Its device says how late it is by its answers.
                Some(clock) => clock.listens(ms).await,
            }
            assert_eq!(hall.state(game).await.score, score, "device {device}");
        }
        let state = hall.state(game).await;
        assert_eq!((state.score.as_str(), state.termination.as_str(), state.article.as_str()), ("1-0", "default-time", "6.7.1"), "device {device}");
    }
}

/// The network makes nobody late: who has pressed in time is there, however late that is heard.
#[tokio::test(start_paused = true)]
async fn a_press_that_waits_for_the_network_was_in_time() {
    let hall = Hall::open().await;
    let late = v1::Regulations { default_time_ms: Some(60_000), ..control("5400+30") };
    let (channel, line) = hall.line();
    let mut clock = Clock::attach(channel, 7, 1).await;
    clock.assigned(0).await;
    let request = v1::OpenGameRequest { device: 7, absent_white: true, ..Default::default() };
    let game = opened(&hall, late, None, request).await;
    let mut arbiter = Console::attach(hall.channel()).await;
    arbiter.follows(0, 0, &[]).await;
    clock.set_time(0);
    clock.started(&mut arbiter, game, 0).await;
    clock.listens(30_000).await;
    line.lose();
    arbiter.health(7, false).await;
    pass(60_000).await;
    assert_eq!(hall.state(game).await.score, "", "nobody knows what its clock has seen");

    let mut back = Clock::attach(hall.channel(), 7, 1).await;
    back.assigned(game).await;
    back.number = clock.number;
    back.does(59_500, press(WHITE, "e2e4")).await;
    pass(60_000).await;
    let state = hall.state(game).await;
    assert_eq!((state.phase.as_str(), state.score.as_str(), left(&state)[0]), ("running", "", 5_430_000 - 59_500 + 30_000));
}

/// Whether a lone knight can mate a lone knight takes longer than a decision may: it is worked out beside the writer, and after a restart anew.
#[tokio::test(start_paused = true)]
async fn who_can_mate_is_worked_out_beside_the_writer() {
    let hall = Hall::open().await;
    let knights = v1::StartPosition { fen: KNIGHTS.to_string(), ..Default::default() };
    let game = opened(&hall, control("5"), Some(knights), v1::OpenGameRequest::default()).await;
    let mut arbiter = Console::attach(hall.channel()).await;
    arbiter.rules(game, start()).await;
    pass(20_000).await;
    let state = hall.state(game).await;
    assert_eq!((state.score.as_str(), state.termination.as_str()), ("0-1", "time"));
    let (asked, answered) = (hall.log.count("mating asked"), hall.log.count("verdict after"));
    assert_eq!((asked, answered), (1, 1), "{:?}", hall.log.said());
}

const KNIGHTS: &str = "8/2k1n3/8/8/8/8/2K2N2/8 w - - 0 1";

#[tokio::test(start_paused = true)]
async fn positions_and_games_can_be_asked_about() {
    let hall = Hall::open().await;
    let ask = async |request| hall.office().ask(request).await.map(tonic::Response::into_inner);
    let fen = |fen: &str, moves: &str| v1::AskRequest {
        position: Some(v1::ask_request::Position::Fen(fen.to_string())),
        moves: moves.split_whitespace().map(str::to_string).collect(),
        ..Default::default()
    };
    let third = ask(fen("", "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1")).await.unwrap();
    let claims: Vec<_> = third.claims.iter().map(|claim| (claim.claim.as_str(), claim.article.as_str())).collect();
    assert_eq!((claims, third.stood.as_slice(), third.halfmoves), (vec![("threefold with Ng8", "9.2.1")], &[3, 7][..], 7));
    let kind = |side: Option<v1::CanMate>| side.and_then(|side| side.mating).and_then(|mating| mating.kind);
    let bare = ask(fen("8/8/8/1q6/8/4k3/8/2K5 b - - 0 70", "")).await.unwrap();
    assert!(matches!(kind(bare.white), Some(Kind::Impossible(_))));
    assert!(matches!(kind(bare.black), Some(Kind::Possible(line)) if !line.moves.is_empty()));

    let game = hall.game("300", 0).await;
    let of_game = |game| v1::AskRequest { position: Some(v1::ask_request::Position::Game(game)), ..Default::default() };
    assert_eq!(ask(of_game(game)).await.unwrap().fen, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    for (request, code, word) in [
        (of_game(99), Code::NotFound, "99"),
        (fen("nonsense", ""), Code::InvalidArgument, "fen"),
        (fen("", "e4 e4"), Code::InvalidArgument, "ply 2"),
        (v1::AskRequest { edition: 1492, ..fen("", "") }, Code::InvalidArgument, "1492"),
        (v1::AskRequest::default(), Code::InvalidArgument, "position"),
    ] {
        let refused = ask(request).await.unwrap_err();
        assert!(refused.code() == code && refused.message().contains(word), "{word}: {refused:?}");
    }
}

/// A clock may not say of its own game who can mate, or that somebody is late.
#[tokio::test(start_paused = true)]
async fn a_clock_does_not_decide_its_game() {
    let hall = Hall::open().await;
    let mut clock = Clock::attach(hall.channel(), 7, 1).await;
    let game = hall.game("300", 7).await;
    let mut arbiter = Console::attach(hall.channel()).await;
    clock.started(&mut arbiter, game, 0).await;
    let verdict =
        v1::Fact { kind: Some(fact::Kind::Verdict(v1::Verdict { position: "4k3/8/8/8/8/8/8/4K3 w - -".to_string(), ..v1::Verdict::default() })) };
    clock.says(1_000, verdict).await;
    assert_eq!(clock.refusal().await.code, "not-allowed");
    assert_eq!(hall.state(game).await.phase, "running");
}
