//! What went wrong with the log and was survived.

use std::{fmt, path::PathBuf};

use crate::game::Seq;

/// Something went wrong with the log and was survived; a person should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Alarm {
    /// The mirror cannot be written; the log goes on with the store alone until the next
    /// start, which refills the mirror.
    MirrorFailed {
        /// Where the mirror is.
        path: PathBuf,
        /// The last entry surely in it.
        last: Seq,
        /// What the system said.
        why: String,
    },
    /// The mirror lacked entries at the start and has them again.
    MirrorRefilled {
        /// Where the mirror is.
        path: PathBuf,
        /// How many entries it lacked.
        entries: u64,
    },
    /// The store lacked the last entries of the mirror at the start and has them again.
    /// After a power cut that is as it should be: the last commit may have reached one copy
    /// only.
    StoreRolledForward {
        /// How many entries it lacked.
        entries: u64,
    },
    /// The store was lost or would not open, and was built anew from the mirror.
    StoreRebuilt {
        /// What was wrong with it.
        why: String,
        /// Where the damaged store was put, if there was one.
        aside: Option<PathBuf>,
        /// How many entries the mirror had.
        entries: u64,
    },
    /// Sled's snapshots, which only shorten its start, were not usable and were put aside.
    SnapshotsSetAside {
        /// Where they are now.
        aside: PathBuf,
        /// How many there were.
        files: usize,
    },
}

impl fmt::Display for Alarm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MirrorFailed { path, last, why } => write!(
                f,
                "the mirror {} failed after entry {} ({why}): the log goes on without a second \
                 copy until the next start",
                path.display(),
                last.0
            ),
            Self::MirrorRefilled { path, entries } => {
                write!(f, "the mirror {} lacked {entries} entries and was refilled from the store", path.display())
            }
            Self::StoreRolledForward { entries } => write!(f, "the store lacked the last {entries} entries and took them from the mirror"),
            Self::StoreRebuilt { why, aside, entries } => {
                write!(f, "the store was rebuilt from the mirror with {entries} entries ({why})")?;
                match aside {
                    Some(aside) => write!(f, "; the old one is kept in {}", aside.display()),
                    None => Ok(()),
                }
            }
            Self::SnapshotsSetAside { aside, files } => write!(
                f,
                "{files} snapshot files of the store were not usable and are kept in {}; no \
                 entry is lost",
                aside.display()
            ),
        }
    }
}
