//! A simulated clock: an oscillator that drifts, a counter that may wrap or be set, a journal, and the chessclock on it.

use std::collections::BTreeMap;

use prost::Message;
use shakmaty::{ByColor, Color};

use super::check::Check;
use super::env::{Env, Event, Post};
use crate::clock::{Adjustment, Chessclock, Clock, Millis, Wrap};
use crate::fleet::journal::{Journal, Kept};
use crate::game::{Fact, OrderNo, Regulations};
use crate::wire::v1::{self, clock_order, clock_report, order};

/// How long an acknowledgement or an answer to a hello may take before it is sent again.
const RESEND: u64 = 1_500;
/// How soon after sending everything again a gap does not ask for it once more.
const CALM: u64 = 400;
/// Reports that are sent again at one time.
const AT_ONCE: usize = 16;

/// What a device showed when it wrote a report.
#[derive(Debug, Clone)]
pub(super) struct Written {
    /// Its own time, never wrapped.
    pub(super) at: u64,
    /// What was left on both sides, bonus time included.
    pub(super) left: ByColor<Millis>,
    /// What it reported.
    pub(super) report: v1::Report,
}

/// The device at one board, or in the cupboard.
#[derive(Debug)]
pub(super) struct Device {
    index: usize,
    journal: Journal,
    /// An instant of the hall's time, and what the device's counter showed then.
    base: (u64, u64),
    /// How fast its oscillator is, in millionths.
    drift: i64,
    wrap: Option<Wrap>,
    pub(super) clock: Option<Chessclock>,
    pub(super) game: u64,
    last_order: u32,
    /// Its clocks have not been started since it was told of the game: it takes its times from each assignment, orders up to one counted.
    takes_times: bool,
    counted: u32,
    line: u64,
    connected: bool,
    /// The daemon has answered a hello of it once.
    introduced: bool,
    said_hello: u64,
    looking: bool,
    attempt: u64,
    attempts: BTreeMap<(u32, u32), u64>,
    last_sent: u64,
    epoch: u64,
    pub(super) dead: bool,
    /// Its clocks have been started or stopped since the players last looked.
    pub(super) changed: bool,
    /// Its game has seen no restart, no set counter, no flag and no other device.
    pub(super) undisturbed: bool,
}

impl Device {
    /// A device that is switched on now.
    pub(super) fn new(index: usize, env: &mut Env, check: &mut Check) -> Device {
        let wrap = env.chance.happens(0.25).then_some(Wrap::MICROS_32);
        let most = env.weather.drift;
        let drift = env.chance.between(0, 2 * most + 1) as i64 - most as i64;
        let base = (env.now, env.chance.between(0, 4_200_000));
        let mut device = Device {
            index,
            journal: Journal::new(),
            base,
            drift,
            wrap,
            clock: None,
            game: 0,
            last_order: 0,
            takes_times: true,
            counted: 0,
            line: 0,
            connected: false,
            introduced: false,
            said_hello: 0,
            looking: false,
            attempt: 0,
            attempts: BTreeMap::new(),
            last_sent: 0,
            epoch: 0,
            dead: false,
            changed: false,
            undisturbed: true,
        };
        device.say(Fact::Restart, env, check);
        device
    }

    /// Its serial number.
    pub(super) fn id(&self) -> u64 {
        self.index as u64 + 1
    }

    /// What its counter has counted.
    pub(super) fn local(&self, env: &Env) -> u64 {
        let passed = env.now - self.base.0;
        (self.base.1 + passed).saturating_add_signed(passed as i64 * self.drift / 1_000_000)
    }

    /// What its counter reads.
    fn counter(&self, local: u64) -> u64 {
        self.wrap.map_or(local, |wrap| (u128::from(local) * 1_000 % u128::from(wrap.0) / 1_000) as u64)
    }

    fn now(&self, env: &Env) -> Millis {
        Millis(self.local(env))
    }

    /// Whose clock runs on it.
    pub(super) fn running(&self) -> Option<Color> {
        self.clock.as_ref()?.running().map(|running| running.color)
    }

    /// What both sides show, bonus time included.
    pub(super) fn shown(&self, env: &Env) -> ByColor<Millis> {
        let read = self.clock.as_ref().map(|clock| clock.at(Some(self.now(env))));
        ByColor::new_with(|color| read.as_ref().map_or(Millis::ZERO, |read| read.side(color).left.plus(read.side(color).free)))
    }

    /// What a side shows of main time.
    pub(super) fn left(&self, color: Color, env: &Env) -> Millis {
        self.clock.as_ref().map_or(Millis::ZERO, |clock| *clock.reading(Some(self.now(env))).get(color))
    }

    /// Whether its counter starts again from zero, and costs a millisecond then.
    pub(super) fn wraps(&self) -> bool {
        self.wrap.is_some()
    }

    /// Whether nothing waits to be acknowledged.
    pub(super) fn is_heard(&self) -> bool {
        self.journal.is_empty()
    }

    /// Reports a fact as of now.
    pub(super) fn say(&mut self, fact: Fact, env: &mut Env, check: &mut Check) {
        let local = self.local(env);
        let Some(kind) = v1::Fact::from(&fact).kind else { return };
        let left = self.shown(env);
        let kept = self.journal.write(self.game, kind, Millis(self.counter(local)));
        env.counts.reports += 1;
        env.counts.presses += u64::from(kept.is_press);
        env.note(|| format!("device {} says {fact:?} at {local}, boot {} report {}", self.index + 1, kept.report.boot, kept.report.number));
        check.wrote(self.id(), Written { at: local, left, report: kept.report.clone() });
        let first = self.journal.kept().next().is_some_and(|first| first.report.boot == kept.report.boot);
        if first {
            self.send(&kept, env);
        }
        self.look(env);
    }

    /// A press on the clock.
    pub(super) fn press(&mut self, by: Color, fact: impl FnOnce(Millis) -> Fact, env: &mut Env, check: &mut Check) {
        let now = self.now(env);
        let Some(clock) = &mut self.clock else { return };
        *clock = clock.pressed(now);
        let shown = clock.side(by).left;
        self.turned(env);
        self.say(fact(shown), env, check);
    }

    /// The clocks stop here and now, and that or why is reported.
    pub(super) fn halt(&mut self, fact: Fact, env: &mut Env, check: &mut Check) {
        let now = self.now(env);
        if let Some(clock) = &mut self.clock {
            *clock = clock.stopped(Some(now));
        }
        self.turned(env);
        self.say(fact, env, check);
    }

    /// Its own clock has run out.
    pub(super) fn falls(&mut self, epoch: u64, env: &mut Env, check: &mut Check) {
        let now = self.now(env);
        let Some((clock, zero)) = self.clock.as_mut().and_then(|clock| clock.falls_at().map(|zero| (clock, zero))) else { return };
        if epoch != self.epoch || self.dead {
            return;
        }
        if now < zero {
            return self.watch(env);
        }
        let Some(color) = clock.running().map(|running| running.color) else { return };
        *clock = clock.stopped(Some(now));
        clock.set_side(color, Clock { left: Millis::ZERO, free: Millis::ZERO, ..*clock.side(color) });
        // Where time was added that it had not heard of, the record has more left, and the arbiter is told (flag-doubtful).
        self.undisturbed = false;
        self.turned(env);
        self.say(Fact::Flag { color }, env, check);
    }

    /// Whether its running clock has run out already.
    pub(super) fn has_fallen(&self, env: &Env) -> bool {
        self.clock.as_ref().and_then(Chessclock::falls_at).is_some_and(|zero| zero <= self.now(env))
    }

    /// Its flag falls, if it has to, before anything else is done on it.
    pub(super) fn settle(&mut self, env: &mut Env, check: &mut Check) -> bool {
        let fallen = self.has_fallen(env);
        if fallen {
            self.falls(self.epoch, env, check);
        }
        fallen
    }

    /// A clock was started, stopped or set: the players look, and the next fall is another one.
    fn turned(&mut self, env: &mut Env) {
        self.epoch += 1;
        self.changed = true;
        self.watch(env);
    }

    fn watch(&mut self, env: &mut Env) {
        if let Some(zero) = self.clock.as_ref().and_then(Chessclock::falls_at) {
            let left = zero.0.saturating_sub(self.local(env));
            // A slow oscillator needs a little longer; it looks again then.
            env.after(left + 1, Event::Falls { device: self.index, epoch: self.epoch });
        }
    }

    /// It restarts: everything is gone but the journal, the game and the number of the last order.
    pub(super) fn restart(&mut self, env: &mut Env, check: &mut Check) {
        env.note(|| format!("device {} restarts", self.index + 1));
        self.journal.restart();
        self.base = (env.now, 0);
        self.clock = None;
        self.takes_times = true;
        self.line += 1;
        self.disconnect();
        self.undisturbed = false;
        self.turned(env);
        self.say(Fact::Restart, env, check);
    }

    /// Its counter is set.
    pub(super) fn step(&mut self, by: i64, env: &mut Env) {
        env.note(|| format!("the counter of device {} is set by {by}", self.index + 1));
        self.base = (env.now, self.local(env).saturating_add_signed(by));
        self.undisturbed = false;
        self.turned(env);
    }

    fn disconnect(&mut self) {
        self.connected = false;
        self.said_hello = 0;
    }

    /// Its connection is gone.
    pub(super) fn line_lost(&mut self, line: u64, env: &mut Env) {
        if line == self.line {
            // What still comes on it comes too late.
            self.line += 1;
            self.disconnect();
            self.look(env);
        }
    }

    /// It will look soon.
    pub(super) fn look(&mut self, env: &mut Env) {
        if !self.dead && !std::mem::replace(&mut self.looking, true) {
            env.after(RESEND, Event::Look { device: self.index });
        }
    }

    /// Opens a connection or sends again, where that is due.
    pub(super) fn looks(&mut self, env: &mut Env) {
        self.looking = false;
        if self.dead {
            return;
        }
        if !self.connected && (self.said_hello == 0 || env.now >= self.said_hello + RESEND) {
            self.hello(env);
        }
        if !self.journal.is_empty() && env.now >= self.last_sent + RESEND {
            self.send_all(env);
        }
        if !self.connected || !self.journal.is_empty() {
            self.look(env);
        }
    }

    fn hello(&mut self, env: &mut Env) {
        self.line += 1;
        self.said_hello = env.now.max(1);
        let introduction = v1::Introduction {
            model: "simulated".to_string(),
            firmware: "1".to_string(),
            senses_board: true,
            wrap_us: self.wrap.map_or(0, |wrap| wrap.0),
            time_scale: 1_000,
        };
        let hello = v1::Hello { introduction: Some(introduction), boot: self.journal.boot() };
        self.transmit(clock_report::Kind::Hello(hello), 0, env);
    }

    fn transmit(&mut self, kind: clock_report::Kind, attempt: u64, env: &mut Env) {
        let bytes = v1::ClockReport { device: self.id(), kind: Some(kind) }.encode_to_vec();
        let post = Post::Device { device: self.index, line: self.line, attempt, sent: env.now, bytes };
        env.carry(self.index, &Event::ToDaemon(post));
    }

    fn send(&mut self, kept: &Kept, env: &mut Env) {
        if !self.introduced {
            return;
        }
        self.last_sent = env.now;
        self.attempt += 1;
        self.attempts.insert((kept.report.boot, kept.report.number), self.attempt);
        self.transmit(clock_report::Kind::Report(kept.report.clone()), self.attempt, env);
    }

    /// Sends again what is not acknowledged, of the oldest start only: the daemon takes nothing of a start that is over.
    fn send_all(&mut self, env: &mut Env) {
        let Some(boot) = self.journal.kept().next().map(|first| first.report.boot) else { return };
        let again: Vec<Kept> = self.journal.kept().take_while(|kept| kept.report.boot == boot).take(AT_ONCE).cloned().collect();
        env.counts.resent += again.len() as u64;
        again.iter().for_each(|kept| self.send(kept, env));
    }

    /// The answer to a report.
    pub(super) fn answered(&mut self, attempt: u64, bytes: &[u8], env: &mut Env, check: &mut Check) {
        let Ok(answer) = v1::ClockOrder::decode(bytes) else { return };
        if self.dead {
            return;
        }
        self.acked(answer.acked_boot, answer.acked_report, env, check);
        let Some(clock_order::Kind::Refused(refused)) = answer.kind else { return };
        if refused.code == "gap" {
            // What is before the gap is taken, also where its own answer was lost or was a refusal at first.
            self.acked(refused.boot, refused.last, env, check);
            self.journal.follows(refused.boot, refused.last);
            if env.now >= self.last_sent + CALM {
                self.send_all(env);
            }
        } else if self.attempts.get(&(refused.boot, refused.number)) == Some(&attempt) {
            env.note(|| format!("device {} is refused report {} of boot {}: {}", self.index + 1, refused.number, refused.boot, refused.text));
            check.refused(self.id(), (refused.boot, refused.number), &refused.code);
            self.journal.refused(refused.boot, refused.number);
        }
    }

    fn acked(&mut self, boot: u32, number: u32, env: &mut Env, check: &mut Check) {
        check.acked(self.id(), boot, number);
        let oldest = |journal: &Journal| journal.kept().next().map(|kept| kept.report.boot);
        let before = oldest(&self.journal);
        for kept in self.journal.acked(boot, number) {
            self.attempts.remove(&(kept.report.boot, kept.report.number));
        }
        if before.is_some() && oldest(&self.journal) > before {
            self.send_all(env);
        }
    }

    /// A message of its stream.
    pub(super) fn told(&mut self, line: u64, bytes: &[u8], env: &mut Env, check: &mut Check) {
        let Ok(said) = v1::ClockOrder::decode(bytes) else { return };
        if self.dead || line != self.line {
            return;
        }
        self.introduced = true;
        if !std::mem::replace(&mut self.connected, true) {
            self.send_all(env);
        }
        self.acked(said.acked_boot, said.acked_report, env, check);
        match said.kind {
            Some(clock_order::Kind::Assignment(assignment)) => self.assigned(assignment, env),
            Some(clock_order::Kind::Order(order)) if order.order > self.last_order => self.obey(order, env, check),
            Some(clock_order::Kind::Probe(probe)) => {
                let answer = v1::ProbeAnswer { probe: probe.probe, at_ms: self.counter(self.local(env)) };
                self.transmit(clock_report::Kind::ProbeAnswer(answer), 0, env);
            }
            _ => {}
        }
    }

    fn assigned(&mut self, assignment: v1::Assignment, env: &mut Env) {
        if assignment.game != self.game {
            self.clock = None;
            self.takes_times = true;
            self.last_order = 0;
            self.game = assignment.game;
            self.undisturbed = assignment.plies == 0;
            self.turned(env);
        }
        if !self.takes_times || self.game == 0 {
            return;
        }
        self.counted = assignment.counted;
        let regulations: Option<Regulations> = assignment.regulations.and_then(|regulations| regulations.try_into().ok());
        if let Some(r) = regulations {
            let mut clock = Chessclock::new(r.control.clone(), r.count_from, r.period_added);
            set(&mut clock, assignment.sides.unwrap_or_default());
            self.clock = Some(clock);
        }
    }

    /// Carries an order out, now, and confirms it.
    fn obey(&mut self, order: v1::Order, env: &mut Env, check: &mut Check) {
        self.settle(env, check);
        self.last_order = order.order;
        let now = self.now(env);
        self.takes_times &= !matches!(order.command, Some(order::Command::Start(_)));
        let counted = self.takes_times && order.order <= self.counted;
        if let Some(clock) = &mut self.clock {
            match order.command {
                Some(order::Command::Set(_) | order::Command::Add(_)) if counted => {}
                Some(order::Command::Start(color)) => clock.run(color_of(color), now),
                Some(order::Command::Stop(_)) => *clock = clock.stopped(Some(now)),
                Some(order::Command::Set(sides)) => set(clock, sides),
                Some(order::Command::Add(add)) => {
                    let color = color_of(add.color);
                    let side = *clock.side(color);
                    clock.set_side(color, Clock { left: side.left.adjusted(Adjustment(add.by_ms)), ..side });
                }
                None => {}
            }
        }
        self.turned(env);
        self.say(Fact::Confirmation { order: OrderNo(order.order) }, env, check);
    }
}

fn set(clock: &mut Chessclock, sides: v1::Sides) {
    for (color, side) in [(Color::White, sides.white), (Color::Black, sides.black)] {
        if let Some(side) = side {
            clock.set_side(color, Clock { left: Millis(side.left_ms), free: Millis(side.free_ms), period: side.period, counter: side.counter });
        }
    }
}

fn color_of(color: i32) -> Color {
    Color::from_white(color == i32::from(v1::Color::White))
}
