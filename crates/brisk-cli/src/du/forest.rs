//! [`Forest`]: the largest rows as trees, siblings by size.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::plan::Plan;
use super::rows::Row;

/// The largest rows, the largest first, and what is below each.
pub(super) struct Forest {
    pub rows: Vec<Row>,
    /// The numbers of the rows directly below each.
    pub children: Vec<Vec<usize>>,
    /// Rows whose parents are not shown.
    pub roots: Vec<usize>,
}

impl Forest {
    /// Keeps this many rows. A directory is at least as large as what is in it, so that it is
    /// among them too.
    pub fn new(plan: &Plan<'_>, mut rows: Vec<Row>, most: usize) -> Forest {
        sort(plan, &mut rows);
        rows.truncate(most);
        let dirs = rows.iter().enumerate().filter(|(_, row)| row.is_dir);
        let known: HashMap<&[u8], usize> = dirs.map(|(at, row)| (trimmed(&row.path), at)).collect();
        let (mut children, mut roots) = (vec![Vec::new(); rows.len()], Vec::new());
        for (at, row) in rows.iter().enumerate() {
            let parent = if row.depth > 0 { known.get(parent(&row.path)) } else { None };
            match parent {
                Some(parent) => children[*parent].push(at),
                None => roots.push(at),
            }
        }
        Forest { rows, children, roots }
    }

    /// The last component of the row's path; all of it for a root.
    pub fn name(&self, at: usize) -> &[u8] {
        let path = &self.rows[at].path;
        let above = parent(path).len();
        if self.roots.binary_search(&at).is_ok() { path } else { &path[above + 1..] }
    }
}

/// The largest first, a directory before what is in it.
pub(super) fn sort(plan: &Plan<'_>, rows: &mut [Row]) {
    let key = |row: &Row| (Reverse(plan.number(&row.sums)), row.depth);
    rows.sort_unstable_by(|a, b| key(a).cmp(&key(b)).then_with(|| a.path.cmp(&b.path)));
}

fn trimmed(path: &[u8]) -> &[u8] {
    path.strip_suffix(b"/").unwrap_or(path)
}

fn parent(path: &[u8]) -> &[u8] {
    path.iter().rposition(|byte| *byte == b'/').map_or(b"", |at| &path[..at])
}
