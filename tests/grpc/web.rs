//! One port for everything: gRPC-Web from browsers over HTTP/1.1, health, reflection, metrics.

use prost::Message;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::{ServerReflectionRequest, server_reflection_request, server_reflection_response};
use zeitnot::wire::v1;

use crate::clock::{hello, introduction};
use crate::console::{Console, follow, ruling};
use crate::hall::{Hall, soon};
use crate::words::start;

/// Asks as a browser does, over a connection of its own.
async fn asks(hall: &Hall, method: &str, message: &impl Message) -> Answer {
    let mut pipe = hall.pipe();
    let body = message.encode_to_vec();
    let head = format!(
        "POST /zeitnot.v1.{method} HTTP/1.1\r\nhost: hall\r\ncontent-type: application/grpc-web+proto\r\nx-grpc-web: 1\r\ncontent-length: {}\r\n\r\n",
        body.len() + 5
    );
    let mut request = head.into_bytes();
    request.push(0);
    request.extend(u32::try_from(body.len()).unwrap().to_be_bytes());
    request.extend(body);
    pipe.write_all(&request).await.unwrap();
    let mut answer = Answer { pipe, read: Vec::new(), body: Vec::new() };
    let head = answer.until(b"\r\n\r\n").await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(head.contains("content-type: application/grpc-web+proto"), "{head}");
    answer
}

/// An answer in the course of being read, out of its chunks.
struct Answer {
    pipe: DuplexStream,
    read: Vec<u8>,
    body: Vec<u8>,
}

impl Answer {
    async fn more(&mut self) {
        let mut bytes = [0; 4096];
        let n = soon("an answer", self.pipe.read(&mut bytes)).await.unwrap();
        assert!(n > 0, "the connection was closed");
        self.read.extend(&bytes[..n]);
    }

    async fn until(&mut self, mark: &[u8]) -> String {
        loop {
            if let Some(at) = self.read.windows(mark.len()).position(|w| w == mark) {
                let text = self.read.drain(..at + mark.len()).collect();
                return String::from_utf8(text).unwrap();
            }
            self.more().await;
        }
    }

    async fn chunk(&mut self) {
        let size = usize::from_str_radix(self.until(b"\r\n").await.trim(), 16).unwrap();
        while self.read.len() < size + 2 {
            self.more().await;
        }
        self.body.extend(self.read.drain(..size));
        self.read.drain(..2);
    }

    /// The next frame: its flag, which is 128 for trailers, and what it holds.
    async fn frame(&mut self) -> (u8, Vec<u8>) {
        loop {
            if let [flag, a, b, c, d, rest @ ..] = &*self.body {
                let size = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
                if rest.len() >= size {
                    let frame = (*flag, rest[..size].to_vec());
                    self.body.drain(..5 + size);
                    return frame;
                }
            }
            self.chunk().await;
        }
    }

    async fn message<M: Message + Default>(&mut self) -> M {
        let (flag, bytes) = self.frame().await;
        assert_eq!(flag, 0);
        M::decode(&*bytes).unwrap()
    }

    async fn trailers(&mut self) -> String {
        let (flag, bytes) = self.frame().await;
        assert_eq!(flag, 128);
        String::from_utf8(bytes).unwrap()
    }
}

#[tokio::test(start_paused = true)]
async fn a_browser_rules() {
    let hall = Hall::open().await;
    let game = hall.game("300", 0).await;
    let mut answer = asks(&hall, "Consoles/Send", &ruling("k", game, 0, start())).await;
    let update: v1::ConsoleUpdate = answer.message().await;
    let Some(v1::console_update::Kind::Outcome(outcome)) = update.kind else { panic!("{update:?}") };
    assert!(matches!(outcome.kind, Some(v1::outcome::Kind::Taken(_))), "{outcome:?}");
    assert!(answer.trailers().await.contains("grpc-status:0"));
    assert_eq!(hall.state(game).await.phase, "running");
}

#[tokio::test(start_paused = true)]
async fn a_browser_watches_the_hall() {
    let hall = Hall::open().await;
    let game = hall.game("300", 0).await;
    let mut answer = asks(&hall, "Consoles/Watch", &follow(0, 0, &[])).await;
    let first: v1::ConsoleUpdate = answer.message().await;
    assert!(matches!(first.kind, Some(v1::console_update::Kind::Snapshot(_))), "{first:?}");
    let ruled = Console::attach(hall.channel()).await.rules(game, start()).await;
    let next: v1::ConsoleUpdate = answer.message().await;
    assert!(matches!(&next.kind, Some(v1::console_update::Kind::Entry(entry)) if entry.seq == ruled.seq), "{next:?}");
}

#[tokio::test(start_paused = true)]
async fn a_browser_is_a_clock() {
    let hall = Hall::open().await;
    let mut answer = asks(&hall, "Clocks/Orders", &hello(7, 1, introduction())).await;
    let first: v1::ClockOrder = answer.message().await;
    assert!(matches!(first.kind, Some(v1::clock_order::Kind::Assignment(v1::Assignment { game: 0, .. }))), "{first:?}");
    let game = hall.game("300", 7).await;
    loop {
        let order: v1::ClockOrder = answer.message().await;
        if let Some(v1::clock_order::Kind::Assignment(assignment)) = order.kind {
            assert_eq!(assignment.game, game);
            return;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn services_tell_their_health_and_themselves() {
    let hall = Hall::open().await;
    let mut health = HealthClient::new(hall.channel());
    for service in ["zeitnot.v1.Clocks", "zeitnot.v1.Consoles", "zeitnot.v1.Feeds", "zeitnot.v1.Office", ""] {
        let answer = health.check(HealthCheckRequest { service: service.to_string() }).await.unwrap().into_inner();
        assert_eq!(answer.status(), ServingStatus::Serving, "{service}");
    }
    let message_request = Some(server_reflection_request::MessageRequest::ListServices(String::new()));
    let asked = ServerReflectionRequest { host: String::new(), message_request };
    let mut stream = ServerReflectionClient::new(hall.channel()).server_reflection_info(tokio_stream::once(asked)).await.unwrap().into_inner();
    let answer = stream.message().await.unwrap().unwrap().message_response;
    let Some(server_reflection_response::MessageResponse::ListServicesResponse(list)) = answer else { panic!("{answer:?}") };
    let names: Vec<_> = list.service.iter().map(|s| s.name.as_str()).collect();
    for name in ["zeitnot.v1.Clocks", "zeitnot.v1.Consoles", "zeitnot.v1.Feeds", "zeitnot.v1.Office", "grpc.health.v1.Health"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn other_paths_are_answered_in_words() {
    let hall = Hall::open().await;
    for (path, status, says) in [("/metrics", "200", "content-type: text/plain"), ("/", "404", "zeitnot speaks gRPC")] {
        let mut pipe = hall.pipe();
        pipe.write_all(format!("GET {path} HTTP/1.1\r\nhost: hall\r\nconnection: close\r\n\r\n").as_bytes()).await.unwrap();
        let mut text = String::new();
        soon("the page", pipe.read_to_string(&mut text)).await.unwrap();
        assert!(text.starts_with(&format!("HTTP/1.1 {status}")) && text.contains(says), "{text}");
    }
}
