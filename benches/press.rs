//! Press to acknowledgement over gRPC: 200 boards against an echo stream with one `fdatasync` of a preallocated file,
//! and 2,000 clocks at one press every two seconds each.
#![expect(clippy::unwrap_used, reason = "what does not go as told here is a failed measurement")]

mod measure;

use std::io::{Seek, Write};
use std::sync::Arc;
use std::time::Duration;

use hdrhistogram::Histogram;
use measure::{folder, histogram, median};
use tokio::sync::{Barrier, mpsc, oneshot, watch};
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream};
use tonic::transport::Endpoint;
use tonic::{Request, Response, Status, Streaming};
use v1::clock_order::Kind as Order;
use v1::clock_report::Kind as Say;
use v1::clocks_client::ClocksClient;
use v1::clocks_server::{Clocks, ClocksServer};
use zeitnot::daemon::Daemon;
use zeitnot::http;
use zeitnot::log::{MirrorAt, Options, SledLog};
use zeitnot::time::{HallClock, Stopwatch};
use zeitnot::wire::v1;

type Stream<T> = ReceiverStream<Result<T, Status>>;
type Waiting = mpsc::Sender<(Vec<u8>, oneshot::Sender<()>)>;

/// The base: every report is written to a preallocated file, whatever waits with one `fdatasync`, and acknowledged.
#[derive(Clone)]
struct Echo {
    waiting: Waiting,
}

impl Echo {
    fn start() -> Echo {
        let (waiting, mut inbox) = mpsc::channel::<(Vec<u8>, oneshot::Sender<()>)>(2_048);
        tokio::spawn(async move {
            let folder = folder();
            let mut file = std::fs::File::create(folder.path().join("echo")).unwrap();
            file.write_all(&vec![0; 64 << 20]).unwrap();
            file.sync_all().unwrap();
            file.rewind().unwrap();
            let mut file = Some(file);
            while let Some(first) = inbox.recv().await {
                let mut batch = vec![first];
                while let Ok(next) = inbox.try_recv() {
                    batch.push(next);
                }
                let (bodies, replies): (Vec<_>, Vec<_>) = batch.into_iter().unzip();
                let mut act = file.take().unwrap();
                let done = tokio::task::spawn_blocking(move || {
                    act.write_all(&bodies.concat()).unwrap();
                    act.sync_data().unwrap();
                    act
                });
                file = Some(done.await.unwrap());
                for reply in replies {
                    let _ = reply.send(());
                }
            }
        });
        Echo { waiting }
    }
}

#[tonic::async_trait]
impl Clocks for Echo {
    type AttachStream = Stream<v1::ClockOrder>;
    type OrdersStream = Stream<v1::ClockOrder>;

    async fn attach(&self, request: Request<Streaming<v1::ClockReport>>) -> Result<Response<Self::AttachStream>, Status> {
        let (orders, stream) = mpsc::channel(64);
        let (waiting, mut reports) = (self.waiting.clone(), request.into_inner());
        tokio::spawn(async move {
            while let Ok(Some(message)) = reports.message().await {
                let Some(Say::Report(report)) = &message.kind else { continue };
                let (boot, number) = (report.boot, report.number);
                let (reply, durable) = oneshot::channel();
                waiting.send((prost::Message::encode_to_vec(&message), reply)).await.unwrap();
                durable.await.unwrap();
                let _ = orders.send(Ok(v1::ClockOrder { acked_boot: boot, acked_report: number, kind: None })).await;
            }
        });
        Ok(Response::new(ReceiverStream::new(stream)))
    }

    async fn send(&self, _: Request<v1::ClockReport>) -> Result<Response<v1::ClockOrder>, Status> {
        Err(Status::unimplemented("only streams are measured"))
    }

    async fn orders(&self, _: Request<v1::ClockReport>) -> Result<Response<Self::OrdersStream>, Status> {
        Err(Status::unimplemented("only streams are measured"))
    }

    async fn seal(&self, _: Request<v1::SealRequest>) -> Result<Response<v1::SealAnswer>, Status> {
        Err(Status::unimplemented("only streams are measured"))
    }

    async fn play(&self, _: Request<v1::PlayRequest>) -> Result<Response<v1::PlayAnswer>, Status> {
        Err(Status::unimplemented("only streams are measured"))
    }
}

/// One clock: connects, waits until the game is started, presses by turns, and notes how long each acknowledgement takes.
async fn clock(endpoint: Endpoint, device: u64, waits_for_start: bool, (every, presses): (Duration, u32), all: Arc<Barrier>) -> Histogram<u64> {
    // Not all at the same instant.
    tokio::time::sleep(Duration::from_millis(device)).await;
    let (to, stream) = mpsc::channel(16);
    let introduction = Some(v1::Introduction { model: "bench".into(), firmware: "1".into(), ..v1::Introduction::default() });
    to.send(v1::ClockReport { device, kind: Some(Say::Hello(v1::Hello { introduction, boot: 1 })) }).await.unwrap();
    let mut from = ClocksClient::new(endpoint.connect().await.unwrap()).attach(ReceiverStream::new(stream)).await.unwrap().into_inner();
    let mut number = 0;
    let report = |number: u32, fact: v1::fact::Kind, at_ms: u64| v1::ClockReport {
        device: 0,
        kind: Some(Say::Report(v1::Report {
            boot: 1,
            number,
            previous: None,
            at_ms,
            game: device,
            kind: Some(v1::report::Kind::Fact(v1::Fact { kind: Some(fact) })),
        })),
    };
    if waits_for_start {
        let order = loop {
            if let Some(Order::Order(order)) = from.message().await.unwrap().unwrap().kind {
                break order;
            }
        };
        number += 1;
        to.send(report(number, v1::fact::Kind::Confirmation(order.order), 0)).await.unwrap();
    }
    all.wait().await;
    let mut latency = histogram();
    // The clocks do not all press at once.
    tokio::time::sleep(every.mul_f64((device % 1_000) as f64 / 1_000.0)).await;
    let mut tick = tokio::time::interval(every);
    for press in 0..presses {
        tick.tick().await;
        number += 1;
        let by = if press % 2 == 0 { v1::Color::White } else { v1::Color::Black };
        let fact = v1::fact::Kind::Press(v1::Press { by: by.into(), ..v1::Press::default() });
        let watch = Stopwatch::start();
        to.send(report(number, fact, u64::from(press) * 1_000 + 1)).await.unwrap();
        while from.message().await.unwrap().unwrap().acked_report < number {}
        latency.saturating_record(watch.elapsed().as_micros() as u64);
    }
    latency
}

async fn clocks(at: std::net::SocketAddr, boards: u64, waits_for_start: bool, every: Duration, presses: u32) -> Histogram<u64> {
    let endpoint = Endpoint::from_shared(format!("http://{at}")).unwrap().tcp_nodelay(true);
    let all = Arc::new(Barrier::new(boards as usize));
    let mut running = tokio::task::JoinSet::new();
    for device in 1..=boards {
        running.spawn(clock(endpoint.clone(), device, waits_for_start, (every, presses), all.clone()));
    }
    if waits_for_start {
        start_all(endpoint, boards).await;
    }
    let mut latency = histogram();
    while let Some(one) = running.join_next().await {
        latency += one.unwrap();
    }
    latency
}

/// The office opens a game for every device, and the arbiter starts them.
async fn start_all(endpoint: Endpoint, boards: u64) {
    let channel = endpoint.connect().await.unwrap();
    let mut office = v1::office_client::OfficeClient::new(channel.clone());
    let mut console = v1::consoles_client::ConsolesClient::new(channel);
    let regulations = Some(v1::Regulations { control: "360000+30".into(), board_unseen: true, ..v1::Regulations::default() });
    let named = v1::CreateTournamentRequest { name: "Bench".into(), regulations, ..v1::CreateTournamentRequest::default() };
    let tournament = office.create_tournament(named).await.unwrap().into_inner().id;
    office.open_round(v1::OpenRoundRequest { tournament, round: 1, ..v1::OpenRoundRequest::default() }).await.unwrap();
    while office.hall(v1::HallRequest::default()).await.unwrap().into_inner().devices.len() < boards as usize {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    for board in 1..=boards as u32 {
        let player = || Some(v1::Player { name: "?".into(), fide_id: 0 });
        let pairing = v1::Pairing { tournament, round: 1, board, white: player(), black: player(), ..v1::Pairing::default() };
        office.pair(v1::PairRequest { pairing: Some(pairing), ..v1::PairRequest::default() }).await.unwrap();
        let open = v1::OpenGameRequest { tournament, round: 1, board, device: board.into(), ..v1::OpenGameRequest::default() };
        let game = office.open_game(open).await.unwrap().into_inner().id;
        let kind = Some(v1::ruling::Kind::Start(v1::Start {}));
        let ruling = v1::RulingRequest { key: format!("start {game}"), game, seen_version: 0, ruling: Some(v1::Ruling { kind }), private_key: None };
        let request = v1::ConsoleRequest { arbiter: "bench".into(), kind: Some(v1::console_request::Kind::Ruling(ruling)) };
        console.send(request).await.unwrap();
    }
}

async fn base(boards: u64, every: Duration, presses: u32) -> Histogram<u64> {
    let listener = http::listen("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    let server = tonic::transport::Server::builder().tcp_nodelay(true).add_service(ClocksServer::new(Echo::start()));
    let served = tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
    let latency = clocks(at, boards, false, every, presses).await;
    served.abort();
    latency
}

async fn daemon(mirror: MirrorAt, boards: u64, every: Duration, presses: u32) -> Histogram<u64> {
    let folder = folder();
    let log = SledLog::open(folder.path(), &Options { mirror, ..Options::default() }).unwrap();
    let daemon = Daemon::start(Box::new(log), HallClock::start(), None, &mut |_| {}).await.unwrap();
    let listener = http::listen("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    let (_open, closing): (Arc<watch::Sender<bool>>, _) = {
        let (sender, receiver) = watch::channel(false);
        (Arc::new(sender), receiver)
    };
    let served = tokio::spawn(http::serve(listener, daemon.router.clone(), closing, None));
    let latency = clocks(at, boards, true, every, presses).await;
    daemon.stop().await;
    served.abort();
    latency
}

fn p(latency: &Histogram<u64>, share: f64) -> f64 {
    latency.value_at_quantile(share) as f64 / 1_000.0
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (every, presses) = (Duration::from_secs(2), 10);
    let rows = ["echo stream and one fdatasync", "daemon, no mirror", "daemon and mirror"];
    let mut p50 = [Vec::new(), Vec::new(), Vec::new()];
    let mut p99 = [Vec::new(), Vec::new(), Vec::new()];
    let mut ratios = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..5 {
        let round = [
            runtime.block_on(base(200, every, presses)),
            runtime.block_on(daemon(MirrorAt::Nowhere, 200, every, presses)),
            runtime.block_on(daemon(MirrorAt::Beside, 200, every, presses)),
        ];
        for (i, latency) in round.iter().enumerate() {
            p50[i].push(p(latency, 0.5));
            p99[i].push(p(latency, 0.99));
            ratios[i].push(p(latency, 0.99) / p(&round[0], 0.99));
        }
    }
    println!("| 200 boards, 100 presses/s | p50 ms | p99 ms | p99 ratio |");
    println!("| --- | --- | --- | --- |");
    for (i, row) in rows.iter().enumerate() {
        let [p50, p99, ratio] = [&p50[i], &p99[i], &ratios[i]].map(|all| median(all.clone()));
        println!("| {row} | {p50:.2} | {p99:.2} | {ratio:.2} |");
    }
    let latency = runtime.block_on(daemon(MirrorAt::Beside, 2_000, Duration::from_secs(2), 10));
    println!();
    println!("| 2,000 clocks, 1,000 presses/s, with mirror | p50 ms | p99 ms | p99.9 ms |");
    println!("| --- | --- | --- | --- |");
    println!("| press to ack | {:.2} | {:.2} | {:.2} |", p(&latency, 0.5), p(&latency, 0.99), p(&latency, 0.999));
}
