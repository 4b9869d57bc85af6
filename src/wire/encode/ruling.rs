//! Rulings to protobuf.

use shakmaty::Color;

use super::super::adjournment::encode_ruling;
use super::super::v1;
use super::{color, color_or_none, times};
use crate::game::{Penalty, Ruling, Score};

pub(super) fn ruling(r: &Ruling) -> v1::Ruling {
    use v1::ruling::Kind;
    let result = |score: &Score, reason: &String| v1::Result { score: score.to_string(), reason: reason.clone() };
    let kind = match r {
        Ruling::Start => Kind::Start(v1::Start {}),
        Ruling::Stop { reason } => Kind::Stop(v1::Stop { reason: reason.clone() }),
        Ruling::Resume => Kind::Resume(v1::Resume {}),
        Ruling::SetClocks { times: t } => Kind::SetClocks(times(t)),
        Ruling::AddTime { color: c, by, reason } => Kind::AddTime(v1::AddTime { color: color(*c), by_ms: by.0, reason: reason.clone() }),
        Ruling::SetCounter { color: c, moves } => Kind::SetCounter(v1::SetCounter { color: color(*c), moves: *moves }),
        Ruling::ReplaceClock { device } => Kind::ReplaceClock(device.map_or(0, |d| d.0)),
        Ruling::ReplaceOwnClock { color: c, device } => Kind::ReplaceOwnClock(v1::OwnClock { color: color(*c), device: device.0 }),
        Ruling::DeclareResult { score, reason } => Kind::DeclareResult(result(score, reason)),
        Ruling::CorrectResult { score, reason } => Kind::CorrectResult(result(score, reason)),
        Ruling::Annul { reason } => Kind::Annul(v1::Annul { reason: reason.clone() }),
        Ruling::Undo { reason } => Kind::Undo(v1::Undo { reason: reason.clone() }),
        Ruling::Uphold { reason } => Kind::Uphold(v1::Uphold { reason: reason.clone() }),
        Ruling::Reject { reason } => Kind::Reject(v1::Reject { reason: reason.clone() }),
        Ruling::Postpone { reason } => Kind::Postpone(v1::Postpone { reason: reason.clone() }),
        Ruling::CallFlag { color: c } => Kind::CallFlag(color(*c)),
        Ruling::RuleIllegal { color: c, two_hands } => Kind::RuleIllegal(v1::RuleIllegal { color: color_or_none(*c), two_hands: *two_hands }),
        Ruling::Penalise { color: c, penalty, reason } => Kind::Penalise(penalise(*c, *penalty, reason)),
        Ruling::Restore { plies } => Kind::Restore(v1::Restore { plies: *plies }),
        Ruling::FindColoursReversed => Kind::FindColoursReversed(v1::FindColoursReversed {}),
        Ruling::FindWrongSetup => Kind::FindWrongSetup(v1::FindWrongSetup {}),
        Ruling::Excuse { color: c, reason } => Kind::Excuse(v1::Excuse { color: color(*c), reason: reason.clone() }),
        Ruling::OrderSeal
        | Ruling::Announce { .. }
        | Ruling::WriteEnvelope { .. }
        | Ruling::TakeCustody
        | Ruling::LoseEnvelope { .. }
        | Ruling::Open { .. }
        | Ruling::Decipher { .. } => return v1::Ruling { kind: encode_ruling(r) },
    };
    v1::Ruling { kind: Some(kind) }
}

fn penalise(c: Color, penalty: Penalty, reason: &str) -> v1::Penalise {
    let (time_ms, half_points) = match penalty {
        Penalty::OpponentTime(time) | Penalty::OwnTime(time) => (time.0, 0),
        Penalty::OpponentPoints(halves) | Penalty::OwnPoints(halves) => (0, halves.into()),
        Penalty::Warning | Penalty::Loss | Penalty::Fine | Penalty::Exclusion | Penalty::Expulsion => (0, 0),
    };
    let kind = match penalty {
        Penalty::Warning => "warning",
        Penalty::OpponentTime(_) => "opponent-time",
        Penalty::OwnTime(_) => "own-time",
        Penalty::OpponentPoints(_) => "opponent-points",
        Penalty::OwnPoints(_) => "own-points",
        Penalty::Loss => "loss",
        Penalty::Fine => "fine",
        Penalty::Exclusion => "exclusion",
        Penalty::Expulsion => "expulsion",
    };
    v1::Penalise { color: color(c), kind: kind.to_string(), time_ms, half_points, reason: reason.to_string() }
}

impl From<&Ruling> for v1::Ruling {
    fn from(r: &Ruling) -> v1::Ruling {
        ruling(r)
    }
}
