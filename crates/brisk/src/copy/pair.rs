//! [`Pair`]: what is to be copied, and where to.

use std::ffi::{CString, OsStr};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use brisk_sys::change::set_mode;
use brisk_sys::{Backend, Dir, Links, base_of};

/// A directory that is opened once for many destinations, such as the last operand of cp.
#[derive(Clone, Debug)]
pub struct TargetDir {
    path: PathBuf,
    handle: Arc<Dir>,
}

impl TargetDir {
    /// Opens a directory, and follows links in its path. System calls: one openat.
    ///
    /// # Errors
    /// The path does not lead to a directory.
    pub fn open(path: &Path) -> io::Result<TargetDir> {
        let handle = Arc::new(Dir::open_path_only(Backend::Native, path)?);
        Ok(TargetDir { path: path.to_owned(), handle })
    }

    /// A pair that copies `source` to this name, which may be a path (`a/b`, as with `--parents`).
    #[must_use]
    pub fn pair(&self, source: PathBuf, name: &Path) -> Pair {
        let destination = self.path.join(name);
        Pair { source, destination, target: Some((Arc::clone(&self.handle), name.to_owned())) }
    }

    /// Opens the directory of this name in this one. System calls: one openat2.
    ///
    /// # Errors
    /// There is no such directory. A link does not count as one.
    pub fn enter(&self, name: &OsStr) -> io::Result<TargetDir> {
        let below = CString::new(name.as_encoded_bytes())?;
        let handle = Arc::new(self.handle.open_child_path_only(&below, Links::NoFollow)?);
        Ok(TargetDir { path: self.path.join(name), handle })
    }

    /// A pair that copies the directory `source` into this one, even if this one was renamed.
    #[must_use]
    pub fn itself(&self, source: PathBuf) -> Pair {
        let target = Some((Arc::clone(&self.handle), PathBuf::from(".")));
        Pair { source, destination: self.path.clone(), target }
    }

    /// Sets the directory's mode, even if it was renamed. System calls: one fchmodat.
    ///
    /// # Errors
    /// The errors of the call; [`Unsupported`](io::ErrorKind::Unsupported) on systems other than
    /// Linux.
    pub fn set_mode(&self, mode: u32) -> io::Result<()> {
        set_mode(base_of(&self.handle)?, c".", mode, Links::Follow)
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
    pub(super) source: PathBuf,
    pub(super) destination: PathBuf,
    /// An open directory, and the destination's path relative to it.
    #[cfg_attr(not(any(target_os = "linux", target_os = "android")), expect(dead_code))]
    pub(super) target: Option<(Arc<Dir>, PathBuf)>,
}

impl Pair {
    /// Copies the file or tree at `source` to `destination` itself, not into it.
    #[must_use]
    pub fn new(source: PathBuf, destination: PathBuf) -> Pair {
        Pair { source, destination, target: None }
    }
}
