//! The whole stack under a simulated network: the real daemon behind HTTP/2, real clocks and a real reader, links that are
//! cut, held and repaired, a daemon that crashes and a log that fails.

use std::net::Ipv4Addr;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::ProgressBar;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use turmoil::net::{TcpListener, TcpStream};
use zeitnot::audit::{Audit, Versions};
use zeitnot::client::{Carrier, Dial, Reach};
use zeitnot::daemon::Daemon;
use zeitnot::disclosure;
use zeitnot::fleet::{Faults, Options, Report, Source, plans, run};
use zeitnot::game::Seq;
use zeitnot::http::serve_connection;
use zeitnot::log::{self, Alarm, Chain, Log, MemoryLog, Reader};
use zeitnot::time::HallClock;
use zeitnot::venue::{Role, WallTime};
use zeitnot::wire::v1::{self, feed_update, feeds_client::FeedsClient, office_client::OfficeClient};
use zeitnot::writer;

/// Days of `make test`; `ZEITNOT_NETWORK_SEEDS` says otherwise, and `make soak` does.
const SEEDS: u64 = 4;
/// Halls whose clocks are on a link of their own.
const HALLS: usize = 2;
/// Where the daemon listens.
const PORT: u16 = 7_960;
/// What goes wrong between clock and link.
const FAULTS: Faults = Faults { drop: 0.02, duplicate: 0.02, reorder: 0.02, reboot: 0.01, partition: 0.005 };
/// How long a day may take in the time of the simulation.
const LONGEST: Duration = Duration::from_secs(1_800);

/// A log that outlives its daemon. A daemon that has crashed does not write to it any more.
#[derive(Clone)]
struct Disk {
    kept: Arc<Mutex<(u64, MemoryLog)>>,
    mine: u64,
}

impl Disk {
    fn new() -> Disk {
        Disk { kept: Arc::default(), mine: 0 }
    }

    fn with<T>(&self, act: impl FnOnce(&mut (u64, MemoryLog)) -> T) -> T {
        act(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// For the next daemon.
    fn open(&self) -> Disk {
        let mine = self.with(|(turn, log)| {
            *turn += 1;
            log.restart();
            *turn
        });
        Disk { mine, ..self.clone() }
    }
}

impl Log for Disk {
    fn append(&mut self, first: Seq, bodies: &[Vec<u8>]) -> Result<(), log::Error> {
        let mine = self.mine;
        self.with(|(turn, log)| if *turn == mine { log.append(first, bodies) } else { Err(log::Error::Halted) })
    }

    fn head(&self) -> Seq {
        self.with(|(_, log)| log.head())
    }

    fn tip(&self) -> Chain {
        self.with(|(_, log)| log.tip())
    }

    fn reader(&self) -> Arc<dyn Reader> {
        self.with(|(_, log)| log.reader())
    }

    fn alarms(&mut self) -> Vec<Alarm> {
        Vec::new()
    }
}

fn reach() -> Reach {
    let dial = Dial::new(|| async { TcpStream::connect(("daemon", PORT)).await.map(|stream| Box::new(stream) as Box<dyn Carrier>) });
    Reach::to(&format!("http://daemon:{PORT}"), None).unwrap().by(dial)
}

/// The daemon: again and again on what is on the disk, for as long as its host is up.
async fn daemon(disk: Disk) -> turmoil::Result {
    loop {
        let clock = HallClock::at(WallTime(1_767_225_600_000));
        let Ok(mut daemon) = Daemon::start(Box::new(disk.open()), clock, None, &mut |_| {}).await else { continue };
        let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, PORT)).await?;
        let mut connections = tokio::task::JoinSet::new();
        let (router, closing) = (daemon.router.clone(), daemon.closing.clone());
        loop {
            tokio::select! {
                _ = daemon.failed() => break,
                accepted = listener.accept() => {
                    let (router, closing) = (router.clone(), closing.clone());
                    connections.spawn(async move { serve_connection(accepted.unwrap().0, router, closing).await });
                }
            }
        }
        drop(listener);
        connections.shutdown().await;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// What a feed has seen: every entry that is public, once and in order, up to a position.
#[derive(Default)]
struct Seen {
    position: u64,
    entries: Vec<(u64, Vec<u8>)>,
    digest: Option<v1::DigestAnswer>,
}

impl Seen {
    fn takes(&mut self, update: v1::FeedUpdate) -> u64 {
        assert!(update.position >= self.position, "position {} after {}", update.position, self.position);
        self.position = update.position;
        if let Some(feed_update::Kind::Entry(entry)) = update.kind {
            assert!(self.entries.last().is_none_or(|(last, _)| *last < entry.seq), "entry {} again", entry.seq);
            self.entries.push((entry.seq, entry.chain));
        }
        self.position
    }
}

/// Reads until the halls are done and nothing is left to be read.
async fn feed(seen: Arc<Mutex<Seen>>, done: Arc<Mutex<Vec<Report>>>) {
    let patient = reach().patient(Duration::from_secs(5), Some(Duration::from_secs(2)));
    loop {
        let after = seen.lock().unwrap().position;
        let read = async {
            let line = patient.connect().await.map_err(|_| ())?;
            let asked = v1::FollowRequest { after, ..Default::default() };
            let mut updates = FeedsClient::new(line.clone()).follow(asked).await.map_err(|_| ())?.into_inner();
            while let Some(update) = updates.message().await.map_err(|_| ())? {
                let position = seen.lock().unwrap().takes(update);
                if done.lock().unwrap().len() == HALLS {
                    let digest = OfficeClient::new(line.clone()).digest(v1::DigestRequest {}).await.map_err(|_| ())?.into_inner();
                    if digest.position == position {
                        return Ok(digest);
                    }
                }
            }
            Err(())
        };
        match read.await {
            Ok(digest) => {
                seen.lock().unwrap().digest = Some(digest);
                return;
            }
            Err(()) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

/// How a trouble ends.
type End = Box<dyn Fn(&mut turmoil::Sim<'_>)>;

/// One day: what the halls report, and how often something went wrong.
fn day(seed: u64) -> (Report, u32) {
    let mut chance = ChaCha8Rng::seed_from_u64(seed);
    let slow = Duration::from_millis(chance.random_range(2..60));
    let mut sim = turmoil::Builder::new()
        .rng_seed(seed)
        .simulation_duration(LONGEST)
        .tick_duration(Duration::from_millis(2))
        .min_message_latency(Duration::from_millis(1))
        .max_message_latency(slow)
        .tcp_capacity(1 << 16)
        .build();
    let disk = Disk::new();
    let (done, seen): (Arc<Mutex<Vec<Report>>>, Arc<Mutex<Seen>>) = Default::default();
    let kept = disk.clone();
    sim.host("daemon", move || daemon(kept.clone()));
    for hall in 0..HALLS {
        let done = done.clone();
        sim.client(format!("hall-{hall}"), async move {
            let seed = seed * HALLS as u64 + hall as u64;
            let (plans, mut report) = plans(&Source::Demo, seed).unwrap();
            let share = plans.into_iter().skip(hall).step_by(HALLS).collect();
            let options = Options { reach: reach(), boards: 8, speed: None, faults: FAULTS, seed };
            report.add(run(options, share, ProgressBar::hidden()).await?);
            done.lock().unwrap().push(report);
            Ok(())
        });
    }
    let (reads, ends) = (seen.clone(), done.clone());
    sim.client("reader", async move {
        feed(reads, ends).await;
        Ok(())
    });
    let mut troubles = 0;
    let mut next = Duration::from_millis(chance.random_range(300..1_500));
    let mut over: Option<(Duration, End)> = None;
    while !sim.step().unwrap_or_else(|e| panic!("seed {seed}: {e}")) {
        let now = sim.elapsed();
        if let Some((_, end)) = over.take_if(|(at, _)| *at <= now) {
            end(&mut sim);
            next = now + Duration::from_millis(chance.random_range(200..3_000));
        }
        if over.is_none() && now >= next && troubles < 8 && done.lock().unwrap().len() < HALLS {
            troubles += 1;
            let lasts = now + Duration::from_millis(chance.random_range(20..2_500));
            let who = ["hall-0", "hall-1", "reader"][chance.random_range(0..3)];
            let end: End = match chance.random_range(0..4) {
                0 => {
                    sim.partition(who, "daemon");
                    Box::new(move |sim| sim.repair(who, "daemon"))
                }
                1 => {
                    sim.hold(who, "daemon");
                    Box::new(move |sim| sim.release(who, "daemon"))
                }
                2 => {
                    sim.crash("daemon");
                    Box::new(|sim| sim.bounce("daemon"))
                }
                _ => {
                    let keep = if chance.random_bool(0.5) { 0 } else { usize::MAX };
                    disk.with(|(_, log)| log.fail(1, keep));
                    Box::new(|_| {})
                }
            };
            over = Some((lasts, end));
        }
    }
    drop(sim);
    let mut report = Report::default();
    done.lock().unwrap().drain(..).for_each(|one| report.add(one));
    assert!(report.all_equal() && report.presses == report.presses_acked, "seed {seed}: {report}");
    let seen = Arc::into_inner(seen).unwrap().into_inner().unwrap();
    holds(seed, &disk, &seen);
    (report, troubles)
}

/// The log is whole, the audit finds nothing, a replay is what the daemon lived, and the reader has seen all that is public.
fn holds(seed: u64, disk: &Disk, seen: &Seen) {
    let reader = disk.reader();
    log::verify(&*reader).unwrap();
    let (mut audit, mut versions, mut public) = (Audit::default(), Versions::default(), Vec::new());
    writer::each_entry(&*reader, Seq(0), None, &mut |entry| {
        versions.entry(&entry).unwrap();
        if disclosure::shown(Role::Feed, &entry) {
            public.push(entry.seq.0);
        }
        audit.entry(entry);
    })
    .unwrap();
    let audited = audit.finish();
    assert!(audited.differences.is_empty(), "seed {seed}: {:?}", audited.differences);
    let digest = seen.digest.as_ref().unwrap();
    let replayed = writer::replay(&*reader, Some(Seq(digest.position)), &mut |_| {}).unwrap();
    assert_eq!(replayed.digest().to_string(), digest.digest, "seed {seed}");
    public.retain(|seq| *seq <= seen.position);
    let got: Vec<u64> = seen.entries.iter().map(|(seq, _)| *seq).collect();
    assert_eq!(got, public, "seed {seed}");
    let mut shown = seen.entries.iter().peekable();
    reader
        .scan(Seq(0), &mut |entry| {
            if let Some((_, chain)) = shown.next_if(|(seq, _)| *seq == entry.seq.0) {
                assert_eq!(*chain, entry.chain.0, "seed {seed}: entry {} was shown otherwise", entry.seq.0);
            }
            ControlFlow::Continue(())
        })
        .unwrap();
}

#[test]
fn the_whole_stack_holds_over_a_network_that_fails() {
    let seeds = std::env::var("ZEITNOT_NETWORK_SEEDS").ok().map_or(SEEDS, |n| n.parse().unwrap());
    let sum = Mutex::new((Report::default(), 0));
    super::days::each(seeds, |seed| {
        let (report, troubles) = day(seed);
        let mut sum = sum.lock().unwrap();
        sum.0.add(report);
        sum.1 += troubles;
    });
    let (report, troubles) = sum.into_inner().unwrap();
    println!("{seeds} days, {troubles} troubles: {report}");
    assert!(troubles > 0 && report.resent > 0, "nothing went wrong");
}
