//! Playing a scenario: each act at its time, flags at the instant they fall, and what is expected in between.

use shakmaty::Color;

use super::expect;
use super::parse::{Act, Scenario};
use crate::board::mating::Budget;
use crate::clock::Millis;
use crate::game::{self, Consequence, Entry, Fact, Game, GameId, Input, Refusal, Seq};

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
}

/// Plays a scenario from its first line to its last.
pub fn run(scenario: &Scenario) -> Report {
    let header = &scenario.header;
    let game = Game::open(GameId(1), header.regulations.clone(), header.start.clone(), None, header.absent, header.clocks);
    let mut played = Played { opened: game.clone(), game, entries: Vec::new(), refusal: None, step_began: 0, held: None };
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
                Act::Do(input) => match &mut self.held {
                    Some(held) => held.push((time, input.clone())),
                    None => self.act(time, input.clone()),
                },
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

    fn act(&mut self, time: Millis, input: Input) {
        self.due(time);
        // A restart's stamp is on a timeline that begins with it.
        let now = if input == Input::Fact(Fact::Restart) { None } else { Some(time) };
        self.put(input, now);
    }

    /// What falls due by `time`, in order.
    fn due(&mut self, time: Millis) {
        while let Some((at, fact)) = self.next_due().filter(|(at, _)| *at <= time) {
            self.put(Input::Fact(fact), Some(at));
        }
    }

    /// The device's word for a flag that falls, or the daemon's for a player who has not come in time.
    fn next_due(&self) -> Option<(Millis, Fact)> {
        let game = &self.game;
        let running = game.running().filter(|color| game.down.get(*color).is_none());
        let flag = running.and_then(|color| Some((game.clock.falls_at()?, Fact::Flag { color })));
        let late = game.awaited().map(|(color, until)| (until.plus(Millis(1)), Fact::Late { color }));
        flag.into_iter().chain(late).min_by_key(|(at, _)| *at)
    }

    fn put(&mut self, input: Input, now: Option<Millis>) {
        match game::decide(&self.game, input, now) {
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
                    self.put(Input::Fact(Fact::Verdict { ply, position, mating }), now);
                }
            }
            Err(refusal) => self.refusal = Some(refusal),
        }
    }
}
