//! `zeitnot ask`: whether a position is dead, and who can still mate; of one position, of a file of questions, of the positions of games.

mod bulk;
mod games;

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Position};

use super::output::say;
use super::{Stop, exit};
use crate::board::mating::{Budget, Judged, Mating, Proof, asked, judge};

/// Options of `ask`.
#[derive(Debug, Args)]
pub(super) struct Ask {
    /// The position; of Chess960 in X-FEN or Shredder-FEN.
    #[arg(required_unless_present_any = ["file", "pgn"], conflicts_with_all = ["file", "pgn"])]
    fen: Option<String>,
    /// Asks of this side only.
    #[arg(long, value_name = "white|black", value_parser = color, conflicts_with_all = ["file", "pgn"])]
    winner: Option<Color>,
    /// A question a line: FEN ; white|black, and behind it, if it is known: ; winnable|unwinnable ; SOURCE.
    #[arg(long, conflicts_with = "pgn")]
    file: Option<PathBuf>,
    /// PGN files, or a folder of them: whoever mated in the end could mate in every position before.
    #[arg(long, value_name = "PATH")]
    pgn: Option<PathBuf>,
    /// Positions that are looked at for each side at most.
    #[arg(long, default_value_t = Budget::DEFAULT.nodes, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

fn color(text: &str) -> Result<Color, String> {
    match text {
        "white" => Ok(Color::White),
        "black" => Ok(Color::Black),
        _ => Err("white or black".to_string()),
    }
}

impl Ask {
    pub(super) fn run(self) -> Result<(), Stop> {
        let budget = Budget { nodes: self.nodes };
        match (self.fen, self.file, self.pgn) {
            (_, Some(file), _) => bulk::run(&file, budget, self.json),
            (_, _, Some(path)) => games::run(&path, budget, self.json),
            (Some(fen), ..) => {
                let position = asked(&fen).map_err(|e| Stop::new(exit::USAGE, e))?;
                answer(&position, self.winner, budget, self.json)
            }
            _ => Err(Stop::new(exit::USAGE, "what is asked? a FEN, --file or --pgn")),
        }
    }
}

/// What is found about one position.
struct Answer<'a> {
    position: &'a Chess,
    sides: Vec<(Color, Judged)>,
}

fn answer(position: &Chess, winner: Option<Color>, budget: Budget, json: bool) -> Result<(), Stop> {
    let asked = Color::ALL.into_iter().filter(|side| winner.is_none_or(|winner| winner == *side));
    let sides = asked.map(|side| (side, judge(position, side, budget))).collect();
    let answer = Answer { position, sides };
    if json { say(answer.json()) } else { say(answer.text()) }
}

impl Answer<'_> {
    /// Whether neither side can mate; `None` where that is unclear or one side only was asked of.
    fn is_dead(&self) -> Option<bool> {
        let any = |wanted: fn(&Mating) -> bool| self.sides.iter().any(|(_, judged)| wanted(&judged.mating));
        if any(|mating| matches!(mating, Mating::Possible(_))) {
            return Some(false);
        }
        (self.sides.len() == 2 && !any(|mating| matches!(mating, Mating::Unclear))).then_some(true)
    }

    /// The FEN, and where it differs the Shredder-FEN.
    fn fens(&self) -> (String, Option<String>) {
        let fen = Fen::from_position(self.position, EnPassantMode::Legal);
        let is_chess960 = self.position.castles().mode() == CastlingMode::Chess960;
        (fen.to_string(), is_chess960.then(|| shredder(&fen)))
    }

    fn text(&self) -> String {
        let (fen, shredder) = self.fens();
        let mut lines = vec![format!("fen    {fen}")];
        lines.extend(shredder.map(|fen| format!("       {fen}")));
        if self.sides.len() == 2 {
            let dead = match self.is_dead() {
                Some(true) => "yes: neither side can mate",
                Some(false) => "no",
                None => "unclear",
            };
            lines.push(format!("dead   {dead}"));
        }
        for (side, Judged { mating, nodes }) in &self.sides {
            let found = match mating {
                Mating::Possible(line) => format!("can mate: {}", numbered(self.position, line)),
                Mating::Impossible(proof) => format!("cannot mate: {proof}"),
                Mating::Unclear => "unclear".to_string(),
            };
            lines.push(format!("{side}  {found} ({nodes} nodes)"));
        }
        lines.join("\n")
    }

    fn json(&self) -> Value {
        let (fen, shredder) = self.fens();
        let mut object = json!({ "fen": fen, "shredder_fen": shredder, "dead": self.is_dead() });
        for (side, judged) in &self.sides {
            object[side.to_string()] = self.side(judged);
        }
        object
    }

    fn side(&self, Judged { mating, nodes }: &Judged) -> Value {
        let mut object = json!({ "mate": word(mating), "nodes": nodes });
        match mating {
            Mating::Possible(line) => {
                object["line"] = json!(sans(self.position, line));
                object["uci"] = json!(line.iter().map(ToString::to_string).collect::<Vec<_>>());
            }
            Mating::Impossible(proof) => object["proof"] = self::proof(proof),
            Mating::Unclear => {}
        }
        object
    }
}

/// A verdict in a word.
fn word(mating: &Mating) -> &'static str {
    match mating {
        Mating::Possible(_) => "possible",
        Mating::Impossible(_) => "impossible",
        Mating::Unclear => "unclear",
    }
}

fn proof(proof: &Proof) -> Value {
    let mut object = json!({ "kind": proof.word() });
    match *proof {
        Proof::ForcedLine { plies } => object["plies"] = json!(plies),
        Proof::Tree { leaves } => object["leaves"] = json!(leaves),
        Proof::Reach { squares } => object["squares"] = json!(squares),
        Proof::Closure { positions, digest } | Proof::Locking { positions, digest } => {
            object["positions"] = json!(positions);
            object["digest"] = json!(digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
        }
        _ => {}
    }
    object
}

/// Castling rights by the files of the rooks.
fn shredder(fen: &Fen) -> String {
    let setup = fen.as_setup();
    let mut rights = String::new();
    for color in Color::ALL {
        for rook in (setup.castling_rights & setup.board.by_color(color)).into_iter().rev() {
            let file = rook.file().char();
            rights.push(color.fold_wb(file.to_ascii_uppercase(), file));
        }
    }
    let text = fen.to_string();
    let mut fields: Vec<&str> = text.split(' ').collect();
    if let (Some(field), false) = (fields.get_mut(2), rights.is_empty()) {
        *field = &rights;
    }
    fields.join(" ")
}

/// A line in algebraic notation.
fn sans(position: &Chess, line: &[UciMove]) -> Vec<String> {
    let mut now = position.clone();
    let played = line.iter().map_while(|made| {
        let m = made.to_move(&now).ok()?;
        Some(SanPlus::from_move_and_play_unchecked(&mut now, m).to_string())
    });
    played.collect()
}

/// The same with move numbers.
fn numbered(position: &Chess, line: &[UciMove]) -> String {
    let (mut number, mut turn) = (position.fullmoves().get(), position.turn());
    let mut words = Vec::new();
    for (i, san) in sans(position, line).into_iter().enumerate() {
        words.push(match turn {
            Color::White => format!("{number}. {san}"),
            Color::Black if i == 0 => format!("{number}... {san}"),
            Color::Black => san,
        });
        number += u32::from(turn.is_black());
        turn = !turn;
    }
    if words.is_empty() { "it has mated".to_string() } else { words.join(" ") }
}
