//! `State`: what has changed in trees since a state of them was saved.

use std::path::PathBuf;

use brisk::Cancel;
use brisk_state::{Change as Found, Place, Report, Rescan, RescanError, State as Saved, Unusable};
use brisk_sys::paths::bytes_to_path;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use crate::convert::{Given, Text, os_error, walk_error};
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
        let cancel = Cancel::new();
        let run = || {
            let rescan = Rescan {
                since: Saved::load(&self.file),
                without: vec![self.file.clone()],
                content,
                ctime,
                renames,
                cancel: cancel.clone(),
                ..Rescan::over(&self.roots)
            };
            // A file that is no state is neither read nor replaced.
            if let Err(Unusable::Foreign) = rescan.since {
                return Err(Failed::Foreign);
            }
            let report = rescan.run().map_err(Failed::Rescan)?;
            if save && report.is_new() {
                report.write(&self.file).map_err(Failed::Write)?;
            }
            Ok(report)
        };
        let report =
            interruptible(py, || cancel.now(), run)?.map_err(|why| self.error(py, &why))?;
        if let Some(onerror) = onerror {
            for error in &report.errors {
                onerror.call1(py, (walk_error(py, error, self.text).into_value(py),))?;
            }
        }
        report.changes.iter().map(|change| self.change(py, &report, change)).collect()
    }
}

/// Why there is no answer.
enum Failed {
    Foreign,
    Rescan(RescanError),
    Write(std::io::Error),
}

impl State {
    fn change(&self, py: Python<'_>, report: &Report, change: &Found) -> PyResult<Change> {
        let path_of = |place: &Place| {
            let mut path = report.roots[place.root].clone();
            if !place.path.is_empty() {
                path.push(bytes_to_path(&place.path));
            }
            self.text.of(py, path.as_os_str().as_encoded_bytes()).map(Bound::unbind)
        };
        Ok(Change {
            kind: change.kind.letter(),
            r#type: change.file_type.letter(),
            path: path_of(&change.place)?,
            old_path: change.from.as_ref().map(path_of).transpose()?,
        })
    }

    fn error(&self, py: Python<'_>, why: &Failed) -> PyErr {
        let file = self.file.as_os_str().as_encoded_bytes();
        match why {
            Failed::Foreign => match self.text.of(py, file) {
                Ok(file) => PyOSError::new_err((libc::EEXIST, "not a state", file.unbind())),
                Err(error) => error,
            },
            Failed::Rescan(RescanError::Root(path, error)) => {
                os_error(py, error, path.as_os_str().as_encoded_bytes(), self.text)
            }
            Failed::Rescan(error) => PyOSError::new_err(error.to_string()),
            Failed::Write(error) => os_error(py, error, file, self.text),
        }
    }
}
