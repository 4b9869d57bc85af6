//! For competitions starting on or after 1 January 2023, as the difference from 2018.

use super::{Adjournment, Article, BadMove, DrawClaim, Edition, Flag, Grounds, IllegalMove, Laws, Play, Resignation, WrongSetup, y2018};
use crate::clock::Millis;

pub(super) const STANDARD: Laws = Laws {
    edition: Edition::Y2023,
    resignation: Resignation { draws_if_unwinnable: true, ..y2018::STANDARD.resignation },
    claim: DrawClaim { threefold: Grounds { written: Article::new("9.2.1"), standing: Article::new("9.2.2") }, ..y2018::STANDARD.claim },
    // As a copy of the text lists them.
    adjournment: Adjournment {
        bad_move: BadMove { except: "5, 5.2.2, 6.9, 9.6", ..y2018::STANDARD.adjournment.bad_move },
        ..y2018::STANDARD.adjournment
    },
    ..y2018::STANDARD
};

/// Appendix A.4: the competition rules, with one minute in place of two (A.3).
pub(super) const RAPID_SUPERVISED: Laws = Laws {
    play: Play::Rapid,
    recording: y2018::RAPID_SUPERVISED.recording,
    claim: DrawClaim { opponent_gains: Millis::minutes(1), amount: Article::new("A.3"), ..STANDARD.claim },
    illegal_move: IllegalMove { opponent_gains: Millis::minutes(1), amount: Article::new("A.3"), ..STANDARD.illegal_move },
    ..STANDARD
};

/// Appendix A.5.
pub(super) const RAPID: Laws = Laws {
    supervision: y2018::RAPID.supervision,
    flag: Flag { observed: Article::new("A.5.5"), claimed: Article::new("A.5.3"), ..y2018::RAPID.flag },
    wrong_setup: WrongSetup { article: Article::new("A.5.1"), ..y2018::RAPID.wrong_setup },
    illegal_move: IllegalMove {
        article: Article::new("A.5.2"),
        opponent_gains: Millis::minutes(1),
        amount: Article::new("A.3"),
        still_impossible: Some(Article::new("A.5.4")),
        ..y2018::RAPID.illegal_move
    },
    recording: y2018::RAPID.recording,
    ..RAPID_SUPERVISED
};

/// Appendix B.2.
pub(super) const BLITZ_SUPERVISED: Laws = Laws { play: Play::Blitz, quickplay: None, ..RAPID_SUPERVISED };

/// Appendix B.3, which takes over A.2, A.3 and A.5.
pub(super) const BLITZ: Laws = Laws { play: Play::Blitz, quickplay: None, ..RAPID };
