//! What an arbiter may ask of a position: who can still mate, how often it has stood, what claims would succeed.

use std::sync::Arc;

use shakmaty::uci::UciMove;
use shakmaty::{ByColor, CastlingMode, Chess, Color, EnPassantMode, Position, fen::Fen};

use super::completion::ends_by_itself;
use super::drawn_game::judged;
use super::entry::{Answer, Claim, GameId, Score, StopReason, Termination};
use super::{Game, Phase, Regulations};
use crate::board::mating::{Budget, Judged, Mating, judge};
use crate::board::{MoveText, Start, shredder_fen};
use crate::laws::Article;

/// What is found about a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The position.
    pub position: Chess,
    /// Whether each side can still mate.
    pub mating: ByColor<Judged>,
    /// How the game has ended by itself, if it has.
    pub ended: Option<(Score, Termination, Article)>,
    /// After how many plies it has stood, this time included.
    pub stood: Vec<usize>,
    /// Half-moves since the last pawn move or capture.
    pub halfmoves: u32,
    /// Claims that would succeed.
    pub claims: Vec<Possible>,
}

/// A claim that would succeed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Possible {
    /// By whom.
    pub by: Color,
    /// What to claim.
    pub claim: Claim,
    /// By which article.
    pub article: Article,
    /// On what evidence.
    pub because: String,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unanswered {
    /// A move that is not legal there.
    #[error("ply {0}: {1} is no legal move")]
    Move(usize, String),
    /// Moves are missing.
    #[error("moves are missing: type them in from the scoresheet first")]
    Missing,
}

impl Answered {
    /// Whether nobody can mate any more; `None` where that is not clear.
    pub fn is_dead(&self) -> Option<bool> {
        if self.mating.iter().any(|judged| matches!(judged.mating, Mating::Possible(_))) {
            return Some(false);
        }
        self.mating.iter().all(|judged| matches!(judged.mating, Mating::Impossible(_))).then_some(true)
    }

    /// FEN, castling as in X-FEN.
    pub fn fen(&self) -> String {
        Fen::from_position(&self.position, EnPassantMode::Legal).to_string()
    }

    /// Shredder-FEN, for a game of Chess960.
    pub fn shredder_fen(&self) -> Option<String> {
        (self.position.castles().mode() == CastlingMode::Chess960).then(|| shredder_fen(&self.position))
    }
}

/// A game that has come from a position by these moves, to be asked about.
///
/// # Errors
/// Names the first move that is not legal.
pub fn led_to(start: Start, regulations: Regulations, moves: &[MoveText]) -> Result<Game, Unanswered> {
    let mut game = Game::open(GameId(0), Arc::new(regulations), Arc::new(start), None, ByColor::default(), None);
    for (i, text) in moves.iter().enumerate() {
        let made = text.resolve(game.line.position()).filter(|uci| game.line.is_legal(*uci));
        let made: UciMove = made.ok_or_else(|| Unanswered::Move(i + 1, text.to_string()))?;
        game.line.push(Some(made));
    }
    game.phase = Phase::Stopped(StopReason::Arbiter);
    Ok(game)
}

/// What is found about the position of a game, with so much spent on each side's mate.
///
/// # Errors
/// Where moves are missing.
pub fn ask(game: &Game, budget: Budget) -> Result<Answered, Unanswered> {
    let position = game.line.position().ok_or(Unanswered::Missing)?;
    let ended = ends_by_itself(&game.line, game.laws, &mut None);
    Ok(Answered {
        position: position.clone(),
        mating: ByColor::new_with(|color| judge(position, color, budget)),
        stood: game.line.occurrences_of(position),
        halfmoves: position.halfmoves(),
        claims: if game.is_finished() || ended.is_some() { Vec::new() } else { claims(game, position) },
        ended,
    })
}

/// The claims of a draw that the player who has the move could make now, standing ones first.
fn claims(game: &Game, position: &Chess) -> Vec<Possible> {
    let by = position.turn();
    let written = position.legal_moves().into_iter().map(|m| Some(MoveText::Uci(m.to_uci(position.castles().mode()))));
    let with: Vec<Option<MoveText>> = std::iter::once(None).chain(written).collect();
    let all = with.iter().flat_map(|with| [Claim::Threefold { with: *with }, Claim::Fifty { with: *with }]);
    all.filter_map(|claim| {
        let judgement = judged(game, by, claim);
        (judgement.answer == Answer::Correct).then_some(Possible { by, claim, article: judgement.article, because: judgement.because })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(fen: &str, moves: &str) -> Answered {
        let moves: Vec<MoveText> = moves.split_whitespace().map(|text| text.parse().unwrap()).collect();
        let game = led_to(Start::fen(fen).unwrap(), Regulations::of("5400+30".parse().unwrap()), &moves).unwrap();
        ask(&game, Budget::QUICK).unwrap()
    }

    #[test]
    fn what_can_be_claimed() {
        const ROOKS: &str = "8/5k2/8/8/3R4/8/2K5/8 w - - 12 60";
        let third = asked(ROOKS, "Kc3 Kf6 Kc2 Kf7 Kc3 Kf6 Kc2 Kf7");
        assert_eq!((third.stood, third.halfmoves), (vec![0, 4, 8], 20));
        assert_eq!(
            third.claims.first().map(|claim| (claim.claim, claim.article.to_string())),
            Some((Claim::Threefold { with: None }, "9.2.2".to_string()))
        );
        let about_to = asked(ROOKS, "Kc3 Kf6 Kc2 Kf7 Kc3 Kf6 Kc2");
        let claims: Vec<String> = about_to.claims.iter().map(|claim| format!("{} {}", claim.claim, claim.article)).collect();
        assert_eq!(claims, ["threefold with f6f7 9.2.1"]);
        assert!(asked("8/8/4k3/8/8/3K4/6r1/7R w - - 50 80", "").claims.is_empty());
    }

    #[test]
    fn who_can_mate() {
        let bare = asked("8/8/8/1q6/8/4k3/8/2K5 b - - 0 70", "");
        assert!(matches!(bare.mating.white.mating, Mating::Impossible(_)) && matches!(bare.mating.black.mating, Mating::Possible(_)));
        assert_eq!(bare.is_dead(), Some(false));
        let bishops = asked("8/2b1k3/8/8/8/4B3/4K3/8 w - - 0 1", "");
        assert_eq!((bishops.is_dead(), bishops.ended.map(|(_, how, _)| how)), (Some(true), Some(Termination::DeadPosition)));
    }

    #[test]
    fn a_move_that_cannot_be_is_named() {
        let moves = ["e2e4".parse().unwrap(), "e7e4".parse().unwrap()];
        let wrong = led_to(Start::standard(), Regulations::of("60".parse().unwrap()), &moves);
        assert_eq!(wrong.err().map(|e| e.to_string()).as_deref(), Some("ply 2: e7e4 is no legal move"));
    }
}
