//! Scenarios: a game told in plain lines, driven through the same `decide` and `evolve` as the daemon.

mod expect;
mod parse;
mod run;
mod verbs;

pub use parse::{Act, Expectation, Header, ParseScenarioError, Scenario, Step};
pub use run::{Failure, Report, StepTrace, run};
pub use verbs::{facts, ruling};
