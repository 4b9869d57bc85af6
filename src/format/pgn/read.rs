//! Reading PGN, on pgn-reader: every game of a file, its moves played out, the clock times from its comments.

use std::borrow::Cow;
use std::io::Cursor;
use std::ops::ControlFlow;
use std::sync::Arc;

use pgn_reader::{KnownOutcome, Outcome, RawComment, RawTag, Reader, SanPlus, Visitor};
use shakmaty::fen::Fen;
use shakmaty::san::San;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, CastlingSide, Chess, Move, Position, Role, Square};

use super::spelling::spelt;
use super::{MAX_COMMENT, MAX_FILE, MAX_GAMES, MAX_TAG, MAX_TAGS, PgnGame, PgnMove, PgnProblem, PgnTooLarge, Reason, Shown, Tags};
use crate::board::{MAX_PLIES, Start};
use crate::game::Score;

/// The games of a file, in their order.
///
/// # Errors
/// A file larger than [`MAX_FILE`].
pub fn games(bytes: &[u8]) -> Result<Games<'_>, PgnTooLarge> {
    if bytes.len() > MAX_FILE {
        return Err(PgnTooLarge(bytes.len()));
    }
    let reader = Reader::build(Cursor::new(spelt(bytes))).set_supported_tag_line_length(MAX_TAG).set_supported_comment_length(MAX_COMMENT);
    Ok(Games { reader: reader.finish(), number: 0, unplayed: 0, held: None })
}

/// Iterator over the games of a file. What is wrong with one does not keep the next from being read.
#[derive(Debug)]
pub struct Games<'a> {
    reader: Reader<Cursor<Cow<'a, [u8]>>>,
    number: usize,
    /// Games of tags alone that came before the one that is held.
    unplayed: usize,
    held: Option<Result<PgnGame, Reason>>,
}

impl Iterator for Games<'_> {
    type Item = Result<PgnGame, PgnProblem>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.number > MAX_GAMES {
            return None;
        }
        let read = match self.unplayed.checked_sub(1) {
            Some(others) => {
                self.unplayed = others;
                Err(Reason::NoMoves)
            }
            None => match self.held.take() {
                Some(held) => held,
                None => self.read()?,
            },
        };
        self.number += 1;
        let number = self.number;
        Some(match read {
            _ if number > MAX_GAMES => Err(PgnProblem { number, reason: Reason::TooMany }),
            Ok(game) if game.moves.is_empty() => Err(PgnProblem { number, reason: Reason::NoMoves }),
            Ok(game) => Ok(PgnGame { number, ..game }),
            Err(reason) => Err(PgnProblem { number, reason }),
        })
    }
}

impl Games<'_> {
    fn read(&mut self) -> Option<Result<PgnGame, Reason>> {
        loop {
            match self.reader.read_game(&mut Visit) {
                Ok(None) => return None,
                // A result that a blank line has cut off from its game is no game.
                Ok(Some((0, Ok(game)))) if game.tags.0.is_empty() && game.moves.is_empty() => {}
                Ok(Some((0, read))) => return Some(read),
                Ok(Some((unplayed, read))) => {
                    self.unplayed = unplayed - 1;
                    self.held = Some(read);
                    return Some(Err(Reason::NoMoves));
                }
                Err(e) => return Some(Err(Reason::Unreadable(e.to_string()))),
            }
        }
    }
}

struct Visit;

/// Tags while they are read.
#[derive(Default)]
struct Header {
    tags: Tags,
    /// Games of tags alone before this one: to pgn-reader they are one game with it.
    unplayed: usize,
}

/// A game while its movetext is read.
struct Played {
    tags: Tags,
    unplayed: usize,
    result_tag: Option<Score>,
    start: Start,
    position: Chess,
    moves: Vec<PgnMove>,
    wrong: Option<Reason>,
    terminator: Option<Outcome>,
    /// `0-0` where the tag says that both lost: castling if anything follows, else the result.
    held: Option<SanPlus>,
    comment: Vec<u8>,
}

impl Visitor for Visit {
    type Tags = Header;
    type Movetext = Played;
    type Output = (usize, Result<PgnGame, Reason>);

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Header> {
        ControlFlow::Continue(Header::default())
    }

    fn tag(&mut self, header: &mut Header, name: &[u8], value: RawTag<'_>) -> ControlFlow<Self::Output> {
        if name == b"Event" && header.tags.get("Event").is_some() {
            *header = Header { unplayed: header.unplayed + 1, tags: Tags::default() };
        }
        let tags = &mut header.tags;
        if tags.0.len() < MAX_TAGS && name.len() + value.as_bytes().len() <= MAX_TAG {
            tags.0.push((text(name.trim_ascii()), text(&value.decode())));
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, header: Header) -> ControlFlow<Self::Output, Played> {
        let Header { tags, unplayed } = header;
        let (start, wrong) = match start(&tags) {
            Ok(start) => (start, None),
            Err(reason) => (Start::standard(), Some(reason)),
        };
        let (position, result_tag) = (start.position.clone(), tags.get("Result").and_then(score));
        let (moves, comment) = (Vec::new(), Vec::new());
        ControlFlow::Continue(Played { tags, unplayed, result_tag, start, position, moves, wrong, terminator: None, held: None, comment })
    }

    fn san(&mut self, played: &mut Played, san: SanPlus) -> ControlFlow<Self::Output> {
        if let Some(held) = played.held.take() {
            played.make(held);
        }
        if played.result_tag == Some(Score::BothLose) && san.san == San::Castle(CastlingSide::KingSide) {
            played.held = Some(san);
        } else {
            played.make(san);
        }
        ControlFlow::Continue(())
    }

    fn partial_comment(&mut self, played: &mut Played, comment: RawComment<'_>) -> ControlFlow<Self::Output> {
        let room = MAX_COMMENT.saturating_sub(played.comment.len());
        played.comment.extend(comment.as_bytes().iter().take(room));
        ControlFlow::Continue(())
    }

    fn comment(&mut self, played: &mut Played, comment: RawComment<'_>) -> ControlFlow<Self::Output> {
        let _ = self.partial_comment(played, comment);
        let comment = std::mem::take(&mut played.comment);
        if let (Some(last), None) = (played.moves.last_mut(), played.held) {
            times(&String::from_utf8_lossy(&comment), last);
        }
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, played: &mut Played, outcome: Outcome) -> ControlFlow<Self::Output> {
        if let Some(held) = played.held.take() {
            played.make(held);
        }
        played.terminator.get_or_insert(outcome);
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, played: Played) -> Self::Output {
        let read = match played.wrong {
            Some(reason) => Err(reason),
            None => Ok(PgnGame {
                number: 0,
                result: agreed(played.result_tag, played.terminator),
                tags: played.tags,
                start: Arc::new(played.start),
                moves: played.moves,
            }),
        };
        (played.unplayed, read)
    }
}

impl Played {
    fn make(&mut self, san: SanPlus) {
        if self.wrong.is_some() || self.terminator.is_some() {
            return;
        }
        let ply = self.moves.len() + 1;
        if ply > MAX_PLIES {
            self.wrong = Some(Reason::TooLong);
        } else if san.san == San::Null {
            self.wrong = Some(Reason::NullMove { ply });
        } else if let Some(m) = legal(san.san, &self.position) {
            let uci = m.to_uci(self.start.mode());
            self.position.play_unchecked(m);
            self.moves.push(PgnMove { uci, clk: None, emt: None });
        } else {
            let dots = self.position.turn().fold_wb(".", "...");
            let text = format!("{}{dots} {san}", self.position.fullmoves());
            self.wrong = Some(Reason::IllegalMove { ply, text });
        }
    }
}

/// The legal move that was written, be it as UCI, which to pgn-reader looks like a pawn's move, or without the `x` of a capture.
fn legal(san: San, position: &Chess) -> Option<Move> {
    if let Ok(m) = san.to_move(position) {
        return Some(m);
    }
    let San::Normal { role, file, rank, capture, to, promotion } = san else { return None };
    if let (Role::Pawn, Some(file), Some(rank), false) = (role, file, rank, capture) {
        return UciMove::Normal { from: Square::from_coords(file, rank), to, promotion }.to_move(position).ok();
    }
    San::Normal { role, file, rank, capture: !capture, to, promotion }.to_move(position).ok()
}

fn start(tags: &Tags) -> Result<Start, Reason> {
    let variant = tags.get("Variant").unwrap_or("");
    let word: String = variant.chars().filter(|c| c.is_ascii_alphanumeric()).collect::<String>().to_ascii_lowercase();
    let chess960 = match word.as_str() {
        "" | "standard" | "chess" | "normal" | "fromposition" => false,
        "chess960" | "960" | "fischerandom" | "fischerrandom" | "fischerrandomchess" | "freestyle" | "freestylechess" => true,
        _ => return Err(Reason::OtherVariant(variant.chars().take(40).collect())),
    };
    let Some(fen) = tags.get("FEN") else { return Ok(Start::standard()) };
    let start = Start::fen(fen).map_err(|e| Reason::Position(e.to_string()))?;
    // A Chess960 array may look like one of standard chess; castling is then still king takes rook.
    let position = fen.parse::<Fen>().ok().filter(|_| chess960).and_then(|fen| fen.into_position(CastlingMode::Chess960).ok());
    Ok(position.map_or(start, |position| Start { position, number: None, seed: None }))
}

/// UTF-8, or else Latin-1, in which every byte is a letter.
fn text(bytes: &[u8]) -> String {
    str::from_utf8(bytes).map_or_else(|_| bytes.iter().map(|b| char::from(*b)).collect(), str::to_string)
}

/// `[%clk 1:30:56]` and `[%emt 0:00:12]`, of several the last one; a line may end between the words.
fn times(comment: &str, made: &mut PgnMove) {
    for command in comment.split("[%").skip(1) {
        let mut words = command.split(']').next().unwrap_or("").split_whitespace();
        let (name, value) = (words.next(), words.next().and_then(|value| value.parse::<Shown>().ok()));
        match name {
            Some("clk") => made.clk = value.or(made.clk),
            Some("emt") => made.emt = value.or(made.emt),
            _ => {}
        }
    }
}

fn score(text: &str) -> Option<Score> {
    text.trim().replace('½', "1/2").replace(['–', '—'], "-").parse().ok()
}

/// The result tag wins over the token at the end of the movetext where they disagree: it is the one
/// that is corrected later, that pairing programs read, and that can say 0-0. Where it says nothing, the token does.
fn agreed(tag: Option<Score>, terminator: Option<Outcome>) -> Option<Score> {
    tag.or(match terminator {
        Some(Outcome::Known(KnownOutcome::Decisive { winner })) => Some(Score::win(winner)),
        Some(Outcome::Known(KnownOutcome::Draw)) => Some(Score::Draw),
        Some(Outcome::Unknown) | None => None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::clock::Millis;

    fn one(pgn: &str) -> Result<PgnGame, Reason> {
        games(pgn.as_bytes()).unwrap().next().unwrap().map_err(|p| p.reason)
    }

    fn moves(pgn: &str) -> String {
        one(pgn).unwrap().moves.iter().map(|m| m.uci.to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn moves_as_people_write_them() {
        assert_eq!(moves("1. e4 {good} e5 $1 2. Nf3 (2. f4 exf4 (2... d5)) Nc6!? *"), "e2e4 e7e5 g1f3 b8c6");
        assert_eq!(moves("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1 *"), "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1");
        for text in ["1. e4 d5 2. e4d5 Qd5 *", "1.e4 d5 2.ed5 Qxd5", "1. Pe4 d5 2. e4xd5 Qd8xd5!!"] {
            assert_eq!(moves(text), "e2e4 d7d5 e4d5 d8d5", "{text}");
        }
        let fen = |fen: &str, text: &str| moves(&format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n{text}"));
        assert_eq!(fen("3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", "1. 0-0-0+ *"), "e1c1");
        for text in ["1. a8Q", "1. a8=Q", "1. a7a8q *", "1. a8Q#\n"] {
            assert_eq!(fen("8/P6k/8/8/8/8/8/K7 w - - 0 1", text), "a7a8q", "{text}");
        }
        assert_eq!(fen("4k3/8/8/5pP1/8/8/8/4K3 w - f6 0 1", "1. gxf6ep Kf7"), "g5f6 e8f7");
        assert_eq!(fen("4k3/8/8/5pP1/8/8/8/4K3 w - f6 0 1", "1. gxf6 e.p. Kf7"), "g5f6 e8f7");
        assert_eq!(fen("rr2k3/8/8/8/8/8/8/4K3 b b - 0 1", "1... O-O-O"), "e8b8");
        let same = one("[Variant \"Chess960\"]\n[FEN \"rnbqk2r/8/8/8/8/8/8/RNBQK2R w KQkq - 0 1\"]\n\n1. O-O").unwrap();
        assert_eq!(same.moves[0].uci.to_string(), "e1h1");
    }

    #[test]
    fn clock_times() {
        let game = one("1. d4 {[%clk 1:59:40]} d5 {[%eval 0.1] [%clk\n0:01:02.5]} 2. c4 {a} {[%emt 0:01:10]} e6 {[%clk 1:57] [%emt x]} *").unwrap();
        let shown = |time, unit| Some(Shown { time: Millis(time), unit: Millis(unit) });
        let clk: Vec<_> = game.moves.iter().map(|m| m.clk).collect();
        assert_eq!(clk, [shown(7_180_000, 1_000), shown(62_500, 100), None, shown(7_020_000, 60_000)]);
        assert_eq!(game.moves[2].emt, shown(70_000, 1_000));
    }

    #[test]
    fn tags_in_any_encoding() {
        let pgn =
            b"\xef\xbb\xbf[White \"R\xe9ti\"]\n[Black \"Br\xc3\xb8nlund, \\\"\xc3\x85\\\"\"]\n[TimeControl \"15 min. + 10 s. per move\"]\n\n1. e4 *";
        let game = games(pgn).unwrap().next().unwrap().unwrap();
        assert_eq!(game.tags.get("White"), Some("Réti"));
        assert_eq!(game.tags.get("Black"), Some("Brønlund, \"Å\""));
        assert_eq!(game.tags.time_control(), None);
        assert_eq!(game.tags.get("TimeControl"), Some("15 min. + 10 s. per move"));
    }

    #[test]
    fn results() {
        for (pgn, result) in [
            ("[Result \"1-0\"]\n\ne4 0-1", Some(Score::WhiteWins)),
            ("[Result \"*\"]\n\ne4 0-1", Some(Score::BlackWins)),
            ("[Result \"?\"]\n\ne4 1/2-1/2", Some(Score::Draw)),
            ("[Result \"½-½\"]\n\ne4", Some(Score::Draw)),
            ("e4 *", None),
            ("e4", None),
        ] {
            assert_eq!(one(pgn).unwrap().result, result, "{pgn}");
        }
        // BH-33: a result or castling, both possible; the tag says which.
        let both_lose = "[Result \"0-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 0-0";
        assert_eq!((moves(both_lose).split(' ').count(), one(both_lose).unwrap().result), (6, Some(Score::BothLose)));
        assert_eq!(moves(&format!("{both_lose} Nf6")).split(' ').count(), 8);
    }

    #[test]
    fn games_that_cannot_be_played() {
        let all = "[Variant \"Crazyhouse\"]\n\n1. e4 *\n\n[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4 *\n\n1. e4 e5 2. Ke3 *\n\n1. e4 -- *\n\n\
                   [White \"X\"]\n\n1-0\n\n1. e4\n\n[White \"Y\"]\n\n1. e4 {no end";
        let problems: Vec<_> =
            games(all.as_bytes()).unwrap().map(|g| g.map_or_else(|p| (p.number, p.reason.word()), |g| (g.number, "fine"))).collect();
        let expected = ["other-variant", "position", "illegal-move", "null-move", "no-moves", "fine", "unreadable"];
        assert_eq!(problems, (1..).zip(expected).collect::<Vec<_>>());
        let headers = "[Event \"a\"]\n[White \"b\"]\n\n[Event \"c\"]\n\n[Event \"d\"]\n\n1. e4 *\n\n[Event \"e\"]\n";
        let read: Vec<_> = games(headers.as_bytes()).unwrap().map(|g| g.map(|g| (g.number, g.tags))).collect();
        let problem = |number| Err(PgnProblem { number, reason: Reason::NoMoves });
        assert_eq!(read, [problem(1), problem(2), Ok((3, Tags(vec![("Event".into(), "d".into())]))), problem(4)]);
        assert_eq!(one("1. e4 e5 2. Ke3 *").unwrap_err().to_string(), "ply 3, 2. Ke3: no legal move there");
    }

    #[test]
    fn limits_hold() {
        assert!(games(&vec![b'\n'; MAX_FILE + 1]).is_err());
        let many = "1. e4 *\n\n".repeat(MAX_GAMES + 2);
        let last = games(many.as_bytes()).unwrap().last().unwrap();
        assert_eq!(last, Err(PgnProblem { number: MAX_GAMES + 1, reason: Reason::TooMany }));
        let tags = format!("[X \"{}\"]\n{}\n1. e4 *", "x".repeat(MAX_TAG), "[A \"b\"]\n".repeat(MAX_TAGS + 1));
        assert_eq!(one(&tags).unwrap().tags.0.len(), MAX_TAGS);
        let long = "Nf3 Nf6 Ng1 Ng8 ".repeat(MAX_PLIES / 4) + "e4";
        assert_eq!(one(&long), Err(Reason::TooLong));
        assert_eq!(moves(&format!("e4 {{{}}} e5", "[%clk 0:00:0".repeat(MAX_COMMENT))), "e2e4 e7e5");
    }

    proptest! {
        #[test]
        fn nothing_makes_it_panic(bytes in prop::collection::vec(prop::sample::select(&b"[]\"\\{}()%;*\n\r 10-=/+#NKQRBOoabehx.$?\xc2\xbd\xff"[..]), 0..300)) {
            let _ = games(&bytes).unwrap().count();
        }
    }
}
