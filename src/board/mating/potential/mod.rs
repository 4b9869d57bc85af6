//! Mating potential, as the Laws of 1997 had it for blitz (Appendix C4): enough to bring about, with help if need be, a legal position
//! in which the opponent has the move and cannot avoid being mated in one.
//!
//! It is a matter of the material alone. Whoever can be mated with some of it can be mated with all of it, as pieces may be taken
//! on the way, by either side, and pawns be promoted; so the least materials with potential say it all. They were worked out by going
//! through every placement: of at most two officers against one, and of one against two. What has more than that and contains no
//! row of the table (a lone knight or a lone bishop against three officers without a pawn) is taken to have none.

#[cfg(test)]
mod derive;

use shakmaty::{Bitboard, Board, Color};

/// A kind of piece besides the king. Bishops of light and of dark squares are different ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Pawn,
    Knight,
    Light,
    Dark,
    Rook,
    Queen,
}

const KINDS: [Kind; 6] = [Kind::Pawn, Kind::Knight, Kind::Light, Kind::Dark, Kind::Rook, Kind::Queen];

/// How many pieces of each kind a side has besides its king, in the order of [`KINDS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Side([u8; 6]);

/// The material of a position, seen from the side that wants to win.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Material {
    winner: Side,
    loser: Side,
}

/// The least materials with potential, and a position that shows it: White has the winner's pieces and Black, who is to move, is mated in one.
/// L and D are bishops of light and dark squares; each row also stands for the one with L and D exchanged.
const TABLE: &[(&str, &str, &str)] = &[
    ("Q", "", "8/8/8/8/8/8/8/k1KQ4 b - - 0 1"),
    ("R", "", "8/8/8/8/1R6/8/2K5/k7 b - - 0 1"),
    ("P", "", "8/P7/8/8/8/8/2K5/k7 b - - 0 1"),
    ("LD", "", "8/8/8/8/8/8/1B6/k1K2B2 b - - 0 1"),
    ("NL", "", "8/8/8/8/8/8/2N5/k1K2B2 b - - 0 1"),
    ("NNN", "", "8/8/8/8/8/8/2NN4/kNK5 b - - 0 1"),
    ("N", "P", "8/8/8/8/1N6/p7/8/k1K5 b - - 0 1"),
    ("NN", "N", "8/8/8/8/8/2N5/8/k1K1N2n b - - 0 1"),
    ("NN", "L", "8/8/8/8/3N4/2N5/8/kbK5 b - - 0 1"),
    ("NN", "R", "8/8/8/r7/3N4/2N5/8/k1K5 b - - 0 1"),
    ("LL", "P", "1k6/p7/B1K5/8/8/8/8/7B b - - 0 1"),
    ("L", "DN", "8/8/8/8/5n2/5B2/7b/5K1k b - - 0 1"),
    ("L", "DL", "8/8/8/8/4B3/8/7b/3b1K1k b - - 0 1"),
    ("L", "DR", "8/8/8/8/8/5B2/r6b/5K1k b - - 0 1"),
    ("L", "DQ", "8/8/8/8/8/5B2/q6b/5K1k b - - 0 1"),
];

impl Material {
    /// The material on a board.
    pub fn of(board: &Board, winner: Color) -> Material {
        let side = |color: Color| {
            let own = board.by_color(color);
            let bishops = board.bishops() & own;
            let of_kind = |kind| match kind {
                Kind::Pawn => board.pawns() & own,
                Kind::Knight => board.knights() & own,
                Kind::Light => bishops & Bitboard::LIGHT_SQUARES,
                Kind::Dark => bishops & Bitboard::DARK_SQUARES,
                Kind::Rook => board.rooks() & own,
                Kind::Queen => board.queens() & own,
            };
            Side(KINDS.map(|kind| of_kind(kind).count() as u8))
        };
        Material { winner: side(winner), loser: side(!winner) }
    }

    /// Whether it has mating potential.
    pub fn has_potential(&self) -> bool {
        TABLE.iter().any(|(winner, loser, _)| {
            let row = Material { winner: Side::read(winner), loser: Side::read(loser) };
            self.contains(&row) || self.contains(&row.exchanged())
        })
    }

    /// Whether these pieces can be left, and pawns of the loser's be promoted, so that just that material is there.
    fn contains(&self, row: &Material) -> bool {
        let enough = |(have, want): (u8, u8)| have >= want;
        let [pawns, ..] = self.loser.0;
        let lacking: u8 = self.loser.0.iter().zip(row.loser.0).skip(1).map(|(have, want)| want.saturating_sub(*have)).sum();
        self.winner.0.into_iter().zip(row.winner.0).all(enough) && pawns >= row.loser.0[0] + lacking
    }

    /// The same seen in a mirror: bishops of the other square colours.
    fn exchanged(&self) -> Material {
        let side = |Side([p, n, light, dark, r, q]): Side| Side([p, n, dark, light, r, q]);
        Material { winner: side(self.winner), loser: side(self.loser) }
    }
}

impl Side {
    fn read(text: &str) -> Side {
        let mut side = Side::default();
        for letter in text.chars() {
            if let Some(kind) = "PNLDRQ".find(letter) {
                side.0[kind] += 1;
            }
        }
        side
    }
}

/// Whether a side has mating potential in the sense of the 1997 blitz rules.
pub fn potential(board: &Board, winner: Color) -> bool {
    Material::of(board, winner).has_potential()
}

#[cfg(test)]
mod tests {
    use shakmaty::fen::Fen;
    use shakmaty::{CastlingMode, Chess};

    use super::derive::{every_move_allows_mate, is_hopeless, witness};
    use super::*;

    /// Every material of at most so many pieces.
    fn sides(most: u8) -> Vec<Side> {
        let mut all = vec![Side::default()];
        let mut last = all.clone();
        for _ in 0..most {
            let mut more: Vec<Side> = Vec::new();
            for side in &last {
                for kind in 0..6 {
                    let mut with = *side;
                    with.0[kind] += 1;
                    if !more.contains(&with) {
                        more.push(with);
                    }
                }
            }
            all.extend(&more);
            last = more;
        }
        all
    }

    /// What is left with one piece less, or with a pawn promoted.
    fn after(side: Side) -> Vec<Side> {
        let mut less = Vec::new();
        for kind in (0..6).filter(|kind| side.0[*kind] > 0) {
            let mut without = side;
            without.0[kind] -= 1;
            less.push(without);
            if kind == 0 {
                less.extend((1..6).map(|promoted| {
                    let mut with = without;
                    with.0[promoted] += 1;
                    with
                }));
            }
        }
        less
    }

    /// The same answer without the table: by search, and by what can come of the material.
    fn derived(material: &Material, known: &[(Material, bool)]) -> bool {
        let worked_out = |material: &Material| known.iter().find(|(one, _)| one == material).is_some_and(|(_, potential)| *potential);
        let winner = after(material.winner).into_iter().map(|winner| Material { winner, ..*material });
        let loser = after(material.loser).into_iter().map(|loser| Material { loser, ..*material });
        winner.chain(loser).any(|less| worked_out(&less)) || (!is_hopeless(material) && witness(material).is_some())
    }

    #[test]
    fn the_table_is_worked_out_again() {
        let mut known: Vec<(Material, bool)> = Vec::new();
        let of = |side: &Side| side.0.iter().sum::<u8>();
        let mut all: Vec<Material> = Vec::new();
        for loser in sides(1) {
            all.extend(sides(2).into_iter().map(|winner| Material { winner, loser }));
        }
        // Less before more, and pawns after what they may become.
        all.sort_by_key(|material| (of(&material.winner) + of(&material.loser), material.winner.0[0] + material.loser.0[0]));
        for material in all {
            let mirrored = known.iter().find(|(one, _)| *one == material.exchanged()).map(|(_, potential)| *potential);
            let potential = mirrored.unwrap_or_else(|| derived(&material, &known));
            assert_eq!(material.has_potential(), potential, "{material:?}");
            known.push((material, potential));
        }
        assert_eq!(known.len(), 28 * 7);
    }

    #[test]
    fn every_row_is_shown_by_its_position() {
        for (winner, loser, fen) in TABLE {
            let position: Chess = fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap();
            let row = Material { winner: Side::read(winner), loser: Side::read(loser) };
            let shown = Material::of(shakmaty::Position::board(&position), Color::White);
            assert!(shown == row || shown == row.exchanged(), "{winner} v {loser}");
            assert!(every_move_allows_mate(&position), "{fen}");
        }
    }

    #[test]
    fn no_row_contains_another() {
        let rows: Vec<Material> = TABLE.iter().map(|(winner, loser, _)| Material { winner: Side::read(winner), loser: Side::read(loser) }).collect();
        for (i, row) in rows.iter().enumerate() {
            let others = rows.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, other)| other);
            assert!(others.into_iter().all(|other| !row.contains(other) && !row.contains(&other.exchanged())), "{:?}", TABLE[i]);
        }
    }

    #[test]
    fn examples_of_the_laws() {
        let potential = |fen: &str| super::potential(&Board::from_ascii_board_fen(fen.as_bytes()).unwrap(), Color::White);
        assert!(!potential("8/8/8/3k4/8/8/NN6/K7"));
        assert!(potential("8/8/8/3k4/7n/8/R7/K7"));
        assert!(potential("8/8/8/3k4/7b/8/R7/K7"));
        assert!(potential("8/8/8/3k4/7p/8/N7/K7"));
        for (loser, white) in [("b", "B"), ("n", "B"), ("p", "B"), ("n", "N"), ("b", "N"), ("r", "N"), ("q", "NN")] {
            assert!(!potential(&format!("8/8/8/3k4/7{loser}/8/{white}{}/K7", 8 - white.len())), "{white} {loser}");
        }
        assert!(potential("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"));
    }
}
