//! A clock on a board, as the daemon meets it: it numbers its reports, stamps them as the test says, and answers probes.

use std::collections::VecDeque;

use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;
use tonic::{Status, Streaming};
use zeitnot::wire::v1::{self, clock_order::Kind as Say, clock_report::Kind as Said, clocks_client::ClocksClient};

use crate::console::Console;
use crate::hall::{Hall, soon};
use crate::words::{confirmation, start};

pub(crate) struct Clock {
    pub(crate) boot: u32,
    /// Number of the last report.
    pub(crate) number: u32,
    /// The last start and report that the daemon has acknowledged.
    pub(crate) acked: (u32, u32),
    /// The game that it was told of last; the first one, where it has forgotten that.
    game: u64,
    reports: mpsc::Sender<v1::ClockReport>,
    orders: Streaming<v1::ClockOrder>,
    waiting: VecDeque<Say>,
    /// Where its own time was set, and when; before that it answers no probe.
    timeline: Option<(Instant, u64)>,
    scale: u64,
    wrap_us: u64,
}

pub(crate) fn introduction() -> v1::Introduction {
    v1::Introduction { model: "Test clock".to_string(), firmware: "1".to_string(), senses_board: true, wrap_us: 0, time_scale: 1_000 }
}

pub(crate) fn hello(device: u64, boot: u32, introduction: v1::Introduction) -> v1::ClockReport {
    v1::ClockReport { device, kind: Some(Said::Hello(v1::Hello { introduction: Some(introduction), boot })) }
}

/// A report of a fact of the first game.
pub(crate) fn report(boot: u32, number: u32, at_ms: u64, fact: v1::Fact) -> v1::Report {
    v1::Report { boot, number, previous: None, at_ms, game: 1, kind: Some(v1::report::Kind::Fact(fact)) }
}

impl Clock {
    /// Connects and says hello.
    pub(crate) async fn attach(channel: Channel, device: u64, boot: u32) -> Clock {
        Clock::introduced(channel, device, boot, introduction()).await
    }

    pub(crate) async fn introduced(channel: Channel, device: u64, boot: u32, introduction: v1::Introduction) -> Clock {
        let (reports, stream) = mpsc::channel(4_096);
        let (scale, wrap_us) = (introduction.time_scale, introduction.wrap_us);
        reports.send(hello(device, boot, introduction)).await.unwrap();
        let orders = ClocksClient::new(channel).attach(ReceiverStream::new(stream)).await.unwrap().into_inner();
        Clock { boot, number: 0, acked: (0, 0), game: 1, reports, orders, waiting: VecDeque::new(), timeline: None, scale, wrap_us }
    }

    /// A hall with one clock, number 7, at one game of that control, and an arbiter. The clock knows its game.
    pub(crate) async fn at_board(control: &str) -> (Hall, Clock, Console, u64) {
        let hall = Hall::open().await;
        let mut clock = Clock::attach(hall.channel(), 7, 1).await;
        clock.assigned(0).await;
        let game = hall.game(control, 7).await;
        clock.assigned(game).await;
        let arbiter = Console::attach(hall.channel()).await;
        (hall, clock, arbiter, game)
    }

    /// The same with the game started at that stamp.
    pub(crate) async fn running(control: &str, at: u64) -> (Hall, Clock, Console, u64) {
        let (hall, mut clock, mut arbiter, game) = Clock::at_board(control).await;
        clock.started(&mut arbiter, game, at).await;
        (hall, clock, arbiter, game)
    }

    /// The arbiter starts the game, and the clock confirms with that stamp.
    pub(crate) async fn started(&mut self, arbiter: &mut Console, game: u64, at: u64) {
        arbiter.rules(game, start()).await;
        let order = self.order().await;
        assert!(matches!(order.command, Some(v1::order::Command::Start(_))), "{order:?}");
        self.does(at, confirmation(order.order)).await;
    }

    /// Its own time is this from now on, as probes are answered.
    pub(crate) fn set_time(&mut self, ms: u64) {
        self.timeline = Some((Instant::now(), ms));
    }

    pub(crate) fn time(&self) -> u64 {
        let Some((since, then)) = self.timeline else { return 0 };
        then + u64::try_from(since.elapsed().as_millis()).unwrap() * self.scale / 1_000
    }

    /// What its counter reads.
    fn raw(&self) -> u64 {
        if self.wrap_us > 0 { self.time() * 1_000 % self.wrap_us / 1_000 } else { self.time() }
    }

    /// Sends the next report and does not wait.
    pub(crate) async fn says(&mut self, at: u64, fact: v1::Fact) -> u32 {
        self.number += 1;
        self.reports(v1::Report { game: self.game, ..report(self.boot, self.number, at, fact) }).await;
        self.number
    }

    /// Sends the next report and waits until it is acknowledged.
    pub(crate) async fn does(&mut self, at: u64, fact: v1::Fact) {
        let number = self.says(at, fact).await;
        self.acknowledged(number).await;
    }

    pub(crate) async fn reports(&mut self, report: v1::Report) {
        self.sends(v1::ClockReport { device: 0, kind: Some(Said::Report(report)) }).await;
    }

    pub(crate) async fn sends(&mut self, message: v1::ClockReport) {
        self.reports.send(message).await.unwrap();
    }

    /// Waits until the report of this start is acknowledged.
    pub(crate) async fn acknowledged(&mut self, number: u32) {
        let acknowledged = async {
            while self.acked != (self.boot, number) {
                self.hear().await.unwrap();
                if let Some(refused) = self.waiting.iter().find(|say| matches!(say, Say::Refused(_))) {
                    panic!("{refused:?}");
                }
            }
        };
        soon("the acknowledgement", acknowledged).await;
    }

    /// The next order that was not looked at yet.
    pub(crate) async fn order(&mut self) -> v1::Order {
        self.wait("an order", |say| if let Say::Order(order) = say { Some(*order) } else { None }).await
    }

    pub(crate) async fn refusal(&mut self) -> v1::ReportRefused {
        self.wait("a refusal", |say| if let Say::Refused(refused) = say { Some(refused.clone()) } else { None }).await
    }

    pub(crate) async fn assigned(&mut self, game: u64) -> v1::Assignment {
        self.wait("the assignment", |say| if let Say::Assignment(a) = say { (a.game == game).then(|| a.clone()) } else { None }).await
    }

    async fn wait<T>(&mut self, what: &str, pick: impl Fn(&Say) -> Option<T>) -> T {
        let found = async {
            loop {
                if let Some((at, found)) = self.waiting.iter().enumerate().find_map(|(at, say)| Some((at, pick(say)?))) {
                    self.waiting.remove(at);
                    return found;
                }
                self.hear().await.unwrap();
            }
        };
        soon(what, found).await
    }

    /// Listens for so long, answering probes.
    pub(crate) async fn listens(&mut self, ms: u64) {
        // To have heard nothing is as good.
        let _ = tokio::time::timeout(std::time::Duration::from_millis(ms), async { while self.hear().await.is_ok() {} }).await;
    }

    /// What has not been looked at.
    pub(crate) fn unheeded(&self) -> usize {
        self.waiting.len()
    }

    /// How the stream ends.
    pub(crate) async fn ended(&mut self) -> Status {
        let end = async {
            loop {
                if let Err(status) = self.hear().await {
                    return status;
                }
            }
        };
        soon("the end", end).await
    }

    /// Takes one message in.
    async fn hear(&mut self) -> Result<(), Status> {
        let order = self.orders.message().await?.ok_or_else(|| Status::ok("ended"))?;
        self.acked = (order.acked_boot, order.acked_report);
        match order.kind {
            Some(Say::Probe(_)) if self.timeline.is_none() => {}
            Some(Say::Probe(v1::Probe { probe })) => {
                let at_ms = self.raw();
                let answer = Said::ProbeAnswer(v1::ProbeAnswer { probe, at_ms });
                // A connection that has ended says so when it is read.
                let _ = self.reports.send(v1::ClockReport { device: 0, kind: Some(answer) }).await;
            }
            Some(say) => {
                if let Say::Assignment(assignment) = &say {
                    self.game = assignment.game;
                }
                self.waiting.push_back(say);
            }
            None => {}
        }
        Ok(())
    }
}
