//! What written moves mean, as tables, and that every legal move reads back as itself.

use proptest::prelude::*;
use shakmaty::{CastlingMode, fen::Fen, san::SanPlus};

use super::*;
use crate::board::{MAX_NUMBER, chess960};

/// From FIDE's booklets for arbiters: two knights can go to d2, none to e4.
const KNIGHTS: &str = "r4rk1/pp3ppp/2p5/8/8/5N2/PP3PPP/1N2R1K1 w - - 0 25";
const KNIGHTS_BLACK: &str = "r4rk1/pp3ppp/2p5/8/8/5N2/PP3PPP/1N2R1K1 b - - 0 25";
const PINNED: &str = "4r1k1/8/8/8/8/8/4N3/1N2K3 w - - 0 1";
const ROOK: &str = "6k1/3r4/8/8/8/8/8/3R2K1 w - - 0 31";
const TWO_ROOKS: &str = "4k3/8/8/8/8/8/4K3/R6R w - - 0 1";
const PAWNS: &str = "4k3/8/8/3p4/2P1P3/8/8/4K3 w - - 0 1";
const PASSING: &str = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
const PROMOTION: &str = "6k1/4P3/8/8/8/8/8/4K3 w - - 0 1";
const CASTLING: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
const NO_CASTLING: &str = "r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1";
const NO_ROOKS: &str = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";
const MINOR: &str = "4k3/8/8/8/8/8/8/1NB1K3 w - - 0 1";
const BOTH_B: &str = "4k3/8/8/8/8/2p5/1P6/4B1K1 w - - 0 1";
const BISHOP: &str = "4k3/8/8/8/8/2p5/8/4B1K1 w - - 0 1";
const PAWN_B: &str = "4k3/8/8/8/8/2p5/1P6/6K1 w - - 0 1";
const QUEEN: &str = "4k3/8/8/8/8/8/8/1Q2K3 w - - 0 1";
const MATED: &str = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1";
/// Of Chess960.
const FROM_E: &str = "1r2k2r/8/8/8/8/8/8/1R2K2R w HBhb - 0 1";
const FROM_F: &str = "r4k1r/8/8/8/8/8/8/R4KR1 w GA - 0 1";

/// Texts with what each means in the position: one move, several, or `illegal`, `nothing`, `unclear`.
type Rows = &'static [(&'static str, &'static [&'static str])];

const ALGEBRAIC: &[(&str, Rows)] = &[
    (KNIGHTS, &[("b1d2 f3d2", &["Nd2", "N-d2", "♘d2", "nd2", "Sd2", "Кd2"]), ("unclear", &["Pd2"]), ("b1d2", &["Nbd2", "Nb1-d2", "N1d2", "Nb-d2"])]),
    (KNIGHTS, &[("illegal", &["Ne4", "Ncd2", "N5d2", "Nb1e4", "Sbe4"]), ("f3d2", &["Nfd2", "Nf3d2", "N3d2", "f3d2", "f3-d2"])]),
    (KNIGHTS_BLACK, &[("a8d8 f8d8", &["25...Rd8"]), ("f8d8", &["25... Rfd8", "Rf8d8", "25.… Tfd8"]), ("illegal", &["Nd2"])]),
    (PINNED, &[("b1c3", &["Nc3", "Sc3"]), ("illegal", &["Nec3", "e2c3", "Ne2-c3"])]),
    (
        ROOK,
        &[
            ("d1d7", &["Rd7", "Rxd7", "R:d7", "Rd7:", "R×d7", "RXd7", "R-d7", "R x d7", " R d 7 ", "R1d7", "Rdd7"]),
            ("d1d7", &["Rd1-d7", "Rd1d7", "Rd1xd7", "Rd1:d7", "Rd1–d7", "d1d7", "d1-d7", "d1xd7", "d1 d7"]),
            ("d1d7", &["Rd7+", "Rd7++", "Rd7#", "Rd7 ch", "Rd7ch.", "Rd7 mate", "Rd7 MATE", "Rd7!?", "Rd7??", "Rd7†", "Rd7."]),
            ("d1d7", &["Rd7=", "Rd7 =", "Rd7(=)", "Rd7 (=)", "Rd7+ (=)", "Rd7=!?"]),
            ("d1d7", &["31. Rd7", "31.Rd7", "31...Rd7", "31.… Rd7", "31 Rd7", "31 . Rd7", "7. d1d7"]),
            ("d1d7", &["♖d7", "♜xd7", "♖\u{fe0e}d7", "Td7", "Wd7", "Vd7", "Лd7", "Тd7", "Πd7", "rd7", "td7", "rxd7", "Л х d7"]),
            // No king can go there, but K is the rook in Turkish.
            ("unclear", &["Kd7"]),
            ("d1d6", &["Rxd6", "Rd6"]),
            ("illegal", &["Rad7", "R2d7", "Ra8", "Rd8", "Nd7", "Qb2", "Q-b2", "e2e4", "d1-a7", "d1a7", "O-O", "Ld7", "ra8", "d4", "exd5"]),
            ("unclear", &["P-K4", "q-b2", "Turm d7", "rook d7", "Turm schlägt Turm", "KxP", "RxR ch", "RxRch", "Rd", "5254", "D7", "RD7", "xRd7x"]),
            ("unclear", &["Rd7 Rd8", "Rd7 e5", "d1 a7", "Rd7/Rd8", "Rd7 or d6", "Rd7 draw", "Rd9", "Zd7", "-d7", "\u{ff12}", "31", "31Rd7"]),
            ("unclear", &["Rochade", "short castling", "O", "o o o o", "0000", "1-0", "0-1", "½", "Конь", "♖", "кинг слон", "Kd7e"]),
            ("nothing", &["", "   ", "???", "xyzzy", "31.", "31. ???", "-", "x", "+", "=", "resigns", "mate", "no", "(=)", "\n\0", "…"]),
        ],
    ),
    (
        TWO_ROOKS,
        &[("a1d1 h1d1", &["Rd1", "Td1"]), ("h1d1", &["Rhd1"]), ("e2d1", &["Kd1", "Ke2-d1", "Ke2xd1"]), ("e2e3", &["Şe3"]), ("unclear", &["Re3"])],
    ),
    (MATED, &[("illegal", &["Kf8", "h6", "g8f8", "Rxa8", "0-0"]), ("unclear", &["K"]), ("nothing", &["?"])]),
];

const PAWN_MOVES: &[(&str, Rows)] = &[
    (PAWNS, &[("e4d5", &["exd5", "ed5", "ed", "exd", "e:d", "e:d5", "ed:", "e4xd5", "e4:d5", "e4d5", "e4-d5", "Pexd5", "e x d5", "ed5:"])]),
    (PAWNS, &[("c4d5", &["cd", "cxd5"]), ("e4e5", &["e5", "Pe5", "P-e5", "♙e5", "♟e5", "e4-e5", "e4e5", "e4 e5", "pe5", "ee5", "e5 ch"])]),
    (PAWNS, &[("c4d5 e4d5", &["Pxd5", "P:d5"]), ("illegal", &["e6", "Pe6", "exf5", "gh", "gxh", "dc", "c4c6", "e8=Q", "e8"])]),
    (PAWNS, &[("unclear", &["d5", "Pd5", "xd5", "Pxe5", "E5", "d5 e5", "ah", "e-d5", "e5=Q", "e4e5e6", "bad", "e", "5"])]),
    (PASSING, &[("e5d6", &["exd6 e.p.", "exd6ep", "ed e.p.", "ed6 e. p.", "e5d6", "exd6", "exd6 (ep)", "Pxd6", "ed6ep!"]), ("e5e6", &["e6"])]),
    (PASSING, &[("unclear", &["d6", "Pd6", "d6 e.p."]), ("illegal", &["exf6 e.p.", "e5f6", "d5e6"])]),
    (PROMOTION, &[("e7e8q", &["e8=Q", "e8Q", "e8(Q)", "e8/Q", "e8 Q", "e8=Q+", "e8(=Q)", "e8Q#", "e8=Q="])]),
    (PROMOTION, &[("e7e8q", &["e8=D", "e8D", "e8d", "e8♕", "e8=Ф", "e7e8q", "e7e8Q", "e7-e8=Q", "e7e8(D)", "Pe8Q"])]),
    (
        PROMOTION,
        &[
            ("unclear", &["e8=P", "e8=K"]),
            ("e7e8n", &["e8=N", "e8n", "e8C", "e8c", "e8К"]),
            ("e7e8b", &["e8b", "e7e8b", "e8F"]),
            ("e7e8r", &["e8r", "e8T"]),
        ],
    ),
    (PROMOTION, &[("e7e8b e7e8n e7e8q e7e8r", &["e8", "e8=", "e7e8", "e7-e8", "Pe8", "e8+", "e8(=)"])]),
    (PROMOTION, &[("unclear", &["e8=S", "e8=Z", "e6=Q", "e8QQ", "Ke8=Q"]), ("illegal", &["d8=Q", "e7d8q", "e1=Q", "dxe8=Q"])]),
    (BOTH_B, &[("b2c3", &["bxc3", "bc3", "b x c3", "bc", "b2c3"]), ("e1c3", &["Bxc3", "Bc3", "Be1:c3"]), ("b2b4", &["b4"])]),
    (BISHOP, &[("e1c3", &["Bxc3", "Lc3"]), ("unclear", &["bxc3", "bc3"]), ("illegal", &["bxa3", "axb3"])]),
    (PAWN_B, &[("b2c3", &["bxc3"]), ("unclear", &["Bxc3", "Bc3", "B4"]), ("illegal", &["Bd4", "Bxa3"])]),
];

const CASTLES: &[(&str, Rows)] = &[
    (CASTLING, &[("e1g1", &["O-O", "0-0", "o-o", "OO", "00", "oo", "O–O", "0—0", "O - O", "0 0", "О-О", "O-O+", "12. 0-0", "0-0 (=)"])]),
    (CASTLING, &[("e1g1", &["Kg1", "Ke1-g1", "Ke1g1", "e1g1", "e1-g1", "♔g1", "kg1", "Кр g1", "e1h1"]), ("e1c1", &["Kc1", "e1c1", "e1a1"])]),
    (CASTLING, &[("e1c1", &["O-O-O", "0-0-0", "o-o-o", "OOO", "000", "0–0–0", "0 - 0 - 0"]), ("unclear", &["0000", "O-O-O-O", "O-", "10-0"])]),
    (
        CASTLING,
        &[
            ("h1g1", &["Rg1", "Tg1"]),
            ("h1f1", &["Rf1", "Thf1"]),
            ("a1d1", &["Rd1"]),
            ("e1f1", &["Kf1"]),
            ("unclear", &["Kb1"]),
            ("illegal", &["Kh1", "Kd3"]),
        ],
    ),
    // K is the rook in Turkish, and R the king in French.
    (NO_CASTLING, &[("illegal", &["O-O", "0-0-0", "e1g1", "Ke1-g1", "♔g1"]), ("unclear", &["Kg1", "Re2"])]),
    (NO_ROOKS, &[("e1d1", &["Kd1", "Şd1", "Ρd1", "Крd1"]), ("unclear", &["Rd1"]), ("illegal", &["Qd1", "Rc1", "Dd1"])]),
];

const LANGUAGES: &[(&str, Rows)] = &[
    (MINOR, &[("b1d2", &["Nd2", "nd2", "Cd2", "Jd2", "Hd2", "Кd2", "Cb1-d2", "Ιd2"]), ("unclear", &["Pd2", "Pc3"]), ("b1c3", &["Sc3", "sc3"])]),
    (
        MINOR,
        &[
            ("c1d2", &["Bd2", "Fd2", "Ld2", "Gd2", "Сd2", "bd2", "Αd2"]),
            ("c1e3", &["Se3", "Sc1e3"]),
            ("e1d2", &["Kd2"]),
            ("unclear", &["Re2", "Ne3", "Re1-d2"]),
        ],
    ),
    // The knight in German and the bishop in Czech; the bishop in Spanish and the knight in Turkish.
    (
        MINOR,
        &[("unclear", &["Sd2", "Sa3", "Ad2", "Rd2", "sd2", "cd2", "Zd2"]), ("illegal", &["Nf6", "Sf6", "Dd2", "Td2", "Nbb3"]), ("b1d2", &["b1d2"])],
    ),
    (QUEEN, &[("b1b4", &["Qb4", "Db4", "Hb4", "Фb4", "Vb4", "qb4", "Βb4"]), ("illegal", &["Qc3", "Fb4", "b4"]), ("unclear", &["q-b4", "Q-B4"])]),
];

const OF_CHESS960: &[(&str, Rows)] = &[
    (
        FROM_E,
        &[("e1h1", &["O-O", "Kg1", "e1g1", "e1h1"]), ("e1b1", &["O-O-O", "Kc1", "e1c1", "e1b1"]), ("e1f1", &["Kf1"]), ("illegal", &["Ka2", "e1a1"])],
    ),
    (
        FROM_F,
        &[("f1g1", &["O-O", "f1g1"]), ("unclear", &["Kg1", "f1c1", "♔c1"]), ("f1a1", &["O-O-O", "f1a1"]), ("f1e1", &["Ke1"]), ("a1e1", &["Re1"])],
    ),
];

fn position(fen: &str, mode: CastlingMode) -> Chess {
    fen.parse::<Fen>().unwrap().into_position(mode).unwrap()
}

fn said(meaning: &Meaning) -> String {
    match meaning {
        Meaning::Move(uci) => uci.to_string(),
        Meaning::Ambiguous(moves) => moves.iter().map(UciMove::to_string).collect::<Vec<_>>().join(" "),
        Meaning::Illegal => "illegal".to_string(),
        Meaning::NoMeaning => "nothing".to_string(),
        Meaning::Unclear => "unclear".to_string(),
    }
}

fn check(tables: &[(&str, Rows)], mode: CastlingMode) {
    let mut wrong = Vec::new();
    for (fen, rows) in tables {
        let position = position(fen, mode);
        for (meaning, texts) in *rows {
            for text in *texts {
                let found = written(&position, text);
                if said(&found.meaning) != *meaning {
                    wrong.push(format!("{fen}: '{text}' is {}, not {meaning}: {}", said(&found.meaning), found.ground));
                }
                assert!(!found.ground.is_empty());
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn algebraic_notation_and_what_is_none() {
    check(ALGEBRAIC, CastlingMode::Standard);
}

#[test]
fn pawns() {
    check(PAWN_MOVES, CastlingMode::Standard);
}

#[test]
fn castling() {
    check(CASTLES, CastlingMode::Standard);
    check(OF_CHESS960, CastlingMode::Chess960);
}

#[test]
fn letters_of_other_languages() {
    check(LANGUAGES, CastlingMode::Standard);
}

#[test]
fn grounds() {
    for (fen, text, ground) in [
        (ROOK, "Rd7", "rook d1xd7 (Rxd7)"),
        (KNIGHTS, "Nd2", "knights on b1 and f3 can go to d2"),
        (KNIGHTS, "Ne4", "no knight can go to e4"),
        (KNIGHTS, "Nb1e4", "no knight on b1 can go to e4"),
        (KNIGHTS, "Sd2", "S is knight in German, Polish, Swedish and others: knights on b1 and f3 can go to d2"),
        (CASTLING, "0-0", "castling (O-O)"),
        (CASTLING, "Rd1", "rook a1-d1 (Rd1); elsewhere, R is king in French, Spanish, Italian and others: king e1-d1 (Kd1)"),
        (NO_CASTLING, "0-0", "castling on the king's side is not legal"),
        (NO_CASTLING, "e1g1", "the king on e1 cannot go to g1"),
        (NO_CASTLING, "e3e4", "the player to move has nothing on e3"),
        (NO_ROOKS, "Rd1", "no rook can go to d1; but R is king in French, Spanish, Italian and others: king e1-d1 (Kd1)"),
        (MINOR, "Ad2", "A is bishop in Spanish and Italian: bishop c1-d2 (Bd2); A is knight in Turkish: knight b1-d2 (Nd2)"),
        (MINOR, "Sf6", "no knight (German, Polish, Swedish and others) or bishop (Czech) can go to f6"),
        (PROMOTION, "e8", "it does not say what the pawn becomes on e8"),
        (PAWNS, "dc", "no pawn on the d-file can go to the c-file"),
        (PAWNS, "d5", "no pawn can go to d5 as it is written; but: pawns on c4 and e4 can go to d5"),
        (PAWNS, "d5 e5", "the player to move has nothing on d5; but it may be two moves"),
        (BISHOP, "bxc3", "no pawn on the b-file can go to c3; but with a capital for a small letter, or the reverse: bishop e1xc3 (Bxc3)"),
        (ROOK, "P-K4", "it is in no notation that is read here, but may name a move"),
        (ROOK, "???", "nothing in it names a move"),
    ] {
        assert_eq!(written(&position(fen, CastlingMode::Standard), text).ground, ground, "{text}");
    }
}

/// Positions in which something is near that chance seldom brings about: promotions, en passant, castling.
fn beginning(nth: u32) -> Chess {
    const SPECIAL: [&str; 4] = [PROMOTION, PASSING, CASTLING, "1n1q2k1/P1P1P3/8/8/8/8/p1p1p3/1N1Q2K1 w - - 0 1"];
    match SPECIAL.get(nth as usize) {
        Some(fen) => position(fen, CastlingMode::Standard),
        None if nth < 8 => Chess::default(),
        None => chess960(nth % (MAX_NUMBER + 1)).unwrap(),
    }
}

fn long_form(m: Move) -> String {
    let letter = if m.role() == Role::Pawn { String::new() } else { m.role().upper_char().to_string() };
    let becomes = m.promotion().map_or(String::new(), |role| format!("={}", role.upper_char()));
    let sign = if m.is_capture() { 'x' } else { '-' };
    match m.castling_side() {
        Some(CastlingSide::KingSide) => "0-0".to_string(),
        Some(CastlingSide::QueenSide) => "0-0-0".to_string(),
        None => format!("{letter}{}{sign}{}{becomes}", m.from().unwrap(), m.to()),
    }
}

/// What has the form of a move, in one language or another.
const FORMED: &str = "([KQRBNPSDTLCAFК♘kqrbnst]|Кр)?[a-h]?[1-8]?[x:–-]?[a-h][1-8](=?[QDRSК♕qd])?";

proptest! {
    #[test]
    fn any_text_has_some_meaning(text in any::<String>(), near in "[KQRBNPSDTLКр♘a-h1-8xXO0=:+ #()./–-]{0,12}", formed in FORMED, nth in 0u32..20) {
        let position = beginning(nth);
        for text in [&text, &near, &formed] {
            match written(&position, text).meaning {
                Meaning::Move(uci) => prop_assert!(uci.to_move(&position).is_ok()),
                Meaning::Ambiguous(moves) => prop_assert!(moves.len() > 1 && moves.is_sorted_by_key(UciMove::to_string)),
                Meaning::Illegal | Meaning::NoMeaning | Meaning::Unclear => {}
            }
        }
    }

    #[test]
    fn every_legal_move_reads_back(nth in prop_oneof![0u32..8, 0u32..2000], played in prop::collection::vec(any::<usize>(), 0..60)) {
        let mut position = beginning(nth);
        for chosen in played {
            let legal = position.legal_moves();
            let Some(m) = legal.get(chosen % legal.len().max(1)) else { break };
            position.play_unchecked(*m);
        }
        for m in position.legal_moves() {
            let uci = m.to_uci(position.castles().mode());
            for text in [SanPlus::from_move(position.clone(), m).to_string(), long_form(m), uci.to_string()] {
                prop_assert_eq!(written(&position, &text).meaning, Meaning::Move(uci), "{}", text);
            }
        }
    }
}
