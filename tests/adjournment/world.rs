//! A game that is played by acts: on its own, or through the venue with a log.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use shakmaty::{ByColor, Chess, Color, Move, Position, Role, san::San, uci::UciMove};
use zeitnot::audit::{Audit, Difference};
use zeitnot::board::MoveText;
use zeitnot::clock::{Millis, WallTime};
use zeitnot::envelope::{self, Commitment, Nonce, Note, PrivateKey};
use zeitnot::game::{DeviceId, Entry, Fact, Game, GameId, Input, Item, Moved, Opened, Ruling, Seq, decide};
use zeitnot::log::Log;
use zeitnot::venue::{self, At, Origin, Payload, Subject};
use zeitnot::writer::each_entry;
use zeroize::Zeroizing;

use crate::acts::{Act, Case, How, On, Setting, Step, What, measured, reckoned};
use crate::hall::Hall;

pub(crate) const GAME: GameId = GameId(1);
pub(crate) const DEVICES: [DeviceId; 2] = [DeviceId(7), DeviceId(8)];
/// When the first session begins, by the arbiter's watch.
pub(crate) const MORNING: i64 = 1_777_726_800_000;

/// What is said about the game.
#[derive(Debug, Clone)]
pub(crate) enum Said {
    Input { input: Input, stamped: bool },
    Seal { by: Color, ply: u32, note: Note, stamped: bool },
    OpenWith(PrivateKey),
}

/// What a player wrote, and whether its envelope was opened.
#[derive(Debug, Clone)]
pub(crate) struct Secret {
    pub(crate) note: Note,
    pub(crate) told: bool,
}

#[derive(Debug)]
pub(crate) struct World {
    pub(crate) opened: Game,
    pub(crate) game: Game,
    pub(crate) entries: Vec<(Seq, Entry)>,
    pub(crate) secrets: Vec<Secret>,
    notes: BTreeMap<Commitment, Note>,
    hall: Option<Hall>,
    pub(crate) now: u64,
    pub(crate) wall: i64,
    salt: u64,
}

/// What came of one step.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) before: Game,
    pub(crate) said: Said,
    /// Whether it opens the envelope with what was sealed.
    pub(crate) right: bool,
    pub(crate) taken: Result<Vec<(Seq, Entry)>, String>,
}

/// What was said, and what the log has of it.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.taken {
            Ok(entries) => entries.iter().try_for_each(|(seq, entry)| write!(f, "\n{} {entry}", seq.0)),
            Err(refusal) => write!(f, "\n  {:?}\n  refused: {refusal}", self.said),
        }
    }
}

pub(crate) fn input(input: Input) -> Said {
    Said::Input { input, stamped: true }
}

pub(crate) fn fact(fact: Fact) -> Said {
    input(Input::Fact(fact))
}

pub(crate) fn rule(ruling: Ruling) -> Said {
    input(Input::Ruling(ruling))
}

pub(crate) fn so() -> String {
    "so".to_string()
}

pub(crate) fn key(n: u8) -> PrivateKey {
    PrivateKey::new(Zeroizing::new([n; 32]))
}

impl World {
    pub(crate) fn open(setting: &Setting, in_a_hall: bool) -> World {
        let absent = ByColor { white: setting.absent, black: setting.absent };
        let device = setting.device.then_some(DEVICES[0]);
        let opened = Game::open(GAME, Arc::new(setting.regulations.clone()), Arc::new(setting.start.clone()), device, absent, None);
        let hall = in_a_hall.then(|| Hall::open(setting, absent));
        World {
            game: opened.clone(),
            opened,
            entries: Vec::new(),
            secrets: Vec::new(),
            notes: BTreeMap::new(),
            hall,
            now: 1_000,
            wall: MORNING,
            salt: setting.salt,
        }
    }

    /// What the log of the hall would be decided as today.
    pub(crate) fn differences(&self) -> Vec<Difference> {
        let Some(hall) = &self.hall else { return Vec::new() };
        let mut audit = Audit::default();
        each_entry(&*hall.log.reader(), Seq(0), None, &mut |entry| audit.entry(entry)).expect("the log is read");
        let audited = audit.finish();
        let table = audited.venue.table(GAME).expect("the game");
        assert_eq!(table.game.canonical(), self.game.canonical(), "the log of the hall gives the game that was played");
        audited.differences
    }

    pub(crate) fn step(&mut self, step: &Step) -> Outcome {
        self.now = self.now.saturating_add_signed(step.pass);
        self.wall = self.wall.saturating_add(step.pass.max(0)).saturating_add(step.jump);
        let said = self.said(&step.act);
        let before = self.game.clone();
        let right = self.is_right(&said);
        if let Said::Seal { note, .. } = &said {
            self.secrets.push(Secret { note: note.clone(), told: false });
        }
        let taken = self.put(said.clone());
        for (seq, entry) in taken.iter().flatten() {
            if let (Entry::Fact(Fact::SealedMove { sealed, .. }), Some(secret)) = (entry, self.secrets.last()) {
                self.notes.insert(sealed.commitment, secret.note.clone());
            }
            if let Entry::Ruling(Ruling::Open { opened: Some(opened) }) = entry {
                self.secrets.iter_mut().filter(|secret| *secret.note.text == opened.text).for_each(|secret| secret.told = true);
            }
            if *entry == Entry::Fact(Fact::Restart) {
                self.now = 0;
            }
            self.game.evolve(*seq, entry);
            self.entries.push((*seq, entry.clone()));
        }
        Outcome { before, said, right, taken }
    }

    fn put(&mut self, said: Said) -> Result<Vec<(Seq, Entry)>, String> {
        let (wall, now) = (WallTime(self.wall), Millis(self.now));
        if let Some(hall) = &mut self.hall {
            return hall.say(&self.game, said, At { wall, hall: now });
        }
        let runs = self.game.clock.running().is_some();
        let (input, stamped) = match said {
            Said::Input { input: Input::Ruling(ruling), .. } => (Input::Ruling(ruling), false),
            Said::Input { input: Input::Fact(fact), stamped } => {
                let stamped = measured(&fact, runs) || stamped && !reckoned(&fact);
                (Input::Fact(fact), stamped)
            }
            Said::Seal { by, ply, note, stamped } => {
                let sealed = Box::new(envelope::seal(&key(3).public(), GAME.0, ply, &note));
                (Input::Fact(Fact::SealedMove { by, ply, sealed }), stamped)
            }
            Said::OpenWith(key) => {
                let closed = self.game.envelope().and_then(|envelope| Some((envelope.ply, envelope.sealed?)));
                let note =
                    closed.map(|(ply, sealed)| envelope::open(&key, GAME.0, ply, sealed)).transpose().map_err(|why| format!("{why} {why:?}"))?;
                (Input::Ruling(Ruling::Open { opened: note.as_ref().map(Opened::from) }), false)
            }
        };
        let unstamped = matches!(input, Input::Fact(Fact::Restart | Fact::Silence { .. }));
        let now = Some(now).filter(|_| !unstamped && (stamped || self.game.device.is_none()));
        let decided = decide(&self.game, input.clone(), now, wall);
        assert_eq!(decided, decide(&self.game, input, now, wall), "the same input in the same state gives the same");
        let first = self.entries.len() as u64 + 1;
        let entries = decided.map_err(|refusal| format!("{refusal} {refusal:?}"))?;
        Ok(entries.into_iter().enumerate().map(|(i, entry)| (Seq(first + i as u64), entry)).collect())
    }

    fn is_right(&self, said: &Said) -> bool {
        let sealed = self.game.envelope().and_then(|envelope| envelope.sealed);
        let note = sealed.and_then(|sealed| self.notes.get(&sealed.commitment));
        match said {
            Said::OpenWith(with) => with.bytes() == key(3).bytes(),
            Said::Input { input: Input::Ruling(Ruling::Open { opened: Some(opened) }), .. } => note.map(Opened::from).as_ref() == Some(opened),
            _ => false,
        }
    }

    fn on_move(&self) -> Color {
        self.game.seals().map_or(self.game.on_move, |(by, _)| by)
    }

    fn position(&self) -> &Chess {
        self.game.line.known().1
    }

    pub(crate) fn legal(&self, n: u32) -> Option<UciMove> {
        let (position, legal) = (self.position(), self.position().legal_moves());
        (!legal.is_empty()).then(|| legal[n as usize % legal.len()].to_uci(position.castles().mode()))
    }

    pub(crate) fn play(&self, n: u32, pressed: bool) -> Said {
        let by = self.game.running().unwrap_or(self.position().turn());
        fact(match (self.legal(n), pressed) {
            (Some(uci), true) => Fact::Press { by, moved: Moved::Move(uci), shown: None, lag: None },
            (Some(uci), false) => Fact::Move { by, made: MoveText::Uci(uci) },
            (None, _) => Fact::Press { by, moved: Moved::AsReported, shown: None, lag: None },
        })
    }

    pub(crate) fn write(&self, by: Color, what: What, n: u32, ply: u32, stamped: bool) -> Said {
        let hash = blake3::hash(format!("{} {}", self.salt, self.secrets.len()).as_bytes());
        // The number of a move says nothing of it: so each text is another one.
        let number = u32::from_le_bytes([hash.as_bytes()[0], hash.as_bytes()[1], hash.as_bytes()[2], 1]) + 100_000_000;
        let text = format!("{number}. {}", text(self.position(), what, n));
        let note = Note::new(Zeroizing::new(text), Nonce(*hash.as_bytes())).expect("a note");
        Said::Seal { by, ply, note, stamped }
    }

    pub(crate) fn open_by(&self, how: How) -> Said {
        let sealed = self.game.envelope().and_then(|envelope| envelope.sealed);
        let note = sealed.and_then(|sealed| self.notes.get(&sealed.commitment));
        let other = self.secrets.iter().map(|secret| &secret.note).find(|other| Some(*other) != note);
        let opened = match how {
            How::Key => return Said::OpenWith(key(3)),
            How::WrongKey => return Said::OpenWith(key(4)),
            How::Right => note.map(Opened::from),
            How::WrongText => note.or(other).map(|note| Opened { text: other.map_or_else(so, |other| other.text.to_string()), nonce: note.nonce }),
            How::WrongNonce => note.map(|note| Opened { nonce: Nonce(*blake3::hash(&note.nonce.0).as_bytes()), ..Opened::from(note) }),
            How::Nothing => None,
        };
        rule(Ruling::Open { opened })
    }

    pub(crate) fn item(&self, on: On) -> Item {
        let adjournment = self.game.adjournment.as_ref();
        let times = self.game.clock.reading(None);
        let offer = adjournment.and_then(|adjournment| adjournment.offer);
        let sealer = adjournment.map_or(Color::White, |adjournment| adjournment.sealer);
        match on {
            On::Place => Item::Place("Town hall".to_string()),
            On::NoPlace => Item::Place(" ".to_string()),
            On::Resumes(at) => Item::Resumes(WallTime(self.wall.saturating_add(at))),
            On::Number(right) => Item::Number(self.game.sealed_number() + u32::from(!right)),
            On::Sealer(right) => Item::Sealer(if right { sealer } else { !sealer }),
            On::Offer(right) => Item::Offer(if right { offer } else { Some(!offer.unwrap_or(Color::White)) }),
            On::Times(right) => Item::Times(ByColor { white: if right { times.white } else { times.white.plus(Millis(1)) }, ..times }),
        }
    }

    fn said(&mut self, act: &Act) -> Said {
        let at = |wall: i64, span: &Option<i64>| span.map(|span| WallTime(wall.saturating_add(span)));
        match act {
            Act::Onward(n) => self.onward(*n),
            Act::Legal { n, pressed } => self.play(*n, *pressed),
            Act::Seal { mine, what, n, other_ply } => {
                let (by, ply) = (self.on_move(), self.game.seals().map_or(0, |(_, ply)| ply));
                self.write(if *mine { by } else { !by }, *what, *n, ply + u32::from(*other_ply), n.is_multiple_of(2))
            }
            Act::Open(how) => self.open_by(*how),
            Act::Decipher(n) => rule(Ruling::Decipher { made: n.and_then(|n| self.legal(n)).map(MoveText::Uci) }),
            Act::Declare { mine, n } => {
                let sealer = self.game.adjournment.as_ref().map_or(Color::White, |adjournment| adjournment.sealer);
                let made = self.legal(*n).map_or("e2e4".parse().expect("a move"), MoveText::Uci);
                fact(Fact::Declaration { by: if *mine { sealer } else { !sealer }, made })
            }
            Act::Write(on) => rule(Ruling::WriteEnvelope { item: self.item(*on) }),
            Act::Announce { ends, resumes } => rule(Ruling::Announce { ends: at(self.wall, ends), resumes: at(self.wall, resumes) }),
            Act::Confirm => match self.game.orders.first() {
                Some(told) => fact(Fact::Confirmation { order: told.number }),
                None => rule(Ruling::Resume),
            },
            Act::Fact { fact, stamped } => Said::Input { input: Input::Fact(fact.clone()), stamped: *stamped },
            Act::Ruling(ruling) => rule(ruling.clone()),
        }
    }
}

/// A text that stands for something like a move.
fn text(position: &Chess, what: What, n: u32) -> String {
    let legal = position.legal_moves();
    if legal.is_empty() {
        return "~~~".to_string();
    }
    let made = legal[n as usize % legal.len()];
    let with = |letters: [&str; 6]| match (made.from(), made.castling_side()) {
        (Some(from), None) => {
            let becomes = made.promotion().map_or(String::new(), |role| format!("={}", letters[role as usize - 1]));
            format!("{}{from}-{}{becomes}", letters[made.role() as usize - 1], made.to())
        }
        (_, side) => if side == Some(shakmaty::CastlingSide::QueenSide) { "O-O-O" } else { "O-O" }.to_string(),
    };
    match what {
        What::Good => with(["", "N", "B", "R", "Q", "K"]),
        What::Foreign => with(["", "С", "Л", "Т", "Ф", "Кр"]),
        What::Short => San::from_move(position, made).to_string(),
        What::Ambiguous => {
            let like = |m: &&Move| legal.iter().any(|other| other != *m && other.role() == m.role() && other.to() == m.to());
            legal.iter().find(like).map_or("O-O-O-O".to_string(), |m| match m.role() {
                Role::Pawn => m.to().to_string(),
                role => format!("{}{}", role.upper_char(), m.to()),
            })
        }
        What::Illegal => "Ka1-h8".to_string(),
        What::Unreadable => "~~~".to_string(),
        What::Unclear => "P-K4".to_string(),
    }
}

/// Plays a case, and shows every step to `each`.
pub(crate) fn play(case: &Case, in_a_hall: bool, each: &mut dyn FnMut(&World, &Outcome)) -> World {
    let mut world = World::open(&case.setting, in_a_hall);
    if let Some(ends) = case.setting.ends {
        let announced = Step { act: Act::Announce { ends: Some(ends), resumes: None }, pass: 0, jump: 0 };
        world.step(&announced);
    }
    for step in &case.steps {
        let outcome = world.step(step);
        each(&world, &outcome);
    }
    world
}

/// The entry as the log has it.
pub(crate) fn logged(seq: Seq, entry: &Entry) -> venue::Entry {
    venue::Entry {
        seq,
        subject: Subject::Game(GAME),
        version: venue::Version(seq.0),
        recorded_at: WallTime(MORNING),
        origin: Some(Origin::daemon()),
        cause: None,
        key: None,
        payload: Payload::Game(entry.clone()),
    }
}
