//! The real daemon as a process of its own, with its syncs or without them.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::sync::watch;
use tokio::time::sleep;
use tonic::transport::{Channel, Endpoint};

/// Whether what the daemon asks to be synced is synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syncs {
    Done,
    /// `fsync` and `fdatasync` do nothing and say that all went well: the negative control.
    Left,
}

/// For a thread and what it starts: both calls answer 0 and are not made.
const UNSYNCED: &str = r#"{ "unsynced": {
    "mismatch_action": "allow",
    "match_action": { "errno": 0 },
    "filter": [{ "syscall": "fsync" }, { "syscall": "fdatasync" }]
} }"#;

/// A daemon. Killed where it is dropped.
pub(crate) struct Served {
    process: Child,
}

impl Served {
    /// Starts one; `said` is the file that its messages go to.
    pub(crate) fn start(data: &Path, port: u16, said: &Path, zone: &str, syncs: Syncs) -> Served {
        let mut serve = Command::new(env!("CARGO_BIN_EXE_zeitnot"));
        serve.arg("serve").arg("--data").arg(data).arg("--listen").arg(format!("127.0.0.1:{port}"));
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("ZEITNOT_")) {
            serve.env_remove(name);
        }
        serve.env("TZ", zone).env("ZEITNOT_LOG_FILTER", "warn").stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(said).unwrap());
        let process = match syncs {
            Syncs::Done => serve.spawn().unwrap(),
            // A filter holds for the thread that takes it on, and for its children.
            Syncs::Left => std::thread::spawn(move || {
                let arch = std::env::consts::ARCH.try_into().unwrap();
                let filters = seccompiler::compile_from_json(UNSYNCED.as_bytes(), arch).unwrap();
                seccompiler::apply_filter(&filters["unsynced"]).unwrap();
                serve.spawn().unwrap()
            })
            .join()
            .unwrap(),
        };
        Served { process }
    }

    /// Whether it has ended, and how.
    pub(crate) fn ended(&mut self) -> Option<String> {
        self.process.try_wait().unwrap().map(|status| status.to_string())
    }

    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Lets it do nothing more; it still lives.
    pub(crate) fn freeze(&self) {
        kill_process(Pid::from_child(&self.process), Signal::STOP).unwrap();
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have been killed before.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Connects as soon as there is somebody to connect to; `None`: it is gone before.
pub(crate) async fn connect(port: u16, gone: &watch::Receiver<bool>) -> Option<Channel> {
    let endpoint = Endpoint::from_shared(format!("http://127.0.0.1:{port}")).unwrap();
    while !*gone.borrow() {
        if let Ok(channel) = endpoint.connect().await {
            return Some(channel);
        }
        sleep(Duration::from_millis(10)).await;
    }
    None
}
