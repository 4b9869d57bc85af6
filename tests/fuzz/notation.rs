//! Moves, positions and times as people write them.

use shakmaty::uci::UciMove;
use shakmaty::{ByColor, Chess, Color, Position};
use zeitnot::board::{Meaning, MoveText, Start, numbered, shredder_fen, written};
use zeitnot::clock::{Adjustment, MAX_TIME, Millis, TimeControl, WallTime};
use zeitnot::format::{pgn::Shown, trf};
use zeitnot::game::entry::{IncidentCode, Score, Termination};

use crate::engine::{Target, says_what_is_wrong};

const MOVES: &[&str] =
    &["e4", "Nf3", "O-O", "0-0-0", "exd5", "e8=Q", "e8Q", "+", "#", "e.p.", "N", "x", "-", "=", " ", "1.", "…", "Sf3", "♘", "Кf3", "тур", "Ä", "K:"];

/// What is read is printed so that it is read as the same again.
#[test]
fn a_move() {
    Target::of_lines("move").with_words(MOVES).holds_for_text(|text| match text.parse::<MoveText>() {
        Ok(read) => assert_eq!(read.to_string().parse(), Ok(read), "{text}"),
        Err(e) => says_what_is_wrong(&e),
    });
}

/// What can start a game is printed so that the same game starts from it, in both spellings of castling.
#[test]
fn a_position() {
    let words = &["KQkq", "HAha", "- ", " w ", " b ", "e3", "8/", "/", "k", "K", "p", "0 1", "4294967295", "99999999999", "-1", "~", "[Q]"];
    Target::of_lines("fen").with_words(words).holds_for_text(|text| match Start::fen(text) {
        Ok(start) => {
            let again = |fen: &str| Start::fen(fen).unwrap_or_else(|e| panic!("{text}: {fen}: {e}"));
            assert_eq!(again(&start.to_fen()).to_fen(), start.to_fen(), "{text}");
            // Files of rooks make Chess960 of it: king takes rook, and all else the same.
            let shredder = again(&shredder_fen(&start.position));
            assert_eq!(shredder.position.board(), start.position.board(), "{text}");
            assert_eq!(shredder.position.legal_moves().len(), start.position.legal_moves().len(), "{text}");
        }
        Err(e) => says_what_is_wrong(&e),
    });
}

/// A control is printed as it is read, within its limits, and every move of it has a period.
#[test]
fn a_time_control() {
    let words = &["40/", "5400", "+30", "d5", "b2.5", ":", "|", "*180", "0", ".", ".001", "999999999", "4294967296", "1/1:1/1:1/1:1/1:"];
    Target::of_lines("control").with_words(words).holds_for_text(|text| {
        let control: TimeControl = match text.parse() {
            Ok(control) => control,
            Err(e) => return says_what_is_wrong(&e),
        };
        assert_eq!(control.to_string().parse().as_ref(), Ok(&control), "{text}");
        assert_eq!(trf::line(&control).and_then(|line| trf::control(&line)).ok(), control.is_equal().then_some(control.clone()), "{text}");
        for color in Color::ALL {
            for n in [1, 2, 40, 41, 999, 18_000, u32::MAX] {
                let period = control.period_of_move(color, n);
                assert!(control.moves_until(color, period).is_none_or(|end| n <= end), "{text}: move {n} in period {period}");
                assert!(period == 0 || control.moves_until(color, period - 1).is_some_and(|end| n > end), "{text}: move {n} in period {period}");
                let given = control.period(color, period);
                assert!(given.time <= MAX_TIME && given.bonus.free() <= MAX_TIME, "{text}");
            }
        }
    });
}

/// Times of all kinds are printed so that they are read again.
#[test]
fn a_time() {
    let words = &[":", "00", "59", "60", ".", "999", "+", "-", "Z", "T", "2026-05-02", "+02:00", "[Europe/Oslo]", "9999999999"];
    Target::of_lines("time").with_words(words).holds_for_text(|text| {
        match text.parse::<Millis>() {
            Ok(time) => assert_eq!(time.to_string().parse(), Ok(time), "{text}"),
            Err(e) => says_what_is_wrong(&e),
        }
        match text.parse::<Adjustment>() {
            Ok(by) => assert_eq!((by.to_string().parse(), by.reversed().reversed()), (Ok(by), by), "{text}"),
            Err(e) => says_what_is_wrong(&e),
        }
        match text.parse::<WallTime>() {
            Ok(at) => assert_eq!(at.to_string().parse(), Ok(at), "{text}"),
            Err(e) => says_what_is_wrong(&e),
        }
        match text.parse::<Shown>() {
            Ok(shown) => assert!(shown.is(shown.time) && !shown.is(shown.time.plus(shown.unit)), "{text}"),
            Err(e) => says_what_is_wrong(&e),
        }
    });
}

/// Words of closed sets: what is read is what is printed, and every other word is told which there are.
#[test]
fn a_result() {
    Target::of_lines("result").with_words(&["1-0", "½", "1/2", "-", "+", "time", "illegal-move"]).holds_for_text(|text| {
        match text.parse::<Score>() {
            Ok(score) => assert_eq!(score.to_string(), text),
            Err(e) => says_what_is_wrong(&e),
        }
        match text.parse::<Termination>() {
            Ok(how) => assert_eq!(how.to_string(), text),
            Err(e) => says_what_is_wrong(&e),
        }
        if let Ok(code) = text.parse::<IncidentCode>() {
            assert_eq!(code.to_string(), text);
        }
    });
}

/// Where a written move is judged: positions in which much is possible, and little.
const BOARDS: [&str; 7] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r4rk1/pp3ppp/2p5/8/8/5N2/PP3PPP/1N2R1K1 w - - 0 25",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "4k3/P6P/8/2pP4/8/8/1p4p1/R3K2R w KQ c6 0 40",
    "rr2k3/8/8/8/8/8/8/RR2K3 b Bb - 0 1",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "8/8/3k4/8/8/3K4/6R1/8 b - - 7 71",
];

/// Nothing is guessed: a meaning is a legal move, or several, and every judgement has a ground.
#[test]
fn a_move_as_a_player_wrote_it() {
    let boards: Vec<Chess> = BOARDS.map(|fen| Start::fen(fen).unwrap().position).to_vec();
    Target::of_lines("written").with_words(MOVES).with_inputs(100).holds_for_text(|text| {
        for board in &boards {
            let judged = written(board, text);
            let legal = |uci: &UciMove| uci.to_move(board).is_ok();
            match &judged.meaning {
                Meaning::Move(uci) => assert!(legal(uci), "{text}: {judged:?}"),
                Meaning::Ambiguous(moves) => {
                    let named: std::collections::BTreeSet<String> = moves.iter().map(ToString::to_string).collect();
                    assert!(moves.len() > 1 && moves.iter().all(legal) && named.len() == moves.len(), "{text}: {judged:?}");
                    assert!(named.iter().eq(moves.iter().map(ToString::to_string).collect::<Vec<_>>().iter()), "in order: {text}: {judged:?}");
                }
                Meaning::Illegal | Meaning::NoMeaning | Meaning::Unclear => {}
            }
            says_what_is_wrong(&judged.ground);
            assert_eq!(written(board, text), judged, "the same again: {text}");
            // Blanks around it mean nothing.
            assert_eq!(written(board, &format!(" {text} ")).meaning, judged.meaning, "{text}");
        }
    });
}

/// Every legal move, as the program itself would write it, is that move.
#[test]
fn a_move_as_we_write_it() {
    Target::of("line", vec![b"abcdefgh".to_vec(), b"\x00\x10\x20\x30".to_vec(), vec![7; 60], (0..200).collect()]).with_inputs(60).holds(|choices| {
        for board in BOARDS {
            let mut position = Start::fen(board).unwrap().position;
            for choice in choices.iter().take(80) {
                let legal = position.legal_moves();
                if legal.is_empty() {
                    break;
                }
                let m = legal[usize::from(*choice) % legal.len()];
                let uci = m.to_uci(position.castles().mode());
                let text = numbered(&position, &[uci]);
                assert_eq!(written(&position, &text).meaning, Meaning::Move(uci), "{text} in {position:?}");
                assert_eq!(written(&position, &uci.to_string()).meaning, Meaning::Move(uci), "{uci} in {position:?}");
                position.play_unchecked(m);
            }
        }
    });
}

/// Both sides of a control are read apart.
#[test]
fn two_controls() {
    Target::of_lines("control").holds_for_text(|text| {
        let both = format!("{text}|{text}");
        assert_eq!(both.parse::<TimeControl>().ok().filter(|_| !text.contains('|')), text.parse().ok().filter(|_| !text.contains('|')), "{text}");
        if let Ok(one) = text.parse::<TimeControl>() {
            let sides = ByColor::new_with(|color| one.periods(color).to_vec());
            assert_eq!(TimeControl::new(sides), Ok(one));
        }
    });
}
