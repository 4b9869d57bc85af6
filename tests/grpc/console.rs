//! An arbiter at a console.

use std::collections::VecDeque;

use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;
use tonic::{Status, Streaming};
use zeitnot::wire::v1::{self, console_request::Kind as Ask, console_update::Kind as Say, consoles_client::ConsolesClient, outcome};

use crate::hall::soon;

pub(crate) const ARBITER: &str = "Arbiter, Anna";

pub(crate) struct Console {
    requests: mpsc::Sender<v1::ConsoleRequest>,
    updates: Streaming<v1::ConsoleUpdate>,
    waiting: VecDeque<Say>,
    rulings: u32,
}

/// A ruling as it is asked for.
pub(crate) fn ruling(key: &str, game: u64, seen_version: u64, ruling: v1::Ruling) -> v1::ConsoleRequest {
    let asked = v1::RulingRequest { key: key.to_string(), game, seen_version, ruling: Some(ruling), private_key: None };
    v1::ConsoleRequest { arbiter: ARBITER.to_string(), kind: Some(Ask::Ruling(asked)) }
}

pub(crate) fn note(key: &str, game: u64, fact: v1::Fact) -> v1::ConsoleRequest {
    let asked = v1::NoteRequest { key: key.to_string(), game, fact: Some(fact) };
    v1::ConsoleRequest { arbiter: ARBITER.to_string(), kind: Some(Ask::Note(asked)) }
}

pub(crate) fn follow(tournament: u64, round: u32, boards: &[u32]) -> v1::ConsoleRequest {
    let asked = v1::FollowHall { tournament, round, boards: boards.to_vec(), ..v1::FollowHall::default() };
    v1::ConsoleRequest { arbiter: String::new(), kind: Some(Ask::Follow(asked)) }
}

/// What was taken; panics where something was not.
pub(crate) fn taken(outcome: v1::Outcome) -> v1::Taken {
    match outcome.kind {
        Some(outcome::Kind::Taken(taken)) => taken,
        other => panic!("not taken: {other:?}"),
    }
}

/// What was refused; panics where something was taken.
pub(crate) fn refused(outcome: v1::Outcome) -> v1::Refused {
    match outcome.kind {
        Some(outcome::Kind::Refused(refused)) => refused,
        other => panic!("not refused: {other:?}"),
    }
}

impl Console {
    pub(crate) async fn attach(channel: Channel) -> Console {
        let (requests, stream) = mpsc::channel(4_096);
        let updates = ConsolesClient::new(channel).attach(ReceiverStream::new(stream)).await.unwrap().into_inner();
        Console { requests, updates, waiting: VecDeque::new(), rulings: 0 }
    }

    pub(crate) async fn asks(&mut self, request: v1::ConsoleRequest) {
        self.requests.send(request).await.unwrap();
    }

    /// Rules under a new key and version unseen; it must be taken.
    pub(crate) async fn rules(&mut self, game: u64, decision: v1::Ruling) -> v1::Taken {
        self.rulings += 1;
        let key = format!("{game}-{}", self.rulings);
        taken(self.outcome(ruling(&key, game, 0, decision)).await)
    }

    /// A fact that is told to the arbiter; panics if it is not taken.
    pub(crate) async fn notes(&mut self, game: u64, fact: v1::Fact) -> v1::Taken {
        self.rulings += 1;
        let key = format!("note-{}", self.rulings);
        taken(self.outcome(note(&key, game, fact)).await)
    }

    /// Asks for something and waits for what became of it.
    pub(crate) async fn outcome(&mut self, request: v1::ConsoleRequest) -> v1::Outcome {
        self.asks(request).await;
        self.wait("the outcome", |say| if let Say::Outcome(outcome) = say { Some(outcome.clone()) } else { None }).await
    }

    pub(crate) async fn unreadable(&mut self, request: v1::ConsoleRequest) -> v1::RequestRefused {
        self.asks(request).await;
        self.wait("the refusal", |say| if let Say::Refused(refused) = say { Some(refused.clone()) } else { None }).await
    }

    /// Follows, and gives the snapshot.
    pub(crate) async fn follows(&mut self, tournament: u64, round: u32, boards: &[u32]) -> v1::Snapshot {
        self.asks(follow(tournament, round, boards)).await;
        self.wait("the snapshot", |say| if let Say::Snapshot(snapshot) = say { Some(snapshot.clone()) } else { None }).await
    }

    pub(crate) async fn entry(&mut self) -> v1::Entry {
        self.wait("an entry", |say| if let Say::Entry(entry) = say { Some(entry.clone()) } else { None }).await
    }

    /// The next word on a device's health that says so.
    pub(crate) async fn health(&mut self, device: u64, online: bool) -> v1::DeviceHealth {
        let pick = |say: &Say| if let Say::Health(h) = say { (h.device == device && h.online == online).then_some(*h) } else { None };
        self.wait("the health", pick).await
    }

    /// Waits until everything up to a position has been sent.
    pub(crate) async fn position(&mut self, position: u64) {
        self.wait("the position", |say| if let Say::Position(p) = say { (*p >= position).then_some(()) } else { None }).await;
    }

    async fn wait<T>(&mut self, what: &str, pick: impl Fn(&Say) -> Option<T>) -> T {
        let found = async {
            loop {
                if let Some((at, found)) = self.waiting.iter().enumerate().find_map(|(at, say)| Some((at, pick(say)?))) {
                    self.waiting.remove(at);
                    return found;
                }
                self.hear().await.unwrap();
            }
        };
        soon(what, found).await
    }

    pub(crate) async fn ended(&mut self) -> Status {
        let end = async {
            loop {
                if let Err(status) = self.hear().await {
                    return status;
                }
            }
        };
        soon("the end", end).await
    }

    /// Whether an entry has come that was not looked at.
    pub(crate) fn has_entries(&self) -> bool {
        self.waiting.iter().any(|say| matches!(say, Say::Entry(_)))
    }

    /// Takes one update in.
    pub(crate) async fn hear(&mut self) -> Result<(), Status> {
        let update = self.updates.message().await?.ok_or_else(|| Status::ok("ended"))?;
        self.waiting.extend(update.kind);
        Ok(())
    }
}
