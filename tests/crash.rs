//! Kill -9 under load, again and again: what was acknowledged is in the log, once, in order, and nothing else happens.
#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use std::collections::{BTreeMap, VecDeque};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, sleep_until};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::{Channel, Endpoint};
use zeitnot::game::Seq;
use zeitnot::log::{Log, Options, SledLog};
use zeitnot::wire::v1::{self, clocks_client::ClocksClient, consoles_client::ConsolesClient, office_client::OfficeClient};
use zeitnot::writer;

const SEED: u64 = 7;
const CYCLES: u32 = 50;
const BOARDS: u32 = 8;
/// Reports that a clock makes before it waits for an acknowledgement.
const AHEAD: usize = 5;
/// The game that no device times; arbiters rule on it.
const RULED: u64 = BOARDS as u64 + 1;

/// A daemon as a process of its own. Killed where it is dropped.
struct Served(Child);

impl Served {
    fn start(data: &Path, port: u16, cycle: u32) -> Served {
        // BH-22: where the daemon runs makes no difference to what the log says.
        let zone = ["UTC", "Pacific/Kiritimati", "America/St_Johns"][cycle as usize % 3];
        let mut serve = Command::new(env!("CARGO_BIN_EXE_zeitnot"));
        serve.arg("serve").arg("--data").arg(data).arg("--listen").arg(format!("127.0.0.1:{port}"));
        Served(serve.env("TZ", zone).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have been killed before.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Connects as soon as there is somebody to connect to; `None`: it was killed before.
async fn connect(port: u16, killed: &watch::Receiver<bool>) -> Option<Channel> {
    let endpoint = Endpoint::from_shared(format!("http://127.0.0.1:{port}")).unwrap();
    while !*killed.borrow() {
        if let Ok(channel) = endpoint.connect().await {
            return Some(channel);
        }
        sleep(Duration::from_millis(5)).await;
    }
    None
}

fn hello(device: u64) -> v1::ClockReport {
    let introduction = Some(v1::Introduction { model: "Crash".to_string(), ..Default::default() });
    v1::ClockReport { device, kind: Some(v1::clock_report::Kind::Hello(v1::Hello { introduction, boot: 1 })) }
}

/// A clock that lives through it all: the reports it keeps, and the last one that it need not keep.
struct Clock {
    device: u64,
    made: u32,
    held: VecDeque<v1::Report>,
    acked: u32,
    again: u32,
    dice: ChaCha8Rng,
}

impl Clock {
    fn new(device: u64) -> Clock {
        Clock { device, made: 1, held: VecDeque::new(), acked: 1, again: 0, dice: ChaCha8Rng::seed_from_u64(SEED + device) }
    }

    /// A press of whoever is on move, a hundredth of a second after the one before.
    fn press(&mut self) -> v1::Report {
        self.made += 1;
        self.again(self.made)
    }

    /// The report of that number, as it always was.
    fn again(&self, number: u32) -> v1::Report {
        let press = v1::Press { by: if number.is_multiple_of(2) { 1 } else { 2 }, ..Default::default() };
        let kind = Some(v1::report::Kind::Fact(v1::Fact { kind: Some(v1::fact::Kind::Press(press)) }));
        v1::Report { boot: 1, number, previous: None, at_ms: u64::from(number) * 10, kind }
    }

    /// Plays until the daemon is gone.
    async fn play(mut self, port: u16, killed: watch::Receiver<bool>) -> Clock {
        if let Some(channel) = connect(port, &killed).await {
            // It ends when the connection does.
            let _ = self.session(channel).await;
        }
        self
    }

    async fn session(&mut self, channel: Channel) -> Result<(), tonic::Status> {
        let (reports, stream) = mpsc::channel(1_024);
        let say = async |report| {
            // Nobody there any more: the stream ends too.
            let _ = reports.send(v1::ClockReport { device: 0, kind: Some(v1::clock_report::Kind::Report(report)) }).await;
        };
        let _ = reports.send(hello(self.device)).await;
        let mut orders = ClocksClient::new(channel).attach(ReceiverStream::new(stream)).await?.into_inner();
        let first = orders.message().await?.ok_or_else(|| tonic::Status::ok("ended"))?;
        assert!(first.acked_report >= self.acked, "device {}: report {} was acknowledged, {} are there", self.device, self.acked, first.acked_report);
        // The last one that was acknowledged once more, then what is held.
        if self.acked > 1 {
            say(self.again(self.acked)).await;
            self.again += 1;
        }
        for report in self.held.clone() {
            say(report).await;
        }
        let mut next = Instant::now();
        loop {
            tokio::select! {
                order = orders.message() => self.hears(order?.ok_or_else(|| tonic::Status::ok("ended"))?),
                () = sleep_until(next), if self.held.len() < AHEAD => {
                    let report = self.press();
                    self.held.push_back(report.clone());
                    say(report).await;
                    next = Instant::now() + Duration::from_millis(self.dice.random_range(0..20));
                }
            }
        }
    }

    fn hears(&mut self, order: v1::ClockOrder) {
        if let Some(v1::clock_order::Kind::Refused(refused)) = order.kind {
            panic!("device {}: {refused:?}", self.device);
        }
        self.acked = self.acked.max(order.acked_report);
        while self.held.front().is_some_and(|report| report.number <= self.acked) {
            self.held.pop_front();
        }
    }
}

fn ruling(key: &str, kind: v1::ruling::Kind, game: u64) -> v1::ConsoleRequest {
    let ruling = v1::RulingRequest { key: key.to_string(), game, seen_version: 0, ruling: Some(v1::Ruling { kind: Some(kind) }), private_key: None };
    v1::ConsoleRequest { arbiter: "Crash".to_string(), kind: Some(v1::console_request::Kind::Ruling(ruling)) }
}

fn more_time(key: &str) -> v1::ConsoleRequest {
    ruling(key, v1::ruling::Kind::AddTime(v1::AddTime { color: 1, by_ms: 1_000, reason: String::new() }), RULED)
}

async fn outcome(consoles: &mut ConsolesClient<Channel>, request: v1::ConsoleRequest) -> Result<v1::Taken, tonic::Status> {
    match consoles.send(request).await?.into_inner().kind {
        Some(v1::console_update::Kind::Outcome(v1::Outcome { kind: Some(v1::outcome::Kind::Taken(taken)), .. })) => Ok(taken),
        other => panic!("{other:?}"),
    }
}

/// Rules until the daemon is gone; gives what was answered.
async fn rule(cycle: u32, port: u16, killed: watch::Receiver<bool>) -> Vec<(String, v1::Taken)> {
    let mut answered = Vec::new();
    let Some(channel) = connect(port, &killed).await else { return answered };
    let mut consoles = ConsolesClient::new(channel);
    for n in 0.. {
        let key = format!("{cycle}-{n}");
        match outcome(&mut consoles, more_time(&key)).await {
            Ok(taken) => answered.push((key, taken)),
            Err(_) => break,
        }
        sleep(Duration::from_millis(15)).await;
    }
    answered
}

/// A game at every board, all of them running by their first report.
async fn set_up(channel: Channel) {
    let (mut office, mut clocks, mut consoles) =
        (OfficeClient::new(channel.clone()), ClocksClient::new(channel.clone()), ConsolesClient::new(channel));
    let regulations = Some(v1::Regulations { control: "36000".to_string(), board_unseen: true, ..Default::default() });
    let asked = v1::CreateTournamentRequest { name: "Crash".to_string(), regulations, ..Default::default() };
    let tournament = office.create_tournament(asked).await.unwrap().into_inner().id;
    office.open_round(v1::OpenRoundRequest { tournament, round: 1, ..Default::default() }).await.unwrap();
    for board in 1..=BOARDS + 1 {
        let player = |name: &str| Some(v1::Player { name: format!("{name} {board}"), fide_id: 0 });
        let pairing = Some(v1::Pairing { tournament, round: 1, board, white: player("White"), black: player("Black"), ..Default::default() });
        office.pair(v1::PairRequest { pairing, ..Default::default() }).await.unwrap();
        let device = if board > BOARDS { 0 } else { u64::from(board) };
        if device > 0 {
            clocks.orders(hello(device)).await.unwrap();
        }
        let asked = v1::OpenGameRequest { tournament, round: 1, board, device, ..Default::default() };
        let game = office.open_game(asked).await.unwrap().into_inner().id;
        if device > 0 {
            outcome(&mut consoles, ruling(&format!("start {game}"), v1::ruling::Kind::Start(v1::Start {}), game)).await.unwrap();
            let fact = v1::Fact { kind: Some(v1::fact::Kind::Confirmation(1)) };
            let report = v1::Report { boot: 1, number: 1, previous: None, at_ms: 10, kind: Some(v1::report::Kind::Fact(fact)) };
            clocks.send(v1::ClockReport { device, kind: Some(v1::clock_report::Kind::Report(report)) }).await.unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_survives_kill_9() {
    let began = Instant::now();
    let data = tempfile::tempdir().unwrap();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut dice = ChaCha8Rng::seed_from_u64(SEED);
    let (alive, never) = watch::channel(false);

    let mut daemon = Served::start(data.path(), port, 0);
    set_up(connect(port, &never).await.unwrap()).await;
    daemon.kill();
    let mut clocks: Vec<Clock> = (1..=BOARDS).map(|board| Clock::new(board.into())).collect();
    let mut rulings: BTreeMap<String, v1::Taken> = BTreeMap::new();
    for cycle in 1..=CYCLES {
        let mut daemon = Served::start(data.path(), port, cycle);
        let (kill, killed) = watch::channel(false);
        let playing: Vec<_> = clocks.drain(..).map(|clock| tokio::spawn(clock.play(port, killed.clone()))).collect();
        let ruling = tokio::spawn(rule(cycle, port, killed.clone()));
        if !dice.random_bool(0.2) {
            // Else it may be killed while it starts.
            connect(port, &killed).await;
        }
        sleep(Duration::from_millis(dice.random_range(0..400))).await;
        daemon.kill();
        kill.send_replace(true);
        for clock in playing {
            clocks.push(clock.await.unwrap());
        }
        rulings.extend(ruling.await.unwrap());
    }
    drop(alive);

    let daemon = Served::start(data.path(), port, CYCLES + 1);
    let channel = connect(port, &never).await.unwrap();
    let mut consoles = ConsolesClient::new(channel.clone());
    for (key, first) in &rulings {
        assert_eq!(outcome(&mut consoles, more_time(key)).await.unwrap(), *first, "the first outcome, for ever");
    }
    let said = OfficeClient::new(channel).digest(v1::DigestRequest {}).await.unwrap().into_inner();
    drop(daemon);

    let log = SledLog::open(data.path(), &Options::default()).unwrap();
    let venue = writer::replay(&*log.reader(), None, &mut |_| {}).unwrap();
    assert_eq!((said.position, &said.digest, &said.head), (venue.head().0, &venue.digest().to_string(), &log.tip().to_string()));
    assert_eq!(zeitnot::log::verify(&*log.reader()).unwrap().head, log.tip());

    let mut reports: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    let mut keys = Vec::new();
    writer::each_entry(&*log.reader(), Seq(0), None, &mut |entry| {
        if let Some(stamp) = entry.origin.and_then(|origin| origin.stamp).filter(|stamp| stamp.device.0 > 0) {
            reports.entry(stamp.device.0).or_default().push(stamp.report);
        }
        keys.extend(entry.key);
    })
    .unwrap();
    let mut acked = 0;
    for clock in &clocks {
        let there = &reports[&clock.device];
        assert!(there.iter().copied().eq(1..=u32::try_from(there.len()).unwrap()), "device {}: every report once and in order", clock.device);
        assert!(clock.acked as usize <= there.len() && there.len() <= clock.made as usize);
        acked += clock.acked;
    }
    let all = keys.len();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), all, "every key once");
    println!(
        "{CYCLES} kills in {:.1} s: {acked} reports and {} rulings acknowledged, {} sent again, {} entries, none lost, none doubled",
        began.elapsed().as_secs_f64(),
        rulings.len(),
        clocks.iter().map(|clock| clock.again).sum::<u32>(),
        said.position
    );
}
