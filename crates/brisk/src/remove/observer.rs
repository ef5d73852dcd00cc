//! What follows a removal: told what goes, asked whether it may.

use std::io;

use super::report::{Failure, Progress};
use crate::emit::leaving::Leaving;
use crate::{Entry, FileType, Flow, Meta};

/// Follows a removal. All methods have a default; `()` follows nothing.
pub trait Observer: Sync {
    /// Whether [`removed`](Observer::removed) shall be called; asked once for each
    /// chunk of entries.
    fn wants_removed(&self) -> bool {
        false
    }

    /// Something is gone (or, in a dry run, would be). A directory comes after what was in it.
    fn removed(&self, _path: &[u8], _file_type: FileType) {}

    /// Something stays.
    fn failed(&self, _failure: &Failure) {}

    /// Whether [`ask`](Observer::ask) shall be called; asked once. Everything then happens in the calling thread.
    fn asks(&self) -> bool {
        false
    }

    /// Whether something may go, or a directory be entered.
    ///
    /// # Errors
    /// Why it cannot be decided: the entry stays, and that is a failure.
    fn ask(&self, _question: &Question<'_>) -> io::Result<bool> {
        Ok(true)
    }

    /// A worker has finished a piece of work. [`Flow::Stop`] ends the removal.
    fn pause(&self, _so_far: &Progress) -> Flow {
        Flow::Continue
    }

    /// Whether the removal shall end; asked every few entries, and to be answered without a system call.
    fn is_stopped(&self) -> bool {
        false
    }
}

impl Observer for () {}

/// What is asked about.
#[derive(Clone, Copy, Debug)]
pub(super) enum Subject<'a> {
    /// An entry, with type, mode and size: to be removed, or a directory to be entered.
    Entry(&'a Entry<'a>),
    /// A directory below which nothing is left, to be removed.
    Emptied(&'a Leaving<'a>),
}

/// Whether something may go.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    pub(super) path: &'a [u8],
    pub(super) subject: Subject<'a>,
    pub(super) is_empty: bool,
}

impl Question<'_> {
    /// Its path, as it is spelled.
    #[must_use]
    pub fn path(&self) -> &[u8] {
        self.path
    }

    /// Its type.
    #[must_use]
    pub fn file_type(&self) -> FileType {
        match self.subject {
            Subject::Entry(entry) => entry.file_type(),
            Subject::Emptied(_) => FileType::Directory,
        }
    }

    /// Type, mode and size; `None` for a directory that was emptied.
    #[must_use]
    pub fn meta(&self) -> Option<&Meta> {
        match self.subject {
            Subject::Entry(entry) => entry.meta(),
            Subject::Emptied(_) => None,
        }
    }

    /// Whether it is about entering a directory with something in it, rather than about removing.
    #[must_use]
    pub fn is_about_entering(&self) -> bool {
        matches!(self.subject, Subject::Entry(entry) if entry.file_type().is_dir())
            && !self.is_empty
    }

    /// Whether this user may write to it. System calls: one faccessat2.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn may_write(&self) -> io::Result<bool> {
        match self.subject {
            Subject::Entry(entry) => entry.may_write(),
            Subject::Emptied(leaving) => leaving.may_write(),
        }
    }
}
