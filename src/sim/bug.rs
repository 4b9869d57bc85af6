//! Bugs that a simulation can be given, to see that its invariants find them.

use super::Invariant;

/// A bug of the daemon or its disk, and nothing that a user would want.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bug {
    /// Reports are acknowledged before the commit.
    AckBeforeCommit,
    /// Readers are shown what is not committed.
    ShownBeforeCommit,
    /// A reader is not sent an entry.
    EntrySkipped,
    /// A reader who comes back is sent an entry again.
    EntryRepeated,
    /// A feed is sent what is not public.
    NothingWithheld,
    /// A start forgets what a press has completed.
    ReplayForgets,
    /// The way over the network is charged to the player.
    DelayCharged,
    /// A stop takes a second more off the clock than has run.
    TimeLost,
    /// A penalty, or an illegal move, costs a second more than was ruled, or is the edition's price.
    PaysTooMuch,
    /// A flag falls when the daemon has waited long enough.
    FlagByArrival,
    /// A report is taken although the one before it is missing.
    GapAccepted,
    /// A report that comes twice is taken twice.
    TakenTwice,
    /// A report that comes late is taken for one of the game at which its device is now.
    TakenElsewhere,
    /// A ruling that comes twice holds twice.
    RuledTwice,
    /// The version of an entry is not the next one.
    VersionSkipped,
    /// A draw is offered after the game is over.
    PlaysAfterTheEnd,
    /// What is left of a torn commit stays.
    TornCommitKept,
    /// The chain does not hold at one entry.
    ByteRots,
    /// The other player is given the game.
    WrongScore,
    /// Orders are not sent again to a device that comes back.
    OrderForgotten,
}

impl Bug {
    /// Every one, with the invariant that it breaks.
    pub const ALL: [(Bug, Invariant); 20] = [
        (Bug::AckBeforeCommit, Invariant::AckedIsDurable),
        (Bug::ShownBeforeCommit, Invariant::ShownIsDurable),
        (Bug::EntrySkipped, Invariant::ReadersSawAll),
        (Bug::EntryRepeated, Invariant::ReadersSawAll),
        (Bug::NothingWithheld, Invariant::OnlyPublic),
        (Bug::ReplayForgets, Invariant::ReplayIsLived),
        (Bug::DelayCharged, Invariant::StampsAreTheDevices),
        (Bug::TimeLost, Invariant::TimeIsConserved),
        (Bug::PaysTooMuch, Invariant::TimeIsConserved),
        (Bug::FlagByArrival, Invariant::FlagsFellOnTheClock),
        (Bug::GapAccepted, Invariant::StampsAreTheDevices),
        (Bug::TakenTwice, Invariant::StampsAreTheDevices),
        (Bug::TakenElsewhere, Invariant::StampsAreTheDevices),
        (Bug::RuledTwice, Invariant::RulingsHoldOnce),
        (Bug::VersionSkipped, Invariant::VersionsHaveNoGap),
        (Bug::PlaysAfterTheEnd, Invariant::OverIsOver),
        (Bug::TornCommitKept, Invariant::CommitsAreWhole),
        (Bug::ByteRots, Invariant::ChainHolds),
        (Bug::WrongScore, Invariant::AuditAgrees),
        (Bug::OrderForgotten, Invariant::AllSettles),
    ];
}
