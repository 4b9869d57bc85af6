//! `zeitnot laws`: what an edition of the Laws says, and what another one changed.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::Stop;
use super::output::say;
use crate::laws::{Edition, Laws as Table, Play, Row, Supervision, diff, rows};

/// The Laws.
#[derive(Debug, Subcommand)]
pub(super) enum Laws {
    /// Prints what an edition says.
    Show(Show),
    /// Prints what changed from one edition to another.
    Diff(Diff),
}

/// Options of `laws show`.
#[derive(Debug, Args)]
pub(super) struct Show {
    /// Edition, by its year.
    #[arg(value_name = "EDITION", value_parser = edition)]
    edition: Edition,
    #[command(flatten)]
    which: Which,
    /// Prints one JSON object.
    #[arg(long)]
    json: bool,
}

/// Options of `laws diff`.
#[derive(Debug, Args)]
pub(super) struct Diff {
    /// Edition from which.
    #[arg(value_name = "FROM", value_parser = edition)]
    from: Edition,
    /// Edition to which.
    #[arg(value_name = "TO", value_parser = edition)]
    to: Edition,
    #[command(flatten)]
    which: Which,
    /// Prints one JSON object.
    #[arg(long)]
    json: bool,
}

/// For which games.
#[derive(Debug, Args)]
struct Which {
    /// Kind of play: standard, rapid or blitz.
    #[arg(value_name = "PLAY", value_parser = play)]
    play: Option<Play>,
    /// Supervision of rapid and blitz: full or limited.
    #[arg(value_name = "SUPERVISION", value_parser = supervision)]
    supervision: Option<Supervision>,
}

fn edition(word: &str) -> Result<Edition, String> {
    word.parse().ok().and_then(Edition::of_year).ok_or_else(|| {
        let known: Vec<String> = Edition::ALL.iter().map(|edition| edition.year().to_string()).collect();
        format!("there is no edition of {word}: {}", known.join(", "))
    })
}

fn play(word: &str) -> Result<Play, String> {
    Play::ALL.into_iter().find(|play| play.word() == word).ok_or_else(|| "standard, rapid or blitz".to_string())
}

fn supervision(word: &str) -> Result<Supervision, String> {
    Supervision::ALL.into_iter().find(|supervision| supervision.word() == word).ok_or_else(|| "full or limited".to_string())
}

impl Laws {
    pub(super) fn run(self) -> Result<(), Stop> {
        match self {
            Laws::Show(show) => show.run(),
            Laws::Diff(diff) => diff.run(),
        }
    }
}

impl Show {
    fn run(self) -> Result<(), Stop> {
        let play = self.which.play.unwrap_or(Play::Standard);
        let table = Table::of(self.edition, play, self.which.supervision.unwrap_or_default());
        let rows = rows(table);
        if self.json {
            let rows: Vec<Value> = rows.iter().map(as_json).collect();
            let (edition, play, supervision) = (table.edition.year(), table.play.word(), table.supervision.word());
            return say(
                json!({ "edition": edition, "in_force": table.edition.in_force().to_string(), "play": play, "supervision": supervision, "rows": rows }),
            );
        }
        say(format!("{}, in force from {}: {}", table.edition.year(), table.edition.in_force(), heading(table.play, table.supervision)))?;
        let widths = Widths::of(rows.iter());
        rows.iter().try_for_each(|row| say(widths.line(row).trim_end()))
    }
}

/// What changed for one kind of play under one kind of supervision.
struct Part {
    heading: String,
    play: Play,
    supervision: Supervision,
    changes: Vec<(&'static str, Row, Row)>,
}

impl Diff {
    fn run(self) -> Result<(), Stop> {
        let mut parts: Vec<Part> = Vec::new();
        for (play, supervision) in self.which.all() {
            let (a, b) = (Table::of(self.from, play, supervision), Table::of(self.to, play, supervision));
            parts.push(Part { heading: heading(play, supervision), play, supervision, changes: diff(a, b) });
        }
        if self.json {
            let parts: Vec<Value> = parts.iter().map(Part::as_json).collect();
            return say(json!({ "from": self.from.year(), "to": self.to.year(), "changes": parts }));
        }
        if parts.len() > 1 {
            let first = parts.first().map(|part| part.changes.clone()).unwrap_or_default();
            let common: Vec<_> = first.into_iter().filter(|change| parts.iter().all(|part| part.changes.contains(change))).collect();
            for part in &mut parts {
                part.changes.retain(|change| !common.contains(change));
            }
            parts
                .insert(0, Part { heading: "every kind of play".to_string(), play: Play::Standard, supervision: Supervision::Full, changes: common });
        }
        say(format!("from {} to {}", self.from.year(), self.to.year()))?;
        parts.iter().filter(|part| !part.changes.is_empty()).try_for_each(Part::show)?;
        if parts.iter().all(|part| part.changes.is_empty()) { say("nothing changed") } else { Ok(()) }
    }
}

impl Which {
    /// Every kind of play and supervision that is asked for. Standard play is always under full supervision.
    fn all(&self) -> Vec<(Play, Supervision)> {
        let plays = Play::ALL.into_iter().filter(|play| self.play.is_none_or(|asked| asked == *play));
        let each = plays.flat_map(|play| match play {
            Play::Standard => vec![(play, Supervision::Full)],
            Play::Rapid | Play::Blitz => Supervision::ALL.map(|supervision| (play, supervision)).to_vec(),
        });
        each.filter(|(play, supervision)| *play == Play::Standard || self.supervision.is_none_or(|asked| asked == *supervision)).collect()
    }
}

/// For which games something holds.
fn heading(play: Play, supervision: Supervision) -> String {
    match play {
        Play::Standard => play.word().to_string(),
        Play::Rapid | Play::Blitz => format!("{}, {} supervision", play.word(), supervision.word()),
    }
}

impl Part {
    fn show(&self) -> Result<(), Stop> {
        say(format!("\n{}", self.heading))?;
        let widths = Widths::of(self.changes.iter().flat_map(|(_, a, b)| [a, b]));
        let line = |(_, a, b): &(&'static str, Row, Row)| {
            let before = widths.line(a);
            let after = Widths { field: 0, ..widths }.line(&Row { field: "", ..b.clone() });
            say(format!("{before}  ->{after}").trim_end())
        };
        let (changed, numbered): (Vec<_>, Vec<_>) = self.changes.iter().partition(|(_, a, b)| a.value != b.value);
        changed.into_iter().try_for_each(line)?;
        if !numbered.is_empty() {
            say("  the same, under another number")?;
        }
        numbered.into_iter().try_for_each(line)
    }

    fn as_json(&self) -> Value {
        let changes: Vec<Value> = self.changes.iter().map(|(field, a, b)| json!({ "field": field, "from": as_json(a), "to": as_json(b) })).collect();
        json!({ "play": self.play.word(), "supervision": self.supervision.word(), "rows": changes })
    }
}

fn as_json(row: &Row) -> Value {
    json!({ "field": row.field, "value": row.value, "article": row.article, "unverified": row.unverified })
}

/// How wide each column is.
#[derive(Clone, Copy)]
struct Widths {
    field: usize,
    value: usize,
    article: usize,
    mark: usize,
}

const MARK: &str = "unverified";

impl Widths {
    fn of<'a>(rows: impl Iterator<Item = &'a Row>) -> Widths {
        rows.fold(Widths { field: 0, value: 0, article: 0, mark: 0 }, |widths, row| Widths {
            field: widths.field.max(row.field.len()),
            value: widths.value.max(row.value.len()),
            article: widths.article.max(row.article.len()),
            mark: if row.unverified { MARK.len() } else { widths.mark },
        })
    }

    fn line(&self, row: &Row) -> String {
        let mark = if row.unverified { MARK } else { "" };
        let Widths { field, value, article, mark: wide } = self;
        format!("{:field$}  {:value$}  {:article$}  {mark:wide$}", row.field, row.value, row.article)
    }
}
