//! Article 6: the press, the flag, starting and stopping the clocks, the device that restarts.

use shakmaty::{ByColor, Color, Position};

use super::entry::{Command, Consequence, Entry, Fact, IncidentCode, Moved, Score, StopReason, Termination};
use super::{Before, Decision, Game, Phase, Stage, adjournment, completion, flags, orders, two};
use crate::clock::{Adjustment, Chessclock, Clock, Millis, Reading};

/// How far a display may be from what the stamps give before the arbiter is told: one second, which is what a display shows.
pub const DISPLAY_TOLERANCE: Millis = Millis::seconds(1);

/// Periods that one input may bring at zero. A stamp that leaps over more is not believed: the clocks stand, and the arbiter looks.
pub const PERIODS_AT_ONCE: usize = 64;

pub(super) fn sides(clock: &Chessclock) -> ByColor<Clock> {
    ByColor::new_with(|color| *clock.side(color))
}

/// Brings the clocks to `now`: what ran out before it has run out, whoever noticed (6.8). A stamp before the last one charges nobody.
pub(super) fn settle(d: &mut Decision) {
    let Some(now) = d.now else { return d.when.at.map_or((), |at| late(d, at)) };
    if d.game.phase != Phase::Running {
        return late(d, now);
    }
    if d.game.clock.running().is_some_and(|running| now < running.since) {
        return backwards(d, now);
    }
    for _ in 0..PERIODS_AT_ONCE {
        match falls_at(d) {
            Some(zero) if zero <= now && d.game.phase == Phase::Running => {
                late(d, zero);
                run_out(d, zero);
            }
            _ => return late(d, now),
        }
    }
    if d.game.phase == Phase::Running {
        not_believed(d, IncidentCode::ClockDiscrepancy, format!("stamp {now} leaps over {PERIODS_AT_ONCE} periods"));
    }
}

/// When the running clock reaches zero; a clock that has been there is not watched any more.
fn falls_at(d: &Decision) -> Option<Millis> {
    let running = d.game.clock.running()?;
    let down = *d.game.down.get(running.color);
    d.game.clock.falls_at().filter(|_| down.is_none())
}

/// A player who has not come within the default time has lost, both if neither has (6.7.1).
fn late(d: &mut Decision, now: Millis) {
    let elsewhere = d.when.own.is_some_and(|own| own.side != d.game.starter());
    if !elsewhere && d.game.awaited().is_some_and(|(_, until)| now > until) {
        overdue(d);
    }
}

impl Game {
    /// Whether he is not there and may not be late. Who has moved is there, whether or not anybody has noted that he came.
    fn is_missing(&self, color: Color) -> bool {
        *self.absent.get(color) && !*self.excused.get(color) && *self.made.get(color) == 0
    }

    /// Who is not there and may not be late, and until when he comes in time.
    pub fn awaited(&self) -> Option<(Color, Millis)> {
        let begun = !matches!(self.stage(), Some(Stage::Adjourned | Stage::Resuming | Stage::Resumed));
        let color = Color::ALL.into_iter().find(|color| self.is_missing(*color)).filter(|_| !self.is_finished() && begun)?;
        Some((color, self.started?.plus(self.regulations.default_time()?)))
    }
}

/// Whoever is not there now and may not be late has lost.
pub(super) fn overdue(d: &mut Decision) {
    if d.game.stage().is_some_and(|stage| stage >= Stage::Adjourned) {
        return adjournment::lateness(d);
    }
    if d.game.is_finished() || d.game.started.is_none() || d.game.regulations.default_time().is_none() {
        return;
    }
    let late = ByColor::new_with(|color| d.game.is_missing(color));
    let score = match (late.white, late.black) {
        (true, true) => Score::BothLose,
        (true, false) => Score::BlackWins,
        (false, true) => Score::WhiteWins,
        (false, false) => return,
    };
    let article = d.game.laws.default_time.article;
    completion::over(d, score, Termination::DefaultTime, &article);
}

/// After a flag was withdrawn for what came before it: it falls again at its own instant, unless that has stopped this player's clock.
pub(super) fn settle_again(d: &mut Decision) {
    let withdrawn = d.entries.iter().find_map(|entry| match entry {
        Entry::Consequence(Consequence::FlagWithdrawn { color }) => Some(*color),
        _ => None,
    });
    if let (Some(color), Some(zero)) = (withdrawn, d.game.clock.falls_at())
        && d.game.running() == Some(color)
    {
        run_out(d, zero);
    }
}

fn run_out(d: &mut Decision, zero: Millis) {
    let Some(running) = d.game.clock.running() else { return };
    let moves = d.game.clock.side(running.color).counter.max(*d.game.completed.get(running.color));
    match d.game.clock.next_period_at_zero(moves) {
        Some(next) => {
            let (color, other) = (running.color, next.side(!running.color).left);
            d.so(Consequence::PeriodAdded { color, clock: *next.side(color), other, since: zero });
        }
        None => flags::ran_out(d, running.color, zero),
    }
}

fn backwards(d: &mut Decision, now: Millis) {
    let since = d.game.clock.running().map_or(Millis::ZERO, |r| r.since);
    not_believed(d, IncidentCode::StampsBackwards, format!("stamp {now} after {since}"));
}

/// A device whose own time leapt: what it measures from here on cannot be joined to what it measured before (6.10.1).
pub(super) fn leapt(d: &mut Decision, by: Adjustment) {
    if d.game.clock.running().is_some() {
        stand(d, StopReason::DeviceLeapt, IncidentCode::DeviceLeapt, format!("its time leapt by {by}: confirm the times or set them"));
    }
}

/// The end was taken back, and what was done at the clock meanwhile, or is before it has been stopped, did not count: nobody is charged for
/// that time.
pub(super) fn uncounted(d: &mut Decision) {
    if !matches!(d.game.phase, Phase::Stopped(_)) {
        return;
    }
    let note = "it was pressed after the end: times as last known, set them".to_string();
    stand(d, StopReason::Uncounted, IncidentCode::ClockDiscrepancy, note);
}

/// A stamp that cannot be: nobody is charged for it.
fn not_believed(d: &mut Decision, code: IncidentCode, note: String) {
    stand(d, StopReason::StampsBackwards, code, note);
}

/// The clocks stand as they were last known.
fn stand(d: &mut Decision, reason: StopReason, code: IncidentCode, note: String) {
    d.so(Consequence::ClocksStopped { sides: sides(&d.game.clock), reason });
    let article = &d.game.laws.defective_clock;
    d.incident(code, None, article, note);
    orders::tell(d, Command::Stop);
}

/// A fact of the flagged player that the device stamped before the fall counts before it, though it came later.
pub(super) fn overtake_flag(d: &mut Decision, fact: &Fact) {
    let (Fact::Move { by, .. } | Fact::Press { by, .. }) = fact else { return };
    let by_time =
        d.game.outcome.as_ref().map(|outcome| outcome.termination).or(d.game.awaiting.map(|loss| loss.termination)) == Some(Termination::Time);
    let Some((fallen, now)) = d.game.fallen.as_ref().zip(d.now) else { return };
    let ran = fallen.clock.running();
    if by_time && d.game.phase != Phase::Running && now < fallen.at && ran.is_some_and(|ran| ran.color == *by && ran.since <= now) {
        d.so(Consequence::FlagWithdrawn { color: *by });
    }
}

/// Until when a player has thought. One whose game the daemon times from afar is credited what his press was on its way: as he reports
/// it, up to the tournament's cap, and never more than he has thought. His opponent's clock starts when the press came all the same.
pub(super) fn thought_until(game: &Game, fact: &Fact, now: Option<Millis>) -> Option<Millis> {
    let now = now?;
    let Fact::Press { by, lag: Some(reported), .. } = fact else { return Some(now) };
    let fallen = game.fallen.as_ref().and_then(|fallen| fallen.clock.running());
    let running = game.clock.running().or(fallen).filter(|running| running.color == *by && game.device.is_none());
    let (Some(running), Some(cap)) = (running, game.regulations.compensation) else { return Some(now) };
    let elapsed = now.less(running.since);
    Some(now.less(elapsed.min(cap).min(*reported)))
}

/// The press stops the presser's clock and starts the opponent's (6.2.1); on a side that stands it does nothing.
pub(super) fn press(d: &mut Decision, by: Color, moved: Moved, shown: Option<Millis>, lag: Option<Millis>, before: &Before) {
    if d.game.running() != Some(by) {
        return;
    }
    if moved != Moved::AsReported {
        completion::made(d, by, before);
        completion::check(d);
        if d.game.is_finished() {
            return;
        }
    }
    if adjournment::ordered_press(d, by) || adjournment::press_reply(d, by) {
        return;
    }
    let Some((now, came)) = d.now.zip(d.came) else { return };
    if let Some(reported) = lag.filter(|_| now < came) {
        d.so(Consequence::Compensated { by, reported, credited: came.less(now) });
    }
    let mut next = d.game.clock.pressed(now);
    if d.game.down.get(by).is_some() {
        // What has fallen gets nothing more; the sand of an hourglass flows all the same.
        let (counter, left) = (next.side(by).counter, d.game.clock.stopped(Some(now)).side(by).left);
        next.set_side(by, Clock { counter, left, ..*d.game.clock.side(by) });
    }
    let completed = *d.game.completed.get(by);
    let has_moved = *d.game.uncompleted.get(by);
    let clock = *next.side(by);
    let completed = if has_moved { completed + 1 } else { completed };
    d.so(Consequence::Pressed { by, clock, other: next.side(!by).left, completed, since: came });
    two::pressed(d, by);
    if !has_moved {
        let illegal = &d.game.laws.illegal_move;
        let article = illegal.press_without_move.unwrap_or(illegal.handling);
        d.incident(IncidentCode::PressWithoutMove, Some(by), &article, "");
    } else if d.game.duty.is_some_and(|(whose, _)| whose == by) && d.game.line.plies().last().is_some_and(|ply| ply.legal) {
        d.so(Consequence::DutySet { by, duty: None });
    }
    if let Some(shown) = shown {
        compare(d, by, shown, clock.left);
    }
}

/// The device's word that a flag fell, where the stamps bear it out within what a display shows. Where they do not, its clock reads zero
/// all the same and measures nothing more: it stands, and who overstepped what is for the arbiter (6.10.1).
pub(super) fn flag(d: &mut Decision, color: Color) {
    let left = *d.game.clock.reading(d.now).get(color);
    match d.now {
        // It is known already.
        _ if d.game.down.get(color).is_some() || d.game.awaiting.is_some() => {}
        Some(now) if d.game.running() == Some(color) && left <= DISPLAY_TOLERANCE => flags::ran_out(d, color, now),
        _ => {
            let next_period =
                d.entries.iter().any(|entry| matches!(entry, Entry::Consequence(Consequence::PeriodAdded { color: whose, .. }) if *whose == color));
            if d.game.running() == Some(color) && d.game.device.is_some() && !next_period {
                halt(d, StopReason::FlagUndecided);
            }
            let article = &d.game.laws.defective_clock;
            d.incident(IncidentCode::FlagDoubtful, Some(color), article, format!("by the stamps {left} is left"));
        }
    }
}

pub(super) fn silence(d: &mut Decision, color: Color) {
    if d.game.running() == Some(color) {
        d.incident(IncidentCode::FlagDue, Some(color), &d.game.laws.flag.article, "the device has not reported a fall");
    }
}

pub(super) fn display(d: &mut Decision, shown: Reading) {
    let read = d.game.clock.at(d.now);
    let own = d.when.own.map(|own| own.side);
    for color in Color::ALL.into_iter().filter(|color| own.is_none_or(|own| own == *color)) {
        compare(d, color, *shown.get(color), read.side(color).left);
    }
    if let (Phase::Running, Some(running)) = (d.game.phase, read.running())
        && own.is_none_or(|own| own == running.color)
    {
        let (color, since) = (running.color, running.since);
        d.so(Consequence::ClockRead { color, clock: *read.side(color), other: read.side(!color).left, since });
    }
}

fn compare(d: &mut Decision, color: Color, shown: Millis, reckoned: Millis) {
    if shown.distance(reckoned) > DISPLAY_TOLERANCE {
        let note = format!("shows {shown}, by its stamps {reckoned}");
        d.incident(IncidentCode::ClockDiscrepancy, Some(color), &d.game.laws.defective_clock, note);
    }
}

/// The pause button: both clocks stand, and the player does not lose the move (6.11.2).
pub(super) fn pause(d: &mut Decision) {
    if d.game.is_at_work(None) && d.game.has_two() {
        return halt(d, StopReason::Pause);
    }
    if d.game.clock.running().is_some() {
        let stopped = d.game.clock.stopped(d.now);
        d.so(Consequence::ClocksStopped { sides: sides(&stopped), reason: StopReason::Pause });
    }
}

/// The clocks stand for a reason of the game: now, or, where the instant is not known on the device's timeline, when the device says so.
pub(super) fn halt(d: &mut Decision, reason: StopReason) {
    let between = d.game.is_between();
    if d.game.clock.running().is_none() && !between {
        if matches!(d.game.phase, Phase::Running | Phase::Stopped(_)) {
            d.so(Consequence::ClocksStopped { sides: sides(&d.game.clock), reason });
        }
        return;
    }
    if !between && (d.now.is_some() || d.game.device.is_none()) {
        let stopped = d.game.clock.stopped(d.now);
        d.so(Consequence::ClocksStopped { sides: sides(&stopped), reason });
    }
    orders::tell(d, Command::Stop);
}

/// A device that restarts has forgotten the game: the clocks stand as last known until the arbiter confirms or sets them (6.10.1).
pub(super) fn restart(d: &mut Decision) {
    if let Some(at_work) = d.game.at_work() {
        let (reason, code) = if d.game.device.is_some() {
            (StopReason::DeviceRestart, IncidentCode::DeviceRestarted)
        } else {
            (StopReason::TimekeeperRestart, IncidentCode::TimekeeperRestarted)
        };
        let side = d.when.own.map(|own| own.side);
        if d.game.is_between() || side.is_some_and(|side| side != at_work) {
            // The other side's device has forgotten nothing, and stops its clock itself.
            halt(d, reason);
        } else {
            d.so(Consequence::ClocksStopped { sides: sides(&d.game.clock), reason });
        }
        d.incident(code, side, &d.game.laws.defective_clock, "times as last known: confirm or set them");
    }
}

/// A device reports what happened before another one, or none, was put in its place: with what time that leaves both is
/// ruled already, so it is for the arbiter whether it would have been ruled otherwise.
pub(super) fn belated(d: &mut Decision, fact: Box<Fact>) {
    let (color, tells) = (fact.by(), !matches!(*fact, Fact::Confirmation { .. } | Fact::Display { .. }));
    let note = format!("a clock that is not at this board any more reports late: {fact}");
    d.add(Entry::Fact(Fact::Belated { fact }));
    if tells && !d.game.is_finished() {
        d.incident(IncidentCode::BelatedReport, color, &d.game.laws.defective_clock, note);
    }
}

pub(super) fn start(d: &mut Decision) {
    let color = d.game.line.start().position.turn();
    orders::command(d, Command::Start { color });
}

pub(super) fn stop(d: &mut Decision) {
    orders::command(d, Command::Stop);
}

pub(super) fn resume(d: &mut Decision) {
    let color = d.game.on_move;
    orders::command(d, Command::Start { color });
}
