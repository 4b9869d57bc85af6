//! Adjourned games (Guidelines I, Appendices A and E of old): from the order to seal until the game goes on.
//!
//! Sealing and resuming are beside the phase, since the clocks run and stand in both; adjourned is a phase
//! of its own. What a player wrote never comes here: only its envelope does, until it is opened.

mod envelope;
mod evolving;
mod opening;
mod resumption;
mod sealing;
mod undoing;

use std::fmt;

use shakmaty::{ByColor, Color, Position, uci::UciMove};

pub(super) use envelope::{admit as admit_envelope, announce, lose, take_custody, times_set, waits_for_resumption, write};
pub(super) use opening::{admit as admit_opening, decipher, declared, open};
pub(super) use resumption::{admit as admit_resumption, lateness, press_reply, resume, wrong_times};
pub(super) use sealing::{admit_order, order, ordered_press, session_over, stop, written};
pub(super) use undoing::Kept;

use super::claims::Judgement;
use super::entry::{Claim, Command, Entry, Fact, IncidentCode, Lost};
use super::{Decision, Game, Phase, chessclock, orders, side};
use crate::clock::WallTime;
use crate::envelope::Sealed;
use crate::laws::Article;

/// What a player has written and can still change: his envelope is not closed before he stops the clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Whose.
    pub by: Color,
    /// The ply that it is to be.
    pub ply: u32,
    /// Whether it answers one who was away when it was written.
    pub reply: bool,
    /// What was written last.
    pub sealed: Sealed,
}

/// When a session ends and the next one begins, by the arbiter's watch (I.14).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Session {
    /// The announced end of this one.
    pub ends: Option<WallTime>,
    /// When an adjourned game is resumed.
    pub resumes: Option<WallTime>,
}

/// How far an adjournment has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// The player on move has to seal.
    Ordered,
    /// He has, and the clocks stand.
    Sealed,
    /// The arbiter keeps the envelope.
    Adjourned,
    /// Position and times are set, and the sealed move is not on the board yet.
    Resuming,
    /// The game goes on.
    Resumed,
}

/// An adjournment, the last one of its game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adjournment {
    /// Who seals.
    pub sealer: Color,
    /// How far it has come.
    pub stage: Stage,
    /// Plies before the sealed move.
    pub plies: u32,
    /// The envelope's content, where a move was written.
    pub sealed: Option<Sealed>,
    /// The sealed move, where it was made on the board after the order.
    pub board: Option<UciMove>,
    /// Whose draw offer is noted on the envelope.
    pub offer: Option<Color>,
    /// Where the game is resumed.
    pub place: Option<String>,
    /// What cannot be established any more.
    pub lost: Option<Lost>,
    /// When the session of the resumption began.
    pub resumed_at: Option<WallTime>,
    /// Whether the responder was away when it began.
    pub was_away: bool,
    /// Who has made a move since; the sealed one was made before.
    pub moved: ByColor<bool>,
    /// Who is too late, where what that means waits for the opening or for the arbiter.
    pub late: Option<Lateness>,
    /// The text of the envelope that was opened last.
    pub text: Option<String>,
    /// That text waits for the arbiter; by which article it loses unless he deciphers it.
    pub waits: Option<Article>,
    /// The answer to a sealer who is away, in an envelope of its own.
    pub reply: Option<Box<Draft>>,
}

/// Who came too late to a resumption.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lateness {
    /// The one who sealed: the move in his envelope may save him.
    Sealer,
    /// Both.
    Both,
}

impl Adjournment {
    /// As it begins.
    pub(super) fn of(sealer: Color) -> Adjournment {
        Adjournment {
            sealer,
            stage: Stage::Ordered,
            plies: 0,
            sealed: None,
            board: None,
            offer: None,
            place: None,
            lost: None,
            resumed_at: None,
            was_away: false,
            moved: ByColor::default(),
            late: None,
            text: None,
            waits: None,
            reply: None,
        }
    }

    /// Who has to answer the sealed move.
    pub fn responder(&self) -> Color {
        !self.sealer
    }
}

/// For the digest: everything, the text by its commitment.
impl fmt::Display for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} for {} reply {} {}", side(self.by), self.ply, self.reply, self.sealed.commitment)
    }
}

/// For the digest: everything, an envelope by its commitment.
impl fmt::Display for Adjournment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let commitment = |sealed: &Option<Sealed>| sealed.as_ref().map(|sealed| sealed.commitment.to_string());
        write!(f, "{} {:?} after {} ", side(self.sealer), self.stage, self.plies)?;
        write!(f, "sealed {:?} board {:?} offer {:?} ", commitment(&self.sealed), self.board, self.offer)?;
        write!(f, "place {:?} lost {:?} resumed {:?} away {} moved {:?} ", self.place, self.lost, self.resumed_at, self.was_away, self.moved)?;
        let reply = self.reply.as_ref().map(|reply| reply.to_string());
        write!(f, "late {:?} text {:?} waits {:?} reply {reply:?}", self.late, self.text, self.waits)
    }
}

/// An envelope that is closed and not opened.
#[derive(Debug, Clone, Copy)]
pub struct Envelope<'a> {
    /// Whose move is in it.
    pub by: Color,
    /// The ply that it is to be.
    pub ply: u32,
    /// Its content; `None`: a move made on the board is the sealed one, and nothing was written.
    pub sealed: Option<&'a Sealed>,
    /// Whether it is the answer to a player who is away.
    pub is_reply: bool,
}

impl Game {
    /// How far an adjournment has come, if there is one.
    pub fn stage(&self) -> Option<Stage> {
        self.adjournment.as_ref().map(|adjournment| adjournment.stage)
    }

    /// Whether the sealed move is made and does not stand on the board yet: nobody plays.
    pub(super) fn is_suspended(&self) -> bool {
        matches!(self.stage(), Some(Stage::Sealed | Stage::Adjourned | Stage::Resuming)) && !self.is_finished()
    }

    /// The word for where the game stands.
    pub fn phase_word(&self) -> &'static str {
        match (self.phase, self.stage()) {
            (Phase::Running | Phase::Stopped(_), Some(Stage::Ordered | Stage::Sealed)) => "sealing",
            (Phase::Running | Phase::Stopped(_), Some(Stage::Resuming)) => "resuming",
            (phase, _) => phase.word(),
        }
    }

    /// The envelope that is to be opened next, if there is one.
    pub fn envelope(&self) -> Option<Envelope<'_>> {
        let adjournment = self.adjournment.as_ref()?;
        match adjournment.stage {
            Stage::Ordered => None,
            Stage::Sealed | Stage::Adjourned | Stage::Resuming => {
                Some(Envelope { by: adjournment.sealer, ply: adjournment.plies, sealed: adjournment.sealed.as_ref(), is_reply: false })
            }
            Stage::Resumed => {
                let reply = adjournment.reply.as_ref()?;
                Some(Envelope { by: reply.by, ply: reply.ply, sealed: Some(&reply.sealed), is_reply: true })
            }
        }
    }

    /// Whose written move would be sealed now, and as which ply: who has to seal, or has the move, by the clock and on the board.
    pub fn seals(&self) -> Option<(Color, u32)> {
        let ordered = self.adjournment.as_ref().filter(|adjournment| adjournment.stage == Stage::Ordered);
        let by = ordered.map_or(self.running().unwrap_or(self.on_move), |ordered| ordered.sealer);
        let replied = self.adjournment.as_ref().is_some_and(|adjournment| adjournment.reply.is_some());
        let plays = matches!(self.phase, Phase::Running | Phase::Stopped(_)) && self.awaiting.is_none();
        let stands = plays && !self.is_suspended() && !replied;
        let plies = self.line.plies().len() - usize::from(self.has_moved(by));
        let turn = if plies.is_multiple_of(2) { self.line.start().position.turn() } else { !self.line.start().position.turn() };
        (stands && turn == by).then_some((by, plies as u32))
    }

    /// Whether a player has made a move on the board and not pressed.
    fn has_moved(&self, by: Color) -> bool {
        *self.uncompleted.get(by) && self.last_mover == Some(by) && self.last_ply_is_unpressed(by)
    }

    /// Whether this player has an answer to write to one who is away.
    pub(super) fn may_reply(&self, by: Color) -> bool {
        let Some(a) = self.adjournment.as_ref().filter(|a| a.stage == Stage::Resumed && by == a.responder()) else { return false };
        let first = !a.moved.white && !a.moved.black && a.reply.is_none() && self.line.turn() == by;
        first && *self.absent.get(a.sealer)
    }
}

/// A fact at the board of a game that is adjourned changes nothing there, whatever it is.
pub(super) fn is_out_of_place(game: &Game, fact: &Fact) -> bool {
    let by = match fact {
        Fact::Move { by, .. } | Fact::Press { by, .. } | Fact::Touch { by, .. } => *by,
        _ => return false,
    };
    let Some(adjournment) = game.adjournment.as_ref().filter(|_| !game.is_finished()) else { return false };
    // While one has to seal the other one plays nothing; nor does anybody past an answer that is still in its envelope.
    let not_his = adjournment.stage == Stage::Ordered && by != adjournment.sealer && game.has_moved(adjournment.sealer);
    game.is_suspended() || adjournment.reply.is_some() || (not_his && matches!(fact, Fact::Move { .. }))
}

/// It is noted; a press is how one who has come stops his clock (I.9.2).
pub(super) fn out_of_place(d: &mut Decision, fact: Fact) {
    let by = match fact {
        Fact::Move { by, .. } | Fact::Press { by, .. } | Fact::Touch { by, .. } => Some(by),
        _ => None,
    };
    let press = matches!(fact, Fact::Press { .. });
    d.add(Entry::Fact(fact));
    d.incident(IncidentCode::WhileAdjourned, by, &d.game.laws.adjournment.set_up, "the sealed move is not on the board yet");
    if press && by.is_some() && by == d.game.running() {
        chessclock::pause(d);
        orders::tell(d, Command::Stop);
    }
}

/// A claim that has no place in a game whose sealed move is not on the board: all but a flag's, one on the clocks at the resumption, and,
/// before the arbiter has the envelope, that of an illegal move. A draw is claimed before the move is sealed. `None`: it has one.
pub(super) fn closes(game: &Game, by: Color, claim: Claim) -> Option<Judgement> {
    if !game.is_suspended() {
        return None;
    }
    let stage = game.stage();
    let sealer = game.adjournment.as_ref().map(|adjournment| adjournment.sealer);
    match claim {
        Claim::Threefold { .. } | Claim::Fifty { .. } if sealer == Some(by) => {
            Some(Judgement::not_admitted(game.laws.claim.lapse, "the move is sealed: a claim comes before that"))
        }
        Claim::Threefold { .. } | Claim::Fifty { .. } => {
            Some(Judgement::not_admitted(game.laws.claim.procedure, "the sealed move is not on the board yet"))
        }
        Claim::Flag if matches!(stage, Some(Stage::Sealed | Stage::Resuming)) => None,
        Claim::IllegalMove if stage == Some(Stage::Sealed) => None,
        Claim::Clocks { .. } if stage == Some(Stage::Resuming) => None,
        _ => Some(Judgement::not_admitted(game.laws.adjournment.set_up, "the game is adjourned: claim it at the resumption")),
    }
}

/// The article by which a game ends that is ended before its resumption (I.6); `None`: it is not adjourned.
pub(super) fn ended_by(game: &Game) -> Option<Article> {
    matches!(game.stage(), Some(Stage::Sealed | Stage::Adjourned)).then_some(game.laws.adjournment.ended)
}
