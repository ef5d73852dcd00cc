//! What `rmtree` calls: the engine's removal of a tree.

use brisk::Cancel;
use brisk::remove::{Failure, Remove};
use brisk_sys::paths::bytes_to_path;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::convert::{Given, os_error};
use crate::interrupt::interruptible;

/// Removes a tree to the end, and returns an OSError for each entry that stays, the first thousand.
#[pyfunction]
pub fn remove<'py>(py: Python<'py>, path: Given) -> PyResult<Bound<'py, PyList>> {
    let cancel = Cancel::new();
    let removal = Remove::new(bytes_to_path(&path.bytes));
    let report = interruptible(py, || cancel.now(), || removal.run_with(&cancel))?;
    let errors = report.failures.iter().map(|failure| error_of(py, failure, &path).into_value(py));
    PyList::new(py, errors.collect::<Vec<_>>())
}

fn error_of(py: Python<'_>, failure: &Failure, given: &Given) -> PyErr {
    let path = failure.path().as_os_str().as_encoded_bytes();
    os_error(py, &failure.why().to_io(), path, given.text)
}
