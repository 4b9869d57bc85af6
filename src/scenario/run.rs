//! Playing a scenario: each act at its time, flags at the instant they fall, and what is expected in between.

use shakmaty::Color;

use super::expect;
use super::parse::{Act, Scenario};
use crate::board::mating::Budget;
use crate::clock::{Millis, WallTime};
use crate::envelope::{self, Nonce, Note, PrivateKey};
use crate::game::{self, Consequence, Entry, Fact, Game, GameId, Input, Item, Opened, Refusal, Ruling, Seq};
use zeroize::Zeroizing;

/// An expectation that does not hold, or a step that was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Line in the file, from 1.
    pub line: usize,
    /// What should be.
    pub expected: String,
    /// What is.
    pub got: String,
}

/// What one step led to.
#[derive(Debug, Clone)]
pub struct StepTrace {
    /// Line in the file, from 1.
    pub line: usize,
    /// The line as written.
    pub text: String,
    /// Entries, as they are read.
    pub entries: Vec<String>,
}

/// How a scenario went.
#[derive(Debug, Clone)]
pub struct Report {
    /// What does not hold, in order.
    pub failures: Vec<Failure>,
    /// Each step with what it led to.
    pub trace: Vec<StepTrace>,
    /// How many expectations were looked at.
    pub expectations: usize,
    /// The game at the end.
    pub game: Game,
}

/// A game being played, with what expectations look at.
#[derive(Debug)]
pub(super) struct Played {
    pub(super) opened: Game,
    pub(super) game: Game,
    pub(super) entries: Vec<(Seq, Entry)>,
    pub(super) refusal: Option<Refusal>,
    step_began: usize,
    /// What the clock holds while the network is gone, with its stamps.
    held: Option<Vec<(Millis, Input)>>,
    /// Texts sealed so far: each has a nonce of its own.
    sealed: u8,
    /// The latest time at which something happened.
    now: Millis,
}

/// The key that every scenario's envelopes are sealed to.
fn key() -> PrivateKey {
    PrivateKey::new(Zeroizing::new([7; 32]))
}

/// The arbiter's watch of a scenario shows its own time.
fn watch(time: Millis) -> WallTime {
    WallTime::default().plus(time)
}

/// Plays a scenario from its first line to its last.
pub fn run(scenario: &Scenario) -> Report {
    let header = &scenario.header;
    let game = Game::open(GameId(1), header.regulations.clone(), header.start.clone(), None, header.absent, header.clocks);
    let mut played =
        Played { opened: game.clone(), game, entries: Vec::new(), refusal: None, step_began: 0, held: None, sealed: 0, now: Millis::ZERO };
    let (ends, resumes) = (header.session_end.map(watch), header.resume_at.map(watch));
    if ends.is_some() || resumes.is_some() {
        played.put(Input::Ruling(Ruling::Announce { ends, resumes }), None, WallTime(-1));
    }
    let (mut failures, mut trace, mut expectations) = (Vec::new(), Vec::new(), 0);
    for step in &scenario.steps {
        played.step(step.time, &step.acts);
        let refusal_expected = step.expected.iter().any(|(_, e)| matches!(e, super::Expectation::Refused(_)));
        if let (Some(refusal), false) = (&played.refusal, refusal_expected) {
            failures.push(Failure { line: step.line, expected: "taken".to_string(), got: format!("refused {}: {refusal}", refusal.code()) });
        }
        for (line, expected) in &step.expected {
            expectations += 1;
            if let Some((expected, got)) = expect::fails(expected, &played, step.time) {
                failures.push(Failure { line: *line, expected, got });
            }
        }
        let refused = played.refusal.iter().map(|refusal| format!("refused {}: {refusal}", refusal.code()));
        let entries = played.last_step().map(ToString::to_string).chain(refused).collect();
        trace.push(StepTrace { line: step.line, text: step.text.clone(), entries });
    }
    Report { failures, trace, expectations, game: played.game }
}

impl Played {
    pub(super) fn last_step(&self) -> impl Iterator<Item = &Entry> {
        self.entries[self.step_began..].iter().map(|(_, entry)| entry)
    }

    fn step(&mut self, time: Millis, acts: &[Act]) {
        self.refusal = None;
        self.step_began = self.entries.len();
        for act in acts {
            match act {
                Act::Lost => self.held = Some(Vec::new()),
                Act::Back => {
                    for (stamp, input) in self.held.take().unwrap_or_default() {
                        self.act(stamp, input);
                    }
                    self.due(time);
                }
                Act::Do(input) => self.act_or_hold(time, input.clone()),
                Act::Seal(by, text) => {
                    if let Some(fact) = self.seal(*by, text) {
                        self.act_or_hold(time, Input::Fact(fact));
                    }
                }
                Act::Open => {
                    self.due(time);
                    let opened = self.open();
                    self.act_or_hold(time, Input::Ruling(Ruling::Open { opened }));
                }
                Act::Announce { ends, resumes } => {
                    let (ends, resumes) = (ends.map(watch), resumes.map(watch));
                    self.act_or_hold(time, Input::Ruling(Ruling::Announce { ends, resumes }));
                }
                Act::WriteResumption(at) => {
                    let item = Item::Resumes(watch(*at));
                    self.act_or_hold(time, Input::Ruling(Ruling::WriteEnvelope { item }));
                }
            }
            if self.refusal.is_some() {
                // What was to follow a refused act is not done: `play` with a move that cannot be is no press.
                break;
            }
        }
        if self.held.is_none() {
            self.due(time);
        }
    }

    fn act_or_hold(&mut self, time: Millis, input: Input) {
        match &mut self.held {
            Some(held) => held.push((time, input)),
            None => self.act(time, input),
        }
    }

    /// What a player writes, closed in an envelope at once.
    fn seal(&mut self, by: Color, text: &str) -> Option<Fact> {
        self.sealed += 1;
        let mut nonce = [self.sealed; 32];
        nonce[0] ^= 0xff;
        let ply = self.game.seals().map_or(self.game.line.plies().len() as u32, |(_, ply)| ply);
        match Note::new(Zeroizing::new(text.to_string()), Nonce(nonce)) {
            Ok(note) => Some(Fact::SealedMove { by, ply, sealed: Box::new(envelope::seal(&key().public(), self.game.id.0, ply, &note)) }),
            Err(e) => {
                self.refusal = Some(Refusal::Unreadable { field: "seal", why: e.to_string() });
                None
            }
        }
    }

    /// What the key finds in the envelope that is to be opened next.
    fn open(&self) -> Option<Opened> {
        let envelope = self.game.envelope()?;
        let note = envelope::open(&key(), self.game.id.0, envelope.ply, envelope.sealed?).ok()?;
        Some(Opened::from(&note))
    }

    fn act(&mut self, time: Millis, input: Input) {
        self.due(time);
        // A restart's stamp is on a timeline that begins with it.
        let now = if input == Input::Fact(Fact::Restart) { None } else { Some(time) };
        self.put(input, now, watch(time));
    }

    /// What falls due by `time`, in order.
    fn due(&mut self, time: Millis) {
        while let Some((at, fact)) = self.next_due().filter(|(at, _)| *at <= time) {
            // What the arbiter's watch finds out late is found out now.
            let at = at.max(self.now);
            self.put(Input::Fact(fact), Some(at), watch(at));
        }
    }

    /// The device's word for a flag that falls, or the daemon's for a player who has not come in time.
    fn next_due(&self) -> Option<(Millis, Fact)> {
        let game = &self.game;
        let running = game.running().filter(|color| game.down.get(*color).is_none());
        let flag = running.and_then(|color| Some((game.clock.falls_at()?, Fact::Flag { color })));
        let late = game.awaited().map(|(color, until)| (until.plus(Millis(1)), Fact::Late { color }));
        let on_watch = |at: WallTime| Millis(u64::try_from(at.0).unwrap_or(0));
        let missing = game.resumption_awaited().map(|(color, until)| (on_watch(until).plus(Millis(1)), Fact::Late { color }));
        let over = game.session.ends.filter(|ends| game.session_is_over(*ends)).map(|ends| (on_watch(ends), Fact::SessionOver));
        flag.into_iter().chain(late).chain(missing).chain(over).min_by_key(|(at, _)| *at)
    }

    fn put(&mut self, input: Input, now: Option<Millis>, wall: WallTime) {
        self.now = self.now.max(now.unwrap_or_default());
        match game::decide(&self.game, input, now, wall) {
            Ok(entries) => {
                let mut asked = None;
                for entry in entries {
                    let seq = Seq(self.entries.len() as u64 + 1);
                    self.game.evolve(seq, &entry);
                    if let Entry::Consequence(Consequence::MatingAsked { plies, then }) = &entry {
                        asked = Some((*plies, then.map_or(Color::White, |loss| !loss.color)));
                    }
                    self.entries.push((seq, entry));
                }
                if let (Some((ply, first)), Some(position)) = (asked, self.game.line.position()) {
                    let mating = game::who_can_mate(position, first, Budget::DEFAULT);
                    let position = game::named(position);
                    self.put(Input::Fact(Fact::Verdict { ply, position, mating }), now, wall);
                }
            }
            Err(refusal) => self.refusal = Some(refusal),
        }
    }
}
