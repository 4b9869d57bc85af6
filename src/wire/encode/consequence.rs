//! Consequences to protobuf, and orders as devices get them.

use shakmaty::Color;

use super::super::adjournment::encode_consequence;
use super::super::mating::verdict;
use super::super::v1::{self, consequence};
use super::fact::claim;
use super::{color, color_or_none, side, sides};
use crate::clock::{Clock, Millis};
use crate::game::entry::Reopened;
use crate::game::{Command, Consequence, Duty, Loss, OrderNo, StopReason};

pub(in crate::wire) fn stop_reason(r: StopReason) -> v1::StopReason {
    match r {
        StopReason::Arbiter => v1::StopReason::Arbiter,
        StopReason::Pause => v1::StopReason::Pause,
        StopReason::DeviceRestart => v1::StopReason::DeviceRestart,
        StopReason::TimekeeperRestart => v1::StopReason::TimekeeperRestart,
        StopReason::StampsBackwards => v1::StopReason::StampsBackwards,
        StopReason::DeviceLeapt => v1::StopReason::DeviceLeapt,
        StopReason::Uncounted => v1::StopReason::Uncounted,
        StopReason::ClockReplaced => v1::StopReason::ClockReplaced,
        StopReason::FlagUndecided => v1::StopReason::FlagUndecided,
        StopReason::GameOver => v1::StopReason::GameOver,
        StopReason::Claim => v1::StopReason::Claim,
        StopReason::Restored => v1::StopReason::Restored,
        StopReason::MatingAsked => v1::StopReason::MatingAsked,
        StopReason::Sealed => v1::StopReason::Sealed,
        StopReason::Resuming => v1::StopReason::Resuming,
    }
}

/// An order as a device gets it.
pub fn order(no: OrderNo, command: &Command, to: Option<Color>) -> v1::Order {
    use v1::order::Command as Wire;
    let command = match command {
        Command::Start { color: c } => Wire::Start(color(*c)),
        Command::Stop => Wire::Stop(v1::StopClocks {}),
        Command::Set { sides: s } => Wire::Set(sides(s)),
        Command::Add { color: c, by } => Wire::Add(v1::AddToClock { color: color(*c), by_ms: by.0 }),
    };
    v1::Order { order: no.0, command: Some(command), to: color_or_none(to) }
}

fn read(c: Color, clock: &Clock, other: Millis, since: Millis) -> v1::ClockRead {
    v1::ClockRead { color: color(c), side: Some(side(clock)), other_ms: other.0, since_ms: since.0 }
}

fn duty(d: &Duty) -> v1::duty_set::Duty {
    match d {
        Duty::Play(uci) => v1::duty_set::Duty::Play(uci.to_string()),
        Duty::Move(square) => v1::duty_set::Duty::PieceOn(square.to_string()),
    }
}

fn loss(l: &Loss) -> v1::Loss {
    v1::Loss { color: color(l.color), termination: l.termination.to_string(), article: l.article.to_string() }
}

pub(super) fn consequence(c: &Consequence) -> v1::Consequence {
    use consequence::Kind;
    let kind = match c {
        Consequence::PlayersReady => Kind::PlayersReady(v1::PlayersReady {}),
        Consequence::ClockStarted { color: c, since } => Kind::ClockStarted(v1::ClockStarted { color: color(*c), since_ms: since.0 }),
        Consequence::ClocksStopped { sides: s, reason } => {
            Kind::ClocksStopped(v1::ClocksStopped { sides: Some(sides(s)), reason: stop_reason(*reason).into() })
        }
        Consequence::Pressed { by, clock, other, completed, since } => Kind::Pressed(v1::Pressed {
            by: color(*by),
            left_ms: clock.left.0,
            free_ms: clock.free.0,
            period: clock.period,
            counter: clock.counter,
            other_ms: other.0,
            completed: *completed,
            since_ms: since.0,
        }),
        Consequence::MoveCompleted { by, completed } => Kind::MoveCompleted(v1::MoveCompleted { by: color(*by), completed: *completed }),
        Consequence::MoveTakenBack { by } => Kind::MoveTakenBack(color(*by)),
        Consequence::PeriodAdded { color: c, clock, other, since } => Kind::PeriodAdded(read(*c, clock, *other, *since)),
        Consequence::ClockRead { color: c, clock, other, since } => Kind::ClockRead(read(*c, clock, *other, *since)),
        Consequence::FlagFallen { color: c, at, article } => {
            Kind::FlagFallen(v1::FlagFallen { color: color(*c), at_ms: at.0, article: article.to_string() })
        }
        Consequence::FlagWithdrawn { color: c } => Kind::FlagWithdrawn(color(*c)),
        Consequence::ClocksSet { sides: s } => Kind::ClocksSet(sides(s)),
        Consequence::Ordered { order: no, command, to } => Kind::Ordered(order(*no, command, *to)),
        Consequence::OfferMade { by } => Kind::OfferMade(color(*by)),
        Consequence::OfferEnded => Kind::OfferEnded(v1::OfferEnded {}),
        Consequence::GameOver { score, termination, article } => {
            Kind::GameOver(v1::GameOver { score: score.to_string(), termination: termination.to_string(), article: article.to_string() })
        }
        Consequence::ResultCorrected { score } => Kind::ResultCorrected(score.to_string()),
        Consequence::Annulled => Kind::Annulled(v1::Annulled {}),
        Consequence::Reopened { phase } => Kind::Reopened(
            match phase {
                Reopened::Waiting => v1::Reopened::Waiting,
                Reopened::Stopped => v1::Reopened::Stopped,
                Reopened::Over => v1::Reopened::Over,
                Reopened::Adjourned => v1::Reopened::Adjourned,
            }
            .into(),
        ),
        Consequence::Undone { ruling } => Kind::Undone(ruling.0),
        Consequence::ClockReplaced { device } => Kind::ClockReplaced(device.map_or(0, |d| d.0)),
        Consequence::OwnClockReplaced { color: c, device } => Kind::OwnClockReplaced(v1::OwnClock { color: color(*c), device: device.0 }),
        Consequence::Placed { by, flag, hall } => {
            Kind::Placed(v1::Placed { by: color(*by), flag: *flag, from_ms: hall.from.0, until_ms: hall.until.0 })
        }
        Consequence::Incident { code, color: c, article, note } => {
            Kind::Incident(v1::Incident { code: code.to_string(), color: color_or_none(*c), article: article.to_string(), note: note.clone() })
        }
        Consequence::Compensated { by, reported, credited } => {
            Kind::Compensated(v1::Compensated { by: color(*by), reported_ms: reported.0, credited_ms: credited.0 })
        }
        Consequence::FlagDown { color: c, at } => Kind::FlagDown(v1::FlagDown { color: color(*c), at_ms: at.0 }),
        Consequence::ClaimJudged { by, claim: c, answer, because, article, pending } => Kind::ClaimJudged(v1::ClaimJudged {
            claim: Some(claim(*by, c)),
            answer: answer.to_string(),
            because: because.clone(),
            article: article.to_string(),
            pending: *pending,
        }),
        Consequence::ClaimEnded { article } => Kind::ClaimEnded(v1::ClaimEnded { article: article.to_string() }),
        Consequence::ClaimPostponed { article } => Kind::ClaimPostponed(v1::ClaimPostponed { article: article.to_string() }),
        Consequence::DutySet { by, duty: d } => Kind::DutySet(v1::DutySet { by: color(*by), duty: d.as_ref().map(duty) }),
        Consequence::IllegalCounted { color: c, count, article } => {
            Kind::IllegalCounted(v1::IllegalCounted { color: color(*c), count: *count, article: article.to_string() })
        }
        Consequence::Restored { plies, on_move, made, completed, article } => Kind::Restored(v1::Restored {
            plies: *plies,
            on_move: color(*on_move),
            made_white: made.white,
            made_black: made.black,
            completed_white: completed.white,
            completed_black: completed.black,
            article: article.to_string(),
        }),
        Consequence::Promoted { by, made } => Kind::Promoted(v1::Promoted { by: color(*by), r#move: made.to_string() }),
        Consequence::PointsChanged { color: c, halves } => Kind::PointsChanged(v1::PointsChanged { color: color(*c), half_points: *halves }),
        Consequence::IncrementSet { each } => Kind::IncrementSet(v1::IncrementSet { each_ms: each.0 }),
        Consequence::MatingAsked { plies, then } => Kind::MatingAsked(v1::MatingAsked { plies: *plies, then: then.as_ref().map(loss) }),
        Consequence::MatingJudged { plies, mating } => Kind::MatingJudged(verdict(*plies, mating)),
        Consequence::Noted { color: c, article } => Kind::Noted(v1::Noted { color: color_or_none(*c), article: article.to_string() }),
        Consequence::Excused { color: c } => Kind::Excused(color(*c)),
        Consequence::CastlingForbidden { rooks } => Kind::CastlingForbidden(v1::Rooks { squares: rooks.iter().map(ToString::to_string).collect() }),
        Consequence::SealOrdered { .. }
        | Consequence::SessionAnnounced { .. }
        | Consequence::MoveSealed { .. }
        | Consequence::EnvelopeWritten { .. }
        | Consequence::Adjourned { .. }
        | Consequence::EnvelopeLost { .. }
        | Consequence::Resumed { .. }
        | Consequence::LatenessOpen { .. }
        | Consequence::SealedMoveJudged { .. }
        | Consequence::SealedMovePlayed { .. }
        | Consequence::ReplySealed { .. } => return v1::Consequence { kind: encode_consequence(c) },
    };
    v1::Consequence { kind: Some(kind) }
}
