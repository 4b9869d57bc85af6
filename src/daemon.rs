//! The daemon as a whole: a log opened and replayed, its writer driven, its services served, stopped cleanly.

use std::sync::Arc;

use axum::Router;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

use crate::game::Seq;
use crate::http;
use crate::log::Log;
use crate::service::{Access, Devices, Door, Hall, Head, INBOX, drive, questions, signing, timers};
use crate::time::HallClock;
use crate::venue::{Command, Input, Origin, Venue};
use crate::writer::{self, Writer};

/// A daemon that runs.
#[derive(Debug)]
pub struct Daemon {
    /// Everything it serves, for one connection or many.
    pub router: Router,
    /// Turns true when it stops; see [`Daemon::stop`].
    pub closing: watch::Receiver<bool>,
    /// Its hall.
    pub hall: Hall,
    stop: watch::Sender<bool>,
    writer: JoinHandle<Result<(), writer::Error>>,
    health: tonic_health::server::HealthReporter,
}

/// Why a daemon does not start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The log cannot be read.
    #[error(transparent)]
    Writer(#[from] writer::Error),
    /// The protocol's own description is broken.
    #[error("the protocol's descriptors: {0}")]
    Descriptors(#[from] tonic_reflection::server::Error),
}

impl Daemon {
    /// Replays the log and starts everything but the accepting of connections. `progress` hears the place of every entry replayed.
    ///
    /// # Errors
    /// Where the log cannot be read, or the first commit fails.
    pub async fn start(
        log: Box<dyn Log>,
        clock: HallClock,
        metrics: Option<PrometheusHandle>,
        progress: &mut dyn FnMut(Seq),
    ) -> Result<Daemon, Error> {
        Daemon::start_behind(Door::default(), log, clock, metrics, progress).await
    }

    /// The same behind a door of its own.
    ///
    /// # Errors
    /// As [`Daemon::start`].
    pub async fn start_behind(
        door: Door,
        log: Box<dyn Log>,
        clock: HallClock,
        metrics: Option<PrometheusHandle>,
        progress: &mut dyn FnMut(Seq),
    ) -> Result<Daemon, Error> {
        let venue = writer::replay(&*log.reader(), None, progress)?;
        Daemon::start_with(venue, door, log, clock, metrics).await
    }

    /// The same with the venue as it was replayed from that log: whoever has to look at it first can still leave the log as it is.
    ///
    /// # Errors
    /// As [`Daemon::start`].
    pub async fn start_with(
        venue: Venue,
        door: Door,
        mut log: Box<dyn Log>,
        clock: HallClock,
        metrics: Option<PrometheusHandle>,
    ) -> Result<Daemon, Error> {
        let reader = log.reader();
        let mut writer = Writer::new(venue);
        let started = Input::Started { build: env!("CARGO_PKG_VERSION").to_string() };
        let command = Command { origin: Origin::daemon(), key: None, seen: None, input: started };
        if let Err(refusal) = writer.decide(&*reader, command, clock.now())? {
            tracing::error!(%refusal, "the start was not recorded");
        }
        writer.commit(&mut *log)?;
        let (head, head_seen) = watch::channel(Head { seq: log.head(), chain: log.tip() });
        let (inbox, requests) = mpsc::channel(INBOX);
        let (stop, closing) = watch::channel(false);
        let devices = Devices::default();
        let access = Access::new(door, clock, writer.venue());
        let hall = Hall::new(inbox, head_seen, Arc::clone(&reader), clock, devices.clone(), access.clone(), closing.clone());
        let (routes, health) = hall.routes().await?;
        let driven = tokio::spawn(drive(writer, log, requests, head, devices, access.clone(), clock));
        tokio::spawn(timers(hall.clone()));
        tokio::spawn(questions(hall.clone()));
        tokio::spawn(signing(hall.clone()));
        Ok(Daemon { router: http::router(routes, metrics, access), closing, hall, stop, writer: driven, health })
    }

    /// Resolves when the writer has ended by itself, which it does only when the log failed.
    pub async fn failed(&mut self) -> writer::Error {
        match (&mut self.writer).await {
            Ok(Err(error)) => error,
            Ok(Ok(())) => writer::Error::Entry { seq: 0, why: "the writer ended".to_string() },
            Err(panic) => writer::Error::Entry { seq: 0, why: format!("the writer panicked: {panic}") },
        }
    }

    /// Tells everyone that the daemon stops: health first, then every stream ends with its position. What is over by then is signed.
    pub async fn stop(&self) {
        for name in ["", "zeitnot.v1.Clocks", "zeitnot.v1.Consoles", "zeitnot.v1.Feeds", "zeitnot.v1.Office", "zeitnot.v1.Access"] {
            self.health.set_service_status(name, tonic_health::ServingStatus::NotServing).await;
        }
        self.stop.send_replace(true);
        if self.hall.sign_what_is_over().await.is_err() {
            tracing::warn!("whether a round is over and unsigned cannot be told any more");
        }
    }
}
