//! Why the log did not do something, and where it is damaged.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use crate::game::Seq;

/// Why the log did not do it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The commit does not follow the head. Nothing was written.
    #[error("a commit must begin at entry {}, not {}", expected.0, first.0)]
    OutOfOrder {
        /// Where it began.
        first: Seq,
        /// Where it had to begin.
        expected: Seq,
    },
    /// The commit breaks a limit. Nothing was written.
    #[error("too large {what}: {size}, at most {limit}")]
    TooLarge {
        /// What is too large, and what it is counted in.
        what: &'static str,
        /// How large it is.
        size: usize,
        /// How large it may be.
        limit: usize,
    },
    /// An append failed before; this one was not tried.
    #[error("the log stopped at an earlier error: see to its cause and start again")]
    Halted,
    /// No space left. Nothing acknowledged is lost.
    #[error("no space left while trying to {what}: free some and start again, nothing acknowledged is lost")]
    DiskFull {
        /// What was tried.
        what: String,
    },
    /// A part of the log is not what was written.
    #[error("the log is damaged at {at}: {what}")]
    Damaged {
        /// Where.
        at: Place,
        /// What is wrong there, and what would be right.
        what: String,
    },
    /// The store will not open or is gone, and no mirror can replace it. Left as it was.
    #[error(
        "the store {} cannot be used ({why}) and there is no mirror with entries to rebuild it from: \
         put a copy of the store or of the mirror back, or start with an empty directory", dir.display()
    )]
    StoreLost {
        /// The store.
        dir: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The store has lost entries, and the mirror never had them. Both are left as they were.
    #[error(
        "the store {} cannot be used ({why}), and the mirror lacks what came after entry {}, as {} says: put a copy of the store or of \
         a whole mirror back; to go on from there without what came after, remove that file", dir.display(), last.0, note.display()
    )]
    MirrorBehind {
        /// The store.
        dir: PathBuf,
        /// What is wrong with it.
        why: String,
        /// The last entry that the mirror has.
        last: Seq,
        /// The file that says so.
        note: PathBuf,
    },
    /// The file that was named as a mirror is something else. It is left alone.
    #[error("{} is no mirror: name a file that is not there yet, or a mirror of this log", path.display())]
    NotAMirror {
        /// The file.
        path: PathBuf,
    },
    /// Store and mirror tell different stories. One of them is from another venue, or
    /// changed.
    #[error(
        "the mirror {} contradicts the store from entry {} on: if the store is right, move the mirror away \
         and start again", mirror.display(), seq.0
    )]
    Contradiction {
        /// The first entry that differs.
        seq: Seq,
        /// The mirror.
        mirror: PathBuf,
    },
    /// Someone else has it.
    #[error("another zeitnot has {} open: stop it first, or use another directory", path.display())]
    Locked {
        /// The directory of the log, or the mirror.
        path: PathBuf,
    },
    /// A file system on which a sync cannot be trusted.
    #[error(
        "{} is on {kind}, where a sync cannot be trusted: use a directory on a local disk", path.display()
    )]
    Filesystem {
        /// The directory.
        path: PathBuf,
        /// The file system's name.
        kind: &'static str,
    },
    /// The directory is of a format this version does not know.
    #[error(
        "{} is of format {found:?}, and this zeitnot knows format {known}: use the zeitnot that wrote it, or a \
         newer one", dir.display()
    )]
    Format {
        /// The directory of the log.
        dir: PathBuf,
        /// What its FORMAT file says.
        found: String,
        /// What it may say.
        known: u32,
    },
    /// The operating system refused.
    #[error("could not {what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// What it said.
        source: io::Error,
    },
}

impl Error {
    /// An error of the operating system while trying to do `what` with `path`.
    pub(super) fn io(what: &str, path: &Path, source: io::Error) -> Error {
        let what = format!("{what} {}", path.display());
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Error::DiskFull { what },
            _ => Error::Io { what, source },
        }
    }

    /// Damage at an entry.
    pub(super) fn damaged(seq: Seq, what: impl Into<String>) -> Error {
        Error::Damaged { at: Place::Entry(seq), what: what.into() }
    }
}

/// A place in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// An entry of the store.
    Entry(Seq),
    /// A byte of the mirror.
    Mirror {
        /// The file.
        path: PathBuf,
        /// Bytes from its beginning.
        offset: u64,
        /// The entry that has to be there.
        seq: Seq,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entry(seq) => write!(f, "entry {}", seq.0),
            Self::Mirror { path, offset, seq } => {
                write!(f, "byte {offset} of {} (entry {})", path.display(), seq.0)
            }
        }
    }
}
