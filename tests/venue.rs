//! A venue as people set it up: certificates, one-time codes, logins, from the shell and over TLS.
#![expect(clippy::unwrap_used, reason = "what does not go as told here is a failed test")]

use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A directory in which a venue is set up, and its daemon.
struct Venue {
    dir: TempDir,
    daemon: Option<(Child, u16)>,
}

impl Venue {
    fn new() -> Venue {
        Venue { dir: tempfile::tempdir().unwrap(), daemon: None }
    }

    /// One that was set up, with its daemon behind TLS.
    fn open() -> Venue {
        let mut venue = Venue::new();
        venue.ends(&["venue", "init", "--data", "data"], 0);
        venue.serves(&[]);
        venue
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The binary, in the directory, with nothing of the environment that it would heed.
    fn zeitnot(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zeitnot"));
        for (variable, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("ZEITNOT_")) {
            command.env_remove(variable);
        }
        command.args(args).current_dir(self.dir.path()).stdin(Stdio::null());
        command
    }

    /// Runs a subcommand that has to end with that code, and gives all that it says.
    fn ends(&self, args: &[&str], code: i32) -> String {
        let output = self.zeitnot(args).output().unwrap();
        let said = said(&output);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
        said
    }

    /// The same, spoken to the daemon with a login.
    fn asks(&self, login: &str, args: &[&str], code: i32) -> String {
        let server = self.server();
        let mut all = args.to_vec();
        all.extend(["--server", &server, "--login", login]);
        self.ends(&all, code)
    }

    /// Invites somebody and gives the code.
    fn invites(&self, whom: &[&str]) -> String {
        let said = self.asks("chief.login", &[&["venue", "invite"], whom, &["--json"]].concat(), 0);
        let invited: Value = serde_json::from_str(&said).unwrap();
        invited["code"].as_str().unwrap().to_string()
    }

    fn server(&self) -> String {
        format!("https://127.0.0.1:{}", self.daemon.as_ref().unwrap().1)
    }

    fn serves(&mut self, more: &[&str]) {
        let args = [&["serve", "--data", "data", "--listen", "127.0.0.1:0", "--log-format", "json"], more].concat();
        let mut process = self.zeitnot(&args).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let mut lines = std::io::BufReader::new(process.stderr.take().unwrap()).lines();
        let port = loop {
            let line = lines.next().unwrap().unwrap();
            let told: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
            if told["fields"]["message"] == "serving" {
                break told["fields"]["at"].as_str().unwrap().rsplit_once(':').unwrap().1.parse().unwrap();
            }
        };
        // Read on, so that it is never held up by its own messages.
        std::thread::spawn(move || lines.for_each(drop));
        self.daemon = Some((process, port));
    }

    fn stops(&mut self) {
        if let Some((mut process, _)) = self.daemon.take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }
}

impl Drop for Venue {
    fn drop(&mut self) {
        self.stops();
    }
}

fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat()
}

fn is_private(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).unwrap().permissions().mode() & 0o077 == 0
}

#[test]
fn nothing_is_served_beyond_the_machine_without_tls_and_logins() {
    let venue = Venue::new();
    let everywhere = ["serve", "--data", "data", "--listen", "0.0.0.0:0"];
    for more in [&[][..], &["--insecure"]] {
        let said = venue.ends(&[&everywhere[..], more].concat(), 2);
        assert!(said.contains("zeitnot venue init") && said.contains("--insecure twice"), "{said}");
    }
    venue.ends(&["venue", "init", "--data", "data"], 0);
    let said = venue.ends(&[&everywhere[..], &["--insecure"]].concat(), 2);
    assert!(said.contains("--insecure twice"), "{said}");
}

#[test]
fn a_venue_is_set_up_once_and_its_secrets_are_private() {
    let venue = Venue::open();
    for secret in ["chief.login", "data/tls/ca.key", "data/tls/server.key", "data/sign.key"] {
        assert!(is_private(&venue.path(secret)), "{secret}");
    }
    let said = venue.ends(&["venue", "init", "--data", "data"], 2);
    assert!(said.contains("set up already"), "{said}");
}

#[test]
fn codes_become_logins_with_their_roles() {
    let venue = Venue::open();
    let server = venue.server();
    // Nobody is somebody here.
    let said = venue.ends(&["digest", "--server", &server], 2);
    assert!(said.contains("--ca FILE"), "{said}");
    let said = venue.ends(&["digest", "--server", &server, "--ca", "data/tls/ca.pem"], 3);
    assert!(said.contains("credential"), "{said}");
    venue.asks("chief.login", &["tournament", "create", "Open", "--control", "300"], 0);
    venue.asks("chief.login", &["round", "open", "1", "1"], 0);
    for board in ["1", "2"] {
        venue.asks("chief.login", &["pair", "1", "1", board, "--white", "A", "--black", "B"], 0);
        venue.asks("chief.login", &["game", "open", "1", "1", board], 0);
    }
    let code = venue.invites(&["arbiter", "Deputy", "--boards", "1"]);
    let login = ["login", &server, &code, "--ca", "data/tls/ca.pem", "--out", "deputy.login"];
    venue.ends(&login, 0);
    assert!(is_private(&venue.path("deputy.login")));
    // A code is good once, and no login is written over another.
    let said = venue.ends(&["login", &server, &code, "--ca", "data/tls/ca.pem", "--out", "again.login"], 3);
    assert!(!venue.path("again.login").exists(), "{said}");
    venue.ends(&login, 2);

    venue.asks("deputy.login", &["rule", "1", "start"], 0);
    let said = venue.asks("deputy.login", &["rule", "2", "start"], 3);
    assert!(said.contains("not of your sector"), "{said}");
    venue.asks("deputy.login", &["round", "open", "1", "2"], 3);
    let said = venue.asks("deputy.login", &["hall", "stop", "fire alarm"], 0);
    assert!(said.contains("1 board stopped"), "{said}");
    let who = venue.asks("deputy.login", &["venue", "who"], 0);
    assert!(who.contains("Deputy"), "{who}");

    venue.asks("chief.login", &["venue", "revoke", "2", "gone home"], 0);
    let said = venue.asks("deputy.login", &["rule", "1", "resume"], 3);
    assert!(said.contains("revoked"), "{said}");
    let listed = venue.asks("chief.login", &["venue", "list"], 0);
    assert!(listed.contains("gone home"), "{listed}");
}

#[test]
fn another_venue_s_certificate_is_not_believed() {
    let (here, there) = (Venue::open(), Venue::open());
    let code = here.invites(&["feed", "broadcast"]);
    let foreign = there.path("data/tls/ca.pem");
    let login = ["login", &here.server(), &code, "--ca", foreign.to_str().unwrap(), "--out", "feed.login"];
    let said = here.ends(&login, 69);
    assert!(!here.path("feed.login").exists(), "{said}");
    // Nor is a login taken to another daemon.
    let (server, login) = (there.server(), here.path("chief.login"));
    there.ends(&["digest", "--server", &server, "--login", login.to_str().unwrap()], 69);
}

#[test]
fn clients_can_be_asked_for_certificates() {
    let mut venue = Venue::open();
    venue.stops();
    venue.serves(&["--client-ca", "data/tls/ca.pem"]);
    let said = venue.asks("chief.login", &["digest"], 69);
    assert!(said.contains("--certificate"), "{said}");
    venue.ends(&["venue", "certify", "clock 7", "--data", "data", "--out", "clock"], 0);
    assert!(is_private(&venue.path("clock.key")));
    venue.asks("chief.login", &["digest", "--certificate", "clock"], 0);
}

#[test]
fn a_lost_login_is_made_anew_where_the_log_is() {
    let mut venue = Venue::open();
    std::fs::remove_file(venue.path("chief.login")).unwrap();
    let said = venue.ends(&["venue", "chief", "--data", "data"], 74);
    assert!(said.contains("another zeitnot has data open"), "{said}");
    venue.stops();
    venue.ends(&["venue", "chief", "--data", "data", "--name", "Second"], 0);
    venue.serves(&[]);
    let who = venue.asks("chief.login", &["venue", "who"], 0);
    assert!(who.contains("Second"), "{who}");
}
