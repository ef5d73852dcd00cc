//! [`Shared`]: what the workers of a walk share.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use brisk::Entry;
use brisk_sys::output::is_temporary;
use brisk_sys::paths::with_slashes;

use crate::bits::Bits;
use crate::found::{Key, Keys, Named};
use crate::met::Volumes;
use crate::racy::Racy;
use crate::record::Block;
use crate::roots::Root;
use crate::settings::Settings;
use crate::state::State;
use crate::written::Written;

/// What all workers share.
pub(crate) struct Shared<'a> {
    pub state: Option<&'a State>,
    pub settings: &'a Settings,
    pub racy: Racy,
    /// The names of the roots' records, by the paths that the walk begins with.
    pub roots: HashMap<Vec<u8>, &'a [u8]>,
    /// A bit for each record of the state: the entry is there.
    pub seen: Bits,
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

impl<'a> Shared<'a> {
    pub fn new(
        state: Option<&'a State>,
        settings: &'a Settings,
        racy: Racy,
        roots: &'a [Root],
        (keys, volumes, written): (&'a Keys, &'a Volumes, Option<&'a Written>),
    ) -> Shared<'a> {
        let name = |root: &'a Root| (with_slashes(&root.path), &*root.name);
        Shared {
            state,
            settings,
            racy,
            roots: roots.iter().map(name).collect(),
            seen: Bits::new(state.map_or(0, State::len)),
            unchanged: Bits::new(state.map_or(0, |state| state.dirs().len())),
            keys,
            volumes,
            written,
            mounts: Mutex::default(),
            has_mounts: AtomicBool::new(false),
        }
    }

    pub fn block(&self, number: Option<u32>) -> Block<'a> {
        number.zip(self.state).map_or_else(Block::default, |(number, state)| state.block(number))
    }

    /// The name of an entry's record: that of a root says where the root is.
    #[inline]
    pub fn name<'n>(&self, entry: &Entry<'n>, scratch: &mut Vec<u8>) -> &'n [u8]
    where
        'a: 'n,
    {
        if entry.depth() > 0 {
            return entry.name();
        }
        scratch.clear();
        entry.path_into(scratch);
        self.roots.get(scratch.as_slice()).copied().unwrap_or(entry.name())
    }

    /// Whether an entry is left out of its directory, out of which something is.
    pub fn is_left_out(&self, entry: &Entry<'_>) -> bool {
        let names = self.settings.left_out.get(entry.directory().prefix());
        names.is_some_and(|names| names.contains(entry.name()) || is_temporary(entry.name()))
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
