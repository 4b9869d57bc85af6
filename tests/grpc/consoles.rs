//! An arbiter's console: the snapshot and what comes after it, rulings and their outcome.

use tonic::Code;
use zeitnot::wire::v1::{self, console_request::Kind as Ask, console_update::Kind as Say, outcome};

use crate::clock::Clock;
use crate::console::{ARBITER, Console, follow, note, refused, ruling, taken};
use crate::hall::{Hall, pass};
use crate::words::{BLACK, WHITE, add, control, offer, press, resignation, result, resume, start, stop};

#[tokio::test(start_paused = true)]
async fn a_snapshot_then_what_comes_after_it() {
    let (hall, mut clock, mut arbiter, game) = Clock::running("300", 0).await;
    clock.does(1_000, press(WHITE, "e2e4")).await;
    let snapshot = arbiter.follows(0, 0, &[]).await;
    assert_eq!(snapshot.position, hall.log.entries().len() as u64);
    let state = &snapshot.games[0];
    assert_eq!((state.game, state.moves.len(), state.device, state.running), (game, 1, 7, BLACK));
    assert_eq!(state.digest, hall.state(game).await.digest);

    clock.does(2_000, press(BLACK, "e7e5")).await;
    arbiter.rules(game, stop()).await;
    let mut seen = Vec::new();
    for seq in snapshot.position + 1..=hall.log.entries().len() as u64 {
        let entry = arbiter.entry().await;
        assert_eq!((entry.seq, entry.subject), (seq, Some(v1::entry::Subject::Game(game))));
        assert_eq!(entry.chain.len(), 32);
        seen.push(entry);
    }
    assert_eq!(seen.last().unwrap().version, hall.state(game).await.version);
    let ruled = seen.iter().find(|e| matches!(e.payload, Some(v1::entry::Payload::Ruling(_)))).unwrap();
    assert_eq!(ruled.origin.as_ref().unwrap().name, ARBITER);
}

#[tokio::test(start_paused = true)]
async fn a_console_may_ask_for_what_was_there_before() {
    let (hall, mut clock, mut arbiter, game) = Clock::running("300", 0).await;
    clock.does(1_000, press(WHITE, "e2e4")).await;
    let head = hall.log.entries().len() as u64;
    let asked = v1::FollowHall { game, after: head - 2, ..v1::FollowHall::default() };
    arbiter.asks(v1::ConsoleRequest { arbiter: String::new(), kind: Some(Ask::Follow(asked)) }).await;
    assert_eq!(arbiter.entry().await.seq, head - 1);
    let pressed = arbiter.entry().await;
    assert_eq!((pressed.seq, pressed.cause), (head, head - 1));
    arbiter.position(head).await;
}

#[tokio::test(start_paused = true)]
async fn a_console_follows_some_boards_only() {
    let hall = Hall::open().await;
    let tournament = hall.tournament("Open", control("300")).await;
    for board in 1..=4 {
        hall.seat(tournament, board, 0, None).await;
    }
    let other = hall.tournament("Other", control("300")).await;
    let elsewhere = hall.seat(other, 2, 0, None).await;
    let mut arbiter = Console::attach(hall.channel()).await;
    let games = |snapshot: v1::Snapshot| snapshot.games.iter().map(|g| g.game).collect::<Vec<_>>();
    assert_eq!(games(arbiter.follows(0, 0, &[]).await), [1, 2, 3, 4, elsewhere]);
    assert_eq!(games(arbiter.follows(0, 0, &[2]).await), [2, elsewhere]);
    assert_eq!(games(arbiter.follows(tournament, 2, &[]).await), [0; 0]);
    assert_eq!(games(arbiter.follows(tournament, 1, &[2, 3]).await), [2, 3]);

    let mut ruler = Console::attach(hall.channel()).await;
    for game in [1, 4, elsewhere] {
        ruler.rules(game, start()).await;
    }
    arbiter.position(hall.log.entries().len() as u64).await;
    assert!(!arbiter.has_entries());
    let ruled = ruler.rules(3, start()).await;
    assert_eq!(arbiter.entry().await.seq, ruled.seq);
    let fifth = hall.seat(tournament, 5, 0, None).await;
    ruler.rules(fifth, start()).await;
    arbiter.position(hall.log.entries().len() as u64).await;
    assert_eq!(arbiter.entry().await.subject, Some(v1::entry::Subject::Game(3)), "what follows from the ruling");
}

/// A game that opens while it is followed is followed too.
#[tokio::test(start_paused = true)]
async fn a_new_game_is_followed() {
    let hall = Hall::open().await;
    let tournament = hall.tournament("Open", control("300")).await;
    let mut arbiter = Console::attach(hall.channel()).await;
    arbiter.follows(tournament, 1, &[9]).await;
    let game = hall.seat(tournament, 9, 0, None).await;
    Console::attach(hall.channel()).await.rules(game, start()).await;
    while arbiter.entry().await.subject != Some(v1::entry::Subject::Game(game)) {}
    let ruled = arbiter.entry().await;
    assert!(matches!(ruled.payload, Some(v1::entry::Payload::Ruling(_))), "{ruled:?}");
}

#[tokio::test(start_paused = true)]
async fn a_key_names_one_input() {
    let (hall, _clock, mut arbiter, game) = Clock::running("300", 0).await;
    let first = taken(arbiter.outcome(ruling("k", game, 0, add(WHITE, 1_000))).await);
    pass(5_000).await;
    arbiter.rules(game, add(BLACK, 1_000)).await;
    let again = arbiter.outcome(ruling("k", game, first.version - 1, add(WHITE, 1_000))).await;
    assert_eq!((again.key.clone(), taken(again)), ("k".to_string(), first), "whatever the game's version is now");
    let other = refused(arbiter.outcome(ruling("k", game, 0, add(WHITE, 2_000))).await);
    assert_eq!((other.code.as_str(), other.status), ("conflict", Code::AlreadyExists as i32));
    let other = refused(arbiter.outcome(note("k", game, offer(WHITE))).await);
    assert_eq!(other.code, "conflict");
    assert_eq!(hall.log.count("ruling  add"), 2);
}

#[tokio::test(start_paused = true)]
async fn a_ruling_on_what_has_changed_is_stale() {
    let (hall, mut clock, mut arbiter, game) = Clock::running("300", 0).await;
    let seen = hall.state(game).await.version;
    clock.does(1_000, press(WHITE, "e2e4")).await;
    let now = hall.state(game).await.version;
    let stale = refused(arbiter.outcome(ruling("k", game, seen, stop())).await);
    assert_eq!((stale.code.as_str(), stale.status, stale.version_now), ("stale", Code::Aborted as i32, now));
    taken(arbiter.outcome(ruling("k", game, now, stop())).await);
}

/// A refusal is a normal answer: a word, the article, a sentence.
#[tokio::test(start_paused = true)]
async fn a_refused_ruling_says_why() {
    let (hall, _clock, mut arbiter, game) = Clock::running("300", 0).await;
    let before = hall.log.entries().len();
    for (decision, code, article) in
        [(resume(), "not-stopped", "6.11"), (start(), "already-started", "6.6"), (crate::words::clocks(1, 1), "running", "6.10")]
    {
        let refused = refused(arbiter.outcome(ruling("k", game, 0, decision)).await);
        assert_eq!((refused.code.as_str(), refused.status), (code, 0));
        assert!(refused.article.starts_with(article) && !refused.text.is_empty(), "{refused:?}");
    }
    arbiter.rules(game, result("1-0")).await;
    assert_eq!(refused(arbiter.outcome(ruling("k", game, 0, stop())).await).code, "game-over");
    assert_eq!(hall.log.count("ruling  start"), 1);
    assert!(hall.log.entries().len() > before);
    let nowhere = refused(arbiter.outcome(ruling("k", 99, 0, stop())).await);
    assert_eq!((nowhere.code.as_str(), nowhere.status), ("not-found", Code::NotFound as i32));
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_read_is_answered_and_the_stream_goes_on() {
    let (_hall, _clock, mut arbiter, game) = Clock::running("300", 0).await;
    let unnamed = v1::ConsoleRequest { arbiter: " ".to_string(), ..ruling("k", game, 0, stop()) };
    let empty = Ask::Ruling(v1::RulingRequest { key: "k".to_string(), game, seen_version: 0, ruling: None, private_key: None });
    let boards: Vec<u32> = (0..1_001).collect();
    let wrong = [
        (unnamed, "arbiter:"),
        (ruling("", game, 0, stop()), "key:"),
        (ruling(&"k".repeat(65), game, 0, stop()), "key:"),
        (v1::ConsoleRequest { arbiter: ARBITER.to_string(), kind: Some(empty) }, "ruling:"),
        (v1::ConsoleRequest { arbiter: ARBITER.to_string(), kind: None }, "kind:"),
        (ruling("k", game, 0, result("2-0")), "score:"),
        (ruling("k", game, 0, add(0, 5)), "add_time.color:"),
        (note("k", game, press(WHITE, "e9")), "press.move:"),
        (follow(0, 0, &boards), "boards:"),
    ];
    for (request, names) in wrong {
        let refused = arbiter.unreadable(request).await;
        assert_eq!(refused.status, Code::InvalidArgument as i32, "{refused:?}");
        assert!(refused.text.starts_with(names), "{refused:?}");
    }
    let long = v1::ConsoleRequest { arbiter: "a".repeat(121), ..ruling("k", game, 0, stop()) };
    assert_eq!(refused(arbiter.outcome(long).await).status, Code::InvalidArgument as i32);
    arbiter.rules(game, stop()).await;
}

/// What was told to the arbiter goes in as a fact.
#[tokio::test(start_paused = true)]
async fn a_note_is_a_fact() {
    let (hall, mut clock, mut arbiter, game) = Clock::running("300", 0).await;
    clock.does(1_000, press(WHITE, "e2e4")).await;
    taken(arbiter.outcome(note("n", game, resignation(BLACK))).await);
    let state = hall.state(game).await;
    assert_eq!((state.score.as_str(), state.termination.as_str()), ("1-0", "resignation"));
    let told = clock.order().await;
    assert!(matches!(told.command, Some(v1::order::Command::Stop(_))), "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn a_console_hears_the_position_while_nothing_happens() {
    let (hall, clock, mut arbiter, _) = Clock::at_board("300").await;
    drop(clock);
    let position = arbiter.follows(0, 0, &[]).await.position;
    for _ in 0..3 {
        arbiter.position(position).await;
    }
    hall.daemon.stop().await;
    let end = arbiter.ended().await;
    assert_eq!(end.code(), Code::Unavailable);
    assert_eq!(end.metadata().get("zeitnot-position").unwrap().to_str().unwrap(), position.to_string());
}

#[tokio::test(start_paused = true)]
async fn single_calls_have_the_statuses() {
    let (hall, mut clock, _arbiter, game) = Clock::running("300", 0).await;
    let mut consoles = hall.consoles();
    let kind = |update: v1::ConsoleUpdate| match update.kind {
        Some(Say::Outcome(v1::Outcome { kind: Some(kind), .. })) => kind,
        other => panic!("{other:?}"),
    };
    let refused = kind(consoles.send(ruling("a", game, 0, resume())).await.unwrap().into_inner());
    assert!(matches!(&refused, outcome::Kind::Refused(r) if r.code == "not-stopped" && r.status == 0), "{refused:?}");
    let done = kind(consoles.send(ruling("b", game, 0, add(WHITE, 1_000))).await.unwrap().into_inner());
    assert_eq!(kind(consoles.send(ruling("b", game, 0, add(WHITE, 1_000))).await.unwrap().into_inner()), done);

    let seen = hall.state(game).await.version;
    clock.does(1_000, press(WHITE, "e2e4")).await;
    let now = hall.state(game).await.version;
    let stale = consoles.send(ruling("c", game, seen, stop())).await.unwrap_err();
    assert_eq!(stale.code(), Code::Aborted);
    assert_eq!(stale.metadata().get("zeitnot-version-now").unwrap().to_str().unwrap(), now.to_string());

    let unnamed = v1::ConsoleRequest { arbiter: String::new(), ..ruling("d", game, 0, stop()) };
    for (request, code, names) in [
        (unnamed, Code::InvalidArgument, "arbiter"),
        (ruling("", game, 0, stop()), Code::InvalidArgument, "key"),
        (ruling("d", 99, 0, stop()), Code::NotFound, "game 99"),
        (ruling("b", game, 0, add(WHITE, 2_000)), Code::AlreadyExists, "same key"),
        (follow(0, 0, &[]), Code::InvalidArgument, "kind"),
        (note("e", game, crate::words::restarted()), Code::PermissionDenied, "arbiter"),
    ] {
        let status = consoles.send(request).await.unwrap_err();
        assert_eq!(status.code(), code, "{status:?}");
        assert!(status.message().contains(names), "{status:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn watching_is_following() {
    let hall = Hall::open().await;
    let game = hall.game("300", 0).await;
    let mut updates = hall.consoles().watch(follow(0, 0, &[])).await.unwrap().into_inner();
    let first = updates.message().await.unwrap().unwrap();
    assert!(matches!(&first.kind, Some(Say::Snapshot(s)) if s.games[0].game == game), "{first:?}");
    let ruled = Console::attach(hall.channel()).await.rules(game, start()).await;
    let next = updates.message().await.unwrap().unwrap();
    assert!(matches!(&next.kind, Some(Say::Entry(e)) if e.seq == ruled.seq), "{next:?}");
}
