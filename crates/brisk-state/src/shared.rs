//! [`Shared`]: what the workers of one walk share.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use brisk::{Entry, Timestamp};

use crate::bits::Bits;
use crate::found::{Key, Keys, NEVER, Named, Start};
use crate::met::Volumes;
use crate::record::{Block, Stamp};
use crate::settings::Settings;
use crate::state::{State, TEMPORARY};
use crate::written::Written;

/// What all workers share.
pub(crate) struct Shared<'a> {
    pub state: Option<&'a State>,
    pub settings: &'a Settings,
    /// When the walk began.
    pub began: Timestamp,
    /// By the path that the walk begins with.
    pub starts: HashMap<Vec<u8>, Start>,
    /// Where the walk is a second look: what the walks before it have entered.
    pub before: Option<Before<'a>>,
    /// A bit for each record of the state: the entry is there.
    pub seen: &'a Bits,
    /// A bit for each directory of the state: it is as its record says.
    pub unchanged: Bits,
    pub keys: &'a Keys,
    pub volumes: &'a Volumes,
    /// What was written since the state was made, if file systems say it.
    pub written: Option<&'a Written>,
    /// Directories on another device than the one above them.
    mounts: Mutex<HashSet<Named>>,
    has_mounts: AtomicBool,
}

/// What a second look knows of the walks before it.
pub(crate) struct Before<'a> {
    /// New directories that were entered: they are not read again.
    entered: &'a HashMap<Named, Key>,
    /// Directories that the walk begins with, so that they are asked about before they are read.
    starts: HashSet<Named>,
    /// The directories that were there, in those that the walk begins with.
    there: There,
}

/// Directories as the last look found them, with a time before their names were read.
pub(crate) type There = HashMap<Named, (Stamp, Timestamp)>;

impl<'a> Before<'a> {
    /// The directories that were entered, where the second look begins, and what was there.
    pub fn new(
        entered: &'a HashMap<Named, Key>,
        starts: &HashMap<Vec<u8>, Start>,
        there: There,
    ) -> Before<'a> {
        let starts = starts.values().map(|start| (start.parent, start.name.clone()));
        Before { entered, starts: starts.collect(), there }
    }

    /// Whether the walk begins with this directory.
    pub fn is_start(&self, named: &Named) -> bool {
        self.starts.contains(named)
    }

    /// Whether a walk before this one has read the directory, which has this number in the state.
    pub fn is_visited(&self, named: &Named, old: Option<Key>) -> bool {
        old.is_some() || self.entered.contains_key(named)
    }

    /// A time before the names of a visited directory were read. [`NEVER`] if it has changed since,
    /// or was not there.
    pub fn read_at(&self, named: &Named, stamp: &Stamp) -> Timestamp {
        let there = self.there.get(named).filter(|(then, _)| then == stamp);
        there.map_or(NEVER, |(_, asked)| *asked)
    }
}

impl<'a> Shared<'a> {
    pub fn new(
        state: Option<&'a State>,
        settings: &'a Settings,
        began: Timestamp,
        (seen, keys, volumes): (&'a Bits, &'a Keys, &'a Volumes),
    ) -> Shared<'a> {
        Shared {
            state,
            settings,
            began,
            starts: HashMap::new(),
            before: None,
            seen,
            unchanged: Bits::new(state.map_or(0, |state| state.dirs().len())),
            keys,
            volumes,
            written: None,
            mounts: Mutex::default(),
            has_mounts: AtomicBool::new(false),
        }
    }

    pub fn block(&self, number: Option<u32>) -> Block<'a> {
        number.zip(self.state).map_or_else(Block::default, |(number, state)| state.block(number))
    }

    pub fn is_left_out(&self, entry: &Entry<'_>) -> bool {
        let is = |(dir, name): &(Vec<u8>, Vec<u8>)| {
            entry.directory().prefix() == dir
                && (entry.name() == name || is_temporary(entry.name(), name))
        };
        self.settings.without.iter().any(is)
    }

    /// Whether an entry in a root is a root itself.
    pub fn is_root(&self, entry: &Entry<'_>) -> bool {
        let names = self.settings.inner.get(entry.directory().prefix());
        names.is_some_and(|names| names.contains(entry.name()))
    }

    /// Notes a directory that is a mount's root, if it is one.
    #[inline]
    pub fn note_mount(&self, parent: Key, name: &[u8], is_mount: bool) {
        if !is_mount {
            return;
        }
        self.has_mounts.store(true, Relaxed);
        let mut mounts = self.mounts.lock().unwrap_or_else(PoisonError::into_inner);
        mounts.insert((parent, name.into()));
    }

    /// Whether the state has entries in a directory that were on another file system than the
    /// directory above it, and are missed where nothing is mounted any more.
    pub fn was_mount(&self, dir: Option<u32>, above: Option<u32>) -> bool {
        let old = |number: Option<u32>| self.state?.dir(number?);
        let dirs = old(dir).zip(old(above)).filter(|_| !self.settings.accepts_new);
        dirs.is_some_and(|(dir, above)| dir.count > 0 && dir.volume != above.volume)
    }

    pub fn is_mount(&self, parent: Key, name: &[u8]) -> bool {
        let mounts = || self.mounts.lock().unwrap_or_else(PoisonError::into_inner);
        self.has_mounts.load(Relaxed) && mounts().contains(&(parent, name.into()))
    }
}

/// Whether a state of this name is written to a file of that name before it is renamed.
fn is_temporary(name: &[u8], state: &[u8]) -> bool {
    name.strip_prefix(state).is_some_and(|rest| rest.starts_with(TEMPORARY.as_bytes()))
}
