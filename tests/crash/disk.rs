//! A disk that can lose its power: a file system in a file, and a copy of that file is what the disk held at that moment.
//!
//! What the daemon wrote and did not sync is in the page cache of the file system inside, and hence in no copy. Of that,
//! any part may have reached a disk that writes in an order of its own: so half of the cuts mix the copy, block by block,
//! with what the disk holds once all has been written. It has no cache of its own that could lose what was flushed to it.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use tempfile::TempDir;

/// Room for the log of a hall.
const SIZE: u64 = 192 << 20;
/// What a disk writes as a whole.
const BLOCK: usize = 4096;
/// How much of two copies is compared at once.
const CHUNK: usize = 1 << 20;

/// The disk that there is now.
pub(crate) struct Disk {
    dir: TempDir,
    image: PathBuf,
    cuts: u32,
}

impl Disk {
    /// A disk with an empty file system.
    ///
    /// # Errors
    /// Why there can be none here: it takes root and loop devices.
    pub(crate) fn new() -> Result<Disk, String> {
        let dir = scratch();
        let image = dir.path().join("image.0");
        File::create(&image).and_then(|file| file.set_len(SIZE)).map_err(|e| e.to_string())?;
        // All its tables now: what the kernel does later in the background is no part of the test.
        done(Command::new("mkfs.ext4").args(["-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"]).arg(&image))?;
        let disk = Disk { dir, image, cuts: 0 };
        std::fs::create_dir(disk.files()).map_err(|e| e.to_string())?;
        disk.mount()?;
        Ok(disk)
    }

    /// Where its files are.
    pub(crate) fn files(&self) -> PathBuf {
        self.dir.path().join("files")
    }

    fn mount(&self) -> Result<(), String> {
        done(Command::new("mount").args(["-t", "ext4", "-o", "loop"]).arg(&self.image).arg(self.files()))
    }

    /// Has all that was written reach the disk.
    pub(crate) fn sync(&self) {
        done(Command::new("sync").arg("-f").arg(self.files())).unwrap();
    }

    /// What the disk holds at this moment, to be put in with [`Disk::put_in`]. Nobody may be writing.
    pub(crate) fn held(&mut self) -> PathBuf {
        self.cuts += 1;
        let copy = self.dir.path().join(format!("image.{}", self.cuts));
        done(Command::new("cp").arg("--sparse=always").arg(&self.image).arg(&copy)).unwrap();
        copy
    }

    /// The same, and of all that was written since, whatever blocks the dice say.
    pub(crate) fn held_and_some(&mut self, dice: &mut ChaCha8Rng) -> PathBuf {
        let held = self.held();
        self.sync();
        let (held_file, written) = (File::options().read(true).write(true).open(&held).unwrap(), File::open(&self.image).unwrap());
        let (mut before, mut after) = (vec![0; CHUNK], vec![0; CHUNK]);
        for at in (0..SIZE).step_by(CHUNK) {
            held_file.read_exact_at(&mut before, at).unwrap();
            written.read_exact_at(&mut after, at).unwrap();
            if before == after {
                continue;
            }
            for (place, (old, new)) in (at..).step_by(BLOCK).zip(before.chunks(BLOCK).zip(after.chunks(BLOCK))) {
                if old != new && dice.random_bool(0.5) {
                    held_file.write_all_at(new, place).unwrap();
                }
            }
        }
        held
    }

    /// Puts what it held in its place, as after a power cut. Nobody may have a file open.
    pub(crate) fn put_in(&mut self, copy: PathBuf) {
        done(Command::new("umount").arg(self.files())).unwrap();
        std::fs::remove_file(&self.image).unwrap();
        self.image = copy;
        self.mount().unwrap();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // It may not have been mounted.
        let _ = done(Command::new("umount").arg("-l").arg(self.files()));
    }
}

/// A directory in memory where that can be had: whether the disk below is one does not matter.
pub(crate) fn scratch() -> TempDir {
    let shm = Path::new("/dev/shm");
    if shm.is_dir() { tempfile::tempdir_in(shm) } else { tempfile::tempdir() }.unwrap()
}

fn done(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim())),
        Err(e) => Err(format!("{name}: {e}")),
    }
}
