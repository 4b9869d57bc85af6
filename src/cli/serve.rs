//! `zeitnot serve`: the daemon.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use tokio::net::TcpListener;

use super::{Stop, exit, runtime};
use crate::daemon::Daemon;
use crate::http;
use crate::log::{self, Log, MirrorAt, SledLog};
use crate::time::HallClock;

/// Options of `serve`.
#[derive(Debug, Args)]
pub(super) struct Serve {
    /// Directory of the log; made if it is not there.
    #[arg(long, env = "ZEITNOT_DATA")]
    data: PathBuf,
    /// Address to listen on.
    #[arg(long, env = "ZEITNOT_LISTEN", default_value = "127.0.0.1:7960")]
    listen: SocketAddr,
    /// File of the log's second copy, best on another disk; beside the log if not given.
    #[arg(long, env = "ZEITNOT_MIRROR")]
    mirror: Option<PathBuf>,
    /// Keep no second copy.
    #[arg(long, conflicts_with = "mirror")]
    no_mirror: bool,
}

impl Serve {
    pub(super) fn run(self) -> Result<(), Stop> {
        let mirror = match (self.no_mirror, self.mirror) {
            (true, _) => MirrorAt::Nowhere,
            (false, Some(path)) => MirrorAt::Path(path),
            (false, None) => MirrorAt::Beside,
        };
        tracing_subscriber::fmt().with_writer(std::io::stderr).init();
        let options = log::Options { mirror, ..log::Options::default() };
        let log = SledLog::open(&self.data, &options).map_err(|e| Stop::new(exit::DAMAGED, e))?;
        runtime()?.block_on(serve(Box::new(log), self.listen))
    }
}

async fn serve(log: Box<dyn Log>, listen: SocketAddr) -> Result<(), Stop> {
    let metrics = metrics_exporter_prometheus::PrometheusBuilder::new().install_recorder().map_err(|e| Stop::new(exit::USAGE, e))?;
    let listener = TcpListener::bind(listen).await.map_err(|e| Stop::new(exit::USAGE, format!("cannot listen on {listen}: {e}")))?;
    let mut daemon = Daemon::start(log, HallClock::start(), Some(metrics), &mut |_| {}).await.map_err(|e| Stop::new(exit::DAMAGED, e))?;
    let at = listener.local_addr().map_err(|e| Stop::new(exit::USAGE, e))?;
    tracing::info!(%at, head = daemon.hall.head().seq.0, "serving");
    let served = tokio::spawn(http::serve(listener, daemon.router.clone(), daemon.closing.clone()));
    let failure = tokio::select! {
        failure = daemon.failed() => Some(failure),
        () = asked_to_stop() => None,
    };
    daemon.stop().await;
    // It ends within its grace.
    let _ = served.await;
    match failure {
        Some(e) => Err(Stop::new(exit::LOG_FAILED, format!("the log failed, nothing undurable was acknowledged: {e}"))),
        None => Ok(()),
    }
}

async fn asked_to_stop() {
    let mut terminate = match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        Ok(signal) => signal,
        Err(_) => return std::future::pending().await,
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
}
