//! From the text to the forms of a move: what is beside the move taken off, and the rest read by a language's letters.

use shakmaty::{CastlingSide, File, Move, Rank, Role, Square};

use super::languages::{self, ENGLISH, Language};

/// What is written after a move and does not change it.
const SUFFIXES: &[&str] =
    &["+", "#", "!", "?", "(=)", "=", "†", "‡", "≠", "(ch)", "ch", "mate", "matt", "mat", "(e.p.)", "(ep)", "e. p.", "e.p.", "e.p", "ep", "."];
/// A text with more characters than this, after all that, is no form of a move.
const MAX_FORM: usize = 16;
/// With more letters than this, all of pieces and files, a text is no abbreviation such as `KPxQP`.
const MAX_LETTERS: usize = 6;

/// The text without what is beside the move.
#[derive(Debug)]
pub(super) struct Bare {
    pub(super) text: String,
    /// A space stands after a square and before a file, where a second move may begin.
    pub(super) parted: bool,
}

/// What a text says of a move, by one language's letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Castling(CastlingSide),
    Squares { role: Option<Role>, from: (Option<File>, Option<Rank>), takes: bool, to: (File, Option<Rank>), promotion: Option<Role> },
}

/// A letter that was read as a piece.
pub(super) type Letter = (&'static str, Role);

/// The text after a move number: digits, and then a dot or a space. The number itself says nothing about the move.
fn after_number(text: &str) -> &str {
    let text = text.trim();
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = rest.len() < text.len() && !text.starts_with('0') && rest.starts_with(|c: char| c == '.' || c == '…' || c.is_whitespace());
    if numbered { rest.trim_start_matches(|c: char| c == '.' || c == '…' || c.is_whitespace()) } else { text }
}

/// One way of writing each sign.
fn plain(c: char) -> Option<char> {
    match c {
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' => Some('-'),
        ':' | 'X' | '×' | '✕' | 'х' | 'Х' => Some('x'),
        'О' | 'о' | 'Ο' | 'ο' => Some('O'),
        '\u{fe0e}' | '\u{fe0f}' => None,
        c => Some(c),
    }
}

/// The text before the suffix, where it ends with it, in small letters or capitals.
fn before<'a>(text: &'a str, suffix: &str) -> Option<&'a str> {
    let (rest, end) = text.split_at_checked(text.len().checked_sub(suffix.len())?)?;
    end.eq_ignore_ascii_case(suffix).then_some(rest)
}

/// Takes off what is beside the move.
pub(super) fn bare(text: &str) -> Bare {
    let text: String = after_number(text).chars().filter_map(plain).collect();
    let mut rest = text.trim_end();
    while let Some(shorter) = SUFFIXES.iter().find_map(|suffix| before(rest, suffix)) {
        rest = shorter.trim_end();
    }
    let mut words = rest.split_whitespace().peekable();
    let mut parted = false;
    while let (Some(word), Some(next)) = (words.next(), words.peek()) {
        parted |= word.ends_with(|c| Rank::from_char(c).is_some()) && next.starts_with(|c| File::from_char(c).is_some());
    }
    Bare { text: rest.split_whitespace().collect(), parted }
}

/// The forms that the text has by a language's letters, each with the letter that it was read by; without one it is English.
pub(super) fn forms(text: &str, language: &'static Language, any_case: bool) -> Vec<(Option<Letter>, Form)> {
    let english = language.name == ENGLISH.name;
    if text.chars().count() > MAX_FORM {
        return Vec::new();
    }
    let castling = castling(text).filter(|_| english).map(|side| (None, Form::Castling(side)));
    let pieces = language.pieces(text, any_case).map(|(letter, role, rest)| (Some((letter, role)), rest));
    let squares = pieces.chain([(None, text)]).filter_map(|(piece, rest)| {
        let (promoted, form) = squares(piece.map(|(_, role)| role), rest, language, any_case)?;
        let letter = piece.or(promoted);
        (english || letter.is_some()).then_some((letter, form))
    });
    castling.into_iter().chain(squares).collect()
}

fn castling(text: &str) -> Option<CastlingSide> {
    let text = text.replace(['o', '0'], "O");
    match text.as_str() {
        "O-O" | "OO" => Some(CastlingSide::KingSide),
        "O-O-O" | "OOO" => Some(CastlingSide::QueenSide),
        _ => None,
    }
}

/// What is left of a text, read from its beginning.
#[derive(Clone, Copy)]
struct Cursor<'a>(&'a str);

impl Cursor<'_> {
    fn take<T>(&mut self, read: impl Fn(char) -> Option<T>) -> Option<T> {
        let mut rest = self.0.chars();
        let found = read(rest.next()?)?;
        self.0 = rest.as_str();
        Some(found)
    }

    fn square(&mut self) -> (Option<File>, Option<Rank>) {
        (self.take(File::from_char), self.take(Rank::from_char))
    }
}

/// Squares, or what stands for them, after the letter of the piece; and the letter that a pawn becomes.
fn squares(role: Option<Role>, text: &str, language: &'static Language, any_case: bool) -> Option<(Option<Letter>, Form)> {
    let mut rest = Cursor(text);
    let first = rest.square();
    let mut ahead = rest;
    let mut sign = ahead.take(|c| matches!(c, '-' | 'x').then_some(c));
    let (mut from, mut to) = (first, ahead.square());
    // A file without its rank, after a square, is no square: it may be what a pawn becomes, as in e8b.
    if to.0.is_none() || first.1.is_some() && to.1.is_none() {
        (from, to, sign) = ((None, None), first, None);
    } else {
        rest = ahead;
    }
    let takes = rest.take(|c| (c == 'x').then_some(())).is_some() || sign == Some('x');
    // UCI names what a pawn becomes in small letters.
    let promoted = match rest.0 {
        "" => None,
        tail => {
            let named = tail.trim_matches(['=', '/', '(', ')']);
            let mut whole = language.pieces(named, any_case || language.name == ENGLISH.name).filter(|(_, _, rest)| rest.is_empty());
            Some(whole.next().map(|(letter, role, _)| (letter, role))?)
        }
    };
    let to = (to.0?, to.1);
    let exact = from.0.is_some() && from.1.is_some();
    let by_hyphen = sign == Some('-');
    let near = from.0.is_none_or(|file| file.distance(to.0) <= 1);
    let formed = match (role, from, to.1) {
        (None | Some(Role::Pawn), (Some(file), None), None) => file.distance(to.0) == 1 && !by_hyphen,
        (_, _, None) => false,
        (None, (Some(_), None), _) => near && !by_hyphen,
        (None, (None, None), _) => sign.is_none() && !takes,
        (None, (None, Some(_)), _) => false,
        // Descriptive notation, with another meaning, in small letters: q-b2 is the queen to c2.
        (Some(_), (None, None), _) if by_hyphen && any_case => to.0 != File::B,
        _ => true,
    };
    let may_promote = (role.is_none() || role == Some(Role::Pawn)) && matches!(to.1, Some(Rank::First | Rank::Eighth));
    if !formed || promoted.is_some() && !may_promote {
        return None;
    }
    // Without a letter and without both squares, it is a pawn.
    let role = if exact { role } else { role.or(Some(Role::Pawn)) };
    Some((promoted, Form::Squares { role, from, takes, to, promotion: promoted.map(|(_, role)| role) }))
}

fn both(square: Square) -> (Option<File>, Option<Rank>) {
    (Some(square.file()), Some(square.rank()))
}

/// Whether what is said of a square is true of this one.
fn is_part(said: (Option<File>, Option<Rank>), square: Square) -> bool {
    said.0.is_none_or(|file| file == square.file()) && said.1.is_none_or(|rank| rank == square.rank())
}

/// Where the king stands after castling.
fn castled(m: Move) -> Option<Square> {
    Some(Square::from_coords(m.castling_side()?.king_to_file(), m.from()?.rank()))
}

impl Form {
    /// Whether a legal move is what the form says.
    pub(super) fn fits(self, m: Move) -> bool {
        let (role, from, takes, to, promotion) = match self {
            Form::Castling(side) => return m.castling_side() == Some(side),
            Form::Squares { role, from, takes, to, promotion } => (role, from, takes, to, promotion),
        };
        if let Move::Castle { king, rook } = m {
            let king_takes_rook = role.is_none() && from == both(king) && to == (rook.file(), Some(rook.rank()));
            return king_takes_rook || castled(m).is_some_and(|square| square.distance(king) == 2) && self.is_castling_by_king(m);
        }
        let is_from = m.from().is_some_and(|square| is_part(from, square));
        let is_to = is_part((Some(to.0), to.1), m.to());
        // A pawn leaves its file only where the text says so.
        let straight = role != Some(Role::Pawn) || from.0.is_some() || takes == m.is_capture();
        let becomes = promotion.is_none() || promotion == m.promotion();
        role.is_none_or(|role| role == m.role()) && is_from && is_to && straight && becomes
    }

    /// Whether a legal move is what the form may stand for, though it does not say so: a pawn's capture written as a move,
    /// or the reverse, and castling of Chess960 written as a move of the king over more squares than two, or one.
    pub(super) fn nearly_fits(self, m: Move) -> bool {
        match self {
            Form::Squares { role: role @ Some(Role::Pawn), from: from @ (None, None), takes, to, promotion } => {
                Form::Squares { role, from, takes: !takes, to, promotion }.fits(m)
            }
            _ => self.is_castling_by_king(m),
        }
    }

    /// Whether the king goes by the form to where castling takes it.
    fn is_castling_by_king(self, m: Move) -> bool {
        let (Form::Squares { role: None | Some(Role::King), from, to, promotion: None, .. }, Some(square)) = (self, castled(m)) else { return false };
        m.from().is_some_and(|king| is_part(from, king)) && is_part((Some(to.0), to.1), square)
    }

    /// Two squares without a sign between them.
    pub(super) fn is_two_squares(self) -> bool {
        matches!(self, Form::Squares { from: (Some(_), Some(_)), takes: false, .. })
    }
}

/// Whether a text that has none of these forms may name a move all the same: digits, castling, words, other notations.
pub(super) fn may_name(text: &str) -> bool {
    let text = after_number(text);
    let letters = || text.chars().filter_map(plain).filter(|c| *c != 'x' && c.is_alphabetic());
    let castling = letters().next().is_some() && letters().all(|c| c == 'o' || c == 'O');
    let short = |c: char| languages::is_piece(c) || File::from_char(c.to_ascii_lowercase()).is_some();
    let abbreviated = (1..=MAX_LETTERS).contains(&letters().take(MAX_LETTERS + 1).count()) && letters().all(short);
    let words = || text.split(|c: char| !c.is_alphabetic());
    let figure = |c: char| c.is_numeric() || !c.is_alphabetic() && languages::is_piece(c);
    castling || abbreviated || text.chars().any(figure) || words().any(languages::is_word)
}
