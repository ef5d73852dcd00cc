//! Directories that are left by their parent's handle, and the visitors that remove them.

use std::cell::Cell;
use std::ffi::CStr;
use std::io;

use brisk_sys::{Dir, Freshness, Links};

use crate::entry::Directory;
use crate::tree::TIMES;
use crate::visitor::{Flow, Outcome, Parallel};
use crate::{Fields, Meta};

/// A visitor that removes: the walk is unordered, and directories are left by their parent's handle.
pub(crate) trait Removal: Parallel {
    /// Everything below the directory is done, and it may be removed. Also called for a directory that
    /// could not be opened: right after [`error`](Visitor::error) in the same worker, if that was
    /// called at all.
    fn remove(&mut self, dir: &Leaving<'_>, state: &Self::State, parent: &Self::State) -> Flow;
}

/// A directory below which everything is done, named by its parent's handle: it can be removed.
#[derive(Debug)]
pub(crate) struct Leaving<'a> {
    pub(crate) dir: Directory<'a>,
    pub(crate) name: &'a CStr,
    /// Why there is no handle, if there is none: the way back up was lost.
    pub(crate) parent: Result<&'a Dir, &'a io::Error>,
    pub(crate) note: u8,
    pub(crate) outcome: Outcome,
    pub(crate) again: Cell<bool>,
}

impl<'a> Leaving<'a> {
    /// The directory; it is not open any more.
    #[must_use]
    pub fn directory(&self) -> &Directory<'a> {
        &self.dir
    }

    /// Whether all its entries were listed: reading it did not fail.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.outcome != Outcome::Partial
    }

    /// How much of it was seen.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// How often it was read before, because of [`read_again`](Leaving::read_again).
    #[must_use]
    pub fn times_read_before(&self) -> u32 {
        u32::from(self.note & TIMES)
    }

    /// Its metadata. System calls: one statx.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn stat(&self, fields: Fields) -> io::Result<Meta> {
        let parent = self.parent.map_err(repeated)?;
        parent.stat(self.name, fields, Links::NoFollow, Freshness::AsStat)
    }

    /// Whether it is on another device than its parent, as far as that can be told: a mount point.
    /// System calls: two statx.
    #[must_use]
    pub fn is_on_other_device(&self) -> bool {
        let Ok(parent) = self.parent else { return false };
        let here = self.stat(Fields::DEV).ok().and_then(|meta| meta.dev());
        let above = parent.stat_self(Fields::DEV).ok().and_then(|meta| meta.dev());
        here.zip(above).is_some_and(|(here, above)| here != above)
    }

    /// Whether this user may write to the directory, by the system's word. System calls: one faccessat2.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn may_write(&self) -> io::Result<bool> {
        self.parent.map_err(repeated)?.may_write(self.name)
    }

    /// Removes it, relative to its parent's handle. System calls: one unlinkat.
    ///
    /// # Errors
    /// What the operating system says; what cannot be reached any more because a directory was moved
    /// away is [`io::ErrorKind::StaleNetworkFileHandle`].
    pub fn remove(&self) -> io::Result<()> {
        match self.parent {
            Ok(parent) => parent.remove_dir(self.name),
            Err(error) => Err(repeated(error)),
        }
    }

    /// Has the walk enter it once more, from [`Visitor::enter`](crate::Visitor::enter) on: something is
    /// in it that was not there, or not listed, before. Without effect after 60 times.
    pub fn read_again(&self) {
        self.again.set(self.note & TIMES < 60 && self.parent.is_ok());
    }
}

/// The same error once more.
fn repeated(error: &io::Error) -> io::Error {
    error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error)
}
