//! Facts to protobuf, and what players claim.

use shakmaty::Color;

use super::super::adjournment::encode_sealed;
use super::super::mating::verdict_on;
use super::super::v1::{self, fact};
use super::{color, color_or_none, times};
use crate::board::MoveText;
use crate::game::{Claim, Fact, Ground, Moved};

pub(super) fn fact(f: &Fact) -> v1::Fact {
    use fact::Kind;
    let kind = match f {
        Fact::Arrival { color: c } => Kind::Arrival(color(*c)),
        Fact::Move { by, made } => Kind::Move(v1::Move { by: color(*by), r#move: made.to_string() }),
        Fact::Press { by, moved, shown, lag } => Kind::Press(v1::Press {
            by: color(*by),
            r#move: if let Moved::Move(uci) = moved { uci.to_string() } else { String::new() },
            unread: *moved == Moved::Unknown,
            shown_ms: shown.map(|t| t.0),
            lag_ms: lag.map(|t| i64::try_from(t.0).unwrap_or(i64::MAX)),
        }),
        Fact::Touch { by, square } => Kind::Touch(v1::Touch { by: color(*by), square: square.to_string() }),
        Fact::Flag { color: c } => Kind::Flag(color(*c)),
        Fact::Pause { by } => Kind::Pause(color_or_none(*by)),
        Fact::Offer { by } => Kind::Offer(color(*by)),
        Fact::Acceptance { by } => Kind::Acceptance(color(*by)),
        Fact::Rejection { by } => Kind::Rejection(color(*by)),
        Fact::Resignation { by } => Kind::Resignation(color(*by)),
        Fact::Confirmation { order } => Kind::Confirmation(order.0),
        Fact::Display { shown } => Kind::Display(times(shown)),
        Fact::Restart => Kind::Restart(v1::Restart {}),
        Fact::Scoresheet { from, moves } => {
            Kind::Scoresheet(v1::Scoresheet { from_ply: *from, moves: moves.iter().map(ToString::to_string).collect() })
        }
        Fact::Silence { color: c } => Kind::Silence(color(*c)),
        Fact::BothFlags => Kind::BothFlags(v1::BothFlags {}),
        Fact::Claim { by, claim: c } => Kind::Claim(claim(*by, c)),
        Fact::Late { color: c } => Kind::Late(color(*c)),
        Fact::Verdict { ply, position, mating } => Kind::Verdict(verdict_on(*ply, position, mating)),
        Fact::SealedMove { by, ply, sealed } => Kind::SealedMove(encode_sealed(*by, *ply, sealed)),
        Fact::Stop { by } => Kind::Stop(color(*by)),
        Fact::Declaration { by, made } => Kind::Declaration(v1::Move { by: color(*by), r#move: made.to_string() }),
        Fact::SessionOver => Kind::SessionOver(v1::SessionOver {}),
        Fact::Leap { by } => Kind::LeapMs(by.0),
        Fact::Belated { fact: late } => Kind::Belated(Box::new(fact(late))),
    };
    v1::Fact { kind: Some(kind) }
}

/// A claim of this player.
pub(super) fn claim(by: Color, c: &Claim) -> v1::Claim {
    use v1::claim::Kind;
    let with = |text: &Option<MoveText>| text.map_or_else(String::new, |text| text.to_string());
    let kind = match c {
        Claim::Threefold { with: text } => Kind::Threefold(with(text)),
        Claim::Fifty { with: text } => Kind::Fifty(with(text)),
        Claim::Flag => Kind::Flag(v1::FlagClaim {}),
        Claim::IllegalMove => Kind::IllegalMove(v1::IllegalMoveClaim {}),
        Claim::Quickplay { ground } => Kind::Quickplay(
            match ground {
                Ground::CannotWin => v1::Ground::CannotWin,
                Ground::NoEffort => v1::Ground::NoEffort,
                Ground::Both => v1::Ground::Both,
            }
            .into(),
        ),
        Claim::Clocks { times: t } => Kind::Clocks(times(t)),
        Claim::FiveSeconds => Kind::FiveSeconds(v1::FiveSeconds {}),
    };
    v1::Claim { by: color(by), kind: Some(kind) }
}

impl From<&Fact> for v1::Fact {
    fn from(f: &Fact) -> v1::Fact {
        fact(f)
    }
}
