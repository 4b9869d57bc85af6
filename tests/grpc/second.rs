//! Rulings of chosen kinds hold when a second arbiter has ruled the same.

use zeitnot::wire::v1;

use crate::console::{Console, note, ruling, taken};
use crate::hall::Hall;
use crate::words::{WHITE, add, press, resignation, result, start, undo};

async fn chosen(hall: &Hall, rulings: &[&str]) -> Result<v1::Recorded, tonic::Status> {
    let rulings = rulings.iter().map(ToString::to_string).collect();
    hall.office().need_second(v1::NeedSecondRequest { rulings, by: "Chief".to_string(), ..Default::default() }).await.map(tonic::Response::into_inner)
}

/// What became of a ruling in somebody's name: whether it was taken.
async fn rules(console: &mut Console, name: &str, key: &str, game: u64, decision: v1::Ruling) -> bool {
    let request = v1::ConsoleRequest { arbiter: name.to_string(), ..ruling(key, game, 0, decision) };
    matches!(console.outcome(request).await.kind, Some(v1::outcome::Kind::Taken(_)))
}

#[tokio::test(start_paused = true)]
async fn a_result_waits_for_a_second_arbiter() {
    let hall = Hall::open().await;
    let game = hall.game("300", 0).await;
    let mut console = Console::attach(hall.channel()).await;
    chosen(&hall, &["result", "correct"]).await.unwrap();
    assert!(rules(&mut console, "Anna", "1", game, start()).await, "other kinds hold at once");
    assert_eq!(hall.state(game).await.phase, "running");

    assert!(rules(&mut console, "Anna", "2", game, result("1-0")).await);
    let state = hall.state(game).await;
    assert_eq!((state.score.as_str(), state.phase.as_str()), ("", "running"));
    assert!(state.proposed.contains("1-0") && state.proposed.contains("Anna"), "{}", state.proposed);
    // The same again, by the same arbiter or under the same key: nothing more.
    assert!(rules(&mut console, "Anna", "3", game, result("1-0")).await);
    assert!(rules(&mut console, "Anna", "2", game, result("1-0")).await);
    assert_eq!(hall.state(game).await.score, "");
    // Another result by the second arbiter is another proposal, and the first has to agree with that.
    assert!(rules(&mut console, "Bert", "4", game, result("0-1")).await);
    assert_eq!(hall.state(game).await.score, "");
    assert!(rules(&mut console, "Anna", "5", game, result("0-1")).await);
    let state = hall.state(game).await;
    assert_eq!((state.score.as_str(), state.proposed.as_str()), ("0-1", ""));
    let replayed = hall.log.replayed();
    assert_eq!(hall.office().digest(v1::DigestRequest {}).await.unwrap().into_inner().digest, replayed.digest().to_string());
}

#[tokio::test(start_paused = true)]
async fn a_proposal_falls_with_the_next_ruling_and_what_cannot_be_is_refused_at_once() {
    let hall = Hall::open().await;
    let game = hall.game("300", 0).await;
    let mut console = Console::attach(hall.channel()).await;
    chosen(&hall, &["add", "correct"]).await.unwrap();
    assert!(rules(&mut console, "Anna", "1", game, start()).await);
    let correct = v1::Ruling { kind: Some(v1::ruling::Kind::CorrectResult(v1::Result { score: "1-0".to_string(), reason: "misheard".to_string() })) };
    assert!(!rules(&mut console, "Anna", "2", game, correct).await, "there is no result yet");
    assert!(rules(&mut console, "Anna", "3", game, add(WHITE, 60_000)).await);
    assert!(rules(&mut console, "Bert", "4", game, crate::words::stop()).await);
    assert!(rules(&mut console, "Bert", "5", game, add(WHITE, 60_000)).await, "the first one again, of a game that stands now");
    assert!(hall.state(game).await.proposed.contains("Bert"));
    chosen(&hall, &[]).await.unwrap();
    assert!(rules(&mut console, "Bert", "6", game, add(WHITE, 60_000)).await);
    assert_eq!(crate::words::left(&hall.state(game).await)[0], 360_000);
    let status = chosen(&hall, &["start"]).await.unwrap_err();
    assert!(status.message().contains("rulings: start is none of clocks"), "{status:?}");
}

/// Whether a ruling that was taken waits for a second arbiter.
async fn waits(console: &mut Console, name: &str, key: &str, game: u64, decision: v1::Ruling) -> bool {
    let request = v1::ConsoleRequest { arbiter: name.to_string(), ..ruling(key, game, 0, decision) };
    taken(console.outcome(request).await).waits
}

fn explained(score: &str, reason: &str) -> v1::Ruling {
    v1::Ruling { kind: Some(v1::ruling::Kind::DeclareResult(v1::Result { score: score.to_string(), reason: reason.to_string() })) }
}

#[tokio::test(start_paused = true)]
async fn two_rule_the_same_each_for_a_reason_of_his_own() {
    let hall = Hall::open().await;
    let game = hall.game("300", 0).await;
    let mut console = Console::attach(hall.channel()).await;
    chosen(&hall, &["result"]).await.unwrap();
    assert!(!waits(&mut console, "Anna", "1", game, start()).await);
    assert!(waits(&mut console, "Anna", "2", game, explained("1-0", "he resigned")).await);
    assert!(waits(&mut console, "Anna", "2", game, explained("1-0", "he resigned")).await, "the same answer again");
    assert!(!waits(&mut console, "Bert", "3", game, explained("1-0", "Black told me so")).await);
    let told: Vec<String> = hall.log.entries().iter().map(ToString::to_string).collect();
    for reason in ["he resigned", "Black told me so"] {
        assert!(told.iter().any(|entry| entry.contains(reason)), "{reason}: {told:#?}");
    }
    // What two have ruled two take back.
    assert!(waits(&mut console, "Bert", "4", game, undo()).await);
    assert_eq!(hall.state(game).await.score, "1-0");
    assert!(!waits(&mut console, "Anna", "5", game, undo()).await);
    assert_eq!(hall.state(game).await.score, "");
}

#[tokio::test(start_paused = true)]
async fn a_proposal_is_of_the_game_as_it_stood() {
    let hall = Hall::open().await;
    let game = hall.game("300", 0).await;
    let mut console = Console::attach(hall.channel()).await;
    chosen(&hall, &["add", "annul"]).await.unwrap();
    assert!(!waits(&mut console, "Anna", "1", game, start()).await);
    assert!(waits(&mut console, "Anna", "2", game, add(WHITE, 60_000)).await);
    taken(console.outcome(note("3", game, press(WHITE, "e2e4"))).await);
    assert_eq!(hall.state(game).await.proposed, "");
    assert!(waits(&mut console, "Bert", "4", game, add(WHITE, 60_000)).await, "a move was made since");
    // What changes nothing of that leaves it.
    taken(console.outcome(note("5", game, crate::words::offer(WHITE))).await);
    assert!(!waits(&mut console, "Anna", "6", game, add(WHITE, 60_000)).await);
    // The end of the game does.
    let annul = || v1::Ruling { kind: Some(v1::ruling::Kind::Annul(v1::Annul { reason: "x".to_string() })) };
    assert!(waits(&mut console, "Anna", "7", game, annul()).await);
    taken(console.outcome(note("8", game, resignation(WHITE))).await);
    assert!(waits(&mut console, "Bert", "9", game, annul()).await);
    let replayed = hall.log.replayed();
    assert_eq!(hall.office().digest(v1::DigestRequest {}).await.unwrap().into_inner().digest, replayed.digest().to_string());
}
