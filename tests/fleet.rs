//! The fleet against a real daemon: real sockets, real sled on disk, faults, and the daemon killed in the middle.
#![expect(clippy::unwrap_used, reason = "what does not go as told here is a failed test")]

use std::net::TcpListener as Port;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use indicatif::ProgressBar;
use zeitnot::client::Reach;
use zeitnot::fleet::{Faults, Options, Report, Source, plans, run};

/// A daemon process, ended when dropped.
struct Daemon {
    process: Child,
    data: PathBuf,
    port: u16,
}

impl Daemon {
    fn start(data: &Path) -> Daemon {
        // Free a moment ago; the daemon says so if it has been taken since.
        let port = Port::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        Daemon { process: Daemon::spawn(data, port), data: data.to_path_buf(), port }
    }

    fn spawn(data: &Path, port: u16) -> Child {
        let listen = format!("127.0.0.1:{port}");
        let mut command = Command::new(env!("CARGO_BIN_EXE_zeitnot"));
        command.args(["serve", "--listen", &listen, "--data"]).arg(data);
        command.stderr(Stdio::null()).spawn().unwrap()
    }

    fn kill_and_restart(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        self.process = Daemon::spawn(&self.data, self.port);
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

async fn play(daemon: &Daemon, source: Source, faults: Faults, seed: u64) -> Report {
    let (plans, mut report) = plans(&source, seed).unwrap();
    assert!(!plans.is_empty());
    let options = Options { reach: Reach::to(&format!("http://127.0.0.1:{}", daemon.port), None).unwrap(), boards: 32, speed: None, faults, seed };
    for _ in 0..100 {
        if std::net::TcpStream::connect(("127.0.0.1", daemon.port)).is_ok() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    report.add(run(options, plans, ProgressBar::hidden()).await.unwrap());
    report
}

fn as_the_files_say(report: &Report) {
    assert!(report.all_equal(), "{report}");
    assert_eq!(report.presses, report.presses_acked, "{report}");
}

const FAULTS: Faults = Faults { drop: 0.05, duplicate: 0.05, reorder: 0.05, reboot: 0.02, partition: 0.01 };

#[tokio::test(flavor = "multi_thread")]
async fn the_demo_ends_as_its_file_says() {
    let folder = tempfile::tempdir().unwrap();
    let daemon = Daemon::start(folder.path());
    let report = play(&daemon, Source::Demo, Faults::default(), 1).await;
    as_the_files_say(&report);
    assert_eq!(report.clocks_set + report.results_ruled + report.corrections, 0, "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_change_no_result() {
    let folder = tempfile::tempdir().unwrap();
    let daemon = Daemon::start(folder.path());
    for seed in 1..=5 {
        let report = play(&daemon, Source::Demo, FAULTS, seed).await;
        as_the_files_say(&report);
        assert!(report.reboots > 0 && report.dropped > 0 && report.partitions > 0, "{report}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn real_games_survive_faults_and_kills() {
    let shared = std::env::var_os("ZEITNOT_SHARED").map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let corpus = shared.join("corpus/pgn");
    if !corpus.is_dir() {
        println!("skipped: {} is not there (ZEITNOT_SHARED names its folder)", corpus.display());
        return;
    }
    let files = ["pychess/chess960rwch.pgn", "python-chess", "disservin-chess-library", "pgn-reader/lichess_db_100k.pgn", "chess.js"];
    let folder = tempfile::tempdir().unwrap();
    let mut daemon = Daemon::start(folder.path());
    let playing = Source::Files(files.map(|file| corpus.join(file)).to_vec());
    let port = daemon.port;
    let killer = tokio::task::spawn_blocking(move || {
        for _ in 0..3 {
            std::thread::sleep(Duration::from_millis(1_500));
            daemon.kill_and_restart();
        }
        daemon
    });
    let watched = Daemon { process: Command::new("true").spawn().unwrap(), data: PathBuf::new(), port };
    let report = play(&watched, playing, FAULTS, 9).await;
    as_the_files_say(&report);
    assert!(report.games > 80 && report.connections > 96, "{report}");
    drop(killer.await.unwrap());
}
