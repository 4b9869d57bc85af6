//! A clock that lives through every crash: what it sent, what was acknowledged, and what it sends again.

use std::collections::VecDeque;
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;
use zeitnot::wire::v1::{self, clocks_client::ClocksClient};

use crate::daemon::connect;

/// Reports that a clock makes before it waits for an acknowledgement.
const AHEAD: usize = 5;

/// What a device says first.
pub(crate) fn hello(device: u64) -> v1::ClockReport {
    let introduction = Some(v1::Introduction { model: "Crash".to_string(), ..Default::default() });
    v1::ClockReport { device, kind: Some(v1::clock_report::Kind::Hello(v1::Hello { introduction, boot: 1 })) }
}

/// The reports it keeps, and the last one that it need not keep.
pub(crate) struct Clock {
    pub(crate) device: u64,
    /// The last report it made.
    pub(crate) made: u32,
    /// The last report that was acknowledged.
    pub(crate) acked: u32,
    /// How often it sent one again that had been acknowledged.
    pub(crate) again: u32,
    held: VecDeque<v1::Report>,
    /// Longest time between two presses.
    pace: Duration,
    dice: ChaCha8Rng,
}

impl Clock {
    /// One whose first report has been acknowledged.
    pub(crate) fn new(device: u64, pace: Duration, seed: u64) -> Clock {
        Clock { device, made: 1, held: VecDeque::new(), acked: 1, again: 0, pace, dice: ChaCha8Rng::seed_from_u64(seed + device) }
    }

    /// The report of that number, as it always was: a press of whoever is on move, a hundredth of a second after the one before.
    fn report(&self, number: u32) -> v1::Report {
        let press = v1::Press { by: if number.is_multiple_of(2) { 1 } else { 2 }, ..Default::default() };
        let kind = Some(v1::report::Kind::Fact(v1::Fact { kind: Some(v1::fact::Kind::Press(press)) }));
        v1::Report { boot: 1, number, previous: None, at_ms: u64::from(number) * 10, game: self.device, kind }
    }

    /// Plays until the daemon is gone.
    pub(crate) async fn play(mut self, port: u16, gone: watch::Receiver<bool>) -> Clock {
        if let Some(channel) = connect(port, &gone).await {
            // It ends when the connection does.
            let _ = self.session(channel).await;
        }
        self
    }

    async fn session(&mut self, channel: Channel) -> Result<(), tonic::Status> {
        let (reports, stream) = mpsc::channel(1_024);
        let say = async |report| {
            // Nobody there any more: the stream ends too.
            let _ = reports.send(v1::ClockReport { device: 0, kind: Some(v1::clock_report::Kind::Report(report)) }).await;
        };
        let _ = reports.send(hello(self.device)).await;
        let mut orders = ClocksClient::new(channel).attach(ReceiverStream::new(stream)).await?.into_inner();
        let first = orders.message().await?.ok_or_else(|| tonic::Status::ok("ended"))?;
        assert!(first.acked_report >= self.acked, "device {}: report {} was acknowledged, {} are there", self.device, self.acked, first.acked_report);
        // The last one that was acknowledged once more, then what is held.
        if self.acked > 1 {
            say(self.report(self.acked)).await;
            self.again += 1;
        }
        for report in self.held.clone() {
            say(report).await;
        }
        let mut next = Instant::now();
        loop {
            tokio::select! {
                order = orders.message() => self.hears(order?.ok_or_else(|| tonic::Status::ok("ended"))?),
                () = sleep_until(next), if self.held.len() < AHEAD => {
                    self.made += 1;
                    let report = self.report(self.made);
                    self.held.push_back(report.clone());
                    say(report).await;
                    next = Instant::now() + self.dice.random_range(Duration::ZERO..self.pace);
                }
            }
        }
    }

    fn hears(&mut self, order: v1::ClockOrder) {
        if let Some(v1::clock_order::Kind::Refused(refused)) = order.kind {
            panic!("device {}: {refused:?}", self.device);
        }
        self.acked = self.acked.max(order.acked_report);
        while self.held.front().is_some_and(|report| report.number <= self.acked) {
            self.held.pop_front();
        }
    }
}
