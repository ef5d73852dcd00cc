//! [`Diff`]: what differs between two states. Neither is loaded whole: two walks go over both
//! files, side by side. The first finds the directories in which there are differences, and the
//! entries that were renamed. The second reports the differences. If files have to be read, the second
//! walk is made twice: first it hands the files to workers, then it has their verdicts.
//!
//! In memory are the indexes of both states (48 bytes for each directory) and the blocks of the
//! directories that are being read (a page of a large one). During the search for renamed entries,
//! there are also 24 bytes for each entry that only one side has.

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

use crate::change::{Compared, DiffError, Difference};
use crate::format::record::{Record, TOP};
use contents::{Verdicts, Workers};
use criteria::Criteria;
use find::{Equal, Finder};
use input::{NEW, OLD, Page, RecordId};
use renames::{Pairing, Renames};
use report::{FilePairs, Found, Reporter};
use walk::{Inputs, SideEntry, Visit};

pub use contents::{Reading, Watch};
pub use input::Input;

/// A comparison of two states.
pub struct Diff {
    inputs: Inputs,
    renames: bool,
    each: bool,
    content: bool,
    threads: Option<NonZeroUsize>,
    watch: Arc<dyn Watch>,
}

/// A root of the result.
#[derive(Debug)]
struct Root {
    name: Vec<u8>,
    /// Which record in either state is this root.
    records: [Option<u32>; 2],
    criteria: Criteria,
}

/// Where both walks begin.
#[derive(Debug)]
struct Roots {
    all: Vec<Root>,
    /// The records of the roots in either state.
    tops: [Page; 2],
    /// The criteria without those that each root has for itself.
    criteria: Criteria,
}

impl Diff {
    /// The difference from an earlier state to a later one.
    #[must_use]
    pub fn between(old: Input, mut new: Input) -> Diff {
        new.is_new = true;
        let inputs = [old, new];
        let (threads, watch) = (None, Arc::new(()));
        Diff { inputs, renames: true, each: false, content: false, threads, watch }
    }

    /// Whether entries with a new path are [`Renamed`](crate::Kind::Renamed), rather than deleted
    /// and added; they are by default.
    #[must_use]
    pub fn renames(self, wanted: bool) -> Diff {
        Diff { renames: wanted, ..self }
    }

    /// Whether each entry has a difference of its own, as in [`Report::changes`]; by default a
    /// directory that was added, deleted or renamed stands for what is below it.
    ///
    /// [`Report::changes`]: crate::Report::changes
    #[must_use]
    pub fn each(self, wanted: bool) -> Diff {
        Diff { each: wanted, ..self }
    }

    /// Whether contents decide: all files of equal size are compared, and times make no difference.
    /// By default files of equal size and time are the same, and those whose times differ are
    /// compared. Contents can be compared where each side has a digest, or is [live](Input::live).
    #[must_use]
    pub fn content(self, decides: bool) -> Diff {
        Diff { content: decides, ..self }
    }

    /// How many workers read files; by default one for each core.
    #[must_use]
    pub fn threads(self, number: Option<NonZeroUsize>) -> Diff {
        Diff { threads: number, ..self }
    }

    /// Receives the progress of reading files, and the files that could not be read.
    #[must_use]
    pub fn watch(self, watch: Arc<dyn Watch>) -> Diff {
        Diff { watch, ..self }
    }

    /// The paths of the roots that [`Place::root`](crate::Place::root) counts. The states are
    /// compared root by root: those with the same path, or the only ones.
    ///
    /// # Errors
    /// A state is damaged.
    pub fn roots(&mut self) -> Result<Vec<Vec<u8>>, DiffError> {
        let roots = self.find_roots()?;
        Ok(roots.all.into_iter().map(|root| root.name).collect())
    }

    /// Compares. Differences come in the order of a depth-first walk; a renamed entry comes where it
    /// is now. The states were read, and checked, as far as the result depends on them, before the
    /// first difference comes.
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
        let (inputs, comparer, renames) =
            (&mut self.inputs, workers.comparer(), Renames::default());
        let renames = Pairing { inputs, comparer, renames }.run(by_identity, &by_looks)?;
        let found = Found { each: self.each, marks, roots: roots.numbers(), renames };
        // Files in renamed directories are found on the second walk alone.
        let verdicts = match to_read.is_some() || !found.renames.is_empty() {
            true => self.compare_files(workers, &roots, &found)?,
            false => Verdicts::default(),
        };
        self.watch.done();
        let files = FilePairs::Compared(&verdicts);
        let mut reporter = Reporter::new(&found, roots.criteria, files, visit);
        self.walk(&roots, &mut reporter)?;
        if reporter.is_stopped {
            return Ok(Compared { is_stopped: true, ..Compared::default() });
        }
        let are_two_trees = roots.all.iter().any(|root| !root.criteria.is_one_tree);
        Ok(Compared {
            has_unknown: reporter.has_unknown,
            is_stopped: false,
            trusts_times: are_two_trees && !self.content,
            without_digest: reporter.without_digest,
        })
    }

    /// Makes the second walk for the files that have to be read.
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

    fn find_roots(&mut self) -> Result<Roots, DiffError> {
        let [old, new] = &mut self.inputs;
        let above = RecordId { dir: TOP, at: 0 };
        let tops = [old.enter(TOP, above)?, new.enter(TOP, above)?];
        let known = old.known & new.known;
        let criteria = Criteria { is_one_tree: true, known, content: self.content };
        let mut all = pair_roots(&tops, criteria);
        for root in &mut all {
            root.criteria.is_one_tree = self.is_one_tree(&tops, root.records);
        }
        Ok(Roots { all, tops, criteria })
    }

    /// Whether both sides of a root are one tree at two times.
    fn is_one_tree(&self, tops: &[Page; 2], records: [Option<u32>; 2]) -> bool {
        let [Some(old), Some(new)] = records else { return false };
        let records = tops[OLD].get(old as usize).zip(tops[NEW].get(new as usize));
        let Some((old, new)) = records else { return true };
        let volumes = self.inputs[OLD].index.volume(old.block);
        let volumes = volumes.zip(self.inputs[NEW].index.volume(new.block));
        let Some((a, b)) = volumes else { return old.name == new.name };
        let is_inode_same = a.trusts_inodes() && old.stamp.ino == new.stamp.ino;
        a.is_same(b) && (old.name == new.name || is_inode_same)
    }

    fn walk<V: Visit>(&mut self, roots: &Roots, visitor: &mut V) -> Result<(), DiffError> {
        for (number, root) in roots.all.iter().enumerate() {
            let scope = visitor.begin(number, root.criteria);
            let entry = [OLD, NEW].map(|side| {
                let at = root.records[side]?;
                let record = roots.tops[side].get(at as usize)?;
                Some(SideEntry::new(&self.inputs[side], RecordId { dir: TOP, at }, record, b""))
            });
            if visitor.is_over() {
                break;
            }
            let step = walk::visit(&mut self.inputs, visitor, scope, entry)?;
            if let Some(enter) = step.enter {
                walk::walk(&mut self.inputs, visitor, enter)?;
            }
        }
        Ok(())
    }
}

fn pair_roots(tops: &[Page; 2], criteria: Criteria) -> Vec<Root> {
    let name = |record: Record<'_>| record.name.to_vec();
    let names = tops.each_ref().map(|top| {
        let names = (0..top.len()).map(|at| top.get(at).map_or(Vec::new(), name));
        names.collect::<Vec<_>>()
    });
    if let [[_], [name]] = names.each_ref().map(Vec::as_slice) {
        return vec![Root { name: name.clone(), records: [Some(0), Some(0)], criteria }];
    }
    let mut roots: Vec<Root> = Vec::new();
    for (side, names) in names.into_iter().enumerate() {
        for (at, name) in (0..).zip(names) {
            let mut records = [None, None];
            records[side] = Some(at);
            match roots.iter_mut().find(|root| root.name == name) {
                Some(root) => root.records[side] = Some(at),
                None => roots.push(Root { name, records, criteria }),
            }
        }
    }
    roots.sort_by(|a, b| a.name.split(is_slash).cmp(b.name.split(is_slash)));
    roots
}

impl Roots {
    /// The number among the roots of the result, for each root of a state.
    fn numbers(&self) -> [Vec<usize>; 2] {
        [OLD, NEW].map(|side| {
            let of = |record| self.all.iter().position(|root| root.records[side] == Some(record));
            (0..self.tops[side].len() as u32).map(|record| of(record).unwrap_or(0)).collect()
        })
    }
}

fn is_slash(byte: &u8) -> bool {
    *byte == b'/'
}
