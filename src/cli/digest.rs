//! `zeitnot digest`: where a running daemon stands, to be compared with `replay`.

use clap::Args;
use serde_json::json;

use super::Stop;
use super::remote::Remote;
use crate::wire::v1;

/// Options of `digest`.
#[derive(Debug, Args)]
pub(super) struct Digest {
    #[command(flatten)]
    remote: Remote,
}

impl Digest {
    pub(super) fn run(self) -> Result<(), Stop> {
        let v1::DigestAnswer { position, digest, head } = self.remote.office(async |mut office| office.digest(v1::DigestRequest {}).await)?;
        self.remote.say(
            || json!({ "entries": position, "head": head, "digest": digest }),
            || format!("entries  {position}\nhead     {head}\ndigest   {digest}"),
        )
    }
}
