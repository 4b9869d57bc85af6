//! Who may send what.

use super::entry::Role;
use super::{Input, Refusal, Report};
use crate::game::{self, Fact};

/// What a role may send.
pub(super) fn may(role: Role, input: &Input) -> Result<(), Refusal> {
    let allowed = match input {
        // What is sealed comes as it was written, and becomes an envelope here.
        Input::Report { report: Report::Fact(Fact::SealedMove { .. }), .. }
        | Input::Game { input: game::Input::Fact(Fact::SealedMove { .. }), .. } => {
            return Err(Refusal::Unreadable { field: "fact", why: "a move is sealed by its text and nonce, in a message seal".to_string() });
        }
        Input::Report { report: Report::Fact(fact), .. } => role == Role::Clock && may_say(role, fact),
        Input::Report { .. } | Input::Hello { .. } => role == Role::Clock,
        Input::Seal { .. } => matches!(role, Role::Arbiter | Role::Player),
        Input::Game { input: game::Input::Ruling(_), .. } | Input::Open { .. } => role == Role::Arbiter,
        Input::Started { .. } | Input::Alarm { .. } | Input::Noticed { .. } => role == Role::Daemon,
        Input::Game { input: game::Input::Fact(fact), .. } => role != Role::Clock && may_say(role, fact),
        Input::CreateTournament { .. }
        | Input::OpenRound { .. }
        | Input::Pair { .. }
        | Input::OpenGame { .. }
        | Input::AssignDevice { .. }
        | Input::SetEnvelopeKey { .. }
        | Input::NeedSecond { .. }
        | Input::Revoke { .. } => role == Role::Office,
        // The first chief arbiter is invited where the log is.
        Input::Invite { .. } => matches!(role, Role::Office | Role::Daemon),
        // The daemon signs, by itself or because somebody asks for it.
        Input::Sign { .. } => matches!(role, Role::Office | Role::Daemon),
        // Who shows a code is nobody yet: the daemon exchanges it.
        Input::Enrol { .. } => role == Role::Daemon,
    };
    if allowed { Ok(()) } else { Err(Refusal::NotAllowed { role: role.word() }) }
}

/// Whether a fact of a game is one that a role can know: a clock what it measures, the daemon what it works out.
pub(crate) fn may_say(role: Role, fact: &Fact) -> bool {
    match fact {
        Fact::Late { .. } | Fact::Verdict { .. } | Fact::Silence { .. } | Fact::SessionOver | Fact::Leap { .. } => role == Role::Daemon,
        // What a device says late is its own.
        Fact::Belated { fact } => role == Role::Clock && may_say(role, fact),
        Fact::SealedMove { .. } => matches!(role, Role::Clock | Role::Arbiter | Role::Player),
        Fact::Restart | Fact::Flag { .. } | Fact::BothFlags | Fact::Confirmation { .. } | Fact::Display { .. } => {
            matches!(role, Role::Clock | Role::Daemon)
        }
        Fact::Move { .. }
        | Fact::Press { .. }
        | Fact::Touch { .. }
        | Fact::Offer { .. }
        | Fact::Acceptance { .. }
        | Fact::Rejection { .. }
        | Fact::Resignation { .. }
        | Fact::Claim { .. } => !matches!(role, Role::Feed | Role::Daemon),
        _ => !matches!(role, Role::Feed | Role::Player | Role::Daemon),
    }
}
