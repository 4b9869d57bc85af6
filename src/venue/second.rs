//! The second arbiter: rulings of chosen kinds hold when another arbiter has ruled the same.

use std::collections::BTreeSet;

use super::entry::{Admin, Origin, Payload, Subject};
use super::{Batch, Refusal, Table, Venue};
use crate::game::Ruling;

/// The kinds of rulings that can be chosen, by their verbs: those that change a result, a time or a position.
pub const SECONDABLE: [&str; 18] = [
    "clocks",
    "add",
    "moves",
    "result",
    "correct",
    "annul",
    "uphold",
    "reject",
    "flag",
    "illegal",
    "penalty",
    "restore",
    "colours",
    "setup",
    "excuse",
    "undo",
    "decipher",
    "lose-envelope",
];

/// A ruling that waits for a second arbiter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposed {
    /// What was ruled.
    pub ruling: Ruling,
    /// By whom.
    pub by: Origin,
}

/// The verb of a ruling that can be chosen.
fn verb(ruling: &Ruling) -> Option<&'static str> {
    Some(match ruling {
        Ruling::SetClocks { .. } => "clocks",
        Ruling::AddTime { .. } => "add",
        Ruling::SetCounter { .. } => "moves",
        Ruling::DeclareResult { .. } => "result",
        Ruling::CorrectResult { .. } => "correct",
        Ruling::Annul { .. } => "annul",
        Ruling::Uphold { .. } => "uphold",
        Ruling::Reject { .. } => "reject",
        Ruling::CallFlag { .. } => "flag",
        Ruling::RuleIllegal { .. } => "illegal",
        Ruling::Penalise { .. } => "penalty",
        Ruling::Restore { .. } => "restore",
        Ruling::FindColoursReversed => "colours",
        Ruling::FindWrongSetup => "setup",
        Ruling::Excuse { .. } => "excuse",
        Ruling::Undo { .. } => "undo",
        Ruling::Decipher { .. } => "decipher",
        Ruling::LoseEnvelope { .. } => "lose-envelope",
        _ => return None,
    })
}

/// Whether two are two: by their credentials, and where nobody is asked for one by their names.
fn another(one: &Origin, other: &Origin) -> bool {
    match (one.credential, other.credential) {
        (None, None) => one.name != other.name,
        (one, other) => one != other,
    }
}

impl Venue {
    /// The kinds of rulings that need a second arbiter.
    pub fn seconded(&self) -> &BTreeSet<String> {
        &self.seconded
    }

    /// Whether a ruling has to wait for a second arbiter.
    pub(crate) fn lacks_second(&self, table: &Table, ruling: &Ruling, by: &Origin) -> bool {
        let needs = verb(ruling).is_some_and(|verb| self.seconded.contains(verb));
        let agrees = table.proposed.as_ref().is_some_and(|first| first.ruling == *ruling && another(&first.by, by));
        needs && !agrees
    }
}

impl Batch<'_> {
    /// From now on rulings of these kinds need a second arbiter, and no others.
    pub(super) fn need_second(&mut self, rulings: BTreeSet<String>) -> Result<(), Refusal> {
        match rulings.iter().find(|word| !SECONDABLE.contains(&word.as_str())) {
            Some(word) => {
                let word: String = word.chars().take(40).collect();
                Err(Refusal::Unreadable { field: "rulings", why: format!("{word} is none of {}", SECONDABLE.join(", ")) })
            }
            None => {
                self.put(Subject::Venue, Payload::Admin(Admin::SecondNeeded { rulings }));
                Ok(())
            }
        }
    }
}
