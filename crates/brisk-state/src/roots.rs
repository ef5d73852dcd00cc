//! The roots of a rescan, and the roots of the state that match them.

use std::io;
use std::path::{Path, PathBuf};

use brisk_sys::paths::with_slashes;
use brisk_sys::slashed::below;
use brisk_sys::volume::{Volume, VolumeKind};
use brisk_sys::{Backend, Dir, handle_of};

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
    /// The name of its record.
    pub name: Box<[u8]>,
}

impl Root {
    /// The path of a directory in this root as the walk spells it, with a separator at its end.
    fn prefix(&self, below: &[u8]) -> Vec<u8> {
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

/// Finds each root's place, and its record in the state. A root in another one is left out.
pub(crate) fn find(
    paths: &[PathBuf],
    state: Option<&State>,
    accepts_new: bool,
) -> Result<Vec<Root>, Refused> {
    let places = paths.iter().map(|path| {
        let place = path.canonicalize().map_err(|error| Refused::Root(path.clone(), error))?;
        Ok(with_slashes(&place))
    });
    let places = places.collect::<Result<Vec<_>, _>>()?;
    let all = places.clone();
    let is_outer = |(at, place): &(usize, Vec<u8>)| {
        !all.iter()
            .enumerate()
            .any(|(other, above)| below(place, above).is_some() && (above != place || other < *at))
    };
    let outer: Vec<_> = places.into_iter().enumerate().filter(is_outer).collect();
    let alone = outer.len() == 1;
    let root = |(at, place): (usize, Vec<u8>)| {
        let path = paths[at].clone();
        let known = state.and_then(|state| known(state, &path, &place, alone));
        if let Some((record, state)) = known.zip(state) {
            check_volume(&path, &record, state, accepts_new)?;
        }
        let name = known.map_or_else(|| place.as_slice().into(), |record| record.name.into());
        Ok(Root { path, place, name })
    };
    outer.into_iter().map(root).collect()
}

/// The record of a root: that of its place, that of its inode, or the only one.
fn known<'a>(state: &'a State, path: &Path, place: &[u8], alone: bool) -> Option<Record<'a>> {
    let top = state.block(TOP);
    if let Some(at) = top.find(place, 0) {
        return top.record(at);
    }
    let (ino, volume) = (volume_and_ino(path).ok())?;
    let is_same = |record: &Record<'_>| {
        record.stamp.ino == ino && volume_of(record, state).is_some_and(|old| old.is_same(&volume))
    };
    let moved = top.iter().find(is_same);
    moved.or_else(|| top.record(0).filter(|_| alone && top.len() == 1))
}

fn check_volume(
    path: &Path,
    record: &Record<'_>,
    state: &State,
    accepts_new: bool,
) -> Result<(), Refused> {
    let refused = |error| Refused::Root(path.to_owned(), error);
    let old = volume_of(record, state);
    if accepts_new || old.is_none() || !path.is_dir() {
        return Ok(());
    }
    let (_, now) = match volume_and_ino(path) {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => return Ok(()),
        asked => asked.map_err(refused)?,
    };
    match old {
        Some(old) if !old.is_same(&now) => Err(Refused::Elsewhere(path.to_owned())),
        _ => Ok(()),
    }
}

/// The file system on which a root was, if it is known.
fn volume_of(record: &Record<'_>, state: &State) -> Option<Volume> {
    let dir = state.dir(record.block).filter(|_| record.block != NO_BLOCK)?;
    let volume = state.volumes().get(usize::from(dir.volume)).map(|known| known.volume);
    // An earlier version did not ask Windows for it.
    volume.filter(|volume| volume.kind != VolumeKind::Other(0) || volume.fsid != 0)
}

fn volume_and_ino(path: &Path) -> io::Result<(u64, Volume)> {
    let (dir, volume) = open(path)?;
    let (_, ino) = dir.identity()?;
    Ok((ino, volume))
}

/// A root, to ask about it, and its file system.
pub(crate) fn open(path: &Path) -> io::Result<(Dir, Volume)> {
    let dir = Dir::open_place(Backend::Native, path)?;
    let handle = handle_of(&dir).ok_or(io::ErrorKind::Unsupported)?;
    let volume = Volume::of(handle)?;
    Ok((dir, volume))
}

/// The files that are left out, as the walk spells their directory, and their name.
pub(crate) fn left_out(files: &[PathBuf], roots: &[Root]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut found = Vec::new();
    for file in files {
        let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new("."));
        let (Ok(parent), Some(name)) = (parent.canonicalize(), file.file_name()) else { continue };
        let (parent, name) = (with_slashes(&parent), with_slashes(Path::new(name)));
        for root in roots {
            if let Some(rest) = below(&parent, &root.place) {
                found.push((root.prefix(rest), name.clone()));
            }
        }
    }
    found
}
