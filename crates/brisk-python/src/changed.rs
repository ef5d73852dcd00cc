//! `State`: what has changed in trees since a state of them was saved.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use brisk_state::{Change as Found, Report, Rescan, RescanError, RootedPath};
use brisk_sys::output::Output;
use brisk_sys::paths::bytes_to_path;
use brisk_sys::threads::lock;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::convert::{GivenPath, PathType, os_error, os_error_of, tell, truth};
use crate::interrupt::interruptible;

/// A change of one entry.
#[pyclass(frozen, get_all, module = "briskfs")]
pub struct Change {
    /// "A" added, "M" modified, "D" deleted, "T" type changed, "R" renamed, "?" unreadable.
    kind: char,
    /// The letter of the entry's type, as `find -printf %y` prints it.
    r#type: char,
    path: Py<PyAny>,
    /// Where a renamed entry was.
    old_path: Option<Py<PyAny>>,
}

#[pymethods]
impl Change {
    fn __fspath__(&self, py: Python<'_>) -> Py<PyAny> {
        self.path.clone_ref(py)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<Change {} {}>", self.kind, self.path.bind(py).repr()?))
    }
}

/// A state of one or more trees, in a file: what they were like when it was saved last.
#[pyclass(frozen, module = "briskfs")]
pub struct State {
    file: PathBuf,
    roots: Vec<PathBuf>,
    text: PathType,
    /// What `changes` has returned last, for `accept`.
    pending: Mutex<Option<Report>>,
}

#[pymethods]
impl State {
    #[new]
    #[pyo3(signature = (file, *roots))]
    fn new(file: GivenPath, roots: Vec<GivenPath>) -> PyResult<State> {
        let Some(first) = roots.first() else {
            return Err(pyo3::exceptions::PyTypeError::new_err("State() needs a directory"));
        };
        let text = first.text;
        let path = |given: &GivenPath| bytes_to_path(&given.bytes).to_owned();
        let roots = roots.iter().map(path).collect();
        Ok(State { file: path(&file), roots, text, pending: Mutex::default() })
    }

    /// What has changed since the state was saved, sorted by path. Everything is new if there is no
    /// state yet. The state stays as it is until `accept`, so that no change is lost if the caller
    /// fails; `save` accepts before the call returns. What cannot be read is a change of the kind
    /// "?", and goes to `onerror`.
    #[pyo3(signature = (*, save=false, content=false, ctime=true, renames=true, onerror=None))]
    fn changes<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = truth)] save: bool,
        #[pyo3(from_py_with = truth)] content: bool,
        #[pyo3(from_py_with = truth)] ctime: bool,
        #[pyo3(from_py_with = truth)] renames: bool,
        onerror: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        *lock(&self.pending) = None;
        let rescan = Rescan { content, ctime, renames, ..Rescan::over(&self.roots) };
        let report = rescanned(py, rescan, &self.file, self.text)?;
        tell(py, &report.errors, onerror.as_ref(), self.text, |_| false)?;
        let changes = PyList::new(py, changes(py, &report, self.text)?)?;
        if save {
            self::save(py, &report, &self.file, self.text)?;
            // Python raises what a signal's handler raises when this has returned: nothing is told.
            if let Err(raised) = py.check_signals() {
                let _ = report.unsave(&self.file);
                return Err(raised);
            }
        }
        // Dropping it here would take long enough for another signal.
        *lock(&self.pending) = Some(report);
        Ok(changes)
    }

    /// Saves what the last call of `changes` has returned as the state of the next one.
    fn accept(&self, py: Python<'_>) -> PyResult<()> {
        let Some(report) = lock(&self.pending).take() else {
            return Err(PyRuntimeError::new_err("nothing to accept: call changes() first"));
        };
        let saved = save(py, &report, &self.file, self.text);
        if saved.is_err() {
            *lock(&self.pending) = Some(report);
        }
        saved
    }
}

/// The changes of a report.
pub fn changes(py: Python<'_>, report: &Report, text: PathType) -> PyResult<Vec<Py<Change>>> {
    let path_of = |place: &RootedPath| {
        let path = report.path(place);
        text.of(py, path.as_os_str().as_encoded_bytes()).map(Bound::unbind)
    };
    let change = |change: &Found| {
        let kind = change.kind.letter();
        let r#type = change.file_type.letter();
        let path = path_of(&change.place)?;
        let old_path = change.from.as_ref().map(path_of).transpose()?;
        Py::new(py, Change { kind, r#type, path, old_path })
    };
    report.changes.iter().map(change).collect()
}

/// Why there is no answer.
#[cold]
pub fn failed(py: Python<'_>, why: &RescanError, text: PathType) -> PyErr {
    os_error_of(py, why.errno(), why.path().as_os_str().as_encoded_bytes(), text)
}

/// Rescans trees since the state in a file.
pub fn rescanned(py: Python<'_>, rescan: Rescan, file: &Path, text: PathType) -> PyResult<Report> {
    let cancel = rescan.cancel.clone();
    let report: Result<_, RescanError> = interruptible(py, &cancel, || rescan.run_since(file))?;
    report.map_err(|why| failed(py, &why, text))
}

/// Saves the next state. The signals that have come by then are looked at before the file is
/// replaced: if one raises an exception, the state stays as it is.
pub fn save(py: Python<'_>, report: &Report, file: &Path, text: PathType) -> PyResult<()> {
    let failed = |error| os_error(py, &error, file.as_os_str().as_encoded_bytes(), text);
    let next = py.detach(|| report.is_worth_saving().then(|| report.prepare(file)).transpose());
    let next = next.map_err(failed)?;
    py.check_signals()?;
    next.map_or(Ok(()), Output::commit).map_err(failed)
}
