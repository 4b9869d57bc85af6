//! The state of a game, and how each entry changes it.

use std::sync::Arc;

use shakmaty::{ByColor, Color};

use super::entry::{Command, Consequence, DeviceId, Entry, Fact, GameId, Moved, OrderNo, Reopened, Ruling, Score, Seq, StopReason, Termination};
use super::undo::Undoable;
use crate::board::{Line, MoveText, Start};
use crate::clock::{Chessclock, Clock, CountFrom, Millis, PeriodAdded, TimeControl};
use crate::laws::{Article, Edition, Laws, Play};

/// What a tournament sets on top of the Laws, fixed when a game opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regulations {
    /// Edition of the Laws.
    pub edition: Edition,
    /// Kind of play.
    pub play: Play,
    /// Time control.
    pub control: Arc<TimeControl>,
    /// When the first increment counts.
    pub count_from: CountFrom,
    /// When the next period's time is added.
    pub period_added: PeriodAdded,
    /// Whether moves on the board are reported.
    pub board: BoardSeen,
}

/// Whether moves on the board are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BoardSeen {
    /// By sensors or by hand, as they are made.
    #[default]
    Seen,
    /// Only presses are known; moves may be typed in later.
    Unseen,
}

/// Where a game stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Somebody is still awaited.
    Scheduled,
    /// Both are there.
    Ready,
    /// A clock runs.
    Running,
    /// Both clocks stand.
    Stopped(StopReason),
    /// There is a result.
    Over,
    /// Void.
    Annulled,
}

/// How a game ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The result.
    pub score: Score,
    /// By what.
    pub termination: Termination,
    /// Its ground.
    pub article: Article,
}

/// One game.
#[derive(Debug, Clone)]
pub struct Game {
    /// Its name.
    pub id: GameId,
    /// The Laws that it is played under.
    pub laws: &'static Laws,
    /// What the tournament set.
    pub regulations: Arc<Regulations>,
    /// Where it stands.
    pub phase: Phase,
    /// The device that keeps its time; `None`: the daemon does.
    pub device: Option<DeviceId>,
    /// The two clocks.
    pub clock: Chessclock,
    /// The moves.
    pub line: Line,
    /// Moves completed by the Laws' definition, pressed or not (6.2.1).
    pub completed: ByColor<u32>,
    /// Who has made a move that is not completed yet.
    pub uncompleted: ByColor<bool>,
    /// Who is not there.
    pub absent: ByColor<bool>,
    /// Whose draw offer stands.
    pub offer: Option<Color>,
    /// Who is to move on when the clocks are started again.
    pub on_move: Color,
    /// How it ended.
    pub outcome: Option<Outcome>,
    /// Orders that the device has not confirmed, oldest first.
    pub orders: Vec<(OrderNo, Command)>,
    /// Number of the last order.
    pub last_order: OrderNo,
    /// Moves made by each side, known or not.
    pub made: ByColor<u32>,
    /// Who last made a move on the board, legal or not.
    pub last_mover: Option<Color>,
    pub(super) undoable: Vec<Undoable>,
    pub(super) before_end: Reopened,
    pub(super) fallen: Option<Box<Fallen>>,
}

/// The chessclock as it was before a flag fell, and when that was.
#[derive(Debug, Clone)]
pub(super) struct Fallen {
    pub(super) at: Millis,
    pub(super) clock: Chessclock,
}

impl Game {
    /// A game as it opens. `clocks` sets other times than the control's, as the displays show them.
    pub fn open(
        id: GameId,
        regulations: Arc<Regulations>,
        start: Arc<Start>,
        device: Option<DeviceId>,
        absent: ByColor<bool>,
        clocks: Option<crate::clock::Reading>,
    ) -> Game {
        let mut clock = Chessclock::new(regulations.control.clone(), regulations.count_from, regulations.period_added);
        if let Some(times) = clocks {
            for color in Color::ALL {
                clock.set_side(color, Clock { left: *times.get(color), ..*clock.side(color) });
            }
        }
        let line = Line::new(start);
        Game {
            id,
            laws: Laws::of(regulations.edition, regulations.play),
            phase: if absent.white || absent.black { Phase::Scheduled } else { Phase::Ready },
            device,
            clock,
            on_move: line.turn(),
            line,
            completed: ByColor::default(),
            uncompleted: ByColor::default(),
            made: ByColor::default(),
            absent,
            offer: None,
            outcome: None,
            orders: Vec::new(),
            last_order: OrderNo(0),
            last_mover: None,
            undoable: Vec::new(),
            before_end: Reopened::Waiting,
            fallen: None,
            regulations,
        }
    }

    /// Whether there is a result, or never will be.
    pub fn is_finished(&self) -> bool {
        matches!(self.phase, Phase::Over | Phase::Annulled)
    }

    /// Whose clock runs, as far as the game is concerned.
    pub fn running(&self) -> Option<Color> {
        if self.phase == Phase::Running { self.clock.running().map(|r| r.color) } else { None }
    }

    /// Nothing that is stamped before the last fall counts before it any more: the timekeeper's instants begin anew, or an arbiter has ruled since.
    pub fn begin_timeline(&mut self) {
        self.fallen = None;
    }

    /// Applies an entry. Total: whatever stands in a log can be applied.
    pub fn evolve(&mut self, seq: Seq, entry: &Entry) {
        match entry {
            Entry::Fact(fact) => self.happened(fact),
            Entry::Ruling(ruling) => self.ruled(seq, ruling),
            Entry::Consequence(consequence) => self.derived(consequence),
        }
    }

    fn happened(&mut self, fact: &Fact) {
        match fact {
            Fact::Arrival { color } => *self.absent.get_mut(*color) = false,
            Fact::Confirmation { order } => self.orders.retain(|(no, _)| no != order),
            _ if self.is_finished() => {
                if let Fact::Scoresheet { from, moves } = fact {
                    self.fill(*from, moves);
                }
            }
            Fact::Move { by, made: MoveText::Uci(uci) } => self.move_made(*by, Some(*uci)),
            Fact::Press { by, moved, .. } if self.running() == Some(*by) => match moved {
                Moved::AsReported => {}
                Moved::Unknown => self.move_made(*by, None),
                Moved::Move(uci) => self.move_made(*by, Some(*uci)),
            },
            Fact::Scoresheet { from, moves } => self.fill(*from, moves),
            _ => {}
        }
    }

    fn fill(&mut self, from: u32, moves: &[MoveText]) {
        let squares = |text: &MoveText| if let MoveText::Uci(uci) = text { Some(*uci) } else { None };
        let moves: Vec<_> = moves.iter().map_while(squares).collect();
        self.line.fill(from as usize, &moves);
    }

    /// A legal move joins the line, and so does one not known; an illegal one only counts as made.
    fn move_made(&mut self, by: Color, uci: Option<shakmaty::uci::UciMove>) {
        *self.made.get_mut(by) += 1;
        *self.uncompleted.get_mut(by) = true;
        self.last_mover = Some(by);
        if self.line.turn() == by {
            self.line.push(uci);
        }
    }

    fn ruled(&mut self, seq: Seq, ruling: &Ruling) {
        if let Some(undoable) = Undoable::of(self, seq, ruling) {
            self.undoable.push(undoable);
        }
    }

    fn derived(&mut self, consequence: &Consequence) {
        match consequence {
            Consequence::PlayersReady => self.phase = Phase::Ready,
            Consequence::ClockStarted { color, since } => {
                self.clock.run(*color, *since);
                self.on_move = *color;
                self.phase = Phase::Running;
            }
            Consequence::ClocksStopped { sides, reason } => {
                self.set_sides(sides);
                self.clock.halt();
                if !self.is_finished() && *reason != StopReason::GameOver {
                    self.phase = Phase::Stopped(*reason);
                }
            }
            Consequence::Pressed { by, clock, other, completed, since } => {
                self.clock.set_side(*by, *clock);
                self.clock.set_side(!*by, Clock { left: *other, ..*self.clock.side(!*by) });
                self.clock.run(!*by, *since);
                self.on_move = !*by;
                *self.completed.get_mut(*by) = *completed;
                *self.uncompleted.get_mut(*by) = false;
                self.line.pressed(*by, clock.left);
            }
            Consequence::MoveCompleted { by, completed } => *self.completed.get_mut(*by) = *completed,
            Consequence::MoveTakenBack { by } => {
                if self.last_ply_is_unpressed(*by) {
                    self.line.pop();
                }
                *self.made.get_mut(*by) -= 1.min(*self.made.get(*by));
                *self.uncompleted.get_mut(*by) = false;
            }
            Consequence::PeriodAdded { color, clock, other, since } | Consequence::ClockRead { color, clock, other, since } => {
                self.clock.set_side(*color, *clock);
                self.clock.set_side(!*color, Clock { left: *other, ..*self.clock.side(!*color) });
                self.clock.run(*color, *since);
            }
            Consequence::FlagFallen { color, at, .. } => {
                self.fallen = Some(Box::new(Fallen { at: *at, clock: self.clock.clone() }));
                let mut stopped = self.clock.stopped(Some(*at));
                stopped.set_side(*color, Clock { left: Millis::ZERO, free: Millis::ZERO, ..*stopped.side(*color) });
                self.clock = stopped;
            }
            Consequence::FlagWithdrawn { .. } => {
                if let Some(fallen) = self.fallen.take() {
                    self.clock = fallen.clock;
                    self.phase = Phase::Running;
                    self.outcome = None;
                }
            }
            Consequence::ClocksSet { sides } => {
                self.begin_timeline();
                if let Some(last) = self.undoable.last_mut() {
                    last.measure(&self.clock, sides);
                }
                self.set_sides(sides);
            }
            Consequence::Ordered { order, command } => {
                self.last_order = *order;
                self.orders.push((*order, command.clone()));
            }
            Consequence::OfferMade { by } => self.offer = Some(*by),
            Consequence::OfferEnded => self.offer = None,
            Consequence::GameOver { score, termination, article } => {
                if !self.is_finished() {
                    self.before_end = self.reopens_as();
                }
                self.phase = Phase::Over;
                self.offer = None;
                self.outcome = Some(Outcome { score: *score, termination: *termination, article: *article });
            }
            Consequence::ResultCorrected { score } => {
                self.begin_timeline();
                if let Some(outcome) = &mut self.outcome {
                    outcome.score = *score;
                }
            }
            Consequence::Annulled => {
                self.begin_timeline();
                if self.phase != Phase::Over {
                    self.before_end = self.reopens_as();
                }
                self.phase = Phase::Annulled;
                self.offer = None;
            }
            Consequence::Reopened { phase } => {
                self.begin_timeline();
                self.phase = match phase {
                    Reopened::Waiting if self.absent.white || self.absent.black => Phase::Scheduled,
                    Reopened::Waiting => Phase::Ready,
                    Reopened::Stopped => Phase::Stopped(StopReason::Arbiter),
                    Reopened::Over => Phase::Over,
                };
                if *phase != Reopened::Over {
                    self.outcome = None;
                }
            }
            Consequence::Undone { .. } => {
                self.undoable.pop();
            }
            Consequence::ClockReplaced { device } => {
                self.device = *device;
                self.orders.clear();
                self.begin_timeline();
            }
            Consequence::Incident { .. } => {}
        }
    }

    /// Whether the last ply is a move of this player that he has not pressed. An illegal move of his is no ply.
    pub(super) fn last_ply_is_unpressed(&self, by: Color) -> bool {
        self.line.turn() != by && self.line.plies().last().is_some_and(|ply| ply.left.is_none())
    }

    fn reopens_as(&self) -> Reopened {
        if matches!(self.phase, Phase::Scheduled | Phase::Ready) { Reopened::Waiting } else { Reopened::Stopped }
    }

    pub(super) fn set_sides(&mut self, sides: &ByColor<Clock>) {
        for color in Color::ALL {
            self.clock.set_side(color, *sides.get(color));
        }
    }
}

impl Regulations {
    /// The regulations for a control, everything else as it is when nothing is said.
    pub fn of(control: TimeControl) -> Regulations {
        Regulations {
            edition: Edition::default(),
            play: Play::of(&control),
            control: Arc::new(control),
            count_from: CountFrom::default(),
            period_added: PeriodAdded::default(),
            board: BoardSeen::default(),
        }
    }
}
