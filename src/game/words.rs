//! Closed sets of words: results, how a game ended, what an arbiter should look at.

use std::fmt;
use std::str::FromStr;

use shakmaty::{ByColor, Color};

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant,)* }

        impl $name {
            /// Every one of them.
            pub const ALL: &[$name] = &[$($name::$variant,)*];

            /// The word for it.
            pub const fn word(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.word())
            }
        }

        impl FromStr for $name {
            type Err = UnknownWord;

            fn from_str(text: &str) -> Result<$name, UnknownWord> {
                let found = $name::ALL.iter().copied().find(|one| one.word() == text);
                found.ok_or_else(|| UnknownWord {
                    text: text.chars().take(40).collect(),
                    known: $name::ALL.iter().map(|one| one.word()).collect::<Vec<_>>().join(" "),
                })
            }
        }
    };
}

/// A word that is none of those known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is none of: {known}")]
pub struct UnknownWord {
    text: String,
    known: String,
}

words! {
    /// A result (8.7, 10, 11.8): both may lose, one may have half.
    Score {
        /// White won.
        WhiteWins = "1-0",
        /// Black won.
        BlackWins = "0-1",
        /// Drawn.
        Draw = "1/2-1/2",
        /// Lost by both.
        BothLose = "0-0",
        /// White half, Black nothing.
        WhiteHalf = "1/2-0",
        /// Black half, White nothing.
        BlackHalf = "0-1/2",
        /// White won by forfeit.
        WhiteForfeitWin = "+-",
        /// Black won by forfeit.
        BlackForfeitWin = "-+",
        /// Forfeited by both.
        DoubleForfeit = "--",
    }
}

words! {
    /// How a game ended.
    Termination {
        /// Mate.
        Checkmate = "checkmate",
        /// Stalemate.
        Stalemate = "stalemate",
        /// Neither can mate.
        DeadPosition = "dead-position",
        /// Draw by agreement.
        Agreement = "agreement",
        /// Resignation.
        Resignation = "resignation",
        /// Time used up.
        Time = "time",
        /// The same position for the third time, claimed.
        Threefold = "threefold",
        /// The same position for the fifth time.
        Fivefold = "fivefold",
        /// Fifty moves, claimed.
        Fifty = "fifty",
        /// Seventy-five moves.
        SeventyFive = "seventyfive",
        /// Illegal moves.
        IllegalMoves = "illegal-moves",
        /// Late.
        DefaultTime = "default-time",
        /// Claimed in the quickplay finish.
        Quickplay = "quickplay",
        /// Both flags down.
        BothFlags = "both-flags",
        /// A sealed move that is ambiguous, cannot be deciphered, or is illegal.
        SealedMove = "sealed-move",
        /// The arbiter's decision.
        Arbiter = "arbiter",
    }
}

words! {
    /// What an arbiter should look at.
    IncidentCode {
        /// A press with nothing moved.
        PressWithoutMove = "press-without-move",
        /// An illegal move on the board.
        IllegalMove = "illegal-move",
        /// The clock's counter and the moves made disagree.
        CounterMismatch = "counter-mismatch",
        /// The flag is due and the device is silent.
        FlagDue = "flag-due",
        /// A flag was reported that the times do not bear out.
        FlagDoubtful = "flag-doubtful",
        /// A draw offered at another time than after the move and before the press.
        OfferOutOfTurn = "offer-out-of-turn",
        /// A draw agreed before both had moved.
        AgreementTooEarly = "agreement-too-early",
        /// The device shows other times than its stamps give.
        ClockDiscrepancy = "clock-discrepancy",
        /// The device restarted.
        DeviceRestarted = "device-restarted",
        /// The daemon, which kept the time, restarted.
        TimekeeperRestarted = "timekeeper-restarted",
        /// The device's stamps went backwards.
        StampsBackwards = "stamps-backwards",
        /// The device's time leapt, or stood still.
        DeviceLeapt = "device-leapt",
        /// A device that was replaced reports late what happened before.
        BelatedReport = "belated-report",
        /// A flag fell and moves are missing, so who can still mate is not known.
        PositionUnknown = "position-unknown",
        /// Both flags are down, and which fell first cannot be told.
        BothFlags = "both-flags",
        /// Another move than the one that had to be played.
        MustPlay = "must-play",
        /// A claim that the Laws do not admit at this moment.
        ClaimNotAdmitted = "claim-not-admitted",
        /// Whether a side can still mate could not be worked out.
        MatingUnclear = "mating-unclear",
        /// A move was sealed by a player who is not on move, or not playing.
        SealOutOfTurn = "seal-out-of-turn",
        /// A move was sealed after the clocks had been stopped.
        SealTooLate = "seal-too-late",
        /// The clocks were stopped, and nothing is sealed.
        NothingSealed = "nothing-sealed",
        /// The opponent's clock was started after the order to seal.
        PressAfterOrder = "press-after-order",
        /// A player adjourns early, and his time will not last until the session's end.
        EarlyAdjournment = "early-adjournment",
        /// A player adjourns early, and the session's end is not known.
        SessionEndUnknown = "session-end-unknown",
        /// A session begins whose end was not announced, where it has to be.
        SessionEndUnannounced = "session-end-unannounced",
        /// Something at the board of a game that is adjourned.
        WhileAdjourned = "while-adjourned",
        /// Another move was written than the one on the board.
        SealedOtherwise = "sealed-otherwise",
        /// What the sealed move means is for the arbiter.
        SealedMoveUnclear = "sealed-move-unclear",
        /// A move was declared that nobody asked for.
        DeclarationWithoutNeed = "declaration-without-need",
        /// A player is not there when his adjourned game is resumed.
        PlayerAway = "player-away",
        /// Who sealed is too late, and the envelope has to be opened to judge that.
        LateUnopened = "late-unopened",
        /// Both players are too late for the resumption.
        BothLate = "both-late",
        /// Told by the device of one side, and it certainly happened before what the other one's had told and was decided first.
        HappenedBefore = "happened-before",
    }
}

impl Score {
    /// The win of one side over the board.
    pub fn win(color: Color) -> Score {
        color.fold_wb(Score::WhiteWins, Score::BlackWins)
    }

    /// Half points of each side; `None` for forfeits, which are no result of play.
    pub fn halves(self) -> Option<ByColor<i32>> {
        let (white, black) = match self {
            Score::WhiteWins => (2, 0),
            Score::BlackWins => (0, 2),
            Score::Draw => (1, 1),
            Score::BothLose => (0, 0),
            Score::WhiteHalf => (1, 0),
            Score::BlackHalf => (0, 1),
            Score::WhiteForfeitWin | Score::BlackForfeitWin | Score::DoubleForfeit => return None,
        };
        Some(ByColor { white, black })
    }

    /// The result with so many half points each; `None`: there is none.
    pub fn of_halves(halves: &ByColor<i32>) -> Option<Score> {
        Score::ALL.iter().copied().find(|score| score.halves().as_ref() == Some(halves))
    }

    /// The result after half points were given and taken: nobody has less than nothing, and the two together not more than one point (10.2).
    #[must_use]
    pub fn with_points(self, points: &ByColor<i32>) -> Score {
        let Some(halves) = self.halves() else { return self };
        let mut after = ByColor::new_with(|color| (halves.get(color) + points.get(color)).clamp(0, 2));
        for color in Color::ALL {
            // Whoever was given points gets no more than the other leaves.
            if *points.get(color) > 0 {
                *after.get_mut(color) = (*after.get(color)).min(2 - after.get(!color));
            }
        }
        Score::of_halves(&after).unwrap_or(self)
    }
}
