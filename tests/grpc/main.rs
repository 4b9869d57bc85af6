//! The daemon over its protocol: clocks, consoles, feeds and the office, through pipes in memory and in virtual time.
#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

mod clock;
mod console;
mod hall;
mod ledger;
mod line;
mod words;

mod abuse;
mod afar;
mod belated;
mod claims;
mod clocks;
mod consoles;
mod disk;
mod failures;
mod feeds;
mod laws;
mod limits;
mod office;
mod orders;
mod reports;
mod restarts;
mod second;
mod timelines;
mod together;
mod two;
mod web;
