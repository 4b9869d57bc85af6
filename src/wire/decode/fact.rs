//! Facts from protobuf, and what players claim.

use shakmaty::Color;

use super::super::adjournment::sealed;
use super::super::mating::{decode as verdict, position};
use super::super::v1::{self, fact};
use crate::clock::Millis;

use super::{Error, adjustment, color, color_or_none, millis, move_text, square, times};
use crate::board::MoveText;
use crate::game::entry::MAX_SCORESHEET;
use crate::game::{Claim, Fact, Ground, Moved, OrderNo};

/// A fact.
///
/// # Errors
/// Names the field that is wrong.
pub fn fact(f: v1::Fact) -> Result<Fact, Error> {
    use fact::Kind;
    Ok(match f.kind.ok_or_else(|| Error::missing("fact"))? {
        Kind::Press(p) => press(&p)?,
        Kind::Arrival(c) => Fact::Arrival { color: color("arrival", c)? },
        Kind::Move(m) => Fact::Move { by: color("move.by", m.by)?, made: move_text("move.move", &m.r#move)? },
        Kind::Touch(t) => Fact::Touch { by: color("touch.by", t.by)?, square: square("touch.square", &t.square)? },
        Kind::Flag(c) => Fact::Flag { color: color("flag", c)? },
        Kind::Pause(c) => Fact::Pause { by: color_or_none("pause", c)? },
        Kind::Offer(c) => Fact::Offer { by: color("offer", c)? },
        Kind::Acceptance(c) => Fact::Acceptance { by: color("acceptance", c)? },
        Kind::Rejection(c) => Fact::Rejection { by: color("rejection", c)? },
        Kind::Resignation(c) => Fact::Resignation { by: color("resignation", c)? },
        Kind::Confirmation(no) => Fact::Confirmation { order: OrderNo(no) },
        Kind::Display(t) => Fact::Display { shown: times(t)? },
        Kind::Restart(_) => Fact::Restart,
        Kind::Scoresheet(s) => {
            if s.moves.len() > MAX_SCORESHEET {
                return Err(Error::new("scoresheet.moves", format!("at most {MAX_SCORESHEET} at a time")));
            }
            let moves = s.moves.iter().map(|text| move_text("scoresheet.moves", text)).collect::<Result<_, _>>()?;
            Fact::Scoresheet { from: s.from_ply, moves }
        }
        Kind::Silence(c) => Fact::Silence { color: color("silence", c)? },
        Kind::BothFlags(_) => Fact::BothFlags,
        Kind::Claim(c) => {
            let (by, claim) = claim(&c)?;
            Fact::Claim { by, claim }
        }
        Kind::Late(c) => Fact::Late { color: color("late", c)? },
        Kind::Verdict(v) => {
            let position = position(&v)?;
            let (ply, mating) = verdict(v)?;
            Fact::Verdict { ply, position, mating }
        }
        Kind::SealedMove(s) => sealed(s)?,
        Kind::Stop(c) => Fact::Stop { by: color("stop", c)? },
        Kind::Declaration(m) => Fact::Declaration { by: color("declaration.by", m.by)?, made: move_text("declaration.move", &m.r#move)? },
        Kind::SessionOver(_) => Fact::SessionOver,
        Kind::Belated(f) => match fact(*f)? {
            Fact::Belated { .. } => return Err(Error::new("belated", "a fact that is not itself belated")),
            fact => Fact::Belated { fact: Box::new(fact) },
        },
        Kind::LeapMs(by) => Fact::Leap { by: adjustment("leap_ms", by)? },
    })
}

fn press(p: &v1::Press) -> Result<Fact, Error> {
    let moved = match (p.r#move.as_str(), p.unread) {
        ("", false) => Moved::AsReported,
        ("", true) => Moved::Unknown,
        (_, true) => return Err(Error::new("press.unread", "not together with a move")),
        (text, false) => match move_text("press.move", text)? {
            MoveText::Uci(uci) => Moved::Move(uci),
            MoveText::San(_) => return Err(Error::new("press.move", "squares, as in e2e4")),
        },
    };
    let shown = p.shown_ms.map(|ms| millis("press.shown_ms", ms)).transpose()?;
    Ok(Fact::Press { by: color("press.by", p.by)?, moved, shown, lag: p.lag_ms.map(|ms| Millis(ms.max(0).unsigned_abs())) })
}

/// Who claims what.
pub(super) fn claim(c: &v1::Claim) -> Result<(Color, Claim), Error> {
    use v1::claim::Kind;
    let with = |field, text: &str| if text.is_empty() { Ok(None) } else { move_text(field, text).map(Some) };
    let claim = match c.kind.as_ref().ok_or_else(|| Error::missing("claim.kind"))? {
        Kind::Threefold(text) => Claim::Threefold { with: with("claim.threefold", text)? },
        Kind::Fifty(text) => Claim::Fifty { with: with("claim.fifty", text)? },
        Kind::Flag(_) => Claim::Flag,
        Kind::IllegalMove(_) => Claim::IllegalMove,
        Kind::Quickplay(ground) => Claim::Quickplay {
            ground: match v1::Ground::try_from(*ground) {
                Ok(v1::Ground::CannotWin) => Ground::CannotWin,
                Ok(v1::Ground::NoEffort) => Ground::NoEffort,
                Ok(v1::Ground::Both) => Ground::Both,
                Ok(v1::Ground::Unspecified) | Err(_) => {
                    return Err(Error::new("claim.quickplay", format!("{ground} is no ground: (a), (b) or both")));
                }
            },
        },
        Kind::Clocks(t) => Claim::Clocks { times: times(*t)? },
        Kind::FiveSeconds(_) => Claim::FiveSeconds,
    };
    Ok((color("claim.by", c.by)?, claim))
}
