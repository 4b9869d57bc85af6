//! Sealing what a player wrote to the venue's key, and opening it again.

use shakmaty::Color;

use super::entry::{Admin, Payload, Subject};
use super::{Batch, Refusal, Venue, no_game};
use crate::envelope::{self, Note, PrivateKey, PublicKey};
use crate::game::{Fact, GameId, Opened, Ruling};

impl Venue {
    /// The key to which envelopes are sealed.
    pub fn envelope_key(&self) -> Option<&PublicKey> {
        self.envelope_key.as_ref()
    }
}

impl Batch<'_> {
    /// What a player wrote, in its envelope. From here on nobody sees the text.
    pub(super) fn sealed(&self, game: GameId, by: Color, note: &Note) -> Result<Fact, Refusal> {
        let key = self.venue.envelope_key.as_ref().ok_or(Refusal::NoEnvelopeKey)?;
        let table = self.venue.table(game).ok_or_else(|| no_game(game))?;
        // Out of turn it seals nothing, and is noted as for the next ply.
        let ply = table.game.seals().map_or(table.game.line.plies().len() as u32, |(_, ply)| ply);
        Ok(Fact::SealedMove { by, ply, sealed: Box::new(envelope::seal(key, game.0, ply, note)) })
    }

    /// The ruling that opens a game's envelope, by what the private key finds in it.
    pub(super) fn opened(&self, game: GameId, key: &PrivateKey) -> Result<Ruling, Refusal> {
        let table = self.venue.table(game).ok_or_else(|| no_game(game))?;
        let Some((envelope, sealed)) = table.game.envelope().and_then(|envelope| Some((envelope, envelope.sealed?))) else {
            return Ok(Ruling::Open { opened: None });
        };
        let note = envelope::open(key, game.0, envelope.ply, sealed).map_err(Refusal::EnvelopeCloses)?;
        Ok(Ruling::Open { opened: Some(Opened::from(&note)) })
    }

    pub(super) fn set_envelope_key(&mut self, key: PublicKey) -> Result<(), Refusal> {
        if self.venue.envelope_key == Some(key) {
            return Err(Refusal::Exists { what: "key for envelopes", name: key.to_string() });
        }
        if !key.hides() {
            return Err(Refusal::Unreadable { field: "public_key", why: "anybody can open what is sealed to this key: make one".to_string() });
        }
        self.put(Subject::Venue, Payload::Admin(Admin::EnvelopeKey { key }));
        if let Some(old) = self.venue.envelope_key {
            let text = format!("envelopes are sealed to another key from now on: {key} in the place of {old}");
            self.so(Subject::Venue, Payload::Admin(Admin::Alarm { text }));
        }
        Ok(())
    }
}
