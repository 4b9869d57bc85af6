//! The first look at every position of the corpus, and full verdicts on the positions handed in.
#![expect(clippy::unwrap_used, reason = "what does not go as told here is a failed measurement")]

mod measure;

use std::path::{Path, PathBuf};

use hdrhistogram::Histogram;
use measure::median;
use shakmaty::{Chess, Color, Position};
use zeitnot::board::mating::{Budget, Glance, Mating, asked, glance, judge};
use zeitnot::format::pgn;
use zeitnot::time::Stopwatch;

const ROUNDS: usize = 3;

fn shared(folder: &str) -> Option<PathBuf> {
    let root = std::env::var_os("ZEITNOT_SHARED").map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    Some(root.join(folder)).filter(|path| path.exists())
}

fn positions(path: &Path, found: &mut Vec<Chess>) {
    if path.is_dir() {
        let mut inside: Vec<PathBuf> = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
        inside.sort();
        inside.iter().for_each(|path| positions(path, found));
    } else if path.extension().is_some_and(|ext| ext == "pgn") {
        for game in pgn::games(&std::fs::read(path).unwrap()).unwrap().flatten() {
            let mut now = game.start.position.clone();
            found.push(now.clone());
            for made in &game.moves {
                now.play_unchecked(made.uci.to_move(&now).unwrap());
                found.push(now.clone());
            }
        }
    }
}

fn glances(positions: &[Chess]) {
    let mut times = Histogram::<u64>::new_with_max(1_000_000_000, 3).unwrap();
    let (mut dead, mut locked) = (0, 0);
    for _ in 0..ROUNDS {
        (dead, locked) = (0, 0);
        for position in positions {
            let watch = Stopwatch::start();
            match std::hint::black_box(glance(position)) {
                Glance::Dead(_) => dead += 1,
                Glance::Locked => locked += 1,
                Glance::Open => {}
            }
            times.record(watch.elapsed().as_nanos() as u64).unwrap();
        }
    }
    let us = |q| times.value_at_quantile(q) as f64 / 1e3;
    println!("| first look, {} positions | p50 µs | p99 µs | p99.9 µs | longest µs |", positions.len());
    println!("| --- | --- | --- | --- | --- |");
    println!("| {dead} dead, {locked} locked | {:.2} | {:.2} | {:.2} | {:.1} |\n", us(0.5), us(0.99), us(0.999), times.max() as f64 / 1e3);
}

fn verdicts(questions: &[(Chess, Color, bool, &str)], budget: Budget) {
    let (mut right, mut wrong, mut unclear, mut nodes) = (0, 0, 0, 0);
    let mut slowest = (0.0, "");
    let mut times = Vec::new();
    let all = Stopwatch::start();
    for (position, winner, winnable, line) in questions {
        let watch = Stopwatch::start();
        let judged = judge(position, *winner, budget);
        let took = watch.elapsed().as_secs_f64();
        times.push(took);
        if took > slowest.0 {
            slowest = (took, *line);
        }
        nodes += judged.nodes;
        match judged.mating {
            Mating::Unclear => unclear += 1,
            mating if matches!(mating, Mating::Possible(_)) == *winnable => right += 1,
            _ => wrong += 1,
        }
    }
    let seconds = all.elapsed().as_secs_f64();
    let (per_second, median) = (questions.len() as f64 / seconds, median(times) * 1e6);
    println!("| {} | {right} | {wrong} | {unclear} | {seconds:.1} | {per_second:.0} | {median:.1} | {:.2} | {nodes} |", budget.nodes, slowest.0);
    println!("slowest: {}", slowest.1);
}

fn main() {
    if let Some(folder) = shared("corpus/pgn") {
        let mut found = Vec::new();
        positions(&folder, &mut found);
        glances(&found);
    }
    if let Some(file) = shared("corpus/unwinnable/handed.txt") {
        let text = std::fs::read_to_string(file).unwrap();
        let questions: Vec<_> = text
            .lines()
            .map(|line| {
                let fields: Vec<&str> = line.split(" ; ").collect();
                (asked(fields[0]).unwrap(), Color::from_white(fields[1] == "white"), fields[2] == "winnable", line)
            })
            .collect();
        println!("| nodes at most | right | wrong | unclear | seconds | verdicts/s | median µs | slowest s | nodes |");
        println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
        for budget in [Budget::QUICK, Budget::DEFAULT] {
            verdicts(&questions, budget);
        }
    }
}
