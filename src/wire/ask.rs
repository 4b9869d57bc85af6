//! What was asked of a position, and the answer.

use shakmaty::{Chess, Color};

use super::{Error, encode, v1};
use crate::board::mating::{self, Judged, Mating};
use crate::board::{MoveText, Start, numbered};
use crate::game::{Answered, Regulations};
use crate::laws::{Edition, Play, Supervision};

/// Most moves that a question may bring.
pub const MAX_ASKED: usize = 2_000;

/// A position with the moves to it, and the edition it is asked under.
///
/// # Errors
/// Names the field that is wrong.
pub fn question(fen: &str, moves: &[String], edition: u32) -> Result<(Start, Vec<MoveText>, Regulations), Error> {
    // Also a position to which no game can have led.
    let given = |fen| mating::asked(fen).map(|position| Start { position, number: None, seed: None });
    let start = if fen.is_empty() { Ok(Start::standard()) } else { given(fen) };
    let start = start.map_err(|e| Error::new("fen", e.to_string()))?;
    if moves.len() > MAX_ASKED {
        return Err(Error::new("moves", format!("at most {MAX_ASKED}")));
    }
    let moves = moves.iter().map(|text| text.parse().map_err(|e: crate::board::ParseMoveError| Error::new("moves", e.to_string())));
    let edition = match edition {
        0 => Edition::default(),
        year => Edition::of_year(year).ok_or_else(|| Error::new("edition", format!("there is no edition of {year}")))?,
    };
    let control = "5400".parse().map_err(|e: crate::clock::ParseControlError| Error::new("control", e.to_string()))?;
    let regulations = Regulations { edition, play: Play::Standard, supervision: Supervision::Full, ..Regulations::of(control) };
    Ok((start, moves.collect::<Result<_, _>>()?, regulations))
}

/// What is found.
pub fn answer(a: &Answered) -> v1::AskAnswer {
    v1::AskAnswer {
        fen: a.fen(),
        shredder_fen: a.shredder_fen().unwrap_or_default(),
        white: Some(can_mate(&a.position, &a.mating.white)),
        black: Some(can_mate(&a.position, &a.mating.black)),
        ended: a.ended.map(|(score, termination, article)| v1::GameOver {
            score: score.to_string(),
            termination: termination.to_string(),
            article: article.to_string(),
        }),
        stood: a.stood.iter().map(|plies| u32::try_from(*plies).unwrap_or(u32::MAX)).collect(),
        halfmoves: a.halfmoves,
        claims: a.claims.iter().map(|claim| possible(&a.position, claim)).collect(),
    }
}

fn can_mate(position: &Chess, judged: &Judged) -> v1::CanMate {
    let text = match &judged.mating {
        Mating::Possible(line) => format!("can mate: {}", numbered(position, line)),
        Mating::Impossible(proof) => format!("cannot mate: {proof}"),
        Mating::Unclear => "unclear".to_string(),
    };
    v1::CanMate { mating: Some(super::mating::mating(&judged.mating)), nodes: judged.nodes, text }
}

fn possible(position: &Chess, claim: &crate::game::Possible) -> v1::PossibleClaim {
    use crate::game::Claim;
    let san = |text: &MoveText| match text {
        MoveText::Uci(uci) => crate::board::sans(position, &[*uci]).pop().unwrap_or_else(|| uci.to_string()),
        MoveText::San(san) => san.to_string(),
    };
    let text = match &claim.claim {
        Claim::Threefold { with: Some(text) } => format!("threefold with {}", san(text)),
        Claim::Fifty { with: Some(text) } => format!("fifty with {}", san(text)),
        other => other.to_string(),
    };
    let by: Color = claim.by;
    v1::PossibleClaim { by: encode::color(by), claim: text, article: claim.article.to_string(), because: claim.because.clone() }
}
