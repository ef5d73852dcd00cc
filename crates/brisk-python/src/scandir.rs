//! `scandir`: a directory's entries, a buffer of records at a time, and their metadata in batches.

use std::ffi::CStr;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use brisk::{
    Backend, Directory, Enter, Entry, Error, FileType, Flow, Meta, Parallel, Recalled, Select,
    Visitor, Walk,
};
use brisk_sys::paths::bytes_to_path;
use brisk_sys::{Buffer, Dir, Freshness, Links, handle_of};
use pyo3::prelude::*;

use crate::ahead::prefix_of;
use crate::convert::{Given, Text, os_error};
use crate::stat::{STAT, StatResult};

/// The sizes of the first buffer, in which most directories fit, and of the later ones.
const FIRST_BUFFER: usize = 32 << 10;
const LATER_BUFFER: usize = 256 << 10;

/// Only once so many entries were asked about is the rest of a batch asked about as well.
const SINGLE: usize = 4;

/// How long a batch is asked about on the calling thread. What is left then is worth a walk, which
/// has many requests in flight where the storage is slow, and uses all cores where it is not.
const ALONE: Duration = Duration::from_micros(200);

/// The directory that is listed.
struct Place {
    dir: Dir,
    /// What stands before each name in a path.
    prefix: Vec<u8>,
    text: Text,
}

/// An entry as its directory lists it.
struct Record {
    /// Where the name begins and ends in the batch's names; a zero byte follows.
    name: std::ops::Range<usize>,
    ino: u64,
    file_type: FileType,
}

/// The records of one buffer.
struct Batch {
    place: Arc<Place>,
    names: Vec<u8>,
    records: Vec<Record>,
    /// How many entries were asked about one by one.
    asked: AtomicUsize,
    /// The metadata of all entries from an index on.
    metas: OnceLock<(usize, Vec<Option<Meta>>)>,
}

impl Batch {
    /// The next records of a directory; `None` at its end.
    fn read(place: &Arc<Place>, buffer: &mut Buffer) -> io::Result<Option<Batch>> {
        loop {
            buffer.clear();
            let complete = place.dir.fill(buffer).complete;
            let mut names = Vec::with_capacity(buffer.len());
            let mut records = Vec::new();
            for entry in buffer.entries() {
                let start = names.len();
                names.extend_from_slice(entry.name.to_bytes_with_nul());
                let name = start..names.len() - 1;
                records.push(Record { name, ino: entry.ino, file_type: entry.file_type });
            }
            if !records.is_empty() {
                let place = Arc::clone(place);
                let asked = AtomicUsize::new(0);
                return Ok(Some(Batch { place, names, records, asked, metas: OnceLock::new() }));
            }
            if complete? {
                return Ok(None);
            }
        }
    }

    fn name(&self, at: usize) -> &[u8] {
        &self.names[self.records[at].name.clone()]
    }

    fn stat_one(&self, at: usize, links: Links) -> io::Result<Meta> {
        let range = &self.records[at].name;
        let name = CStr::from_bytes_with_nul(&self.names[range.start..=range.end]);
        let name = name.expect("BUG: a name of a directory has no zero byte");
        self.place.dir.stat(name, STAT, links, Freshness::AsStat)
    }

    /// The metadata of an entry itself. Makes no request if the batch was asked about as a whole.
    fn meta(&self, at: usize) -> io::Result<Meta> {
        if let Some(meta) = self.batched(at) {
            return Ok(meta.clone());
        }
        let asked = self.asked.fetch_add(1, Relaxed);
        // A caller that asks about few entries does not pay for all.
        if asked >= SINGLE && at <= 2 * asked && self.metas.get().is_none() {
            let _ = self.metas.get_or_init(|| (at, self.stat_from(at)));
            if let Some(meta) = self.batched(at) {
                return Ok(meta.clone());
            }
        }
        self.stat_one(at, Links::NoFollow)
    }

    fn batched(&self, at: usize) -> Option<&Meta> {
        let (first, metas) = self.metas.get()?;
        metas.get(at.checked_sub(*first)?)?.as_ref()
    }

    fn stat_from(&self, first: usize) -> Vec<Option<Meta>> {
        let began = Instant::now();
        let mut metas: Vec<Option<Meta>> = Vec::with_capacity(self.records.len() - first);
        while first + metas.len() < self.records.len() && began.elapsed() < ALONE {
            metas.push(self.stat_one(first + metas.len(), Links::NoFollow).ok());
        }
        let left = first + metas.len();
        metas.resize(self.records.len() - first, None);
        if let Some(handle) = handle_of(&self.place.dir).filter(|_| left < self.records.len()) {
            let walk = Walk::at(handle, ".").max_depth(1);
            let asking = Asking { batch: self, left, found: Vec::new() };
            for (at, meta) in walk.visit_parallel(asking).0.found {
                metas[at - first] = Some(meta);
            }
        }
        metas
    }
}

/// Asks about the entries of a batch, without listing the directory again.
struct Asking<'a> {
    batch: &'a Batch,
    left: usize,
    found: Vec<(usize, Meta)>,
}

impl Visitor for Asking<'_> {
    type State = ();

    fn enter(&mut self, _: &Entry<'_>, (): &()) -> Enter<()> {
        let records = self.batch.records.iter().enumerate().skip(self.left);
        let mut recalled = Recalled::of(0, records.len());
        for (at, record) in records {
            // The walk hands the number back, and so says which entry is meant.
            let _ = recalled.push(at as u64, record.file_type, self.batch.name(at));
        }
        Enter::Recall((), recalled)
    }

    fn select(&mut self, (): &(), _: &Entry<'_>) -> Select {
        Select::Take(STAT)
    }

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        let metas = entries.iter().filter_map(|entry| Some((entry.ino(), entry.meta()?.clone())));
        self.found.extend(metas.map(|(at, meta)| (at as usize, meta)));
        Flow::Continue
    }

    /// Whoever asks about the entry is told.
    fn error(&mut self, _: Error) -> Flow {
        Flow::Continue
    }
}

impl Parallel for Asking<'_> {
    fn fork(&self, _: usize) -> Self {
        Asking { batch: self.batch, left: self.left, found: Vec::new() }
    }

    fn merge(&mut self, other: Self) {
        self.found.extend(other.found);
    }
}

/// An entry of a directory, as os.DirEntry.
#[pyclass(frozen, module = "briskfs")]
pub struct DirEntry {
    batch: Arc<Batch>,
    at: usize,
    /// What a link leads to, once it was asked about.
    target: OnceLock<Meta>,
}

impl DirEntry {
    fn file_type(&self) -> FileType {
        self.batch.records[self.at].file_type
    }

    fn path_bytes(&self) -> Vec<u8> {
        [&self.batch.place.prefix, self.batch.name(self.at)].concat()
    }

    fn meta(&self, py: Python<'_>, follow: bool) -> io::Result<Meta> {
        let is_link = matches!(self.file_type(), FileType::Symlink | FileType::Unknown);
        if !(follow && is_link) {
            return match self.batch.batched(self.at) {
                Some(meta) => Ok(meta.clone()),
                None => py.detach(|| self.batch.meta(self.at)),
            };
        }
        if let Some(meta) = self.target.get() {
            return Ok(meta.clone());
        }
        let meta = py.detach(|| self.batch.stat_one(self.at, Links::Follow))?;
        Ok(self.target.get_or_init(|| meta).clone())
    }

    #[cold]
    fn error(&self, py: Python<'_>, error: &io::Error) -> PyErr {
        os_error(py, error, &self.path_bytes(), self.batch.place.text)
    }

    /// Whether the entry has this type. A link that leads nowhere and what is gone have none.
    fn is(&self, py: Python<'_>, wanted: FileType, follow: bool) -> PyResult<bool> {
        match self.file_type() {
            FileType::Unknown => {}
            FileType::Symlink if follow => {}
            known => return Ok(known == wanted),
        }
        match self.meta(py, follow) {
            Ok(meta) => Ok(meta.file_type() == Some(wanted)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(self.error(py, &error)),
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

    fn inode(&self) -> u64 {
        self.batch.records[self.at].ino
    }

    #[pyo3(signature = (*, follow_symlinks=true))]
    fn is_dir(&self, py: Python<'_>, follow_symlinks: bool) -> PyResult<bool> {
        self.is(py, FileType::Directory, follow_symlinks)
    }

    #[pyo3(signature = (*, follow_symlinks=true))]
    fn is_file(&self, py: Python<'_>, follow_symlinks: bool) -> PyResult<bool> {
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
    fn stat(this: &Bound<'_, Self>, follow_symlinks: bool) -> PyResult<StatResult> {
        let entry = this.get();
        let py = this.py();
        match entry.meta(py, follow_symlinks) {
            Ok(meta) => {
                let of = this.clone().into_any().unbind();
                Ok(StatResult::new(&meta, of, follow_symlinks))
            }
            Err(error) => Err(entry.error(py, &error)),
        }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<DirEntry {}>", self.name(py)?.repr()?))
    }
}

/// The iterator that `scandir` returns, which is also a context manager.
#[pyclass(module = "briskfs")]
pub struct ScandirIterator {
    /// `None` once it is closed.
    place: Option<Arc<Place>>,
    buffer: Buffer,
    batch: Option<Arc<Batch>>,
    /// The index of the batch's entry that comes next.
    next: usize,
    path: Vec<u8>,
}

/// What `scandir` lists.
#[derive(FromPyObject)]
pub enum Listable {
    Descriptor(i32),
    Path(Given),
}

/// As os.scandir: an iterator over the entries of a directory, given by its path or descriptor.
#[pyfunction]
#[pyo3(signature = (path=None))]
pub fn scandir(py: Python<'_>, path: Option<Listable>) -> PyResult<ScandirIterator> {
    let (path, prefix, text) = match path {
        // The directory is opened anew, with a position of its own.
        Some(Listable::Descriptor(fd)) => {
            (format!("/proc/self/fd/{fd}").into_bytes(), Vec::new(), Text::Str)
        }
        Some(Listable::Path(Given { bytes, text })) => {
            let prefix = prefix_of(&bytes);
            (bytes, prefix, text)
        }
        None => (b".".to_vec(), b"./".to_vec(), Text::Str),
    };
    let dir = py.detach(|| Dir::open(Backend::Native, bytes_to_path(&path), Links::Follow));
    let dir = dir.map_err(|error| os_error(py, &error, &path, text))?;
    Ok(ScandirIterator {
        place: Some(Arc::new(Place { dir, prefix, text })),
        buffer: Buffer::with_capacity(FIRST_BUFFER),
        batch: None,
        next: 0,
        path,
    })
}

#[pymethods]
impl ScandirIterator {
    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<DirEntry>> {
        let Some(place) = &self.place else { return Ok(None) };
        if self.batch.as_ref().is_none_or(|batch| self.next == batch.records.len()) {
            if self.batch.is_some() && self.buffer.capacity() < LATER_BUFFER {
                self.buffer = Buffer::with_capacity(LATER_BUFFER);
            }
            let buffer = &mut self.buffer;
            let read = py.detach(|| Batch::read(place, buffer));
            let read = read.map_err(|error| os_error(py, &error, &self.path, place.text))?;
            self.next = 0;
            self.batch = read.map(Arc::new);
        }
        let Some(batch) = &self.batch else {
            self.close();
            return Ok(None);
        };
        let entry = DirEntry { batch: Arc::clone(batch), at: self.next, target: OnceLock::new() };
        self.next += 1;
        Ok(Some(entry))
    }

    /// Closes the directory, and ends the iteration.
    fn close(&mut self) {
        self.place = None;
        self.batch = None;
    }

    fn __enter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __exit__(
        &mut self,
        _exception: &Bound<'_, PyAny>,
        _value: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) {
        self.close();
    }
}
