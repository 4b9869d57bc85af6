//! The second arbiter: rulings of chosen kinds hold when another arbiter has ruled the same, of the game as it stood.

use std::collections::BTreeSet;

use shakmaty::ByColor;

use super::entry::{Admin, Origin, Payload, Subject};
use super::{Batch, CredentialId, Refusal, Standing, Table, Venue, WallTime};
use crate::game::{Game, Pending, Ruling};

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

/// A ruling without its reason: two arbiters rule the same, each for a reason of his own.
fn unexplained(ruling: &Ruling) -> Ruling {
    let mut ruling = ruling.clone();
    match &mut ruling {
        Ruling::Stop { reason }
        | Ruling::AddTime { reason, .. }
        | Ruling::DeclareResult { reason, .. }
        | Ruling::CorrectResult { reason, .. }
        | Ruling::Annul { reason }
        | Ruling::Undo { reason }
        | Ruling::Uphold { reason }
        | Ruling::Reject { reason }
        | Ruling::Postpone { reason }
        | Ruling::Penalise { reason, .. }
        | Ruling::Excuse { reason, .. } => reason.clear(),
        _ => {}
    }
    ruling
}

impl Proposed {
    /// Whether it is this that was proposed, for whatever reason.
    pub(super) fn is_of(&self, ruling: &Ruling) -> bool {
        unexplained(&self.ruling) == unexplained(ruling)
    }
}

/// Whether two are two: not by one login, and not by two that one person has under his name.
fn another(one: &Origin, other: &Origin) -> bool {
    let of_one_login = one.credential.is_some() && one.credential == other.credential;
    let of_one_name = one.name.trim().to_lowercase() == other.name.trim().to_lowercase();
    !of_one_login && !of_one_name
}

/// What a proposal is about: when that is another one, the proposal falls.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct About {
    moves: u64,
    completed: ByColor<u32>,
    claim: Option<Pending>,
    finished: bool,
}

impl About {
    pub(super) fn of(game: &Game) -> About {
        About { moves: game.moves_ever, completed: game.completed, claim: game.claim, finished: game.is_finished() }
    }
}

impl Venue {
    /// The kinds of rulings that need a second arbiter.
    pub fn seconded(&self) -> &BTreeSet<String> {
        &self.seconded
    }

    /// Whether a ruling has to wait for a second arbiter. Taking one back does where that needed two.
    pub(crate) fn lacks_second(&self, table: &Table, ruling: &Ruling, by: &Origin, now: WallTime) -> bool {
        let chosen = |ruling: &Ruling| verb(ruling).is_some_and(|verb| self.seconded.contains(verb));
        let undone = table.game.undo_is_of().filter(|_| matches!(ruling, Ruling::Undo { .. }));
        let needs = chosen(ruling) || undone.is_some_and(|(_, undone)| chosen(undone));
        let holds = |first: &Origin| first.credential.is_none_or(|id| self.credential(id).is_some_and(|c| c.standing(now) == Standing::Good));
        let agrees = table.proposed.as_ref().is_some_and(|first| first.is_of(ruling) && another(&first.by, by) && holds(&first.by));
        needs && !agrees
    }

    /// What somebody proposed whose credential has ended.
    pub(super) fn proposals_fall(&mut self, by: CredentialId) {
        for table in &mut self.tables {
            table.proposed.take_if(|proposed| proposed.by.credential == Some(by));
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::venue::Role;

    #[test]
    fn two_are_two_by_login_and_by_name() {
        let by = |name: &str, login: Option<u64>| Origin { credential: login.map(CredentialId), ..Origin::new(Role::Arbiter, name.to_string()) };
        let table = [
            (by("Anna", None), by("Bert", None), true),
            (by("Anna", None), by("anna ", None), false),
            (by("Anna", Some(1)), by("Bert", Some(2)), true),
            (by("Anna", Some(1)), by("Bert", Some(1)), false),
            (by("Anna", Some(1)), by("Anna", Some(2)), false),
        ];
        for (one, other, two) in table {
            assert_eq!(another(&one, &other), two, "{one:?} {other:?}");
        }
    }
}
