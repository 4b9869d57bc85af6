//! What players and arbiters do, in the words of scenarios and of the command line.

use shakmaty::{ByColor, Color};

use crate::clock::{Adjustment, Millis, ParseWallTimeError};
use crate::game::{Claim, DeviceId, Fact, Ground, Item, Lost, Moved, Penalty, Ruling, Score};

/// Longest word, in bytes: as long as a reason. Errors repeat words.
const MAX_WORD: usize = crate::game::entry::MAX_TEXT;

/// Refuses a word that is longer than any that means something.
pub(super) fn short<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<(), String> {
    match words.into_iter().find(|word| word.len() > MAX_WORD) {
        Some(long) => Err(format!("'{}…' is longer than {MAX_WORD} bytes", long.chars().take(40).collect::<String>())),
        None => Ok(()),
    }
}

/// Reads what a player did as it is written in scenarios and on the command line: `move Nf3`, `offer`.
/// `play` is two facts, the move and the press.
///
/// # Errors
/// Names the word that is wrong.
pub fn facts(by: Color, verb: &str, args: &[String]) -> Result<Vec<Fact>, String> {
    short(args.iter().map(String::as_str).chain([verb]))?;
    let press = Fact::Press { by, moved: Moved::AsReported, shown: None, lag: None };
    let made = |args: &[String]| -> Result<Fact, String> {
        let [text] = args else { return Err(format!("'{verb}' takes one move, as in Nf3 or e2e4")) };
        Ok(Fact::Move { by, made: text.parse().map_err(|e: crate::board::ParseMoveError| e.to_string())? })
    };
    match (verb, args) {
        ("move", _) => return Ok(vec![made(args)?]),
        ("play", _) => return Ok(vec![made(args)?, press]),
        ("touch", [square]) => return Ok(vec![Fact::Touch { by, square: square.parse().map_err(|_| format!("'{square}' is no square"))? }]),
        ("touch", _) => return Err("touch SQUARE, as in touch e4".into()),
        ("declare", [text]) => {
            return Ok(vec![Fact::Declaration { by, made: text.parse().map_err(|e: crate::board::ParseMoveError| e.to_string())? }]);
        }
        ("declare", _) => return Err("declare MOVE, as in declare Rd7".into()),
        ("seal", _) => return Err("seal \"TEXT\", what the player writes".into()),
        _ => {}
    }
    let fact = match verb {
        "arrive" => Fact::Arrival { color: by },
        "press" => press,
        "offer" => Fact::Offer { by },
        "accept" => Fact::Acceptance { by },
        "decline" => Fact::Rejection { by },
        "resign" => Fact::Resignation { by },
        "pause" => Fact::Pause { by: Some(by) },
        "stop" => Fact::Stop { by },
        "claim" => return Ok(vec![Fact::Claim { by, claim: claim(args)? }]),
        "request" => match args {
            [what] if what == "increment" => return Ok(vec![Fact::Claim { by, claim: Claim::FiveSeconds }]),
            _ => return Err("request increment".into()),
        },
        _ => return Err(format!("the verb '{verb}' of a player is not known")),
    };
    match args.first() {
        Some(extra) => Err(format!("'{verb}' takes nothing, not '{extra}'")),
        None => Ok(vec![fact]),
    }
}

/// Reads a claim: `threefold with Nf3`.
fn claim(args: &[String]) -> Result<Claim, String> {
    let written = |with: &[String]| match with {
        [] => Ok(None),
        [word, made] if word == "with" => made.parse().map(Some).map_err(|e: crate::board::ParseMoveError| e.to_string()),
        _ => Err("after the claim comes nothing, or 'with' and one move".to_string()),
    };
    match args {
        [what, with @ ..] if what == "threefold" => Ok(Claim::Threefold { with: written(with)? }),
        [what, with @ ..] if what == "fifty" => Ok(Claim::Fifty { with: written(with)? }),
        [what] if what == "flag" => Ok(Claim::Flag),
        [what] if what == "illegal" => Ok(Claim::IllegalMove),
        [what, ground @ ..] if what == "quickplay" => {
            let ground: Vec<&str> = ground.iter().map(String::as_str).collect();
            match ground[..] {
                ["a"] => Ok(Claim::Quickplay { ground: Ground::CannotWin }),
                ["b"] => Ok(Claim::Quickplay { ground: Ground::NoEffort }),
                ["a", "b"] => Ok(Claim::Quickplay { ground: Ground::Both }),
                _ => Err("claim quickplay a, b or a b".into()),
            }
        }
        [what, white, black] if what == "clock" => Ok(Claim::Clocks { times: ByColor { white: time(white)?, black: time(black)? } }),
        _ => Err("claim threefold|fifty [with MOVE], flag, illegal, quickplay a|b, or clock WHITE BLACK".into()),
    }
}

fn time(text: &str) -> Result<Millis, String> {
    text.parse::<Millis>().map_err(|e| e.to_string())
}

/// Reads a penalty: `time+0:02:00`, `points-0.5`, `warning`.
fn penalty(word: &str) -> Result<Penalty, String> {
    let halves = |text: &str| match text {
        "0.5" | "½" | "1/2" => Ok(1),
        "1" => Ok(2),
        _ => Err(format!("'{text}' is neither 0.5 nor 1 point")),
    };
    Ok(match word {
        "warning" => Penalty::Warning,
        "loss" => Penalty::Loss,
        "expel" => Penalty::Expulsion,
        "fine" => Penalty::Fine,
        "exclusion" => Penalty::Exclusion,
        _ => match (word.split_at_checked(5), word.split_at_checked(7)) {
            (Some(("time+", by)), _) => Penalty::OpponentTime(time(by)?),
            (Some(("time-", by)), _) => Penalty::OwnTime(time(by)?),
            (_, Some(("points+", by))) => Penalty::OpponentPoints(halves(by)?),
            (_, Some(("points-", by))) => Penalty::OwnPoints(halves(by)?),
            _ => return Err(format!("'{word}' is no penalty: warning, time+TIME, time-TIME, points+N, points-N, loss, fine, exclusion, expel")),
        },
    })
}

/// Reads a ruling as it is written in scenarios and on the command line: `add white +0:03:00 "reason"`.
///
/// # Errors
/// Names the word that is wrong.
pub fn ruling(verb: &str, args: &[String]) -> Result<Ruling, String> {
    short(args.iter().map(String::as_str).chain([verb]))?;
    if args.iter().any(|word| word == "override") {
        return Err("'override' is not known yet".to_string());
    }
    let reason = |args: &[String]| args.join(" ");
    let score = |text: &String| text.parse::<Score>().map_err(|e| e.to_string());
    match (verb, args) {
        ("start", []) => Ok(Ruling::Start),
        ("stop", why) => Ok(Ruling::Stop { reason: reason(why) }),
        ("resume", []) => Ok(Ruling::Resume),
        ("clocks", [white, black]) => Ok(Ruling::SetClocks { times: ByColor { white: time(white)?, black: time(black)? } }),
        ("add", [side, by, why @ ..]) => {
            let by = by.parse::<Adjustment>().map_err(|e| format!("{e}, with + or - before it"))?;
            Ok(Ruling::AddTime { color: color(side)?, by, reason: reason(why) })
        }
        ("moves", [side, n]) => Ok(Ruling::SetCounter { color: color(side)?, moves: number(n)? }),
        ("replace-clock", [device]) => {
            let device = device.parse::<u64>().map_err(|_| format!("'{device}' is no serial number; 0 lets the daemon keep the time"))?;
            Ok(Ruling::ReplaceClock { device: (device > 0).then_some(DeviceId(device)) })
        }
        ("replace-clock", [side, device]) => {
            let device = device.parse::<u64>().ok().filter(|device| *device > 0);
            let device = device.ok_or_else(|| "the serial number of the device at that side, from 1".to_string())?;
            Ok(Ruling::ReplaceOwnClock { color: color(side)?, device: DeviceId(device) })
        }
        ("result", [r, why @ ..]) => Ok(Ruling::DeclareResult { score: score(r)?, reason: reason(why) }),
        ("correct", [r, why @ ..]) if !why.is_empty() => Ok(Ruling::CorrectResult { score: score(r)?, reason: reason(why) }),
        ("annul", why) if !why.is_empty() => Ok(Ruling::Annul { reason: reason(why) }),
        ("undo", why) => Ok(Ruling::Undo { reason: reason(why) }),
        ("uphold", why) => Ok(Ruling::Uphold { reason: reason(why) }),
        ("reject", why) => Ok(Ruling::Reject { reason: reason(why) }),
        ("postpone", why) => Ok(Ruling::Postpone { reason: reason(why) }),
        ("flag", [side]) => Ok(Ruling::CallFlag { color: color(side)? }),
        ("illegal", []) => Ok(Ruling::RuleIllegal { color: None, two_hands: false }),
        ("illegal", [word]) if word == "two-hands" => Ok(Ruling::RuleIllegal { color: None, two_hands: true }),
        ("illegal", [side]) => Ok(Ruling::RuleIllegal { color: Some(color(side)?), two_hands: false }),
        ("illegal", [side, word]) if word == "two-hands" => Ok(Ruling::RuleIllegal { color: Some(color(side)?), two_hands: true }),
        ("penalty", [side, what, why @ ..]) => Ok(Ruling::Penalise { color: color(side)?, penalty: penalty(what)?, reason: reason(why) }),
        ("restore", [plies]) => Ok(Ruling::Restore { plies: number(plies)? }),
        ("colours", []) => Ok(Ruling::FindColoursReversed),
        ("setup", []) => Ok(Ruling::FindWrongSetup),
        ("order-seal", []) => Ok(Ruling::OrderSeal),
        ("announce", [what, at]) => {
            let at = Some(at.parse().map_err(|e: ParseWallTimeError| e.to_string())?);
            match what.as_str() {
                "end" => Ok(Ruling::Announce { ends: at, resumes: None }),
                "resume" => Ok(Ruling::Announce { ends: None, resumes: at }),
                _ => Err(format!("'{what}' is neither end nor resume")),
            }
        }
        ("envelope", [what, rest @ ..]) => item(what, rest).map(|item| Ruling::WriteEnvelope { item }),
        ("custody", []) => Ok(Ruling::TakeCustody),
        ("lose-envelope", []) => Ok(Ruling::LoseEnvelope { lost: Lost::Move }),
        ("lose-envelope", [what]) if what == "times" => Ok(Ruling::LoseEnvelope { lost: Lost::Times }),
        ("lose-envelope", [what]) if what == "position" => Ok(Ruling::LoseEnvelope { lost: Lost::Position }),
        ("open", []) => Ok(Ruling::Open { opened: None }),
        ("decipher", [word]) if word == "none" => Ok(Ruling::Decipher { made: None }),
        ("decipher", [made]) => Ok(Ruling::Decipher { made: Some(made.parse().map_err(|e: crate::board::ParseMoveError| e.to_string())?) }),
        ("excuse", [side, why @ ..]) => Ok(Ruling::Excuse { color: color(side)?, reason: reason(why) }),
        (
            "start" | "resume" | "clocks" | "add" | "moves" | "replace-clock" | "result" | "correct" | "annul" | "flag" | "illegal" | "penalty"
            | "restore" | "colours" | "setup" | "excuse" | "order-seal" | "announce" | "envelope" | "custody" | "lose-envelope" | "open" | "decipher",
            _,
        ) => Err(format!("'{verb}' is not used like this: {}", usage(verb))),
        _ => Err(format!("the verb '{verb}' of an arbiter is not known")),
    }
}

/// Reads an item on an envelope: `place "Town hall"`, `number 31`.
fn item(what: &str, rest: &[String]) -> Result<Item, String> {
    let side = |word: &String| if word == "none" { Ok(None) } else { color(word).map(Some) };
    match (what, rest) {
        ("place", [place]) => Ok(Item::Place(place.clone())),
        ("resume", [at]) => Ok(Item::Resumes(at.parse().map_err(|e: ParseWallTimeError| e.to_string())?)),
        ("number", [n]) => Ok(Item::Number(number(n)?)),
        ("sealer", [word]) => Ok(Item::Sealer(color(word)?)),
        ("offer", [word]) => Ok(Item::Offer(side(word)?)),
        ("times", [white, black]) => Ok(Item::Times(ByColor { white: time(white)?, black: time(black)? })),
        _ => Err(format!("'envelope {what}' is not used like this: {}", usage("envelope"))),
    }
}

fn usage(verb: &str) -> &'static str {
    match verb {
        "clocks" => "clocks WHITE BLACK, as in clocks 0:45:00 0:40:00",
        "add" => "add white|black ±TIME [REASON], as in add white +0:02:00",
        "moves" => "moves white|black N",
        "replace-clock" => "replace-clock SERIAL",
        "result" => "result R [REASON], R one of 1-0 0-1 1/2-1/2 0-0 1/2-0 0-1/2 +- -+ --",
        "correct" => "correct R REASON",
        "annul" => "annul REASON",
        "flag" => "flag white|black",
        "illegal" => "illegal [white|black] [two-hands]",
        "penalty" => "penalty white|black PENALTY [REASON], as in penalty white time+0:02:00",
        "restore" => "restore PLIES, the number of half-moves that stand",
        "excuse" => "excuse white|black [REASON]",
        "announce" => "announce end|resume TIME",
        "envelope" => "envelope place \"TEXT\", resume TIME, number N, sealer white|black, offer white|black|none, or times WHITE BLACK",
        "lose-envelope" => "lose-envelope [times|position]",
        "decipher" => "decipher MOVE, or decipher none",
        _ => "it takes nothing",
    }
}

pub(super) fn color(word: &str) -> Result<Color, String> {
    match word {
        "white" => Ok(Color::White),
        "black" => Ok(Color::Black),
        _ => Err(format!("'{word}' is neither white nor black")),
    }
}

pub(super) fn number(word: &str) -> Result<u32, String> {
    word.parse().map_err(|_| format!("'{word}' is no number"))
}
