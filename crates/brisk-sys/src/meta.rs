//! The metadata of one file, with a record of which fields are filled.

use std::ffi::{CStr, CString};

use crate::{Access, Fields, FileType, Pins, Target, Timestamp};

/// Metadata of one file, with a record of which fields are filled.
///
/// A field that the caller did not ask for, or that the system does not have, reads as `None`,
/// never as zero. No method makes a system call.
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
    /// The mount's id. On Windows, where mounts have no id, the file attributes.
    pub(crate) mnt_id: u64,
    pub(crate) atime: Timestamp,
    pub(crate) mtime: Timestamp,
    pub(crate) ctime: Timestamp,
    pub(crate) btime: Timestamp,
    pub(crate) access: Access,
    pub(crate) capability: bool,
    pub(crate) pins: Pins,
    /// The mode of a link's target; 0 if the link dangles, because no file has a mode of 0: every
    /// file has a type.
    pub(crate) target: u32,
    /// Fields that few walks ask for. They are boxed, so that the others stay small.
    pub(crate) texts: Option<Box<Texts>>,
}

/// Device and inode: which file a handle or name leads to. Windows: the volume's serial number and
/// the file's number on it.
pub type Identity = (u64, u64);

/// The fields that share the number `mnt_id`.
const NUMBERED: Fields = Fields::MNT_ID.union(Fields::ATTRIBUTES);

/// Metadata whose size is not fixed.
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

    /// This metadata with a device that the caller knows from elsewhere.
    #[must_use]
    pub fn with_dev(self, dev: u64) -> Meta {
        Meta { dev, filled: self.filled | Fields::DEV, ..self }
    }

    /// The device that holds the file, as `st_dev` (Linux: makedev of major and minor; Windows: the
    /// volume's serial number).
    #[must_use]
    pub fn dev(&self) -> Option<u64> {
        self.get(Fields::DEV, self.dev)
    }

    /// Which file it is, if device and inode are known.
    #[must_use]
    #[inline]
    pub fn identity(&self) -> Option<Identity> {
        self.dev().zip(self.ino())
    }

    /// The device that a device file stands for, as `st_rdev`. Filled together with
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

    /// Windows's file attributes, as `FILE_ATTRIBUTE_…` numbers them. No other system has any.
    #[must_use]
    pub fn attributes(&self) -> Option<u32> {
        self.get(Fields::ATTRIBUTES, self.mnt_id as u32)
    }

    /// What prevents the file's removal. statx reports it with every answer; without a statx, and
    /// on other systems than Linux, the set is empty.
    #[must_use]
    pub fn pins(&self) -> Pins {
        self.pins
    }

    /// Where a symbolic link points, as the bytes stored in the link.
    #[must_use]
    pub fn link_target(&self) -> Option<&[u8]> {
        self.c_link_target().map(CStr::to_bytes)
    }

    /// The same with a NUL at its end, as C takes it.
    #[must_use]
    pub fn c_link_target(&self) -> Option<&CStr> {
        self.texts.as_deref()?.link_target.as_deref()
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

    /// What decides about access besides the mode. Access control lists of NFSv4 do not count:
    /// every file on such a mount has a list, which mostly repeats the mode.
    #[must_use]
    pub fn access(&self) -> Option<Access> {
        self.get(Fields::ACCESS, self.access)
    }

    /// The security context (Linux: `security.selinux`; Windows: the owner's name). `None` also if
    /// the file has no context.
    #[must_use]
    pub fn context(&self) -> Option<&[u8]> {
        self.texts.as_deref()?.context.as_deref()
    }

    /// Forgets all but these fields, the type and the device, so that the metadata of siblings is
    /// often equal.
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

    /// Records the security context, or that the file has none.
    pub fn set_context(&mut self, context: Option<Box<[u8]>>) {
        self.filled |= Fields::CONTEXT;
        if self.texts.is_some() || context.is_some() {
            self.texts.get_or_insert_default().context = context;
        }
    }
}

impl FromIterator<(Fields, u64)> for Meta {
    /// Metadata whose fields have these numbers. The number of a time is its nanoseconds since the
    /// epoch, as the bits of an `i64`; that of a type is the type's bits in a mode. Fields that
    /// hold no number are left out.
    fn from_iter<T: IntoIterator<Item = (Fields, u64)>>(numbers: T) -> Meta {
        let mut meta = Meta::default();
        for (field, number) in numbers {
            let time = || {
                let nanos = number.cast_signed();
                let second = 1_000_000_000;
                let secs = nanos.div_euclid(second);
                Timestamp { secs, nanos: nanos.rem_euclid(second) as u32 }
            };
            match field {
                Fields::TYPE => meta.file_type = FileType::from_mode(number as u32),
                Fields::MODE => meta.mode = number as u32,
                Fields::NLINK => meta.nlink = number,
                Fields::UID => meta.uid = number as u32,
                Fields::GID => meta.gid = number as u32,
                Fields::INO => meta.ino = number,
                Fields::SIZE => meta.size = number,
                Fields::BLOCKS => meta.blocks = number,
                Fields::DEV => meta.dev = number,
                Fields::ATIME => meta.atime = time(),
                Fields::MTIME => meta.mtime = time(),
                Fields::CTIME => meta.ctime = time(),
                Fields::BTIME => meta.btime = time(),
                _ => continue,
            }
            meta.filled |= field;
        }
        meta
    }
}

impl From<&Meta> for Target {
    /// The target from its own metadata. Where the system has no modes, the type alone.
    fn from(meta: &Meta) -> Target {
        Target::Mode(meta.mode().unwrap_or(0) | meta.file_type.mode_bits())
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
        // Four times, seven numbers of 64 bits, five of 32, and four bytes. The texts add no more
        // than one pointer.
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
}
