//! `State`: what has changed in trees since a state of them was saved.

use std::path::{Path, PathBuf};

use brisk_state::{Change as Found, Place, Report, Rescan, RescanError};
use brisk_sys::paths::bytes_to_path;
use pyo3::prelude::*;

use crate::convert::{Given, Text, os_error_of, tell};
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
    text: Text,
}

#[pymethods]
impl State {
    #[new]
    #[pyo3(signature = (file, *roots))]
    fn new(file: Given, roots: Vec<Given>) -> PyResult<State> {
        let Some(first) = roots.first() else {
            return Err(pyo3::exceptions::PyTypeError::new_err("State() needs a directory"));
        };
        let text = first.text;
        let path = |given: &Given| bytes_to_path(&given.bytes).to_owned();
        Ok(State { file: path(&file), roots: roots.iter().map(path).collect(), text })
    }

    /// What has changed since the state was saved, sorted by path. Everything is new if there is no
    /// state yet. `save` makes what was found the state of the next call. What cannot be read is a
    /// change of the kind "?", and goes to `onerror`.
    #[pyo3(signature = (*, save=true, content=false, ctime=true, renames=true, onerror=None))]
    fn changes(
        &self,
        py: Python<'_>,
        save: bool,
        content: bool,
        ctime: bool,
        renames: bool,
        onerror: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Change>> {
        let rescan = Rescan { content, ctime, renames, ..Rescan::over(&self.roots) };
        let report = kept(py, rescan, &self.file, save, self.text)?;
        tell(py, &report.errors, onerror.as_ref(), self.text, |_| false)?;
        report.changes.iter().map(|change| self.change(py, &report, change)).collect()
    }
}

impl State {
    fn change(&self, py: Python<'_>, report: &Report, change: &Found) -> PyResult<Change> {
        let path_of = |place: &Place| {
            let path = report.path(place);
            self.text.of(py, path.as_os_str().as_encoded_bytes()).map(Bound::unbind)
        };
        Ok(Change {
            kind: change.kind.letter(),
            r#type: change.file_type.letter(),
            path: path_of(&change.place)?,
            old_path: change.from.as_ref().map(path_of).transpose()?,
        })
    }
}

/// Rescans trees since the state in a file, and saves the next state there.
pub fn kept(
    py: Python<'_>,
    rescan: Rescan,
    file: &Path,
    save: bool,
    text: Text,
) -> PyResult<Report> {
    let cancel = rescan.cancel.clone();
    let run = || {
        let report = rescan.run_since(file)?;
        if save {
            report.save(file)?;
        }
        Ok(report)
    };
    let report: Result<_, RescanError> = interruptible(py, || cancel.now(), run)?;
    report.map_err(|why| {
        os_error_of(py, why.errno(), why.path().as_os_str().as_encoded_bytes(), text)
    })
}
