//! The resumption: who is there, whose clock runs, and who comes too late (I.5, I.9 to I.11, I.13).

use shakmaty::Color;

use super::{Lateness, Stage};
use crate::clock::{Millis, WallTime};
use crate::game::claims::Judgement;
use crate::game::entry::{Command, Consequence, IncidentCode, Lost, Refusal, Ruling, Score, StopReason, Termination};
use crate::game::{Decision, Game, Phase, chessclock, completion, orders, two};
use crate::laws::{Article, LateAfter, LetOut};

/// What stands against resuming, or excusing one who is late.
pub(in crate::game) fn admit(game: &Game, ruling: &Ruling, now: WallTime) -> Result<(), Refusal> {
    let laws = &game.laws.adjournment;
    let refuse = |code, article, why: String| Err(Refusal::Contradicts { code, article, why });
    let Some(adjournment) = &game.adjournment else { return Ok(()) };
    let away = *game.absent.get(adjournment.responder());
    match (ruling, adjournment.stage) {
        (Ruling::Resume, Stage::Sealed) => {
            refuse("sealed", laws.custody, "the move is sealed: complete the envelope and take custody of it".to_string())
        }
        (Ruling::Resume, Stage::Adjourned) if game.session.resumes.is_some_and(|at| now < at) => {
            let at = game.session.resumes.unwrap_or_default();
            refuse("too-early", laws.sessions, format!("the resumption is announced for {at}, and it is {now}: announce another time first"))
        }
        (Ruling::Resume, Stage::Adjourned | Stage::Resuming) if adjournment.lost == Some(Lost::Times) => {
            refuse("times-unknown", laws.lost, "the times are lost: set the clocks first".to_string())
        }
        (Ruling::Resume, Stage::Resuming) if !away => {
            refuse("open-first", laws.responder_present, "the responder is there: open the envelope, and his clock runs".to_string())
        }
        (Ruling::Excuse { .. }, Stage::Adjourned | Stage::Resuming | Stage::Resumed) if laws.late.let_out == LetOut::None => {
            refuse("no-let-out", laws.late.article, "this edition lets nobody off who comes too late to a resumption".to_string())
        }
        _ => Ok(()),
    }
}

/// Position and times are set; if the responder is away his clock runs (I.5, I.9.2).
pub(in crate::game) fn resume(d: &mut Decision) {
    let laws = &d.game.laws.adjournment;
    let Some(responder) = d.game.adjournment.as_ref().map(|adjournment| adjournment.responder()) else { return };
    if d.game.phase == Phase::Adjourned {
        // Who is late is late by the announced hour, whenever the arbiter comes to it (I.10).
        let at = d.game.session.resumes.unwrap_or(d.wall);
        d.so(Consequence::Resumed { at, article: laws.set_up });
        if laws.end_announced && d.game.session.ends.is_none() {
            d.incident(IncidentCode::SessionEndUnannounced, None, &laws.sessions, "this edition wants it announced when the session ends");
        }
        let sides = chessclock::sides(&d.game.clock);
        orders::tell(d, Command::Set { sides });
        who_is_away(d);
    }
    if *d.game.absent.get(responder) {
        orders::command(d, Command::Start { color: responder });
    }
}

/// Tells who is away, and until when he may come.
fn who_is_away(d: &mut Decision) {
    let article = d.game.laws.adjournment.late.article;
    let Some((_, until)) = d.game.resumption_awaited() else { return };
    for color in Color::ALL {
        if d.game.misses_resumption(color) {
            let note = format!("not here; he has lost if he comes after {until}, unless he is excused or noted as here");
            d.incident(IncidentCode::PlayerAway, Some(color), &article, note);
        }
    }
}

impl Game {
    /// Until when players have to come to the resumption, where somebody has not and that has not been looked into.
    pub fn resumption_awaited(&self) -> Option<(Color, WallTime)> {
        let adjournment = self.adjournment.as_ref().filter(|a| a.stage >= Stage::Resuming && a.late.is_none())?;
        let until = adjournment.resumed_at?.plus(self.resumption_limit());
        let color = Color::ALL.into_iter().find(|color| self.misses_resumption(*color))?;
        (!self.is_finished()).then_some((color, until))
    }

    /// How late a player may come to a resumption (I.10).
    fn resumption_limit(&self) -> Millis {
        match self.laws.adjournment.late.after {
            LateAfter::Hour => Millis::minutes(60),
            LateAfter::DefaultTime => self.regulations.default_time().unwrap_or(Millis::minutes(60)),
        }
    }

    /// Who has moved since is there, whether or not anybody has noted that he came.
    fn misses_resumption(&self, color: Color) -> bool {
        let moved = self.adjournment.as_ref().is_some_and(|adjournment| *adjournment.moved.get(color));
        *self.absent.get(color) && !*self.excused.get(color) && !moved
    }
}

/// Whoever has not come in time by the arbiter's watch is too late, whoever noticed (I.10).
pub(in crate::game) fn lateness(d: &mut Decision) {
    if d.game.resumption_awaited().is_some_and(|(_, until)| d.wall > until) {
        late(d);
    }
}

/// Somebody is too late. A sealer is judged by the move in his envelope, and by the clock of the player who is there; both at once
/// are for the arbiter.
fn late(d: &mut Decision) {
    let laws = &d.game.laws.adjournment;
    let Some(adjournment) = &d.game.adjournment else { return };
    let (sealer, responder) = (adjournment.sealer, adjournment.responder());
    // A lost envelope saves nobody, since only he could say what was in it.
    let opened = adjournment.stage == Stage::Resumed || (adjournment.lost.is_some() && adjournment.board.is_none());
    let article = laws.late.article;
    match (d.game.misses_resumption(responder), d.game.misses_resumption(sealer)) {
        (true, true) => {
            d.so(Consequence::LatenessOpen { color: None, article });
            d.incident(IncidentCode::BothLate, None, &article, "the arbiter decides: an envelope may hold a mate or a stalemate");
            chessclock::halt(d, StopReason::Arbiter);
        }
        (true, false) => lost_by(d, responder),
        (false, true) if opened && d.game.down.get(responder).is_none() => lost_by(d, sealer),
        (false, true) => {
            d.so(Consequence::LatenessOpen { color: Some(sealer), article: laws.late_sealer });
            let note = if opened {
                "he has lost, unless the clock of the player who is there had run out before: call that flag, or rule a result"
            } else {
                "open the envelope: he has lost, unless the sealed move ends the game or the player who is there has lost on time"
            };
            d.incident(IncidentCode::LateUnopened, Some(sealer), &laws.late_sealer, note);
        }
        (false, false) => {}
    }
}

/// Whoever came too late and is not excused has lost, now that the sealed move, on the board, has not ended the game. `true`: no clock
/// starts, since one has lost, or the arbiter has to decide.
pub(super) fn is_counted_late(d: &mut Decision) -> bool {
    let laws = &d.game.laws.adjournment;
    let Some((adjournment, late)) = d.game.adjournment.as_ref().and_then(|a| Some((a, a.late?))) else { return false };
    let (sealer, responder) = (adjournment.sealer, adjournment.responder());
    let counts = |color: Color| !*d.game.excused.get(color) && (color == sealer || late == Lateness::Both);
    let out_of_time = d.game.down.get(responder).is_some();
    match (counts(sealer), counts(responder)) {
        (false, false) => return false,
        (true, false) if !out_of_time => lost_by(d, sealer),
        (false, true) => lost_by(d, responder),
        _ => d.incident(IncidentCode::BothLate, None, &laws.late.article, "rule a result, or let the game go on"),
    }
    true
}

/// The envelope is lost, and who sealed is too late to say what was in it.
pub(super) fn lost_and_late(d: &mut Decision) {
    let late = d.game.adjournment.as_ref().filter(|a| a.late == Some(Lateness::Sealer) && a.board.is_none()).map(|a| a.sealer);
    if let Some(sealer) = late.filter(|sealer| !*d.game.excused.get(*sealer)) {
        lost_by(d, sealer);
    }
}

fn lost_by(d: &mut Decision, color: Color) {
    let article = d.game.laws.adjournment.late.article;
    completion::over(d, Score::win(!color), Termination::DefaultTime, &article);
}

/// The responder presses with his answer in an envelope: his clock stops and that of the absent sealer runs (I.9.3). `true`: that is what the press was.
pub(in crate::game) fn press_reply(d: &mut Decision, by: Color) -> bool {
    let written = d.game.draft.as_ref().filter(|draft| draft.by == by && draft.reply);
    let sealed = written.is_some_and(|draft| d.game.seals() == Some((by, draft.ply)));
    let Some(now) = d.now.filter(|_| sealed && !*d.game.uncompleted.get(by)) else { return false };
    let next = d.game.clock.pressed(now);
    let article = d.game.laws.adjournment.sealer_absent;
    d.so(Consequence::ReplySealed { by, clock: *next.side(by), other: next.side(!by).left, since: now, article });
    two::pressed(d, by);
    true
}

/// How wrong times at a resumption are looked at: before the claimant's own first move they are put right, later only as the edition says (I.13); `None`: there was none.
pub(in crate::game) fn wrong_times(game: &Game, by: Option<Color>) -> Option<Judgement> {
    let adjournment = game.adjournment.as_ref().filter(|a| a.stage >= Stage::Resuming)?;
    let article: Article = game.laws.adjournment.wrong_times;
    let late = by.is_some_and(|by| *adjournment.moved.get(by));
    let because = match (late, game.laws.adjournment.corrected_later) {
        (false, _) => "shown before his own first move: where it is wrong it is put right",
        (true, crate::laws::CorrectedLater::IfTooSevere) => {
            "shown after his own first move: no correction, unless the consequences would be too severe"
        }
        (true, crate::laws::CorrectedLater::AsTheArbiterDecides) => {
            "shown after his own first move: no correction, unless the arbiter decides otherwise"
        }
    };
    Some(Judgement::open(article, because))
}
