//! On which file systems the log may lie. Over a network or through FUSE a sync is somebody
//! else's promise, and sled was seen damaged there; a disk of one's own is asked for.

use std::path::Path;

use super::Error;

/// File systems the log refuses, by the magic number of `statfs(2)`.
const REFUSED: [(u32, &str); 18] = [
    (0x6573_5546, "a FUSE file system"),
    (0x6969, "NFS"),
    (0x517B, "SMB"),
    (0xFF53_4D42, "CIFS"),
    (0xFE53_4D42, "SMB2"),
    (0x0102_1997, "9P"),
    (0x00C3_6400, "Ceph"),
    (0x0BD0_0BD0, "Lustre"),
    (0x5346_414F, "AFS"),
    (0x6B41_4653, "AFS"),
    (0x7375_7245, "Coda"),
    (0x564C, "NCP"),
    (0x0116_1970, "GFS2"),
    (0x7461_636F, "OCFS2"),
    (0x4750_4653, "GPFS"),
    (0x1983_0326, "BeeGFS"),
    (0x2003_0528, "OrangeFS"),
    (0x786F_4256, "a VirtualBox shared folder"),
];

/// Refuses a directory on a file system the log may not lie on.
///
/// # Errors
///
/// [`Error::Filesystem`]; [`Error::Io`] if the system will not say.
pub(super) fn check(path: &Path) -> Result<(), Error> {
    let found = rustix::fs::statfs(path).map_err(|e| Error::io("ask for the file system of", path, e.into()))?;
    // The field's type differs between architectures; all magic numbers are 32 bits.
    match refused(found.f_type as u32) {
        Some(kind) => Err(Error::Filesystem { path: path.to_owned(), kind }),
        None => Ok(()),
    }
}

/// The name of a refused file system.
fn refused(magic: u32) -> Option<&'static str> {
    REFUSED.iter().find(|(number, _)| *number == magic).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_and_fuse_are_refused_disks_are_not() {
        for (magic, refused_as) in [
            (0x6573_5546, Some("a FUSE file system")),
            (0x6969, Some("NFS")),
            (0xFF53_4D42, Some("CIFS")),
            (0xFE53_4D42, Some("SMB2")),
            (0x0102_1997, Some("9P")),
            (0xEF53, None),      // ext2, ext3, ext4
            (0x5846_5342, None), // XFS
            (0x9123_683E, None), // Btrfs
            (0xF2F5_2010, None), // F2FS
            (0x2FC1_2FC1, None), // ZFS
            (0x0102_1994, None), // tmpfs
            (0x794C_7630, None), // overlayfs
            (0x4D44, None),      // FAT, a stick with the mirror
            (0x2011_BAB0, None), // exFAT
        ] {
            assert_eq!(refused(magic), refused_as, "{magic:#x}");
        }
    }

    #[test]
    fn here_is_fine_and_nowhere_is_an_error() {
        let here = tempfile::tempdir().unwrap();
        check(here.path()).unwrap();
        assert!(matches!(check(&here.path().join("missing")), Err(Error::Io { .. })));
    }

    #[test]
    fn the_refusal_says_what_to_do() {
        let error = Error::Filesystem { path: "/mnt/share".into(), kind: "NFS" };
        assert_eq!(error.to_string(), "/mnt/share is on NFS, where a sync cannot be trusted: use a directory on a local disk");
    }
}
