//! `find`: the entries of a tree that match, in batches. Each batch is a parallel walk that ends
//! where directories begin; the next one goes on there, so that no thread outlives a call.

use std::collections::VecDeque;
use std::fmt::Display;
use std::sync::Arc;

use brisk::filter::{Expr, Filter, Test};
use brisk::ignore::{Hidden, Options, Rules};
use brisk::{
    ChunkEntry, Error, Fields, FileType, Follow, Meta, Mounts, OwnedChunk, Timestamp, Unvisited,
    Walk,
};
use brisk_filter::{find, globs, of_letters};
use brisk_sys::paths::bytes_to_path;
use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::convert::{GivenPath, PathType, tell};
use crate::gathering::gathered;
use crate::stat::{STAT, StatResult, seconds};

/// The number of entries that end the first batch, how it grows, and the most.
const FIRST: usize = 1024;
const GROWTH: usize = 4;
const MOST: usize = 64 * 1024;

/// The fields that an entry can have, by the names that `fields` takes.
const FIELDS: [(&str, Fields); 5] = [
    ("size", Fields::SIZE),
    ("mtime", Fields::MTIME),
    ("mode", Fields::MODE),
    ("target", Fields::LINK_TARGET),
    ("stat", STAT),
];

fn fields_of(names: &[String]) -> PyResult<Fields> {
    names.iter().try_fold(Fields::empty(), |fields, name| {
        let known = FIELDS.iter().find(|(known, _)| known == name);
        let unknown = || PyValueError::new_err(format!("no such field: {name:?}"));
        Ok(fields | known.ok_or_else(unknown)?.1)
    })
}

/// An entry that `find` has found. The metadata are those that `fields` named; others are `None`.
#[pyclass(frozen, module = "briskfs")]
pub struct FoundEntry {
    chunk: Arc<OwnedChunk>,
    at: usize,
    text: PathType,
}

impl FoundEntry {
    fn entry(&self) -> ChunkEntry<'_> {
        self.chunk.get(self.at).expect("BUG: an entry's index is one of its chunk's")
    }

    fn meta(&self) -> Option<&Meta> {
        self.entry().meta()
    }
}

#[pymethods]
impl FoundEntry {
    #[getter]
    fn name<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.text.of(py, self.entry().name())
    }

    #[getter]
    fn path<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut path = Vec::new();
        self.entry().path_into(&mut path);
        self.text.of(py, &path)
    }

    fn __fspath__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.path(py)
    }

    /// How deep the entry is; the root is 0 deep.
    #[getter]
    fn depth(&self) -> usize {
        self.entry().depth()
    }

    /// The letter of its type, as `find -printf %y` prints it.
    #[getter]
    fn r#type(&self) -> char {
        self.entry().file_type().letter()
    }

    fn is_dir(&self) -> bool {
        self.entry().file_type().is_dir()
    }

    fn is_file(&self) -> bool {
        self.entry().file_type() == FileType::File
    }

    fn is_symlink(&self) -> bool {
        self.entry().file_type() == FileType::Symlink
    }

    #[getter]
    fn size(&self) -> Option<u64> {
        self.meta()?.size()
    }

    #[getter]
    fn mode(&self) -> Option<u32> {
        self.meta()?.mode()
    }

    #[getter]
    fn mtime(&self) -> Option<f64> {
        self.meta()?.mtime().map(seconds)
    }

    /// Where a link points.
    #[getter]
    fn target<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let target = self.meta().and_then(|meta| meta.link_target());
        target.map(|target| self.text.of(py, target)).transpose()
    }

    /// All of its metadata, of the entry itself; no request is made if `fields` named "stat".
    fn stat<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = this.py();
        match this.get().meta().filter(|meta| meta.filled().contains(STAT)) {
            Some(meta) => {
                let of = this.clone().into_any().unbind();
                let result = StatResult::new(meta, of, false);
                Ok(Bound::new(py, result)?.into_any())
            }
            None => py.import("os")?.call_method1("lstat", (this,)),
        }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<FoundEntry {}>", self.path(py)?.repr()?))
    }
}

/// The iterator that `find` returns.
#[pyclass(module = "briskfs")]
pub struct FindIterator {
    walk: Walk,
    fields: Fields,
    /// Where the next batch begins, unless it is the first one.
    unvisited: Option<Vec<Unvisited>>,
    limit: usize,
    chunks: VecDeque<Arc<OwnedChunk>>,
    /// The index of the first chunk's entry that comes next.
    next: usize,
    errors: VecDeque<Error>,
    onerror: Option<Py<PyAny>>,
    text: PathType,
}

impl FindIterator {
    /// Walks on; `false` at the end.
    fn fill(&mut self, py: Python<'_>) -> PyResult<bool> {
        let walk = match self.unvisited.replace(Vec::new()) {
            None => self.walk.clone(),
            Some(rest) if rest.is_empty() => return Ok(false),
            Some(rest) => self.walk.clone().resume(rest),
        };
        let (chunks, errors, unvisited) = gathered(py, walk, self.fields, self.limit, None)?;
        self.chunks.extend(chunks.into_iter().map(Arc::new));
        self.errors.extend(errors);
        self.unvisited = Some(unvisited);
        self.limit = (self.limit * GROWTH).min(MOST);
        Ok(true)
    }

    /// The next chunk, with the index of its first entry that was not delivered.
    fn chunk(&mut self, py: Python<'_>) -> PyResult<Option<Arc<OwnedChunk>>> {
        loop {
            while let Some(error) = self.errors.pop_front() {
                let is_root = error.depth() == 0;
                let onerror = self.onerror.as_ref().filter(|_| !is_root);
                tell(py, &[error], onerror, self.text, |_| is_root)?;
            }
            if let Some(chunk) = self.chunks.front() {
                if self.next < chunk.len() {
                    return Ok(Some(Arc::clone(chunk)));
                }
                self.chunks.pop_front();
                self.next = 0;
            } else if !self.fill(py)? {
                return Ok(None);
            }
        }
    }
}

#[pymethods]
impl FindIterator {
    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<FoundEntry>> {
        let Some(chunk) = self.chunk(py)? else { return Ok(None) };
        let at = self.next;
        self.next += 1;
        Ok(Some(FoundEntry { chunk, at, text: self.text }))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.onerror)
    }

    fn __clear__(&mut self) {
        self.onerror = None;
    }

    /// The paths of all entries that are left, as a list.
    fn paths<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        let mut path = Vec::new();
        while let Some(chunk) = self.chunk(py)? {
            for entry in chunk.iter().skip(self.next) {
                path.clear();
                entry.path_into(&mut path);
                list.append(self.text.of(py, &path)?)?;
            }
            self.next = chunk.len();
        }
        Ok(list)
    }
}

/// What `find` selects by: the arguments that briskfs/_find.py has read.
#[derive(FromPyObject)]
pub struct Filters {
    pattern: Option<GivenPath>,
    types: Option<String>,
    /// The least and the most bytes.
    sizes: Option<(u64, u64)>,
    /// The earliest and the latest time: seconds and nanoseconds of each.
    mtimes: Option<((i64, u32), (i64, u32))>,
    fields: Vec<String>,
    hidden: bool,
    min_depth: usize,
    max_depth: Option<usize>,
    followlinks: bool,
    one_file_system: bool,
    /// An expression of find(1)'s tests.
    tests: Option<String>,
    onerror: Option<Py<PyAny>>,
}

/// What is neither a type nor a glob.
pub fn invalid(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// What `where` says: an expression of find(1)'s tests.
pub fn tests(line: &str, min_depth: usize, follows: bool) -> PyResult<Expr> {
    find::tests(line, min_depth, follows)
        .map_err(|mistake| invalid(format_args!("where, {mistake}")))
}

fn filter_of(filters: &Filters) -> PyResult<Filter> {
    let no_type = |letter| invalid(format_args!("no such type: {letter:?}"));
    let types = of_letters(filters.types.as_deref().unwrap_or_default()).map_err(no_type)?;
    let pattern = filters.pattern.as_ref().map(|pattern| str::from_utf8(&pattern.bytes));
    let pattern = pattern.transpose().map_err(invalid)?;
    let globs = globs::expr(pattern.as_slice()).map_err(invalid)?;
    let sizes = filters.sizes.map(|(least, most)| {
        let fits =
            move |_, meta: &Meta| meta.size().is_some_and(|size| (least..=most).contains(&size));
        Test::meta("-size", |_| Fields::SIZE, fits).into()
    });
    let time = |(secs, nanos)| Timestamp { secs, nanos };
    let mtimes = filters.mtimes.map(|(first, last)| {
        let times = time(first)..=time(last);
        let fits = move |_, meta: &Meta| meta.mtime().is_some_and(|time| times.contains(&time));
        Test::meta("-mtime", |_| Fields::MTIME, fits).into()
    });
    let read = |line: &String| tests(line, filters.min_depth, filters.followlinks);
    let tests = filters.tests.as_ref().map(read).transpose()?;
    // It comes first, so that its -prune leaves directories out whatever else is wanted.
    let parts = [tests, types, globs, sizes, mtimes].into_iter().flatten().collect();
    Ok(Filter::new(Expr::All(parts)))
}

/// The iterator over the entries below `root` that match.
#[pyfunction]
pub fn find_entries(root: GivenPath, filters: &Bound<'_, PyAny>) -> PyResult<FindIterator> {
    // What is wrong with an argument is the cause of what is wrong with all of them.
    let wrong = |error: PyErr| error.cause(filters.py()).unwrap_or(error);
    let filters: Filters = filters.extract().map_err(wrong)?;
    let hides = Options { hidden: Hidden::Ignored, ..Options::none() };
    let hides = (!filters.hidden).then(|| Rules::new(hides)).transpose().map_err(invalid)?;
    let walk = Walk::new(bytes_to_path(&root.bytes))
        .min_depth(filters.min_depth)
        .max_depth(filters.max_depth.unwrap_or(usize::MAX))
        .follow(if filters.followlinks { Follow::Always } else { Follow::Roots })
        .mounts(if filters.one_file_system { Mounts::SameDevice } else { Mounts::Cross })
        .rules(hides)
        .filter(filter_of(&filters)?);
    Ok(FindIterator {
        walk,
        fields: fields_of(&filters.fields)?,
        unvisited: None,
        limit: FIRST,
        chunks: VecDeque::new(),
        next: 0,
        errors: VecDeque::new(),
        onerror: filters.onerror,
        text: root.text,
    })
}
