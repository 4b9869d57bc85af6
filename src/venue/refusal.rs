//! Why the venue does not take an input. Nothing was appended; what is needed to try again is said.

use super::entry::Version;
use crate::envelope::EnvelopeError;
use crate::game::{self, DeviceId, GameId, Seq};

/// Why an input is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "a variant's sentence names its fields")]
pub enum Refusal {
    /// The game does not take it.
    #[error(transparent)]
    Game(#[from] game::Refusal),
    /// What it is about does not exist.
    #[error("there is no {what} {name}")]
    NoSuch { what: &'static str, name: String },
    /// The sender had seen an older state.
    #[error("seen at version {}, which is now {}: look again", seen.0, now.0)]
    Stale { seen: Version, now: Version },
    /// A report is missing before this one.
    #[error("report {last} is the last one taken of boot {boot}: send those after it")]
    Gap { boot: u32, last: u32 },
    /// A report of a start of the device that is over.
    #[error("boot {boot} is over since boot {now} began: send held reports before those of a new boot")]
    OldBoot { boot: u32, now: u32 },
    /// A device that is at no board, or was not at the one that it names.
    #[error("device {} is at no board, or was never at that of the game that it names", device.0)]
    NotAssigned { device: DeviceId },
    /// The device is at another board.
    #[error("device {} is at the board of game {}", device.0, game.0)]
    DeviceElsewhere { device: DeviceId, game: GameId },
    /// Another input was taken under that key or report number.
    #[error("entry {} holds another input under the same key", seq.0)]
    Conflict { seq: Seq },
    /// It is there already.
    #[error("{what} {name} is there already")]
    Exists { what: &'static str, name: String },
    /// A field that cannot be.
    #[error("{field}: {why}")]
    Unreadable { field: &'static str, why: String },
    /// Nothing can be sealed.
    #[error("the venue has no key for envelopes: make one with zeitnot envelope key")]
    NoEnvelopeKey,
    /// The private key does not open the envelope.
    #[error("the envelope stays closed: {0}")]
    EnvelopeCloses(EnvelopeError),
    /// The credential is not good, or not any more.
    #[error("{why}")]
    CredentialOver { why: String },
    /// The credential is for something else.
    #[error("{why}")]
    NotYours { why: String },
    /// Nobody was invited by that code, or not any more.
    #[error("no such code: it may be mistyped, used already, or too old")]
    NoSuchCode,
    /// Not in that role.
    #[error("not what the role of {role} may send")]
    NotAllowed { role: &'static str },
}

impl Refusal {
    /// A word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Refusal::Game(refusal) => refusal.code(),
            Refusal::NoSuch { .. } => "not-found",
            Refusal::Stale { .. } => "stale",
            Refusal::Gap { .. } => "gap",
            Refusal::OldBoot { .. } => "old-boot",
            Refusal::NotAssigned { .. } => "not-assigned",
            Refusal::DeviceElsewhere { .. } => "device-elsewhere",
            Refusal::Conflict { .. } => "conflict",
            Refusal::Exists { .. } => "exists",
            Refusal::Unreadable { .. } => "unreadable",
            Refusal::NotAllowed { .. } => "not-allowed",
            Refusal::NotYours { .. } => "not-yours",
            Refusal::CredentialOver { .. } => "credential-over",
            Refusal::NoSuchCode => "no-such-code",
            Refusal::NoEnvelopeKey => "no-envelope-key",
            Refusal::EnvelopeCloses(_) => "key-does-not-open",
        }
    }

    /// The article that a refused ruling meets.
    pub fn article(&self) -> Option<crate::laws::Article> {
        match self {
            Refusal::Game(game::Refusal::Contradicts { article, .. }) => Some(*article),
            _ => None,
        }
    }
}
