//! Scenarios: a game told in plain lines, driven through the same `decide` and `evolve` as the daemon.

mod expect;
mod parse;
mod run;

pub use parse::{Act, Expectation, Header, ParseScenarioError, Scenario, Step, ruling};
pub use run::{Failure, Report, StepTrace, run};
