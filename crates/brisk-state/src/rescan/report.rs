//! [`Report`]: what a rescan found.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use brisk::{Error, FileType, Stats, Timestamp};
use brisk_sys::output::Output;
use brisk_sys::paths::bytes_to_path;
use xxhash_rust::xxh3::Xxh3;

use super::roots::RescanError;
use crate::change::{Change, RootedPath};
use crate::format::index::Unusable;
use crate::format::record::{DirId, Record, TOP};
use crate::format::writer::NextState;
use crate::sources::noticed::Noticed;

/// What a rescan found.
#[derive(Debug)]
pub struct Report {
    /// The changes, sorted by root and path, component by component. A renamed entry is sorted by
    /// its new path.
    pub changes: Vec<Change>,
    /// The roots, by the numbers in [`RootedPath::root`](crate::RootedPath::root): those of the
    /// rescan, each once, and then those that only the state has, by their absolute paths.
    pub roots: Vec<PathBuf>,
    /// Why there was no usable state, so that every entry is [`Added`](crate::ChangeKind::Added);
    /// `None` if there was one.
    pub no_state: Option<Unusable>,
    /// What failed. An entry that failed is [`Unknown`](crate::ChangeKind::Unknown). Its record
    /// stays and, if it is a directory, so do all records below it. A file or directory of which
    /// only the contents could not be read has a second change if it is new or of another type, and
    /// a directory also if its metadata changed.
    pub errors: Vec<Error>,
    /// Files of ignore rules that could not be read, and lines in them that are not rules.
    pub warnings: Vec<Error>,
    /// When the rescan began.
    pub began: Timestamp,
    /// For each file system, how it was rescanned, and why not in a faster way: lines of text.
    pub explained: Vec<String>,
    /// Lines of text: which roots are compared with the records of another directory, and what
    /// cannot be told as well as elsewhere on a file system that the state does not have yet.
    pub caveats: Vec<String>,
    /// What the rescan cost.
    pub stats: Stats,
    /// The absolute paths of the rescan's roots, by number: the names of their records in the next
    /// state.
    pub(super) absolute_roots: Vec<Box<[u8]>>,
    pub(crate) next: NextState,
    /// Whether a file system has a later checkpoint that is worth a new state.
    pub(super) has_checkpoint_worth_saving: bool,
}

impl Report {
    /// The results in the next state, and its directories, results or not, sorted by root and path,
    /// component by component.
    #[must_use]
    pub fn entries(&self) -> Vec<(RootedPath, FileType)> {
        let of_root = |at| self.root(at);
        let found = records(&self.next, of_root)
            .filter(|(_, record)| record.is_result() || record.is_dir())
            .map(|(place, record)| (place, record.attrs.file_type()));
        let mut found: Vec<_> = found.collect();
        found.sort_by(|(one, _), (other, _)| one.cmp_by_component(other));
        found
    }

    /// Whether the next state is worth writing: something other than checkpoints has changed, or
    /// a checkpoint would make the next rescan faster.
    #[must_use]
    pub fn is_worth_saving(&self) -> bool {
        let next = &self.next;
        next.old.is_none()
            || next.has_changed_dirs()
            || self.has_checkpoint_worth_saving
            || !next.has_same_checkpoints()
    }

    /// What the user should know: the errors, and the warnings. A line that is not a rule, in an
    /// ignore file of a tree, concerns only a caller that changes what was found.
    pub fn complaints(&self, changes_files: bool) -> impl Iterator<Item = &Error> {
        let is_told = move |error: &&Error| changes_files || !error.is_malformed_rule();
        self.errors.iter().chain(self.warnings.iter().filter(is_told))
    }

    /// The path of a change: its root as the caller spelled it, and what is below.
    #[must_use]
    pub fn path(&self, place: &RootedPath) -> PathBuf {
        let mut path = self.roots[place.root].clone();
        if !place.path.is_empty() {
            path.push(bytes_to_path(&place.path));
        }
        path
    }

    /// [Writes](Report::write) the next state if it is worth that.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self, file: &Path) -> Result<(), RescanError> {
        let written = if self.is_worth_saving() { self.write(file) } else { Ok(()) };
        written.map_err(|error| RescanError::File(file.to_owned(), error))
    }

    /// Undoes [`save`](Report::save): writes the old state again or, if there was none, removes the
    /// file.
    ///
    /// # Errors
    /// The file cannot be written or removed.
    pub fn unsave(&self, file: &Path) -> io::Result<()> {
        match &self.next.old {
            Some(old) if self.is_worth_saving() => {
                let output = Output::private(file)?;
                output.file().write_all(old.content())?;
                output.commit()
            }
            Some(_) => Ok(()),
            None => std::fs::remove_file(file),
        }
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
        self.next.write_into(output.file())?;
        Ok(output)
    }

    /// Writes the next state to an unnamed file on the file system of this directory.
    ///
    /// # Errors
    /// The file cannot be created or written.
    pub fn write_unnamed(&self, scratch: &Path) -> io::Result<File> {
        let file = brisk_sys::whole::create_unnamed(scratch)?;
        self.next.write_into(&file)?;
        Ok(file)
    }

    /// One line for each result in the next state, sorted by path. A line has the path, the type,
    /// and the digest of a file or the target of a link, with tabs between them. A file without a
    /// digest, of which there are many without [`content`](crate::Rescan::content), has `?`
    /// instead. The lines of a tree do not depend on where the tree is.
    #[must_use]
    pub fn list_with_digests(&self) -> Vec<u8> {
        let has_several = self.next.block(TOP).len() > 1;
        let mut lines: Vec<Vec<u8>> = Vec::new();
        // If there are several roots, a line begins with the root's number in the order of paths.
        for (RootedPath { root, path }, record) in records(&self.next, Some) {
            if record.is_result() {
                let number = if has_several { format!("{root}/") } else { String::new() };
                lines.push([number.as_bytes(), &escaped(&path), &columns(&record), b"\n"].concat());
            }
        }
        lines.sort();
        lines.concat()
    }

    /// The directories of the old state whose records differ in the next one.
    pub(crate) fn changed_dirs(&self) -> Noticed {
        let mut changed = Noticed::default();
        let dirs = self.next.dirs.iter().filter(|(_, dir)| dir.block.is_some());
        dirs.for_each(|(id, _)| changed.touch_all(*id));
        changed
    }

    /// A number that changes if the next state has other records.
    pub(crate) fn changes_hash(&self) -> u64 {
        let mut hash = Xxh3::new();
        for (id, dir) in &self.next.dirs {
            let Some(block) = &dir.block else { continue };
            hash.update(&id.to_le_bytes());
            hash.update(&block.bytes);
        }
        hash.digest()
    }

    /// The number of the root whose record has this position.
    pub(super) fn root(&self, at: usize) -> Option<usize> {
        let name = self.next.block(TOP).name(at);
        self.absolute_roots.iter().position(|root| **root == *name)
    }
}

/// The entries below the roots. `root` returns the number of a root by the position of its record,
/// or `None` to leave the root out.
fn records(
    next: &NextState,
    root: impl Fn(usize) -> Option<usize>,
) -> impl Iterator<Item = (RootedPath, Record<'_>)> {
    directories(next, root).into_iter().flat_map(|(RootedPath { root, path }, id)| {
        next.block(id)
            .iter()
            .map(move |record| (RootedPath { root, path: [&path, record.name].concat() }, record))
    })
}

/// The directories at and below the roots, parents first: the place of each, whose path ends in a
/// separator unless it is a root's, and its id. `root`: as for [`records`].
pub(super) fn directories(
    next: &NextState,
    root: impl Fn(usize) -> Option<usize>,
) -> Vec<(RootedPath, DirId)> {
    let mut found: Vec<(RootedPath, DirId)> = Vec::new();
    // The directories above the last one, as positions in `found`.
    let mut above: Vec<usize> = Vec::new();
    for (id, dir) in next.directories().filter(|(id, _)| *id != TOP) {
        while above.pop_if(|last| found[*last].1 != dir.parent).is_some() {}
        let at = dir.record_at as usize;
        let place = match above.last() {
            Some(&above) => {
                let RootedPath { root, path } = &found[above].0;
                let name = next.block(dir.parent).name(at);
                Some(RootedPath { root: *root, path: [path, name, b"/"].concat() })
            }
            None => root(at)
                .filter(|_| dir.parent == TOP)
                .map(|root| RootedPath { root, path: Vec::new() }),
        };
        let Some(place) = place else { continue };
        above.push(found.len());
        found.push((place, id));
    }
    found
}

/// A name in such a line: what would end the column or the line is escaped, and so are
/// backslashes.
fn escaped(name: &[u8]) -> Vec<u8> {
    let escape = |byte: &u8| match byte {
        b'\n' => b"\\n".to_vec(),
        b'\t' => b"\\t".to_vec(),
        b'\\' => b"\\\\".to_vec(),
        byte => vec![*byte],
    };
    name.iter().flat_map(escape).collect()
}

/// The type of an entry, and its digest or target, each after a tab.
fn columns(record: &Record<'_>) -> Vec<u8> {
    let file_type = record.attrs.file_type();
    let mut columns = format!("\t{}\t", file_type.letter()).into_bytes();
    match (file_type, record.digest()) {
        (FileType::File, Some(digest)) => {
            columns.extend(blake3::Hash::from_bytes(*digest).to_hex().bytes());
        }
        (FileType::File, None) => columns.push(b'?'),
        (FileType::Symlink, _) => columns.extend(escaped(record.target_or_digest)),
        _ => {}
    }
    columns
}
