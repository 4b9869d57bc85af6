//! Writing a game of ours as PGN: tags, moves with the clock times after them, result.

use std::fmt::Write;

use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Color, Position};

use super::Tags;
use crate::board::{Ply, Raw};
use crate::clock::Millis;
use crate::game::{Game, Phase, Score, Termination};

/// Widest line of movetext.
const WIDTH: usize = 80;

/// The tags that every game has, and what stands there when nothing is known.
const ROSTER: [(&str, &str); 7] =
    [("Event", "?"), ("Site", "?"), ("Date", "????.??.??"), ("Round", "?"), ("White", "?"), ("Black", "?"), ("Result", "*")];

/// The tags that follow from the game; any other comes from whoever knows the players.
const FROM_GAME: [&str; 6] = ["Result", "SetUp", "FEN", "Variant", "TimeControl", "Termination"];

/// A game as PGN. `tags` say who plays where; what the game itself tells is taken from the game.
pub fn write(game: &Game, tags: &Tags) -> String {
    let mut text = String::new();
    for (name, nothing) in ROSTER {
        let value = if name == "Result" { token(game) } else { tags.get(name).unwrap_or(nothing) };
        tag(&mut text, name, value);
    }
    for (name, value) in &tags.0 {
        let known = ROSTER.iter().any(|(one, _)| one == name) || FROM_GAME.contains(&name.as_str());
        if !known && !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            tag(&mut text, name, value);
        }
    }
    let start = game.line.start();
    if !start.is_standard() {
        if start.mode() == CastlingMode::Chess960 {
            tag(&mut text, "Variant", "Chess960");
        }
        tag(&mut text, "SetUp", "1");
        tag(&mut text, "FEN", &start.to_fen());
    }
    tag(&mut text, "TimeControl", &game.regulations.control.to_string());
    tag(&mut text, "Termination", termination(game));
    text.push('\n');
    movetext(&mut text, game);
    text
}

/// One tag pair. A value is one line, with `"` and `\` marked.
fn tag(text: &mut String, name: &str, value: &str) {
    let value: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""));
}

/// The nearest of PGN's four results: a forfeit is a win, what neither side won is open.
fn token(game: &Game) -> &'static str {
    match score(game) {
        Some(Score::WhiteWins | Score::WhiteForfeitWin) => "1-0",
        Some(Score::BlackWins | Score::BlackForfeitWin) => "0-1",
        Some(Score::Draw) => "1/2-1/2",
        Some(Score::BothLose | Score::WhiteHalf | Score::BlackHalf | Score::DoubleForfeit) | None => "*",
    }
}

fn score(game: &Game) -> Option<Score> {
    game.outcome.as_ref().filter(|_| game.phase == Phase::Over).map(|outcome| outcome.score)
}

fn termination(game: &Game) -> &'static str {
    match (score(game), game.outcome.as_ref().map(|outcome| outcome.termination)) {
        _ if game.phase == Phase::Annulled => "abandoned",
        (Some(Score::DoubleForfeit), _) => "abandoned",
        (Some(Score::WhiteWins | Score::BlackWins | Score::Draw), Some(how)) => match how {
            Termination::Time => "time forfeit",
            Termination::Arbiter => "adjudication",
            _ => "normal",
        },
        (Some(_), _) => "rules infraction",
        (None, _) => "unterminated",
    }
}

/// What no tag of PGN can say.
fn remark(game: &Game) -> Option<String> {
    match score(game) {
        _ if game.phase == Phase::Annulled => Some("{annulled}".to_string()),
        Some(Score::WhiteWins | Score::BlackWins | Score::Draw) | None => None,
        Some(other) => Some(format!("{{result {other}}}")),
    }
}

fn movetext(text: &mut String, game: &Game) {
    let mut lines = Lines { text, column: 0 };
    let (known, _) = game.line.known();
    let mut position = game.line.start().position.clone();
    let mut written = 0;
    for (i, ply) in game.line.plies()[..known].iter().enumerate() {
        let Some(m) = ply.made.and_then(|uci| uci.to_move(&position).ok()) else { break };
        written = i + 1;
        match position.turn() {
            Color::White => lines.word(&format!("{}.", position.fullmoves())),
            Color::Black if i == 0 => lines.word(&format!("{}...", position.fullmoves())),
            Color::Black => {}
        }
        lines.word(&SanPlus::from_move_and_play_unchecked(&mut position, m).to_string());
        let clock = ply.left.or_else(|| at_the_end(game, i, !position.turn())).map(|left| format!("[%clk {}]", left.whole_seconds()));
        let offer = ply.offered.then(|| "(=)".to_string());
        let said: Vec<String> = clock.into_iter().chain(offer).collect();
        if !said.is_empty() {
            lines.word(&format!("{{{}}}", said.join(" ")));
        }
    }
    let dots = position.turn().fold_wb(".", "...");
    if written < known {
        // PGN has no illegal moves: the rest is told, not left out.
        let rest: Vec<String> = game.line.plies()[written..known].iter().map(as_made).collect();
        let board = game.line.raw().map_or_else(|| game.line.fen(), Raw::fen);
        lines.word(&format!("{{not legal from {}{dots} on: {}; board {board}}}", position.fullmoves(), rest.join(", ")));
    } else if known < game.line.plies().len() {
        lines.word(&format!("{{moves are missing from {}{dots} on}}", position.fullmoves()));
    }
    if let Some(remark) = remark(game) {
        lines.word(&remark);
    }
    lines.word(token(game));
    text.push('\n');
}

/// A move by its squares, with what is to be said of it.
fn as_made(ply: &Ply) -> String {
    let squares = ply.made.map_or_else(|| "?".to_string(), |uci| uci.to_string());
    if ply.legal { squares } else { format!("{squares} (illegal)") }
}

/// What the mover's clock shows after a move that ended the game and so was never pressed.
fn at_the_end(game: &Game, ply: usize, mover: Color) -> Option<Millis> {
    let by_move = |how| {
        use Termination::{Checkmate, DeadPosition, Fivefold, SeventyFive, Stalemate};
        matches!(how, Checkmate | Stalemate | DeadPosition | Fivefold | SeventyFive)
    };
    let ended = game.outcome.as_ref().is_some_and(|outcome| by_move(outcome.termination));
    (ended && ply + 1 == game.line.plies().len()).then(|| game.clock.side(mover).left)
}

/// Words with a blank between them, in lines of at most [`WIDTH`]. A comment is one word, so that no line ends inside it.
struct Lines<'a> {
    text: &'a mut String,
    column: usize,
}

impl Lines<'_> {
    fn word(&mut self, word: &str) {
        let width = word.chars().count();
        if self.column > 0 {
            let fits = self.column + 1 + width <= WIDTH;
            self.text.push(if fits { ' ' } else { '\n' });
            self.column = if fits { self.column + 1 } else { 0 };
        }
        self.text.push_str(word);
        self.column += width;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use shakmaty::ByColor;

    use super::*;
    use crate::board::Start;
    use crate::format::pgn::games;
    use crate::game::{BoardSeen, Fact, GameId, Input, Moved, Regulations, Ruling, Seq, decide};

    fn game(start: Start, board: BoardSeen) -> Game {
        let regulations = Regulations { board, ..Regulations::of("180+2".parse().unwrap()) };
        let mut game = Game::open(GameId(1), Arc::new(regulations), Arc::new(start), None, ByColor::default(), None);
        put(&mut game, Input::Ruling(Ruling::Start), 0);
        game
    }

    fn put(game: &mut Game, input: Input, now: u64) {
        for entry in decide(game, input, Some(Millis(now)), crate::clock::WallTime::default()).unwrap() {
            game.evolve(Seq(1), &entry);
        }
    }

    fn press(game: &mut Game, uci: Option<&str>, now: u64) {
        let by = game.running().unwrap();
        let moved = uci.map_or(Moved::AsReported, |uci| Moved::Move(uci.parse().unwrap()));
        put(game, Input::Fact(Fact::Press { by, moved, shown: None, lag: None }), now);
    }

    #[test]
    fn a_game_in_progress() {
        let mut game = game(Start::standard(), BoardSeen::Seen);
        for (uci, now) in [("e2e4", 1_500), ("e7e5", 4_000), ("g1f3", 60_001)] {
            press(&mut game, Some(uci), now);
        }
        let tags = Tags(vec![
            ("White".into(), "Réti, \"R\"".into()),
            ("WhiteElo".into(), "2500".into()),
            ("Result".into(), "1-0".into()),
            ("bad name".into(), "x".into()),
            ("Round".into(), "1\n2".into()),
        ]);
        let expected = "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"1 2\"]\n[White \"Réti, \\\"R\\\"\"]\n[Black \"?\"]\n[Result \"*\"]\n\
                        [WhiteElo \"2500\"]\n[TimeControl \"180+2\"]\n[Termination \"unterminated\"]\n\n\
                        1. e4 {[%clk 0:03:02]} e5 {[%clk 0:03:01]} 2. Nf3 {[%clk 0:02:08]} *\n";
        assert_eq!(write(&game, &tags), expected);
    }

    #[test]
    fn results_that_pgn_cannot_say() {
        for (score, token, termination, remark) in [
            (Score::WhiteWins, "1-0", "adjudication", ""),
            (Score::BothLose, "*", "rules infraction", "{result 0-0} "),
            (Score::WhiteHalf, "*", "rules infraction", "{result 1/2-0} "),
            (Score::BlackForfeitWin, "0-1", "rules infraction", "{result -+} "),
            (Score::DoubleForfeit, "*", "abandoned", "{result --} "),
        ] {
            let mut game = game(Start::standard(), BoardSeen::Seen);
            put(&mut game, Input::Ruling(Ruling::DeclareResult { score, reason: String::new() }), 5);
            let text = write(&game, &Tags::default());
            assert!(text.ends_with(&format!("[Termination \"{termination}\"]\n\n{remark}{token}\n")), "{text}");
            assert!(text.contains(&format!("[Result \"{token}\"]")), "{text}");
        }
    }

    /// BH-30: an illegal move that stands is told, with what came after it. BH-40: an offer is noted.
    #[test]
    fn what_is_not_legal_is_told() {
        let mut game = game(Start::standard(), BoardSeen::Seen);
        for (i, uci) in ["e2e4", "e7e5", "g1f3", "d7d6", "f1b5", "g8f6", "e1g1"].into_iter().enumerate() {
            let made = crate::board::MoveText::Uci(uci.parse().unwrap());
            let by = game.running().unwrap();
            put(&mut game, Input::Fact(Fact::Move { by, made }), i as u64 * 1_000);
            if uci == "e7e5" {
                put(&mut game, Input::Fact(Fact::Offer { by }), i as u64 * 1_000);
            }
            press(&mut game, None, i as u64 * 1_000);
        }
        let text = write(&game, &Tags::default());
        let text = text.replace('\n', " ");
        assert!(text.contains("e5 {[%clk 0:03:03] (=)} 2. Nf3"), "{text}");
        let board = "rnbqkb1r/ppp2ppp/3p1n2/1B2p3/4P3/5N2/PPPP1PPP/RNBQ1RK1 b kq - 3 4";
        assert!(text.contains(&format!("{{not legal from 3... on: g8f6 (illegal), e1g1; board {board}}}")), "{text}");
    }

    #[test]
    fn moves_that_are_missing_are_said_to_be() {
        let mut game = game(Start::standard(), BoardSeen::Unseen);
        press(&mut game, Some("d2d4"), 1_000);
        press(&mut game, None, 2_000);
        press(&mut game, None, 3_000);
        assert!(write(&game, &Tags::default()).ends_with("\n1. d4 {[%clk 0:03:03]} {moves are missing from 1... on} *\n"));
    }

    #[test]
    fn chess960_and_black_to_move() {
        let mut game = game(Start::fen("rr2k3/8/8/8/8/8/8/4K3 b b - 3 30").unwrap(), BoardSeen::Seen);
        press(&mut game, Some("e8b8"), 1_000);
        let text = write(&game, &Tags::default());
        assert!(text.contains("[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"rr2k3/8/8/8/8/8/8/4K3 b b - 3 30\"]\n"), "{text}");
        assert!(text.ends_with("\n30... O-O-O {[%clk 0:03:03]} *\n"), "{text}");
        let again = games(text.as_bytes()).unwrap().next().unwrap().unwrap();
        assert_eq!(again.moves[0].uci.to_string(), "e8b8");
    }
}
