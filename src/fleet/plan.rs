//! How simulated clocks play one game of a PGN file so that the daemon's result and clocks become the file's.
//!
//! A plan is made with the chessclock itself on a timeline of its own: a simulated clock is a
//! perfect one. Always under the Laws of 2023.

mod ending;
mod thinking;

use std::sync::Arc;

use shakmaty::uci::UciMove;
use shakmaty::{ByColor, Chess, Color};

use crate::board::{Line, Start};
use crate::clock::{CountFrom, Millis, Reading, TimeControl};
use crate::format::pgn::{PgnGame, PgnProblem, Reason, Tags};
use crate::game::{Regulations, Score, ends_by_itself};
use crate::laws::{Article, Edition};

/// The control of a game whose file gives none that can be used.
pub const DEFAULT_CONTROL: &str = "40/5400+30:1800+30";

/// How one game is played.
#[derive(Debug, Clone)]
pub struct Plan {
    /// File that it comes from, as given.
    pub source: String,
    /// Its number there, from 1.
    pub number: usize,
    /// Its tags.
    pub tags: Tags,
    /// What it is played under.
    pub regulations: Regulations,
    /// Whether the control is [`DEFAULT_CONTROL`] because the file gives none that can be used.
    pub default_control: bool,
    /// Where it starts.
    pub start: Arc<Start>,
    /// Its plies.
    pub plies: Vec<PlannedPly>,
    /// How it ends after them.
    pub end: End,
    /// The result that it must have in the end; `None`: it is not over.
    pub result: Option<Score>,
    /// The ruling that makes the result this after the game is over, where the play gives another one.
    pub correction: Option<Score>,
    /// What the clocks must show in the end, to the millisecond.
    pub final_clocks: Reading,
    /// Whether the file gives no times at all, so that those of the plan are invented.
    pub invented: bool,
    /// Where the Laws end the game before the file does.
    pub cut_short: Option<CutShort>,
}

/// Moves of a file that come after the end of the game, and are no part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CutShort {
    /// The ply that ends the game, from 1.
    pub ply: usize,
    /// By which article.
    pub article: Article,
    /// How many moves the file has after it.
    pub beyond: usize,
}

/// One ply: a move and, unless it ends the game, the press after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedPly {
    /// The move.
    pub uci: UciMove,
    /// From the start of this player's clock to his press, or to the move that ends the game.
    pub think: Millis,
    /// What a ruling sets both clocks to, at the instant of the press, where no thinking time gives what the file says.
    pub after: Option<Reading>,
    /// What both clocks must show after the ply and the ruling.
    pub clocks: Reading,
}

/// How a game ends after its last ply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By its last move: mate, stalemate or a dead position.
    OnTheBoard,
    /// The player on move runs out of time.
    Flag,
    /// This player resigns at the instant of the last press.
    Resignation {
        /// Who.
        by: Color,
    },
    /// The last mover offers between his move and his press, the other accepts at that instant.
    Agreement,
    /// Not at all.
    Unfinished,
    /// By the arbiter, at the instant of the last press.
    Ruled(Score),
}

impl Plan {
    /// Plans a game. The seed and the game's number fix the times that are invented. Where the Laws end the game
    /// before the file does, it is planned up to there.
    ///
    /// # Errors
    /// Where a move is not legal.
    pub fn of(source: &str, game: &PgnGame, seed: u64) -> Result<Plan, PgnProblem> {
        let control = game.tags.time_control();
        let default_control = control.is_none();
        let regulations = regulations(control.unwrap_or_else(default));
        let Reached { position, ended, cut_short } = reached(game, &regulations).map_err(|reason| PgnProblem { number: game.number, reason })?;
        let lawful = cut_short.map(|cut| PgnGame { moves: game.moves[..cut.ply].to_vec(), ..game.clone() });
        let game = lawful.as_ref().unwrap_or(game);
        let ending = ending::of(game, &position, ended);
        let on_the_board = ending.end == End::OnTheBoard;
        let mut timed = thinking::plan(game, &regulations, on_the_board, seed);
        if timed.rulings() > 0 {
            let other = Regulations { count_from: CountFrom::After, ..regulations };
            let after = thinking::plan(game, &other, on_the_board, seed);
            if after.rulings() < timed.rulings() {
                timed = after;
            }
        }
        let final_clocks = match ending.end {
            End::Flag => timed.fallen(),
            _ => timed.clock.reading(None),
        };
        Ok(Plan {
            source: source.to_string(),
            number: game.number,
            tags: game.tags.clone(),
            regulations: timed.regulations,
            default_control,
            start: game.start.clone(),
            plies: timed.plies,
            end: ending.end,
            result: ending.result,
            correction: ending.correction,
            final_clocks,
            invented: game.moves.iter().all(|made| made.clk.is_none() && made.emt.is_none()),
            cut_short,
        })
    }

    /// How often a ruling sets the clocks.
    pub fn rulings(&self) -> usize {
        self.plies.iter().filter(|ply| ply.after.is_some()).count()
    }
}

fn regulations(control: TimeControl) -> Regulations {
    Regulations { edition: Edition::Y2023, ..Regulations::of(control) }
}

fn default() -> TimeControl {
    DEFAULT_CONTROL.parse().expect("it is in the grammar")
}

/// Where a file's moves lead, as far as the Laws let them be played.
struct Reached {
    position: Chess,
    /// The result, if the last move ends the game.
    ended: Option<Score>,
    cut_short: Option<CutShort>,
}

fn reached(game: &PgnGame, regulations: &Regulations) -> Result<Reached, Reason> {
    let laws = regulations.laws();
    let (mut line, mut asked) = (Line::new(game.start.clone()), None);
    let mut ended = ends_by_itself(&line, laws, &mut asked);
    for (i, made) in game.moves.iter().enumerate() {
        if let (Some((.., article)), true) = (ended, i > 0) {
            let cut_short = Some(CutShort { ply: i, article, beyond: game.moves.len() - i });
            return Ok(Reached { position: line.known().1.clone(), ended: ended.map(|(score, ..)| score), cut_short });
        }
        if !line.is_legal(made.uci) {
            return Err(Reason::IllegalMove { ply: i + 1, text: made.uci.to_string() });
        }
        line.push(Some(made.uci));
        ended = ends_by_itself(&line, laws, &mut asked);
    }
    Ok(Reached { position: line.known().1.clone(), ended: ended.map(|(score, ..)| score), cut_short: None })
}

/// What both clocks show.
fn shown(clock: &crate::clock::Chessclock) -> Reading {
    ByColor::new_with(|color| clock.side(color).left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::pgn::games;

    fn plan(pgn: &str) -> Result<Plan, PgnProblem> {
        Plan::of("x.pgn", &games(pgn.as_bytes()).unwrap().next().unwrap().unwrap(), 1)
    }

    #[test]
    fn a_game_that_is_over_does_not_go_on() {
        let bare = plan("[FEN \"8/8/4k3/8/8/3K4/4p3/8 w - - 0 1\"]\n\n1. Kxe2 Ke5 2. Kd2 1/2-1/2").unwrap();
        assert_eq!((bare.plies.len(), bare.end, bare.result), (1, End::OnTheBoard, Some(Score::Draw)));
        assert_eq!(bare.cut_short.map(|cut| (cut.ply, cut.article.to_string(), cut.beyond)), Some((1, "5.2.2".to_string(), 2)));
        let mate = plan("1. f3 e5 2. g4 Qh4# 0-1").unwrap();
        assert_eq!((mate.end, mate.result, mate.plies.len()), (End::OnTheBoard, Some(Score::BlackWins), 4));
    }

    #[test]
    fn the_control_and_when_it_counts_from() {
        let no_control = plan("[TimeControl \"15 min. + 10 s. per move\"]\n\n1. e4 *").unwrap();
        assert!(no_control.default_control && no_control.invented);
        assert_eq!(no_control.regulations.control.to_string(), DEFAULT_CONTROL);
        let pgn = "[TimeControl \"2/60+5:30+10\"]\n\n1. e4 e5 2. Nf3 {[%clk 0:00:36]} *";
        assert_eq!(plan(pgn).map(|plan| (plan.regulations.count_from, plan.rulings())), Ok((CountFrom::After, 0)));
        assert_eq!(plan(&pgn.replace("36", "41")).map(|plan| (plan.regulations.count_from, plan.rulings())), Ok((CountFrom::Before, 0)));
    }

    #[test]
    fn a_flag_leaves_nothing() {
        let fallen = plan("[Termination \"Time forfeit\"]\n[TimeControl \"60+1\"]\n\n1. e4 {[%clk 0:00:59]} e5 {[%clk 0:00:58]} 0-1").unwrap();
        assert_eq!((fallen.end, fallen.final_clocks), (End::Flag, ByColor { white: Millis::ZERO, black: Millis::seconds(58) }));
    }
}
