//! [`Observer`]: what the caller passes to follow a removal. The removal reports to it what was
//! removed and what stays, and asks it questions.

use std::io;

use super::report::{Failure, Report};
use crate::{Entry, FileType, Leaving, Meta};

/// Follows a removal. All methods have a default; `()` follows nothing.
pub trait Observer: Sync {
    /// Whether the removal shall call [`removed`](Observer::removed). The removal asks again
    /// every few entries.
    fn wants_removed(&self) -> bool {
        false
    }

    /// An entry was removed or, in a dry run, would be. A directory comes after its entries. Called
    /// if [`wants_removed`](Observer::wants_removed) says so.
    fn removed(&self, _path: &[u8], _file_type: FileType) {}

    /// An entry that was to be removed stays.
    fn failed(&self, _failure: &Failure) {}

    /// In a dry run: a path of the caller's has been looked at, and so much would be removed of it.
    /// Only the counts of the report are filled.
    fn looked_at(&self, _path: &[u8], _below: &Report) {}

    /// Whether the removal shall call [`ask`](Observer::ask). The removal finds out once, before it
    /// begins. If the answer is `true`, the calling thread works alone.
    fn asks(&self) -> bool {
        false
    }

    /// Whether an entry may be removed, or a directory entered.
    ///
    /// # Errors
    /// Why there is no answer. The entry then stays, and that is a failure.
    fn ask(&self, _question: &Question<'_>) -> io::Result<bool> {
        Ok(true)
    }

    /// A worker pauses between two pieces of work, is about to wait, or ends. Only the counts of the
    /// report are filled.
    fn progressed(&self, _so_far: &Report) {}

    /// Whether the removal shall end, as if its walk were cancelled. Asked every few entries, so an
    /// implementation should make no system call.
    fn is_stopped(&self) -> bool {
        false
    }
}

impl Observer for () {}

/// What a question is about.
#[derive(Clone, Copy, Debug)]
pub(super) enum Subject<'a> {
    /// An entry, with type, mode and size: to be removed, or a directory to be entered.
    Entry(&'a Entry<'a>, Option<&'a Meta>),
    /// A directory whose entries are done, to be removed.
    Emptied(&'a Leaving<'a>),
}

/// The question whether an entry may be removed, or a directory entered.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    pub(super) path: &'a [u8],
    pub(super) subject: Subject<'a>,
    pub(super) is_empty: bool,
}

impl Question<'_> {
    /// The entry's path, beginning with the root as the caller spelled it.
    #[must_use]
    pub fn path(&self) -> &[u8] {
        self.path
    }

    /// The entry's type.
    #[must_use]
    pub fn file_type(&self) -> FileType {
        match self.subject {
            Subject::Entry(entry, _) => entry.file_type(),
            Subject::Emptied(_) => FileType::Directory,
        }
    }

    /// Type, mode and size; `None` for a directory that was emptied.
    #[must_use]
    pub fn meta(&self) -> Option<&Meta> {
        match self.subject {
            Subject::Entry(_, meta) => meta,
            Subject::Emptied(_) => None,
        }
    }

    /// Whether the question is about entering a directory that is not known to be empty, rather
    /// than about removing. With [`Directories::Empty`](super::Directories::Empty) such a directory
    /// is not entered, and a yes only tries to remove it.
    #[must_use]
    pub fn is_about_entering(&self) -> bool {
        matches!(self.subject, Subject::Entry(entry, _) if entry.file_type().is_dir())
            && !self.is_empty
    }

    /// Whether the system lets this process write to the entry. System calls: one faccessat2.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn may_write(&self) -> io::Result<bool> {
        match self.subject {
            Subject::Entry(entry, _) => entry.may_write(),
            Subject::Emptied(leaving) => leaving.may_write(),
        }
    }
}
