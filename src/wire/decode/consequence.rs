//! Consequences from protobuf.

use shakmaty::ByColor;

use super::super::adjournment::decode_consequence;
use super::super::mating::decode as verdict;
use super::super::v1::{self, consequence};
use super::fact::claim;
use super::{Error, MAX_COUNT, color, color_or_none, count, millis, short, side, sides, square, uci};
use crate::clock::{Adjustment, Clock, Interval};
use crate::game::entry::{Reopened, UnknownWord};
use crate::game::{Answer, Command, Consequence, DeviceId, Duty, Loss, OrderNo, Seq, StopReason};
use crate::laws::Article;

/// Most half points by which one entry may change a result: as many as a penalty can name.
const MAX_HALVES: u32 = u8::MAX as u32;

fn stop_reason(reason: i32) -> Result<StopReason, Error> {
    Ok(match v1::StopReason::try_from(reason) {
        Ok(v1::StopReason::Arbiter) => StopReason::Arbiter,
        Ok(v1::StopReason::Pause) => StopReason::Pause,
        Ok(v1::StopReason::DeviceRestart) => StopReason::DeviceRestart,
        Ok(v1::StopReason::TimekeeperRestart) => StopReason::TimekeeperRestart,
        Ok(v1::StopReason::StampsBackwards) => StopReason::StampsBackwards,
        Ok(v1::StopReason::DeviceLeapt) => StopReason::DeviceLeapt,
        Ok(v1::StopReason::Uncounted) => StopReason::Uncounted,
        Ok(v1::StopReason::ClockReplaced) => StopReason::ClockReplaced,
        Ok(v1::StopReason::FlagUndecided) => StopReason::FlagUndecided,
        Ok(v1::StopReason::GameOver) => StopReason::GameOver,
        Ok(v1::StopReason::Claim) => StopReason::Claim,
        Ok(v1::StopReason::Restored) => StopReason::Restored,
        Ok(v1::StopReason::MatingAsked) => StopReason::MatingAsked,
        Ok(v1::StopReason::Sealed) => StopReason::Sealed,
        Ok(v1::StopReason::Resuming) => StopReason::Resuming,
        Ok(v1::StopReason::Unspecified) | Err(_) => return Err(Error::new("reason", format!("{reason} is no reason to stop"))),
    })
}

fn ordered(order: v1::Order) -> Result<Consequence, Error> {
    use v1::order::Command as Wire;
    let command = match order.command.ok_or_else(|| Error::missing("command"))? {
        Wire::Start(c) => Command::Start { color: color("start", c)? },
        Wire::Stop(_) => Command::Stop,
        Wire::Set(s) => Command::Set { sides: sides(Some(s))? },
        Wire::Add(a) => Command::Add { color: color("add.color", a.color)?, by: Adjustment(a.by_ms) },
    };
    Ok(Consequence::Ordered { order: OrderNo(order.order), command, to: color_or_none("ordered.to", order.to)? })
}

/// Rooks that castle: two of each side.
const MAX_ROOKS: usize = 4;

pub(super) fn consequence(c: v1::Consequence) -> Result<Consequence, Error> {
    use consequence::Kind;
    let word = |field, e: UnknownWord| Error::new(field, e.to_string());
    Ok(match c.kind.ok_or_else(|| Error::missing("consequence"))? {
        Kind::Pressed(p) if p.counter > MAX_COUNT || p.period > MAX_COUNT => return Err(Error::new("counter", format!("more than {MAX_COUNT}"))),
        Kind::Pressed(p) => Consequence::Pressed {
            by: color("pressed.by", p.by)?,
            clock: Clock { left: millis("left_ms", p.left_ms)?, free: millis("free_ms", p.free_ms)?, period: p.period, counter: p.counter },
            other: millis("other_ms", p.other_ms)?,
            completed: p.completed,
            since: millis("since_ms", p.since_ms)?,
        },
        Kind::PlayersReady(_) => Consequence::PlayersReady,
        Kind::ClockStarted(s) => Consequence::ClockStarted { color: color("color", s.color)?, since: millis("since_ms", s.since_ms)? },
        Kind::ClocksStopped(s) => Consequence::ClocksStopped { sides: sides(s.sides)?, reason: stop_reason(s.reason)? },
        Kind::MoveCompleted(m) => Consequence::MoveCompleted { by: color("by", m.by)?, completed: m.completed },
        Kind::MoveTakenBack(c) => Consequence::MoveTakenBack { by: color("by", c)? },
        Kind::PeriodAdded(r) => Consequence::PeriodAdded {
            color: color("color", r.color)?,
            clock: side(r.side)?,
            other: millis("other_ms", r.other_ms)?,
            since: millis("since_ms", r.since_ms)?,
        },
        Kind::ClockRead(r) => Consequence::ClockRead {
            color: color("color", r.color)?,
            clock: side(r.side)?,
            other: millis("other_ms", r.other_ms)?,
            since: millis("since_ms", r.since_ms)?,
        },
        Kind::FlagFallen(f) => {
            Consequence::FlagFallen { color: color("color", f.color)?, at: millis("at_ms", f.at_ms)?, article: Article::new(&f.article) }
        }
        Kind::FlagWithdrawn(c) => Consequence::FlagWithdrawn { color: color("color", c)? },
        Kind::ClocksSet(s) => Consequence::ClocksSet { sides: sides(Some(s))? },
        Kind::Ordered(o) => ordered(o)?,
        Kind::OfferMade(c) => Consequence::OfferMade { by: color("by", c)? },
        Kind::OfferEnded(_) => Consequence::OfferEnded,
        Kind::GameOver(g) => Consequence::GameOver {
            score: g.score.parse().map_err(|e| word("score", e))?,
            termination: g.termination.parse().map_err(|e| word("termination", e))?,
            article: Article::new(&g.article),
        },
        Kind::ResultCorrected(score) => Consequence::ResultCorrected { score: score.parse().map_err(|e| word("score", e))? },
        Kind::Annulled(_) => Consequence::Annulled,
        Kind::Reopened(phase) => Consequence::Reopened {
            phase: match v1::Reopened::try_from(phase) {
                Ok(v1::Reopened::Waiting) => Reopened::Waiting,
                Ok(v1::Reopened::Stopped) => Reopened::Stopped,
                Ok(v1::Reopened::Over) => Reopened::Over,
                Ok(v1::Reopened::Adjourned) => Reopened::Adjourned,
                Ok(v1::Reopened::Unspecified) | Err(_) => return Err(Error::new("reopened", format!("{phase} is no phase"))),
            },
        },
        Kind::Undone(seq) => Consequence::Undone { ruling: Seq(seq) },
        Kind::ClockReplaced(d) => Consequence::ClockReplaced { device: (d > 0).then_some(DeviceId(d)) },
        Kind::OwnClockReplaced(own) => {
            Consequence::OwnClockReplaced { color: color("own_clock_replaced.color", own.color)?, device: DeviceId(own.device) }
        }
        Kind::Placed(p) => {
            let hall = Interval { from: millis("placed.from_ms", p.from_ms)?, until: millis("placed.until_ms", p.until_ms)? };
            Consequence::Placed { by: color("placed.by", p.by)?, flag: p.flag, hall }
        }
        Kind::Incident(i) => Consequence::Incident {
            code: i.code.parse().map_err(|e| word("code", e))?,
            color: color_or_none("color", i.color)?,
            article: Article::new(&i.article),
            note: i.note,
        },
        Kind::Compensated(c) => Consequence::Compensated {
            by: color("by", c.by)?,
            reported: millis("reported_ms", c.reported_ms)?,
            credited: millis("credited_ms", c.credited_ms)?,
        },
        Kind::FlagDown(f) => Consequence::FlagDown { color: color("color", f.color)?, at: millis("at_ms", f.at_ms)? },
        Kind::ClaimJudged(j) => {
            let (by, claim) = claim(&j.claim.ok_or_else(|| Error::missing("claim"))?)?;
            let article = Article::new(&j.article);
            Consequence::ClaimJudged { by, claim, answer: answer(&j.answer)?, because: j.because, article, pending: j.pending }
        }
        Kind::ClaimEnded(c) => Consequence::ClaimEnded { article: Article::new(&c.article) },
        Kind::ClaimPostponed(c) => Consequence::ClaimPostponed { article: Article::new(&c.article) },
        Kind::DutySet(d) => Consequence::DutySet { by: color("by", d.by)?, duty: d.duty.as_ref().map(duty).transpose()? },
        Kind::IllegalCounted(i) => {
            Consequence::IllegalCounted { color: color("color", i.color)?, count: count("count", i.count)?, article: Article::new(&i.article) }
        }
        Kind::Restored(r) => Consequence::Restored {
            plies: r.plies,
            on_move: color("on_move", r.on_move)?,
            made: ByColor { white: count("made_white", r.made_white)?, black: count("made_black", r.made_black)? },
            completed: ByColor { white: count("completed_white", r.completed_white)?, black: count("completed_black", r.completed_black)? },
            article: Article::new(&r.article),
        },
        Kind::Promoted(p) => Consequence::Promoted { by: color("by", p.by)?, made: uci("move", &p.r#move)? },
        Kind::PointsChanged(p) if p.half_points.unsigned_abs() > MAX_HALVES => {
            return Err(Error::new("half_points", format!("more than {MAX_HALVES}")));
        }
        Kind::PointsChanged(p) => Consequence::PointsChanged { color: color("color", p.color)?, halves: p.half_points },
        Kind::IncrementSet(i) => Consequence::IncrementSet { each: millis("each_ms", i.each_ms)? },
        Kind::MatingAsked(m) => Consequence::MatingAsked { plies: m.plies, then: m.then.as_ref().map(loss).transpose()? },
        Kind::MatingJudged(v) => {
            let (plies, mating) = verdict(v)?;
            Consequence::MatingJudged { plies, mating }
        }
        Kind::Noted(n) => Consequence::Noted { color: color_or_none("color", n.color)?, article: Article::new(&n.article) },
        Kind::Excused(c) => Consequence::Excused { color: color("color", c)? },
        Kind::CastlingForbidden(rooks) if rooks.squares.len() > MAX_ROOKS => {
            return Err(Error::new("castling_forbidden", format!("at most {MAX_ROOKS} rooks")));
        }
        Kind::CastlingForbidden(rooks) => {
            let square = |text: &String| text.parse().map_err(|_| Error::new("castling_forbidden", "a square is named as in a1"));
            Consequence::CastlingForbidden { rooks: rooks.squares.iter().map(square).collect::<Result<_, _>>()? }
        }
        kind @ (Kind::SealOrdered(_)
        | Kind::SessionAnnounced(_)
        | Kind::MoveSealed(_)
        | Kind::EnvelopeWritten(_)
        | Kind::Adjourned(_)
        | Kind::EnvelopeLost(_)
        | Kind::Resumed(_)
        | Kind::LatenessOpen(_)
        | Kind::SealedMoveJudged(_)
        | Kind::SealedMovePlayed(_)
        | Kind::ReplySealed(_)) => decode_consequence(kind)?,
    })
}

fn answer(word: &str) -> Result<Answer, Error> {
    let known = [Answer::Correct, Answer::Incorrect, Answer::Open];
    let found = known.into_iter().find(|answer| answer.to_string() == word);
    found.ok_or_else(|| Error::new("answer", format!("'{}' is none of: correct incorrect open", short(word))))
}

fn duty(d: &v1::duty_set::Duty) -> Result<Duty, Error> {
    Ok(match d {
        v1::duty_set::Duty::Play(made) => Duty::Play(uci("play", made)?),
        v1::duty_set::Duty::PieceOn(name) => Duty::Move(square("piece_on", name)?),
    })
}

fn loss(l: &v1::Loss) -> Result<Loss, Error> {
    Ok(Loss {
        color: color("then.color", l.color)?,
        termination: l.termination.parse().map_err(|e: UnknownWord| Error::new("then.termination", e.to_string()))?,
        article: Article::new(&l.article),
    })
}
