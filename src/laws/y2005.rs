//! For competitions from 1 July 2005 on, as the difference from 2001.

use super::{Acts, Article, BothFlags, BothFlagsThen, Edition, Flag, IllegalMove, Laws, Offer, Play, Supervision, Until, y2001};

pub(super) const STANDARD: Laws = Laws {
    edition: Edition::Y2005,
    unverified: &[
        "rapid.from",
        "rapid.to",
        "counter",
        "flag.observed",
        "flag.called",
        "flag.claimed",
        "stopping.without-reason",
        "illegal-move.promotion",
        "recording.exempt-below",
        "recording.unless-increment",
    ],
    both_flags: BothFlags { article: Article::new("6.12b"), continues: Article::new("6.12a"), then: BothFlagsThen::ContinuesUnlessLastPeriod },
    illegal_move: IllegalMove {
        article: Article::new("7.4a"),
        tariff: Article::new("7.4b"),
        amount: Article::new("7.4b"),
        ..y2001::STANDARD.illegal_move
    },
    offer: Offer { disturbance: Article::new("12.6"), recorded: Article::new("E13"), ..y2001::STANDARD.offer },
    ..y2001::STANDARD
};

/// Appendix B: the arbiter steps in where the position is impossible.
pub(super) const RAPID: Laws = Laws {
    play: Play::Rapid,
    supervision: Supervision::Limited,
    unverified: &[
        "rapid.from",
        "rapid.to",
        "counter",
        "stopping.without-reason",
        "wrong-setup.castling",
        "wrong-setup.closes-after",
        "illegal-move",
        "illegal-move.until",
        "illegal-move.arbiter-acts",
        "illegal-move.promotion",
        "recording.exempt-below",
        "recording.unless-increment",
    ],
    flag: Flag { observed: Article::new("B7"), claimed: Article::new("B8"), ..y2001::RAPID.flag },
    both_flags: BothFlags { article: Article::new("B9"), continues: Article::new("B9"), then: BothFlagsThen::AlwaysDrawn },
    wrong_setup: y2001::RAPID.wrong_setup,
    illegal_move: IllegalMove {
        article: Article::new("B6"),
        until: Until::OpponentMoves,
        arbiter_acts: Acts::OnClaimUnlessImpossible,
        ..STANDARD.illegal_move
    },
    recording: y2001::RAPID.recording,
    ..STANDARD
};

/// Appendix C.
pub(super) const BLITZ: Laws = Laws {
    play: Play::Blitz,
    unverified: &[
        "rapid.from",
        "rapid.to",
        "counter",
        "stopping.without-reason",
        "wrong-setup.castling",
        "wrong-setup.closes-after",
        "illegal-move",
        "illegal-move.opponent-gains",
        "illegal-move.fixed",
        "illegal-move.loses-at",
        "illegal-move.draws-if-unwinnable",
        "illegal-move.until",
        "illegal-move.arbiter-acts",
        "illegal-move.promotion",
        "recording.exempt-below",
        "recording.unless-increment",
    ],
    illegal_move: y2001::BLITZ.illegal_move,
    quickplay: None,
    ..RAPID
};
