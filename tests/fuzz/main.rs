//! What comes from outside, and what is nearly that: every parser and the wire, each with a property that has to hold.
//!
//! A target gets its seeds as they are and then inputs that bolero's random driver makes of them: a fixed number in
//! `cargo test`, as many as a time allows in `make fuzz`. An input that once broke something becomes a seed in `corpus/`.
#![expect(clippy::unwrap_used, reason = "what does not go as told here is a failed test")]

mod daemon;
mod engine;
mod files;
mod kept;
mod log;
mod notation;
mod numbers;
mod secrets;
mod venue;
mod wire;
mod words;
