//! What `rmtree` calls: the engine's removal of a tree.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use brisk::remove::{Failure, Observer, Remove, Why};
use brisk_sys::paths::bytes_to_path;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::convert::{Given, os_error, os_error_of};
use crate::interrupt::interruptible;

/// Ends the removal when a signal's handler has raised an exception.
#[derive(Default)]
struct Stopping(AtomicBool);

impl Observer for Stopping {
    fn is_stopped(&self) -> bool {
        self.0.load(Relaxed)
    }
}

/// Removes a tree to the end, and returns an OSError for each entry that stays, the first thousand.
#[pyfunction]
pub fn remove<'py>(py: Python<'py>, path: Given) -> PyResult<Bound<'py, PyList>> {
    let stopping = Stopping::default();
    let removal = Remove::new(bytes_to_path(&path.bytes));
    let stop = || stopping.0.store(true, Relaxed);
    let report = interruptible(py, stop, || removal.run_with(&stopping))?;
    let errors = report.failures.iter().map(|failure| error_of(py, failure, &path).into_value(py));
    PyList::new(py, errors.collect::<Vec<_>>())
}

fn error_of(py: Python<'_>, failure: &Failure, given: &Given) -> PyErr {
    let path = failure.path().as_os_str().as_encoded_bytes();
    let code = match failure.why() {
        Why::System(error) | Why::UnknownParent(error) => {
            return os_error(py, error, path, given.text);
        }
        Why::Dots => libc::EINVAL,
        Why::OtherDevice => libc::EXDEV,
        Why::LinkBehindSlash => libc::ENOTDIR,
        Why::Swapped => libc::ESTALE,
        _ => libc::EBUSY,
    };
    os_error_of(py, code, path, given.text)
}
