//! Finds and reads the files that hold rules: by a directory's handle, or by path above the roots.

use std::ffi::CStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use brisk_sys::whole;

use super::matcher::{BadLine, Matcher};
use crate::entry::bytes_to_path;
use crate::{Directory, Error, Operation};

/// A directory in which rule files are looked for.
pub(super) trait Place {
    /// The content of a regular file.
    fn read(&self, name: &CStr) -> io::Result<Vec<u8>>;
    /// Whether there is an entry of that name.
    fn has(&self, name: &CStr) -> bool;
    /// The directory's path: for messages, and for rule files that are links, which are not
    /// followed by handle.
    fn path(&self) -> &Path;
}

impl Place for Directory<'_> {
    fn read(&self, name: &CStr) -> io::Result<Vec<u8>> {
        if self.handle.is_some() { self.read_file(name) } else { ByPath(self.path()).read(name) }
    }

    fn has(&self, name: &CStr) -> bool {
        if self.handle.is_some() {
            Directory::has(self, name)
        } else {
            ByPath(self.path()).has(name)
        }
    }

    fn path(&self) -> &Path {
        Directory::path(self)
    }
}

/// A directory known by its path alone: one above a root.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByPath<'a>(pub(super) &'a Path);

impl Place for ByPath<'_> {
    fn read(&self, name: &CStr) -> io::Result<Vec<u8>> {
        whole::read(&self.join(name))
    }

    fn has(&self, name: &CStr) -> bool {
        self.join(name).symlink_metadata().is_ok()
    }

    fn path(&self) -> &Path {
        self.0
    }
}

impl ByPath<'_> {
    fn join(&self, name: &CStr) -> PathBuf {
        self.0.join(bytes_to_path(name.to_bytes()))
    }
}

/// The content of a file of rules; `None` if there is none. Links are followed, as `fd` does (git
/// refuses a linked `.gitignore`).
fn read_if_there(place: &dyn Place, name: &CStr) -> io::Result<Option<Vec<u8>>> {
    let error = match place.read(name) {
        Ok(content) => return Ok(Some(content)),
        Err(error) => error,
    };
    if is_absence(&error) {
        return Ok(None);
    }
    let path = ByPath(place.path()).join(name);
    let followed = if path.is_symlink() { whole::read(&path) } else { Err(error) };
    match followed {
        Ok(content) => Ok(Some(content)),
        Err(error) if holds_nothing(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether there is no such file, or only a directory, a pipe or a device of that name.
pub(super) fn holds_nothing(error: &io::Error) -> bool {
    is_absence(error) || error.kind() == io::ErrorKind::InvalidInput
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The rules of the file `name` in a directory; `None` if there is no such file or no rule in it.
/// Failures are added to `errors`. System calls: those of [`Place::read`]; for a link also a stat,
/// and those of reading by path.
pub(super) fn read_rules(
    place: &dyn Place,
    name: &CStr,
    depth: usize,
    errors: &mut Vec<Error>,
) -> Option<Arc<Matcher>> {
    match read_if_there(place, name) {
        Ok(content) => compile(&content?, || ByPath(place.path()).join(name), depth, errors),
        Err(error) => {
            errors.push(unreadable(ByPath(place.path()).join(name), depth, error));
            None
        }
    }
}

/// The rules in a repository's `info/exclude`. Where `.git` is a file (worktrees, submodules), it
/// names the directory of `info/exclude`.
pub(super) fn read_exclude(
    place: &dyn Place,
    depth: usize,
    errors: &mut Vec<Error>,
) -> Option<Arc<Matcher>> {
    let name = c".git/info/exclude";
    match place.read(name) {
        Ok(content) => compile(&content, || ByPath(place.path()).join(name), depth, errors),
        // On Windows, a path below a file is "not found", too.
        Err(error) if is_absence(&error) => {
            read_file(&git_dir(place, depth, errors)?.join("info/exclude"), errors)
        }
        // The file is a link, or there is a failure to report.
        Err(_) => read_rules(place, name, depth, errors),
    }
}

/// The rules in the file at a path; `None` if there is no such file or no rule in it.
pub(super) fn read_file(path: &Path, errors: &mut Vec<Error>) -> Option<Arc<Matcher>> {
    match whole::read(path) {
        Ok(content) => compile(&content, || path.to_owned(), 0, errors),
        Err(error) => {
            if !is_absence(&error) {
                errors.push(unreadable(path.to_owned(), 0, error));
            }
            None
        }
    }
}

/// The directory to which a `.git` file leads: the one that a worktree shares with its repository,
/// or the submodule's own.
fn git_dir(place: &dyn Place, depth: usize, errors: &mut Vec<Error>) -> Option<PathBuf> {
    let content = read_if_there(place, c".git").unwrap_or_else(|error| {
        errors.push(unreadable(ByPath(place.path()).join(c".git"), depth, error));
        None
    })?;
    let named = first_line(content.strip_prefix(b"gitdir: ")?);
    let git_dir = place.path().join(bytes_to_path(named));
    let common = git_dir.join("commondir");
    match whole::read(&common) {
        Ok(content) => return Some(git_dir.join(bytes_to_path(first_line(&content)))),
        Err(error) if holds_nothing(&error) => {}
        Err(error) => errors.push(unreadable(common, depth, error)),
    }
    Some(git_dir)
}

fn first_line(content: &[u8]) -> &[u8] {
    let line = content.split(|&byte| byte == b'\n').next().unwrap_or_default();
    line.strip_suffix(b"\r").unwrap_or(line)
}

pub(super) fn compile(
    content: &[u8],
    path: impl Fn() -> PathBuf,
    depth: usize,
    errors: &mut Vec<Error>,
) -> Option<Arc<Matcher>> {
    let mut bad = Vec::new();
    let matcher = Matcher::compile(content, &mut bad);
    errors.extend(bad.into_iter().map(|line| invalid(path(), depth, &line)));
    matcher.map(Arc::new)
}

#[cold]
fn invalid(path: PathBuf, depth: usize, line: &BadLine) -> Error {
    let reason = match line.number {
        0 => line.reason.clone(),
        number => format!("line {number}: {}", line.reason),
    };
    let kind = if line.is_bound { io::ErrorKind::FileTooLarge } else { io::ErrorKind::InvalidData };
    unreadable(path, depth, io::Error::new(kind, reason))
}

#[cold]
pub(super) fn unreadable(path: PathBuf, depth: usize, source: io::Error) -> Error {
    Error::new(Operation::ReadIgnoreFile, path, depth, source)
}
