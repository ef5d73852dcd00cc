//! What is known of a file: its type, and the metadata fields that were asked for.

use std::ffi::{CStr, CString};
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
        /// Whether more than the mode decides about access: an access control list, a security
        /// context.
        const ACCESS = 1 << 17;
        /// Whether a regular file has capabilities.
        const CAPS = 1 << 18;
        /// Where a symbolic link points, as text.
        const LINK_TARGET = 1 << 19;
        /// What a symbolic link leads to.
        const TARGET = 1 << 20;
        /// The security context.
        const CONTEXT = 1 << 21;
        /// Windows's attributes (hidden, read-only, …); no other system has them.
        const ATTRIBUTES = 1 << 28;
    }
}

impl Fields {
    /// The bits that statx's mask has; the rest need no request of their own or another call.
    pub const STATX: Fields = Fields::from_bits_truncate(0x1fff);

    /// What extended attributes tell.
    pub const XATTR: Fields = Fields::ACCESS.union(Fields::CAPS).union(Fields::CONTEXT);
}

bitflags::bitflags! {
    /// What prevents a file's removal, whatever the permissions of its directory. Only Linux tells.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Pins: u8 {
        /// It can be neither changed nor removed (`chattr +i`).
        const IMMUTABLE = 0x1;
        /// It can only grow; from a directory nothing can be removed (`chattr +a`).
        const APPEND_ONLY = 0x2;
        /// A file system is mounted on it.
        const MOUNT_POINT = 0x4;
    }
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

    /// The type as a Unix mode has it, 0 if it has no such type.
    #[must_use]
    pub fn mode_bits(self) -> u32 {
        match self {
            FileType::File => 0o100_000,
            FileType::Directory => 0o040_000,
            FileType::Symlink => 0o120_000,
            FileType::BlockDevice => 0o060_000,
            FileType::CharDevice => 0o020_000,
            FileType::Fifo => 0o010_000,
            FileType::Socket => 0o140_000,
            FileType::Other | FileType::Unknown => 0,
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

/// What a symbolic link leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// To nothing, or to what cannot be reached.
    Dangling,
    /// To a file with this mode, type bits included.
    Mode(u32),
}

impl Target {
    /// The type of what the link leads to.
    #[must_use]
    pub fn file_type(self) -> Option<FileType> {
        match self {
            Target::Dangling => None,
            Target::Mode(mode) => Some(FileType::from_mode(mode)),
        }
    }
}

impl From<&Meta> for Target {
    /// The target's own metadata; where the system has no modes, the type is all there is.
    fn from(meta: &Meta) -> Target {
        Target::Mode(meta.mode().unwrap_or(0) | meta.file_type.mode_bits())
    }
}

/// What decides about access to a file besides its mode: the mark that `ls -l` puts behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Access {
    /// Nothing.
    #[default]
    Plain,
    /// A security context: `.`.
    Context,
    /// An access control list, whatever else: `+`.
    Acl,
}

/// What the names of a file's extended attributes tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// It has an access control list or, as a directory, gives one to new files.
    pub acl: bool,
    /// It has a security context.
    pub context: bool,
    /// It has capabilities.
    pub capability: bool,
}

impl Attributes {
    /// The mark for this file.
    #[must_use]
    pub fn access(self) -> Access {
        match self {
            Attributes { acl: true, .. } => Access::Acl,
            Attributes { context: true, .. } => Access::Context,
            _ => Access::Plain,
        }
    }
}

/// A file system's answer about extended attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Xattr<T> {
    /// It keeps such attributes; this is the file's.
    Told(T),
    /// It keeps none: no other file on that device need be asked.
    Unsupported,
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
                // The earliest second has no positive counterpart.
                let secs = 0_i64.saturating_sub_unsigned(before.as_secs());
                match before.subsec_nanos() {
                    0 => Timestamp { secs, nanos: 0 },
                    nanos => {
                        Timestamp { secs: secs.saturating_sub(1), nanos: 1_000_000_000 - nanos }
                    }
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    pub(crate) rdev: u64,
    /// The mount's id or, on Windows, which has none, the attributes.
    pub(crate) mnt_id: u64,
    pub(crate) atime: Timestamp,
    pub(crate) mtime: Timestamp,
    pub(crate) ctime: Timestamp,
    pub(crate) btime: Timestamp,
    pub(crate) access: Access,
    pub(crate) capability: bool,
    pub(crate) pins: Pins,
    /// The mode of a link's target, 0 if it leads nowhere: every file has a type.
    pub(crate) target: u32,
    /// What few walks ask for.
    pub(crate) texts: Option<Box<Texts>>,
}

/// What one number stands for.
const NUMBERED: Fields = Fields::MNT_ID.union(Fields::ATTRIBUTES);

/// Metadata of no fixed size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Texts {
    link_target: Option<CString>,
    context: Option<Box<[u8]>>,
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

    /// The same with a device that is known from elsewhere.
    #[must_use]
    pub fn with_dev(self, dev: u64) -> Meta {
        Meta { dev, filled: self.filled | Fields::DEV, ..self }
    }

    /// The device that holds the file, as `st_dev` (Linux: makedev of major and minor).
    #[must_use]
    pub fn dev(&self) -> Option<u64> {
        self.get(Fields::DEV, self.dev)
    }

    /// For a device file, the device that it stands for, as `st_rdev`; it comes with
    /// [`Fields::DEV`].
    #[must_use]
    pub fn rdev(&self) -> Option<u64> {
        self.get(Fields::DEV, self.rdev)
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

    /// Windows's file attributes, as `FILE_ATTRIBUTE_…` numbers them; no other system has any.
    #[must_use]
    pub fn attributes(&self) -> Option<u32> {
        self.get(Fields::ATTRIBUTES, self.mnt_id as u32)
    }

    /// What keeps the file where it is. statx tells it at no extra cost; where no statx was made it
    /// is empty.
    #[must_use]
    pub fn pins(&self) -> Pins {
        self.pins
    }

    /// Where a symbolic link points, as the bytes stored in the link.
    #[must_use]
    pub fn link_target(&self) -> Option<&[u8]> {
        self.texts.as_deref()?.link_target.as_deref().map(CStr::to_bytes)
    }

    /// What a symbolic link leads to.
    #[must_use]
    pub fn target(&self) -> Option<Target> {
        let target = if self.target == 0 { Target::Dangling } else { Target::Mode(self.target) };
        self.get(Fields::TARGET, target)
    }

    /// Whether a regular file has capabilities.
    #[must_use]
    pub fn has_capability(&self) -> Option<bool> {
        self.get(Fields::CAPS, self.capability)
    }

    /// What decides about access besides the mode. Access control lists of NFSv4 are not seen: every
    /// file of such a mount has one, and mostly it says what the mode says.
    #[must_use]
    pub fn access(&self) -> Option<Access> {
        self.get(Fields::ACCESS, self.access)
    }

    /// The security context (`security.selinux`); `None` also where a file has none.
    #[must_use]
    pub fn context(&self) -> Option<&[u8]> {
        self.texts.as_deref()?.context.as_deref()
    }

    /// Forgets all but these fields, the type and the device. What is left of siblings is often the same.
    pub fn retain(&mut self, fields: Fields) {
        let kept = self.filled & (fields | Fields::TYPE | Fields::DEV);
        let texts = Fields::LINK_TARGET | Fields::CONTEXT;
        *self = Meta {
            filled: kept,
            file_type: self.file_type,
            mode: if kept.contains(Fields::MODE) { self.mode } else { 0 },
            nlink: if kept.contains(Fields::NLINK) { self.nlink } else { 0 },
            uid: if kept.contains(Fields::UID) { self.uid } else { 0 },
            gid: if kept.contains(Fields::GID) { self.gid } else { 0 },
            ino: if kept.contains(Fields::INO) { self.ino } else { 0 },
            size: if kept.contains(Fields::SIZE) { self.size } else { 0 },
            blocks: if kept.contains(Fields::BLOCKS) { self.blocks } else { 0 },
            dev: self.dev,
            rdev: self.rdev,
            mnt_id: if kept.intersects(NUMBERED) { self.mnt_id } else { 0 },
            atime: if kept.contains(Fields::ATIME) { self.atime } else { Timestamp::default() },
            mtime: if kept.contains(Fields::MTIME) { self.mtime } else { Timestamp::default() },
            ctime: if kept.contains(Fields::CTIME) { self.ctime } else { Timestamp::default() },
            btime: if kept.contains(Fields::BTIME) { self.btime } else { Timestamp::default() },
            access: self.access,
            capability: self.capability,
            pins: Pins::empty(),
            target: self.target,
            texts: self.texts.take().filter(|_| kept.intersects(texts)),
        };
    }

    /// Records where a symbolic link points.
    pub fn set_link_target(&mut self, target: CString) {
        self.filled |= Fields::LINK_TARGET;
        self.texts.get_or_insert_default().link_target = Some(target);
    }

    /// Records what a symbolic link leads to.
    pub fn set_target(&mut self, target: Target) {
        self.filled |= Fields::TARGET;
        self.target = match target {
            Target::Dangling => 0,
            Target::Mode(mode) => mode,
        };
    }

    /// Records whether the file has capabilities.
    pub fn set_capability(&mut self, has: bool) {
        self.filled |= Fields::CAPS;
        self.capability = has;
    }

    /// Records what decides about access besides the mode.
    pub fn set_access(&mut self, access: Access) {
        self.filled |= Fields::ACCESS;
        self.access = access;
    }

    /// Records the security context, or that there is none.
    pub fn set_context(&mut self, context: Option<Box<[u8]>>) {
        self.filled |= Fields::CONTEXT;
        if self.texts.is_some() || context.is_some() {
            self.texts.get_or_insert_default().context = context;
        }
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
    fn what_few_ask_for_takes_no_room_from_the_others() {
        // Four times, seven numbers of 64 bits, five of 32, and four bytes: one pointer is all that
        // texts add.
        assert!(size_of::<Meta>() <= 4 * 16 + 7 * 8 + 5 * 4 + 4 + 8, "{}", size_of::<Meta>());
    }

    #[test]
    fn links_and_attributes_are_told_apart_from_unfilled_ones() {
        let mut meta = Meta::default();
        assert_eq!((meta.target(), meta.access(), meta.has_capability()), (None, None, None));
        assert_eq!((meta.link_target(), meta.context()), (None, None));
        meta.set_target(Target::Dangling);
        meta.set_access(Access::Plain);
        meta.set_capability(false);
        meta.set_context(Some(Box::from(*b"c")));
        assert_eq!(meta.target(), Some(Target::Dangling));
        assert_eq!((meta.access(), meta.has_capability()), (Some(Access::Plain), Some(false)));
        assert_eq!((meta.link_target(), meta.context()), (None, Some(&b"c"[..])));
        meta.set_link_target(c"to".into());
        meta.set_target(Target::Mode(0o100_644));
        assert_eq!((meta.link_target(), meta.context()), (Some(&b"to"[..]), Some(&b"c"[..])));
        assert_eq!(meta.target().and_then(Target::file_type), Some(FileType::File));
    }

    #[test]
    fn what_is_not_retained_is_gone_and_the_rest_stays() {
        let time = Timestamp { secs: 5, nanos: 6 };
        let numbers = Meta { mode: 0o644, nlink: 2, uid: 3, gid: 4, ino: 7, ..Meta::default() };
        let numbers = Meta { size: 8, blocks: 9, dev: 10, mnt_id: 11, ..numbers };
        let all = Meta { atime: time, mtime: time, ctime: time, btime: time, ..numbers };
        let mut all = Meta { filled: Fields::STATX | Fields::DEV, ..all };
        all.set_link_target(c"to".into());
        for field in Fields::all().iter().filter(|&field| all.filled.contains(field)) {
            let mut one = all.clone();
            one.retain(field);
            assert_eq!(one.filled, field | Fields::TYPE | Fields::DEV);
            let mut other = Meta { size: 1, mode: 1, mtime: Timestamp::default(), ..all.clone() };
            other.retain(field);
            let differs = Fields::SIZE | Fields::MODE | Fields::MTIME;
            assert_eq!(one == other, !differs.contains(field), "{field:?}");
            assert_eq!(one.size(), (field == Fields::SIZE).then_some(8));
            assert_eq!(one.link_target().is_some(), field == Fields::LINK_TARGET);
        }
        let mut same = all.clone();
        same.retain(all.filled);
        assert_eq!(same, all);
    }

    #[test]
    fn a_target_without_a_mode_keeps_its_type() {
        let meta = Meta { filled: Fields::TYPE, file_type: FileType::Fifo, ..Meta::default() };
        assert_eq!(Target::from(&meta), Target::Mode(0o010_000));
        let meta = Meta { filled: Fields::TYPE | Fields::MODE, mode: 0o100_755, ..meta };
        let meta = Meta { file_type: FileType::File, ..meta };
        assert_eq!(Target::from(&meta), Target::Mode(0o100_755));
    }

    #[test]
    fn times_before_the_epoch_survive_both_ways() {
        for (secs, nanos) in [(-1, 500_000_000), (-5, 0), (0, 100), (12, 999_999_900)] {
            let time = Timestamp { secs, nanos };
            assert_eq!(Timestamp::from(SystemTime::from(time)), time);
        }
    }
}
