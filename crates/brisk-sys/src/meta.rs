//! What is known of a file: its type, and the metadata fields that were asked for.

use std::ffi::CString;
use std::time::{Duration, SystemTime};

bitflags::bitflags! {
    /// A set of metadata fields, in statx's words. The low bits are statx's own mask.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Fields: u32 {
        /// The file type; a directory read usually gives it for nothing.
        const TYPE = 0x1;
        /// Permission bits, with setuid, setgid and sticky.
        const MODE = 0x2;
        /// Number of hard links.
        const NLINK = 0x4;
        /// Owner.
        const UID = 0x8;
        /// Group.
        const GID = 0x10;
        /// Time of the last access.
        const ATIME = 0x20;
        /// Time of the last change of content.
        const MTIME = 0x40;
        /// Time of the last change of metadata.
        const CTIME = 0x80;
        /// Inode number as stat reports it; a dirent's differs at mount points and on overlayfs.
        const INO = 0x100;
        /// Size in bytes.
        const SIZE = 0x200;
        /// Allocated blocks of 512 bytes.
        const BLOCKS = 0x400;
        /// Time of creation.
        const BTIME = 0x800;
        /// Mount that the file was reached through.
        const MNT_ID = 0x1000;
        /// Device that holds the file.
        const DEV = 1 << 16;
        /// Whether the file has extended attributes or an access control list.
        const XATTR = 1 << 17;
        /// Whether the file has capabilities.
        const CAPS = 1 << 18;
        /// Where a symbolic link points.
        const LINK_TARGET = 1 << 19;
    }
}

impl Fields {
    /// The bits that statx's mask has; the rest need no request of their own or another call.
    pub const STATX: Fields = Fields::from_bits_truncate(0x1fff);
}

/// The type of a file, as a dirent or a stat reports it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FileType {
    /// The file system did not say (`DT_UNKNOWN`); a stat resolves it.
    #[default]
    Unknown,
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link (on Windows also a junction).
    Symlink,
    /// A block device.
    BlockDevice,
    /// A character device.
    CharDevice,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A door or another type that only some systems know.
    Other,
}

impl FileType {
    /// Whether this is a directory.
    #[must_use]
    pub fn is_dir(self) -> bool {
        self == FileType::Directory
    }

    /// The type in the high bits of a Unix mode.
    #[must_use]
    pub fn from_mode(mode: u32) -> FileType {
        match mode & 0o170_000 {
            0o100_000 => FileType::File,
            0o040_000 => FileType::Directory,
            0o120_000 => FileType::Symlink,
            0o060_000 => FileType::BlockDevice,
            0o020_000 => FileType::CharDevice,
            0o010_000 => FileType::Fifo,
            0o140_000 => FileType::Socket,
            _ => FileType::Other,
        }
    }

    /// The letter that `find -printf %y` prints.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            FileType::File => 'f',
            FileType::Directory => 'd',
            FileType::Symlink => 'l',
            FileType::BlockDevice => 'b',
            FileType::CharDevice => 'c',
            FileType::Fifo => 'p',
            FileType::Socket => 's',
            FileType::Other => 'D',
            FileType::Unknown => 'U',
        }
    }
}

/// A point in time: seconds since the epoch, negative before it, and nanoseconds after that second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp {
    /// Whole seconds since 1970-01-01 00:00 UTC.
    pub secs: i64,
    /// Nanoseconds, below 1,000,000,000.
    pub nanos: u32,
}

impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Timestamp {
        match time.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => Timestamp { secs: after.as_secs() as i64, nanos: after.subsec_nanos() },
            Err(before) => {
                let before = before.duration();
                let (secs, nanos) = (before.as_secs() as i64, before.subsec_nanos());
                if nanos == 0 {
                    Timestamp { secs: -secs, nanos: 0 }
                } else {
                    Timestamp { secs: -secs - 1, nanos: 1_000_000_000 - nanos }
                }
            }
        }
    }
}

impl From<Timestamp> for SystemTime {
    fn from(time: Timestamp) -> SystemTime {
        let nanos = Duration::from_nanos(u64::from(time.nanos));
        match u64::try_from(time.secs) {
            Ok(secs) => SystemTime::UNIX_EPOCH + Duration::from_secs(secs) + nanos,
            Err(_) => {
                SystemTime::UNIX_EPOCH - Duration::from_secs(time.secs.unsigned_abs()) + nanos
            }
        }
    }
}

/// Metadata of one file, with a note of which fields are filled.
///
/// Reading a field that was not asked for, or that the file system does not have, is `None`, never
/// zero. None of the accessors makes a system call.
#[derive(Clone, Debug, Default)]
pub struct Meta {
    pub(crate) filled: Fields,
    pub(crate) file_type: FileType,
    pub(crate) mode: u32,
    pub(crate) nlink: u64,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) ino: u64,
    pub(crate) size: u64,
    pub(crate) blocks: u64,
    pub(crate) dev: u64,
    pub(crate) mnt_id: u64,
    pub(crate) atime: Timestamp,
    pub(crate) mtime: Timestamp,
    pub(crate) ctime: Timestamp,
    pub(crate) btime: Timestamp,
    pub(crate) link_target: Option<CString>,
}

impl Meta {
    /// The fields that are filled.
    #[must_use]
    pub fn filled(&self) -> Fields {
        self.filled
    }

    fn get<T>(&self, field: Fields, value: T) -> Option<T> {
        self.filled.contains(field).then_some(value)
    }

    /// The file's type.
    #[must_use]
    pub fn file_type(&self) -> Option<FileType> {
        self.get(Fields::TYPE, self.file_type)
    }

    /// Permission bits with setuid, setgid and sticky: the mode without the type.
    #[must_use]
    pub fn mode(&self) -> Option<u32> {
        self.get(Fields::MODE, self.mode & 0o7777)
    }

    /// Number of hard links.
    #[must_use]
    pub fn nlink(&self) -> Option<u64> {
        self.get(Fields::NLINK, self.nlink)
    }

    /// Owner's numeric id.
    #[must_use]
    pub fn uid(&self) -> Option<u32> {
        self.get(Fields::UID, self.uid)
    }

    /// Group's numeric id.
    #[must_use]
    pub fn gid(&self) -> Option<u32> {
        self.get(Fields::GID, self.gid)
    }

    /// Inode number as stat reports it.
    #[must_use]
    pub fn ino(&self) -> Option<u64> {
        self.get(Fields::INO, self.ino)
    }

    /// Size in bytes.
    #[must_use]
    pub fn size(&self) -> Option<u64> {
        self.get(Fields::SIZE, self.size)
    }

    /// Allocated blocks of 512 bytes, whatever the file system's own block size.
    #[must_use]
    pub fn blocks(&self) -> Option<u64> {
        self.get(Fields::BLOCKS, self.blocks)
    }

    /// The device that holds the file, as `st_dev` (Linux: makedev of major and minor).
    #[must_use]
    pub fn dev(&self) -> Option<u64> {
        self.get(Fields::DEV, self.dev)
    }

    /// The mount that the file was reached through (Linux 5.8 and later).
    #[must_use]
    pub fn mnt_id(&self) -> Option<u64> {
        self.get(Fields::MNT_ID, self.mnt_id)
    }

    /// Time of the last access.
    #[must_use]
    pub fn atime(&self) -> Option<Timestamp> {
        self.get(Fields::ATIME, self.atime)
    }

    /// Time of the last change of content.
    #[must_use]
    pub fn mtime(&self) -> Option<Timestamp> {
        self.get(Fields::MTIME, self.mtime)
    }

    /// Time of the last change of metadata.
    #[must_use]
    pub fn ctime(&self) -> Option<Timestamp> {
        self.get(Fields::CTIME, self.ctime)
    }

    /// Time of creation, where the file system keeps it.
    #[must_use]
    pub fn btime(&self) -> Option<Timestamp> {
        self.get(Fields::BTIME, self.btime)
    }

    /// Where a symbolic link points, as the bytes stored in the link.
    #[must_use]
    pub fn link_target(&self) -> Option<&[u8]> {
        self.link_target.as_ref().map(|target| target.to_bytes())
    }

    /// Records where a symbolic link points.
    pub fn set_link_target(&mut self, target: CString) {
        self.filled |= Fields::LINK_TARGET;
        self.link_target = Some(target);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unfilled_field_is_none_never_zero() {
        let meta = Meta { filled: Fields::SIZE, size: 7, ..Meta::default() };
        assert_eq!(meta.size(), Some(7));
        assert_eq!(meta.mtime(), None);
        assert_eq!(meta.uid(), None);
    }

    #[test]
    fn times_before_the_epoch_survive_both_ways() {
        for (secs, nanos) in [(-1, 500_000_000), (-5, 0), (0, 1), (12, 999_999_999)] {
            let time = Timestamp { secs, nanos };
            assert_eq!(Timestamp::from(SystemTime::from(time)), time);
        }
    }
}
