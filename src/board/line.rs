//! The line of play of one game: its start, its plies, the position reached and how often it has stood.
//!
//! A ply may be unknown (a bare clock cannot see the board). The position is that after the
//! longest known beginning of the line; whoever asks while plies are missing is told so.

use std::sync::Arc;

use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Position, fen::Fen, uci::UciMove};

use crate::clock::Millis;

/// Most plies that a game may have: the longest that the 75-move rule (9.6.2) lets be played has 17,697.
pub const MAX_PLIES: usize = 18_000;

/// Where a game starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// The position before the first move; its own move numbers only matter in print.
    pub position: Chess,
    /// Array number, where the game is one of Chess960 by number.
    pub number: Option<u32>,
}

/// Why a position cannot start a game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// Not FEN.
    #[error("'{0}' is no FEN: six fields as in 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'")]
    Fen(String),
    /// No legal position.
    #[error("no game can start from '{0}': {1}")]
    Illegal(String, String),
    /// No such array.
    #[error("{0} is no Chess960 array: they are numbered 0 to 959")]
    Number(u32),
}

/// One ply of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ply {
    /// The move, where it is known.
    pub made: Option<UciMove>,
    /// Main time on the mover's clock after his press, where he has pressed.
    pub left: Option<Millis>,
}

/// A game's moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    start: Arc<Start>,
    plies: Vec<Ply>,
    /// How many plies at the beginning are known and have been played on the board.
    known: usize,
    position: Chess,
    /// Positions since the last irreversible move, the present one last (9.2.3).
    since_irreversible: Vec<Chess>,
}

impl Start {
    /// The usual position.
    pub fn standard() -> Start {
        Start { position: Chess::default(), number: None }
    }

    /// A Chess960 array.
    ///
    /// # Errors
    /// Where there is no array of that number.
    pub fn chess960(number: u32) -> Result<Start, StartError> {
        let position = super::chess960(number).ok_or(StartError::Number(number))?;
        Ok(Start { position, number: Some(number) })
    }

    /// A position from FEN, with castling as in X-FEN or Shredder-FEN.
    ///
    /// # Errors
    /// Where the text is no FEN, or no game can go on from it.
    pub fn fen(text: &str) -> Result<Start, StartError> {
        let short = || text.chars().take(100).collect::<String>();
        let fen: Fen = text.parse().map_err(|_| StartError::Fen(short()))?;
        let mode = CastlingMode::detect(fen.as_setup());
        let position = fen.into_position(mode).map_err(|e| StartError::Illegal(short(), e.to_string()))?;
        Ok(Start { position, number: None })
    }

    /// FEN of the start.
    pub fn to_fen(&self) -> String {
        print_fen(&self.position)
    }

    /// Whether it is the usual position.
    pub fn is_standard(&self) -> bool {
        self.number.is_none() && self.position == Chess::default() && self.position.fullmoves().get() == 1
    }

    /// How castling is written in UCI.
    pub fn mode(&self) -> CastlingMode {
        self.position.castles().mode()
    }
}

fn print_fen(position: &Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}

impl Line {
    /// A line without a move. The start position has stood once.
    pub fn new(start: Arc<Start>) -> Line {
        let position = start.position.clone();
        Line { start, plies: Vec::new(), known: 0, since_irreversible: vec![position.clone()], position }
    }

    /// Where it starts.
    pub fn start(&self) -> &Start {
        &self.start
    }

    /// Every ply.
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// The position on the board; `None` while plies are missing.
    pub fn position(&self) -> Option<&Chess> {
        (self.known == self.plies.len()).then_some(&self.position)
    }

    /// How many plies at the beginning are known, and the position after them.
    pub fn known(&self) -> (usize, &Chess) {
        (self.known, &self.position)
    }

    /// Whose move it is on the board.
    pub fn turn(&self) -> Color {
        let first = self.start.position.turn();
        if self.plies.len().is_multiple_of(2) { first } else { !first }
    }

    /// FEN of the position after the known beginning.
    pub fn fen(&self) -> String {
        print_fen(&self.position)
    }

    /// How often the present position has stood, this time included, the start position being the first that can count.
    pub fn occurrences(&self) -> usize {
        self.since_irreversible.iter().filter(|earlier| **earlier == self.position).count()
    }

    /// Whether a move is legal on the board; `false` while plies are missing.
    pub fn is_legal(&self, made: UciMove) -> bool {
        self.position().is_some_and(|position| made.to_move(position).is_ok())
    }

    /// Makes one more move: a legal one, or one not known. An illegal one is no part of the line.
    pub fn push(&mut self, made: Option<UciMove>) {
        if self.plies.len() >= MAX_PLIES {
            return;
        }
        let complete = self.known == self.plies.len();
        self.plies.push(Ply { made, left: None });
        if complete && !self.advance() && made.is_some() {
            self.plies.pop();
        }
    }

    /// Takes the last ply back.
    pub fn pop(&mut self) {
        self.plies.pop();
        self.replay();
    }

    /// Writes in what the scoresheet says of plies `from` and on, and plays what is now known.
    pub fn fill(&mut self, from: usize, moves: &[UciMove]) {
        for (i, made) in moves.iter().enumerate() {
            match self.plies.get_mut(from + i) {
                Some(ply) => ply.made = Some(*made),
                None if from + i < MAX_PLIES => self.plies.push(Ply { made: Some(*made), left: None }),
                None => break,
            }
        }
        if from < self.known { self.replay() } else { while self.advance() {} }
    }

    /// Notes what the mover's clock showed after the press that completed the last ply of that side.
    pub fn pressed(&mut self, by: Color, left: Millis) {
        let last = self.plies.len();
        let mine = if self.turn() == by { 2 } else { 1 };
        if let Some(ply) = last.checked_sub(mine).and_then(|i| self.plies.get_mut(i)) {
            ply.left = Some(left);
        }
    }

    fn replay(&mut self) {
        let plies = std::mem::take(&mut self.plies);
        *self = Line { plies, ..Line::new(self.start.clone()) };
        while self.advance() {}
    }

    /// Plays the first ply not yet on the board, if it is known and legal.
    fn advance(&mut self) -> bool {
        let Some(Ply { made: Some(uci), .. }) = self.plies.get(self.known) else { return false };
        let Ok(m) = uci.to_move(&self.position) else { return false };
        if self.position.is_irreversible(m) {
            self.since_irreversible.clear();
        }
        self.position.play_unchecked(m);
        self.since_irreversible.push(self.position.clone());
        self.known += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::MoveText;

    fn play(fen: &str, moves: &str) -> Line {
        let mut line = Line::new(Arc::new(Start::fen(fen).unwrap()));
        for text in moves.split_whitespace() {
            let made = text.parse::<MoveText>().unwrap().resolve(line.position()).unwrap();
            line.push(Some(made));
        }
        line
    }

    /// BH-03: the position set up is occurrence number one.
    #[test]
    fn a_set_up_position_counts() {
        let line = play("8/5k2/8/8/3R4/8/2K5/8 w - - 12 60", "Kc3 Kf6 Kc2 Kf7 Kc3 Kf6 Kc2 Kf7");
        assert_eq!(line.occurrences(), 3);
        assert!(line.fen().ends_with("- - 20 64"), "{}", line.fen());
    }

    #[test]
    fn repetition_is_that_of_the_laws() {
        const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_eq!(play(START, "a4 Na6 Na3 Nb8 Nb1 Na6 Na3 Nb8 Nb1").occurrences(), 3);
        assert_eq!(play(START, "h3 b5 h4 b4 a4 Nc6 Nf3 Nb8 Ng1 Nc6 Nf3 Nb8 Ng1").occurrences(), 2);
        assert_eq!(play(START, "e4 e5 Ke2 Ke7 Ke1 Ke8 Ke2 Ke7 Ke1 Ke8").occurrences(), 2);
    }

    #[test]
    fn missing_plies_are_filled_in_later() {
        let mut line = Line::new(Arc::new(Start::standard()));
        line.push(None);
        line.push("c7c5".parse().ok());
        line.push(None);
        assert_eq!(line.position(), None);
        assert_eq!(line.turn(), Color::Black);
        line.fill(0, &["e2e4".parse().unwrap()]);
        assert_eq!(line.known().0, 2);
        line.fill(2, &["g1f3".parse().unwrap()]);
        assert!(line.position().is_some());
        assert_eq!(line.fen(), "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2");
        line.pop();
        assert_eq!(line.plies().len(), 2);
        assert_eq!(line.turn(), Color::White);
    }

    #[test]
    fn what_cannot_start_a_game_is_refused() {
        assert!(matches!(Start::fen("hello"), Err(StartError::Fen(_))));
        assert!(matches!(Start::fen("8/8/8/8/8/8/8/8 w - - 0 1"), Err(StartError::Illegal(..))));
        assert!(matches!(Start::chess960(960), Err(StartError::Number(960))));
    }
}
