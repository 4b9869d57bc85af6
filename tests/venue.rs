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
        self.serves_at("127.0.0.1", more);
    }

    fn serves_at(&mut self, address: &str, more: &[&str]) {
        let listen = format!("{address}:0");
        let args = [&["serve", "--data", "data", "--listen", &listen, "--log-format", "json"], more].concat();
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
    let told = || venue.ends(&["verify", "--data", "data"], 0);
    assert!(told().contains("entries  0\n"), "a start that was refused is none: {}", told());
    venue.ends(&["venue", "init", "--data", "data"], 0);
    let before = told();
    let said = venue.ends(&[&everywhere[..], &["--insecure"]].concat(), 2);
    assert!(said.contains("--insecure twice"), "{said}");
    assert_eq!(told(), before);
}

#[test]
fn a_set_up_that_failed_half_way_is_gone_on_with() {
    let mut venue = Venue::new();
    // Nowhere to write the login.
    venue.ends(&["venue", "init", "--data", "data", "--out", "nowhere/chief.login"], 2);
    assert!(!venue.path("data/tls").exists());
    // The log is somebody else's.
    venue.serves(&[]);
    let said = venue.ends(&["venue", "init", "--data", "data"], 74);
    assert!(said.contains("another zeitnot") && !venue.path("chief.login").exists() && !venue.path("data/tls").exists(), "{said}");
    venue.stops();
    // Something is in the way of the key that signs, when the authority is made already.
    std::fs::create_dir(venue.path("data/sign.key")).unwrap();
    venue.ends(&["venue", "init", "--data", "data"], 2);
    assert!(!venue.path("chief.login").exists() && !venue.path("data/tls/server.pem").exists());
    std::fs::remove_dir(venue.path("data/sign.key")).unwrap();
    let made = std::fs::read(venue.path("data/tls/ca.pem")).unwrap();
    std::fs::write(venue.path("data/tls/server.key"), "half of a").unwrap();
    venue.ends(&["venue", "init", "--data", "data"], 0);
    assert_eq!(std::fs::read(venue.path("data/tls/ca.pem")).unwrap(), made);
    venue.serves(&[]);
    venue.asks("chief.login", &["digest"], 0);
}

#[test]
fn no_token_and_no_code_goes_out_in_the_clear() {
    let venue = Venue::open();
    let clear = venue.server().replace("https", "http");
    let said = venue.ends(&["digest", "--server", &clear, "--login", "chief.login"], 2);
    assert!(said.contains("https://"), "{said}");
    let said = venue.ends(&["digest", "--server", &clear], 69);
    assert!(said.contains("https://"), "{said}");
    let said = venue.ends(&["login", "198.51.100.1:7960", "7K3M-Q9ZT-04XB"], 2);
    assert!(said.contains("the code would go over the network in the clear") && said.contains("--ca FILE"), "{said}");
    let login = r#"{ "server": "http://198.51.100.1:7960", "token": "zeitnot.1.00", "name": "x", "role": "feed" }"#;
    std::fs::write(venue.path("old.login"), login).unwrap();
    let said = venue.ends(&["digest", "--login", "old.login"], 2);
    assert!(said.contains("the token would go over the network in the clear"), "{said}");
}

#[test]
fn a_code_is_not_spent_where_no_login_can_be_written() {
    let venue = Venue::open();
    let printed = venue.asks("chief.login", &["venue", "invite", "feed", "broadcast"], 0);
    let line = printed.lines().find(|line| line.starts_with("zeitnot login ")).unwrap();
    let mut words: Vec<&str> = line.split(' ').skip(1).collect();
    assert_eq!(words[3..], ["--ca", "ca.pem"], "{line}");
    std::fs::copy(venue.path("data/tls/ca.pem"), venue.path("ca.pem")).unwrap();
    venue.ends(&[&words[..], &["--out", "nowhere/feed.login"]].concat(), 2);
    // What was printed is all that is needed, and a code that is wrong leaves no file.
    words.extend(["--out", "feed.login"]);
    let code = std::mem::replace(&mut words[2], "0000-0000-0000");
    venue.ends(&words, 3);
    assert!(!venue.path("feed.login").exists());
    words[2] = code;
    venue.ends(&words, 0);
    assert!(is_private(&venue.path("feed.login")));
}

#[test]
fn it_is_told_where_nobody_can_be_the_second_arbiter() {
    let venue = Venue::open();
    let said = venue.asks("chief.login", &["venue", "second", "add"], 0);
    assert!(said.contains("there is one arbiter"), "{said}");
    let code = venue.invites(&["arbiter", "Deputy"]);
    venue.ends(&["login", &venue.server(), &code, "--ca", "data/tls/ca.pem", "--out", "deputy.login"], 0);
    let said = venue.asks("chief.login", &["venue", "second", "add"], 0);
    assert!(!said.contains("zeitnot:"), "{said}");
    let said = venue.asks("chief.login", &["venue", "second", "add", "correct"], 0);
    assert!(said.contains("only chief arbiters rule correct"), "{said}");
    let said = venue.asks("chief.login", &["venue", "second", "none"], 0);
    assert!(!said.contains("zeitnot:"), "{said}");
    // Whom somebody has invited is told with him, and when he goes.
    let listed = venue.asks("chief.login", &["venue", "list"], 0);
    assert!(listed.contains("Deputy  by 1"), "{listed}");
    let code = venue.invites(&["chief", "Second"]);
    venue.ends(&["login", &venue.server(), &code, "--ca", "data/tls/ca.pem", "--out", "second.login"], 0);
    let said = venue.asks("second.login", &["venue", "revoke", "1"], 0);
    assert!(said.contains("it had invited these") && said.contains("Deputy"), "{said}");
}

/// An address of this machine beyond the loopback, which packets to it do not leave.
fn own_address() -> Option<std::net::IpAddr> {
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").ok()?;
    // Nothing is sent by this; it only chooses the address.
    socket.connect("198.51.100.1:9").ok()?;
    socket.local_addr().ok().map(|at| at.ip()).filter(|at| !at.is_loopback() && !at.is_unspecified())
}

#[test]
fn beyond_the_machine_it_is_served_with_tls_and_logins() {
    let Some(address) = own_address() else {
        eprintln!("skipped: this machine has no address beyond the loopback");
        return;
    };
    let mut venue = Venue::new();
    let address = address.to_string();
    venue.ends(&["venue", "init", "--data", "data", "--host", &address], 0);
    venue.serves_at(&address, &[]);
    let server = format!("https://{address}:{}", venue.daemon.as_ref().unwrap().1);
    venue.ends(&["digest", "--server", &server, "--login", "chief.login"], 0);
    let said = venue.ends(&["digest", "--server", &server, "--ca", "data/tls/ca.pem"], 3);
    assert!(said.contains("credential"), "{said}");
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
fn a_venue_is_not_opened_with_files_lost_or_keys_that_others_read() {
    use std::os::unix::fs::PermissionsExt;
    let mut venue = Venue::open();
    venue.stops();
    let key = venue.path("data/tls/server.key");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
    let serve = ["serve", "--data", "data", "--listen", "127.0.0.1:0"];
    let said = venue.ends(&serve, 2);
    assert!(said.contains("server.key") && said.contains("chmod"), "{said}");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    std::fs::remove_file(venue.path("data/tls/server.pem")).unwrap();
    let said = venue.ends(&serve, 2);
    assert!(said.contains("server.pem") && said.contains("zeitnot venue init"), "{said}");
    let said = venue.ends(&["venue", "init", "--data", "data"], 2);
    assert!(said.contains("chief.login is there already") || said.contains("chief.login: is there already"), "{said}");
    let said = venue.ends(&["venue", "init", "--data", "data", "--out", "again.login"], 0);
    assert!(!said.contains("set up before"), "its authority is the same: {said}");
    venue.serves(&[]);
    venue.asks("chief.login", &["digest"], 0);
    venue.asks("again.login", &["digest"], 0);
    venue.stops();
    std::fs::remove_dir_all(venue.path("data/tls")).unwrap();
    let said = venue.ends(&["venue", "init", "--data", "data", "--out", "third.login"], 0);
    assert!(said.contains("set up before") && said.contains("put those back"), "{said}");
}

#[test]
fn names_that_cannot_be_reached_are_refused() {
    let venue = Venue::new();
    let init = ["venue", "init", "--data", "data"];
    for wrong in ["hall", "hall:", "hall:x", "hall:0", "0.0.0.0:7960", "[::]:7960", "a b:1", "who@hall:7960", "", "https://hall:7960"] {
        let said = venue.ends(&[&init[..], &["--server", wrong]].concat(), 2);
        assert!(said.contains("HOST:PORT"), "{wrong}: {said}");
    }
    for wrong in ["", "a b", "hall:7960"] {
        let said = venue.ends(&[&init[..], &["--host", wrong]].concat(), 2);
        assert!(said.contains("a name or an address"), "{wrong}: {said}");
    }
    assert!(!venue.path("data").exists());
    // What an attempt that was cut short has left is told.
    std::fs::write(venue.path("chief.login"), "    ").unwrap();
    let said = venue.ends(&init, 2);
    assert!(said.contains("cut short"), "{said}");
    std::fs::remove_file(venue.path("chief.login")).unwrap();
    venue.ends(&[&init[..], &["--server", "[::1]:7960", "--host", "hall.example", "--host", "[fd00::10]"]].concat(), 0);
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

    let said = venue.asks("deputy.login", &["note", "1", "white", "press"], 0);
    assert!(said.contains("this press starts no clock"), "{said}");
    venue.asks("deputy.login", &["rule", "1", "start"], 0);
    let said = venue.asks("deputy.login", &["rule", "2", "start"], 3);
    assert!(said.contains("not of your sector"), "{said}");
    let said = venue.asks("deputy.login", &["round", "open", "1", "2"], 3);
    assert!(said.contains("the role of arbiter may not call") && said.contains("only that of chief arbiter"), "{said}");
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
fn a_daemon_without_tls_is_told_from_one_that_is_not_there() {
    let mut venue = Venue::open();
    venue.stops();
    venue.serves(&["--insecure"]);
    let said = venue.asks("chief.login", &["digest"], 69);
    assert!(said.contains("speaks no TLS") && said.contains("http://"), "{said}");
    venue.stops();
}

#[test]
fn clients_can_be_asked_for_certificates() {
    let mut venue = Venue::open();
    venue.stops();
    venue.serves(&["--client-ca", "data/tls/ca.pem"]);
    let said = venue.asks("chief.login", &["digest"], 69);
    assert!(said.contains("--certificate"), "{said}");
    for clock in ["clock.1", "clock.2"] {
        venue.ends(&["venue", "certify", clock, "--data", "data", "--out", clock], 0);
        assert!(is_private(&venue.path(&format!("{clock}.key"))));
        venue.asks("chief.login", &["digest", "--certificate", clock], 0);
    }
    std::fs::set_permissions(venue.path("data/tls/ca.key"), std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    let said = venue.ends(&["venue", "certify", "clock.3", "--data", "data", "--out", "clock.3"], 2);
    assert!(said.contains("ca.key") && said.contains("chmod") && !venue.path("clock.3.pem").exists(), "{said}");
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
