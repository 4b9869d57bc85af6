//! `zeitnot login`: a one-time code becomes a login.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::output::say;
use super::remote::Certificates;
use super::{Stop, exit, runtime};
use crate::client::{self, Login, Place, Reach};
use crate::wire::v1::{self, access_client::AccessClient};

/// Options of `login`.
#[derive(Debug, Args)]
pub(super) struct Enrol {
    /// The daemon, as in https://192.168.1.10:7960.
    server: String,
    /// The one-time code.
    code: String,
    #[command(flatten)]
    certificates: Certificates,
    /// Where the login is written.
    #[arg(long, default_value = "zeitnot.login", value_name = "FILE")]
    out: PathBuf,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

impl Enrol {
    pub(super) fn run(self) -> Result<(), Stop> {
        let (ca, own) = (self.certificates.ca()?, self.certificates.own()?);
        let reach = Reach::with(&self.server, ca.as_deref(), own).and_then(|reach| reach.keeping("the code")).map_err(Stop::unusable)?;
        // A code is good once: what it is exchanged for must have its place before.
        let place = Place::take(&self.out).map_err(Stop::unusable)?;
        let code = self.code;
        let login = runtime()?.block_on(async {
            let line = reach.connect().await;
            let line = line.map_err(|e| Stop::new(exit::UNAVAILABLE, format!("no daemon answers at {}: {}", reach.server(), client::reason(&e))))?;
            Ok::<_, Stop>(AccessClient::new(line).enrol(v1::EnrolRequest { code }).await?.into_inner())
        })?;
        let role = login.grant.and_then(|grant| crate::wire::grant(grant).ok()).map_or_else(String::new, |grant| grant.to_string());
        let server = reach.server().trim_end_matches('/').to_string();
        let written = Login { server, token: login.token.clone(), name: login.name.clone(), role: role.clone(), ca };
        place.hold(&written).map_err(Stop::unusable)?;
        if self.json {
            return say(json!({ "credential": login.credential, "name": login.name, "for": role, "login": self.out.display().to_string() }));
        }
        say(format!("{}, {role}: {}\n\n    export ZEITNOT_LOGIN={}", login.name, self.out.display(), self.out.display()))
    }
}
