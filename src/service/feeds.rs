//! `Feeds`: public entries from a position on, then live; and the log itself, for backups.

use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Request, Response, Status};

use super::access::Caller;
use super::follow::{Filter, Follower, Found, HEARTBEAT};
use super::lag::Lag;
use super::{Hall, STREAM_BUFFER, copy, status};
use crate::game::{GameId, Seq};
use crate::venue::TournamentId;
use crate::wire::v1::{self, feed_update::Kind, feeds_server::Feeds};

type Updates = mpsc::Sender<Result<v1::FeedUpdate, Status>>;

#[tonic::async_trait]
impl Feeds for Hall {
    type FollowStream = ReceiverStream<Result<v1::FeedUpdate, Status>>;

    async fn follow(&self, request: Request<v1::FollowRequest>) -> Result<Response<Self::FollowStream>, Status> {
        let role = Caller::of(&request)?.reads();
        let wanted = request.into_inner();
        let head = self.head().seq;
        if wanted.after > head.0 {
            return Err(status::ended(Code::OutOfRange, &format!("after: the log ends at {}", head.0), head.0));
        }
        let filter = Filter {
            tournament: (wanted.tournament > 0).then_some(TournamentId(wanted.tournament)),
            round: (wanted.round > 0).then_some(wanted.round),
            game: (wanted.game > 0).then_some(GameId(wanted.game)),
            ..Filter::default()
        };
        let filter = self.ask(move |venue| filter.learn(venue)).await?;
        let (updates, stream) = mpsc::channel(STREAM_BUFFER);
        let follower = Follower::new(self, role, filter, Seq(wanted.after));
        tokio::spawn(follow(self.clone(), follower, updates));
        Ok(Response::new(ReceiverStream::new(stream)))
    }

    type CopyStream = ReceiverStream<Result<v1::Stretch, Status>>;

    async fn copy(&self, request: Request<v1::CopyRequest>) -> Result<Response<Self::CopyStream>, Status> {
        copy::copy(self, &request.into_inner()).map(Response::new)
    }
}

/// Runs until the reader goes or the daemon stops. However it ends, the last thing sent is a status with the position.
async fn follow(hall: Hall, mut follower: Follower, updates: Updates) {
    let mut lag = hall.lags.begin();
    let streams = metrics::gauge!("zeitnot_streams", "service" => "feeds");
    streams.increment(1);
    let end = send_all(&hall, &mut follower, &updates, &mut lag).await;
    // A reader that has gone cannot be told.
    let _ = updates.send(Err(end)).await;
    streams.decrement(1);
}

async fn send_all(hall: &Hall, follower: &mut Follower, updates: &Updates, lag: &mut Lag) -> Status {
    let mut caught_up = false;
    loop {
        let position = follower.cursor().0;
        lag.set(follower.lag());
        match follower.read() {
            Err(status) => return status,
            Ok(Found::Entries(entries, position)) => {
                let last = entries.last().map_or(0, |entry| entry.seq);
                for entry in entries {
                    let update = v1::FeedUpdate { position: entry.seq, kind: Some(Kind::Entry(entry)) };
                    if updates.send(Ok(update)).await.is_err() {
                        return gone(position.0);
                    }
                }
                if last < position.0 && updates.send(Ok(v1::FeedUpdate { position: position.0, kind: None })).await.is_err() {
                    return gone(position.0);
                }
                continue;
            }
            Ok(Found::End) => {}
        }
        if !caught_up {
            caught_up = true;
            if updates.send(Ok(v1::FeedUpdate { position, kind: Some(Kind::CaughtUp(v1::CaughtUp {})) })).await.is_err() {
                return gone(position);
            }
        }
        tokio::select! {
            biased;
            () = hall.closed() => return status::ended(Code::Unavailable, "the daemon is stopping", position),
            () = updates.closed() => return gone(position),
            () = follower.more() => {}
            () = tokio::time::sleep(HEARTBEAT) => {
                if updates.send(Ok(v1::FeedUpdate { position, kind: None })).await.is_err() {
                    return gone(position);
                }
            }
        }
    }
}

fn gone(position: u64) -> Status {
    status::ended(Code::Cancelled, "the reader has gone", position)
}
