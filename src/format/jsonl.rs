//! JSON of entries: for programs to read, and, a line an entry, a log taken out as text and put in again byte for byte.
//!
//! Of an exported line only `seq`, `body` and `chain` count when it is read; the rest says to
//! people and programs what the body holds.

use std::fmt::Write;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::game::{self, Consequence};
use crate::venue::{Entry, Payload, Subject};

/// What counts of an exported line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Place in the log.
    pub seq: u64,
    /// The entry as it is stored.
    pub body: Vec<u8>,
    /// The chain up to and with the entry.
    pub chain: [u8; 32],
}

/// A line that is no entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant's sentence says what is wrong")]
pub enum ParseLineError {
    #[error("no exported entry: {0}")]
    Json(String),
    #[error("{0}: hexadecimal digits, two a byte")]
    Hex(&'static str),
    #[error("chain: 64 hexadecimal digits")]
    Chain,
}

/// An entry as a JSON object.
pub fn entry(entry: &Entry) -> Map<String, Value> {
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_string(), value);
    put("seq", entry.seq.0.into());
    put("at", entry.recorded_at.to_string().into());
    match entry.subject {
        Subject::Venue => put("subject", "venue".into()),
        Subject::Tournament(id) => put("tournament", id.0.into()),
        Subject::Game(id) => put("game", id.0.into()),
        Subject::Device(id) => put("device", id.0.into()),
    };
    put("version", entry.version.0.into());
    if let Some(origin) = &entry.origin {
        put("by", json!({ "role": origin.role.word(), "name": origin.name }));
        if let Some(stamp) = origin.stamp {
            put("stamp", json!({ "device": stamp.device.0, "boot": stamp.boot, "report": stamp.report, "at_ms": stamp.at.0 }));
        }
    }
    if let Some(cause) = entry.cause {
        put("cause", cause.0.into());
    }
    if let Some(key) = &entry.key {
        put("key", key.0.clone().into());
    }
    let (kind, text) = match &entry.payload {
        Payload::Game(game::Entry::Fact(fact)) => ("fact", fact.to_string()),
        Payload::Game(game::Entry::Ruling(ruling)) => ("ruling", ruling.to_string()),
        Payload::Game(game::Entry::Consequence(consequence)) => ("consequence", consequence.to_string()),
        Payload::Admin(admin) => ("admin", admin.to_string()),
        Payload::Device(device) => ("device", device.to_string()),
    };
    put("kind", kind.into());
    if let Payload::Game(game::Entry::Consequence(Consequence::Incident { code, .. })) = &entry.payload {
        put("incident", code.word().into());
    }
    put("text", text.into());
    object
}

/// An entry as a line of an export, without the line's end.
pub fn write(read: &Entry, line: &Line) -> String {
    let mut object = entry(read);
    object.insert("body".to_string(), hex(&line.body).into());
    object.insert("chain".to_string(), hex(&line.chain).into());
    Value::Object(object).to_string()
}

/// Reads a line of an export.
///
/// # Errors
/// Where it is none; what the body says is not looked at.
pub fn read(text: &str) -> Result<Line, ParseLineError> {
    #[derive(Deserialize)]
    struct Parts {
        seq: u64,
        body: String,
        chain: String,
    }
    // It repeats what it was given, which may be long.
    let parts: Parts = serde_json::from_str(text).map_err(|e| ParseLineError::Json(e.to_string().chars().take(200).collect()))?;
    let body = bytes(&parts.body).ok_or(ParseLineError::Hex("body"))?;
    let chain = bytes(&parts.chain).and_then(|chain| chain.try_into().ok()).ok_or(ParseLineError::Chain)?;
    Ok(Line { seq: parts.seq, body, chain })
}

/// What a line of an export says to people, where it says anything.
pub fn text(line: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Said {
        text: String,
    }
    serde_json::from_str(line).ok().map(|said: Said| said.text)
}

/// Whether an exported line says something else to people than its entry does.
pub fn misleads(line: &str, read: &Entry) -> bool {
    let said = serde_json::from_str::<Map<String, Value>>(line).unwrap_or_default();
    entry(read).iter().any(|(key, value)| said.get(key).is_some_and(|other| other != value))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Fact, GameId, Seq};
    use crate::venue::{Origin, Version, WallTime};

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let said = Entry {
            seq: Seq(7),
            subject: Subject::Game(GameId(3)),
            version: Version(2),
            recorded_at: WallTime(1_777_726_800_000),
            origin: Some(Origin::daemon()),
            cause: None,
            key: None,
            payload: Payload::Game(game::Entry::Fact(Fact::Restart)),
        };
        let line = Line { seq: 7, body: vec![0, 0x7f, 0xff], chain: [0xab; 32] };
        let text = write(&said, &line);
        assert!(text.contains("\"game\":3") && text.contains("\"text\":\"restart\"") && text.contains("\"body\":\"007fff\""), "{text}");
        assert_eq!(read(&text), Ok(line));
    }

    #[test]
    fn what_is_no_line_is_refused() {
        let chain = "ab".repeat(32);
        for (text, why) in [
            ("".to_string(), "EOF"),
            ("{\"seq\":1}".to_string(), "body"),
            (format!("{{\"seq\":1,\"body\":\"0\",\"chain\":\"{chain}\"}}"), "body"),
            (format!("{{\"seq\":1,\"body\":\"zz\",\"chain\":\"{chain}\"}}"), "body"),
            ("{\"seq\":1,\"body\":\"00\",\"chain\":\"ab\"}".to_string(), "chain"),
        ] {
            assert!(read(&text).unwrap_err().to_string().contains(why), "{text}");
        }
    }
}
