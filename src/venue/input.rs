//! What a venue can be told, and what becomes of it.

use std::collections::BTreeSet;

use super::credentials::{CredentialId, Invitation, SecretHash};
use super::entry::{Entry, Introduction, Key, Origin, Pairing, TournamentId, Version};
use crate::clock::{Adjustment, Millis, Reading, WallTime};
use crate::envelope::{Note, PrivateKey, PublicKey};
use crate::game::{self, DeviceId, Fact, GameId, Regulations, Seq};
use crate::signature::SignedHead;

/// An input to the venue.
#[derive(Debug, Clone)]
pub struct Command {
    /// Who sends it.
    pub origin: Origin,
    /// Under which idempotency key.
    pub key: Option<Key>,
    /// The version of its subject that the sender had seen.
    pub seen: Option<Version>,
    /// What it is.
    pub input: Input,
}

/// What goes in.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "a variant's sentence names its fields")]
pub enum Input {
    /// A device's numbered report; `previous` is the number of the one before it, `game` the one that the device was told of when it happened.
    Report { previous: u32, game: Option<GameId>, report: Report },
    /// A fact or a ruling about a game, not from its device.
    Game { game: GameId, input: game::Input },
    /// A move that a player seals, not at the game's device.
    Seal { game: GameId, by: shakmaty::Color, note: Note },
    /// The opening of an envelope by the private key.
    Open { game: GameId, key: PrivateKey },
    /// The key to which envelopes are sealed from now on.
    SetEnvelopeKey { key: PublicKey },
    /// A device said hello.
    Hello { device: DeviceId, introduction: Introduction },
    /// From now on rulings of these kinds need a second arbiter, and no others.
    NeedSecond { rulings: BTreeSet<String> },
    /// The daemon noticed something about a device.
    Noticed { device: DeviceId, noticed: Noticed },
    /// The daemon has started on this log.
    Started { build: String },
    /// The daemon has something to say to all arbiters.
    Alarm { text: String },
    /// A tournament, and its first day, where that is told.
    CreateTournament { name: String, regulations: Regulations, starts_on: Option<jiff::civil::Date> },
    /// A round.
    OpenRound { tournament: TournamentId, round: u32 },
    /// A pairing.
    Pair { pairing: Pairing },
    /// The game of a pairing.
    OpenGame {
        tournament: TournamentId,
        round: u32,
        board: u32,
        device: Option<DeviceId>,
        /// Black's own, where each side has one; `device` is White's then.
        black_device: Option<DeviceId>,
        absent: shakmaty::ByColor<bool>,
        clocks: Option<Reading>,
    },
    /// Somebody is to get a credential.
    Invite { invitation: Invitation },
    /// The code that was shown, exchanged for a secret; of both the hashes.
    Enrol { code: SecretHash, secret: SecretHash },
    /// A credential is no good any more.
    Revoke { credential: CredentialId, reason: String },
    /// The head of the log was signed.
    Sign { head: SignedHead },
    /// A device to a board, to one side of it, or away.
    AssignDevice { device: DeviceId, game: Option<GameId>, side: Option<shakmaty::Color> },
}

/// What a device reports under a number.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "a variant's sentence names its fields")]
pub enum Report {
    /// A fact of its game.
    Fact(Fact),
    /// Its battery.
    Battery { percent: u32 },
    /// A move that a player seals.
    Seal { by: shakmaty::Color, note: Note },
}

/// What the daemon can notice about a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "a variant's sentence names its fields")]
pub enum Noticed {
    /// Its connection is gone.
    Lost,
    /// It is connected again.
    Back,
    /// Its time leapt by so much.
    Leapt { by: Adjustment },
    /// It drifts by so many millionths.
    Drifts { ppm: i64 },
}

/// When an input is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct At {
    /// Time of day, recorded.
    pub wall: WallTime,
    /// The daemon's own monotonic time, by which it times games without a device.
    pub hall: Millis,
}

impl At {
    /// The later one of each: time goes on from one input to the next, in whatever order they came.
    pub fn not_before(self, came: At) -> At {
        At { wall: self.wall.max(came.wall), hall: self.hall.max(came.hall) }
    }
}

/// What became of an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decided {
    /// These entries, the input among them.
    Entries(Vec<Entry>),
    /// An input was taken under this key or number before, as that entry.
    Repeat(Seq),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_time_goes_back_from_one_input_to_the_next() {
        let at = |wall: i64, hall: u64| At { wall: WallTime(wall), hall: Millis(hall) };
        for (last, came, then) in [((5, 5), (6, 7), (6, 7)), ((5, 5), (4, 7), (5, 7)), ((5, 5), (6, 4), (6, 5)), ((5, 5), (4, 4), (5, 5))] {
            assert_eq!(at(last.0, last.1).not_before(at(came.0, came.1)), at(then.0, then.1));
        }
    }
}
