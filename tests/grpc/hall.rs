//! A hall in memory: a daemon, pipes to it in place of a network, and an office that fills it.

use std::sync::Mutex;
use std::time::Duration;

use hyper_util::rt::TokioIo;
use tokio::io::{DuplexStream, duplex};
use tonic::transport::{Channel, Endpoint};
use tower::service_fn;
use zeitnot::daemon::Daemon;
use zeitnot::http;
use zeitnot::time::HallClock;
use zeitnot::venue::WallTime;
use zeitnot::wire::v1::{self, clocks_client::ClocksClient, consoles_client::ConsolesClient, feeds_client::FeedsClient, office_client::OfficeClient};

use crate::ledger::Ledger;
use crate::line::{Line, PIPE};
use crate::words::{control, player};

pub(crate) struct Hall {
    pub(crate) daemon: Daemon,
    pub(crate) log: Ledger,
}

impl Hall {
    pub(crate) async fn open() -> Hall {
        Hall::on(Ledger::default()).await
    }

    pub(crate) async fn on(log: Ledger) -> Hall {
        Hall::by(HallClock::start(), log).await
    }

    /// At another time of day.
    pub(crate) async fn at(log: Ledger, wall: WallTime) -> Hall {
        Hall::by(HallClock::at(wall), log).await
    }

    async fn by(clock: HallClock, log: Ledger) -> Hall {
        let daemon = Daemon::start(Box::new(log.clone()), clock, None, &mut |_| {}).await.unwrap();
        Hall { daemon, log }
    }

    /// Stops the daemon and starts another one on the same log.
    pub(crate) async fn restart(self) -> Hall {
        Hall::on(self.stop().await).await
    }

    pub(crate) async fn stop(self) -> Ledger {
        self.daemon.stop().await;
        self.log
    }

    /// One end of a new connection.
    pub(crate) fn pipe(&self) -> DuplexStream {
        let (near, far) = duplex(PIPE);
        self.serve(far);
        near
    }

    fn serve(&self, far: DuplexStream) {
        tokio::spawn(http::serve_connection(far, self.daemon.router.clone(), self.daemon.closing.clone()));
    }

    pub(crate) fn channel(&self) -> Channel {
        over(self.pipe())
    }

    /// A connection over a line that can be slow or broken.
    pub(crate) fn line(&self) -> (Channel, Line) {
        let (line, near, far) = Line::lay();
        self.serve(far);
        (over(near), line)
    }

    pub(crate) fn clocks(&self) -> ClocksClient<Channel> {
        ClocksClient::new(self.channel())
    }

    pub(crate) fn consoles(&self) -> ConsolesClient<Channel> {
        ConsolesClient::new(self.channel())
    }

    pub(crate) fn feeds(&self) -> FeedsClient<Channel> {
        FeedsClient::new(self.channel())
    }

    pub(crate) fn office(&self) -> OfficeClient<Channel> {
        OfficeClient::new(self.channel())
    }

    /// A tournament with its first round.
    pub(crate) async fn tournament(&self, name: &str, regulations: v1::Regulations) -> u64 {
        let mut office = self.office();
        let asked = v1::CreateTournamentRequest { name: name.to_string(), regulations: Some(regulations), ..Default::default() };
        let tournament = office.create_tournament(asked).await.unwrap().into_inner().id;
        office.open_round(v1::OpenRoundRequest { tournament, round: 1, ..Default::default() }).await.unwrap();
        tournament
    }

    /// A pairing in the first round, its game open. Device 0: the daemon keeps the time.
    pub(crate) async fn seat(&self, tournament: u64, board: u32, device: u64, clocks: Option<v1::Times>) -> u64 {
        let mut office = self.office();
        let (white, black) = (player(&format!("White, {board}")), player(&format!("Black, {board}")));
        let pairing = v1::Pairing { tournament, round: 1, board, white, black, ..Default::default() };
        office.pair(v1::PairRequest { pairing: Some(pairing), ..Default::default() }).await.unwrap();
        let asked = v1::OpenGameRequest { tournament, round: 1, board, device, clocks, ..Default::default() };
        office.open_game(asked).await.unwrap().into_inner().id
    }

    /// A tournament of that control with one game at board 1.
    pub(crate) async fn game(&self, regulations: &str, device: u64) -> u64 {
        let tournament = self.tournament("Open", control(regulations)).await;
        self.seat(tournament, 1, device, None).await
    }

    pub(crate) async fn state(&self, game: u64) -> v1::GameState {
        let asked = v1::HallRequest { game, ..Default::default() };
        self.office().hall(asked).await.unwrap().into_inner().games.remove(0)
    }

    pub(crate) async fn devices(&self) -> Vec<v1::DeviceHealth> {
        self.office().hall(v1::HallRequest::default()).await.unwrap().into_inner().devices
    }
}

/// A channel over a pipe. It cannot connect again.
fn over(pipe: DuplexStream) -> Channel {
    let pipe = Mutex::new(Some(TokioIo::new(pipe)));
    Endpoint::from_static("http://hall").connect_with_connector_lazy(service_fn(move |_| {
        let pipe = pipe.lock().unwrap().take().ok_or_else(|| std::io::Error::from(std::io::ErrorKind::ConnectionRefused));
        async move { pipe }
    }))
}

/// Lets so much time pass.
pub(crate) async fn pass(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
}

/// Waits for what must come, in virtual time.
pub(crate) async fn soon<T>(what: &str, awaited: impl Future<Output = T>) -> T {
    match tokio::time::timeout(Duration::from_secs(30), awaited).await {
        Ok(came) => came,
        Err(_) => panic!("{what} did not come"),
    }
}

/// Lets everybody who can go on do so; no time passes.
pub(crate) async fn settle() {
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
}
