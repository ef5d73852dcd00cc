//! [`Record`]: what a state holds about one entry.

use std::io::{self, Read};

use brisk::{Fields, FileType, Meta, Timestamp};
use brisk_sys::is_link_loop;
use xxhash_rust::xxh3::xxh3_64;

/// The length of a record, and of the attributes at its beginning, in bytes.
pub(crate) const RECORD: usize = 80;
pub(crate) const ATTRS: usize = 64;
/// The length of a digest, in bytes.
pub(crate) const DIGEST: usize = 32;

/// The id of a directory: the position of its [`IndexedDir`](super::index::IndexedDir) in the index.
pub(crate) type DirId = u32;

/// The top directory. Its records are the roots, named by their absolute paths.
pub(crate) const TOP: DirId = 0;
/// The id in records of entries that are no directories, or were not entered.
pub(crate) const NO_DIR: DirId = u32::MAX;

/// The flags of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags(pub u16);

impl Flags {
    /// The entry is a result: it passes the filter and the ignore rules.
    pub const RESULT: Flags = Flags(1);
    /// The record does not prove its entry unchanged: the entry may have changed after it was
    /// statted, without a trace in its times; or its contents decide, and could not be read.
    pub const RECHECK: Flags = Flags(2);
    /// The record has a digest.
    pub const DIGEST: Flags = Flags(4);
    /// The file was hashed only because it was racy, and not because contents decide.
    pub const HASHED_AS_RACY: Flags = Flags(8);

    pub fn has(self, flag: Flags) -> bool {
        self.0 & flag.0 != 0
    }

    pub fn with(self, flag: Flags, is_set: bool) -> Flags {
        if is_set { Flags(self.0 | flag.0) } else { Flags(self.0 & !flag.0) }
    }
}

/// The attributes of an entry that a state records and compares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attrs {
    pub ino: u64,
    /// Of a device file, the number of its device.
    pub size: u64,
    pub mtime: Timestamp,
    pub ctime: Timestamp,
    pub btime: Timestamp,
    /// The permissions, and the bits of the type.
    pub mode: u32,
    pub uid: u32,
    pub gid: u32,
}

impl Attrs {
    /// The fields of metadata that are recorded.
    pub const FIELDS: Fields = Fields::TYPE
        .union(Fields::MODE)
        .union(Fields::UID)
        .union(Fields::GID)
        .union(Fields::INO)
        .union(Fields::SIZE)
        .union(Fields::MTIME)
        .union(Fields::CTIME)
        .union(Fields::BTIME)
        .union(Fields::DEV);

    /// The attributes in this metadata. Fields that the system does not have are zero.
    #[inline]
    pub fn of(meta: &Meta) -> Attrs {
        let file_type = meta.file_type().unwrap_or_default();
        let size = if is_device(file_type) { meta.rdev() } else { meta.size() };
        Attrs {
            ino: meta.ino().unwrap_or(0),
            size: size.unwrap_or(0),
            mtime: meta.mtime().unwrap_or_default(),
            ctime: meta.ctime().unwrap_or_default(),
            btime: meta.btime().unwrap_or_default(),
            mode: meta.mode().unwrap_or(0) & 0o7777 | file_type.mode_bits(),
            uid: meta.uid().unwrap_or(0),
            gid: meta.gid().unwrap_or(0),
        }
    }

    pub fn append(&self, out: &mut Vec<u8>) {
        let Attrs { ino, size, mtime, ctime, btime, mode, uid, gid } = *self;
        let times = [mtime, ctime, btime];
        out.extend([ino, size].iter().flat_map(|number| number.to_le_bytes()));
        out.extend(times.iter().flat_map(|time| time.secs.to_le_bytes()));
        out.extend(times.iter().flat_map(|time| time.nanos.to_le_bytes()));
        out.extend([mode, uid, gid].iter().flat_map(|number| number.to_le_bytes()));
    }

    /// The attributes in the bytes that [`append`](Attrs::append) wrote.
    #[inline]
    pub fn of_bytes(bytes: &[u8; ATTRS]) -> Attrs {
        let time = |secs, nanos| Timestamp {
            secs: u64_at(bytes, secs) as i64,
            nanos: u32_at(bytes, nanos),
        };
        Attrs {
            ino: u64_at(bytes, 0),
            size: u64_at(bytes, 8),
            mtime: time(16, 40),
            ctime: time(24, 44),
            btime: time(32, 48),
            mode: u32_at(bytes, 52),
            uid: u32_at(bytes, 56),
            gid: u32_at(bytes, 60),
        }
    }

    pub fn file_type(&self) -> FileType {
        FileType::from_mode(self.mode)
    }

    pub fn is_file(&self) -> bool {
        self.file_type() == FileType::File
    }

    /// The fields in which two entries differ. Times and sizes of directories do not count, because
    /// the directory's entries are compared one by one.
    pub fn differs(&self, new: &Attrs) -> Fields {
        let mut fields = Fields::empty();
        let is_dir = new.file_type().is_dir() && self.file_type().is_dir();
        let mut add =
            |differs: bool, field| fields |= if differs { field } else { Fields::empty() };
        add(self.file_type() != new.file_type(), Fields::TYPE);
        add(self.mode & 0o7777 != new.mode & 0o7777, Fields::MODE);
        add(self.uid != new.uid, Fields::UID);
        add(self.gid != new.gid, Fields::GID);
        add(self.ino != new.ino, Fields::INO);
        let size = if is_device(new.file_type()) { Fields::DEV } else { Fields::SIZE };
        add(!is_dir && self.size != new.size, size);
        add(!is_dir && self.mtime != new.mtime, Fields::MTIME);
        add(!is_dir && self.ctime != new.ctime, Fields::CTIME);
        fields
    }

    /// The size of what is neither a directory nor a device.
    pub fn length(&self) -> u64 {
        let file_type = self.file_type();
        if file_type.is_dir() || is_device(file_type) { 0 } else { self.size }
    }

    /// A key that two entries share only if they are the same file. `volume` is the number of the
    /// file system. A later file with the same inode number has another birth time or, if birth
    /// times are unknown, another size or mtime.
    pub fn identity(&self, volume: u64, knows_btime: bool) -> u64 {
        let file_type = u64::from(self.file_type().mode_bits());
        let born = if knows_btime { self.btime } else { Timestamp::default() };
        let is_born = born != Timestamp::default();
        let time = if is_born { born } else { self.mtime };
        let size = if is_born { 0 } else { self.size };
        let secs = time.secs.cast_unsigned();
        hash(&[volume, self.ino, file_type, u64::from(is_born), secs, time.nanos.into(), size])
    }
}

/// A record, borrowed from its block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a> {
    pub name: &'a [u8],
    pub attrs: Attrs,
    pub flags: Flags,
    /// The target of a link, or the digest of a file's contents.
    pub target_or_digest: &'a [u8],
    /// The id of the directory that the entry is, or [`NO_DIR`].
    pub dir_id: DirId,
}

impl<'a> Record<'a> {
    pub fn is_dir(&self) -> bool {
        self.attrs.file_type().is_dir()
    }

    pub fn is_result(&self) -> bool {
        self.flags.has(Flags::RESULT)
    }

    /// The fields in which two entries differ. Inode numbers count only where they identify files
    /// (`trusts_inodes`), and never for directories.
    #[inline]
    pub fn differs(&self, new: &Record<'_>, trusts_inodes: bool) -> Fields {
        let mut fields = self.attrs.differs(&new.attrs);
        if !trusts_inodes || new.is_dir() {
            fields -= Fields::INO;
        }
        if new.attrs.file_type() == FileType::Symlink
            && self.target_or_digest != new.target_or_digest
        {
            fields |= Fields::LINK_TARGET;
        }
        fields
    }

    pub fn digest(&self) -> Option<&'a [u8; DIGEST]> {
        self.target_or_digest.try_into().ok().filter(|_| self.flags.has(Flags::DIGEST))
    }
}

fn is_device(file_type: FileType) -> bool {
    matches!(file_type, FileType::BlockDevice | FileType::CharDevice)
}

/// Whether a file was removed or replaced after it was statted.
pub(crate) fn has_vanished(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidInput, NotADirectory, NotFound};
    let is_no_file = error.raw_os_error().is_none() && error.kind() == InvalidInput;
    is_no_file || matches!(error.kind(), NotFound | NotADirectory) || is_link_loop(error)
}

/// The BLAKE3 digest of everything that `contents` returns.
pub(crate) fn digest_of(contents: impl Read) -> io::Result<[u8; DIGEST]> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(contents)?;
    Ok(*hasher.finalize().as_bytes())
}

/// A hash of numbers.
pub(crate) fn hash<const N: usize>(numbers: &[u64; N]) -> u64 {
    xxh3_64(numbers.map(u64::to_le_bytes).as_flattened())
}

/// The number at an offset; zero beyond the end.
#[inline]
pub(crate) fn u16_at(bytes: &[u8], offset: usize) -> u16 {
    bytes.get(offset..).and_then(<[u8]>::first_chunk).map_or(0, |word| u16::from_le_bytes(*word))
}

#[inline]
pub(crate) fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    bytes.get(offset..).and_then(<[u8]>::first_chunk).map_or(0, |word| u32::from_le_bytes(*word))
}

#[inline]
pub(crate) fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    bytes.get(offset..).and_then(<[u8]>::first_chunk).map_or(0, |word| u64::from_le_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_directories_are_no_change() {
        let mode = FileType::Directory.mode_bits();
        let old = Attrs { mode, ..Attrs::default() };
        let time = Timestamp { secs: 1, nanos: 0 };
        let new = Attrs { mtime: time, ctime: time, size: 7, ..old };
        assert_eq!(old.differs(&new), Fields::empty());
        let new = Attrs { mode: mode | 0o700, ..new };
        assert_eq!(old.differs(&new), Fields::MODE);
    }

    #[test]
    fn a_file_is_told_from_a_later_one_with_its_inode() {
        let mode = FileType::File.mode_bits();
        let time = |secs| Timestamp { secs, nanos: 5 };
        let file =
            Attrs { ino: 7, size: 1, mtime: time(1), btime: time(2), mode, ..Attrs::default() };
        let identity = |attrs: Attrs, knows_btime| attrs.identity(3, knows_btime);
        let edited = Attrs { size: 2, mtime: time(9), ..file };
        assert_eq!(identity(file, true), identity(edited, true));
        assert_ne!(identity(file, true), identity(Attrs { btime: time(4), ..file }, true));
        assert_ne!(identity(file, true), file.identity(4, true));
        assert_ne!(identity(file, false), identity(edited, false));
        let unborn = Attrs { btime: Timestamp::default(), ..file };
        assert_eq!(identity(file, false), identity(unborn, true));
    }
}
