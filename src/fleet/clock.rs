//! A simulated clock: a perfect chessclock on a timeline of its own, which journals its reports,
//! carries out orders, and speaks with the daemon whenever it can.

use std::time::Duration;

use backon::BackoffBuilder;
use shakmaty::{ByColor, Color};
use tokio::time::Instant;

use super::faults::{Draw, Fate};
use super::journal::{Journal, Kept};
use super::link::Link;
use super::report::Report;
use super::{Error, Shared, office};
use crate::client::Reach;
use crate::clock::{Adjustment, Chessclock, Clock, Millis};
use crate::wire::v1::{self, clock_order, clock_report, fact, order};

/// How long an acknowledgement may take before everything not acknowledged is sent again.
const RESEND: Duration = Duration::from_millis(300);
/// How soon after sending everything again a gap does not ask for it once more.
const CALM: Duration = Duration::from_millis(20);

/// Reports that a clock which runs as fast as it can may be ahead of the daemon.
const AHEAD: usize = 8;

/// The device at one board.
pub(super) struct Device {
    serial: u64,
    reach: Reach,
    draw: Draw,
    journal: Journal,
    link: Option<Link>,
    /// Not before then is the network back.
    offline_until: Option<Instant>,
    held_back: Option<Kept>,
    last_sent: Instant,
    /// The instant on the device's timeline.
    pub(super) now: Millis,
    /// When its timeline began, in real time.
    began: Instant,
    /// How fast its time runs; `None`: as fast as the daemon takes it, and then it has no time that could be read.
    speed: Option<f64>,
    pub(super) clock: Chessclock,
    /// The game that it was told of last, and the last of its orders that it carried out.
    game: u64,
    last_order: u32,
    pub(super) rebooted: bool,
    pub(super) report: Report,
}

/// What the device waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// An instant of real time.
    Time(Instant),
    /// One of its clocks runs.
    Running,
    /// No more than [`AHEAD`] reports are not yet acknowledged.
    Room,
    /// Everything is acknowledged.
    Acked,
}

impl Device {
    pub(super) fn new(shared: &Shared, reach: Reach, serial: u64, board: u64, clock: Chessclock) -> Device {
        let now = Instant::now();
        Device {
            serial,
            reach,
            draw: Draw::new(shared.options.faults, shared.options.seed, board),
            journal: Journal::new(),
            link: None,
            offline_until: None,
            held_back: None,
            last_sent: now,
            now: Millis::ZERO,
            began: now,
            speed: shared.options.speed,
            clock,
            game: 0,
            last_order: 0,
            rebooted: false,
            report: Report::default(),
        }
    }

    /// Set up for another game.
    pub(super) fn set_up(&mut self, clock: Chessclock) {
        self.clock = clock;
        self.rebooted = false;
    }

    /// Goes on to an instant of the device's timeline.
    pub(super) fn advance(&mut self, by: Millis) {
        self.now = self.now.plus(by);
    }

    /// What its timeline shows, where it has a time of its own.
    fn read(&self) -> Option<Millis> {
        let passed = self.began.elapsed().as_secs_f64();
        self.speed.map(|speed| Millis((passed * speed * 1_000.0) as u64))
    }

    /// When an instant of its timeline comes, in real time; `None`: whenever the daemon takes it.
    pub(super) fn due(&self, at: Millis) -> Option<Instant> {
        // A hair later, so that nothing is done before its time has come on the timeline as it is read.
        self.speed.map(|speed| self.began + Duration::from_secs_f64((at.0 + 1) as f64 / 1_000.0 / speed))
    }

    /// Reports a fact as of now, and suffers what the draw has for it.
    pub(super) async fn say(&mut self, fact: fact::Kind) {
        let kept = self.journal.write(self.game, fact, self.now);
        self.report.reports += 1;
        self.report.presses += u64::from(kept.is_press);
        let fate = self.draw.fate();
        self.transmit(kept, fate).await;
        if fate.reboots {
            self.reboot().await;
        }
        if let Some(pause) = fate.cut_off {
            self.report.partitions += 1;
            self.link = None;
            self.offline_until = Some(Instant::now() + pause);
        }
    }

    async fn transmit(&mut self, kept: Kept, fate: Fate) {
        if fate.dropped {
            self.report.dropped += 1;
            return;
        }
        if fate.held_back && self.held_back.is_none() {
            self.report.reordered += 1;
            self.held_back = Some(kept);
            return;
        }
        self.send(&kept).await;
        if fate.doubled {
            self.report.duplicated += 1;
            self.send(&kept).await;
        }
        if let Some(late) = self.held_back.take() {
            self.send(&late).await;
        }
    }

    async fn send(&mut self, kept: &Kept) {
        self.last_sent = Instant::now();
        if let Some(link) = &self.link
            && link.send(clock_report::Kind::Report(kept.report.clone())).await.is_err()
        {
            self.link = None;
        }
    }

    async fn send_all(&mut self) {
        let all: Vec<Kept> = self.journal.kept().cloned().collect();
        if self.report.connections > 1 || self.last_order > 0 {
            self.report.resent += all.len() as u64;
        }
        self.held_back = None;
        for kept in &all {
            self.send(kept).await;
        }
    }

    /// Loses everything but the journal, the game and the number of the last order, and begins a new timeline.
    async fn reboot(&mut self) {
        self.report.reboots += 1;
        self.link = None;
        self.held_back = None;
        self.journal.restart();
        self.now = Millis::ZERO;
        self.began = Instant::now();
        self.clock.halt();
        self.rebooted = true;
        let kept = self.journal.write(self.game, fact::Kind::Restart(v1::Restart {}), self.now);
        self.report.reports += 1;
        self.send(&kept).await;
    }

    /// Speaks with the daemon until something holds.
    pub(super) async fn until(&mut self, what: Until) -> Result<(), Error> {
        let mut pauses = office::patience().build();
        loop {
            let holds = match what {
                Until::Time(at) => Instant::now() >= at,
                Until::Running => self.clock.running().is_some() || self.rebooted,
                Until::Room => self.journal.len() <= AHEAD,
                Until::Acked => self.journal.is_empty(),
            };
            if holds {
                return Ok(());
            }
            let deadline = if let Until::Time(at) = what { at } else { Instant::now() + RESEND };
            if self.offline_until.is_some_and(|back| Instant::now() < back) {
                let back = self.offline_until.unwrap_or(deadline);
                tokio::time::sleep_until(back.min(deadline)).await;
                continue;
            }
            self.offline_until = None;
            if self.link.is_none() && !self.connect().await {
                match pauses.next() {
                    Some(pause) => tokio::time::sleep(pause).await,
                    None => return Err(Error::Unreachable { server: self.reach.server(), why: "it stayed away".to_string() }),
                }
                continue;
            }
            pauses = office::patience().build();
            self.listen(deadline).await?;
        }
    }

    async fn connect(&mut self) -> bool {
        let introduction = v1::Introduction {
            model: "zeitnot fleet".to_string(),
            firmware: env!("CARGO_PKG_VERSION").to_string(),
            senses_board: true,
            wrap_us: 0,
            time_scale: (self.speed.unwrap_or(1.0) * 1_000.0).clamp(1.0, 1e9) as u64,
        };
        let hello = v1::Hello { introduction: Some(introduction), boot: self.journal.boot() };
        match Link::open(&self.reach, self.serial, hello).await {
            Ok(link) => {
                self.link = Some(link);
                self.report.connections += 1;
                self.send_all().await;
                true
            }
            Err(why) => {
                tracing::debug!(serial = self.serial, why, "not connected");
                false
            }
        }
    }

    /// Hears one thing, or sends again what has not been acknowledged for too long.
    async fn listen(&mut self, deadline: Instant) -> Result<(), Error> {
        let Some(link) = &mut self.link else { return Ok(()) };
        let resend = if self.journal.is_empty() { deadline } else { deadline.min(self.last_sent + RESEND) };
        tokio::select! {
            biased;
            heard = link.orders.message() => match heard {
                Ok(Some(order)) => self.heard(order).await?,
                Ok(None) | Err(_) => self.link = None,
            },
            () = tokio::time::sleep_until(resend) => {
                if !self.journal.is_empty() && Instant::now() >= self.last_sent + RESEND {
                    self.send_all().await;
                }
            }
        }
        Ok(())
    }

    /// A report is missing at the daemon: all are sent again, unless that was done a moment ago.
    async fn gap(&mut self) {
        if self.last_sent.elapsed() >= CALM {
            self.send_all().await;
        }
    }

    async fn heard(&mut self, said: v1::ClockOrder) -> Result<(), Error> {
        for kept in self.journal.acked(said.acked_boot, said.acked_report) {
            self.report.acked(&kept);
        }
        match said.kind {
            Some(clock_order::Kind::Assignment(assignment)) if assignment.game != self.game => {
                (self.game, self.last_order) = (assignment.game, 0);
            }
            Some(clock_order::Kind::Order(order)) if order.order > self.last_order => self.obey(order).await,
            Some(clock_order::Kind::Probe(probe)) => self.answer(probe.probe).await,
            Some(clock_order::Kind::Refused(refused)) if refused.code == "gap" => self.gap().await,
            Some(clock_order::Kind::Refused(refused)) => {
                self.journal.refused(refused.boot, refused.number);
                let what = format!("report {} of boot {} of device {}", refused.number, refused.boot, self.serial);
                return Err(Error::Refused { what, why: format!("{}: {}", refused.code, refused.text) });
            }
            _ => {}
        }
        Ok(())
    }

    /// Carries an order out, now, and confirms it.
    async fn obey(&mut self, order: v1::Order) {
        self.last_order = order.order;
        self.now = self.read().map_or(self.now, |read| read.max(self.now));
        match order.command {
            Some(order::Command::Start(color)) => self.clock.run(color_of(color), self.now),
            Some(order::Command::Stop(_)) => self.clock = self.clock.stopped(Some(self.now)),
            Some(order::Command::Set(sides)) => {
                for (color, side) in [(Color::White, sides.white), (Color::Black, sides.black)] {
                    if let Some(side) = side {
                        let clock = Clock { left: Millis(side.left_ms), free: Millis(side.free_ms), period: side.period, counter: side.counter };
                        self.clock.set_side(color, clock);
                    }
                }
            }
            Some(order::Command::Add(add)) => {
                let color = color_of(add.color);
                let clock = self.clock.side(color);
                let clock = Clock { left: clock.left.adjusted(Adjustment(add.by_ms)), ..*clock };
                self.clock.set_side(color, clock);
            }
            None => {}
        }
        self.say(fact::Kind::Confirmation(order.order)).await;
    }

    async fn answer(&mut self, probe: u32) {
        let Some(read) = self.read() else { return };
        let answer = v1::ProbeAnswer { probe, at_ms: read.0 };
        if let Some(link) = &self.link
            && link.send(clock_report::Kind::ProbeAnswer(answer)).await.is_err()
        {
            self.link = None;
        }
    }

    /// What both sides show.
    pub(super) fn sides(&self) -> ByColor<Clock> {
        ByColor::new_with(|color| *self.clock.side(color))
    }
}

fn color_of(color: i32) -> Color {
    Color::from_white(color == i32::from(v1::Color::White))
}
