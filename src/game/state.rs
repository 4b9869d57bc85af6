//! The state of a game, and how each entry changes it.

use std::sync::Arc;

use shakmaty::{ByColor, Color};

use super::Regulations;
use super::adjournment::{Adjournment, Draft, Session};
use super::entry::{Answer, Claim, Command, DeviceId, Duty, GameId, Loss, OrderNo, Reopened, Score, StopReason, Termination};
use super::undo::Undoable;
use crate::board::{Line, Start};
use crate::clock::{Chessclock, Clock, Interval, Millis};
use crate::laws::{Article, Laws};

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
    /// A move is sealed, the arbiter has the envelope, and the players are gone.
    Adjourned,
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
    /// Black's own device, where each side has one; `device` is White's then.
    pub black_device: Option<DeviceId>,
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
    pub orders: Vec<Order>,
    /// Number of the last order.
    pub last_order: OrderNo,
    /// Moves made by each side, known or not.
    pub made: ByColor<u32>,
    /// Who last made a move on the board, legal or not.
    pub last_mover: Option<Color>,
    /// The claim or request that waits for a decision.
    pub claim: Option<Pending>,
    /// Claims that were put off, while a later one waits.
    pub set_aside: Vec<Pending>,
    /// What a player has to play.
    pub duty: Option<(Color, Duty)>,
    /// Illegal moves ruled, of each side.
    pub illegal: ByColor<u32>,
    /// Whose clock reads zero without anybody having called it, and since when.
    pub down: ByColor<Option<Millis>>,
    /// When that was by the hall's time, where each side has a device of its own and it is known.
    pub fell: ByColor<Option<Interval>>,
    /// Whose device told what ended the game, and when that was by the hall's time.
    pub ended: Option<(Color, Interval)>,
    /// Who has touched a piece since he got the move.
    pub touched: ByColor<bool>,
    /// Half points that the result will gain or lose for each side.
    pub points: ByColor<i32>,
    /// Who may be late.
    pub excused: ByColor<bool>,
    /// When the first clock was started, on the timeline.
    pub started: Option<Millis>,
    /// Whether somebody can still mate was last asked after so many plies.
    pub asked: Option<u32>,
    /// That question, while it is open.
    pub question: Option<Question>,
    /// The loss that hangs on it.
    pub awaiting: Option<Loss>,
    /// Who pressed without a move, last of all.
    pub empty_press: Option<Color>,
    /// In which period a player went below the time under which he need not record.
    pub exempt: ByColor<Option<u32>>,
    /// Moves made at this board, also those taken back.
    pub moves_ever: u64,
    /// When the session ends, and when the game is resumed.
    pub session: Session,
    /// What a player has written for an envelope that is not closed.
    pub draft: Option<Box<Draft>>,
    /// The last adjournment.
    pub adjournment: Option<Box<Adjournment>>,
    pub(super) undoable: Vec<Undoable>,
    /// Whether the clocks that are set now are set by the last ruling that can be taken back.
    pub(super) measuring: bool,
    /// Something at the clock was noted and did not count while it ran after the end: what it shows is not known any more.
    pub(super) uncounted: bool,
    pub(super) before_end: Reopened,
    pub(super) fallen: Option<Box<Fallen>>,
}

/// What a device was told and has not confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// By which number.
    pub number: OrderNo,
    /// What.
    pub command: Command,
    /// Whose device, where each side has one of its own.
    pub to: Option<Color>,
}

/// Whether somebody can still mate after so many plies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question {
    /// After how many.
    pub plies: u32,
    /// Whose mate is looked for first.
    pub first: Color,
}

/// A claim or request that waits for a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pending {
    /// By whom.
    pub by: Color,
    /// What it is.
    pub claim: Claim,
    /// What the Laws say of it.
    pub answer: Answer,
    /// Whether the decision was put off.
    pub postponed: bool,
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
            laws: regulations.laws(),
            phase: if absent.white || absent.black { Phase::Scheduled } else { Phase::Ready },
            device,
            black_device: None,
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
            claim: None,
            set_aside: Vec::new(),
            duty: None,
            illegal: ByColor::default(),
            down: ByColor::default(),
            fell: ByColor::default(),
            ended: None,
            touched: ByColor::default(),
            points: ByColor::default(),
            excused: ByColor::default(),
            started: None,
            asked: None,
            question: None,
            awaiting: None,
            empty_press: None,
            exempt: ByColor::default(),
            moves_ever: 0,
            session: Session::default(),
            draft: None,
            adjournment: None,
            undoable: Vec::new(),
            measuring: false,
            uncounted: false,
            before_end: Reopened::Waiting,
            fallen: None,
            regulations,
        }
    }

    /// Whether there is a result, or never will be.
    pub fn is_finished(&self) -> bool {
        matches!(self.phase, Phase::Over | Phase::Annulled)
    }

    /// Whether a claim waits that leaves room for no other: one that was put off does not.
    pub(super) fn waits(&self) -> bool {
        self.claim.is_some_and(|pending| !pending.postponed)
    }

    /// Whether this player has a claim that was put off (III.5.2).
    pub(super) fn was_put_off(&self, by: Color) -> bool {
        self.claim.iter().chain(&self.set_aside).any(|pending| pending.by == by && pending.postponed)
    }

    /// Whose clock runs, as far as the game is concerned.
    pub fn running(&self) -> Option<Color> {
        if self.phase == Phase::Running { self.clock.running().map(|r| r.color) } else { None }
    }
}
