//! Signing the head of the log: on demand, and by itself when the last game of a round is over.

use std::time::Duration;

use tonic::Status;
use tracing::warn;

use super::Hall;
use crate::game::Seq;
use crate::signature::SignedHead;
use crate::venue::{Admin, Command, Input, Key, Origin, Payload, Refusal, Venue};
use crate::writer;

/// How often the daemon looks whether a round is over.
const EVERY: Duration = Duration::from_millis(250);

impl Hall {
    /// Signs the log where a round is over, with results that no signature covers.
    ///
    /// # Errors
    /// The daemon stops.
    pub async fn sign_what_is_over(&self) -> Result<(), Status> {
        if self.access.signer().is_none() || !self.ask(Venue::wants_signature).await? {
            return Ok(());
        }
        match self.sign(Origin::daemon(), None).await? {
            Ok((entry, head)) => tracing::info!(entry = entry.0, seq = head.seq, "a round is over, and the log is signed"),
            Err(refusal) => warn!(%refusal, "the head of the log was not signed"),
        }
        Ok(())
    }

    /// Signs the log as it is durable now: the entry that says so, and what was signed. Under a key that was used before, what was signed then.
    pub(super) async fn sign(&self, origin: Origin, key: Option<Key>) -> Result<Result<(Seq, SignedHead), Refusal>, Status> {
        let signer = self.access.signer().ok_or_else(|| {
            Status::failed_precondition("this venue has no key to sign with: end the daemon, and `zeitnot venue sign-key --data DIR` makes one")
        })?;
        let durable = self.head();
        let head = signer.sign(durable.seq.0, durable.chain.0);
        let taken = match self.submit(Command { origin, key, seen: None, input: Input::Sign { head } }).await? {
            Ok(taken) => taken,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if !taken.repeated {
            return Ok(Ok((taken.seq, head)));
        }
        let (reader, before) = (self.reader.clone(), Seq(taken.seq.0 - 1));
        let read = tokio::task::spawn_blocking(move || reader.read(before, 1)).await.map_err(|e| Status::internal(e.to_string()))?;
        let stored = read.map_err(|e| Status::data_loss(e.to_string()))?;
        let entry = stored.first().and_then(|stored| writer::read(stored.seq, &stored.body).ok());
        match entry.map(|entry| entry.payload) {
            Some(Payload::Admin(Admin::Signed { head })) => Ok(Ok((taken.seq, head))),
            _ => Err(Status::internal(format!("entry {} is no signature", taken.seq.0))),
        }
    }
}

/// Signs whenever a round is over, until the daemon stops. A result that is corrected afterwards is signed anew.
pub async fn signing(hall: Hall) {
    if hall.access.signer().is_none() {
        return;
    }
    loop {
        tokio::select! {
            biased;
            () = hall.closed() => return,
            () = tokio::time::sleep(EVERY) => {}
        }
        if hall.sign_what_is_over().await.is_err() {
            return;
        }
    }
}
