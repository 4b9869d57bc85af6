//! Settings of the daemon: flags over environment over a file. What is wrong is told with the place where it stands.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use figment::Figment;
use figment::providers::{Env, Format, Toml};
use serde::Deserialize;

use super::sign::key;
use super::{Stop, exit};
use crate::http::tls::{self, Identity};
use crate::log::MirrorAt;
use crate::service::roles::DECLARABLE;
use crate::signature::SigningKey;

/// The keys of the file; in the environment, the same in capitals after [`PREFIX`].
pub(super) const KEYS: [&str; 9] = ["data", "listen", "mirror", "cert", "key", "client_ca", "public", "log_format", "log_filter"];
/// How variables begin.
const PREFIX: &str = "ZEITNOT_";
/// As a mirror: no second copy.
const NONE: &str = "none";

/// What a source may set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    /// Directory of the log.
    pub(super) data: Option<PathBuf>,
    /// Address to listen on.
    pub(super) listen: Option<SocketAddr>,
    /// File of the log's second copy, or `none`.
    pub(super) mirror: Option<PathBuf>,
    /// File of the daemon's certificate, where it is not the venue's own.
    pub(super) cert: Option<PathBuf>,
    /// File of the key to that.
    pub(super) key: Option<PathBuf>,
    /// File of the authority whose certificate every client has to show.
    pub(super) client_ca: Option<PathBuf>,
    /// What everyone may read: `feeds`, `metrics`.
    pub(super) public: Option<Vec<String>>,
    /// How the daemon's own messages are written.
    pub(super) log_format: Option<LogFormat>,
    /// Which of them are written.
    pub(super) log_filter: Option<String>,
}

/// How the daemon's own messages are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(super) enum LogFormat {
    /// For people.
    Pretty,
    /// A JSON object a line.
    Json,
}

impl Settings {
    /// What flags say over what the environment says over what the file says.
    pub(super) fn gather(self, file: Option<&Path>) -> Result<Settings, Stop> {
        let mut sources = Figment::new();
        if let Some(path) = file {
            let text = std::fs::read_to_string(path).map_err(|e| Stop::new(exit::USAGE, format!("--config {}: {e}", path.display())))?;
            sources = sources.merge(Toml::string(&text));
        }
        let sources = sources.merge(Env::prefixed(PREFIX).only(&KEYS));
        let found: Settings = sources.extract().map_err(|e| Stop::new(exit::USAGE, explained(&e, file)))?;
        Ok(Settings {
            data: self.data.or(found.data),
            listen: self.listen.or(found.listen),
            mirror: self.mirror.or(found.mirror),
            cert: self.cert.or(found.cert),
            key: self.key.or(found.key),
            client_ca: self.client_ca.or(found.client_ca),
            public: self.public.or(found.public),
            log_format: self.log_format.or(found.log_format),
            log_filter: self.log_filter.or(found.log_filter),
        })
    }

    /// What the daemon shows by TLS: certificates that were named, else those of the venue, where it has been set up.
    pub(super) fn identity(&self) -> Result<Option<Identity>, Stop> {
        let own = self.data.as_ref().map(|data| tls::Files::of(&data.join("tls"))).filter(|files| files.cert.exists());
        if let (Some(data), None, None, None) = (&self.data, &own, &self.cert, &self.key)
            && tls::Files::of(&data.join("tls")).ca.exists()
        {
            let why = format!(
                "{}: the venue has an authority and no certificate, since `zeitnot venue init` was cut short or the file is lost: run it again, with another --out",
                data.join("tls/server.pem").display()
            );
            return Err(Stop::new(exit::USAGE, why));
        }
        let identity = match (&self.cert, &self.key) {
            (Some(cert), Some(key)) => Some(Identity { cert: cert.clone(), key: key.clone(), client_ca: None }),
            (None, None) => own.map(|files| files.identity()),
            _ => return Err(Stop::new(exit::USAGE, "a certificate needs its key, and a key its certificate: name both, cert and key")),
        };
        if identity.is_none() && self.client_ca.is_some() {
            return Err(Stop::new(exit::USAGE, "client_ca: clients show certificates only where the daemon has one: zeitnot venue init"));
        }
        Ok(identity.map(|identity| Identity { client_ca: self.client_ca.clone(), ..identity }))
    }

    /// The key by which the daemon signs, where the venue has one.
    pub(super) fn signer(&self) -> Result<Option<SigningKey>, Stop> {
        let file = self.data.as_ref().map(|data| key::path(data)).filter(|file| file.exists());
        file.map(|file| key::open(&file)).transpose()
    }

    /// What everyone may read.
    pub(super) fn public(&self) -> Result<Vec<String>, Stop> {
        let public = self.public.clone().unwrap_or_default();
        match public.iter().find(|word| !DECLARABLE.contains(&word.as_str())) {
            Some(unknown) => Err(Stop::new(exit::USAGE, format!("public: {unknown} is unknown; there are {}", DECLARABLE.join(" and ")))),
            None => Ok(public),
        }
    }

    /// Where the second copy is kept.
    pub(super) fn mirror(&self) -> MirrorAt {
        match &self.mirror {
            None => MirrorAt::Beside,
            Some(path) if path.as_os_str() == NONE => MirrorAt::Nowhere,
            Some(path) => MirrorAt::Path(path.clone()),
        }
    }

    /// The setting that keeps no second copy.
    pub(super) fn no_mirror() -> PathBuf {
        PathBuf::from(NONE)
    }
}

/// What is wrong, with the file and key, or the variable.
fn explained(errors: &figment::Error, file: Option<&Path>) -> String {
    let one = |error: figment::Error| {
        let key = error.path.join(".");
        let from_file = error.metadata.as_ref().is_none_or(|metadata| metadata.name.contains("TOML"));
        let place = match (file, from_file) {
            (Some(path), true) if key.is_empty() => path.display().to_string(),
            (Some(path), true) => format!("{}, key {key}", path.display()),
            _ => format!("variable {PREFIX}{}", key.to_uppercase()),
        };
        let right = if key == "listen" { "; write an address and a port, as in 127.0.0.1:7960" } else { "" };
        format!("{place}: {}{right}", error.kind)
    };
    errors.clone().into_iter().map(one).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = include_str!("../../deploy/zeitnot.toml");

    fn read(text: &str) -> Result<Settings, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("zeitnot.toml");
        std::fs::write(&path, text).unwrap();
        Settings::default().gather(Some(&path)).map_err(|stop| stop.why)
    }

    #[test]
    fn the_example_sets_every_key() {
        let settings = read(EXAMPLE).unwrap();
        assert!(settings.data.is_some() && settings.listen.is_some(), "{settings:?}");
        let all = EXAMPLE.lines().map(|line| line.strip_prefix("#: ").unwrap_or(line)).collect::<Vec<_>>().join("\n");
        let Settings { data, listen, mirror, cert, key, client_ca, public, log_format, log_filter } = read(&all).unwrap();
        assert!(data.is_some() && listen.is_some() && mirror.is_some() && log_format.is_some() && log_filter.is_some());
        assert!(cert.is_some() && key.is_some() && client_ca.is_some() && public.is_some());
        assert!(KEYS.iter().all(|key| all.lines().any(|line| line.starts_with(&format!("{key} = ")))));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (text, words) in [
            ("lisen = \"127.0.0.1:1\"", ["zeitnot.toml", "lisen"]),
            ("listen = \"here\"", ["zeitnot.toml, key listen", "127.0.0.1:7960"]),
            ("log_format = \"loud\"", ["zeitnot.toml, key log_format", "loud"]),
            ("data = ", ["zeitnot.toml", "line 1"]),
        ] {
            let why = read(text).unwrap_err();
            assert!(words.iter().all(|word| why.contains(word)), "{text}: {why}");
        }
    }

    #[test]
    fn flags_come_first_and_none_is_no_mirror() {
        let flags = Settings { mirror: Some(Settings::no_mirror()), ..Settings::default() };
        assert_eq!(flags.mirror(), MirrorAt::Nowhere);
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("zeitnot.toml");
        std::fs::write(&path, "mirror = \"/stick/m\"\nlisten = \"127.0.0.1:9\"").unwrap();
        let settings = flags.gather(Some(&path)).unwrap();
        assert_eq!((settings.mirror(), settings.listen), (MirrorAt::Nowhere, "127.0.0.1:9".parse().ok()));
    }
}
