//! Settings of the daemon: flags over environment over a file. What is wrong is told with the place where it stands.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use figment::Figment;
use figment::providers::{Env, Format, Toml};
use serde::Deserialize;

use super::{Stop, exit};
use crate::log::MirrorAt;

/// The keys of the file; in the environment, the same in capitals after [`PREFIX`].
pub(super) const KEYS: [&str; 5] = ["data", "listen", "mirror", "log_format", "log_filter"];
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
            log_format: self.log_format.or(found.log_format),
            log_filter: self.log_filter.or(found.log_filter),
        })
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
        let Settings { data, listen, mirror, log_format, log_filter } = read(&all).unwrap();
        assert!(data.is_some() && listen.is_some() && mirror.is_some() && log_format.is_some() && log_filter.is_some());
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
