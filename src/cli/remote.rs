//! Speaking to a daemon that runs.

use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};

use super::output::say;
use super::{Stop, exit, runtime};
use crate::wire::v1;
use v1::office_client::OfficeClient;

/// How long a daemon has to take a connection.
const PATIENCE: Duration = Duration::from_secs(5);
/// Largest answer that is read: the hall of a large venue.
pub(super) const MAX_ANSWER: usize = 256 << 20;

/// Which daemon, and how to print what it says.
#[derive(Debug, Clone, Args)]
pub(super) struct Remote {
    /// The daemon.
    #[arg(long, env = "ZEITNOT_SERVER", default_value = "http://127.0.0.1:7960", value_name = "URL")]
    pub(super) server: String,
    /// Prints JSON.
    #[arg(long)]
    pub(super) json: bool,
}

impl Remote {
    /// Connects.
    pub(super) async fn channel(&self) -> Result<Channel, Stop> {
        let named = if self.server.contains("://") { self.server.clone() } else { format!("http://{}", self.server) };
        let unusable = |e| Stop::new(exit::USAGE, format!("--server {}: {e}; write http://HOST:PORT", self.server));
        let endpoint = Endpoint::from_shared(named).map_err(unusable)?.connect_timeout(PATIENCE);
        endpoint.connect().await.map_err(|_| {
            let why = format!("no daemon answers at {}: start one with `zeitnot serve --data DIR`, or name it with --server URL", self.server);
            Stop::new(exit::UNAVAILABLE, why)
        })
    }

    /// Asks the office one thing.
    pub(super) fn office<T>(&self, ask: impl AsyncFnOnce(OfficeClient<Channel>) -> Result<tonic::Response<T>, Status>) -> Result<T, Stop> {
        runtime()?.block_on(async {
            let office = OfficeClient::new(self.channel().await?).max_decoding_message_size(MAX_ANSWER);
            Ok(ask(office).await?.into_inner())
        })
    }

    /// Has the office record one thing, and says where it stands now; `name` names what was made by its number.
    pub(super) fn record(
        &self,
        name: impl FnOnce(u64) -> String,
        ask: impl AsyncFnOnce(OfficeClient<Channel>) -> Result<tonic::Response<v1::Recorded>, Status>,
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
        let code = match status.code() {
            Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled | Code::Unknown | Code::Unimplemented => exit::UNAVAILABLE,
            Code::DataLoss => exit::DAMAGED,
            Code::InvalidArgument => exit::USAGE,
            _ => exit::REFUSED,
        };
        Stop::new(code, status.message())
    }
}

/// The name that is recorded with what is sent: as given, or the user's, or the office's role.
pub(super) fn sender(given: Option<String>, role: &str) -> String {
    let user = || std::env::var("USER").ok().filter(|name| !name.is_empty());
    given.or_else(user).unwrap_or_else(|| role.to_string())
}
