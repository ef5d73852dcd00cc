//! The one error type: what was being done, to which path, how deep, and why it failed.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use brisk_sys::quoting::{line, quoted};
use brisk_sys::{ELOOP, errno};

/// What brisk was doing when an error occurred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation {
    /// Learning the ignore rules of a directory before entering it, in a walk that changes what is
    /// not ignored: the directory is left as it is.
    LearnRules,
    /// Opening a directory.
    Open,
    /// Opening a directory again whose handle was closed because handles are scarce. What the walk
    /// had not visited in it stays unvisited.
    Reopen,
    /// Reading a directory's entries.
    Read,
    /// Asking for a file's metadata.
    Stat,
    /// Reading a symbolic link.
    ReadLink,
    /// Asking for a file's extended attributes.
    ReadXattr,
    /// Reading a file's contents.
    ReadFile,
    /// Reading a file that holds ignore rules.
    ReadIgnoreFile,
    /// Removing a file or directory.
    Remove,
    /// Changing a mode or owners.
    Change,
    /// Asking for a file's metadata once more, after a change.
    StatChanged,
    /// Changing the root of the file system, which is refused.
    ChangeRoot,
    /// Looking up what a link leads to.
    Follow,
    /// Following a link or mount that leads back to a directory above it.
    FollowLoop,
}

impl Operation {
    /// The words before the path in a message, such as "cannot open directory".
    #[must_use]
    pub fn phrase(self) -> &'static str {
        match self {
            Operation::LearnRules => "not entering",
            Operation::Open => "cannot open directory",
            Operation::Reopen => "cannot return to directory",
            Operation::Read => "cannot read directory",
            Operation::Stat => "cannot stat",
            Operation::ReadLink => "cannot read link",
            Operation::ReadXattr => "cannot read attributes of",
            Operation::ReadFile => "cannot read",
            Operation::ReadIgnoreFile => "cannot read ignore rules",
            Operation::Remove => "cannot remove",
            Operation::Change => "cannot change",
            Operation::StatChanged => "cannot stat after the change",
            Operation::ChangeRoot => "refusing to change the root directory",
            Operation::Follow => "cannot follow link",
            Operation::FollowLoop => "file system loop at",
        }
    }
}

/// A failure on one entry. The walk goes on unless the visitor says otherwise.
///
/// `Display` writes one line, with the path as GNU's programs quote it for a shell: what is no
/// printable character of UTF-8 is escaped.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    operation: Operation,
    path: PathBuf,
    depth: usize,
    source: io::Error,
}

impl Error {
    /// An error of `operation` on `path`, found at `depth` (a root's depth is 0).
    #[cold]
    #[must_use]
    pub fn new(operation: Operation, path: PathBuf, depth: usize, source: io::Error) -> Error {
        Error(Box::new(Inner { operation, path, depth, source }))
    }

    /// What brisk was doing.
    #[must_use]
    pub fn operation(&self) -> Operation {
        self.0.operation
    }

    /// The path of the entry, as the walk spells it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The depth of the entry; a root's depth is 0.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.0.depth
    }

    /// The error's number as in errno.h, on Windows that of its kind. Of a link or mount that leads
    /// back it is `ELOOP`.
    #[must_use]
    pub fn errno(&self) -> i32 {
        match self.operation() {
            Operation::FollowLoop => ELOOP,
            _ => errno(self.io()),
        }
    }

    /// Whether this is a line that is not a rule in a file of ignore rules. It concerns the author of
    /// the file; what only lists entries need not report it.
    #[must_use]
    pub fn is_malformed_rule(&self) -> bool {
        self.operation() == Operation::ReadIgnoreFile
            && self.io().kind() == io::ErrorKind::InvalidData
    }

    /// The operating system's error, without operation and path.
    #[must_use]
    pub fn into_io(self) -> io::Error {
        self.0.source
    }

    /// The operating system's error.
    #[must_use]
    pub fn io(&self) -> &io::Error {
        &self.0.source
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { operation, path, source, .. } = &*self.0;
        let path = quoted(path.as_os_str().as_encoded_bytes());
        write!(f, "{} {path}: {}", operation.phrase(), line(source.to_string().as_bytes()))
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0.source)
    }
}

/// The whole error as an I/O error of the same kind as the operating system's.
impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        io::Error::new(error.io().kind(), error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_pointer_wide() {
        assert_eq!(size_of::<Error>(), size_of::<usize>());
    }

    #[test]
    fn a_message_is_one_line() {
        let path = "a\nbrisk: b\u{202e}".into();
        let error = Error::new(Operation::Stat, path, 0, io::Error::other("a\nb"));
        let line = r"cannot stat 'a'$'\n''brisk: b'$'\342\200\256': a\nb";
        assert_eq!(error.to_string(), line);
    }
}
