//! [`Volume`] and what may be concluded from it: no system call.

use std::fmt;
use std::time::Duration;

/// The type of a file system, by the magic number of statfs(2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VolumeKind {
    /// ext2, ext3 and ext4, which share one magic number.
    Ext,
    /// XFS.
    Xfs,
    /// Btrfs.
    Btrfs,
    /// tmpfs.
    Tmpfs,
    /// overlay: layers of other file systems.
    Overlay,
    /// A server in user space: FUSE, and virtiofs, which has the same magic number.
    Fuse,
    /// NFS of any version.
    Nfs,
    /// SMB shares, by any of the kernel's clients.
    Smb,
    /// CephFS, by the kernel's client.
    Ceph,
    /// Lustre.
    Lustre,
    /// 9P.
    NineP,
    /// FAT.
    Fat,
    /// exFAT.
    ExFat,
    /// NTFS: Windows's, and on Linux that of the kernel's own drivers.
    Ntfs,
    /// ZFS.
    Zfs,
    /// F2FS.
    F2fs,
    /// bcachefs.
    Bcachefs,
    /// Any other, with its magic number.
    Other(u32),
}

/// The types that have a name, each with a magic number of statfs(2) and the name.
const NAMES: [(VolumeKind, u32, &str); 17] = [
    (VolumeKind::Ext, 0xef53, "ext"),
    (VolumeKind::Xfs, 0x5846_5342, "XFS"),
    (VolumeKind::Btrfs, 0x9123_683e, "btrfs"),
    (VolumeKind::Tmpfs, 0x0102_1994, "tmpfs"),
    (VolumeKind::Overlay, 0x794c_7630, "overlay"),
    (VolumeKind::Fuse, 0x6573_5546, "FUSE"),
    (VolumeKind::Nfs, 0x6969, "NFS"),
    (VolumeKind::Smb, 0xff53_4d42, "SMB"),
    (VolumeKind::Ceph, 0x00c3_6400, "CephFS"),
    (VolumeKind::Lustre, 0x0bd0_0bd0, "Lustre"),
    (VolumeKind::NineP, 0x0102_1997, "9P"),
    (VolumeKind::Fat, 0x4d44, "FAT"),
    (VolumeKind::ExFat, 0x2011_bab0, "exFAT"),
    (VolumeKind::Ntfs, 0x7366_746e, "NTFS"),
    (VolumeKind::Zfs, 0x2fc1_2fc1, "ZFS"),
    (VolumeKind::F2fs, 0xf2f5_2010, "F2FS"),
    (VolumeKind::Bcachefs, 0xca45_1a4e, "bcachefs"),
];

impl VolumeKind {
    /// The types that have a name. States store positions in this array, so a type keeps its own.
    pub const NAMED: [VolumeKind; NAMES.len()] = {
        let mut named = [VolumeKind::Other(0); NAMES.len()];
        let mut at = 0;
        while at < NAMES.len() {
            named[at] = NAMES[at].0;
            at += 1;
        }
        named
    };

    /// The type that a magic number stands for. Makes no system call.
    #[must_use]
    pub fn from_magic(magic: u32) -> VolumeKind {
        match magic {
            0x517b | 0xfe53_4d42 => VolumeKind::Smb,
            0x5346_544e => VolumeKind::Ntfs,
            other => {
                let named = NAMES.iter().find(|(_, magic, _)| *magic == other);
                named.map_or(VolumeKind::Other(other), |(kind, ..)| *kind)
            }
        }
    }

    /// A magic number that stands for this type. Makes no system call.
    #[must_use]
    pub fn magic(self) -> u32 {
        match self {
            VolumeKind::Other(magic) => magic,
            named => named.names().map_or(0, |(_, magic, _)| *magic),
        }
    }

    fn names(self) -> Option<&'static (VolumeKind, u32, &'static str)> {
        NAMES.iter().find(|(kind, ..)| *kind == self)
    }

    /// Whether GNU's fts visits the entries of a very large directory in the order of their inodes.
    /// It does so wherever it does not know that this order is no faster. Makes no system call.
    #[must_use]
    pub fn prefers_inode_order(self) -> bool {
        use VolumeKind::{Lustre, Nfs, Smb, Tmpfs};
        !matches!(self, Lustre | Nfs | Smb | Tmpfs)
    }
}

impl fmt::Display for VolumeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VolumeKind::Other(0) => f.write_str("a file system of unknown type"),
            VolumeKind::Other(magic) => write!(f, "file system {magic:#x}"),
            named => f.write_str(named.names().map_or("", |(.., name)| name)),
        }
    }
}

/// The file system that a directory is on. No method but [`of`](Volume::of) makes a system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Volume {
    /// Its type.
    pub kind: VolumeKind,
    /// An identity that survives a reboot: on XFS the UUID, folded; on Windows the volume's serial
    /// number; elsewhere `f_fsid`, which on btrfs tells subvolumes apart. 0 if the file system has none (FUSE, NFS).
    pub fsid: u64,
    /// On ext file systems, whether inodes have room for nanoseconds (256 bytes, not 128). Elsewhere
    /// `true`.
    pub has_nanoseconds: bool,
}

impl Volume {
    /// Whether both are the same file system. Where one of them has no identity, the type alone
    /// decides.
    #[must_use]
    pub fn is_same(&self, other: &Volume) -> bool {
        let known = self.fsid != 0 && other.fsid != 0;
        self.kind == other.kind && (self.fsid == other.fsid || !known)
    }

    /// Whether a file keeps its inode number while it exists, across mounts and reboots. Servers in
    /// user space, overlays and some clients make numbers up as files are looked up; so do FAT and
    /// exFAT, which store none.
    #[must_use]
    pub fn trusts_inodes(&self) -> bool {
        use VolumeKind as Kind;
        let made_up = [Kind::Overlay, Kind::Fuse, Kind::Smb, Kind::NineP, Kind::Fat, Kind::ExFat];
        !made_up.contains(&self.kind) && !matches!(self.kind, Kind::Other(_))
    }

    /// Whether a directory with unchanged mtime and ctime, which are not racy, has the same names.
    /// Only file systems on which that was tested.
    ///
    /// ext: a directory must have a birth time as well, because an inode of a converted file system
    /// may have no room for nanoseconds, and has no birth time then. Not an overlay: while it is not
    /// mounted, a lower layer may get other names, and a directory that the upper layer has too
    /// keeps the times that it has there.
    #[must_use]
    pub fn trusts_directory_times(&self) -> bool {
        use VolumeKind as Kind;
        let tested = [Kind::Ext, Kind::Xfs, Kind::Btrfs, Kind::Tmpfs];
        self.has_nanoseconds && tested.contains(&self.kind)
    }

    /// Whether this machine's clock makes the timestamps. `false` for the types that are unknown, and
    /// for overlays, whose layers may be on any file system.
    #[must_use]
    pub fn is_local(&self) -> bool {
        use VolumeKind as Kind;
        let remote = [Kind::Fuse, Kind::Nfs, Kind::Smb, Kind::Ceph, Kind::Lustre, Kind::NineP];
        let is_unknown = matches!(self.kind, Kind::Overlay | Kind::Other(_));
        !is_unknown && !remote.contains(&self.kind)
    }

    /// The unit of the timestamps that the file system stores, as far as its type determines it.
    /// `None` if only a probe can. The clock that makes the timestamps may advance in longer steps
    /// ([`clock::coarse_resolution`](crate::clock::coarse_resolution)): the larger of both counts.
    #[must_use]
    pub fn granularity(&self) -> Option<Duration> {
        use VolumeKind as Kind;
        if !self.is_local() {
            return None;
        }
        Some(match self.kind {
            Kind::Fat | Kind::ExFat => Duration::from_secs(2),
            Kind::Ext if !self.has_nanoseconds => Duration::from_secs(1),
            Kind::Ntfs => Duration::from_nanos(100),
            _ => Duration::from_nanos(1),
        })
    }
}

/// A mount, as the system lists it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mount {
    /// The absolute path of the directory or file that it covers.
    pub place: Vec<u8>,
    /// All that the system says of it: the same text as before if the mount is the same.
    pub told: Vec<u8>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(magic: u32, has_nanoseconds: bool) -> Volume {
        Volume { kind: VolumeKind::from_magic(magic), fsid: 1, has_nanoseconds }
    }

    /// The list is that of gnulib's fts.c: CIFS, Lustre, NFS, SMB, SMB2, tmpfs.
    #[test]
    fn six_magic_numbers_keep_the_order_of_the_listing() {
        for (magic, by_inode) in [
            (0xff53_4d42, false),
            (0x0bd0_0bd0, false),
            (0x6969, false),
            (0x517b, false),
            (0xfe53_4d42, false),
            (0x0102_1994, false),
            (0xef53, true),
            (0x5846_5342, true),
            (0x9123_683e, true),
            (0x0102_1997, true),
            (0x6573_5546, true),
            (0x794c_7630, true),
            (0, true),
        ] {
            let kind = VolumeKind::from_magic(magic);
            assert_eq!(kind.prefers_inode_order(), by_inode, "{magic:#x}");
        }
    }

    #[test]
    fn each_type_says_what_may_be_concluded() {
        let nano = Some(Duration::from_nanos(1));
        let second = Some(Duration::from_secs(1));
        let two = Some(Duration::from_secs(2));
        // magic, has_nanoseconds; inodes, directory times, local, granularity
        let table = [
            (0xef53, true, true, true, true, nano),
            (0xef53, false, true, false, true, second),
            (0x5846_5342, true, true, true, true, nano),
            (0x9123_683e, true, true, true, true, nano),
            (0x0102_1994, true, true, true, true, nano),
            (0x794c_7630, true, false, false, false, None),
            (0x6573_5546, true, false, false, false, None),
            (0x6969, true, true, false, false, None),
            (0xff53_4d42, true, false, false, false, None),
            (0x4d44, true, false, false, true, two),
            (0x2fc1_2fc1, true, true, false, true, nano),
            (0x9fa0, true, false, false, false, None),
        ];
        for (magic, has_nanoseconds, inodes, directories, local, granularity) in table {
            let volume = volume(magic, has_nanoseconds);
            assert_eq!(volume.trusts_inodes(), inodes, "{volume:?}");
            assert_eq!(volume.trusts_directory_times(), directories, "{volume:?}");
            assert_eq!(volume.is_local(), local, "{volume:?}");
            assert_eq!(volume.granularity(), granularity, "{volume:?}");
            assert_eq!(VolumeKind::from_magic(volume.kind.magic()), volume.kind);
        }
    }

    #[test]
    fn volumes_are_the_same_by_type_and_identity() {
        let ext = volume(0xef53, true);
        assert!(ext.is_same(&Volume { has_nanoseconds: false, ..ext }));
        assert!(!ext.is_same(&Volume { fsid: 2, ..ext }));
        assert!(!ext.is_same(&volume(0x5846_5342, true)));
        let nfs = Volume { fsid: 0, ..volume(0x6969, true) };
        assert!(nfs.is_same(&nfs) && nfs.is_same(&Volume { fsid: 5, ..nfs }));
    }
}
