//! [`Renames`]: which entries were renamed. [`pair`] finds them among the candidates.

use super::contents::Comparer;
use super::criteria::Contents;
use super::find::{Candidate, Candidates};
use super::input::{NEW, OLD, RecordId};
use super::walk::Inputs;
use crate::change::DiffError;
use crate::format::record::TOP;

/// At most this many entries with the same key are compared with each other, because the time grows
/// with the square of their number.
const CROWD: usize = 256;

/// A renamed entry: its record in the old state, and in the new one.
type Rename = [RecordId; 2];

/// The renamed entries: 32 bytes each.
#[derive(Debug, Default)]
pub(super) struct Renames {
    /// All of them twice: sorted by the old record, and by the new one.
    by_place: [Vec<Rename>; 2],
}

impl Renames {
    /// The record on the other side, if the entry with this record was renamed.
    pub fn across(&self, side: usize, id: RecordId) -> Option<RecordId> {
        let renames = &self.by_place[side];
        let at = renames.binary_search_by_key(&id, |rename| rename[side]).ok()?;
        Some(renames[at][1 - side])
    }

    pub fn is_empty(&self) -> bool {
        self.by_place[OLD].is_empty()
    }

    /// Whether an entry is below a renamed directory.
    fn is_inside(&self, inputs: &Inputs, side: usize, id: RecordId) -> bool {
        let mut number = id.dir;
        while let Some(dir) = inputs[side].index.dir(number).filter(|_| number != TOP) {
            if self.across(side, dir.above()).is_some() {
                return true;
            }
            number = dir.parent;
        }
        false
    }

    /// Adds renamed entries, except those inside renamed directories that are also among them.
    fn add_outermost(&mut self, inputs: &Inputs, mut found: Vec<Rename>) {
        let mut all = Renames::default();
        all.add(found.clone());
        found.retain(|rename| {
            [OLD, NEW].iter().all(|&side| !all.is_inside(inputs, side, rename[side]))
        });
        self.add(found);
    }

    fn add(&mut self, found: Vec<Rename>) {
        for (side, renames) in self.by_place.iter_mut().enumerate() {
            renames.extend_from_slice(&found);
            renames.sort_unstable_by_key(|rename| rename[side]);
        }
    }
}

/// Pairs candidates by identity, and the others by size, time and contents.
pub(super) fn pair(
    inputs: &mut Inputs,
    comparer: Comparer<'_>,
    by_identity: Candidates,
    by_looks: &Candidates,
) -> Result<Renames, DiffError> {
    let mut pairing = Pairing { inputs, comparer, renames: Renames::default() };
    let mut found = Vec::new();
    let key = |candidate: &Candidate| candidate.key;
    join(by_identity, key, |old, new| {
        // If a file has several links, the old ones are paired with the new ones in order.
        found.extend(old.iter().zip(new).map(|(old, new)| [old.id, new.id]));
        Ok(())
    })?;
    pairing.renames.add(found);
    // Directories come first, because what is below them moved with them.
    for is_dir in [true, false] {
        for is_named in [true, false] {
            let found = pairing.by_looks(pairing.open(by_looks, is_dir), is_named)?;
            pairing.renames.add_outermost(pairing.inputs, found);
        }
    }
    Ok(pairing.renames)
}

struct Pairing<'a, 'w> {
    inputs: &'a mut Inputs,
    comparer: Comparer<'w>,
    renames: Renames,
}

impl Pairing<'_, '_> {
    /// The candidates that are neither paired nor below a paired directory.
    fn open(&self, all: &Candidates, is_dir: bool) -> Candidates {
        let Pairing { inputs, renames, .. } = self;
        let is_open = |side: usize, id: RecordId| {
            renames.across(side, id).is_none() && !renames.is_inside(inputs, side, id)
        };
        [OLD, NEW].map(|side| {
            let own = all[side].iter().filter(|one| one.is_dir == is_dir);
            own.filter(|one| is_open(side, one.id)).copied().collect()
        })
    }

    /// Pairs candidates by their looks; with `is_named`, only if their names are equal.
    fn by_looks(&mut self, all: Candidates, is_named: bool) -> Result<Vec<Rename>, DiffError> {
        let mut found = Vec::new();
        let key = |one: &Candidate| (one.key, if is_named { one.name } else { 0 });
        join(all, key, |old, new| {
            let is_alone = old.len() == 1 && new.len() == 1 && new[0].is_telling;
            let mut rest: Vec<RecordId> = old.iter().map(|one| one.id).take(CROWD).collect();
            for new in new.iter().take(CROWD) {
                for at in 0..rest.len() {
                    let known = self.has_same_contents([rest[at], new.id])?;
                    if known == Some(true) {
                        self.comparer.shared.add_verdict(new.id, Contents::Same);
                    }
                    if known.unwrap_or(is_named || is_alone) {
                        found.push([rest.remove(at), new.id]);
                        break;
                    }
                }
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Whether two entries have the same contents; `None` if that cannot be determined.
    fn has_same_contents(&mut self, rename: Rename) -> Result<Option<bool>, DiffError> {
        let mut sources = [None, None];
        let mut size = 0;
        for (side, id) in rename.into_iter().enumerate() {
            let page = self.inputs[side].record(id)?;
            let record = page.get(id.at as usize).filter(|record| record.attrs.is_file());
            let Some(record) = record else { return Ok(None) };
            size = record.attrs.size;
            let (_, path) = self.inputs[side].path(id)?;
            sources[side] = self.inputs[side].source(&record, &path);
        }
        let [Some(old), Some(new)] = sources else { return Ok(None) };
        Ok(self.comparer.same(&[old, new], size))
    }
}

/// Passes candidates of both sides with the same key to `each`, in the order found.
fn join<K: Ord>(
    mut candidates: Candidates,
    key: impl Fn(&Candidate) -> K,
    mut each: impl FnMut(&[Candidate], &[Candidate]) -> Result<(), DiffError>,
) -> Result<(), DiffError> {
    candidates.iter_mut().for_each(|side| side.sort_by_key(&key));
    let [mut old, mut new] = candidates.each_ref().map(Vec::as_slice);
    while let (Some(first), Some(other)) = (old.first(), new.first()) {
        let least = key(first).min(key(other));
        let count = |side: &[Candidate]| side.partition_point(|one| key(one) <= least);
        let (ours, old_rest) = old.split_at(count(old));
        let (theirs, new_rest) = new.split_at(count(new));
        if !ours.is_empty() && !theirs.is_empty() {
            each(ours, theirs)?;
        }
        old = old_rest;
        new = new_rest;
    }
    Ok(())
}
