//! Protobuf to domain, checked at the edge: an error names the field.

use std::sync::Arc;

use shakmaty::{ByColor, Color, uci::UciMove};

use super::Error;
use super::v1::{self, consequence, device_entry, entry, fact};
use crate::board::{MoveText, Start};
use crate::clock::{Adjustment, Clock, CountFrom, Millis, PeriodAdded, Reading, TimeControl, Wrap};
use crate::game::entry::{MAX_SCORESHEET, MAX_TEXT, Reopened};
use crate::game::{self, BoardSeen, Command, Consequence, DeviceId, Fact, GameId, Moved, OrderNo, Regulations, Ruling, Seq, StopReason};
use crate::laws::{Article, Edition, Play};
use crate::venue::{
    self, Admin, DeviceEntry, DeviceStamp, Introduction, Key, Origin, Pairing, Payload, Player, Role, Subject, TournamentId, Version, WallTime,
};

/// Largest time that a message may carry: what a signed 64-bit difference can hold.
const MAX_MILLIS: u64 = i64::MAX as u64;

/// An entry as it stands in the log.
///
/// # Errors
/// Where it is none of ours.
pub fn entry(e: v1::Entry) -> Result<venue::Entry, Error> {
    let subject = match e.subject {
        None => Subject::Venue,
        Some(entry::Subject::Tournament(id)) => Subject::Tournament(TournamentId(id)),
        Some(entry::Subject::Game(id)) => Subject::Game(GameId(id)),
        Some(entry::Subject::Device(id)) => Subject::Device(DeviceId(id)),
    };
    let payload = match e.payload.ok_or_else(|| Error::missing("payload"))? {
        entry::Payload::Fact(f) => Payload::Game(game::Entry::Fact(fact(f)?)),
        entry::Payload::Ruling(r) => Payload::Game(game::Entry::Ruling(ruling(r)?)),
        entry::Payload::Consequence(c) => Payload::Game(game::Entry::Consequence(consequence(c)?)),
        entry::Payload::Admin(a) => Payload::Admin(admin(a)?),
        entry::Payload::DeviceEntry(d) => Payload::Device(device_entry(d)?),
    };
    Ok(venue::Entry {
        seq: Seq(e.seq),
        subject,
        version: Version(e.version),
        recorded_at: WallTime(e.recorded_at_ms),
        origin: e.origin.map(origin).transpose()?,
        cause: (e.cause > 0).then_some(Seq(e.cause)),
        key: (!e.key.is_empty()).then_some(Key(e.key)),
        payload,
    })
}

fn origin(o: v1::Origin) -> Result<Origin, Error> {
    let role = match o.role() {
        v1::Role::Clock => Role::Clock,
        v1::Role::Arbiter => Role::Arbiter,
        v1::Role::Office => Role::Office,
        v1::Role::Daemon => Role::Daemon,
        v1::Role::Feed => Role::Feed,
        v1::Role::Unspecified => return Err(Error::missing("origin.role")),
    };
    let stamp = match o.at_ms {
        Some(at) => Some(DeviceStamp { device: DeviceId(o.device), boot: o.boot, report: o.report, at: millis("origin.at_ms", at)? }),
        None => None,
    };
    Ok(Origin { role, name: o.name, stamp })
}

fn millis(field: &'static str, ms: u64) -> Result<Millis, Error> {
    if ms > MAX_MILLIS { Err(Error::new(field, format!("{ms} ms is no time"))) } else { Ok(Millis(ms)) }
}

fn color(field: &'static str, c: i32) -> Result<Color, Error> {
    color_or_none(field, c)?.ok_or_else(|| Error::new(field, "COLOR_WHITE or COLOR_BLACK"))
}

fn color_or_none(field: &'static str, c: i32) -> Result<Option<Color>, Error> {
    match v1::Color::try_from(c) {
        Ok(v1::Color::White) => Ok(Some(Color::White)),
        Ok(v1::Color::Black) => Ok(Some(Color::Black)),
        Ok(v1::Color::Unspecified) => Ok(None),
        Err(_) => Err(Error::new(field, format!("{c} is no colour"))),
    }
}

/// Both times.
///
/// # Errors
/// Where one is no time.
pub fn times(t: v1::Times) -> Result<Reading, Error> {
    Ok(ByColor { white: millis("white_ms", t.white_ms)?, black: millis("black_ms", t.black_ms)? })
}

/// Highest counter and period that an entry may carry: far more than a game has moves.
const MAX_COUNT: u32 = 1_000_000;

fn side(s: Option<v1::Side>) -> Result<Clock, Error> {
    let s = s.ok_or_else(|| Error::missing("side"))?;
    if s.counter > MAX_COUNT || s.period > MAX_COUNT {
        return Err(Error::new("counter", format!("more than {MAX_COUNT}")));
    }
    Ok(Clock { left: millis("left_ms", s.left_ms)?, free: millis("free_ms", s.free_ms)?, period: s.period, counter: s.counter })
}

fn sides(s: Option<v1::Sides>) -> Result<ByColor<Clock>, Error> {
    let s = s.ok_or_else(|| Error::missing("sides"))?;
    Ok(ByColor { white: side(s.white)?, black: side(s.black)? })
}

/// A text within its limit.
///
/// # Errors
/// Where it is longer.
pub fn text(field: &'static str, text: String, most: usize) -> Result<String, Error> {
    if text.len() > most { Err(Error::new(field, format!("longer than {most} bytes"))) } else { Ok(text) }
}

fn move_text(field: &'static str, text: &str) -> Result<MoveText, Error> {
    // Every move of a log passes here, and nearly all are plain UCI.
    match UciMove::from_ascii(text.as_bytes()) {
        Ok(uci @ UciMove::Normal { .. }) => Ok(MoveText::Uci(uci)),
        _ => text.parse().map_err(|e: crate::board::ParseMoveError| Error::new(field, e.to_string())),
    }
}

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
        Kind::Touch(t) => Fact::Touch {
            by: color("touch.by", t.by)?,
            square: t.square.parse().map_err(|_| Error::new("touch.square", "a square is named as in e4"))?,
        },
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
    Ok(Fact::Press { by: color("press.by", p.by)?, moved, shown })
}

/// A ruling.
///
/// # Errors
/// Names the field that is wrong.
pub fn ruling(r: v1::Ruling) -> Result<Ruling, Error> {
    use v1::ruling::Kind;
    let score = |score: &str| score.parse().map_err(|e: game::entry::UnknownWord| Error::new("score", e.to_string()));
    let reason = |reason| text("reason", reason, MAX_TEXT);
    Ok(match r.kind.ok_or_else(|| Error::missing("ruling"))? {
        Kind::Start(_) => Ruling::Start,
        Kind::Stop(s) => Ruling::Stop { reason: reason(s.reason)? },
        Kind::Resume(_) => Ruling::Resume,
        Kind::SetClocks(t) => Ruling::SetClocks { times: times(t)? },
        Kind::AddTime(a) => Ruling::AddTime { color: color("add_time.color", a.color)?, by: Adjustment(a.by_ms), reason: reason(a.reason)? },
        Kind::SetCounter(c) => Ruling::SetCounter { color: color("set_counter.color", c.color)?, moves: c.moves },
        Kind::ReplaceClock(d) => Ruling::ReplaceClock { device: (d > 0).then_some(DeviceId(d)) },
        Kind::DeclareResult(r) => Ruling::DeclareResult { score: score(&r.score)?, reason: reason(r.reason)? },
        Kind::CorrectResult(r) => Ruling::CorrectResult { score: score(&r.score)?, reason: reason(r.reason)? },
        Kind::Annul(a) => Ruling::Annul { reason: reason(a.reason)? },
        Kind::Undo(u) => Ruling::Undo { reason: reason(u.reason)? },
    })
}

fn stop_reason(reason: i32) -> Result<StopReason, Error> {
    Ok(match v1::StopReason::try_from(reason) {
        Ok(v1::StopReason::Arbiter) => StopReason::Arbiter,
        Ok(v1::StopReason::Pause) => StopReason::Pause,
        Ok(v1::StopReason::DeviceRestart) => StopReason::DeviceRestart,
        Ok(v1::StopReason::TimekeeperRestart) => StopReason::TimekeeperRestart,
        Ok(v1::StopReason::StampsBackwards) => StopReason::StampsBackwards,
        Ok(v1::StopReason::ClockReplaced) => StopReason::ClockReplaced,
        Ok(v1::StopReason::FlagUndecided) => StopReason::FlagUndecided,
        Ok(v1::StopReason::GameOver) => StopReason::GameOver,
        Ok(v1::StopReason::Unspecified) | Err(_) => return Err(Error::new("reason", format!("{reason} is no reason to stop"))),
    })
}

fn command(order: v1::Order) -> Result<(OrderNo, Command), Error> {
    use v1::order::Command as Wire;
    let command = match order.command.ok_or_else(|| Error::missing("command"))? {
        Wire::Start(c) => Command::Start { color: color("start", c)? },
        Wire::Stop(_) => Command::Stop,
        Wire::Set(s) => Command::Set { sides: sides(Some(s))? },
        Wire::Add(a) => Command::Add { color: color("add.color", a.color)?, by: Adjustment(a.by_ms) },
    };
    Ok((OrderNo(order.order), command))
}

fn consequence(c: v1::Consequence) -> Result<Consequence, Error> {
    use consequence::Kind;
    let word = |field, e: game::entry::UnknownWord| Error::new(field, e.to_string());
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
        Kind::Ordered(o) => {
            let (order, command) = command(o)?;
            Consequence::Ordered { order, command }
        }
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
                Ok(v1::Reopened::Unspecified) | Err(_) => return Err(Error::new("reopened", format!("{phase} is no phase"))),
            },
        },
        Kind::Undone(seq) => Consequence::Undone { ruling: Seq(seq) },
        Kind::ClockReplaced(d) => Consequence::ClockReplaced { device: (d > 0).then_some(DeviceId(d)) },
        Kind::Incident(i) => Consequence::Incident {
            code: i.code.parse().map_err(|e| word("code", e))?,
            color: color_or_none("color", i.color)?,
            article: Article::new(&i.article),
            note: i.note,
        },
    })
}

fn regulations(r: v1::Regulations) -> Result<Regulations, Error> {
    let control: TimeControl = r.control.parse().map_err(|e: crate::clock::ParseControlError| Error::new("regulations.control", e.to_string()))?;
    let defaults = Regulations::of(control);
    let edition = match r.edition {
        0 => defaults.edition,
        year => Edition::of_year(year).ok_or_else(|| Error::new("regulations.edition", format!("there is no edition of {year}")))?,
    };
    let play = match v1::Play::try_from(r.play) {
        Ok(v1::Play::Unspecified) => defaults.play,
        Ok(v1::Play::Standard) => Play::Standard,
        Ok(v1::Play::Rapid) => Play::Rapid,
        Ok(v1::Play::Blitz) => Play::Blitz,
        Err(_) => return Err(Error::new("regulations.play", format!("{} is no kind of play", r.play))),
    };
    Ok(Regulations {
        edition,
        play,
        count_from: if r.count_from_after { CountFrom::After } else { CountFrom::Before },
        period_added: if r.period_at_zero { PeriodAdded::AtZero } else { PeriodAdded::Counted },
        board: if r.board_unseen { BoardSeen::Unseen } else { BoardSeen::Seen },
        ..defaults
    })
}

impl TryFrom<v1::Regulations> for Regulations {
    type Error = Error;

    fn try_from(r: v1::Regulations) -> Result<Regulations, Error> {
        regulations(r)
    }
}

fn start(s: Option<v1::StartPosition>) -> Result<Arc<Start>, Error> {
    let wrong = |e: crate::board::StartError| Error::new("start", e.to_string());
    Ok(Arc::new(match s {
        None => Start::standard(),
        Some(v1::StartPosition { chess960: Some(number), .. }) => Start::chess960(number).map_err(wrong)?,
        Some(v1::StartPosition { fen, .. }) => Start::fen(&fen).map_err(wrong)?,
    }))
}

/// A pairing.
///
/// # Errors
/// Names the field that is wrong.
pub fn pairing(p: v1::Pairing) -> Result<Pairing, Error> {
    let player = |field, p: Option<v1::Player>| {
        let p = p.ok_or_else(|| Error::missing(field))?;
        Ok::<_, Error>(Player { name: text(field, p.name, venue::MAX_NAME)?, fide_id: p.fide_id })
    };
    Ok(Pairing {
        tournament: TournamentId(p.tournament),
        round: p.round,
        board: p.board,
        players: ByColor { white: player("white", p.white)?, black: player("black", p.black)? },
        start: start(p.start)?,
        regulations: p.regulations.map(regulations).transpose()?.map(Arc::new),
    })
}

fn admin(a: v1::Admin) -> Result<Admin, Error> {
    use v1::admin::Kind;
    let needed = |r: Option<v1::Regulations>| regulations(r.ok_or_else(|| Error::missing("regulations"))?).map(Arc::new);
    Ok(match a.kind.ok_or_else(|| Error::missing("admin"))? {
        Kind::Started(build) => Admin::Started { build },
        Kind::TournamentCreated(t) => {
            Admin::TournamentCreated { tournament: TournamentId(t.tournament), name: t.name, regulations: needed(t.regulations)? }
        }
        Kind::RoundOpened(r) => Admin::RoundOpened { tournament: TournamentId(r.tournament), round: r.round },
        Kind::Paired(p) => Admin::Paired { pairing: pairing(p)? },
        Kind::GameOpened(g) => Admin::GameOpened {
            game: GameId(g.game),
            tournament: TournamentId(g.tournament),
            round: g.round,
            board: g.board,
            regulations: needed(g.regulations)?,
            start: start(g.start)?,
            device: (g.device > 0).then_some(DeviceId(g.device)),
            absent: ByColor { white: g.absent_white, black: g.absent_black },
            clocks: g.clocks.map(times).transpose()?,
        },
        Kind::DeviceAssigned(d) => Admin::DeviceAssigned { device: DeviceId(d.device), game: (d.game > 0).then_some(GameId(d.game)) },
        Kind::Alarm(text) => Admin::Alarm { text },
    })
}

fn device_entry(d: v1::DeviceEntry) -> Result<DeviceEntry, Error> {
    use device_entry::Kind;
    Ok(match d.kind.ok_or_else(|| Error::missing("device_entry"))? {
        Kind::Introduced(i) => DeviceEntry::Introduced(i.into()),
        Kind::Battery(percent) => DeviceEntry::Battery { percent },
        Kind::Restarted(_) => DeviceEntry::Restarted,
    })
}

impl From<v1::Introduction> for Introduction {
    fn from(i: v1::Introduction) -> Introduction {
        Introduction {
            model: i.model,
            firmware: i.firmware,
            senses_board: i.senses_board,
            wrap: (i.wrap_us > 0).then_some(Wrap(i.wrap_us)),
            scale: if i.time_scale == 0 { 1_000 } else { i.time_scale },
        }
    }
}
