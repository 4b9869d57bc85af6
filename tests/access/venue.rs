//! A venue that asks everybody who he is, in memory, with a credential of every role.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::io::duplex;
use tonic::transport::Endpoint;
use tower::{ServiceExt, service_fn};
use zeitnot::client::{Line, Reach};
use zeitnot::clock::Millis;
use zeitnot::daemon::Daemon;
use zeitnot::http;
use zeitnot::log::{Log, MemoryLog, Reader};
use zeitnot::service::{Door, roles::Who};
use zeitnot::time::HallClock;
use zeitnot::venue::secrets::{Code, Token};
use zeitnot::venue::{Command, CredentialId, Grant, Input, Invitation, Origin, WallTime};
use zeitnot::wire::v1::{self, access_client::AccessClient, clocks_client::ClocksClient, consoles_client::ConsolesClient};
use zeitnot::wire::v1::{feeds_client::FeedsClient, office_client::OfficeClient};
use zeitnot::writer::Writer;

/// The morning of every test.
pub(crate) const MORNING: i64 = 1_790_000_000_000;
/// The clock's own device; device 8 is another one's.
pub(crate) const DEVICE: u64 = 7;

pub(crate) struct Venue {
    pub(crate) daemon: Daemon,
    pub(crate) reader: Arc<dyn Reader>,
    pub(crate) tokens: BTreeMap<Who, String>,
    /// The games at boards 1 and 2.
    pub(crate) games: [u64; 2],
}

/// A log with the first chief arbiter in it, and the token.
fn founded(clock: HallClock) -> (MemoryLog, String) {
    let mut log = MemoryLog::new();
    let mut writer = Writer::default();
    let code = Code::new([1; 12]);
    let secret = [9; 32];
    let until = clock.now().wall.plus(Millis::minutes(1));
    let invitation = Invitation { grant: Grant::ChiefArbiter, name: "Chief".to_string(), code: code.hash(), until, expires: None };
    let inputs = [Input::Invite { invitation }, Input::Enrol { code: code.hash(), secret: Token::new(CredentialId(0), secret).hash() }];
    for input in inputs {
        let command = Command { origin: Origin::daemon(), key: None, seen: None, input };
        writer.decide(&*log.reader(), command, clock.now()).unwrap().unwrap();
    }
    writer.commit(&mut log).unwrap();
    (log, Token::new(CredentialId(1), secret).to_string())
}

impl Venue {
    pub(crate) async fn open() -> Venue {
        Venue::behind(Door::default()).await
    }

    pub(crate) async fn behind(door: Door) -> Venue {
        let clock = HallClock::at(WallTime(MORNING));
        let asks = !door.insecure;
        let (log, token) = founded(clock);
        let reader = log.reader();
        let daemon = Daemon::start_behind(door, Box::new(log), clock, None, &mut |_| {}).await.unwrap();
        let mut venue = Venue { daemon, reader, tokens: BTreeMap::from([(Who::Chief, token)]), games: [0; 2] };
        let mut office = venue.office(Who::Chief);
        let regulations = v1::Regulations { control: "300".to_string(), default_time_ms: Some(1_800_000), ..Default::default() };
        let tournament = v1::CreateTournamentRequest { name: "Open".to_string(), regulations: Some(regulations), ..Default::default() };
        let tournament = office.create_tournament(tournament).await.unwrap().into_inner().id;
        office.open_round(v1::OpenRoundRequest { tournament, round: 1, ..Default::default() }).await.unwrap();
        for board in [1, 2] {
            let player = |name: &str| Some(v1::Player { name: format!("{name}, {board}"), ..Default::default() });
            let pairing = v1::Pairing { tournament, round: 1, board, white: player("White"), black: player("Black"), ..Default::default() };
            office.pair(v1::PairRequest { pairing: Some(pairing), ..Default::default() }).await.unwrap();
            let opened = v1::OpenGameRequest { tournament, round: 1, board, ..Default::default() };
            venue.games[board as usize - 1] = office.open_game(opened).await.unwrap().into_inner().id;
        }
        let key = zeitnot::envelope::PrivateKey::new([5; 32].into()).public();
        office.set_envelope_key(v1::SetEnvelopeKeyRequest { public_key: key.0.to_vec(), ..Default::default() }).await.unwrap();
        for who in Who::ALL.into_iter().filter(|who| asks && *who != Who::Chief) {
            let (_, token) = venue.enrol(venue.grant(who), who.word(), None).await;
            venue.tokens.insert(who, token);
        }
        venue
    }

    /// What the tests' credential of a role is for: board 1, device 7, White.
    pub(crate) fn grant(&self, who: Who) -> v1::grant::Kind {
        use v1::grant::Kind;
        match who {
            Who::Clock => Kind::Clock(v1::GrantClock { device: DEVICE }),
            Who::Player => Kind::Player(v1::GrantPlayer { game: self.games[0], color: v1::Color::White.into() }),
            Who::Arbiter => Kind::Arbiter(v1::GrantArbiter { sector: Some(v1::Sector { tournament: 0, first_board: 1, last_board: 1 }) }),
            Who::Chief => Kind::ChiefArbiter(v1::GrantChiefArbiter {}),
            Who::Feed => Kind::Feed(v1::GrantFeed {}),
            Who::Auditor => Kind::Auditor(v1::GrantAuditor {}),
        }
    }

    /// A credential by the chief arbiter's invitation: its number and token.
    pub(crate) async fn enrol(&self, kind: v1::grant::Kind, name: &str, expires_ms: Option<i64>) -> (u64, String) {
        let grant = Some(v1::Grant { kind: Some(kind) });
        let invite = v1::InviteRequest { grant, name: name.to_string(), expires_ms, ..Default::default() };
        let code = self.access(Some(Who::Chief)).invite(invite).await.unwrap().into_inner().code;
        let login = self.access(None).enrol(v1::EnrolRequest { code }).await.unwrap().into_inner();
        (login.credential, login.token)
    }

    /// A connection that shows this token.
    pub(crate) fn line(&self, token: Option<&str>) -> Line {
        let (near, far) = duplex(64 << 10);
        tokio::spawn(http::serve_connection(far, self.daemon.router.clone(), self.daemon.closing.clone()));
        let near = std::sync::Mutex::new(Some(TokioIo::new(near)));
        let channel = Endpoint::from_static("http://venue").connect_with_connector_lazy(service_fn(move |_| {
            let near = near.lock().unwrap().take().ok_or_else(|| std::io::Error::from(std::io::ErrorKind::ConnectionRefused));
            async move { near }
        }));
        let reach = Reach::to("http://venue", None).unwrap();
        token.map_or(reach.clone(), |token| reach.showing(token).unwrap()).over(channel)
    }

    fn of(&self, who: Option<Who>) -> Line {
        self.line(who.map(|who| self.tokens[&who].as_str()))
    }

    pub(crate) fn access(&self, who: Option<Who>) -> AccessClient<Line> {
        AccessClient::new(self.of(who))
    }

    pub(crate) fn office(&self, who: Who) -> OfficeClient<Line> {
        OfficeClient::new(self.of(Some(who)))
    }

    pub(crate) fn consoles(&self, who: Who) -> ConsolesClient<Line> {
        ConsolesClient::new(self.of(Some(who)))
    }

    pub(crate) fn feeds(&self, who: Option<Who>) -> FeedsClient<Line> {
        FeedsClient::new(self.of(who))
    }

    pub(crate) fn clocks(&self, who: Who) -> ClocksClient<Line> {
        ClocksClient::new(self.of(Some(who)))
    }

    /// An empty message to a path, as it stands on the wire; a page where it is none of gRPC.
    pub(crate) async fn call(&self, path: &str, token: Option<&str>) -> Response<Body> {
        let grpc = path.starts_with("/zeitnot.") || path.starts_with("/grpc.");
        let request =
            Request::builder().method(if grpc { "POST" } else { "GET" }).uri(format!("http://venue{path}")).version(axum::http::Version::HTTP_2);
        let request = request.header("content-type", "application/grpc").header("te", "trailers");
        let request = if let Some(token) = token { request.header("authorization", format!("Bearer {token}")) } else { request };
        let body = if grpc { Body::from(vec![0; 5]) } else { Body::empty() };
        self.daemon.router.clone().oneshot(request.body(body).unwrap()).await.unwrap()
    }
}

/// Whether an answer is that the call may not be made.
pub(crate) fn denied(response: &Response<Body>) -> bool {
    let status = response.headers().get("grpc-status").map(|value| value.to_str().unwrap().to_string());
    let page = matches!(response.status().as_u16(), 401 | 403);
    page || matches!(status.as_deref(), Some("7" | "16"))
}

/// Lets so much time pass.
pub(crate) async fn pass(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
}
