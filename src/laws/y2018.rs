//! For competitions starting on or after 1 January 2018, as the difference from 2017.

use super::{Article, Edition, IllegalMove, Laws, Play, y2017};
use crate::clock::Millis;

pub(super) const STANDARD: Laws = Laws {
    edition: Edition::Y2018,
    illegal_move: IllegalMove {
        tariff: Article::new("7.5.5"),
        amount: Article::new("7.5.5"),
        press_without_move: Some(Article::new("7.5.3")),
        two_hands: Some(Article::new("7.5.4")),
        ..y2017::STANDARD.illegal_move
    },
    ..y2017::STANDARD
};

/// Appendix A.3: the competition rules.
pub(super) const RAPID_SUPERVISED: Laws = Laws { play: Play::Rapid, recording: y2017::RAPID_SUPERVISED.recording, ..STANDARD };

/// Appendix A.4: the second illegal move loses, the first costs two minutes.
pub(super) const RAPID: Laws = Laws {
    edition: Edition::Y2018,
    unverified: &[],
    illegal_move: IllegalMove {
        article: Article::new("A.4.2"),
        until: y2017::RAPID.illegal_move.until,
        still_impossible: y2017::RAPID.illegal_move.still_impossible,
        ..STANDARD.illegal_move
    },
    ..y2017::RAPID
};

/// Appendix B.3: the competition rules, with one minute in place of two (B.2).
pub(super) const BLITZ_SUPERVISED: Laws = Laws {
    edition: Edition::Y2018,
    illegal_move: IllegalMove { opponent_gains: Millis::minutes(1), amount: Article::new("B.2"), ..STANDARD.illegal_move },
    ..y2017::BLITZ_SUPERVISED
};

/// Appendix B, which takes over A.2 and A.4, with one minute in place of two (B.2).
pub(super) const BLITZ: Laws = Laws {
    edition: Edition::Y2018,
    play: Play::Blitz,
    illegal_move: IllegalMove { opponent_gains: Millis::minutes(1), amount: Article::new("B.2"), ..RAPID.illegal_move },
    claim: y2017::BLITZ.claim,
    quickplay: None,
    ..RAPID
};
