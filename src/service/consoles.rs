//! The arbiters' consoles: a snapshot, then everything that happens; rulings and notes with their outcome.

use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Request, Response, Status, Streaming};

use super::access::Caller;
use super::follow::{Filter, Follower, Found, HEARTBEAT};
use super::{Hall, STREAM_BUFFER, status};
use crate::clock::Millis;
use crate::game::{GameId, Input as About, Seq};
use crate::venue::{Command, Input, Key, MAX_KEY, Origin, Role, Table, TournamentId, Version};
use crate::wire::{self, v1};
use v1::console_request::Kind as Asked;
use v1::console_update::Kind as Say;
use v1::consoles_server::Consoles;

/// Most boards that one follow may name.
pub(super) const MAX_BOARDS: usize = 1_000;

type Updates = mpsc::Sender<Result<v1::ConsoleUpdate, Status>>;

#[tonic::async_trait]
impl Consoles for Hall {
    type AttachStream = ReceiverStream<Result<v1::ConsoleUpdate, Status>>;
    type WatchStream = ReceiverStream<Result<v1::ConsoleUpdate, Status>>;

    async fn attach(&self, request: Request<Streaming<v1::ConsoleRequest>>) -> Result<Response<Self::AttachStream>, Status> {
        let (updates, stream) = mpsc::channel(STREAM_BUFFER);
        let caller = Caller::of(&request)?;
        let (hall, requests) = (self.clone(), request.into_inner());
        tokio::spawn(async move { Session::new(hall, caller, updates).run(Some(requests)).await });
        Ok(Response::new(ReceiverStream::new(stream)))
    }

    async fn send(&self, request: Request<v1::ConsoleRequest>) -> Result<Response<v1::ConsoleUpdate>, Status> {
        let caller = Caller::of(&request)?;
        let (key, command) = command(&caller, request.into_inner()).map_err(|e| status::malformed(&e))?;
        let outcome = match self.submit(command).await? {
            Ok(taken) => v1::outcome::Kind::Taken(v1::Taken { seq: taken.seq.0, version: taken.version.0, waits: taken.waits }),
            Err(refusal) if status::code(&refusal) == Code::Ok => v1::outcome::Kind::Refused(status::refused(&refusal)),
            Err(refusal) => return Err(status::status(&refusal)),
        };
        Ok(Response::new(v1::ConsoleUpdate { kind: Some(Say::Outcome(v1::Outcome { key, kind: Some(outcome) })) }))
    }

    async fn act(&self, request: Request<v1::HallAct>) -> Result<Response<v1::HallActAnswer>, Status> {
        let caller = Caller::of(&request)?;
        self.act_on_all(&caller, request.into_inner()).await.map(Response::new)
    }

    async fn watch(&self, request: Request<v1::ConsoleRequest>) -> Result<Response<Self::WatchStream>, Status> {
        let caller = Caller::of(&request)?;
        let Some(Asked::Follow(follow)) = request.into_inner().kind else {
            return Err(Status::invalid_argument("kind: what to follow; send rulings with Send"));
        };
        let after = Seq(follow.after);
        let filter = filter(follow).map_err(|e| status::malformed(&e))?;
        let (updates, stream) = mpsc::channel(STREAM_BUFFER);
        let mut session = Session::new(self.clone(), caller, updates);
        tokio::spawn(async move {
            match session.follow(filter, after).await {
                Ok(()) => session.run(None).await,
                Err(status) => drop(session.updates.send(Err(status)).await),
            }
        });
        Ok(Response::new(ReceiverStream::new(stream)))
    }
}

/// The name of the arbiter, which nobody need tell whose credential says it.
pub(super) fn named(caller: &Caller, name: String) -> Result<String, wire::Error> {
    if name.trim().is_empty() && matches!(caller, Caller::Anyone) { Err(wire::Error::new("arbiter", "a name is needed")) } else { Ok(name) }
}

/// A ruling or note as an input to the venue, with its key.
fn command(caller: &Caller, request: v1::ConsoleRequest) -> Result<(String, Command), wire::Error> {
    let said = asked(caller.origin(Role::Arbiter, request.arbiter.clone()), request.kind)?;
    named(caller, request.arbiter)?;
    Ok(said)
}

/// What a console asks for, as an input to the venue, with its key.
pub(crate) fn asked(origin: Origin, kind: Option<Asked>) -> Result<(String, Command), wire::Error> {
    let keyed = |key: &str| {
        if key.is_empty() || key.len() > MAX_KEY { Err(wire::Error::new("key", format!("1 to {MAX_KEY} bytes"))) } else { Ok(Key(key.to_string())) }
    };
    let about_game = |game: u64, input: About| Input::Game { game: GameId(game), input };
    let (key, seen, input) = match kind {
        Some(Asked::Ruling(v1::RulingRequest { private_key: Some(private), ruling, key, game, seen_version })) => {
            if !matches!(ruling, Some(v1::Ruling { kind: Some(v1::ruling::Kind::Open(_)) })) {
                return Err(wire::Error::new("private_key", "goes only with open"));
            }
            (key, seen_version, Input::Open { game: GameId(game), key: wire::private_key(private)? })
        }
        Some(Asked::Ruling(asked)) => {
            let ruling = wire::ruling(asked.ruling.ok_or_else(|| wire::Error::new("ruling", "is missing"))?)?;
            (asked.key, asked.seen_version, about_game(asked.game, About::Ruling(ruling)))
        }
        Some(Asked::Note(note)) => {
            let fact = wire::fact(note.fact.ok_or_else(|| wire::Error::new("fact", "is missing"))?)?;
            (note.key, 0, about_game(note.game, About::Fact(fact)))
        }
        Some(Asked::Seal(note)) => {
            let (by, written) = wire::seal(note.seal.ok_or_else(|| wire::Error::new("seal", "is missing"))?)?;
            (note.key, 0, Input::Seal { game: GameId(note.game), by, note: written })
        }
        Some(Asked::Follow(_)) | None => return Err(wire::Error::new("kind", "a ruling, a note or a move to seal")),
    };
    let command = Command { origin, key: Some(keyed(&key)?), seen: (seen > 0).then_some(Version(seen)), input };
    Ok((key, command))
}

fn filter(follow: v1::FollowHall) -> Result<Filter, wire::Error> {
    if follow.boards.len() > MAX_BOARDS {
        return Err(wire::Error::new("boards", format!("at most {MAX_BOARDS}")));
    }
    Ok(Filter {
        tournament: (follow.tournament > 0).then_some(TournamentId(follow.tournament)),
        round: (follow.round > 0).then_some(follow.round),
        boards: follow.boards,
        game: (follow.game > 0).then_some(GameId(follow.game)),
        ..Filter::default()
    })
}

impl Hall {
    /// How these games stand, with the estimated instant of each.
    pub(super) async fn states(&self, tables: Vec<Table>) -> Result<Vec<v1::GameState>, Status> {
        let hall = self.clone();
        let state = move |table: &Table| v1::GameState { lost: hall.lost(table), ..wire::game_state(table, hall.instant(table)) };
        self.write_out(move || tables.iter().map(state).collect()).await
    }

    /// The devices of a game that are not connected: what is known of it is as old as their last word.
    fn lost(&self, table: &Table) -> Vec<u64> {
        let playing = Some(&table.game).filter(|game| !game.is_finished());
        let devices = playing.into_iter().flat_map(|game| game.devices());
        devices.filter(|device| !self.devices.is_online(*device)).map(|device| device.0).collect()
    }

    /// What the timekeeper of a game shows now, as far as the daemon can tell.
    pub(super) fn instant(&self, table: &Table) -> Option<Millis> {
        let running = table.game.clock.running().map_or(shakmaty::Color::White, |running| running.color);
        match table.game.device_of(running) {
            None => Some(self.clock.hall()),
            Some(device) => self.devices.estimate(device, self.clock.since_start()).map(|estimate| estimate.at),
        }
    }
}

/// A console's connection.
struct Session {
    hall: Hall,
    caller: Caller,
    updates: Updates,
    follower: Option<Follower>,
}

impl Session {
    fn new(hall: Hall, caller: Caller, updates: Updates) -> Session {
        metrics::gauge!("zeitnot_streams", "service" => "consoles").increment(1);
        Session { hall, caller, updates, follower: None }
    }

    /// Runs until either side goes; the last thing sent is a status with the position.
    async fn run(mut self, mut requests: Option<Streaming<v1::ConsoleRequest>>) {
        let end = match self.serve(&mut requests).await {
            Ok(()) => self.ended(Code::Cancelled, "the console has closed the stream"),
            Err(status) if status.metadata().contains_key(status::POSITION) => status,
            Err(status) => self.ended(status.code(), status.message()),
        };
        // A console that has gone cannot be told.
        let _ = self.updates.send(Err(end)).await;
    }

    fn ended(&self, code: Code, why: &str) -> Status {
        status::ended(code, why, self.follower.as_ref().map_or(0, |f| f.cursor().0))
    }

    async fn serve(&mut self, requests: &mut Option<Streaming<v1::ConsoleRequest>>) -> Result<(), Status> {
        let mut changes = self.hall.devices.changes();
        loop {
            let (hall, updates) = (self.hall.clone(), self.updates.clone());
            self.catch_up().await?;
            tokio::select! {
                biased;
                () = hall.closed() => return Err(self.ended(Code::Unavailable, "the daemon is stopping")),
                () = updates.closed() => return Ok(()),
                request = received(requests) => match request? {
                    Some(request) => self.asked(request).await?,
                    None => return Ok(()),
                },
                Ok(()) = changes.changed(), if self.follower.is_some() => self.health().await?,
                () = more(&mut self.follower) => {}
                () = tokio::time::sleep(HEARTBEAT), if self.follower.is_some() => self.position().await?,
            }
        }
    }

    async fn asked(&mut self, request: v1::ConsoleRequest) -> Result<(), Status> {
        if let Some(Asked::Follow(follow)) = request.kind {
            let after = Seq(follow.after);
            return match filter(follow) {
                Ok(filter) => self.follow(filter, after).await,
                Err(e) => self.unreadable(&e).await,
            };
        }
        self.caller.turn().await;
        let (key, command) = match command(&self.caller, request) {
            Ok(command) => command,
            Err(e) => return self.unreadable(&e).await,
        };
        let kind = match self.hall.submit(command).await? {
            Ok(taken) => v1::outcome::Kind::Taken(v1::Taken { seq: taken.seq.0, version: taken.version.0, waits: taken.waits }),
            Err(refusal) => v1::outcome::Kind::Refused(status::refused(&refusal)),
        };
        self.say(Say::Outcome(v1::Outcome { key, kind: Some(kind) })).await
    }

    /// From now on the snapshot, what was there after a position if one is named, and what comes after it.
    async fn follow(&mut self, filter: Filter, after: Seq) -> Result<(), Status> {
        let hall = self.hall.clone();
        let (snapshot, tables, filter) = self
            .hall
            .ask(move |venue| {
                let filter = filter.learn(venue);
                let place = |table: &&Table| {
                    let place = &table.pairing;
                    filter.place(table.game.id, place.tournament, place.round, place.board)
                };
                let tables = venue.tables().iter().filter(place).cloned().collect();
                let devices = hall.devices.health(venue, hall.clock.since_start());
                (v1::Snapshot { position: venue.head().0, games: Vec::new(), devices }, tables, filter)
            })
            .await?;
        let snapshot = v1::Snapshot { games: self.hall.states(tables).await?, ..snapshot };
        let now = Seq(snapshot.position);
        let begin = if after == Seq(0) { now } else { after.min(now) };
        self.follower = Some(Follower::new(&self.hall, Role::Arbiter, filter, begin));
        self.say(Say::Snapshot(snapshot)).await?;
        if begin < now {
            self.catch_up().await?;
            self.position().await?;
        }
        Ok(())
    }

    async fn catch_up(&mut self) -> Result<(), Status> {
        while let Some(follower) = &mut self.follower {
            let Found::Entries(entries, position) = follower.read()? else { break };
            let last = entries.last().map_or(0, |entry| entry.seq);
            for entry in entries {
                self.say(Say::Entry(entry)).await?;
            }
            if last < position.0 {
                self.say(Say::Position(position.0)).await?;
            }
        }
        Ok(())
    }

    async fn health(&mut self) -> Result<(), Status> {
        let (devices, now) = (self.hall.devices.clone(), self.hall.clock.since_start());
        for health in self.hall.ask(move |venue| devices.health(venue, now)).await? {
            self.say(Say::Health(health)).await?;
        }
        Ok(())
    }

    async fn position(&mut self) -> Result<(), Status> {
        let position = self.follower.as_ref().map_or(0, |f| f.cursor().0);
        self.say(Say::Position(position)).await
    }

    async fn unreadable(&mut self, e: &wire::Error) -> Result<(), Status> {
        self.say(Say::Refused(v1::RequestRefused { status: Code::InvalidArgument.into(), text: e.to_string() })).await
    }

    async fn say(&mut self, kind: Say) -> Result<(), Status> {
        let position = self.follower.as_ref().map_or(0, |f| f.cursor().0);
        let gone = |_| status::ended(Code::Cancelled, "the console has gone", position);
        self.updates.send(Ok(v1::ConsoleUpdate { kind: Some(kind) })).await.map_err(gone)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        metrics::gauge!("zeitnot_streams", "service" => "consoles").decrement(1);
    }
}

async fn received(requests: &mut Option<Streaming<v1::ConsoleRequest>>) -> Result<Option<v1::ConsoleRequest>, Status> {
    match requests {
        Some(requests) => requests.message().await,
        None => std::future::pending().await,
    }
}

async fn more(follower: &mut Option<Follower>) {
    match follower {
        Some(follower) => follower.more().await,
        None => std::future::pending().await,
    }
}
