//! Articles 6.10, 11 and 12: what an arbiter may rule, on times, counters, devices and results.

use shakmaty::{ByColor, Color};

use super::entry::{Claim, Command, Consequence, DeviceId, MAX_TEXT, Penalty, Refusal, Ruling, Score, StopReason, Termination, is_plain};
use super::{Decision, FlagsBy, Game, OpenPoint, Phase, adjournment, chessclock, claims, completion, flags, irregularities, orders};
use crate::clock::{Adjustment, Clock, MAX_TIME, Millis, Reading, WallTime};

/// Highest number to which a move counter can be set.
const MAX_COUNTER: u32 = 9_999;

/// Whether the state admits the ruling; if not, what stands against it.
pub(super) fn admit(game: &Game, ruling: &Ruling, now: Option<Millis>, wall: WallTime) -> Result<(), Refusal> {
    let laws = game.laws;
    readable(game, ruling, now)?;
    let against = match (ruling, game.phase) {
        (Ruling::CorrectResult { .. } | Ruling::Annul { .. }, Phase::Over) => None,
        (Ruling::Penalise { penalty, .. }, _) if !may_be_inflicted(game, *penalty) => {
            Some(("no-such-penalty", &laws.penalties.warning, "this edition, or these regulations, have no such penalty"))
        }
        (Ruling::Penalise { color, penalty: Penalty::OpponentPoints(_) | Penalty::OwnPoints(_), .. }, _) if too_many(game, *color, ruling) => {
            Some(("too-many-points", &laws.result, "a game brings one point, and no penalty gives or takes more"))
        }
        (Ruling::Undo { .. }, _) if game.undoable.is_empty() => {
            Some(("nothing-to-undo", &laws.arbiter, "no ruling is left that could be taken back"))
        }
        (Ruling::Undo { .. }, _) if game.undoable.last().is_some_and(|last| last.is_past_by_adjournment(game)) => Some((
            "sealed-since",
            &laws.adjournment.custody,
            "a move has been sealed or a session has begun since the last ruling that could be taken back",
        )),
        (Ruling::Undo { .. }, _) if game.undoable.last().is_some_and(|last| last.is_past(game)) => Some((
            "moves-since",
            &laws.arbiter,
            "a move has been made or sealed since, or the game is over by something else: restore the position, set the clocks, or correct",
        )),
        (Ruling::Undo { .. }, _) if game.undoable.last().is_some_and(|last| last.empties_a_clock(game, now)) => {
            Some(("too-little-left", &laws.arbiter, "less is left than taking it back would take: stop and set the clocks"))
        }
        (Ruling::Undo { .. }, _) => None,
        (_, Phase::Annulled) => Some(("annulled", &laws.wrong_setup.voids, "the game is annulled: only undo can bring it back")),
        (Ruling::CorrectResult { .. }, _) => Some(("no-result", &laws.result, "the game has no result yet: rule a result")),
        (Ruling::Excuse { color, .. }, Phase::Over) if forfeited(game, *color) => None,
        (_, Phase::Over) => Some(("game-over", &laws.result, "the game is over: correct, annul or undo")),
        (ruling, _) if adjournment::waits_for_resumption(game, ruling) => {
            Some(("adjourned", &laws.adjournment.set_up, "the game is adjourned: resume it first"))
        }
        (Ruling::Start, _) if game.regulations.default_time().is_none() => Some((
            "default-time-unstated",
            &laws.default_time.article,
            "the regulations have to state a default time: this edition has none of its own",
        )),
        (Ruling::Start, Phase::Running | Phase::Stopped(_)) => {
            Some(("already-started", &laws.start, "the game has started: resume, if the clocks stand"))
        }
        (Ruling::Start | Ruling::Resume, _) if game.awaits_start() => {
            Some(("start-pending", &laws.stopping.article, "the clock has been told to start and has not confirmed it"))
        }
        (Ruling::Stop { .. }, _) if game.awaits_stop() => {
            Some(("stop-pending", &laws.stopping.article, "the clock has been told to stop and has not confirmed it"))
        }
        // A clock that was told to start and has not said so is told to stop after that.
        (Ruling::Stop { .. }, phase) if phase != Phase::Running && !game.awaits_start() => {
            Some(("not-running", &laws.stopping.article, "no clock runs"))
        }
        (Ruling::Resume, Phase::Running) => Some(("not-stopped", &laws.stopping.article, "a clock runs already")),
        (Ruling::Resume, Phase::Scheduled | Phase::Ready) => Some(("not-started", &laws.start, "the game has not started: start it")),
        (Ruling::SetClocks { .. } | Ruling::SetCounter { .. }, Phase::Running) => {
            Some(("running", &laws.counter, "a clock runs: stop the clocks first, or add time"))
        }
        (Ruling::SetClocks { .. } | Ruling::SetCounter { .. }, _) if game.clock.running().is_some() => {
            Some(("stop-pending", &laws.stopping.article, "the clock has been told to stop and has not confirmed it"))
        }
        (Ruling::ReplaceClock { device }, _) if *device == game.device && !game.has_two() => {
            Some(("same-clock", &laws.defective_clock, "that clock is at the board already"))
        }
        (Ruling::ReplaceOwnClock { color, device }, _) if game.has_two() && game.device_of(*color) == Some(*device) => {
            Some(("same-clock", &laws.defective_clock, "that clock is at that side already"))
        }
        (Ruling::ReplaceOwnClock { .. }, _) if game.device.is_none() => {
            Some(("no-clock", &laws.defective_clock, "no clock is at the board: put one there that keeps both times, then one at a side"))
        }
        (Ruling::ReplaceOwnClock { .. }, Phase::Running) if !game.has_two() => {
            Some(("running", &laws.defective_clock, "one clock keeps both times, and runs: stop it first"))
        }
        (Ruling::Resume, _) if game.has_two() && game.at_work().is_some_and(|side| side != game.on_move) => {
            Some(("stop-pending", &laws.stopping.article, "the other side's clock has been told to stop and has not confirmed it"))
        }
        (ruling, Phase::Scheduled | Phase::Ready) if needs_a_start(ruling) => {
            Some(("not-started", &laws.start, "the game has not started: start it"))
        }
        (ruling, Phase::Running) if stands_still(ruling) && game.device.is_some() && now.is_none() => {
            Some(("running", &laws.stopping.article, "a clock runs: stop the clocks first"))
        }
        (Ruling::Restore { plies }, _) if !can_be_restored(game, *plies as usize) => {
            Some(("no-such-ply", &laws.restored, "so many plies have not been made: give the number of those that stand"))
        }
        (Ruling::Resume, _) if game.down.get(game.on_move).is_some() && game.regulations.flags() == FlagsBy::Auto => {
            Some(("flag-down", &laws.flag.article, "that player's clock reads zero: set the clocks first"))
        }
        (Ruling::Resume, _) if game.waits() && adjournment::wrong_times(game, None).is_some() => {
            Some(("claim-pending", &laws.adjournment.wrong_times, "a claim on the clocks waits for its decision: set them, uphold or reject it"))
        }
        (Ruling::Resume, _) if undecided(game) || (game.waits() && game.awaits_stop()) => {
            Some(("claim-pending", &laws.claim.procedure, "a claim waits for its decision: uphold, reject or postpone it"))
        }
        (Ruling::Excuse { color, .. }, _) if *game.excused.get(*color) => {
            Some(("excused", &laws.default_time.article, "that player is excused already"))
        }
        _ => None,
    };
    if let Some((code, article, why)) = against {
        return Err(Refusal::Contradicts { code, article: *article, why: why.to_string() });
    }
    match ruling {
        Ruling::Uphold { .. } => claims::admit(game, Some(true)),
        Ruling::Reject { .. } => claims::admit(game, Some(false)),
        Ruling::Postpone { .. } => claims::admit(game, None),
        Ruling::CallFlag { color } => flags::admit_call(game, *color),
        Ruling::RuleIllegal { color, two_hands } => irregularities::admit_illegal(game, *color, *two_hands),
        Ruling::OrderSeal => adjournment::admit_order(game),
        Ruling::Announce { .. } | Ruling::WriteEnvelope { .. } | Ruling::TakeCustody | Ruling::LoseEnvelope { .. } => {
            adjournment::admit_envelope(game, ruling, wall)
        }
        Ruling::Resume | Ruling::Excuse { .. } => adjournment::admit_resumption(game, ruling, wall),
        Ruling::Open { .. } | Ruling::Decipher { .. } => adjournment::admit_opening(game, ruling, now.is_some()),
        _ => Ok(()),
    }
}

/// Whether this player has lost by coming too late: the arbiter may decide otherwise when he hears why (6.7, I.10).
fn forfeited(game: &Game, color: Color) -> bool {
    let lost = |score: Score| score.halves().is_some_and(|halves| *halves.get(color) == 0);
    game.outcome.as_ref().is_some_and(|outcome| outcome.termination == Termination::DefaultTime && lost(outcome.score))
}

/// Rulings about play, which need some.
fn needs_a_start(ruling: &Ruling) -> bool {
    matches!(ruling, Ruling::CallFlag { .. } | Ruling::RuleIllegal { .. } | Ruling::Restore { .. } | Ruling::OrderSeal)
}

/// Rulings that need the clocks to stand.
fn stands_still(ruling: &Ruling) -> bool {
    matches!(ruling, Ruling::RuleIllegal { .. } | Ruling::Restore { .. } | Ruling::FindColoursReversed | Ruling::FindWrongSetup)
}

/// Whether so many plies stood once and something came after them: a ply, a move out of turn, or a press without one.
fn can_be_restored(game: &Game, plies: usize) -> bool {
    let known = game.line.plies().len();
    let beside = game.empty_press.is_some() || (game.made.white + game.made.black) as usize > known;
    plies < known || (plies == known && beside)
}

/// A claim of a draw or in the quickplay finish that nobody has decided yet.
fn undecided(game: &Game) -> bool {
    let draw = |claim: &Claim| matches!(claim, Claim::Threefold { .. } | Claim::Fifty { .. } | Claim::Quickplay { .. } | Claim::FiveSeconds);
    game.claim.is_some_and(|pending| !pending.postponed && draw(&pending.claim))
}

fn may_be_inflicted(game: &Game, penalty: Penalty) -> bool {
    let announced = penalty != Penalty::Fine || game.regulations.otherwise(OpenPoint::Fines);
    announced && game.laws.penalties.article(penalty).is_some()
}

/// Whose half points change, and by how many.
fn points(color: Color, ruling: &Ruling) -> Option<(Color, i32)> {
    match ruling {
        Ruling::Penalise { penalty: Penalty::OpponentPoints(halves), .. } => Some((!color, i32::from(*halves))),
        Ruling::Penalise { penalty: Penalty::OwnPoints(halves), .. } => Some((color, -i32::from(*halves))),
        _ => None,
    }
}

/// Whether points given or taken leave what a game can bring.
fn too_many(game: &Game, color: Color, ruling: &Ruling) -> bool {
    let Some(changed) = points(color, ruling) else { return false };
    (game.points.get(changed.0) + changed.1).abs() > 2
}

/// Limits, and amounts that mean nothing.
fn readable(game: &Game, ruling: &Ruling, now: Option<Millis>) -> Result<(), Refusal> {
    let wrong = |field, why: String| Err(Refusal::Unreadable { field, why });
    if ruling.reason().len() > MAX_TEXT || !ruling.reason().chars().all(is_plain) {
        return wrong("reason", format!("at most {MAX_TEXT} bytes of text without control characters"));
    }
    match ruling {
        Ruling::CorrectResult { reason, .. } | Ruling::Annul { reason } if reason.trim().is_empty() => {
            wrong("reason", "a correction or annulment needs a reason".to_string())
        }
        Ruling::SetClocks { times } if times.white > MAX_TIME || times.black > MAX_TIME => wrong("times", format!("more than {MAX_TIME}")),
        Ruling::SetCounter { moves, .. } if *moves > MAX_COUNTER => wrong("moves", format!("more than {MAX_COUNTER}")),
        Ruling::Penalise { penalty: Penalty::OpponentPoints(n) | Penalty::OwnPoints(n), .. } if *n == 0 || *n > 2 => {
            wrong("penalty", "half a point or one point".to_string())
        }
        Ruling::Penalise { color, penalty: Penalty::OpponentTime(time), .. } => added(game, !*color, Adjustment::gain(*time), now),
        Ruling::Penalise { color, penalty: Penalty::OwnTime(time), .. } => added(game, *color, Adjustment::gain(*time).reversed(), now),
        Ruling::AddTime { color, by, .. } => added(game, *color, *by, now),
        _ => Ok(()),
    }
}

/// Whether so much can be added to a clock, or taken off it.
fn added(game: &Game, color: Color, by: Adjustment, now: Option<Millis>) -> Result<(), Refusal> {
    let wrong = |why: String| Err(Refusal::Unreadable { field: "by", why });
    let left = *game.clock.reading(now).get(color);
    if by == Adjustment(0) {
        wrong("nothing to add".to_string())
    } else if by.0.unsigned_abs() > MAX_TIME.0 {
        wrong(format!("more than {MAX_TIME}"))
    } else if left.adjusted(by) > MAX_TIME {
        wrong(format!("that makes more than {MAX_TIME}"))
    } else if by.0 < 0 && by.0.unsigned_abs() >= left.0 {
        wrong(format!("{} has only {left} left", if color.is_white() { "White" } else { "Black" }))
    } else {
        Ok(())
    }
}

/// Both players are there (6.7).
pub(super) fn arrival(d: &mut Decision) {
    if d.game.phase == Phase::Scheduled && !d.game.absent.white && !d.game.absent.black {
        d.so(Consequence::PlayersReady);
    }
}

/// Sets both clocks. A claim of what they should show is decided with that.
pub(super) fn set_clocks(d: &mut Decision, times: Reading) {
    if matches!(d.game.claim.map(|pending| pending.claim), Some(Claim::Clocks { .. })) {
        let article = adjournment::wrong_times(&d.game, None).map_or(d.game.laws.wrong_setting, |judgement| judgement.article);
        d.so(Consequence::ClaimEnded { article });
    }
    let sides = ByColor::new_with(|color| Clock { left: *times.get(color), ..*d.game.clock.side(color) });
    set(d, sides);
    adjournment::times_set(d);
}

pub(super) fn add_time(d: &mut Decision, color: Color, by: Adjustment) {
    adjust(d, &[(color, by)]);
}

/// Adds to clocks and takes from them, running or not. A clock that has fallen is not revived.
pub(super) fn adjust(d: &mut Decision, changes: &[(Color, Adjustment)]) {
    let mut sides = chessclock::sides(&d.game.clock);
    let mut told = Vec::new();
    for (color, by) in changes {
        if *by != Adjustment(0) && d.game.down.get(*color).is_none() {
            let clock = sides.get_mut(*color);
            clock.left = clock.left.adjusted(*by);
            told.push((*color, *by));
        }
    }
    if told.is_empty() {
        return;
    }
    d.so(Consequence::ClocksSet { sides });
    for (color, by) in told {
        orders::tell(d, Command::Add { color, by });
    }
}

/// Inflicts a penalty (12.9).
pub(super) fn penalise(d: &mut Decision, color: Color, penalty: Penalty, ruling: &Ruling) {
    match penalty {
        Penalty::OpponentTime(time) => adjust(d, &[(!color, Adjustment::gain(time))]),
        Penalty::OwnTime(time) => adjust(d, &[(color, Adjustment::gain(time).reversed())]),
        Penalty::OpponentPoints(_) | Penalty::OwnPoints(_) => {
            let Some(changed) = points(color, ruling) else { return };
            d.so(Consequence::PointsChanged { color: changed.0, halves: changed.1 });
        }
        Penalty::Loss | Penalty::Expulsion => {
            let article = d.game.laws.penalties.article(penalty).unwrap_or(d.game.laws.arbiter);
            completion::over(d, Score::win(!color), Termination::Arbiter, &article);
        }
        Penalty::Warning | Penalty::Fine | Penalty::Exclusion => {}
    }
}

/// Being late does not lose.
pub(super) fn excuse(d: &mut Decision, color: Color) {
    if d.game.phase == Phase::Over {
        d.so(Consequence::Reopened { phase: d.game.before_end });
    }
    d.so(Consequence::Excused { color });
}

pub(super) fn set_counter(d: &mut Decision, color: Color, moves: u32) {
    let mut sides = chessclock::sides(&d.game.clock);
    sides.get_mut(color).counter = moves;
    set(d, sides);
}

/// Sets both sides of the chessclock.
pub(super) fn set(d: &mut Decision, sides: ByColor<Clock>) {
    d.so(Consequence::ClocksSet { sides });
    orders::tell(d, Command::Set { sides });
}

/// Another device keeps the time from here on; the clocks stand as last known until they are confirmed (6.10.1).
pub(super) fn replace_clock(d: &mut Decision, device: Option<DeviceId>) {
    if d.game.is_at_work(None) {
        d.so(Consequence::ClocksStopped { sides: chessclock::sides(&d.game.clock), reason: StopReason::ClockReplaced });
    }
    d.so(Consequence::ClockReplaced { device });
}

/// Another device keeps the time of one side. Its clock stands as last known; the other side's own device stops its clock itself.
pub(super) fn replace_own_clock(d: &mut Decision, color: Color, device: DeviceId) {
    if d.game.at_work() == Some(color) {
        d.so(Consequence::ClocksStopped { sides: chessclock::sides(&d.game.clock), reason: StopReason::ClockReplaced });
    } else if d.game.is_at_work(None) {
        chessclock::halt(d, StopReason::ClockReplaced);
    }
    d.so(Consequence::OwnClockReplaced { color, device });
}

pub(super) fn declare(d: &mut Decision, score: Score) {
    let article = &d.game.laws.result;
    completion::over(d, score, Termination::Arbiter, article);
}

pub(super) fn correct(d: &mut Decision, score: Score) {
    d.so(Consequence::ResultCorrected { score });
}

pub(super) fn annul(d: &mut Decision) {
    completion::stop_for_good(d, StopReason::Arbiter);
    d.so(Consequence::Annulled);
}
