//! Scenarios: a game told in plain lines, driven through the same `decide` and `evolve` as the daemon.

mod expect;
mod header;
mod parse;
mod run;
mod verbs;

pub use header::Header;
pub use parse::{Act, Expectation, ParseScenarioError, Scenario, Step};
pub use run::{Failure, Report, StepTrace, run};
pub use verbs::{facts, ruling};
