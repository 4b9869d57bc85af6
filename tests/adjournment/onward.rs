//! What brings an adjournment on its way: from the order to seal until the game goes on.

use shakmaty::{ByColor, Color};
use zeitnot::board::MoveText;
use zeitnot::board::mating::Budget;
use zeitnot::clock::Millis;
use zeitnot::game::{Fact, Lost, Moved, Phase, Ruling, Score, Stage, named, who_can_mate};

use crate::acts::{How, On, What, starts};
use crate::world::{Said, World, fact, key, rule, so};

impl World {
    /// What an arbiter, a player or a device does next, when all goes on.
    pub(crate) fn onward(&mut self, n: u32) -> Said {
        let game = &self.game;
        let color = Color::from_white(n.is_multiple_of(2));
        if game.is_finished() {
            return match n % 5 {
                0 | 1 => rule(Ruling::Undo { reason: so() }),
                2 => rule(Ruling::CorrectResult { score: Score::Draw, reason: so() }),
                3 => rule(Ruling::Annul { reason: so() }),
                _ => self.open_by(How::Right),
            };
        }
        if let Some(told) = game.orders.first().filter(|told| !n.is_multiple_of(5) || starts(&told.command)) {
            return fact(Fact::Confirmation { order: told.number });
        }
        if let Some(question) = game.question.filter(|_| !n.is_multiple_of(3))
            && let Some(stood) = game.line.position_after(question.plies as usize)
        {
            let mating = who_can_mate(&stood, question.first, Budget { nodes: 2_000 });
            return fact(Fact::Verdict { ply: question.plies, position: named(&stood), mating });
        }
        if game.claim.is_some_and(|claim| !claim.postponed) && !n.is_multiple_of(4) {
            return rule(if n % 4 == 1 { Ruling::Uphold { reason: so() } } else { Ruling::Reject { reason: so() } });
        }
        match (game.phase, game.stage()) {
            (Phase::Scheduled, _) => fact(Fact::Arrival { color: if game.absent.white { Color::White } else { Color::Black } }),
            (Phase::Ready, _) => rule(Ruling::Start),
            (Phase::Adjourned, _) => self.overnight(n),
            (_, Some(Stage::Sealed)) => match (game.adjournment.as_ref().and_then(|a| a.place.as_ref()), game.session.resumes) {
                (None, _) => rule(Ruling::WriteEnvelope { item: self.item(On::Place) }),
                (_, None) => rule(Ruling::WriteEnvelope { item: self.item(On::Resumes(60_000_000)) }),
                _ => rule(Ruling::TakeCustody),
            },
            (_, Some(Stage::Resuming)) => self.resuming(n),
            (_, Some(Stage::Ordered)) => self.sealing(n),
            (Phase::Stopped(_), _) if game.down.get(game.on_move).is_some() => rule(Ruling::CallFlag { color: game.on_move }),
            (Phase::Stopped(_), _) => rule(Ruling::Resume),
            (_, Some(Stage::Resumed)) => self.resumed(n),
            _ => match n % 16 {
                0..=4 => rule(Ruling::OrderSeal),
                5 => self.sealing(n / 16),
                6 => fact(Fact::Offer { by: color }),
                7 => fact(Fact::SessionOver),
                _ => self.play(n / 16, true),
            },
        }
    }

    fn sealing(&self, n: u32) -> Said {
        let (by, ply) = self.game.seals().unwrap_or((self.game.on_move, 0));
        let texts = [What::Good, What::Short, What::Good, What::Foreign, What::Ambiguous, What::Illegal, What::Unreadable, What::Unclear];
        let written = self.game.draft.as_ref().is_some_and(|draft| draft.by == by);
        match n % 8 {
            0..=4 if written => fact(Fact::Stop { by }),
            5 if written => fact(Fact::Press { by, moved: Moved::AsReported, shown: None, lag: None }),
            6 => self.play(n / 8, false),
            _ => self.write(by, texts[(n / 8 % 8) as usize], n / 64, ply, n.is_multiple_of(16)),
        }
    }

    /// The night passes, and the next session comes.
    fn overnight(&mut self, n: u32) -> Said {
        let game = &self.game;
        if game.adjournment.as_ref().is_some_and(|adjournment| adjournment.lost == Some(Lost::Times)) {
            return rule(Ruling::SetClocks { times: ByColor { white: Millis(600_000), black: Millis(900_000) } });
        }
        if n.is_multiple_of(7) {
            let by = Color::from_white(n.is_multiple_of(2));
            return match (n / 7 % 8, game.offer) {
                (0, _) => fact(Fact::Resignation { by }),
                (_, Some(by)) => fact(Fact::Acceptance { by: !by }),
                _ => fact(Fact::Offer { by }),
            };
        }
        if n.is_multiple_of(13) {
            return rule(Ruling::LoseEnvelope { lost: Lost::Move });
        }
        let responder = game.on_move;
        let (away, alone) = (*game.absent.get(responder), *game.absent.get(!responder));
        match n / 7 % 8 {
            0..=3 if away => return fact(Fact::Arrival { color: responder }),
            4 if alone => return fact(Fact::Arrival { color: !responder }),
            _ => {}
        }
        if let Some(at) = game.session.resumes.filter(|at| at.0 > self.wall) {
            self.wall = at.0.saturating_add([0, 0, 0, 60_000, 1_500_000, 3_600_001][(n / 7 % 6) as usize]);
        }
        rule(Ruling::Resume)
    }

    fn resuming(&self, n: u32) -> Said {
        let Some(adjournment) = &self.game.adjournment else { return rule(Ruling::Resume) };
        let responder = adjournment.responder();
        let runs = self.game.clock.running().is_some();
        if *self.game.absent.get(responder) {
            return if runs || n.is_multiple_of(3) { fact(Fact::Arrival { color: responder }) } else { rule(Ruling::Resume) };
        }
        if runs && self.game.device.is_some() {
            return fact(Fact::Press { by: responder, moved: Moved::AsReported, shown: None, lag: None });
        }
        match (adjournment.lost, adjournment.waits) {
            (Some(_), _) => {
                fact(Fact::Declaration { by: adjournment.sealer, made: self.legal(n).map_or("e2e4".parse().expect("a move"), MoveText::Uci) })
            }
            (None, Some(_)) => rule(Ruling::Decipher { made: if n.is_multiple_of(3) { None } else { self.legal(n).map(MoveText::Uci) } }),
            (None, None) if n.is_multiple_of(7) => rule(Ruling::LoseEnvelope { lost: Lost::Move }),
            (None, None) if n % 4 == 3 => self.open_by(How::WrongNonce),
            (None, None) if n.is_multiple_of(2) => Said::OpenWith(key(3)),
            (None, None) => self.open_by(How::Right),
        }
    }

    fn resumed(&self, n: u32) -> Said {
        let Some(adjournment) = &self.game.adjournment else { return self.play(n, true) };
        let (sealer, responder) = (adjournment.sealer, adjournment.responder());
        let away = *self.game.absent.get(sealer) && !*adjournment.moved.get(sealer);
        match (&adjournment.reply, adjournment.waits) {
            (Some(_), _) if away && n.is_multiple_of(3) => fact(Fact::Arrival { color: sealer }),
            (Some(_), Some(_)) => rule(Ruling::Decipher { made: self.legal(n).map(MoveText::Uci).filter(|_| !n.is_multiple_of(3)) }),
            (Some(_), None) => self.open_by(How::Right),
            (None, _) if away && n % 8 < 5 => match &self.game.draft {
                Some(_) => fact(Fact::Press { by: responder, moved: Moved::AsReported, shown: None, lag: None }),
                None => self.write(responder, What::Good, n / 8, self.game.seals().map_or(0, |(_, ply)| ply), true),
            },
            _ if n % 8 == 7 => rule(Ruling::OrderSeal),
            _ => self.play(n / 8, true),
        }
    }
}
