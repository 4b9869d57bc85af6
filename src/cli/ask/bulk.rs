//! A file of questions, a line each, asked on every core and answered in order.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use shakmaty::{Chess, Color};

use super::color;
use crate::board::mating::{Budget, Judged, Mating, asked, judge};
use crate::cli::output::say;
use crate::cli::{Stop, exit};
use crate::time::Stopwatch;

/// A line of the file.
struct Question {
    number: usize,
    text: String,
    position: Chess,
    winner: Color,
    winnable: Option<bool>,
}

fn question(number: usize, text: &str) -> Result<Question, String> {
    let mut fields = text.split(';').map(str::trim);
    let fen = fields.next().unwrap_or_default();
    let position = asked(fen).map_err(|e| e.to_string())?;
    let winner = color(fields.next().ok_or("the winner is missing: white or black")?)?;
    let winnable = match fields.next() {
        None | Some("") => None,
        Some("winnable") => Some(true),
        Some("unwinnable") => Some(false),
        Some(other) => return Err(format!("'{other}' is neither winnable nor unwinnable")),
    };
    Ok(Question { number, text: text.to_string(), position, winner, winnable })
}

/// How the answers compare with what the file says.
#[derive(Debug, Default)]
struct Totals {
    right: u64,
    wrong: u64,
    unclear: u64,
    /// Answered where the file says nothing.
    unstated: u64,
    nodes: u64,
    kinds: BTreeMap<&'static str, u64>,
}

/// What one answer is beside the question.
enum Compared {
    Right,
    Wrong(&'static str),
    Unclear,
    Unstated(&'static str),
}

impl Totals {
    fn take(&mut self, question: &Question, judged: &Judged) -> Compared {
        self.nodes += judged.nodes;
        let (said, kind) = match &judged.mating {
            Mating::Possible(_) => (true, "mate"),
            Mating::Impossible(proof) => (false, proof.word()),
            Mating::Unclear => {
                self.unclear += 1;
                return Compared::Unclear;
            }
        };
        *self.kinds.entry(kind).or_default() += 1;
        let said_so = if said { "winnable" } else { "unwinnable" };
        match question.winnable {
            None => {
                self.unstated += 1;
                Compared::Unstated(said_so)
            }
            Some(stated) if stated == said => {
                self.right += 1;
                Compared::Right
            }
            Some(_) => {
                self.wrong += 1;
                Compared::Wrong(said_so)
            }
        }
    }
}

/// Asks every question of a file; fails if an answer is not what the file says.
pub(super) fn run(file: &Path, budget: Budget, json: bool) -> Result<(), Stop> {
    let text = std::fs::read_to_string(file).map_err(|e| Stop::new(exit::USAGE, format!("{}: {e}", file.display())))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let questions = lines
        .map(|(i, line)| question(i + 1, line).map_err(|e| Stop::new(exit::USAGE, format!("{}:{}: {e}", file.display(), i + 1))))
        .collect::<Result<Vec<_>, _>>()?;
    let watch = Stopwatch::start();
    let (mut totals, mut differing) = (Totals::default(), Vec::new());
    let bar = progress(questions.len() as u64);
    in_order(
        &questions,
        |question| judge(&question.position, question.winner, budget),
        |i, judged| {
            let question = &questions[i];
            bar.inc(1);
            let (what, said) = match totals.take(question, &judged) {
                Compared::Right => return Ok(()),
                Compared::Wrong(said) => ("wrong", Some(said)),
                Compared::Unclear => ("unclear", None),
                Compared::Unstated(said) => ("answer", Some(said)),
            };
            if json {
                differing.push(json!({ "line": question.number, "question": question.text, "what": what, "said": said }));
                return Ok(());
            }
            let said = said.map_or(String::new(), |said| format!(", {said}"));
            bar.suspend(|| say(format!("{what}{said}: {}: {}", question.number, question.text)))
        },
    )?;
    bar.finish_and_clear();
    let Totals { right, wrong, unclear, unstated, nodes, kinds } = totals;
    let seconds = watch.elapsed().as_secs_f64();
    if json {
        let differing = Value::from(differing);
        say(json!({ "right": right, "wrong": wrong, "unclear": unclear, "unstated": unstated, "nodes": nodes, "seconds": seconds,
                    "kinds": kinds, "lines": differing }))?;
    } else {
        let kinds: Vec<String> = kinds.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        say(format!("right    {right}\nwrong    {wrong}\nunclear  {unclear}"))?;
        if unstated > 0 {
            say(format!("asked    {unstated}"))?;
        }
        say(format!("found    {}\nnodes    {nodes}\nseconds  {seconds:.1}", kinds.join(", ")))?;
    }
    if wrong == 0 { Ok(()) } else { Err(Stop::quiet(exit::FAILED)) }
}

/// Works on items on every core, and hands the outcomes over in the order of the items.
pub(super) fn in_order<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    mut take: impl FnMut(usize, R) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (next, work) = (AtomicUsize::new(0), &work);
    std::thread::scope(|scope| {
        let (done, results) = mpsc::channel();
        for _ in 0..cores {
            let (done, next) = (done.clone(), &next);
            scope.spawn(move || {
                while let i = next.fetch_add(1, Ordering::Relaxed)
                    && let Some(item) = items.get(i)
                    && done.send((i, work(item))).is_ok()
                {}
            });
        }
        drop(done);
        let (mut waiting, mut due) = (BTreeMap::new(), 0);
        for (i, result) in results {
            waiting.insert(i, result);
            while let Some(result) = waiting.remove(&due) {
                take(due, result)?;
                due += 1;
            }
        }
        Ok(())
    })
}

/// A bar on stderr; nothing where that is no terminal.
pub(super) fn progress(length: u64) -> ProgressBar {
    let style =
        ProgressStyle::with_template("asking {wide_bar} {human_pos}/{human_len}, {eta} left").unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(length).with_style(style)
}
