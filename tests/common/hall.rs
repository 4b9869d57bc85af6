//! A daemon as a process of its own, on a directory and a loopback port, and what is said to it.
#![allow(dead_code, reason = "each test needs some of it")]

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use prost::Message;
use tempfile::TempDir;
use tonic::Status;
use tonic::transport::{Channel, Endpoint};
use zeitnot::envelope::PrivateKey;
use zeitnot::time::HallClock;
use zeitnot::wire::v1::{self, clocks_client::ClocksClient, consoles_client::ConsolesClient, office_client::OfficeClient};
use zeroize::Zeroizing;

pub(crate) const WHITE: i32 = v1::Color::White as i32;
pub(crate) const BLACK: i32 = v1::Color::Black as i32;
const ARBITER: &str = "Arbiter, Anna";

/// The binary, with nothing of the environment that it would heed.
pub(crate) fn zeitnot() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeitnot"));
    for variable in ["SERVER", "LOGIN", "DATA", "MIRROR", "CONFIG", "LISTEN", "LOG_FILTER", "LOG_FORMAT", "ENVELOPE_KEY", "PASSPHRASE_FILE", "AS"] {
        command.env_remove(format!("ZEITNOT_{variable}"));
    }
    command
}

/// Runs a subcommand to its end.
pub(crate) fn run(args: &[&str]) -> Output {
    zeitnot().args(args).stdin(Stdio::null()).output().unwrap()
}

/// Runs a subcommand that has to end with that code, and gives all that it says.
pub(crate) fn ends(args: &[&str], code: u8) -> String {
    let output = run(args);
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert_eq!(output.status.code(), Some(code.into()), "{args:?}: {said}");
    said
}

/// A daemon with its directory. Killed where it is dropped.
pub(crate) struct Hall {
    pub(crate) dir: TempDir,
    process: Child,
    pub(crate) port: u16,
    pub(crate) channel: Channel,
    filter: &'static str,
}

impl Hall {
    pub(crate) async fn open() -> Hall {
        Hall::telling("warn").await
    }

    /// One that writes such messages of its own, to the file stderr.
    pub(crate) async fn telling(filter: &'static str) -> Hall {
        let dir = tempfile::tempdir().unwrap();
        for inside in ["work", "said"] {
            std::fs::create_dir(dir.path().join(inside)).unwrap();
        }
        let (process, port, channel) = started(dir.path(), filter).await;
        Hall { dir, process, port, channel, filter }
    }

    /// One on the log that lies there, which becomes its own.
    pub(crate) async fn on(data: &Path) -> Hall {
        let dir = tempfile::tempdir().unwrap();
        for inside in ["work", "said"] {
            std::fs::create_dir(dir.path().join(inside)).unwrap();
        }
        std::fs::rename(data, dir.path().join("data")).unwrap();
        let (process, port, channel) = started(dir.path(), "warn").await;
        Hall { dir, process, port, channel, filter: "warn" }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn data(&self) -> String {
        self.path("data").display().to_string()
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The daemon's process.
    pub(crate) fn id(&self) -> String {
        self.process.id().to_string()
    }

    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.gone();
    }

    /// Ends it as a shell does.
    pub(crate) fn end(&mut self) {
        rustix::process::kill_process(rustix::process::Pid::from_child(&self.process), rustix::process::Signal::TERM).unwrap();
        self.gone();
    }

    /// Waits until it is gone.
    pub(crate) fn gone(&mut self) {
        self.process.wait().unwrap();
    }

    pub(crate) async fn start(&mut self) {
        (self.process, self.port, self.channel) = started(self.dir.path(), self.filter).await;
    }

    pub(crate) fn office(&self) -> OfficeClient<Channel> {
        OfficeClient::new(self.channel.clone())
    }

    pub(crate) fn clocks(&self) -> ClocksClient<Channel> {
        ClocksClient::new(self.channel.clone())
    }

    pub(crate) fn consoles(&self) -> ConsolesClient<Channel> {
        ConsolesClient::new(self.channel.clone())
    }

    pub(crate) async fn tournament(&self, regulations: v1::Regulations) -> u64 {
        let asked = v1::CreateTournamentRequest { name: "Open".to_string(), regulations: Some(regulations), ..Default::default() };
        let tournament = self.office().create_tournament(asked).await.unwrap().into_inner().id;
        self.office().open_round(v1::OpenRoundRequest { tournament, round: 1, ..Default::default() }).await.unwrap();
        tournament
    }

    /// A game from that position, opened. Device 0: the daemon keeps the time.
    pub(crate) async fn seat(&self, tournament: u64, board: u32, fen: &str, device: u64) -> u64 {
        let player = |name: &str| Some(v1::Player { name: format!("{name}, {board}"), fide_id: 0 });
        let start = Some(v1::StartPosition { fen: fen.to_string(), ..Default::default() });
        let pairing = v1::Pairing { tournament, round: 1, board, white: player("White"), black: player("Black"), start, ..Default::default() };
        self.office().pair(v1::PairRequest { pairing: Some(pairing), ..Default::default() }).await.unwrap();
        let asked = v1::OpenGameRequest { tournament, round: 1, board, device, ..Default::default() };
        self.office().open_game(asked).await.unwrap().into_inner().id
    }

    /// A venue's key for envelopes, of which the daemon gets the public half.
    pub(crate) async fn key(&self) -> PrivateKey {
        let key = PrivateKey::new(Zeroizing::new(std::array::from_fn(|i| 3 * i as u8 + 1)));
        let asked = v1::SetEnvelopeKeyRequest { public_key: key.public().0.to_vec(), ..Default::default() };
        self.office().set_envelope_key(asked).await.unwrap();
        key
    }

    pub(crate) async fn state(&self, game: u64) -> v1::GameState {
        let asked = v1::HallRequest { game, ..Default::default() };
        self.office().hall(asked).await.unwrap().into_inner().games.remove(0)
    }

    pub(crate) async fn digest(&self) -> v1::DigestAnswer {
        self.office().digest(v1::DigestRequest {}).await.unwrap().into_inner()
    }

    /// Asks as a console does; an error is what a status or a refusal says.
    pub(crate) async fn ask(&self, request: v1::ConsoleRequest) -> Result<v1::Taken, Box<Refusal>> {
        let update = self.consoles().send(request).await.map_err(|status| Box::new(Refusal::Status(status)))?.into_inner();
        match update.kind {
            Some(v1::console_update::Kind::Outcome(v1::Outcome { kind: Some(v1::outcome::Kind::Taken(taken)), .. })) => Ok(taken),
            Some(v1::console_update::Kind::Outcome(v1::Outcome { kind: Some(v1::outcome::Kind::Refused(refused)), .. })) => {
                Err(Box::new(Refusal::Refused(refused)))
            }
            other => panic!("{other:?}"),
        }
    }

    /// The entries of the log in order, as they are stored.
    pub(crate) fn entries(&self) -> Vec<v1::Entry> {
        bodies(&ends(&["log", "export", "--data", &self.data()], 0)).iter().map(|body| v1::Entry::decode(&**body).unwrap()).collect()
    }
}

/// Why something was not taken.
#[derive(Debug)]
pub(crate) enum Refusal {
    Status(Status),
    Refused(v1::Refused),
}

impl Refusal {
    pub(crate) fn code(&self) -> &str {
        match self {
            Refusal::Status(_) => "",
            Refusal::Refused(refused) => &refused.code,
        }
    }
}

impl Drop for Hall {
    fn drop(&mut self) {
        // It may have been killed before.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Starts a daemon on the directory and waits until it answers.
async fn started(dir: &Path, filter: &str) -> (Child, u16, Channel) {
    // Free a moment ago. Should somebody have taken it since, the daemon says so and ends.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let said = |name: &str| Stdio::from(appended(&dir.join("said").join(name)));
    // Whether a core may be written is for the daemon to say, not for the shell that started it.
    let mut serve = Command::new("sh");
    serve.args(["-c", "ulimit -c unlimited 2>&-; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_zeitnot"), "serve", "--log-filter", filter]);
    serve.args(["--listen", &format!("127.0.0.1:{port}"), "--data"]).arg(dir.join("data")).current_dir(dir.join("work"));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("ZEITNOT_")) {
        serve.env_remove(name);
    }
    let mut process = serve.stdin(Stdio::null()).stdout(said("stdout")).stderr(said("stderr")).spawn().unwrap();
    let endpoint = Endpoint::from_shared(format!("http://127.0.0.1:{port}")).unwrap();
    loop {
        if let Ok(channel) = endpoint.connect().await {
            return (process, port, channel);
        }
        assert!(process.try_wait().unwrap().is_none(), "{}", std::fs::read_to_string(dir.join("said/stderr")).unwrap());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

pub(crate) fn appended(path: &Path) -> File {
    OpenOptions::new().create(true).append(true).open(path).unwrap()
}

/// The entries of an export as they are stored.
pub(crate) fn bodies(export: &str) -> Vec<Vec<u8>> {
    export.lines().map(|line| zeitnot::format::jsonl::read(line).unwrap().body).collect()
}

pub(crate) fn by_console(kind: v1::console_request::Kind) -> v1::ConsoleRequest {
    v1::ConsoleRequest { arbiter: ARBITER.to_string(), kind: Some(kind) }
}

pub(crate) fn ruling(key: &str, game: u64, kind: v1::ruling::Kind) -> v1::ConsoleRequest {
    let asked = v1::RulingRequest { key: key.to_string(), game, ruling: Some(v1::Ruling { kind: Some(kind) }), ..Default::default() };
    by_console(v1::console_request::Kind::Ruling(asked))
}

pub(crate) fn note(key: &str, game: u64, kind: v1::fact::Kind) -> v1::ConsoleRequest {
    by_console(v1::console_request::Kind::Note(v1::NoteRequest { key: key.to_string(), game, fact: Some(v1::Fact { kind: Some(kind) }) }))
}

/// Opens with the private key.
pub(crate) fn open_with(key: &str, game: u64, private: &PrivateKey) -> v1::ConsoleRequest {
    let ruling = Some(v1::Ruling { kind: Some(v1::ruling::Kind::Open(v1::Open::default())) });
    let private_key = Some(v1::PrivateKey { bytes: private.bytes().to_vec() });
    by_console(v1::console_request::Kind::Ruling(v1::RulingRequest { key: key.to_string(), game, ruling, private_key, ..Default::default() }))
}

pub(crate) fn seal_at_console(key: &str, game: u64, seal: v1::Seal) -> v1::ConsoleRequest {
    by_console(v1::console_request::Kind::Seal(v1::SealNote { key: key.to_string(), game, seal: Some(seal) }))
}

pub(crate) fn seal_at_tablet(key: &str, game: u64, seal: v1::Seal) -> v1::SealRequest {
    v1::SealRequest { key: key.to_string(), game, seal: Some(seal) }
}

/// What a player writes; every number makes another nonce.
pub(crate) fn seal(by: i32, text: &str, number: u8) -> v1::Seal {
    v1::Seal { by, note: Some(v1::Note { text: text.to_string(), nonce: nonce(number) }) }
}

pub(crate) fn nonce(number: u8) -> Vec<u8> {
    blake3::hash(&[number]).as_bytes().to_vec()
}

/// A move made, and the clock pressed.
pub(crate) fn press(by: i32, uci: &str) -> v1::fact::Kind {
    v1::fact::Kind::Press(v1::Press { by, r#move: uci.to_string(), ..Default::default() })
}

pub(crate) fn item(item: v1::envelope_item::Item) -> v1::ruling::Kind {
    v1::ruling::Kind::WriteEnvelope(v1::EnvelopeItem { item: Some(item) })
}

pub(crate) fn place(text: &str) -> v1::ruling::Kind {
    item(v1::envelope_item::Item::Place(text.to_string()))
}

pub(crate) fn resumes(at_ms: i64) -> v1::ruling::Kind {
    v1::ruling::Kind::Announce(v1::Announce { ends_ms: None, resumes_ms: Some(at_ms) })
}

/// So many milliseconds from now, by the arbiter's watch.
pub(crate) fn hence(ms: i64) -> i64 {
    HallClock::start().now().wall.0 + ms
}

/// Waits until that moment has passed.
pub(crate) async fn passed(at_ms: i64) {
    while hence(0) <= at_ms {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Waits for what must come, and not for ever.
pub(crate) async fn soon<T>(what: &str, awaited: impl Future<Output = T>) -> T {
    match tokio::time::timeout(Duration::from_secs(60), awaited).await {
        Ok(came) => came,
        Err(_) => panic!("{what} did not come"),
    }
}

/// Regulations of an edition, with an hour and a half for each.
pub(crate) fn laws(edition: u32) -> v1::Regulations {
    v1::Regulations { edition, control: "5400".to_string(), default_time_ms: Some(3_600_000), ..Default::default() }
}

/// A report of the first game.
pub(crate) fn report(boot: u32, number: u32, at_ms: u64, kind: v1::report::Kind) -> v1::Report {
    v1::Report { boot, number, previous: None, at_ms, game: 1, kind: Some(kind) }
}

pub(crate) fn from_device(device: u64, kind: v1::clock_report::Kind) -> v1::ClockReport {
    v1::ClockReport { device, kind: Some(kind) }
}

/// What a device says first.
pub(crate) fn hello(device: u64) -> v1::ClockReport {
    let introduction = Some(v1::Introduction { model: "Test clock".to_string(), ..Default::default() });
    from_device(device, v1::clock_report::Kind::Hello(v1::Hello { introduction, boot: 1 }))
}

/// Writes a file.
pub(crate) fn write(path: &Path, text: &[u8]) {
    File::create(path).and_then(|mut file| file.write_all(text)).unwrap();
}
