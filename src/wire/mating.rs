//! Whether a side can still mate, in protobuf and back.

use shakmaty::ByColor;
use shakmaty::fen::Epd;

use super::decode::{short, uci};
use super::{Error, v1};
use crate::board::mating::{Mating, Proof};
use crate::game::entry::MAX_MATING_LINE;

/// Bytes of a proof's digest.
const DIGEST: usize = 32;

/// Whether either side can still mate after so many plies.
pub(super) fn verdict(plies: u32, of: &ByColor<Option<Mating>>) -> v1::Verdict {
    v1::Verdict { plies, white: of.white.as_ref().map(mating), black: of.black.as_ref().map(mating), position: String::new() }
}

/// The same, and on which position.
pub(super) fn verdict_on(plies: u32, position: &Epd, of: &ByColor<Option<Mating>>) -> v1::Verdict {
    v1::Verdict { position: position.to_string(), ..verdict(plies, of) }
}

/// A verdict's position.
pub(super) fn position(v: &v1::Verdict) -> Result<Box<Epd>, Error> {
    let field = "verdict.position";
    v.position.parse().map(Box::new).map_err(|e| Error::new(field, format!("'{}' is no position in EPD: {e}", short(&v.position))))
}

pub(super) fn mating(m: &Mating) -> v1::Mating {
    use v1::mating::Kind;
    let kind = match m {
        Mating::Possible(line) => Kind::Possible(v1::MatingLine { moves: line.iter().map(ToString::to_string).collect() }),
        Mating::Impossible(p) => Kind::Impossible(proof(*p)),
        Mating::Unclear => Kind::Unclear(v1::Unclear {}),
    };
    v1::Mating { kind: Some(kind) }
}

/// A proof: its word, what it counts, its digest. [`read_proof`] reads what this writes.
fn proof(p: Proof) -> v1::Proof {
    let (kind, count, digest): (&str, u32, Option<[u8; DIGEST]>) = match p {
        Proof::Terminal => ("terminal", 0, None),
        Proof::Material => ("material", 0, None),
        Proof::ForcedLine { plies } => ("forced-line", plies, None),
        Proof::Tree { leaves } => ("tree", leaves, None),
        Proof::Reach { squares } => ("reach", squares, None),
        Proof::Closure { positions, digest } => ("closure", positions, Some(digest)),
        Proof::Locking { positions, digest } => ("locking", positions, Some(digest)),
    };
    v1::Proof { kind: kind.to_string(), count, digest: digest.map_or_else(Vec::new, |digest| digest.to_vec()) }
}

/// A proof as [`proof`] wrote it.
fn read_proof(p: &v1::Proof) -> Result<Proof, Error> {
    let digest: Option<[u8; DIGEST]> = match p.digest.as_slice() {
        [] => None,
        bytes => Some(bytes.try_into().map_err(|_| Error::new("proof.digest", format!("{DIGEST} bytes, or none")))?),
    };
    match (p.kind.as_str(), p.count, digest) {
        ("terminal", 0, None) => Ok(Proof::Terminal),
        ("material", 0, None) => Ok(Proof::Material),
        ("forced-line", plies, None) => Ok(Proof::ForcedLine { plies }),
        ("tree", leaves, None) => Ok(Proof::Tree { leaves }),
        ("reach", squares, None) => Ok(Proof::Reach { squares }),
        ("locking", positions, Some(digest)) => Ok(Proof::Locking { positions, digest }),
        ("closure", positions, Some(digest)) => Ok(Proof::Closure { positions, digest }),
        _ => Err(Error::new("proof", format!("'{}' is no proof in this form", short(&p.kind)))),
    }
}

/// The number of plies, and whether either side can still mate after them.
pub(super) fn decode(v: v1::Verdict) -> Result<(u32, ByColor<Option<Mating>>), Error> {
    let side = |field, m: Option<v1::Mating>| m.map(|m| read(field, m)).transpose();
    Ok((v.plies, ByColor { white: side("verdict.white", v.white)?, black: side("verdict.black", v.black)? }))
}

fn read(field: &'static str, m: v1::Mating) -> Result<Mating, Error> {
    use v1::mating::Kind;
    Ok(match m.kind.ok_or_else(|| Error::missing(field))? {
        Kind::Possible(line) if line.moves.len() > MAX_MATING_LINE => {
            return Err(Error::new(field, format!("a line of more than {MAX_MATING_LINE} plies")));
        }
        Kind::Possible(line) => Mating::Possible(line.moves.iter().map(|text| uci(field, text)).collect::<Result<_, _>>()?),
        Kind::Impossible(proof) => Mating::Impossible(read_proof(&proof)?),
        Kind::Unclear(_) => Mating::Unclear,
    })
}
