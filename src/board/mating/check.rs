//! Proofs checked without the search that made them: the game is played on, position after position, by shakmaty alone.

#![expect(clippy::disallowed_types, reason = "whether a position is in the set is all that is asked; no order comes of it")]

use std::collections::HashSet;

use shakmaty::{Chess, Color, Position};

use super::Proof;
use super::key::{Key, Sum};
use super::reach::{Reach, checked};

/// Longest line, deepest tree and most positions of a tree that are followed.
const MAX_PLIES: u32 = 1_000;
const MAX_DEPTH: u32 = 20;
const MAX_TREE: u32 = 100_000;
/// Most positions of a closure that are followed.
const MAX_POSITIONS: usize = 20_000_000;

/// Whether a proof shows that `winner` cannot give mate from a position.
pub fn check(position: &Chess, winner: Color, proof: &Proof) -> bool {
    match *proof {
        Proof::Terminal => position.legal_moves().is_empty() && !has_mated(position, winner),
        Proof::Material => is_end(position, winner) && !position.legal_moves().is_empty(),
        Proof::ForcedLine { plies } => line(position, winner, plies),
        Proof::Tree { leaves } => tree(position, winner, 0, &mut 0) == Some(leaves),
        Proof::Reach { squares } => reach(position, winner).is_some_and(|reach| reach.squares() == squares),
        Proof::Closure { positions, digest } => closure(position, winner, false, positions) == Some(digest),
        Proof::Locking { positions, digest } => closure(position, winner, true, positions) == Some(digest),
    }
}

fn has_mated(position: &Chess, winner: Color) -> bool {
    position.turn() != winner && position.is_checkmate()
}

/// Whether the winner has no move or no material to mate with.
fn is_end(position: &Chess, winner: Color) -> bool {
    !has_mated(position, winner) && (position.legal_moves().is_empty() || position.has_insufficient_material(winner))
}

fn line(position: &Chess, winner: Color, plies: u32) -> bool {
    let mut now = position.clone();
    let mut stood = Vec::new();
    for _ in 0..plies.min(MAX_PLIES) {
        let moves = now.legal_moves();
        let [only] = moves.as_slice() else { return false };
        stood.push(now.clone());
        now.play_unchecked(*only);
    }
    plies <= MAX_PLIES && (is_end(&now, winner) || stood.contains(&now))
}

fn tree(position: &Chess, winner: Color, ply: u32, nodes: &mut u32) -> Option<u32> {
    *nodes += 1;
    if is_end(position, winner) {
        return Some(1);
    }
    if has_mated(position, winner) || ply >= MAX_DEPTH || *nodes >= MAX_TREE {
        return None;
    }
    position.legal_moves().into_iter().try_fold(0, |leaves, m| {
        let mut next = position.clone();
        next.play_unchecked(m);
        Some(leaves + tree(&next, winner, ply + 1, nodes)?)
    })
}

/// The sets of a position, if they prove it.
fn reach(position: &Chess, winner: Color) -> Option<Reach> {
    Reach::of(position).filter(|reach| checked::starts_with(reach, position) && checked::is_closed(reach) && reach.excludes_mate(winner))
}

/// The digest of all positions that can be reached, but for those proved dead after a capture or a pawn move;
/// `None` if one is a mate, or there are not as many as claimed.
fn closure(position: &Chess, winner: Color, locking: bool, claimed: u32) -> Option<[u8; 32]> {
    let claimed = claimed as usize;
    let (mut seen, mut proved, mut open, mut sum) = (HashSet::new(), HashSet::new(), vec![position.clone()], Sum::default());
    seen.insert(Key::of(position));
    sum.add(Key::of(position));
    while let Some(now) = open.pop() {
        if has_mated(&now, winner) || seen.len() > claimed.min(MAX_POSITIONS) {
            return None;
        }
        if is_end(&now, winner) {
            continue;
        }
        for m in now.legal_moves() {
            let mut next = now.clone();
            next.play_unchecked(m);
            let key = Key::of(&next);
            if locking && m.is_zeroing() && !seen.contains(&key) && (proved.contains(&key) || reach(&next, winner).is_some()) {
                proved.insert(key);
            } else if seen.insert(key) {
                sum.add(key);
                open.push(next);
            }
        }
    }
    (seen.len() == claimed).then(|| sum.bytes())
}
