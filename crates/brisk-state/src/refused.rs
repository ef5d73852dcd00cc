//! [`Refused`]: why a rescan has no result.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use brisk_sys::quoting::{Quoted, quoted};

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
            Refused::Root(path, error) => write!(f, "cannot look at {}: {error}", shown(path)),
            Refused::Elsewhere(path) => {
                write!(f, "{} is on another file system than before", shown(path))
            }
            Refused::Cancelled => f.write_str("interrupted"),
        }
    }
}

fn shown(path: &Path) -> Quoted<'_> {
    quoted(path.as_os_str().as_encoded_bytes())
}

impl std::error::Error for Refused {}
