//! A full disk stops the log and loses nothing acknowledged.

use std::{collections::BTreeSet, fs::File, io::Write, process::Command};

use super::*;

/// A small disk of its own, gone with the test.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    /// `None`, with the reason printed, where mounting is not allowed.
    fn mount(size: &str) -> Option<SmallDisk> {
        let dir = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"]).arg(dir.path()).output();
        let why = match mounted {
            Ok(output) if output.status.success() => return Some(SmallDisk(dir)),
            Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
            Err(e) => e.to_string(),
        };
        println!("skipped: a small disk cannot be mounted here: {}", why.trim());
        None
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg("-l").arg(self.0.path()).status();
        assert!(unmounted.is_ok_and(|status| status.success()));
    }
}

/// Appends until the disk is full, frees space, and wants all that was acknowledged.
fn fill(mirror: &MirrorAt) {
    let Some(disk) = SmallDisk::mount("24m") else {
        return;
    };
    let ballast = disk.0.path().join("ballast");
    fs::write(&ballast, vec![1; 8 << 20]).unwrap();
    let dir = disk.0.path().join("log");
    let options = Options { mirror: mirror.clone(), wait: WAIT };
    let mut log = SledLog::open(&dir, &options).unwrap();
    let bodies = vec![vec![7; 1000]; 10];
    let error = loop {
        if let Err(e) = log.append(next(log.head()), &bodies) {
            break e;
        }
        assert!(log.head() < Seq(100_000), "the disk is never full");
    };
    assert!(matches!(error, Error::DiskFull { .. }), "{error}");
    let (acked, tip) = (log.head(), log.tip());
    assert!(acked > Seq(0));
    let again = log.append(next(acked), &bodies).unwrap_err();
    assert!(matches!(again, Error::Halted), "{again}");
    drop(log);

    fs::remove_file(&ballast).unwrap();
    let mut log = SledLog::open(&dir, &options).unwrap();
    assert!(log.head() >= acked);
    let last = log.reader().read(Seq(acked.0 - 1), 1).unwrap();
    assert_eq!(last[0].chain, tip);
    contents(&log);
    append(&mut log, &bodies);
}

/// Sled cannot open where it cannot write. That is no damage: nothing is put aside or built anew, it only has to wait for room.
#[test]
fn a_disk_that_is_full_at_the_start_is_no_damage() {
    let Some(disk) = SmallDisk::mount("24m") else {
        return;
    };
    let (dir, ballast) = (disk.0.path().join("log"), disk.0.path().join("ballast"));
    let mut log = SledLog::open(&dir, &Options::default()).unwrap();
    for seq in 1..=300 {
        append(&mut log, &[body(seq)]);
    }
    let (head, tip) = (log.head(), log.tip());
    drop(log);
    let mut filler = File::create(&ballast).unwrap();
    // A block at a time, to the last one.
    while filler.write_all(&[1; 4096]).is_ok() {}
    let names = || fs::read_dir(&dir).unwrap().map(|file| file.unwrap().file_name()).collect::<BTreeSet<_>>();
    let before = names();
    let mut refused = 0;
    for _ in 0..3 {
        match SledLog::open(&dir, &Options::default()) {
            Ok(log) => assert_eq!((log.head(), log.tip()), (head, tip)),
            Err(e) => {
                assert!(matches!(e, Error::DiskFull { .. }), "{e}");
                refused += 1;
            }
        }
        assert_eq!(names(), before, "something was put aside");
    }
    assert!(refused > 0, "there was room");
    drop(filler);
    fs::remove_file(&ballast).unwrap();
    let mut log = SledLog::open(&dir, &Options::default()).unwrap();
    assert_eq!((log.head(), log.tip(), log.alarms()), (head, tip, Vec::new()));
}

#[test]
fn a_full_disk_is_told_and_loses_nothing_acknowledged() {
    fill(&MirrorAt::Nowhere);
}

#[test]
fn a_full_disk_with_the_mirror_on_it_too() {
    fill(&MirrorAt::Beside);
}
