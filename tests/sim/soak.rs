//! The real daemon on sled with the clocks of five hundred boards, for two hours of their clocks' time: what it keeps in
//! memory and on disk for each entry and game is bounded, and it keeps no file open that it did not have before.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use indicatif::ProgressBar;
use zeitnot::client::Reach;
use zeitnot::fleet::plan::Plan;
use zeitnot::fleet::{Faults, Options, Source, plans, run};
use zeitnot::time::Stopwatch;
use zeitnot::wire::v1::{self, office_client::OfficeClient};

/// Boards that play at one time.
const BOARDS: usize = 500;
/// How many times faster than real their clocks run, and for how long they do.
const SPEED: f64 = 120.0;
const HOURS: f64 = 2.0;
/// What goes wrong.
const FAULTS: Faults = Faults { drop: 0.02, duplicate: 0.02, reorder: 0.02, reboot: 0.002, partition: 0.002 };
/// Most bytes of memory that an entry may cost once the hall is full, and a game.
const MEMORY: (f64, f64) = (1_024.0, 128.0 * 1_024.0);
/// Most bytes on disk for each entry, store and mirror together.
const DISK: f64 = 1_024.0;
/// How many more files may be open at the end than when the hall was first full.
const FILES: i64 = 16;

struct Daemon(Child);

impl Drop for Daemon {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What the daemon holds at one moment.
#[derive(Debug, Clone, Copy)]
struct Held {
    games: u64,
    entries: u64,
    resident: u64,
    files: i64,
    disk: u64,
}

fn size(dir: &Path) -> u64 {
    let entries = std::fs::read_dir(dir).unwrap();
    entries
        .map(|entry| entry.unwrap())
        .map(|entry| if entry.path().is_dir() { size(&entry.path()) } else { entry.metadata().map_or(0, |m| m.len()) })
        .sum()
}

async fn held(pid: u32, data: &Path, reach: &Reach, games: u64) -> Held {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let resident = line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1_024;
    let files = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count() as i64;
    let digest = OfficeClient::new(reach.connect().await.unwrap()).digest(v1::DigestRequest {}).await.unwrap().into_inner();
    Held { games, entries: digest.position, resident, files, disk: size(data) }
}

/// One game for every board, with faults and times of its own.
fn round(n: u64) -> Vec<Plan> {
    let mut round = Vec::with_capacity(BOARDS);
    for seed in 0.. {
        round.extend(plans(&Source::Demo, n * 1_000 + seed).unwrap().0);
        if round.len() >= BOARDS {
            break;
        }
    }
    round.truncate(BOARDS);
    round
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hours_of_five_hundred_boards() {
    if std::env::var_os("ZEITNOT_SOAK").is_none() {
        println!("skipped: it takes minutes; make soak runs it (ZEITNOT_SOAK=1)");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut serve = Command::new(env!("CARGO_BIN_EXE_zeitnot"));
    serve.args(["serve", "--listen", &format!("127.0.0.1:{port}"), "--data"]).arg(folder.path()).stderr(Stdio::null());
    let daemon = Daemon(serve.spawn().unwrap());
    let reach = Reach::to(&format!("http://127.0.0.1:{port}"), None).unwrap();
    while reach.connect().await.is_err() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let since = Stopwatch::start();
    let played = || since.elapsed().as_secs_f64() * SPEED / 3_600.0;
    let mut all = Vec::new();
    println!("{:>6} {:>8} {:>9} {:>12} {:>6} {:>12}", "hours", "games", "entries", "resident", "files", "disk");
    for n in 0.. {
        if played() >= HOURS && n >= 2 {
            break;
        }
        let options = Options { reach: reach.clone(), boards: BOARDS, speed: Some(SPEED), faults: FAULTS, seed: n };
        let report = run(options, round(n), ProgressBar::hidden()).await.unwrap();
        assert!(report.all_equal() && report.presses == report.presses_acked, "{report}");
        let now = held(daemon.0.id(), folder.path(), &reach, (n + 1) * BOARDS as u64).await;
        println!("{:>6.2} {:>8} {:>9} {:>12} {:>6} {:>12}", played(), now.games, now.entries, now.resident, now.files, now.disk);
        all.push(now);
    }
    // The first round fills buffers, connections and caches, which are not paid for again.
    let (first, last) = (all[0], all[all.len() - 1]);
    let grown = last.resident.saturating_sub(first.resident) as f64;
    let (by_entry, by_game) = (grown / (last.entries - first.entries) as f64, grown / (last.games - first.games) as f64);
    let on_disk = last.disk as f64 / last.entries as f64;
    println!(
        "memory: {by_entry:.0} bytes an entry, {by_game:.0} a game; disk: {on_disk:.0} bytes an entry; files: {} and {}",
        first.files, last.files
    );
    assert!(by_entry <= MEMORY.0 && by_game <= MEMORY.1, "memory grows by {by_entry} bytes an entry and {by_game} a game");
    assert!(on_disk <= DISK, "{on_disk} bytes on disk for each entry");
    assert!(last.files - first.files <= FILES, "{} files open, and {} when the hall was first full", last.files, first.files);
}
