//! Domain to protobuf. Total.

use shakmaty::ByColor;

use super::v1::{self, consequence, device_entry, entry, fact};
use crate::board::Start;
use crate::clock::{Clock, CountFrom, PeriodAdded, Reading};
use crate::game::entry::Reopened;
use crate::game::{self, BoardSeen, Command, Consequence, Fact, Moved, OrderNo, Regulations, Ruling, StopReason};
use crate::laws::Play;
use crate::venue::{self, Admin, DeviceEntry, Introduction, Origin, Pairing, Payload, Player, Role, Subject};

/// An entry, without its chain.
pub fn entry(e: &venue::Entry) -> v1::Entry {
    v1::Entry {
        seq: e.seq.0,
        subject: match e.subject {
            Subject::Venue => None,
            Subject::Tournament(id) => Some(entry::Subject::Tournament(id.0)),
            Subject::Game(id) => Some(entry::Subject::Game(id.0)),
            Subject::Device(id) => Some(entry::Subject::Device(id.0)),
        },
        version: e.version.0,
        recorded_at_ms: e.recorded_at.0,
        origin: e.origin.as_ref().map(origin),
        cause: e.cause.map_or(0, |seq| seq.0),
        key: e.key.as_ref().map_or_else(String::new, |key| key.0.clone()),
        payload: Some(match &e.payload {
            Payload::Game(game::Entry::Fact(f)) => entry::Payload::Fact(fact(f)),
            Payload::Game(game::Entry::Ruling(r)) => entry::Payload::Ruling(ruling(r)),
            Payload::Game(game::Entry::Consequence(c)) => entry::Payload::Consequence(consequence(c)),
            Payload::Admin(a) => entry::Payload::Admin(admin(a)),
            Payload::Device(d) => entry::Payload::DeviceEntry(device_entry(d)),
        }),
        chain: Vec::new(),
    }
}

fn origin(o: &Origin) -> v1::Origin {
    v1::Origin {
        role: match o.role {
            Role::Clock => v1::Role::Clock,
            Role::Arbiter => v1::Role::Arbiter,
            Role::Office => v1::Role::Office,
            Role::Daemon => v1::Role::Daemon,
            Role::Feed => v1::Role::Feed,
        }
        .into(),
        name: o.name.clone(),
        device: o.stamp.map_or(0, |s| s.device.0),
        boot: o.stamp.map_or(0, |s| s.boot),
        report: o.stamp.map_or(0, |s| s.report),
        at_ms: o.stamp.map(|s| s.at.0),
    }
}

pub(super) fn color(c: shakmaty::Color) -> i32 {
    c.fold_wb(v1::Color::White, v1::Color::Black).into()
}

pub(super) fn color_or_none(c: Option<shakmaty::Color>) -> i32 {
    c.map_or(v1::Color::Unspecified.into(), color)
}

/// Both times.
pub fn times(t: &Reading) -> v1::Times {
    v1::Times { white_ms: t.white.0, black_ms: t.black.0 }
}

fn side(c: &Clock) -> v1::Side {
    v1::Side { left_ms: c.left.0, free_ms: c.free.0, period: c.period, counter: c.counter }
}

/// Both sides of a chessclock.
pub fn sides(s: &ByColor<Clock>) -> v1::Sides {
    v1::Sides { white: Some(side(&s.white)), black: Some(side(&s.black)) }
}

fn fact(f: &Fact) -> v1::Fact {
    use fact::Kind;
    let kind = match f {
        Fact::Arrival { color: c } => Kind::Arrival(color(*c)),
        Fact::Move { by, made } => Kind::Move(v1::Move { by: color(*by), r#move: made.to_string() }),
        Fact::Press { by, moved, shown } => Kind::Press(v1::Press {
            by: color(*by),
            r#move: if let Moved::Move(uci) = moved { uci.to_string() } else { String::new() },
            unread: *moved == Moved::Unknown,
            shown_ms: shown.map(|t| t.0),
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
    };
    v1::Fact { kind: Some(kind) }
}

fn ruling(r: &Ruling) -> v1::Ruling {
    use v1::ruling::Kind;
    let result = |score: &game::Score, reason: &String| v1::Result { score: score.to_string(), reason: reason.clone() };
    let kind = match r {
        Ruling::Start => Kind::Start(v1::Start {}),
        Ruling::Stop { reason } => Kind::Stop(v1::Stop { reason: reason.clone() }),
        Ruling::Resume => Kind::Resume(v1::Resume {}),
        Ruling::SetClocks { times: t } => Kind::SetClocks(times(t)),
        Ruling::AddTime { color: c, by, reason } => Kind::AddTime(v1::AddTime { color: color(*c), by_ms: by.0, reason: reason.clone() }),
        Ruling::SetCounter { color: c, moves } => Kind::SetCounter(v1::SetCounter { color: color(*c), moves: *moves }),
        Ruling::ReplaceClock { device } => Kind::ReplaceClock(device.map_or(0, |d| d.0)),
        Ruling::DeclareResult { score, reason } => Kind::DeclareResult(result(score, reason)),
        Ruling::CorrectResult { score, reason } => Kind::CorrectResult(result(score, reason)),
        Ruling::Annul { reason } => Kind::Annul(v1::Annul { reason: reason.clone() }),
        Ruling::Undo { reason } => Kind::Undo(v1::Undo { reason: reason.clone() }),
    };
    v1::Ruling { kind: Some(kind) }
}

impl From<&Ruling> for v1::Ruling {
    fn from(r: &Ruling) -> v1::Ruling {
        ruling(r)
    }
}

impl From<&Fact> for v1::Fact {
    fn from(f: &Fact) -> v1::Fact {
        fact(f)
    }
}

pub(super) fn stop_reason(r: StopReason) -> v1::StopReason {
    match r {
        StopReason::Arbiter => v1::StopReason::Arbiter,
        StopReason::Pause => v1::StopReason::Pause,
        StopReason::DeviceRestart => v1::StopReason::DeviceRestart,
        StopReason::TimekeeperRestart => v1::StopReason::TimekeeperRestart,
        StopReason::StampsBackwards => v1::StopReason::StampsBackwards,
        StopReason::ClockReplaced => v1::StopReason::ClockReplaced,
        StopReason::FlagUndecided => v1::StopReason::FlagUndecided,
        StopReason::GameOver => v1::StopReason::GameOver,
    }
}

/// An order as a device gets it.
pub fn order(no: OrderNo, command: &Command) -> v1::Order {
    use v1::order::Command as Wire;
    let command = match command {
        Command::Start { color: c } => Wire::Start(color(*c)),
        Command::Stop => Wire::Stop(v1::StopClocks {}),
        Command::Set { sides: s } => Wire::Set(sides(s)),
        Command::Add { color: c, by } => Wire::Add(v1::AddToClock { color: color(*c), by_ms: by.0 }),
    };
    v1::Order { order: no.0, command: Some(command) }
}

fn read(c: shakmaty::Color, clock: &Clock, other: crate::clock::Millis, since: crate::clock::Millis) -> v1::ClockRead {
    v1::ClockRead { color: color(c), side: Some(side(clock)), other_ms: other.0, since_ms: since.0 }
}

fn consequence(c: &Consequence) -> v1::Consequence {
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
        Consequence::Ordered { order: no, command } => Kind::Ordered(order(*no, command)),
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
            }
            .into(),
        ),
        Consequence::Undone { ruling } => Kind::Undone(ruling.0),
        Consequence::ClockReplaced { device } => Kind::ClockReplaced(device.map_or(0, |d| d.0)),
        Consequence::Incident { code, color: c, article, note } => {
            Kind::Incident(v1::Incident { code: code.to_string(), color: color_or_none(*c), article: article.to_string(), note: note.clone() })
        }
    };
    v1::Consequence { kind: Some(kind) }
}

/// Regulations.
pub fn regulations(r: &Regulations) -> v1::Regulations {
    v1::Regulations {
        edition: r.edition.year(),
        play: match r.play {
            Play::Standard => v1::Play::Standard,
            Play::Rapid => v1::Play::Rapid,
            Play::Blitz => v1::Play::Blitz,
        }
        .into(),
        control: r.control.to_string(),
        count_from_after: r.count_from == CountFrom::After,
        period_at_zero: r.period_added == PeriodAdded::AtZero,
        board_unseen: r.board == BoardSeen::Unseen,
    }
}

fn start(s: &Start) -> Option<v1::StartPosition> {
    if s.is_standard() {
        return None;
    }
    let fen = if s.number.is_some() { String::new() } else { s.to_fen() };
    Some(v1::StartPosition { fen, chess960: s.number })
}

fn player(p: &Player) -> v1::Player {
    v1::Player { name: p.name.clone(), fide_id: p.fide_id }
}

pub(super) fn pairing(p: &Pairing) -> v1::Pairing {
    v1::Pairing {
        tournament: p.tournament.0,
        round: p.round,
        board: p.board,
        white: Some(player(&p.players.white)),
        black: Some(player(&p.players.black)),
        start: start(&p.start),
        regulations: p.regulations.as_ref().map(|r| regulations(r)),
    }
}

/// What the office did.
pub fn admin(a: &Admin) -> v1::Admin {
    use v1::admin::Kind;
    let kind = match a {
        Admin::Started { build } => Kind::Started(build.clone()),
        Admin::TournamentCreated { tournament, name, regulations: r } => {
            Kind::TournamentCreated(v1::Tournament { tournament: tournament.0, name: name.clone(), regulations: Some(regulations(r)) })
        }
        Admin::RoundOpened { tournament, round } => Kind::RoundOpened(v1::Round { tournament: tournament.0, round: *round }),
        Admin::Paired { pairing: p } => Kind::Paired(pairing(p)),
        Admin::GameOpened { game, tournament, round, board, regulations: r, start: s, device, absent, clocks } => Kind::GameOpened(v1::GameOpened {
            game: game.0,
            tournament: tournament.0,
            round: *round,
            board: *board,
            regulations: Some(regulations(r)),
            start: start(s),
            device: device.map_or(0, |d| d.0),
            absent_white: absent.white,
            absent_black: absent.black,
            clocks: clocks.as_ref().map(times),
        }),
        Admin::DeviceAssigned { device, game } => Kind::DeviceAssigned(v1::DeviceAssigned { device: device.0, game: game.map_or(0, |g| g.0) }),
        Admin::Alarm { text } => Kind::Alarm(text.clone()),
    };
    v1::Admin { kind: Some(kind) }
}

fn device_entry(d: &DeviceEntry) -> v1::DeviceEntry {
    use device_entry::Kind;
    let kind = match d {
        DeviceEntry::Introduced(i) => Kind::Introduced(introduction(i)),
        DeviceEntry::Battery { percent } => Kind::Battery(*percent),
        DeviceEntry::Restarted => Kind::Restarted(v1::Restart {}),
    };
    v1::DeviceEntry { kind: Some(kind) }
}

fn introduction(i: &Introduction) -> v1::Introduction {
    v1::Introduction {
        model: i.model.clone(),
        firmware: i.firmware.clone(),
        senses_board: i.senses_board,
        wrap_us: i.wrap.map_or(0, |w| w.0),
        time_scale: i.scale,
    }
}
