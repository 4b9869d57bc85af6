//! Every kind of entry by a word. A kind that is new does not compile here until it has one.

use zeitnot::game::{self, Command, Consequence, Fact, Ruling};
use zeitnot::venue::{Admin, DeviceEntry, Entry, Payload};

/// Every kind that the kept log has to hold.
pub(crate) const ALL: &[&str] = &[
    "arrival",
    "move",
    "press",
    "touch",
    "flag",
    "pause",
    "offer",
    "acceptance",
    "rejection",
    "resignation",
    "confirmation",
    "display",
    "restart",
    "scoresheet",
    "silence", //
    "start",
    "stop",
    "resume",
    "set-clocks",
    "add-time",
    "set-counter",
    "replace-clock",
    "declare-result",
    "correct-result",
    "annul",
    "undo", //
    "players-ready",
    "clock-started",
    "clocks-stopped",
    "pressed",
    "move-completed",
    "move-taken-back",
    "period-added",
    "clock-read",
    "flag-fallen",
    "flag-withdrawn",
    "clocks-set",
    "ordered-start",
    "ordered-stop",
    "ordered-set",
    "ordered-add",
    "offer-made",
    "offer-ended",
    "game-over",
    "result-corrected",
    "annulled",
    "reopened",
    "undone",
    "clock-replaced",
    "incident", //
    "started",
    "tournament-created",
    "round-opened",
    "paired",
    "game-opened",
    "device-assigned",
    "alarm", //
    "introduced",
    "battery",
    "device-restarted",
];

/// The kind of an entry.
pub(crate) fn of(entry: &Entry) -> &'static str {
    match &entry.payload {
        Payload::Game(game::Entry::Fact(fact)) => fact_kind(fact),
        Payload::Game(game::Entry::Ruling(ruling)) => ruling_kind(ruling),
        Payload::Game(game::Entry::Consequence(consequence)) => consequence_kind(consequence),
        Payload::Admin(admin) => match admin {
            Admin::Started { .. } => "started",
            Admin::TournamentCreated { .. } => "tournament-created",
            Admin::RoundOpened { .. } => "round-opened",
            Admin::Paired { .. } => "paired",
            Admin::GameOpened { .. } => "game-opened",
            Admin::DeviceAssigned { .. } => "device-assigned",
            Admin::Alarm { .. } => "alarm",
        },
        Payload::Device(DeviceEntry::Introduced(_)) => "introduced",
        Payload::Device(DeviceEntry::Battery { .. }) => "battery",
        Payload::Device(DeviceEntry::Restarted) => "device-restarted",
    }
}

fn fact_kind(fact: &Fact) -> &'static str {
    match fact {
        Fact::Arrival { .. } => "arrival",
        Fact::Move { .. } => "move",
        Fact::Press { .. } => "press",
        Fact::Touch { .. } => "touch",
        Fact::Flag { .. } => "flag",
        Fact::Pause { .. } => "pause",
        Fact::Offer { .. } => "offer",
        Fact::Acceptance { .. } => "acceptance",
        Fact::Rejection { .. } => "rejection",
        Fact::Resignation { .. } => "resignation",
        Fact::Confirmation { .. } => "confirmation",
        Fact::Display { .. } => "display",
        Fact::Restart => "restart",
        Fact::Scoresheet { .. } => "scoresheet",
        Fact::Silence { .. } => "silence",
    }
}

fn ruling_kind(ruling: &Ruling) -> &'static str {
    match ruling {
        Ruling::Start => "start",
        Ruling::Stop { .. } => "stop",
        Ruling::Resume => "resume",
        Ruling::SetClocks { .. } => "set-clocks",
        Ruling::AddTime { .. } => "add-time",
        Ruling::SetCounter { .. } => "set-counter",
        Ruling::ReplaceClock { .. } => "replace-clock",
        Ruling::DeclareResult { .. } => "declare-result",
        Ruling::CorrectResult { .. } => "correct-result",
        Ruling::Annul { .. } => "annul",
        Ruling::Undo { .. } => "undo",
    }
}

fn consequence_kind(consequence: &Consequence) -> &'static str {
    match consequence {
        Consequence::PlayersReady => "players-ready",
        Consequence::ClockStarted { .. } => "clock-started",
        Consequence::ClocksStopped { .. } => "clocks-stopped",
        Consequence::Pressed { .. } => "pressed",
        Consequence::MoveCompleted { .. } => "move-completed",
        Consequence::MoveTakenBack { .. } => "move-taken-back",
        Consequence::PeriodAdded { .. } => "period-added",
        Consequence::ClockRead { .. } => "clock-read",
        Consequence::FlagFallen { .. } => "flag-fallen",
        Consequence::FlagWithdrawn { .. } => "flag-withdrawn",
        Consequence::ClocksSet { .. } => "clocks-set",
        Consequence::Ordered { command: Command::Start { .. }, .. } => "ordered-start",
        Consequence::Ordered { command: Command::Stop, .. } => "ordered-stop",
        Consequence::Ordered { command: Command::Set { .. }, .. } => "ordered-set",
        Consequence::Ordered { command: Command::Add { .. }, .. } => "ordered-add",
        Consequence::OfferMade { .. } => "offer-made",
        Consequence::OfferEnded => "offer-ended",
        Consequence::GameOver { .. } => "game-over",
        Consequence::ResultCorrected { .. } => "result-corrected",
        Consequence::Annulled => "annulled",
        Consequence::Reopened { .. } => "reopened",
        Consequence::Undone { .. } => "undone",
        Consequence::ClockReplaced { .. } => "clock-replaced",
        Consequence::Incident { .. } => "incident",
    }
}
