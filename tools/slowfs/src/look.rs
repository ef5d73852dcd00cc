//! The look of an inode: size, times, mode and whether it is a link, all computed from its number.
//!
//! The proportions are those of a source tree with a few oddities, so that every colour and every
//! permission filter has matches: one regular file in eight is executable, one in 64 setuid, one in
//! 64 setgid, one in 64 writable by all; one directory in 16 is world-writable, one in 16 sticky,
//! one in 16 both. One file in 16 is empty.

use std::fs::Metadata;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fuser::{AccessFlags, FileAttr, FileType};

use crate::shape::Slot;
use crate::span;

/// 2020-01-01T00:00:00Z, in seconds since 1970: times lie in the five years that follow.
const EPOCH: u64 = 1_577_836_800;
/// The length of the time that times are spread over, in seconds.
const SPREAD: u64 = 5 * 365 * 86_400;

/// What kinds of entries and times the tree has.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look {
    /// Regular files of mode 0644 and directories of mode 0755 only.
    pub plain: bool,
    /// The percentage of files that are symbolic links.
    pub links: u8,
    /// Times are truncated to a multiple of this; zero keeps nanoseconds.
    pub granularity: Duration,
}

/// What a user may do with an inode. Root may do everything, except execute a file without an
/// executable bit.
pub(crate) fn allowed(attr: &FileAttr, uid: u32, gid: u32) -> AccessFlags {
    let bits = match (uid, gid) {
        (0, _) => 6 | u16::from(attr.perm & 0o111 != 0 || attr.kind == FileType::Directory),
        (uid, _) if uid == attr.uid => attr.perm >> 6,
        (_, gid) if gid == attr.gid => attr.perm >> 3,
        _ => attr.perm,
    };
    AccessFlags::from_bits_truncate(i32::from(bits & 7))
}

/// The type of an inode of another file system.
pub(crate) fn kind_of(meta: &Metadata) -> FileType {
    FileType::from_std(meta.file_type()).unwrap_or(FileType::RegularFile)
}

/// What a file entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A directory.
    Dir,
    /// A regular file.
    Regular,
    /// A link to a regular file of the same directory.
    LinkToFile,
    /// A link to its own directory: a loop for a program that follows links.
    LinkToDir,
    /// A link to nothing.
    Dangling,
}

impl Kind {
    /// Whether the entry is a symbolic link.
    pub fn is_link(self) -> bool {
        matches!(self, Kind::LinkToFile | Kind::LinkToDir | Kind::Dangling)
    }
}

/// Times of an inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// Last change of the content.
    pub modified: SystemTime,
    /// Last change of the inode, up to an hour later.
    pub changed: SystemTime,
}

/// Spreads neighbouring numbers over all 64 bits (the splitmix64 finaliser).
fn mix(ino: u64) -> u64 {
    let mut bits = ino.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

impl Look {
    /// What the entry is.
    pub fn kind(&self, ino: u64, slot: Slot) -> Kind {
        let bits = mix(ino);
        match slot {
            Slot::Dir => Kind::Dir,
            Slot::File if self.plain || bits % 100 >= u64::from(self.links) => Kind::Regular,
            // Half of the links lead to files, a quarter to a directory, a quarter nowhere.
            Slot::File => match (bits >> 56) % 4 {
                0 => Kind::Dangling,
                1 => Kind::LinkToDir,
                _ => Kind::LinkToFile,
            },
        }
    }

    /// Permission bits with setuid, setgid and sticky. The root is always 0755.
    pub fn mode(&self, ino: u64, kind: Kind) -> u16 {
        let pick = (mix(ino) >> 40) % 64;
        match kind {
            Kind::Dir if self.plain || ino == crate::shape::ROOT => 0o755,
            Kind::Dir => match pick % 16 {
                0 => 0o777,
                1 => 0o1755,
                2 => 0o1777,
                _ => 0o755,
            },
            Kind::Regular if self.plain => 0o644,
            Kind::Regular => match pick {
                0 => 0o4755,
                1 => 0o2755,
                2 => 0o666,
                3..=10 => 0o755,
                _ => 0o644,
            },
            _ => 0o777,
        }
    }

    /// Bytes of a regular file: spread evenly over the powers of two up to a MiB; one in 16 is
    /// empty.
    pub fn size(&self, ino: u64) -> u64 {
        let bits = mix(ino);
        if (bits >> 20).is_multiple_of(16) {
            return 0;
        }
        let power = 1 << ((bits >> 32) % 20);
        power + bits % power
    }

    /// The times, rounded down to the granularity.
    pub fn times(&self, ino: u64) -> Times {
        let bits = mix(ino);
        let modified = Duration::new(EPOCH + bits % SPREAD, (bits >> 34) as u32 % 1_000_000_000);
        let changed = modified + Duration::from_secs((bits >> 48) % 3_600);
        Times {
            modified: UNIX_EPOCH + span::truncate(modified, self.granularity),
            changed: UNIX_EPOCH + span::truncate(changed, self.granularity),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of the inodes below 100,000 fulfil `test`.
    fn count(test: impl Fn(u64) -> bool) -> usize {
        (2..100_000).filter(|&ino| test(ino)).count()
    }

    #[test]
    fn proportions() {
        let look = Look::default();
        let modes = |mode| count(|ino| look.mode(ino, Kind::Regular) == mode);
        assert!((11_500..13_500).contains(&modes(0o755)), "{}", modes(0o755));
        for odd in [0o4755, 0o2755, 0o666] {
            assert!((1_300..1_900).contains(&modes(odd)), "{odd:o} {}", modes(odd));
        }
        for odd in [0o777, 0o1755, 0o1777] {
            let found = count(|ino| look.mode(ino, Kind::Dir) == odd);
            assert!((5_700..6_800).contains(&found), "{odd:o} {found}");
        }
        assert_eq!(count(|ino| look.kind(ino, Slot::File) != Kind::Regular), 0);
        let linked = Look { links: 20, ..look };
        for (kind, least) in
            [(Kind::LinkToFile, 9_000), (Kind::LinkToDir, 4_500), (Kind::Dangling, 4_500)]
        {
            let found = count(|ino| linked.kind(ino, Slot::File) == kind);
            assert!((least..least * 5 / 4).contains(&found), "{kind:?} {found}");
        }
    }

    #[test]
    fn plain_means_plain() {
        let look = Look { plain: true, links: 50, ..Look::default() };
        assert_eq!(count(|ino| look.kind(ino, Slot::File) != Kind::Regular), 0);
        assert_eq!(count(|ino| look.mode(ino, Kind::Regular) != 0o644), 0);
        assert_eq!(count(|ino| look.mode(ino, Kind::Dir) != 0o755), 0);
    }

    #[test]
    fn coarse_times() {
        for granularity in [Duration::from_millis(10), Duration::from_secs(2)] {
            let coarse = Look { granularity, ..Look::default() };
            for ino in 2..1_000 {
                let time = coarse.times(ino).modified;
                let since = time.duration_since(UNIX_EPOCH).expect("after 1970");
                assert_eq!(since.as_nanos() % granularity.as_nanos(), 0);
                let off = Look::default().times(ino).modified.duration_since(time);
                assert!(off.expect("rounded down") < granularity);
            }
        }
    }
}
