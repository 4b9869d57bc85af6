//! A log's directory as format 1 lays it out, kept for ever: sled's files and the mirror, each of them enough by itself.
//!
//! It holds the entries of `v1`, in commits of one and of many. `ZEITNOT_NEW_GOLDEN=1` makes one where there is none.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use zeitnot::log::{Log, MirrorAt, Options, SledLog, verify, verify_mirror};

use super::*;

/// Most bytes of it, so that it can lie among the sources.
const MAX_SIZE: u64 = 200 * 1024;
/// Entries of one commit, in turn.
const COMMITS: [usize; 4] = [1, 3, 1, 40];

fn kept() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/format1")
}

fn v1() -> (MemoryLog, String) {
    (KEPT[0].log(), fs::read_to_string(KEPT[0].file("printed.txt")).unwrap())
}

fn open(dir: &Path, mirror: MirrorAt) -> SledLog {
    SledLog::open(dir, &Options { mirror, ..Options::default() }).unwrap()
}

/// Makes the directory, where that is wanted and there is none.
fn begin() {
    let dir = kept();
    if std::env::var_os("ZEITNOT_NEW_GOLDEN").is_none() || dir.exists() {
        return;
    }
    let bodies: Vec<Vec<u8>> = v1().0.reader().read(Seq(0), usize::MAX).unwrap().into_iter().map(|stored| stored.body).collect();
    let made = tempfile::tempdir().unwrap();
    let mut log = open(made.path(), MirrorAt::Beside);
    let mut rest = &bodies[..];
    for size in COMMITS.into_iter().cycle() {
        let (now, later) = rest.split_at(size.min(rest.len()));
        log.append(Seq(log.head().0 + 1), now).unwrap();
        rest = later;
        if rest.is_empty() {
            break;
        }
    }
    drop(log);
    // As a first day left it; but for the zeros behind the mirror, which the next start cuts off.
    copied(made.path(), &dir);
    drop(open(made.path(), MirrorAt::Beside));
    fs::copy(made.path().join("mirror.zn"), dir.join("mirror.zn")).unwrap();
}

/// A copy, since every start writes.
fn copy() -> TempDir {
    let to = tempfile::tempdir().unwrap();
    copied(&kept(), to.path());
    to
}

fn copied(from: &Path, to: &Path) -> u64 {
    fs::create_dir_all(to).unwrap();
    let each = |file: std::io::Result<fs::DirEntry>| {
        let (path, to) = file.map(|file| (file.path(), to.join(file.file_name()))).unwrap();
        if path.is_dir() { copied(&path, &to) } else { fs::copy(&path, to).unwrap() }
    };
    fs::read_dir(from).unwrap().map(each).sum()
}

/// Whether it reads as `v1` does, and goes on.
fn reads_and_goes_on(mut log: SledLog) {
    let (v1, printed) = v1();
    assert_eq!((log.head(), log.tip()), (v1.head(), v1.tip()));
    assert_eq!(super::printed(&*log.reader()), printed);
    log.append(Seq(log.head().0 + 1), &[b"more".to_vec()]).unwrap();
    assert_eq!(verify(&*log.reader()).unwrap().head, log.tip());
}

#[test]
fn a_kept_directory_opens_and_each_of_its_copies_alone() {
    begin();
    let whole = copy();
    assert!(copied(&kept(), &whole.path().join("again")) <= MAX_SIZE);
    let mut log = open(whole.path(), MirrorAt::Beside);
    assert_eq!(log.alarms(), []);
    reads_and_goes_on(log);

    let store = copy();
    fs::remove_file(store.path().join("mirror.zn")).unwrap();
    reads_and_goes_on(open(store.path(), MirrorAt::Nowhere));

    let mirror = copy();
    assert_eq!(verify_mirror(&mirror.path().join("mirror.zn")).unwrap().verified.head, v1().0.tip());
    fs::remove_dir_all(mirror.path().join("store")).unwrap();
    reads_and_goes_on(open(mirror.path(), MirrorAt::Beside));
}
