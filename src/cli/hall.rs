//! `zeitnot hall`: one act for many boards.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::remote::{Remote, sender};
use super::{Stop, exit, runtime};
use crate::wire::v1::{self, consoles_client::ConsolesClient, hall_act::Act};

/// One act for many boards.
#[derive(Debug, Subcommand)]
pub(super) enum Hall {
    /// Starts the games that wait to be started.
    Start(Boards),
    /// Stops every running clock.
    Stop {
        /// Why, as in \"fire alarm\".
        reason: String,
        #[command(flatten)]
        boards: Boards,
    },
    /// Lets the clocks go on that an act has stopped, as they stood; where something was ruled since they are left.
    Resume {
        /// Key of the act that stopped them; the last one that stopped any where not given.
        #[arg(long, value_name = "KEY")]
        after: Option<String>,
        #[command(flatten)]
        boards: Boards,
    },
}

/// Which boards, and whose act it is.
#[derive(Debug, Args)]
pub(super) struct Boards {
    /// Only this round, as TOURNAMENT.ROUND.
    #[arg(long, value_name = "T.R", value_parser = round)]
    round: Option<(u64, u32)>,
    /// Only these boards.
    #[arg(long, value_delimiter = ',', value_name = "B,B-B", value_parser = super::venue::boards)]
    boards: Vec<(u32, u32)>,
    /// Not these boards.
    #[arg(long, value_delimiter = ',', value_name = "B,B-B", value_parser = super::venue::boards)]
    except: Vec<(u32, u32)>,
    /// Name that is recorded with it; the user's where not given.
    #[arg(long = "as", env = "ZEITNOT_AS", value_name = "NAME")]
    name: Option<String>,
    /// Idempotency key, at most 40 bytes: an act that is sent again under its key is done once. A new one where not given.
    #[arg(long)]
    key: Option<String>,
    #[command(flatten)]
    remote: Remote,
}

fn round(text: &str) -> Result<(u64, u32), String> {
    let read = text.split_once('.').and_then(|(tournament, round)| Some((tournament.parse().ok()?, round.parse().ok()?)));
    read.filter(|(tournament, round)| *tournament > 0 && *round > 0).ok_or_else(|| "a tournament and a round, as in 1.3".to_string())
}

/// Every board of the ranges.
fn all(ranges: &[(u32, u32)]) -> Vec<u32> {
    ranges.iter().flat_map(|(first, last)| *first..=*last).take(MAX_LISTED).collect()
}

/// More boards than a daemon takes in one act: it says so.
const MAX_LISTED: usize = 1_001;

impl Hall {
    pub(super) fn run(self) -> Result<(), Stop> {
        match self {
            Hall::Start(boards) => boards.act(Act::Start(v1::HallStart {}), "started"),
            Hall::Stop { reason, boards } => boards.act(Act::Stop(v1::HallStop { reason }), "stopped"),
            Hall::Resume { after, boards } => boards.act(Act::Resume(v1::HallResume { after: after.unwrap_or_default() }), "going on"),
        }
    }
}

impl Boards {
    fn act(self, act: Act, done: &str) -> Result<(), Stop> {
        let (tournament, round) = self.round.unwrap_or((0, 0));
        let key = self.key.unwrap_or_else(|| format!("{:032x}", rand::random::<u128>()));
        let arbiter = sender(self.name, "arbiter");
        let asked = v1::HallAct { key, arbiter, tournament, round, boards: all(&self.boards), except: all(&self.except), act: Some(act) };
        let answer = runtime()?.block_on(async {
            let mut consoles = ConsolesClient::new(self.remote.line().await?).max_decoding_message_size(super::remote::MAX_ANSWER);
            Ok::<_, Stop>(consoles.act(asked).await?.into_inner())
        })?;
        let board = |acted: &v1::HallActed| json!({ "game": acted.game, "tournament": acted.tournament, "round": acted.round, "board": acted.board, "seq": acted.seq, "why": acted.why });
        let boards = |all: &[v1::HallActed]| all.iter().map(board).collect::<Vec<Value>>();
        self.remote.say(
            || json!({ "key": answer.key, "done": boards(&answer.done), "left": boards(&answer.left) }),
            || {
                let count = answer.done.len();
                let mut text = format!("{count} {} {done}   key {}\n", if count == 1 { "board" } else { "boards" }, answer.key);
                for waits in answer.done.iter().filter(|done| !done.why.is_empty()) {
                    text += &format!("{}.{}.{} {}\n", waits.tournament, waits.round, waits.board, waits.why);
                }
                for left in &answer.left {
                    text += &format!("not {}.{}.{}: {}\n", left.tournament, left.round, left.board, left.why);
                }
                text
            },
        )?;
        if answer.left.is_empty() { Ok(()) } else { Err(Stop::quiet(exit::REFUSED)) }
    }
}
