//! `StatResult`: what `os.stat_result` is, of metadata that the engine has fetched. Its numbers
//! become Python objects when they are asked for.

use brisk::{Fields, Meta, Timestamp};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PyTuple};

/// What `os.stat_result` has, but for `st_blksize`, which no directory walk asks for.
pub const STAT: Fields =
    Fields::STATX.difference(Fields::BTIME.union(Fields::MNT_ID)).union(Fields::DEV);

/// The metadata of a file, with the attributes of os.stat_result, and its ten items as a sequence.
#[pyclass(frozen, get_all, sequence, module = "briskfs")]
pub struct StatResult {
    st_mode: u32,
    st_ino: u64,
    st_dev: u64,
    st_nlink: u64,
    st_uid: u32,
    st_gid: u32,
    st_size: u64,
    st_blocks: u64,
    st_rdev: u64,
    st_atime: f64,
    st_mtime: f64,
    st_ctime: f64,
    st_atime_ns: i64,
    st_mtime_ns: i64,
    st_ctime_ns: i64,
    /// The entry, which `st_blksize` is asked of.
    _entry: Py<PyAny>,
    _follows: bool,
}

/// Seconds as os.stat_result has them.
pub fn seconds(time: Timestamp) -> f64 {
    time.secs as f64 + 1e-9 * f64::from(time.nanos)
}

fn nanoseconds(time: Timestamp) -> i64 {
    time.secs.saturating_mul(1_000_000_000).saturating_add(time.nanos.into())
}

impl StatResult {
    pub fn new(meta: &Meta, entry: Py<PyAny>, follows: bool) -> StatResult {
        let atime = meta.atime().unwrap_or_default();
        let mtime = meta.mtime().unwrap_or_default();
        let ctime = meta.ctime().unwrap_or_default();
        let file_type = meta.file_type().unwrap_or_default();
        // Windows has no modes. os.stat shows these there, except for read-only files and programs.
        let mode = meta.mode().unwrap_or(if file_type.is_dir() { 0o777 } else { 0o666 });
        StatResult {
            st_mode: mode | file_type.mode_bits(),
            st_ino: meta.ino().unwrap_or(0),
            st_dev: meta.dev().unwrap_or(0),
            st_nlink: meta.nlink().unwrap_or(0),
            st_uid: meta.uid().unwrap_or(0),
            st_gid: meta.gid().unwrap_or(0),
            st_size: meta.size().unwrap_or(0),
            st_blocks: meta.blocks().unwrap_or(0),
            st_rdev: meta.rdev().unwrap_or(0),
            st_atime: seconds(atime),
            st_mtime: seconds(mtime),
            st_ctime: seconds(ctime),
            st_atime_ns: nanoseconds(atime),
            st_mtime_ns: nanoseconds(mtime),
            st_ctime_ns: nanoseconds(ctime),
            _entry: entry,
            _follows: follows,
        }
    }

    fn items<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let [atime, mtime, ctime] = [self.st_atime_ns, self.st_mtime_ns, self.st_ctime_ns]
            .map(|time| time.div_euclid(1_000_000_000));
        let file = (self.st_mode, self.st_ino, self.st_dev, self.st_nlink);
        let rest = (self.st_uid, self.st_gid, self.st_size, atime, mtime, ctime);
        let items = file.into_pyobject(py)?.as_any().add(rest.into_pyobject(py)?)?;
        items.cast_into().map_err(PyErr::from)
    }
}

#[pymethods]
impl StatResult {
    /// Asked for when it is read: one stat.
    #[getter]
    fn st_blksize<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let follows = [("follow_symlinks", self._follows)].into_py_dict(py)?;
        py.import("os")?.call_method("stat", (&self._entry,), Some(&follows))?.getattr("st_blksize")
    }

    fn __len__(&self) -> usize {
        10
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.items(py)?.as_any().get_item(index)
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let items = self.items(py)?;
        match other.cast::<StatResult>() {
            Ok(other) => items.eq(other.get().items(py)?),
            Err(_) => items.eq(other),
        }
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self.items(py)?.hash()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("briskfs.StatResult{}", self.items(py)?.repr()?))
    }

    /// A copy, and what is unpickled, is an os.stat_result.
    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = this.py();
        let more = PyDict::new(py);
        for name in
            ["atime", "mtime", "ctime", "atime_ns", "mtime_ns", "ctime_ns", "blocks", "rdev"]
        {
            let name = format!("st_{name}");
            more.set_item(&name, this.getattr(&name)?)?;
        }
        let class = py.import("os")?.getattr("stat_result")?;
        (class, (this.get().items(py)?, more)).into_pyobject(py)
    }
}
