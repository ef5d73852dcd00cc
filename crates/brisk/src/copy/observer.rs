//! [`Observer`]: what the caller passes to follow a copy.

use std::ffi::OsString;
use std::io;

use super::report::{NotCopied, Report};
use super::settings::PathPair;
use crate::{FileType, Meta};

/// Follows a copy. All methods have a default; `()` follows nothing. Workers call the methods
/// concurrently.
pub trait Observer: Sync {
    /// Whether the copy calls [`begun`](Observer::begun) and [`removed`](Observer::removed). Called
    /// once.
    fn wants_begun(&self) -> bool {
        false
    }

    /// The copy of an entry begins, or a directory has just been made (an existing directory is not
    /// reported). In a dry run, either would happen. `cp -v` prints its line here.
    fn begun(&self, _begun: &Begun<'_>) {}

    /// A copy is about to replace the destination, or the destination was removed because the
    /// source does not have it ([`Copy::delete`](field@super::Copy::delete)). In a dry run, either
    /// would happen.
    fn removed(&self, _destination: &[u8], _file_type: FileType) {}

    /// Something failed. The report counts it.
    fn failed(&self, _failure: &NotCopied) {}

    /// Whether the copy calls [`ask`](Observer::ask). Called once, before the copy begins. If the
    /// answer is `true`, the calling thread works alone.
    fn asks(&self) -> bool {
        false
    }

    /// Whether an existing destination may be overwritten (`cp -i`).
    ///
    /// # Errors
    /// Why there is no answer. The destination then stays, which is a failure
    /// ([`Step::Ask`](super::Step::Ask)).
    fn ask(&self, _question: &Overwrite<'_>) -> io::Result<bool> {
        Ok(true)
    }

    /// The backup's name for an existing destination, in the same directory. Called if
    /// [`Copy::backup`](field@super::Copy::backup) is set, for destinations that are not
    /// directories. A file of that name is replaced; but if names are
    /// [numbered](field@super::Copy::numbered), the copy asks for another name, and fails if the
    /// answer is the same name.
    ///
    /// # Errors
    /// Why no name was found: a failure ([`Step::Backup`](super::Step::Backup)).
    fn backup_name(&self, _backup: &Backup<'_>) -> io::Result<Option<OsString>> {
        Ok(None)
    }

    /// A worker pauses between two pieces of work, has copied a piece of a large file, is about to
    /// wait, or ends. The report holds only numbers.
    fn progressed(&self, _so_far: &Report) {}

    /// Whether the copy is to end, as if its walk were cancelled. Called after each entry and each
    /// piece of a large file, so an implementation should make no system call.
    fn is_stopped(&self) -> bool {
        false
    }
}

impl Observer for () {}

/// An entry whose copy begins, or a directory that was made.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Begun<'a> {
    /// Both paths.
    pub paths: PathPair<'a>,
    /// The source's type.
    pub file_type: FileType,
    /// The path of the destination's backup, if one was made.
    pub backup: Option<&'a [u8]>,
}

/// The question whether an existing destination may be overwritten.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Overwrite<'a> {
    /// Both paths.
    pub paths: PathPair<'a>,
    /// The destination's type, mode, size and owner.
    pub meta: &'a Meta,
    /// Whether the system lets this process write to the destination.
    pub is_writable: bool,
}

/// A destination that is to be kept as a backup.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Backup<'a> {
    /// Both paths.
    pub paths: PathPair<'a>,
}
