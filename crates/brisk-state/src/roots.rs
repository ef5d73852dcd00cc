//! The roots of a rescan, and the roots of the state that match them.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use brisk_sys::paths::{bytes_to_path, with_slashes};
use brisk_sys::slashed::below;
use brisk_sys::volume::{Volume, VolumeKind};
use brisk_sys::{Backend, Dir, handle_of};

use crate::began::Began;
use crate::record::{NO_BLOCK, Record};
use crate::refused::Refused;
use crate::state::{State, TOP};

/// A root.
#[derive(Debug)]
pub(crate) struct Root {
    /// As the caller spells it.
    pub path: PathBuf,
    /// Where it is, without links.
    pub place: Vec<u8>,
    /// The name of its record in the state: where it was, if it has moved since.
    pub name: Box<[u8]>,
    /// Its inode number and its file system, if it is a directory that could be asked about.
    known: Option<(u64, Volume)>,
}

impl Root {
    /// The path of a directory in this root as the walk spells it, with a separator at its end.
    pub fn prefix(&self, below: &[u8]) -> Vec<u8> {
        let mut prefix = with_slashes(&self.path);
        for part in [b"".as_slice(), below] {
            prefix.extend_from_slice(part);
            if !prefix.ends_with(b"/") {
                prefix.push(b'/');
            }
        }
        prefix
    }
}

/// Finds each root's place, and its record in the state. No two roots have one place, or one record.
/// Notes in `began` what the file systems say of themselves.
pub(crate) fn find(
    paths: &[PathBuf],
    state: Option<&State>,
    accepts_new: bool,
    began: &mut Began,
) -> Result<Vec<Root>, Refused> {
    let mut places = HashSet::new();
    let mut roots = Vec::new();
    for path in paths {
        let place = path.canonicalize().map_err(|error| Refused::Root(path.clone(), error))?;
        let place = with_slashes(&place);
        if places.insert(place.clone()) {
            let name = place.as_slice().into();
            roots.push(Root { path: path.clone(), place, name, known: ask(path, began).ok() });
        }
    }
    if let Some(state) = state {
        find_moved(&mut roots, &places, state);
        if let Some(root) = roots.iter().find(|root| !accepts_new && is_elsewhere(root, state)) {
            return Err(Refused::Elsewhere(root.path.clone()));
        }
    }
    Ok(roots)
}

/// Asks a directory for its inode number and its file system.
fn ask(path: &Path, began: &mut Began) -> io::Result<(u64, Volume)> {
    let dir = Dir::open_place(Backend::Native, path)?;
    let handle = handle_of(&dir).ok_or(io::ErrorKind::Unsupported)?;
    let volume = Volume::of(handle)?;
    began.note(handle, &volume);
    let (_, ino) = dir.identity()?;
    Ok((ino, volume))
}

/// Gives the roots that have moved their records, by inode, of the records that no root's place has.
/// The only record belongs to the only root.
fn find_moved(roots: &mut [Root], places: &HashSet<Vec<u8>>, state: &State) {
    let top = state.block(TOP);
    let mut free: Vec<_> = top.iter().filter(|old| !places.contains(old.name)).collect();
    let is_only = top.len() == 1 && roots.len() == 1;
    for root in roots.iter_mut().filter(|root| top.find(&root.place, 0).is_none()) {
        let is_own = |old: &Record<'_>| {
            let both = volume_of(old, state).zip(root.known);
            let is_same = |(then, (ino, now)): (Volume, (u64, Volume))| {
                old.stamp.ino == ino && then.is_same(&now)
            };
            is_only || both.is_some_and(is_same)
        };
        if let Some(at) = free.iter().position(is_own) {
            root.name = free.swap_remove(at).name.into();
        }
    }
}

/// Whether a root is on another file system than its record: a disk may not be mounted.
fn is_elsewhere(root: &Root, state: &State) -> bool {
    let top = state.block(TOP);
    let record = top.find(&root.name, 0).and_then(|at| top.record(at));
    let then = record.and_then(|record| volume_of(&record, state));
    then.zip(root.known).is_some_and(|(then, (_, now))| !then.is_same(&now))
}

/// The file system on which a root was, if it is known.
fn volume_of(record: &Record<'_>, state: &State) -> Option<Volume> {
    let dir = state.dir(record.block).filter(|_| record.block != NO_BLOCK)?;
    let volume = state.volumes().get(usize::from(dir.volume)).map(|known| known.volume);
    // An earlier version did not ask Windows for it.
    volume.filter(|volume| volume.kind != VolumeKind::Other(0) || volume.fsid != 0)
}

/// Names that the walk leaves out, by the path of their directory as the walk spells it.
pub(crate) type LeftOut = BTreeMap<Vec<u8>, BTreeSet<Vec<u8>>>;

/// These files, and the roots that lie in others: each is a root of its own.
pub(crate) fn left_out(files: &[PathBuf], roots: &[Root]) -> LeftOut {
    let place = |file: &PathBuf| {
        let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new(".")).canonicalize().ok()?;
        Some(parent.join(file.file_name()?))
    };
    let inner = roots.iter().map(|root| bytes_to_path(&root.place).to_owned());
    let mut left_out = LeftOut::new();
    for place in files.iter().filter_map(place).chain(inner) {
        let Some((dir, name)) = place.parent().zip(place.file_name()) else { continue };
        let dir = with_slashes(dir);
        for root in roots {
            let Some(rest) = below(&dir, &root.place) else { continue };
            left_out.entry(root.prefix(rest)).or_default().insert(with_slashes(name.as_ref()));
        }
    }
    left_out
}
