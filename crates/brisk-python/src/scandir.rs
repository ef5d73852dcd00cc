//! `scandir`: a directory's entries, a buffer of records at a time, and their metadata in batches.

use std::ffi::{CStr, CString};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use brisk::{Backend, FileType, Meta, OwnedChunk, Recalled, Walk};
use brisk_sys::paths::bytes_to_path;
use brisk_sys::quoting::quoted;
use brisk_sys::threads::lock;
use brisk_sys::{Buffer, Dir, Freshness, Links, errno, handle_of, stat_path};
use pyo3::PyTypeInfo;
use pyo3::exceptions::{PyDeprecationWarning, PyFileNotFoundError, PyResourceWarning};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyMemoryView, PyString, PyTuple};

use crate::ahead::prefix_of;
use crate::convert::{GivenPath, PathType, os_error, os_error_about, truth};
use crate::gathering::gathered;
use crate::stat::{STAT, StatResult};

/// The sizes of the first buffer, in which most directories fit, and of the later ones.
const FIRST_BUFFER: usize = 32 << 10;
const LATER_BUFFER: usize = 256 << 10;

/// After `SINGLE` stats the rest of the batch is fetched at once; after one stat, if that took
/// longer than `SLOW`.
const SINGLE: usize = 4;
const SLOW: Duration = Duration::from_micros(500);

/// How long a batch is asked about on the calling thread. What is left then is worth a walk, which
/// has many requests in flight where the storage is slow, and uses all cores where it is not.
const ALONE: Duration = Duration::from_millis(1);

/// The directory that is listed.
struct ListedDir {
    /// Open until the iterator is closed or at its end: an entry that is kept holds no descriptor.
    dir: Mutex<Option<Arc<Dir>>>,
    /// What it was opened by.
    path: Vec<u8>,
    /// What stands before each name in the path of an entry.
    prefix: Vec<u8>,
    text: PathType,
    /// A request has taken long.
    is_slow: AtomicBool,
}

impl ListedDir {
    fn open(path: &[u8]) -> io::Result<Arc<Dir>> {
        Dir::open(Backend::Native, bytes_to_path(path), Links::Follow).map(Arc::new)
    }

    fn dir(&self) -> Option<Arc<Dir>> {
        lock(&self.dir).clone()
    }

    fn close(&self) {
        *lock(&self.dir) = None;
    }
}

/// An entry as its directory lists it.
struct ListedEntry {
    /// Where the name begins and ends in the batch's names; a zero byte follows.
    name: std::ops::Range<usize>,
    ino: u64,
    file_type: FileType,
}

/// The records of one buffer.
struct ListedChunk {
    place: Arc<ListedDir>,
    names: Vec<u8>,
    records: Vec<ListedEntry>,
    /// How many entries the caller has asked about.
    asked: AtomicUsize,
    /// The metadata of all entries from an index on.
    metas: OnceLock<(usize, Vec<Option<Meta>>)>,
}

impl ListedChunk {
    /// The next records of a directory, and whether they are the last; `None` at its end.
    fn read(
        place: &Arc<ListedDir>,
        buffer: &mut Buffer,
    ) -> io::Result<(Option<ListedChunk>, bool)> {
        let Some(dir) = place.dir() else { return Ok((None, true)) };
        loop {
            buffer.clear();
            let at_end = dir.fill(buffer).at_end;
            let mut names = Vec::with_capacity(buffer.len());
            let mut records = Vec::new();
            for entry in buffer.entries() {
                let start = names.len();
                names.extend_from_slice(entry.name.to_bytes_with_nul());
                let name = start..names.len() - 1;
                records.push(ListedEntry { name, ino: entry.ino, file_type: entry.file_type });
            }
            if !records.is_empty() {
                let place = Arc::clone(place);
                let asked = AtomicUsize::new(0);
                let batch = ListedChunk { place, names, records, asked, metas: OnceLock::new() };
                // An error comes again with the next records.
                return Ok((Some(batch), at_end.unwrap_or(false)));
            }
            if at_end? {
                return Ok((None, true));
            }
        }
    }

    fn name(&self, at: usize) -> &[u8] {
        &self.names[self.records[at].name.clone()]
    }

    /// The metadata of an entry, by the directory's handle or, without one, by its path.
    fn stat_one(&self, dir: Option<&Dir>, at: usize, links: Links) -> io::Result<Meta> {
        let range = &self.records[at].name;
        let Some(dir) = dir else {
            let path = [&prefix_of(&self.place.path), self.name(at)].concat();
            return stat_path(Backend::Native, bytes_to_path(&path), STAT, links);
        };
        let name = CStr::from_bytes_with_nul(&self.names[range.start..=range.end]);
        let name = name.expect("BUG: a name of a directory has no zero byte");
        dir.stat(name, STAT, links, Freshness::AsStat)
    }

    /// The metadata of an entry itself, if the batch was asked about.
    fn known(&self, at: usize) -> Option<&Meta> {
        let (first, metas) = self.metas.get()?;
        metas.get(at.checked_sub(*first)?)?.as_ref()
    }

    /// Whether it is time to ask about all entries from this one on: a caller that asks about few
    /// does not pay for all.
    fn is_wanted_from(&self, at: usize) -> bool {
        let asked = self.asked.fetch_add(1, Relaxed);
        let single = if self.place.is_slow.load(Relaxed) { 1 } else { SINGLE };
        asked >= single && at <= 2 * asked && self.metas.get().is_none()
    }

    /// The entries from this one on, for a walk that asks about them and does not list the directory
    /// again. The number of an entry stands where inodes do: the walk hands it back.
    fn recalled(&self, first: usize) -> Recalled {
        let mut recalled = Recalled::of(0, self.records.len() - first);
        for (at, record) in self.records.iter().enumerate().skip(first) {
            let _ = recalled.push(at as u64, record.file_type, self.name(at));
        }
        recalled
    }

    /// Asks about all entries from this one on.
    fn ask_from(&self, py: Python<'_>, first: usize) -> PyResult<()> {
        let count = self.records.len();
        let is_slow = self.place.is_slow.load(Relaxed);
        let alone = if is_slow { Duration::ZERO } else { ALONE };
        let (dir, mut metas) = py.detach(|| {
            // So many entries are worth opening the directory again.
            let dir = self.place.dir().or_else(|| ListedDir::open(&self.place.path).ok());
            let stat = |at| self.stat_one(dir.as_deref(), at, Links::NoFollow).ok();
            let began = Instant::now();
            let in_time = (first..count).take_while(|_| began.elapsed() < alone);
            let metas = in_time.map(stat).collect::<Vec<_>>();
            (dir, metas)
        });
        let left = first + metas.len();
        metas.resize(count - first, None);
        if let Some(handle) = dir.as_deref().and_then(handle_of).filter(|_| left < count) {
            let list = || self.recalled(left);
            let walk = Walk::at(handle, ".").max_depth(1);
            let (chunks, ..) = gathered(py, walk, STAT, usize::MAX, Some(&list))?;
            // What failed is asked about again when the caller asks about the entry.
            for entry in chunks.iter().flat_map(OwnedChunk::iter) {
                metas[entry.ino() as usize - first] = entry.meta().cloned();
            }
        }
        let _ = self.metas.set((first, metas));
        Ok(())
    }
}

/// An entry of a directory, as os.DirEntry.
#[pyclass(frozen, module = "briskfs")]
pub struct DirEntry {
    batch: Arc<ListedChunk>,
    at: usize,
    /// What a link leads to, once it was asked about.
    target: OnceLock<Box<Meta>>,
}

impl DirEntry {
    fn path_bytes(&self) -> Vec<u8> {
        [&self.batch.place.prefix, self.batch.name(self.at)].concat()
    }

    fn meta(&self, py: Python<'_>, follow: bool) -> PyResult<Meta> {
        let listed = self.batch.records[self.at].file_type;
        let may_be_link = matches!(listed, FileType::Symlink | FileType::Unknown);
        let links = Links::followed(follow && may_be_link);
        if links == Links::NoFollow {
            if self.batch.known(self.at).is_none() && self.batch.is_wanted_from(self.at) {
                self.batch.ask_from(py, self.at)?;
            }
            if let Some(meta) = self.batch.known(self.at) {
                return Ok(meta.clone());
            }
        } else if let Some(meta) = self.target.get() {
            return Ok(Meta::clone(meta));
        }
        let began = Instant::now();
        let dir = self.batch.place.dir();
        let meta = py.detach(|| self.batch.stat_one(dir.as_deref(), self.at, links));
        self.batch.place.is_slow.fetch_or(began.elapsed() > SLOW, Relaxed);
        let meta =
            meta.map_err(|error| os_error(py, &error, &self.path_bytes(), self.batch.place.text))?;
        if links == Links::Follow {
            let _ = self.target.set(Box::new(meta.clone()));
        }
        Ok(meta)
    }

    /// Whether the entry has this type. A link that leads nowhere and what is gone have none.
    fn is(&self, py: Python<'_>, wanted: FileType, follow: bool) -> PyResult<bool> {
        match self.batch.records[self.at].file_type {
            FileType::Unknown => {}
            FileType::Symlink if follow => {}
            known => return Ok(known == wanted),
        }
        match self.meta(py, follow) {
            Ok(meta) => Ok(meta.file_type() == Some(wanted)),
            Err(error) if error.value(py).is_instance_of::<PyFileNotFoundError>() => Ok(false),
            Err(error) => Err(error),
        }
    }
}

#[pymethods]
impl DirEntry {
    #[getter]
    fn name<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.batch.place.text.of(py, self.batch.name(self.at))
    }

    #[getter]
    fn path<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.batch.place.text.of(py, &self.path_bytes())
    }

    fn __fspath__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.path(py)
    }

    /// For `isinstance(entry, os.DirEntry)`: that class cannot be subclassed.
    #[getter(__class__)]
    fn class<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("os")?.getattr("DirEntry")
    }

    fn inode(&self) -> u64 {
        self.batch.records[self.at].ino
    }

    #[pyo3(signature = (*, follow_symlinks=true))]
    fn is_dir(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = truth)] follow_symlinks: bool,
    ) -> PyResult<bool> {
        self.is(py, FileType::Directory, follow_symlinks)
    }

    #[pyo3(signature = (*, follow_symlinks=true))]
    fn is_file(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = truth)] follow_symlinks: bool,
    ) -> PyResult<bool> {
        self.is(py, FileType::File, follow_symlinks)
    }

    fn is_symlink(&self, py: Python<'_>) -> PyResult<bool> {
        self.is(py, FileType::Symlink, false)
    }

    fn is_junction(&self) -> bool {
        false
    }

    /// Its metadata. Where many entries of a directory are asked about, the others are asked about
    /// in the same call.
    #[pyo3(signature = (*, follow_symlinks=true))]
    fn stat(
        this: &Bound<'_, Self>,
        #[pyo3(from_py_with = truth)] follow_symlinks: bool,
    ) -> PyResult<StatResult> {
        let meta = this.get().meta(this.py(), follow_symlinks)?;
        Ok(StatResult::new(&meta, this.clone().into_any().unbind(), follow_symlinks))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<DirEntry {}>", self.name(py)?.repr()?))
    }
}

/// The iterator that `scandir` returns, which is also a context manager.
#[pyclass(module = "briskfs")]
pub struct ScandirIterator {
    /// `None` once it is closed, or at its end.
    place: Option<Arc<ListedDir>>,
    buffer: Buffer,
    batch: Option<Arc<ListedChunk>>,
    /// The batch is the last one.
    is_last: bool,
    /// The index of the batch's entry that comes next.
    next: usize,
}

/// What `scandir` lists: a path, or a descriptor.
pub enum Listable {
    Descriptor(i32),
    Path(GivenPath),
}

impl FromPyObject<'_, '_> for Listable {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Listable> {
        if object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>() {
            return object.extract().map(Listable::Path);
        }
        if object.hasattr("__index__")? {
            return object.extract().map(Listable::Descriptor);
        }
        match PyMemoryView::from(&object) {
            Ok(bytes) if object.py().version_info() < (3, 12) => {
                bytes_like(&object, &bytes).map(Listable::Path)
            }
            _ => object.extract().map(Listable::Path),
        }
    }
}

/// A bytes-like object as a path, which os.scandir takes up to Python 3.11, with a warning.
fn bytes_like(object: &Bound<'_, PyAny>, bytes: &Bound<'_, PyAny>) -> PyResult<GivenPath> {
    let name = object.get_type().name()?;
    let text =
        format!("scandir: path should be string, bytes, os.PathLike, integer or None, not {name}");
    warn::<PyDeprecationWarning>(object.py(), text)?;
    bytes.call_method0("tobytes")?.extract()
}

fn warn<Category: PyTypeInfo>(py: Python<'_>, text: String) -> PyResult<()> {
    PyErr::warn(py, &py.get_type::<Category>(), &CString::new(text)?, 1)
}

/// As os.scandir: an iterator over the entries of a directory, given by its path or descriptor.
#[pyfunction]
#[pyo3(signature = (path=None))]
pub fn scandir(py: Python<'_>, path: Option<Listable>) -> PyResult<ScandirIterator> {
    let (path, text, descriptor) = match path {
        // The directory is opened anew, with a position of its own.
        Some(Listable::Descriptor(fd)) => {
            // Raises what os.scandir raises for a descriptor that is not open.
            py.import("os")?.call_method1("fstat", (fd,))?;
            (format!("/proc/self/fd/{fd}").into_bytes(), PathType::Str, Some(fd))
        }
        Some(Listable::Path(GivenPath { bytes, text })) => (bytes, text, None),
        None => (b".".to_vec(), PathType::Str, None),
    };
    let prefix = if descriptor.is_some() { Vec::new() } else { prefix_of(&path) };
    let dir = py.detach(|| ListedDir::open(&path)).map_err(|error| match descriptor {
        Some(fd) => os_error_about(PyInt::new(py, fd).as_any(), errno(&error)),
        None => os_error(py, &error, &path, text),
    })?;
    let dir = Mutex::new(Some(dir));
    Ok(ScandirIterator {
        place: Some(Arc::new(ListedDir { dir, path, prefix, text, is_slow: false.into() })),
        buffer: Buffer::with_capacity(FIRST_BUFFER),
        batch: None,
        is_last: false,
        next: 0,
    })
}

impl ScandirIterator {
    /// The batch with the next entry.
    fn batch(&mut self, py: Python<'_>) -> PyResult<Option<&Arc<ListedChunk>>> {
        if self.batch.as_ref().is_none_or(|batch| self.next == batch.records.len()) {
            let Some(place) = self.place.as_ref().filter(|_| !self.is_last) else {
                return Ok(None);
            };
            if self.batch.is_some() && self.buffer.capacity() < LATER_BUFFER {
                self.buffer = Buffer::with_capacity(LATER_BUFFER);
            }
            let buffer = &mut self.buffer;
            let read = py.detach(|| ListedChunk::read(place, buffer));
            let (batch, is_last) =
                read.map_err(|error| os_error(py, &error, &place.path, place.text))?;
            self.next = 0;
            self.batch = batch.map(Arc::new);
            self.is_last = is_last;
        }
        Ok(self.batch.as_ref())
    }
}

/// Warns of an iterator that was not closed, as os.scandir's is.
impl Drop for ScandirIterator {
    fn drop(&mut self) {
        let Some(place) = self.place.take() else { return };
        place.close();
        Python::try_attach(|py| {
            // What is being raised meanwhile is raised all the same.
            let raised = PyErr::take(py);
            let text = format!("unclosed scandir iterator of {}", quoted(&place.path));
            if let Err(error) = warn::<PyResourceWarning>(py, text) {
                error.write_unraisable(py, None);
            }
            if let Some(raised) = raised {
                raised.restore(py);
            }
        });
    }
}

#[pymethods]
impl ScandirIterator {
    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<DirEntry>> {
        let batch = match self.batch(py) {
            Ok(Some(batch)) => Arc::clone(batch),
            end => {
                let end = end.map(|_| None);
                self.close();
                return end;
            }
        };
        let entry = DirEntry { batch, at: self.next, target: OnceLock::new() };
        self.next += 1;
        Ok(Some(entry))
    }

    /// Closes the directory, and ends the iteration.
    fn close(&mut self) {
        if let Some(place) = self.place.take() {
            place.close();
        }
        self.batch = None;
    }

    fn __enter__(this: Py<Self>) -> Py<Self> {
        this
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&mut self, _exception: &Bound<'_, PyTuple>) {
        self.close();
    }
}
