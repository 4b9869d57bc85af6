//! The 960 arrays by number (Guidelines II), in Scharnagl's order: 518 is the array of standard chess.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use shakmaty::{CastlingMode, Chess, Role, fen::Fen};

/// Highest number of an array.
pub const MAX_NUMBER: u32 = 959;

/// White's back rank of array `number`, from a to h; `None` past [`MAX_NUMBER`].
pub fn back_rank(number: u32) -> Option<[Role; 8]> {
    if number > MAX_NUMBER {
        return None;
    }
    let mut files: [Option<Role>; 8] = [None; 8];
    let (rest, light) = (number / 4, number % 4);
    let (rest, dark) = (rest / 4, rest % 4);
    let (knights, queen) = (rest / 6, rest % 6);
    files[light as usize * 2 + 1] = Some(Role::Bishop);
    files[dark as usize * 2] = Some(Role::Bishop);
    place(&mut files, queen as usize, Role::Queen);
    // The ten ways of putting two knights on five squares, the later one first so that its index is not moved.
    const KNIGHTS: [(usize, usize); 10] = [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];
    let (first, second) = KNIGHTS[knights as usize];
    place(&mut files, second, Role::Knight);
    place(&mut files, first, Role::Knight);
    for role in [Role::Rook, Role::King, Role::Rook] {
        place(&mut files, 0, role);
    }
    Some(files.map(|file| file.unwrap_or(Role::Rook)))
}

fn place(files: &mut [Option<Role>; 8], nth_free: usize, role: Role) {
    if let Some(file) = files.iter_mut().filter(|file| file.is_none()).nth(nth_free) {
        *file = Some(role);
    }
}

/// The starting position of array `number`; `None` past [`MAX_NUMBER`].
pub fn position(number: u32) -> Option<Chess> {
    let rank: String = back_rank(number)?.iter().map(|role| role.char()).collect();
    let fen = format!("{rank}/pppppppp/8/8/8/8/PPPPPPPP/{} w KQkq - 0 1", rank.to_uppercase());
    fen.parse::<Fen>().ok()?.into_position(CastlingMode::Chess960).ok()
}

/// The number that a seed draws, each array as likely as the next.
///
/// What is recorded must be drawn again by everyone for ever: so the draw is made here, of ChaCha8's first words, and
/// does not depend on how a library makes a range of them.
pub fn drawn(seed: u64) -> u32 {
    const ARRAYS: u32 = MAX_NUMBER + 1;
    /// Words from here on are left over when all are dealt out to the arrays, and are thrown away.
    const DEALT: u32 = u32::MAX / ARRAYS * ARRAYS;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    loop {
        let word = rng.next_u32();
        if word < DEALT {
            return word % ARRAYS;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(number: u32) -> String {
        back_rank(number).unwrap().iter().map(|role| role.char()).collect()
    }

    #[test]
    fn numbers_and_arrays() {
        for (number, array) in [(0, "bbqnnrkr"), (518, "rnbqkbnr"), (959, "rkrnnqbb"), (339, "bnrkqrnb")] {
            assert_eq!(rank(number), array, "{number}");
        }
        assert_eq!(back_rank(960), None);
        let all: std::collections::BTreeSet<String> = (0..=MAX_NUMBER).map(rank).collect();
        assert_eq!(all.len(), 960);
        assert!((0..=MAX_NUMBER).all(|n| position(n).is_some()));
    }

    /// These never change: logs hold them.
    #[test]
    fn what_a_seed_draws() {
        let numbers = [0, 1, 2, 960, 2026, u64::MAX].map(drawn);
        assert_eq!(numbers, [428, 689, 261, 254, 215, 238]);
        let drawn: std::collections::BTreeSet<u32> = (0..20_000).map(drawn).collect();
        assert!(drawn.len() == 960 && drawn.contains(&0) && drawn.contains(&MAX_NUMBER));
    }
}
