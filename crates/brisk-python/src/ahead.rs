//! Reading directories ahead of a walk in Python: [`Ahead`], a visitor that packs what it is
//! handed.

use std::collections::HashMap;
use std::io;
use std::num::NonZeroUsize;
use std::path::Path;

use brisk::{
    Cancel, Directory, Entry, Error, Fields, FileType, Flow, Flushed, Follow, InTurn, Operation,
    Order, Parallel, Pause, Select, Shape, Target, Visitor, Walk,
};
use brisk_sys::paths::{bytes_to_path, ends_open};
use pyo3::prelude::*;

use crate::interrupt::{Signals, interruptible};

/// What an entry is to `os.walk`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum EntryKind {
    Directory,
    /// A link that leads to a directory.
    Link,
    File,
}

/// The names of one directory, packed: for each the kind, the length, the bytes.
#[derive(Clone, Debug, Default)]
pub struct NamesOfDir(Vec<u8>);

impl NamesOfDir {
    fn push(&mut self, kind: EntryKind, name: &[u8]) {
        self.0.push(kind as u8);
        // No file system has names of 64 KiB.
        self.0.extend_from_slice(&(name.len() as u16).to_le_bytes());
        self.0.extend_from_slice(name);
    }

    pub fn iter(&self) -> impl Iterator<Item = (EntryKind, &[u8])> {
        let mut rest = &*self.0;
        std::iter::from_fn(move || {
            let (&[kind, low, high], more) = rest.split_first_chunk::<3>()?;
            let (name, more) = more.split_at_checked(u16::from_le_bytes([low, high]).into())?;
            rest = more;
            let kinds = [EntryKind::Directory, EntryKind::Link, EntryKind::File];
            Some((kinds[usize::from(kind)], name))
        })
    }
}

/// A directory that was read, or why it could not be.
pub type Listed = Result<NamesOfDir, io::Error>;

/// Directories that were read ahead, by their paths with a slash at the end.
pub type Cache = HashMap<Vec<u8>, Listed, ahash::RandomState>;

/// Reads trees in the order of `os.walk`, until it has enough.
#[derive(Default)]
struct Ahead {
    found: Cache,
    errors: Vec<(Vec<u8>, io::Error)>,
    /// The directory whose entries come, and those that have come.
    prefix: Vec<u8>,
    names: NamesOfDir,
    /// The directory's entries are among those found already, or will not come because the walk
    /// ends here.
    is_done: bool,
    /// The number of entries and directories so far, and the one after which no other begins.
    count: usize,
    limit: usize,
    signals: Option<Signals>,
}

fn kind(entry: &Entry<'_>) -> EntryKind {
    match entry.file_type() {
        FileType::Directory => EntryKind::Directory,
        FileType::Symlink => {
            let target = entry.meta().and_then(|meta| meta.target());
            let is_dir = target.and_then(Target::file_type).is_some_and(FileType::is_dir);
            if is_dir { EntryKind::Link } else { EntryKind::File }
        }
        _ => EntryKind::File,
    }
}

fn packed(names: &mut NamesOfDir, entries: &[Entry<'_>]) {
    names.0.reserve(entries.iter().map(|entry| entry.name().len() + 3).sum());
    entries.iter().for_each(|entry| names.push(kind(entry), entry.name()));
}

impl Visitor for Ahead {
    type State = ();

    fn select(&mut self, (): &(), entry: &Entry<'_>) -> Select {
        let is_link = entry.file_type() == FileType::Symlink;
        Select::Take(if is_link { Fields::TARGET } else { Fields::empty() })
    }

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        self.count += entries.len();
        packed(&mut self.names, entries);
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        if matches!(error.operation(), Operation::Open | Operation::Read | Operation::Reopen) {
            let prefix = prefix_of(error.path().as_os_str().as_encoded_bytes());
            self.errors.push((prefix, error.into_io()));
        }
        Flow::Continue
    }

    fn flush(&mut self, _: Pause) -> Flushed {
        let flow = self.signals.as_mut().map_or(Flow::Continue, Signals::look);
        Flushed { flow, ..Flushed::default() }
    }
}

impl Parallel for Ahead {
    fn fork(&self, _: usize) -> Ahead {
        Ahead { limit: self.limit, ..Ahead::default() }
    }

    fn merge(&mut self, other: Ahead) {
        add(&mut self.found, other.found);
        self.errors.extend(other.errors);
    }
}

impl InTurn for Ahead {
    fn begin(&mut self, dir: &Directory<'_>, (): &()) -> Flow {
        self.prefix = dir.prefix().to_vec();
        self.count += 1;
        self.is_done = self.count > self.limit;
        if self.is_done { Flow::Stop } else { Flow::Continue }
    }

    fn end(&mut self, _: &Directory<'_>, (): &()) -> Flow {
        let names = std::mem::take(&mut self.names);
        if !self.is_done {
            self.found.insert(std::mem::take(&mut self.prefix), Ok(names));
        }
        Flow::Continue
    }

    fn drafts(&self) -> bool {
        true
    }

    /// The worker that reads a directory keeps it: nothing that was read before its turn is lost
    /// when the walk ends.
    fn draft(&mut self, entries: &[Entry<'_>], out: &mut Vec<u8>) {
        let Some(first) = entries.first() else { return };
        let mut names = NamesOfDir::default();
        packed(&mut names, entries);
        self.found.insert(first.directory().prefix().to_vec(), Ok(names));
        out.extend_from_slice(&entries.len().to_le_bytes());
    }

    fn adopt(&mut self, (): &(), draft: &[u8]) -> Flow {
        self.is_done = true;
        self.count += draft.first_chunk().map_or(0, |count| usize::from_le_bytes(*count));
        Flow::Continue
    }
}

/// Adds the fewer to the more.
fn add(cache: &mut Cache, mut found: Cache) {
    if cache.len() < found.len() {
        std::mem::swap(cache, &mut found);
    }
    cache.extend(found);
}

/// A path with a slash at its end: what the paths of a directory's entries begin with.
pub fn prefix_of(path: &[u8]) -> Vec<u8> {
    let separator: &[u8] = if ends_open(path) { b"" } else { b"/" };
    [path, separator].concat()
}

/// Reads these directories, and what is below them, until there are `limit` entries and directories
/// or a few more. Those that were read are added to the cache. `follow` says that the roots may be
/// links. With a limit of 0 the roots alone are read, on this thread.
pub fn read_ahead(
    py: Python<'_>,
    roots: &[&[u8]],
    follow: bool,
    limit: usize,
    cache: &mut Cache,
) -> PyResult<()> {
    let roots = roots.iter().map(|root| bytes_to_path(root));
    let walk = roots.fold(Walk::over::<&Path>([]), |walk, root| walk.directory(root));
    let follow = if follow { Follow::Roots } else { Follow::Never };
    let walk = walk.order(Order::Depth(Shape::SiblingsFirst)).min_depth(1).follow(follow);
    let mut ahead = Ahead { limit, ..Ahead::default() };
    let ahead = if limit == 0 {
        ahead.limit = usize::MAX;
        ahead.signals = Some(Signals::new());
        let walk = walk.max_depth(1).threads(NonZeroUsize::new(1));
        py.detach(|| walk.visit_in_turn(ahead).0)
    } else {
        let cancel = Cancel::new();
        let walk = walk.cancelled_by(&cancel);
        interruptible(py, &cancel, || walk.visit_in_turn(ahead).0)?
    };
    if let Some(raised) = ahead.signals.and_then(|signals| signals.raised) {
        return Err(raised);
    }
    add(cache, ahead.found);
    cache.extend(ahead.errors.into_iter().map(|(prefix, error)| (prefix, Err(error))));
    Ok(())
}
