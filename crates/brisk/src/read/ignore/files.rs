//! Finds and reads the files that hold rules: by a directory's handle, or by path above the roots.
//! [`Seen`]: which of the names that matter a directory's listing showed, as bits.

use std::ffi::CStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use brisk_sys::paths::{bytes_to_path, without_separator};
use brisk_sys::{Dir, whole};

use super::matcher::{Matcher, Syntax};
use crate::{Error, Operation};

/// A directory in which rule files are looked for: by its handle, if it is open, or by its path.
#[derive(Clone, Copy, Debug)]
pub(super) struct RuleDir<'a> {
    /// For messages, and for rule files that are links, which are not followed by handle.
    pub(super) path: &'a Path,
    pub(super) handle: Option<&'a Dir>,
}

impl<'a> RuleDir<'a> {
    /// A directory of the walk; `prefix` is its path with a separator at its end.
    pub(super) fn of(prefix: &'a [u8], handle: Option<&'a Dir>) -> RuleDir<'a> {
        RuleDir { path: bytes_to_path(without_separator(prefix)), handle }
    }

    /// A directory that is known by its path alone.
    pub(super) fn at(path: &'a Path) -> RuleDir<'a> {
        RuleDir { path, handle: None }
    }

    /// The content of a regular file.
    fn read(self, name: &CStr) -> io::Result<Vec<u8>> {
        self.handle.map_or_else(|| whole::read(&self.join(name)), |dir| dir.read_file(name))
    }

    /// Whether there is an entry of that name.
    pub(super) fn has(self, name: &CStr) -> bool {
        let by_path = || self.join(name).symlink_metadata().is_ok();
        self.handle.map_or_else(by_path, |dir| dir.has(name))
    }

    pub(super) fn join(self, name: &CStr) -> PathBuf {
        self.path.join(bytes_to_path(name.to_bytes()))
    }
}

/// The content of a file of rules; `None` if there is none. Links are followed, as `fd` does (git
/// refuses a linked `.gitignore`).
pub(super) fn read_if_there(place: RuleDir<'_>, name: &CStr) -> io::Result<Option<Vec<u8>>> {
    let error = match if_there(place.read(name)) {
        Err(error) => error,
        found => return found,
    };
    let path = place.join(name);
    let followed = if path.is_symlink() { whole::read(&path) } else { Err(error) };
    match followed {
        Err(error) if holds_nothing(&error) => Ok(None),
        read => read.map(Some),
    }
}

/// What was read; `None` if there is no such file.
pub(super) fn if_there(read: io::Result<Vec<u8>>) -> io::Result<Option<Vec<u8>>> {
    match read {
        Err(error) if is_absence(&error) => Ok(None),
        read => read.map(Some),
    }
}

/// Whether there is no such file, or only a directory, a pipe or a device of that name.
pub(super) fn holds_nothing(error: &io::Error) -> bool {
    is_absence(error) || error.kind() == io::ErrorKind::InvalidInput
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Whether a file of configuration that cannot be read does not count. After `su`, the user's may
/// be that of another user.
pub(super) fn counts_as_absent(error: &io::Error) -> bool {
    holds_nothing(error) || error.kind() == io::ErrorKind::PermissionDenied
}

/// The rules of the file `name` in a directory; `None` if there is no such file or no rule in it.
/// Failures are added to `errors`. System calls: those of [`RuleDir::read`]; for a link also a stat,
/// and those of reading by path.
pub(super) fn read_rules(
    place: RuleDir<'_>,
    name: &CStr,
    depth: usize,
    syntax: Syntax,
    errors: &mut Vec<Error>,
) -> Option<Arc<Matcher>> {
    compile(read_if_there(place, name), syntax, || place.join(name), depth, errors)
}

/// Adds why a file could not be read to `errors`; returns what stands for its rules.
#[cold]
pub(super) fn failed(
    path: PathBuf,
    depth: usize,
    error: io::Error,
    errors: &mut Vec<Error>,
) -> Option<Arc<Matcher>> {
    errors.push(unreadable(path, depth, error));
    Some(Arc::default())
}

/// The rules in the content of a file; `None` if there is no such file or no rule in it.
pub(super) fn compile(
    content: io::Result<Option<Vec<u8>>>,
    syntax: Syntax,
    path: impl Fn() -> PathBuf,
    depth: usize,
    errors: &mut Vec<Error>,
) -> Option<Arc<Matcher>> {
    let content = match content {
        Ok(content) => content?,
        Err(error) => return failed(path(), depth, error, errors),
    };
    let mut bad = Vec::new();
    let matcher = Matcher::compile(&content, syntax, &mut bad);
    if bad.is_empty() {
        return matcher.map(Arc::new);
    }
    errors.extend(bad.into_iter().map(|line| {
        let reason = match line.number {
            0 => line.reason,
            number => format!("line {number}: {}", line.reason),
        };
        let is_bound = line.is_bound;
        let kind = if is_bound { io::ErrorKind::FileTooLarge } else { io::ErrorKind::InvalidData };
        unreadable(path(), depth, io::Error::new(kind, reason))
    }));
    let mut matcher = matcher.unwrap_or_default();
    matcher.is_complete = false;
    Some(Arc::new(matcher))
}

#[cold]
pub(super) fn unreadable(path: PathBuf, depth: usize, source: io::Error) -> Error {
    Error::new(Operation::ReadIgnoreFile, path, depth, source)
}

pub(super) const GIT: u64 = 1;
pub(super) const JJ: u64 = 2;
pub(super) const GITIGNORE: u64 = 4;

/// The bit of a configured name. Names after the 60th share one bit, which costs only failing
/// reads: that a file is missing is not an error.
pub(super) fn name_bit(rank: usize) -> u64 {
    1 << (rank + 3).min(63)
}

/// Which of the wanted names a listing showed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) listed: u64,
    /// The names that may be in the directory: those listed, if the listing is complete, else all.
    pub(super) possible: u64,
}

impl Seen {
    pub(super) fn may_hold(self, bits: u64) -> bool {
        self.possible & bits != 0
    }

    /// Whether the directory holds a repository. System calls: none if the listing is complete or
    /// shows one.
    pub(super) fn repository_in(self, place: RuleDir<'_>) -> bool {
        self.listed & (GIT | JJ) != 0 || (self.may_hold(GIT | JJ) && is_repository(place))
    }
}

/// Whether a directory is the top of a repository. System calls: one or two stats.
pub(super) fn is_repository(place: RuleDir<'_>) -> bool {
    place.has(c".git") || place.has(c".jj")
}
