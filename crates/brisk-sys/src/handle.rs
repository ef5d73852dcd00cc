//! Handles that the caller owns, as `std` has them: descriptors on Unix, handles on Windows.

use std::io;

use crate::volume::VolumeKind;
use crate::{Dir, native, storage};

#[cfg(unix)]
pub use std::os::fd::{AsFd as AsHandle, BorrowedFd as BorrowedHandle};
#[cfg(windows)]
pub use std::os::windows::io::{AsHandle, BorrowedHandle};

impl Dir {
    /// A directory that the caller has open, to open others relative to it. The handle may be one
    /// that was opened with `O_PATH`. Nothing can be read from the result, because it shares the
    /// position of the caller's handle; a directory opened as its child `.` has a position of its
    /// own. Linux: one fcntl. Windows: one DuplicateHandle.
    ///
    /// # Errors
    /// [`Unsupported`](io::ErrorKind::Unsupported) on other systems, which have the portable
    /// backend alone. Whether the handle is a directory's is not checked.
    pub fn duplicate(handle: BorrowedHandle<'_>) -> io::Result<Dir> {
        native::duplicate(handle).map(Dir::Native)
    }

    /// Whether GNU's tools would visit the entries of a very large directory in the order of their
    /// inodes: see [`VolumeKind::prefers_inode_order`]. Linux: one fstatfs. Elsewhere `true`,
    /// without a system call.
    #[must_use]
    pub fn prefers_inode_order(&self) -> bool {
        let kind = handle_of(self).and_then(storage::magic_at).map(VolumeKind::from_magic);
        kind.is_none_or(VolumeKind::prefers_inode_order)
    }
}

/// The handle of an open directory. `None` for the current directory and for a directory of the
/// portable backend. Makes no system call.
#[must_use]
pub fn handle_of(dir: &Dir) -> Option<BorrowedHandle<'_>> {
    match dir {
        Dir::Native(dir) => native::handle_of(dir),
        Dir::Portable(_) => None,
    }
}

/// The handle that names in a directory are relative to: the directory's own or, on Linux,
/// `AT_FDCWD` for the current directory. Makes no system call.
///
/// # Errors
/// [`Unsupported`](io::ErrorKind::Unsupported) for a directory of the portable backend, and on
/// Windows for the current directory.
pub fn base_of(dir: &Dir) -> io::Result<BorrowedHandle<'_>> {
    match dir {
        Dir::Native(dir) => native::base_of(dir).ok_or(io::ErrorKind::Unsupported.into()),
        Dir::Portable(_) => Err(io::ErrorKind::Unsupported.into()),
    }
}

/// Whether the file system of a directory marks the directory's end, or goes on by names. There a
/// listing leaves no entry out because others are removed meanwhile; elsewhere a server may count
/// the entries that are left. Linux: one fstatfs, unless that is known.
#[must_use]
pub fn marks_end(dir: &Dir) -> bool {
    match dir {
        Dir::Native(dir) => native::marks_end(dir),
        Dir::Portable(_) => false,
    }
}

/// Borrows a handle, by the one name for all platforms. Makes no system call.
pub fn borrow_handle(owner: &impl AsHandle) -> BorrowedHandle<'_> {
    #[cfg(unix)]
    let handle = owner.as_fd();
    #[cfg(not(unix))]
    let handle = owner.as_handle();
    handle
}

#[cfg(all(test, any(target_os = "linux", target_os = "android")))]
mod tests {
    use std::os::fd::AsRawFd;

    use super::*;
    use crate::{Backend, Buffer, Links};

    #[test]
    fn a_duplicate_opens_itself_with_a_position_of_its_own() {
        let place = tempfile::tempdir().expect("a scratch directory");
        std::fs::write(place.path().join("file"), "").expect("a file");
        let given = std::fs::File::open(place.path()).expect("the directory");
        let dir = Dir::duplicate(borrow_handle(&given)).expect("a descriptor");
        for _ in 0..2 {
            let own = dir.open_child(c".", Links::NoFollow).expect("itself");
            assert!(!own.is_empty().expect("it can be read"));
        }
        let mut buffer = Buffer::for_one_read();
        assert!(dir.fill(&mut buffer).at_end.is_ok());
        assert_eq!(buffer.entries().count(), 1, "the position has moved");
    }

    #[test]
    fn only_an_open_directory_of_the_native_backend_has_a_handle() {
        let place = tempfile::tempdir().expect("a scratch directory");
        let open = |backend| Dir::open(backend, place.path(), Links::NoFollow).expect("it opens");
        let native = open(Backend::Native);
        assert!(handle_of(&native).is_some_and(|handle| handle.as_raw_fd() > 2));
        assert!(handle_of(&open(Backend::Portable)).is_none());
        assert!(handle_of(&Dir::current(Backend::Native)).is_none());
    }
}
