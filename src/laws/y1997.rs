//! For competitions from 1 July 1997 on: the oldest edition, written out whole.

use super::{
    Acts, Agreement, Article, BothFlags, BothFlagsThen, ColoursReversed, Completed, DefaultTime, DrawClaim, Edition, Fivefold, Fixed, Flag,
    FlagCalled, Grounds, Halving, IllegalMove, Laws, MatingBy, NeededToWin, Offer, Penalties, Play, Promotion, Quickplay, RapidRange, Recording,
    RefusedBy, Resignation, Stopping, Supervision, Unstated, Until, WrongCastling, WrongSetup,
};
use crate::clock::Millis;

/// From fifteen minutes to sixty, both included.
const RAPID_RANGE: RapidRange = RapidRange { article: Article::new("B1"), from: Millis::minutes(15), below: Millis(3_600_001) };

pub(super) const STANDARD: Laws = Laws {
    edition: Edition::Y1997,
    play: Play::Standard,
    supervision: Supervision::Full,
    unverified: &[
        "counter",
        "illegal-move.promotion",
        "recording.exempt-below",
        "recording.unless-increment",
        "result",
        "offer.recorded",
        "claim.lost-by",
        "claim.procedure",
        "claim.correct",
        "wrong-claim.opponent-gains",
        "wrong-claim.claimant-loses",
        "quickplay.upheld",
        "quickplay.postponed",
    ],
    range: RAPID_RANGE,
    checkmate: Article::new("5.1a"),
    stalemate: Article::new("5.2"),
    dead_position: Article::new("9.6"),
    agreement: Agreement { article: Article::new("5.3"), both_have_moved: false },
    resignation: Resignation { article: Article::new("5.1b"), draws_if_unwinnable: false },
    completed: Completed { article: Article::new("6.7a"), by_next_move: false },
    counter: Article::new("6.10"),
    start: Article::new("6.5"),
    default_time: DefaultTime { article: Article::new("6.6"), unless_stated: Unstated::Hour, neither_present: None },
    flag: Flag { article: Article::new("6.9"), observed: Article::new("6.8"), called: FlagCalled::ByArbiter, claimed: Article::new("6.8") },
    both_flags: BothFlags { article: Article::new("10.4"), continues: Article::new("6.11"), then: BothFlagsThen::ContinuesUnlessQuickplay },
    needed_to_win: NeededToWin { article: Article::new("6.9"), by: MatingBy::AnySeries },
    defective_clock: Article::new("6.10"),
    // This edition says nothing of a wrong setting: it is put right as a defect is.
    wrong_setting: Article::new("6.10"),
    stopping: Stopping { article: Article::new("6.12a"), by_player: Article::new("6.12b"), without_reason: None },
    restored: Article::new("6.13"),
    wrong_setup: WrongSetup { voids: Article::new("7.1a"), article: Article::new("7.1a"), closes_after: None, castling: WrongCastling::Allowed },
    colours_reversed: ColoursReversed { article: Article::new("7.2"), restart_before: None },
    illegal_move: IllegalMove {
        article: Article::new("7.4"),
        tariff: Article::new("10.3"),
        amount: Article::new("10.3"),
        opponent_gains: Millis::minutes(2),
        loses_at: Some(3),
        fixed: Fixed::InQuickplay,
        draws_if_unwinnable: false,
        until: Until::GameEnds,
        arbiter_acts: Acts::Always,
        still_impossible: None,
        promotion: Promotion::TakenBack,
        press_without_move: None,
        // How the clock is to be handled; nothing is said of a press without a move.
        handling: Article::new("6.7c"),
        two_hands: None,
    },
    recording: Recording {
        article: Article::new("8.1"),
        required: true,
        exemption: Article::new("8.4"),
        exempt_below: Millis::minutes(5),
        unless_increment: None,
    },
    result: Article::new("8.7"),
    offer: Offer { article: Article::new("9.1"), disturbance: Article::new("12.5"), recorded: Article::new("9.1"), refused_by: RefusedBy::Move },
    claim: DrawClaim {
        threefold: Grounds { written: Article::new("9.2a"), standing: Article::new("9.2b") },
        fifty: Grounds { written: Article::new("9.3a"), standing: Article::new("9.3b") },
        lapse: Article::new("9.4"),
        lost_by: RefusedBy::Move,
        procedure: Article::new("9.5"),
        correct: Article::new("9.5a"),
        incorrect: Article::new("9.5b"),
        amount: Article::new("9.5b"),
        opponent_gains: Millis::minutes(3),
        claimant_loses: Some(Halving { at_most: Millis::minutes(3), floor: None }),
        is_offer: None,
    },
    fivefold: Fivefold::Never,
    seventy_five: None,
    quickplay: Some(Quickplay {
        article: Article::new("10.2"),
        announced: false,
        without_increment: false,
        below: Millis::minutes(2),
        upheld: Article::new("10.2a"),
        postponed: Article::new("10.2b"),
        rejected: None,
        is_offer: None,
        five_seconds: None,
        no_arbiter: Article::new("D1"),
    }),
    time_added: Article::new("13.5"),
    arbiter: Article::new("13.2"),
    penalties: Penalties {
        warning: Article::new("13.4a"),
        opponent_time: Article::new("13.4b"),
        own_time: Article::new("13.4c"),
        opponent_points: None,
        own_points: None,
        loss: Article::new("13.4d"),
        fine: None,
        exclusion: None,
        expulsion: Article::new("13.4e"),
    },
};

/// Appendix B. All of it is a quickplay finish, so the price of 10.3 is fixed throughout.
pub(super) const RAPID: Laws = Laws {
    play: Play::Rapid,
    supervision: Supervision::Limited,
    unverified: &[
        "counter",
        "illegal-move.until",
        "illegal-move.promotion",
        "recording.exempt-below",
        "recording.unless-increment",
        "result",
        "offer.recorded",
        "claim.lost-by",
        "claim.procedure",
        "claim.correct",
        "wrong-claim.opponent-gains",
        "wrong-claim.claimant-loses",
        "quickplay.upheld",
        "quickplay.postponed",
    ],
    flag: Flag { article: Article::new("6.9"), observed: Article::new("B6"), called: FlagCalled::ByPlayers, claimed: Article::new("B7") },
    both_flags: BothFlags { article: Article::new("B8"), continues: Article::new("B8"), then: BothFlagsThen::AlwaysDrawn },
    wrong_setup: WrongSetup { article: Article::new("B4"), closes_after: Some(3), ..STANDARD.wrong_setup },
    illegal_move: IllegalMove {
        article: Article::new("B5"),
        fixed: Fixed::Always,
        until: Until::OpponentMoves,
        arbiter_acts: Acts::OnClaim,
        ..STANDARD.illegal_move
    },
    recording: Recording { article: Article::new("B3"), required: false, ..STANDARD.recording },
    ..STANDARD
};

/// Appendix C: the opponent may claim the win, and it takes material to win on time.
pub(super) const BLITZ: Laws = Laws {
    play: Play::Blitz,
    unverified: &[
        "counter",
        "illegal-move.promotion",
        "recording.exempt-below",
        "recording.unless-increment",
        "result",
        "offer.recorded",
        "claim.lost-by",
        "claim.procedure",
        "claim.correct",
        "wrong-claim.opponent-gains",
        "wrong-claim.claimant-loses",
    ],
    needed_to_win: NeededToWin { article: Article::new("C4"), by: MatingBy::Potential },
    illegal_move: IllegalMove {
        article: Article::new("C3"),
        tariff: Article::new("C3"),
        amount: Article::new("C3"),
        opponent_gains: Millis::ZERO,
        loses_at: Some(1),
        ..RAPID.illegal_move
    },
    // C5
    quickplay: None,
    ..RAPID
};
