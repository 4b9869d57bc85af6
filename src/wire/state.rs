//! What a console or device sees of a game.

use shakmaty::{ByColor, Color};

use super::adjournment;
use super::encode::{color, color_or_none, order, pairing, regulations, sides, stop_reason};
use super::v1;
use crate::board::Raw;
use crate::clock::Millis;
use crate::game::{Game, Pending, Phase};
use crate::venue::Table;

/// The state of a game at its table; `now` is the estimated instant on its timekeeper's timeline, where there is one.
pub fn game_state(table: &Table, now: Option<Millis>) -> v1::GameState {
    let replaces = table.replaces.map_or(0, |old| old.0);
    let proposed = table.proposed.as_ref().map_or_else(String::new, |first| format!("{}, by {}", first.ruling, first.by.name));
    v1::GameState { version: table.version.0, pairing: Some(pairing(&table.pairing)), replaces, proposed, ..state(&table.game, now) }
}

/// The state of a game that is at no table.
pub fn state(game: &Game, now: Option<Millis>) -> v1::GameState {
    let both = ByColor::new_with(|color| *game.clock.side(color));
    let since = game.clock.running().map_or(Millis::ZERO, |running| running.since);
    let outcome = game.outcome.as_ref().filter(|_| game.phase != Phase::Annulled);
    v1::GameState {
        // Who knows how its clocks are reached says so.
        lost: Vec::new(),
        game: game.id.0,
        version: 0,
        pairing: None,
        regulations: Some(regulations(&game.regulations)),
        phase: game.phase_word().to_string(),
        stop_reason: if let Phase::Stopped(reason) = game.phase { stop_reason(reason).into() } else { 0 },
        sides: Some(sides(&both)),
        running: color_or_none(game.running()),
        running_since_ms: since.0,
        running_for_ms: now.filter(|_| game.running().is_some()).map_or(0, |now| now.less(since).0),
        fen: game.line.fen(),
        moves: game.line.plies().iter().map(|ply| ply.made.map_or("?".to_string(), |uci| uci.to_string())).collect(),
        completed_white: game.completed.white,
        completed_black: game.completed.black,
        offer: color_or_none(game.offer),
        score: outcome.map_or(String::new(), |o| o.score.to_string()),
        termination: outcome.map_or(String::new(), |o| o.termination.to_string()),
        article: outcome.map_or(String::new(), |o| o.article.to_string()),
        device: game.device.map_or(0, |d| d.0),
        orders: game.orders.iter().map(|told| order(told.number, &told.command, told.to)).collect(),
        black_device: game.black_device.map_or(0, |d| d.0),
        digest: game.digest().to_string(),
        claim: game.claim.as_ref().map(claim),
        illegal_white: game.illegal.white,
        illegal_black: game.illegal.black,
        duty_of: color_or_none(game.duty.map(|(by, _)| by)),
        duty: game.duty.map_or_else(String::new, |(_, duty)| duty.to_string()),
        board: game.line.raw().map_or_else(String::new, Raw::fen),
        flag_down_white: game.down.white.is_some(),
        flag_down_black: game.down.black.is_some(),
        half_points_white: game.points.white,
        half_points_black: game.points.black,
        session_ends_ms: game.session.ends.map(|at| at.0),
        resumes_ms: game.session.resumes.map(|at| at.0),
        adjournment: adjournment::state(game),
        replaces: 0,
        proposed: String::new(),
    }
}

fn claim(pending: &Pending) -> v1::PendingClaim {
    v1::PendingClaim { by: color(pending.by), text: pending.claim.to_string(), answer: pending.answer.to_string(), postponed: pending.postponed }
}

/// The game that a device keeps the time of, or of one side of which.
pub fn assignment(table: &Table, side: Option<Color>) -> v1::Assignment {
    let (game, place) = (&table.game, &table.pairing);
    v1::Assignment {
        game: game.id.0,
        tournament: place.tournament.0,
        round: place.round,
        board: place.board,
        white: place.players.white.name.clone(),
        black: place.players.black.name.clone(),
        regulations: Some(regulations(&game.regulations)),
        sides: Some(sides(&ByColor::new_with(|color| *game.clock.side(color)))),
        running: color_or_none(game.running()),
        on_move: color(game.on_move),
        phase: game.phase_word().to_string(),
        plies: u32::try_from(game.line.plies().len()).unwrap_or(u32::MAX),
        side: color_or_none(side),
        counted: game.last_order.0,
    }
}
