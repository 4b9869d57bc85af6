//! The logs that are kept of every format, as seeds: together they hold every kind of entry.

use std::path::Path;

use prost::Message;
use zeitnot::format::jsonl;
use zeitnot::game::Seq;
use zeitnot::venue::Entry;
use zeitnot::wire::v1;
use zeitnot::writer;

/// The logs of that name.
fn bodies_of(name: &str) -> Vec<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name).join("log.jsonl");
    std::fs::read_to_string(path).unwrap().lines().map(|line| jsonl::read(line).unwrap().body).collect()
}

/// Every entry of a kept log.
pub(crate) fn entries(name: &str) -> Vec<Entry> {
    (1..).zip(bodies_of(name)).map(|(seq, body)| writer::read(Seq(seq), &body).unwrap()).collect()
}

pub(crate) const NAMES: [&str; 4] = ["v1", "v2", "v3", "v4"];

/// The bytes of every entry of all of them.
pub(crate) fn bodies() -> Vec<Vec<u8>> {
    NAMES.iter().flat_map(|name| bodies_of(name)).collect()
}

/// The bytes of what their entries hold: facts, rulings, what offices said.
pub(crate) fn payloads() -> Vec<Vec<u8>> {
    use v1::entry::Payload::{Admin, Consequence, DeviceEntry, Fact, Ruling};
    let payload = |body: Vec<u8>| {
        Some(match v1::Entry::decode(body.as_slice()).ok()?.payload? {
            Fact(fact) => fact.encode_to_vec(),
            Ruling(ruling) => ruling.encode_to_vec(),
            Consequence(consequence) => consequence.encode_to_vec(),
            Admin(admin) => admin.encode_to_vec(),
            DeviceEntry(device) => device.encode_to_vec(),
        })
    };
    bodies().into_iter().filter_map(payload).collect()
}
