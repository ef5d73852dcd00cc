//! `Index`: the names in a tree, kept in a state, so that only directories that changed are read.

use std::sync::Arc;

use brisk::FileType;
use brisk_state::{Entries, Report, Rescan};
use brisk_sys::paths::bytes_to_path;
use brisk_table::{Batches, Column, Group, Rows};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList, PyRange, PyTuple};

use crate::changed::{rescanned, save};
use crate::convert::{GivenPath, PathType, name_bytes, tell};
use crate::scan::{OWNERS, STREAM};

/// The rows of a batch.
const BATCH: usize = 64 << 10;

/// What was in a tree when it was made.
#[pyclass(frozen, module = "briskfs")]
pub struct Index {
    report: Arc<Report>,
    text: PathType,
}

#[pymethods]
impl Index {
    /// Lists `root`: directories that are as the file `cache` says are not read. What has changed
    /// is saved there. What cannot be read goes to `onerror`, or is raised.
    #[new]
    #[pyo3(signature = (root, cache, *, onerror=None))]
    fn new(
        py: Python<'_>,
        root: GivenPath,
        cache: GivenPath,
        onerror: Option<Py<PyAny>>,
    ) -> PyResult<Index> {
        let rescan = Rescan {
            names_only: true,
            accepts_other_volumes: true,
            ..Rescan::over([bytes_to_path(&root.bytes)])
        };
        let cache = bytes_to_path(&cache.bytes);
        let report = rescanned(py, rescan, cache, root.text)?;
        tell(py, &report.errors, onerror.as_ref(), root.text, |_| true)?;
        save(py, &report, cache, root.text)?;
        Ok(Index { report: Arc::new(report), text: root.text })
    }

    /// What is not a directory, and has a name that ends with the suffix, or with one of a tuple.
    #[pyo3(signature = (suffix=None))]
    fn files(&self, py: Python<'_>, suffix: Option<Bound<'_, PyAny>>) -> PyResult<Files> {
        // As str.endswith takes it.
        let bytes = |suffix: &Bound<'_, PyAny>| {
            let is_bytes = suffix.is_instance_of::<PyBytes>();
            if is_bytes == (self.text == PathType::Bytes) {
                return name_bytes(suffix);
            }
            Err(PyTypeError::new_err("a suffix is of the type that the paths have"))
        };
        let suffixes = match suffix {
            None => vec![Vec::new()],
            Some(suffix) => match suffix.cast::<PyTuple>() {
                Ok(all) => all.iter().map(|one| bytes(&one)).collect::<PyResult<_>>()?,
                Err(_) => vec![bytes(&suffix)?],
            },
        };
        let is_wanted = |name: &[u8], file_type: FileType| {
            !file_type.is_dir() && suffixes.iter().any(|suffix| name.ends_with(suffix))
        };
        let entries = py.detach(|| Entries::of(Arc::clone(&self.report), is_wanted));
        Ok(Files { entries: Arc::new(entries), text: self.text })
    }
}

/// Paths as a sequence, each of which is made when it is asked for.
#[pyclass(frozen, sequence, module = "briskfs")]
pub struct Files {
    entries: Arc<Entries>,
    text: PathType,
}

impl Files {
    fn path<'py>(&self, py: Python<'py>, at: usize) -> PyResult<Bound<'py, PyAny>> {
        let (prefix, name) = self.entries.get(at).expect("BUG: an index that is out of range");
        self.text.of(py, &[prefix, name].concat())
    }
}

#[pymethods]
impl Files {
    fn __len__(&self) -> usize {
        self.entries.len()
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // Python's own ranges know what an index or a slice means.
        let found = PyRange::new(py, 0, self.entries.len() as isize)?.get_item(index)?;
        match found.cast::<PyRange>() {
            Ok(found) => {
                let paths = found.try_iter()?.map(|at| self.path(py, at?.extract()?));
                Ok(PyList::new(py, paths.collect::<PyResult<Vec<_>>>()?)?.into_any())
            }
            Err(_) => self.path(py, found.extract()?),
        }
    }

    fn __iter__(this: Py<Self>) -> FilesIterator {
        FilesIterator { files: this, next: 0 }
    }

    /// The paths as an Arrow stream, with the columns `path` and `path_bytes`.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let entries = Arc::clone(&self.entries);
        let starts = (0..entries.len()).step_by(BATCH);
        let groups = starts.map(move |start| {
            let mut rows = Rows::default();
            let mut last: &[u8] = &[];
            let batch = start..entries.len().min(start + BATCH);
            for (prefix, name) in batch.filter_map(|at| entries.get(at)) {
                if prefix != last {
                    rows.begin(prefix);
                    last = prefix;
                }
                rows.add(name, 0, FileType::Unknown, None);
            }
            Group::in_order(rows)
        });
        let stream = Batches::new(&[Column::Path], OWNERS).stream(groups);
        PyCapsule::new_with_value(py, stream, STREAM)
    }
}

/// The iterator over the paths.
#[pyclass(module = "briskfs")]
pub struct FilesIterator {
    files: Py<Files>,
    next: usize,
}

#[pymethods]
impl FilesIterator {
    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let files = self.files.get();
        let at = self.next;
        self.next += 1;
        (at < files.entries.len()).then(|| files.path(py, at)).transpose()
    }
}
