//! How a game of a PGN file ends, so that its result comes about by the Laws, or else by a ruling.

use shakmaty::{Chess, Color, Position};

use super::End;
use crate::board::mating::{Budget, Mating, judge};
use crate::format::pgn::PgnGame;
use crate::game::Score;

/// How it ends, with what result, and whether a ruling must put the result right.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Ending {
    pub(super) end: End,
    pub(super) result: Option<Score>,
    pub(super) correction: Option<Score>,
}

/// Words in the tag `Termination` for an end that neither the board nor the clock nor the players brought about.
const IRREGULAR: [&str; 9] = ["abandon", "adjudic", "infraction", "illegal", "stalled", "disconnect", "death", "emergency", "unterminated"];

/// The end of a game that stands like this after its last ply.
pub(super) fn of(game: &PgnGame, last: &Chess, on_the_board: Option<Score>) -> Ending {
    let turn = last.turn();
    if let Some(score) = on_the_board {
        return by_the_laws(End::OnTheBoard, score, game.result.unwrap_or(score));
    }
    let Some(result) = game.result else { return Ending { end: End::Unfinished, result: None, correction: None } };
    let termination = game.tags.get("Termination").unwrap_or("").to_ascii_lowercase();
    if termination.contains("time forfeit") || termination.contains("on time") {
        if result == Score::win(!turn) || result == Score::Draw {
            // 6.9: a draw where the opponent cannot mate.
            let score = if can_mate(last, !turn) { Score::win(!turn) } else { Score::Draw };
            return by_the_laws(End::Flag, score, result);
        }
        return ruled(result);
    }
    if IRREGULAR.iter().any(|word| termination.contains(word)) {
        return ruled(result);
    }
    match result {
        // 5.2.3: both must have made a move.
        Score::Draw if game.moves.len() >= 2 => by_the_laws(End::Agreement, result, result),
        Score::WhiteWins => resigned(last, Color::Black),
        Score::BlackWins => resigned(last, Color::White),
        _ => ruled(result),
    }
}

/// 5.1.2: resigning to a player who cannot mate is a draw.
fn resigned(last: &Chess, by: Color) -> Ending {
    let result = Score::win(!by);
    if can_mate(last, !by) { by_the_laws(End::Resignation { by }, result, result) } else { ruled(result) }
}

/// Whether that player is known to be able to mate.
fn can_mate(last: &Chess, winner: Color) -> bool {
    matches!(judge(last, winner, Budget::DEFAULT).mating, Mating::Possible(_))
}

fn ruled(result: Score) -> Ending {
    by_the_laws(End::Ruled(result), result, result)
}

fn by_the_laws(end: End, score: Score, result: Score) -> Ending {
    Ending { end, result: Some(result), correction: (score != result).then_some(result) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Line;
    use crate::format::pgn::games;
    use crate::game::ends_by_itself;

    fn ending(pgn: &str) -> Ending {
        let game = games(pgn.as_bytes()).unwrap().next().unwrap().unwrap();
        let laws = crate::game::Regulations::of("60".parse().unwrap()).laws();
        let mut line = Line::new(game.start.clone());
        game.moves.iter().for_each(|made| line.push(Some(made.uci)));
        let ended = ends_by_itself(&line, laws, &mut None).map(|(score, ..)| score);
        of(&game, line.position().unwrap(), ended)
    }

    #[test]
    fn ends() {
        use Score::{BlackWins, BothLose, Draw, WhiteWins};
        let fools = "1. f3 e5 2. g4 Qh4#";
        let time = "[Termination \"Time forfeit\"]\n\n1. e4 e5";
        for (pgn, end, result, correction) in [
            (format!("{fools} 0-1"), End::OnTheBoard, Some(BlackWins), None),
            (format!("{fools} *"), End::OnTheBoard, Some(BlackWins), None),
            (format!("{fools} 1/2-1/2"), End::OnTheBoard, Some(Draw), Some(Draw)),
            (format!("{time} 0-1"), End::Flag, Some(BlackWins), None),
            (format!("{time} 1/2-1/2"), End::Flag, Some(Draw), Some(Draw)),
            (format!("{time} 1-0"), End::Ruled(WhiteWins), Some(WhiteWins), None),
            ("1. e4 e5 1/2-1/2".into(), End::Agreement, Some(Draw), None),
            ("1. e4 1/2-1/2".into(), End::Ruled(Draw), Some(Draw), None),
            ("1. e4 e5 *".into(), End::Unfinished, None, None),
            ("1. e4 1-0".into(), End::Resignation { by: Color::Black }, Some(WhiteWins), None),
            ("[Termination \"Abandoned\"]\n\n1. e4 1-0".into(), End::Ruled(WhiteWins), Some(WhiteWins), None),
            ("[Result \"0-0\"]\n\n1. e4 *".into(), End::Ruled(BothLose), Some(BothLose), None),
            ("[FEN \"4k3/7p/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. Kd1 1-0".into(), End::Ruled(WhiteWins), Some(WhiteWins), None),
        ] {
            assert_eq!(ending(&pgn), Ending { end, result, correction }, "{pgn}");
        }
    }
}
