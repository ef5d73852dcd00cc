//! Counts by directory: below each, how much was added and deleted, how many entries have other
//! contents, other metadata only, or another name.

use std::collections::BTreeMap;
use std::io::Write;

use brisk::Flow;
use brisk_state::{ChangeKind, Difference, RootedPath};

use crate::show::changes::lines::Lines;
use crate::show::changes::quote;
use crate::show::changes::roots::DisplayedPaths;
use crate::show::size::Scale;

/// The levels of directories that are shown by default.
const DEPTH: usize = 1;

/// What is counted below a directory, in the order of the keys in JSON.
const KEYS: [&str; 7] =
    ["added", "deleted", "modified", "metadata_only", "renamed", "bytes_added", "bytes_deleted"];
const ADDED: usize = 0;
const DELETED: usize = 1;
/// The contents differ, or the type.
const MODIFIED: usize = 2;
const METADATA_ONLY: usize = 3;
const RENAMED: usize = 4;
const BYTES_ADDED: usize = 5;
const BYTES_DELETED: usize = 6;

/// The columns of the table.
const COLUMNS: [(&str, usize); 7] = [
    ("added", ADDED),
    ("bytes", BYTES_ADDED),
    ("deleted", DELETED),
    ("bytes", BYTES_DELETED),
    ("modified", MODIFIED),
    ("metadata only", METADATA_ONLY),
    ("renamed", RENAMED),
];

const TRUST: &[u8] = b"Files of equal size and mtime count as the same; --content reads them.\n";

/// What differs below a directory. A sum of bytes that does not fit is `u64::MAX`.
type Counts = [u64; KEYS.len()];

fn count(counts: &mut Counts, told: &Difference) {
    let kind = match told.change.kind {
        ChangeKind::Added => ADDED,
        ChangeKind::Deleted => DELETED,
        ChangeKind::Modified | ChangeKind::TypeChanged => MODIFIED,
        ChangeKind::MetadataOnly => METADATA_ONLY,
        ChangeKind::Renamed => RENAMED,
        _ => return,
    };
    counts[kind] += 1;
    let Difference { old_size, new_size, .. } = told;
    for (sum, bytes) in [
        (BYTES_ADDED, new_size.saturating_sub(*old_size)),
        (BYTES_DELETED, old_size.saturating_sub(*new_size)),
    ] {
        counts[sum] = counts[sum].saturating_add(bytes);
    }
}

/// Counts by directory.
pub(super) struct Summary {
    depth: usize,
    /// By root and by the names on the way, so that the order is that of a depth-first walk.
    counts: BTreeMap<(usize, Vec<Vec<u8>>), Counts>,
}

impl Summary {
    pub(super) fn new(depth: Option<usize>) -> Summary {
        Summary { depth: depth.unwrap_or(DEPTH), counts: BTreeMap::new() }
    }

    /// Counts a difference for each directory above it.
    pub(super) fn add(&mut self, told: &Difference) {
        let RootedPath { root, path } = &told.change.place;
        let names: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
        let is_dir = told.change.file_type.is_dir() && !path.is_empty();
        let above = if is_dir { names.len() } else { names.len() - 1 };
        for level in 0..=above.min(self.depth) {
            let names = names[..level].iter().map(|name| name.to_vec()).collect();
            count(self.counts.entry((*root, names)).or_default(), told);
        }
    }

    /// Whether nothing differs.
    pub(super) fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The directories as a table, if something differs, and what the user should know: files of
    /// two trees were not read if their sizes and times are equal.
    pub(super) fn text(&self, labels: &DisplayedPaths, trusts_times: bool) -> Vec<u8> {
        let mut out = if self.is_empty() { Vec::new() } else { self.table(labels) };
        if trusts_times {
            out.extend_from_slice(TRUST);
        }
        out
    }

    fn table(&self, labels: &DisplayedPaths) -> Vec<u8> {
        let mut rows = vec![COLUMNS.map(|(heading, _)| heading.to_owned())];
        rows.extend(self.counts.values().map(|counts| {
            COLUMNS.map(|(_, at)| match at {
                BYTES_ADDED | BYTES_DELETED => Scale::BINARY.text(counts[at]),
                _ => counts[at].to_string(),
            })
        }));
        let widths: [usize; COLUMNS.len()] =
            std::array::from_fn(|at| rows.iter().map(|row| row[at].len()).max().unwrap_or(0));
        let mut paths = vec![b"directory".to_vec()];
        paths.extend(self.counts.keys().map(|place| {
            let mut shown = Vec::new();
            quote(&labels.path(&as_place(place)), &mut shown);
            shown
        }));
        let mut out = Vec::new();
        for (row, path) in rows.iter().zip(paths) {
            for (cell, width) in row.iter().zip(widths) {
                out.extend_from_slice(format!("{cell:>width$}  ").as_bytes());
            }
            out.extend_from_slice(&path);
            out.push(b'\n');
        }
        out
    }

    /// Writes the directories as JSON lines.
    pub(super) fn write<W: Write>(
        &self,
        lines: &mut Lines<'_, W>,
        labels: &DisplayedPaths,
    ) -> Flow {
        for (place, counts) in &self.counts {
            let flow = lines.object(|object| {
                object.name("path", &labels.path(&as_place(place)));
                for (key, count) in KEYS.iter().zip(counts) {
                    object.number(key, Some(*count));
                }
            });
            if flow == Flow::Stop {
                return flow;
            }
        }
        Flow::Continue
    }
}

fn as_place((root, names): &(usize, Vec<Vec<u8>>)) -> RootedPath {
    RootedPath { root: *root, path: names.join(&b'/') }
}
