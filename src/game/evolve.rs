//! How each entry changes a game: total, and without deciding anything.

use shakmaty::{ByColor, Color};

use super::adjournment::{self, Draft, Stage};
use super::entry::{Claim, Consequence, Entry, Fact, Moved, Reopened, Ruling, Seq, StopReason, Termination};
use super::state::{Fallen, Outcome, Pending, Question};
use super::undo::Undoable;
use super::{Game, OpenPoint, Order, Phase, mating};
use crate::board::MoveText;
use crate::clock::{Clock, Millis};
use crate::laws::Until;

impl Game {
    /// Nothing that is stamped before the last fall counts before it any more: the timekeeper's instants begin anew, or an arbiter has ruled since.
    pub fn begin_timeline(&mut self) {
        self.fallen = None;
    }

    /// The same of the timeline of one side's own device.
    pub fn begin_timeline_of(&mut self, side: Option<Color>) {
        let ran = |fallen: &Fallen| fallen.clock.running().map(|running| running.color);
        self.fallen = self.fallen.take().filter(|fallen| side.is_some() && ran(fallen) != side);
    }

    /// After a press the opponent's clock runs; where he has a device of his own, when that says so.
    pub(super) fn runs_next(&mut self, color: Color, since: Millis) {
        self.on_move = color;
        if self.has_two() { self.clock.halt() } else { self.clock.run(color, since) }
    }

    /// Applies an entry. Total: whatever stands in a log can be applied.
    pub fn evolve(&mut self, seq: Seq, entry: &Entry) {
        match entry {
            Entry::Fact(fact) => self.happened(seq, fact),
            Entry::Ruling(ruling) => self.ruled(seq, ruling),
            Entry::Consequence(consequence) => self.derived(consequence),
        }
    }

    fn happened(&mut self, seq: Seq, fact: &Fact) {
        self.measuring = false;
        let at_the_clock = matches!(fact, Fact::Press { .. } | Fact::Pause { .. } | Fact::Stop { .. } | Fact::Restart | Fact::Leap { .. });
        self.uncounted |= at_the_clock && self.phase != Phase::Running && self.clock.running().is_some();
        if let Fact::Verdict { ply, position, .. } = fact
            && mating::stood(self, *ply, position).is_some()
        {
            self.question = None;
        }
        match fact {
            Fact::Arrival { color } => *self.absent.get_mut(*color) = false,
            Fact::Confirmation { order } => self.orders.retain(|told| told.number != *order),
            _ if self.is_finished() => {
                if let Fact::Scoresheet { from, moves } = fact {
                    self.fill(*from, moves);
                }
            }
            _ if adjournment::is_out_of_place(self, fact) => {}
            // Who says what he sealed is there.
            Fact::Declaration { by, .. } if self.phase != Phase::Adjourned => *self.absent.get_mut(*by) = false,
            Fact::SealedMove { by, ply, sealed } if self.seals() == Some((*by, *ply)) => {
                let reply = self.may_reply(*by);
                self.draft = Some(Box::new(Draft { by: *by, ply: *ply, reply, sealed: (**sealed).clone() }));
            }
            Fact::Move { by, made: MoveText::Uci(uci) } => self.move_made(*by, Some(*uci)),
            Fact::Press { by, moved, .. } if self.running() == Some(*by) => match moved {
                Moved::AsReported => {}
                Moved::Unknown => self.move_made(*by, None),
                Moved::Move(uci) => self.move_made(*by, Some(*uci)),
            },
            Fact::SessionOver if adjournment::admit_order(self).is_ok() => {
                let end = Undoable::of_session_end(self, seq);
                self.undoable.push(end);
            }
            // The instants of its timekeeper begin anew, and with them the time within which a player has to come.
            Fact::Restart => self.started = None,
            Fact::Scoresheet { from, moves } => self.fill(*from, moves),
            Fact::Touch { by, .. } if self.line.turn() == *by => *self.touched.get_mut(*by) = true,
            _ => {}
        }
    }

    fn fill(&mut self, from: u32, moves: &[MoveText]) {
        let squares = |text: &MoveText| if let MoveText::Uci(uci) = text { Some(*uci) } else { None };
        let moves: Vec<_> = moves.iter().map_while(squares).collect();
        self.line.fill(from as usize, &moves);
    }

    /// A move in turn joins the line, legal or not, known or not; one out of turn only counts as made.
    fn move_made(&mut self, by: Color, uci: Option<shakmaty::uci::UciMove>) {
        *self.made.get_mut(by) += 1;
        self.moves_ever += 1;
        *self.uncompleted.get_mut(by) = true;
        self.last_mover = Some(by);
        self.empty_press = self.empty_press.filter(|who| *who != by && self.laws.illegal_move.until == Until::GameEnds);
        if let Some(adjournment) = self.adjournment.as_mut().filter(|adjournment| adjournment.stage == Stage::Resumed) {
            *adjournment.moved.get_mut(by) = true;
        }
        if self.line.turn() == by {
            self.line.push(uci);
            self.touched = ByColor::default();
        }
    }

    fn ruled(&mut self, seq: Seq, ruling: &Ruling) {
        let undoable = Undoable::of(self, seq, ruling);
        self.measuring = undoable.is_some();
        self.undoable.extend(undoable);
        if let (Ruling::Open { opened }, Some(adjournment)) = (ruling, &mut self.adjournment) {
            adjournment.text = opened.as_ref().map(|opened| opened.text.clone());
        }
    }

    fn derived(&mut self, consequence: &Consequence) {
        match consequence {
            Consequence::PlayersReady => self.phase = Phase::Ready,
            Consequence::ClockStarted { color, since } => {
                // Where each side has a timeline of its own, the game's is that of who has the first move.
                if !self.has_two() || *color == self.starter() {
                    self.started = self.started.or(Some(*since));
                }
                self.clock.run(*color, *since);
                self.uncounted = false;
                self.on_move = *color;
                self.phase = Phase::Running;
                self.awaiting = None;
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
                self.runs_next(!*by, *since);
                // Who has the move now may have written one already, where he was ordered to.
                self.draft = self.draft.take().filter(|draft| draft.by != *by);
                self.empty_press = if *self.uncompleted.get(*by) { self.empty_press.filter(|who| who != by) } else { Some(*by) };
                *self.completed.get_mut(*by) = *completed;
                *self.uncompleted.get_mut(*by) = false;
                self.line.pressed(*by, clock.left);
                if self.is_exempt(*by, Some(*since)) {
                    *self.exempt.get_mut(*by) = Some(clock.period);
                }
            }
            Consequence::MoveCompleted { by, completed } => *self.completed.get_mut(*by) = *completed,
            Consequence::MoveTakenBack { by } => {
                if self.last_ply_is_unpressed(*by) {
                    self.line.pop();
                    self.forget_questions(self.line.plies().len() as u32);
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
                // Found by the clock before the next input, and not ruled: a flag that is called was down before.
                self.measuring &= self.down.get(*color).is_some();
                // The other side's clock goes on by its own device until that says that it stands.
                let elsewhere = self.has_two() && self.clock.running().is_some_and(|running| running.color != *color);
                self.fallen = (!elsewhere).then(|| Box::new(Fallen { at: *at, clock: self.clock.clone() }));
                let mut stopped = if elsewhere { self.clock.clone() } else { self.clock.stopped(Some(*at)) };
                stopped.set_side(*color, Clock { left: Millis::ZERO, free: Millis::ZERO, ..*stopped.side(*color) });
                self.clock = stopped;
            }
            Consequence::FlagWithdrawn { color } => {
                *self.fell.get_mut(*color) = None;
                if let Some(fallen) = self.fallen.take() {
                    self.clock = fallen.clock;
                    self.phase = Phase::Running;
                    self.outcome = None;
                    self.awaiting = None;
                }
            }
            Consequence::ClocksSet { sides } => {
                self.begin_timeline();
                for color in Color::ALL {
                    if sides.get(color).left > Millis::ZERO {
                        *self.down.get_mut(color) = None;
                        *self.fell.get_mut(color) = None;
                    }
                }
                if let Some(last) = self.undoable.last_mut().filter(|_| self.measuring) {
                    last.measure(&self.clock, sides);
                }
                self.set_sides(sides);
            }
            Consequence::Ordered { order, command, to } => {
                self.last_order = *order;
                self.orders.push(Order { number: *order, command: command.clone(), to: *to });
            }
            Consequence::OfferMade { by } => {
                self.offer = Some(*by);
                if self.line.turn() != *by {
                    self.line.offered();
                }
            }
            Consequence::OfferEnded => self.offer = None,
            Consequence::GameOver { score, termination, article } => {
                if !self.is_finished() {
                    self.before_end = self.reopens_as();
                }
                // Coming too late is found by itself, but for the sealer whose envelope had to be opened.
                let by_itself = *termination == Termination::DefaultTime && self.adjournment.as_ref().is_none_or(|a| a.late.is_none());
                if !by_itself {
                    self.ends_by_ruling();
                }
                self.phase = Phase::Over;
                self.ended = None;
                self.offer = None;
                self.claim = None;
                self.set_aside.clear();
                self.duty = None;
                self.awaiting = None;
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
                self.ends_by_ruling();
                self.phase = Phase::Annulled;
                self.offer = None;
                self.claim = None;
                self.set_aside.clear();
                self.awaiting = None;
            }
            Consequence::Reopened { phase } => {
                self.begin_timeline();
                self.phase = match phase {
                    Reopened::Waiting if self.absent.white || self.absent.black => Phase::Scheduled,
                    Reopened::Waiting => Phase::Ready,
                    Reopened::Stopped => Phase::Stopped(StopReason::Arbiter),
                    Reopened::Over => Phase::Over,
                    Reopened::Adjourned => Phase::Adjourned,
                };
                if *phase != Reopened::Over {
                    self.outcome = None;
                    self.ended = None;
                }
            }
            Consequence::Undone { .. } => {
                if let Some(undone) = self.undoable.pop() {
                    undone.give_back(self);
                }
            }
            Consequence::ClockReplaced { device } => {
                self.device = *device;
                self.black_device = None;
                (self.fell, self.ended) = (ByColor::default(), None);
                self.orders.clear();
                self.begin_timeline();
            }
            Consequence::OwnClockReplaced { color, device } => {
                let other = self.device_of(!*color);
                (self.device, self.black_device) = color.fold_wb((Some(*device), other), (other, Some(*device)));
                self.orders.retain(|order| order.to == Some(!*color));
                self.begin_timeline_of(Some(*color));
            }
            Consequence::Placed { by, flag: true, hall } => *self.fell.get_mut(*by) = Some(*hall),
            Consequence::Placed { by, flag: false, hall } => self.ended = Some((*by, *hall)),
            Consequence::FlagDown { color, at } => {
                let mut stopped = self.clock.at(Some(*at));
                stopped.set_side(*color, Clock { left: Millis::ZERO, free: Millis::ZERO, ..*stopped.side(*color) });
                self.clock = stopped;
                *self.down.get_mut(*color) = Some(*at);
            }
            Consequence::ClaimJudged { by, claim, answer, pending, .. } => {
                if *pending {
                    let pending = Pending { by: *by, claim: *claim, answer: *answer, postponed: false };
                    let earlier = self.claim.replace(pending).filter(|earlier| !(earlier.by == *by && matches!(claim, Claim::Quickplay { .. })));
                    self.set_aside.extend(earlier);
                }
            }
            Consequence::ClaimEnded { .. } => self.claim = self.set_aside.pop(),
            Consequence::ClaimPostponed { .. } => {
                if let Some(claim) = &mut self.claim {
                    claim.postponed = true;
                }
            }
            Consequence::DutySet { by, duty } => self.duty = duty.map(|duty| (*by, duty)),
            Consequence::IllegalCounted { color, count, .. } => *self.illegal.get_mut(*color) = *count,
            Consequence::Restored { plies, on_move, made, completed, .. } => {
                self.line.truncate(*plies as usize);
                self.on_move = *on_move;
                self.made = *made;
                self.completed = *completed;
                self.uncompleted = ByColor::default();
                self.touched = ByColor::default();
                self.last_mover = (*plies > 0).then(|| !self.line.turn());
                self.empty_press = None;
                self.offer = None;
                self.awaiting = None;
                self.duty = None;
                self.seals_anew();
                if self.regulations.otherwise(OpenPoint::RestoredPosition) {
                    self.line.count_again();
                }
                self.forget_questions(*plies);
            }
            Consequence::Promoted { made, .. } => {
                self.line.replace_last(*made);
                self.forget_questions(self.line.plies().len() as u32 - 1);
            }
            Consequence::PointsChanged { color, halves } => *self.points.get_mut(*color) += halves,
            Consequence::IncrementSet { each } => self.clock.set_increment(*each),
            Consequence::MatingAsked { plies, then } => {
                let first = then.map_or(Color::White, |loss| !loss.color);
                self.question = Some(Question { plies: *plies, first });
                self.asked = Some(*plies);
                self.awaiting = *then;
                if then.is_some() {
                    self.ends_by_ruling();
                }
            }
            Consequence::MatingJudged { plies, .. } => self.asked = Some(*plies),
            Consequence::CastlingForbidden { rooks } => self.line.forbid_castling(rooks.iter().copied().collect()),
            Consequence::Excused { color } => *self.excused.get_mut(*color) = true,
            Consequence::Noted { .. } | Consequence::Incident { .. } | Consequence::Compensated { .. } => {}
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
            | Consequence::ReplySealed { .. } => self.adjourns(consequence),
        }
    }

    /// Whether the last ply is a move of this player that he has not pressed. An illegal move of his is no ply.
    /// What was asked about a position later than the plies that are left is not asked any more, and the next one can be.
    fn forget_questions(&mut self, left: u32) {
        self.asked = self.asked.filter(|asked| *asked <= left);
        self.question = self.question.filter(|question| question.plies <= left);
    }

    pub(super) fn last_ply_is_unpressed(&self, by: Color) -> bool {
        self.line.turn() != by && self.line.plies().last().is_some_and(|ply| ply.left.is_none())
    }

    /// The end comes with the last ruling that can be taken back, if what is applied now follows from one.
    fn ends_by_ruling(&mut self) {
        if let Some(last) = self.undoable.last_mut().filter(|_| self.measuring) {
            last.ends();
        }
    }

    fn reopens_as(&self) -> Reopened {
        match self.phase {
            Phase::Scheduled | Phase::Ready => Reopened::Waiting,
            Phase::Adjourned => Reopened::Adjourned,
            _ => Reopened::Stopped,
        }
    }

    pub(super) fn set_sides(&mut self, sides: &ByColor<Clock>) {
        for color in Color::ALL {
            self.clock.set_side(color, *sides.get(color));
        }
    }
}
