//! [`judge`]: contents of files, which several workers read and compare.
//!
//! ```text
//!   the walk ──► Pair ──► | queue | ──► a worker: a piece of each file, until two differ ──► Verdicts
//!                 (bounded)        ├──► a worker
//! ```
//!
//! A file is opened relative to its directory, without following a link, and however long its path
//! is. The last directory of each side stays open, because files come directory by directory.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use brisk_sys::paths::bytes_to_path;
use brisk_sys::{Backend, Dir, Links};

use super::answer::Fault;
use super::input::{Input, Source};
use super::walk::{NEW, OLD, Spot};
use crate::record::DIGEST;

/// The pairs that wait for a worker: enough that a worker does not wait for the walk, and with their
/// paths a few hundred KiB.
const QUEUE: usize = 1024;
/// The bytes of each file that are compared at once: they stay in a core's cache.
const PIECE: usize = 128 << 10;
/// The bytes of a path that is opened in one go, below the system's limit of 4096.
const PATH: usize = 4000;

/// Two files that may have the same contents.
#[derive(Debug)]
pub(super) struct Pair {
    /// Where the later one is.
    pub new: Spot,
    pub sources: [Source; 2],
    /// The size of the later one, in bytes.
    pub size: u64,
}

/// How far the reading of files has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The pairs of files that were compared, and the bytes of one file of each.
    pub files: u64,
    /// See [`Reading::files`].
    pub bytes: u64,
    /// How many bytes there are to compare, without those in directories that were renamed.
    pub of_bytes: u64,
}

/// What is told about the reading of files, by several workers at once. The default hears nothing.
pub trait Watch: Send + Sync {
    /// Some bytes more were compared.
    fn read(&self, _: &Reading) {}

    /// A file could not be read. Its path is that below the root of the later side (`is_new`), or
    /// of the earlier one.
    fn failed(&self, _is_new: bool, _below: &Path, _why: &io::Error) {}

    /// No more files are read. One thread says so, before the first difference comes.
    fn done(&self) {}
}

/// Hears nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deaf;

impl Watch for Deaf {}

/// The pairs of files that are not the same, by their later file: whether they differ, or could not
/// be read.
#[derive(Debug, Default)]
pub(super) struct Verdicts(Vec<(Spot, bool)>);

impl Verdicts {
    /// Whether a pair that was read differs: `Some(false)` if it could not be read.
    pub fn differs(&self, new: Spot) -> Option<bool> {
        let at = self.0.binary_search_by_key(&new, |(spot, _)| *spot).ok()?;
        Some(self.0[at].1)
    }
}

/// What the workers share.
pub(super) struct Desk {
    roots: [Option<PathBuf>; 2],
    watch: Arc<dyn Watch>,
    of_bytes: u64,
    files: AtomicU64,
    bytes: AtomicU64,
    unequal: Mutex<Vec<(Spot, bool)>>,
    /// The walk has failed, so no result is wanted.
    is_over: AtomicBool,
}

impl Desk {
    /// `of_bytes`: how many bytes there will be to compare, as far as that is known.
    pub fn new(inputs: &[Input; 2], watch: Arc<dyn Watch>, of_bytes: u64) -> Desk {
        let roots = inputs.each_ref().map(|input| input.live_root().map(Path::to_owned));
        let (files, bytes, unequal, is_over) = Default::default();
        Desk { roots, watch, of_bytes, files, bytes, unequal, is_over }
    }

    pub fn reader(&self) -> Reader<'_> {
        Reader { desk: self, places: Default::default(), pieces: Default::default() }
    }

    /// Has workers compare the pairs that the walk hands out. A worker that the system refuses to
    /// start is missed by nobody: without any, the walk compares.
    pub fn judge(
        self,
        workers: NonZeroUsize,
        walk: impl FnOnce(&mut dyn FnMut(Pair)) -> Result<(), Fault>,
    ) -> Result<Verdicts, Fault> {
        let (sender, receiver) = sync_channel(QUEUE);
        let receiver = Mutex::new(receiver);
        let walked = thread::scope(|scope| {
            let work = || self.reader().judge_all(&receiver);
            let start = |_| thread::Builder::new().spawn_scoped(scope, work).is_ok();
            let has_workers = (0..workers.get()).map(start).fold(false, |any, is| any | is);
            let mut own = self.reader();
            let walked = walk(&mut |pair| match has_workers {
                true => drop(sender.send(pair)),
                false => own.judge(&pair),
            });
            self.is_over.store(walked.is_err(), Relaxed);
            drop(sender);
            walked
        });
        walked?;
        let mut unequal = self.unequal.into_inner().unwrap_or_else(PoisonError::into_inner);
        unequal.sort_unstable();
        Ok(Verdicts(unequal))
    }

    fn add(&self, files: u64, bytes: u64) {
        let files = self.files.fetch_add(files, Relaxed) + files;
        let bytes = self.bytes.fetch_add(bytes, Relaxed) + bytes;
        self.watch.read(&Reading { files, bytes, of_bytes: self.of_bytes });
    }
}

/// What one worker has for itself.
pub(super) struct Reader<'a> {
    desk: &'a Desk,
    places: [Place; 2],
    pieces: [Vec<u8>; 2],
}

/// The directories of one side that are open.
#[derive(Default)]
struct Place {
    root: Option<Dir>,
    /// The one that was opened last, and its path.
    last: Option<(Vec<u8>, Dir)>,
}

/// Why files were not compared: which side cannot be read.
type Unread = (usize, io::Error);

impl Reader<'_> {
    fn judge_all(mut self, queue: &Mutex<Receiver<Pair>>) {
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        while let Ok(pair) = next()
            && !self.desk.is_over.load(Relaxed)
        {
            self.judge(&pair);
        }
    }

    fn judge(&mut self, pair: &Pair) {
        let differs = match self.same(&pair.sources, pair.size) {
            Some(true) => return,
            Some(false) => true,
            None => false,
        };
        let mut unequal = self.desk.unequal.lock().unwrap_or_else(PoisonError::into_inner);
        unequal.push((pair.new, differs));
    }

    /// Whether contents are the same; `None` if a file cannot be read. `size` is what is expected,
    /// in bytes.
    pub fn same(&mut self, sources: &[Source; 2], size: u64) -> Option<bool> {
        let mut done = 0;
        let same = self.compare(sources, &mut done);
        self.desk.add(1, size.saturating_sub(done));
        same.inspect_err(|(side, why)| {
            if let Source::File(path) = &sources[*side] {
                self.desk.watch.failed(*side == NEW, bytes_to_path(path), why);
            }
        })
        .ok()
    }

    fn compare(&mut self, sources: &[Source; 2], done: &mut u64) -> Result<bool, Unread> {
        match sources {
            [Source::Digest(old), Source::Digest(new)] => Ok(old == new),
            [Source::Digest(digest), Source::File(path)] => {
                Ok(self.digest(NEW, path, done).map_err(|why| (NEW, why))? == *digest)
            }
            [Source::File(path), Source::Digest(digest)] => {
                Ok(self.digest(OLD, path, done).map_err(|why| (OLD, why))? == *digest)
            }
            [Source::File(old), Source::File(new)] => {
                let old = self.open(OLD, old).map_err(|why| (OLD, why))?;
                let new = self.open(NEW, new).map_err(|why| (NEW, why))?;
                self.has_same_bytes([old, new], done)
            }
        }
    }

    fn has_same_bytes(&mut self, files: [File; 2], done: &mut u64) -> Result<bool, Unread> {
        let mut lens = [0; 2];
        for (side, file) in files.iter().enumerate() {
            lens[side] = file.metadata().map_err(|why| (side, why))?.len();
        }
        if lens[OLD] != lens[NEW] {
            return Ok(false);
        }
        loop {
            for (side, file) in files.iter().enumerate() {
                fill(file, &mut self.pieces[side]).map_err(|why| (side, why))?;
            }
            if self.pieces[OLD] != self.pieces[NEW] {
                return Ok(false);
            }
            if self.pieces[NEW].is_empty() {
                return Ok(true);
            }
            self.count(self.pieces[NEW].len(), done);
        }
    }

    fn digest(&mut self, side: usize, path: &[u8], done: &mut u64) -> io::Result<[u8; DIGEST]> {
        let file = self.open(side, path)?;
        let mut hasher = blake3::Hasher::new();
        loop {
            fill(&file, &mut self.pieces[side])?;
            let piece = &self.pieces[side];
            if piece.is_empty() {
                return Ok(hasher.finalize().into());
            }
            hasher.update(piece);
            self.count(piece.len(), done);
        }
    }

    fn count(&self, length: usize, done: &mut u64) {
        *done += length as u64;
        self.desk.add(0, length as u64);
    }

    /// Opens a regular file of a side.
    fn open(&mut self, side: usize, path: &[u8]) -> io::Result<File> {
        let slash = path.iter().rposition(|byte| *byte == b'/');
        let (dir, name) = slash.map_or((&b""[..], path), |at| (&path[..at], &path[at + 1..]));
        let file = self.places[side].dir(&self.desk.roots[side], dir)?.open_file(&c_name(name)?)?;
        if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
    }
}

impl Place {
    /// The directory at a path below the root.
    fn dir(&mut self, root: &Option<PathBuf>, path: &[u8]) -> io::Result<&Dir> {
        if self.root.is_none() {
            let root = root.as_ref().ok_or(io::ErrorKind::NotFound)?;
            self.root = Some(Dir::open(Backend::Native, root, Links::Follow)?);
        }
        let Some(root) = &self.root else { return Err(io::ErrorKind::NotFound.into()) };
        if path.is_empty() {
            return Ok(root);
        }
        if self.last.as_ref().is_none_or(|(last, _)| last != path) {
            self.last = Some((path.to_vec(), open_below(root, path)?));
        }
        self.last.as_ref().map(|(_, dir)| dir).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

/// Opens a directory by a path of any length.
fn open_below(root: &Dir, path: &[u8]) -> io::Result<Dir> {
    let mut rest = path;
    let mut dir: Option<Dir> = None;
    while !rest.is_empty() {
        let most = rest.len().min(PATH);
        let is_end = |at: usize| rest.get(at).is_none_or(|byte| *byte == b'/');
        let end = (1..=most).rev().find(|at| is_end(*at)).ok_or(io::ErrorKind::InvalidFilename)?;
        let from = dir.as_ref().unwrap_or(root);
        dir = Some(from.open_beneath(&c_name(&rest[..end])?, Links::NoFollow, false)?);
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    dir.ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

fn c_name(name: &[u8]) -> io::Result<CString> {
    CString::new(name).map_err(|_| io::ErrorKind::InvalidFilename.into())
}

/// Reads a piece; a shorter one at the end of the file.
fn fill(file: &File, piece: &mut Vec<u8>) -> io::Result<()> {
    piece.clear();
    file.take(PIECE as u64).read_to_end(piece).map(drop)
}
