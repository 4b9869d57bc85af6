//! A clock's connection to the daemon.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Streaming;

use crate::client::{Reach, reason};
use crate::wire::v1::{self, clock_report::Kind, clocks_client::ClocksClient};

/// How long a connection may take to open, and a daemon to come back, before the next try.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// An open stream both ways.
#[derive(Debug)]
pub(super) struct Link {
    reports: mpsc::Sender<v1::ClockReport>,
    pub(super) orders: Streaming<v1::ClockOrder>,
}

impl Link {
    /// Connects and says hello.
    pub(super) async fn open(reach: &Reach, device: u64, hello: v1::Hello) -> Result<Link, String> {
        let channel = reach.connect().await.map_err(|e| reason(&e))?;
        let (reports, stream) = mpsc::channel(256);
        let first = v1::ClockReport { device, kind: Some(Kind::Hello(hello)) };
        reports.send(first).await.map_err(|e| e.to_string())?;
        let answer = ClocksClient::new(channel).attach(ReceiverStream::new(stream)).await.map_err(|e| e.to_string())?;
        Ok(Link { reports, orders: answer.into_inner() })
    }

    /// Sends something; an error: the connection is gone.
    pub(super) async fn send(&self, kind: Kind) -> Result<(), ()> {
        self.reports.send(v1::ClockReport { device: 0, kind: Some(kind) }).await.map_err(|_| ())
    }
}
