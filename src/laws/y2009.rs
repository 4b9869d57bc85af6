//! For competitions from 1 July 2009 on, as the difference from 2005.

use super::{
    Acts, Adjournment, Article, BadMove, BothFlags, BothFlagsThen, Completed, DefaultTime, DrawClaim, Edition, Flag, FlagCalled, IllegalMove, Late,
    Laws, MatingBy, NeededToWin, Offer, Play, Quickplay, RapidRange, Recording, RefusedBy, Stopping, Supervision, Unstated, WrongSetup, y2001, y2005,
};
use crate::clock::Millis;

/// From fifteen minutes to less than sixty, with sixty increments.
pub(super) const RAPID_RANGE: RapidRange = RapidRange { article: Article::new("A.1"), from: Millis::minutes(15), below: Millis::minutes(60) };

pub(super) const QUICKPLAY: Quickplay = Quickplay { is_offer: Some(Article::new("9.1b3")), no_arbiter: Article::new("D"), ..y2001::QUICKPLAY };

pub(super) const STANDARD: Laws = Laws {
    edition: Edition::Y2009,
    unverified: &[],
    range: RAPID_RANGE,
    completed: Completed { article: Article::new("6.7a"), ..y2005::STANDARD.completed },
    counter: Article::new("6.10b"),
    default_time: DefaultTime { article: Article::new("6.6a"), unless_stated: Unstated::Zero, neither_present: Some(Article::new("6.6b")) },
    flag: Flag { article: Article::new("6.9"), observed: Article::new("6.8"), claimed: Article::new("6.8"), ..y2005::STANDARD.flag },
    both_flags: BothFlags { article: Article::new("6.11b"), continues: Article::new("6.11a"), ..y2005::STANDARD.both_flags },
    needed_to_win: NeededToWin { article: Article::new("6.9"), by: MatingBy::AnySeries },
    defective_clock: Article::new("6.10a"),
    wrong_setting: Article::new("6.10b"),
    stopping: Stopping { article: Article::new("6.12a"), by_player: Article::new("6.12b"), without_reason: Some(Article::new("6.12d")) },
    restored: Article::new("6.13"),
    illegal_move: IllegalMove { handling: Article::new("6.7c"), draws_if_unwinnable: true, ..y2005::STANDARD.illegal_move },
    offer: Offer { article: Article::new("9.1b1"), recorded: Article::new("C.13"), ..y2005::STANDARD.offer },
    claim: DrawClaim { lost_by: RefusedBy::Touch, claimant_loses: None, is_offer: Some(Article::new("9.1b3")), ..y2005::STANDARD.claim },
    quickplay: Some(QUICKPLAY),
    adjournment: Adjournment {
        sealing: Article::new("Guidelines 1a"),
        early: Article::new("Guidelines 1b"),
        envelope: Article::new("Guidelines 2"),
        offer_item: Article::new("Guidelines 2f"),
        custody: Article::new("Guidelines 3"),
        offer_after: Article::new("Guidelines 4"),
        set_up: Article::new("Guidelines 5"),
        ended: Article::new("Guidelines 6"),
        opening: Article::new("Guidelines 7"),
        bad_move: BadMove {
            article: Article::new("Guidelines 8"),
            ambiguous: Article::new("Guidelines 8a"),
            undecipherable: Article::new("Guidelines 8b"),
            illegal: Article::new("Guidelines 8c"),
            except: "5, 6.9, 9.6",
        },
        responder_present: Article::new("Guidelines 9a"),
        responder_absent: Article::new("Guidelines 9b"),
        sealer_absent: Article::new("Guidelines 9c"),
        reply_kept: Some(Article::new("Guidelines 9c")),
        late: Late { article: Article::new("Guidelines 10"), ..y2005::STANDARD.adjournment.late },
        late_sealer: Article::new("Guidelines 10"),
        lost: Article::new("Guidelines 11a"),
        position_lost: Article::new("Guidelines 11b"),
        wrong_times: Article::new("Guidelines 12"),
        sessions: Article::new("Guidelines 13"),
        ..y2005::STANDARD.adjournment
    },
    ..y2005::STANDARD
};

/// Appendix A.3: the competition rules.
pub(super) const RAPID_SUPERVISED: Laws =
    Laws { play: Play::Rapid, recording: Recording { article: Article::new("A.2"), required: false, ..STANDARD.recording }, ..STANDARD };

/// Appendix A.4.
pub(super) const RAPID: Laws = Laws {
    supervision: Supervision::Limited,
    flag: Flag { observed: Article::new("A.4d1"), called: FlagCalled::ByPlayersUnlessBoth, claimed: Article::new("A.4d2"), ..STANDARD.flag },
    both_flags: BothFlags { article: Article::new("A.4d3"), continues: Article::new("A.4d3"), then: BothFlagsThen::AlwaysDrawn },
    wrong_setup: WrongSetup { article: Article::new("A.4a"), ..y2005::RAPID.wrong_setup },
    illegal_move: IllegalMove {
        article: Article::new("A.4c"),
        until: y2005::RAPID.illegal_move.until,
        arbiter_acts: y2005::RAPID.illegal_move.arbiter_acts,
        ..STANDARD.illegal_move
    },
    recording: Recording { article: Article::new("A.2"), required: false, ..STANDARD.recording },
    ..RAPID_SUPERVISED
};

/// Appendix B.2: the competition rules, with the quickplay finish.
pub(super) const BLITZ_SUPERVISED: Laws = Laws { play: Play::Blitz, ..RAPID_SUPERVISED };

/// Appendix B.3.
pub(super) const BLITZ: Laws = Laws {
    play: Play::Blitz,
    illegal_move: IllegalMove {
        article: Article::new("B.3c"),
        tariff: Article::new("B.3c"),
        amount: Article::new("B.3c"),
        opponent_gains: Millis::ZERO,
        loses_at: Some(1),
        // A.4c does not apply to blitz (B.3b).
        arbiter_acts: Acts::OnClaim,
        ..RAPID.illegal_move
    },
    // B.3b
    quickplay: None,
    ..RAPID
};
