//! One board of the fleet: it plays its plans one after another, with its clock and the arbiter's help.

use std::sync::Arc;
use std::time::Duration;

use shakmaty::{ByColor, Color, Position};
use tokio::time::Instant;

use super::clock::{Device, Until};
use super::plan::{End, Plan, PlannedPly};
use super::report::{Difference, Report};
use super::{Error, Shared};
use crate::clock::{Chessclock, Clock, Millis, Reading};
use crate::game::{Ruling, Score};
use crate::wire::v1::{self, fact};

/// How long the daemon may take to have the last order of a game confirmed.
const SETTLE: Duration = Duration::from_millis(20);
/// How often a result is looked for before the difference is reported.
const LOOKS: usize = 300;

/// A board and what it needs to play.
pub(super) struct Board {
    shared: Arc<Shared>,
    number: usize,
    boards: usize,
    serial: u64,
}

/// A game in play.
struct Play<'a> {
    shared: &'a Shared,
    device: &'a mut Device,
    game: u64,
    plan: &'a Plan,
    /// What both clocks must show after the last ply that was played.
    clocks: Reading,
}

impl Board {
    pub(super) fn new(shared: Arc<Shared>, number: usize, boards: usize) -> Board {
        // Serial numbers of their own for every run, so that reports of one are never taken for those of another.
        let serial = shared.office.tournament() * 100_000 + number as u64 + 1;
        Board { shared, number, boards, serial }
    }

    /// Plays until no game is left.
    pub(super) async fn play_all(self) -> Result<Report, Error> {
        let mut device: Option<Device> = None;
        while let Some((index, plan)) = self.shared.next() {
            let regulations = &plan.regulations;
            let clock = Chessclock::new(regulations.control.clone(), regulations.count_from, regulations.period_added);
            let device = match &mut device {
                Some(device) => {
                    device.set_up(clock);
                    device
                }
                None => {
                    let reach = self.shared.reach_of(self.serial).await?;
                    let mut first = Device::new(&self.shared, reach, self.serial, self.number as u64, clock);
                    first.say(fact::Kind::Restart(v1::Restart {})).await;
                    first.rebooted = false;
                    first.until(Until::Acked).await?;
                    device.insert(first)
                }
            };
            let place = ((index / self.boards + 1) as u32, (index % self.boards + 1) as u32);
            let game = self.shared.office.game((index, &plan), place, self.serial).await?;
            let clocks = device.clock.reading(None);
            Play { shared: &self.shared, device, game, plan: &plan, clocks }.play().await?;
            if plan.end == End::Unfinished {
                self.shared.office.release(self.serial, game).await?;
            }
            self.shared.bar.inc(1);
        }
        Ok(device.map(|device| device.report).unwrap_or_default())
    }
}

impl Play<'_> {
    async fn play(&mut self) -> Result<(), Error> {
        self.rule(&Ruling::Start).await?;
        self.run().await?;
        let last = self.plan.plies.len() - 1;
        for (i, ply) in self.plan.plies.iter().enumerate() {
            self.ply(ply, i == last).await?;
        }
        self.end().await?;
        self.settle().await
    }

    async fn rule(&mut self, ruling: &Ruling) -> Result<(), Error> {
        self.device.report.rulings += 1;
        self.shared.arbiter.rule(self.game, ruling).await
    }

    /// Waits until the clock runs; where the device restarts meanwhile, until the arbiter has put it right.
    async fn run(&mut self) -> Result<(), Error> {
        self.device.until(Until::Running).await?;
        self.recover().await
    }

    /// After a restart of the device: the arbiter confirms the times and starts the clock again.
    async fn recover(&mut self) -> Result<(), Error> {
        while self.device.rebooted {
            self.device.rebooted = false;
            self.device.until(Until::Acked).await?;
            let state = self.shared.office.state(self.game).await?;
            match state.phase.as_str() {
                // The order to start it comes again.
                "stopped" if starts(&state) => self.device.until(Until::Running).await?,
                "stopped" => {
                    self.device.report.restarts_confirmed += 1;
                    self.rule(&Ruling::SetClocks { times: self.clocks }).await?;
                    self.rule(&Ruling::Resume).await?;
                    self.device.until(Until::Running).await?;
                }
                "over" => {}
                // It had not started yet: the order to start it comes again.
                _ => self.device.until(Until::Running).await?,
            }
        }
        Ok(())
    }

    fn mover(&self) -> Color {
        self.device.clock.running().map_or(self.plan.start.position.turn(), |running| running.color)
    }

    async fn think(&mut self, time: Millis) -> Result<(), Error> {
        let until = self.device.due(self.device.now.plus(time)).map_or(Until::Room, Until::Time);
        self.device.until(until).await?;
        self.device.advance(time);
        Ok(())
    }

    async fn ply(&mut self, ply: &PlannedPly, is_last: bool) -> Result<(), Error> {
        self.think(ply.think).await?;
        // A restart while thinking: the clock was put right as it stood after the ply before, and the thinking begins anew.
        while self.device.rebooted {
            self.recover().await?;
            self.think(ply.think).await?;
        }
        let by = self.mover();
        let agreed = is_last && self.plan.end == End::Agreement;
        let uci = ply.uci.to_string();
        if agreed {
            self.device.say(fact::Kind::Move(v1::Move { by: wire(by), r#move: uci })).await;
            self.restart_in_the_move(ply).await?;
            self.device.say(fact::Kind::Offer(wire(by))).await;
            self.restart_in_the_move(ply).await?;
            self.press(by, String::new()).await;
        } else if is_last && self.plan.end == End::OnTheBoard {
            let ended = self.device.clock.stopped(Some(self.device.now));
            self.device.clock = ended;
            self.device.say(fact::Kind::Press(v1::Press { by: wire(by), r#move: uci, ..v1::Press::default() })).await;
        } else {
            self.press(by, uci).await;
        }
        self.clocks = ply.clocks;
        if is_last && self.plan.end == End::OnTheBoard {
            self.device.rebooted = false;
            return Ok(());
        }
        if let Some(times) = ply.after {
            self.pause().await?;
            self.device.report.clocks_set += 1;
            self.rule(&Ruling::SetClocks { times }).await?;
            self.rule(&Ruling::Resume).await?;
            self.device.until(Until::Running).await?;
        }
        self.recover().await
    }

    /// A restart between a move and its press: once the clocks are as before the thinking, it is thought again.
    async fn restart_in_the_move(&mut self, ply: &PlannedPly) -> Result<(), Error> {
        while self.device.rebooted {
            self.recover().await?;
            self.think(ply.think).await?;
        }
        Ok(())
    }

    async fn press(&mut self, by: Color, uci: String) {
        let next = self.device.clock.pressed(self.device.now);
        self.device.clock = next;
        let shown_ms = Some(self.device.clock.side(by).left.0);
        self.device.say(fact::Kind::Press(v1::Press { by: wire(by), r#move: uci, unread: false, shown_ms })).await;
    }

    /// Stops both clocks at this very instant.
    async fn pause(&mut self) -> Result<(), Error> {
        if self.device.rebooted {
            // They stand already, and the times are about to be set.
            self.device.rebooted = false;
        } else {
            self.device.clock = self.device.clock.stopped(Some(self.device.now));
            self.device.say(fact::Kind::Pause(0)).await;
            self.device.rebooted = false;
        }
        self.device.until(Until::Acked).await
    }

    async fn end(&mut self) -> Result<(), Error> {
        match self.plan.end {
            End::OnTheBoard => {}
            End::Flag => self.flag().await?,
            End::Resignation { by } => self.device.say(fact::Kind::Resignation(wire(by))).await,
            End::Agreement => {
                let other = self.mover();
                self.device.say(fact::Kind::Acceptance(wire(other))).await;
            }
            End::Unfinished => self.pause().await?,
            End::Ruled(score) => {
                self.pause().await?;
                self.ruled(score).await?;
            }
        }
        self.device.until(Until::Acked).await?;
        if self.plan.end != End::Unfinished {
            self.over().await?;
        }
        if let Some(score) = self.plan.correction {
            self.device.report.corrections += 1;
            let reason = "the score as published".to_string();
            self.rule(&Ruling::CorrectResult { score, reason }).await?;
        }
        Ok(())
    }

    /// Waits for the result: whether somebody can still mate may be worked out after the game.
    async fn over(&mut self) -> Result<(), Error> {
        for _ in 0..LOOKS {
            if !self.shared.office.state(self.game).await?.score.is_empty() {
                break;
            }
            self.device.until(Until::Time(Instant::now() + SETTLE)).await?;
        }
        Ok(())
    }

    async fn flag(&mut self) -> Result<(), Error> {
        loop {
            let zero = self.device.clock.falls_at().unwrap_or(self.device.now);
            self.think(zero.less(self.device.now)).await?;
            if !self.device.rebooted {
                break;
            }
            self.recover().await?;
        }
        let color = self.mover();
        let fallen = Clock { left: Millis::ZERO, free: Millis::ZERO, ..self.device.sides()[color] };
        self.device.clock = self.device.clock.stopped(Some(self.device.now));
        self.device.clock.set_side(color, fallen);
        self.device.say(fact::Kind::Flag(wire(color))).await;
        Ok(())
    }

    async fn ruled(&mut self, score: Score) -> Result<(), Error> {
        self.device.report.results_ruled += 1;
        self.rule(&Ruling::DeclareResult { score, reason: "as published".to_string() }).await
    }

    /// Waits until the daemon has heard everything of this game, and compares.
    async fn settle(&mut self) -> Result<(), Error> {
        let state = loop {
            self.device.until(Until::Acked).await?;
            let state = self.shared.office.state(self.game).await?;
            if state.orders.is_empty() {
                break state;
            }
            self.device.until(Until::Time(Instant::now() + SETTLE)).await?;
        };
        let report = &mut self.device.report;
        report.games += 1;
        let left = |side: Option<v1::Side>| Millis(side.map_or(0, |side| side.left_ms));
        let sides = state.sides.unwrap_or_default();
        let clocks = ByColor { white: left(sides.white), black: left(sides.black) };
        let result = self.plan.result.map_or(String::new(), |score| score.to_string());
        let moves: Vec<String> = self.plan.plies.iter().map(|ply| ply.uci.to_string()).collect();
        if state.score == result && clocks == self.plan.final_clocks && state.moves == moves && state.running == 0 {
            report.equal += 1;
        } else {
            report.differences.push(Difference {
                game: self.game,
                file: self.plan.source.clone(),
                number: self.plan.number,
                expected: format!("{result} {} {}", self.plan.final_clocks.white, self.plan.final_clocks.black),
                got: format!("{} {} {} {} moves of {} {}", state.score, clocks.white, clocks.black, state.moves.len(), moves.len(), state.phase),
            });
        }
        Ok(())
    }
}

fn starts(state: &v1::GameState) -> bool {
    state.orders.iter().any(|order| matches!(order.command, Some(v1::order::Command::Start(_))))
}

fn wire(color: Color) -> i32 {
    color.fold_wb(v1::Color::White, v1::Color::Black).into()
}
