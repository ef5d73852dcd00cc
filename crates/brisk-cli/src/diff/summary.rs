//! Counts by directory: below each, how much was added and deleted, how many entries have other
//! contents, other metadata only, or another name.

use std::collections::BTreeMap;

use brisk_state::{Difference, Kind, Place};

use crate::show::changes::quote;
use crate::show::changes::roots::Roots;
use crate::show::json;
use crate::show::size::Scale;

/// The levels of directories that are shown by default.
const DEPTH: usize = 1;

const HEADINGS: [&str; 7] =
    ["added", "bytes", "deleted", "bytes", "modified", "metadata only", "renamed"];

const TRUST: &[u8] = b"Files of equal size and mtime count as the same; --content reads them.\n";

/// What differs below a directory. A sum of bytes that does not fit is `u64::MAX`.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    added: u64,
    deleted: u64,
    /// The contents differ, or the type.
    modified: u64,
    metadata_only: u64,
    renamed: u64,
    bytes_added: u64,
    bytes_deleted: u64,
}

impl Counts {
    fn add(&mut self, told: &Difference) {
        let count = match told.change.kind {
            Kind::Added => &mut self.added,
            Kind::Deleted => &mut self.deleted,
            Kind::Modified | Kind::TypeChanged => &mut self.modified,
            Kind::MetadataOnly => &mut self.metadata_only,
            Kind::Renamed => &mut self.renamed,
            _ => return,
        };
        *count += 1;
        let Difference { old_size, new_size, .. } = told;
        self.bytes_added = self.bytes_added.saturating_add(new_size.saturating_sub(*old_size));
        self.bytes_deleted = self.bytes_deleted.saturating_add(old_size.saturating_sub(*new_size));
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
        let Place { root, path } = &told.change.place;
        let names: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
        let is_dir = told.change.file_type.is_dir() && !path.is_empty();
        let above = if is_dir { names.len() } else { names.len() - 1 };
        for level in 0..=above.min(self.depth) {
            let names = names[..level].iter().map(|name| name.to_vec()).collect();
            self.counts.entry((*root, names)).or_default().add(told);
        }
    }

    /// How many directories there are.
    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    /// The directories as a table, if something differs, and what the user should know: files of
    /// two trees were not read if their sizes and times are equal.
    pub(super) fn text(&self, roots: &Roots, trusts_times: bool) -> Vec<u8> {
        let mut out = if self.len() > 0 { self.table(roots) } else { Vec::new() };
        if trusts_times {
            out.extend_from_slice(TRUST);
        }
        out
    }

    fn table(&self, roots: &Roots) -> Vec<u8> {
        let mut rows = vec![HEADINGS.map(String::from)];
        rows.extend(self.counts.values().map(|counts| {
            [
                counts.added.to_string(),
                Scale::BINARY.text(counts.bytes_added),
                counts.deleted.to_string(),
                Scale::BINARY.text(counts.bytes_deleted),
                counts.modified.to_string(),
                counts.metadata_only.to_string(),
                counts.renamed.to_string(),
            ]
        }));
        let widths: [usize; HEADINGS.len()] =
            std::array::from_fn(|at| rows.iter().map(|row| row[at].len()).max().unwrap_or(0));
        let mut paths = vec![b"directory".to_vec()];
        paths.extend(self.counts.keys().map(|place| {
            let mut shown = Vec::new();
            quote(&roots.path(&as_place(place)), &mut shown);
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

    /// The directories as JSON lines.
    pub(super) fn objects(&self, roots: &Roots) -> impl Iterator<Item = Vec<u8>> {
        self.counts.iter().map(|(place, counts)| {
            let mut out = Vec::new();
            json::line(&mut out, |object| {
                object.name("path", &roots.path(&as_place(place)));
                for (key, count) in [
                    ("added", counts.added),
                    ("deleted", counts.deleted),
                    ("modified", counts.modified),
                    ("metadata_only", counts.metadata_only),
                    ("renamed", counts.renamed),
                    ("bytes_added", counts.bytes_added),
                    ("bytes_deleted", counts.bytes_deleted),
                ] {
                    object.number(key, Some(count));
                }
            });
            out
        })
    }
}

fn as_place((root, names): &(usize, Vec<Vec<u8>>)) -> Place {
    Place { root: *root, path: names.join(&b'/') }
}
