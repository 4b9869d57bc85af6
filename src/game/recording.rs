//! Article 8: moves read from the board or from a scoresheet are brought to squares before they are recorded.

use shakmaty::san::San;
use shakmaty::{Chess, Color, Position, Rank, Role, uci::UciMove};

use super::entry::{Fact, MAX_SCORESHEET, Moved, Refusal};
use super::{BoardSeen, Game};
use crate::board::{Line, MoveText, Raw};
use crate::clock::Millis;

/// The fact as it goes into the log: moves by their squares, and a bare clock's press as a move not known yet.
pub(super) fn resolved(game: &Game, fact: Fact) -> Result<Fact, Refusal> {
    match fact {
        // It changes nothing there, and is noted as it was given.
        Fact::Move { .. } if game.is_finished() || game.is_suspended() => Ok(fact),
        Fact::Move { by, made } => {
            let position = standing(game, by);
            let hands = || game.line.raw().and_then(|raw| by_hand(raw, made));
            let uci = made.resolve(position.as_ref()).or_else(hands).ok_or_else(|| meaningless("move", made, game.line.turn()))?;
            Ok(Fact::Move { by, made: MoveText::Uci(spelt(position.as_ref(), uci)) })
        }
        Fact::Press { by, moved: Moved::Move(uci), shown, lag } => {
            let same = game.last_mover == Some(by) && *game.uncompleted.get(by) && game.line.plies().last().is_some_and(|ply| ply.made == Some(uci));
            let moved = if same { Moved::AsReported } else { Moved::Move(spelt(standing(game, by).as_ref(), uci)) };
            Ok(Fact::Press { by, moved, shown, lag })
        }
        Fact::Press { by, moved: Moved::AsReported, shown, lag } if game.regulations.board == BoardSeen::Unseen && !*game.uncompleted.get(by) => {
            Ok(Fact::Press { by, moved: Moved::Unknown, shown, lag })
        }
        Fact::Scoresheet { from, moves } => scoresheet(game, from, &moves),
        other => Ok(other),
    }
}

/// The position in which `by` makes a move: that on the board, or the one before it when he replaces a move that he has not pressed.
fn standing(game: &Game, by: Color) -> Option<Chess> {
    let replaces = *game.uncompleted.get(by) && game.last_mover == Some(by) && game.last_ply_is_unpressed(by);
    if replaces {
        let mut line = game.line.clone();
        line.pop();
        return reached(&line);
    }
    reached(&game.line)
}

/// The position that a line has reached, also by an illegal move, where it is a legal one.
fn reached(line: &Line) -> Option<Chess> {
    match line.raw() {
        Some(raw) => raw.legal(),
        None => line.position().cloned(),
    }
}

/// A move in notation on a board that no legal move has led to.
fn by_hand(raw: &Raw, made: MoveText) -> Option<UciMove> {
    if let MoveText::San(san) = made { raw.resolve(san) } else { None }
}

/// Castling is spelt in one way, the king's move of standard chess or king takes rook of Chess960.
fn spelt(position: Option<&Chess>, uci: UciMove) -> UciMove {
    let legal = position.and_then(|position| Some((position, uci.to_move(position).ok()?)));
    legal.map_or(uci, |(position, m)| m.to_uci(position.castles().mode()))
}

impl Game {
    /// Whether a player need not record his moves now (8.4): below the time, without the increment, and then for the rest of the period.
    pub fn is_exempt(&self, color: Color, now: Option<Millis>) -> bool {
        let recording = &self.laws.recording;
        let clock = self.clock.side(color);
        let bonus = self.clock.control().period(color, clock.period as usize).bonus;
        let added = if self.running() == Some(color) { Millis::ZERO } else { bonus.increment() };
        let little = self.clock.reading(now).get(color).less(added) < recording.exempt_below;
        let increment = recording.unless_increment.is_some_and(|least| bonus.increment().max(bonus.free()) >= least);
        !recording.required || (!increment && (little || *self.exempt.get(color) == Some(clock.period)))
    }
}

fn meaningless(field: &'static str, made: MoveText, turn: Color) -> Refusal {
    if let MoveText::San(San::Normal { role: Role::Pawn, to, promotion: None, .. }) = made
        && matches!(to.rank(), Rank::First | Rank::Eighth)
    {
        let why = format!("{made} does not say what the pawn becomes: {made}=Q, or the squares if it was left a pawn");
        return Refusal::Unreadable { field, why };
    }
    let why = format!(
        "{made} names no legal move of the position, with {} to move there: look again, or give the squares if it was made all the same, as in e2e5",
        super::side(turn)
    );
    Refusal::Unreadable { field, why }
}

fn scoresheet(game: &Game, from: u32, moves: &[MoveText]) -> Result<Fact, Refusal> {
    let wrong = |why: String| Err(Refusal::Unreadable { field: "moves", why });
    let (first, made) = (from as usize, game.line.plies().len());
    if moves.is_empty() || moves.len() > MAX_SCORESHEET {
        return wrong(format!("one entry brings 1 to {MAX_SCORESHEET} moves"));
    }
    if first > made || (first + moves.len() > made && (!game.is_finished() || game.holds_an_envelope())) {
        return wrong(format!("{made} plies have been made; from ply {first} that leaves room for {}", made.saturating_sub(first)));
    }
    let mut line = game.line.clone();
    if first > line.known().0 {
        return wrong(format!("moves are missing before ply {first}: begin at ply {}", line.known().0));
    }
    while line.plies().len() > first {
        line.pop();
    }
    let mut written = Vec::with_capacity(moves.len());
    for (i, text) in moves.iter().enumerate() {
        let Some(uci) = text.resolve(line.position()).filter(|uci| line.is_legal(*uci)) else {
            return wrong(format!("ply {}: {text} is no legal move in {}", first + i, line.fen()));
        };
        let uci = spelt(line.position(), uci);
        if let Some(known) = game.line.plies().get(first + i).and_then(|ply| ply.made)
            && known != uci
        {
            return wrong(format!("ply {} is known as {known}, not {uci}", first + i));
        }
        line.push(Some(uci));
        written.push(MoveText::Uci(uci));
    }
    Ok(Fact::Scoresheet { from, moves: written })
}
