//! The log's second copy as bytes on a disk: whatever stands there, what is read is what was written, or the damage has a place.

use std::path::PathBuf;

use zeitnot::game::Seq;
use zeitnot::log::{Chain, Log, MirrorAt, Options, SledLog, verify_mirror};

use crate::engine::{Target, says_what_is_wrong};

/// A directory in memory where that can be had.
fn scratch() -> tempfile::TempDir {
    let shm = PathBuf::from("/dev/shm");
    if shm.is_dir() { tempfile::tempdir_in(shm).unwrap() } else { tempfile::tempdir().unwrap() }
}

/// A mirror as the daemon leaves it, without the zeros behind it.
fn written(commits: &[&[&str]]) -> Vec<u8> {
    let dir = scratch();
    let options = Options { mirror: MirrorAt::Beside, ..Options::default() };
    let mut log = SledLog::open(dir.path(), &options).unwrap();
    for commit in commits {
        let bodies: Vec<Vec<u8>> = commit.iter().map(|body| body.as_bytes().to_vec()).collect();
        log.append(Seq(log.head().0 + 1), &bodies).unwrap();
    }
    drop(log);
    let mut bytes = std::fs::read(dir.path().join("mirror.zn")).unwrap();
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    bytes.truncate(end);
    bytes
}

/// A record as the format has it, whatever is in it, with the checksum that it should have.
fn record(first: u64, version: u8, rest: &[u8]) -> Vec<u8> {
    let mut crc = crc32fast::Hasher::new();
    crc.update(&first.to_be_bytes());
    crc.update(&[version]);
    crc.update(rest);
    [&[version], &crc.finalize().to_le_bytes()[..], rest].concat()
}

/// A frame at the beginning of a mirror, with the checksum that it should have.
fn frame(payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_le_bytes();
    let mut crc = crc32fast::Hasher::new();
    crc.update(&0_u64.to_le_bytes());
    crc.update(&length);
    crc.update(payload);
    [b"znm1", &length[..], &crc.finalize().to_le_bytes()[..], payload].concat()
}

/// The chain that a mirror of so many of these entries ends with.
fn tips(commits: &[&[&str]]) -> Vec<Chain> {
    let mut tip = Chain::GENESIS;
    let next = commits.iter().flat_map(|commit| commit.iter()).map(|body| {
        tip = tip.next(body.as_bytes());
        tip
    });
    [Chain::GENESIS].into_iter().chain(next).collect()
}

/// Damage is found, or is a torn tail: what is read is always a beginning of what was written, cut at a commit.
#[test]
fn a_damaged_mirror() {
    let commits: [&[&str]; 4] = [&["a"], &["b", "c"], &["", "znm1", "d"], &["the last one"]];
    let (whole, tips, dir) = (written(&commits), tips(&commits), scratch());
    let path = dir.path().join("mirror.zn");
    let words = &["znm1", "\0\0\0\0", "\x01\0\0\0", "\u{ff}"];
    let target = Target::of("mirror", vec![whole.clone(), Vec::new(), [whole.clone(), vec![0; 5_000]].concat()]);
    target.with_words(words).holds(|bytes| {
        std::fs::write(&path, bytes).unwrap();
        match verify_mirror(&path) {
            Ok(read) => {
                let ends = read.verified.entries as usize;
                assert!([0, 1, 3, 6, 7].contains(&ends), "{ends} entries");
                assert_eq!(read.verified.head, tips[ends]);
            }
            Err(e) => says_what_is_wrong(&e),
        }
    });
}

/// Checksums that are right over anything: lengths and counts that lie lead to an error with a place.
#[test]
fn a_record_that_lies() {
    let (dir, good) = (scratch(), [&3_u16.to_le_bytes()[..], &1_u16.to_le_bytes(), b"a", &[7; 32], &0_u16.to_le_bytes(), &[8; 32]].concat());
    let path = dir.path().join("mirror.zn");
    Target::of("record", vec![good, Vec::new(), vec![0; 60], vec![0xff; 100]]).with_words(&["\0\0", "\x01\0", "\x7f\x7f"]).holds(|rest| {
        let (first, rest) = rest.split_first().map_or((1, rest), |(first, others)| (u64::from(*first % 4), others));
        for version in [1, 2] {
            let record = record(first, version, rest);
            let label = [&first.to_le_bytes()[..], &(record.len() as u32).to_le_bytes()].concat();
            std::fs::write(&path, frame(&[label, record].concat())).unwrap();
            if let Err(e) = verify_mirror(&path) {
                says_what_is_wrong(&e);
                assert!(e.to_string().contains("entry") || e.to_string().contains("byte"), "{e}");
            }
        }
    });
    // And the format is as told here.
    let body = b"a";
    let tip = Chain::GENESIS.next(body);
    let entries = [&1_u16.to_le_bytes()[..], &1_u16.to_le_bytes(), body, &tip.0].concat();
    let record = record(1, 1, &entries);
    let label = [&1_u64.to_le_bytes()[..], &(record.len() as u32).to_le_bytes()].concat();
    let bytes = frame(&[label, record].concat());
    assert_eq!(bytes, written(&[&["a"]]));
    std::fs::write(&path, bytes).unwrap();
    let read = verify_mirror(&path).unwrap();
    assert_eq!((read.verified.entries, read.verified.head), (1, tip));
}
