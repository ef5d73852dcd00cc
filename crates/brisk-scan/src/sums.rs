//! Directories whose row or whose sums are still missing. The row comes with the entries of the
//! parent directory, the sums come when the directory is left; either may come first.

use std::collections::HashMap;
use std::sync::Mutex;

use brisk::{Directory, Entry, FileType};
use brisk_sys::threads::lock;
use brisk_table::{Below, Rows};

/// The sums of one directory while it is walked.
pub(crate) type Tally = Mutex<Below>;

/// What one entry adds to the sums of the directory that holds it.
pub(crate) fn of(entry: &Entry<'_>) -> Below {
    let size = entry.meta().and_then(|meta| meta.size()).unwrap_or_default();
    let is_dir = entry.file_type() == FileType::Directory;
    let blocks = entry.meta().and_then(|meta| meta.blocks()).unwrap_or_default();
    Below { entries: 1, bytes: if is_dir { 0 } else { size }, blocks }
}

/// A directory: the number of the one that holds it, and its name.
type DirKey = (u64, Box<[u8]>);

/// What of a directory has come first.
#[derive(Debug)]
enum Half {
    Row(Rows),
    Below(Below),
}

/// Directories of which the row or the sums are missing. A root that was named twice has two halves
/// under one key.
#[derive(Debug, Default)]
pub(crate) struct Sums(Mutex<HashMap<DirKey, Vec<Half>>>);

impl Sums {
    /// Takes the row of a directory, or adds it to `rows` if its sums are known.
    pub fn row(&self, dir: &Directory<'_>, entry: &Entry<'_>, rows: &mut Rows) {
        let mut row = Rows::default();
        row.begin(dir.prefix());
        row.push(entry);
        self.join((dir.id(), trimmed(entry.name()).into()), Half::Row(row), rows);
    }

    /// Takes the sums of a directory that is left, or adds its row to `rows` if it is known.
    pub fn left(&self, dir: &Directory<'_>, below: Below, rows: &mut Rows) {
        let path = trimmed(dir.prefix());
        let name = match path.iter().rposition(|byte| *byte == b'/') {
            Some(at) if dir.depth() > 0 => &path[at + 1..],
            _ => path,
        };
        self.join((dir.parent_id().unwrap_or_default(), name.into()), Half::Below(below), rows);
    }

    /// Adds the directory's row to `rows` if this is the second half, and otherwise keeps the half.
    fn join(&self, key: DirKey, half: Half, rows: &mut Rows) {
        let mut halves = lock(&self.0);
        let mut kept = halves.remove(&key).unwrap_or_default();
        match (kept.pop(), half) {
            (Some(Half::Row(mut row)), Half::Below(below))
            | (Some(Half::Below(below)), Half::Row(mut row)) => {
                row.set_below(below);
                rows.append(row);
            }
            (same, half) => kept.extend(same.into_iter().chain([half])),
        }
        if !kept.is_empty() {
            halves.insert(key, kept);
        }
    }

    /// The rows of directories that were not entered: nothing below them is in the table.
    pub fn rest(&self) -> impl Iterator<Item = Rows> {
        let halves = std::mem::take(&mut *lock(&self.0));
        halves.into_values().flatten().filter_map(|half| match half {
            Half::Row(mut row) => {
                row.set_below(Below::default());
                Some(row)
            }
            Half::Below(_) => None,
        })
    }
}

/// A path without separators at its end.
fn trimmed(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|byte| *byte != b'/').map_or(0, |at| at + 1);
    &path[..end]
}
