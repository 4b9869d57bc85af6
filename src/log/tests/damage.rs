//! A store that is not what it was.

use super::*;
use std::ops::ControlFlow;

type Spoiler = fn(&Path);

fn snapshot_of(scratch: &Scratch) -> PathBuf {
    let mut found: Vec<_> =
        fs::read_dir(scratch.store()).unwrap().map(|file| file.unwrap().path()).filter(|path| path.to_string_lossy().contains("snap.")).collect();
    found.sort();
    found.pop().unwrap()
}

#[test]
fn a_flipped_byte_in_a_record_is_damage_at_its_entry() {
    let (scratch, _) = Scratch::filled(9);
    let dir = dir::Dir::open(scratch.path(), WAIT).unwrap();
    let store = store::Store::open(&dir, WAIT, &mut Vec::new()).unwrap();
    let key = 4_u64.to_be_bytes();
    let mut bytes = store.records().get(key).unwrap().unwrap().to_vec();
    bytes[12] ^= 1;
    store.records().insert(key, bytes).unwrap();
    store.sync().unwrap();
    drop((store, dir));

    let log = scratch.open().unwrap();
    let mut seen = 0;
    let error = log.reader().scan(Seq(0), &mut |entry| {
        seen = entry.seq.0;
        ControlFlow::Continue(())
    });
    let error = error.unwrap_err();
    assert_eq!(seen, 3);
    assert!(matches!(error, Error::Damaged { at: Place::Entry(Seq(4)), .. }), "{error}");
    assert!(log.reader().read(Seq(4), 9).is_ok(), "what comes after is fine");
}

#[test]
fn a_missing_record_is_damage_at_its_entry() {
    let (scratch, _) = Scratch::filled(9);
    let dir = dir::Dir::open(scratch.path(), WAIT).unwrap();
    let store = store::Store::open(&dir, WAIT, &mut Vec::new()).unwrap();
    store.records().remove(4_u64.to_be_bytes()).unwrap();
    store.sync().unwrap();
    drop((store, dir));

    let log = scratch.open().unwrap();
    for after in [0, 3] {
        let error = log.reader().read(Seq(after), 9).unwrap_err();
        assert!(matches!(error, Error::Damaged { at: Place::Entry(Seq(4)), .. }), "{error}");
    }
}

/// BH-24.
#[test]
fn bad_snapshots_are_put_aside_and_nothing_is_lost() {
    let (base, tip) = Scratch::filled(500);
    // Opening writes the snapshot.
    drop(base.open().unwrap());
    let spoilers: [(&str, Spoiler); 5] = [
        ("empty", |snap| fs::write(snap, b"").unwrap()),
        ("half", |snap| {
            let bytes = fs::read(snap).unwrap();
            fs::write(snap, &bytes[..bytes.len() / 2]).unwrap();
        }),
        ("last byte", |snap| {
            flip(snap, fs::metadata(snap).unwrap().len() as usize - 1);
        }),
        ("garbage from the future", |snap| {
            let future = snap.with_file_name("snap.7FFFFFFFFFFFFFFF");
            fs::write(future, vec![0xA5; 3000]).unwrap();
        }),
        ("a copy from the future", |snap| {
            let mut bytes = fs::read(snap).unwrap();
            bytes.rotate_left(9);
            fs::write(snap.with_file_name("snap.00000000FFFFFFFF"), bytes).unwrap();
        }),
    ];
    for (what, spoil) in spoilers {
        let scratch = base.copy();
        let snap = snapshot_of(&scratch);
        spoil(&snap);
        let mut log = scratch.open().unwrap();
        assert_eq!((log.head(), log.tip()), (Seq(500), tip), "{what}");
        let alarms = log.alarms();
        let [Alarm::SnapshotsSetAside { aside, files }] = alarms.as_slice() else {
            panic!("{what}: {alarms:?}");
        };
        assert_eq!(fs::read_dir(aside).unwrap().count(), *files);
        append(&mut log, &[body(501)]);
        drop(log);
        let mut log = scratch.open().unwrap();
        assert_eq!(contents(&log).len(), 501);
        assert_eq!(log.alarms(), [], "{what}");
    }
}

#[test]
fn a_half_written_snapshot_is_removed() {
    let (scratch, tip) = Scratch::filled(20);
    let half = scratch.store().join("snap.00000000000FFFFF.generating");
    fs::write(&half, b"half").unwrap();
    let mut log = scratch.open().unwrap();
    assert_eq!((log.head(), log.tip()), (Seq(20), tip));
    assert_eq!(log.alarms(), []);
    assert!(!half.exists());
}

#[test]
fn a_store_of_garbage_is_kept_and_rebuilt_from_the_mirror() {
    let (base, tip) = Scratch::filled(500);
    drop(base.open().unwrap());
    let spoilers: [(&str, Spoiler); 5] = [
        ("no snapshot, db of noise", |store| {
            for file in fs::read_dir(store).unwrap() {
                let path = file.unwrap().path();
                if path.to_string_lossy().contains("snap.") {
                    fs::remove_file(path).unwrap();
                }
            }
            fs::write(store.join("db"), vec![0x5A; 1 << 20]).unwrap();
        }),
        ("db of noise", |store| fs::write(store.join("db"), vec![0x5A; 1 << 20]).unwrap()),
        ("db of zeros", |store| fs::write(store.join("db"), vec![0; 1 << 20]).unwrap()),
        ("db empty", |store| fs::write(store.join("db"), b"").unwrap()),
        ("conf of noise", |store| fs::write(store.join("conf"), vec![0x5A; 100]).unwrap()),
    ];
    for (what, spoil) in spoilers {
        let scratch = base.copy();
        spoil(&scratch.store());
        let without = scratch.copy();

        let mut log = scratch.open().unwrap();
        assert_eq!((log.head(), log.tip()), (Seq(500), tip), "{what}");
        let alarms = log.alarms();
        let Some(Alarm::StoreRebuilt { aside, entries, .. }) = alarms.last() else {
            panic!("{what}: {alarms:?}");
        };
        assert_eq!(*entries, 500);
        assert!(aside.as_ref().unwrap().join("db").exists(), "{what}");
        append(&mut log, &[body(501)]);
        drop(log);
        let mut log = scratch.open().unwrap();
        assert_eq!(contents(&log).len(), 501);
        assert_eq!(log.alarms(), [], "{what}");

        fs::remove_file(without.mirror()).unwrap();
        let error = refusal(without.open());
        assert!(error.contains("no mirror with entries"), "{what}: {error}");
        let error = refusal(without.open_with(MirrorAt::Nowhere));
        assert!(error.contains("no mirror with entries"), "{what}: {error}");
    }
}

#[test]
fn a_missing_store_is_rebuilt_from_the_mirror() {
    let (scratch, tip) = Scratch::filled(30);
    fs::remove_dir_all(scratch.store()).unwrap();
    let mut log = scratch.open().unwrap();
    assert_eq!((log.head(), log.tip()), (Seq(30), tip));
    let rebuilt = Alarm::StoreRebuilt { why: "it is missing".to_owned(), aside: None, entries: 30 };
    assert_eq!(log.alarms(), [rebuilt]);
    drop(log);

    fs::remove_dir_all(scratch.store()).unwrap();
    fs::remove_file(scratch.mirror()).unwrap();
    for _ in 0..2 {
        let error = refusal(scratch.open());
        assert!(error.contains("it is missing"), "{error}");
    }
}

#[test]
fn a_store_with_nothing_in_it_yet_is_not_lost() {
    let scratch = Scratch::new();
    for _ in 0..3 {
        let mut log = scratch.open_with(MirrorAt::Nowhere).unwrap();
        assert_eq!((log.head(), log.alarms()), (Seq(0), Vec::new()));
    }
}
