//! Who may see which entry. Whatever leaves the daemon for a reader passes here.

use crate::game::{self, Consequence, Fact, Ruling};
use crate::venue::{Admin, Entry, Payload, Role};

/// Whether a role may see an entry.
///
/// A feed gets what is public: games, pairings, results. Incidents are for arbiters, and so is
/// the health of devices.
pub fn shown(role: Role, entry: &Entry) -> bool {
    if role != Role::Feed {
        return true;
    }
    match &entry.payload {
        Payload::Game(game::Entry::Consequence(Consequence::Incident { .. } | Consequence::Ordered { .. })) => false,
        // What is noted late would be read as something that happens now.
        Payload::Game(game::Entry::Fact(Fact::Belated { .. })) => false,
        // An envelope is for the arbiters, and so is how often a player has thought again.
        Payload::Game(game::Entry::Fact(Fact::SealedMove { .. })) => false,
        // Conduct is between the arbiter and the players; what it costs on the clock or in points is seen.
        Payload::Game(game::Entry::Ruling(Ruling::Penalise { .. })) => false,
        Payload::Game(_) => true,
        // Nor is it anybody's business who may come in.
        Payload::Admin(
            Admin::SecondNeeded { .. }
            | Admin::Proposed { .. }
            | Admin::Alarm { .. }
            | Admin::Started { .. }
            | Admin::Invited { .. }
            | Admin::Enrolled { .. }
            | Admin::Revoked { .. },
        ) => false,
        Payload::Admin(_) => true,
        Payload::Device(_) => false,
    }
}

/// An entry as a role may see it: a feed learns no name of an arbiter or office and no idempotency key.
pub fn redacted(role: Role, mut entry: Entry) -> Entry {
    if role == Role::Feed {
        entry.key = None;
        if let Some(origin) = &mut entry.origin {
            origin.name = String::new();
            origin.credential = None;
        }
    }
    entry
}
