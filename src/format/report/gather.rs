//! Reads a log and gathers the record of one game.

use shakmaty::ByColor;

use super::flags::{Cause, Flags};
use super::follows::{self, stopped};
use super::ledger::Ledger;
use super::{Came, Follow, Report, Row, Standing, by_the_hall, words};
use crate::clock::{Adjustment, CountFrom, Interval, Millis, PeriodAdded, WallTime};
use crate::format::pgn;
use crate::game::{self, BoardSeen, ClaimsBy, Consequence, DeviceId, Fact, FlagsBy, Game, GameId, Phase, Ruling, Seq};
use crate::venue::{Admin, Device, DeviceEntry, DeviceStamp, Entry, Groups, Origin, Payload, Role, Subject, Table, Venue};

/// Gathers the record of one game: fed with every entry of a log in order.
#[derive(Debug)]
pub struct Reporter {
    game: GameId,
    venue: Venue,
    groups: Groups,
    rows: Vec<Row>,
    flags: Flags,
    ledger: Ledger,
    /// The last press at one of two devices, while the other one's clock has not started; and when it was by the hall's time.
    pressed: Option<Option<Interval>>,
    until: (Seq, WallTime),
}

impl Reporter {
    /// Of this game.
    pub fn new(game: GameId) -> Reporter {
        let until = (Seq(0), WallTime(0));
        Reporter {
            game,
            venue: Venue::default(),
            groups: Groups::default(),
            rows: Vec::new(),
            flags: Flags::default(),
            ledger: Ledger::default(),
            pressed: None,
            until,
        }
    }

    /// The next entry of the log.
    pub fn entry(&mut self, entry: Entry) {
        self.until = (entry.seq, entry.recorded_at);
        if let Some(group) = self.groups.entry(entry) {
            self.close(&group);
        }
    }

    /// The log has ended; `None`: there is no such game in it.
    pub fn finish(mut self) -> Option<Report> {
        let last = self.groups.end();
        self.close(&last);
        let table = self.venue.table(self.game)?;
        let head = head(&self.venue, table);
        let pgn = pgn::write(&table.game, &pgn::Tags(Vec::new()));
        let moves = pgn.split_once("\n\n").map_or("", |(_, moves)| moves).trim().to_string();
        Some(Report { game: self.game.0, head, rows: self.rows, flags: self.flags.found, ledger: self.ledger, moves, until: self.until })
    }

    /// Whether an entry is about the game, or about the device at its board.
    fn concerns(&self, entry: &Entry) -> bool {
        match (entry.subject, &entry.payload) {
            (Subject::Game(game), _) => game == self.game,
            (Subject::Device(device), Payload::Device(_)) => {
                self.venue.table(self.game).is_some_and(|table| table.game.devices().any(|at_board| at_board == device) && !table.game.is_finished())
            }
            _ => false,
        }
    }

    fn close(&mut self, group: &[Entry]) {
        let ours: Vec<&Entry> = group.iter().filter(|entry| self.concerns(entry)).collect();
        let (Some(first), Some(last)) = (ours.first(), ours.last()) else {
            return group.iter().for_each(|entry| self.venue.evolve(entry));
        };
        let input = ours.iter().find(|entry| entry.origin.is_some()).unwrap_or(first);
        let origin = input.origin.clone().unwrap_or_else(Origin::daemon);
        let (who, said) = (who(&self.venue, &origin), said(&input.payload));
        let ruling = if let Payload::Game(game::Entry::Ruling(ruling)) = &input.payload { Some(ruling) } else { None };
        let came = origin.stamp.and_then(|stamp| came(&self.venue, &stamp, input.recorded_at));
        let now = self.now(origin.stamp);
        let before = self.venue.table(self.game).map(|table| standing(&table.game, now));
        let cause = Cause {
            said: if let Payload::Game(said) = &input.payload { Some(said) } else { None },
            role: Some(origin.role),
            stamp: origin.stamp,
            recorded_at: input.recorded_at,
            came,
            scale: origin.stamp.map_or(1_000, |stamp| scale(&self.venue, &stamp)),
            who: &who,
        };
        let hall = origin.stamp.and_then(|stamp| stamp.arrived?.hall_of(stamp.at, scale(&self.venue, &stamp)));
        let mut follows = Vec::new();
        for entry in group {
            let clock = self.venue.table(self.game).map(|table| (table.game.clock.clone(), timekeeper(&table.game)));
            self.venue.evolve(entry);
            let (Payload::Game(said_here), Some((clock, device))) = (&entry.payload, clock) else { continue };
            let Some(table) = self.venue.table(self.game).filter(|_| entry.subject == Subject::Game(self.game)) else { continue };
            self.flags.entry(entry.seq, said_here, &clock, &table.game.clock, device, cause);
            let article = said_here.article(table.game.laws);
            match said_here {
                game::Entry::Consequence(consequence) => {
                    if let Consequence::ClocksSet { sides } = consequence {
                        let ground = cause.said.and_then(|said| said.article(table.game.laws));
                        self.ledger.set(entry.seq, &format!("{said} ({who})"), ground, &clock, sides);
                    }
                    if let Consequence::Compensated { by, credited, .. } = consequence {
                        self.ledger.credited(*by, *credited);
                    }
                    match consequence {
                        Consequence::Pressed { .. } if table.game.has_two() => self.pressed = Some(hall),
                        Consequence::ClocksStopped { .. } => self.pressed = None,
                        Consequence::ClockStarted { .. } => {
                            if let Some(pressed) = self.pressed.take() {
                                self.ledger.passed(pressed, hall);
                            }
                        }
                        _ => {}
                    }
                    let incident = matches!(consequence, Consequence::Incident { .. });
                    follows.push(Follow { entry: entry.seq, said: follows::consequence(consequence), article, incident });
                }
                game::Entry::Fact(Fact::Press { by, .. }) => self.ledger.pressed(*by, device.is_some(), came),
                game::Entry::Fact(fact) if entry.seq != input.seq => {
                    follows.push(Follow { entry: entry.seq, said: words::fact(fact), article, incident: false });
                }
                game::Entry::Fact(_) | game::Entry::Ruling(_) => {}
            }
        }
        let Some(table) = self.venue.table(self.game) else { return };
        let after = standing(&table.game, self.now(origin.stamp));
        self.rows.push(Row {
            first: first.seq,
            last: last.seq,
            at: input.recorded_at,
            who: who.clone(),
            stamp: origin.stamp.filter(|stamp| stamp.device != DeviceId(0) || table.game.device.is_none()),
            came,
            counted_at: now.filter(|_| came.is_some_and(|came| !came.believed)),
            said,
            article: cause.said.and_then(|said| said.article(table.game.laws)),
            reason: ruling.map_or("", Ruling::reason).to_string(),
            follows,
            left: after.left,
            change: before.filter(|_| ruling.is_some()).map(|before| [before, after]),
        });
    }

    /// The instant of a stamp on the timeline by which the game is timed.
    fn now(&self, stamp: Option<DeviceStamp>) -> Option<Millis> {
        let game = &self.venue.table(self.game)?.game;
        let stamp = stamp.filter(|stamp| stamp.device == timekeeper(game).unwrap_or(DeviceId(0)))?;
        Some(self.venue.devices().get(&stamp.device).map_or(stamp.at, |device| device.believed(game, &stamp)))
    }
}

/// The device that keeps the time of the clock that runs.
fn timekeeper(game: &Game) -> Option<DeviceId> {
    game.clock.running().map_or(game.device, |running| game.device_of(running.color))
}

/// The device's milliseconds for a thousand of the hall's.
fn scale(venue: &Venue, stamp: &DeviceStamp) -> u64 {
    venue.devices().get(&stamp.device).map_or(1_000, Device::scale)
}

/// How long a device's report was on its way, by the hall's time.
fn came(venue: &Venue, stamp: &DeviceStamp, recorded_at: WallTime) -> Option<Came> {
    let arrived = stamp.arrived?;
    let scale = scale(venue, stamp);
    let late = by_the_hall(stamp.at.to(arrived.at), scale);
    let error = Millis(by_the_hall(Adjustment::gain(arrived.uncertainty), scale).0.unsigned_abs());
    Some(Came { late, error, stamped_at: WallTime(recorded_at.0.saturating_sub(late.0)), believed: stamp.ahead(scale).is_none() })
}

fn standing(game: &Game, now: Option<Millis>) -> Standing {
    let clock = &game.clock;
    Standing {
        left: clock.reading(now),
        counted: ByColor::new_with(|color| clock.side(color).counter),
        plies: game.line.plies().len(),
        phase: match game.phase {
            Phase::Scheduled => "somebody is awaited".to_string(),
            Phase::Ready => "ready to start".to_string(),
            Phase::Running => clock.running().map_or("running".to_string(), |running| format!("{}'s clock runs", super::name(running.color))),
            Phase::Stopped(reason) => format!("the clocks stand, {}", stopped(reason)),
            Phase::Adjourned => "adjourned".to_string(),
            Phase::Over => "over".to_string(),
            Phase::Annulled => "void".to_string(),
        },
        result: result(game),
    }
}

fn result(game: &Game) -> String {
    game.outcome.as_ref().map_or(String::new(), |o| format!("{} by {} ({})", o.score, follows::by(o.termination), o.article))
}

/// Who sent something: the role, the name that was recorded, and the credential that was shown.
fn who(venue: &Venue, origin: &Origin) -> String {
    let mut who = origin.role.word().to_string();
    if origin.role == Role::Daemon {
        who = "the daemon".to_string();
    }
    if !origin.name.is_empty() {
        who += &format!(" ({})", origin.name);
    }
    if let Some(id) = origin.credential {
        let grant = venue.credential(id).map_or(String::new(), |credential| format!(" of {}", credential.grant));
        who += &format!(", credential {}{grant}", id.0);
    }
    who
}

fn said(payload: &Payload) -> String {
    match payload {
        Payload::Game(game::Entry::Fact(fact)) => words::fact(fact),
        Payload::Game(game::Entry::Ruling(ruling)) => words::ruling(ruling),
        Payload::Game(game::Entry::Consequence(consequence)) => follows::consequence(consequence),
        Payload::Admin(Admin::GameOpened { device, clocks, replaces, .. }) => {
            let keeps = device.map_or("the daemon keeps the time".to_string(), |device| format!("device {} keeps the time", device.0));
            let clocks = clocks.map_or(String::new(), |times| format!("; the clocks show {} and {}", times.white, times.black));
            let replaces = replaces.map_or(String::new(), |old| format!("; in place of game {}", old.0));
            format!("The game is opened; {keeps}{clocks}{replaces}")
        }
        Payload::Admin(admin) => admin.to_string(),
        Payload::Device(DeviceEntry::Introduced(intro)) => format!("The device said hello: {} {}", intro.model, intro.firmware),
        Payload::Device(DeviceEntry::Battery { percent }) => format!("The device's battery holds {percent} percent"),
        Payload::Device(DeviceEntry::Restarted) => "The device has started anew".to_string(),
        Payload::Device(DeviceEntry::Lost) => "The device's connection is lost".to_string(),
        Payload::Device(DeviceEntry::Back) => "The device is connected again".to_string(),
        Payload::Device(DeviceEntry::Leapt { by }) => format!("The device's time leapt by {by}"),
        Payload::Device(DeviceEntry::Drifts { ppm }) => format!("The device's time drifts by {ppm} millionths"),
    }
}

/// What stands above a record.
fn head(venue: &Venue, table: &Table) -> Vec<(&'static str, String)> {
    let (place, game) = (&table.pairing, &table.game);
    let player = |player: &crate::venue::Player| match player.fide_id {
        0 => player.name.clone(),
        id => format!("{} (FIDE {id})", player.name),
    };
    let event = venue.tournaments().get(&place.tournament).map_or("", |tournament| tournament.name.as_str());
    let mut head = vec![
        ("Tournament", event.to_string()),
        ("Round and board", format!("round {}, board {}", place.round, place.board)),
        ("White", player(&place.players.white)),
        ("Black", player(&place.players.black)),
        ("Result", if game.outcome.is_some() { result(game) } else { standing(game, None).phase }),
    ];
    if let Some(old) = table.replaces {
        head.push(("Replaces", format!("game {}, which is void", old.0)));
    }
    head.extend(regulations(game));
    if !game.line.start().is_standard() {
        head.push(("Starting position", game.line.start().to_fen()));
    }
    head
}

fn regulations(game: &Game) -> Vec<(&'static str, String)> {
    let r = &game.regulations;
    let counts = match r.count_from {
        CountFrom::Before => "from move 1",
        CountFrom::After => "after move 1",
    };
    let periods = match r.period_added {
        PeriodAdded::Counted => "by the move counter",
        PeriodAdded::AtZero => "at zero",
    };
    let flags = match r.flags() {
        FlagsBy::Auto => "the clock's word counts",
        FlagsBy::Arbiter => "the arbiter or a player",
        FlagsBy::Players => "only a player",
    };
    let claims = match r.claims {
        ClaimsBy::Auto => "by the Laws, where they can be computed",
        ClaimsBy::Arbiter => "by the arbiter",
    };
    let late = r.default_time().map_or("not stated".to_string(), |time| time.to_string());
    let mut rows = vec![
        ("Laws", format!("edition of {}, {}, {} supervision", r.edition.year(), r.play.word(), r.supervision.word())),
        ("Time control", format!("{} (increments count {counts}, periods are added {periods})", r.control)),
        ("Default time", late),
        ("Who calls a flag", flags.to_string()),
        ("Claims are decided", claims.to_string()),
    ];
    if r.board == BoardSeen::Unseen {
        rows.push(("Moves", "not seen by the device: only presses are known".to_string()));
    }
    if r.quickplay_announced() {
        rows.push(("Quickplay finish", "announced".to_string()));
    }
    if !r.otherwise.is_empty() {
        rows.push(("Settled otherwise", r.otherwise.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")));
    }
    rows
}
