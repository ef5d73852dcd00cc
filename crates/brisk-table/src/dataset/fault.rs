//! [`Fault`]: why a data set, a unit or an outcome cannot be used.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use brisk_sys::paths::with_slashes;
use brisk_sys::quoting::quoted;

use super::JOURNAL;

/// Why a data set, a unit or an outcome cannot be used. `Display` is one line for a user.
#[derive(Debug)]
#[non_exhaustive]
pub enum Fault {
    /// A system call failed: what it should have done, and to which file.
    Io(&'static str, PathBuf, io::Error),
    /// Another process works on this data set.
    Locked(PathBuf),
    /// The data set in this directory was begun with other roots or options.
    Differs(PathBuf, &'static str),
    /// There is something else in this directory.
    NotEmpty(PathBuf),
    /// There is no data set in this directory.
    NotThere(PathBuf),
    /// This line of this journal is not as it was written.
    Damaged(PathBuf, u64),
    /// The journal names this part, and it is gone.
    Lost(PathBuf),
    /// This part is another one than the journal says.
    Replaced(PathBuf),
    /// The text is not a unit, or not an outcome.
    Unreadable(&'static str, String),
}

impl Fault {
    pub(super) fn io(verb: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Fault {
        move |error| Fault::Io(verb, path.to_owned(), error)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |path: &Path| quoted(&with_slashes(path)).to_string();
        match self {
            Fault::Io(verb, path, error) => write!(f, "cannot {verb} {}: {error}", shown(path)),
            Fault::Locked(path) => write!(f, "another scan works on {}", shown(path)),
            Fault::Differs(path, what) => {
                write!(f, "{} was begun with other {what}", shown(path))
            }
            Fault::NotEmpty(path) => {
                write!(f, "{} has files, and is not a data set of brisk scan", shown(path))
            }
            Fault::NotThere(path) => {
                write!(f, "{} is not a data set of brisk scan: ", shown(path))?;
                write!(f, "its journal, NAME{JOURNAL}, is not beside it")
            }
            Fault::Damaged(path, line) => {
                write!(f, "line {line} of {} is not as brisk has written it", shown(path))
            }
            Fault::Lost(path) => write!(f, "{} is recorded, and is not there", shown(path)),
            Fault::Replaced(path) => {
                write!(f, "{} is another part than the one that was recorded", shown(path))
            }
            Fault::Unreadable(what, why) => write!(f, "this is not {what}: {why}"),
        }
    }
}

impl std::error::Error for Fault {}
