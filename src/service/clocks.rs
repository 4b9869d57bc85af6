//! The clocks: a device's session, and the same one report or one direction at a time for browsers.
//!
//! A session awaits each report's outcome before it reads the next, so reports reach the writer
//! in order and a device that floods only makes itself wait.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Request, Response, Status, Streaming};

use super::access::Caller;
use super::{Hall, STREAM_BUFFER, status};
use crate::clock::{Millis, Probe, Wrap};
use crate::game::{DeviceId, GameId, OrderNo};
use crate::venue::{self, Command, DeviceStamp, Input, Introduction, Key, MAX_KEY, Noticed, Origin, Refusal, Role, Venue};
use crate::wire::{self, v1};
use v1::clock_order::Kind as Say;
use v1::clock_report::Kind as Said;
use v1::clocks_server::Clocks;

/// How often a device's timeline is probed.
const PROBE_EVERY: Duration = Duration::from_secs(4);
/// How long a device that has answered probes may be silent before its connection counts as dead, though its system still answers.
const SILENT: Duration = Duration::from_secs(15);
/// Probes kept while their answers are out.
const PROBES_OPEN: usize = 8;

type Orders = mpsc::Sender<Result<v1::ClockOrder, Status>>;

#[tonic::async_trait]
impl Clocks for Hall {
    type AttachStream = ReceiverStream<Result<v1::ClockOrder, Status>>;
    type OrdersStream = ReceiverStream<Result<v1::ClockOrder, Status>>;

    async fn attach(&self, request: Request<Streaming<v1::ClockReport>>) -> Result<Response<Self::AttachStream>, Status> {
        let (orders, stream) = mpsc::channel(STREAM_BUFFER);
        let caller = Caller::of(&request)?;
        let (hall, mut reports) = (self.clone(), request.into_inner());
        tokio::spawn(async move {
            let hello = reports.message().await;
            let ended = match hello {
                Ok(Some(hello)) => match Session::open(hall, caller, hello, orders.clone()).await {
                    Ok(mut session) => session.run(Some(reports)).await,
                    Err(status) => status,
                },
                Ok(None) => return,
                Err(status) => status,
            };
            // A device that has gone cannot be told.
            let _ = orders.send(Err(ended)).await;
        });
        Ok(Response::new(ReceiverStream::new(stream)))
    }

    async fn send(&self, request: Request<v1::ClockReport>) -> Result<Response<v1::ClockOrder>, Status> {
        let caller = Caller::of(&request)?;
        let message = request.into_inner();
        let device = DeviceId(message.device);
        let Some(Said::Report(report)) = message.kind else {
            return Err(Status::invalid_argument("kind: a report; say hello in Orders"));
        };
        let (boot, number) = (report.boot, report.number);
        // Who speaks for another one is told that.
        if caller.speaks_for(device) {
            self.has_begun(device, boot).await?;
        }
        let came = self.devices.came(device, boot, self.clock.since_start());
        let mut command = command(caller.origin(Role::Clock, String::new()), device, report).map_err(|e| status::malformed(&e))?;
        command.origin.stamp = command.origin.stamp.map(|stamp| DeviceStamp { arrived: came, ..stamp });
        match self.submit(command).await? {
            Ok(_) => Ok(Response::new(v1::ClockOrder { acked_boot: boot, acked_report: number, kind: None })),
            Err(refusal) => Err(status::status(&refusal)),
        }
    }

    async fn orders(&self, request: Request<v1::ClockReport>) -> Result<Response<Self::OrdersStream>, Status> {
        let (orders, stream) = mpsc::channel(STREAM_BUFFER);
        let caller = Caller::of(&request)?;
        let mut session = Session::open(self.clone(), caller, request.into_inner(), orders.clone()).await?;
        tokio::spawn(async move {
            let ended = session.run(None).await;
            let _ = orders.send(Err(ended)).await;
        });
        Ok(Response::new(ReceiverStream::new(stream)))
    }

    async fn seal(&self, request: Request<v1::SealRequest>) -> Result<Response<v1::SealAnswer>, Status> {
        let caller = Caller::of(&request)?;
        let asked = request.into_inner();
        let missing = || status::malformed(&wire::Error::new("seal", "is missing"));
        let (by, note) = wire::seal(asked.seal.ok_or_else(missing)?).map_err(|e| status::malformed(&e))?;
        let taken = self.of_a_player(&caller, asked.key, Input::Seal { game: GameId(asked.game), by, note }).await?;
        Ok(Response::new(v1::SealAnswer { seq: taken.seq.0 }))
    }

    async fn play(&self, request: Request<v1::PlayRequest>) -> Result<Response<v1::PlayAnswer>, Status> {
        let caller = Caller::of(&request)?;
        let asked = request.into_inner();
        let missing = || status::malformed(&wire::Error::new("fact", "is missing"));
        let fact = wire::fact(asked.fact.ok_or_else(missing)?).map_err(|e| status::malformed(&e))?;
        let input = Input::Game { game: GameId(asked.game), input: crate::game::Input::Fact(fact) };
        let taken = self.of_a_player(&caller, asked.key, input).await?;
        Ok(Response::new(v1::PlayAnswer { seq: taken.seq.0, version: taken.version.0 }))
    }
}

impl Hall {
    /// What a player does, under its key.
    async fn of_a_player(&self, caller: &Caller, key: String, input: Input) -> Result<crate::writer::Taken, Status> {
        if key.is_empty() || key.len() > MAX_KEY {
            return Err(status::malformed(&wire::Error::new(
                "key",
                format!("1 to {MAX_KEY} bytes: it makes sure that what is sent twice is done once"),
            )));
        }
        let origin = caller.origin(Role::Player, String::new());
        self.submit(Command { origin, key: Some(Key(key)), seen: None, input }).await?.map_err(|refusal| status::status(&refusal))
    }
}

/// A report as an input to the venue.
pub(crate) fn command(origin: Origin, device: DeviceId, report: v1::Report) -> Result<Command, wire::Error> {
    let stamp = DeviceStamp { device, boot: report.boot, report: report.number, at: Millis(report.at_ms), arrived: None };
    let said = match report.kind.ok_or_else(|| wire::Error::new("kind", "a fact, the battery or a move to seal"))? {
        v1::report::Kind::Fact(fact) => venue::Report::Fact(wire::fact(fact)?),
        v1::report::Kind::Battery(percent) => venue::Report::Battery { percent },
        v1::report::Kind::Seal(seal) => {
            let (by, note) = wire::seal(seal)?;
            venue::Report::Seal { by, note }
        }
    };
    if report.at_ms > i64::MAX as u64 {
        return Err(wire::Error::new("at_ms", "no time"));
    }
    let game = Some(GameId(report.game)).filter(|game| game.0 != 0);
    let previous = report.previous.unwrap_or(report.number.saturating_sub(1));
    let origin = Origin { stamp: Some(stamp), ..origin };
    Ok(Command { origin, key: None, seen: None, input: Input::Report { previous, game, report: said } })
}

/// A device's connection.
struct Session {
    hall: Hall,
    caller: Caller,
    orders: Orders,
    device: DeviceId,
    connection: u64,
    wake: Arc<Notify>,
    boot: u32,
    acked: (u32, u32),
    /// The start of the device of which a report had been taken when it was told of its game.
    known_boot: u32,
    /// The game whose assignment was sent last, and the last of its orders that was.
    told: Option<(GameId, OrderNo)>,
    /// The side that it was told to keep the time of.
    side: i32,
    /// The text that the device shows.
    text: String,
    wrap: Option<Wrap>,
    /// The last probe's answer, unwrapped.
    read: Millis,
    probes: BTreeMap<u32, Millis>,
    last_probe: u32,
    /// It has answered one.
    answers: bool,
}

impl Session {
    /// Takes the hello and sends what the device has to know. An error: this is no hello that can be taken.
    async fn open(hall: Hall, caller: Caller, hello: v1::ClockReport, orders: Orders) -> Result<Session, Status> {
        let device = DeviceId(hello.device);
        let Some(Said::Hello(said)) = hello.kind else {
            return Err(Status::failed_precondition("kind: the first report is a hello"));
        };
        if said.boot == 0 {
            return Err(Status::invalid_argument("hello.boot: starts are numbered from 1"));
        }
        let known = hall.ask(move |venue| venue.devices().get(&device).map_or(0, |known| known.boot)).await?;
        if said.boot < known {
            let why = format!("hello.boot: start {known} of this device has reported already; its starts are numbered upwards, for ever");
            return Err(Status::failed_precondition(why));
        }
        let introduction: Introduction = said.introduction.ok_or_else(|| Status::invalid_argument("hello.introduction: is missing"))?.into();
        let (scale, wrap) = (introduction.scale, introduction.wrap);
        let origin = caller.origin(Role::Clock, String::new());
        let command = Command { origin, key: None, seen: None, input: Input::Hello { device, introduction } };
        if let Err(refusal) = hall.submit(command).await? {
            return Err(status::status(&refusal));
        }
        let (connection, wake) = hall.devices.connect(device, said.boot, scale);
        metrics::gauge!("zeitnot_streams", "service" => "clocks").increment(1);
        let last = hall.ask(move |venue| venue.devices().get(&device).map_or(0, |known| known.last_of(said.boot))).await?;
        let mut session = Session {
            hall,
            caller,
            orders,
            device,
            connection,
            wake,
            boot: said.boot,
            acked: (said.boot, last),
            known_boot: 0,
            told: None,
            side: 0,
            text: String::new(),
            wrap,
            read: Millis::ZERO,
            probes: BTreeMap::new(),
            last_probe: 0,
            answers: false,
        };
        session.notice(Noticed::Back).await?;
        session.tell(true).await?;
        Ok(session)
    }

    /// Runs until either side goes. The status says why it ended.
    async fn run(&mut self, mut reports: Option<Streaming<v1::ClockReport>>) -> Status {
        let ended = self.serve(&mut reports).await;
        if self.hall.devices.disconnect(self.device, self.connection) {
            // The daemon is stopping: nobody is lost by that.
            let _ = self.notice(Noticed::Lost).await;
            // It may have come back between the two, and have said so before.
            if self.hall.devices.is_online(self.device) {
                let _ = self.notice(Noticed::Back).await;
            }
        }
        match ended {
            Ok(()) => Status::cancelled("the device has closed the stream"),
            Err(status) => status,
        }
    }

    async fn serve(&mut self, reports: &mut Option<Streaming<v1::ClockReport>>) -> Result<(), Status> {
        self.probe().await?;
        let (mut heard, mut next_probe) = (Instant::now(), Instant::now() + PROBE_EVERY);
        loop {
            let (hall, orders) = (self.hall.clone(), self.orders.clone());
            tokio::select! {
                biased;
                () = hall.closed() => return Err(Status::unavailable("the daemon is stopping")),
                () = orders.closed() => return Ok(()),
                () = self.wake.notified() => {
                    if !self.hall.devices.is_current(self.device, self.connection) {
                        return Err(Status::aborted("the device has connected again elsewhere"));
                    }
                    self.tell(false).await?;
                }
                message = received(reports) => match message? {
                    Some(message) => {
                        heard = Instant::now();
                        self.take(message).await?;
                    }
                    None => return Ok(()),
                },
                () = tokio::time::sleep_until(next_probe) => {
                    if self.answers && heard.elapsed() > SILENT {
                        return Err(Status::deadline_exceeded(format!("the device has answered no probe for {} s", SILENT.as_secs())));
                    }
                    next_probe += PROBE_EVERY;
                    self.probe().await?;
                }
            }
        }
    }

    /// One message from the device. What is wrong with it is answered, and the stream goes on.
    async fn take(&mut self, message: v1::ClockReport) -> Result<(), Status> {
        if message.device != 0 && message.device != self.device.0 {
            return self.refuse(0, 0, Code::InvalidArgument, "unreadable", "device: another one said hello on this stream", 0).await;
        }
        match message.kind {
            Some(Said::Report(report)) => self.report(report).await,
            Some(Said::ProbeAnswer(answer)) => {
                if let Some(sent) = self.probes.remove(&answer.probe) {
                    self.answers = true;
                    let received = self.hall.clock.since_start();
                    let device = self.unwrapped(Millis(answer.at_ms)).await?;
                    let (leap, drift) = self.hall.devices.observe(self.device, Probe { sent, device, received });
                    if let Some(by) = leap {
                        self.notice(Noticed::Leapt { by }).await?;
                    }
                    if let Some(drift) = drift {
                        self.notice(Noticed::Drifts { ppm: drift.ppm }).await?;
                    }
                }
                Ok(())
            }
            Some(Said::Hello(_)) => self.refuse(0, 0, Code::FailedPrecondition, "unreadable", "kind: hello was said already", 0).await,
            None => self.refuse(0, 0, Code::InvalidArgument, "unreadable", "kind: is missing", 0).await,
        }
    }

    /// The instant that a reading of the device's counter means: none before what it has stamped or answered.
    async fn unwrapped(&mut self, raw: Millis) -> Result<Millis, Status> {
        if let Some(wrap) = self.wrap {
            let (device, boot) = (self.device, self.boot);
            let stamped = move |venue: &Venue| venue.devices().get(&device).filter(|known| known.boot == boot).map(|known| known.last_stamp);
            let stamped = self.hall.ask(stamped).await?.unwrap_or(Millis::ZERO);
            let last = self.read.max(stamped);
            let read = wrap.read(raw, last);
            self.read = last.max(read);
            return Ok(read);
        }
        Ok(raw)
    }

    async fn report(&mut self, report: v1::Report) -> Result<(), Status> {
        let (boot, number) = (report.boot, report.number);
        let watch = crate::time::Stopwatch::start();
        let (at, came) = (self.hall.clock.now(), self.hall.devices.came(self.device, boot, self.hall.clock.since_start()));
        self.caller.turn().await;
        if let Err(unknown) = self.hall.has_begun(self.device, boot).await {
            return self.refuse(boot, number, unknown.code(), "no-hello", unknown.message(), 0).await;
        }
        let command = match command(self.caller.origin(Role::Clock, String::new()), self.device, report) {
            Ok(mut command) => {
                command.origin.stamp = command.origin.stamp.map(|stamp| DeviceStamp { arrived: came, ..stamp });
                command
            }
            Err(e) => return self.refuse(boot, number, Code::InvalidArgument, "unreadable", &e.to_string(), 0).await,
        };
        match self.hall.submit_as_of(at, command).await? {
            Ok(_) => {
                metrics::histogram!("zeitnot_press_to_durable_seconds").record(watch.elapsed());
                if boot > self.acked.0 || number > self.acked.1 || boot < self.acked.0 {
                    self.acked = (boot, number);
                }
                self.say(None).await
            }
            Err(refusal) => {
                let last = if let Refusal::Gap { last, .. } = refusal { last } else { 0 };
                let code = match status::code(&refusal) {
                    Code::Ok => Code::FailedPrecondition,
                    code => code,
                };
                self.refuse(boot, number, code, refusal.code(), &refusal.to_string(), last).await
            }
        }
    }

    /// Sends the assignment if it is new, and the orders that were not sent yet.
    async fn tell(&mut self, first: bool) -> Result<(), Status> {
        let device = self.device;
        let Standing { boot, assignment, orders, text } = self.hall.ask(move |venue| standing(venue, device)).await?;
        let game = assignment.as_ref().map(|a| GameId(a.game));
        let side = assignment.as_ref().map_or(0, |a| a.side);
        // All that it held from before it restarted is taken: its times may be others by that.
        let restarted = self.known_boot > 0 && boot != self.known_boot;
        let other = first || game != self.told.map(|(game, _)| game) || side != self.side;
        if other || restarted {
            (self.known_boot, self.side) = (boot, side);
            let last = self.told.filter(|_| !other).map_or(OrderNo(0), |(_, last)| last);
            self.told = game.map(|game| (game, last));
            self.hall.devices.tell_of(device, game);
            self.say(Some(Say::Assignment(assignment.unwrap_or_default()))).await?;
        }
        for order in orders {
            if let Some((_, last)) = &mut self.told
                && OrderNo(order.order) > *last
            {
                *last = OrderNo(order.order);
                self.say(Some(Say::Order(order))).await?;
            }
        }
        if text != self.text {
            self.text.clone_from(&text);
            self.say(Some(Say::Text(text))).await?;
        }
        Ok(())
    }

    async fn probe(&mut self) -> Result<(), Status> {
        self.last_probe += 1;
        if self.probes.len() >= PROBES_OPEN {
            self.probes.pop_first();
        }
        self.probes.insert(self.last_probe, self.hall.clock.since_start());
        self.say(Some(Say::Probe(v1::Probe { probe: self.last_probe }))).await
    }

    /// Has something recorded that the daemon noticed about the device.
    async fn notice(&self, noticed: Noticed) -> Result<(), Status> {
        let input = Input::Noticed { device: self.device, noticed };
        let command = Command { origin: Origin::daemon(), key: None, seen: None, input };
        // Nothing refuses it but a device that nobody knows, and this one has said hello.
        self.hall.submit(command).await.map(|_| ())
    }

    async fn refuse(&mut self, boot: u32, number: u32, code: Code, word: &str, text: &str, last: u32) -> Result<(), Status> {
        let refused = v1::ReportRefused { boot, number, status: code.into(), code: word.to_string(), text: text.to_string(), last };
        self.say(Some(Say::Refused(refused))).await
    }

    async fn say(&mut self, kind: Option<Say>) -> Result<(), Status> {
        let order = v1::ClockOrder { acked_boot: self.acked.0, acked_report: self.acked.1, kind };
        self.orders.send(Ok(order)).await.map_err(|_| Status::cancelled("the device has gone"))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.hall.devices.disconnect(self.device, self.connection);
        metrics::gauge!("zeitnot_streams", "service" => "clocks").decrement(1);
    }
}

async fn received(reports: &mut Option<Streaming<v1::ClockReport>>) -> Result<Option<v1::ClockReport>, Status> {
    match reports {
        Some(reports) => reports.message().await,
        None => std::future::pending().await,
    }
}

/// What a device has to know.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    /// The latest start of it of which a report was taken.
    pub(crate) boot: u32,
    pub(crate) assignment: Option<v1::Assignment>,
    /// What it has not confirmed.
    pub(crate) orders: Vec<v1::Order>,
    /// What it shall show: the result, once there is one.
    pub(crate) text: String,
}

pub(crate) fn standing(venue: &Venue, device: DeviceId) -> Standing {
    let Some(known) = venue.devices().get(&device) else { return Standing::default() };
    let (boot, table) = (known.boot, known.game.and_then(|game| venue.table(game)));
    let Some(table) = table.filter(|table| table.game.devices().any(|at_board| at_board == device)) else {
        return Standing { boot, ..Standing::default() };
    };
    let side = table.game.side_of(device);
    let own = table.game.orders.iter().filter(|told| told.to.is_none() || told.to == side);
    Standing {
        boot,
        assignment: Some(wire::assignment(table, side)),
        orders: own.map(|told| wire::order(told.number, &told.command, told.to)).collect(),
        text: table.game.outcome.as_ref().map_or_else(String::new, |o| format!("{} {}", o.score, o.termination)),
    }
}
