//! `zeitnot rule` and `zeitnot note`: an arbiter's decisions, and what the arbiter was told, from the shell.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use shakmaty::Color;
use zeroize::Zeroizing;

use super::envelope::key::{Secret, ask_for_move};
use super::output::say;
use super::remote::{Remote, sender};
use super::{Stop, exit, runtime};
use crate::client::Line;
use crate::clock::WallTime;
use crate::envelope::{self, Commitment, Nonce, Sealed};
use crate::game::{self, Consequence, Fact, Opened, Ruling};
use crate::scenario;
use crate::venue::Payload;
use crate::wire::v1;
use v1::console_request::Kind as Ask;
use v1::console_update::Kind as Said;
use v1::consoles_client::ConsolesClient;
use v1::outcome::Kind as Became;

/// How far before an input entries are looked at for what follows from it: more than any input brings there.
const BEFORE: u64 = 16;

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
    /// With open: the file of the private key for envelopes.
    #[arg(long, env = "ZEITNOT_ENVELOPE_KEY", value_name = "FILE")]
    envelope_key: Option<PathBuf>,
    #[command(flatten)]
    secret: Secret,
    /// The decision and what belongs to it.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "VERB ARGS")]
    words: Vec<String>,
}

const RULINGS: &str = "Rulings: start; stop [REASON]; resume; clocks WHITE BLACK; add white|black ±TIME [REASON]; moves white|black N; \
                       replace-clock [white|black] SERIAL; uphold, reject, postpone [REASON] (the pending claim); flag white|black; \
                       illegal [white|black] [two-hands]; penalty white|black warning|time±TIME|points±N|loss|fine|exclusion|expel [REASON]; \
                       restore PLIES; colours; setup; excuse white|black [REASON]; result R [REASON]; correct R REASON; annul REASON; \
                       undo [REASON]. Adjournment: announce end|resume WHEN; order-seal; envelope place TEXT|resume WHEN|number N|\
                       sealer white|black|offer white|black|none|times WHITE BLACK; custody; resume; open [--envelope-key FILE]; \
                       decipher MOVE|none; lose-envelope [times|position]. TIME as in 0:02:00, WHEN as in 18:00 or 2026-12-02T10:00.";

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
                     press; play MOVE (move and press); pause; stop (after sealing). Adjournment: seal [TEXT] (asked for, and not \
                     shown, where TEXT is not given); declare MOVE. What was noted is not taken back.";

impl Rule {
    pub(super) fn run(mut self) -> Result<(), Stop> {
        let (words, mut options) = parted(std::mem::take(&mut self.words), true)?;
        self.sender.also(&mut options);
        if let Some(seen) = options.remove("--seen") {
            self.seen = Some(seen.parse().map_err(|_| usage(format!("--seen {seen}: a version is a number")))?);
        }
        if let Some(file) = options.remove("--envelope-key") {
            self.envelope_key = Some(file.into());
        }
        if let Some(file) = options.remove("--passphrase-file") {
            self.secret.passphrase_file = Some(file.into());
        }
        let words = with_times(words)?;
        let (verb, args) = words.split_first().ok_or_else(|| usage(format!("what is ruled? {RULINGS}")))?;
        let opened = if verb == "open" { self.opened()? } else { None };
        let ruling = scenario::ruling(verb, args).map_err(|e| usage(if e.starts_with("the verb") { format!("{e}. {RULINGS}") } else { e }))?;
        if matches!(ruling, Ruling::OrderSeal | Ruling::Announce { .. }) {
            self.sender.warn_without_key()?;
        }
        let ruling = opened.map_or(ruling, |opened| Ruling::Open { opened: Some(opened) });
        let ruling = Some(v1::Ruling::from(&ruling));
        let request = v1::RulingRequest { key: self.sender.key(), game: self.game, seen_version: self.seen.unwrap_or(0), ruling, private_key: None };
        self.sender.send(vec![Ask::Ruling(request)])
    }

    /// What is in the envelope that is to be opened, if it may be: the daemon is not asked for more than its outside and its closed
    /// content, and does not see the key. `None`: the daemon says why not.
    fn opened(&self) -> Result<Option<Opened>, Stop> {
        let request = v1::HallRequest { game: self.game, ..v1::HallRequest::default() };
        let hall = self.sender.remote.office(async |mut office| office.hall(request).await)?;
        let Some((adjournment, envelope)) =
            hall.games.first().and_then(|game| game.adjournment.as_ref()).and_then(|a| Some((a, a.envelope.as_ref()?)))
        else {
            return Ok(None);
        };
        let waits_for = if envelope.by() == v1::Color::White { adjournment.absent_black } else { adjournment.absent_white };
        let resuming = envelope.reply || adjournment.stage == "resuming";
        if envelope.ciphertext.is_empty() || waits_for || !resuming || (adjournment.envelope_lost && !envelope.reply) {
            return Ok(None);
        }
        let file = self.envelope_key.as_ref().ok_or_else(|| usage("open with which key? --envelope-key FILE".to_string()))?;
        let key = self.secret.open(file)?;
        let commitment =
            envelope.commitment.clone().try_into().map(Commitment).map_err(|_| usage("the daemon's envelope has no commitment".to_string()))?;
        let sealed = Sealed { commitment, ciphertext: envelope.ciphertext.clone() };
        let closed = |e| {
            let venue: String = hall.envelope_key.iter().map(|byte| format!("{byte:02x}")).collect();
            usage(format!("the envelope stays closed: {e}; this file is the key {}, the venue's is now {venue}", key.public()))
        };
        let note = envelope::open(&key, self.game, envelope.ply, &sealed).map_err(closed)?;
        if !self.sender.remote.json {
            say(format!("opened: \"{}\"", note.text.escape_debug()))?;
        }
        Ok(Some(Opened::from(&note)))
    }
}

/// Options of `round announce`.
#[derive(Debug, Args)]
pub(super) struct Announce {
    /// Tournament, by number.
    tournament: u64,
    /// Round.
    round: u32,
    /// What is announced: the end of the session, or time or place of the resumption; the place to the games that have been told to seal.
    #[arg(value_parser = ["end", "resume", "place"])]
    what: String,
    /// When, 18:00 today or 2026-12-02T10:00; or where.
    said: String,
    #[command(flatten)]
    sender: Sender,
}

impl Announce {
    /// One ruling for each game, so that each has it in its own record.
    pub(super) fn run(self) -> Result<(), Stop> {
        let place = self.what == "place";
        let verb = if place { "envelope" } else { "announce" };
        let words = with_times(vec![verb.to_string(), self.what.clone(), self.said.clone()])?;
        let ruling = scenario::ruling(verb, &words[1..]).map_err(usage)?;
        self.sender.warn_without_key()?;
        let request = v1::HallRequest { tournament: self.tournament, round: self.round, game: 0 };
        let hall = self.sender.remote.office(async |mut office| office.hall(request).await)?;
        let key = self.sender.key();
        let asked = |game: &v1::GameState| {
            let ruling = Some(v1::Ruling::from(&ruling));
            Ask::Ruling(v1::RulingRequest { key: format!("{key}.{}", game.game), game: game.game, seen_version: 0, ruling, private_key: None })
        };
        let open = |game: &&v1::GameState| match game.phase.as_str() {
            "over" | "annulled" => false,
            phase => !place || phase == "sealing" || phase == "adjourned",
        };
        let asks: Vec<Ask> = hall.games.iter().filter(open).map(asked).collect();
        if asks.is_empty() {
            return Err(Stop::new(exit::REFUSED, format!("no game of round {}.{} is there for that", self.tournament, self.round)));
        }
        self.sender.send(asks)
    }
}

/// Times of day as they are said here, in the time zone of this machine, as instants.
fn with_times(mut words: Vec<String>) -> Result<Vec<String>, Stop> {
    let at = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["announce", "end" | "resume", _] | ["envelope", "resume", _] => 2,
        _ => return Ok(words),
    };
    if words[at].parse::<WallTime>().is_err() {
        let wrong = || usage(format!("'{}' is no time of day: 18:00 is today, another day is 2026-12-02T10:00", words[at]));
        words[at] = instant(&words[at], jiff::ZonedDateTime::now().date()).ok_or_else(wrong)?;
    }
    Ok(words)
}

/// A time of today, or date and time, never one without the other.
fn instant(text: &str, today: jiff::civil::Date) -> Option<String> {
    let moment = match text.split_once(['T', ' ']) {
        Some((date, time)) => date.parse::<jiff::civil::Date>().ok()?.to_datetime(clock_time(time)?),
        None => today.to_datetime(clock_time(text)?),
    };
    moment.to_zoned_datetime(jiff::tz::TimeZone::system()).ok().map(|zoned| zoned.timestamp().to_string())
}

fn clock_time(text: &str) -> Option<jiff::civil::Time> {
    text.contains(':').then(|| text.parse().ok()).flatten()
}

impl Note {
    pub(super) fn run(mut self) -> Result<(), Stop> {
        let (words, mut options) = parted(std::mem::take(&mut self.words), false)?;
        self.sender.also(&mut options);
        let (by, act) = words.split_first().ok_or_else(|| usage(format!("whose act was it? {FACTS}")))?;
        let by = match by.as_str() {
            "white" => Color::White,
            "black" => Color::Black,
            other => return Err(usage(format!("'{other}' is neither white nor black"))),
        };
        let (verb, args) = act.split_first().ok_or_else(|| usage(format!("what was done? {FACTS}")))?;
        if verb == "seal" {
            return self.seal(by, args);
        }
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

    /// What a player seals at this console.
    fn seal(self, by: Color, args: &[String]) -> Result<(), Stop> {
        let prompt = format!("what {} seals (it is not shown): ", by.fold_wb("White", "Black"));
        let text = match args {
            [] => ask_for_move(&prompt)?,
            [text] => Zeroizing::new(text.clone()),
            _ => return Err(usage("seal takes one text: put it in quotation marks".to_string())),
        };
        let note = envelope::Note::new(text, Nonce(rand::random())).map_err(|e| usage(format!("seal: {e}")))?;
        let note = Some(v1::Note { text: note.text.to_string(), nonce: note.nonce.0.to_vec() });
        let color = by.fold_wb(v1::Color::White, v1::Color::Black).into();
        let (key, game) = (self.sender.key(), self.game);
        self.sender.send(vec![Ask::Seal(v1::SealNote { key, game, seal: Some(v1::Seal { by: color, note }) })])
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
            "--as" | "--key" | "--server" | "--login" | "--envelope-key" | "--passphrase-file" => {
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
        self.remote.at.server = options.remove("--server").or(self.remote.at.server.take());
        self.remote.at.login = options.remove("--login").map(PathBuf::from).or(self.remote.at.login.take());
        self.name = options.remove("--as").or(self.name.take());
        self.key = options.remove("--key").or(self.key.take());
    }

    /// Nothing can be sealed without a key, and the time for making one is before a clock runs for it.
    fn warn_without_key(&self) -> Result<(), Stop> {
        let nobody = v1::HallRequest { tournament: u64::MAX, ..v1::HallRequest::default() };
        let hall = self.remote.office(async |mut office| office.hall(nobody).await)?;
        if hall.envelope_key.is_empty() {
            eprintln!("zeitnot: the venue has no key for envelopes yet, and nothing can be sealed: zeitnot envelope key FILE");
        }
        Ok(())
    }

    fn key(&self) -> String {
        self.key.clone().unwrap_or_else(|| format!("{:016x}", rand::random::<u64>()))
    }

    /// Sends one after the other, each only if those before it were taken, and says what became of them.
    fn send(self, requests: Vec<Ask>) -> Result<(), Stop> {
        let arbiter = sender(self.name.clone(), "arbiter");
        runtime()?.block_on(async {
            let mut consoles = ConsolesClient::new(self.remote.line().await?);
            let mut before = None;
            for ask in requests {
                let game = match &ask {
                    Ask::Ruling(ruling) => ruling.game,
                    Ask::Note(note) => note.game,
                    Ask::Seal(note) => note.game,
                    Ask::Follow(_) => 0,
                };
                let sealing = matches!(ask, Ask::Seal(_));
                let press = matches!(&ask, Ask::Note(v1::NoteRequest { fact: Some(v1::Fact { kind: Some(v1::fact::Kind::Press(_)) }), .. }));
                let request = v1::ConsoleRequest { arbiter: arbiter.clone(), kind: Some(ask) };
                let update = consoles.send(request).await?.into_inner();
                let Some(Said::Outcome(outcome)) = update.kind else {
                    return Err(Stop::new(exit::UNAVAILABLE, "the daemon gave no outcome: is it of another version?"));
                };
                let taken = if let Some(Became::Taken(taken)) = &outcome.kind { Some(taken.seq) } else { None };
                self.tell(outcome).map_err(|stop| match before {
                    Some(before) if !stop.why.is_empty() => {
                        Stop::new(stop.code, format!("{}; what was noted before it stands, entry {before}", stop.why))
                    }
                    _ => stop,
                })?;
                before = taken;
                if let (Some(seq), false) = (taken, self.remote.json) {
                    let lines = consequences(&mut consoles, game, seq).await?;
                    let none = if sealing {
                        "  so    in its envelope; the player may change it until he stops the clock\n"
                    } else if press {
                        "  so    nothing: this press starts no clock\n"
                    } else {
                        "  so    nothing yet\n"
                    };
                    print!("{}", if lines.is_empty() { none } else { &lines });
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
            Some(Became::Taken(v1::Taken { seq, version, waits })) => self.remote.say(
                || json!({ "taken": { "seq": seq, "version": version, "key": outcome.key, "waits": waits } }),
                || format!("taken: entry {seq}, version {version}{}", if waits { "; it waits for a second arbiter" } else { "" }),
            ),
            None => Err(Stop::new(exit::UNAVAILABLE, "the daemon gave no outcome: is it of another version?")),
        }
    }
}

/// What followed from an entry, a line each.
async fn consequences(consoles: &mut ConsolesClient<Line>, game: u64, seq: u64) -> Result<String, Stop> {
    let mut lines = String::new();
    let proposed = |entry: &v1::Entry| matches!(&entry.payload, Some(v1::entry::Payload::Admin(v1::Admin { kind: Some(v1::admin::Kind::Proposed(_)) })) if entry.seq == seq);
    for entry in entries(consoles, game, seq, |entry| entry.cause == seq || proposed(entry)).await? {
        lines.push_str(&format!("{}\n", entry.payload));
        if let Payload::Game(game::Entry::Consequence(Consequence::Undone { ruling })) = entry.payload {
            let undone = entries(consoles, game, ruling.0, |entry| entry.seq == ruling.0).await?;
            undone.iter().for_each(|entry| lines.push_str(&format!("        which was: {}\n", entry.payload)));
        }
    }
    Ok(lines)
}

/// The wanted ones of a game's entries that begin with one and follow on it without a gap.
async fn entries(
    consoles: &mut ConsolesClient<Line>,
    game: u64,
    seq: u64,
    wanted: impl Fn(&v1::Entry) -> bool,
) -> Result<Vec<crate::venue::Entry>, Stop> {
    // What follows from an input can stand before it, as a move that is taken back for another one.
    let follow = v1::FollowHall { game, after: seq.saturating_sub(BEFORE), ..v1::FollowHall::default() };
    let request = v1::ConsoleRequest { arbiter: String::new(), kind: Some(Ask::Follow(follow)) };
    let mut updates = consoles.watch(request).await?.into_inner();
    let mut found = Vec::new();
    while let Some(update) = updates.message().await? {
        match update.kind {
            Some(Said::Entry(entry)) if wanted(&entry) => found.extend(crate::wire::entry(entry)),
            Some(Said::Entry(entry)) if entry.seq <= seq => {}
            Some(Said::Snapshot(_)) => {}
            _ => break,
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_of_today_or_has_its_date() {
        let today = jiff::civil::date(2026, 5, 2);
        let utc = |text: &str| instant(text, today).map(|at| at.parse::<WallTime>().unwrap());
        let zone = |datetime: jiff::civil::DateTime| {
            let at = datetime.to_zoned_datetime(jiff::tz::TimeZone::system()).unwrap().timestamp().as_millisecond();
            Some(WallTime(at))
        };
        assert_eq!(utc("18:00"), zone(today.at(18, 0, 0, 0)));
        for text in ["2026-12-02T10:00", "2026-12-02 10:00", "2026-12-02T10:00:00"] {
            assert_eq!(utc(text), zone(jiff::civil::date(2026, 12, 2).at(10, 0, 0, 0)), "{text}");
        }
        for text in ["2026-12-02", "20261202", "6pm", "18.00", "18", "T10:00", "2026-12-02T", ""] {
            assert_eq!(instant(text, today), None, "{text}");
        }
    }
}
