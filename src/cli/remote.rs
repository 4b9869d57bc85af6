//! Speaking to a daemon that runs.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};
use tonic::transport::Identity;
use tonic::{Code, Status};

use super::output::say;
use super::{Stop, exit, runtime};
use crate::client::{self, Line, Login, Reach};
use crate::wire::v1;
use v1::office_client::OfficeClient;

/// How long a daemon has to take a connection.
const PATIENCE: Duration = Duration::from_secs(5);
/// Largest answer that is read: the hall of a large venue.
pub(super) const MAX_ANSWER: usize = 256 << 20;

/// What rustls says where the answer is no TLS.
const NO_TLS: &str = "InvalidContentType";

/// The daemon where nothing else is said.
const SERVER: &str = "http://127.0.0.1:7960";

/// Which daemon, and who speaks to it.
#[derive(Debug, Clone, Args)]
pub(super) struct At {
    /// The daemon; that of the login where one is given, else http://127.0.0.1:7960.
    #[arg(long, env = "ZEITNOT_SERVER", value_name = "URL")]
    pub(super) server: Option<String>,
    /// File of a login, as `zeitnot login` and `zeitnot venue init` write it.
    #[arg(long, env = "ZEITNOT_LOGIN", value_name = "FILE")]
    pub(super) login: Option<PathBuf>,
    #[command(flatten)]
    pub(super) certificates: Certificates,
}

/// By which certificates daemon and client know one another, where a login does not say it.
#[derive(Debug, Clone, Args)]
pub(super) struct Certificates {
    /// The certificate by which the daemon is known: the venue's ca.pem. A login holds it.
    #[arg(long, env = "ZEITNOT_CA", value_name = "FILE")]
    pub(super) ca: Option<PathBuf>,
    /// The client's own certificate, where the daemon asks for one: PATH.pem with PATH.key, as `zeitnot venue certify` makes them.
    #[arg(long, env = "ZEITNOT_CERTIFICATE", value_name = "PATH")]
    pub(super) certificate: Option<PathBuf>,
}

impl Certificates {
    /// The daemon's, as text.
    pub(super) fn ca(&self) -> Result<Option<String>, Stop> {
        self.ca.as_deref().map(|path| text("--ca", path)).transpose()
    }

    /// The client's own.
    pub(super) fn own(&self) -> Result<Option<Identity>, Stop> {
        let Some(path) = &self.certificate else { return Ok(None) };
        let part = |ending| text("--certificate", &ended(path, ending));
        Ok(Some(Identity::from_pem(part("pem")?, part("key")?)))
    }
}

/// A name with an ending behind it, whatever points are in the name.
pub(super) fn ended(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    PathBuf::from(name)
}

fn text(option: &str, path: &Path) -> Result<String, Stop> {
    std::fs::read_to_string(path).map_err(|e| Stop::new(exit::USAGE, format!("{option} {}: {e}", path.display())))
}

impl At {
    /// How the daemon is reached.
    pub(super) fn reach(&self) -> Result<Reach, Stop> {
        let own = self.certificates.own()?;
        let Some(path) = &self.login else {
            let ca = self.certificates.ca()?;
            return Reach::with(self.server.as_deref().unwrap_or(SERVER), ca.as_deref(), own).map_err(Stop::unusable);
        };
        let login = Login::read(path).map_err(Stop::unusable)?;
        let server = self.server.clone().unwrap_or_else(|| login.server.clone());
        let ca = self.certificates.ca()?.or_else(|| login.ca.clone());
        Login { server, ca, ..login }.reach(own).map_err(Stop::unusable)
    }
}

/// Which daemon, and how to print what it says.
#[derive(Debug, Clone, Args)]
pub(super) struct Remote {
    #[command(flatten)]
    pub(super) at: At,
    /// Prints JSON.
    #[arg(long)]
    pub(super) json: bool,
}

impl Remote {
    /// Connects.
    pub(super) async fn line(&self) -> Result<Line, Stop> {
        let reach = self.at.reach()?.patient(PATIENCE, None);
        reach.connect().await.map_err(|e| {
            let (server, why) = (reach.server(), client::reason(&e));
            if why.contains(NO_TLS) {
                return Stop::new(exit::UNAVAILABLE, format!("what answers at {server} speaks no TLS: a daemon without it is reached by http://"));
            }
            let why = format!("no daemon answers at {server} ({why}): start one with `zeitnot serve --data DIR`, or name it with --server URL");
            Stop::new(exit::UNAVAILABLE, why)
        })
    }

    /// Asks the office one thing.
    pub(super) fn office<T>(&self, ask: impl AsyncFnOnce(OfficeClient<Line>) -> Result<tonic::Response<T>, Status>) -> Result<T, Stop> {
        runtime()?.block_on(async {
            let office = OfficeClient::new(self.line().await?).max_decoding_message_size(MAX_ANSWER);
            Ok(ask(office).await?.into_inner())
        })
    }

    /// Has the office record one thing, and says where it stands now; `name` names what was made by its number.
    pub(super) fn record(
        &self,
        name: impl FnOnce(u64) -> String,
        ask: impl AsyncFnOnce(OfficeClient<Line>) -> Result<tonic::Response<v1::Recorded>, Status>,
    ) -> Result<(), Stop> {
        let v1::Recorded { seq, version, id } = self.office(ask)?;
        self.say(|| json!({ "id": id, "seq": seq, "version": version }), || format!("{}: entry {seq}, version {version}", name(id)))
    }

    /// Prints the one or the other.
    pub(super) fn say(&self, json: impl FnOnce() -> Value, text: impl FnOnce() -> String) -> Result<(), Stop> {
        if self.json { say(json()) } else { say(text().trim_end()) }
    }
}

impl From<Status> for Stop {
    fn from(status: Status) -> Stop {
        // What the daemon answers comes without; what the connection ran into has one.
        let cut = std::error::Error::source(&status).is_some();
        let code = match status.code() {
            _ if cut => exit::UNAVAILABLE,
            Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled | Code::Unknown | Code::Unimplemented => exit::UNAVAILABLE,
            Code::DataLoss => exit::DAMAGED,
            Code::InvalidArgument => exit::USAGE,
            _ => exit::REFUSED,
        };
        let why = if cut {
            format!(
                "{} (a daemon with TLS cuts off who does not speak it, https:// and --ca or a login, and one that asks its clients for a certificate who shows none, --certificate)",
                status.message()
            )
        } else {
            status.message().to_string()
        };
        Stop::new(code, why)
    }
}

/// The name that is recorded with what is sent: as given, or the user's, or the office's role.
pub(super) fn sender(given: Option<String>, role: &str) -> String {
    let user = || std::env::var("USER").ok().filter(|name| !name.is_empty());
    given.or_else(user).unwrap_or_else(|| role.to_string())
}
