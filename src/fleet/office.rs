//! The fleet's office: one tournament, its rounds, a pairing and a game for every plan.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};
use tonic::{Code, Status};

use super::Error;
use super::plan::Plan;
use crate::client::Line;
use crate::wire::{self, v1};
use v1::office_client::OfficeClient;

/// Name recorded with what the fleet's office does.
const NAME: &str = "fleet";

/// The office's connection, its tournament, and keys that make every call safe to repeat.
#[derive(Debug)]
pub(super) struct Office {
    client: OfficeClient<Line>,
    tournament: u64,
}

/// How calls are tried again while the daemon is away: up to about two minutes.
pub(super) fn patience() -> ExponentialBuilder {
    ExponentialBuilder::default().with_min_delay(Duration::from_millis(50)).with_max_delay(Duration::from_secs(1)).with_max_times(130).with_jitter()
}

/// Whether a call may succeed when it is tried again.
pub(super) fn is_away(status: &Status) -> bool {
    matches!(status.code(), Code::Unavailable | Code::Unknown | Code::Cancelled | Code::DeadlineExceeded | Code::Internal)
}

impl Office {
    /// Creates a tournament with so many rounds.
    pub(super) async fn open(line: Line, rounds: usize, seed: u64) -> Result<Office, Error> {
        let client = OfficeClient::new(line);
        let taken = client.clone().hall(v1::HallRequest { tournament: u64::MAX, ..v1::HallRequest::default() }).await;
        let taken: Vec<String> = taken.map_err(refused("the hall"))?.into_inner().tournaments.into_iter().map(|t| t.name).collect();
        let name = (1..).map(|n| format!("Fleet {seed} No. {n}")).find(|name| !taken.contains(name)).unwrap_or_default();
        let regulations = v1::Regulations { control: super::plan::DEFAULT_CONTROL.to_string(), ..v1::Regulations::default() };
        let request = v1::CreateTournamentRequest { name, regulations: Some(regulations), by: NAME.to_string(), ..Default::default() };
        let tournament = client.clone().create_tournament(request).await.map_err(refused("a tournament"))?.into_inner().id;
        let office = Office { client, tournament };
        for round in 1..=rounds {
            let request = v1::OpenRoundRequest { key: office.key("round", round), tournament, round: round as u32, by: NAME.to_string() };
            office
                .call("a round", |mut client| {
                    let request = request.clone();
                    async move { client.open_round(request).await }
                })
                .await?;
        }
        Ok(office)
    }

    pub(super) fn tournament(&self) -> u64 {
        self.tournament
    }

    pub(super) fn games(&self, queue: &Mutex<VecDeque<(usize, Plan)>>) -> usize {
        queue.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn key(&self, what: &str, n: usize) -> String {
        format!("fleet-{}-{what}-{n}", self.tournament)
    }

    /// Pairs the players of a plan and opens their game, with a device at the board.
    pub(super) async fn game(&self, (index, plan): (usize, &Plan), (round, board): (u32, u32), device: u64) -> Result<u64, Error> {
        let player = |tag: &str| {
            let name = plan.tags.get(tag).unwrap_or("?");
            let plain: String = name.chars().filter(|c| !c.is_control()).collect();
            let cut = plain.char_indices().map(|(i, c)| i + c.len_utf8()).take_while(|end| *end <= crate::venue::MAX_NAME).last().unwrap_or(0);
            let name = if plain.trim().is_empty() { "?".to_string() } else { plain[..cut].to_string() };
            Some(v1::Player { name, fide_id: 0 })
        };
        let start = if plan.start.is_standard() {
            None
        } else {
            Some(v1::StartPosition { fen: plan.start.to_fen(), chess960: plan.start.number, seed: plan.start.seed })
        };
        let pairing = v1::Pairing {
            tournament: self.tournament,
            round,
            board,
            white: player("White"),
            black: player("Black"),
            start,
            regulations: Some(wire::encode_regulations(&plan.regulations)),
        };
        let pair = v1::PairRequest { key: self.key("pair", index), pairing: Some(pairing), by: NAME.to_string() };
        self.call("a pairing", |mut client| {
            let pair = pair.clone();
            async move { client.pair(pair).await }
        })
        .await?;
        let open = v1::OpenGameRequest {
            key: self.key("game", index),
            tournament: self.tournament,
            round,
            board,
            device,
            by: NAME.to_string(),
            ..v1::OpenGameRequest::default()
        };
        let opened = self
            .call("a game", |mut client| {
                let open = open.clone();
                async move { client.open_game(open).await }
            })
            .await?;
        Ok(opened.id)
    }

    /// Takes a device away from a game that is not over.
    pub(super) async fn release(&self, device: u64, game: u64) -> Result<(), Error> {
        let key = format!("fleet-{}-release-{game}", self.tournament);
        let request = v1::AssignDeviceRequest { key, device, by: NAME.to_string(), ..v1::AssignDeviceRequest::default() };
        self.call("a device taken away", |mut client| {
            let request = request.clone();
            async move { client.assign_device(request).await }
        })
        .await
        .map(|_| ())
    }

    /// The state of a game.
    pub(super) async fn state(&self, game: u64) -> Result<v1::GameState, Error> {
        let request = v1::HallRequest { game, tournament: 0, round: 0 };
        let hall = self.call("a game's state", |mut client| async move { client.hall(request).await }).await?;
        hall.games.into_iter().next().ok_or_else(|| Error::Refused { what: "a game's state".to_string(), why: "it is not there".to_string() })
    }

    async fn call<T, F, R>(&self, what: &str, call: F) -> Result<T, Error>
    where
        F: Fn(OfficeClient<Line>) -> R,
        R: Future<Output = Result<tonic::Response<T>, Status>>,
    {
        let answer = (|| call(self.client.clone())).retry(patience()).when(is_away).await;
        answer.map(tonic::Response::into_inner).map_err(refused(what))
    }
}

fn refused(what: &str) -> impl Fn(Status) -> Error {
    let what = what.to_string();
    move |status| Error::Refused { what: what.clone(), why: format!("{}: {}", status.code(), status.message()) }
}
