//! What the tests of the log share.

mod damage;
mod disk_full;
mod locking;
mod round_trip;
mod torn;
mod two_copies;

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use super::*;

/// Sled's threads, and children of other tests, may hold a lock for a moment.
const WAIT: Duration = Duration::from_secs(2);

/// A log's directory, in memory where that can be had: these tests are about bytes, not disks.
struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new() -> Scratch {
        let shm = Path::new("/dev/shm");
        Scratch(if shm.is_dir() { tempfile::tempdir_in(shm).unwrap() } else { tempfile::tempdir().unwrap() })
    }

    /// A copy, to be damaged otherwise.
    fn copy(&self) -> Scratch {
        let copy = Scratch::new();
        copy_dir(self.path(), copy.path());
        copy
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn store(&self) -> PathBuf {
        self.path().join("store")
    }

    fn mirror(&self) -> PathBuf {
        self.path().join("mirror.zn")
    }

    fn open(&self) -> Result<SledLog, Error> {
        self.open_with(MirrorAt::Beside)
    }

    fn open_with(&self, mirror: MirrorAt) -> Result<SledLog, Error> {
        SledLog::open(self.path(), &Options { mirror, wait: WAIT })
    }

    /// A log of `n` small entries, closed, and its tip.
    fn filled(n: u64) -> (Scratch, Chain) {
        let scratch = Scratch::new();
        let mut log = scratch.open().unwrap();
        for seq in 1..=n {
            append(&mut log, &[body(seq)]);
        }
        let tip = log.tip();
        (scratch, tip)
    }
}

fn copy_dir(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        let to = to.join(file.file_name());
        if file.file_type().unwrap().is_dir() {
            copy_dir(&file.path(), &to);
        } else {
            fs::copy(file.path(), to).unwrap();
        }
    }
}

/// The body of a small entry.
fn body(seq: u64) -> Vec<u8> {
    format!("entry {seq}").into_bytes()
}

/// Appends where the log ends.
fn append(log: &mut SledLog, bodies: &[Vec<u8>]) {
    log.append(next(log.head()), bodies).unwrap();
}

/// All bodies, the chain checked on the way.
fn contents(log: &SledLog) -> Vec<Vec<u8>> {
    let reader = log.reader();
    let verified = verify(&*reader).unwrap();
    assert_eq!(verified.entries, log.head().0);
    assert_eq!(verified.head, log.tip());
    let all = reader.read(Seq(0), usize::MAX).unwrap();
    all.into_iter().map(|stored| stored.body).collect()
}

/// The text of an error that has to be one.
fn refusal(opened: Result<SledLog, Error>) -> String {
    opened.err().map(|e| e.to_string()).unwrap()
}

/// Changes one byte of a file.
fn flip(path: &Path, offset: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[offset] ^= 0x40;
    fs::write(path, bytes).unwrap();
}
