//! Whether what came out of every envelope is what was sealed: text and nonce against the commitment, and against the ciphertext.

use std::collections::BTreeMap;

use shakmaty::Color;

use crate::envelope::{Commitment, Mismatch, Nonce, Note, PublicKey, verify};
use crate::game::{self, Fact, GameId, Opened, Ruling, Seq};
use crate::venue::{Admin, Entry, Payload, Subject, Venue};
use zeroize::Zeroizing;

/// Follows the envelopes of a log: fed with every entry in order, and the venue as it was before each.
#[derive(Debug, Default)]
pub struct Envelopes {
    key: Option<PublicKey>,
    /// What was sealed in each game, in order.
    sealed: BTreeMap<GameId, Vec<SealedIn>>,
}

/// A move that a player sealed.
#[derive(Debug, Clone, Copy)]
struct SealedIn {
    seq: Seq,
    by: Color,
    ply: u32,
    commitment: Commitment,
    /// To which key.
    key: Option<PublicKey>,
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
            (Payload::Game(game::Entry::Fact(Fact::SealedMove { by, ply, sealed })), Subject::Game(game)) => {
                let sealed = SealedIn { seq: entry.seq, by: *by, ply: *ply, commitment: sealed.commitment, key: self.key };
                self.sealed.entry(game).or_default().push(sealed);
            }
            (Payload::Game(game::Entry::Ruling(Ruling::Open { opened })), Subject::Game(game)) => {
                return self.opened(before, game, entry.seq, opened.as_ref());
            }
            _ => {}
        }
        None
    }

    /// What was opened against what the game holds as sealed. `None`: a move made on the board was the sealed one.
    fn opened(&self, before: &Venue, game: GameId, opened_in: Seq, opened: Option<&Opened>) -> Option<OpenedEnvelope> {
        let envelope = before.table(game).and_then(|table| table.game.envelope());
        let content = envelope.and_then(|envelope| envelope.sealed);
        if opened.is_none() && content.is_none() {
            return None;
        }
        let of_game = self.sealed.get(&game).map_or(&[][..], Vec::as_slice);
        let mut of_player = of_game.iter().rev().filter(|sealed| envelope.is_none_or(|envelope| envelope.by == sealed.by));
        // Where nothing fits, the last one is most likely what has been changed.
        let last = of_player.clone().next();
        let fits = of_player.find(|sealed| content.is_some_and(|content| content.commitment == sealed.commitment));
        let (by, ply) = envelope.map_or(last.map_or((Color::White, 0), |last| (last.by, last.ply)), |envelope| (envelope.by, envelope.ply));
        let note = opened.and_then(|opened| Note::new(Zeroizing::new(opened.text.clone()), opened.nonce).ok());
        let holds = match (content, fits, note) {
            (Some(content), Some(fits), Some(note)) => verify(fits.key.as_ref(), game.0, ply, &note, content),
            (Some(_), Some(_), None) => Err(Mismatch::Commitment),
            _ => Err(Mismatch::NotSealed),
        };
        Some(OpenedEnvelope {
            game,
            by,
            ply,
            sealed_in: fits.filter(|_| holds.is_ok()).or(last).map_or(Seq(0), |sealed| sealed.seq),
            opened_in,
            commitment: content.map(|content| content.commitment).or(last.map(|last| last.commitment)).unwrap_or(Commitment([0; 32])),
            opened: opened.cloned().unwrap_or(Opened { text: String::new(), nonce: Nonce([0; 32]) }),
            holds,
        })
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
