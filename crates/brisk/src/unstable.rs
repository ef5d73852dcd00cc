//! What the program brisk needs of the library. It may change in any version, and is not for others.

use std::ffi::{CStr, CString};
use std::io;

pub use brisk_sys::append;
use brisk_sys::{BorrowedHandle, handle_of};

use crate::filter::{Early, Filter, Scratch};
use crate::remove::Root;
pub use crate::remove::settings::FileIdentity;
pub use crate::sched::pace::{limit_requests, most_requests};
pub use crate::tree::bound;
use crate::{Directory, Entry, FileType, Flow, Recalled, Select, Visitor};

/// The handle of an open directory, under one name on all platforms. Makes no system call.
#[must_use]
pub fn handle<'d>(dir: &'d Directory<'_>) -> Option<BorrowedHandle<'d>> {
    handle_of(dir.handle?)
}

/// Which file a path that was looked up leads to.
#[must_use]
pub fn known(root: &Root) -> FileIdentity {
    root.identity
}

/// Gives a file that was looked up another name in its directory, which must be free. System calls:
/// one renameat2, and statx of the file and of the directory, to see that it is the file that was
/// looked up; if not, another renameat2 takes that back.
///
/// # Errors
/// What the operating system says; [`io::ErrorKind::NotFound`] if another file had the name by
/// then.
pub fn rename(root: &Root, new: &CStr) -> io::Result<()> {
    root.rename(new)
}

/// Whether an entry passes, when no more of its metadata will come.
#[must_use]
pub fn passes(filter: &Filter, entry: &Entry<'_>) -> bool {
    let mut scratch = Scratch::default();
    filter.early(entry, &mut scratch) != Early::No && filter.judge(entry, &mut scratch)
}

/// Asks about a remembered entry: at `depth`, in the directory whose paths begin with `prefix`.
/// `None`: no entry has such a name.
pub fn as_entry<R>(
    prefix: &[u8],
    depth: usize,
    name: &[u8],
    file_type: FileType,
    ask: impl FnOnce(&Entry<'_>) -> R,
) -> Option<R> {
    let name = CString::new(name).ok()?;
    let dir = Directory::new(prefix, depth - 1, None);
    Some(ask(&Entry::new(&dir, &name, 0, file_type, depth as u32)))
}

/// Hands those of a directory's remembered entries that pass to a visitor, as a walk does where no
/// metadata is wanted: at `depth`, in the directory whose paths begin with `prefix`. Also returns whether a walk
/// would enter the last one if that is a directory.
pub fn deliver<V: Visitor>(
    visitor: &mut V,
    filter: &Filter,
    prefix: &[u8],
    depth: usize,
    min_depth: usize,
    entries: Recalled,
) -> (Flow, bool) {
    let dir = Directory::new(prefix, depth - 1, None);
    let state = V::State::default();
    let buffer = entries.into_buffer();
    let mut taken = Vec::new();
    let mut last = Select::Drop;
    for raw in buffer.entries() {
        let entry = Entry::new(&dir, raw.name, raw.ino, raw.file_type, depth as u32);
        last = match passes(filter, &entry) {
            true => visitor.select(&state, &entry),
            false if entry.is_pruned() => Select::Drop,
            false => Select::Enter,
        };
        if depth >= min_depth && matches!(last, Select::Take(_)) {
            taken.push(entry);
        } else if last != Select::Drop {
            last = Select::Enter;
        }
    }
    let flow =
        if taken.is_empty() { Flow::Continue } else { visitor.entries(&dir, &state, &taken) };
    let is_pruned = matches!(last, Select::Take(_)) && taken.last().is_some_and(Entry::is_pruned);
    (flow, last != Select::Drop && !is_pruned)
}
