//! The directory of a log:
//!
//! ```text
//! FORMAT            the number of this layout; its lock is the lock of all
//! store/            sled
//! mirror.zn         the mirror, unless it is kept elsewhere
//! mirror.behind     what the mirror has at most, while it is known to lack what the store has
//! store.damaged.1/  a store that would not open, kept for whoever wants to look
//! snaps.damaged.1/  likewise sled's snapshots
//! ```

use std::{
    fs::{self, File, TryLockError},
    io::{self, Read, Write},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use super::{Error, filesystem};
use crate::game::Seq;

/// The number of the layout above.
const FORMAT: u32 = 1;
/// Between two tries for a lock. A killed process can hold its locks for a moment.
const PAUSE: Duration = Duration::from_millis(50);

/// The directory of a log, nobody else's while this lives.
#[derive(Debug)]
pub(super) struct Dir {
    path: PathBuf,
    /// Holds the lock, hence kept.
    format: File,
    born: bool,
}

impl Dir {
    /// Takes the directory, made if need be.
    ///
    /// # Errors
    ///
    /// [`Error::Filesystem`], [`Error::Format`], [`Error::Io`]; [`Error::Locked`] after
    /// waiting for `wait`.
    pub(super) fn open(path: &Path, wait: Duration) -> Result<Dir, Error> {
        fs::create_dir_all(path).map_err(|e| Error::io("make", path, e))?;
        filesystem::check(path)?;
        let file = path.join("FORMAT");
        let mut format = File::options().read(true).append(true).create(true).open(&file).map_err(|e| Error::io("open", &file, e))?;
        patiently(wait, || try_lock(&format, path))?;
        let mut found = String::new();
        format.read_to_string(&mut found).map_err(|e| Error::io("read", &file, e))?;
        // Empty: its making was cut short before there was a store to speak of.
        let born = !found.is_empty();
        if born && found.trim_end() != FORMAT.to_string() {
            return Err(Error::Format { dir: path.to_owned(), found: found.trim_end().to_owned(), known: FORMAT });
        }
        Ok(Dir { path: path.to_owned(), format, born })
    }

    /// Whether a log lived here before: then there must be a store.
    pub(super) fn born(&self) -> bool {
        self.born
    }

    /// Writes the format down, now that the store is there, and makes all names durable.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], [`Error::DiskFull`].
    pub(super) fn bear(&mut self) -> Result<(), Error> {
        if !self.born {
            writeln!(self.format, "{FORMAT}").and_then(|()| self.format.sync_all()).map_err(|e| Error::io("write FORMAT in", &self.path, e))?;
            self.born = true;
        }
        sync_dir(&self.path)?;
        sync_dir(parent(&self.path))
    }

    /// Where the store is.
    pub(super) fn store(&self) -> PathBuf {
        self.path.join("store")
    }

    /// Where the mirror is, if nowhere else.
    pub(super) fn mirror(&self) -> PathBuf {
        self.path.join("mirror.zn")
    }

    /// The note that the mirror lacks entries.
    pub(super) fn behind(&self) -> Behind {
        Behind(self.path.join("mirror.behind"))
    }

    /// A place for damaged things that is not taken yet.
    pub(super) fn aside(&self, what: &str) -> PathBuf {
        (1_u32..).map(|n| self.path.join(format!("{what}.damaged.{n}"))).find(|path| !path.exists()).unwrap_or_else(|| self.path.join("damaged"))
    }
}

/// A note beside the store that the mirror lacks what came after an entry: nothing may be rebuilt from it then.
#[derive(Debug, Clone)]
pub(super) struct Behind(PathBuf);

impl Behind {
    /// Notes that the mirror has nothing after `last`, for sure before anybody is told of what comes after it.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], [`Error::DiskFull`].
    pub(super) fn note(&self, last: Seq) -> Result<(), Error> {
        if self.noted()?.is_some() {
            return Ok(());
        }
        let note = || {
            let mut file = File::create(&self.0)?;
            writeln!(file, "{}", last.0)?;
            file.sync_all()
        };
        note().map_err(|e| Error::io("write", &self.0, e))?;
        sync_dir(parent(&self.0))
    }

    /// The last entry that the mirror has, where it is behind. A note that was cut short is one all the same.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub(super) fn noted(&self) -> Result<Option<Seq>, Error> {
        match fs::read_to_string(&self.0) {
            Ok(text) => Ok(Some(Seq(text.trim_end().parse().unwrap_or(0)))),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(Error::io("read", &self.0, e)),
        }
    }

    /// The mirror has everything again.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub(super) fn clear(&self) -> Result<(), Error> {
        match fs::remove_file(&self.0) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(Error::io("remove", &self.0, e)),
            _ => sync_dir(parent(&self.0)),
        }
    }

    /// Where it stands.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

/// Tries once for the lock of `file`; `path` is what the error names.
///
/// # Errors
///
/// [`Error::Locked`], [`Error::Io`].
pub(super) fn try_lock(file: &File, path: &Path) -> Result<(), Error> {
    file.try_lock().map_err(|e| match e {
        TryLockError::WouldBlock => Error::Locked { path: path.to_owned() },
        TryLockError::Error(e) => Error::io("lock", path, e),
    })
}

/// Tries again while the answer is [`Error::Locked`], for `wait` in all.
pub(super) fn patiently<T>(wait: Duration, mut attempt: impl FnMut() -> Result<T, Error>) -> Result<T, Error> {
    let tries = wait.as_millis() / PAUSE.as_millis();
    for _ in 0..tries {
        match attempt() {
            Err(Error::Locked { .. }) => thread::sleep(PAUSE),
            answer => return answer,
        }
    }
    attempt()
}

/// Makes the names in a directory durable.
///
/// # Errors
///
/// [`Error::Io`].
pub(super) fn sync_dir(path: &Path) -> Result<(), Error> {
    File::open(path).and_then(|dir| dir.sync_all()).map_err(|e| Error::io("sync", path, e))
}

/// Whether a file still has a name and its length. What is written to one that was deleted is gone with the process.
///
/// # Errors
///
/// It has none, is shorter than `length`, or the system does not say.
pub(super) fn still_whole(file: &File, length: u64) -> io::Result<()> {
    let known = file.metadata()?;
    match (known.nlink(), known.len()) {
        (0, _) => Err(io::Error::other("the file was deleted while it was in use")),
        (_, now) if now < length => Err(io::Error::other(format!("the file was cut to {now} bytes while it was in use"))),
        _ => Ok(()),
    }
}

/// The directory a path is in.
pub(super) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        Some(_) => Path::new("."),
        None => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_format_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("FORMAT"), "2\n").unwrap();
        let error = Dir::open(dir.path(), Duration::ZERO).unwrap_err();
        assert!(error.to_string().contains("format \"2\""), "{error}");
        assert!(error.to_string().contains("knows format 1"), "{error}");
    }

    #[test]
    fn is_born_once_and_locked_while_it_lives() {
        let tmp = tempfile::tempdir().unwrap();
        let path = tmp.path().join("venue/log");
        let mut dir = Dir::open(&path, Duration::ZERO).unwrap();
        assert!(!dir.born());
        dir.bear().unwrap();
        let error = Dir::open(&path, PAUSE).unwrap_err();
        assert!(matches!(&error, Error::Locked { path: p } if *p == path));
        drop(dir);
        assert!(Dir::open(&path, 20 * PAUSE).unwrap().born());
        assert_eq!(fs::read_to_string(path.join("FORMAT")).unwrap(), "1\n");
    }

    #[test]
    fn parents_of_all_kinds() {
        assert_eq!(parent(Path::new("a/b")), Path::new("a"));
        assert_eq!(parent(Path::new("a")), Path::new("."));
        assert_eq!(parent(Path::new("/")), Path::new("/"));
    }
}
