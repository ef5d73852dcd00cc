//! Roots that the caller has open, by the paths that the caller shows them as.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ffi::{CStr, CString};
use std::io;
use std::path::Path;
use std::sync::Arc;

use brisk_sys::{BorrowedHandle, Dir};

/// The directories that the caller has open. The walk opens `.` relative to each of them: another
/// process may rename the directory, and the caller may be reading it.
#[derive(Clone, Debug, Default)]
pub(crate) struct RootHandles(BTreeMap<CString, RootHandle>);

/// The caller's directory, or why the walk cannot have it. A walk can be cloned, and so can this.
type RootHandle = Result<Arc<Dir>, Arc<io::Error>>;

impl RootHandles {
    /// Adds a directory that is shown as `path`.
    pub fn add(&mut self, path: &Path, handle: BorrowedHandle<'_>) {
        // The walk reports a path that holds a NUL.
        let Ok(name) = CString::new(path.as_os_str().as_encoded_bytes()) else { return };
        match self.0.entry(name) {
            Entry::Vacant(free) => {
                free.insert(Dir::duplicate(handle).map(Arc::new).map_err(Arc::new));
            }
            Entry::Occupied(mut taken) => {
                let _ = taken.insert(Err(Arc::new(ambiguous())));
            }
        }
    }

    /// Whether a directory is shown as this path.
    pub fn shows(&self, path: &[u8]) -> bool {
        CString::new(path).is_ok_and(|name| self.0.contains_key(&name))
    }

    /// The directory that is shown as `name`.
    pub fn get(&self, name: &CStr) -> Option<&Arc<Dir>> {
        self.0.get(name)?.as_ref().ok()
    }

    /// Why a root cannot be walked, if so. `is_open`: the root was given as a handle.
    pub fn check(&self, name: &CStr, is_open: bool) -> io::Result<()> {
        match self.0.get(name) {
            Some(_) if !is_open => Err(ambiguous()),
            Some(Err(error)) => Err(io::Error::new(error.kind(), Arc::clone(error))),
            _ => Ok(()),
        }
    }
}

/// A directory and the name by which an entry is asked for there: of a root that the caller has
/// open, that directory and `.`; of any other entry, the directory that lists it and its name.
#[inline]
pub(crate) fn request_at<'a>(
    roots: Option<&'a RootHandles>,
    here: &'a Dir,
    name: &'a CStr,
) -> (&'a Dir, &'a CStr) {
    match roots.and_then(|roots| roots.get(name)) {
        Some(root) => (root, c"."),
        None => (here, name),
    }
}

fn ambiguous() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "the path is that of another root, a handle")
}
