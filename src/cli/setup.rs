//! `zeitnot venue init`, `chief` and `certify`: what is done where the log is, while no daemon runs.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use tokio_rustls::rustls::pki_types::ServerName;
use tonic::codegen::http::uri::Authority;

use super::output::say;
use super::remote::ended;
use super::settings::Settings;
use super::sign::key;
use super::{Stop, exit};
use crate::client::{Login, Place};
use crate::clock::Millis;
use crate::game::Seq;
use crate::http::tls;
use crate::log::{self, Log, SledLog};
use crate::time::HallClock;
use crate::venue::secrets::{Code, Token};
use crate::venue::{Command, CredentialId, Grant, Input, Invitation, Origin};
use crate::writer::{self, Writer};

/// A log that no daemon has open.
#[derive(Debug, Args)]
pub(super) struct Offline {
    /// Directory of the log; made if it is not there.
    #[arg(long, env = "ZEITNOT_DATA")]
    data: PathBuf,
    /// File of the log's second copy; beside the log if not given, `none` for no copy.
    #[arg(long, env = "ZEITNOT_MIRROR", value_name = "PATH")]
    mirror: Option<PathBuf>,
    /// Name of the chief arbiter, recorded with every ruling.
    #[arg(long, default_value = "chief arbiter")]
    name: String,
    /// Address at which the daemon will be reached.
    #[arg(long, default_value = "127.0.0.1:7960", value_name = "HOST:PORT", value_parser = reachable)]
    server: String,
    /// Where the login is written.
    #[arg(long, default_value = "chief.login", value_name = "FILE")]
    out: PathBuf,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// Options of `venue init`.
#[derive(Debug, Args)]
pub(super) struct Init {
    #[command(flatten)]
    log: Offline,
    /// Name of the venue, in its certificates.
    #[arg(long, default_value = "venue")]
    venue: String,
    /// A name or address at which the daemon is reached besides this machine's own and that of --server; can be repeated.
    #[arg(long, value_name = "HOST", value_parser = named)]
    host: Vec<String>,
}

/// A host and a port, as a login will hold them.
fn reachable(text: &str) -> Result<String, String> {
    let authority = text.parse::<Authority>().ok().filter(|authority| authority.port_u16().is_some_and(|port| port > 0) && !text.contains('@'));
    let nowhere = |host: &str| host.parse::<IpAddr>().is_ok_and(|address| address.is_unspecified());
    let host = authority.map(|authority| authority.host().trim_matches(['[', ']']).to_string());
    let host = host.filter(|host| !nowhere(host)).map(|host| named(&host));
    host.ok_or("write HOST:PORT as others reach it, as in hall.example:7960, 192.168.1.10:7960 or [fd00::10]:7960")?.map(|_| text.to_string())
}

/// A name or an address, as a certificate holds it.
fn named(text: &str) -> Result<String, String> {
    let text = text.trim_matches(['[', ']']);
    match ServerName::try_from(text) {
        Ok(_) => Ok(text.to_string()),
        Err(_) => Err("write a name or an address, as in hall.example, 192.168.1.10 or fd00::10".to_string()),
    }
}

/// Options of `venue chief`.
#[derive(Debug, Args)]
pub(super) struct Chief {
    #[command(flatten)]
    log: Offline,
}

impl Chief {
    pub(super) fn run(self) -> Result<(), Stop> {
        let (place, log) = (self.log.place()?, self.log.open()?);
        let (id, _) = self.log.enrol_chief(place, log)?;
        self.log.say(id, || format!("credential {id}, a chief arbiter's: {}", self.log.out.display()))
    }
}

/// Options of `venue certify`.
#[derive(Debug, Args)]
pub(super) struct Certify {
    /// Directory of the log.
    #[arg(long, env = "ZEITNOT_DATA")]
    data: PathBuf,
    /// Whose certificate.
    name: String,
    /// Where certificate and key are written: this name with .pem and .key.
    #[arg(long, value_name = "PATH")]
    out: PathBuf,
}

impl Init {
    /// Each step leaves what the next attempt goes on with; the daemon's certificate, by which a venue is set up, comes last.
    pub(super) fn run(self) -> Result<(), Stop> {
        let dir = self.log.data.join("tls");
        let files = tls::Files::of(&dir);
        if files.cert.exists() {
            let why = format!("{} is set up already; zeitnot venue chief makes a login for a further chief arbiter", self.log.data.display());
            return Err(Stop::new(exit::USAGE, why));
        }
        let mut hosts = vec!["localhost".to_string(), "127.0.0.1".to_string(), "::1".to_string()];
        hosts.extend(rustix::system::uname().nodename().to_str().ok().filter(|name| !name.is_empty()).map(str::to_string));
        hosts.extend(self.log.server.rsplit_once(':').map(|(host, _)| host.trim_matches(['[', ']']).to_string()));
        hosts.extend(self.host.iter().cloned());
        hosts.sort();
        hosts.dedup();
        let (place, log) = (self.log.place()?, self.log.open()?);
        let authority = files.ca.exists();
        std::fs::create_dir_all(&dir).map_err(|e| Stop::unusable(format!("{}: {e}", dir.display())))?;
        files.make_authority(&self.venue).map_err(Stop::unusable)?;
        let signs = key::path(&self.log.data);
        let signer = if signs.exists() { key::open(&signs) } else { key::make(&signs) }?.public();
        let (id, before) = self.log.enrol_chief(place, log)?;
        files.make_server(&self.venue, &hosts).map_err(Stop::unusable)?;
        if before > 0 && !authority {
            let what = "this log is of a venue that was set up before: by its new certificate none of the logins made then reaches it";
            eprintln!("zeitnot: {what}; where its directory tls and its sign.key are kept, take tls and sign.key away here and put those back");
        }
        let (ca, login) = (files.ca.display(), self.log.out.display());
        let (hosts, signs) = (hosts.join(", "), key::told(&signer, &signs));
        self.log.say(id, || {
            format!(
                "the venue is set up: clients know it by {ca}, at {hosts}\nfrom now on everybody is asked who he is; a chief arbiter's login: {login}\n\n    export ZEITNOT_LOGIN={login}\n\n{signs}\n"
            )
        })
    }
}

impl Offline {
    /// The file of the login, made before anything else is.
    fn place(&self) -> Result<Place, Stop> {
        Place::take(&self.out).map_err(Stop::unusable)
    }

    /// The log, which is nobody else's then.
    fn open(&self) -> Result<Box<dyn Log>, Stop> {
        let settings = Settings { mirror: self.mirror.clone(), ..Settings::default() };
        let options = log::Options { mirror: settings.mirror(), ..log::Options::default() };
        Ok(Box::new(SledLog::open(&self.data, &options).map_err(|e| Stop::unopened(&e))?))
    }

    /// Gives a chief arbiter a credential, and writes the login; its number, and how many credentials there were before.
    fn enrol_chief(&self, place: Place, mut log: Box<dyn Log>) -> Result<(u64, usize), Stop> {
        let reader = log.reader();
        let damaged = |e: writer::Error| Stop::new(exit::DAMAGED, e);
        let mut writer = Writer::new(writer::replay(&*reader, None, &mut |_: Seq| {}).map_err(damaged)?);
        let before = writer.venue().credentials().count();
        let at = HallClock::start().now();
        let code = Code::new(rand::random());
        let random = zeroize::Zeroizing::new(rand::random::<[u8; 32]>());
        let invitation = Invitation {
            grant: Grant::ChiefArbiter,
            name: self.name.clone(),
            code: code.hash(),
            until: at.wall.plus(Millis::minutes(1)),
            expires: None,
        };
        let inputs = [Input::Invite { invitation }, Input::Enrol { code: code.hash(), secret: Token::new(CredentialId(0), *random).hash() }];
        let mut id = 0;
        for input in inputs {
            let command = Command { origin: Origin::daemon(), key: None, seen: None, input };
            id = writer.decide(&*reader, command, at).map_err(damaged)?.map_err(Stop::unusable)?.made;
        }
        let ca_file = tls::Files::of(&self.data.join("tls")).ca;
        let ca = ca_file
            .exists()
            .then(|| std::fs::read_to_string(&ca_file))
            .transpose()
            .map_err(|e| Stop::unusable(format!("{}: {e}", ca_file.display())))?;
        let scheme = if ca.is_some() { "https" } else { "http" };
        let server = format!("{scheme}://{}", self.server);
        let token = Token::new(CredentialId(id), *random).to_string();
        let login = Login { server, token, name: self.name.clone(), role: Grant::ChiefArbiter.word().to_string(), ca };
        // A login without its entry opens nothing; an entry without its login would be a credential that nobody has.
        place.hold(&login).map_err(Stop::unusable)?;
        writer.commit(&mut *log).map_err(|e| Stop::new(exit::LOG_FAILED, e))?;
        Ok((id, before))
    }

    fn say(&self, id: u64, text: impl FnOnce() -> String) -> Result<(), Stop> {
        if self.json { say(json!({ "credential": id, "login": self.out.display().to_string() })) } else { say(text().trim_end()) }
    }
}

impl Certify {
    pub(super) fn run(self) -> Result<(), Stop> {
        let (cert, key) = tls::Files::of(&self.data.join("tls")).certify(&self.name).map_err(Stop::unusable)?;
        let (cert_file, key_file) = (ended(&self.out, "pem"), ended(&self.out, "key"));
        tls::secret(&key_file, &key).and_then(|()| tls::secret(&cert_file, &cert)).map_err(Stop::unusable)?;
        say(format!("{} and {}", cert_file.display(), key_file.display()))
    }
}
