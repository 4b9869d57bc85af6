//! One round: a daemon starts, the hall plays, the daemon dies, and what is left is looked through. A day is many rounds of one log.

use std::net::TcpListener;
use std::path::PathBuf;
use std::time::Duration;

use rand::RngExt;
use tempfile::TempDir;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};
use tonic::transport::Channel;
use zeitnot::wire::v1::{self, office_client::OfficeClient};

use crate::daemon::{Served, Syncs, connect};
use crate::disk::Disk;
use crate::hall::Players;
use crate::left::{Left, look};
use crate::tally::Tally;

/// Rounds that one log goes through at most.
const DAY: u32 = 25;
/// Rounds in which a daemon dies that has to make its log first.
const BIRTHS: u32 = 2;
/// Longest time that a round plays.
const PLAY: Duration = Duration::from_millis(600);
/// Longest time that a daemon takes to answer, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// BH-22: where the daemon runs makes no difference to what the log says.
const ZONES: [&str; 3] = ["UTC", "Pacific/Kiritimati", "America/St_Johns"];

/// Where the log is, and hence how the daemon dies.
pub(crate) enum Site {
    /// On the disk of this machine; the process is killed.
    Here(TempDir),
    /// On one that can lose its power.
    Disk(Disk),
}

impl Site {
    pub(crate) fn here() -> Site {
        Site::Here(tempfile::tempdir().unwrap())
    }

    fn data(&self) -> PathBuf {
        match self {
            Site::Here(dir) => dir.path().join("data"),
            Site::Disk(disk) => disk.files().join("data"),
        }
    }
}

/// A log and all that happens to it.
pub(crate) struct Trial<'a> {
    site: Site,
    syncs: Syncs,
    tally: &'a mut Tally,
    /// For what the daemon says.
    scratch: TempDir,
    port: u16,
}

impl Trial<'_> {
    pub(crate) fn new(site: Site, syncs: Syncs, tally: &mut Tally) -> Trial<'_> {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        Trial { site, syncs, tally, scratch: tempfile::tempdir().unwrap(), port }
    }

    /// As many rounds as a day has, or as are left.
    pub(crate) async fn day(mut self) {
        let last = self.tally.left().saturating_sub(DAY);
        for _ in 0..BIRTHS.min(self.tally.left()) {
            self.birth().await.unwrap_or_else(|why| self.failed(&why));
        }
        if self.tally.left() == 0 {
            return;
        }
        let mut players = self.seating().await.unwrap_or_else(|why| self.failed(&why));
        while self.tally.left() > last {
            players = self.playing(players).await.unwrap_or_else(|why| self.failed(&why));
        }
        let left = self.evening(&players).await.unwrap_or_else(|why| self.failed(&why));
        self.tally.over(&players, left.entries);
    }

    /// A hall is seated, plays, and the power goes; `synced`: not before the disk has been synced from outside.
    pub(crate) async fn one_evening(mut self, synced: bool) -> Result<(), String> {
        let mut daemon = self.start();
        let channel = self.up(&mut daemon).await?;
        let players = Players::seated(self.tally.boards, self.tally.seed, channel.clone()).await;
        let (tell, gone) = watch::channel(false);
        let playing = players.play(1, self.port, &gone);
        sleep(PLAY).await;
        let said = digest(channel).await;
        let held = self.die(&mut daemon, synced);
        tell.send_replace(true);
        let players = playing.over().await;
        self.settle(held);
        look(&self.site.data(), Some(&players), Some(&said)).map(drop)
    }

    /// The daemon dies while it makes its log, or soon after. Nothing was acknowledged.
    async fn birth(&mut self) -> Result<(), String> {
        let mut daemon = self.start();
        sleep(self.tally.dice.random_range(Duration::ZERO..PLAY / 2)).await;
        let held = self.die(&mut daemon, false);
        self.settle(held);
        let left = look(&self.site.data(), None, None)?;
        self.tally.round(true, &left);
        Ok(())
    }

    /// The games are opened and started, and the daemon dies.
    async fn seating(&mut self) -> Result<Players, String> {
        let mut daemon = self.start();
        let channel = self.up(&mut daemon).await?;
        let players = Players::seated(self.tally.boards, self.tally.seed, channel.clone()).await;
        let said = digest(channel).await;
        let held = self.die(&mut daemon, false);
        self.settle(held);
        let left = look(&self.site.data(), Some(&players), Some(&said))?;
        self.tally.round(false, &left);
        Ok(players)
    }

    /// The hall plays, and the daemon dies; one time in five perhaps before it has come up.
    async fn playing(&mut self, players: Players) -> Result<Players, String> {
        let mut daemon = self.start();
        let (tell, gone) = watch::channel(false);
        let playing = players.play(self.tally.rounds, self.port, &gone);
        let early = self.tally.dice.random_bool(0.2);
        let said = if early { None } else { Some(digest(self.up(&mut daemon).await?).await) };
        sleep(self.tally.dice.random_range(Duration::ZERO..PLAY)).await;
        if let Some(how) = daemon.ended() {
            return Err(format!("the daemon ended by itself: {how}"));
        }
        let held = self.die(&mut daemon, false);
        tell.send_replace(true);
        let players = playing.over().await;
        self.settle(held);
        let left = look(&self.site.data(), Some(&players), said.as_ref())?;
        self.tally.round(early, &left);
        Ok(players)
    }

    /// The daemon starts a last time, and gives the same answers.
    async fn evening(&mut self, players: &Players) -> Result<Left, String> {
        let mut daemon = self.start();
        let channel = self.up(&mut daemon).await?;
        players.ask_again(channel.clone()).await;
        let said = digest(channel).await;
        daemon.kill();
        look(&self.site.data(), Some(players), Some(&said))
    }

    fn start(&self) -> Served {
        let zone = ZONES[self.tally.rounds as usize % ZONES.len()];
        Served::start(&self.site.data(), self.port, &self.scratch.path().join("said"), zone, self.syncs)
    }

    /// Waits until the daemon answers.
    async fn up(&self, daemon: &mut Served) -> Result<Channel, String> {
        let (_alive, never) = watch::channel(false);
        let until = Instant::now() + PATIENCE;
        let mut connecting = std::pin::pin!(connect(self.port, &never));
        loop {
            tokio::select! {
                channel = &mut connecting => return channel.ok_or_else(|| "nobody to connect to".to_string()),
                () = sleep(Duration::from_millis(50)) => {}
            }
            if let Some(how) = daemon.ended() {
                return Err(format!("the daemon does not start: {how}"));
            }
            if Instant::now() > until {
                return Err(format!("the daemon does not answer within {PATIENCE:?}"));
            }
        }
    }

    /// Kills the daemon; gives what the disk held at that moment, where it loses its power.
    fn die(&mut self, daemon: &mut Served, synced: bool) -> Option<PathBuf> {
        let held = match &mut self.site {
            Site::Here(_) => None,
            Site::Disk(disk) => {
                daemon.freeze();
                if synced {
                    disk.sync();
                }
                let some = self.syncs == Syncs::Done && self.tally.dice.random_bool(0.5);
                Some(if some { disk.held_and_some(&mut self.tally.dice) } else { disk.held() })
            }
        };
        daemon.kill();
        held
    }

    fn settle(&mut self, held: Option<PathBuf>) {
        if let (Site::Disk(disk), Some(held)) = (&mut self.site, held) {
            disk.put_in(held);
        }
    }

    /// What went wrong, and what is needed to look into it.
    fn failed(&self, why: &str) -> ! {
        let said = std::fs::read_to_string(self.scratch.path().join("said")).unwrap_or_default();
        panic!("{}, round {}, seed {}: {why}\nthe daemon said: {said}", self.tally.name, self.tally.rounds, self.tally.seed)
    }
}

async fn digest(channel: Channel) -> v1::DigestAnswer {
    OfficeClient::new(channel).digest(v1::DigestRequest {}).await.unwrap().into_inner()
}
