//! The gRPC services: thin handlers around the one writer and the log.
//!
//! Whoever sends speaks to the writer through a bounded inbox; whoever reads reads the log and
//! waits for its head to move. There is no queue in between that could overflow.

mod access;
mod clocks;
mod consoles;
mod copy;
mod credentials;
mod devices;
mod driver;
mod feeds;
mod follow;
mod lag;
mod office;
mod pace;
mod questions;
pub mod roles;
mod signing;
mod status;
mod timers;
mod together;

use std::sync::Arc;

use tokio::sync::{Semaphore, mpsc, oneshot, watch};
use tonic::Status;

pub(crate) use access::guard;
pub(crate) use clocks::{Standing, command as report, standing};
pub(crate) use consoles::asked;
pub(crate) use driver::{concerns, replaced};
pub(crate) use follow::{Filter, page};
pub(crate) use questions::open as open_questions;
pub(crate) use timers::due;

pub use access::{Access, Door, MAX_CALLS, MAX_PUBLIC_CALLS};
pub use devices::Devices;
pub use driver::{INBOX, Request, drive};
pub use questions::questions;
pub use signing::signing;
pub use timers::timers;

use lag::Lags;

use crate::game::{DeviceId, Seq};
use crate::log::{Chain, Reader};
use crate::time::HallClock;
use crate::venue::{At, Command, Refusal, Venue};
use crate::wire::v1;
use crate::writer::Taken;

/// Largest message that a service reads, in bytes.
pub const MAX_MESSAGE: usize = 256 * 1024;
/// Updates that wait for one stream's connection before the stream waits too.
pub const STREAM_BUFFER: usize = 64;

/// What every handler shares.
#[derive(Clone)]
pub struct Hall {
    inbox: mpsc::Sender<Request>,
    head: watch::Receiver<Head>,
    reader: Arc<dyn Reader>,
    clock: HallClock,
    devices: Devices,
    access: Access,
    closing: watch::Receiver<bool>,
    thinking: Arc<Semaphore>,
    writing: Arc<Semaphore>,
    lags: Lags,
}

/// Questions about positions, and replays, that are worked on at a time; others wait.
const THINKING: usize = 1;
/// Long answers that are written out at a time; others wait.
const WRITING: usize = 2;

/// The durable end of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// Its last entry.
    pub seq: Seq,
    /// The chain there.
    pub chain: Chain,
}

impl std::fmt::Debug for Hall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hall").field("head", &*self.head.borrow()).finish_non_exhaustive()
    }
}

impl Hall {
    /// Brings together what the handlers need. `closing` turns true when the daemon stops.
    pub fn new(
        inbox: mpsc::Sender<Request>,
        head: watch::Receiver<Head>,
        reader: Arc<dyn Reader>,
        clock: HallClock,
        devices: Devices,
        access: Access,
        closing: watch::Receiver<bool>,
    ) -> Hall {
        let (thinking, writing) = (Arc::new(Semaphore::new(THINKING)), Arc::new(Semaphore::new(WRITING)));
        Hall { inbox, head, reader, clock, devices, access, closing, thinking, writing, lags: Lags::default() }
    }

    /// Its door.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// The durable end of the log.
    pub fn head(&self) -> Head {
        *self.head.borrow()
    }

    /// Hands an input to the writer and waits until it is durable or refused. Outer error: the daemon is stopping.
    async fn submit(&self, command: Command) -> Result<Result<Taken, Refusal>, Status> {
        self.submit_as_of(self.clock.now(), command).await
    }

    /// The same of an input that came earlier than now.
    async fn submit_as_of(&self, came: At, command: Command) -> Result<Result<Taken, Refusal>, Status> {
        self.send(came, command).await?.await.map_err(|_| stopping())
    }

    /// Hands an input to the writer, and does not wait for what becomes of it.
    async fn send(&self, came: At, command: Command) -> Result<oneshot::Receiver<Result<Taken, Refusal>>, Status> {
        let (reply, answer) = oneshot::channel();
        self.inbox.send(Request::Decide { command: Box::new(command), came, reply }).await.map_err(|_| stopping())?;
        Ok(answer)
    }

    /// Whether a start has said hello: one that never was would put all that are behind it.
    async fn has_begun(&self, device: DeviceId, boot: u32) -> Result<(), Status> {
        if boot <= self.devices.boot(device) {
            return Ok(());
        }
        let known = self.ask(move |venue| venue.devices().get(&device).map_or(0, |known| known.boot)).await?;
        let hello = || Status::failed_precondition(format!("report.boot: start {boot} of this device has not said hello"));
        if boot <= known { Ok(()) } else { Err(hello()) }
    }

    /// Long work beside the writer, one at a time.
    async fn think<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Status> {
        beside(&self.thinking, work).await
    }

    /// Writes an answer out beside the writer, of what the writer gave for it. It does not wait for those who think.
    async fn write_out<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Status> {
        beside(&self.writing, work).await
    }

    /// Asks something of the venue, of which everything is durable then.
    async fn ask<T: Send + 'static>(&self, question: impl FnOnce(&Venue) -> T + Send + 'static) -> Result<T, Status> {
        let (reply, answer) = oneshot::channel();
        let question = Box::new(move |venue: &Venue| {
            // Nobody waits any more: nothing to tell.
            let _ = reply.send(question(venue));
        });
        self.inbox.send(Request::Ask(question)).await.map_err(|_| stopping())?;
        answer.await.map_err(|_| stopping())
    }

    /// All services, with health and reflection, as one set of routes.
    ///
    /// # Errors
    /// Where the protocol's descriptors cannot be read, which the build has made sure they can.
    pub async fn routes(&self) -> Result<(tonic::service::Routes, tonic_health::server::HealthReporter), tonic_reflection::server::Error> {
        let (health, health_service) = tonic_health::server::health_reporter();
        health.set_serving::<v1::clocks_server::ClocksServer<Hall>>().await;
        health.set_serving::<v1::consoles_server::ConsolesServer<Hall>>().await;
        health.set_serving::<v1::feeds_server::FeedsServer<Hall>>().await;
        health.set_serving::<v1::office_server::OfficeServer<Hall>>().await;
        health.set_serving::<v1::access_server::AccessServer<Hall>>().await;
        let reflection = tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(v1::DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
            .build_v1()?;
        let routes = tonic::service::Routes::new(v1::clocks_server::ClocksServer::new(self.clone()).max_decoding_message_size(MAX_MESSAGE))
            .add_service(v1::consoles_server::ConsolesServer::new(self.clone()).max_decoding_message_size(MAX_MESSAGE))
            .add_service(v1::feeds_server::FeedsServer::new(self.clone()).max_decoding_message_size(MAX_MESSAGE))
            .add_service(v1::office_server::OfficeServer::new(self.clone()).max_decoding_message_size(MAX_MESSAGE))
            .add_service(v1::access_server::AccessServer::new(self.clone()).max_decoding_message_size(MAX_MESSAGE))
            .add_service(health_service)
            .add_service(reflection);
        Ok((routes, health))
    }

    /// Resolves when the daemon stops.
    async fn closed(&self) {
        let mut closing = self.closing.clone();
        // The sender gone means the same.
        let _ = closing.wait_for(|closing| *closing).await;
    }
}

/// Does something where nobody waits for the thread. Whoever asked may have gone: it counts until it is done.
async fn beside<T: Send + 'static>(seats: &Arc<Semaphore>, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Status> {
    let seat = seats.clone().acquire_owned().await.map_err(|_| stopping())?;
    let worked = tokio::task::spawn_blocking(move || {
        let done = work();
        drop(seat);
        done
    });
    worked.await.map_err(|e| Status::internal(e.to_string()))
}

fn stopping() -> Status {
    Status::unavailable("the daemon is stopping")
}
