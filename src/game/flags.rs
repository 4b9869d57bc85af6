//! Articles 6.4, 6.8, 6.9 and 6.11 of old: the flag, who may call it, what a fall leads to, and both flags.

use shakmaty::Color;

use super::claims::{Judgement, put, stop_for_claim};
use super::entry::{Claim, Command, Consequence, IncidentCode, Loss, Refusal, Score, StopReason, Termination};
use super::{Decision, FlagsBy, Game, OpenPoint, Phase, chessclock, completion, mating, orders, two};
use crate::clock::Millis;
use crate::laws::{BothFlagsThen, FlagCalled};

/// The running side's time is used up at an instant: it is called, or it waits for somebody who may call it (6.8).
pub(super) fn ran_out(d: &mut Decision, color: Color, at: Millis) {
    two::fell(d, color, at);
    match d.game.regulations.flags() {
        FlagsBy::Auto => fallen(d, color, at),
        FlagsBy::Players => d.so(Consequence::FlagDown { color, at }),
        FlagsBy::Arbiter => {
            d.so(Consequence::FlagDown { color, at });
            d.incident(IncidentCode::FlagDue, Some(color), &d.game.laws.flag.observed, "by the clock; it has fallen when you or a player say so");
        }
    }
}

/// A fall that counts: a loss, or a draw where the opponent cannot mate (6.9).
pub(super) fn fallen(d: &mut Decision, color: Color, at: Millis) {
    let article = d.game.laws.flag.article;
    d.so(Consequence::FlagFallen { color, at, article });
    if !moves_were_made(d, color) {
        lost_on_time(d, color);
    }
    orders::tell(d, Command::Stop);
}

/// The moves were made, and the clock's counter missed one (6.4): whether time was due is for the arbiter.
fn moves_were_made(d: &mut Decision, color: Color) -> bool {
    let clock = *d.game.clock.side(color);
    let completed = d.game.completed.get(color).saturating_sub(completed_at_zero(&d.game, color));
    let due = d.game.clock.control().moves_until(color, clock.period as usize);
    let made = due.is_some_and(|due| completed >= due);
    if made {
        let note = format!("{completed} moves completed, {} counted: check the moves", clock.counter);
        d.so(Consequence::ClocksStopped { sides: chessclock::sides(&d.game.clock), reason: StopReason::FlagUndecided });
        d.incident(IncidentCode::CounterMismatch, Some(color), &d.game.laws.counter, note);
    }
    made
}

/// How many moves a player has completed since his clock has read zero without anybody having called it: they came too late.
fn completed_at_zero(game: &Game, color: Color) -> u32 {
    let skipped = usize::from(game.line.turn() == color);
    let own = game.line.plies().iter().rev().skip(skipped).step_by(2).skip_while(|ply| ply.left.is_none());
    own.take_while(|ply| ply.left == Some(Millis::ZERO)).count() as u32
}

/// A player whose flag has fallen has lost, unless his opponent cannot mate, or his claim still waits (III.5.2).
pub(super) fn lost_on_time(d: &mut Decision, color: Color) {
    let article = d.game.laws.flag.article;
    if d.game.was_put_off(color) {
        return d.so(Consequence::ClocksStopped { sides: chessclock::sides(&d.game.clock), reason: StopReason::FlagUndecided });
    }
    mating::decides(d, Loss { color, termination: Termination::Time, article });
}

/// The device reports that both are down and cannot tell which fell first.
pub(super) fn both(d: &mut Decision) {
    let at = d.now.unwrap_or_default();
    let read = d.game.clock.reading(d.now);
    let plausible = Color::ALL.into_iter().all(|color| *read.get(color) <= chessclock::DISPLAY_TOLERANCE);
    if !plausible || !matches!(d.game.phase, Phase::Running | Phase::Stopped(_)) {
        let note = format!("by the stamps {} and {} are left", read.white, read.black);
        return d.incident(IncidentCode::FlagDoubtful, None, &d.game.laws.defective_clock, note);
    }
    for color in Color::ALL {
        if d.game.down.get(color).is_none() {
            d.so(Consequence::FlagDown { color, at });
        }
    }
    // What the device cannot tell, the stamps of the presses may.
    called(d, Color::White);
}

/// Both flags are down and the order is not known.
fn order_unknown(d: &mut Decision) {
    let both = &d.game.laws.both_flags;
    let last = Color::ALL.into_iter().all(|color| {
        let period = d.game.clock.side(color).period as usize;
        d.game.clock.control().moves_until(color, period).is_none()
    });
    let increment = has_increment(&d.game);
    let quickplay = d.game.laws.quickplay.is_some() && d.game.regulations.quickplay_announced();
    let drawn = match both.then {
        BothFlagsThen::AlwaysDrawn => true,
        BothFlagsThen::ContinuesUnlessQuickplay => last && (quickplay || d.game.laws.quickplay.is_none()),
        BothFlagsThen::ContinuesUnlessLastPeriod => last,
        BothFlagsThen::Guideline => last && !increment && (quickplay || !d.game.regulations.otherwise(OpenPoint::BothFlags)),
    };
    let (article, continues) = (both.article, both.continues);
    if drawn {
        return completion::over(d, Score::Draw, Termination::BothFlags, &article);
    }
    chessclock::halt(d, StopReason::FlagUndecided);
    d.incident(IncidentCode::BothFlags, None, &continues, "check the moves, set the clocks, and the game goes on");
}

/// Whether moves bring time, in any period.
pub(super) fn has_increment(game: &Game) -> bool {
    Color::ALL
        .iter()
        .any(|color| game.clock.control().periods(*color).iter().any(|p| p.bonus.increment() > Millis::ZERO || p.bonus.free() > Millis::ZERO))
}

/// A flag that is down is called by somebody who may.
pub(super) fn called(d: &mut Decision, color: Color) {
    let (mine, other) = (*d.game.down.get(color), *d.game.down.get(!color));
    let (Some(mine), then) = (mine, d.game.laws.both_flags.then) else { return };
    match other {
        Some(_) if then == BothFlagsThen::AlwaysDrawn => {
            let article = d.game.laws.both_flags.article;
            completion::over(d, Score::Draw, Termination::BothFlags, &article);
        }
        Some(other) if d.game.has_two() => match two::fell_first(&d.game) {
            Some(first) => fallen(d, first, if first == color { mine } else { other }),
            None => order_unknown(d),
        },
        Some(other) if other == mine => order_unknown(d),
        Some(other) if other < mine => fallen(d, !color, other),
        _ => fallen(d, color, mine),
    }
}

/// A player claims that his opponent's flag is down.
pub(super) fn claim(d: &mut Decision, by: Color) {
    let laws = d.game.laws;
    stop_for_claim(d);
    let judgement = match (d.game.waits(), *d.game.down.get(!by)) {
        (true, _) => Judgement::not_admitted(laws.claim.procedure, "a claim waits for its decision"),
        (false, Some(since)) => Judgement::correct(laws.flag.claimed, format!("the clock has read zero since {since}")),
        (false, None) => Judgement::incorrect(laws.flag.claimed, format!("{} is left", d.game.clock.reading(d.now).get(!by))),
    };
    put(d, by, Claim::Flag, judgement);
}

/// What stands against the arbiter's calling this flag.
pub(super) fn admit_call(game: &Game, color: Color) -> Result<(), Refusal> {
    let laws = game.laws;
    let against = |code, why: &str| Err(Refusal::Contradicts { code, article: laws.flag.observed, why: why.to_string() });
    let both = game.down.white.is_some() && game.down.black.is_some();
    let may = game.regulations.flags() != FlagsBy::Players || (both && laws.flag.called == FlagCalled::ByPlayersUnlessBoth);
    if !may {
        return against("arbiter-refrains", "only the players may call a flag here");
    }
    if game.down.get(color).is_none() || game.phase == Phase::Scheduled {
        return against("not-fallen", "by the clock that flag has not fallen");
    }
    Ok(())
}
