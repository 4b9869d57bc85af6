//! Reading a scenario: header, steps, expectations. What is not known is refused, by line and word.

use std::str::FromStr;

use shakmaty::{ByColor, Color};

use super::header::{Header, HeaderLines};
use super::verbs::{color, facts, number, ruling, short};
use crate::clock::{Millis, Reading};
use crate::game::entry::{IncidentCode, Score, Termination};
use crate::game::{Answer, Fact, Input};

/// Largest scenario file, in bytes.
pub(super) const MAX_FILE: usize = 1 << 20;

/// A scenario, read.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// How the game opens.
    pub header: Header,
    /// What happens and what must hold, in order.
    pub steps: Vec<Step>,
}

/// One line of what happens, with what must hold after it.
#[derive(Debug, Clone)]
pub struct Step {
    /// Line in the file, from 1.
    pub line: usize,
    /// The line as written.
    pub text: String,
    /// Time since the start of the scenario.
    pub time: Millis,
    /// Acts, in order.
    pub acts: Vec<Act>,
    /// What must hold, with the line that says so.
    pub expected: Vec<(usize, Expectation)>,
}

/// One act of a step.
#[derive(Debug, Clone)]
pub enum Act {
    /// An input to the game.
    Do(Input),
    /// A player writes a move and closes it in an envelope.
    Seal(Color, String),
    /// The arbiter opens the envelope with its key.
    Open,
    /// The arbiter says when the session ends or when the game is resumed.
    Announce {
        /// The end.
        ends: Option<Millis>,
        /// The resumption.
        resumes: Option<Millis>,
    },
    /// The time of the resumption is written on the envelope.
    WriteResumption(Millis),
    /// The network to the clock is gone.
    Lost,
    /// It is back, and the clock sends what it held.
    Back,
}

/// What must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the line of the language that it is named after")]
pub enum Expectation {
    Clocks { times: Reading, about: bool },
    Running(Option<Color>),
    Phase(String),
    Result(Score, Option<Termination>),
    Article(String),
    Refused(Option<String>),
    Incident(Option<IncidentCode>),
    Offer(Option<Color>),
    Moves(ByColor<u32>),
    Completed(ByColor<u32>),
    Fen(String),
    Period(Option<Color>, u32),
    Claim(bool),
    Verdict(Answer, Option<String>),
    MustPlay(String),
    IllegalCount(ByColor<u32>),
    Exempt(ByColor<bool>),
    NotVisible(String),
    DigestStable,
}

/// A scenario that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct ParseScenarioError {
    /// Line in the file, from 1.
    pub line: usize,
    /// What is wrong, naming the word.
    pub why: String,
}

const PHASES: [&str; 9] = ["scheduled", "ready", "running", "stopped", "sealing", "adjourned", "resuming", "over", "annulled"];

impl FromStr for Scenario {
    type Err = ParseScenarioError;

    fn from_str(text: &str) -> Result<Scenario, ParseScenarioError> {
        let fail = |line, why| ParseScenarioError { line, why };
        if text.len() > MAX_FILE {
            return Err(fail(1, format!("the file is larger than {MAX_FILE} bytes")));
        }
        let mut header = HeaderLines::default();
        let mut steps: Vec<Step> = Vec::new();
        for (i, raw) in text.lines().enumerate() {
            let (line, content) = (i + 1, without_comment(raw).trim());
            let words = words(content).map_err(|why| fail(line, why))?;
            let Some(first) = words.first() else { continue };
            if first == "=" {
                let Some(step) = steps.last_mut() else { return Err(fail(line, "an expectation stands under a step".into())) };
                step.expected.push((line, expectation(&words[1..]).map_err(|why| fail(line, why))?));
            } else if first.starts_with(|c: char| c.is_ascii_digit() || c == '+') {
                let before = steps.last().map_or(Millis::ZERO, |s| s.time);
                let time = step_time(first, before).map_err(|why| fail(line, why))?;
                let acts = acts(content).map_err(|why| fail(line, why))?;
                steps.push(Step { line, text: content.to_string(), time, acts, expected: Vec::new() });
            } else if steps.is_empty() {
                header.take(&words).map_err(|why| fail(line, why))?;
            } else {
                return Err(fail(line, format!("'{first}' is no time: a step begins with h:mm:ss or +m:ss, an expectation with =")));
            }
        }
        Ok(Scenario { header: header.finish().map_err(|why| fail(1, why))?, steps })
    }
}

fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    let mut blank = true;
    for (i, c) in line.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '#' if blank && !quoted => return &line[..i],
            _ => {}
        }
        blank = c.is_whitespace();
    }
    line
}

/// Words between blanks; what stands in double quotes is one word.
fn words(text: &str) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (word, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').ok_or("a quotation mark is missing")?,
            None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
        };
        short([word])?;
        found.push(word.to_string());
        rest = after.trim_start();
    }
    Ok(found)
}

/// The step's acts: the first after time and actor, further ones of the same actor after semicolons.
fn acts(content: &str) -> Result<Vec<Act>, String> {
    let mut parts = split_outside_quotes(content, ';');
    let first = parts.remove(0);
    let head = words(first)?;
    let actor = head.get(1).cloned().ok_or("after the time comes white, black, clock or arbiter")?;
    let mut found = act(&actor, &head[2..])?;
    for part in parts {
        found.extend(act(&actor, &words(part)?)?);
    }
    Ok(found)
}

fn split_outside_quotes(text: &str, at: char) -> Vec<&str> {
    let mut quoted = false;
    text.split(|c: char| {
        quoted ^= c == '"';
        c == at && !quoted
    })
    .collect()
}

fn step_time(word: &str, before: Millis) -> Result<Millis, String> {
    let time = match word.strip_prefix('+') {
        Some(offset) => {
            let full = if offset.matches(':').count() == 1 { format!("0:{offset:0>5}") } else { offset.to_string() };
            let full = full.split_once(':').map_or(full.clone(), |(hours, rest)| pad_minutes(hours, rest));
            before.plus(full.parse().map_err(|_| format!("'{word}' is no time: write +m:ss or +h:mm:ss"))?)
        }
        None => word.parse().map_err(|e: crate::clock::ParseMillisError| e.to_string())?,
    };
    if time < before { Err(format!("{word} is before the step above it")) } else { Ok(time) }
}

fn pad_minutes(hours: &str, rest: &str) -> String {
    match rest.split_once(':') {
        Some((minutes, seconds)) => format!("{hours}:{minutes:0>2}:{seconds}"),
        None => format!("{hours}:{rest}"),
    }
}

fn act(actor: &str, words: &[String]) -> Result<Vec<Act>, String> {
    let Some((verb, args)) = words.split_first() else { return Err(format!("'{actor}' does nothing: a verb is missing")) };
    match actor {
        "white" | "black" => {
            let by = Color::from_white(actor == "white");
            if let ("seal", [text]) = (verb.as_str(), args) {
                return Ok(vec![Act::Seal(by, text.clone())]);
            }
            let facts = facts(by, verb, args)?;
            Ok(facts.into_iter().map(|fact| Act::Do(Input::Fact(fact))).collect())
        }
        "clock" => device(verb, args),
        "arbiter" => Ok(vec![arbiter(verb, args)?]),
        _ => Err(format!("'{actor}' is not known: white, black, clock or arbiter")),
    }
}

/// What an arbiter does whose times are those of the scenario, and an envelope that he opens; everything else is said as on the command line.
fn arbiter(verb: &str, args: &[String]) -> Result<Act, String> {
    let time = |text: &str| text.parse::<Millis>().map_err(|e| e.to_string());
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    Ok(match (verb, &words[..]) {
        ("open", []) => Act::Open,
        ("announce", ["end", at]) => Act::Announce { ends: Some(time(at)?), resumes: None },
        ("announce", ["resume", at]) => Act::Announce { ends: None, resumes: Some(time(at)?) },
        ("envelope", ["resume", at]) => Act::WriteResumption(time(at)?),
        _ => Act::Do(Input::Ruling(ruling(verb, args)?)),
    })
}

fn device(verb: &str, args: &[String]) -> Result<Vec<Act>, String> {
    let fact = |fact| Ok(vec![Act::Do(Input::Fact(fact))]);
    match (verb, args) {
        ("flag", [both]) if both == "both" => fact(Fact::BothFlags),
        ("flag", [side]) => fact(Fact::Flag { color: color(side)? }),
        ("lost", []) => Ok(vec![Act::Lost]),
        ("back", []) => Ok(vec![Act::Back]),
        ("restart", []) => fact(Fact::Restart),
        _ => Err(format!("the verb '{verb}' of a clock is not known in this form")),
    }
}

fn expectation(words: &[String]) -> Result<Expectation, String> {
    let Some((what, args)) = words.split_first() else { return Err("nothing is expected".into()) };
    let pair = |args: &[String]| -> Result<ByColor<u32>, String> {
        let [white, black] = args else { return Err(format!("'{what}' takes White's and Black's number")) };
        Ok(ByColor { white: number(white)?, black: number(black)? })
    };
    let side = |word: &String| if word == "none" { Ok(None) } else { color(word).map(Some) };
    Ok(match (what.as_str(), args) {
        ("clocks", [rest @ .., white, black]) if rest.len() <= 1 => {
            let (about, white) = match (rest, white.strip_prefix('~')) {
                ([], None) => (false, white.as_str()),
                ([], Some(white)) => (true, white),
                ([tilde], None) if tilde == "~" => (true, white.as_str()),
                _ => return Err("clocks W B, with ~ in front for about".into()),
            };
            let time = |text: &str| text.parse().map_err(|e: crate::clock::ParseMillisError| e.to_string());
            Expectation::Clocks { times: ByColor { white: time(white)?, black: time(black)? }, about }
        }
        ("running", [who]) => Expectation::Running(side(who)?),
        ("phase", [phase]) if PHASES.contains(&phase.as_str()) => Expectation::Phase(phase.clone()),
        ("phase", [phase]) => return Err(format!("the phase '{phase}' is not known")),
        ("result", [score, how @ ..]) if how.len() <= 1 => {
            let score = score.parse().map_err(|e: crate::game::entry::UnknownWord| e.to_string())?;
            let how = how.first().map(|word| word.parse().map_err(|e: crate::game::entry::UnknownWord| e.to_string()));
            Expectation::Result(score, how.transpose()?)
        }
        ("article", [article]) => Expectation::Article(article.clone()),
        ("refused", code) if code.len() <= 1 => Expectation::Refused(code.first().cloned()),
        ("incident", [none]) if none == "none" => Expectation::Incident(None),
        ("incident", [code]) => Expectation::Incident(Some(code.parse().map_err(|e: crate::game::entry::UnknownWord| e.to_string())?)),
        ("offer", [who]) => Expectation::Offer(side(who)?),
        ("moves", args) => Expectation::Moves(pair(args)?),
        ("completed", args) => Expectation::Completed(pair(args)?),
        ("fen", fields) if !fields.is_empty() => Expectation::Fen(fields.join(" ")),
        ("period", [n]) => Expectation::Period(None, number(n)?),
        ("period", [who, n]) => Expectation::Period(Some(color(who)?), number(n)?),
        ("claim", [word]) if word == "pending" || word == "none" => Expectation::Claim(word == "pending"),
        ("verdict", [answer, rest @ ..]) => {
            let answer = match answer.as_str() {
                "correct" => Answer::Correct,
                "incorrect" => Answer::Incorrect,
                "open" => Answer::Open,
                _ => return Err(format!("'{answer}' is neither correct, incorrect nor open")),
            };
            match rest {
                [] => Expectation::Verdict(answer, None),
                [word, because @ ..] if word == "because" && !because.is_empty() => Expectation::Verdict(answer, Some(because.join(" "))),
                _ => return Err("verdict correct|incorrect|open [because TEXT]".into()),
            }
        }
        ("must-play", [san]) => Expectation::MustPlay(san.clone()),
        ("illegal-count", args) => Expectation::IllegalCount(pair(args)?),
        ("exempt", [who]) => Expectation::Exempt(match who.as_str() {
            "both" => ByColor { white: true, black: true },
            "none" => ByColor::default(),
            one => ByColor::new_with(|side| color(one) == Ok(side)),
        }),
        ("not-visible", [text]) => Expectation::NotVisible(text.clone()),
        ("digest-stable", []) => Expectation::DigestStable,
        _ => return Err(format!("the expectation '{what}' is not known in this form")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Ruling;

    fn error(text: &str) -> ParseScenarioError {
        text.parse::<Scenario>().unwrap_err()
    }

    #[test]
    fn times_and_comments() {
        let text =
            "control 60 # one minute\n0:00:01 white play Qh4# ; press\n+0:05 arbiter stop \"a # b; c\"\n+1:00:00 black press\n+0:00.250 black press";
        let scenario: Scenario = text.parse().unwrap();
        let times: Vec<u64> = scenario.steps.iter().map(|s| s.time.0).collect();
        assert_eq!(times, [1_000, 6_000, 3_606_000, 3_606_250]);
        assert_eq!(scenario.steps[0].acts.len(), 3);
        assert!(matches!(&scenario.steps[1].acts[0], Act::Do(Input::Ruling(Ruling::Stop { reason })) if reason == "a # b; c"));
    }

    #[test]
    fn what_is_not_known_is_named() {
        for (text, line, word) in [
            ("\nclaims never", 2, "never"),
            ("set claim-offer maybe", 1, "claim-offer"),
            ("set colour blue", 1, "colour"),
            ("laws 1492", 1, "1492"),
            ("0:00:00 arbiter result 1-0 override \"the chief arbiter\"", 1, "override"),
            ("0:00:00 white claim victory", 1, "claim"),
            ("0:00:00 arbiter penalty white prison", 1, "prison"),
            ("0:00:00 white press\n= verdict perhaps", 2, "perhaps"),
            ("0:00:00 white press\n= phase thinking", 2, "thinking"),
            ("0:00:05 white press\n0:00:04 white press", 2, "0:00:04"),
            ("0:00:00 referee start", 1, "referee"),
            ("0:00:00 clock flag nobody", 1, "nobody"),
            ("flags spectators", 1, "spectators"),
            ("quickplay perhaps", 1, "quickplay"),
            ("= running white", 1, "expectation"),
            ("0:00:00 arbiter stop \"x", 1, "quotation"),
            (&format!("\n{}", "x".repeat(501)), 2, "longer than 500 bytes"),
        ] {
            let e = error(text);
            assert!(e.line == line && e.why.contains(word), "{text}: {e}");
        }
    }
}
