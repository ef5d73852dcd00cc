//! [`Refused`]: why a rescan has no result.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a rescan gives no answer. The state stays as it is.
#[derive(Debug)]
#[non_exhaustive]
pub enum Refused {
    /// The root cannot be asked about.
    Root(PathBuf, io::Error),
    /// The root is on another file system than the state says.
    Elsewhere(PathBuf),
    /// The walk was cancelled.
    Cancelled,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Root(path, error) => write!(f, "cannot look at '{}': {error}", path.display()),
            Refused::Elsewhere(path) => {
                write!(f, "'{}' is on another file system than before", path.display())
            }
            Refused::Cancelled => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for Refused {}
