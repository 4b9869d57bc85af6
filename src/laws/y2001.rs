//! For competitions from 1 July 2001 on, as the difference from 1997.

use super::{
    Acts, Adjournment, Agreement, Article, BadMove, BothFlags, Completed, DefaultTime, DrawClaim, Edition, Fixed, Flag, Halving, IllegalMove, Late,
    Laws, LetOut, MatingBy, NeededToWin, Offer, OfferNoted, Penalties, Play, Quickplay, Recording, RefusedBy, Rejected, Stopping, Supervision, Until,
    WrongCastling, WrongSetup, y1997,
};
use crate::clock::Millis;

/// The quickplay finish: a claim can be rejected now.
pub(super) const QUICKPLAY: Quickplay = Quickplay {
    article: Article::new("10.2"),
    announced: false,
    without_increment: false,
    below: Millis::minutes(2),
    upheld: Article::new("10.2a"),
    postponed: Article::new("10.2b"),
    rejected: Some(Rejected { article: Article::new("10.2c"), opponent_gains: Millis::minutes(2) }),
    is_offer: Some(Article::new("9.1c")),
    five_seconds: None,
    no_arbiter: Article::new("D1"),
};

pub(super) const STANDARD: Laws = Laws {
    edition: Edition::Y2001,
    unverified: &[
        "checkmate",
        "stalemate",
        "agreement.both-have-moved",
        "resignation.draws-if-unwinnable",
        "counter",
        "flag.observed",
        "flag.called",
        "flag.claimed",
        "both-flags.continues",
        "stopping.without-reason",
        "illegal-move.promotion",
        "recording.exempt-below",
        "recording.unless-increment",
        "result",
        "claim.lost-by",
        "adjournment.*",
    ],
    stalemate: Article::new("5.2a"),
    agreement: Agreement { article: Article::new("5.2c"), ..y1997::STANDARD.agreement },
    completed: Completed { article: Article::new("6.8a"), ..y1997::STANDARD.completed },
    counter: Article::new("6.11"),
    default_time: DefaultTime { article: Article::new("6.7"), neither_present: Some(Article::new("6.6")), ..y1997::STANDARD.default_time },
    flag: Flag { article: Article::new("6.10"), observed: Article::new("6.9"), claimed: Article::new("6.9"), ..y1997::STANDARD.flag },
    both_flags: BothFlags { article: Article::new("10.3"), continues: Article::new("6.12"), ..y1997::STANDARD.both_flags },
    needed_to_win: NeededToWin { article: Article::new("6.10"), by: MatingBy::AnySeries },
    defective_clock: Article::new("6.11"),
    wrong_setting: Article::new("6.11"),
    stopping: Stopping { article: Article::new("6.13a"), by_player: Article::new("6.13b"), without_reason: Some(Article::new("6.13d")) },
    restored: Article::new("6.14"),
    illegal_move: IllegalMove {
        handling: Article::new("6.8c"),
        tariff: Article::new("7.4"),
        amount: Article::new("7.4"),
        fixed: Fixed::Always,
        ..y1997::STANDARD.illegal_move
    },
    recording: Recording { unless_increment: Some(Millis::seconds(30)), ..y1997::STANDARD.recording },
    offer: Offer { article: Article::new("9.1a"), recorded: Article::new("App. E"), refused_by: RefusedBy::Touch, ..y1997::STANDARD.offer },
    claim: DrawClaim {
        claimant_loses: Some(Halving { at_most: Millis::minutes(3), floor: Some(Millis::minutes(1)) }),
        is_offer: Some(Article::new("9.1c")),
        ..y1997::STANDARD.claim
    },
    quickplay: Some(QUICKPLAY),
    adjournment: Adjournment {
        early_recorded: true,
        offer_noted: OfferNoted::Current,
        bad_move: BadMove { except: "6.10, 9.6", ..y1997::STANDARD.adjournment.bad_move },
        reply_kept: Some(Article::new("A9c")),
        late: Late { let_out: LetOut::RulesOrArbiter, ..y1997::STANDARD.adjournment.late },
        ..y1997::STANDARD.adjournment
    },
    penalties: Penalties {
        opponent_points: Some(Article::new("13.4f")),
        own_points: Some(Article::new("13.4e")),
        expulsion: Article::new("13.4g"),
        ..y1997::STANDARD.penalties
    },
    ..y1997::STANDARD
};

/// Appendix B.
pub(super) const RAPID: Laws = Laws {
    play: Play::Rapid,
    supervision: Supervision::Limited,
    unverified: &[
        "checkmate",
        "stalemate",
        "agreement.both-have-moved",
        "resignation.draws-if-unwinnable",
        "counter",
        "stopping.without-reason",
        "illegal-move.until",
        "illegal-move.arbiter-acts",
        "illegal-move.promotion",
        "recording.exempt-below",
        "recording.unless-increment",
        "result",
        "claim.lost-by",
        "adjournment.*",
    ],
    flag: Flag { article: STANDARD.flag.article, ..y1997::RAPID.flag },
    both_flags: y1997::RAPID.both_flags,
    wrong_setup: WrongSetup { castling: WrongCastling::King, ..y1997::RAPID.wrong_setup },
    illegal_move: IllegalMove { until: Until::OpponentMoves, arbiter_acts: Acts::OnClaim, ..STANDARD.illegal_move },
    recording: Recording { article: Article::new("B3"), required: false, ..STANDARD.recording },
    ..STANDARD
};

/// Appendix C: a draw where the claimant cannot mate, and any series of moves is enough to win on time.
pub(super) const BLITZ: Laws = Laws {
    play: Play::Blitz,
    unverified: &[
        "checkmate",
        "stalemate",
        "agreement.both-have-moved",
        "resignation.draws-if-unwinnable",
        "counter",
        "stopping.without-reason",
        "illegal-move.promotion",
        "recording.exempt-below",
        "recording.unless-increment",
        "result",
        "claim.lost-by",
        "adjournment.*",
    ],
    illegal_move: IllegalMove {
        article: Article::new("C3"),
        tariff: Article::new("C3"),
        amount: Article::new("C3"),
        opponent_gains: Millis::ZERO,
        loses_at: Some(1),
        draws_if_unwinnable: true,
        ..RAPID.illegal_move
    },
    // C4
    quickplay: None,
    ..RAPID
};
