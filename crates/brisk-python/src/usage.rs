//! `du`: how much space a tree takes up.

use brisk::usage::{HardLinks, Sums, Usage};
use brisk::{Cancel, Follow, Mounts, Walk};
use brisk_sys::paths::bytes_to_path;
use pyo3::prelude::*;

use crate::convert::{GivenPath, tell, truth};
use crate::interrupt::interruptible;

/// What a directory takes up, with everything below it; of a file, what the file takes up.
#[pyclass(frozen, get_all, module = "briskfs")]
pub struct DiskUsage {
    path: Py<PyAny>,
    /// The bytes that are allocated, and those of the contents.
    allocated: u64,
    apparent: u64,
    /// The number of files and directories.
    entries: u64,
    /// How deep the directory is; the path that was given is 0 deep.
    depth: usize,
    /// Those below it that were asked for, largest first.
    directories: Vec<Py<DiskUsage>>,
}

#[pymethods]
impl DiskUsage {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let DiskUsage { path, allocated, apparent, entries, .. } = self;
        let path = path.bind(py).repr()?;
        Ok(format!(
            "DiskUsage(path={path}, allocated={allocated}, apparent={apparent}, entries={entries})"
        ))
    }
}

/// Sums up the sizes of a tree. Hard links count once; `count_links` counts each. `max_depth` says
/// how deep the directories are that the result names. What cannot be read goes to `onerror`, or is
/// raised in the end.
#[pyfunction]
#[pyo3(signature = (path, *, max_depth=0, count_links=false, followlinks=false,
    one_file_system=false, onerror=None))]
pub fn du(
    py: Python<'_>,
    path: GivenPath,
    max_depth: usize,
    #[pyo3(from_py_with = truth)] count_links: bool,
    #[pyo3(from_py_with = truth)] followlinks: bool,
    #[pyo3(from_py_with = truth)] one_file_system: bool,
    onerror: Option<Py<PyAny>>,
) -> PyResult<DiskUsage> {
    let cancel = Cancel::new();
    let walk = Walk::new(bytes_to_path(&path.bytes))
        .follow(if followlinks { Follow::Always } else { Follow::Never })
        .mounts(if one_file_system { Mounts::SameDevice } else { Mounts::Cross })
        .cancelled_by(&cancel);
    let mut usage = Usage::new(walk);
    usage.links = if count_links { HardLinks::Each } else { HardLinks::FirstSorted };
    let mut directories = interruptible(py, &cancel, || usage.directories(max_depth))?;
    tell(py, &directories.errors, onerror.as_ref(), path.text, |_| true)?;
    directories.sort_largest_first();
    let usage_of = |bytes: &[u8], depth, sums| {
        let Sums { allocated, apparent, entries, .. } = sums;
        let path = path.text.of(py, bytes)?.unbind();
        PyResult::Ok(DiskUsage { path, allocated, apparent, entries, depth, directories: vec![] })
    };
    let mut usage = usage_of(&path.bytes, 0, directories.report.total)?;
    for found in directories.found.iter().filter(|found| found.depth > 0) {
        let path = found.path.as_os_str().as_encoded_bytes();
        usage.directories.push(Py::new(py, usage_of(path, found.depth, found.sums)?)?);
    }
    Ok(usage)
}
