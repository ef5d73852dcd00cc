//! [`Leaving`]: a directory that an acting walk leaves, named by its parent's handle and its name.

use std::cell::Cell;
use std::ffi::CStr;
use std::io;

use brisk_sys::{Dir, Freshness, Links};

use crate::entry::{Directory, is_gone};
use crate::tree::MARKED;
use crate::visitor::Outcome;
use crate::{At, Fields, Meta};

/// A directory below which everything is done. A visitor that [acts](crate::Act) can change or
/// remove it, by its parent's handle.
#[derive(Debug)]
pub struct Leaving<'a> {
    pub(crate) dir: Directory<'a>,
    pub(crate) name: &'a CStr,
    pub(crate) follow: Links,
    /// The directory itself, if it is a root that the caller has open.
    pub(crate) root: Option<&'a Dir>,
    /// The parent's handle, or why there is none: the way back up was lost.
    pub(crate) parent: Result<&'a Dir, &'a io::Error>,
    /// How often the directory was entered again (`tree::REENTRIES_MASK`), and marks.
    pub(crate) bits: u8,
    pub(crate) outcome: Outcome,
    /// The visitor has removed the directory, or another process has.
    pub(crate) gone: Cell<bool>,
    /// The visitor wants the directory to be entered again.
    pub(crate) reenters: Cell<bool>,
}

impl<'a> Leaving<'a> {
    /// The directory, whose own handle is closed.
    #[must_use]
    pub fn directory(&self) -> &Directory<'a> {
        &self.dir
    }

    /// Where the operating system finds the directory: its parent's handle, and its name there. For
    /// a root this is the path as it was given, or the handle.
    ///
    /// # Errors
    /// [`io::ErrorKind::StaleNetworkFileHandle`] if the parent cannot be reached any more, because
    /// another process moved a directory above it; [`io::ErrorKind::Unsupported`] where the walk
    /// has no handles.
    pub fn at(&self) -> io::Result<At<'_>> {
        match self.root {
            Some(root) => At::new(root, c"."),
            None => At::new(self.parent.map_err(repeated)?, self.name),
        }
    }

    /// Whether the directory was reached through a link that the walk follows. The name at which
    /// the directory is found is the link's then.
    #[must_use]
    pub fn is_followed_link(&self) -> bool {
        self.follow == Links::Follow
    }

    /// Whether the visitor has [marked](crate::Entry::mark) the directory's entry.
    #[must_use]
    pub fn is_marked(&self) -> bool {
        self.bits & MARKED != 0
    }

    /// How much of the directory was read.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// The directory's metadata; a link's, if the directory was reached through one. System calls:
    /// one statx.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn stat(&self, fields: Fields) -> io::Result<Meta> {
        let parent = self.parent.map_err(repeated)?;
        parent.stat(self.name, fields, Links::NoFollow, Freshness::AsStat)
    }

    /// Whether the directory is on another device than its parent, and so a mount point; `false` if
    /// the system does not say. System calls: two statx.
    pub(crate) fn is_on_other_device(&self) -> bool {
        let Ok(parent) = self.parent else { return false };
        let here = self.stat(Fields::DEV).ok().and_then(|meta| meta.dev());
        let above = parent.stat_self(Fields::DEV).ok().and_then(|meta| meta.dev());
        here.zip(above).is_some_and(|(here, above)| here != above)
    }

    /// Whether this user may write to the directory, as the system answers. System calls: one
    /// faccessat2.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn may_write(&self) -> io::Result<bool> {
        self.parent.map_err(repeated)?.may_write(self.name)
    }

    /// Removes the directory, relative to its parent's handle. System calls: one unlinkat.
    ///
    /// # Errors
    /// What the operating system says. A directory that cannot be reached any more, because another
    /// process moved a directory above it, is [`io::ErrorKind::StaleNetworkFileHandle`].
    pub fn remove(&self) -> io::Result<()> {
        let removed = self.parent.map_err(repeated)?.remove_dir(self.name);
        self.gone.set(is_gone(&removed));
        removed
    }

    /// Has the walk enter the directory once more, from [`Visitor::enter`](crate::Visitor::enter)
    /// on, because it holds an entry that was not there, or not listed, before. The parent has to
    /// be reachable, and the number of times has to fit into `tree::REENTRIES_MASK`.
    pub(crate) fn reenter(&self) {
        self.reenters.set(true);
    }
}

/// A copy of the error.
fn repeated(error: &io::Error) -> io::Error {
    let in_words = || io::Error::new(error.kind(), error.to_string());
    error.raw_os_error().map_or_else(in_words, io::Error::from_raw_os_error)
}
