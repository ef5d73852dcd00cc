//! [`Recalled`]: the entries of a directory that a visitor remembers.

use brisk_sys::Buffer;

use crate::FileType;

/// The names, types and inodes of a directory's entries that a visitor remembers, for
/// [`Enter::Recall`](crate::Enter::Recall). Making one makes no system call.
///
/// # Example
/// ```
/// use brisk::{FileType, Recalled};
///
/// let mut entries = Recalled::of(2, 1);
/// assert!(entries.push(11, FileType::Directory, b"lost+found"));
/// assert!(!entries.push(12, FileType::File, b"../passwd"));
/// ```
#[derive(Debug)]
pub struct Recalled(Buffer);

/// The bytes of a record whose name has an ordinary length.
const ORDINARY: usize = 40;

impl Recalled {
    /// No entry yet, of a directory with the inode `ino`. There is room for about `count` entries;
    /// more of them cost an allocation.
    #[must_use]
    pub fn of(ino: u64, count: usize) -> Recalled {
        let mut buffer = Buffer::with_capacity(count * ORDINARY);
        let is_first = buffer.push_remembered(ino, FileType::Directory, b".");
        debug_assert!(is_first, "BUG: an empty buffer has room for a record");
        Recalled(buffer)
    }

    /// Adds an entry. `false`: no entry of a directory has such a name (empty, `.`, `..`, or with a
    /// `/` or a zero byte), and nothing was added.
    #[must_use]
    pub fn push(&mut self, ino: u64, file_type: FileType, name: &[u8]) -> bool {
        !matches!(name, b"." | b"..") && self.0.push_remembered(ino, file_type, name)
    }

    pub(crate) fn into_buffer(self) -> Buffer {
        self.0
    }
}
