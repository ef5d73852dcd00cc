//! Modes and owners that were set, beside the removed entries the only state between requests. Only
//! with `--removable`.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use fuser::FileAttr;

/// What was set, by inode.
#[derive(Debug, Default)]
pub(crate) struct Set(Mutex<HashMap<u64, Wanted>>);

/// Mode, user and group; `None` stands for the one there is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) mode: Option<u32>,
    pub(crate) user: Option<u32>,
    pub(crate) group: Option<u32>,
}

impl Set {
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Wanted>> {
        // No code panics while the map is half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets what is wanted, and keeps the rest.
    pub(crate) fn set(&self, ino: u64, wanted: Wanted) {
        let mut all = self.lock();
        let old = all.entry(ino).or_default();
        old.mode = wanted.mode.or(old.mode);
        old.user = wanted.user.or(old.user);
        old.group = wanted.group.or(old.group);
    }

    /// The attributes of an inode, with what was set.
    pub(crate) fn apply(&self, ino: u64, attr: &mut FileAttr) {
        let Some(Wanted { mode, user, group }) = self.lock().get(&ino).copied() else { return };
        attr.perm = mode.map_or(attr.perm, |mode| (mode & 0o7777) as u16);
        attr.uid = user.unwrap_or(attr.uid);
        attr.gid = group.unwrap_or(attr.gid);
    }
}
