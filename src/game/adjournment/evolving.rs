//! How an adjournment goes on, entry by entry.

use shakmaty::ByColor;

use super::{Adjournment, Lateness, Stage};
use crate::clock::Clock;
use crate::game::entry::{Consequence, Item, Lost, StopReason};
use crate::game::{Game, Phase};

impl Game {
    /// Applies what follows in an adjournment. Total, as all of `evolve` is.
    pub(in crate::game) fn adjourns(&mut self, consequence: &Consequence) {
        match consequence {
            Consequence::SealOrdered { color, .. } => self.adjournment = Some(Box::new(Adjournment::of(*color))),
            Consequence::SessionAnnounced { ends, resumes, .. } => {
                self.session.ends = ends.or(self.session.ends);
                self.session.resumes = resumes.or(self.session.resumes);
            }
            Consequence::MoveSealed { by, plies, board, offer, .. } => {
                let sealed = self.draft.take().filter(|draft| draft.by == *by && draft.ply == *plies).map(|draft| draft.sealed);
                let ordered = self.adjournment.take().filter(|adjournment| adjournment.stage == Stage::Ordered);
                let begun = ordered.map_or_else(|| Adjournment::of(*by), |ordered| *ordered);
                self.adjournment =
                    Some(Box::new(Adjournment { sealer: *by, stage: Stage::Sealed, plies: *plies, board: *board, offer: *offer, sealed, ..begun }));
                // A sealed move is made: what was ruled before it cannot come back any more.
                self.moves_ever += 1;
                self.on_move = !*by;
                self.uncompleted = ByColor::default();
                self.touched = ByColor::default();
            }
            Consequence::EnvelopeWritten { item, .. } => {
                if let (Item::Place(place), Some(adjournment)) = (item, &mut self.adjournment) {
                    adjournment.place = Some(place.clone());
                }
            }
            Consequence::Adjourned { .. } => {
                self.phase = Phase::Adjourned;
                self.absent = ByColor { white: true, black: true };
                self.excused = ByColor::default();
                self.session.ends = None;
                self.reach(Stage::Adjourned);
            }
            Consequence::EnvelopeLost { lost, .. } => {
                if let Some(adjournment) = &mut self.adjournment {
                    adjournment.lost = Some(*lost);
                }
            }
            Consequence::Resumed { at, .. } => {
                self.begin_timeline();
                self.phase = Phase::Stopped(StopReason::Resuming);
                self.session.resumes = None;
                self.reach(Stage::Resuming);
                if let Some(adjournment) = &mut self.adjournment {
                    adjournment.resumed_at = Some(*at);
                    adjournment.was_away = *self.absent.get(adjournment.responder());
                }
            }
            Consequence::LatenessOpen { color, .. } => {
                if let Some(adjournment) = &mut self.adjournment {
                    adjournment.late = Some(if color.is_some() { Lateness::Sealer } else { Lateness::Both });
                }
            }
            Consequence::SealedMoveJudged { article, pending, .. } => {
                if let Some(adjournment) = &mut self.adjournment {
                    adjournment.waits = pending.then_some(*article);
                }
            }
            Consequence::SealedMovePlayed { by, made, clock, completed, .. } => {
                if let Some(last) = self.undoable.last_mut().filter(|_| self.measuring) {
                    last.plays(*by, *self.clock.side(*by), *clock);
                }
                self.clock.set_side(*by, *clock);
                // A declared move comes after the ruling that the envelope is lost, and that cannot be taken back any more.
                self.moves_ever += u64::from(!self.measuring);
                *self.made.get_mut(*by) += 1;
                *self.completed.get_mut(*by) = *completed;
                *self.uncompleted.get_mut(*by) = false;
                self.last_mover = Some(*by);
                self.touched = ByColor::default();
                self.line.push(Some(*made));
                self.line.pressed(*by, clock.left);
                self.on_move = !*by;
                self.reach(Stage::Resumed);
                if let Some(adjournment) = &mut self.adjournment {
                    adjournment.waits = None;
                    adjournment.reply = None;
                    adjournment.lost = None;
                }
            }
            Consequence::ReplySealed { by, clock, other, since, .. } => {
                self.clock.set_side(*by, *clock);
                self.clock.set_side(!*by, Clock { left: *other, ..*self.clock.side(!*by) });
                self.runs_next(!*by, *since);
                self.moves_ever += 1;
                if let Some(adjournment) = &mut self.adjournment {
                    adjournment.reply = self.draft.take();
                    adjournment.text = None;
                    *adjournment.moved.get_mut(*by) = true;
                }
            }
            _ => {}
        }
    }

    fn reach(&mut self, stage: Stage) {
        if let Some(adjournment) = &mut self.adjournment {
            adjournment.stage = stage;
        }
    }

    /// The setting of the clocks was taken back, and the times are lost as before.
    pub(in crate::game) fn lose_times_again(&mut self) {
        if let Some(adjournment) = self.adjournment.as_mut().filter(|adjournment| adjournment.stage == Stage::Adjourned) {
            adjournment.lost = Some(Lost::Times);
        }
    }

    /// A position was restored: the order to seal goes to whoever has the move now, and an envelope that was closed on another
    /// position holds no sealed move any more; nor does an answer in its own.
    pub(in crate::game) fn seals_anew(&mut self) {
        self.draft = None;
        let sealer = self.on_move;
        let Some(adjournment) = &mut self.adjournment else { return };
        adjournment.reply = None;
        if matches!(adjournment.stage, Stage::Ordered | Stage::Sealed) {
            **adjournment = Adjournment { place: adjournment.place.take(), ..Adjournment::of(sealer) };
        }
    }
}
