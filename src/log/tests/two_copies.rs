//! Store and mirror apart, and together again.

use super::*;

fn all(n: u64) -> Vec<Vec<u8>> {
    (1..=n).map(body).collect()
}

#[test]
fn a_deleted_mirror_is_refilled() {
    let (scratch, tip) = Scratch::filled(40);
    fs::remove_file(scratch.mirror()).unwrap();
    let mut log = scratch.open().unwrap();
    let path = scratch.mirror();
    assert_eq!(log.alarms(), [Alarm::MirrorRefilled { path, entries: 40 }]);
    assert_eq!(log.alarms(), [], "each is given out once");
    drop(log);

    fs::remove_dir_all(scratch.store()).unwrap();
    let log = scratch.open().unwrap();
    assert_eq!(log.tip(), tip);
    assert_eq!(contents(&log), all(40));
}

#[test]
fn a_mirror_longer_than_a_commit_is_refilled_and_rolled_forward_whole() {
    let n = 3 * MAX_BATCH as u64 + 7;
    let scratch = Scratch::new();
    let mut log = scratch.open_with(MirrorAt::Nowhere).unwrap();
    for commit in all(n).chunks(600) {
        append(&mut log, commit);
    }
    drop(log);
    drop(scratch.open().unwrap());
    fs::remove_dir_all(scratch.store()).unwrap();
    assert_eq!(contents(&scratch.open().unwrap()), all(n));
}

#[test]
fn the_log_goes_on_when_the_mirror_fails_and_the_next_start_refills_it() {
    let (scratch, _) = Scratch::filled(2);
    let mut log = scratch.open().unwrap();
    log.unplug_mirror();
    append(&mut log, &[body(3)]);
    append(&mut log, &[body(4)]);
    let alarms = log.alarms();
    let [Alarm::MirrorFailed { path, last, .. }] = alarms.as_slice() else {
        panic!("{alarms:?}");
    };
    assert_eq!((path, *last), (&scratch.mirror(), Seq(2)));
    assert_eq!(contents(&log), all(4));
    drop(log);

    let mut log = scratch.open().unwrap();
    let path = scratch.mirror();
    assert_eq!(log.alarms(), [Alarm::MirrorRefilled { path, entries: 2 }]);
    assert_eq!(contents(&log), all(4));
}

#[test]
fn a_copy_that_is_deleted_while_it_is_in_use_is_noticed() {
    let (scratch, _) = Scratch::filled(2);
    let mut log = scratch.open().unwrap();
    append(&mut log, &[body(3)]);
    fs::File::options().write(true).open(scratch.mirror()).unwrap().set_len(100).unwrap();
    append(&mut log, &[body(4)]);
    assert!(matches!(&log.alarms()[..], [Alarm::MirrorFailed { last: Seq(3), why, .. }] if why.contains("cut to 100 bytes")));
    drop(log);
    fs::remove_file(scratch.mirror()).unwrap();

    let mut log = scratch.open().unwrap();
    log.alarms();
    fs::remove_file(scratch.mirror()).unwrap();
    append(&mut log, &[body(5)]);
    assert!(matches!(&log.alarms()[..], [Alarm::MirrorFailed { last: Seq(4), why, .. }] if why.contains("deleted")));
    fs::remove_dir_all(scratch.store()).unwrap();
    let error = log.append(Seq(6), &[body(6)]).unwrap_err();
    assert!(error.to_string().contains("deleted"), "{error}");
    assert!(matches!(log.append(Seq(6), &[body(6)]).unwrap_err(), Error::Halted));
}

#[test]
fn a_mirror_that_cannot_be_opened_is_an_alarm() {
    let (scratch, _) = Scratch::filled(2);
    let gone = scratch.path().join("no-stick-here/mirror.zn");
    fs::create_dir_all(&gone).unwrap();
    let mut log = scratch.open_with(MirrorAt::Path(gone)).unwrap();
    append(&mut log, &[body(3)]);
    assert!(matches!(log.alarms()[..], [Alarm::MirrorFailed { .. }]));
}

#[test]
fn a_store_that_is_lost_is_not_rebuilt_from_a_mirror_that_lacks_entries() {
    let (scratch, _) = Scratch::filled(2);
    let mut log = scratch.open().unwrap();
    log.unplug_mirror();
    append(&mut log, &[body(3)]);
    drop(log);
    let whole = scratch.copy();
    fs::remove_dir_all(scratch.store()).unwrap();
    for _ in 0..2 {
        let error = scratch.open().unwrap_err();
        assert!(matches!(error, Error::MirrorBehind { last: Seq(2), .. }), "{error}");
    }
    fs::remove_file(scratch.path().join("mirror.behind")).unwrap();
    assert_eq!(contents(&scratch.open().unwrap()), all(2), "who removes the note has decided");

    // Refilled, it is as good as ever.
    assert_eq!(contents(&whole.open().unwrap()), all(3));
    fs::remove_dir_all(whole.store()).unwrap();
    assert_eq!(contents(&whole.open().unwrap()), all(3));
}

#[test]
fn who_only_reads_notes_nothing() {
    let (scratch, _) = Scratch::filled(2);
    drop(scratch.open_with(MirrorAt::Nowhere).unwrap());
    fs::remove_dir_all(scratch.store()).unwrap();
    assert_eq!(contents(&scratch.open().unwrap()), all(2), "the mirror lacks nothing");
    let mut log = scratch.open_with(MirrorAt::Nowhere).unwrap();
    append(&mut log, &[body(3)]);
    drop(log);
    fs::remove_dir_all(scratch.store()).unwrap();
    assert!(matches!(scratch.open().unwrap_err(), Error::MirrorBehind { last: Seq(2), .. }));
}

#[test]
fn a_file_that_is_no_mirror_is_left_alone() {
    let (scratch, _) = Scratch::filled(2);
    let notes = scratch.path().join("notes.txt");
    fs::write(&notes, "precious").unwrap();
    let error = scratch.open_with(MirrorAt::Path(notes.clone())).unwrap_err();
    assert!(matches!(error, Error::NotAMirror { .. }), "{error}");
    assert_eq!(fs::read(&notes).unwrap(), b"precious");
}

#[test]
fn a_store_behind_its_mirror_is_rolled_forward() {
    let (scratch, _) = Scratch::filled(5);
    let behind = scratch.copy();
    let mut log = scratch.open().unwrap();
    append(&mut log, &[body(6), body(7)]);
    let tip = log.tip();
    drop(log);
    fs::copy(scratch.mirror(), behind.mirror()).unwrap();

    let mut log = behind.open().unwrap();
    assert_eq!(log.alarms(), [Alarm::StoreRolledForward { entries: 2 }]);
    assert_eq!(log.tip(), tip);
    assert_eq!(contents(&log), all(7));
    append(&mut log, &[body(8)]);
    drop(log);
    let mut log = behind.open().unwrap();
    assert_eq!(contents(&log), all(8));
    assert_eq!(log.alarms(), []);
}

#[test]
fn a_mirror_with_another_story_is_refused_where_it_begins() {
    let (scratch, _) = Scratch::filled(5);
    let (other, _) = (scratch.copy(), ());
    for (log, text) in [(&scratch, "white"), (&other, "black")] {
        let mut log = log.open().unwrap();
        append(&mut log, &[body(6), text.into(), body(8)]);
    }
    // As long, shorter, longer.
    for more in 0..3 {
        let (here, there) = (scratch.copy(), other.copy());
        let longer = if more == 1 { &here } else { &there };
        if more > 0 {
            append(&mut longer.open().unwrap(), &[body(9)]);
        }
        fs::copy(there.mirror(), here.mirror()).unwrap();
        let error = here.open().unwrap_err();
        assert!(matches!(error, Error::Contradiction { seq: Seq(7), .. }), "{more}: {error}");
    }
}
