//! A reader misses nothing, gets nothing twice, and is never in anybody's way.

use tonic::transport::Channel;
use tonic::{Code, Status, Streaming};
use zeitnot::wire::v1::{self, feed_update::Kind, feeds_client::FeedsClient};

use crate::clock::Clock;
use crate::console::{Console, note, taken};
use crate::hall::{Hall, pass, settle, soon};
use crate::ledger::Ledger;
use crate::words::{WHITE, add, control, offer, start};

struct Feed(Streaming<v1::FeedUpdate>);

impl Feed {
    async fn of(channel: Channel, wanted: v1::FollowRequest) -> Feed {
        Feed(FeedsClient::new(channel).follow(wanted).await.unwrap().into_inner())
    }

    async fn from(hall: &Hall, after: u64) -> Feed {
        Feed::of(hall.channel(), v1::FollowRequest { after, ..Default::default() }).await
    }

    async fn next(&mut self) -> Result<v1::FeedUpdate, Status> {
        soon("an update", self.0.message()).await.map(|update| update.expect("a feed ends with a status"))
    }

    /// The entries until all that was there has been sent.
    async fn caught_up(&mut self) -> Vec<v1::Entry> {
        let mut entries = Vec::new();
        loop {
            match self.next().await.unwrap().kind {
                Some(Kind::Entry(entry)) => entries.push(entry),
                Some(Kind::CaughtUp(_)) => return entries,
                None => {}
            }
        }
    }

    /// The next entry, and the position with it.
    async fn entry(&mut self) -> v1::Entry {
        loop {
            let update = self.next().await.unwrap();
            if let Some(Kind::Entry(entry)) = update.kind {
                assert_eq!(update.position, entry.seq);
                return entry;
            }
        }
    }
}

fn places(entries: &[v1::Entry]) -> Vec<u64> {
    entries.iter().map(|entry| entry.seq).collect()
}

/// The places that a feed may see, after one.
fn public(log: &Ledger, after: u64) -> Vec<u64> {
    let shown = |e: &zeitnot::venue::Entry| e.seq.0 > after && zeitnot::disclosure::shown(zeitnot::venue::Role::Feed, e);
    log.entries().iter().filter(|e| shown(e)).map(|e| e.seq.0).collect()
}

#[tokio::test(start_paused = true)]
async fn a_log_with_nothing_to_show_is_caught_up_once() {
    let hall = Hall::open().await;
    let mut feed = Feed::from(&hall, 0).await;
    assert!(feed.caught_up().await.is_empty());
    for _ in 0..3 {
        let beat = feed.next().await.unwrap();
        assert_eq!((beat.position, beat.kind), (1, None), "a heartbeat, and no second word of being caught up");
    }
    hall.tournament("Open", control("300")).await;
    assert_eq!(feed.entry().await.seq, 2);
    assert_eq!(feed.entry().await.seq, 3);
}

#[tokio::test(start_paused = true)]
async fn a_feed_goes_on_from_any_position() {
    let hall = Hall::open().await;
    let game = hall.game("300", 0).await;
    let mut arbiter = Console::attach(hall.channel()).await;
    arbiter.rules(game, start()).await;
    arbiter.rules(game, add(WHITE, 5_000)).await;
    let all = Feed::from(&hall, 0).await.caught_up().await;
    assert_eq!(places(&all), public(&hall.log, 0));
    for after in 0..=hall.log.entries().len() as u64 {
        let entries = Feed::from(&hall, after).await.caught_up().await;
        assert_eq!(places(&entries), public(&hall.log, after), "after {after}");
    }
    let chain = zeitnot::log::Log::tip(&hall.log);
    assert_eq!(all.last().unwrap().chain, chain.0);

    let beyond = hall.feeds().follow(v1::FollowRequest { after: 1_000, ..Default::default() }).await.unwrap_err();
    assert_eq!(beyond.code(), Code::OutOfRange);
    assert_eq!(beyond.metadata().get("zeitnot-position").unwrap().to_str().unwrap(), hall.log.entries().len().to_string());
}

#[tokio::test(start_paused = true)]
async fn a_filtered_feed_moves_on_while_nothing_matches() {
    let hall = Hall::open().await;
    let tournament = hall.tournament("Open", control("300")).await;
    let games = [hall.seat(tournament, 1, 0, None).await, hall.seat(tournament, 2, 0, None).await];
    let mut feed = Feed::of(hall.channel(), v1::FollowRequest { game: games[1], ..Default::default() }).await;
    let mine = |entry: &v1::Entry| entry.subject == Some(v1::entry::Subject::Game(games[1]));
    let first = feed.caught_up().await;
    assert!(first.len() == 1 && first.iter().all(mine), "{first:?}");

    let mut arbiter = Console::attach(hall.channel()).await;
    arbiter.rules(games[0], start()).await;
    let update = feed.next().await.unwrap();
    assert_eq!((update.kind, update.position), (None, hall.log.entries().len() as u64));
    arbiter.rules(games[1], start()).await;
    assert!(mine(&feed.entry().await) && mine(&feed.entry().await));

    let mut round = Feed::of(hall.channel(), v1::FollowRequest { tournament, round: 2, ..Default::default() }).await;
    assert!(round.caught_up().await.iter().all(|e| e.subject == Some(v1::entry::Subject::Tournament(tournament))));
}

/// Incidents, orders, devices and names are not for the public.
#[tokio::test(start_paused = true)]
async fn a_feed_sees_what_is_public() {
    let (hall, _clock, mut arbiter, game) = Clock::running("300", 0).await;
    taken(arbiter.outcome(note("secret", game, offer(WHITE))).await);
    assert_eq!(hall.log.incidents(), ["offer-out-of-turn"]);
    let entries = Feed::from(&hall, 0).await.caught_up().await;
    let is = |e: &v1::Entry, what: fn(&v1::consequence::Kind) -> bool| matches!(&e.payload, Some(v1::entry::Payload::Consequence(v1::Consequence { kind: Some(kind) })) if what(kind));
    assert!(entries.iter().any(|e| is(e, |kind| matches!(kind, v1::consequence::Kind::OfferMade(_)))));
    assert!(!entries.iter().any(|e| is(e, |kind| matches!(kind, v1::consequence::Kind::Incident(_) | v1::consequence::Kind::Ordered(_)))));
    assert!(entries.iter().all(|e| e.key.is_empty() && e.origin.as_ref().is_none_or(|o| o.name.is_empty())));
    assert!(entries.iter().all(|e| !matches!(e.subject, None | Some(v1::entry::Subject::Device(_)))));

    let mut console = Console::attach(hall.channel()).await;
    console.follows(0, 0, &[]).await;
    taken(arbiter.outcome(note("secret-2", game, offer(WHITE))).await);
    assert_eq!(console.entry().await.key, "secret-2", "an arbiter sees it");
}

/// BH-26: a reader that does not read loses nothing, and nobody waits for it.
#[tokio::test(start_paused = true)]
async fn a_slow_reader_misses_nothing() {
    let hall = Hall::open().await;
    let game = hall.game("300", 0).await;
    let mut feed = Feed::from(&hall, 0).await;
    feed.caught_up().await;
    let behind = hall.log.entries().len() as u64;
    let began = tokio::time::Instant::now();
    let mut arbiter = Console::attach(hall.channel()).await;
    arbiter.rules(game, start()).await;
    for _ in 0..1_100 {
        arbiter.rules(game, add(WHITE, 1)).await;
    }
    assert!(began.elapsed().as_millis() < 500, "the writer waited {:?} for a reader", began.elapsed());
    let wanted = public(&hall.log, behind);
    assert!(wanted.len() >= 2_000, "{}", wanted.len());
    for seq in wanted {
        assert_eq!(feed.entry().await.seq, seq);
    }
    assert_eq!(feed.next().await.unwrap().kind, None, "a heartbeat");
}

#[tokio::test(start_paused = true)]
async fn the_end_names_the_position() {
    let hall = Hall::open().await;
    let game = hall.game("300", 0).await;
    let mut feed = Feed::from(&hall, 0).await;
    feed.caught_up().await;
    Console::attach(hall.channel()).await.rules(game, start()).await;
    let last = [feed.entry().await, feed.entry().await].last().unwrap().seq;
    let log = hall.stop().await;
    let end = feed.next().await.unwrap_err();
    assert_eq!((end.code(), end.metadata().get("zeitnot-position").unwrap().to_str().unwrap()), (Code::Unavailable, &*last.to_string()));

    let hall = Hall::on(log).await;
    let mut feed = Feed::from(&hall, last).await;
    assert_eq!(places(&feed.caught_up().await), public(&hall.log, last));
}

/// A reader that has gone is forgotten.
#[tokio::test(start_paused = true)]
async fn a_reader_may_go() {
    let hall = Hall::open().await;
    let game = hall.game("300", 0).await;
    let feed = Feed::from(&hall, 0).await;
    drop(feed);
    settle().await;
    Console::attach(hall.channel()).await.rules(game, start()).await;
    pass(10_000).await;
    assert_eq!(places(&Feed::from(&hall, 0).await.caught_up().await), public(&hall.log, 0));
}

/// However many feeds come and go, there is one figure for all.
#[tokio::test(start_paused = true)]
async fn feeds_that_are_gone_leave_no_series() {
    let recorder = metrics_exporter_prometheus::PrometheusBuilder::new().build_recorder();
    let _local = metrics::set_default_local_recorder(&recorder);
    let hall = Hall::open().await;
    for _ in 0..3 {
        Feed::from(&hall, 0).await.caught_up().await;
    }
    pass(1_000).await;
    let page = recorder.handle().render();
    let lines: Vec<&str> = page.lines().filter(|line| line.starts_with("zeitnot_feed_lag_entries")).collect();
    assert_eq!(lines, ["zeitnot_feed_lag_entries 0"]);
}
