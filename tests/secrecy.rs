//! What a player seals is read by nobody before its envelope is opened, wherever one looks: data, messages, answers, feeds, after crashes too.
#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

#[path = "common/hall.rs"]
mod hall;
#[path = "common/secrets.rs"]
mod secrets;

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hall::*;
use prost::Message;
use secrets::{Heard, Secret, padded_base64, private_key};
use tonic::{Response, Status};
use v1::fact::Kind as Fact;
use v1::feeds_client::FeedsClient;
use v1::ruling::Kind as Ruling;
use zeitnot::envelope::{self, Commitment, PrivateKey, Sealed};
use zeitnot::wire::v1;

const ROOKS: &str = "r5k1/5ppp/1p6/8/8/1P1R4/5PPP/6K1 w - - 0 31";
const DEVICE: u64 = 7;
const PASSPHRASE: &str = "Siebenschläfer im Quittenbaum";

/// A hall in which everything is overheard.
struct Overheard {
    hall: Hall,
    heard: Heard,
    secrets: Vec<Secret>,
    /// What streams say while they last.
    streams: Arc<Mutex<Vec<u8>>>,
    feeds: Arc<Mutex<Vec<u8>>>,
    reports: u32,
    numbers: u8,
}

impl Overheard {
    async fn open() -> Overheard {
        let hall = Hall::telling("trace").await;
        let (streams, feeds) = (Arc::default(), Arc::default());
        let overheard = Overheard { hall, heard: Heard::default(), secrets: Vec::new(), streams, feeds, reports: 0, numbers: 0 };
        overheard.listen(0).await;
        overheard
    }

    /// A word that stands nowhere else, as part of a text to be sealed; from now on it is a secret.
    fn text(&mut self, name: &str) -> String {
        let hash = blake3::hash(name.as_bytes());
        let word: String = hash.as_bytes()[..18].iter().map(|byte| char::from(b'a' + byte % 26)).collect();
        self.secrets.push(Secret::text(name, &word));
        format!("Sd7 {word} ♞!")
    }

    /// A text to be sealed with a nonce of its own, both secrets.
    fn seal(&mut self, by: i32, name: &str) -> v1::Seal {
        let text = self.text(name);
        self.numbers += 1;
        self.secrets.push(Secret::bytes(&format!("{name}: nonce"), &nonce(self.numbers)));
        seal(by, &text, self.numbers)
    }

    /// Listens to a feed and to a console from the beginning, as long as the daemon lives.
    async fn listen(&self, after: u64) {
        let mut feed =
            FeedsClient::new(self.hall.channel.clone()).follow(v1::FollowRequest { after, ..Default::default() }).await.unwrap().into_inner();
        let feeds = self.feeds.clone();
        tokio::spawn(async move {
            while let Ok(Some(update)) = feed.message().await {
                feeds.lock().unwrap().extend([update.encode_to_vec(), format!("{update:?}").into_bytes()].concat());
            }
        });
        let follow = v1::console_request::Kind::Follow(v1::FollowHall { after: 1, ..Default::default() });
        let mut console = self.hall.consoles().watch(by_console(follow)).await.unwrap().into_inner();
        let streams = self.streams.clone();
        tokio::spawn(async move {
            while let Ok(Some(update)) = console.message().await {
                streams.lock().unwrap().extend([update.encode_to_vec(), format!("{update:?}").into_bytes()].concat());
            }
        });
    }

    fn answer<M: Message + std::fmt::Debug>(&mut self, from: &str, answer: Result<Response<M>, Status>) {
        match answer {
            Ok(answer) => {
                let answer = answer.into_inner();
                self.heard.add(from, [answer.encode_to_vec(), format!("{answer:?}").into_bytes()].concat());
            }
            Err(status) => self.heard.add(from, format!("{status} {status:?} {}", status.details().escape_ascii())),
        }
    }

    /// Asks at a console; `true`: it was taken.
    async fn asks(&mut self, request: v1::ConsoleRequest) -> bool {
        let outcome = self.hall.ask(request).await;
        self.heard.add("console", format!("{outcome:?}"));
        outcome.is_ok()
    }

    async fn rules(&mut self, game: u64, kind: Ruling) {
        self.numbers += 1;
        assert!(self.asks(ruling(&format!("ruling {}", self.numbers), game, kind)).await);
    }

    async fn notes(&mut self, game: u64, kind: Fact) {
        self.numbers += 1;
        assert!(self.asks(note(&format!("note {}", self.numbers), game, kind)).await);
    }

    async fn tablet(&mut self, key: &str, game: u64, seal: v1::Seal) -> bool {
        let answer = self.hall.clocks().seal(seal_at_tablet(key, game, seal)).await;
        let taken = answer.is_ok();
        self.answer("tablet", answer);
        taken
    }

    async fn device(&mut self, at_ms: u64, kind: v1::report::Kind) -> bool {
        let report = report(1, self.reports + 1, at_ms, kind);
        let answer = self.hall.clocks().send(from_device(DEVICE, v1::clock_report::Kind::Report(report))).await;
        let taken = answer.is_ok();
        self.reports += u32::from(taken);
        self.answer("device", answer);
        taken
    }

    /// As a browser, in either of the two encodings that browsers use.
    fn browser(&mut self, seal: v1::SealRequest, as_text: bool) -> bool {
        let body = seal.encode_to_vec();
        let mut frame = [&[0][..], &u32::try_from(body.len()).unwrap().to_be_bytes(), &body].concat();
        let mut kind = "application/grpc-web+proto";
        if as_text {
            (frame, kind) = (padded_base64(&frame), "application/grpc-web-text+proto");
        }
        let head = format!("content-type: {kind}\r\naccept: {kind}\r\nx-grpc-web: 1\r\ncontent-length: {}", frame.len());
        let answer = self.http(&format!("POST /zeitnot.v1.Clocks/Seal HTTP/1.1\r\nhost: hall\r\nconnection: close\r\n{head}\r\n\r\n"), &frame);
        answer.starts_with("HTTP/1.1 200") && (as_text || answer.contains("grpc-status:0"))
    }

    fn http(&mut self, head: &str, body: &[u8]) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.hall.port)).unwrap();
        stream.write_all(&[head.as_bytes(), body].concat()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        self.heard.add("http", answer.clone());
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// A subcommand run to its end, `SERVER` and `DATA` put in.
    fn cli(&mut self, args: &str, stdin: &str) -> Output {
        let args = args.replace("SERVER", &format!("--server {}", self.hall.url())).replace("DATA", &format!("--data {}", self.hall.data()));
        let mut command = zeitnot();
        command.args(args.split_whitespace()).current_dir(self.hall.path("work"));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // One that has refused its options reads nothing.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        let output = child.wait_with_output().unwrap();
        self.heard.add(format!("cli {args}"), [&output.stdout[..], &output.stderr].concat());
        output
    }

    fn done(&mut self, args: &str) {
        let output = self.cli(args, "");
        assert!(output.status.success(), "{args}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Everything that can be asked of a daemon that runs.
    async fn everything_is_asked(&mut self, games: u64) {
        for game in 1..=games {
            for args in ["game show GAME", "game log GAME", "game pgn GAME", "ask --game GAME --nodes 500", "envelope cover GAME"] {
                for json in ["", " --json"] {
                    self.cli(&format!("{} SERVER{json}", args.replace("GAME", &game.to_string())), "");
                }
            }
            self.cli(&format!("envelope cover {game} --html SERVER"), "");
            let asked = v1::HallRequest { game, ..Default::default() };
            let answer = self.hall.office().hall(asked).await;
            self.answer("hall", answer);
            let position = self.hall.digest().await.position;
            for until in [0, position / 2, position - 3] {
                let answer = self.hall.office().replay(v1::ReplayRequest { game, until }).await;
                self.answer("replay", answer);
            }
            let answer = self.hall.office().pgn(v1::PgnRequest { game, ..Default::default() }).await;
            self.answer("pgn", answer);
            let position = Some(v1::ask_request::Position::Game(game));
            let answer = self.hall.office().ask(v1::AskRequest { position, nodes: 500, ..Default::default() }).await;
            self.answer("ask", answer);
        }
        for args in ["game list", "game pgn --round 1.1", "results 1 1", "digest", "device list", "tournament list"] {
            for json in ["", " --json"] {
                self.cli(&format!("{args} SERVER{json}"), "");
            }
        }
        self.cli("laws show 2023", "");
        self.watch();
        assert!(self.http("GET /metrics HTTP/1.1\r\nhost: hall\r\nconnection: close\r\n\r\n", b"").contains("zeitnot_"));
        self.http("GET / HTTP/1.1\r\nhost: hall\r\nconnection: close\r\n\r\n", b"");
        let answer = self.hall.office().hall(v1::HallRequest::default()).await;
        self.answer("hall", answer);
        let answer = self.hall.office().results(v1::ResultsRequest { tournament: 1, round: 1 }).await;
        self.answer("results", answer);
        self.listen(0).await;
        soon("all that streams tell", self.caught_up()).await;
        for (name, said) in [("stream", &self.streams), ("feed", &self.feeds)] {
            self.heard.add(name, std::mem::take(&mut *said.lock().unwrap()));
        }
    }

    /// Waits until the streams have told everything up to now.
    async fn caught_up(&self) {
        let position = self.hall.digest().await.position;
        let end = v1::ConsoleUpdate { kind: Some(v1::console_update::Kind::Position(position)) }.encode_to_vec();
        let caught_up = v1::FeedUpdate { position, kind: Some(v1::feed_update::Kind::CaughtUp(v1::CaughtUp {})) }.encode_to_vec();
        let has = |said: &Mutex<Vec<u8>>, mark: &[u8]| said.lock().unwrap().windows(mark.len()).any(|window| window == mark);
        while !has(&self.streams, &end) || !has(&self.feeds, &caught_up) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// `watch` for a moment, in words and in JSON.
    fn watch(&mut self) {
        for json in [&[][..], &["--json"]] {
            let mut command = zeitnot();
            command.args(["watch", "--server", &self.hall.url()]).args(json).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = command.spawn().unwrap();
            std::thread::sleep(Duration::from_millis(1_000));
            child.kill().unwrap();
            let output = child.wait_with_output().unwrap();
            self.heard.add("cli watch", [output.stdout, output.stderr].concat());
        }
    }

    /// Everything that a log tells whose daemon is gone, and all that is on the disk.
    fn everything_is_read(&mut self) {
        for args in ["log export DATA", "verify DATA", "audit DATA", "replay DATA --print", "envelope verify DATA", "ask --game 1 DATA --nodes 500"] {
            self.done(args);
        }
        for args in ["verify DATA --json", "audit DATA --json", "replay DATA --print --json", "replay DATA --game 1", "envelope verify DATA --json"] {
            self.done(args);
        }
        let dir = self.hall.dir.path().to_path_buf();
        self.heard.add_files(&dir);
    }

    /// The names of the secrets that came to light.
    fn found(&self) -> BTreeSet<String> {
        let found = self.heard.find(&self.secrets);
        found.iter().for_each(|(name, form, from)| println!("{name} as {form} in {from}"));
        found.into_iter().map(|(name, ..)| name).collect()
    }
}

/// What was sealed in every game so far, with the nonces that only the envelopes know.
fn sealed_moves(entries: &[v1::Entry], private: &PrivateKey) -> Vec<(u64, v1::SealedMove, envelope::Note)> {
    let sealed = |entry: &v1::Entry| match (&entry.payload, entry.subject) {
        (Some(v1::entry::Payload::Fact(v1::Fact { kind: Some(Fact::SealedMove(sealed)) })), Some(v1::entry::Subject::Game(game))) => {
            let commitment = Commitment(sealed.commitment.clone().try_into().unwrap());
            let note = envelope::open(private, game, sealed.ply, &Sealed { commitment, ciphertext: sealed.ciphertext.clone() }).unwrap();
            Some((game, sealed.clone(), note))
        }
        _ => None,
    };
    entries.iter().filter_map(sealed).collect()
}

/// Everybody seals: with no key yet, in all ways that there are, again and again, what cannot be sealed, and after the clock was stopped.
async fn all_seal(at: &mut Overheard) {
    let tournament = at.hall.tournament(laws(2018)).await;
    at.hall.clocks().orders(hello(DEVICE)).await.unwrap();
    for (board, device) in [(1, DEVICE), (2, 0), (3, 0), (4, 0)] {
        assert_eq!(at.hall.seat(tournament, board, ROOKS, device).await, u64::from(board));
    }
    for game in 1..=4 {
        at.done(&format!("rule {game} start SERVER"));
    }
    at.device(1_000, v1::report::Kind::Fact(v1::Fact { kind: Some(Fact::Confirmation(1)) })).await;

    let seal = at.seal(WHITE, "no key, console");
    assert!(!at.asks(seal_at_console("no key", 2, seal)).await);
    let seal = at.seal(WHITE, "no key, tablet");
    assert!(!at.tablet("no key, too", 2, seal).await);
    let seal = at.seal(WHITE, "no key, device");
    assert!(!at.device(2_000, v1::report::Kind::Seal(seal)).await);
    let text = at.text("no key, command line");
    assert_eq!(at.cli("note 2 white seal SERVER", &text).status.code(), Some(3));
    std::fs::create_dir(at.hall.path("safe")).unwrap();
    write(&at.hall.path("safe/passphrase"), PASSPHRASE.as_bytes());
    at.done("envelope key ../safe/key.pem --passphrase-file ../safe/passphrase SERVER");

    for game in [1, 2, 4] {
        at.done(&format!("rule {game} order-seal SERVER"));
    }
    // Game 1: the device's reports, one replaced by another.
    for (n, name) in ["device, replaced", "device"].into_iter().enumerate() {
        let seal = at.seal(WHITE, name);
        assert!(at.device(10_000 + n as u64, v1::report::Kind::Seal(seal)).await);
    }
    // Game 2: every other way, each replacing the one before.
    let seal = at.seal(WHITE, "console, replaced");
    assert!(at.asks(seal_at_console("console", 2, seal)).await);
    let seal = at.seal(WHITE, "tablet, replaced");
    assert!(at.tablet("tablet", 2, seal).await);
    for (key, as_text) in [("browser", false), ("browser in text", true)] {
        let seal = at.seal(WHITE, key);
        assert!(at.browser(seal_at_tablet(key, 2, seal), as_text));
    }
    let text = at.text("command line, replaced");
    assert!(at.cli("note 2 white seal --json SERVER", &format!("{text}\n")).status.success());
    let text = at.text("command line");
    assert!(at.cli("note 2 white seal SERVER", &format!("{text}\n")).status.success());
    nobody_can_seal_that(at).await;

    // Game 3 ends with its envelope closed; the text of game 4 is never read.
    for (game, name) in [(3, "agreed before the opening"), (4, "lost")] {
        let seal = at.seal(WHITE, name);
        assert!(at.tablet(name, game, seal).await);
    }
    for game in 2..=4 {
        at.notes(game, Fact::Stop(WHITE)).await;
    }
    at.device(21_000, v1::report::Kind::Fact(v1::Fact { kind: Some(Fact::Stop(WHITE)) })).await;
    let seal = at.seal(WHITE, "too late");
    assert!(at.tablet("too late", 2, seal).await, "an incident");
    at.notes(3, Fact::Offer(WHITE)).await;
    at.notes(3, Fact::Acceptance(BLACK)).await;
}

/// What is refused, or seals nothing.
async fn nobody_can_seal_that(at: &mut Overheard) {
    let word = at.text("too long");
    let bad = [
        ("too long", word.clone() + &"x".repeat(64)),
        ("control characters", at.text("control characters") + "\n+"),
        ("a nonce that is none", at.text("a nonce that is none")),
        ("a nonce of one byte", at.text("a nonce of one byte")),
    ];
    for (name, text) in bad {
        let mut seal = seal(WHITE, &text, 0);
        match name {
            "a nonce that is none" => seal.note.as_mut().unwrap().nonce = vec![9; 32],
            "a nonce of one byte" => seal.note.as_mut().unwrap().nonce = vec![9],
            _ => at.secrets.push(Secret::bytes("the nonce of what is refused", &nonce(0))),
        }
        assert!(!at.asks(seal_at_console(name, 2, seal.clone())).await, "{name}");
        assert!(!at.tablet(name, 2, seal.clone()).await, "{name}");
        assert!(!at.device(20_000, v1::report::Kind::Seal(seal.clone())).await, "{name}");
        for as_text in [false, true] {
            at.browser(seal_at_tablet(name, 2, seal.clone()), as_text);
        }
    }
    assert_eq!(at.cli("note 2 white seal SERVER", &(word + &"x".repeat(64))).status.code(), Some(2));
    let seal = at.seal(0, "nobody's");
    assert!(!at.tablet("nobody's", 2, seal.clone()).await && !at.asks(seal_at_console("nobody's", 2, seal)).await);
    let seal = at.seal(WHITE, "no such game");
    assert!(!at.tablet("no such game", 99, seal.clone()).await && !at.asks(seal_at_console("no such game", 99, seal)).await);
    let seal = at.seal(WHITE, "another one under the same key");
    assert!(!at.tablet("tablet", 2, seal.clone()).await && !at.asks(seal_at_console("console", 2, seal.clone())).await);
    assert!(!at.asks(seal_at_console("", 2, seal.clone())).await && !at.tablet("", 2, seal.clone()).await);
    let again = report(1, at.reports, 10_001, v1::report::Kind::Seal(seal.clone()));
    let answer = at.hall.clocks().send(from_device(DEVICE, v1::clock_report::Kind::Report(again))).await;
    at.answer("device", answer);
    let in_an_envelope = Fact::SealedMove(v1::SealedMove { by: WHITE, ply: 0, commitment: nonce(251), ciphertext: vec![7; 304] });
    assert!(!at.asks(note("an envelope", 2, in_an_envelope)).await, "only the daemon seals");
    let seal = at.seal(BLACK, "out of turn");
    assert!(at.asks(seal_at_console("out of turn", 2, seal)).await, "an incident");
}

/// What is sealed stays sealed over two crashes, into custody, and until it is opened.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_reads_what_is_sealed() {
    let mut at = Overheard::open().await;
    all_seal(&mut at).await;
    // One that dies by a signal would leave its memory behind, if it let itself be dumped.
    assert!(Command::new("kill").args(["-ABRT", &at.hall.id()]).status().unwrap().success());
    at.hall.gone();
    at.hall.start().await;
    at.listen(0).await;
    for game in [1, 2, 4] {
        at.done(&format!("rule {game} envelope place Library SERVER"));
    }
    at.hall.kill();
    at.hall.start().await;
    for game in [1, 2, 4] {
        at.rules(game, resumes(hence(1_000))).await;
        at.done(&format!("rule {game} custody SERVER"));
        at.done(&format!("envelope cover {game} --html --out cover-{game}.html SERVER"));
    }
    let wrong = v1::Open { text: at.text("a guess"), nonce: nonce(250) };
    assert!(!at.asks(ruling("a guess", 2, Ruling::Open(wrong))).await);
    at.everything_is_asked(4).await;
    at.hall.kill();
    at.everything_is_read();

    let private = private_key(&std::fs::read_to_string(at.hall.path("safe/key.pem")).unwrap(), PASSPHRASE);
    let envelopes = sealed_moves(&at.hall.entries(), &private);
    assert_eq!(envelopes.len(), 12, "with what came out of turn and too late");
    at.secrets.push(Secret::bytes("the private key", private.bytes()));
    at.secrets.push(Secret::text("the passphrase", PASSPHRASE));
    for (_, _, note) in &envelopes {
        // Of what the command line sealed only the envelope knows the nonce.
        at.secrets.push(Secret::bytes("a nonce in an envelope", &note.nonce.0));
    }
    println!("{} secrets in {} KiB", at.secrets.len(), at.heard.size() / 1024);
    assert!(at.heard.said("feed").map(<[u8]>::len).sum::<usize>() > 5_000, "the feeds were heard");
    assert_eq!(at.found(), BTreeSet::new());
    no_envelope_in_a_feed(&at.heard, &envelopes);

    opened(&mut at, &private).await;
}

/// A feed gets neither ciphertext nor commitment.
fn no_envelope_in_a_feed(heard: &Heard, envelopes: &[(u64, v1::SealedMove, envelope::Note)]) {
    let mut feeds = Heard::default();
    heard.said("feed").for_each(|said| feeds.add("feed", said));
    let outside = |(_, sealed, _): &(u64, v1::SealedMove, envelope::Note)| {
        let whole = [&sealed.ciphertext[..], &sealed.commitment];
        whole.map(|bytes| [Secret::bytes("the beginning", &bytes[..16]), Secret::bytes("the end", &bytes[bytes.len() - 16..])])
    };
    let secrets: Vec<Secret> = envelopes.iter().flat_map(outside).flatten().collect();
    assert!(!heard.find(&secrets).is_empty(), "arbiters see them");
    assert_eq!(feeds.find(&secrets), BTreeSet::new());
}

/// Two envelopes are opened, and one is lost: what was opened is known to all, and nothing else is.
async fn opened(at: &mut Overheard, private: &PrivateKey) {
    at.hall.start().await;
    at.heard = Heard::default();
    at.rules(4, Ruling::LoseEnvelope(v1::LoseEnvelope::default())).await;
    for game in [1, 2] {
        at.notes(game, Fact::Arrival(WHITE)).await;
        at.notes(game, Fact::Arrival(BLACK)).await;
        at.done(&format!("rule {game} resume SERVER"));
    }
    assert!(at.asks(open_with("open", 1, private)).await);
    at.done("rule 2 open --envelope-key ../safe/key.pem --passphrase-file ../safe/passphrase SERVER");
    at.everything_is_asked(4).await;
    at.hall.kill();
    at.everything_is_read();
    let found = at.found();
    let known: Vec<&str> = found.iter().map(String::as_str).collect();
    assert_eq!(known, ["a nonce in an envelope", "command line", "device", "device: nonce"]);
    let places: BTreeSet<String> = at.heard.find(&at.secrets).into_iter().map(|(_, _, from)| from).collect();
    for place in ["feed", "stream", "cli log export", "cli game log 1", "cli game log 2"] {
        assert!(places.iter().any(|from| from.starts_with(place)), "{place}: {places:?}");
    }
}
