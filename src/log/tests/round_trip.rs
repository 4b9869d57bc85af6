//! What is appended is read again, after a new start too.

use super::*;

#[test]
fn what_was_appended_is_there_after_a_restart() {
    let scratch = Scratch::new();
    let mut log = scratch.open().unwrap();
    assert_eq!((log.head(), log.tip()), (Seq(0), Chain::GENESIS));
    append(&mut log, &[b"a".to_vec()]);
    append(&mut log, &[b"b".to_vec(), Vec::new()]);
    append(&mut log, &[]);
    let (head, tip) = (log.head(), log.tip());
    assert_eq!(head, Seq(3));
    drop(log);

    let mut log = scratch.open().unwrap();
    assert_eq!((log.head(), log.tip()), (head, tip));
    assert_eq!(contents(&log), [b"a".to_vec(), b"b".to_vec(), Vec::new()]);
    assert_eq!(log.alarms(), []);
}

#[test]
fn large_commits_stay_in_order_and_in_the_file_that_is_synced() {
    let scratch = Scratch::new();
    let mut log = scratch.open().unwrap();
    let large = |i: usize| vec![(i % 251) as u8; MAX_ENTRY];
    let mut wanted = Vec::new();
    for commit in 0..8 {
        let bodies: Vec<_> = (0..50).map(|i| large(commit * 50 + i)).collect();
        append(&mut log, &bodies);
        wanted.extend(bodies);
    }
    append(&mut log, &vec![b"small".to_vec(); MAX_BATCH]);
    wanted.extend(vec![b"small".to_vec(); MAX_BATCH]);
    drop(log);

    assert_eq!(contents(&scratch.open().unwrap()), wanted);
    let blobs = fs::read_dir(scratch.store().join("blobs")).unwrap().count();
    assert_eq!(blobs, 0, "sled never syncs these files");
}

#[test]
fn reads_begin_and_end_anywhere() {
    let scratch = Scratch::new();
    let mut log = scratch.open().unwrap();
    append(&mut log, &(1..=300).map(body).collect::<Vec<_>>());
    append(&mut log, &[body(301)]);
    append(&mut log, &(302..=700).map(body).collect::<Vec<_>>());
    let reader = log.reader();
    for (after, limit) in [(0, 1), (0, 700), (37, 5), (299, 3), (300, 1), (699, 9), (0, 0)] {
        let read = reader.read(Seq(after), limit).unwrap();
        let wanted = (after + 1..=700).take(limit);
        assert!(read.iter().map(|s| s.seq.0).eq(wanted.clone()), "{after} {limit}");
        assert!(read.iter().map(|s| s.body.clone()).eq(wanted.map(body)));
    }
    assert!(reader.read(Seq(700), 1).unwrap().is_empty());
    assert!(reader.read(Seq(u64::MAX), 1).unwrap().is_empty());
}

#[test]
fn a_reader_on_another_thread_follows_without_gaps() {
    let scratch = Scratch::new();
    let mut log = scratch.open().unwrap();
    let reader = log.reader();
    let follower = std::thread::spawn(move || {
        let mut at = Seq(0);
        while at < Seq(2000) {
            for stored in reader.read(at, 64).unwrap() {
                assert_eq!(stored.seq, next(at));
                at = stored.seq;
            }
        }
    });
    for _ in 0..20 {
        // Several records, so that sled has an order to get wrong.
        append(&mut log, &vec![vec![9; 1000]; 100]);
    }
    follower.join().unwrap();
}

#[test]
fn what_breaks_a_rule_is_refused_and_the_log_goes_on() {
    let scratch = Scratch::new();
    let mut log = scratch.open().unwrap();
    let refused = |log: &mut SledLog, first, bodies: &[Vec<u8>]| log.append(Seq(first), bodies).unwrap_err().to_string();
    assert_eq!(refused(&mut log, 2, &[body(1)]), "a commit must begin at entry 1, not 2");
    assert_eq!(refused(&mut log, 1, &[body(1), vec![0; MAX_ENTRY + 1]]), "too large entry, in bytes: 16385, at most 16384");
    assert_eq!(refused(&mut log, 1, &vec![Vec::new(); MAX_BATCH + 1]), "too large commit, in entries: 1025, at most 1024");
    append(&mut log, &[body(1)]);
    assert_eq!(contents(&log), [body(1)]);
}

#[test]
fn after_a_failed_sync_nothing_is_taken_until_a_new_start() {
    let (scratch, tip) = Scratch::filled(3);
    let mut log = scratch.open().unwrap();
    log.break_sync();
    let error = log.append(Seq(4), &[body(4)]).unwrap_err();
    assert!(matches!(error, Error::Io { .. }), "{error}");
    for _ in 0..2 {
        let again = log.append(Seq(4), &[body(4)]);
        assert!(matches!(again, Err(Error::Halted)));
    }
    assert_eq!((log.head(), log.tip()), (Seq(3), tip));
    assert_eq!(contents(&log).len(), 3, "readers see what is durable");
    drop(log);
    let mut log = scratch.open().unwrap();
    append(&mut log, &[body(5)]);
    contents(&log);
}

#[test]
fn verify_finds_an_entry_that_was_changed_with_its_checksum() {
    let (scratch, _) = Scratch::filled(9);
    let mut bytes = Vec::new();
    {
        let log = scratch.open().unwrap();
        bytes.extend(log.reader().read(Seq(4), 1).unwrap());
    }
    let forged = record::pack(Seq(5), bytes[0].chain, &[b"forged".to_vec()]);
    let dir = dir::Dir::open(scratch.path(), WAIT).unwrap();
    let store = store::Store::open(&dir, WAIT, &mut Vec::new()).unwrap();
    store.put(&forged).unwrap();
    store.sync().unwrap();
    drop((store, dir));

    let log = scratch.open().unwrap();
    let error = verify(&*log.reader()).unwrap_err().to_string();
    assert!(error.contains("entry 5"), "{error}");
}
