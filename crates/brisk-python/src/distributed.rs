//! The journal of a data set, for `briskfs.distributed`, which hands out its units to executors.

use std::path::PathBuf;
use std::sync::Mutex;

use brisk_sys::paths::bytes_to_path;
use brisk_sys::threads::lock;
use brisk_table::dataset::{self, Description, Fault, Limits, Name, UnitOutcome};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::convert::GivenPath;

/// What is done of a data set, and what is to be done.
#[pyclass(frozen, module = "briskfs._briskfs")]
pub struct Journal(Mutex<Option<dataset::Journal>>);

#[pymethods]
impl Journal {
    /// Begins the data set `out`, or goes on with it. `began` is the time of this call, and `split`
    /// how many units should wait.
    #[new]
    fn new(
        py: Python<'_>,
        out: GivenPath,
        roots: Vec<GivenPath>,
        options: Vec<GivenPath>,
        began: String,
        split: usize,
    ) -> PyResult<Journal> {
        let names = |all: &[GivenPath]| all.iter().map(|one| Name(one.bytes.clone())).collect();
        let what = Description {
            roots: names(&roots),
            absolute_roots: roots.iter().map(real).collect(),
            options: names(&options),
            began,
            split,
            ..Description::default()
        };
        let open = || dataset::Journal::open(bytes_to_path(&out.bytes), what);
        Ok(Journal(Mutex::new(Some(py.detach(open).map_err(raised)?))))
    }

    /// How many units wait to be handed out.
    fn pending(&self) -> PyResult<usize> {
        self.with(|journal| Ok(journal.pending()))
    }

    /// The next unit, if one waits: its name and its JSON.
    fn next(
        &self,
        py: Python<'_>,
        seconds: Option<f64>,
        entries: Option<u64>,
        requests: Option<usize>,
    ) -> PyResult<Option<(String, String)>> {
        let limits = Limits { seconds, entries, requests };
        let unit = py.detach(|| self.with(|journal| journal.next_unit(limits)))?;
        Ok(unit.map(|unit| (unit.id.clone(), unit.to_json())))
    }

    /// A unit was not done: it waits again.
    fn give_back(&self, unit: &str) -> PyResult<()> {
        self.with(|journal| {
            journal.give_back(unit);
            Ok(())
        })
    }

    /// Records the outcome of a unit, which is JSON. False if the unit is done already.
    fn record(&self, py: Python<'_>, outcome: &str) -> PyResult<bool> {
        py.detach(|| self.with(|journal| journal.record(UnitOutcome::from_json(outcome)?)))
    }

    /// Ends the data set, once each unit is done. Returns its rows, parts, bytes and errors.
    fn finish(&self, py: Python<'_>) -> PyResult<(u64, u64, u64, u64)> {
        let totals = py.detach(|| self.with(dataset::Journal::finish))?;
        Ok((totals.rows, totals.parts, totals.bytes, totals.errors))
    }

    /// Unlocks the data set for others.
    fn close(&self) {
        *lock(&self.0) = None;
    }
}

impl Journal {
    fn with<T>(&self, call: impl FnOnce(&mut dataset::Journal) -> Result<T, Fault>) -> PyResult<T> {
        let mut journal = lock(&self.0);
        let journal = journal.as_mut().ok_or_else(|| PyValueError::new_err("closed"))?;
        call(journal).map_err(raised)
    }
}

/// Where a root really is, as far as this machine sees it.
fn real(root: &GivenPath) -> Name {
    let path = bytes_to_path(&root.bytes);
    let path: PathBuf = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    Name(path.into_os_string().into_encoded_bytes())
}

#[cold]
fn raised(fault: Fault) -> PyErr {
    PyOSError::new_err(fault.to_string())
}
