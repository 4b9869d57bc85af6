//! `zeitnot ask`: who can still mate, how often a position has stood, what claims would succeed; of a
//! position, of a game in the log, of a file of questions, of the positions of games.

mod bulk;
mod games;

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};
use shakmaty::Color;

use super::data::{self, Data};
use super::output::{progress, say};
use super::remote::Remote;
use super::{Stop, exit, json};
use crate::board::mating::Budget;
use crate::game::{self, GameId};
use crate::log::Log;
use crate::wire::{self, v1};
use crate::writer;

/// Options of `ask`.
#[derive(Debug, Args)]
pub(super) struct Ask {
    /// The position; of Chess960 in X-FEN or Shredder-FEN. 'start' is the usual one.
    #[arg(required_unless_present_any = ["file", "pgn", "game"], conflicts_with_all = ["file", "pgn", "game"])]
    fen: Option<String>,
    /// Moves from there, as in "e4 e5 Nf3".
    #[arg(long, requires = "fen", default_value = "", hide_default_value = true)]
    moves: String,
    /// Edition of the Laws, by year; the latest where not given.
    #[arg(long = "laws", requires = "fen", default_value_t = 0, hide_default_value = true, value_name = "YEAR")]
    edition: u32,
    /// A game of a daemon that runs, as it stands; with --data, of a log whose daemon does not.
    #[arg(long, conflicts_with_all = ["file", "pgn"])]
    game: Option<u64>,
    /// Directory of that log.
    #[arg(long, requires = "game", value_name = "DIR")]
    data: Option<PathBuf>,
    /// The game as it was after this entry of it.
    #[arg(long, requires = "data", value_name = "SEQ")]
    until: Option<u64>,
    /// A question a line: FEN ; white|black, and behind it, if it is known: ; winnable|unwinnable ; SOURCE.
    #[arg(long, conflicts_with = "pgn")]
    file: Option<PathBuf>,
    /// PGN files, or a folder of them: whoever mated in the end could mate in every position before.
    #[arg(long, value_name = "PATH")]
    pgn: Option<PathBuf>,
    /// Positions that are looked at for each side at most.
    #[arg(long, default_value_t = Budget::DEFAULT.nodes, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    #[command(flatten)]
    remote: Remote,
}

impl Ask {
    pub(super) fn run(self) -> Result<(), Stop> {
        let budget = Budget { nodes: self.nodes };
        let json = self.remote.json;
        match (&self.fen, &self.file, &self.pgn, self.game) {
            (_, Some(file), ..) => bulk::run(file, budget, json),
            (_, _, Some(path), _) => games::run(path, budget, json),
            (_, _, _, Some(game)) if self.data.is_some() => show(&self.in_log(game, budget)?, json),
            (_, _, _, Some(game)) => {
                let request = v1::AskRequest { position: Some(v1::ask_request::Position::Game(game)), nodes: self.nodes, ..Default::default() };
                show(&self.remote.office(async |mut office| office.ask(request).await)?, json)
            }
            (Some(fen), ..) => show(&self.here(fen, budget).map_err(|why| Stop::new(exit::USAGE, why))?, json),
            _ => Err(Stop::new(exit::USAGE, "what is asked? a FEN, --game, --file or --pgn")),
        }
    }

    /// Answers from a log.
    fn in_log(&self, game: u64, budget: Budget) -> Result<v1::AskAnswer, Stop> {
        let log = Data::at(self.data.clone().unwrap_or_default()).open()?;
        let until = data::end(&log, self.until)?;
        let bar = progress("replaying", until.0);
        let venue = writer::replay(&*log.reader(), Some(until), &mut |seq| bar.set_position(seq.0)).map_err(|e| Stop::new(exit::DAMAGED, e))?;
        bar.finish_and_clear();
        let none = || Stop::new(exit::USAGE, format!("--game {game}: there is no such game up to entry {}", until.0));
        let table = venue.table(GameId(game)).ok_or_else(none)?;
        game::ask(&table.game, budget).map(|answered| wire::answer(&answered)).map_err(Stop::unusable)
    }

    /// Answers without a daemon.
    fn here(&self, fen: &str, budget: Budget) -> Result<v1::AskAnswer, String> {
        let moves: Vec<String> = self.moves.split_whitespace().filter_map(unnumbered).collect();
        let fen = if fen == "start" { "" } else { fen };
        let (start, moves, regulations) = wire::question(fen, &moves, self.edition).map_err(|e| e.to_string())?;
        let game = game::led_to(start, regulations, &moves).map_err(|e| e.to_string())?;
        game::ask(&game, budget).map(|answered| wire::answer(&answered)).map_err(|e| e.to_string())
    }
}

/// A move without its number: `Nf3` of `2.Nf3`; nothing of `2.`.
fn unnumbered(word: &str) -> Option<String> {
    let text = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let text = if text.starts_with('.') { text.trim_start_matches('.') } else { word };
    (!text.is_empty()).then(|| text.to_string())
}

fn show(answer: &v1::AskAnswer, json: bool) -> Result<(), Stop> {
    if json { say(as_json(answer)) } else { say(text(answer)) }
}

fn kind(side: Option<&v1::CanMate>) -> Option<&v1::mating::Kind> {
    side?.mating.as_ref()?.kind.as_ref()
}

/// Whether neither side can mate; `None` where that is unclear.
fn is_dead(answer: &v1::AskAnswer) -> Option<bool> {
    use v1::mating::Kind;
    let sides = [kind(answer.white.as_ref()), kind(answer.black.as_ref())];
    if sides.iter().any(|kind| matches!(kind, Some(Kind::Possible(_)))) {
        return Some(false);
    }
    sides.iter().all(|kind| matches!(kind, Some(Kind::Impossible(_)))).then_some(true)
}

fn text(answer: &v1::AskAnswer) -> String {
    let mut lines = vec![format!("fen     {}", answer.fen)];
    if !answer.shredder_fen.is_empty() {
        lines.push(format!("        {}", answer.shredder_fen));
    }
    if let Some(over) = &answer.ended {
        lines.push(format!("over    {} {} ({})", over.score, over.termination, over.article));
    }
    lines.push(match is_dead(answer) {
        Some(true) => "dead    yes: neither side can mate".to_string(),
        Some(false) => "dead    no".to_string(),
        None => "dead    unclear".to_string(),
    });
    for (name, side) in [("white ", answer.white.as_ref()), ("black ", answer.black.as_ref())] {
        let side = side.map_or(String::new(), |side| format!("{} ({} nodes)", side.text, side.nodes));
        lines.push(format!("{name}  {side}"));
    }
    let stood: Vec<String> = answer.stood.iter().map(ToString::to_string).collect();
    lines.push(format!("stood   {} times, after plies {}", stood.len(), stood.join(", ")));
    lines.push(format!("moves   {} half-moves since the last pawn move or capture", answer.halfmoves));
    for claim in &answer.claims {
        lines.push(format!("claim   {} by {}: {} ({})", claim.claim, json::color(claim.by()).unwrap_or(""), claim.because, claim.article));
    }
    if answer.claims.is_empty() {
        lines.push("claim   none would succeed".to_string());
    }
    lines.join("\n")
}

fn as_json(answer: &v1::AskAnswer) -> Value {
    let claims = answer
        .claims
        .iter()
        .map(|claim| json!({ "by": json::color(claim.by()), "claim": claim.claim, "article": claim.article, "because": claim.because }));
    json!({
        "fen": answer.fen,
        "shredder_fen": if answer.shredder_fen.is_empty() { Value::Null } else { json!(answer.shredder_fen) },
        "dead": is_dead(answer),
        "white": side(answer.white.as_ref()),
        "black": side(answer.black.as_ref()),
        "over": answer.ended.as_ref().map(|over| json!({ "score": over.score, "termination": over.termination, "article": over.article })),
        "stood": answer.stood,
        "halfmoves": answer.halfmoves,
        "claims": claims.collect::<Vec<_>>(),
    })
}

fn side(side: Option<&v1::CanMate>) -> Value {
    use v1::mating::Kind;
    let nodes = side.map_or(0, |side| side.nodes);
    let text = side.map_or("", |side| side.text.as_str());
    match kind(side) {
        Some(Kind::Possible(line)) => {
            let san = text.strip_prefix("can mate: ").unwrap_or_default();
            json!({ "mate": "possible", "nodes": nodes, "line": san, "uci": line.moves })
        }
        Some(Kind::Impossible(proof)) => {
            let digest: String = proof.digest.iter().map(|byte| format!("{byte:02x}")).collect();
            json!({ "mate": "impossible", "nodes": nodes, "proof": { "kind": proof.kind, "count": proof.count, "digest": digest, "text": text } })
        }
        _ => json!({ "mate": "unclear", "nodes": nodes }),
    }
}

fn color(text: &str) -> Result<Color, String> {
    match text {
        "white" => Ok(Color::White),
        "black" => Ok(Color::Black),
        _ => Err("white or black".to_string()),
    }
}
