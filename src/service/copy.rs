//! `Feeds.Copy`: the log byte for byte, for whoever may read everything. It ends where the log ended when it was asked for.

use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use super::{Hall, Head};
use crate::game::Seq;
use crate::log::{Chain, MAX_ENTRY};
use crate::wire::v1;

/// Entries of one message: with the largest of them it is a megabyte.
const STRETCH: usize = 64;
/// Largest message that tonic reads where nobody says otherwise.
const READABLE: usize = 4 << 20;
const _: () = assert!(STRETCH * (MAX_ENTRY + 8) < READABLE);
/// Messages that wait for the reader before the log is read on.
const AHEAD: usize = 4;

/// Begins a copy where the caller's own ends.
///
/// # Errors
/// The caller's own is of another log, or longer than this one.
pub(super) fn copy(hall: &Hall, wanted: &v1::CopyRequest) -> Result<ReceiverStream<Result<v1::Stretch, Status>>, Status> {
    let (head, after) = (hall.head(), Seq(wanted.after));
    if after > head.seq {
        return Err(Status::out_of_range(format!("after: the log ends at {}, and entry {} is wanted next", head.seq.0, after.0 + 1)));
    }
    if after > Seq(0) && chain_at(hall, after)?.0[..] != wanted.chain[..] {
        return Err(Status::failed_precondition(format!("chain: up to entry {} that is another log than this one", after.0)));
    }
    let (stretches, stream) = mpsc::channel(AHEAD);
    let hall = hall.clone();
    tokio::spawn(async move { send(&hall, after, head, &stretches).await });
    Ok(ReceiverStream::new(stream))
}

/// Sends what is after `after`. A reader that has gone ends it.
async fn send(hall: &Hall, mut after: Seq, head: Head, stretches: &mpsc::Sender<Result<v1::Stretch, Status>>) {
    while after < head.seq {
        let stretch = stretch(hall, after, head);
        let last = stretch.as_ref().map_or(head.seq, |stretch| Seq(after.0 + stretch.bodies.len() as u64));
        if stretches.send(stretch).await.is_err() {
            return;
        }
        after = last;
    }
}

fn stretch(hall: &Hall, after: Seq, head: Head) -> Result<v1::Stretch, Status> {
    let most = usize::try_from(head.seq.0 - after.0).unwrap_or(STRETCH).min(STRETCH);
    let stored = hall.reader.read(after, most).map_err(|e| Status::data_loss(e.to_string()))?;
    let chain = stored.last().map(|last| last.chain.0.to_vec()).ok_or_else(|| Status::data_loss(format!("entry {} is missing", after.0 + 1)))?;
    Ok(v1::Stretch { first: after.0 + 1, bodies: stored.into_iter().map(|stored| stored.body).collect(), chain, head: head.seq.0 })
}

fn chain_at(hall: &Hall, seq: Seq) -> Result<Chain, Status> {
    let stored = hall.reader.read(Seq(seq.0 - 1), 1).map_err(|e| Status::data_loss(e.to_string()))?;
    stored.first().map(|stored| stored.chain).ok_or_else(|| Status::data_loss(format!("entry {} is missing", seq.0)))
}
