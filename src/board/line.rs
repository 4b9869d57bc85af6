//! The line of play of one game: its start, its plies, the position reached and how often it has stood.
//!
//! A ply may be unknown (a bare clock cannot see the board). The position is that after the
//! longest known beginning of the line; whoever asks while plies are missing is told so. A ply may
//! be illegal: then the board as hands made it is kept beside the last legal position, until a
//! later move makes it legal again or the illegal one is taken back.

use std::sync::Arc;

use shakmaty::{Bitboard, CastlingMode, Chess, Color, EnPassantMode, Position, PositionError, Role, fen::Fen, uci::UciMove};

use super::Raw;
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
    /// The seed from which that number was drawn, where it was.
    pub seed: Option<u64>,
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
    /// Whether it was legal, as far as is known.
    pub legal: bool,
    /// Whether a draw was offered with it.
    pub offered: bool,
}

/// A game's moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    start: Arc<Start>,
    plies: Vec<Ply>,
    /// How many plies at the beginning are known and have been played on the board.
    known: usize,
    /// The last legal position.
    position: Chess,
    /// What stands on the board, where that is not the last legal position.
    raw: Option<Raw>,
    /// Positions since the last irreversible move, each with the number of plies before it, the present one last (9.2.3).
    stood: Vec<(usize, Chess)>,
    /// After how many plies a position was restored that counts again.
    again: Vec<usize>,
    /// After how many plies castling with which rooks was forbidden.
    bans: Vec<(usize, Bitboard)>,
}

impl Start {
    /// The usual position.
    pub fn standard() -> Start {
        Start { position: Chess::default(), number: None, seed: None }
    }

    /// A Chess960 array.
    ///
    /// # Errors
    /// Where there is no array of that number.
    pub fn chess960(number: u32) -> Result<Start, StartError> {
        let position = super::chess960(number).ok_or(StartError::Number(number))?;
        Ok(Start { position, number: Some(number), seed: None })
    }

    /// The Chess960 array that a seed draws.
    pub fn drawn(seed: u64) -> Start {
        let number = super::drawn(seed);
        let position = super::chess960(number).unwrap_or_default();
        Start { position, number: Some(number), seed: Some(seed) }
    }

    /// A position from FEN, with castling as in X-FEN or Shredder-FEN.
    ///
    /// # Errors
    /// Where the text is no FEN, or no game can go on from it.
    pub fn fen(text: &str) -> Result<Start, StartError> {
        let short = || text.chars().take(100).collect::<String>();
        let fen: Fen = text.parse().map_err(|_| StartError::Fen(short()))?;
        let mode = CastlingMode::detect(fen.as_setup());
        // A wrong set-up may have two bishops of one colour of squares; a game has begun from it all the same.
        let position =
            fen.into_position(mode).or_else(PositionError::ignore_too_much_material).map_err(|e| StartError::Illegal(short(), e.to_string()))?;
        Ok(Start { position, number: None, seed: None })
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
        Line { start, plies: Vec::new(), known: 0, stood: vec![(0, position.clone())], raw: None, again: Vec::new(), bans: Vec::new(), position }
    }

    /// Where it starts.
    pub fn start(&self) -> &Start {
        &self.start
    }

    /// Every ply.
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// The last legal position; `None` while plies are missing.
    pub fn position(&self) -> Option<&Chess> {
        (self.known == self.plies.len()).then_some(&self.position)
    }

    /// The last legal position after so many plies; `None` where it is not known.
    pub fn position_after(&self, plies: usize) -> Option<Chess> {
        if plies >= self.plies.len() {
            return self.position().filter(|_| plies == self.plies.len()).cloned();
        }
        let mut earlier = self.clone();
        earlier.truncate(plies);
        earlier.position().cloned()
    }

    /// How many plies at the beginning are known, and the position after them.
    pub fn known(&self) -> (usize, &Chess) {
        (self.known, &self.position)
    }

    /// What stands on the board where an illegal move has left it in no position of the game.
    pub fn raw(&self) -> Option<&Raw> {
        self.raw.as_ref()
    }

    /// The positions since the last irreversible move, each with the number of plies before it, the present one last.
    pub fn stood(&self) -> &[(usize, Chess)] {
        &self.stood
    }

    /// The number of plies up to and with the last pawn move, capture or loss of a right.
    pub fn last_irreversible(&self) -> usize {
        self.stood.first().map_or(0, |(plies, _)| *plies)
    }

    /// Whose move it is on the board.
    pub fn turn(&self) -> Color {
        let first = self.start.position.turn();
        if self.plies.len().is_multiple_of(2) { first } else { !first }
    }

    /// FEN of the last legal position.
    pub fn fen(&self) -> String {
        print_fen(&self.position)
    }

    /// How often the present position has stood, this time included, the start position being the first that can count.
    pub fn occurrences(&self) -> usize {
        self.occurrences_of(&self.position).len()
    }

    /// After how many plies a position has stood since the last irreversible move, in order.
    pub fn occurrences_of(&self, position: &Chess) -> Vec<usize> {
        let times = |plies: &usize| 1 + self.again.iter().filter(|again| *again == plies).count();
        let stood = self.stood.iter().filter(|(_, earlier)| earlier == position);
        stood.flat_map(|(plies, _)| std::iter::repeat_n(*plies, times(plies))).collect()
    }

    /// The position that stands was restored, and that counts as one more occurrence.
    pub fn count_again(&mut self) {
        self.again.push(self.plies.len());
    }

    /// Whether a move is legal on the board; `false` while plies are missing.
    pub fn is_legal(&self, made: UciMove) -> bool {
        self.position().is_some_and(|position| made.to_move(position).is_ok())
    }

    /// Makes one more move: any that a hand can make, or one not known.
    pub fn push(&mut self, made: Option<UciMove>) {
        if self.plies.len() < MAX_PLIES {
            self.plies.push(Ply { made, left: None, legal: true, offered: false });
            self.advance();
        }
    }

    /// Takes the last ply back.
    pub fn pop(&mut self) {
        self.truncate(self.plies.len().saturating_sub(1));
    }

    /// Takes back every ply after the first `plies`.
    pub fn truncate(&mut self, plies: usize) {
        if plies < self.plies.len() {
            self.plies.truncate(plies);
            self.again.retain(|again| *again <= plies);
            self.bans.retain(|(after, _)| *after <= plies);
            self.replay();
        }
    }

    /// Puts another move in the place of the last one.
    pub fn replace_last(&mut self, made: UciMove) {
        if let Some(last) = self.plies.last_mut() {
            last.made = Some(made);
            self.replay();
        }
    }

    /// Notes that a draw was offered with the last ply.
    pub fn offered(&mut self) {
        if let Some(last) = self.plies.last_mut() {
            last.offered = true;
        }
    }

    /// Writes in what the scoresheet says of plies `from` and on, and plays what is now known.
    pub fn fill(&mut self, from: usize, moves: &[UciMove]) {
        for (i, made) in moves.iter().enumerate() {
            match self.plies.get_mut(from + i) {
                Some(ply) => ply.made = Some(*made),
                None if from + i < MAX_PLIES => self.plies.push(Ply { made: Some(*made), left: None, legal: true, offered: false }),
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
        let (plies, again, bans) = (std::mem::take(&mut self.plies), std::mem::take(&mut self.again), std::mem::take(&mut self.bans));
        *self = Line { plies, again, bans, ..Line::new(self.start.clone()) };
        self.keep_bans();
        while self.advance() {}
    }

    /// Plays the first ply not yet on the board, if it is known.
    fn advance(&mut self) -> bool {
        let Some(Ply { made: Some(uci), .. }) = self.plies.get(self.known) else { return false };
        let uci = *uci;
        let legal = match self.raw.take() {
            None => self.play(uci),
            Some(mut raw) => match raw.legal() {
                // The illegal move stands, and play goes on from there.
                Some(position) => {
                    self.position = position;
                    self.reached(self.known, raw.reversible());
                    self.play(uci)
                }
                None => {
                    let mover = raw.turn();
                    let takes_king = matches!(uci, UciMove::Normal { to, .. } if raw.piece(to).is_some_and(|piece| piece.role == Role::King));
                    raw.make(uci);
                    let legal = !takes_king && !raw.king_in_check(mover);
                    match raw.legal() {
                        Some(position) => {
                            self.position = position;
                            self.reached(self.known + 1, raw.reversible());
                        }
                        None => self.raw = Some(raw),
                    }
                    legal
                }
            },
        };
        self.plies[self.known].legal = legal;
        self.known += 1;
        true
    }

    /// Plays a move from the last legal position; an illegal one leaves a board beside it.
    fn play(&mut self, uci: UciMove) -> bool {
        let Ok(m) = uci.to_move(&self.position) else {
            let mut raw = Raw::of(&self.position);
            raw.make(uci);
            self.raw = Some(raw);
            return false;
        };
        let reversible = !self.position.is_irreversible(m);
        self.position.play_unchecked(m);
        self.reached(self.known + 1, reversible);
        true
    }

    fn reached(&mut self, plies: usize, reversible: bool) {
        if !reversible {
            self.stood.clear();
        }
        self.stood.push((plies, self.position.clone()));
        self.keep_bans();
    }

    /// From here on nobody may castle with the rooks on these squares.
    pub fn forbid_castling(&mut self, rooks: Bitboard) {
        self.bans.push((self.plies.len(), rooks));
        self.keep_bans();
    }

    /// Takes the forbidden rights from the position that has just been reached.
    fn keep_bans(&mut self) {
        let Some((plies, _)) = self.stood.last() else { return };
        let rooks = self.bans.iter().filter(|(after, _)| after == plies).fold(Bitboard::EMPTY, |all, (_, rooks)| all | *rooks);
        if rooks.is_empty() {
            return;
        }
        let mut raw = Raw::of(&self.position);
        raw.forbid_castling(rooks);
        if let (Some(position), Some(last)) = (raw.legal(), self.stood.last_mut()) {
            last.1 = position.clone();
            self.position = position;
        }
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
    fn earlier_positions_are_found_again() {
        let line = play("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "e4 e5 Nf3");
        let fen = |plies| line.position_after(plies).map(|position| print_fen(&position));
        assert_eq!(fen(1).as_deref(), Some("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"));
        assert_eq!(fen(3), Some(line.fen()));
        assert_eq!(fen(4), None);
    }

    #[test]
    fn what_cannot_start_a_game_is_refused() {
        assert!(matches!(Start::fen("hello"), Err(StartError::Fen(_))));
        assert!(matches!(Start::fen("8/8/8/8/8/8/8/8 w - - 0 1"), Err(StartError::Illegal(..))));
        assert!(matches!(Start::chess960(960), Err(StartError::Number(960))));
    }
}
