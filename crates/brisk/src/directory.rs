//! [`Directory`]: the directory that holds entries, borrowed while the walk has it.

use std::ffi::CStr;
use std::io;
use std::path::Path;

use brisk_sys::paths::{bytes_to_path, without_separator};
use brisk_sys::{BorrowedHandle, Dir, handle_of};

use crate::ignore::Level;
use crate::tree::RootHandles;
use crate::{Fields, Meta};

/// A directory, as a visitor sees it: the one that contains the entries, or that is opened or left.
///
/// The roots' own entries are in a place above the roots, which has no path, except in a removal:
/// there it has what stands before the roots' last components.
#[derive(Clone, Copy, Debug)]
pub struct Directory<'a> {
    /// Its path with a separator at the end, empty above the roots (except in a removal).
    pub(crate) prefix: &'a [u8],
    pub(crate) depth: usize,
    pub(crate) handle: Option<&'a Dir>,
    pub(crate) id: u64,
    pub(crate) parent_id: Option<u64>,
    /// The roots that the caller has open; only the place above the roots knows them.
    pub(crate) root_handles: Option<&'a RootHandles>,
    pub(crate) rules: Option<&'a Level>,
}

impl<'a> Directory<'a> {
    /// A directory without a number and without a parent.
    pub(crate) const fn new(
        prefix: &'a [u8],
        depth: usize,
        handle: Option<&'a Dir>,
    ) -> Directory<'a> {
        Directory { prefix, depth, handle, id: 0, parent_id: None, root_handles: None, rules: None }
    }

    /// Its path's bytes, ending in a separator: what each entry's path begins with. Empty for the
    /// place above the roots, except in a removal.
    ///
    /// This never makes a system call.
    #[must_use]
    pub fn prefix(&self) -> &'a [u8] {
        self.prefix
    }

    /// Its path, without the separator at the end.
    ///
    /// This never makes a system call.
    #[must_use]
    pub fn path(&self) -> &'a Path {
        bytes_to_path(without_separator(self.prefix))
    }

    /// How deep it is; a root's depth is 0.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The directory's number in this walk: different for each directory that the walk enters, from
    /// 1 on. The place above the roots has the number 0.
    ///
    /// On one thread, numbers follow the order in which the walk opens directories, without gaps. In
    /// parallel walks each worker takes some dozens of numbers at once: there are gaps, and a
    /// directory may have a smaller number than its parent. A directory that is entered twice, through a link or a mount, has
    /// two numbers. A walk that [resumes](crate::Walk::resume) another counts from 1 again, and
    /// counts the directories above those that it enters as well. In
    /// [`InTurn::compare`](crate::InTurn::compare) the entries' directory is not known, and the
    /// number is 0. This never makes a system call.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The number of the directory that holds this one: 0 for a root, `None` for the place above
    /// the roots.
    ///
    /// This never makes a system call.
    #[must_use]
    pub fn parent_id(&self) -> Option<u64> {
        self.parent_id
    }

    /// The ignore rules in force in this directory; `None` in a walk without [rules](crate::Walk::rules).
    /// Until its own rule files are read, after [`Visitor::opened`](crate::Visitor::opened), these
    /// are the rules that the directory inherits. [`Visitor::enter`](crate::Visitor::enter) finds
    /// them in the directory of the entry, also for a root. This never makes a system call.
    #[must_use]
    pub fn rules(&self) -> Option<&'a Level> {
        self.rules
    }

    /// The directory's descriptor, borrowed for the time of the call. With it a visitor can open
    /// what is in the directory, or watch the directory.
    ///
    /// `None` if the directory is not open: in [`Visitor::enter`](crate::Visitor::enter), in
    /// [`Visitor::leave`](crate::Visitor::leave), and often in `entries` of ordered walks, which
    /// read ahead and close directories before their turn. `None` above the roots, and with
    /// [`Backend::Portable`](crate::Backend::Portable).
    ///
    /// The walk reads the directory through this descriptor. If the visitor reads from it or seeks,
    /// the walk's position moves, and entries are lost or come twice. A descriptor of `.`, opened
    /// relative to this one, has a position of its own. This never makes a system call.
    #[cfg(unix)]
    #[must_use]
    pub fn as_fd(&self) -> Option<BorrowedHandle<'_>> {
        handle_of(self.handle?)
    }

    /// The directory's handle, borrowed for the time of the call. With it a visitor can open what
    /// is in the directory, or watch the directory.
    ///
    /// `None` if the directory is not open: in [`Visitor::enter`](crate::Visitor::enter), in
    /// [`Visitor::leave`](crate::Visitor::leave), and often in `entries` of ordered walks, which
    /// read ahead and close directories before their turn. `None` above the roots, and with
    /// [`Backend::Portable`](crate::Backend::Portable).
    ///
    /// The walk reads the directory through this handle. If the visitor reads from it, the walk's
    /// position moves, and entries are lost or come twice. This never makes a system call.
    #[cfg(not(unix))]
    #[must_use]
    pub fn as_handle(&self) -> Option<BorrowedHandle<'_>> {
        handle_of(self.handle?)
    }

    /// Metadata of the directory itself, while it is open. System calls: one statx.
    ///
    /// # Errors
    /// What the operating system says; [`io::ErrorKind::Unsupported`] if the directory is not open.
    pub fn stat(&self, wanted: Fields) -> io::Result<Meta> {
        self.handle.ok_or(io::ErrorKind::Unsupported)?.stat_self(wanted)
    }

    /// Whether `name` exists in this directory, relative to the directory's handle; links are not
    /// followed. Also `false` if the request fails or the directory is not open. System calls: one
    /// statx.
    #[must_use]
    pub fn has(&self, name: &CStr) -> bool {
        self.handle.is_some_and(|handle| handle.has(name))
    }
}
