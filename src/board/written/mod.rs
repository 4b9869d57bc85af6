//! What a move that a player wrote by hand means in a position, as an arbiter asks who opens a sealed move.
//!
//! A game can be lost by it, so nothing is guessed. It is judged in this order, and the first that applies is the
//! answer:
//!
//! 1. *English*: the algebraic notation of the Laws' Appendix C, with or without its hyphens and signs for captures,
//!    checks, promotions and draw offers; figurines; from and to square, as UCI has them. One legal move: it is that
//!    move, and the ground says so if the letter has another legal meaning elsewhere. Several: ambiguous, whatever the
//!    letter means elsewhere.
//! 2. *All other languages together*, where it is no move in English. One legal move over all: it is that move. Several
//!    by one language, and nothing else by another: ambiguous. Different moves by different languages: unclear. Unclear
//!    too where it is a move in English that is not legal, and a legal one by another language (`Rd2`, a king's move in
//!    French): only who knows the player's language can tell.
//! 3. *Small letters for pieces* (`nf3`), as in 1 and 2, where the text as it stands has no form of a move. So `bxc3` is the
//!    pawn's move and `Bxc3` the bishop's.
//! 4. The text has the form of a move, and that is not legal: *illegal*. But it is unclear where a small letter for a
//!    capital, or the reverse, would make it legal (`bxc3`, where only a bishop takes on c3); where a pawn comes to the
//!    square only by a capture that is not written (`d5` for `exd5`), or the reverse; where the king of Chess960 would
//!    castle to the square; and where it may be two moves (`e4 e5`).
//! 5. It has a digit, a word for a piece or for castling, or letters of pieces as other notations have them (`P-K4`,
//!    `Turm d7`, `KxP`): *unclear*.
//! 6. Anything else has *no meaning*.
//!
//! Only legal moves are candidates, so a pinned piece makes nothing ambiguous. A sign for a capture or a check that is
//! wrong, missing or superfluous, and the number of the move, change nothing. A king that goes two squares to where
//! castling would take it castles. A promotion without a piece is ambiguous. Files are small letters: `E4` is unclear.

mod languages;
mod text;

use shakmaty::san::San;
use shakmaty::{CastlingSide, Chess, Move, Position, Role, Square, uci::UciMove};

use languages::{ENGLISH, Language, OTHERS};
use text::{Bare, Form, Letter, bare, forms, may_name};

/// What a written move means in a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meaning {
    /// One legal move.
    Move(UciMove),
    /// Several legal moves fit, at least two and in order, and the text does not choose.
    Ambiguous(Vec<UciMove>),
    /// It names a move that is not legal.
    Illegal,
    /// Nothing in it names a move at all.
    NoMeaning,
    /// It may name a move, but what it means is for a person to say.
    Unclear,
}

/// What a written move means, and on what ground.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// What it means.
    pub meaning: Meaning,
    /// Why, in a sentence for arbiters.
    pub ground: String,
}

/// How many languages, or moves, a ground names.
const MAX_NAMED: usize = 4;

/// A text read by one language's letters.
#[derive(Debug)]
struct Reading {
    language: &'static Language,
    letter: Option<Letter>,
    form: Form,
    /// The legal moves that it fits.
    moves: Vec<Move>,
}

impl Reading {
    fn is_english(&self) -> bool {
        self.language.name == ENGLISH.name
    }
}

/// What a text means in a position; see the module for the order of judging.
pub fn written(position: &Chess, text: &str) -> Written {
    let bare = bare(text);
    let exact = readings(position, &bare.text, false);
    if let Some(found) = judged(position, &exact) {
        return found;
    }
    let small = readings(position, &bare.text, true);
    let other = judged(position, &small);
    let formed = if exact.is_empty() { &small } else { &exact };
    match other {
        Some(found) if exact.is_empty() => found,
        _ if !formed.is_empty() => refused(position, &bare, formed, other),
        _ if may_name(text) => unclear("it is in no notation that is read here, but may name a move".to_string()),
        _ => Written { meaning: Meaning::NoMeaning, ground: "nothing in it names a move".to_string() },
    }
}

/// What has the form of a move that is not legal is illegal, unless something nearly the same is legal.
fn refused(position: &Chess, bare: &Bare, formed: &[Reading], by_small: Option<Written>) -> Written {
    let none = nothing(position, formed);
    if let Some(found) = by_small.or_else(|| judged(position, &readings(position, &small_first(&bare.text), false))) {
        return unclear(format!("{none}; but with a capital for a small letter, or the reverse: {}", found.ground));
    }
    let near = legal(position, |m| formed.iter().any(|reading| reading.form.nearly_fits(m)));
    if !near.is_empty() {
        return unclear(format!("{none} as it is written; but: {}", outcome(position, &near)));
    }
    if bare.parted && formed.iter().any(|reading| reading.form.is_two_squares()) {
        return unclear(format!("{none}; but it may be two moves"));
    }
    Written { meaning: Meaning::Illegal, ground: none }
}

fn unclear(ground: String) -> Written {
    Written { meaning: Meaning::Unclear, ground }
}

/// The text with a capital at its beginning made small, where that is a file.
fn small_first(text: &str) -> String {
    match text.chars().next() {
        Some(first @ 'A'..='H') => format!("{}{}", first.to_ascii_lowercase(), &text[1..]),
        _ => String::new(),
    }
}

fn readings(position: &Chess, text: &str, any_case: bool) -> Vec<Reading> {
    let by = |language: &'static Language| {
        let read = move |(letter, form)| Reading { language, letter, form, moves: legal(position, |m| form.fits(m)) };
        forms(text, language, any_case).into_iter().map(read)
    };
    [ENGLISH].into_iter().chain(OTHERS).flat_map(by).collect()
}

/// The legal moves for which `fits` holds, in the order of their UCI.
fn legal(position: &Chess, fits: impl Fn(Move) -> bool) -> Vec<Move> {
    let mut moves: Vec<Move> = position.legal_moves().into_iter().filter(|m| fits(*m)).collect();
    moves.sort_by_cached_key(|m| m.to_uci(position.castles().mode()).to_string());
    moves
}

/// The readings that give legal moves, those that give the same together.
fn grouped(readings: &[Reading], english: bool) -> Vec<Vec<&Reading>> {
    let mut groups: Vec<Vec<&Reading>> = Vec::new();
    for reading in readings.iter().filter(|reading| reading.is_english() == english && !reading.moves.is_empty()) {
        match groups.iter_mut().find(|group| group.iter().all(|other| other.moves == reading.moves)) {
            Some(group) => group.push(reading),
            None => groups.push(vec![reading]),
        }
    }
    groups
}

/// What the readings mean, English before all others; `None` where none gives a legal move.
fn judged(position: &Chess, readings: &[Reading]) -> Option<Written> {
    let (english, others) = (grouped(readings, true), grouped(readings, false));
    let by_english = !english.is_empty();
    let told = |groups: &[Vec<&Reading>]| groups.iter().map(|group| told(position, group)).collect::<Vec<_>>().join("; ");
    let groups = if by_english { &english } else { &others };
    let mut ground = told(groups);
    let moves = match groups.as_slice() {
        [] => return None,
        [group] => &group.first()?.moves,
        _ => return Some(unclear(ground)),
    };
    if by_english {
        let other: Vec<_> = others.into_iter().filter(|group| group.iter().all(|reading| reading.moves != *moves)).collect();
        if moves.len() == 1 && !other.is_empty() {
            ground = format!("{ground}; elsewhere, {}", told(&other));
        }
    } else if readings.iter().any(Reading::is_english) {
        return Some(unclear(format!("{}; but {ground}", nothing(position, readings))));
    }
    let moves: Vec<UciMove> = moves.iter().map(|m| m.to_uci(position.castles().mode())).collect();
    let meaning = match moves.as_slice() {
        [one] => Meaning::Move(*one),
        _ => Meaning::Ambiguous(moves),
    };
    Some(Written { meaning, ground })
}

/// Readings that give the same moves, in words.
fn told(position: &Chess, group: &[&Reading]) -> String {
    let Some(first) = group.first() else { return String::new() };
    let outcome = outcome(position, &first.moves);
    match first.letter {
        Some((letter, role)) if !first.is_english() => format!("{letter} is {} in {}: {outcome}", name(role), listed(languages_of(group))),
        _ => outcome,
    }
}

fn languages_of(group: &[&Reading]) -> Vec<String> {
    group.iter().map(|reading| reading.language.name.to_string()).collect()
}

/// Legal moves in words.
fn outcome(position: &Chess, moves: &[Move]) -> String {
    let [first, others @ ..] = moves else { return "no move".to_string() };
    let all = |same: &dyn Fn(&Move) -> bool| others.iter().all(same);
    if others.is_empty() {
        return format!("{} ({})", long(*first), San::from_move(position, *first));
    }
    if all(&|m| m.from() == first.from() && m.to() == first.to()) {
        return format!("it does not say what the pawn becomes on {}", first.to());
    }
    if all(&|m| m.role() == first.role() && m.to() == first.to()) && moves.iter().all(|m| m.promotion().is_none()) {
        let from = moves.iter().filter_map(|m| m.from()).map(|square| square.to_string());
        return format!("{}s on {} can go to {}", name(first.role()), listed(from.collect()), first.to());
    }
    format!("{} fit", listed(moves.iter().map(|m| long(*m)).collect()))
}

fn long(m: Move) -> String {
    let Some(from) = m.from() else { return String::new() };
    let sign = if m.is_capture() { 'x' } else { '-' };
    match (m.castling_side(), m.promotion()) {
        (Some(_), _) => "castling".to_string(),
        (_, Some(role)) => format!("pawn {from}{sign}{}={}", m.to(), role.upper_char()),
        _ => format!("{} {from}{sign}{}", name(m.role()), m.to()),
    }
}

/// What readings without a legal move looked for, the English one if there is one; they have the same squares.
fn nothing(position: &Chess, readings: &[Reading]) -> String {
    let (role, from, to) = match readings.first().map(|reading| reading.form) {
        None => return "no move was looked for".to_string(),
        Some(Form::Castling(CastlingSide::KingSide)) => return "castling on the king's side is not legal".to_string(),
        Some(Form::Castling(CastlingSide::QueenSide)) => return "castling on the queen's side is not legal".to_string(),
        Some(Form::Squares { role, from, to, .. }) => (role, from, to),
    };
    let to = to.1.map_or_else(|| format!("the {}-file", to.0.char()), |rank| Square::from_coords(to.0, rank).to_string());
    let square = from.0.zip(from.1).map(|(file, rank)| Square::from_coords(file, rank));
    if let (None, Some(square)) = (role, square) {
        return match position.board().piece_at(square).filter(|piece| piece.color == position.turn()) {
            Some(piece) => format!("the {} on {square} cannot go to {to}", name(piece.role)),
            None => format!("the player to move has nothing on {square}"),
        };
    }
    let english = readings.first().is_some_and(Reading::is_english);
    let mut who: Vec<String> = Vec::new();
    for of in Role::ALL {
        let is_of = |r: &&Reading| r.is_english() == english && matches!(r.form, Form::Squares { role: Some(role), .. } if role == of);
        let group: Vec<&Reading> = readings.iter().filter(is_of).collect();
        match group.is_empty() {
            true => {}
            false if english || of == Role::Pawn => who.push(name(of).to_string()),
            false => who.push(format!("{} ({})", name(of), listed(languages_of(&group)))),
        }
    }
    let from = match (square, from.0, from.1) {
        (Some(square), ..) => format!(" on {square}"),
        (None, Some(file), _) => format!(" on the {}-file", file.char()),
        (None, None, Some(rank)) => format!(" on rank {}", rank.char()),
        (None, None, None) => String::new(),
    };
    format!("no {}{from} can go to {to}", who.join(" or "))
}

fn name(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

/// `a, b and c`; of many, the first few and `others`.
fn listed(mut items: Vec<String>) -> String {
    if items.len() > MAX_NAMED {
        items.truncate(MAX_NAMED - 1);
        items.push("others".to_string());
    }
    match items.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests;
