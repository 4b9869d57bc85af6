//! `zeitnot serve`: the daemon.

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use tokio_rustls::TlsAcceptor;
use tracing_subscriber::EnvFilter;

use super::output::progress;
use super::settings::{LogFormat, Settings};
use super::{Stop, exit, runtime};
use crate::daemon::{self, Daemon};
use crate::http::{self, tls};
use crate::log::{self, Log, Place, SledLog};
use crate::service::Door;
use crate::time::HallClock;
use crate::writer;

/// Where the daemon listens if nothing else is said.
const LISTEN: &str = "127.0.0.1:7960";
/// Replays shorter than this need no bar.
const LONG: u64 = 20_000;

/// Options of `serve`. Each can also be set by a variable (ZEITNOT_DATA, …) or in the file.
#[derive(Debug, Args)]
pub(super) struct Serve {
    /// Directory of the log; made if it is not there.
    #[arg(long)]
    data: Option<PathBuf>,
    /// Address to listen on; 127.0.0.1:7960 where not given.
    #[arg(long)]
    listen: Option<SocketAddr>,
    /// File of settings; see deploy/zeitnot.toml.
    #[arg(long, env = "ZEITNOT_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// File of the log's second copy, best on another disk; beside the log if not given.
    #[arg(long, value_name = "PATH")]
    mirror: Option<PathBuf>,
    /// Keep no second copy.
    #[arg(long, conflicts_with = "mirror")]
    no_mirror: bool,
    /// Certificate of the daemon, where it is not the venue's own.
    #[arg(long, value_name = "FILE")]
    cert: Option<PathBuf>,
    /// Key to that certificate.
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Authority whose certificate every client has to show, besides its login.
    #[arg(long, value_name = "FILE")]
    client_ca: Option<PathBuf>,
    /// What everyone may read without a login: feeds, metrics.
    #[arg(long, value_delimiter = ',', value_name = "WHAT")]
    public: Option<Vec<String>>,
    /// Neither TLS nor logins; only on this machine, unless said twice.
    #[arg(long, action = clap::ArgAction::Count)]
    insecure: u8,
    /// How the daemon's own messages are written.
    #[arg(long, value_enum)]
    log_format: Option<LogFormat>,
    /// Which of them are written: a level, for all or by module, as in info,zeitnot=debug.
    #[arg(long, value_name = "FILTER")]
    log_filter: Option<String>,
}

impl Serve {
    pub(super) fn run(self) -> Result<(), Stop> {
        let mirror = if self.no_mirror { Some(Settings::no_mirror()) } else { self.mirror };
        let flags = Settings {
            data: self.data,
            listen: self.listen,
            mirror,
            cert: self.cert,
            key: self.key,
            client_ca: self.client_ca,
            public: self.public,
            log_format: self.log_format,
            log_filter: self.log_filter,
        };
        let settings = flags.gather(self.config.as_deref())?;
        speak(&settings)?;
        let options = log::Options { mirror: settings.mirror(), ..log::Options::default() };
        let nowhere = || Stop::new(exit::USAGE, "where is the log? --data DIR, ZEITNOT_DATA, or data in the file of --config");
        let tls = if self.insecure > 0 { None } else { settings.identity()? };
        let tls = tls.map(|identity| tls::acceptor(&identity)).transpose();
        let tls = tls.map_err(|e| Stop::new(exit::USAGE, format!("cert, key or client_ca: {e}")))?;
        let door = Door { insecure: self.insecure > 0, public: settings.public()?, signer: settings.signer()? };
        let log = SledLog::open(settings.data.as_deref().ok_or_else(nowhere)?, &options).map_err(|e| Stop::unopened(&e))?;
        let listen = settings.listen.map_or_else(|| LISTEN.to_string(), |at| at.to_string());
        runtime()?.block_on(serve(Box::new(log), &listen, door, tls, self.insecure > 1))
    }
}

/// Sets up the daemon's own messages, on stderr.
fn speak(settings: &Settings) -> Result<(), Stop> {
    let filter = settings.log_filter.as_deref().unwrap_or("info");
    let filter = EnvFilter::try_new(filter).map_err(|e| Stop::new(exit::USAGE, format!("log_filter '{filter}': {e}")))?;
    let colours = std::io::stderr().is_terminal();
    let messages = tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(colours).with_env_filter(filter);
    match settings.log_format {
        Some(LogFormat::Json) => messages.json().init(),
        Some(LogFormat::Pretty) | None => messages.init(),
    }
    Ok(())
}

/// `anywhere`: that it is insecure was said twice.
async fn serve(log: Box<dyn Log>, listen: &str, door: Door, tls: Option<TlsAcceptor>, anywhere: bool) -> Result<(), Stop> {
    let metrics = metrics_exporter_prometheus::PrometheusBuilder::new().install_recorder().map_err(Stop::unusable)?;
    let listener = http::listen(listen).await.map_err(|e| Stop::new(exit::USAGE, format!("cannot listen on {listen}: {e}")))?;
    let at = listener.local_addr().map_err(Stop::unusable)?;
    let bar = if log.head().0 < LONG { indicatif::ProgressBar::hidden() } else { progress("replaying", log.head().0) };
    let replayed = writer::replay(&*log.reader(), None, &mut |seq| bar.set_position(seq.0));
    bar.finish_and_clear();
    let damaged = |e: daemon::Error| Stop::new(exit::DAMAGED, unreplayed(&e));
    let venue = replayed.map_err(|e| damaged(e.into()))?;
    if let Some(last) = venue.last_signed() {
        match door.signer.as_ref().map(|key| key.public()) {
            None => tracing::warn!("the log was signed by {} before, and that key is not there: nothing is signed from now on", last.key),
            Some(now) if now != last.key => tracing::warn!("the log was signed by {} before, and is signed by {now} from now on", last.key),
            Some(_) => {}
        }
    }
    // Before the log hears of a start that is none.
    let (open, encrypted) = (door.is_open(&venue), tls.is_some());
    if !at.ip().is_loopback() && (open || !encrypted) {
        if !anywhere {
            let why = "beyond this machine nothing is served without TLS and logins: set the venue up with `zeitnot venue init`, \
                       or say --insecure twice, and whoever reaches this port can rule";
            return Err(Stop::new(exit::USAGE, why));
        }
        tracing::warn!(%at, "insecure beyond this machine: whoever reaches this port can rule");
    }
    if !open && !encrypted {
        tracing::warn!("logins are asked for and nothing is encrypted: where this venue has certificates, put its directory tls back");
    }
    let mut daemon = Daemon::start_with(venue, door, log, HallClock::start(), Some(metrics)).await.map_err(damaged)?;
    tracing::info!(%at, tls = encrypted, logins = !open, version = env!("CARGO_PKG_VERSION"), head = daemon.hall.head().seq.0, "serving");
    let served = tokio::spawn(http::serve(listener, daemon.router.clone(), daemon.closing.clone(), tls));
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

/// Why the log cannot be replayed, and what to do where its second copy may be whole.
fn unreplayed(error: &daemon::Error) -> String {
    match error {
        daemon::Error::Writer(writer::Error::Log(log::Error::Damaged { at: Place::Entry(_), .. })) => {
            format!("{error}; where there is a mirror, move the log's directory `store` away and start again: it is rebuilt from the mirror")
        }
        other => other.to_string(),
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
