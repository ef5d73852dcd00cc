//! [`Row`]: a directory, a file or a group, until the end.

use std::cmp::Reverse;
use std::collections::HashMap;

use brisk::usage::Sums;

use super::plan::Plan;

/// How many rows are kept where only the largest are shown. Twice as many are gathered before the
/// smallest are dropped.
pub(super) const MOST_ROWS: usize = 100_000;

/// A directory, a file or a group.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub path: Box<[u8]>,
    pub depth: usize,
    pub sums: Sums,
    pub is_dir: bool,
}

impl Row {
    /// By this the largest come first, a directory before what is in it.
    pub fn key(&self, plan: &Plan<'_>) -> (Reverse<u64>, usize) {
        (Reverse(plan.number(&self.sums)), self.depth)
    }

    /// The last component of the path, or all of it if the parent is not shown.
    pub fn name(&self, parent: Option<usize>) -> Vec<u8> {
        let begin = parent.map_or(0, |_| above(&self.path).len() + 1);
        let mut name = self.path[begin..].to_vec();
        if self.is_dir && !name.ends_with(b"/") {
            name.push(b'/');
        }
        name
    }
}

/// The largest first.
pub(super) fn sort(plan: &Plan<'_>, rows: &mut [Row]) {
    rows.sort_unstable_by(|a, b| a.key(plan).cmp(&b.key(plan)).then_with(|| a.path.cmp(&b.path)));
}

/// Sorts the rows and keeps this many. Returns the place of each row's parent, which is before it:
/// a directory is at least as large as what is in it. `None`: the parent is not shown.
pub(super) fn largest(plan: &Plan<'_>, rows: &mut Vec<Row>, most: usize) -> Vec<Option<usize>> {
    sort(plan, rows);
    rows.truncate(most);
    let trimmed = |path| <[u8]>::strip_suffix(path, b"/").unwrap_or(path);
    let dirs = rows.iter().enumerate().filter(|(_, row)| row.is_dir);
    let known: HashMap<&[u8], usize> = dirs.map(|(at, row)| (trimmed(&row.path), at)).collect();
    let parent = |row: &Row| known.get(above(&row.path)).copied().filter(|_| row.depth > 0);
    rows.iter().map(parent).collect()
}

/// The path without its last component and the slash before that.
fn above(path: &[u8]) -> &[u8] {
    path.iter().rposition(|byte| *byte == b'/').map_or(b"", |at| &path[..at])
}
