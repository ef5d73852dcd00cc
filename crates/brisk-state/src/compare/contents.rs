//! Several workers compare the contents of files.
//!
//! ```text
//!   the walk ──► FilePair ──► | queue | ──► a Comparer: pieces, until two differ ──► Verdicts
//!                             (bounded) ├──► a Comparer
//! ```
//!
//! A worker opens a file relative to its directory, so the path may have any length. Below the root
//! it follows no link. The last directory of each side stays open, because files come directory by
//! directory.

use std::collections::HashMap;
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
use brisk_sys::threads::{self, lock};
use brisk_sys::{Backend, Dir, Links};

use super::criteria::Contents;
use super::input::{Content, Input, NEW, OLD, RecordId};
use crate::change::DiffError;
use crate::format::record::{DIGEST, digest_of, has_vanished};

/// How many pairs may wait for a worker: enough that workers do not wait for the walk. With their
/// paths, the pairs take a few hundred KiB.
const QUEUE: usize = 1024;
/// How many bytes of each file are compared at a time: few enough to stay in a core's cache.
const PIECE: usize = 128 << 10;
/// How many bytes of a path are passed to one call, below the system's limit of 4096.
const PATH: usize = 4000;

/// Two files that may have the same contents.
#[derive(Debug)]
pub(super) struct FilePair {
    /// The record of the later one.
    pub new: RecordId,
    pub sources: [Content; 2],
    /// The size of the later one, in bytes.
    pub size: u64,
}

/// The progress of reading files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reads {
    /// How many pairs of files were compared.
    pub files: u64,
    /// How many bytes were compared. The bytes of a pair count once.
    pub bytes: u64,
    /// How many bytes there are to compare, except in renamed directories.
    pub of_bytes: u64,
}

/// Receives the progress of reading files, from several workers at once. The default ignores it.
pub trait Watch: Send + Sync {
    /// Some more bytes were compared.
    fn read(&self, _: &Reads) {}

    /// A file could not be read. `below` is its path below the root of the later side (`is_new`) or
    /// of the earlier one.
    fn failed(&self, _is_new: bool, _below: &Path, _why: &io::Error) {}

    /// No more files will be read. One thread calls this, before the first difference is reported.
    fn done(&self) {}
}

impl Watch for () {}

/// The results of comparing files, by the record of the later file. Files without a result have the
/// same contents.
pub(super) type Verdicts = HashMap<RecordId, Contents>;

/// What the workers share.
pub(super) struct Workers {
    roots: [Option<PathBuf>; 2],
    watch: Arc<dyn Watch>,
    of_bytes: u64,
    files: AtomicU64,
    bytes: AtomicU64,
    verdicts: Mutex<Verdicts>,
    /// Whether the walk has failed, so that results are no longer wanted.
    is_over: AtomicBool,
}

impl Workers {
    /// `of_bytes`: how many bytes there are to compare, as far as that is known.
    pub fn new(inputs: &[Input; 2], watch: Arc<dyn Watch>, of_bytes: u64) -> Workers {
        Workers {
            roots: inputs.each_ref().map(|input| input.live.clone()),
            watch,
            of_bytes,
            files: AtomicU64::default(),
            bytes: AtomicU64::default(),
            verdicts: Mutex::default(),
            is_over: AtomicBool::default(),
        }
    }

    pub fn comparer(&self) -> Comparer<'_> {
        Comparer { shared: self, dirs: Default::default(), pieces: Default::default() }
    }

    /// Compares the pairs that the walk delivers, with this many workers: fewer if the system
    /// refuses threads, or if the address space has no room for them. If no worker starts, the
    /// walk's own thread compares.
    pub fn run(
        self,
        workers: NonZeroUsize,
        walk: impl FnOnce(&mut dyn FnMut(FilePair)) -> Result<(), DiffError>,
    ) -> Result<Verdicts, DiffError> {
        let (sender, receiver) = sync_channel(QUEUE);
        let receiver = Mutex::new(receiver);
        let walked = thread::scope(|scope| {
            let work = || self.comparer().work(&receiver);
            let start = |count: &usize| {
                let builder = threads::one_of(*count);
                builder.is_some_and(|builder| builder.spawn_scoped(scope, work).is_ok())
            };
            let has_workers = (1..=workers.get()).filter(start).count() > 0;
            let mut own = self.comparer();
            let walked = walk(&mut |pair| match has_workers {
                true => drop(sender.send(pair)),
                false => own.compare_pair(&pair),
            });
            self.is_over.store(walked.is_err(), Relaxed);
            drop(sender);
            walked
        });
        walked?;
        Ok(self.verdicts.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn add_verdict(&self, new: RecordId, verdict: Contents) {
        lock(&self.verdicts).insert(new, verdict);
    }

    fn add(&self, files: u64, bytes: u64) {
        let files = self.files.fetch_add(files, Relaxed) + files;
        let bytes = self.bytes.fetch_add(bytes, Relaxed) + bytes;
        self.watch.read(&Reads { files, bytes, of_bytes: self.of_bytes });
    }
}

/// One worker.
pub(super) struct Comparer<'a> {
    pub shared: &'a Workers,
    dirs: [OpenDirs; 2],
    pieces: [Vec<u8>; 2],
}

/// The directories of one side that are open.
#[derive(Default)]
struct OpenDirs {
    root: Option<Dir>,
    /// The one that was opened last, and its path.
    last: Option<(Vec<u8>, Dir)>,
}

/// Why a pair of files was not compared: the side whose file cannot be read, and the error.
type Unread = (usize, io::Error);

fn unread(side: usize) -> impl Fn(io::Error) -> Unread {
    move |why| (side, why)
}

/// An open file whose bytes are counted as they are read.
struct Counted<'a> {
    file: File,
    shared: &'a Workers,
    count: &'a mut u64,
}

impl Read for Counted<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(bytes)?;
        *self.count += count as u64;
        self.shared.add(0, count as u64);
        Ok(count)
    }
}

impl Comparer<'_> {
    fn work(mut self, queue: &Mutex<Receiver<FilePair>>) {
        let next = || lock(queue).recv();
        while let Ok(pair) = next()
            && !self.shared.is_over.load(Relaxed)
        {
            self.compare_pair(&pair);
        }
    }

    fn compare_pair(&mut self, pair: &FilePair) {
        if lock(&self.shared.verdicts).contains_key(&pair.new) {
            return;
        }
        match self.same(&pair.sources, pair.size) {
            Some(true) => {}
            Some(false) => self.shared.add_verdict(pair.new, Contents::Different),
            None => self.shared.add_verdict(pair.new, Contents::Unreadable),
        }
    }

    /// Whether contents are the same; `None` if a file cannot be read. A file that is gone has no
    /// contents any more. The pair counts for `size` bytes in the progress.
    pub fn same(&mut self, sources: &[Content; 2], size: u64) -> Option<bool> {
        let mut count = 0;
        let same = self.compare(sources, &mut count);
        self.shared.add(1, size.saturating_sub(count));
        if same.as_ref().is_err_and(|(_, why)| has_vanished(why)) {
            return Some(false);
        }
        same.inspect_err(|(side, why)| {
            if let Content::File(path) = &sources[*side] {
                self.shared.watch.failed(*side == NEW, bytes_to_path(path), why);
            }
        })
        .ok()
    }

    fn compare(&mut self, sources: &[Content; 2], count: &mut u64) -> Result<bool, Unread> {
        match sources {
            [Content::Digest(old), Content::Digest(new)] => Ok(old == new),
            [Content::Digest(old), Content::File(new)] => Ok(self.digest(NEW, new, count)? == *old),
            [Content::File(old), Content::Digest(new)] => Ok(self.digest(OLD, old, count)? == *new),
            [Content::File(old), Content::File(new)] => {
                let files = [self.open(OLD, old)?, self.open(NEW, new)?];
                self.has_same_bytes(files, count)
            }
        }
    }

    fn has_same_bytes(&mut self, files: [File; 2], count: &mut u64) -> Result<bool, Unread> {
        let [old, new] = files;
        let length = |side, file: &File| Ok(file.metadata().map_err(unread(side))?.len());
        if length(OLD, &old)? != length(NEW, &new)? {
            return Ok(false);
        }
        let mut new = Counted { file: new, shared: self.shared, count };
        let [old_piece, new_piece] = &mut self.pieces;
        loop {
            fill(&old, old_piece).map_err(unread(OLD))?;
            fill(&mut new, new_piece).map_err(unread(NEW))?;
            if old_piece != new_piece || new_piece.is_empty() {
                return Ok(old_piece == new_piece);
            }
        }
    }

    fn digest(
        &mut self,
        side: usize,
        path: &[u8],
        count: &mut u64,
    ) -> Result<[u8; DIGEST], Unread> {
        let file = self.open(side, path)?;
        digest_of(Counted { file, shared: self.shared, count }).map_err(unread(side))
    }

    /// Opens a regular file of a side.
    fn open(&mut self, side: usize, path: &[u8]) -> Result<File, Unread> {
        let slash = path.iter().rposition(|byte| *byte == b'/');
        let (dir, name) = slash.map_or((&b""[..], path), |at| (&path[..at], &path[at + 1..]));
        let root = self.shared.roots[side].as_deref();
        let open = |dirs: &mut OpenDirs| {
            let file = dirs.get(root, dir)?.open_file(&c_name(name)?)?;
            let is_file = file.metadata()?.is_file();
            if is_file { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
        };
        open(&mut self.dirs[side]).map_err(unread(side))
    }
}

impl OpenDirs {
    /// The directory at a path below the root.
    fn get(&mut self, root: Option<&Path>, path: &[u8]) -> io::Result<&Dir> {
        let root = match &mut self.root {
            Some(root) => root,
            none => {
                let root = root.ok_or(io::ErrorKind::NotFound)?;
                none.insert(Dir::open(Backend::Native, root, Links::Follow)?)
            }
        };
        if path.is_empty() {
            return Ok(root);
        }
        let last = match self.last.take().filter(|(last, _)| last == path) {
            Some(last) => last,
            None => (path.to_vec(), open_below(root, path)?),
        };
        Ok(&self.last.insert(last).1)
    }
}

/// Opens a directory by a path of any length, one part of the path after another.
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

/// Reads the next piece. The last piece of a file may be shorter; after it, the piece is empty.
fn fill(file: impl Read, piece: &mut Vec<u8>) -> io::Result<()> {
    piece.clear();
    file.take(PIECE as u64).read_to_end(piece).map(drop)
}
