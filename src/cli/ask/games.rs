//! Games that ended in mate: in every position before, it was possible.

use std::path::{Path, PathBuf};

use serde_json::json;
use shakmaty::{Chess, Color, Position};

use super::bulk::{in_order, progress};
use crate::board::mating::{Budget, Glance, Mating, glance, judge};
use crate::cli::output::say;
use crate::cli::{Stop, exit};
use crate::format::pgn::{self, PgnGame};
use crate::time::Stopwatch;

/// What was found in one game.
#[derive(Default)]
struct Found {
    positions: u64,
    possible: u64,
    nodes: u64,
    dead: u64,
    /// What was said against the mate that came.
    wrong: Vec<String>,
}

/// Goes through every game; fails if a verdict is refuted by the game itself.
pub(super) fn run(path: &Path, budget: Budget, json: bool) -> Result<(), Stop> {
    let mut files = Vec::new();
    collect(path, &mut files).map_err(|e| Stop::new(exit::USAGE, format!("{}: {e}", path.display())))?;
    let (mut games, mut unread) = (Vec::new(), 0);
    for file in files {
        let bytes = std::fs::read(&file).map_err(|e| Stop::new(exit::USAGE, format!("{}: {e}", file.display())))?;
        for game in pgn::games(&bytes).map_err(|e| Stop::new(exit::USAGE, format!("{}: {e}", file.display())))? {
            match game {
                Ok(game) => games.push((file.clone(), game)),
                Err(_) => unread += 1,
            }
        }
    }
    let watch = Stopwatch::start();
    let bar = progress(games.len() as u64);
    let (mut all, mut mated) = (Found::default(), 0);
    in_order(
        &games,
        |(file, game)| look(file, game, budget),
        |_, (mate, found)| {
            bar.inc(1);
            mated += u64::from(mate);
            all.positions += found.positions;
            all.possible += found.possible;
            all.nodes += found.nodes;
            all.dead += found.dead;
            if !json {
                bar.suspend(|| found.wrong.iter().try_for_each(|wrong| say(format!("wrong: {wrong}"))))?;
            }
            all.wrong.extend(found.wrong);
            Ok(())
        },
    )?;
    bar.finish_and_clear();
    let Found { positions, possible, nodes, dead, wrong } = all;
    let (games, seconds) = (games.len(), watch.elapsed().as_secs_f64());
    if json {
        say(json!({ "games": games, "unread": unread, "mated": mated, "positions": positions, "possible": possible, "dead": dead,
                    "wrong": wrong, "nodes": nodes, "seconds": seconds }))?;
    } else {
        say(format!("games      {games}, {unread} that cannot be read, {mated} ended in mate"))?;
        say(format!("positions  {positions} of all games, {dead} dead at a glance"))?;
        say(format!("possible   {possible} of those before a mate\nwrong      {}\nnodes      {nodes}\nseconds    {seconds:.1}", wrong.len()))?;
    }
    if wrong.is_empty() { Ok(()) } else { Err(Stop::quiet(exit::FAILED)) }
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_path_buf());
        return Ok(());
    }
    let mut inside = std::fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()?;
    inside.sort();
    inside.into_iter().filter(|path| path.is_dir() || path.extension().is_some_and(|ext| ext == "pgn")).try_for_each(|path| collect(&path, files))
}

/// Whether a game ended in mate, and what is said of its positions.
fn look(file: &Path, game: &PgnGame, budget: Budget) -> (bool, Found) {
    let positions = line(game);
    let winner = positions.last().filter(|last| last.is_checkmate()).map(|last| !last.turn());
    let mut found = Found { positions: positions.len() as u64, ..Found::default() };
    for (ply, position) in positions.iter().enumerate() {
        let is_dead = matches!(glance(position), Glance::Dead(_));
        found.dead += u64::from(is_dead);
        let Some(winner) = winner else { continue };
        let judged = judge(position, winner, budget);
        found.nodes += judged.nodes;
        found.possible += u64::from(matches!(judged.mating, Mating::Possible(_)));
        if is_dead || matches!(judged.mating, Mating::Impossible(_)) {
            found.wrong.push(refuted(file, game, ply, winner));
        }
    }
    (winner.is_some(), found)
}

fn line(game: &PgnGame) -> Vec<Chess> {
    let mut now = game.start.position.clone();
    let mut positions = vec![now.clone()];
    for made in &game.moves {
        let Ok(m) = made.uci.to_move(&now) else { break };
        now.play_unchecked(m);
        positions.push(now.clone());
    }
    positions
}

fn refuted(file: &Path, game: &PgnGame, ply: usize, winner: Color) -> String {
    format!("{} game {}, ply {ply}: {winner} mated, though the verdict was that it cannot", file.display(), game.number)
}
