//! `zeitnot rule` and `zeitnot note`: an arbiter's decisions, and what the arbiter was told, from the shell.

use std::collections::BTreeMap;

use clap::Args;
use serde_json::json;
use shakmaty::Color;
use tonic::transport::Channel;

use super::output::say;
use super::remote::{Remote, sender};
use super::{Stop, exit, runtime};
use crate::game::Fact;
use crate::scenario;
use crate::wire::v1;
use v1::console_request::Kind as Ask;
use v1::console_update::Kind as Said;
use v1::consoles_client::ConsolesClient;
use v1::outcome::Kind as Became;

/// Whose decision it is.
#[derive(Debug, Args)]
struct Sender {
    #[command(flatten)]
    remote: Remote,
    /// Name that is recorded with it; the user's where not given.
    #[arg(long = "as", env = "ZEITNOT_AS", value_name = "NAME")]
    name: Option<String>,
    /// Idempotency key: the same key gets the first outcome again. A new one where not given.
    #[arg(long)]
    key: Option<String>,
}

/// Options of `rule`. They may also stand behind the words.
#[derive(Debug, Args)]
#[command(after_help = RULINGS)]
pub(super) struct Rule {
    #[command(flatten)]
    sender: Sender,
    /// Version of the game that was seen: refused if it has another one by now.
    #[arg(long, value_name = "VERSION")]
    seen: Option<u64>,
    /// Game.
    game: u64,
    /// The decision and what belongs to it.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "VERB ARGS")]
    words: Vec<String>,
}

const RULINGS: &str = "Rulings: start; stop [REASON]; resume; clocks WHITE BLACK; add white|black ±TIME [REASON]; moves white|black N; \
                       replace-clock SERIAL; uphold, reject, postpone [REASON] (the pending claim); flag white|black; \
                       illegal [white|black] [two-hands]; penalty white|black warning|time±TIME|points±N|loss|fine|exclusion|expel [REASON]; \
                       restore PLIES; colours; setup; excuse white|black [REASON]; result R [REASON]; correct R REASON; annul REASON; \
                       undo [REASON]. TIME as in 0:02:00.";

/// Options of `note`. They may also stand behind the words.
#[derive(Debug, Args)]
#[command(after_help = FACTS)]
pub(super) struct Note {
    #[command(flatten)]
    sender: Sender,
    /// Game.
    game: u64,
    /// Whose act it was (white or black), what, and what belongs to it.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "white|black VERB ARGS")]
    words: Vec<String>,
}

const FACTS: &str = "Acts: arrive; offer; accept; decline; resign; move MOVE; touch SQUARE; claim threefold|fifty [with MOVE]; claim flag; \
                     claim illegal; claim quickplay a|b; claim clock WHITE BLACK; request increment; and, where the daemon keeps the time, \
                     press; play MOVE (move and press); pause. What was noted is not taken back.";

impl Rule {
    pub(super) fn run(mut self) -> Result<(), Stop> {
        let (words, mut options) = parted(self.words, true)?;
        self.sender.also(&mut options);
        if let Some(seen) = options.remove("--seen") {
            self.seen = Some(seen.parse().map_err(|_| usage(format!("--seen {seen}: a version is a number")))?);
        }
        let (verb, args) = words.split_first().ok_or_else(|| usage(format!("what is ruled? {RULINGS}")))?;
        let ruling = scenario::ruling(verb, args).map_err(|e| usage(if e.starts_with("the verb") { format!("{e}. {RULINGS}") } else { e }))?;
        let ruling = Some(v1::Ruling::from(&ruling));
        let request = v1::RulingRequest { key: self.sender.key(), game: self.game, seen_version: self.seen.unwrap_or(0), ruling, private_key: None };
        self.sender.send(vec![Ask::Ruling(request)])
    }
}

impl Note {
    pub(super) fn run(mut self) -> Result<(), Stop> {
        let (words, mut options) = parted(self.words, false)?;
        self.sender.also(&mut options);
        let (by, act) = words.split_first().ok_or_else(|| usage(format!("whose act was it? {FACTS}")))?;
        let by = match by.as_str() {
            "white" => Color::White,
            "black" => Color::Black,
            other => return Err(usage(format!("'{other}' is neither white nor black"))),
        };
        let (verb, args) = act.split_first().ok_or_else(|| usage(format!("what was done? {FACTS}")))?;
        let facts = scenario::facts(by, verb, args).map_err(|e| usage(format!("{e}. {FACTS}")))?;
        let key = self.sender.key();
        let note = |(i, fact): (usize, &Fact)| {
            // Of two facts under one key the second has a key of its own, the same at every repeat.
            let key = if i == 0 { key.clone() } else { format!("{key}.{i}") };
            Ask::Note(v1::NoteRequest { key, game: self.game, fact: Some(v1::Fact::from(fact)) })
        };
        let requests = facts.iter().enumerate().map(note).collect();
        self.sender.send(requests)
    }
}

fn usage(why: String) -> Stop {
    Stop::new(exit::USAGE, why)
}

/// The words, and the options that stand behind them. Words begin with hyphens themselves (`-0:00:30`, `-+`), so only these are options.
fn parted(words: Vec<String>, seen: bool) -> Result<(Vec<String>, BTreeMap<String, String>), Stop> {
    let (mut left, mut options) = (Vec::new(), BTreeMap::new());
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--json" => drop(options.insert(word, String::new())),
            "--as" | "--key" | "--server" => {
                drop(options.insert(word.clone(), words.next().ok_or_else(|| usage(format!("{word} lacks its value")))?))
            }
            "--seen" if seen => drop(options.insert(word, words.next().ok_or_else(|| usage("--seen lacks its value".to_string()))?)),
            _ => left.push(word),
        }
    }
    Ok((left, options))
}

impl Sender {
    /// Takes in the options that stood behind the words.
    fn also(&mut self, options: &mut BTreeMap<String, String>) {
        self.remote.json |= options.contains_key("--json");
        self.remote.server = options.remove("--server").unwrap_or_else(|| self.remote.server.clone());
        self.name = options.remove("--as").or(self.name.take());
        self.key = options.remove("--key").or(self.key.take());
    }

    fn key(&self) -> String {
        self.key.clone().unwrap_or_else(|| format!("{:016x}", rand::random::<u64>()))
    }

    /// Sends one after the other, each only if those before it were taken, and says what became of them.
    fn send(self, requests: Vec<Ask>) -> Result<(), Stop> {
        let arbiter = sender(self.name.clone(), "arbiter");
        runtime()?.block_on(async {
            let mut consoles = ConsolesClient::new(self.remote.channel().await?);
            for ask in requests {
                let game = match &ask {
                    Ask::Ruling(ruling) => ruling.game,
                    Ask::Note(note) => note.game,
                    Ask::Seal(note) => note.game,
                    Ask::Follow(_) => 0,
                };
                let request = v1::ConsoleRequest { arbiter: arbiter.clone(), kind: Some(ask) };
                let update = consoles.send(request).await?.into_inner();
                let Some(Said::Outcome(outcome)) = update.kind else {
                    return Err(Stop::new(exit::UNAVAILABLE, "the daemon gave no outcome: is it of another version?"));
                };
                let taken = if let Some(Became::Taken(taken)) = &outcome.kind { Some(taken.seq) } else { None };
                self.tell(outcome)?;
                if let (Some(seq), false) = (taken, self.remote.json) {
                    let lines = consequences(&mut consoles, game, seq).await?;
                    print!("{}", if lines.is_empty() { "  so    nothing yet\n" } else { &lines });
                }
            }
            Ok(())
        })
    }

    fn tell(&self, outcome: v1::Outcome) -> Result<(), Stop> {
        match outcome.kind {
            Some(Became::Refused(refused)) if self.remote.json => {
                say(json!({ "refused": { "code": refused.code, "article": refused.article, "text": refused.text } }))?;
                Err(Stop::quiet(exit::REFUSED))
            }
            Some(Became::Refused(refused)) => Err(Stop::new(exit::REFUSED, format!("refused, {}: {}", refused.code, refused.text))),
            Some(Became::Taken(v1::Taken { seq, version })) => self.remote.say(
                || json!({ "taken": { "seq": seq, "version": version, "key": outcome.key } }),
                || format!("taken: entry {seq}, version {version}"),
            ),
            None => Err(Stop::new(exit::UNAVAILABLE, "the daemon gave no outcome: is it of another version?")),
        }
    }
}

/// What followed from an entry, a line each.
async fn consequences(consoles: &mut ConsolesClient<Channel>, game: u64, seq: u64) -> Result<String, Stop> {
    let follow = v1::FollowHall { game, after: seq - 1, ..v1::FollowHall::default() };
    let request = v1::ConsoleRequest { arbiter: String::new(), kind: Some(Ask::Follow(follow)) };
    let mut updates = consoles.watch(request).await?.into_inner();
    let mut lines = String::new();
    while let Some(update) = updates.message().await? {
        match update.kind {
            Some(Said::Entry(entry)) if entry.cause == seq => {
                if let Ok(entry) = crate::wire::entry(entry) {
                    lines.push_str(&format!("{}\n", entry.payload));
                }
            }
            Some(Said::Entry(entry)) if entry.seq <= seq => {}
            Some(Said::Snapshot(_)) => {}
            _ => break,
        }
    }
    Ok(lines)
}
