//! Sealing: the order, the move in writing, and the stop of the clock that closes the envelope (I.1).

use shakmaty::{Color, Position, uci::UciMove};

use super::Stage;
use crate::clock::{Chessclock, Millis};
use crate::game::entry::{Command, Consequence, IncidentCode, Refusal, StopReason};
use crate::game::{Decision, Game, Phase, chessclock, flags, orders};
use crate::laws::{Article, OfferNoted};

/// What stands against ordering the player on move to seal.
pub(in crate::game) fn admit_order(game: &Game) -> Result<(), Refusal> {
    let article = game.laws.adjournment.sealing;
    match (game.phase, game.stage()) {
        (_, Some(Stage::Ordered)) => Err(against("already-ordered", article, "the player on move has been told to seal")),
        (_, Some(Stage::Sealed)) => Err(against("already-sealed", article, "the move is sealed: take custody of the envelope")),
        _ if game.envelope().is_some_and(|envelope| envelope.is_reply) => {
            Err(against("reply-unopened", article, "an answer is still in its envelope: open that first"))
        }
        _ if who_seals(game).is_none() => Err(against(
            "press-without-a-move",
            article,
            "the clock of one player runs and the other has the move on the board: restore the position first",
        )),
        (_, Some(Stage::Resuming)) => Err(against("resuming", article, "the last sealed move is not on the board yet: open its envelope")),
        _ => Ok(()),
    }
}

fn against(code: &'static str, article: Article, why: &str) -> Refusal {
    Refusal::Contradicts { code, article, why: why.to_string() }
}

/// The player on move has to seal.
pub(in crate::game) fn order(d: &mut Decision) {
    if let Some(color) = who_seals(&d.game) {
        let article = d.game.laws.adjournment.sealing;
        d.so(Consequence::SealOrdered { color, article });
    }
}

/// Who has the move, and so has to seal; `None`: clock and board do not agree on it, after a press without a move.
fn who_seals(game: &Game) -> Option<Color> {
    let by_clock = game.running().unwrap_or(game.on_move);
    // Who has made his move and only has to press does not have the move any more; an illegal one is not made.
    let made = on_the_board(game, by_clock).is_some();
    let has_it = if made { !by_clock } else { by_clock };
    let unmade = !made && game.has_moved(by_clock);
    let on_the_board = if unmade { !game.line.turn() } else { game.line.turn() };
    (has_it == on_the_board).then_some(has_it)
}

/// The announced end of the session has come: that is the order.
pub(in crate::game) fn session_over(d: &mut Decision) {
    if d.game.session_is_over(d.wall) {
        order(d);
    }
}

impl Game {
    /// Whether the session has ended by the arbiter's watch while the game was being played.
    pub fn session_is_over(&self, now: crate::clock::WallTime) -> bool {
        let playing = matches!(self.phase, Phase::Running | Phase::Stopped(_));
        playing && self.session.ends.is_some_and(|ends| ends <= now) && admit_order(self).is_ok()
    }
}

/// A move was written for the envelope. `counts`: it is the draft that the player may still change.
pub(in crate::game) fn written(d: &mut Decision, by: Color, counts: bool) {
    let article = d.game.laws.adjournment.sealing;
    if !counts {
        let sealed = d.game.is_suspended() && d.game.adjournment.as_ref().is_some_and(|a| a.sealer == by);
        let code = if sealed { IncidentCode::SealTooLate } else { IncidentCode::SealOutOfTurn };
        return d.incident(code, Some(by), &article, "");
    }
    if d.game.stage() == Some(Stage::Ordered) || d.game.may_reply(by) {
        return;
    }
    let early = d.game.laws.adjournment.early;
    if let Some(rest) = rest_of_session(d).filter(|rest| runs_out_within(d, by, *rest)) {
        d.incident(IncidentCode::EarlyAdjournment, Some(by), &early, format!("{rest} are left of the session, and would be charged"));
    }
}

/// How long the session still lasts by the arbiter's watch, where its end was announced.
fn rest_of_session(d: &Decision) -> Option<Millis> {
    d.game.session.ends.map(|ends| d.wall.until(ends))
}

/// The clock of the player on move as if it ran on for the rest of the session.
fn running_on(d: &Decision, by: Color) -> Chessclock {
    let mut clock = d.game.clock.at(d.now);
    if clock.running().is_none() {
        clock.run(by, d.now.unwrap_or_default());
    }
    clock
}

/// Whether that clock would be used up in so much more time.
fn runs_out_within(d: &Decision, by: Color, rest: Millis) -> bool {
    rest > Millis::ZERO && running_on(d, by).falls_at().is_some_and(|zero| zero <= d.now.unwrap_or_default().plus(rest))
}

/// The sealer pressed after the order: he has stopped his clock, and the other one does not start. `true`: that is what the press was.
pub(in crate::game) fn ordered_press(d: &mut Decision, by: Color) -> bool {
    let ordered = is_to_seal(&d.game, by);
    if ordered {
        let article = d.game.laws.adjournment.sealing;
        d.incident(IncidentCode::PressAfterOrder, Some(by), &article, "the opponent's clock does not start");
        orders::tell(d, Command::Stop);
        stop(d, by);
    }
    ordered
}

/// Whether this player has been told to seal and has not yet.
fn is_to_seal(game: &Game, by: Color) -> bool {
    game.adjournment.as_ref().is_some_and(|adjournment| adjournment.stage == Stage::Ordered && adjournment.sealer == by)
}

/// A player stopped the clocks: what he wrote, or made on the board after the order, is sealed, and the opponent's clock stands.
pub(in crate::game) fn stop(d: &mut Decision, by: Color) {
    if d.game.is_suspended() || d.game.running().is_some_and(|running| running != by) {
        let wrote = d.game.draft.as_ref().is_some_and(|draft| draft.by == by);
        if wrote || is_to_seal(&d.game, by) {
            let article = d.game.laws.adjournment.sealing;
            d.incident(IncidentCode::NothingSealed, Some(by), &article, "his opponent's clock runs, who has to press first");
        }
        return chessclock::pause(d);
    }
    let (plies, board) = match sealable(&d.game, by) {
        Ok(sealable) => sealable,
        Err(why) => {
            chessclock::pause(d);
            let article = d.game.laws.adjournment.sealing;
            return d.incident(IncidentCode::NothingSealed, Some(by), &article, why);
        }
    };
    let article = d.game.laws.adjournment.sealing;
    let early = d.game.stage() != Some(Stage::Ordered) && !d.game.session_is_over(d.wall);
    let rest = if early { rest_of_session(d).unwrap_or_default() } else { Millis::ZERO };
    let article = if early { d.game.laws.adjournment.early } else { article };
    if early && d.game.session.ends.is_none() {
        d.incident(IncidentCode::SessionEndUnknown, Some(by), &article, "charged until now: when the session ends was not announced");
    }
    if runs_out_within(d, by, rest) {
        flags::ran_out(d, by, d.now.unwrap_or_default());
        if d.game.phase != Phase::Running {
            return;
        }
    }
    if rest > Millis::ZERO {
        d.incident(IncidentCode::EarlyAdjournment, Some(by), &article, format!("charged for the {rest} that are left of the session"));
    }
    if d.game.has_moved(by) {
        d.so(Consequence::MoveTakenBack { by });
    }
    // Who seals before the session's end has sealed at its end (I.1.2).
    let stopped =
        if rest > Millis::ZERO { running_on(d, by).stopped(Some(d.now.unwrap_or_default().plus(rest))) } else { d.game.clock.stopped(d.now) };
    d.so(Consequence::ClocksStopped { sides: chessclock::sides(&stopped), reason: StopReason::Sealed });
    if rest > Millis::ZERO {
        orders::tell(d, Command::Set { sides: chessclock::sides(&stopped) });
    }
    let offer = match d.game.laws.adjournment.offer_noted {
        OfferNoted::Current => d.game.offer,
        OfferNoted::Made => d.game.offer.or_else(|| last_offered(&d.game)),
    };
    d.so(Consequence::MoveSealed { by, plies, board, offer, article });
}

/// What a stop would seal: as which ply, and, if he made it on the board after the order, by which move. Else why it seals nothing.
fn sealable(game: &Game, by: Color) -> Result<(u32, Option<UciMove>), &'static str> {
    let Some((_, plies)) = game.seals().filter(|(who, _)| *who == by) else {
        return Err("it is not his move on the board: nothing can be sealed");
    };
    if game.orders.iter().any(|order| matches!(order.command, Command::Start { .. })) {
        return Err("the clock has been told to start and has not confirmed it: stop it when it runs");
    }
    if game.waits() {
        return Err("a claim waits: it is decided before a move is sealed");
    }
    let draft = game.draft.as_ref().filter(|draft| draft.by == by && draft.ply == plies);
    let ordered = game.stage() == Some(Stage::Ordered);
    let board = if ordered { on_the_board(game, by) } else { None };
    match draft {
        Some(draft) if draft.reply && !ordered => Err("an answer to one who is away ends with a press: his clock runs then"),
        _ if !ordered && game.has_moved(by) => Err("a move stands on the board: press, or take it back before another is sealed"),
        None if board.is_none() => Err("write a move and stop the clock, or go on"),
        _ => Ok((plies, board)),
    }
}

/// The legal move that the player has made on the board and not pressed.
fn on_the_board(game: &Game, by: Color) -> Option<UciMove> {
    let last = game.line.plies().last().filter(|ply| ply.legal && game.has_moved(by));
    last.and_then(|ply| ply.made)
}

/// Who offered a draw with his move, last of all.
fn last_offered(game: &Game) -> Option<Color> {
    let first = game.line.start().position.turn();
    let ply = game.line.plies().iter().rposition(|ply| ply.offered)?;
    Some(if ply.is_multiple_of(2) { first } else { !first })
}
