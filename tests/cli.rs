//! The command line as a person or a program meets it: exit codes, JSON, and a log taken out and in.
#![expect(clippy::unwrap_used, reason = "what does not go as told here is a failed test")]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use zeitnot::cli::exit;
use zeitnot::format::jsonl;
use zeitnot::game::Seq;
use zeitnot::log::{Log, Options, SledLog};

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/v2/log.jsonl");

fn zeitnot(args: &[&str]) -> Output {
    zeitnot_reading(args, "")
}

fn zeitnot_reading(args: &[&str], stdin: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_zeitnot"))
        .args(args)
        .env_remove("ZEITNOT_SERVER")
        .env_remove("ZEITNOT_DATA")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // One that has refused its options reads nothing.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    child.wait_with_output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn ends(output: &Output, code: u8, words: &[&str]) {
    let said = out(output) + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code.into()), "{said}");
    assert!(words.iter().all(|word| said.contains(word)), "{words:?} in {said}");
}

fn imported(dir: &Path) -> String {
    let data = dir.join("log").display().to_string();
    ends(&zeitnot(&["log", "import", "--data", &data, GOLDEN]), exit::OK, &["entries"]);
    data
}

#[test]
fn a_log_is_taken_in_replayed_audited_verified_and_taken_out() {
    let dir = tempfile::tempdir().unwrap();
    let data = imported(dir.path());
    let printed = std::fs::read_to_string(GOLDEN.replace("log.jsonl", "printed.txt")).unwrap();
    assert_eq!(out(&zeitnot(&["replay", "--data", &data, "--print"])), printed);
    let foot: Vec<&str> = printed.lines().rev().take(3).collect();
    for command in ["replay", "verify"] {
        ends(&zeitnot(&[command, "--data", &data]), exit::OK, &foot);
    }
    ends(&zeitnot(&["audit", "--data", &data]), exit::OK, &["differences  0"]);
    let until = zeitnot(&["replay", "--data", &data, "--until", "30", "--game", "1", "--json"]);
    let until: serde_json::Value = serde_json::from_str(&out(&until)).unwrap();
    assert_eq!((until["entries"].as_u64(), until["game"]["game"].as_u64()), (Some(30), Some(1)));
    assert_eq!(out(&zeitnot(&["log", "export", "--data", &data])), std::fs::read_to_string(GOLDEN).unwrap());
    ends(&zeitnot(&["log", "import", "--data", &data, GOLDEN]), exit::USAGE, &["not empty"]);
}

#[test]
fn a_wrong_line_is_named_and_nothing_is_imported() {
    let dir = tempfile::tempdir().unwrap();
    let (data, golden) = (dir.path().join("log").display().to_string(), std::fs::read_to_string(GOLDEN).unwrap());
    let lines: Vec<&str> = golden.lines().collect();
    let without_the_second = [&lines[..1], &lines[2..]].concat().join("\n");
    for (text, words) in [
        (without_the_second, ["line 2", "entry 3"]),
        (golden.replacen("\"body\":\"0803", "\"body\":\"0804", 1), ["line 3", "chain"]),
        (lines[..4].join("\n") + "\n{}", ["line 5", "no exported entry"]),
    ] {
        ends(&zeitnot_reading(&["log", "import", "--data", &data], &text), exit::USAGE, &words);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "something is left");
    }
}

#[test]
fn words_beside_a_body_that_are_not_its_own_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let golden = std::fs::read_to_string(GOLDEN).unwrap();
    let into = |name: &str| dir.path().join(name).display().to_string();
    let told = |text: &str, name: &str| String::from_utf8(zeitnot_reading(&["log", "import", "--data", &into(name)], text).stderr).unwrap();
    assert!(!told(&golden, "as-it-is").contains("beside the body"));
    let edited = golden.replacen("\"text\":\"", "\"text\":\"not ", 1);
    assert!(told(&edited, "edited").contains("in 1 of the lines, line 1 first"));
    assert_eq!(out(&zeitnot(&["log", "export", "--data", &into("edited")])), golden, "the bodies count");
}

/// The golden log, written in several commits.
fn written(dir: &Path) -> String {
    let text = std::fs::read_to_string(GOLDEN).unwrap();
    let bodies: Vec<Vec<u8>> = text.lines().map(|line| jsonl::read(line).unwrap().body).collect();
    let mut log = SledLog::open(dir, &Options::default()).unwrap();
    for some in bodies.chunks(20) {
        let first = Seq(log.head().0 + 1);
        log.append(first, some).unwrap();
    }
    dir.display().to_string()
}

/// Turns a bit over where that text is first.
fn turn(file: &Path, text: &str) {
    let mut bytes = std::fs::read(file).unwrap();
    let at = bytes.windows(text.len()).position(|w| w == text.as_bytes()).unwrap();
    bytes[at] ^= 1;
    std::fs::write(file, &bytes).unwrap();
}

#[test]
fn damage_is_found_and_placed() {
    let dir = tempfile::tempdir().unwrap();
    let (first, second) = (dir.path().join("first"), dir.path().join("second"));
    let data = written(&first);
    ends(&zeitnot(&["verify", "--data", &data]), exit::OK, &["mirror   the same"]);
    turn(&first.join("mirror.zn"), "the hall closes");
    ends(&zeitnot(&["verify", "--data", &data]), exit::DAMAGED, &["damaged at byte", "mirror.zn (entry "]);
    // Sled takes a damaged record for a tail that was never finished; the mirror has what is missing.
    let data = written(&second);
    turn(&second.join("store/db"), "the hall closes");
    ends(&zeitnot(&["verify", "--data", &data, "--json"]), exit::DAMAGED, &["\"code\":74", "it ends at entry ", "mirror.zn at "]);
    ends(&zeitnot(&["replay", "--data", &data]), exit::DAMAGED, &["the store is damaged"]);
}

#[test]
fn what_cannot_be_used_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let nowhere = dir.path().join("none").display().to_string();
    ends(&zeitnot(&["verify", "--data", &nowhere]), exit::USAGE, &["there is no log", &nowhere]);
    assert!(!Path::new(&nowhere).exists(), "reading makes nothing");
    let lone = dir.path().join("lone");
    std::fs::create_dir(&lone).unwrap();
    std::fs::write(lone.join("mirror.zn"), "").unwrap();
    ends(&zeitnot(&["verify", "--data", &lone.display().to_string()]), exit::USAGE, &["there is only a mirror"]);
    assert!(!lone.join("FORMAT").exists(), "reading makes nothing");
    let data = written(&dir.path().join("first"));
    std::fs::remove_file(Path::new(&data).join("FORMAT")).unwrap();
    ends(&zeitnot(&["verify", "--data", &data]), exit::DAMAGED, &["a store without its file FORMAT"]);
    ends(&zeitnot_reading(&["log", "import", "--data", &nowhere], ""), exit::USAGE, &["no line to import"]);
    assert!(!Path::new(&nowhere).exists());
    ends(&zeitnot(&["replay", "--nonsense", "--json"]), exit::USAGE, &["{\"code\":2,\"error\":"]);
    ends(&zeitnot(&["game", "show", "0"]), exit::USAGE, &["0 is not in 1.."]);
    ends(&zeitnot(&["venue", "second"]), exit::USAGE, &["<VERB>", "venue second"]);
    ends(&zeitnot(&["hall", "start", "--boards", "4-1"]), exit::USAGE, &["boards, as in 1-50"]);
    ends(&zeitnot(&["serve"]), exit::USAGE, &["--data", "ZEITNOT_DATA"]);
    ends(&zeitnot(&["rule", "1", "frobnicate"]), exit::USAGE, &["frobnicate", "Rulings:"]);
    ends(&zeitnot(&["note", "1", "green", "offer"]), exit::USAGE, &["green"]);
    ends(&zeitnot(&["rule", "1", "replace-clock", "black", "0"]), exit::USAGE, &["the serial number of the device at that side"]);
    ends(&zeitnot(&["game", "open", "1", "1", "1", "--black-device", "8"]), exit::USAGE, &["--device"]);
    ends(&zeitnot(&["device", "assign", "8", "1", "--side", "both"]), exit::USAGE, &["white or black"]);
    // Nothing can listen on port 0.
    ends(&zeitnot(&["game", "list", "--server", "http://127.0.0.1:0"]), exit::UNAVAILABLE, &["no daemon answers at", "zeitnot serve"]);
    ends(&zeitnot(&["rule", "1", "add", "white", "-0:00:30", "--server", "http://127.0.0.1:0"]), exit::UNAVAILABLE, &["no daemon answers"]);
}

#[test]
fn scenarios_end_as_they_went() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let good = file("good.scn", "control 60\n0:00:00 arbiter start\n0:00:05 white play e4\n= clocks 0:00:55 0:01:00\n");
    let bad = file("bad.scn", "control 60\n0:00:00 arbiter start\n= running black\n");
    ends(&zeitnot(&["scenario", &good]), exit::OK, &["1 scenarios, 1 expectations, 0 failed"]);
    ends(&zeitnot(&["scenario", &bad]), exit::FAILED, &["bad.scn:3: expected running black, got running white"]);
    ends(&zeitnot(&["scenario", "--trace", &good]), exit::OK, &["press white"]);
    let json: serde_json::Value = serde_json::from_str(&out(&zeitnot(&["scenario", "--json", &good]))).unwrap();
    assert_eq!((json["state"]["running"].as_str(), json["holds"].as_bool()), (Some("black"), Some(true)));
    assert_eq!(json["digest"].as_str().map(str::len), Some(64));
    let unreadable = file("unreadable.scn", "control 60\n0:00:00 referee start\n");
    ends(&zeitnot(&["scenario", &unreadable]), exit::USAGE, &["unreadable.scn:2", "referee"]);
    ends(&zeitnot(&["scenario", &dir.path().display().to_string()]), exit::USAGE, &["3 scenarios"]);
    ends(&zeitnot(&["scenario", "no-such.scn"]), exit::USAGE, &["no-such.scn"]);
}

#[test]
fn positions_are_asked_about() {
    let dir = tempfile::tempdir().unwrap();
    let data = imported(dir.path());
    ends(&zeitnot(&["ask", "8/8/8/1q6/8/4k3/8/2K5 b - - 0 70"]), exit::OK, &["cannot mate: the material", "can mate: 70... "]);
    ends(&zeitnot(&["ask", "start", "--moves", "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1"]), exit::OK, &["threefold with Ng8 by black", "9.2.1", "plies 3, 7"]);
    ends(&zeitnot(&["ask", "start", "--moves", "e4 e4"]), exit::USAGE, &["ply 2: e4 is no legal move"]);
    ends(&zeitnot(&["ask", "hello"]), exit::USAGE, &["'hello' is no FEN"]);
    ends(&zeitnot(&["ask", "4k2r/8/8/8/8/8/8/4K1R1 w Gh - 0 1"]), exit::OK, &["w Gh - 0 1"]);
    ends(&zeitnot(&["ask", "--game", "3", "--data", &data]), exit::OK, &["dead    no"]);
    ends(&zeitnot(&["ask", "--game", "99", "--data", &data]), exit::USAGE, &["--game 99"]);
    let asked = out(&zeitnot(&["ask", "8/2b1k3/8/8/8/4B3/4K3/8 w - - 0 1", "--json"]));
    let answer: serde_json::Value = serde_json::from_str(&asked).unwrap();
    assert_eq!((&answer["dead"], &answer["over"]["article"]), (&serde_json::json!(true), &serde_json::json!("5.2.2")), "{answer}");

    let questions = dir.path().join("questions.txt");
    let right = "8/8/8/1q6/8/4k3/8/2K5 b - - 0 70 ; white ; unwinnable ; by hand\n";
    std::fs::write(&questions, right).unwrap();
    ends(&zeitnot(&["ask", "--file", questions.to_str().unwrap()]), exit::OK, &["right"]);
    std::fs::write(&questions, right.replace("unwinnable", "winnable")).unwrap();
    ends(&zeitnot(&["ask", "--file", questions.to_str().unwrap()]), exit::FAILED, &["wrong"]);
}

#[test]
fn editions_are_shown_and_compared() {
    let shown = out(&zeitnot(&["laws", "show", "1997", "blitz"]));
    let row = |field: &str| shown.lines().find(|line| line.starts_with(field)).unwrap_or_default().to_string();
    assert!(row("needed-to-win.by").contains("mating potential") && row("needed-to-win.by").contains("C4"), "{shown}");
    assert!(row("wrong-claim.claimant-loses").ends_with("unverified") && !row("flag.called").ends_with("unverified"), "{shown}");
    ends(&zeitnot(&["laws", "diff", "2005", "2009"]), exit::OK, &["wrong-claim.claimant-loses", "half, at most 0:03:00", "none"]);
    ends(&zeitnot(&["laws", "show", "1998"]), exit::USAGE, &["1998", "1997", "2023"]);
}
