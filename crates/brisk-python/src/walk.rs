//! `walk`: the generator of `os.walk`, over directories that the engine has read ahead.
//!
//! ```text
//!   stack    directories in the order in which os.walk reaches them
//!   cache    directories that were read ahead; what is not in it is read, with what comes after it
//! ```
//! What the caller removes from `dirnames` never reaches the stack, and what the caller adds is
//! read when its turn comes.

use std::io::ErrorKind;

use brisk::{Backend, Fields};
use brisk_sys::paths::bytes_to_path;
use brisk_sys::{Links, stat_path};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::ahead::{Cache, EntryKind, Listed, NamesOfDir, prefix_of, read_ahead};
use crate::convert::{GivenPath, PathType, name_bytes, os_error, truth};

/// The most entries that are read before the caller asks for them.
const MOST: usize = 16 * 1024;

/// The number of entries that are read ahead at first, and how it grows.
const FIRST: usize = 512;
const GROWTH: usize = 4;

/// A directory of a batch has this many entries at least; more roots would be named in vain.
const ENTRIES_PER_ROOT: usize = 8;

/// What comes next.
enum WalkStep {
    Enter {
        path: Vec<u8>,
        /// The path may be a link, which is followed.
        is_link: bool,
    },
    /// Bottom-up: what is below the directory is done.
    Yield(Py<PyTuple>),
}

/// The directory that was yielded last, top-down.
struct Yielded {
    path: Vec<u8>,
    dirs: Py<PyList>,
    names: NamesOfDir,
}

/// The iterator that `walk` returns.
#[pyclass(module = "briskfs", name = "Walk")]
pub struct WalkIterator {
    stack: Vec<WalkStep>,
    yielded: Option<Yielded>,
    cache: Cache,
    limit: usize,
    /// How long the path of the top is.
    top_len: usize,
    topdown: bool,
    followlinks: bool,
    onerror: Option<Py<PyAny>>,
    text: PathType,
}

/// As os.walk: yields (dirpath, dirnames, filenames) for each directory of the tree.
#[pyfunction]
#[pyo3(signature = (top, topdown=true, onerror=None, followlinks=false))]
pub fn walk(
    top: GivenPath,
    #[pyo3(from_py_with = truth)] topdown: bool,
    onerror: Option<Py<PyAny>>,
    #[pyo3(from_py_with = truth)] followlinks: bool,
) -> WalkIterator {
    WalkIterator {
        top_len: top.bytes.len(),
        stack: vec![WalkStep::Enter { path: top.bytes, is_link: true }],
        yielded: None,
        cache: Cache::default(),
        limit: if topdown { 0 } else { FIRST },
        topdown,
        followlinks,
        onerror,
        text: top.text,
    }
}

#[pymethods]
impl WalkIterator {
    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let next = self.step(py);
        if !matches!(next, Ok(Some(_))) {
            self.close();
        }
        next
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.onerror)?;
        visit.call(self.yielded.as_ref().map(|yielded| &yielded.dirs))?;
        self.stack.iter().try_for_each(|step| match step {
            WalkStep::Yield(tuple) => visit.call(tuple),
            WalkStep::Enter { .. } => Ok(()),
        })
    }

    fn __clear__(&mut self) {
        self.onerror = None;
        self.close();
    }

    /// Ends the walk, as a generator's close does.
    fn close(&mut self) {
        self.stack = Vec::new();
        self.yielded = None;
        self.cache = Cache::default();
    }
}

impl WalkIterator {
    fn step<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        if let Some(yielded) = self.yielded.take() {
            self.enter_kept(py, &yielded)?;
        }
        while let Some(step) = self.stack.pop() {
            let (path, is_link) = match step {
                WalkStep::Yield(tuple) => return Ok(Some(tuple.into_bound(py))),
                WalkStep::Enter { path, is_link } => (path, is_link),
            };
            match self.listed(py, &path, is_link)? {
                Some(Ok(names)) => {
                    if let Some(tuple) = self.directory(py, path, names)? {
                        return Ok(Some(tuple));
                    }
                }
                Some(Err(error)) => {
                    if let Some(onerror) = &self.onerror {
                        let error = os_error(py, &error, &path, self.text).into_value(py);
                        onerror.call1(py, (error,))?;
                    }
                }
                None => {}
            }
        }
        Ok(None)
    }

    /// What is in a directory. `None`: it is a link to a directory above, and is not entered.
    fn listed(&mut self, py: Python<'_>, path: &[u8], is_link: bool) -> PyResult<Option<Listed>> {
        if is_link && path.len() > self.top_len && is_loop(path, self.top_len) {
            return Ok(None);
        }
        let prefix = prefix_of(path);
        // The caller may have removed the directory since it was read.
        if let Some(listed) = self.cache.remove(&prefix)
            && py.detach(|| is_still_dir(path))
        {
            return Ok(Some(listed));
        }
        // What was pruned is never asked for.
        if self.cache.len() > 2 * MOST {
            self.cache.clear();
        }
        let is_ahead = |path: &[u8]| self.cache.contains_key(&prefix_of(path));
        let next = self.stack.iter().rev().map_while(|step| match step {
            WalkStep::Enter { path, is_link: false } => Some(&**path),
            WalkStep::Enter { .. } => None,
            WalkStep::Yield(_) => Some(&[][..]),
        });
        let more = if is_link { 0 } else { self.limit / ENTRIES_PER_ROOT };
        let next = next.filter(|path| !path.is_empty() && !is_ahead(path)).take(more);
        let roots: Vec<&[u8]> = std::iter::once(path).chain(next).collect();
        read_ahead(py, &roots, is_link, self.limit, &mut self.cache)?;
        self.limit = (self.limit * GROWTH).clamp(FIRST, MOST);
        let gone = || Err(ErrorKind::NotFound.into());
        Ok(Some(self.cache.remove(&prefix).unwrap_or_else(gone)))
    }

    /// The tuple of a directory; bottom-up only after what is below it.
    fn directory<'py>(
        &mut self,
        py: Python<'py>,
        path: Vec<u8>,
        names: NamesOfDir,
    ) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let dirs = PyList::empty(py);
        let files = PyList::empty(py);
        for (kind, name) in names.iter() {
            let list = if kind == EntryKind::File { &files } else { &dirs };
            list.append(self.text.of(py, name)?)?;
        }
        let tuple = (self.text.of(py, &path)?, &dirs, files).into_pyobject(py)?;
        if self.topdown {
            self.yielded = Some(Yielded { path, dirs: dirs.unbind(), names });
            return Ok(Some(tuple));
        }
        self.stack.push(WalkStep::Yield(tuple.unbind()));
        let first = self.stack.len();
        for (kind, name) in names.iter() {
            self.enter(kind, joined(&path, name));
        }
        self.stack[first..].reverse();
        Ok(None)
    }

    /// Queues a directory, if the walk enters it.
    fn enter(&mut self, kind: EntryKind, path: Vec<u8>) {
        if kind == EntryKind::Directory || (kind == EntryKind::Link && self.followlinks) {
            self.stack.push(WalkStep::Enter { path, is_link: kind == EntryKind::Link });
        }
    }

    /// Queues what the caller has left in `dirnames`, or added to it.
    fn enter_kept(&mut self, py: Python<'_>, yielded: &Yielded) -> PyResult<()> {
        let first = self.stack.len();
        let mut known = yielded.names.iter();
        for name in yielded.dirs.bind(py).iter() {
            let name = name_bytes(&name)?;
            // Mostly the names are those that were yielded, in the same order.
            let found = known.find(|(kind, known)| *kind != EntryKind::File && *known == name);
            let found = found.map(|(kind, _)| kind);
            let path = joined(&yielded.path, &name);
            let kind = found.unwrap_or_else(|| {
                known = yielded.names.iter();
                if bytes_to_path(&path).is_symlink() {
                    EntryKind::Link
                } else {
                    EntryKind::Directory
                }
            });
            self.enter(kind, path);
        }
        self.stack[first..].reverse();
        Ok(())
    }
}

/// As os.path.join.
fn joined(path: &[u8], name: &[u8]) -> Vec<u8> {
    if name.starts_with(b"/") { name.to_vec() } else { [&prefix_of(path), name].concat() }
}

/// Whether a directory is still at a path. One that is too long for the system says nothing.
fn is_still_dir(path: &[u8]) -> bool {
    match bytes_to_path(path).symlink_metadata() {
        Ok(meta) => meta.is_dir(),
        Err(error) => !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
    }
}

/// Whether a path leads to a directory that is above it on the same path, from the top on.
fn is_loop(path: &[u8], top_len: usize) -> bool {
    let identity = |path: &[u8]| {
        let wanted = Fields::DEV | Fields::INO;
        let meta = stat_path(Backend::Native, bytes_to_path(path), wanted, Links::Follow);
        meta.ok().and_then(|meta| meta.identity())
    };
    let Some(here) = identity(path) else { return false };
    let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
    let above = slashes.filter(|&at| at + 1 >= top_len);
    above.into_iter().any(|at| identity(&path[..at.max(1)]) == Some(here))
}
