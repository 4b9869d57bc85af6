//! Whether what came out of every envelope is what was sealed: text and nonce against the commitment, and against the ciphertext.

use std::collections::BTreeMap;

use shakmaty::{ByColor, Color};

use crate::envelope::{Commitment, Mismatch, Note, PublicKey, verify};
use crate::game::{self, Fact, GameId, Opened, Ruling, Seq};
use crate::venue::{Admin, Entry, Payload, Subject, Venue};
use zeroize::Zeroizing;

/// Follows the envelopes of a log: fed with every entry in order, and the venue as it was before each.
#[derive(Debug, Default)]
pub struct Envelopes {
    key: Option<PublicKey>,
    /// The last move that each player sealed: where, and to which key.
    sealed: BTreeMap<GameId, ByColor<(Seq, Option<PublicKey>)>>,
}

/// An envelope that was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedEnvelope {
    /// Of which game.
    pub game: GameId,
    /// Whose move.
    pub by: Color,
    /// The ply that it was to be.
    pub ply: u32,
    /// The entry that sealed it.
    pub sealed_in: Seq,
    /// The entry that opened it.
    pub opened_in: Seq,
    /// What was fixed.
    pub commitment: Commitment,
    /// What came out.
    pub opened: Opened,
    /// Whether that is what went in.
    pub holds: Result<(), Mismatch>,
}

/// An envelope that does not hold what was sealed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "entry {}: what was opened there is not what entry {} sealed in game {}: {mismatch}",
    opened_in.0, sealed_in.0, game.0
)]
pub struct EnvelopeDiffers {
    /// Of which game.
    pub game: GameId,
    /// The entry that sealed it.
    pub sealed_in: Seq,
    /// The entry that opened it.
    pub opened_in: Seq,
    /// In what they differ.
    pub mismatch: Mismatch,
}

impl Envelopes {
    /// The next entry of the log, on the venue as it was before. `Some`: it opens an envelope.
    pub fn entry(&mut self, before: &Venue, entry: &Entry) -> Option<OpenedEnvelope> {
        match (&entry.payload, entry.subject) {
            (Payload::Admin(Admin::EnvelopeKey { key }), _) => self.key = Some(*key),
            (Payload::Game(game::Entry::Fact(Fact::SealedMove { by, .. })), Subject::Game(game)) => {
                // What seals nothing (out of turn, too late) leaves what was sealed before it.
                let table = before.table(game)?;
                if table.game.seals().is_some_and(|(who, _)| who == *by) {
                    *self.sealed.entry(game).or_default().get_mut(*by) = (entry.seq, self.key);
                }
            }
            (Payload::Game(game::Entry::Ruling(Ruling::Open { opened: Some(opened) })), Subject::Game(game)) => {
                let envelope = before.table(game)?.game.envelope()?;
                let (sealed_in, key) = self.sealed.get(&game).map(|sealed| *sealed.get(envelope.by)).unwrap_or_default();
                let sealed = envelope.sealed?;
                let note = Note::new(Zeroizing::new(opened.text.clone()), opened.nonce);
                let holds = note.map_err(|_| Mismatch::Commitment).and_then(|note| verify(key.as_ref(), game.0, envelope.ply, &note, sealed));
                return Some(OpenedEnvelope {
                    game,
                    by: envelope.by,
                    ply: envelope.ply,
                    sealed_in,
                    opened_in: entry.seq,
                    commitment: sealed.commitment,
                    opened: opened.clone(),
                    holds,
                });
            }
            _ => {}
        }
        None
    }
}

impl OpenedEnvelope {
    /// That it holds what was sealed.
    ///
    /// # Errors
    /// Names both entries, and in what they differ.
    pub fn checked(&self) -> Result<(), EnvelopeDiffers> {
        let differs = |mismatch| EnvelopeDiffers { game: self.game, sealed_in: self.sealed_in, opened_in: self.opened_in, mismatch };
        self.holds.map_err(differs)
    }
}
