//! [`Entries`]: the entries of the next state as a list whose paths are made when they are asked
//! for. [`Report::replay`] hands them to a visitor, as if it walked over them.

use std::collections::HashSet;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use brisk::filter::Filter;
use brisk::unstable::deliver;
use brisk::{FileType, Flow, Recalled, Visitor};

use super::report::{Report, directories};
use super::roots::prefix_below;
use crate::format::record::{DirId, Flags, NO_DIR, TOP};

/// Some entries of the next state, directory by directory, a directory before those in it. An entry
/// takes four bytes of memory beside what the report has.
#[derive(Debug)]
pub struct Entries {
    report: Arc<Report>,
    /// The paths of directories side by side, each with a separator at its end.
    prefixes: Vec<u8>,
    dirs: Vec<ReportedDir>,
    /// For each entry, the position of its record in the directory's block.
    records_at: Vec<u32>,
}

/// A directory with entries.
#[derive(Debug)]
struct ReportedDir {
    id: DirId,
    prefix: Range<usize>,
    /// The index of its first entry.
    first: usize,
}

impl Entries {
    /// The results below the roots whose names and types are `wanted`.
    #[must_use]
    pub fn of(report: Arc<Report>, wanted: impl Fn(&[u8], FileType) -> bool) -> Entries {
        let mut entries =
            Entries { report, prefixes: Vec::new(), dirs: Vec::new(), records_at: Vec::new() };
        let report = Arc::clone(&entries.report);
        for (place, id) in directories(&report.next, |at| report.root(at)) {
            let first = entries.len();
            let block = report.next.block(id);
            let found = block.heads().enumerate().filter(|(at, head)| {
                head.flags.has(Flags::RESULT) && wanted(block.name(*at), head.file_type)
            });
            entries.records_at.extend(found.map(|(at, _)| at as u32));
            if entries.len() > first {
                let start = entries.prefixes.len();
                entries.prefixes.extend(prefix_below(&report.roots[place.root], b""));
                entries.prefixes.extend(&place.path);
                let prefix = start..entries.prefixes.len();
                entries.dirs.push(ReportedDir { id, prefix, first });
            }
        }
        entries
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.records_at.len()
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records_at.is_empty()
    }

    /// The path of an entry, as the prefix of its directory, which ends in a separator, and its
    /// name; `None` beyond the end.
    #[must_use]
    pub fn get(&self, at: usize) -> Option<(&[u8], &[u8])> {
        let record_at = *self.records_at.get(at)?;
        let after = self.dirs.partition_point(|dir| dir.first <= at);
        let dir = self.dirs.get(after.checked_sub(1)?)?;
        let name = self.report.next.block(dir.id).name(record_at as usize);
        Some((self.prefixes.get(dir.prefix.clone())?, name))
    }
}

/// A directory of which not all entries were delivered.
struct PartialDir {
    id: DirId,
    /// The position of the record that comes next.
    at: usize,
    /// How long its path is, with the separator at its end.
    prefix: usize,
}

impl Report {
    /// Hands the entries below the first root that pass to a visitor in the order of a sorted walk, if
    /// their depths are in the range. They have no metadata. Of the visitor's methods only `select` and
    /// `entries` are called, and no system call is made.
    pub fn replay<V: Visitor>(
        &self,
        visitor: &mut V,
        filter: &Filter,
        depths: RangeInclusive<usize>,
    ) {
        let next = &self.next;
        let roots = next.block(TOP);
        let root = (0..roots.len()).find(|at| self.root(*at) == Some(0));
        let Some(root) = root.and_then(|at| roots.record(at)) else { return };
        let mut path = prefix_below(&self.roots[0], b"");
        let mut levels = vec![PartialDir { id: root.dir_id, at: 0, prefix: path.len() }];
        // In a damaged state, directories may form a cycle.
        let mut met = HashSet::from([root.dir_id]);
        loop {
            let depth = levels.len();
            let Some(PartialDir { id, at, prefix }) = levels.last_mut() else { return };
            path.truncate(*prefix);
            let block = next.block(*id);
            let mut entries = Recalled::of(0, 0);
            let mut child = None;
            while let Some(record) = block.record(*at).filter(|_| child.is_none()) {
                *at += 1;
                if record.is_result() || record.dir_id != NO_DIR {
                    let is_valid = entries.push(0, record.attrs.file_type(), record.name);
                    child = Some(record).filter(|_| is_valid && record.is_dir());
                }
            }
            let (flow, enters) = deliver(visitor, filter, &path, depth, *depths.start(), entries);
            if flow == Flow::Stop {
                return;
            }
            let Some(child) = child else {
                levels.pop();
                continue;
            };
            if enters && depth < *depths.end() && met.insert(child.dir_id) {
                path.extend([child.name, b"/"].concat());
                levels.push(PartialDir { id: child.dir_id, at: 0, prefix: path.len() });
            }
        }
    }
}
