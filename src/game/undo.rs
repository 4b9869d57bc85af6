//! Taking a ruling back by compensation: a later entry undoes its effect, and both stay in the log.
//!
//! Times are given back by how much the ruling changed them, so that time played since is still
//! charged; everything else as it was before the ruling, which is only possible while no move has been made since.

use std::fmt;
use std::sync::Arc;

use shakmaty::{ByColor, Color};

use super::adjournment::{Kept, Stage};
use super::entry::{Claim, Command, Consequence, Duty, Loss, Reopened, Ruling, Score, Seq, StopReason};
use super::state::{Outcome, Pending, Question};
use super::{Decision, Game, Phase, chessclock, orders};
use crate::board::Line;
use crate::clock::{Adjustment, Chessclock, Clock, Millis};

/// Most rulings of one game that can still be taken back; older ones stand.
const MAX_UNDOABLE: usize = 32;

/// A ruling that can be taken back, and what it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Undoable {
    pub(super) ruling: Seq,
    /// What was ruled; `None`: the announced end of the session came.
    said: Option<Arc<Ruling>>,
    /// By how much the clocks were set; measured when they are.
    clocks: Option<ByColor<Change>>,
    effect: Effect,
    /// What an end takes away, and an undone one gives back.
    waiting: Waiting,
    /// How far an adjournment had come, where the ruling is about that.
    kept: Option<Kept>,
    /// The game ended by it.
    ends: bool,
    /// It leaves board and claims alone, and can be taken back after further moves too.
    apart: bool,
}

/// An offer, claims and what has to be played.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Waiting {
    offer: Option<Color>,
    claim: Option<Pending>,
    set_aside: Vec<Pending>,
    duty: Option<(Color, Duty)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Effect {
    /// Times and counters only.
    Clocks,
    /// A result, where there was none.
    Result,
    /// A correction of this result.
    Correction(Score),
    /// The annulment.
    Annulment,
    /// The order to seal.
    Order,
    /// More than that: the state of play was this.
    Play(Arc<Play>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Change {
    left: Adjustment,
    counter: i64,
}

/// The state of play, but for the clocks.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Play {
    phase: Phase,
    /// How far an adjournment had come.
    stage: Option<Stage>,
    line: Line,
    completed: ByColor<u32>,
    uncompleted: ByColor<bool>,
    made: ByColor<u32>,
    last_mover: Option<Color>,
    on_move: Color,
    offer: Option<Color>,
    outcome: Option<Outcome>,
    claim: Option<Pending>,
    duty: Option<(Color, Duty)>,
    illegal: ByColor<u32>,
    down: ByColor<Option<Millis>>,
    touched: ByColor<bool>,
    points: ByColor<i32>,
    excused: ByColor<bool>,
    asked: Option<u32>,
    question: Option<Question>,
    awaiting: Option<Loss>,
    empty_press: Option<Color>,
    moves_ever: u64,
}

impl Waiting {
    /// Of what the state of play holds already only the claims set aside.
    fn of(game: &Game, effect: &Effect) -> Waiting {
        let set_aside = game.set_aside.clone();
        match effect {
            Effect::Result | Effect::Annulment => Waiting { offer: game.offer, claim: game.claim, set_aside, duty: game.duty },
            Effect::Play(_) => Waiting { set_aside, ..Waiting::default() },
            Effect::Clocks => {
                let of_clocks = |pending: &Pending| matches!(pending.claim, Claim::Clocks { .. });
                Waiting { claim: game.claim.filter(of_clocks), ..Waiting::default() }
            }
            Effect::Correction(_) | Effect::Order => Waiting::default(),
        }
    }
}

impl Play {
    fn of(game: &Game) -> Play {
        Play {
            phase: match game.phase {
                Phase::Running => Phase::Stopped(StopReason::Arbiter),
                other => other,
            },
            stage: game.stage(),
            line: game.line.clone(),
            completed: game.completed,
            uncompleted: game.uncompleted,
            made: game.made,
            last_mover: game.last_mover,
            on_move: game.on_move,
            offer: game.offer,
            outcome: game.outcome.clone(),
            claim: game.claim,
            duty: game.duty,
            illegal: game.illegal,
            down: game.down,
            touched: game.touched,
            points: game.points,
            excused: game.excused,
            asked: game.asked,
            question: game.question,
            awaiting: game.awaiting,
            empty_press: game.empty_press,
            moves_ever: game.moves_ever,
        }
    }

    fn is_finished(&self) -> bool {
        matches!(self.phase, Phase::Over | Phase::Annulled)
    }

    fn give_back(self, game: &mut Game) {
        // The clocks stand or run as they do: what a ruling stopped is started by the arbiter.
        if game.phase != Phase::Running {
            game.phase = self.phase;
        }
        game.line = self.line;
        game.completed = self.completed;
        game.uncompleted = self.uncompleted;
        game.made = self.made;
        game.last_mover = self.last_mover;
        game.on_move = self.on_move;
        game.offer = self.offer;
        game.outcome = self.outcome;
        game.claim = self.claim;
        game.duty = self.duty;
        game.illegal = self.illegal;
        game.down = self.down;
        game.touched = self.touched;
        game.points = self.points;
        game.excused = self.excused;
        game.asked = self.asked;
        game.question = self.question;
        game.awaiting = self.awaiting;
        game.empty_press = self.empty_press;
    }
}

/// For the digest: what would be given back, the moves in short as the position they led to.
impl fmt::Display for Undoable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} clocks {:?} apart {} waiting {:?} ", self.ruling.0, self.clocks, self.apart, self.waiting)?;
        self.kept.iter().try_for_each(|kept| write!(f, "kept {kept} "))?;
        let Effect::Play(play) = &self.effect else { return write!(f, "{:?}", self.effect) };
        write!(f, "play {:?} at {} after {} ", play.phase, play.line.fen(), play.line.plies().len())?;
        write!(f, "made {:?} {:?} {:?} last {:?} on move {:?} ", play.completed, play.uncompleted, play.made, play.last_mover, play.on_move)?;
        write!(f, "offer {:?} outcome {:?} claim {:?} duty {:?} ", play.offer, play.outcome, play.claim, play.duty)?;
        write!(f, "illegal {:?} down {:?} touched {:?} points {:?} ", play.illegal, play.down, play.touched, play.points)?;
        write!(f, "excused {:?} asked {:?} question {:?} awaiting {:?} ", play.excused, play.asked, play.question, play.awaiting)?;
        write!(f, "empty press {:?} moves ever {}", play.empty_press, play.moves_ever)
    }
}

impl Undoable {
    /// What the ruling, about to be applied to the game, will have changed; `None`: nothing that undo takes back.
    pub(super) fn of(game: &mut Game, ruling_seq: Seq, ruling: &Ruling) -> Option<Undoable> {
        let effect = match ruling {
            Ruling::SetClocks { .. } | Ruling::AddTime { .. } | Ruling::SetCounter { .. } => Effect::Clocks,
            Ruling::DeclareResult { .. } => Effect::Result,
            Ruling::CorrectResult { .. } => Effect::Correction(game.outcome.as_ref()?.score),
            Ruling::Annul { .. } => Effect::Annulment,
            Ruling::OrderSeal => Effect::Order,
            Ruling::Uphold { .. }
            | Ruling::Reject { .. }
            | Ruling::Postpone { .. }
            | Ruling::CallFlag { .. }
            | Ruling::RuleIllegal { .. }
            | Ruling::Penalise { .. }
            | Ruling::Restore { .. }
            | Ruling::FindColoursReversed
            | Ruling::FindWrongSetup
            | Ruling::Excuse { .. }
            | Ruling::TakeCustody
            | Ruling::LoseEnvelope { .. }
            | Ruling::Open { .. }
            | Ruling::Decipher { .. } => Effect::Play(Arc::new(Play::of(game))),
            Ruling::Start
            | Ruling::Stop { .. }
            | Ruling::Resume
            | Ruling::ReplaceClock { .. }
            | Ruling::ReplaceOwnClock { .. }
            | Ruling::Announce { .. }
            | Ruling::WriteEnvelope { .. }
            | Ruling::Undo { .. } => return None,
        };
        // An excuse that reopened a lost game is no matter apart.
        let apart = matches!(ruling, Ruling::Penalise { .. }) || (matches!(ruling, Ruling::Excuse { .. }) && !game.is_finished());
        let kept = Kept::of(game, ruling);
        Some(Undoable { said: Some(Arc::new(ruling.clone())), ..Undoable::new(game, ruling_seq, effect, kept, apart) })
    }

    /// The announced end of the session, as far as that is an order to seal.
    pub(super) fn of_session_end(game: &mut Game, fact: Seq) -> Undoable {
        let kept = Kept::of_session_end(game);
        Undoable::new(game, fact, Effect::Order, Some(kept), false)
    }

    fn new(game: &mut Game, ruling: Seq, effect: Effect, kept: Option<Kept>, apart: bool) -> Undoable {
        if game.undoable.len() >= MAX_UNDOABLE {
            game.undoable.remove(0);
        }
        Undoable { ruling, said: None, clocks: None, waiting: Waiting::of(game, &effect), kept, ends: false, effect, apart }
    }

    /// Notes by how much the clocks are set, the first time after the ruling.
    pub(super) fn measure(&mut self, before: &Chessclock, after: &ByColor<Clock>) {
        if self.clocks.is_none() && matches!(self.effect, Effect::Clocks | Effect::Play(_)) {
            self.clocks = Some(ByColor::new_with(|color| {
                let (old, new) = (before.side(color), after.get(color));
                Change { left: old.left.to(new.left), counter: i64::from(new.counter) - i64::from(old.counter) }
            }));
        }
    }

    /// Whether play has gone on, so that the state before the ruling cannot come back.
    pub(super) fn is_past(&self, game: &Game) -> bool {
        let moved = matches!(&self.effect, Effect::Play(play) if play.moves_ever != game.moves_ever);
        let over = self.kept.is_some() && game.phase == Phase::Over && !self.ends;
        let sealed = self.effect == Effect::Order && game.is_suspended();
        !self.apart && (moved || over || sealed || self.is_past_by_adjournment(game))
    }

    /// Whether it is an adjournment that has gone on, and no move on the board.
    pub(super) fn is_past_by_adjournment(&self, game: &Game) -> bool {
        self.kept.as_ref().is_some_and(|kept| kept.is_past(game))
    }

    /// Whether the game, as it has ended, has ended by this ruling and not by what a player did after it.
    fn has_ended(&self) -> bool {
        self.ends
    }

    /// Notes that the game ends by it.
    pub(super) fn ends(&mut self) {
        self.ends = true;
    }

    /// The sealed move came on the board by it.
    pub(super) fn plays(&mut self, by: Color, before: Clock, after: Clock) {
        if let Some(kept) = &mut self.kept {
            kept.plays(by, before, after);
        }
    }

    /// Whether clocks that run have to stand when the state before this ruling comes back: another player has the move, a claim waits
    /// again, a move is sealed again, or the game is over again.
    fn stops(&self, game: &Game) -> bool {
        let Effect::Play(play) = &self.effect else { return false };
        let waits = |claim: &Option<Pending>| claim.is_some_and(|pending| !pending.postponed);
        !self.apart
            && (play.on_move != game.on_move
                || play.is_finished()
                || (matches!(play.stage, Some(Stage::Sealed | Stage::Adjourned | Stage::Resuming)) && play.stage != game.stage())
                || self.kept.as_ref().is_some_and(|kept| kept.clocks(game).is_some())
                || (waits(&play.claim) && !waits(&game.claim)))
    }

    /// Puts the state of play back, but for the clocks.
    pub(super) fn give_back(self, game: &mut Game) {
        match self.effect {
            // An adjournment that has gone on since goes on.
            Effect::Play(play)
                if game.is_finished() && !play.is_finished()
                    || play.moves_ever != game.moves_ever
                    || self.kept.is_none() && play.stage != game.stage() =>
            {
                game.points = play.points;
                game.excused = play.excused;
            }
            Effect::Play(play) => {
                // There is no such request where moves bring time already.
                if play.claim.is_some_and(|pending| pending.claim == Claim::FiveSeconds) {
                    game.clock.set_control(game.regulations.control.clone());
                }
                Play::clone(&play).give_back(game);
                game.set_aside = self.waiting.set_aside;
                if let Some(kept) = self.kept {
                    kept.give_back(game);
                }
            }
            Effect::Result | Effect::Annulment => {
                game.offer = self.waiting.offer;
                game.claim = self.waiting.claim;
                game.set_aside = self.waiting.set_aside;
                game.duty = self.waiting.duty;
            }
            Effect::Order => self.kept.into_iter().for_each(|kept| kept.give_back(game)),
            // The claim that the setting decided waits again.
            Effect::Clocks if self.kept.is_some() => game.lose_times_again(),
            Effect::Clocks if game.claim.is_none() => game.claim = self.waiting.claim,
            Effect::Clocks | Effect::Correction(_) => {}
        }
    }
}

impl Undoable {
    /// Whether taking it back would take all that is left, and more: that would be a flag that nobody's thinking has brought about.
    pub(super) fn empties_a_clock(&self, game: &Game, now: Option<Millis>) -> bool {
        let left = game.clock.reading(now);
        let empties = |changes: ByColor<Change>| {
            Color::ALL.into_iter().any(|color| {
                let taken = changes.get(color).left.0;
                taken > 0 && left.get(color).0 > 0 && taken.unsigned_abs() >= left.get(color).0
            })
        };
        !game.is_finished() && self.clocks.is_some_and(empties)
    }
}

impl Game {
    /// The ruling that would be taken back next, with its place in the log.
    pub fn undo_is_of(&self) -> Option<(Seq, &Ruling)> {
        self.undoable.last().and_then(|last| Some((last.ruling, last.said.as_deref()?)))
    }

    /// Whether the end of the game would be taken back with it.
    pub fn undo_reopens(&self) -> bool {
        self.undoable.last().is_some_and(|last| match &last.effect {
            Effect::Result => true,
            Effect::Play(play) => self.is_finished() && !play.is_finished() && last.has_ended(),
            Effect::Clocks | Effect::Correction(_) | Effect::Annulment | Effect::Order => false,
        })
    }
}

/// Takes the last ruling back that can be.
pub(super) fn undo(d: &mut Decision) {
    let Some(last) = d.game.undoable.last().cloned() else { return };
    if d.game.phase == Phase::Running && last.stops(&d.game) {
        chessclock::halt(d, StopReason::Arbiter);
    }
    if let Some(change) = last.clocks {
        give_back_time(d, &change);
    }
    if let Some(sides) = last.kept.as_ref().and_then(|kept| kept.clocks(&d.game)) {
        d.so(Consequence::ClocksSet { sides });
        orders::tell(d, Command::Set { sides });
    }
    let has_ended = last.has_ended();
    match last.effect {
        Effect::Clocks | Effect::Order => {}
        Effect::Result => d.so(Consequence::Reopened { phase: d.game.before_end }),
        Effect::Correction(score) => d.so(Consequence::ResultCorrected { score }),
        Effect::Annulment => {
            let phase = if d.game.outcome.is_some() { Reopened::Over } else { d.game.before_end };
            d.so(Consequence::Reopened { phase });
        }
        Effect::Play(play) => {
            if d.game.is_finished() && !play.is_finished() && has_ended {
                d.so(Consequence::Reopened { phase: d.game.before_end });
            }
        }
    }
    d.so(Consequence::Undone { ruling: last.ruling });
    if d.game.uncounted {
        chessclock::uncounted(d);
    }
}

fn give_back_time(d: &mut Decision, change: &ByColor<Change>) {
    let sides = ByColor::new_with(|color| {
        let (clock, change) = (d.game.clock.side(color), change.get(color));
        let counter = i64::from(clock.counter) - change.counter;
        Clock { left: clock.left.adjusted(change.left.reversed()), counter: u32::try_from(counter).unwrap_or(0), ..*clock }
    });
    d.so(Consequence::ClocksSet { sides });
    if d.game.phase == Phase::Running {
        for color in Color::ALL {
            let by = change.get(color).left.reversed();
            if by != Adjustment(0) {
                orders::tell(d, Command::Add { color, by });
            }
        }
    } else {
        let sides = chessclock::sides(&d.game.clock);
        orders::tell(d, Command::Set { sides });
    }
}
