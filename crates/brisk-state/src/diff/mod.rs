//! [`Diff`]: what differs between two states. Neither is loaded whole: two walks go over both
//! files, side by side. The first finds the directories in which there are differences, and the
//! entries that were renamed. The second reports the differences. Where files have to be read, the
//! second walk is made twice: first it hands the files to workers, then it has their verdicts.
//!
//! In memory are the indexes of both states (48 bytes for each directory) and the blocks of the
//! directories that are being read (a page of a large one). During the search for renamed entries,
//! there are also 24 bytes for each entry that only one side has.

mod answer;
mod compare;
mod contents;
mod find;
mod input;
mod pairs;
mod pieces;
mod tell;
mod walk;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread;

use brisk::Flow;

use crate::state::TOP;
use answer::Fault;
use compare::Terms;
use contents::{Deaf, Desk, Verdicts};
use find::{Equal, Finder};
use pairs::Pairs;
use pieces::Listing;
use tell::{Reads, Route, Teller};
use walk::{Met, NEW, OLD, Spot, Visit};

pub use answer::{Compared, Difference, Undecided};
pub use contents::{Reading, Watch};
pub use input::Input;

/// What differs between two states.
pub struct Diff {
    inputs: [Input; 2],
    renames: bool,
    each: bool,
    content: bool,
    threads: Option<NonZeroUsize>,
    watch: Arc<dyn Watch>,
}

/// A root of the answer, and which record in either state is this root.
#[derive(Debug)]
struct Root {
    name: Vec<u8>,
    records: [Option<u32>; 2],
    terms: Terms,
}

/// Where both walks begin.
#[derive(Debug)]
struct Places {
    roots: Vec<Root>,
    /// The records of the roots in each state.
    tops: Vec<Listing>,
    terms: Terms,
}

impl Diff {
    /// The difference from an earlier state to a later one.
    #[must_use]
    pub fn between(old: Input, new: Input) -> Diff {
        let (threads, watch) = (None, Arc::new(Deaf));
        Diff { inputs: [old, new], renames: true, each: false, content: false, threads, watch }
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

    /// Who is told how far the reading of files has come, and which could not be read.
    #[must_use]
    pub fn watch(self, watch: Arc<dyn Watch>) -> Diff {
        Diff { watch, ..self }
    }

    /// The paths of the roots that [`Place::root`](crate::Place::root) counts. The states are
    /// compared root by root: those of the same path, or the only ones.
    ///
    /// # Errors
    /// A state is damaged.
    pub fn roots(&mut self) -> Result<Vec<Vec<u8>>, Undecided> {
        let places = self.places().map_err(Undecided::from)?;
        Ok(places.roots.into_iter().map(|root| root.name).collect())
    }

    /// Compares. Differences come in the order of a depth-first walk; a renamed entry comes where it
    /// is now. The states were read, and checked, as far as the answer depends on them, before the
    /// first difference comes.
    ///
    /// # Errors
    /// A state is damaged or cannot be read.
    pub fn run(
        &mut self,
        visit: &mut dyn FnMut(&Difference) -> Flow,
    ) -> Result<Compared, Undecided> {
        self.compare(visit).or_else(|fault| match fault {
            Fault::Stopped => Ok(Compared { is_stopped: true, ..Compared::default() }),
            fault => Err(fault.into()),
        })
    }

    fn compare(&mut self, visit: &mut dyn FnMut(&Difference) -> Flow) -> Result<Compared, Fault> {
        let mut places = self.places()?;
        let equal = Equal::new(&self.inputs);
        let dirs = self.inputs[NEW].pieces.dirs().len();
        let mut finder = Finder::new(&equal, places.terms, self.renames, dirs);
        self.walk_places(&mut places, &mut finder)?;
        let Finder { marks, by_identity, by_looks, to_read, .. } = finder;
        self.inputs.iter_mut().for_each(|input| input.pieces.is_checked = true);
        let desk = Desk::new(&self.inputs, self.watch.clone(), to_read.unwrap_or(0));
        let pairs = Pairs::find(&mut self.inputs, &mut desk.reader(), by_identity, by_looks)?;
        let route = Route { each: self.each, marks, roots: places.numbers(), pairs };
        // Files in directories that were renamed are met on the second walk alone.
        let verdicts = match to_read.is_some() || !route.pairs.is_empty() {
            true => self.judge(desk, &mut places, &route)?,
            false => Verdicts::default(),
        };
        self.watch.done();
        let mut teller = Teller::new(&route, places.terms, Reads::Known(&verdicts), visit);
        self.walk_places(&mut places, &mut teller)?;
        let are_two_trees = places.roots.iter().any(|root| !root.terms.is_one_tree);
        Ok(Compared {
            has_unknown: teller.has_unknown,
            is_stopped: false,
            trusts_times: are_two_trees && !self.content,
            without_digest: teller.without_digest,
        })
    }

    /// Has workers compare the files that the second walk meets.
    fn judge(&mut self, desk: Desk, places: &mut Places, route: &Route) -> Result<Verdicts, Fault> {
        let cores = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        desk.judge(self.threads.unwrap_or_else(cores), |hand| {
            let mut silent = |_: &Difference| Flow::Continue;
            let mut asker = Teller::new(route, places.terms, Reads::Asked(hand), &mut silent);
            self.walk_places(places, &mut asker)
        })
    }

    /// Where both walks begin.
    fn places(&mut self) -> Result<Places, Fault> {
        let mut tops = Vec::new();
        for side in [OLD, NEW] {
            let top = self.inputs[side].pieces.enter(TOP, (TOP, 0));
            tops.push(top.map_err(|why| Fault::Input(side, why))?);
        }
        let known = self.inputs[OLD].known & self.inputs[NEW].known;
        let terms = Terms { is_one_tree: true, known, content: self.content };
        let mut places = Places { roots: self.pair_roots(terms)?, tops, terms };
        for at in 0..places.roots.len() {
            self.turn(&mut places, at)?;
            places.roots[at].terms.is_one_tree = self.is_one_tree(&places, at);
        }
        Ok(places)
    }

    fn pair_roots(&mut self, terms: Terms) -> Result<Vec<Root>, Fault> {
        let old = self.inputs[OLD].roots().map_err(|why| Fault::Input(OLD, why))?;
        let new = self.inputs[NEW].roots().map_err(|why| Fault::Input(NEW, why))?;
        if let ([_], [name]) = (&old[..], &new[..]) {
            return Ok(vec![Root { name: name.clone(), records: [Some(0), Some(0)], terms }]);
        }
        let mut roots: Vec<Root> = (0..)
            .zip(&old)
            .map(|(at, name)| Root { name: name.clone(), records: [Some(at), None], terms })
            .collect();
        for (at, name) in (0..).zip(new) {
            match roots.iter_mut().find(|root| root.name == name) {
                Some(root) => root.records[NEW] = Some(at),
                None => roots.push(Root { name, records: [None, Some(at)], terms }),
            }
        }
        roots.sort_by(|a, b| a.name.split(is_slash).cmp(b.name.split(is_slash)));
        Ok(roots)
    }

    /// Brings in the records of a root.
    fn turn(&mut self, places: &mut Places, root: usize) -> Result<(), Fault> {
        for side in [OLD, NEW] {
            if let Some(at) = places.roots[root].records[side] {
                let turned = places.tops[side].turn(&mut self.inputs[side].pieces, at as usize);
                turned.map_err(|why| Fault::Input(side, why))?;
            }
        }
        Ok(())
    }

    /// Whether both sides of a root are one tree at two times.
    fn is_one_tree(&self, places: &Places, root: usize) -> bool {
        let Root { records, .. } = &places.roots[root];
        let [Some(old), Some(new)] = records.map(|record| record.map(|at| at as usize)) else {
            return false;
        };
        let records = places.tops[OLD].get(old).zip(places.tops[NEW].get(new));
        let Some((old, new)) = records else { return true };
        let volumes = [(OLD, old.block), (NEW, new.block)]
            .map(|(side, block)| self.inputs[side].pieces.volume(block));
        let [Some(a), Some(b)] = volumes else { return old.name == new.name };
        let is_inode_same = a.trusts_inodes() && old.stamp.ino == new.stamp.ino;
        a.is_same(b) && (old.name == new.name || is_inode_same)
    }

    fn walk_places<V: Visit>(&mut self, places: &mut Places, visitor: &mut V) -> Result<(), Fault> {
        for number in 0..places.roots.len() {
            self.turn(places, number)?;
            let root = &places.roots[number];
            let way = visitor.begin(number, root.terms);
            let met = [OLD, NEW].map(|side| {
                let at = root.records[side]?;
                let record = places.tops[side].get(at as usize)?;
                Some(Met { spot: Spot { dir: TOP, at }, record, path: b"" })
            });
            let step = visitor.meet(&mut self.inputs, way, met)?;
            if let Some(enter) = step.enter {
                walk::walk(&mut self.inputs, visitor, enter)?;
            }
        }
        Ok(())
    }
}

impl Places {
    /// The root that each root of a state is among those of the answer.
    fn numbers(&self) -> [Vec<usize>; 2] {
        [OLD, NEW].map(|side| {
            let of = |record| self.roots.iter().position(|root| root.records[side] == Some(record));
            (0..self.tops[side].len() as u32).map(|record| of(record).unwrap_or(0)).collect()
        })
    }
}

fn is_slash(byte: &u8) -> bool {
    *byte == b'/'
}
