//! What pieces are called: their letters in the languages that moves are written in, and words that tell of a move.

use shakmaty::Role;

/// One language's letters.
#[derive(Debug)]
pub(super) struct Language {
    pub(super) name: &'static str,
    letters: [&'static str; 5],
}

/// The roles in the order of the letters of a [`Language`].
const ROLES: [Role; 5] = [Role::King, Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

/// The language of the Laws, which is judged first; it has a letter for the pawn too, and the figurines.
pub(super) const ENGLISH: &Language = &Language { name: "English", letters: ["K", "Q", "R", "B", "N"] };

/// What English has beyond its letters.
const BESIDE: [(&str, Role); 13] = [
    ("P", Role::Pawn),
    ("♔", Role::King),
    ("♕", Role::Queen),
    ("♖", Role::Rook),
    ("♗", Role::Bishop),
    ("♘", Role::Knight),
    ("♙", Role::Pawn),
    ("♚", Role::King),
    ("♛", Role::Queen),
    ("♜", Role::Rook),
    ("♝", Role::Bishop),
    ("♞", Role::Knight),
    ("♟", Role::Pawn),
];

/// All others, which are judged together.
pub(super) const OTHERS: &[Language] = &[
    Language { name: "German", letters: ["K", "D", "T", "L", "S"] },
    Language { name: "French", letters: ["R", "D", "T", "F", "C"] },
    Language { name: "Spanish", letters: ["R", "D", "T", "A", "C"] },
    Language { name: "Italian", letters: ["R", "D", "T", "A", "C"] },
    Language { name: "Portuguese", letters: ["R", "D", "T", "B", "C"] },
    Language { name: "Dutch", letters: ["K", "D", "T", "L", "P"] },
    Language { name: "Polish", letters: ["K", "H", "W", "G", "S"] },
    Language { name: "Czech", letters: ["K", "D", "V", "S", "J"] },
    Language { name: "Hungarian", letters: ["K", "V", "B", "F", "H"] },
    Language { name: "Swedish", letters: ["K", "D", "T", "L", "S"] },
    Language { name: "Norwegian", letters: ["K", "D", "T", "L", "S"] },
    Language { name: "Danish", letters: ["K", "D", "T", "L", "S"] },
    Language { name: "Croatian", letters: ["K", "D", "T", "L", "S"] },
    Language { name: "Serbian", letters: ["K", "D", "T", "L", "S"] },
    Language { name: "Finnish", letters: ["K", "D", "T", "L", "R"] },
    Language { name: "Romanian", letters: ["R", "D", "T", "N", "C"] },
    Language { name: "Turkish", letters: ["Ş", "V", "K", "F", "A"] },
    Language { name: "Russian", letters: ["Кр", "Ф", "Л", "С", "К"] },
    // The one letter that looks like a Latin one and means another piece; for the others there is no such doubt.
    Language { name: "Russian", letters: ["Kp", "", "", "", "K"] },
    Language { name: "Ukrainian", letters: ["Кр", "Ф", "Т", "С", "К"] },
    Language { name: "Greek", letters: ["Ρ", "Β", "Π", "Α", "Ι"] },
];

/// How words for pieces and for castling begin, in small letters: a text that has one may name a move.
const WORDS: &str = "\
    king queen rook castl bishop knight pawn könig koenig dam turm läufer laeufer springer bauer roch roi reine \
    tour fou caval pion roqu rey torre alfi caballo peon peón enroqu donna regina pedon arrocc rei rainha bispo \
    peão koning toren loper paard rok król krol hetman wież wiez goniec skocz roszad král dám věž střel jezd pěš \
    rošád király vezér básty futó huszár gyalog sánc kung konge dronning drottning torn tårn löp løp hest häst \
    bonde kralj top lovac skakač pješ kuning lähet ratsu sotilas linnoit rege turn nebun cal rocad şah vezir kale \
    fil piyon корол ферз ладь слон конь конём пешк рокировк тур кінь βασιλ πύργ ίππ";

/// What stands after the letter, where the text begins with it.
fn after<'a>(text: &'a str, letter: &str, any_case: bool) -> Option<&'a str> {
    let mut rest = text.chars();
    let same = |a: char, b: char| a == b || any_case && a.to_lowercase().eq(b.to_lowercase());
    letter.chars().all(|l| rest.next().is_some_and(|c| same(c, l))).then_some(rest.as_str())
}

impl Language {
    fn named(&'static self) -> impl Iterator<Item = (&'static str, Role)> {
        let beside = if self.name == ENGLISH.name { &BESIDE[..] } else { &[] };
        self.letters.into_iter().zip(ROLES).filter(|(letter, _)| !letter.is_empty()).chain(beside.iter().copied())
    }

    /// The pieces whose letter begins the text, each with what stands after it.
    pub(super) fn pieces<'a>(&'static self, text: &'a str, any_case: bool) -> impl Iterator<Item = (&'static str, Role, &'a str)> {
        self.named().filter_map(move |(letter, role)| Some((letter, role, after(text, letter, any_case)?)))
    }
}

/// Whether a letter is part of a piece's name somewhere.
pub(super) fn is_piece(c: char) -> bool {
    let mut letters = OTHERS.iter().chain([ENGLISH]).flat_map(Language::named);
    letters.any(|(letter, _)| letter.chars().any(|l| l.to_lowercase().eq(c.to_lowercase())))
}

/// Whether a word names a piece, or castling.
pub(super) fn is_word(word: &str) -> bool {
    let word = word.to_lowercase();
    WORDS.split(' ').any(|start| word.starts_with(start))
}
