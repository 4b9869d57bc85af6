//! The daemon as a whole: frames on its port, and the file of its settings.

use std::panic::AssertUnwindSafe;
use std::process::{Command, Stdio};
use std::sync::Arc;

use axum::body::Body;
use axum::http::{Request, Version};
use prost::Message;
use tower::ServiceExt;
use zeitnot::audit::Audit;
use zeitnot::cli::exit;
use zeitnot::daemon::Daemon;
use zeitnot::game::Seq;
use zeitnot::log::{Log, MemoryLog, Reader};
use zeitnot::service::{Door, roles::ROUTES};
use zeitnot::time::HallClock;
use zeitnot::venue::WallTime;
use zeitnot::wire::v1::{self, clock_report, console_request};
use zeitnot::writer;

use crate::engine::{Target, says_what_is_wrong};
use crate::kept;

/// 2 May 2026, 13:00 UTC.
const MORNING: i64 = 1_777_726_800_000;

/// The clock at the second board.
const DEVICE: u64 = 7;

/// A daemon that lets everybody in.
async fn open() -> (Daemon, Arc<dyn Reader>) {
    let log = MemoryLog::new();
    let reader = log.reader();
    let door = Door { insecure: true, ..Door::default() };
    (Daemon::start_behind(door, Box::new(log), HallClock::at(WallTime(MORNING)), None, &mut |_| {}).await.unwrap(), reader)
}

/// A call with that body. What it answers: the status by HTTP, and gRPC's where that stands in the header.
async fn call(daemon: &Daemon, path: &str, body: Vec<u8>) -> (u16, Option<String>) {
    let request = Request::post(format!("http://venue{path}")).version(Version::HTTP_2);
    let request = request.header("content-type", "application/grpc").header("te", "trailers").body(Body::from(body)).unwrap();
    let answer = daemon.router.clone().oneshot(request).await.unwrap();
    let status = answer.headers().get("grpc-status").map(|value| value.to_str().unwrap().to_string());
    if let Some(message) = answer.headers().get("grpc-message") {
        says_what_is_wrong(&message.to_str().unwrap());
    }
    (answer.status().as_u16(), status)
}

fn framed(message: &[u8]) -> Vec<u8> {
    [&[0][..], &(message.len() as u32).to_be_bytes(), message].concat()
}

fn paths() -> Vec<&'static str> {
    ROUTES.iter().map(|route| route.path).filter(|path| path.starts_with("/zeitnot.") && !path.ends_with('/')).collect()
}

/// The number of a call, how it is framed, and the message.
fn seed(method: &str, message: &impl Message) -> Vec<u8> {
    let number = paths().iter().position(|path| path.ends_with(method)).unwrap_or_else(|| panic!("{method}"));
    [&[number as u8, 0][..], &message.encode_to_vec()].concat()
}

/// What the device at the board of game 2 reports, in order.
fn reports() -> Vec<v1::ClockReport> {
    let fact = |kind| v1::report::Kind::Fact(v1::Fact { kind: Some(kind) });
    let press =
        |by: v1::Color, moved: &str| fact(v1::fact::Kind::Press(v1::Press { by: by.into(), r#move: moved.to_string(), ..Default::default() }));
    let said = [
        fact(v1::fact::Kind::Confirmation(1)),
        press(v1::Color::White, "e2e4"),
        v1::report::Kind::Battery(80),
        press(v1::Color::Black, "e7e5"),
        fact(v1::fact::Kind::Offer(v1::Color::White.into())),
    ];
    let numbered = said.into_iter().zip(1..).map(|(kind, number)| {
        let report = v1::Report { boot: 1, number, at_ms: 1_000 * u64::from(number), game: 2, kind: Some(kind), previous: None };
        v1::ClockReport { device: DEVICE, kind: Some(clock_report::Kind::Report(report)) }
    });
    numbered.collect()
}

/// Requests that are good where game 1 is there, and game 2 with a device.
fn good() -> Vec<Vec<u8>> {
    let regulations = v1::Regulations { control: "300+2".to_string(), default_time_ms: Some(1_800_000), ..Default::default() };
    let player = |name: &str| Some(v1::Player { name: name.to_string(), ..Default::default() });
    let pairing = v1::Pairing { tournament: 1, round: 1, board: 1, white: player("Alpha"), black: player("Beta"), ..Default::default() };
    let tournament = v1::CreateTournamentRequest { name: "Open".to_string(), regulations: Some(regulations), ..Default::default() };
    let introduction = v1::Introduction { model: "Testuhr".to_string(), senses_board: true, ..Default::default() };
    let hello = v1::ClockReport { device: DEVICE, kind: Some(clock_report::Kind::Hello(v1::Hello { boot: 1, introduction: Some(introduction) })) };
    let at_a_board = v1::Pairing { board: 2, ..pairing.clone() };
    let start = v1::ruling::Kind::Start(v1::Start {});
    let starts = v1::RulingRequest { key: "starts".to_string(), game: 2, ruling: Some(v1::Ruling { kind: Some(start) }), ..Default::default() };
    let mut seeds = vec![
        seed("/CreateTournament", &tournament),
        seed("/OpenRound", &v1::OpenRoundRequest { tournament: 1, round: 1, ..Default::default() }),
        seed("/Pair", &v1::PairRequest { pairing: Some(pairing), ..Default::default() }),
        seed("/OpenGame", &v1::OpenGameRequest { tournament: 1, round: 1, board: 1, ..Default::default() }),
        seed("Clocks/Orders", &hello),
        seed("Clocks/Attach", &hello),
        seed("/Pair", &v1::PairRequest { pairing: Some(at_a_board), ..Default::default() }),
        seed("/OpenGame", &v1::OpenGameRequest { tournament: 1, round: 1, board: 2, device: DEVICE, ..Default::default() }),
        seed("Consoles/Send", &v1::ConsoleRequest { arbiter: "Arbiter".to_string(), kind: Some(console_request::Kind::Ruling(starts)) }),
        seed("/Replay", &v1::ReplayRequest { game: 1, ..Default::default() }),
        seed("/Pgn", &v1::PgnRequest { tournament: 1, ..Default::default() }),
        seed("/Ask", &v1::AskRequest { nodes: 50, position: Some(v1::ask_request::Position::Game(1)), ..Default::default() }),
        seed("/Follow", &v1::FollowRequest::default()),
    ];
    seeds.extend(reports().iter().map(|report| seed("Clocks/Send", report)));
    let payloads = kept::bodies().into_iter().filter_map(|body| v1::Entry::decode(body.as_slice()).ok()?.payload);
    for (n, payload) in payloads.enumerate().filter(|(n, _)| n % 5 == 0) {
        let (key, game) = (format!("key {n}"), 1);
        let kind = match payload {
            v1::entry::Payload::Ruling(ruling) => {
                console_request::Kind::Ruling(v1::RulingRequest { key, game, ruling: Some(ruling), ..Default::default() })
            }
            v1::entry::Payload::Fact(fact) => console_request::Kind::Note(v1::NoteRequest { key, game, fact: Some(fact) }),
            _ => continue,
        };
        seeds.push(seed("Consoles/Send", &v1::ConsoleRequest { arbiter: "Arbiter".to_string(), kind: Some(kind) }));
    }
    seeds
}

/// Whatever is sent to whichever call: it is answered, the daemon goes on, and its log is one that replays and audits.
#[test]
fn a_frame() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (daemon, reader) = runtime.block_on(open());
    let paths = paths();
    let everything = AssertUnwindSafe((&runtime, &daemon));
    let words = &["\x00\x00\x00\x00\x00", "\x01", "\x00\x00\x04\x00\x01", "\x08\x01", "\x12\x04open", "\u{ff}"];
    Target::of("frame", good()).of_messages(2).with_words(words).with_inputs(300).holds(|bytes| {
        let Some(([number, frame], message)) = bytes.split_first_chunk() else { return };
        // Mostly as a frame has to be.
        let body = if frame.is_multiple_of(4) { framed(message) } else { message.to_vec() };
        let path = paths[usize::from(*number) % paths.len()];
        let (runtime, daemon) = *everything;
        runtime.block_on(async {
            let (status, _) = call(daemon, path, body).await;
            assert_eq!(status, 200, "{path}");
            let (status, grpc) = call(daemon, "/zeitnot.v1.Office/Digest", framed(&[])).await;
            assert_eq!((status, grpc.as_deref().unwrap_or("0")), (200, "0"), "after {path}");
        });
    });
    let mut audit = Audit::default();
    let (mut entries, mut reported) = (0, 0);
    writer::each_entry(&*reader, Seq(0), None, &mut |entry| {
        entries += 1;
        reported += usize::from(entry.origin.as_ref().and_then(|origin| origin.stamp).is_some_and(|stamp| stamp.device.0 == DEVICE));
        audit.entry(entry);
    })
    .unwrap();
    let audited = audit.finish();
    assert!(audited.differences.is_empty(), "{:#?}", audited.differences);
    assert!(entries > 20, "{entries} entries: hardly a request was taken");
    assert!(reported >= reports().len(), "{reported} reports of the device were taken");
    runtime.block_on(daemon.stop());
}

/// A file of settings is right, or what is wrong in it is told with the file: the daemon says so and never falls over.
#[test]
fn settings() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("zeitnot.toml");
    let example = include_str!("../../deploy/zeitnot.toml");
    let all: String = example.lines().map(|line| line.strip_prefix("#: ").unwrap_or(line).to_string() + "\n").collect();
    let seeds = vec![example.as_bytes().to_vec(), all.into_bytes(), b"listen = 7\npublic = 1\n".to_vec(), b"[data]\nx = [1]\n".to_vec()];
    let words = &["=", "\"", "\n", "[", "]", "{", "}", "#", "'''", "\u{0}", "data", "listen", "public", "log_filter", "1e999", "2026-05-02", "none"];
    Target::of("settings", seeds).with_words(words).with_inputs(20).holds(|bytes| {
        std::fs::write(&path, bytes).unwrap();
        // A log can be in no such place, so that it ends there if not before.
        let mut daemon = Command::new(env!("CARGO_BIN_EXE_zeitnot"));
        daemon.args(["serve", "--data", "/dev/null/log", "--mirror", "/dev/null/mirror", "--config"]).arg(&path);
        let output = daemon.env_clear().stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let code = output.status.code();
        assert!(code == Some(exit::USAGE.into()) || code == Some(exit::DAMAGED.into()), "{code:?}: {said}");
        assert!(!said.trim().is_empty() && !said.contains("panicked"), "{said}");
        let place = ["zeitnot.toml", "cert", "public", "log_filter"];
        assert!(code != Some(exit::USAGE.into()) || place.iter().any(|word| said.contains(word)), "{said}");
    });
}
