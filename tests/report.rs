//! `zeitnot report` of a daemon that runs and of its log afterwards: the same record.
#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

#[path = "common/hall.rs"]
mod hall;

use hall::*;
use serde_json::Value;
use v1::fact::Kind as Fact;
use v1::ruling::Kind as Ruling;
use zeitnot::cli::exit;
use zeitnot::wire::v1;

#[tokio::test]
async fn a_daemon_and_its_log_tell_the_same() {
    let mut hall = Hall::open().await;
    let tournament = hall.tournament(laws(2023)).await;
    let game = hall.seat(tournament, 1, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0).await;
    hall.ask(ruling("start", game, Ruling::Start(v1::Start {}))).await.unwrap();
    hall.ask(note("moves", game, press(WHITE, "e2e4"))).await.unwrap();
    let more = v1::AddTime { color: WHITE, by_ms: 120_000, reason: "a noise".into() };
    hall.ask(ruling("adds", game, Ruling::AddTime(more))).await.unwrap();
    hall.ask(note("resigns", game, Fact::Resignation(BLACK))).await.unwrap();

    let (url, data) = (hall.url(), hall.data());
    let formats: [&[&str]; 3] = [&[], &["--html"], &["--json"]];
    let asked = formats.map(|format| ends(&[&["report", "1", "--server", &url], format].concat(), exit::OK));
    assert!(ends(&["report", "2", "--server", &url], exit::REFUSED).contains("there is no game 2"));
    let file = hall.path("report.html").display().to_string();
    ends(&["report", "1", "--server", &url, "--html", "--out", &file], exit::OK);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), asked[1]);
    assert!(ends(&["report", "1", "--server", &url, "--out", &file], exit::USAGE).contains("report.html"), "nothing is written over");
    hall.kill();
    let read = formats.map(|format| ends(&[&["report", "1", "--data", &data], format].concat(), exit::OK));
    assert_eq!(asked, read);
    assert!(ends(&["report", "2", "--data", &data], exit::USAGE).contains("there is no game 2"));

    let json: Value = serde_json::from_str(&read[2]).unwrap();
    assert_eq!(json["ledger"]["gained_ms"], serde_json::json!([120_000, 0]));
    assert_eq!(json["ledger"]["presses"], serde_json::json!([1, 0]));
    let adds = json["rows"].as_array().unwrap().iter().find(|row| row["reason"] == "a noise").unwrap();
    let left = |when: &str| adds[when]["left"]["white_ms"].as_u64().unwrap();
    assert_eq!(left("after") - left("before"), 120_000);
    assert!(read[0].contains("1-0 by resignation (5.1.2)"), "{}", read[0]);
}
