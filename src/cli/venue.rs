//! `zeitnot venue`: who may come in, asked of a running daemon.

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use tonic::Status;

use super::envelope::local;
use super::office::Act;
use super::output::say;
use super::remote::Remote;
use super::setup::{Certify, Chief, Init};
use super::sign::SignKey;
use super::{Stop, runtime};
use crate::client::Line;
use crate::clock::Millis;
use crate::service::roles;
use crate::time::HallClock;
use crate::venue::SECONDABLE;
use crate::wire::v1::{self, access_client::AccessClient};

/// The venue itself: its certificates, and who may come in.
#[derive(Debug, Subcommand)]
pub(super) enum Venue {
    /// Sets a venue up, while no daemon runs: certificates, and the login of a chief arbiter. From then on everybody is asked who he is.
    Init(Init),
    /// Makes the login of a further chief arbiter, while no daemon runs: for whoever has lost the last one.
    Chief(Chief),
    /// Makes the key by which the daemon signs its log, for a venue that was set up without one, and prints its public half.
    SignKey(SignKey),
    /// Makes a certificate for a client, where the daemon asks for them (`serve --client-ca`).
    Certify(Certify),
    /// Invites somebody: a one-time code for `zeitnot login`, also as a picture.
    Invite(Invite),
    /// Lists all credentials.
    List(List),
    /// Ends a credential at once, and the streams that were opened with it.
    Revoke(Revoke),
    /// Which kinds of rulings hold only when a second arbiter has ruled the same.
    Second(Second),
    /// Says whose the login is.
    Who(List),
    /// Prints who may call what, as a page.
    Roles,
}

/// Options of `venue invite`.
#[derive(Debug, Args)]
pub(super) struct Invite {
    /// As what.
    #[command(subcommand)]
    whom: Whom,
}

/// Whom to invite.
#[derive(Debug, Subcommand)]
enum Whom {
    /// A clock, by its serial number.
    Clock {
        /// Serial number.
        device: u64,
        #[command(flatten)]
        terms: Terms,
    },
    /// A player, for one side of one game.
    Player {
        /// The game.
        game: u64,
        /// white or black.
        #[arg(value_parser = side)]
        color: i32,
        #[command(flatten)]
        terms: Terms,
    },
    /// An arbiter.
    Arbiter {
        /// Name, recorded with every ruling.
        name: String,
        /// Boards of the arbiter's sector, as in 1-50; all if not given.
        #[arg(long, value_parser = boards)]
        boards: Option<(u32, u32)>,
        /// Tournament of the sector, by number; any if not given.
        #[arg(long, requires = "boards")]
        tournament: Option<u64>,
        #[command(flatten)]
        terms: Terms,
    },
    /// A chief arbiter.
    Chief {
        /// Name, recorded with every ruling.
        name: String,
        #[command(flatten)]
        terms: Terms,
    },
    /// A reader of what is public: a broadcast, a display, a pairing program.
    Feed {
        /// Name.
        name: String,
        #[command(flatten)]
        terms: Terms,
    },
    /// A reader of everything.
    Auditor {
        /// Name.
        name: String,
        #[command(flatten)]
        terms: Terms,
    },
}

/// For how long.
#[derive(Debug, Args)]
struct Terms {
    /// How long the code is good, as in 15m, 8h or 2d.
    #[arg(long, default_value = "15m", value_parser = span)]
    valid: Millis,
    /// How long the credential is good, as in 10d; for ever if not given.
    #[arg(long, value_parser = span)]
    expires: Option<Millis>,
    #[command(flatten)]
    remote: Remote,
}

/// Options of `venue list` and `venue who`.
#[derive(Debug, Args)]
pub(super) struct List {
    #[command(flatten)]
    remote: Remote,
}

/// Options of `venue revoke`.
#[derive(Debug, Args)]
pub(super) struct Revoke {
    /// Number of the credential.
    credential: u64,
    /// Why.
    #[arg(default_value = "")]
    reason: String,
    #[command(flatten)]
    remote: Remote,
}

/// Options of `venue second`.
#[derive(Debug, Args)]
#[command(after_help = format!("Verbs: {}.", SECONDABLE.join(", ")))]
pub(super) struct Second {
    /// Their verbs, as in `correct annul result`; the word none: no ruling needs a second arbiter any more.
    #[arg(required = true, value_name = "VERB")]
    rulings: Vec<String>,
    #[command(flatten)]
    act: Act,
}

impl Second {
    fn run(mut self) -> Result<(), Stop> {
        // To take protection away has to be said.
        if self.rulings == ["none"] {
            self.rulings.clear();
        }
        let request = v1::NeedSecondRequest { key: self.act.key.clone(), rulings: self.rulings.clone(), by: self.act.by() };
        let which = if self.rulings.is_empty() { "no ruling".to_string() } else { self.rulings.join(", ") };
        self.act.remote.record(|_| format!("a second arbiter is needed for {which}"), async |mut office| office.need_second(request).await)?;
        let list = self.act.remote.access(async |mut access| access.list(v1::ListRequest {}).await)?.credentials;
        if let Some(why) = too_few(&self.rulings, &list) {
            eprintln!("zeitnot: {why}");
        }
        Ok(())
    }
}

/// Why some of the chosen rulings cannot be made: nobody is there to be the second.
fn too_few(rulings: &[String], credentials: &[v1::Credential]) -> Option<String> {
    let (mut chiefs, mut arbiters) = (0, 0);
    for credential in credentials.iter().filter(|credential| credential.standing == "good") {
        match credential.grant.and_then(|grant| grant.kind) {
            Some(v1::grant::Kind::ChiefArbiter(_)) => chiefs += 1,
            Some(v1::grant::Kind::Arbiter(_)) => arbiters += 1,
            _ => {}
        }
    }
    let of_chiefs: Vec<&str> = rulings.iter().map(String::as_str).filter(|verb| matches!(*verb, "correct" | "annul")).collect();
    match () {
        () if credentials.is_empty() || rulings.is_empty() => None,
        () if chiefs + arbiters < 2 => {
            Some("there is one arbiter, and none of these rulings can be made before there is another: zeitnot venue invite".to_string())
        }
        () if chiefs < 2 && !of_chiefs.is_empty() => Some(format!(
            "only chief arbiters rule {}, there is one, and nobody can before there is another: zeitnot venue invite chief NAME",
            of_chiefs.join(" and ")
        )),
        () => None,
    }
}

pub(super) fn side(text: &str) -> Result<i32, String> {
    match text {
        "white" => Ok(v1::Color::White.into()),
        "black" => Ok(v1::Color::Black.into()),
        _ => Err("white or black".to_string()),
    }
}

pub(super) fn boards(text: &str) -> Result<(u32, u32), String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.parse(), last.parse()) {
        (Ok(first), Ok(last)) if 0 < first && first <= last => Ok((first, last)),
        _ => Err("boards, as in 1-50".to_string()),
    }
}

fn span(text: &str) -> Result<Millis, String> {
    let wrong = || "a number with m, h or d, as in 15m".to_string();
    let unit = text.chars().next_back().ok_or_else(wrong)?;
    let minutes = match unit {
        'm' => 1,
        'h' => 60,
        'd' => 24 * 60,
        _ => return Err(wrong()),
    };
    let number: u32 = text.strip_suffix(unit).and_then(|number| number.parse().ok()).filter(|n| (1..=100_000).contains(n)).ok_or_else(wrong)?;
    Ok(Millis(u64::from(number) * minutes * 60_000))
}

impl Venue {
    pub(super) fn run(self) -> Result<(), Stop> {
        match self {
            Venue::Init(init) => init.run(),
            Venue::Chief(chief) => chief.run(),
            Venue::SignKey(key) => key.run(),
            Venue::Certify(certify) => certify.run(),
            Venue::Invite(invite) => invite.run(),
            Venue::List(list) => list.run(),
            Venue::Revoke(revoke) => revoke.run(),
            Venue::Second(second) => second.run(),
            Venue::Who(who) => who.who(),
            Venue::Roles => say(roles::page().trim_end()),
        }
    }
}

impl Invite {
    fn run(self) -> Result<(), Stop> {
        use v1::grant::Kind;
        let (kind, name, terms) = match self.whom {
            Whom::Clock { device, terms } => (Kind::Clock(v1::GrantClock { device }), format!("clock {device}"), terms),
            Whom::Player { game, color, terms } => {
                let of = if color == i32::from(v1::Color::White) { "White" } else { "Black" };
                (Kind::Player(v1::GrantPlayer { game, color }), format!("{of} in game {game}"), terms)
            }
            Whom::Arbiter { name, boards, tournament, terms } => {
                let sector = boards.map(|(first_board, last_board)| v1::Sector { tournament: tournament.unwrap_or(0), first_board, last_board });
                (Kind::Arbiter(v1::GrantArbiter { sector }), name, terms)
            }
            Whom::Chief { name, terms } => (Kind::ChiefArbiter(v1::GrantChiefArbiter {}), name, terms),
            Whom::Feed { name, terms } => (Kind::Feed(v1::GrantFeed {}), name, terms),
            Whom::Auditor { name, terms } => (Kind::Auditor(v1::GrantAuditor {}), name, terms),
        };
        let now = HallClock::start().now().wall;
        let expires_ms = terms.expires.map(|span| now.plus(span).0);
        let request = v1::InviteRequest { grant: Some(v1::Grant { kind: Some(kind) }), name, valid_ms: terms.valid.0, expires_ms };
        let invited = terms.remote.access(async |mut access| access.invite(request).await)?;
        let server = terms.remote.at.reach()?.server();
        let ca = terms.remote.at.certificates.ca.as_ref().map_or_else(|| "ca.pem".to_string(), |path| path.display().to_string());
        // Whoever is invited has to know the daemon before he says the code to it.
        let known = if server.starts_with("https:") { format!(" --ca {ca}") } else { String::new() };
        let link = format!("zeitnot:{}#{}", server.trim_end_matches('/'), invited.code);
        terms.remote.say(
            || json!({ "credential": invited.credential, "code": invited.code, "until_ms": invited.until_ms, "link": link }),
            || {
                let (server, code, until) = (server.trim_end_matches('/'), &invited.code, local(invited.until_ms));
                let with = if known.is_empty() { String::new() } else { format!("; {ca} is the venue's certificate, tls/ca.pem beside its log") };
                format!(
                    "{}\nzeitnot login {server} {code}{known}\ncredential {}, by this code until {until}{with}",
                    picture(&link),
                    invited.credential
                )
            },
        )
    }
}

/// The link as a picture for a camera; nothing where it is too long for one.
fn picture(link: &str) -> String {
    use qrcode::render::unicode::Dense1x2;
    qrcode::QrCode::new(link.as_bytes()).map_or_else(|_| String::new(), |code| code.render::<Dense1x2>().build())
}

impl Remote {
    /// Asks about credentials.
    fn access<T>(&self, ask: impl AsyncFnOnce(AccessClient<Line>) -> Result<tonic::Response<T>, Status>) -> Result<T, Stop> {
        runtime()?.block_on(async { Ok(ask(AccessClient::new(self.line().await?)).await?.into_inner()) })
    }
}

/// What a credential is for, in words.
fn grant(credential: &v1::Credential) -> String {
    let read = credential.grant.ok_or_else(String::new).and_then(|grant| crate::wire::grant(grant).map_err(|e| e.to_string()));
    read.map_or_else(|why| why, |grant| grant.to_string())
}

fn as_json(credential: &v1::Credential) -> Value {
    json!({
        "credential": credential.credential,
        "for": grant(credential),
        "name": credential.name,
        "standing": credential.standing,
        "code_until_ms": credential.code_until_ms,
        "expires_ms": credential.expires_ms,
        "revoked_because": credential.revoked_because,
        "invited_by": if credential.invited_by == 0 { Value::Null } else { json!(credential.invited_by) },
    })
}

impl List {
    fn run(self) -> Result<(), Stop> {
        let list = self.remote.access(async |mut access| access.list(v1::ListRequest {}).await)?.credentials;
        let line = |c: &v1::Credential| {
            let expires = c.expires_ms.map_or(String::new(), |at| format!("  until {}", local(at)));
            let because = if c.revoked_because.is_empty() { String::new() } else { format!("  ({})", c.revoked_because) };
            let by = if c.invited_by == 0 { String::new() } else { format!("  by {}", c.invited_by) };
            format!("{:>5}  {:<8}  {:<40}  {}{by}{expires}{because}", c.credential, c.standing, grant(c), c.name)
        };
        let none = "the venue gives out no credentials: zeitnot venue init";
        let text = || if list.is_empty() { none.to_string() } else { list.iter().map(line).collect::<Vec<_>>().join("\n") };
        self.remote.say(|| list.iter().map(as_json).collect(), text)
    }

    fn who(self) -> Result<(), Stop> {
        let own = self.remote.access(async |mut access| access.who_am_i(v1::WhoAmIRequest {}).await)?;
        let text = || match own.credential {
            0 => "nobody is asked here".to_string(),
            number => format!("credential {number}: {}, {}", own.name, grant(&own)),
        };
        self.remote.say(|| as_json(&own), text)
    }
}

impl Revoke {
    fn run(self) -> Result<(), Stop> {
        let (credential, reason) = (self.credential, self.reason);
        let answer = self.remote.access(async |mut access| access.revoke(v1::RevokeRequest { credential, reason }).await)?;
        let invited = |c: &v1::Credential| format!("\n{:>5}  {:<8}  {:<40}  {}", c.credential, c.standing, grant(c), c.name);
        let left = || match answer.invited.as_slice() {
            [] => String::new(),
            left => format!("\nit had invited these, which stand until they are revoked themselves:{}", left.iter().map(invited).collect::<String>()),
        };
        self.remote.say(
            || json!({ "seq": answer.seq, "invited": answer.invited.iter().map(as_json).collect::<Value>() }),
            || format!("credential {credential} is revoked: entry {}{}", answer.seq, left()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_and_boards_are_read() {
        assert_eq!(span("15m"), Ok(Millis(900_000)));
        assert_eq!(span("2d"), Ok(Millis(172_800_000)));
        assert_eq!(boards("1-50"), Ok((1, 50)));
        assert_eq!(boards("7"), Ok((7, 7)));
        for wrong in ["", "m", "0m", "15", "1.5h", "15s", "999999d", "é"] {
            assert!(span(wrong).is_err(), "{wrong}");
        }
        for wrong in ["", "0", "5-4", "1-", "a-b"] {
            assert!(boards(wrong).is_err(), "{wrong}");
        }
    }
}
