//! Copies whole trees: in parallel, by handles, and so that a file under its own name is whole.
//!
//! [`Copy`] says how to copy, and a [`Pair`] says what and where to; [`Report`] says what was
//! copied and what failed. An [`Observer`] follows the copy while it runs, and answers questions.
//!
//! Both paths of a pair are followed once, as the caller typed them. Below them sources are opened
//! by their directory's handle and without following links (unless the walk follows them), and
//! destinations are made by the handle of the directory that the copy has made or opened.

#[cfg(any(target_os = "linux", target_os = "android"))]
mod engine;
mod observer;
mod report;
mod settings;

use std::ffi::{CString, OsStr};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use brisk_sys::{Backend, Dir, Links};

pub use observer::{Backup, Begun, Observer, Question};
pub use report::{Failure, Report, Step, Way};
pub use settings::{
    Copy, Create, Demand, Directories, Modes, Overwriting, Paths, Preserve, Update, When,
};

/// A directory that is opened once and that many destinations are named in, such as the last
/// operand of cp.
#[derive(Clone, Debug)]
pub struct Target {
    path: PathBuf,
    handle: Arc<Dir>,
}

impl Target {
    /// Opens a directory, and follows links in its path. System calls: one openat.
    ///
    /// # Errors
    /// A path that leads to no directory.
    pub fn open(path: &Path) -> io::Result<Target> {
        let handle = Arc::new(Dir::open_place(Backend::Native, path)?);
        Ok(Target { path: path.to_owned(), handle })
    }

    /// The copy of `source` under this name, which may be a path (`a/b`, as with cp's `--parents`).
    #[must_use]
    pub fn pair(&self, source: PathBuf, name: &Path) -> Pair {
        let destination = self.path.join(name);
        Pair { source, destination, target: Some((Arc::clone(&self.handle), name.to_owned())) }
    }

    /// The directory of this name in this one. System calls: one openat2.
    ///
    /// # Errors
    /// There is no such directory; a link is none.
    pub fn enter(&self, name: &OsStr) -> io::Result<Target> {
        let below = CString::new(name.as_encoded_bytes())?;
        let handle = Arc::new(self.handle.open_child_place(&below, Links::NoFollow)?);
        Ok(Target { path: self.path.join(name), handle })
    }

    /// The path by which the directory was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// What is to be copied, and where to.
#[derive(Clone, Debug)]
pub struct Pair {
    source: PathBuf,
    destination: PathBuf,
    /// The directory that the destination is named in, and its name there.
    target: Option<(Arc<Dir>, PathBuf)>,
}

impl Pair {
    /// The copy of the file or tree at `source` is `destination` itself, not an entry of it.
    #[must_use]
    pub fn new(source: PathBuf, destination: PathBuf) -> Pair {
        Pair { source, destination, target: None }
    }
}

impl Copy {
    /// Copies these pairs, one after the other, and what is below each in parallel. Failures are in
    /// the report; after a failure the copy goes on with the rest. If the observer
    /// [asks](Observer::asks), the calling thread copies alone, entry by entry, each directory's
    /// entries by their inodes, as GNU cp does.
    #[must_use]
    pub fn run(&self, pairs: impl IntoIterator<Item = Pair>, observer: &dyn Observer) -> Report {
        engine::run(self, pairs, observer)
    }
}
