//! The door: whose a call is, whether it may be made, how many and how fast, and its end when the credential ends.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body::Frame;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tonic::{Code, Status};

use super::pace::{Pace, Rate};
use super::roles::{self, Who};
use crate::game::DeviceId;
use crate::signature::SigningKey;
use crate::time::HallClock;
use crate::venue::secrets::{MAX_TOKEN, Token};
use crate::venue::{Credential, CredentialId, Grant, Origin, Role, Standing, Venue};

/// Calls and streams that one credential may have open.
pub const MAX_CALLS: usize = 64;
/// Calls and streams of one kind that all who show no credential may have open together.
pub const MAX_PUBLIC_CALLS: usize = 1_000;
/// Calls that one credential may begin in a second; further ones wait. So do those of one kind by all who show none.
const CALLS: Rate = Rate { a_second: 500, at_once: 1_000 };
/// Calls that a player may begin in a second: he is a person, and has one board.
const PLAYER_CALLS: Rate = Rate { a_second: 5, at_once: 50 };
/// Messages that one credential may send on its streams in a second; further ones wait.
const MESSAGES: Rate = Rate { a_second: 200, at_once: 400 };
/// Codes that may be tried in a second, by all together; further ones wait.
const CODES: Rate = Rate { a_second: 2, at_once: 20 };
/// How many of them may wait; more are sent away.
const CODES_WAITING: usize = 100;

/// What a venue was set up with: what it asks of who calls, and by which key it signs.
#[derive(Debug, Clone, Default)]
pub struct Door {
    /// Asks nobody for a credential, though the venue gives them out.
    pub insecure: bool,
    /// What everyone may read; see [`roles::DECLARABLE`].
    pub public: Vec<String>,
    /// The key by which the head of the log is signed, where there is one.
    pub signer: Option<SigningKey>,
}

impl Door {
    /// Whether nobody is asked for a credential at this venue.
    pub fn is_open(&self, venue: &Venue) -> bool {
        self.insecure || venue.credentials().next().is_none()
    }
}

/// The door of a venue, shared by every handler.
#[derive(Debug, Clone)]
pub struct Access(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    door: Door,
    clock: HallClock,
    known: watch::Sender<Vec<Credential>>,
    callers: Mutex<BTreeMap<CredentialId, Arc<Limits>>>,
    /// By the path of what they call, so that a crowd of readers keeps nobody from the codes.
    strangers: Mutex<BTreeMap<&'static str, Arc<Limits>>>,
    codes: Pace,
    codes_waiting: Arc<Semaphore>,
}

/// What one credential may use, or all who show none.
#[derive(Debug)]
struct Limits {
    calls: Pace,
    messages: Pace,
    open: Arc<Semaphore>,
    /// How many may be open.
    most: usize,
}

/// Whose a call is.
#[derive(Debug, Clone)]
pub(super) enum Caller {
    /// Nobody asks: the venue is open, or the call is for everyone.
    Anyone,
    /// The holder of this credential.
    Known(Arc<Known>),
}

/// A credential that was shown, and is good.
#[derive(Debug)]
pub(super) struct Known {
    /// Its number.
    id: CredentialId,
    /// What it is for.
    grant: Grant,
    /// Whose it is.
    name: String,
    limits: Arc<Limits>,
}

impl Access {
    /// The door of a venue as its log tells it.
    pub fn new(door: Door, clock: HallClock, venue: &Venue) -> Access {
        let known = venue.credentials().map(|(_, credential)| credential.clone()).collect();
        Access(Arc::new(Inner {
            door,
            clock,
            known: watch::Sender::new(known),
            callers: Mutex::default(),
            strangers: Mutex::default(),
            codes: Pace::new(CODES),
            codes_waiting: Arc::new(Semaphore::new(CODES_WAITING)),
        }))
    }

    /// Whether nobody is asked for a credential.
    pub fn is_open(&self) -> bool {
        self.0.door.insecure || self.0.known.borrow().is_empty()
    }

    /// The key by which the head of the log is signed.
    pub(super) fn signer(&self) -> Option<&SigningKey> {
        self.0.door.signer.as_ref()
    }

    /// Learns of credentials that were given out, exchanged or revoked. Whoever holds one that ended is cut off at once.
    pub(super) fn learn(&self, venue: &Venue, changed: impl Iterator<Item = CredentialId>) {
        let changed: Vec<_> = changed.filter_map(|id| Some((usize::try_from(id.0.checked_sub(1)?).ok()?, venue.credential(id)?.clone()))).collect();
        if changed.is_empty() {
            return;
        }
        self.0.known.send_modify(|known| {
            for (place, credential) in changed {
                match known.get_mut(place) {
                    Some(old) => *old = credential,
                    None => known.push(credential),
                }
            }
        });
    }

    /// Waits for its turn to try a code.
    pub(super) async fn code(&self) -> Result<(), Status> {
        let waiting = self.0.codes_waiting.try_acquire().map_err(|_| Status::resource_exhausted("too many codes are tried: try again later"))?;
        self.0.codes.turn().await;
        drop(waiting);
        Ok(())
    }

    fn limits(&self, id: CredentialId, grant: Grant) -> Arc<Limits> {
        let mut callers = self.0.callers.lock().unwrap_or_else(PoisonError::into_inner);
        let calls = if let Grant::Player(..) = grant { PLAYER_CALLS } else { CALLS };
        Arc::clone(callers.entry(id).or_insert_with(|| Limits::new(calls, MAX_CALLS)))
    }

    /// What all who show no credential may use together of one call; `None` where nobody is asked for one.
    fn strangers(&self, path: &str) -> Option<Arc<Limits>> {
        let route = roles::route_of(path).filter(|_| !self.is_open())?;
        let mut strangers = self.0.strangers.lock().unwrap_or_else(PoisonError::into_inner);
        Some(Arc::clone(strangers.entry(route.path).or_insert_with(|| Limits::new(CALLS, MAX_PUBLIC_CALLS))))
    }

    /// Whose a token is.
    fn recognised(&self, token: &str) -> Result<Known, Status> {
        let unknown = || Status::unauthenticated("the credential is not known here");
        let token = Token::read(token).ok_or_else(unknown)?;
        let (id, now) = (token.credential(), self.0.clock.now().wall);
        let known = self.0.known.borrow();
        let credential = usize::try_from(id.0).ok().and_then(|id| known.get(id.checked_sub(1)?)).ok_or_else(unknown)?;
        if !credential.secret.is_some_and(|secret| token.is(secret)) {
            return Err(unknown());
        }
        match credential.standing(now) {
            Standing::Good => Ok(Known { id, grant: credential.grant, name: credential.name.clone(), limits: self.limits(id, credential.grant) }),
            other => Err(Status::unauthenticated(format!("credential {} is {}", id.0, other.word()))),
        }
    }

    /// Whose a call is, if it may be made.
    fn admit(&self, path: &str, token: Option<&str>) -> Result<Caller, Status> {
        if self.is_open() {
            return Ok(Caller::Anyone);
        }
        let route = roles::route_of(path);
        let everyone = route.is_some_and(|route| route.admits(None, &self.0.door.public));
        let caller = match token {
            // What is for everyone does not ask, though somebody may say who he is.
            Some(token) => match self.recognised(token) {
                Err(_) if everyone => Caller::Anyone,
                recognised => Caller::Known(Arc::new(recognised?)),
            },
            None if everyone => Caller::Anyone,
            None => return Err(Status::unauthenticated("a credential is needed: zeitnot login URL CODE, with a code from the chief arbiter")),
        };
        let who = if let Caller::Known(known) = &caller { Some(Who::of(known.grant)) } else { None };
        match (route, who) {
            // What is not there is said to whoever may be here.
            (None, _) => Ok(caller),
            (Some(route), who) if route.admits(who, &self.0.door.public) => Ok(caller),
            (Some(route), who) => {
                let (who, whose) = (who.map_or("nobody", Who::word), route.whose());
                Err(Status::permission_denied(format!("the role of {who} may not call {path}, only that of {whose}")))
            }
        }
    }

    /// Resolves when a credential is good no longer, and says why.
    async fn ended(&self, id: CredentialId) -> Status {
        let mut known = self.0.known.subscribe();
        loop {
            let (standing, expires) = {
                let known = known.borrow_and_update();
                let credential = usize::try_from(id.0).ok().and_then(|id| known.get(id.checked_sub(1)?));
                let now = self.0.clock.now().wall;
                let left = credential.and_then(|credential| credential.expires).map(|expires| now.until(expires));
                (credential.map_or(Standing::Revoked, |credential| credential.standing(now)), left)
            };
            if standing != Standing::Good {
                return Status::unauthenticated(format!("credential {} is {}", id.0, standing.word()));
            }
            let expired = async {
                match expires {
                    Some(left) => tokio::time::sleep(Duration::from_millis(left.0)).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                changed = known.changed() => if changed.is_err() { std::future::pending::<()>().await },
                () = expired => {}
            }
        }
    }
}

impl Limits {
    fn new(calls: Rate, most: usize) -> Arc<Limits> {
        Arc::new(Limits { calls: Pace::new(calls), messages: Pace::new(MESSAGES), open: Arc::new(Semaphore::new(most)), most })
    }
}

impl Known {
    /// Its number.
    pub(super) fn id(&self) -> CredentialId {
        self.id
    }
}

impl Caller {
    /// Of a request that came through the door. One that did not is a fault of ours, and gets nothing.
    pub(super) fn of<T>(request: &tonic::Request<T>) -> Result<Caller, Status> {
        request.extensions().get::<Caller>().cloned().ok_or_else(|| Status::internal("a call that did not come through the door"))
    }

    /// Whether a device is the caller's own.
    pub(super) fn speaks_for(&self, device: DeviceId) -> bool {
        match self {
            Caller::Anyone => true,
            Caller::Known(known) => known.grant == Grant::Clock(device),
        }
    }

    /// Who sends, in a role of this venue; `name` is what the sender calls himself, where nobody is asked.
    pub(super) fn origin(&self, role: Role, name: String) -> Origin {
        match self {
            Caller::Anyone => Origin::new(role, name),
            Caller::Known(known) => {
                // An arbiter at the office's desk is an arbiter still.
                let role = if role == Role::Office && known.grant != Grant::ChiefArbiter { known.grant.role().unwrap_or(role) } else { role };
                let name = if known.grant.role() == Some(Role::Clock) { String::new() } else { known.name.clone() };
                Origin { credential: Some(known.id), ..Origin::new(role, name) }
            }
        }
    }

    /// In which role it reads the log as a feed.
    pub(super) fn reads(&self) -> Role {
        match self {
            Caller::Known(known) if known.grant == Grant::Auditor => Role::Arbiter,
            _ => Role::Feed,
        }
    }

    /// Waits for its turn to say something more on a stream.
    pub(super) async fn turn(&self) {
        if let Caller::Known(known) = self {
            known.limits.messages.turn().await;
        }
    }
}

/// Every call passes here.
pub(crate) async fn guard(State(access): State<Access>, mut request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let header = request.headers().get("authorization").filter(|value| value.len() <= MAX_TOKEN + "Bearer ".len());
    let token = header.and_then(|value| value.to_str().ok()).and_then(|value| value.strip_prefix("Bearer "));
    let admitted = access.admit(&path, token);
    let caller = match admitted {
        Ok(caller) => caller,
        Err(status) => {
            metrics::counter!("zeitnot_denied_total", "code" => format!("{:?}", status.code())).increment(1);
            return refused(&path, status);
        }
    };
    let limits = match &caller {
        Caller::Known(known) => Some(Arc::clone(&known.limits)),
        Caller::Anyone => access.strangers(&path),
    };
    let Some(limits) = limits else {
        request.extensions_mut().insert(caller);
        return next.run(request).await;
    };
    let Ok(seat) = Arc::clone(&limits.open).try_acquire_owned() else {
        return refused(&path, Status::resource_exhausted(format!("at most {} calls and streams at a time", limits.most)));
    };
    limits.calls.turn().await;
    request.extensions_mut().insert(caller.clone());
    let response = next.run(request).await;
    let ended: Ended = match caller {
        Caller::Known(known) => Box::pin(async move { access.ended(known.id).await }),
        Caller::Anyone => Box::pin(std::future::pending()),
    };
    response.map(|body| Body::new(Held { body: Some(body), ended, _seat: seat }))
}

/// A refusal as gRPC or a browser's page has it.
fn refused(path: &str, status: Status) -> Response {
    if path.starts_with("/zeitnot.") || path.starts_with("/grpc.") {
        return status.into_http::<Body>();
    }
    let code = match status.code() {
        Code::Unauthenticated => axum::http::StatusCode::UNAUTHORIZED,
        Code::ResourceExhausted => axum::http::StatusCode::TOO_MANY_REQUESTS,
        _ => axum::http::StatusCode::FORBIDDEN,
    };
    (code, format!("{}\n", status.message())).into_response()
}

/// Resolves when whoever called may be here no longer, with the reason.
type Ended = Pin<Box<dyn Future<Output = Status> + Send>>;

/// An answer that ends when the credential does.
struct Held {
    body: Option<Body>,
    ended: Ended,
    _seat: OwnedSemaphorePermit,
}

impl HttpBody for Held {
    type Data = axum::body::Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        if self.body.is_none() {
            return Poll::Ready(None);
        }
        if let Poll::Ready(status) = self.ended.as_mut().poll(context) {
            // The other end of what was read from is told by this.
            self.body = None;
            let mut trailers = axum::http::HeaderMap::new();
            // A status that cannot be written would be a fault of ours; the end alone tells then.
            let _ = status.add_header(&mut trailers);
            return Poll::Ready(Some(Ok(Frame::trailers(trailers))));
        }
        self.body.as_mut().map_or(Poll::Ready(None), |body| Pin::new(body).poll_frame(context))
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.body.as_ref().map_or_else(http_body::SizeHint::default, HttpBody::size_hint)
    }
}
