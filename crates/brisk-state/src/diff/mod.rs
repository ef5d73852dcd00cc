//! [`Diff`]: what differs between two states. Neither is loaded whole: two walks go over both
//! files, side by side. The first finds the directories in which there are differences, and the
//! entries that were renamed. The second reports the differences.
//!
//! In memory are the indexes of both states (48 bytes for each directory) and the blocks of the
//! directories that are being read (a page of a large one). During the search for renamed entries,
//! there are also 24 bytes for each entry that only one side has.

mod answer;
mod compare;
mod find;
mod input;
mod pairs;
mod pieces;
mod tell;
mod walk;

use brisk::Flow;

use crate::state::TOP;
use answer::Fault;
use compare::Terms;
use find::{Equal, Finder};
use pairs::Pairs;
use pieces::Listing;
use tell::{Teller, Way};
use walk::{Met, NEW, OLD, Spot, Visit};

pub use answer::{Compared, Difference, Undecided};
pub use input::Input;

/// What differs between two states.
#[derive(Debug)]
pub struct Diff {
    inputs: [Input; 2],
    renames: bool,
    each: bool,
    content: bool,
}

/// A root of the answer, and which record in either state is this root.
#[derive(Debug)]
struct Root {
    name: Vec<u8>,
    records: [Option<u32>; 2],
}

impl Diff {
    /// The difference from an earlier state to a later one.
    #[must_use]
    pub fn between(old: Input, new: Input) -> Diff {
        Diff { inputs: [old, new], renames: true, each: false, content: false }
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

    /// Whether contents are compared wherever files have equal size but different times, and both
    /// sides have digests or the files can be read. By default they are compared where one side has
    /// a digest, and the other has one too or is a directory.
    #[must_use]
    pub fn content(self, decides: bool) -> Diff {
        Diff { content: decides, ..self }
    }

    /// The paths of the roots that [`Place::root`](crate::Place::root) counts. The states are
    /// compared root by root: those of the same path, or the only ones.
    ///
    /// # Errors
    /// A state is damaged.
    pub fn roots(&mut self) -> Result<Vec<Vec<u8>>, Undecided> {
        let roots = self.pair_roots().map_err(Undecided::from)?;
        Ok(roots.into_iter().map(|root| root.name).collect())
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
        let roots = self.pair_roots()?;
        let mut tops = Vec::new();
        for side in [OLD, NEW] {
            let top = self.inputs[side].pieces.enter(TOP, (TOP, 0));
            tops.push(top.map_err(|why| Fault::Input(side, why))?);
        }
        let equal = Equal::new(&self.inputs);
        let dirs = self.inputs[NEW].pieces.dirs().len();
        let terms = Terms {
            is_one_tree: true,
            known: self.inputs[OLD].known & self.inputs[NEW].known,
            content: self.content,
        };
        let mut finder = Finder::new(&equal, terms, self.renames, dirs);
        for root in &roots {
            finder.terms = self.terms(root, &mut tops, terms)?;
            self.walk_root(root, &tops, &mut finder, find::Way::Both)?;
        }
        let Finder { marks, by_identity, by_looks, .. } = finder;
        self.inputs.iter_mut().for_each(|input| input.pieces.is_checked = true);
        let pairs = Pairs::find(&mut self.inputs, by_identity, by_looks)?;
        let numbers = [OLD, NEW].map(|side| {
            let of = |record| roots.iter().position(|root| root.records[side] == Some(record));
            (0..tops[side].len() as u32).map(|record| of(record).unwrap_or(0)).collect()
        });
        let mut teller = Teller {
            terms,
            each: self.each,
            marks: &marks,
            pairs: &pairs,
            roots: numbers,
            visit,
            has_unknown: false,
        };
        for (number, root) in roots.iter().enumerate() {
            teller.terms = self.terms(root, &mut tops, terms)?;
            self.walk_root(root, &tops, &mut teller, Way::of_root(number))?;
        }
        Ok(Compared { has_unknown: teller.has_unknown, is_stopped: false })
    }

    fn pair_roots(&mut self) -> Result<Vec<Root>, Fault> {
        let old = self.inputs[OLD].roots().map_err(|why| Fault::Input(OLD, why))?;
        let new = self.inputs[NEW].roots().map_err(|why| Fault::Input(NEW, why))?;
        if let ([_], [name]) = (&old[..], &new[..]) {
            return Ok(vec![Root { name: name.clone(), records: [Some(0), Some(0)] }]);
        }
        let mut roots: Vec<Root> = (0..)
            .zip(&old)
            .map(|(at, name)| Root { name: name.clone(), records: [Some(at), None] })
            .collect();
        for (at, name) in (0..).zip(new) {
            match roots.iter_mut().find(|root| root.name == name) {
                Some(root) => root.records[NEW] = Some(at),
                None => roots.push(Root { name, records: [None, Some(at)] }),
            }
        }
        roots.sort_by(|a, b| a.name.split(is_slash).cmp(b.name.split(is_slash)));
        Ok(roots)
    }

    /// What counts in a root: whether both sides are one tree. Brings in the records of the root.
    fn terms(&mut self, root: &Root, tops: &mut [Listing], terms: Terms) -> Result<Terms, Fault> {
        for side in [OLD, NEW] {
            if let Some(at) = root.records[side] {
                let turned = tops[side].turn(&mut self.inputs[side].pieces, at as usize);
                turned.map_err(|why| Fault::Input(side, why))?;
            }
        }
        let [Some(old), Some(new)] = root.records.map(|record| record.map(|at| at as usize)) else {
            return Ok(Terms { is_one_tree: false, ..terms });
        };
        let records = tops[OLD].get(old).zip(tops[NEW].get(new));
        let Some((old, new)) = records else { return Ok(terms) };
        let volumes = [(OLD, old.block), (NEW, new.block)]
            .map(|(side, block)| self.inputs[side].pieces.volume(block));
        let [Some(a), Some(b)] = volumes else {
            return Ok(Terms { is_one_tree: old.name == new.name, ..terms });
        };
        let is_inode_same = a.trusts_inodes() && old.stamp.ino == new.stamp.ino;
        let is_one_tree = a.is_same(b) && (old.name == new.name || is_inode_same);
        Ok(Terms { is_one_tree, ..terms })
    }

    fn walk_root<V: Visit>(
        &mut self,
        root: &Root,
        tops: &[Listing],
        visitor: &mut V,
        way: V::Way,
    ) -> Result<(), Fault> {
        let met = [OLD, NEW].map(|side| {
            let at = root.records[side]?;
            let record = tops[side].get(at as usize)?;
            Some(Met { spot: Spot { dir: TOP, at }, record, path: b"" })
        });
        let step = visitor.meet(&mut self.inputs, way, met)?;
        match step.enter {
            Some(enter) => walk::walk(&mut self.inputs, visitor, enter).map(drop),
            None => Ok(()),
        }
    }
}

fn is_slash(byte: &u8) -> bool {
    *byte == b'/'
}
