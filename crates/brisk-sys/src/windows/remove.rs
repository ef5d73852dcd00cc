//! `Dir` on Windows, for removals: a child is opened relative to its directory and marked as
//! deleted.
//!
//! Links and junctions are opened themselves (FILE_OPEN_REPARSE_POINT), so that a removal never
//! reaches what they lead to. A directory is emptied only if it is no reparse point, or has a tag
//! that is known to be ordinary. [`nt::removal`](crate::nt::removal) decides what follows a
//! refusal.

use std::ffi::CStr;
use std::io;
use std::os::windows::io::{AsHandle, AsRawHandle, BorrowedHandle, OwnedHandle};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use windows_sys::Wdk::Storage::FileSystem::{
    FILE_DIRECTORY_FILE, FILE_NON_DIRECTORY_FILE, FILE_OPEN_REPARSE_POINT,
    FILE_RENAME_POSIX_SEMANTICS, FileBasicInformation, FileDispositionInformation,
    FileDispositionInformationEx, FileRenameInformation, FileRenameInformationEx,
};
use windows_sys::Win32::Storage::FileSystem::{
    DELETE, FILE_READ_ATTRIBUTES, FILE_TRAVERSE, FILE_WRITE_ATTRIBUTES,
};

use super::call::{
    Opening, Reparse, STATUS_FILE_IS_A_DIRECTORY, Status, bytes_of, open_at, open_by_number,
    open_path, set_information,
};
use super::open::{Dir, wide};
use super::stat::attributes_and_tag;
use crate::nt::kind::{self, attribute};
use crate::nt::removal::{Mark, POSIX_FLAGS, Then, after};
use crate::quoting::quoted;
use crate::{Fields, Freshness, Identity, Links};

/// Whether a file system has refused POSIX disposition once. Then all files are deleted in the
/// older way, on every file system.
static NO_POSIX: AtomicBool = AtomicBool::new(false);

/// FILE_ATTRIBUTE_NORMAL: setting this attribute clears all others.
const NORMAL: u32 = 0x80;

impl Dir {
    pub(crate) fn open_path_only(path: &Path) -> io::Result<Dir> {
        Dir::open(path, Links::Follow)
    }

    pub(crate) fn open_child_same_mount(&self, name: &CStr) -> io::Result<Dir> {
        let child = self.open_child(name, Links::NoFollow)?;
        let (attributes, tag) = attributes_and_tag(child.handle()?)?;
        if kind::may_descend(attributes, tag) {
            Ok(child)
        } else {
            Err(io::ErrorKind::NotADirectory.into())
        }
    }

    /// Another volume is mounted on a reparse point, which counts as a link and not as a directory.
    pub(crate) fn is_mount_point(&self, _name: &CStr) -> io::Result<bool> {
        Ok(false)
    }

    /// By the file's number on the volume, because Windows does not know the name `..` relative to
    /// a handle.
    pub(crate) fn open_parent(&self, expected: Identity) -> io::Result<Dir> {
        let access = FILE_TRAVERSE | FILE_READ_ATTRIBUTES;
        let parent = open_by_number(self.handle()?, expected.1, access, FILE_DIRECTORY_FILE)?;
        Ok(self.like(parent))
    }

    /// Removes an entry that is not a directory, or a link to a directory.
    pub(crate) fn unlink(&self, name: &CStr) -> io::Result<()> {
        let name = wide(name.to_bytes())?;
        let is_dir = Err(Status(STATUS_FILE_IS_A_DIRECTORY));
        self.here(|here| {
            let mut removed = remove(here, &name, FILE_NON_DIRECTORY_FILE, |_| Ok(()));
            if removed == is_dir {
                removed = remove(here, &name, FILE_DIRECTORY_FILE, |file| {
                    let (attributes, tag) = attributes_and_tag(file)?;
                    if kind::may_descend(attributes, tag) { is_dir } else { Ok(()) }
                });
            }
            Ok(removed?)
        })
    }

    pub(crate) fn remove_dir(&self, name: &CStr) -> io::Result<()> {
        let units = wide(name.to_bytes())?;
        let removed = self.here(|here| Ok(remove(here, &units, FILE_DIRECTORY_FILE, |_| Ok(()))?));
        removed.map_err(|error| {
            if error.kind() != io::ErrorKind::DirectoryNotEmpty {
                return error;
            }
            match self.first_in(name) {
                Some(left) => io::Error::new(error.kind(), format!("{error} ({left} is in it)")),
                None => error,
            }
        })
    }

    /// The name of an entry in a directory that is not empty.
    fn first_in(&self, name: &CStr) -> Option<String> {
        let child = self.open_child(name, Links::NoFollow).ok()?;
        let mut buffer = crate::Buffer::with_capacity(0);
        child.fill(&mut buffer).at_end.ok()?;
        let first = buffer.entries().next()?;
        Some(quoted(first.name.to_bytes()).to_string())
    }

    /// Calls with the handle, also of the current directory, which is opened for this call: one
    /// CreateFile.
    fn here<T>(&self, call: impl FnOnce(BorrowedHandle<'_>) -> io::Result<T>) -> io::Result<T> {
        match self.handle() {
            Ok(handle) => call(handle),
            Err(_) => call(open_path(".".as_ref(), FILE_TRAVERSE, Links::Follow)?.as_handle()),
        }
    }

    /// Gives a child another name in this directory. An existing entry is not replaced.
    pub(crate) fn rename_here(&self, from: &CStr, to: &CStr) -> io::Result<()> {
        let opening =
            Opening { access: DELETE, options: FILE_OPEN_REPARSE_POINT, reparse: Reparse::Follow };
        let from = wide(from.to_bytes())?;
        let to = wide(to.to_bytes())?;
        self.here(|here| {
            let file = open_at(here, &from, opening)?;
            let rename = |class, flags| {
                let words = renaming(flags, here, &to);
                set_information(file.as_handle(), class, bytes_of(&words, NAME + to.len() * 2))
            };
            match rename(FileRenameInformationEx, FILE_RENAME_POSIX_SEMANTICS) {
                Err(status) if status.is_unsupported() => Ok(rename(FileRenameInformation, 0)?),
                renamed => Ok(renamed?),
            }
        })
    }

    pub(crate) fn may_write(&self, name: &CStr) -> io::Result<bool> {
        let meta = self.stat(name, Fields::ATTRIBUTES, Links::Follow, Freshness::AsStat)?;
        Ok(meta.attributes().is_none_or(|attributes| attributes & attribute::READONLY == 0))
    }

    pub(crate) fn may_execute(&self, _: &CStr) -> io::Result<bool> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// FILE_RENAME_INFORMATION: the flags, the directory, the name's length in bytes, the name. The older
/// class takes its first byte for whether to replace an entry.
fn renaming(flags: u32, dir: BorrowedHandle<'_>, to: &[u16]) -> Vec<u64> {
    let dir = dir.as_raw_handle().expose_provenance() as u64;
    let mut words = vec![u64::from(flags), dir, (to.len() * 2) as u64];
    words.resize((NAME + to.len() * 2).div_ceil(8), 0);
    for (at, unit) in to.iter().enumerate() {
        let byte = NAME + at * 2;
        words[byte / 8] |= u64::from(*unit) << (byte % 8 * 8);
    }
    words
}

/// Where the name begins in FILE_RENAME_INFORMATION.
const NAME: usize = 20;

/// Opens a child, without following a link, and deletes it unless `check` refuses.
#[expect(clippy::disallowed_methods, reason = "Windows does not report when a file is closed")]
fn remove(
    dir: BorrowedHandle<'_>,
    name: &[u16],
    options: u32,
    check: impl Fn(BorrowedHandle<'_>) -> Result<(), Status>,
) -> Result<(), Status> {
    let mut way = if NO_POSIX.load(Ordering::Relaxed) { Mark::Classic } else { Mark::Posix };
    let mut waits = 0;
    loop {
        let done = open_to_remove(dir, name, options, way).and_then(|file| {
            check(file.as_handle())?;
            dispose(file.as_handle(), way)
        });
        let Err(status) = done else { return done };
        match after(status.0.cast_unsigned(), way, waits) {
            Then::Done => return Ok(()),
            Then::Try(other) => {
                if other == Mark::Classic {
                    NO_POSIX.store(true, Ordering::Relaxed);
                }
                way = other;
            }
            Then::Wait(time) => {
                std::thread::sleep(time);
                waits += 1;
            }
            Then::GiveUp => return done,
        }
    }
}

fn open_to_remove(
    dir: BorrowedHandle<'_>,
    name: &[u16],
    options: u32,
    way: Mark,
) -> Result<OwnedHandle, Status> {
    let more = if way == Mark::Cleared { FILE_WRITE_ATTRIBUTES } else { 0 };
    let opening = Opening {
        access: DELETE | FILE_READ_ATTRIBUTES | more,
        options: options | FILE_OPEN_REPARSE_POINT,
        reparse: Reparse::Follow,
    };
    open_at(dir, name, opening)
}

/// Marks an open file as deleted. One NtSetInformationFile; two with [`Mark::Cleared`].
fn dispose(file: BorrowedHandle<'_>, way: Mark) -> Result<(), Status> {
    if way == Mark::Posix {
        return set_information(file, FileDispositionInformationEx, &POSIX_FLAGS.to_ne_bytes());
    }
    if way == Mark::Cleared {
        // Four times, of which 0 changes nothing, and the attributes.
        let words = [0, 0, 0, 0, u64::from(NORMAL)];
        set_information(file, FileBasicInformation, bytes_of(&words, 40))?;
    }
    set_information(file, FileDispositionInformation, &[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::bytes_to_path;

    fn here() -> (tempfile::TempDir, Dir) {
        let place = tempfile::tempdir().expect("a scratch directory");
        let dir = Dir::open(place.path(), Links::NoFollow).expect("the scratch directory");
        (place, dir)
    }

    #[test]
    fn files_and_empty_directories_go() {
        let (place, dir) = here();
        std::fs::write(place.path().join("f"), "x").expect("a file");
        std::fs::create_dir_all(place.path().join("d/e")).expect("directories");
        let full = dir.remove_dir(c"d").expect_err("not empty");
        assert_eq!(full.kind(), io::ErrorKind::DirectoryNotEmpty);
        assert!(full.to_string().contains("'e'"), "{full}");
        assert_eq!(dir.unlink(c"d").expect_err("a directory").kind(), io::ErrorKind::IsADirectory);
        dir.unlink(c"f").expect("removed");
        assert_eq!(dir.unlink(c"f").expect_err("gone").kind(), io::ErrorKind::NotFound);
        dir.open_child_same_mount(c"d").expect("opened").remove_dir(c"e").expect("removed");
        dir.remove_dir(c"d").expect("removed");
        assert_eq!(std::fs::read_dir(place.path()).expect("listed").count(), 0);
    }

    #[test]
    fn a_read_only_file_goes_too() {
        let (place, dir) = here();
        let path = place.path().join("f");
        std::fs::write(&path, "x").expect("a file");
        let mut permissions = std::fs::metadata(&path).expect("metadata").permissions();
        permissions.set_readonly(true);
        std::fs::set_permissions(&path, permissions).expect("read-only");
        assert!(!dir.may_write(c"f").expect("asked"));
        dir.unlink(c"f").expect("removed");
        assert!(!path.exists());
    }

    #[test]
    fn a_name_becomes_another_and_replaces_none() {
        let (place, dir) = here();
        std::fs::write(place.path().join("from"), "1").expect("a file");
        std::fs::write(place.path().join("taken"), "2").expect("a file");
        assert!(dir.rename_here(c"from", c"taken").is_err());
        dir.rename_here(c"from", c"to-a-longer-name").expect("renamed");
        assert!(place.path().join(bytes_to_path(b"to-a-longer-name")).exists());
    }
}
