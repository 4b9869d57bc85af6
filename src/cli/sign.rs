//! `zeitnot sign`: the head of a running daemon's log, signed now; and `zeitnot venue sign-key`.

pub(super) mod key;

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};
use tonic::Status;

use super::office::Act;
use super::output::say;
use super::{Stop, exit};
use crate::signature::{self, SignedHead};
use crate::wire::{self, v1};

/// Options of `sign`.
#[derive(Debug, Args)]
pub(super) struct Sign {
    #[command(flatten)]
    act: Act,
}

/// Options of `venue sign-key`.
#[derive(Debug, Args)]
pub(super) struct SignKey {
    /// Directory of the log.
    #[arg(long, env = "ZEITNOT_DATA")]
    data: PathBuf,
    /// Prints one JSON object.
    #[arg(long)]
    json: bool,
}

impl Sign {
    pub(super) fn run(self) -> Result<(), Stop> {
        let request = v1::SignRequest { key: self.act.key.clone(), by: self.act.by() };
        let answer = self.act.remote.office(async |mut office| office.sign(request).await)?;
        let signed = answer.signed.ok_or_else(|| Stop::from(Status::data_loss("the answer holds no signature")))?;
        let head = wire::signed(signed).map_err(|e| Stop::new(exit::UNAVAILABLE, e))?;
        self.act.remote.say(|| as_json(answer.seq, &head), || as_text(answer.seq, &head))
    }
}

fn as_json(entry: u64, head: &SignedHead) -> Value {
    let text = signature::text(head.seq, &head.head);
    json!({ "entry": entry, "seq": head.seq, "text": text, "key": head.key.to_string(), "signature": head.signature.to_string() })
}

fn as_text(entry: u64, head: &SignedHead) -> String {
    let text = signature::text(head.seq, &head.head);
    format!("{text}key {}\nsignature {}\nrecorded in entry {entry}", head.key, head.signature)
}

impl SignKey {
    pub(super) fn run(self) -> Result<(), Stop> {
        if !self.data.is_dir() {
            return Err(Stop::new(exit::USAGE, format!("there is no directory {}", self.data.display())));
        }
        let (path, made) = (key::path(&self.data), !key::path(&self.data).exists());
        let public = if made { key::make(&path)? } else { key::open(&path)? }.public();
        if self.json {
            return say(json!({ "public_key": public.to_string(), "file": path.display().to_string(), "made": made }));
        }
        say(match made {
            true => format!("{}\nthe daemon signs from its next start on", key::told(&public, &path)),
            false => format!("the venue signs by {public} already, from {}", path.display()),
        })
    }
}
