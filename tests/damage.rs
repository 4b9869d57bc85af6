//! Damage anywhere in a log: all that was acknowledged is there, or it is said what is damaged. Never is a log silently shorter.
#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use std::fs;
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tempfile::TempDir;
use zeitnot::game::Seq;
use zeitnot::log::{Alarm, Chain, Log, MirrorAt, Options, SledLog, verify};

const SEED: u64 = 5;

/// A log's directory, in memory where that can be had: these tests are about bytes, not disks.
struct Scratch {
    dir: TempDir,
    head: Seq,
    tip: Chain,
}

impl Scratch {
    /// A log of `n` entries of so many bytes each, a commit each, closed and opened again, which writes sled's snapshot.
    fn filled(n: u64, size: usize) -> Scratch {
        let dir = scratch();
        let mut log = SledLog::open(dir.path(), &Options::default()).unwrap();
        for seq in 1..=n {
            let mut body = format!("entry {seq}").into_bytes();
            body.resize(size, seq as u8);
            log.append(Seq(seq), &[body]).unwrap();
        }
        let (head, tip) = (log.head(), log.tip());
        drop(log);
        let filled = Scratch { dir, head, tip };
        drop(filled.open(MirrorAt::Beside).unwrap());
        filled
    }

    /// A copy, to be damaged otherwise.
    fn copy(&self) -> Scratch {
        let dir = scratch();
        for file in files(self.path()) {
            let to = dir.path().join(file.strip_prefix(self.path()).unwrap());
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(&file, to).unwrap();
        }
        Scratch { dir, ..*self }
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn db(&self) -> PathBuf {
        self.path().join("store/db")
    }

    fn mirror(&self) -> PathBuf {
        self.path().join("mirror.zn")
    }

    fn open(&self, mirror: MirrorAt) -> Result<SledLog, zeitnot::log::Error> {
        SledLog::open(self.path(), &Options { mirror, ..Options::default() })
    }

    /// What a start makes of it.
    fn outcome(&self) -> Outcome {
        let looked = catch_unwind(AssertUnwindSafe(|| match self.open(MirrorAt::Beside) {
            Err(e) => Outcome::Refused(e.to_string()),
            Ok(mut log) => match verify(&*log.reader()) {
                Err(e) => Outcome::Refused(e.to_string()),
                Ok(found) if (found.entries, found.head) == (self.head.0, self.tip) => Outcome::Whole(log.alarms()),
                Ok(found) => Outcome::Shorter(found.entries),
            },
        }));
        looked.unwrap_or(Outcome::Panicked)
    }

    /// Opens it, and wants all of it.
    fn whole(&self, what: &str) -> Vec<Alarm> {
        match self.outcome() {
            Outcome::Whole(alarms) => alarms,
            other => panic!("{what}: {other:?}"),
        }
    }
}

/// What became of a damaged log.
#[derive(Debug)]
enum Outcome {
    /// All is there.
    Whole(Vec<Alarm>),
    /// It does not open, or says on reading where it is damaged.
    Refused(String),
    /// It lost something without a word.
    Shorter(#[expect(dead_code, reason = "told by Debug")] u64),
    Panicked,
}

fn scratch() -> TempDir {
    let shm = Path::new("/dev/shm");
    if shm.is_dir() { tempfile::tempdir_in(shm).unwrap() } else { tempfile::tempdir().unwrap() }
}

/// All files below a directory, in order.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for file in fs::read_dir(dir).unwrap() {
        let path = file.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

fn flip(path: &Path, at: u64, bits: u8) {
    let file = fs::File::options().read(true).write(true).open(path).unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, at).unwrap();
    file.write_all_at(&[byte[0] ^ bits], at).unwrap();
}

/// Places of a file that are not zero: much of the store's is empty.
fn used(path: &Path) -> Vec<u64> {
    (0..).zip(fs::read(path).unwrap()).filter(|(_, byte)| *byte != 0).map(|(at, _)| at).collect()
}

/// Where some bytes stand in a file, each time that they do.
fn places(path: &Path, wanted: &[u8]) -> Vec<usize> {
    let bytes = fs::read(path).unwrap();
    bytes.windows(wanted.len()).enumerate().filter(|(_, window)| *window == wanted).map(|(at, _)| at).collect()
}

/// What a refusal has to name: the file of the layout, a byte of the mirror, or an entry of the store.
const NAMED: [&str; 4] = ["is of format", "FORMAT: ", "mirror.zn (entry ", "the log is damaged at entry "];

/// Flips a byte in each of so many copies; how many were whole as they were, mended, and refused.
fn flips(base: &Scratch, name: &Path, times: usize) -> [u32; 3] {
    let mut dice = ChaCha8Rng::seed_from_u64(SEED);
    let used = used(&base.path().join(name));
    let mut outcomes = [0; 3];
    for _ in 0..times {
        let (at, bits) = (used[dice.random_range(0..used.len())], dice.random_range(1..=255));
        let copy = base.copy();
        flip(&copy.path().join(name), at, bits);
        let outcome = match copy.outcome() {
            Outcome::Whole(alarms) if alarms.is_empty() => 0,
            Outcome::Whole(_) => 1,
            Outcome::Refused(why) if NAMED.iter().any(|named| why.contains(named)) => 2,
            wrong => panic!("{}, byte {at} ^ {bits}: {wrong:?}", name.display()),
        };
        outcomes[outcome] += 1;
    }
    outcomes
}

#[test]
fn a_flipped_byte_anywhere_is_mended_or_told() {
    let base = Scratch::filled(300, 10);
    let mut all = [0; 3];
    for file in files(base.path()) {
        let name = file.strip_prefix(base.path()).unwrap();
        let outcomes = flips(&base, name, 40);
        println!("{}: whole, mended, refused {outcomes:?}", name.display());
        all = std::array::from_fn(|i| all[i] + outcomes[i]);
    }
    assert!(all[1] > 0 && all[2] > 0, "nothing was damaged: {all:?}");
}

#[test]
fn a_flipped_byte_in_a_store_of_many_segments_too() {
    let base = Scratch::filled(900, 3_000);
    assert!(fs::metadata(base.db()).unwrap().len() > 4_000_000);
    let outcomes = flips(&base, Path::new("store/db"), 40);
    println!("whole, mended, refused {outcomes:?}");
    assert!(outcomes[1] + outcomes[2] > 0, "nothing was damaged: {outcomes:?}");
}

/// The bytes of the last record in a file: up to the chain at its end, and enough before it for its beginning and what frames it.
fn last_record(scratch: &Scratch, path: &Path) -> std::ops::Range<usize> {
    let chain = scratch.tip.0;
    let end = places(path, &chain).pop().unwrap() + chain.len();
    end - 120..end
}

#[test]
fn a_store_cut_at_every_byte_of_its_last_record_takes_it_from_the_mirror() {
    let base = Scratch::filled(9, 10);
    let (record, length) = (last_record(&base, &base.db()), fs::metadata(base.db()).unwrap().len());
    let mut mended = 0;
    for cut in record.clone() {
        for zeros_behind in [false, true] {
            let copy = base.copy();
            let db = fs::File::options().write(true).open(copy.db()).unwrap();
            db.set_len(cut as u64).unwrap();
            if zeros_behind {
                db.set_len(length).unwrap();
            }
            mended += usize::from(!copy.whole(&format!("cut at {cut}, zeros {zeros_behind}")).is_empty());
        }
    }
    assert_eq!(mended, 2 * record.len(), "a cut was none");
}

#[test]
fn a_mirror_cut_at_every_byte_of_its_last_frame_takes_it_from_the_store() {
    let base = Scratch::filled(9, 10);
    for cut in last_record(&base, &base.mirror()) {
        let copy = base.copy();
        fs::File::options().write(true).open(copy.mirror()).unwrap().set_len(cut as u64).unwrap();
        let alarms = copy.whole(&format!("cut at {cut}"));
        assert!(matches!(alarms[..], [Alarm::MirrorRefilled { .. }]), "cut at {cut}: {alarms:?}");
    }
}

/// What sled finds damaged it drops, with all behind it; what is then written over that must not bring the rest back.
#[test]
fn stale_records_behind_a_repaired_tail_stay_gone() {
    const N: u64 = 12;
    let base = Scratch::filled(N, 40);
    let mut dropped = 0;
    for damaged in 1..=N {
        for size in [1, 40, 400] {
            let copy = base.copy();
            for snapshot in files(&copy.path().join("store")).into_iter().filter(|path| path.to_string_lossy().contains("snap.")) {
                fs::remove_file(snapshot).unwrap();
            }
            for place in places(&copy.db(), format!("entry {damaged}{}", damaged as u8 as char).as_bytes()) {
                flip(&copy.db(), place as u64, 1);
            }
            // Without the mirror: it would bring back what was dropped.
            let Ok(mut log) = copy.open(MirrorAt::Nowhere) else { continue };
            let kept = log.head().0;
            dropped += u32::from(kept < N);
            let mut bodies: Vec<Vec<u8>> = match log.reader().read(Seq(0), N as usize) {
                Ok(stored) => stored.into_iter().map(|stored| stored.body).collect(),
                // Damage is told, and nothing is written behind it.
                Err(_) => continue,
            };
            for seq in kept + 1..=kept + 2 {
                let body = vec![0xE4; size];
                log.append(Seq(seq), std::slice::from_ref(&body)).unwrap();
                bodies.push(body);
            }
            // As a kill would leave it: the copy is made while the log is open.
            let killed = copy.copy();
            drop(log);
            for (what, scratch) in [("closed", copy), ("killed", killed)] {
                for start in 1..=2 {
                    let log = scratch.open(MirrorAt::Nowhere).unwrap();
                    let found: Vec<_> = log.reader().read(Seq(0), 100).unwrap().into_iter().map(|stored| stored.body).collect();
                    assert_eq!(found, bodies, "entry {damaged} damaged, {kept} kept, then {size} bytes, {what}, start {start}");
                    assert_eq!(verify(&*log.reader()).unwrap().head, log.tip());
                }
            }
        }
    }
    assert!(dropped > 0, "sled dropped nothing");
}

/// `serve` on a log, as a process.
fn serve(scratch: &Scratch) -> Command {
    let mut serve = Command::new(env!("CARGO_BIN_EXE_zeitnot"));
    serve.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(scratch.path()).env_remove("ZEITNOT_MIRROR").env_remove("ZEITNOT_CONFIG");
    serve.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    serve
}

#[test]
fn killed_while_the_store_is_rebuilt_it_is_rebuilt_the_next_time() {
    let base = Scratch::filled(900, 3_000);
    let mut dice = ChaCha8Rng::seed_from_u64(SEED);
    let mut aside = 0;
    for round in 0..15 {
        let copy = base.copy();
        fs::remove_dir_all(copy.path().join("store")).unwrap();
        let mut times = 0;
        while times < 3 {
            let mut daemon = serve(&copy).stderr(Stdio::null()).spawn().unwrap();
            while !copy.db().exists() && daemon.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(dice.random_range(Duration::ZERO..Duration::from_millis(60)));
            daemon.kill().unwrap();
            daemon.wait().unwrap();
            times += 1;
        }
        aside += fs::read_dir(copy.path())
            .unwrap()
            .filter(|file| file.as_ref().unwrap().file_name().to_string_lossy().starts_with("store.damaged"))
            .count();
        copy.whole(&format!("round {round}"));
    }
    println!("{aside} half-built stores were put aside");
}

#[test]
fn damage_in_the_middle_of_the_store_ends_the_daemon_with_74_and_says_what_to_do() {
    let base = Scratch::filled(900, 3_000);
    for place in places(&base.db(), b"entry 1\x01") {
        flip(&base.db(), place as u64, 1);
    }
    let ended = serve(&base).output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(74), "{said}");
    assert!(said.contains("the log is damaged at entry ") && said.contains("move ") && said.contains("rebuilt from the mirror"), "{said}");
    // What it says to do is right.
    fs::rename(base.path().join("store"), base.path().join("store.away")).unwrap();
    assert!(matches!(base.whole("rebuilt")[..], [Alarm::StoreRebuilt { entries: 900, .. }]));
}

/// Calls of sled that hang, lie or jump, as it was read and measured; what the log does instead has tests of its own.
#[test]
fn the_log_keeps_clear_of_what_sled_does_badly() {
    let bad = [
        "flush_async",    // hangs where two wait
        "watch_prefix",   // holds the writer up when nobody reads
        "generate_id",    // jumps with every start
        "transaction(",   // deadlocks with a flush
        "len()",          // walks through all of a tree
        "HighThroughput", // gains nothing, and takes more room
        "compression",    // cannot be changed later
    ];
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/log");
    for file in files(&source).into_iter().filter(|path| !path.to_string_lossy().contains("/tests/")) {
        let text = fs::read_to_string(&file).unwrap();
        if !text.contains("sled::") {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            let calls = |word: &&&str| line.contains(&format!(".{word}")) || line.contains(&format!("::{word}"));
            let called = bad.iter().find(calls).filter(|word| **word != "len()" || line.contains("db.") || line.contains("records."));
            assert_eq!(called, None, "{}:{}", file.display(), number + 1);
        }
    }
}
