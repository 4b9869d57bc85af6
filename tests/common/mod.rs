//! What several tests share.

use std::path::{Path, PathBuf};

/// A folder of the material handed to the project, where that is present; `ZEITNOT_SHARED` names it.
pub(crate) fn shared(folder: &str) -> Option<PathBuf> {
    let root = std::env::var_os("ZEITNOT_SHARED").map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let dir = root.join(folder);
    if dir.is_dir() {
        return Some(dir);
    }
    println!("skipped: {} is not there (ZEITNOT_SHARED names its folder)", dir.display());
    None
}
