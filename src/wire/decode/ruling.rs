//! Rulings from protobuf.

use super::super::adjournment::decode_ruling;
use super::super::v1;
use super::{Error, color, color_or_none, millis, short, text, times};
use crate::clock::Adjustment;
use crate::game::entry::{MAX_TEXT, UnknownWord};
use crate::game::{DeviceId, Penalty, Ruling};

/// A ruling.
///
/// # Errors
/// Names the field that is wrong.
pub fn ruling(r: v1::Ruling) -> Result<Ruling, Error> {
    use v1::ruling::Kind;
    let score = |score: &str| score.parse().map_err(|e: UnknownWord| Error::new("score", e.to_string()));
    let reason = |reason| text("reason", reason, MAX_TEXT);
    Ok(match r.kind.ok_or_else(|| Error::missing("ruling"))? {
        Kind::Start(_) => Ruling::Start,
        Kind::Stop(s) => Ruling::Stop { reason: reason(s.reason)? },
        Kind::Resume(_) => Ruling::Resume,
        Kind::SetClocks(t) => Ruling::SetClocks { times: times(t)? },
        Kind::AddTime(a) => Ruling::AddTime { color: color("add_time.color", a.color)?, by: Adjustment(a.by_ms), reason: reason(a.reason)? },
        Kind::SetCounter(c) => Ruling::SetCounter { color: color("set_counter.color", c.color)?, moves: c.moves },
        Kind::ReplaceClock(d) => Ruling::ReplaceClock { device: (d > 0).then_some(DeviceId(d)) },
        Kind::ReplaceOwnClock(own) => {
            if own.device == 0 {
                return Err(Error::new("replace_own_clock.device", "the serial number of the device, from 1"));
            }
            Ruling::ReplaceOwnClock { color: color("replace_own_clock.color", own.color)?, device: DeviceId(own.device) }
        }
        Kind::DeclareResult(r) => Ruling::DeclareResult { score: score(&r.score)?, reason: reason(r.reason)? },
        Kind::CorrectResult(r) => Ruling::CorrectResult { score: score(&r.score)?, reason: reason(r.reason)? },
        Kind::Annul(a) => Ruling::Annul { reason: reason(a.reason)? },
        Kind::Undo(u) => Ruling::Undo { reason: reason(u.reason)? },
        Kind::Uphold(u) => Ruling::Uphold { reason: reason(u.reason)? },
        Kind::Reject(r) => Ruling::Reject { reason: reason(r.reason)? },
        Kind::Postpone(p) => Ruling::Postpone { reason: reason(p.reason)? },
        Kind::CallFlag(c) => Ruling::CallFlag { color: color("call_flag", c)? },
        Kind::RuleIllegal(r) => Ruling::RuleIllegal { color: color_or_none("rule_illegal.color", r.color)?, two_hands: r.two_hands },
        Kind::Penalise(p) => Ruling::Penalise { color: color("penalise.color", p.color)?, penalty: penalty(&p)?, reason: reason(p.reason)? },
        Kind::Restore(r) => Ruling::Restore { plies: r.plies },
        Kind::FindColoursReversed(_) => Ruling::FindColoursReversed,
        Kind::FindWrongSetup(_) => Ruling::FindWrongSetup,
        Kind::Excuse(e) => Ruling::Excuse { color: color("excuse.color", e.color)?, reason: reason(e.reason)? },
        kind @ (Kind::OrderSeal(_)
        | Kind::Announce(_)
        | Kind::WriteEnvelope(_)
        | Kind::TakeCustody(_)
        | Kind::LoseEnvelope(_)
        | Kind::Open(_)
        | Kind::Decipher(_)) => decode_ruling(kind)?,
    })
}

fn penalty(p: &v1::Penalise) -> Result<Penalty, Error> {
    let time = || millis("penalise.time_ms", p.time_ms);
    let points =
        || u8::try_from(p.half_points).map_err(|_| Error::new("penalise.half_points", format!("{} half points are no penalty", p.half_points)));
    let penalty = match p.kind.as_str() {
        "warning" => Penalty::Warning,
        "opponent-time" => Penalty::OpponentTime(time()?),
        "own-time" => Penalty::OwnTime(time()?),
        "opponent-points" => Penalty::OpponentPoints(points()?),
        "own-points" => Penalty::OwnPoints(points()?),
        "loss" => Penalty::Loss,
        "fine" => Penalty::Fine,
        "exclusion" => Penalty::Exclusion,
        "expulsion" => Penalty::Expulsion,
        other => {
            let known = "warning opponent-time own-time opponent-points own-points loss fine exclusion expulsion";
            return Err(Error::new("penalise.kind", format!("'{}' is none of: {known}", short(other))));
        }
    };
    if p.time_ms > 0 && !matches!(penalty, Penalty::OpponentTime(_) | Penalty::OwnTime(_)) {
        return Err(Error::new("penalise.time_ms", format!("'{}' takes no time", p.kind)));
    }
    if p.half_points > 0 && !matches!(penalty, Penalty::OpponentPoints(_) | Penalty::OwnPoints(_)) {
        return Err(Error::new("penalise.half_points", format!("'{}' takes no points", p.kind)));
    }
    Ok(penalty)
}
