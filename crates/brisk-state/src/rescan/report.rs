//! [`Report`]: what a rescan found.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use brisk::{Error, FileType, Stats, Timestamp};
use brisk_sys::output::Output;
use brisk_sys::paths::bytes_to_path;

use super::roots::RescanError;
use crate::change::{Change, Place};
use crate::format::index::{Checkpoint, Unusable, VolumeRecord};
use crate::format::record::{DirId, Record, TOP};
use crate::format::state::State;
use crate::format::writer::{NextDir, NextState};

/// What a rescan found.
#[derive(Debug)]
pub struct Report {
    /// The changes, sorted by root and path, component by component. A renamed entry is sorted by
    /// its new path.
    pub changes: Vec<Change>,
    /// The roots, by the numbers in [`Place::root`](crate::Place::root): those of the rescan, each
    /// once, and then those that only the state has, by their absolute paths.
    pub roots: Vec<PathBuf>,
    /// Why there was no usable state, so that every entry is [`Added`](crate::Kind::Added); `None`
    /// if there was one.
    pub full: Option<Unusable>,
    /// What failed. An entry that failed is [`Unknown`](crate::Kind::Unknown). Its record stays
    /// and, if it is a directory, so do all records below it.
    pub errors: Vec<Error>,
    /// Files of ignore rules that could not be read, and lines in them that are not rules.
    pub warnings: Vec<Error>,
    /// When the rescan began.
    pub began: Timestamp,
    /// For each file system, how it was rescanned, and why not in a faster way: lines of text.
    pub explained: Vec<String>,
    /// What the rescan cost.
    pub stats: Stats,
    /// The names of the roots' records in the next state, without those of the old alone.
    pub(super) names: Vec<Box<[u8]>>,
    pub(super) state: Option<State>,
    /// What the rescan has learned about directories, by their numbers.
    pub(super) dirs: BTreeMap<DirId, NextDir>,
    pub(super) volumes: Vec<VolumeRecord>,
    /// Whether so much was written since the state was made that the next search would take too
    /// long.
    pub(super) is_stale: bool,
}

impl Report {
    /// The results in the next state, and its directories, results or not, sorted by root and path,
    /// component by component.
    #[must_use]
    pub fn entries(&self) -> Vec<(Place, FileType)> {
        let mut found = Vec::new();
        for_each(
            &self.next(),
            |at| self.root(at),
            |place, record| {
                if record.is_listed() || record.is_dir() {
                    found.push((place, record.stamp.file_type()));
                }
            },
        );
        found.sort_by(|(one, _), (other, _)| one.cmp_by_component(other));
        found
    }

    /// Whether the next state differs from the old one. If not, it need not be written.
    #[must_use]
    pub fn is_new(&self) -> bool {
        let is_other = |(number, dir): (&DirId, &NextDir)| {
            let old = self.state.as_ref().and_then(|state| state.index.dir(*number));
            let is_listed_alike =
                dir.listing.is_none_or(|listing| old.is_some_and(|old| old.listing == listing));
            dir.block.is_some() || !is_listed_alike
        };
        self.state.is_none()
            || self.dirs.iter().any(is_other)
            || self.is_stale
            || !self.has_same_checkpoints()
    }

    /// Whether the next rescan could just as well search from the checkpoints in the old state.
    fn has_same_checkpoints(&self) -> bool {
        let old = self.state.as_ref().map_or(&[][..], |state| &state.index.volumes);
        let kept = |record: &VolumeRecord| record.checkpoint.map(Checkpoint::without_next);
        old.iter().map(kept).eq(self.volumes.iter().map(kept))
    }

    /// The path of a change: its root as the caller spelled it, and what is below.
    #[must_use]
    pub fn path(&self, place: &Place) -> PathBuf {
        let mut path = self.roots[place.root].clone();
        if !place.path.is_empty() {
            path.push(bytes_to_path(&place.path));
        }
        path
    }

    /// [Writes](Report::write) the next state if it differs from the old one.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self, file: &Path) -> Result<(), RescanError> {
        let written = if self.is_new() { self.write(file) } else { Ok(()) };
        written.map_err(|error| RescanError::File(file.to_owned(), error))
    }

    /// Writes the next state: [`prepare`](Report::prepare), and then a commit. An old file is
    /// replaced atomically.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, file: &Path) -> io::Result<()> {
        self.prepare(file)?.commit()
    }

    /// Writes the next state to a temporary file beside `file`. A commit renames it to `file`; if
    /// it is dropped instead, the temporary file is removed. If `file` is a link, the link stays,
    /// and what it leads to is replaced. The state is not synced: it is a cache, and its checksums
    /// reveal whether it is whole.
    ///
    /// # Errors
    /// The file cannot be written, or its name belongs to something other than a regular file.
    pub fn prepare(&self, file: &Path) -> io::Result<Output> {
        let output = Output::private(file)?;
        self.next().write_into(output.file())?;
        Ok(output)
    }

    /// Writes the next state to an unnamed file on the file system of this directory.
    ///
    /// # Errors
    /// The file cannot be created or written.
    pub fn write_unnamed(&self, scratch: &Path) -> io::Result<File> {
        let file = brisk_sys::whole::create_unnamed(scratch)?;
        self.next().write_into(&file)?;
        Ok(file)
    }

    /// Writes one line for each result in the next state, sorted by path. A line has the path, the
    /// type, and the digest of a file or the target of a link, with tabs between them. A file
    /// without a digest, of which there are many without [`content`](crate::Rescan::content), has
    /// `?` instead. The lines of a tree do not depend on where the tree is.
    ///
    /// # Errors
    /// `out` cannot be written to.
    pub fn stamp(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let next = self.next();
        let has_several = next.block(TOP).len() > 1;
        let mut lines: Vec<Vec<u8>> = Vec::new();
        // If there are several roots, a line begins with the root's number in the order of paths.
        for_each(&next, Some, |Place { root, path }, record| {
            if record.is_listed() {
                let number = if has_several { format!("{root}/") } else { String::new() };
                lines.push([number.as_bytes(), &path, &columns(record), b"\n"].concat());
            }
        });
        lines.sort();
        lines.iter().try_for_each(|line| out.write_all(line))
    }

    /// The number of the root whose record has this place.
    pub(super) fn root(&self, at: usize) -> Option<usize> {
        let next = self.next();
        let name = next.block(TOP).name(at);
        self.names.iter().position(|root| **root == *name)
    }

    pub(super) fn next(&self) -> NextState<'_> {
        NextState { state: self.state.as_ref(), dirs: &self.dirs, volumes: &self.volumes }
    }
}

/// Calls `each` for each entry below the roots. `root` returns the number of a root by the place of
/// its record, or `None` to leave the root out.
fn for_each(
    next: &NextState<'_>,
    root: impl Fn(usize) -> Option<usize>,
    mut each: impl FnMut(Place, &Record<'_>),
) {
    for_each_dir(next, root, |prefix, number| {
        for record in next.block(number).iter() {
            each(Place { root: prefix.root, path: [&prefix.path, record.name].concat() }, &record);
        }
    });
}

/// Calls `each` for each directory at or below the roots, parents first: with its place, which ends
/// in a separator unless it is a root's.
pub(super) fn for_each_dir(
    next: &NextState<'_>,
    root: impl Fn(usize) -> Option<usize>,
    mut each: impl FnMut(&Place, DirId),
) {
    let mut prefixes: HashMap<DirId, Place> = HashMap::new();
    for (number, dir) in next.directories().filter(|(number, _)| *number != TOP) {
        let at = dir.place as usize;
        let prefix = match prefixes.get(&dir.parent) {
            Some(Place { root, path }) => {
                let name = next.block(dir.parent).name(at);
                Some(Place { root: *root, path: [path, name, b"/"].concat() })
            }
            None => {
                root(at).filter(|_| dir.parent == TOP).map(|root| Place { root, path: Vec::new() })
            }
        };
        let Some(prefix) = prefix else { continue };
        each(&prefix, number);
        prefixes.insert(number, prefix);
    }
}

/// The type of an entry, and its digest or target, each after a tab.
fn columns(record: &Record<'_>) -> Vec<u8> {
    let file_type = record.stamp.file_type();
    let mut columns = format!("\t{}\t", file_type.letter()).into_bytes();
    match (file_type, record.digest()) {
        (FileType::File, Some(digest)) => {
            columns.extend(blake3::Hash::from_bytes(*digest).to_hex().bytes());
        }
        (FileType::File, None) => columns.push(b'?'),
        (FileType::Symlink, _) => columns.extend_from_slice(record.more),
        _ => {}
    }
    columns
}
