//! What follows at once: no move at all, a single line, or a few short lines that all end.

use shakmaty::{Chess, Color, Position};

use super::key::Key;
use super::lemma::cannot_mate;
use super::{Mating, Proof};

/// What is plain to see: a mate on the board, no move, material.
pub(super) fn plain(position: &Chess, winner: Color) -> Option<Mating> {
    if position.legal_moves().is_empty() {
        let mated = position.is_check() && position.turn() != winner;
        return Some(if mated { Mating::Possible(Vec::new()) } else { Mating::Impossible(Proof::Terminal) });
    }
    cannot_mate(position.board(), winner).then_some(Mating::Impossible(Proof::Material))
}

/// How a single line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Forced {
    /// In a position where the winner cannot mate, or in one that stood before; after so many plies.
    Ends { plies: u32 },
    /// In mate by the winner, or in more than one move: nothing is proved.
    Open,
}

/// Plays while there is exactly one legal move, at most `most` plies.
pub(super) fn forced(position: &Chess, winner: Color, most: u32, nodes: &mut u64) -> Forced {
    let mut now = position.clone();
    let mut stood = Vec::new();
    for plies in 0..=most {
        let moves = now.legal_moves();
        *nodes += 1;
        match moves.as_slice() {
            [] if now.is_check() && now.turn() != winner => return Forced::Open,
            [] => return Forced::Ends { plies },
            _ if cannot_mate(now.board(), winner) => return Forced::Ends { plies },
            [only] => {
                let key = Key::of(&now);
                if stood.contains(&key) {
                    return Forced::Ends { plies };
                }
                stood.push(key);
                now.play_unchecked(*only);
            }
            _ => return Forced::Open,
        }
    }
    Forced::Open
}

/// How many ends there are if every line of at most `depth` plies ends without a chance for the winner;
/// `None` at the first that does not, or if that takes more than `limit` nodes.
pub(super) fn all_end(position: &Chess, winner: Color, depth: u32, nodes: &mut u64, limit: u64) -> Option<u32> {
    *nodes += 1;
    let moves = position.legal_moves();
    if moves.is_empty() {
        return (!(position.is_check() && position.turn() != winner)).then_some(1);
    }
    if cannot_mate(position.board(), winner) {
        return Some(1);
    }
    if depth == 0 || *nodes >= limit {
        return None;
    }
    let mut leaves = 0;
    for m in moves {
        let mut next = position.clone();
        next.play_unchecked(m);
        leaves += all_end(&next, winner, depth - 1, nodes, limit)?;
    }
    Some(leaves)
}
