//! The same day twice gives the same log, byte for byte: nothing enters but the inputs and the clock.
#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use std::time::Duration;

use hyper_util::rt::TokioIo;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tonic::transport::{Channel, Endpoint};
use zeitnot::daemon::Daemon;
use zeitnot::log::{Chain, MemoryLog};
use zeitnot::time::HallClock;
use zeitnot::venue::WallTime;
use zeitnot::wire::v1::{self, clocks_client::ClocksClient, consoles_client::ConsolesClient, office_client::OfficeClient};

const BOARDS: u32 = 4;
const STEPS: u32 = 400;

/// A hall that a seed plays, one step after the other: half of the boards have a device, the daemon times the others.
struct Day {
    dice: ChaCha8Rng,
    clocks: ClocksClient<Channel>,
    consoles: ConsolesClient<Channel>,
    /// By board: the last report, the device's time, who is on move.
    boards: Vec<(u32, u64, i32)>,
    keys: u32,
    taken: u32,
}

fn channel(daemon: &Daemon) -> Channel {
    let (router, closing) = (daemon.router.clone(), daemon.closing.clone());
    Endpoint::from_static("http://hall").connect_with_connector_lazy(tower::service_fn(move |_| {
        let (near, far) = tokio::io::duplex(64 * 1024);
        tokio::spawn(zeitnot::http::serve_connection(far, router.clone(), closing.clone()));
        async move { Ok::<_, std::io::Error>(TokioIo::new(near)) }
    }))
}

/// The device of a board, 0 where the daemon keeps the time.
fn device(board: u32) -> u64 {
    if board.is_multiple_of(2) { board.into() } else { 0 }
}

async fn set_up(channel: &Channel) {
    let mut office = OfficeClient::new(channel.clone());
    let regulations = Some(v1::Regulations { control: "60+1".to_string(), board_unseen: true, ..Default::default() });
    let asked = v1::CreateTournamentRequest { name: "Open".to_string(), regulations, ..Default::default() };
    let tournament = office.create_tournament(asked).await.unwrap().into_inner().id;
    office.open_round(v1::OpenRoundRequest { tournament, round: 1, ..Default::default() }).await.unwrap();
    for board in 1..=BOARDS {
        let player = |name: &str| Some(v1::Player { name: format!("{name} {board}"), fide_id: 0 });
        let pairing = Some(v1::Pairing { tournament, round: 1, board, white: player("White"), black: player("Black"), ..Default::default() });
        office.pair(v1::PairRequest { pairing, ..Default::default() }).await.unwrap();
        if device(board) > 0 {
            let introduction = Some(v1::Introduction { model: "Scripted".to_string(), ..Default::default() });
            let kind = Some(v1::clock_report::Kind::Hello(v1::Hello { introduction, boot: 1 }));
            ClocksClient::new(channel.clone()).orders(v1::ClockReport { device: board.into(), kind }).await.unwrap();
        }
        let asked = v1::OpenGameRequest { tournament, round: 1, board, device: device(board), ..Default::default() };
        office.open_game(asked).await.unwrap();
    }
}

impl Day {
    async fn step(&mut self) {
        let board = self.dice.random_range(1..=BOARDS);
        match self.dice.random_range(0..10) {
            0 => self.rules(board, v1::ruling::Kind::Start(v1::Start {})).await,
            1 => self.rules(board, v1::ruling::Kind::Stop(v1::Stop::default())).await,
            2 => self.rules(board, v1::ruling::Kind::Resume(v1::Resume {})).await,
            3 => {
                let color = self.dice.random_range(1..=2);
                let by_ms = self.dice.random_range(-3_000..9_000);
                self.rules(board, v1::ruling::Kind::AddTime(v1::AddTime { color, by_ms, reason: String::new() })).await;
            }
            4 => {
                let order = self.dice.random_range(1..30);
                self.happens(board, v1::fact::Kind::Confirmation(order)).await;
            }
            _ => {
                let by = self.boards[board as usize - 1].2;
                let press = v1::Press { by, ..Default::default() };
                self.happens(board, v1::fact::Kind::Press(press)).await;
                self.boards[board as usize - 1].2 = 3 - by;
            }
        }
        // Never at the instant at which the daemon looks at its clocks.
        let pause = self.dice.random_range(1..30) * 100;
        tokio::time::sleep(Duration::from_millis(pause)).await;
        self.boards.iter_mut().for_each(|(_, now, _)| *now += pause);
    }

    async fn rules(&mut self, board: u32, kind: v1::ruling::Kind) {
        let ruling = v1::RulingRequest {
            game: board.into(),
            ruling: Some(v1::Ruling { kind: Some(kind) }),
            key: self.key(),
            seen_version: 0,
            private_key: None,
        };
        self.asks(v1::console_request::Kind::Ruling(ruling)).await;
    }

    /// By the board's device, or told to the arbiter.
    async fn happens(&mut self, board: u32, kind: v1::fact::Kind) {
        let fact = v1::Fact { kind: Some(kind) };
        if device(board) == 0 {
            let note = v1::NoteRequest { game: board.into(), fact: Some(fact), key: self.key() };
            return self.asks(v1::console_request::Kind::Note(note)).await;
        }
        let (number, at_ms, _) = self.boards[board as usize - 1];
        let report = v1::Report { boot: 1, number: number + 1, previous: None, at_ms, game: board.into(), kind: Some(v1::report::Kind::Fact(fact)) };
        let kind = Some(v1::clock_report::Kind::Report(report));
        if self.clocks.send(v1::ClockReport { device: board.into(), kind }).await.is_ok() {
            self.boards[board as usize - 1].0 += 1;
            self.taken += 1;
        }
    }

    async fn asks(&mut self, kind: v1::console_request::Kind) {
        let request = v1::ConsoleRequest { arbiter: "Scripted".to_string(), kind: Some(kind) };
        let answer = self.consoles.send(request).await.map(|answer| answer.into_inner().kind);
        if let Ok(Some(v1::console_update::Kind::Outcome(v1::Outcome { kind: Some(v1::outcome::Kind::Taken(_)), .. }))) = answer {
            self.taken += 1;
        }
    }

    fn key(&mut self) -> String {
        self.keys += 1;
        self.keys.to_string()
    }
}

/// Plays a day and gives what its log comes to, and how many inputs were taken.
async fn day(seed: u64) -> (u64, Chain, u32) {
    let clock = HallClock::at(WallTime(1_700_000_000_000));
    let daemon = Daemon::start(Box::new(MemoryLog::new()), clock, None, &mut |_| {}).await.unwrap();
    let channel = channel(&daemon);
    tokio::time::sleep(Duration::from_millis(50)).await;
    set_up(&channel).await;
    let mut day = Day {
        dice: ChaCha8Rng::seed_from_u64(seed),
        clocks: ClocksClient::new(channel.clone()),
        consoles: ConsolesClient::new(channel),
        boards: vec![(0, 0, 1); BOARDS as usize],
        keys: 0,
        taken: 0,
    };
    for _ in 0..STEPS {
        day.step().await;
    }
    daemon.stop().await;
    let head = daemon.hall.head();
    (head.seq.0, head.chain, day.taken)
}

#[tokio::test(start_paused = true)]
async fn a_seed_gives_one_log() {
    let first = day(1).await;
    assert!(first.2 > STEPS / 3, "{first:?}: too little was taken to show anything");
    assert_eq!(day(1).await, first);
    assert_eq!(day(1).await, first);
    assert_ne!(day(2).await.1, first.1);
}
