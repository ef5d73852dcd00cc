//! What `rmtree` calls: the engine's removal of a tree.

use std::io;
use std::sync::Mutex;

use brisk::remove::{Failure, Observer, Remove};
use brisk::{Cancel, Walk};
use brisk_sys::paths::bytes_to_path;
use brisk_sys::threads::lock;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::convert::{GivenPath, os_error};
use crate::interrupt::interruptible;

/// What failed, all of it; the engine's report has only the first thousand.
#[derive(Default)]
struct Failures(Mutex<Vec<(Vec<u8>, io::Error)>>);

impl Observer for Failures {
    fn failed(&self, failure: &Failure) {
        let path = failure.path().as_os_str().as_encoded_bytes().to_vec();
        lock(&self.0).push((path, failure.why().to_io()));
    }
}

/// Removes a tree to the end, and returns an OSError for each entry that stays because it could not
/// be removed. A directory that stays only because it is not empty has none.
#[pyfunction]
pub fn remove<'py>(py: Python<'py>, path: GivenPath) -> PyResult<Bound<'py, PyList>> {
    let cancel = Cancel::new();
    let failures = Failures::default();
    let removal = Remove::new(Walk::new(bytes_to_path(&path.bytes)).cancelled_by(&cancel));
    interruptible(py, &cancel, || removal.run(&failures))?;
    let failed = std::mem::take(&mut *lock(&failures.0));
    let error = |(at, why): (Vec<u8>, io::Error)| os_error(py, &why, &at, path.text).into_value(py);
    PyList::new(py, failed.into_iter().map(error).collect::<Vec<_>>())
}
