//! Under which article an entry stands.

use super::entry::{Consequence, Entry, Lost, Ruling};
use crate::laws::{Article, Laws};

impl Entry {
    /// The article that stands behind the entry, where one does.
    pub fn article(&self, laws: &Laws) -> Option<Article> {
        match self {
            Entry::Fact(_) => None,
            Entry::Ruling(ruling) => Some(match ruling {
                Ruling::Start => laws.start,
                Ruling::Stop { .. } | Ruling::Resume => laws.stopping.article,
                Ruling::SetClocks { .. } | Ruling::SetCounter { .. } => laws.counter,
                Ruling::AddTime { .. } => laws.time_added,
                Ruling::ReplaceClock { .. } | Ruling::ReplaceOwnClock { .. } => laws.defective_clock,
                Ruling::DeclareResult { .. } | Ruling::CorrectResult { .. } => laws.result,
                Ruling::Annul { .. } | Ruling::FindWrongSetup => laws.wrong_setup.voids,
                Ruling::FindColoursReversed => laws.colours_reversed.article,
                Ruling::Restore { .. } => laws.restored,
                Ruling::RuleIllegal { .. } => laws.illegal_move.article,
                Ruling::CallFlag { .. } => laws.flag.observed,
                Ruling::Excuse { .. } => laws.default_time.article,
                Ruling::Penalise { penalty, .. } => laws.penalties.article(*penalty).unwrap_or(laws.penalties.warning),
                Ruling::OrderSeal => laws.adjournment.sealing,
                Ruling::Announce { .. } => laws.adjournment.sessions,
                Ruling::WriteEnvelope { .. } => laws.adjournment.envelope,
                Ruling::TakeCustody => laws.adjournment.custody,
                Ruling::LoseEnvelope { lost: Lost::Position } => laws.adjournment.position_lost,
                Ruling::LoseEnvelope { .. } => laws.adjournment.lost,
                Ruling::Open { .. } => laws.adjournment.opening,
                Ruling::Decipher { .. } => laws.adjournment.bad_move.article,
                Ruling::Undo { .. } | Ruling::Uphold { .. } | Ruling::Reject { .. } | Ruling::Postpone { .. } => laws.arbiter,
            }),
            Entry::Consequence(consequence) => match consequence {
                Consequence::FlagFallen { article, .. }
                | Consequence::GameOver { article, .. }
                | Consequence::Incident { article, .. }
                | Consequence::ClaimJudged { article, .. }
                | Consequence::ClaimEnded { article }
                | Consequence::ClaimPostponed { article }
                | Consequence::IllegalCounted { article, .. }
                | Consequence::Restored { article, .. }
                | Consequence::SealOrdered { article, .. }
                | Consequence::SessionAnnounced { article, .. }
                | Consequence::MoveSealed { article, .. }
                | Consequence::EnvelopeWritten { article, .. }
                | Consequence::Adjourned { article }
                | Consequence::EnvelopeLost { article, .. }
                | Consequence::Resumed { article, .. }
                | Consequence::LatenessOpen { article, .. }
                | Consequence::SealedMoveJudged { article, .. }
                | Consequence::SealedMovePlayed { article, .. }
                | Consequence::ReplySealed { article, .. }
                | Consequence::Noted { article, .. } => Some(*article),
                _ => None,
            },
        }
    }
}
