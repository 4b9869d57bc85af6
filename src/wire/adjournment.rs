//! Sealed moves, envelopes and resumptions in protobuf and back.

use shakmaty::Color;
use zeroize::Zeroizing;

use super::decode::{color, color_or_none, count, millis, move_text, short, side as side_of, text, times as times_of, uci};
use super::encode::{color as colored, color_or_none as maybe_colored, side, times};
use super::v1::{self, consequence, envelope_item};
use super::{Error, v1::ruling};
use crate::board::Meaning;
use crate::clock::{MAX_TIME, WallTime};
use crate::envelope::{CIPHERTEXT, Commitment, Nonce, Note, PrivateKey, PublicKey, Sealed};
use crate::game::entry::MAX_TEXT;
use crate::game::{Consequence, Fact, Game, Item, Lost, Opened, Ruling, Stage};
use crate::laws::Article;

/// Most moves between which a text may fail to choose.
const MAX_MEANT: usize = 64;

/// Prints nothing of what a player wrote.
impl std::fmt::Debug for v1::Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Note(sealed)")
    }
}

/// Prints nothing of a key.
impl std::fmt::Debug for v1::PrivateKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PrivateKey")
    }
}

fn bytes32(field: &'static str, bytes: &[u8]) -> Result<[u8; 32], Error> {
    bytes.try_into().map_err(|_| Error::new(field, format!("32 bytes, not {}", bytes.len())))
}

/// Who seals what. The text is taken out of the message, and no error repeats it.
///
/// # Errors
/// Where text or nonce cannot be sealed.
pub fn seal(seal: v1::Seal) -> Result<(Color, Note), Error> {
    let note = seal.note.ok_or_else(|| Error::missing("seal.note"))?;
    let written = Zeroizing::new(note.text);
    let nonce = Nonce(bytes32("seal.note.nonce", &note.nonce)?);
    let note = Note::new(written, nonce).map_err(|e| Error::new("seal.note", e.to_string()))?;
    Ok((color("seal.by", seal.by)?, note))
}

/// A private key that opens an envelope.
///
/// # Errors
/// Where it has another length.
pub fn private_key(key: v1::PrivateKey) -> Result<PrivateKey, Error> {
    let bytes = Zeroizing::new(key.bytes);
    Ok(PrivateKey::new(Zeroizing::new(bytes32("private_key", &bytes)?)))
}

/// A public key for envelopes.
///
/// # Errors
/// Where it has another length.
pub fn public_key(bytes: &[u8]) -> Result<PublicKey, Error> {
    bytes32("envelope_key", bytes).map(PublicKey)
}

pub(super) fn encode_sealed(by: Color, ply: u32, sealed: &Sealed) -> v1::SealedMove {
    v1::SealedMove { by: colored(by), ply, commitment: sealed.commitment.0.to_vec(), ciphertext: sealed.ciphertext.clone() }
}

pub(super) fn sealed(s: v1::SealedMove) -> Result<Fact, Error> {
    if s.ciphertext.len() != CIPHERTEXT {
        return Err(Error::new("sealed_move.ciphertext", format!("{CIPHERTEXT} bytes, not {}", s.ciphertext.len())));
    }
    let commitment = Commitment(bytes32("sealed_move.commitment", &s.commitment)?);
    let sealed = Box::new(Sealed { commitment, ciphertext: s.ciphertext });
    Ok(Fact::SealedMove { by: color("sealed_move.by", s.by)?, ply: s.ply, sealed })
}

fn encode_item(item: &Item) -> v1::EnvelopeItem {
    use envelope_item::Item as Wire;
    let item = match item {
        Item::Place(place) => Wire::Place(place.clone()),
        Item::Resumes(at) => Wire::ResumesMs(at.0),
        Item::Number(number) => Wire::Number(*number),
        Item::Sealer(c) => Wire::Sealer(colored(*c)),
        Item::Offer(c) => Wire::Offer(maybe_colored(*c)),
        Item::Times(t) => Wire::Times(times(t)),
    };
    v1::EnvelopeItem { item: Some(item) }
}

fn item(i: v1::EnvelopeItem) -> Result<Item, Error> {
    use envelope_item::Item as Wire;
    Ok(match i.item.ok_or_else(|| Error::missing("envelope.item"))? {
        Wire::Place(place) => Item::Place(text("envelope.place", place, MAX_TEXT)?),
        Wire::ResumesMs(at) => Item::Resumes(WallTime(at)),
        Wire::Number(number) => Item::Number(number),
        Wire::Sealer(c) => Item::Sealer(color("envelope.sealer", c)?),
        Wire::Offer(c) => Item::Offer(color_or_none("envelope.offer", c)?),
        Wire::Times(t) if t.white_ms > MAX_TIME.0 || t.black_ms > MAX_TIME.0 => {
            return Err(Error::new("envelope.times", format!("more than {MAX_TIME}")));
        }
        Wire::Times(t) => Item::Times(times_of(t)?),
    })
}

fn lost(word: &str) -> Result<Lost, Error> {
    let known = [Lost::Move, Lost::Times, Lost::Position];
    let found = known.into_iter().find(|lost| lost.word() == word);
    found.ok_or_else(|| Error::new("lost", format!("'{}' is none of: times position, or empty", short(word))))
}

pub(super) fn encode_ruling(r: &Ruling) -> Option<ruling::Kind> {
    use ruling::Kind;
    Some(match r {
        Ruling::OrderSeal => Kind::OrderSeal(v1::OrderSeal {}),
        Ruling::Announce { ends, resumes } => Kind::Announce(v1::Announce { ends_ms: ends.map(|at| at.0), resumes_ms: resumes.map(|at| at.0) }),
        Ruling::WriteEnvelope { item } => Kind::WriteEnvelope(encode_item(item)),
        Ruling::TakeCustody => Kind::TakeCustody(v1::TakeCustody {}),
        Ruling::LoseEnvelope { lost } => Kind::LoseEnvelope(v1::LoseEnvelope { lost: lost.word().to_string() }),
        Ruling::Open { opened } => Kind::Open(match opened {
            Some(opened) => v1::Open { text: opened.text.clone(), nonce: opened.nonce.0.to_vec() },
            None => v1::Open::default(),
        }),
        Ruling::Decipher { made } => Kind::Decipher(v1::Decipher { r#move: made.map_or_else(String::new, |made| made.to_string()) }),
        _ => return None,
    })
}

pub(super) fn decode_ruling(kind: ruling::Kind) -> Result<Ruling, Error> {
    use ruling::Kind;
    Ok(match kind {
        Kind::OrderSeal(_) => Ruling::OrderSeal,
        Kind::Announce(a) => Ruling::Announce { ends: a.ends_ms.map(WallTime), resumes: a.resumes_ms.map(WallTime) },
        Kind::WriteEnvelope(i) => Ruling::WriteEnvelope { item: item(i)? },
        Kind::TakeCustody(_) => Ruling::TakeCustody,
        Kind::LoseEnvelope(l) => Ruling::LoseEnvelope { lost: lost(&l.lost)? },
        Kind::Open(o) if o.text.is_empty() && o.nonce.is_empty() => Ruling::Open { opened: None },
        Kind::Open(o) => {
            let nonce = Nonce(bytes32("open.nonce", &o.nonce)?);
            Ruling::Open { opened: Some(Opened { text: text("open.text", o.text, crate::envelope::MAX_WRITTEN)?, nonce }) }
        }
        Kind::Decipher(d) if d.r#move.is_empty() => Ruling::Decipher { made: None },
        Kind::Decipher(d) => Ruling::Decipher { made: Some(move_text("decipher.move", &d.r#move)?) },
        _ => return Err(Error::missing("ruling")),
    })
}

fn encode_meaning(meaning: &Meaning) -> (String, Vec<String>) {
    let moves = match meaning {
        Meaning::Move(made) => vec![made.to_string()],
        Meaning::Ambiguous(between) => between.iter().map(ToString::to_string).collect(),
        Meaning::Illegal | Meaning::NoMeaning | Meaning::Unclear => Vec::new(),
    };
    (meaning.word().to_string(), moves)
}

fn meaning(word: &str, moves: &[String]) -> Result<Meaning, Error> {
    if moves.len() > MAX_MEANT {
        return Err(Error::new("moves", format!("at most {MAX_MEANT}")));
    }
    let moves: Vec<_> = moves.iter().map(|made| uci("moves", made)).collect::<Result<_, _>>()?;
    match (word, &moves[..]) {
        ("move", [made]) => Ok(Meaning::Move(*made)),
        ("ambiguous", [_, _, ..]) => Ok(Meaning::Ambiguous(moves)),
        ("illegal", []) => Ok(Meaning::Illegal),
        ("no-meaning", []) => Ok(Meaning::NoMeaning),
        ("unclear", []) => Ok(Meaning::Unclear),
        _ => Err(Error::new("meaning", format!("'{}' with {} moves is none", short(word), moves.len()))),
    }
}

pub(super) fn encode_consequence(c: &Consequence) -> Option<consequence::Kind> {
    use consequence::Kind;
    Some(match c {
        Consequence::SealOrdered { color: c, article } => Kind::SealOrdered(v1::SealOrdered { color: colored(*c), article: article.to_string() }),
        Consequence::SessionAnnounced { ends, resumes, article } => Kind::SessionAnnounced(v1::SessionAnnounced {
            ends_ms: ends.map(|at| at.0),
            resumes_ms: resumes.map(|at| at.0),
            article: article.to_string(),
        }),
        Consequence::MoveSealed { by, plies, board, offer, article } => Kind::MoveSealed(v1::MoveSealed {
            by: colored(*by),
            plies: *plies,
            board: board.map_or_else(String::new, |made| made.to_string()),
            offer: maybe_colored(*offer),
            article: article.to_string(),
        }),
        Consequence::EnvelopeWritten { item, article } => {
            Kind::EnvelopeWritten(v1::EnvelopeWritten { item: Some(encode_item(item)), article: article.to_string() })
        }
        Consequence::Adjourned { article } => Kind::Adjourned(v1::Adjourned { article: article.to_string() }),
        Consequence::EnvelopeLost { lost, article } => {
            Kind::EnvelopeLost(v1::EnvelopeLost { lost: lost.word().to_string(), article: article.to_string() })
        }
        Consequence::Resumed { at, article } => Kind::Resumed(v1::Resumed { at_ms: at.0, article: article.to_string() }),
        Consequence::LatenessOpen { color: c, article } => {
            Kind::LatenessOpen(v1::LatenessOpen { color: maybe_colored(*c), article: article.to_string() })
        }
        Consequence::SealedMoveJudged { by, meaning, because, article, pending } => {
            let (meaning, moves) = encode_meaning(meaning);
            let (because, article) = (because.clone(), article.to_string());
            Kind::SealedMoveJudged(v1::SealedMoveJudged { by: colored(*by), meaning, moves, because, article, pending: *pending })
        }
        Consequence::SealedMovePlayed { by, made, clock, completed, article } => Kind::SealedMovePlayed(v1::SealedMovePlayed {
            by: colored(*by),
            r#move: made.to_string(),
            side: Some(side(clock)),
            completed: *completed,
            article: article.to_string(),
        }),
        Consequence::ReplySealed { by, clock, other, since, article } => Kind::ReplySealed(v1::ReplySealed {
            by: colored(*by),
            side: Some(side(clock)),
            other_ms: other.0,
            since_ms: since.0,
            article: article.to_string(),
        }),
        _ => return None,
    })
}

pub(super) fn decode_consequence(kind: consequence::Kind) -> Result<Consequence, Error> {
    use consequence::Kind;
    Ok(match kind {
        Kind::SealOrdered(s) => Consequence::SealOrdered { color: color("color", s.color)?, article: Article::new(&s.article) },
        Kind::SessionAnnounced(s) => {
            Consequence::SessionAnnounced { ends: s.ends_ms.map(WallTime), resumes: s.resumes_ms.map(WallTime), article: Article::new(&s.article) }
        }
        Kind::MoveSealed(m) => Consequence::MoveSealed {
            by: color("by", m.by)?,
            plies: count("plies", m.plies)?,
            board: if m.board.is_empty() { None } else { Some(uci("board", &m.board)?) },
            offer: color_or_none("offer", m.offer)?,
            article: Article::new(&m.article),
        },
        Kind::EnvelopeWritten(e) => {
            Consequence::EnvelopeWritten { item: item(e.item.ok_or_else(|| Error::missing("item"))?)?, article: Article::new(&e.article) }
        }
        Kind::Adjourned(a) => Consequence::Adjourned { article: Article::new(&a.article) },
        Kind::EnvelopeLost(e) => Consequence::EnvelopeLost { lost: lost(&e.lost)?, article: Article::new(&e.article) },
        Kind::Resumed(r) => Consequence::Resumed { at: WallTime(r.at_ms), article: Article::new(&r.article) },
        Kind::LatenessOpen(l) => Consequence::LatenessOpen { color: color_or_none("color", l.color)?, article: Article::new(&l.article) },
        Kind::SealedMoveJudged(j) => Consequence::SealedMoveJudged {
            by: color("by", j.by)?,
            meaning: meaning(&j.meaning, &j.moves)?,
            because: j.because,
            article: Article::new(&j.article),
            pending: j.pending,
        },
        Kind::SealedMovePlayed(p) => Consequence::SealedMovePlayed {
            by: color("by", p.by)?,
            made: uci("move", &p.r#move)?,
            clock: side_of(p.side)?,
            completed: count("completed", p.completed)?,
            article: Article::new(&p.article),
        },
        Kind::ReplySealed(r) => Consequence::ReplySealed {
            by: color("by", r.by)?,
            clock: side_of(r.side)?,
            other: millis("other_ms", r.other_ms)?,
            since: millis("since_ms", r.since_ms)?,
            article: Article::new(&r.article),
        },
        _ => return Err(Error::missing("consequence")),
    })
}

/// What a console sees of the last adjournment: the outside of the envelope, and its closed content.
pub(super) fn state(game: &Game) -> Option<v1::Adjournment> {
    let adjournment = game.adjournment.as_ref()?;
    let envelope = game.envelope().map(|envelope| v1::ClosedEnvelope {
        by: colored(envelope.by),
        ply: envelope.ply,
        commitment: envelope.sealed.map_or_else(Vec::new, |sealed| sealed.commitment.0.to_vec()),
        ciphertext: envelope.sealed.map_or_else(Vec::new, |sealed| sealed.ciphertext.clone()),
        reply: envelope.is_reply,
    });
    let stage = match adjournment.stage {
        Stage::Ordered => "ordered",
        Stage::Sealed => "sealed",
        Stage::Adjourned => "adjourned",
        Stage::Resuming => "resuming",
        Stage::Resumed => "resumed",
    };
    Some(v1::Adjournment {
        sealer: colored(adjournment.sealer),
        stage: stage.to_string(),
        number: if adjournment.stage == Stage::Ordered { 0 } else { game.sealed_number() },
        board: adjournment.board.map_or_else(String::new, |made| made.to_string()),
        offer: maybe_colored(adjournment.offer),
        place: adjournment.place.clone().unwrap_or_default(),
        used: Some(times(&game.used())),
        lost: adjournment.lost.map_or("", Lost::word).to_string(),
        envelope_lost: adjournment.lost.is_some(),
        absent_white: game.absent.white,
        absent_black: game.absent.black,
        waits: adjournment.waits.is_some(),
        envelope: envelope.filter(|_| !game.is_finished()),
        text: adjournment.text.clone().unwrap_or_default(),
    })
}
