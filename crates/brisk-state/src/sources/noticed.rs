//! [`Noticed`]: where events say that something may have changed.

use std::collections::{BTreeMap, HashMap};

use crate::format::record::{DirId, TOP};
use crate::format::state::State;

/// How many names in a directory are remembered. If there are more, all of it is read.
const MOST_NAMES: usize = 1_000;

/// Directories in which something may have changed, by their ids in the state that is compared
/// with. Other ids are left there, and mean nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Noticed(HashMap<DirId, Touched>);

/// What may have changed in a directory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touched {
    /// Everything: the directory is read.
    pub all: bool,
    /// The entries with these names. `true`: the name may belong to another entry now.
    pub names: BTreeMap<Box<[u8]>, bool>,
}

impl Noticed {
    pub fn dirs(&self) -> impl Iterator<Item = (&DirId, &Touched)> {
        self.0.iter()
    }

    pub fn of(&self, id: DirId) -> Option<&Touched> {
        self.0.get(&id)
    }

    /// Whether an entry has to be looked at for itself, and not only for what is below it.
    pub fn is_touched(&self, parent: DirId, name: &[u8]) -> bool {
        self.of(parent).is_some_and(|touched| touched.all || touched.names.contains_key(name))
    }

    /// The directory itself has to be looked at.
    pub fn touch(&mut self, id: DirId) {
        self.0.entry(id).or_default();
    }

    /// The directory has to be read.
    pub fn touch_all(&mut self, id: DirId) {
        self.0.entry(id).or_default().all = true;
    }

    /// An entry of the directory has to be looked at.
    pub fn touch_name(&mut self, id: DirId, name: &[u8], may_be_other: bool) {
        let touched = self.0.entry(id).or_default();
        if touched.all {
            return;
        }
        if let Some(known) = touched.names.get_mut(name) {
            *known |= may_be_other;
        } else if touched.names.len() == MOST_NAMES {
            *touched = Touched { all: true, names: BTreeMap::new() };
        } else {
            touched.names.insert(name.into(), may_be_other);
        }
    }

    /// The record of a directory of the state has to be compared.
    pub fn touch_record_of(&mut self, id: DirId, state: &State) {
        if let Some((dir, record)) = state.index.dir(id).zip(state.record_of(id)) {
            if dir.parent == TOP {
                // A root is looked at in any case.
                self.touch(id);
            } else {
                self.touch_name(dir.parent, record.name, true);
            }
        }
    }

    /// All of a directory is read if one of its names that were touched `decides`.
    pub fn read_where(&mut self, decides: impl Fn(&[u8], bool) -> bool) {
        for touched in self.0.values_mut() {
            touched.all |= touched.names.iter().any(|(name, other)| decides(name, *other));
        }
    }

    pub fn merge(&mut self, other: Noticed) {
        for (id, touched) in other.0 {
            self.0.entry(id).or_default().all |= touched.all;
            touched.names.iter().for_each(|(name, other)| self.touch_name(id, name, *other));
        }
    }
}
