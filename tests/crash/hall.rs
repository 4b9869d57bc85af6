//! What plays while the daemon dies: boards with clocks, an arbiter at one more, and what each of them was told.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tonic::transport::Channel;
use zeitnot::wire::v1::{self, clocks_client::ClocksClient, consoles_client::ConsolesClient, office_client::OfficeClient};

use crate::clock::{Clock, hello};
use crate::daemon::connect;

/// Time for each press of the whole hall, so that a large hall is no faster than a small one.
const PRESS: Duration = Duration::from_millis(1);

/// Everybody in the hall, and what was acknowledged.
pub(crate) struct Players {
    pub(crate) clocks: Vec<Clock>,
    /// Outcomes of rulings, by their key.
    pub(crate) rulings: BTreeMap<String, v1::Taken>,
    boards: u32,
}

/// Everybody in the hall while they play.
pub(crate) struct Playing {
    clocks: Vec<JoinHandle<Clock>>,
    rulings: JoinHandle<Vec<(String, v1::Taken)>>,
    before: Players,
}

impl Players {
    /// A game at every board, all of them running by the first report of their clocks, and one more that an arbiter rules on.
    pub(crate) async fn seated(boards: u32, seed: u64, channel: Channel) -> Players {
        let (mut office, mut clocks, mut consoles) =
            (OfficeClient::new(channel.clone()), ClocksClient::new(channel.clone()), ConsolesClient::new(channel));
        let regulations = Some(v1::Regulations { control: "36000".to_string(), board_unseen: true, ..Default::default() });
        let asked = v1::CreateTournamentRequest { name: "Crash".to_string(), regulations, ..Default::default() };
        let tournament = office.create_tournament(asked).await.unwrap().into_inner().id;
        office.open_round(v1::OpenRoundRequest { tournament, round: 1, ..Default::default() }).await.unwrap();
        for board in 1..=boards + 1 {
            let player = |name: &str| Some(v1::Player { name: format!("{name} {board}"), fide_id: 0 });
            let pairing = Some(v1::Pairing { tournament, round: 1, board, white: player("White"), black: player("Black"), ..Default::default() });
            office.pair(v1::PairRequest { pairing, ..Default::default() }).await.unwrap();
            let device = if board > boards { 0 } else { u64::from(board) };
            if device > 0 {
                clocks.orders(hello(device)).await.unwrap();
            }
            let asked = v1::OpenGameRequest { tournament, round: 1, board, device, ..Default::default() };
            let game = office.open_game(asked).await.unwrap().into_inner().id;
            if device > 0 {
                outcome(&mut consoles, ruling(&format!("start {game}"), v1::ruling::Kind::Start(v1::Start {}), game)).await.unwrap();
                let fact = v1::Fact { kind: Some(v1::fact::Kind::Confirmation(1)) };
                let report = v1::Report { boot: 1, number: 1, previous: None, at_ms: 10, game: device, kind: Some(v1::report::Kind::Fact(fact)) };
                clocks.send(v1::ClockReport { device, kind: Some(v1::clock_report::Kind::Report(report)) }).await.unwrap();
            }
        }
        let clocks = (1..=boards).map(|board| Clock::new(board.into(), PRESS * boards, seed)).collect();
        Players { clocks, rulings: BTreeMap::new(), boards }
    }

    /// The game that no device times; arbiters rule on it.
    fn ruled(&self) -> u64 {
        u64::from(self.boards) + 1
    }

    /// They play until the daemon is gone, and name what they send after the round.
    pub(crate) fn play(mut self, round: u32, port: u16, gone: &watch::Receiver<bool>) -> Playing {
        let clocks = self.clocks.drain(..).map(|clock| tokio::spawn(clock.play(port, gone.clone()))).collect();
        let rulings = tokio::spawn(rule(round, self.ruled(), port, gone.clone()));
        Playing { clocks, rulings, before: self }
    }

    /// Asks for every outcome again: it has to be the first one, for ever.
    pub(crate) async fn ask_again(&self, channel: Channel) {
        let mut consoles = ConsolesClient::new(channel);
        for (key, first) in &self.rulings {
            assert_eq!(outcome(&mut consoles, more_time(key, self.ruled())).await.unwrap(), *first, "ruling {key}");
        }
    }
}

impl Playing {
    /// Waits until all of them have seen that the daemon is gone.
    pub(crate) async fn over(mut self) -> Players {
        for clock in self.clocks {
            self.before.clocks.push(clock.await.unwrap());
        }
        self.before.rulings.extend(self.rulings.await.unwrap());
        self.before
    }
}

fn ruling(key: &str, kind: v1::ruling::Kind, game: u64) -> v1::ConsoleRequest {
    let ruling = v1::RulingRequest { key: key.to_string(), game, seen_version: 0, ruling: Some(v1::Ruling { kind: Some(kind) }), private_key: None };
    v1::ConsoleRequest { arbiter: "Crash".to_string(), kind: Some(v1::console_request::Kind::Ruling(ruling)) }
}

fn more_time(key: &str, game: u64) -> v1::ConsoleRequest {
    ruling(key, v1::ruling::Kind::AddTime(v1::AddTime { color: 1, by_ms: 1_000, reason: String::new() }), game)
}

async fn outcome(consoles: &mut ConsolesClient<Channel>, request: v1::ConsoleRequest) -> Result<v1::Taken, tonic::Status> {
    match consoles.send(request).await?.into_inner().kind {
        Some(v1::console_update::Kind::Outcome(v1::Outcome { kind: Some(v1::outcome::Kind::Taken(taken)), .. })) => Ok(taken),
        other => panic!("{other:?}"),
    }
}

/// Rules until the daemon is gone; gives what was answered.
async fn rule(round: u32, game: u64, port: u16, gone: watch::Receiver<bool>) -> Vec<(String, v1::Taken)> {
    let mut answered = Vec::new();
    let Some(channel) = connect(port, &gone).await else { return answered };
    let mut consoles = ConsolesClient::new(channel);
    for n in 0.. {
        let key = format!("{round}-{n}");
        match outcome(&mut consoles, more_time(&key, game)).await {
            Ok(taken) => answered.push((key, taken)),
            Err(_) => break,
        }
        sleep(Duration::from_millis(15)).await;
    }
    answered
}
