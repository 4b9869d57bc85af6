//! For competitions starting on or after 1 July 2017, as the difference from 2014.

use super::{
    Adjournment, Agreement, Article, BadMove, BothFlags, BothFlagsThen, ColoursReversed, Completed, DefaultTime, DrawClaim, Edition, Fivefold, Flag,
    FlagCalled, Grounds, IllegalMove, Late, Laws, Offer, Penalties, Play, Quickplay, Recording, Rejected, Resignation, Stopping, Supervision,
    Unstated, WrongSetup, y2014,
};
use crate::clock::Millis;

pub(super) const STANDARD: Laws = Laws {
    edition: Edition::Y2017,
    unverified: &[],
    checkmate: Article::new("5.1.1"),
    stalemate: Article::new("5.2.1"),
    dead_position: Article::new("5.2.2"),
    agreement: Agreement { article: Article::new("5.2.3"), both_have_moved: true },
    resignation: Resignation { article: Article::new("5.1.2"), ..y2014::STANDARD.resignation },
    completed: Completed { article: Article::new("6.2.1"), ..y2014::STANDARD.completed },
    counter: Article::new("6.10.2"),
    default_time: DefaultTime { article: Article::new("6.7.1"), unless_stated: Unstated::Zero, neither_present: Some(Article::new("6.7.2")) },
    // That he shall call it is written for rapid and blitz (A.4.5); what holds there holds the more where the competition rules do.
    flag: Flag { called: FlagCalled::ArbiterShall, ..y2014::STANDARD.flag },
    both_flags: BothFlags { article: Article::new("III.3.1.2"), continues: Article::new("III.3.1.1"), then: BothFlagsThen::Guideline },
    defective_clock: Article::new("6.10.1"),
    wrong_setting: Article::new("6.10.2"),
    stopping: Stopping { article: Article::new("6.11"), by_player: Article::new("6.11.2"), without_reason: Some(Article::new("6.11.4")) },
    wrong_setup: WrongSetup { voids: Article::new("7.2.1"), article: Article::new("7.2.1"), ..y2014::STANDARD.wrong_setup },
    colours_reversed: ColoursReversed { restart_before: Some(10), ..y2014::STANDARD.colours_reversed },
    illegal_move: IllegalMove {
        article: Article::new("7.5.1"),
        tariff: Article::new("7.5.3"),
        amount: Article::new("7.5.3"),
        press_without_move: Some(Article::new("7.8.1")),
        handling: Article::new("6.2.4"),
        two_hands: Some(Article::new("7.7.1")),
        ..y2014::STANDARD.illegal_move
    },
    offer: Offer { article: Article::new("9.1.2.1"), recorded: Article::new("9.1.2.2"), ..y2014::STANDARD.offer },
    claim: DrawClaim {
        threefold: Grounds { written: Article::new("9.2.1.1"), standing: Article::new("9.2.1.2") },
        fifty: Grounds { written: Article::new("9.3.1"), standing: Article::new("9.3.2") },
        procedure: Article::new("9.5.1"),
        correct: Article::new("9.5.2"),
        incorrect: Article::new("9.5.3"),
        amount: Article::new("9.5.3"),
        is_offer: Some(Article::new("9.1.2.3")),
        ..y2014::STANDARD.claim
    },
    fivefold: Fivefold::AnyOrder(Article::new("9.6.1")),
    seventy_five: Some(Article::new("9.6.2")),
    quickplay: Some(Quickplay {
        article: Article::new("III.5"),
        announced: true,
        without_increment: true,
        below: Millis::minutes(2),
        upheld: Article::new("III.5.1"),
        postponed: Article::new("III.5.2"),
        rejected: Some(Rejected { article: Article::new("III.5.3"), opponent_gains: Millis::minutes(2) }),
        is_offer: None,
        five_seconds: Some(Article::new("III.4")),
        no_arbiter: Article::new("III.6"),
    }),
    adjournment: Adjournment {
        sealing: Article::new("I.1.1"),
        early: Article::new("I.1.2"),
        envelope: Article::new("I.2"),
        offer_item: Article::new("I.2.6"),
        custody: Article::new("I.3"),
        offer_after: Article::new("I.4"),
        set_up: Article::new("I.5"),
        ended: Article::new("I.6"),
        opening: Article::new("I.7"),
        bad_move: BadMove {
            article: Article::new("I.8"),
            ambiguous: Article::new("I.8.1"),
            undecipherable: Article::new("I.8.2"),
            illegal: Article::new("I.8.3"),
            except: "5, 6.9, 9.6",
        },
        responder_present: Article::new("I.9.1"),
        responder_absent: Article::new("I.9.2"),
        sealer_absent: Article::new("I.9.3"),
        reply_kept: Some(Article::new("I.9.3")),
        late: Late { article: Article::new("I.10"), ..y2014::STANDARD.adjournment.late },
        late_sealer: Article::new("I.10"),
        neither_present: Some(Article::new("I.11")),
        lost: Article::new("I.12.1"),
        position_lost: Article::new("I.12.2"),
        wrong_times: Article::new("I.13"),
        sessions: Article::new("I.14"),
        ..y2014::STANDARD.adjournment
    },
    penalties: Penalties {
        warning: Article::new("12.9.1"),
        opponent_time: Article::new("12.9.2"),
        own_time: Article::new("12.9.3"),
        opponent_points: Some(Article::new("12.9.4")),
        own_points: Some(Article::new("12.9.5")),
        loss: Article::new("12.9.6"),
        fine: Some(Article::new("12.9.7")),
        exclusion: Some(Article::new("12.9.8")),
        expulsion: Article::new("12.9.9"),
    },
    ..y2014::STANDARD
};

/// Appendix A.3: the competition rules.
pub(super) const RAPID_SUPERVISED: Laws = Laws { play: Play::Rapid, recording: y2014::RAPID_SUPERVISED.recording, ..STANDARD };

/// Appendix A.4: the first illegal move still loses.
pub(super) const RAPID: Laws = Laws {
    supervision: Supervision::Limited,
    unverified: &["flag.observed", "flag.called", "flag.claimed"],
    flag: Flag { observed: Article::new("A.4.5"), claimed: Article::new("A.4.3"), ..STANDARD.flag },
    wrong_setup: WrongSetup { voids: STANDARD.wrong_setup.voids, article: Article::new("A.4.1"), ..y2014::RAPID.wrong_setup },
    illegal_move: IllegalMove {
        article: Article::new("A.4.2"),
        tariff: Article::new("A.4.2"),
        amount: Article::new("A.4.2"),
        opponent_gains: Millis::ZERO,
        loses_at: Some(1),
        until: y2014::RAPID.illegal_move.until,
        still_impossible: Some(Article::new("A.4.4")),
        ..STANDARD.illegal_move
    },
    recording: Recording { article: Article::new("A.2"), required: false, ..STANDARD.recording },
    ..RAPID_SUPERVISED
};

/// Appendix B.3: the competition rules, with one minute in place of two (B.2), and no quickplay finish (III.2.2).
pub(super) const BLITZ_SUPERVISED: Laws = Laws {
    play: Play::Blitz,
    illegal_move: IllegalMove { opponent_gains: Millis::minutes(1), amount: Article::new("B.2"), ..STANDARD.illegal_move },
    claim: DrawClaim { opponent_gains: Millis::minutes(1), amount: Article::new("B.2"), ..STANDARD.claim },
    quickplay: None,
    ..RAPID_SUPERVISED
};

/// Appendix B, which takes over A.2 and A.4.
pub(super) const BLITZ: Laws = Laws { play: Play::Blitz, claim: BLITZ_SUPERVISED.claim, quickplay: None, ..RAPID };
