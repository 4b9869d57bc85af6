//! The day: who is in the hall, what happens next, and what is looked at after each step.

use super::arbiters::{self, Arbiters};
use super::board::Board;
use super::check::Check;
use super::daemon::Daemon;
use super::device::Device;
use super::env::{Chance, Env, Event, HOUR};
use super::readers::Reader;
use super::weather::Weather;
use super::{Counts, Failure, Invariant, Options};
use shakmaty::Color;

use crate::clock::Millis;
use crate::game::{DeviceId, Fact, Game, GameId, Moved, Phase};

/// Of so many boards the daemon times one.
const SCREENS: usize = 6;
/// For so many boards there is one more device in the cupboard.
const SPARES: usize = 3;
/// How long after closing everything may still arrive.
const SETTLES: u64 = 5 * 60_000;
/// How long nothing may have been recorded before the day is over.
const QUIET: u64 = 60_000;
/// Readers.
const READERS: usize = 3;
/// After how many steps the whole venue is compared.
const COMPARES: u64 = 20_000;

/// A day in the hall.
pub(super) struct Day {
    options: Options,
    env: Env,
    check: Check,
    daemon: Daemon,
    devices: Vec<Device>,
    boards: Vec<Board>,
    arbiters: Arbiters,
    readers: Vec<Reader>,
}

impl Day {
    pub(super) fn new(options: Options) -> Day {
        let mut chance = Chance::new(options.seed);
        let weather = Weather::drawn(&mut chance);
        let boards = options.boards.max(1);
        let timed = boards - boards / SCREENS;
        let spares = timed.div_ceil(SPARES);
        let closes = (options.hours * HOUR as f64) as u64;
        let mut env = Env::new(chance, weather, closes, timed + spares);
        let mut check = Check::default();
        let devices: Vec<Device> = (0..timed + spares).map(|index| Device::new(index, &mut env, &mut check)).collect();
        let readers = (0..READERS).map(|index| Reader::new(index, &mut env)).collect();
        env.after(0, Event::Starts);
        env.after(arbiters::EVERY, Event::Rounds);
        let mut day = Day {
            options,
            check,
            daemon: Daemon::new(options.bug),
            boards: (0..boards).map(|number| Board::new(number, (number < timed).then_some(number))).collect(),
            devices,
            arbiters: Arbiters::default(),
            readers,
            env,
        };
        day.trouble_ahead();
        day
    }

    /// What the weather brings.
    fn trouble_ahead(&mut self) {
        for device in 0..self.devices.len() {
            self.strikes_again(device);
        }
        self.kills_again();
    }

    fn strikes_again(&mut self, device: usize) {
        if self.env.weather.strikes > 0.0 {
            let wait = self.env.chance.next_of(self.env.weather.strikes);
            self.env.after(wait, Event::Strike { device });
        }
    }

    fn kills_again(&mut self) {
        if self.env.weather.kills > 0.0 {
            let wait = self.env.chance.next_of(self.env.weather.kills);
            self.env.after(wait, Event::Kill);
        }
    }

    /// Simulates it to the end.
    pub(super) fn run(mut self) -> Result<Counts, Box<Failure>> {
        let (closes, mut closed) = (self.env.closes, false);
        loop {
            // A flag may fall late: what follows from it arrives as well.
            let settled = (closes + SETTLES).max(self.env.committed + QUIET);
            let Some(event) = self.env.next(if closed { settled } else { closes }) else {
                if closed {
                    break;
                }
                closed = true;
                self.closes();
                continue;
            };
            self.step(event);
            self.broken()?;
        }
        self.settled();
        self.broken()?;
        self.check.ends(&*self.daemon.disk.reader(), self.daemon.disk.tip());
        self.broken()?;
        self.env.counts.entries = self.daemon.disk.head().0;
        (self.env.counts.flags, self.env.counts.belated) = (self.check.flags, self.check.belated);
        self.env.counts.bytes = self.check.bytes;
        Ok(self.env.counts)
    }

    fn broken(&mut self) -> Result<(), Box<Failure>> {
        let Some(broken) = self.check.take_broken() else { return Ok(()) };
        let (step, trace) = (self.env.counts.steps, self.env.trace());
        Err(Box::new(Failure { options: self.options, invariant: broken.invariant, how: broken.how, step, trace }))
    }

    /// Everybody goes home: nothing goes wrong any more, and what is on its way arrives.
    fn closes(&mut self) {
        self.env.now = self.env.closes;
        self.env.weather = self.env.weather.settled();
        self.env.cut.fill(0);
        self.daemon.disk.full = false;
        self.env.note(|| "the hall closes".to_string());
    }

    fn step(&mut self, event: Event) {
        let (env, check) = (&mut self.env, &mut self.check);
        match event {
            Event::ToDaemon(post) => self.daemon.receives(post, env),
            Event::Answer { device, attempt, bytes } => self.devices[device].answered(attempt, &bytes, env, check),
            Event::Order { device, line, bytes } => self.devices[device].told(line, &bytes, env, check),
            Event::LineLost { device, line } => self.devices[device].line_lost(line, env),
            Event::Look { device } => self.devices[device].looks(env),
            Event::Falls { device, epoch } => self.devices[device].falls(epoch, env, check),
            Event::Act { board, epoch } => self.acts(board, epoch),
            Event::Strike { device } => self.strike(device),
            Event::Works => self.daemon.works(env, check),
            Event::Starts => self.daemon.starts(env, check),
            Event::Due => self.daemon.looks(env),
            Event::Kill => self.kill(),
            Event::Room => self.daemon.disk.full = false,
            Event::Rounds => self.rounds(),
            Event::Outcome { key, bytes } => self.arbiters.hears(&key, &bytes, &mut self.boards, env, check),
            Event::Reads { reader } => self.readers[reader].reads(&mut self.daemon, env, check),
            Event::Page { reader, line, from, to, entries } => {
                self.readers[reader].gets(line, (from, to), &entries, &self.daemon, env, check);
            }
        }
        self.attend();
        if self.env.counts.steps.is_multiple_of(COMPARES) {
            self.compare();
        }
    }

    /// Players whose clocks have been started, stopped or set look at them.
    fn attend(&mut self) {
        for board in &mut self.boards {
            if let Some(device) = board.device.map(|index| &mut self.devices[index])
                && std::mem::take(&mut device.changed)
            {
                board.attend(device, &mut self.env);
            }
        }
    }

    fn compare(&mut self) {
        if let Some(venue) = self.daemon.venue() {
            self.check.lives(venue, true);
            self.env.counts.digests += 1;
        }
    }

    fn acts(&mut self, board: usize, epoch: u64) {
        let board = &mut self.boards[board];
        if !board.is_current(epoch) {
            return;
        }
        match board.device {
            Some(index) => board.acts(&mut self.devices[index], &mut self.env, &mut self.check),
            None => self.types(epoch),
        }
    }

    /// At a board that the daemon times, the player on move plays at its screen.
    fn types(&mut self, epoch: u64) {
        let Some(venue) = self.daemon.venue().filter(|_| self.env.is_open()) else { return };
        let Some(board) = self.boards.iter_mut().find(|board| board.device.is_none() && board.is_current(epoch) && board.asked.is_none()) else {
            return;
        };
        let Some(by) = venue.table(GameId(board.game)).and_then(|table| table.game.running()) else { return };
        let Some(uci) = board.legal(by, &mut self.env) else { return };
        self.arbiters.notes(board, &Fact::Press { by, moved: Moved::Move(uci), shown: None, lag: None }, &mut self.env);
    }

    fn rounds(&mut self) {
        self.env.after(arbiters::EVERY, Event::Rounds);
        self.displays();
        let venue = self.daemon.venue();
        self.arbiters.rounds(&mut self.boards, &self.devices, venue, &mut self.env);
        let Some(venue) = venue else { return };
        for board in self.boards.iter_mut().filter(|board| board.device.is_none() && board.asked.is_none()) {
            let Some(game) = venue.table(GameId(board.game)).map(|table| &table.game).filter(|game| game.running().is_some()) else { continue };
            if board.position != game.line.position().cloned() {
                board.set_up(game.line.position().cloned());
            }
            let left = game.clock.reading(None).into_iter().min().unwrap_or(Millis::ZERO);
            board.attend_screen(left, &mut self.env);
        }
    }

    fn kill(&mut self) {
        if self.env.is_open() {
            self.kills_again();
            if self.daemon.up {
                self.compare();
                self.env.counts.kills += 1;
                self.daemon.dies(&mut self.env);
            }
        }
    }

    /// Something befalls a device: it is cut off, restarts, has its counter set, or is gone for good.
    fn strike(&mut self, device: usize) {
        let (env, check) = (&mut self.env, &mut self.check);
        let hit = &mut self.devices[device];
        if !env.is_open() || hit.dead {
            return;
        }
        match env.chance.between(0, 20) {
            0..10 => {
                env.counts.cuts += 1;
                env.cut[device] = env.now + env.chance.between(500, 120_000);
                env.note(|| format!("device {} is cut off", device + 1));
            }
            10..15 => {
                env.counts.reboots += 1;
                hit.restart(env, check);
            }
            15..19 => {
                env.counts.clock_steps += 1;
                let by = env.chance.between(0, 20_000) as i64 - 10_000;
                hit.step(by, env);
            }
            _ => {
                env.counts.deaths += 1;
                hit.dead = true;
                check.died(hit.id());
                env.note(|| format!("device {} is gone for good", device + 1));
            }
        }
        self.strikes_again(device);
    }

    /// Nothing waits any more.
    fn settled(&mut self) {
        let check = &mut self.check;
        let Some(venue) = self.daemon.venue() else { return check.breaks(Invariant::AllSettles, || "the daemon is not up".to_string()) };
        check.lives(venue, true);
        self.env.counts.digests += 1;
        if let Some(device) = self.devices.iter().find(|device| !device.dead && !device.is_heard()) {
            check.breaks(Invariant::AllSettles, || format!("device {} still has reports", device.id()));
        }
        let dead = |game: &Game| game.device.is_some_and(|id| self.devices[id.0 as usize - 1].dead);
        let pending = venue.tables().iter().map(|table| &table.game).find(|game| !game.orders.is_empty() && game.device.is_some() && !dead(game));
        if let Some(game) = pending {
            check.breaks(Invariant::AllSettles, || {
                let (id, device) = (game.id.0, game.device.map_or(0, |device| device.0));
                format!("game {id}, {:?} with device {device}, has orders that were not carried out: {:?}", game.phase, game.orders)
            });
        }
        if !self.arbiters.is_done() {
            check.breaks(Invariant::AllSettles, || "a request was never answered".to_string());
        }
        if let Some(reader) = self.readers.iter().find(|reader| reader.position != venue.head().0) {
            check.breaks(Invariant::AllSettles, || format!("a reader is at {} of {}", reader.position, venue.head().0));
        }
    }

    /// The displays that stand still, at boards where nothing was disturbed, show what the record says.
    fn displays(&mut self) {
        let Some(venue) = self.daemon.venue() else { return };
        for device in self.boards.iter().filter_map(|board| board.device.map(|index| &self.devices[index])) {
            let Some(game) = venue.table(GameId(device.game)).map(|table| &table.game) else { continue };
            let stands = device.clock.as_ref().filter(|clock| clock.running().is_none());
            let comparable = device.undisturbed && !device.dead && !device.wraps() && device.is_heard() && game.device == Some(DeviceId(device.id()));
            // Where its time leapt, or it was pressed after the end, the record stands as last known, and waits for the arbiter.
            let as_measured = matches!(game.phase, Phase::Stopped(_)) && !self.check.as_last_known(game.id);
            let Some(clock) = stands.filter(|_| comparable && game.orders.is_empty() && as_measured) else { continue };
            self.env.counts.displays += 1;
            if let Some(color) = Color::ALL.into_iter().find(|color| clock.side(*color).left != game.clock.side(*color).left) {
                let (shown, recorded) = (clock.side(color).left, game.clock.side(color).left);
                let how = || format!("device {} shows {shown} and game {} has {recorded} for {color}", device.id(), game.id.0);
                return self.check.breaks(Invariant::TimeIsConserved, how);
            }
        }
    }
}
