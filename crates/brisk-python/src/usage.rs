//! `du`: how much space a tree takes up.

use std::path::Path;

use brisk::usage::{HardLinks, Observer, Sums, Total, Usage};
use brisk::{Cancel, Error, Flow, Follow, Mounts, Walk};
use brisk_sys::paths::bytes_to_path;
use pyo3::prelude::*;

use crate::convert::{Given, walk_error};
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

impl DiskUsage {
    fn new(path: Bound<'_, PyAny>, depth: usize, sums: Sums) -> DiskUsage {
        let path = path.unbind();
        let Sums { allocated, apparent, entries, .. } = sums;
        DiskUsage { path, allocated, apparent, entries, depth, directories: Vec::new() }
    }
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

/// Keeps the sums of directories down to a depth.
struct Gathering {
    max_depth: usize,
    directories: Vec<(Vec<u8>, usize, Sums)>,
    errors: Vec<Error>,
}

impl Observer for Gathering {
    fn directory(&mut self, total: &Total<'_>) -> Flow {
        if (1..=self.max_depth).contains(&total.depth) {
            let path = total.path.as_os_str().as_encoded_bytes().to_vec();
            self.directories.push((path, total.depth, total.all));
        }
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        self.errors.push(error);
        Flow::Continue
    }

    fn fork(&self, _: usize) -> Gathering {
        Gathering { max_depth: self.max_depth, directories: Vec::new(), errors: Vec::new() }
    }

    fn merge(&mut self, other: Gathering) {
        self.directories.extend(other.directories);
        self.errors.extend(other.errors);
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
    path: Given,
    max_depth: usize,
    count_links: bool,
    followlinks: bool,
    one_file_system: bool,
    onerror: Option<Py<PyAny>>,
) -> PyResult<DiskUsage> {
    let cancel = Cancel::new();
    let walk = Walk::over::<&Path>([bytes_to_path(&path.bytes)])
        .follow(if followlinks { Follow::Always } else { Follow::Never })
        .mounts(if one_file_system { Mounts::SameDevice } else { Mounts::Cross })
        .cancelled_by(&cancel);
    let links = if count_links { HardLinks::Each } else { HardLinks::FirstSorted };
    let mut usage = Usage::new(walk);
    usage.links = links;
    let gathering = Gathering { max_depth, directories: Vec::new(), errors: Vec::new() };
    let run = || usage.run(gathering);
    let (gathered, report) = interruptible(py, || cancel.now(), run)?;
    for error in &gathered.errors {
        let error = walk_error(py, error, path.text);
        match &onerror {
            Some(onerror) => _ = onerror.call1(py, (error.into_value(py),))?,
            None => return Err(error),
        }
    }
    let mut found = gathered.directories;
    found.sort_by(|(one, _, a), (other, _, b)| {
        b.allocated.cmp(&a.allocated).then_with(|| one.cmp(other))
    });
    let usage_of = |bytes: &[u8], depth, sums| {
        path.text.of(py, bytes).map(|path| DiskUsage::new(path, depth, sums))
    };
    let mut usage = usage_of(&path.bytes, 0, report.total)?;
    for (path, depth, sums) in found {
        usage.directories.push(Py::new(py, usage_of(&path, depth, sums)?)?);
    }
    Ok(usage)
}
