//! A backup of a daemon that runs, and the rehearsal of what it is for: another daemon goes on from it.
#![expect(clippy::unwrap_used, reason = "what does not go as told here is a failed test")]

#[path = "common/hall.rs"]
mod hall;

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use hall::*;
use serde_json::Value;
use tokio::sync::watch;
use v1::ruling::Kind as Ruling;
use zeitnot::wire::v1;

const ARRAY: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn more_time() -> Ruling {
    Ruling::AddTime(v1::AddTime { color: WHITE, by_ms: 1_000, reason: String::new() })
}

/// Runs a subcommand to its end, while the daemon it may speak to goes on.
async fn said(args: &[&str], code: u8) -> String {
    let args: Vec<String> = args.iter().map(ToString::to_string).collect();
    tokio::task::spawn_blocking(move || ends(&args.iter().map(String::as_str).collect::<Vec<_>>(), code)).await.unwrap()
}

async fn json(args: &[&str]) -> Value {
    serde_json::from_str(&said(args, 0).await).unwrap()
}

/// A game that has begun, and an arbiter who goes on ruling on it.
struct Day {
    hall: Hall,
    game: u64,
    ruled: watch::Receiver<u32>,
    arbiter: tokio::task::JoinHandle<()>,
}

impl Day {
    async fn begins() -> Day {
        let hall = Hall::open().await;
        let tournament = hall.tournament(laws(2023)).await;
        let game = hall.seat(tournament, 1, ARRAY, 0).await;
        hall.ask(ruling("start", game, Ruling::Start(v1::Start {}))).await.unwrap();
        let (tell, ruled) = watch::channel(0);
        let mut consoles = hall.consoles();
        let arbiter = tokio::spawn(async move {
            for n in 1.. {
                let answer = consoles.send(ruling(&format!("more {n}"), game, more_time())).await;
                if answer.is_err() || tell.send(n).is_err() {
                    return;
                }
            }
        });
        Day { hall, game, ruled, arbiter }
    }

    /// Waits until so many more rulings are there.
    async fn goes_on(&mut self, more: u32) {
        let until = *self.ruled.borrow() + more;
        soon("a ruling", self.ruled.wait_for(|ruled| *ruled >= until)).await.unwrap();
    }

    async fn plays(&self, by: i32, uci: &str) {
        self.hall.ask(note(uci, self.game, press(by, uci))).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rehearsal() {
    let mut day = Day::begins().await;
    let place = tempfile::tempdir().unwrap();
    let backup = place.path().join("backup").display().to_string();
    let url = day.hall.url();
    day.plays(WHITE, "e2e4").await;
    day.goes_on(40).await;
    let first = json(&["backup", &backup, "--server", &url, "--json"]).await;
    day.plays(BLACK, "e7e5").await;
    day.goes_on(40).await;
    let second = json(&["backup", &backup, "--server", &url, "--json"]).await;
    day.goes_on(10).await;
    let first_ruling = day.hall.ask(ruling("more 1", day.game, more_time())).await.unwrap();
    day.hall.kill();
    day.arbiter.await.unwrap();

    let [entries, before] = [&second, &first].map(|backup| backup["entries"].as_u64().unwrap());
    assert_eq!(first["added"], first["entries"]);
    assert!(before >= 40 && entries >= before + 40, "{first} {second}");
    assert_eq!(second["added"].as_u64().unwrap(), entries - before, "what was there was not copied again");
    let data = day.hall.data();
    // Where nobody answers nothing is made.
    let nothing = place.path().join("nothing").display().to_string();
    said(&["backup", &nothing, "--server", "http://127.0.0.1:1"], 69).await;
    assert!(!Path::new(&nothing).exists());
    for backup in [&first, &second] {
        let until = backup["entries"].to_string();
        assert_eq!(json(&["replay", "--data", &data, "--until", &until, "--json"]).await["head"], backup["head"]);
    }
    let verified = json(&["verify", "--data", &backup, "--json"]).await;
    let then = json(&["replay", "--data", &data, "--until", &entries.to_string(), "--json"]).await;
    assert_eq!([&verified["head"], &verified["digest"], &verified["mirror"]["head"]], [&then["head"], &then["digest"], &then["head"]]);

    // The machine has burnt down: another daemon goes on, and answers as the first one did.
    let restored = Hall::on(Path::new(&backup)).await;
    assert_eq!(restored.state(day.game).await.moves.len(), 2);
    assert_eq!(restored.ask(ruling("more 1", day.game, more_time())).await.unwrap(), first_ruling);
    restored.ask(ruling("again", day.game, Ruling::Resume(v1::Resume::default()))).await.unwrap();
    restored.ask(note("g1f3", day.game, press(WHITE, "g1f3"))).await.unwrap();
    assert_eq!(restored.state(day.game).await.moves.len(), 3);
    let of_restored = place.path().join("of restored").display().to_string();
    let third = json(&["backup", &of_restored, "--server", &restored.url(), "--json"]).await;
    assert_eq!(third["head"], restored.digest().await.head);

    // By now these are two logs, and neither is taken for a backup of the other.
    day.hall.start().await;
    let refused = said(&["backup", &of_restored, "--server", &day.hall.url()], 3).await;
    assert!(refused.contains("is no backup of this log") && refused.contains("another directory"), "{refused}");
    assert_eq!(json(&["verify", "--data", &of_restored, "--json"]).await["head"], third["head"], "it was left as it was");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_that_was_killed_is_gone_on_with() {
    let mut day = Day::begins().await;
    let place = tempfile::tempdir().unwrap();
    let backup = place.path().join("backup").display().to_string();
    for round in 0..8 {
        day.goes_on(20).await;
        let mut copying =
            zeitnot().args(["backup", &backup, "--server", &day.hall.url()]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        tokio::time::sleep(Duration::from_millis(20 * round)).await;
        copying.kill().unwrap();
        copying.wait().unwrap();
    }
    let whole = json(&["backup", &backup, "--server", &day.hall.url(), "--json"]).await;
    assert_eq!(json(&["verify", "--data", &backup, "--json"]).await["head"], whole["head"]);
    day.hall.kill();
    day.arbiter.await.unwrap();
    let until = whole["entries"].to_string();
    assert_eq!(json(&["replay", "--data", &day.hall.data(), "--until", &until, "--json"]).await["head"], whole["head"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_place_for_a_backup_is_left_alone() {
    let hall = Hall::open().await;
    let place = tempfile::tempdir().unwrap();
    let [strange, none] = ["strange", "none"].map(|name| place.path().join(name));
    std::fs::create_dir(&strange).unwrap();
    std::fs::write(strange.join("letter"), "dear").unwrap();
    let [strange, nowhere] = [strange, none.clone()].map(|path| path.display().to_string());
    let told = said(&["backup", &strange, "--server", &hall.url()], 2).await;
    assert!(told.contains("holds something else than a log"), "{told}");
    assert_eq!(std::fs::read_dir(&strange).unwrap().count(), 1);
    let told = said(&["backup", &nowhere, "--server", "http://127.0.0.1:1"], 69).await;
    assert!(told.contains("no daemon answers") && !none.exists(), "{told}");
    let told = said(&["backup", &hall.data(), "--server", &hall.url()], 74).await;
    assert!(told.contains("another zeitnot has"), "{told}");
    // Longer than the log it is said to be of.
    said(&["backup", &nowhere, "--server", &hall.url()], 0).await;
    let young = Hall::open().await;
    hall.tournament(laws(2023)).await;
    said(&["backup", &nowhere, "--server", &hall.url()], 0).await;
    let told = said(&["backup", &nowhere, "--server", &young.url()], 3).await;
    assert!(told.contains("is no backup of this log"), "{told}");
}

/// A daemon with TLS and logins. Killed where it is dropped.
struct Closed(Child);

impl Drop for Closed {
    fn drop(&mut self) {
        // It may have ended before.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_auditors_and_chief_arbiters_copy_the_log() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name).display().to_string();
    let (data, chief) = (at("data"), at("chief.login"));
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (listen, server) = (format!("127.0.0.1:{port}"), format!("https://127.0.0.1:{port}"));
    said(&["venue", "init", "--data", &data, "--server", &listen, "--out", &chief], 0).await;
    let serving = zeitnot().args(["serve", "--data", &data, "--listen", &listen]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let _serving = Closed(serving);
    soon("the daemon", async {
        while tokio::net::TcpStream::connect(&listen).await.is_err() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    let ca = format!("{data}/tls/ca.pem");
    for (whom, code) in [("auditor", 0), ("feed", 3), ("arbiter", 3)] {
        let invited = json(&["venue", "invite", whom, whom, "--login", &chief, "--json"]).await;
        let login = at(&format!("{whom}.login"));
        said(&["login", &server, invited["code"].as_str().unwrap(), "--ca", &ca, "--out", &login], 0).await;
        let told = said(&["backup", &at(&format!("by {whom}")), "--login", &login], code).await;
        if code == 0 {
            let copied: Value = serde_json::from_str(&said(&["verify", "--data", &at("by auditor"), "--json"], 0).await).unwrap();
            assert!(told.contains(copied["head"].as_str().unwrap()), "{told}");
        } else {
            assert!(told.contains(whom), "{told}");
        }
    }
    said(&["backup", &at("by chief"), "--login", &chief], 0).await;
}
