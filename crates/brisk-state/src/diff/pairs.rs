//! [`Pairs`]: the renamed entries, each old one with its new one.

use brisk::FileType;

use super::answer::Fault;
use super::contents::Reader;
use super::find::{Candidate, Candidates};
use super::input::Input;
use super::walk::{NEW, OLD, Spot};

/// The most entries of one size and time that are compared with each other: what takes the square of
/// their number stays short.
const CROWD: usize = 256;

/// Entries that were renamed: each with its other self, 32 bytes a pair.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// Sorted by their first place.
    by_old: Vec<(Spot, Spot)>,
    by_new: Vec<(Spot, Spot)>,
    /// The new places of files that were read, and have the contents that they had.
    same: Vec<Spot>,
}

impl Pairs {
    /// The new place of an old entry.
    pub fn new_of(&self, old: Spot) -> Option<Spot> {
        partner(&self.by_old, old)
    }

    /// The old place of a new entry.
    pub fn old_of(&self, new: Spot) -> Option<Spot> {
        partner(&self.by_new, new)
    }

    /// Whether a renamed file is known to have the contents that it had.
    pub fn is_same(&self, new: Spot) -> bool {
        self.same.binary_search(&new).is_ok()
    }

    pub fn is_empty(&self) -> bool {
        self.by_old.is_empty()
    }

    /// Pairs the candidates: by identity, and those that are left by size, time and contents.
    pub fn find(
        inputs: &mut [Input; 2],
        reader: &mut Reader<'_>,
        by_identity: Candidates,
        by_looks: Candidates,
    ) -> Result<Pairs, Fault> {
        let mut pairs = Pairs::default();
        let mut found = Vec::new();
        join(
            by_identity,
            |candidate| candidate.key,
            |old, new| {
                // Of several links that moved, the first goes with the first.
                found.extend(old.iter().zip(new).map(|(old, new)| (old.spot, new.spot)));
                Ok(())
            },
        )?;
        pairs.add(found);
        pairs.by_looks(inputs, reader, by_looks)?;
        pairs.same.sort_unstable();
        Ok(pairs)
    }

    fn by_looks(
        &mut self,
        inputs: &mut [Input; 2],
        reader: &mut Reader<'_>,
        all: Candidates,
    ) -> Result<(), Fault> {
        // Directories first: what is below them moved with them.
        let (mut dirs, mut files): (Candidates, Candidates) = Default::default();
        for (side, candidates) in all.into_iter().enumerate() {
            for candidate in candidates {
                let is_dir = candidate.is_dir;
                [&mut files, &mut dirs][usize::from(is_dir)][side].push(candidate);
            }
        }
        for candidates in [dirs, files] {
            for is_named in [true, false] {
                let open = self.open(inputs, &candidates);
                let found = self.looked(inputs, reader, open, is_named)?;
                self.add_outermost(inputs, found);
            }
        }
        Ok(())
    }

    /// The candidates that are not paired, and are in no directory that is.
    fn open(&self, inputs: &[Input; 2], candidates: &Candidates) -> Candidates {
        let is_open = |side: usize, spot: Spot| {
            self.partner(side, spot).is_none() && !self.is_inside(inputs, side, spot)
        };
        [OLD, NEW].map(|side| {
            candidates[side].iter().filter(|one| is_open(side, one.spot)).copied().collect()
        })
    }

    /// `is_named`: those of equal names are paired.
    fn looked(
        &mut self,
        inputs: &mut [Input; 2],
        reader: &mut Reader<'_>,
        candidates: Candidates,
        is_named: bool,
    ) -> Result<Vec<(Spot, Spot)>, Fault> {
        let mut found = Vec::new();
        let same = &mut self.same;
        let key = |one: &Candidate| (one.key, if is_named { one.name } else { 0 });
        join(candidates, key, |old, new| {
            let is_alone = old.len() == 1 && new.len() == 1 && new[0].is_telling;
            let mut rest: Vec<Spot> = old.iter().map(|one| one.spot).take(CROWD).collect();
            for new in new.iter().take(CROWD) {
                if rest.is_empty() {
                    break;
                }
                let is_same = |old: &Spot| -> Result<bool, Fault> {
                    let known = same_contents(inputs, reader, *old, new.spot)?;
                    same.extend((known == Some(true)).then_some(new.spot));
                    Ok(known.unwrap_or(is_named || is_alone))
                };
                let at = position(&rest, is_same)?;
                found.extend(at.map(|at| (rest.remove(at), new.spot)));
            }
            Ok(())
        })?;
        Ok(found)
    }

    fn partner(&self, side: usize, spot: Spot) -> Option<Spot> {
        if side == OLD { self.new_of(spot) } else { self.old_of(spot) }
    }

    /// Whether an entry is in a directory that was renamed.
    fn is_inside(&self, inputs: &[Input; 2], side: usize, spot: Spot) -> bool {
        let mut number = spot.dir;
        while let Some(dir) = inputs[side].pieces.dir(number).filter(|_| number != 0) {
            if self.partner(side, Spot { dir: dir.parent, at: dir.place }).is_some() {
                return true;
            }
            number = dir.parent;
        }
        false
    }

    /// Adds pairs, without those in directories that are among them.
    fn add_outermost(&mut self, inputs: &[Input; 2], found: Vec<(Spot, Spot)>) {
        let all = Pairs::default().with(found.clone());
        let outermost = found.into_iter().filter(|(old, new)| {
            !all.is_inside(inputs, OLD, *old) && !all.is_inside(inputs, NEW, *new)
        });
        let outermost = outermost.collect();
        self.add(outermost);
    }

    fn with(mut self, found: Vec<(Spot, Spot)>) -> Pairs {
        self.add(found);
        self
    }

    fn add(&mut self, found: Vec<(Spot, Spot)>) {
        self.by_new.extend(found.iter().map(|&(old, new)| (new, old)));
        self.by_old.extend(found);
        self.by_old.sort_unstable();
        self.by_new.sort_unstable();
    }
}

fn partner(pairs: &[(Spot, Spot)], spot: Spot) -> Option<Spot> {
    let at = pairs.binary_search_by_key(&spot, |(own, _)| *own).ok()?;
    Some(pairs[at].1)
}

fn position<T>(
    all: &[T],
    mut holds: impl FnMut(&T) -> Result<bool, Fault>,
) -> Result<Option<usize>, Fault> {
    for (at, one) in all.iter().enumerate() {
        if holds(one)? {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// Hands on the candidates of both sides that have the same key, in the order in which they were
/// met.
fn join<K: Ord>(
    mut candidates: Candidates,
    key: impl Fn(&Candidate) -> K,
    mut each: impl FnMut(&[Candidate], &[Candidate]) -> Result<(), Fault>,
) -> Result<(), Fault> {
    candidates.iter_mut().for_each(|side| side.sort_by_key(&key));
    let [mut old, mut new] = candidates.each_ref().map(Vec::as_slice);
    while let (Some(first), Some(other)) = (old.first(), new.first()) {
        let least = key(first).min(key(other));
        let length = |side: &[Candidate]| side.partition_point(|one| key(one) <= least);
        let (ours, theirs) = (old.split_at(length(old)), new.split_at(length(new)));
        if !ours.0.is_empty() && !theirs.0.is_empty() {
            each(ours.0, theirs.0)?;
        }
        (old, new) = (ours.1, theirs.1);
    }
    Ok(())
}

/// Whether two entries have the same contents; `None` if that cannot be known.
fn same_contents(
    inputs: &mut [Input; 2],
    reader: &mut Reader<'_>,
    old: Spot,
    new: Spot,
) -> Result<Option<bool>, Fault> {
    let mut sources = [None, None];
    let mut size = 0;
    for (side, spot) in [(OLD, old), (NEW, new)] {
        let fault = |why| Fault::Input(side, why);
        let page = inputs[side].pieces.record(spot.dir, spot.at).map_err(fault)?;
        let Some(record) = page.get(spot.at as usize) else { return Ok(None) };
        if record.stamp.file_type() != FileType::File {
            return Ok(None);
        }
        size = record.stamp.size;
        let (_, path) = inputs[side].pieces.path(spot.dir, spot.at).map_err(fault)?;
        sources[side] = inputs[side].source(&record, &path);
    }
    let [Some(old), Some(new)] = sources else { return Ok(None) };
    Ok(reader.same(&[old, new], size))
}
