//! A crash in the middle of a write to the mirror (BH-23).

use super::*;
use mirror::Mirror;

/// What lies behind the cut.
#[derive(Clone, Copy, Debug)]
enum Behind {
    Nothing,
    Zeros,
}

/// A log with A, and the frame that B would be.
fn a_and_the_frame_of_b() -> (Scratch, Vec<u8>) {
    let scratch = Scratch::new();
    let mut log = scratch.open().unwrap();
    append(&mut log, &[b"A".to_vec()]);
    let tip = log.tip();
    drop(log);
    // Opening cuts the zeros off.
    drop(Mirror::open(&scratch.mirror(), WAIT).unwrap());
    let end = fs::metadata(scratch.mirror()).unwrap().len();
    let mut frame = Vec::new();
    let commit = record::pack(Seq(2), tip, &[b"B".to_vec()]);
    frame::encode(end, &commit.records, &mut frame);
    (scratch, frame)
}

fn tear(scratch: &Scratch, frame: &[u8], cut: usize, behind: Behind) {
    let mut bytes = fs::read(scratch.mirror()).unwrap();
    bytes.extend_from_slice(&frame[..cut]);
    if let Behind::Zeros = behind {
        bytes.resize(bytes.len() + frame.len() - cut + 5000, 0);
    }
    fs::write(scratch.mirror(), bytes).unwrap();
}

/// Cuts B at every byte, starts, appends C and D, starts again, and wants A, C, D, with the
/// store lost before both starts or not.
fn every_cut(behind: Behind, lose_store: bool) {
    let (base, frame) = a_and_the_frame_of_b();
    let lose = |scratch: &Scratch| {
        if lose_store {
            fs::remove_dir_all(scratch.store()).unwrap();
        }
    };
    for cut in 0..=frame.len() {
        let scratch = base.copy();
        tear(&scratch, &frame, cut, behind);
        lose(&scratch);
        let mut log = scratch.open().unwrap();
        let mut wanted = vec![b"A".to_vec()];
        if cut == frame.len() {
            // Whole, though never acknowledged: it may stay.
            wanted.push(b"B".to_vec());
        }
        assert_eq!(contents(&log), wanted, "cut at {cut}");
        append(&mut log, &[b"C".to_vec()]);
        append(&mut log, &[b"D".to_vec()]);
        wanted.extend([b"C".to_vec(), b"D".to_vec()]);
        drop(log);
        lose(&scratch);
        let log = scratch.open().unwrap();
        assert_eq!(contents(&log), wanted, "cut at {cut}");
        drop(log);
        let mirror = Mirror::open(&scratch.mirror(), WAIT).unwrap();
        assert_eq!(mirror.head().0 as usize, wanted.len(), "cut at {cut}");
    }
}

#[test]
fn a_torn_tail_is_cut_before_anything_is_written_behind_it() {
    every_cut(Behind::Nothing, false);
}

#[test]
fn a_torn_tail_in_front_of_zeros_too() {
    every_cut(Behind::Zeros, false);
}

#[test]
fn a_torn_tail_of_the_only_copy_too() {
    every_cut(Behind::Nothing, true);
    every_cut(Behind::Zeros, true);
}

#[test]
fn a_bad_frame_before_a_good_one_is_damage_with_its_place() {
    let (scratch, _) = Scratch::filled(3);
    let bytes = fs::read(scratch.mirror()).unwrap();
    let starts: Vec<_> = (0..bytes.len() - 4).filter(|at| bytes[*at..].starts_with(&frame::MAGIC)).collect();
    assert_eq!(starts.len(), 3);
    for offset in 0..starts[2] {
        let (seq, start) = if offset < starts[1] { (1, starts[0]) } else { (2, starts[1]) };
        flip(&scratch.mirror(), offset);
        let error = Mirror::open(&scratch.mirror(), WAIT).unwrap_err();
        let at = Place::Mirror { path: scratch.mirror(), offset: start as u64, seq: Seq(seq) };
        assert!(matches!(&error, Error::Damaged { at: found, .. } if found == &at), "{error}");
        flip(&scratch.mirror(), offset);
    }
    // Not with half a log, not even with the store whole.
    flip(&scratch.mirror(), starts[1] + 20);
    let error = refusal(scratch.open());
    assert!(error.contains(&format!("byte {} of", starts[1])), "{error}");
    assert!(error.contains("entry 2"), "{error}");
}

#[test]
fn a_frame_in_the_text_of_a_torn_entry_is_no_frame() {
    let (scratch, frame) = a_and_the_frame_of_b();
    let tip = scratch.open().unwrap().tip();
    drop(Mirror::open(&scratch.mirror(), WAIT).unwrap());
    let end = fs::metadata(scratch.mirror()).unwrap().len();
    let mut outer = Vec::new();
    let commit = record::pack(Seq(2), tip, &[frame, vec![1; 100]]);
    frame::encode(end, &commit.records, &mut outer);
    tear(&scratch, &outer, outer.len() - 50, Behind::Nothing);
    assert_eq!(scratch.open().unwrap().head(), Seq(1));
}
