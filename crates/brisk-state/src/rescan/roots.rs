//! The roots of a rescan: where they are, which roots of the state they match, and the paths below
//! them.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use brisk_sys::output::directory;
use brisk_sys::paths::{bytes_to_path, with_slashes};
use brisk_sys::quoting::{Quoted, quoted};
use brisk_sys::slashed::{below, prefix};
use brisk_sys::volume::{Volume, VolumeKind};
use brisk_sys::{Backend, Dir, errno, handle_of};

use super::volumes::BeforeWalk;
use crate::change::RootedPath;
use crate::format::record::{DirId, Record, TOP};
use crate::format::state::State;

/// Why a rescan has no result. The state stays as it is.
#[derive(Debug)]
#[non_exhaustive]
pub enum RescanError {
    /// The root cannot be examined.
    Root(PathBuf, io::Error),
    /// The root is on another file system than when the state was made.
    Elsewhere(PathBuf),
    /// The file of the state is of something else
    /// ([`AlreadyExists`](io::ErrorKind::AlreadyExists)), or cannot be written.
    File(PathBuf, io::Error),
    /// The system cannot give what a [`Watcher`](crate::Watcher) needs.
    Watch(io::Error),
    /// The walk was cancelled.
    Cancelled,
}

impl RescanError {
    /// The path on which it failed; empty if the walk was cancelled.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            RescanError::Root(path, _)
            | RescanError::File(path, _)
            | RescanError::Elsewhere(path) => path,
            RescanError::Watch(_) | RescanError::Cancelled => Path::new(""),
        }
    }

    /// The error's number, as in errno.h.
    #[must_use]
    pub fn errno(&self) -> i32 {
        match self {
            RescanError::Root(_, error)
            | RescanError::File(_, error)
            | RescanError::Watch(error) => errno(error),
            RescanError::Elsewhere(_) => errno(&io::ErrorKind::CrossesDevices.into()),
            RescanError::Cancelled => errno(&io::ErrorKind::Interrupted.into()),
        }
    }
}

impl fmt::Display for RescanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RescanError::Root(path, error) => write!(f, "cannot access {}: {error}", shown(path)),
            RescanError::Elsewhere(path) => {
                write!(f, "{} is on another file system than before", shown(path))
            }
            RescanError::File(path, error) if error.kind() == io::ErrorKind::AlreadyExists => {
                write!(f, "{}: {error}", shown(path))
            }
            RescanError::File(path, error) => write!(f, "cannot write {}: {error}", shown(path)),
            RescanError::Watch(error) => write!(f, "cannot watch: {error}"),
            RescanError::Cancelled => f.write_str("interrupted"),
        }
    }
}

fn shown(path: &Path) -> Quoted<'_> {
    quoted(path.as_os_str().as_encoded_bytes())
}

impl std::error::Error for RescanError {}

/// A root.
#[derive(Debug)]
pub(crate) struct Root {
    /// The path as the caller spells it, and as it is displayed.
    pub as_given: PathBuf,
    /// The same path as the walk has it, with slashes.
    pub walked: Vec<u8>,
    /// The absolute path, without links. In the next state it is the name of the root's record.
    pub absolute: Vec<u8>,
    /// The name of the root's record in the old state: the absolute path, or the old one if the
    /// root has moved.
    pub old_name: Box<[u8]>,
    /// The root's inode number and file system, if it is a directory that could be examined.
    ino_and_volume: Option<(u64, Volume)>,
}

/// The path of a directory below a root as the walk spells it, with a separator at the end.
pub(crate) fn prefix_below(root: &Path, below: &[u8]) -> Vec<u8> {
    prefix([&prefix(with_slashes(root)), below].concat())
}

/// Finds each root's absolute path and its record in the state, and what the system says about the
/// roots' file systems. Two roots never have the same absolute path or the same record.
pub(crate) fn find(
    paths: &[PathBuf],
    state: Option<&State>,
    accepts_other_volumes: bool,
) -> Result<(Vec<Root>, BeforeWalk), RescanError> {
    let mut before_walk = BeforeWalk::default();
    let mut all_absolute = HashSet::new();
    let mut roots = Vec::new();
    for path in paths {
        let found = path.canonicalize().map_err(|error| RescanError::Root(path.clone(), error))?;
        let absolute = with_slashes(&found);
        if all_absolute.insert(absolute.clone()) {
            let old_name = absolute.as_slice().into();
            let ino_and_volume = examine(path, &mut before_walk).ok();
            let walked = with_slashes(path);
            roots.push(Root { as_given: path.clone(), walked, absolute, old_name, ino_and_volume });
        }
    }
    if let Some(state) = state {
        find_moved(&mut roots, &all_absolute, state);
        if let Some(root) =
            roots.iter().find(|root| !accepts_other_volumes && has_other_volume(root, state))
        {
            return Err(RescanError::Elsewhere(root.as_given.clone()));
        }
    }
    before_walk.find_mounts(roots.iter().map(|root| &*root.absolute));
    Ok((roots, before_walk))
}

/// The inode number of a directory, and its file system.
fn examine(path: &Path, before_walk: &mut BeforeWalk) -> io::Result<(u64, Volume)> {
    let dir = Dir::open_path_only(Backend::Native, path)?;
    let handle = handle_of(&dir).ok_or(io::ErrorKind::Unsupported)?;
    let volume = Volume::of(handle)?;
    let (dev, ino) = dir.identity()?;
    before_walk.add(handle, dev, &volume);
    Ok((ino, volume))
}

/// Finds the records of roots that have moved. A moved root is recognised by its inode number among
/// the records that no other root has. If there is only one root and one record, they belong
/// together.
fn find_moved(roots: &mut [Root], all_absolute: &HashSet<Vec<u8>>, state: &State) {
    let top = state.block(TOP);
    let mut free: Vec<_> = top.iter().filter(|old| !all_absolute.contains(old.name)).collect();
    let is_only = top.len() == 1 && roots.len() == 1;
    for root in roots.iter_mut().filter(|root| top.find(&root.absolute, 0).is_none()) {
        let is_own = |old: &Record<'_>| {
            let both = volume_of(old, state).zip(root.ino_and_volume);
            let is_same = |(then, (ino, now)): (Volume, (u64, Volume))| {
                old.attrs.ino == ino && then.is_same(&now)
            };
            is_only || both.is_some_and(is_same)
        };
        if let Some(at) = free.iter().position(is_own) {
            root.old_name = free.swap_remove(at).name.into();
        }
    }
}

/// Says which roots are compared with the records of a directory that still is where it was, so
/// that they have not moved. System calls: one stat a root that has moved.
pub(crate) fn compared_with_another(roots: &[Root]) -> Vec<String> {
    let moved = roots.iter().filter(|root| *root.old_name != *root.absolute);
    let lines = moved.filter_map(|root| {
        let old = bytes_to_path(&root.old_name);
        let is_there = old.is_dir() && !old.canonicalize().is_ok_and(|now| is_root(&now, root));
        let new = shown(&root.as_given);
        is_there
            .then(|| format!("the state was made from {}, and is compared with {new}", shown(old)))
    });
    lines.collect()
}

/// Whether an absolute path leads to a root, under this name or by a bind mount.
fn is_root(path: &Path, root: &Root) -> bool {
    let found = examine(path, &mut BeforeWalk::default()).ok();
    let both = found.zip(root.ino_and_volume);
    both.is_some_and(|((then, of), (now, volume))| then == now && of.is_same(&volume))
}

/// Whether a root is on another file system than its record says: perhaps a disk is not mounted.
fn has_other_volume(root: &Root, state: &State) -> bool {
    let top = state.block(TOP);
    let record = top.find(&root.old_name, 0).and_then(|at| top.record(at));
    let then = record.and_then(|record| volume_of(&record, state));
    then.zip(root.ino_and_volume).is_some_and(|(then, (_, now))| !then.is_same(&now))
}

/// The file system on which a root was, if it is known.
fn volume_of(record: &Record<'_>, state: &State) -> Option<Volume> {
    let volume = state.index.volume(record.dir_id).copied();
    // An earlier version did not ask Windows for the file system.
    volume.filter(|volume| volume.kind != VolumeKind::Other(0) || volume.fsid != 0)
}

/// The names that are never entries, by the paths of their directories as the walk spells them.
pub(crate) type Omitted = BTreeMap<Vec<u8>, BTreeSet<Vec<u8>>>;

/// What is omitted: these files, and roots inside other roots, which are walked by
/// themselves.
pub(crate) fn omitted(files: &[PathBuf], roots: &[Root]) -> Omitted {
    let absolute =
        |file: &PathBuf| Some(directory(file).canonicalize().ok()?.join(file.file_name()?));
    let inner = roots.iter().map(|root| bytes_to_path(&root.absolute).to_owned());
    let mut omitted = Omitted::new();
    for path in files.iter().filter_map(absolute).chain(inner) {
        let Some((dir, name)) = path.parent().zip(path.file_name()) else { continue };
        let dir = with_slashes(dir);
        for root in roots {
            let Some(rest) = below(&dir, &root.absolute) else { continue };
            let names = omitted.entry(prefix_below(&root.as_given, rest)).or_default();
            names.insert(with_slashes(name.as_ref()));
        }
    }
    omitted
}

/// Finds the paths of entries, from the roots and the state.
pub(crate) struct Paths<'a> {
    pub state: Option<&'a State>,
    pub roots: &'a [Root],
    /// The roots that only the state has.
    pub only_in_state: Vec<Box<[u8]>>,
}

impl<'a> Paths<'a> {
    pub fn new(state: Option<&'a State>, roots: &'a [Root]) -> Paths<'a> {
        let known = state.into_iter().flat_map(|state| state.block(TOP).iter());
        let is_unnamed = |name: &[u8]| roots.iter().all(|root| *root.old_name != *name);
        let only_in_state = known.map(|record| record.name).filter(|name| is_unnamed(name));
        Paths { state, roots, only_in_state: only_in_state.map(Box::from).collect() }
    }

    /// Whether a root has moved since the state was made.
    pub fn has_moved(&self) -> bool {
        self.roots.iter().any(|root| *root.old_name != *root.absolute)
    }

    /// The name of a root's record in the next state.
    pub fn next_name<'n>(&'n self, name: &'n [u8]) -> &'n [u8] {
        let root = self.roots.iter().find(|root| *root.old_name == *name);
        root.map_or(name, |root| &root.absolute)
    }

    /// The place of an entry below a directory of the state. `names`: the last one first.
    pub fn place<'n>(&'n self, mut id: DirId, mut names: Vec<&'n [u8]>) -> RootedPath {
        // In a damaged state, directories may form a cycle.
        let most = self.state.map_or(0, |state| state.index.len()) + names.len();
        while id != TOP && names.len() < most {
            let above = self.state.and_then(|state| state.index.dir(id).zip(state.record_of(id)));
            let Some((dir, record)) = above else { break };
            names.push(record.name);
            id = dir.parent;
        }
        let root = names.pop().unwrap_or_default();
        names.reverse();
        RootedPath { root: self.root(root), path: names.join(&b'/') }
    }

    /// The number of the root with this name in the state.
    fn root(&self, name: &[u8]) -> usize {
        let named = self.roots.iter().position(|root| *root.old_name == *name);
        let number = || self.only_in_state.iter().position(|old| **old == *name).unwrap_or(0);
        named.unwrap_or_else(|| self.roots.len() + number())
    }

    /// The place of a path as the walk spells it, if it is in a root.
    pub fn place_of(&self, path: &[u8]) -> Option<RootedPath> {
        let place = |(root, number): (&Root, usize)| {
            let path = below(path, &root.walked)?.to_vec();
            Some(RootedPath { root: number, path })
        };
        self.roots.iter().zip(0..).filter_map(place).min_by_key(|place| place.path.len())
    }

    /// The record of a place in the state: its directory, and its position in the block.
    pub fn find(&self, place: &RootedPath) -> Option<(DirId, usize)> {
        let state = self.state?;
        let root = self.roots.get(place.root)?;
        let at = state.block(TOP).find(&root.old_name, 0)?;
        if place.path.is_empty() {
            return Some((TOP, at));
        }
        state.descend(state.block(TOP).record(at)?.dir_id, &place.path)
    }
}
