//! Entries and their metadata as C has them.

use std::ffi::{CStr, c_char};
use std::ptr::null;

use brisk::{Fields, Target, Timestamp};

use crate::error::Error;
use crate::given::check_bits;

/// All of them. They are the engine's own bits; the others have no member in the metadata.
const FIELDS: u32 = Fields::all().difference(Fields::TYPE).difference(Fields::XATTR).bits();

/// The engine's fields of these bits.
///
/// # Errors
/// There is no such field.
pub fn fields(wanted: u32) -> Result<Fields, Error> {
    check_bits(wanted, FIELDS, "field").map(|()| Fields::from_bits_truncate(wanted))
}

/// A point in time.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Time {
    /// Whole seconds since 1970-01-01 00:00 UTC; negative before.
    sec: i64,
    /// Nanoseconds after that second, below 1,000,000,000.
    nsec: u32,
}

impl From<Option<Timestamp>> for Time {
    fn from(time: Option<Timestamp>) -> Time {
        let Timestamp { secs, nanos } = time.unwrap_or_default();
        Time { sec: secs, nsec: nanos }
    }
}

/// The metadata of an entry. What is not among its `fields` is 0. Later versions may add members at
/// the end; `size` says how many bytes there are.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Meta {
    /// The size of this structure in bytes.
    size: usize,
    /// BRISK_FIELD_… of what is filled: what was asked for, as far as the system gives it, and
    /// what came with that.
    fields: u32,
    /// As st_mode.
    mode: u32,
    uid: u32,
    gid: u32,
    nlink: u64,
    ino: u64,
    /// The size of the file in bytes.
    file_size: u64,
    /// Blocks of 512 bytes, whatever the file system's own block size.
    blocks: u64,
    dev: u64,
    rdev: u64,
    mnt_id: u64,
    atime: Time,
    mtime: Time,
    ctime: Time,
    btime: Time,
    /// Where a link points; NULL if the entry is not a link, or this was not asked for.
    link_target: *const c_char,
    /// The mode of what a link leads to; 0 if that is nothing.
    target_mode: u32,
    /// As FILE_ATTRIBUTE_… on Windows.
    attributes: u32,
}

impl From<&brisk::Meta> for Meta {
    fn from(meta: &brisk::Meta) -> Meta {
        let target_mode = match meta.target() {
            Some(Target::Mode(mode)) => mode,
            Some(Target::Dangling) | None => 0,
        };
        Meta {
            size: size_of::<Meta>(),
            fields: meta.filled().bits() & FIELDS,
            mode: meta.mode().unwrap_or(0) | meta.file_type().unwrap_or_default().mode_bits(),
            uid: meta.uid().unwrap_or(0),
            gid: meta.gid().unwrap_or(0),
            nlink: meta.nlink().unwrap_or(0),
            ino: meta.ino().unwrap_or(0),
            file_size: meta.size().unwrap_or(0),
            blocks: meta.blocks().unwrap_or(0),
            dev: meta.dev().unwrap_or(0),
            rdev: meta.rdev().unwrap_or(0),
            mnt_id: meta.mnt_id().unwrap_or(0),
            atime: meta.atime().into(),
            mtime: meta.mtime().into(),
            ctime: meta.ctime().into(),
            btime: meta.btime().into(),
            link_target: meta.c_link_target().map_or(null(), CStr::as_ptr),
            target_mode,
            attributes: meta.attributes().unwrap_or(0),
        }
    }
}

/// An entry. Its path is `dir` followed by `name`; brisk_entry_path joins them. This structure does
/// not grow: later versions add to brisk_meta.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Entry {
    /// The name; for a root the path as it was given. Bytes, ended by a NUL; on Windows UTF-8, in
    /// which halves of surrogate pairs are encoded like other characters.
    pub name: *const c_char,
    /// The path of the entry's directory with a separator at its end; empty for a root.
    pub dir: *const c_char,
    /// The metadata that was asked for; NULL if there is none, or the request failed.
    pub meta: *const Meta,
    /// The inode number that the directory gives; stat's may differ at mount points and on
    /// overlayfs.
    pub ino: u64,
    /// The length of the name in bytes, without the NUL.
    pub name_len: u32,
    /// The length of `dir` in bytes, without the NUL.
    pub dir_len: u32,
    /// How deep the entry is; a root's depth is 0.
    pub depth: u32,
    /// The type, as `find -printf %y` prints it: 'f' file, 'd' directory, 'l' link, 'p' pipe,
    /// 's' socket, 'b' and 'c' devices, 'D' other, 'U' unknown. That of the target if the walk
    /// follows the link.
    pub r#type: c_char,
    /// Its name begins with a dot, or (on Windows) an attribute says that it is hidden.
    pub is_hidden: bool,
    /// Type and metadata are those of a followed link's target.
    pub is_followed_link: bool,
}

/// An entry of a walk as C has it: `$entry` is a [`brisk::Entry`] or a [`brisk::ChunkEntry`], `$dir` its
/// directory with a NUL at its end. There has to be room for its metadata.
macro_rules! entry_of {
    ($entry:expr, $dir:expr, $metas:expr) => {{
        let (entry, dir): (_, &[u8]) = (&$entry, $dir);
        $crate::entry::Entry {
            name: entry.c_name().as_ptr(),
            dir: dir.as_ptr().cast(),
            meta: entry.meta().map_or(std::ptr::null(), |meta| $crate::entry::kept($metas, meta)),
            ino: entry.ino(),
            name_len: entry.name().len() as u32,
            dir_len: dir.len() as u32 - 1,
            depth: entry.depth() as u32,
            r#type: $crate::entry::letter(entry.file_type()),
            is_hidden: entry.is_hidden(),
            is_followed_link: entry.is_followed_link(),
        }
    }};
}
pub(crate) use entry_of;

/// The letter of a type.
pub fn letter(file_type: brisk::FileType) -> c_char {
    // A letter of ASCII.
    file_type.letter() as u8 as c_char
}

/// What the caller gets of a directory's entries. The names and the metadata's texts stay the
/// engine's.
#[derive(Default)]
pub struct EntryView {
    dir: Vec<u8>,
    entries: Vec<Entry>,
    metas: Vec<Meta>,
}

// SAFETY: its pointers are used only between `new` and the end of the same callback, on one thread.
unsafe impl Send for EntryView {}

impl EntryView {
    /// The entries as C has them, until the next call. The memory is used again.
    pub fn of<'a>(&'a mut self, dir: &[u8], entries: &'a [brisk::Entry<'_>]) -> &'a [Entry] {
        self.dir.clear();
        self.dir.extend_from_slice(dir);
        self.dir.push(0);
        self.entries.clear();
        self.metas.clear();
        // So that it does not move while pointers to it are taken.
        self.metas.reserve(entries.iter().filter(|entry| entry.meta().is_some()).count());
        for entry in entries {
            self.entries.push(entry_of!(entry, &self.dir, &mut self.metas));
        }
        &self.entries
    }
}

/// Where metadata stay until the vector is cleared. There has to be room for them.
pub fn kept(metas: &mut Vec<Meta>, meta: &brisk::Meta) -> *const Meta {
    assert!(metas.len() < metas.capacity(), "BUG: metadata that would move");
    let at = metas.spare_capacity_mut()[0].write(Meta::from(meta));
    let at = std::ptr::from_ref(at);
    // SAFETY: the element behind the last one was written.
    unsafe { metas.set_len(metas.len() + 1) };
    at
}

/// Writes the entry's path to `buffer`, which has `size` bytes, as snprintf does: a path that is too
/// long is cut, a NUL is always written unless `size` is 0. Returns the length of the whole path,
/// without the NUL.
///
/// Threads: any, as long as the entry is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brisk_entry_path(
    entry: &Entry,
    buffer: *mut c_char,
    size: usize,
) -> usize {
    // SAFETY: the caller has the entry from this library, and both strings are as long as it says.
    let dir = unsafe { std::slice::from_raw_parts(entry.dir, entry.dir_len as usize) };
    // SAFETY: as above.
    let name = unsafe { std::slice::from_raw_parts(entry.name, entry.name_len as usize) };
    let whole = dir.len() + name.len();
    if size > 0 {
        // SAFETY: the caller promises that the buffer has so many bytes.
        let buffer = unsafe { std::slice::from_raw_parts_mut(buffer, size) };
        let fits = whole.min(size - 1);
        let of_dir = dir.len().min(fits);
        buffer[..of_dir].copy_from_slice(&dir[..of_dir]);
        buffer[of_dir..fits].copy_from_slice(&name[..fits - of_dir]);
        buffer[fits] = 0;
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constants::*;

    #[test]
    fn the_header_has_the_bits_of_the_engine() {
        let names = [
            (BRISK_FIELD_MODE, Fields::MODE),
            (BRISK_FIELD_NLINK, Fields::NLINK),
            (BRISK_FIELD_UID, Fields::UID),
            (BRISK_FIELD_GID, Fields::GID),
            (BRISK_FIELD_ATIME, Fields::ATIME),
            (BRISK_FIELD_MTIME, Fields::MTIME),
            (BRISK_FIELD_CTIME, Fields::CTIME),
            (BRISK_FIELD_INO, Fields::INO),
            (BRISK_FIELD_SIZE, Fields::SIZE),
            (BRISK_FIELD_BLOCKS, Fields::BLOCKS),
            (BRISK_FIELD_BTIME, Fields::BTIME),
            (BRISK_FIELD_MNT_ID, Fields::MNT_ID),
            (BRISK_FIELD_DEV, Fields::DEV),
            (BRISK_FIELD_LINK_TARGET, Fields::LINK_TARGET),
            (BRISK_FIELD_TARGET, Fields::TARGET),
            (BRISK_FIELD_ATTRIBUTES, Fields::ATTRIBUTES),
        ];
        for (bit, field) in names {
            assert_eq!(bit, field.bits());
        }
        let all = names.iter().fold(0, |all, (bit, _)| all | bit);
        assert_eq!(all, FIELDS, "the members of brisk_meta");
    }

    #[test]
    fn an_entry_keeps_its_size() {
        assert_eq!(size_of::<Entry>(), 5 * 8 + 8);
    }
}
