//! One process at a time.

use std::{env, process::Command};

use super::*;

/// Tells the other process which directory to try.
const DIR: &str = "ZEITNOT_TEST_LOCKED_DIR";

#[test]
fn a_second_log_is_refused_in_this_process_and_in_another() {
    let (scratch, _) = Scratch::filled(1);
    let log = scratch.open().unwrap();
    let message = format!("another zeitnot has {} open", scratch.path().display());
    let error = refusal(scratch.open());
    assert!(error.starts_with(&message), "{error}");

    let other = Command::new(env::current_exe().unwrap())
        .args(["--exact", "log::tests::locking::other_process", "--ignored", "--nocapture"])
        .env(DIR, scratch.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&other.stdout);
    assert!(said.contains(&message), "{said}");

    let reader = log.reader();
    drop(log);
    assert!(refusal(scratch.open()).starts_with(&message), "a reader holds it too");
    drop(reader);
    scratch.open().unwrap();
}

#[test]
#[ignore = "run by the test above in another process"]
fn other_process() {
    let dir = env::var_os(DIR).unwrap();
    let options = Options { wait: Duration::from_millis(100), ..Options::default() };
    println!("{}", refusal(SledLog::open(Path::new(&dir), &options)));
}

#[test]
fn waits_for_one_that_is_going() {
    let (scratch, _) = Scratch::filled(1);
    let log = scratch.open().unwrap();
    let going = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        drop(log);
    });
    scratch.open().unwrap();
    going.join().unwrap();
}

#[test]
fn a_mirror_in_use_is_refused() {
    let (scratch, _) = Scratch::filled(1);
    let _log = scratch.open().unwrap();
    let other = Scratch::new();
    let error = refusal(other.open_with(MirrorAt::Path(scratch.mirror())));
    assert!(error.contains("mirror.zn open"), "{error}");
}
