//! Opening the envelope: what the text means, and what follows (I.7, I.8, I.12.1).

use shakmaty::{Color, uci::UciMove};

use super::{Stage, resumption};
use crate::board::{Meaning, MoveText, Written, written};
use crate::envelope::{Nonce, Note};
use crate::game::entry::{Command, Consequence, IncidentCode, Loss, Lost, Opened, Refusal, Ruling, StopReason, Termination};
use crate::game::{ClaimsBy, Decision, Game, Phase, chessclock, completion, drawn_game, mating, orders};
use crate::laws::Article;

/// What stands against opening the envelope, or against saying what it means.
pub(in crate::game) fn admit(game: &Game, ruling: &Ruling, stamped: bool) -> Result<(), Refusal> {
    let laws = &game.laws.adjournment;
    let refuse = |code, article, why: &str| Err(Refusal::Contradicts { code, article, why: why.to_string() });
    let Some((adjournment, envelope)) = game.adjournment.as_ref().zip(game.envelope()) else {
        return refuse("not-resuming", laws.opening, "there is no envelope to open");
    };
    if !envelope.is_reply && adjournment.stage != Stage::Resuming {
        return refuse("not-resuming", laws.opening, "the envelope is opened at the resumption: resume the game first");
    }
    let runs = game.clock.running().is_some() || game.orders.iter().any(|order| matches!(order.command, Command::Start { .. }));
    if !envelope.is_reply && runs && game.device.is_some() && !stamped {
        return refuse("running", laws.responder_absent, "the responder's clock runs: stop it first");
    }
    if game.waits() {
        return refuse("claim-pending", laws.wrong_times, "a claim waits for its decision: uphold or reject it first");
    }
    match ruling {
        Ruling::Decipher { .. } if adjournment.text.is_none() => refuse("not-opened", laws.opening, "the envelope has not been opened"),
        Ruling::Decipher { made: None } if adjournment.waits.is_none() => {
            refuse("has-a-meaning", laws.bad_move.article, "nothing was found wrong with it: decipher it with a move")
        }
        Ruling::Decipher { made } => match made.map(|made| (made, legal(game, made))) {
            Some((made, None)) => Err(Refusal::Unreadable { field: "move", why: format!("{made} is no legal move in {}", game.line.fen()) }),
            _ => Ok(()),
        },
        _ if adjournment.lost.is_some() && (envelope.is_reply || adjournment.board.is_none()) => {
            refuse("envelope-lost", laws.lost, "the envelope is lost: who sealed it declares his move")
        }
        _ if *game.absent.get(!envelope.by) && !envelope.is_reply => {
            refuse("responder-absent", laws.opening, "it is opened only when the player is there who has to answer")
        }
        _ if envelope.is_reply && *game.absent.get(adjournment.sealer) => {
            refuse("sealer-absent", laws.sealer_absent, "the answer is opened when the player arrives who is away")
        }
        _ if adjournment.text.is_some() && adjournment.waits.is_some() => refuse("opened", laws.opening, "it has been opened: decipher it"),
        Ruling::Open { opened } => is_what_was_sealed(game, &envelope, opened.as_ref()),
        _ => Ok(()),
    }
}

/// Whether what is handed in is what was sealed.
fn is_what_was_sealed(game: &Game, envelope: &super::Envelope<'_>, opened: Option<&Opened>) -> Result<(), Refusal> {
    let article = game.laws.adjournment.opening;
    let unreadable = |why: &str| Err(Refusal::Unreadable { field: "opened", why: why.to_string() });
    match (envelope.sealed, opened) {
        (None, None) => Ok(()),
        // A lost envelope had nothing in it that counts: the move is known.
        (_, None) if game.adjournment.as_ref().is_some_and(|a| a.lost.is_some() && a.board.is_some()) => Ok(()),
        (None, Some(_)) => unreadable("nothing was written: the move on the board is the sealed one"),
        (Some(_), None) => unreadable("the text and the nonce are needed, or the private key that opens the envelope"),
        (Some(sealed), Some(Opened { text, nonce })) => match note(text, *nonce) {
            Some(note) if note.commitment(game.id.0, envelope.ply) == sealed.commitment => Ok(()),
            _ => {
                let why = format!("that is not what was sealed: text and nonce do not give the commitment {}", sealed.commitment);
                Err(Refusal::Contradicts { code: "not-what-was-sealed", article, why })
            }
        },
    }
}

fn note(text: &str, nonce: Nonce) -> Option<Note> {
    Note::new(zeroize::Zeroizing::new(text.to_string()), nonce).ok()
}

fn legal(game: &Game, made: MoveText) -> Option<UciMove> {
    made.resolve(game.line.position()).filter(|uci| game.line.is_legal(*uci))
}

/// The envelope is opened: its move is played, or loses, or is for the arbiter.
pub(in crate::game) fn open(d: &mut Decision, opened: Option<&Opened>) {
    let Some((by, is_reply)) = d.game.envelope().map(|envelope| (envelope.by, envelope.is_reply)) else { return };
    let board = d.game.adjournment.as_ref().and_then(|adjournment| adjournment.board).filter(|_| !is_reply);
    stand_still(d, is_reply);
    let read = opened.map(|opened| read(&d.game, &opened.text));
    let laws = &d.game.laws.adjournment;
    if let Some(made) = board {
        let otherwise = read.as_ref().is_some_and(|read| read.meaning != Meaning::Move(made));
        let because = "it was made on the board after the order".to_string();
        d.so(Consequence::SealedMoveJudged { by, meaning: Meaning::Move(made), because, article: laws.sealing, pending: false });
        if otherwise {
            let note = read.map_or(String::new(), |read| read.ground);
            d.incident(IncidentCode::SealedOtherwise, Some(by), &laws.sealing, note);
        }
        let article = played_by(&d.game);
        return play(d, by, made, article);
    }
    let Some(Written { meaning, ground }) = read else { return };
    let article = ground_of(&d.game, &meaning);
    let asks = meaning == Meaning::Unclear || (!matches!(meaning, Meaning::Move(_)) && d.game.regulations.claims == ClaimsBy::Arbiter);
    d.so(Consequence::SealedMoveJudged { by, meaning: meaning.clone(), because: ground.clone(), article, pending: asks });
    match meaning {
        Meaning::Move(made) => {
            let article = played_by(&d.game);
            play(d, by, made, article);
        }
        _ if asks => {
            // Nobody pays for the time that the arbiter takes.
            if d.game.clock.running().is_some() {
                chessclock::halt(d, StopReason::Resuming);
            }
            d.incident(IncidentCode::SealedMoveUnclear, Some(by), &article, ground);
        }
        _ => loses(d, by, article),
    }
}

/// What a text means in the position before it. Without that position it is for the arbiter.
fn read(game: &Game, text: &str) -> Written {
    match game.line.position() {
        Some(position) => written(position, text),
        None => Written { meaning: Meaning::Unclear, ground: "the position is not known".to_string() },
    }
}

fn ground_of(game: &Game, meaning: &Meaning) -> Article {
    let laws = &game.laws.adjournment;
    match meaning {
        Meaning::Move(_) => laws.opening,
        Meaning::Ambiguous(_) => laws.bad_move.ambiguous,
        Meaning::Illegal => laws.bad_move.illegal,
        Meaning::NoMeaning | Meaning::Unclear => laws.bad_move.undecipherable,
    }
}

/// The responder's clock stands while his envelope is opened; the answer to one who was away is opened on that one's time.
fn stand_still(d: &mut Decision, is_reply: bool) {
    if !is_reply && d.game.clock.running().is_some() {
        let stopped = d.game.clock.stopped(d.now);
        d.so(Consequence::ClocksStopped { sides: chessclock::sides(&stopped), reason: StopReason::Resuming });
    }
}

/// The arbiter says what the text means.
pub(in crate::game) fn decipher(d: &mut Decision, made: Option<MoveText>) {
    let Some((by, is_reply)) = d.game.envelope().map(|envelope| (envelope.by, envelope.is_reply)) else { return };
    let waits = d.game.adjournment.as_ref().and_then(|adjournment| adjournment.waits);
    stand_still(d, is_reply);
    let because = "as the arbiter deciphers it".to_string();
    match made.and_then(|made| legal(&d.game, made)) {
        Some(made) => {
            let article = d.game.laws.adjournment.opening;
            d.so(Consequence::SealedMoveJudged { by, meaning: Meaning::Move(made), because, article, pending: false });
            let article = played_by(&d.game);
            play(d, by, made, article);
        }
        None => loses(d, by, waits.unwrap_or(d.game.laws.adjournment.bad_move.undecipherable)),
    }
}

/// Where the envelope is lost the sealer plays the move that he says he sealed (I.12.1).
pub(in crate::game) fn declared(d: &mut Decision, by: Color, made: MoveText) {
    let laws = &d.game.laws.adjournment;
    let is_reply = d.game.envelope().is_some_and(|envelope| envelope.is_reply);
    let lost = d.game.adjournment.as_ref().is_some_and(|a| a.lost == Some(Lost::Move) && (a.stage == Stage::Resuming || is_reply));
    let asked = lost && d.game.envelope().is_some_and(|envelope| envelope.by == by);
    let there = !*d.game.absent.get(!by);
    let stands = is_reply || d.game.clock.running().is_none() || d.game.device.is_none();
    let board = d.game.adjournment.as_ref().and_then(|adjournment| adjournment.board).filter(|_| !is_reply);
    match legal(&d.game, made).filter(|_| asked && there && stands) {
        Some(made) if board.is_some_and(|board| board != made) => {
            let note = "another move was made on the board after the order: that is the sealed one";
            d.incident(IncidentCode::SealedOtherwise, Some(by), &laws.sealing, note);
        }
        Some(made) => {
            stand_still(d, is_reply);
            play(d, by, made, laws.lost);
        }
        None if asked && there && stands => d.incident(IncidentCode::IllegalMove, Some(by), &laws.lost, "no legal move: declare another"),
        None => {
            let note = match (asked, lost) {
                (true, _) => "the other player is away, or the responder's clock runs",
                (false, true) => "who sealed it declares",
                (false, false) if d.game.adjournment.as_ref().is_some_and(|a| a.lost.is_some()) => {
                    "the game is not resumed, or the clocks have to be set first"
                }
                (false, false) => "no envelope is lost",
            };
            d.incident(IncidentCode::DeclarationWithoutNeed, Some(by), &laws.lost, note);
        }
    }
}

/// By which rule the sealed move comes on the board: the responder was there, or came, or answered one who was away (I.9).
fn played_by(game: &Game) -> Article {
    let laws = &game.laws.adjournment;
    match &game.adjournment {
        Some(adjournment) if adjournment.stage == Stage::Resumed => laws.sealer_absent,
        Some(adjournment) if adjournment.was_away => laws.responder_absent,
        _ => laws.responder_present,
    }
}

/// A sealed move that means no legal move loses, or draws where the opponent cannot mate (I.8).
fn loses(d: &mut Decision, by: Color, article: Article) {
    mating::decides(d, Loss { color: by, termination: Termination::SealedMove, article });
}

/// Puts the sealed move on the board. The game may be over with it; else the other player's clock runs.
fn play(d: &mut Decision, by: Color, made: UciMove, article: Article) {
    let is_reply = d.game.stage() == Some(Stage::Resumed);
    let clock = if is_reply { *d.game.clock.side(by) } else { *d.game.clock.completed(by).side(by) };
    let completed = d.game.completed.get(by) + 1;
    d.so(Consequence::SealedMovePlayed { by, made, clock, completed, article });
    drawn_game::duty(d, by);
    if d.game.duty.is_some_and(|(whose, _)| whose == by) {
        d.so(Consequence::DutySet { by, duty: None });
    }
    if is_reply {
        drawn_game::reject(d, by);
    }
    completion::check(d);
    if d.game.is_finished() || resumption::is_counted_late(d) {
        return;
    }
    if d.game.phase != Phase::Running {
        let sides = chessclock::sides(&d.game.clock);
        orders::tell(d, Command::Set { sides });
        orders::command(d, Command::Start { color: !by });
    }
}
