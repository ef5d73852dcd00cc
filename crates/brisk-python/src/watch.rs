//! `ChangeStream`: batches of changes as they come. What iterates over them is in Python.

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use brisk::Cancel;
use brisk_state::{Batches, ChangeBatch, Rescan, RescanError, Waker};
use brisk_sys::paths::bytes_to_path;
use brisk_sys::threads::lock;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::changed::{Change, changes, failed};
use crate::convert::{GivenPath, PathType, truth};
use crate::interrupt::{INTERVAL, interruptible};

/// Changes that belong together.
#[pyclass(frozen, get_all, module = "briskfs", name = "Batch")]
pub struct WatchBatch {
    changes: Vec<Py<Change>>,
    /// Why all of the trees were scanned; `None` if that was not so.
    full: Option<String>,
    /// The directories that were scanned, and why: events did not say what had changed there.
    scanned: Vec<(Py<PyAny>, String)>,
}

/// Batches of changes in trees.
#[pyclass(frozen, module = "briskfs")]
pub struct ChangeStream {
    /// `None` once it is closed.
    batches: Mutex<Option<Batches>>,
    cancel: Cancel,
    waker: Waker,
    text: PathType,
}

#[pymethods]
impl ChangeStream {
    #[new]
    #[pyo3(signature = (roots, state, settle, content, ctime, renames))]
    fn new(
        py: Python<'_>,
        roots: Vec<GivenPath>,
        state: Option<GivenPath>,
        settle: f64,
        #[pyo3(from_py_with = truth)] content: bool,
        #[pyo3(from_py_with = truth)] ctime: bool,
        #[pyo3(from_py_with = truth)] renames: bool,
    ) -> PyResult<ChangeStream> {
        let first = roots.first().ok_or_else(|| PyTypeError::new_err("watch() needs a path"))?;
        let text = first.text;
        let settle = Duration::try_from_secs_f64(settle)
            .map_err(|why| PyValueError::new_err(format!("settle: {why}")))?;
        let path = |given: &GivenPath| bytes_to_path(&given.bytes).to_owned();
        let state = state.as_ref().map(path);
        let roots: Vec<PathBuf> = roots.iter().map(path).collect();
        let cancel = Cancel::new();
        let rescan =
            Rescan { content, ctime, renames, cancel: cancel.clone(), ..Rescan::over(roots) };
        let batches = py.detach(|| Batches::new(rescan, state.as_deref(), settle));
        let batches = batches.map_err(|why| failed(py, &why, text))?;
        let waker = batches.waker();
        Ok(ChangeStream { batches: Mutex::new(Some(batches)), cancel, waker, text })
    }

    /// Accepts the last batch, and waits for the next one; `None` once it is closed. On the main
    /// thread, signals are looked at meanwhile.
    fn next(&self, py: Python<'_>, on_main: bool) -> PyResult<Option<WatchBatch>> {
        let raised = Mutex::new(Ok(None));
        let pull = || {
            let mut batches = lock(&self.batches);
            while let Some(batches) = batches.as_mut().filter(|_| !self.cancel.is_cancelled()) {
                let until = on_main.then(|| Instant::now() + INTERVAL);
                let found = batches
                    .next(until)
                    .map(|batch| batch.map(|batch| Python::attach(|py| self.batch(py, batch))));
                if !matches!(found, Ok(None)) {
                    *lock(&raised) = found;
                    break;
                }
            }
        };
        if on_main {
            interruptible(py, &self.cancel, pull)?
        } else {
            py.detach(pull)
        }
        let found = raised.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        found.map_err(|why| failed(py, &why, self.text))?.transpose()
    }

    /// Accepts the last batch.
    fn accept(&self, py: Python<'_>) -> PyResult<()> {
        self.end_with(py, |batches| batches.as_mut().map_or(Ok(()), Batches::accept))
    }

    /// Ends the wait of another thread, and saves what was accepted.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.cancel.now();
        self.waker.wake();
        self.end_with(py, |batches| batches.take().map_or(Ok(()), |mut batches| batches.save()))
    }
}

impl ChangeStream {
    fn end_with(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Option<Batches>) -> Result<(), RescanError> + Send,
    ) -> PyResult<()> {
        let done = py.detach(|| work(&mut lock(&self.batches)));
        done.map_err(|why| failed(py, &why, self.text))
    }

    fn batch(&self, py: Python<'_>, batch: &ChangeBatch) -> PyResult<WatchBatch> {
        let part = |(path, why): (PathBuf, String)| {
            let path = self.text.of(py, path.as_os_str().as_encoded_bytes())?;
            Ok((path.unbind(), why))
        };
        Ok(WatchBatch {
            changes: changes(py, &batch.report, self.text)?,
            full: batch.reason(),
            scanned: batch.parts().map(part).collect::<PyResult<_>>()?,
        })
    }
}
