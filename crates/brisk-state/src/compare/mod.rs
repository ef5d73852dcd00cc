//! [`Diff`]: what differs between two states. Neither state is loaded whole. Two walks read both
//! files, side by side. The first walk finds the directories with differences, and the entries that
//! were renamed. The second walk reports the differences. If files have to be read, the second walk
//! is made twice: the first time it hands the files to workers, and the second time it has the
//! workers' results.
//!
//! Memory holds the indexes of both states (48 bytes for each directory) and the blocks of the
//! directories that are being read (of a large one, a page). During the search for renamed entries
//! it also holds 24 bytes for each entry that only one side has.

mod contents;
mod criteria;
mod find;
mod input;
mod renames;
mod report;
mod walk;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread;

use brisk::Flow;
use brisk_sys::slashed::by_component;

use crate::change::{Compared, DiffError, Difference};
use crate::format::record::{Record, TOP};
use contents::{Verdicts, Workers};
use criteria::Criteria;
use find::{Equal, Finder};
use input::{NEW, OLD, Page, RecordId};
use report::{FilePairs, Found, Reporter};
use walk::{Inputs, SideEntry, Visit};

pub use contents::{Reads, Watch};
pub use input::Input;

/// A comparison of two states.
pub struct Diff {
    inputs: Inputs,
    /// Whether entries with a new path are [`Renamed`](crate::ChangeKind::Renamed), rather than
    /// deleted and added; on by default.
    pub renames: bool,
    /// Whether each entry has a difference of its own, as in [`Report::changes`]. By default, the
    /// difference of a directory that was added, deleted or renamed stands for everything below it.
    ///
    /// [`Report::changes`]: crate::Report::changes
    pub each: bool,
    /// Whether contents decide: files of equal size are always compared, and their times do not
    /// matter. By default, files of equal size and time are the same, and files of equal size and
    /// different time are compared. Contents can be compared where each side has a digest, or is
    /// [live](Input::live).
    pub content: bool,
    /// How many workers read files; by default one per core.
    pub threads: Option<NonZeroUsize>,
    /// Receives the progress of reading files, and the files that could not be read.
    pub watch: Arc<dyn Watch>,
}

/// A root of the result.
#[derive(Debug)]
struct Root {
    name: Vec<u8>,
    /// The position of the root's record in the top directory of each state.
    records: [Option<u32>; 2],
}

/// The roots, at which both walks begin.
#[derive(Debug)]
struct Roots {
    all: Vec<Root>,
    /// The records of the roots in each state.
    tops: [Page; 2],
    /// The criteria. `is_one_tree` is set anew for each root.
    criteria: Criteria,
}

impl Diff {
    /// The difference from an earlier state to a later one, with the defaults.
    #[must_use]
    pub fn between(old: Input, mut new: Input) -> Diff {
        new.file.is_new = true;
        Diff {
            inputs: [old, new],
            renames: true,
            each: false,
            content: false,
            threads: None,
            watch: Arc::new(()),
        }
    }

    /// The paths of the roots, by the numbers in [`RootedPath::root`](crate::RootedPath::root).
    /// States are compared root by root: each root with the root of the same path. If each state
    /// has a single root, these two are compared, whatever their paths are.
    ///
    /// # Errors
    /// A state is damaged.
    pub fn roots(&mut self) -> Result<Vec<Vec<u8>>, DiffError> {
        let roots = self.find_roots()?;
        Ok(roots.all.into_iter().map(|root| root.name).collect())
    }

    /// Compares, and passes each difference to `visit`, in the order of a depth-first walk. A
    /// renamed entry comes at its new path. Before the first difference, all parts of the states
    /// that the result depends on have been read and checked.
    ///
    /// # Errors
    /// A state is damaged or cannot be read.
    pub fn run(
        &mut self,
        visit: &mut dyn FnMut(&Difference) -> Flow,
    ) -> Result<Compared, DiffError> {
        let roots = self.find_roots()?;
        let equal = Equal::new(&self.inputs);
        let dirs = self.inputs[NEW].index.len();
        let mut finder = Finder::new(&equal, roots.criteria, self.renames, dirs);
        self.walk(&roots, &mut finder)?;
        let Finder { marks, by_identity, by_looks, to_read, .. } = finder;
        self.inputs.iter_mut().for_each(|input| input.is_checked = true);
        let workers = Workers::new(&self.inputs, self.watch.clone(), to_read.unwrap_or(0));
        let comparer = workers.comparer();
        let renames = renames::pair(&mut self.inputs, comparer, by_identity, &by_looks)?;
        let found = Found { each: self.each, marks, roots: roots.numbers(), renames };
        // Only the second walk finds the files in renamed directories.
        let verdicts = if to_read.is_some() || !found.renames.is_empty() {
            self.compare_files(workers, &roots, &found)?
        } else {
            Verdicts::default()
        };
        self.watch.done();
        let files = FilePairs::Compared(&verdicts);
        let unread = self.unread(&roots);
        let mut reporter = Reporter::new(&found, roots.criteria, files, visit);
        reporter.unread = unread.iter().map(Vec::as_slice).collect();
        self.walk(&roots, &mut reporter)?;
        reporter.report_unread(|_| true);
        if reporter.is_stopped {
            return Ok(Compared::default());
        }
        let are_two_trees = roots.all.iter().any(|root| !self.is_one_tree(&roots, root));
        Ok(Compared {
            has_unknown: reporter.has_unknown,
            trusts_times: are_two_trees && !self.content,
            without_digest: reporter.without_digest,
        })
    }

    /// Makes the second walk for the first time: it hands the files that have to be read to
    /// workers, and returns their results.
    fn compare_files(
        &mut self,
        workers: Workers,
        roots: &Roots,
        found: &Found,
    ) -> Result<Verdicts, DiffError> {
        let cores = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        workers.run(self.threads.unwrap_or_else(cores), |send| {
            let mut silent = |_: &Difference| Flow::Continue;
            let files = FilePairs::Sent(send);
            self.walk(roots, &mut Reporter::new(found, roots.criteria, files, &mut silent))
        })
    }

    /// The paths that a side could not read, in reverse order; none if there are several roots, which
    /// the paths do not tell apart.
    fn unread(&self, roots: &Roots) -> Vec<Vec<u8>> {
        if roots.all.len() != 1 {
            return Vec::new();
        }
        let mut paths: Vec<_> =
            self.inputs.iter().flat_map(|input| &input.unread).cloned().collect();
        paths.sort_unstable_by(|one, other| by_component(other, one));
        paths.dedup();
        paths
    }

    fn find_roots(&mut self) -> Result<Roots, DiffError> {
        let [old, new] = &mut self.inputs;
        let tops = [old.load(TOP)?, new.load(TOP)?];
        let known = old.known & new.known;
        let criteria = Criteria { is_one_tree: true, known, content: self.content };
        Ok(Roots { all: pair_roots(&tops), tops, criteria })
    }

    /// Whether both sides of a root are one tree at two times.
    fn is_one_tree(&self, roots: &Roots, root: &Root) -> bool {
        let [Some(old), Some(new)] = root.records else { return false };
        let [old, new] = [roots.tops[OLD].get(old as usize), roots.tops[NEW].get(new as usize)];
        let Some((old, new)) = old.zip(new) else { return true };
        let volumes = self.inputs[OLD].index.volume(old.dir_id);
        let volumes = volumes.zip(self.inputs[NEW].index.volume(new.dir_id));
        let Some((a, b)) = volumes else { return old.name == new.name };
        let is_inode_same = a.trusts_inodes() && old.attrs.ino == new.attrs.ino;
        a.is_same(b) && (old.name == new.name || is_inode_same)
    }

    fn walk<V: Visit>(&mut self, roots: &Roots, visitor: &mut V) -> Result<(), DiffError> {
        for (number, root) in roots.all.iter().enumerate() {
            let is_one_tree = self.is_one_tree(roots, root);
            let scope = visitor.begin(number, Criteria { is_one_tree, ..roots.criteria });
            let entry = [OLD, NEW].map(|side| {
                let at = root.records[side]?;
                let record = roots.tops[side].get(at as usize)?;
                Some(SideEntry::new(&self.inputs, side, RecordId { dir: TOP, at }, record, b""))
            });
            if visitor.is_over() {
                break;
            }
            if let Some(enter) = walk::visit(&mut self.inputs, visitor, scope, entry)? {
                walk::walk(&mut self.inputs, visitor, enter)?;
            }
        }
        Ok(())
    }
}

fn pair_roots(tops: &[Page; 2]) -> Vec<Root> {
    let name = |record: Record<'_>| record.name.to_vec();
    let names = tops.each_ref().map(|top| {
        let names = (0..top.len()).map(|at| top.get(at).map_or(Vec::new(), name));
        names.collect::<Vec<_>>()
    });
    if let [[_], [name]] = names.each_ref().map(Vec::as_slice) {
        return vec![Root { name: name.clone(), records: [Some(0), Some(0)] }];
    }
    let mut roots: Vec<Root> = Vec::new();
    for (side, names) in names.into_iter().enumerate() {
        for (at, name) in (0..).zip(names) {
            let mut records = [None, None];
            records[side] = Some(at);
            match roots.iter_mut().find(|root| root.name == name) {
                Some(root) => root.records[side] = Some(at),
                None => roots.push(Root { name, records }),
            }
        }
    }
    roots.sort_by(|a, b| by_component(&a.name, &b.name));
    roots
}

impl Roots {
    /// For each root of each state, its number in the result.
    fn numbers(&self) -> [Vec<usize>; 2] {
        [OLD, NEW].map(|side| {
            let of = |record| self.all.iter().position(|root| root.records[side] == Some(record));
            (0..self.tops[side].len() as u32).map(|record| of(record).unwrap_or(0)).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::state::tests::forged;

    #[test]
    fn a_cycle_of_directories_is_damage() {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let sound = scratch.path().join("sound");
        forged(&sound, 1, TOP + 2);
        // The top has a root, and the root a directory: one of them is itself, or the one above.
        for (dir, number) in [(0, TOP), (1, TOP), (1, TOP + 1)] {
            let cyclic = scratch.path().join(format!("{dir} {number}"));
            forged(&cyclic, dir, number);
            let [old, new] = [&sound, &cyclic].map(|file| Input::open(file).expect("a state"));
            let mut found = |_: &Difference| Flow::Continue;
            let why = Diff::between(old, new).run(&mut found).expect_err("damage").to_string();
            assert!(why.contains("the state is damaged"), "{why}");
        }
    }
}
