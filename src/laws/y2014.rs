//! For competitions starting on or after 1 July 2014, as the difference from 2009.

use super::{
    Acts, Adjournment, Article, BadMove, Completed, CorrectedLater, DefaultTime, DrawClaim, Edition, Fivefold, Flag, IllegalMove, Late, LateAfter,
    Laws, LetOut, Offer, Penalties, Play, Promotion, Quickplay, RapidRange, Recording, Rejected, Supervision, Unstated, Until, WrongCastling,
    WrongSetup, y2009,
};
use crate::clock::Millis;

/// More than ten minutes and less than sixty.
const RAPID_RANGE: RapidRange = RapidRange { from: Millis(600_001), ..y2009::RAPID_RANGE };

pub(super) const STANDARD: Laws = Laws {
    edition: Edition::Y2014,
    unverified: &[
        "quickplay.rejected",
        "quickplay.no-arbiter",
        "adjournment.sealing",
        "adjournment.early",
        "adjournment.early-recorded",
        "adjournment.envelope",
        "adjournment.late.*",
        "adjournment.late-sealer",
        "penalties.warning",
        "penalties.opponent-time",
        "penalties.own-time",
        "penalties.opponent-points",
        "penalties.own-points",
        "penalties.loss",
        "penalties.fine",
        "penalties.expulsion",
    ],
    range: RAPID_RANGE,
    dead_position: Article::new("9.7"),
    completed: Completed { article: Article::new("6.2a"), by_next_move: true },
    start: Article::new("6.6"),
    default_time: DefaultTime { article: Article::new("6.7a"), unless_stated: Unstated::MustBeStated, neither_present: Some(Article::new("6.7b")) },
    restored: Article::new("7.1"),
    wrong_setup: WrongSetup { voids: Article::new("7.2a"), article: Article::new("7.2a"), ..y2009::STANDARD.wrong_setup },
    colours_reversed: super::ColoursReversed { article: Article::new("7.3"), ..y2009::STANDARD.colours_reversed },
    illegal_move: IllegalMove {
        article: Article::new("7.5a"),
        tariff: Article::new("7.5b"),
        amount: Article::new("7.5b"),
        loses_at: Some(2),
        promotion: Promotion::Queen,
        handling: Article::new("6.2d"),
        ..y2009::STANDARD.illegal_move
    },
    offer: Offer { disturbance: Article::new("11.5"), recorded: Article::new("9.1b2"), ..y2009::STANDARD.offer },
    claim: DrawClaim { opponent_gains: Millis::minutes(2), ..y2009::STANDARD.claim },
    fivefold: Fivefold::Consecutive(Article::new("9.6a")),
    seventy_five: Some(Article::new("9.6b")),
    quickplay: Some(Quickplay {
        article: Article::new("G.5"),
        announced: true,
        without_increment: true,
        upheld: Article::new("G.5a"),
        postponed: Article::new("G.5b"),
        rejected: Some(Rejected { article: Article::new("G.5c"), opponent_gains: Millis::minutes(2) }),
        is_offer: None,
        five_seconds: Some(Article::new("G.4")),
        no_arbiter: Article::new("G.6"),
        ..y2009::QUICKPLAY
    }),
    adjournment: Adjournment {
        sealing: Article::new("E.1a"),
        early: Article::new("E.1b"),
        envelope: Article::new("E.2"),
        offer_item: Article::new("E.2f"),
        custody: Article::new("E.3"),
        offer_after: Article::new("E.4"),
        set_up: Article::new("E.5"),
        ended: Article::new("E.6"),
        opening: Article::new("E.7"),
        bad_move: BadMove {
            article: Article::new("E.8"),
            ambiguous: Article::new("E.8a"),
            undecipherable: Article::new("E.8b"),
            illegal: Article::new("E.8c"),
            except: "5, 6.9, 9.6, 9.7",
        },
        responder_present: Article::new("E.9a"),
        responder_absent: Article::new("E.9b"),
        sealer_absent: Article::new("E.9c"),
        reply_kept: Some(Article::new("E.9c")),
        late: Late { article: Article::new("E.10"), after: LateAfter::DefaultTime, let_out: LetOut::Arbiter },
        late_sealer: Article::new("E.10"),
        neither_present: Some(Article::new("E.11")),
        lost: Article::new("E.12a"),
        position_lost: Article::new("E.12b"),
        wrong_times: Article::new("E.13"),
        corrected_later: CorrectedLater::AsTheArbiterDecides,
        sessions: Article::new("E.14"),
        end_announced: false,
        ..y2009::STANDARD.adjournment
    },
    time_added: Article::new("12.5"),
    arbiter: Article::new("12.2"),
    penalties: Penalties {
        warning: Article::new("12.9a"),
        opponent_time: Article::new("12.9b"),
        own_time: Article::new("12.9c"),
        opponent_points: Some(Article::new("12.9d")),
        own_points: Some(Article::new("12.9e")),
        loss: Article::new("12.9f"),
        fine: Some(Article::new("12.9g")),
        exclusion: None,
        expulsion: Article::new("12.9h"),
    },
    ..y2009::STANDARD
};

/// Appendix A.3: the competition rules.
pub(super) const RAPID_SUPERVISED: Laws =
    Laws { play: Play::Rapid, recording: Recording { article: Article::new("A.2"), required: false, ..STANDARD.recording }, ..STANDARD };

/// Appendix A.4: the first illegal move loses, and the arbiter may call a flag.
pub(super) const RAPID: Laws = Laws {
    supervision: Supervision::Limited,
    unverified: &[
        "flag.claimed",
        "both-flags.then",
        "both-flags.continues",
        "quickplay.rejected",
        "quickplay.no-arbiter",
        "adjournment.sealing",
        "adjournment.early",
        "adjournment.early-recorded",
        "adjournment.envelope",
        "adjournment.late.*",
        "adjournment.late-sealer",
        "penalties.warning",
        "penalties.opponent-time",
        "penalties.own-time",
        "penalties.opponent-points",
        "penalties.own-points",
        "penalties.loss",
        "penalties.fine",
        "penalties.expulsion",
    ],
    flag: Flag { claimed: Article::new("A.4c"), ..STANDARD.flag },
    wrong_setup: WrongSetup { article: Article::new("A.4a"), closes_after: Some(10), castling: WrongCastling::KingOrRook, ..STANDARD.wrong_setup },
    illegal_move: IllegalMove {
        article: Article::new("A.4b"),
        tariff: Article::new("A.4b"),
        amount: Article::new("A.4b"),
        opponent_gains: Millis::ZERO,
        loses_at: Some(1),
        until: Until::OpponentMoves,
        arbiter_acts: Acts::Always,
        still_impossible: Some(Article::new("A.4d")),
        ..STANDARD.illegal_move
    },
    recording: Recording { article: Article::new("A.2"), required: false, ..STANDARD.recording },
    ..RAPID_SUPERVISED
};

/// Appendix B: the competition rules, with one minute in place of two, and no quickplay finish (G.3).
pub(super) const BLITZ_SUPERVISED: Laws = Laws {
    play: Play::Blitz,
    unverified: &[
        "illegal-move.opponent-gains",
        "wrong-claim.opponent-gains",
        "adjournment.sealing",
        "adjournment.early",
        "adjournment.early-recorded",
        "adjournment.envelope",
        "adjournment.late.*",
        "adjournment.late-sealer",
        "penalties.warning",
        "penalties.opponent-time",
        "penalties.own-time",
        "penalties.opponent-points",
        "penalties.own-points",
        "penalties.loss",
        "penalties.fine",
        "penalties.expulsion",
    ],
    illegal_move: IllegalMove { opponent_gains: Millis::minutes(1), amount: Article::new("B.2"), ..STANDARD.illegal_move },
    claim: DrawClaim { opponent_gains: Millis::minutes(1), amount: Article::new("B.2"), ..STANDARD.claim },
    quickplay: None,
    ..RAPID_SUPERVISED
};

/// Appendix B, which takes over A.2 and A.4.
pub(super) const BLITZ: Laws = Laws {
    play: Play::Blitz,
    unverified: &[
        "flag.claimed",
        "both-flags.then",
        "both-flags.continues",
        "wrong-claim.opponent-gains",
        "adjournment.sealing",
        "adjournment.early",
        "adjournment.early-recorded",
        "adjournment.envelope",
        "adjournment.late.*",
        "adjournment.late-sealer",
        "penalties.warning",
        "penalties.opponent-time",
        "penalties.own-time",
        "penalties.opponent-points",
        "penalties.own-points",
        "penalties.loss",
        "penalties.fine",
        "penalties.expulsion",
    ],
    claim: DrawClaim { opponent_gains: Millis::minutes(1), amount: Article::new("B.2"), ..STANDARD.claim },
    quickplay: None,
    ..RAPID
};
