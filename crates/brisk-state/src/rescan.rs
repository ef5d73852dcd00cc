//! [`Rescan`]: looks at trees again and compares them with a state.

use std::fmt;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use brisk::ignore::Rules;
use brisk::{Cancel, Error, FileType, Stats, Timestamp};

use crate::{Change, Choice, Place, State, Unusable};

/// How trees are looked at again.
pub struct Rescan {
    _roots: Vec<PathBuf>,
}

/// Why a rescan gives no answer: a root is missing, or is on another file system than before. The
/// state stays as it is.
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

impl Rescan {
    /// A rescan of these trees. Of trees that overlap, each entry is looked at once.
    #[must_use]
    pub fn over<P: AsRef<Path>>(roots: impl IntoIterator<Item = P>) -> Rescan {
        Rescan { _roots: roots.into_iter().map(|root| root.as_ref().to_owned()).collect() }
    }

    /// What to compare with. Where there is no usable state, everything is [`Added`](crate::Kind::Added),
    /// and [`Report::full`] says why.
    #[must_use]
    pub fn since(self, _state: Result<State, Unusable>) -> Rescan {
        self
    }

    /// Which entries belong to the state; by default all.
    #[must_use]
    pub fn choice(self, _choice: Arc<dyn Choice>) -> Rescan {
        self
    }

    /// Which files that hold ignore rules count; by default none.
    #[must_use]
    pub fn ignoring(self, _rules: Rules) -> Rescan {
        self
    }

    /// Leaves these files out, by their absolute paths: the state, its lock, what the caller writes.
    #[must_use]
    pub fn without(self, _files: Vec<PathBuf>) -> Rescan {
        self
    }

    /// Whether a change of ctime alone counts as a change; it does by default.
    #[must_use]
    pub fn ctime(self, _counts: bool) -> Rescan {
        self
    }

    /// Whether the contents of files decide whether they changed; off by default. Hashes each file
    /// at the first run, and later each file whose metadata changed.
    #[must_use]
    pub fn content(self, _decides: bool) -> Rescan {
        self
    }

    /// Whether directories that did not change are read from the state; they are by default, where
    /// the file system's times can be trusted.
    #[must_use]
    pub fn shortcuts(self, _wanted: bool) -> Rescan {
        self
    }

    /// Whether entries with a new path are [`Renamed`](crate::Kind::Renamed), rather than deleted
    /// and added; they are by default.
    #[must_use]
    pub fn renames(self, _wanted: bool) -> Rescan {
        self
    }

    /// Whether roots that are on another file system than before are accepted, as new.
    #[must_use]
    pub fn accepts_new_roots(self, _accepted: bool) -> Rescan {
        self
    }

    /// How many workers look; by default as many as the walk finds worth while.
    #[must_use]
    pub fn threads(self, _threads: Option<NonZeroUsize>) -> Rescan {
        self
    }

    /// Ends the rescan when the caller says so.
    #[must_use]
    pub fn cancelled_by(self, _cancel: &Cancel) -> Rescan {
        self
    }

    /// Looks.
    ///
    /// # Errors
    /// A root is missing or on another file system, or the walk was cancelled.
    pub fn run(self) -> Result<Report, Refused> {
        Err(Refused::Cancelled)
    }
}

/// What a rescan found.
#[derive(Debug)]
pub struct Report {
    changes: Vec<Change>,
    full: Option<Unusable>,
    errors: Vec<Error>,
    began: Timestamp,
    explained: Vec<String>,
    stats: Stats,
}

impl Report {
    /// The differences, sorted by root and path, component by component. A renamed entry stands
    /// where it is now.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Why this is a full listing instead of the differences to a state.
    #[must_use]
    pub fn full(&self) -> Option<&Unusable> {
        self.full.as_ref()
    }

    /// Each entry of the next state, sorted by root and path, component by component.
    pub fn entries(&self) -> impl Iterator<Item = (Place, FileType)> + '_ {
        std::iter::empty()
    }

    /// What failed. Each path below such a directory or of such an entry is
    /// [`Unknown`](crate::Kind::Unknown).
    #[must_use]
    pub fn errors(&self) -> &[Error] {
        &self.errors
    }

    /// When the rescan began.
    #[must_use]
    pub fn began(&self) -> Timestamp {
        self.began
    }

    /// Which way was taken for each file system, and why not a faster one: lines of text.
    #[must_use]
    pub fn explained(&self) -> &[String] {
        &self.explained
    }

    /// What the rescan cost.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Whether the next state differs from the one that was compared with. If it does not, there is
    /// nothing to write.
    #[must_use]
    pub fn is_new(&self) -> bool {
        true
    }

    /// Writes the next state to a new file. The file replaces another at once or not at all: it is
    /// written beside it and renamed. It is not synced: a state is a cache, and a torn one is told
    /// from a whole one.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, _file: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// For `--stamp`: one line for each entry of the state, sorted, with its type, its size and
    /// the digest of its contents.
    ///
    /// # Errors
    /// `out` cannot be written to, or a file cannot be read.
    pub fn stamp(&self, _out: &mut dyn io::Write) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
