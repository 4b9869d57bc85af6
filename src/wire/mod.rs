//! The domain in protobuf and back: all conversions, and nothing else.

mod adjournment;
mod ask;
mod credentials;
mod decode;
mod encode;
mod mating;
mod state;

pub use adjournment::{private_key, public_key, seal};
pub use ask::{MAX_ASKED, answer, question};
pub use credentials::{encode_credential, encode_grant, grant, secret_hash};
pub use decode::{color_or_none, date, entry, fact, pairing, ruling, signed, text, times};
pub use encode::{
    admin as encode_admin, entry as encode_entry, order, regulations as encode_regulations, sides, signed as encode_signed, times as encode_times,
    tournament as encode_tournament,
};
pub use state::{assignment, game_state, state};

/// The generated messages, services and clients.
#[allow(missing_docs, missing_debug_implementations, unreachable_pub, clippy::all, clippy::pedantic)]
pub mod v1 {
    tonic::include_proto!("zeitnot.v1");

    /// Descriptors of the protocol, for gRPC reflection.
    pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/zeitnot.bin"));
}

/// A message that cannot be read: which field, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {why}")]
pub struct Error {
    /// The field that is wrong.
    pub field: &'static str,
    /// What is wrong with it.
    pub why: String,
}

impl Error {
    /// A field that is wrong.
    pub fn new(field: &'static str, why: impl Into<String>) -> Error {
        Error { field, why: why.into() }
    }

    fn missing(field: &'static str) -> Error {
        Error::new(field, "is missing")
    }
}
