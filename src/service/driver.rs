//! Drives the writer: takes what waits, lets it decide each in turn, commits once, then answers.

use std::collections::BTreeSet;

use tokio::sync::{mpsc, oneshot, watch};

use super::{Access, Devices, Head};
use crate::game::{Consequence, DeviceId, Entry as Said, Fact, GameId};
use crate::log::Log;
use crate::time::{HallClock, Stopwatch};
use crate::venue::{Admin, At, Command, CredentialId, Entry, Input, Origin, Payload, Refusal, Subject, Venue};
use crate::writer::{self, MAX_COMMIT, Taken, Writer};

/// Requests that wait for the writer before those who send wait too.
pub const INBOX: usize = 4 * MAX_COMMIT;

/// Conflicting reports of which the arbiters are told while the daemon runs, each once.
const CONFLICTS: usize = 1_000;

/// What the writer is asked.
pub enum Request {
    /// An input, and where its outcome goes once it is durable.
    Decide {
        /// The input.
        command: Box<Command>,
        /// When it came: what it waits for the writer and the disk is charged to nobody.
        came: At,
        /// Answered after the commit, or at once with a refusal.
        reply: oneshot::Sender<Result<Taken, Refusal>>,
    },
    /// A question about the venue, asked when all of it is durable.
    Ask(Box<dyn FnOnce(&Venue) + Send>),
}

impl std::fmt::Debug for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Request::Decide { command, .. } => f.debug_struct("Decide").field("command", command).finish_non_exhaustive(),
            Request::Ask(_) => f.write_str("Ask"),
        }
    }
}

type Reply = (oneshot::Sender<Result<Taken, Refusal>>, Result<Taken, Refusal>);

/// Runs until the inbox is closed. An error means that the log failed: nobody was told anything that is not durable.
///
/// # Errors
/// The log failed; the process must stop.
pub async fn drive(
    mut writer: Writer,
    mut log: Box<dyn Log>,
    mut inbox: mpsc::Receiver<Request>,
    head: watch::Sender<Head>,
    devices: Devices,
    access: Access,
    clock: HallClock,
) -> Result<(), writer::Error> {
    let reader = log.reader();
    let mut alarms: Vec<String> = log.alarms().iter().map(ToString::to_string).collect();
    let mut conflicts = BTreeSet::new();
    let mut last = clock.now();
    loop {
        let mut replies: Vec<Reply> = Vec::new();
        let mut questions = Vec::new();
        for alarm in std::mem::take(&mut alarms) {
            tracing::error!(alarm);
            let command = Command { origin: Origin::daemon(), key: None, seen: None, input: Input::Alarm { text: alarm } };
            last = clock.now();
            let _ = writer.decide(&*reader, command, last)?;
        }
        let mut next = if writer.has_pending() { inbox.try_recv().ok() } else { inbox.recv().await };
        if next.is_none() && !writer.has_pending() {
            return Ok(());
        }
        while let Some(request) = next {
            match request {
                Request::Ask(question) => questions.push(question),
                Request::Decide { command, came, reply } => {
                    let stamp = command.origin.stamp;
                    last = last.not_before(came);
                    let outcome = decide(&mut writer, &*reader, *command, last)?;
                    if let (Err(Refusal::Conflict { seq }), Some(s)) = (&outcome, stamp)
                        && conflicts.len() < CONFLICTS
                        && conflicts.insert((s.device, s.boot, s.report))
                    {
                        let (device, boot, report) = (s.device.0, s.boot, s.report);
                        alarms.push(format!("device {device} sent something else as report {report} of boot {boot} than entry {}", seq.0));
                    }
                    replies.push((reply, outcome));
                }
            }
            next = if writer.has_room() && replies.len() < MAX_COMMIT { inbox.try_recv().ok() } else { None };
        }
        let (first, bodies, entries) = writer.take_pending();
        if !bodies.is_empty() {
            metrics::histogram!("zeitnot_commit_entries").record(bodies.len() as f64);
            let watch = Stopwatch::start();
            let (returned, done) = tokio::task::spawn_blocking(move || {
                let done = log.append(first, &bodies);
                (log, done)
            })
            .await
            .map_err(|e| writer::Error::Entry { seq: first.0, why: format!("the log's thread failed: {e}") })?;
            log = returned;
            done?;
            metrics::histogram!("zeitnot_commit_seconds").record(watch.elapsed());
            alarms.extend(log.alarms().iter().map(ToString::to_string));
            access.learn(writer.venue(), entries.iter().filter_map(credential));
            head.send_replace(Head { seq: writer.venue().head(), chain: log.tip() });
            devices.wake_told(entries.iter().filter_map(replaced));
            devices.wake(entries.iter().flat_map(|entry| concerns(writer.venue(), entry)));
        }
        for (reply, outcome) in replies {
            // A sender that has gone will ask again under the same key.
            let _ = reply.send(outcome);
        }
        for question in questions {
            question(writer.venue());
        }
    }
}

fn decide(writer: &mut Writer, reader: &dyn crate::log::Reader, command: Command, at: At) -> Result<Result<Taken, Refusal>, writer::Error> {
    let stamp = command.origin.stamp;
    let span = tracing::debug_span!("command", game = tracing::field::Empty, seq = tracing::field::Empty, device = stamp.map(|s| s.device.0));
    let _entered = span.enter();
    if let Input::Game { game, .. } = &command.input {
        span.record("game", game.0);
    }
    let outcome = writer.decide(reader, command, at)?;
    match &outcome {
        Ok(taken) => {
            span.record("seq", taken.seq.0);
            tracing::debug!(repeated = taken.repeated, "taken");
        }
        Err(refusal) => {
            metrics::counter!("zeitnot_refusals_total", "code" => refusal.code()).increment(1);
            tracing::debug!(%refusal, "refused");
        }
    }
    Ok(outcome)
}

/// The credential that an entry is about.
fn credential(entry: &Entry) -> Option<CredentialId> {
    match &entry.payload {
        Payload::Admin(Admin::Invited { credential, .. } | Admin::Enrolled { credential, .. } | Admin::Revoked { credential, .. }) => {
            Some(*credential)
        }
        _ => None,
    }
}

/// The game whose device is another one since this entry.
pub(crate) fn replaced(entry: &Entry) -> Option<GameId> {
    match (&entry.payload, entry.subject) {
        (Payload::Game(Said::Consequence(Consequence::ClockReplaced { .. } | Consequence::OwnClockReplaced { .. })), Subject::Game(game)) => {
            Some(game)
        }
        _ => None,
    }
}

/// The devices that have to be told of an entry.
pub(crate) fn concerns(venue: &Venue, entry: &Entry) -> impl Iterator<Item = DeviceId> {
    let at_board = || match entry.subject {
        Subject::Game(game) => venue.table(game).map_or([None; 2], |table| [table.game.device, table.game.black_device]),
        _ => [None; 2],
    };
    let devices = match &entry.payload {
        Payload::Game(Said::Consequence(
            Consequence::Ordered { .. }
            | Consequence::ClockReplaced { .. }
            | Consequence::OwnClockReplaced { .. }
            | Consequence::GameOver { .. }
            | Consequence::ResultCorrected { .. }
            | Consequence::Reopened { .. }
            | Consequence::Annulled
            | Consequence::FlagWithdrawn { .. },
        )) => at_board(),
        // What it held from before is taken now.
        Payload::Game(Said::Fact(Fact::Restart)) => [entry.origin.as_ref().and_then(|origin| origin.stamp).map(|stamp| stamp.device), None],
        Payload::Admin(Admin::GameOpened { device, black_device, .. }) => [*device, *black_device],
        Payload::Admin(Admin::DeviceAssigned { device, .. }) => [Some(*device), None],
        _ => [None; 2],
    };
    devices.into_iter().flatten()
}
