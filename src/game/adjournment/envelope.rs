//! The outside of the envelope, its custody, and what holds when it is lost (I.2, I.3, I.12), and what is announced (I.14).

use shakmaty::Color;

use super::{Adjournment, Stage, resumption};
use crate::clock::{Millis, Reading, WallTime};
use crate::game::entry::{Consequence, Item, Lost, MAX_TEXT, Refusal, Ruling, StopReason, is_plain};
use crate::game::{DISPLAY_TOLERANCE, Decision, Game, Phase, chessclock, completion};
use crate::laws::Article;

/// A day.
const DAY: Millis = Millis::minutes(24 * 60);
/// How far ahead a session can be announced: more is a slip of the pen.
const MAX_AHEAD: Millis = Millis::minutes(400 * 24 * 60);

/// What stands against a ruling on the envelope or on the sessions.
pub(in crate::game) fn admit(game: &Game, ruling: &Ruling, now: WallTime) -> Result<(), Refusal> {
    let laws = &game.laws.adjournment;
    let refuse = |code, article, why: String| Err(Refusal::Contradicts { code, article, why });
    let stage = game.stage();
    match ruling {
        Ruling::Announce { ends: None, resumes: None } => unreadable("announce", "say when the session ends, or when the game is resumed"),
        Ruling::Announce { ends, resumes } if [ends, resumes].into_iter().flatten().any(|at| *at <= now) => {
            refuse("in-the-past", laws.sessions, format!("it is {now} by the arbiter's watch: that time has passed"))
        }
        Ruling::Announce { ends, resumes } if [ends, resumes].into_iter().flatten().any(|at| now.plus(MAX_AHEAD) < *at) => {
            unreadable("announce", format!("more than {} days ahead", MAX_AHEAD.0 / DAY.0))
        }
        Ruling::Announce { ends, resumes } if ends_before_it_begins(game, *ends, *resumes) => before_the_resumption(laws.sessions),
        Ruling::WriteEnvelope { item: Item::Resumes(at) } if ends_before_it_begins(game, None, Some(*at)) => before_the_resumption(laws.sessions),
        Ruling::WriteEnvelope { item: item @ (Item::Place(_) | Item::Resumes(_)) } if stage == Some(Stage::Ordered) => write_admits(game, item, now),
        // The answer to a player who is away: only its move can be lost, since the clocks are known and run.
        Ruling::LoseEnvelope { lost: Lost::Move } if game.envelope().is_some_and(|envelope| envelope.is_reply) => Ok(()),
        Ruling::LoseEnvelope { .. } if game.envelope().is_some_and(|envelope| envelope.is_reply) => {
            refuse("answer-only", laws.lost, "of an answer in its envelope only the move can be lost: the clocks run".to_string())
        }
        Ruling::WriteEnvelope { .. } | Ruling::LoseEnvelope { .. } | Ruling::TakeCustody
            if !matches!(stage, Some(Stage::Sealed | Stage::Adjourned | Stage::Resuming)) =>
        {
            refuse("not-sealed", laws.custody, "no envelope is closed: the player seals by writing his move and stopping the clock".to_string())
        }
        Ruling::WriteEnvelope { .. } if stage == Some(Stage::Resuming) => {
            refuse("resuming", laws.envelope, "the session has begun: what stands on the envelope is not changed any more".to_string())
        }
        Ruling::WriteEnvelope { item } => write_admits(game, item, now),
        Ruling::LoseEnvelope { lost } if is_lost_already(game, *lost) => {
            refuse("lost-already", laws.lost, "that has been found lost already".to_string())
        }
        Ruling::LoseEnvelope { .. } if text_is_known(game) => refuse("opened", laws.lost, "the envelope has been opened".to_string()),
        Ruling::TakeCustody if stage != Some(Stage::Sealed) => refuse("in-custody", laws.custody, "the arbiter has the envelope already".to_string()),
        Ruling::TakeCustody => match missing(game)[..] {
            [] => Ok(()),
            ref missing => refuse("envelope-incomplete", laws.custody, format!("these are missing on the envelope: {}", missing.join(", "))),
        },
        _ => Ok(()),
    }
}

fn unreadable(field: &'static str, why: impl Into<String>) -> Result<(), Refusal> {
    Err(Refusal::Unreadable { field, why: why.into() })
}

/// Whether the next session of an adjourned game would end before the resumption with which it begins.
fn ends_before_it_begins(game: &Game, ends: Option<WallTime>, resumes: Option<WallTime>) -> bool {
    let both = ends.or(game.session.ends).zip(resumes.or(game.session.resumes));
    game.stage() == Some(Stage::Adjourned) && both.is_some_and(|(ends, resumes)| ends <= resumes)
}

fn before_the_resumption(article: Article) -> Result<(), Refusal> {
    let why = "the session that ends then begins with the resumption, which is later: announce both anew".to_string();
    Err(Refusal::Contradicts { code: "before-the-resumption", article, why })
}

/// Whether so much, or more, is lost as far as is known.
fn is_lost_already(game: &Game, lost: Lost) -> bool {
    let known = game.adjournment.as_ref().and_then(|adjournment| adjournment.lost);
    lost != Lost::Position && known.is_some_and(|known| known == lost || known == Lost::Times)
}

fn text_is_known(game: &Game) -> bool {
    game.adjournment.as_ref().is_some_and(|adjournment| adjournment.text.is_some())
}

/// Whether an item can be written, or is the one that is known.
fn write_admits(game: &Game, item: &Item, now: WallTime) -> Result<(), Refusal> {
    let Some(adjournment) = &game.adjournment else { return Ok(()) };
    let (number, read) = (game.sealed_number(), game.clock.reading(None));
    let wrong = |is: String| {
        let (article, why) = (game.laws.adjournment.custody, format!("it is {is}, not {item}"));
        Err(Refusal::Contradicts { code: "envelope-wrong", article, why })
    };
    match item {
        Item::Place(place) if place.trim().is_empty() || place.len() > MAX_TEXT || !place.chars().all(is_plain) => {
            unreadable("place", format!("1 to {MAX_TEXT} bytes of text without control characters"))
        }
        Item::Resumes(at) if now.plus(MAX_AHEAD) < *at => unreadable("resume", format!("more than {} days ahead", MAX_AHEAD.0 / DAY.0)),
        Item::Resumes(at) if *at <= now => {
            let (article, why) = (game.laws.adjournment.sessions, format!("it is {now} by the arbiter's watch: that time has passed"));
            Err(Refusal::Contradicts { code: "in-the-past", article, why })
        }
        Item::Number(n) if *n != number => wrong(Item::Number(number).to_string()),
        Item::Sealer(color) if *color != adjournment.sealer => wrong(Item::Sealer(adjournment.sealer).to_string()),
        Item::Offer(offer) if *offer != adjournment.offer => wrong(Item::Offer(adjournment.offer).to_string()),
        // People copy whole seconds, of what was used or of what is left.
        Item::Times(times) if !near(times, &read) && !near(times, &game.used()) => wrong(Item::Times(read).to_string()),
        _ => Ok(()),
    }
}

/// Within a second, for both.
fn near(times: &Reading, known: &Reading) -> bool {
    Color::ALL.into_iter().all(|color| times.get(color).distance(*known.get(color)) < DISPLAY_TOLERANCE)
}

impl Game {
    /// Whether an envelope is closed whose move does not stand on the board.
    pub(in crate::game) fn holds_an_envelope(&self) -> bool {
        let closed = |adjournment: &Adjournment| matches!(adjournment.stage, Stage::Sealed | Stage::Adjourned | Stage::Resuming);
        self.adjournment.as_ref().is_some_and(|adjournment| closed(adjournment) || adjournment.reply.is_some())
    }

    /// Time that each has used by the control (I.2.3).
    pub fn used(&self) -> crate::clock::Reading {
        shakmaty::ByColor::new_with(|color| self.clock.used(color))
    }

    /// Number of the sealed move (I.2.5).
    pub fn sealed_number(&self) -> u32 {
        let start = &self.line.start().position;
        let before = u32::from(shakmaty::Position::turn(start).is_black());
        let plies = self.adjournment.as_ref().map_or(0, |adjournment| adjournment.plies);
        shakmaty::Position::fullmoves(start).get().saturating_add((plies + before) / 2)
    }
}

/// The items that are not known yet.
fn missing(game: &Game) -> Vec<&'static str> {
    let sealer = game.adjournment.as_ref().map(|adjournment| adjournment.sealer);
    let unconfirmed = game.awaits_stop();
    let place = game.adjournment.as_ref().is_none_or(|adjournment| adjournment.place.is_none());
    [
        (place, "the place of the resumption (envelope place)"),
        (game.session.resumes.is_none(), "its date and time (envelope resume)"),
        (game.line.position().is_none(), "the position (moves are missing: bring the scoresheets)"),
        (game.line.raw().is_some(), "the position (an illegal move stands on the board: rule on it)"),
        (sealer != Some(game.line.turn()), "the position (by the moves made the other player has the move: restore it)"),
        (game.clock.running().is_some() || unconfirmed, "the times (the device has not confirmed that its clocks stand)"),
    ]
    .into_iter()
    .filter_map(|(missing, what)| missing.then_some(what))
    .collect()
}

/// Says when the session ends, or when the game is resumed.
pub(in crate::game) fn announce(d: &mut Decision, ends: Option<WallTime>, resumes: Option<WallTime>) {
    let article = d.game.laws.adjournment.sessions;
    d.so(Consequence::SessionAnnounced { ends, resumes, article });
}

/// Writes an item; one that was only compared changes nothing.
pub(in crate::game) fn write(d: &mut Decision, item: &Item) {
    let article = d.game.laws.adjournment.envelope;
    match item {
        Item::Place(_) => d.so(Consequence::EnvelopeWritten { item: item.clone(), article }),
        Item::Resumes(at) => announce(d, None, Some(*at)),
        Item::Number(_) | Item::Sealer(_) | Item::Offer(_) | Item::Times(_) => {}
    }
}

/// The envelope is complete and right: the game is adjourned.
pub(in crate::game) fn take_custody(d: &mut Decision) {
    let article = d.game.laws.adjournment.custody;
    d.so(Consequence::Adjourned { article });
}

/// The envelope is lost. Without the position the game is void (I.12.2).
pub(in crate::game) fn lose(d: &mut Decision, lost: Lost) {
    let laws = &d.game.laws.adjournment;
    let article = if lost == Lost::Position { laws.position_lost } else { laws.lost };
    d.so(Consequence::EnvelopeLost { lost, article });
    match lost {
        Lost::Position => {
            completion::stop_for_good(d, StopReason::Arbiter);
            d.so(Consequence::Annulled);
        }
        Lost::Times => {
            if d.game.clock.running().is_some() {
                chessclock::halt(d, StopReason::Resuming);
            }
            resumption::lost_and_late(d);
        }
        Lost::Move => resumption::lost_and_late(d),
    }
}

/// What the arbiter sets holds in the place of times that were lost (I.12.1); the move still is.
pub(in crate::game) fn times_set(d: &mut Decision) {
    if d.game.adjournment.as_ref().is_some_and(|adjournment| adjournment.lost == Some(Lost::Times)) {
        let article = d.game.laws.adjournment.lost;
        d.so(Consequence::EnvelopeLost { lost: Lost::Move, article });
    }
}

/// Whether a ruling has no place in a game that is adjourned.
pub(in crate::game) fn waits_for_resumption(game: &Game, ruling: &Ruling) -> bool {
    let possible = matches!(
        ruling,
        Ruling::Announce { .. }
            | Ruling::WriteEnvelope { .. }
            | Ruling::TakeCustody
            | Ruling::LoseEnvelope { .. }
            | Ruling::Open { .. }
            | Ruling::Decipher { .. }
            | Ruling::Resume
            | Ruling::SetClocks { .. }
            | Ruling::SetCounter { .. }
            | Ruling::AddTime { .. }
            | Ruling::ReplaceClock { .. }
            | Ruling::ReplaceOwnClock { .. }
            | Ruling::DeclareResult { .. }
            | Ruling::Annul { .. }
            | Ruling::Penalise { .. }
            | Ruling::Excuse { .. }
            | Ruling::Undo { .. }
    );
    let on_the_board = matches!(ruling, Ruling::RuleIllegal { .. } | Ruling::Restore { .. } | Ruling::FindColoursReversed | Ruling::FindWrongSetup);
    let kept = game.is_suspended() && game.stage() != Some(Stage::Sealed);
    (game.phase == Phase::Adjourned && !possible) || (kept && on_the_board)
}
