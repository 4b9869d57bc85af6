//! Seeded days of a whole hall: nothing acknowledged is lost, everybody sees the same, no time is made or lost by a network.
#![expect(clippy::unwrap_used, reason = "what does not go as told here is a failed test")]

mod bugs;
mod days;
mod network;
mod soak;
