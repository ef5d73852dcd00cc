//! [`Linked`]: the copies of files with several links, so that their other names become links to
//! these copies.

use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use brisk_sys::Identity;

use super::mirror::Mirror;
use crate::Meta;
use crate::sched::lock;

/// The files with several links, by the identity of their sources.
#[derive(Default)]
pub(super) struct Linked {
    files: Mutex<HashMap<Identity, Copied>>,
    is_made: Condvar,
    /// The sources of first copies that a later pair may overwrite, by directory and name.
    places: Mutex<HashMap<(Identity, CString), Vec<Identity>>>,
}

/// The first copy of a file with several links.
enum Copied {
    /// A worker is making it.
    Begun,
    Made {
        copy: FirstCopy,
        left: u64,
    },
}

/// Where the first copy of a file with several links is.
#[derive(Clone)]
pub(super) struct FirstCopy {
    pub place: Arc<Mirror>,
    pub name: CString,
    /// Which file it is, if other users may put another one in its place.
    pub file: Option<OwnedFile>,
    /// The directory, if a later pair may overwrite the copy.
    pub dir: Option<Identity>,
    pub is_overwritten: Arc<AtomicBool>,
}

impl FirstCopy {
    /// Whether a later pair overwrites it, so that it can be linked no longer.
    pub fn is_gone(&self) -> bool {
        self.is_overwritten.load(Ordering::Acquire)
    }
}

/// A file and its owner: a file of another user may have the inode of one that was removed.
pub(super) type OwnedFile = (Identity, Option<u32>);

pub(super) fn which(meta: Meta) -> Option<OwnedFile> {
    Some((meta.identity()?, meta.uid()))
}

/// What a worker does with one of several links.
pub(super) enum Link {
    /// It makes the first copy, and then calls [`Linked::made`].
    First,
    /// It makes a link to this copy.
    To(FirstCopy),
}

impl Linked {
    /// What to do with one of several links to a file. Waits while another worker makes the first
    /// copy. That takes no longer than copying one file, because that worker waits for no other.
    pub fn next(&self, identity: Identity, nlink: u64) -> Link {
        let mut linked = lock(&self.files);
        loop {
            match linked.get_mut(&identity) {
                None => {
                    linked.insert(identity, Copied::Begun);
                    return Link::First;
                }
                Some(Copied::Begun) => {
                    let waited = self.is_made.wait(linked);
                    linked = waited.unwrap_or_else(PoisonError::into_inner);
                }
                Some(Copied::Made { copy, left }) => {
                    let to = Link::To(copy.clone());
                    *left = left.saturating_sub(1).min(nlink);
                    if *left == 0 {
                        linked.remove(&identity);
                    }
                    return to;
                }
            }
        }
    }

    /// Whether the first copy of a file with several links has been made.
    pub fn has(&self, identity: Identity) -> bool {
        matches!(lock(&self.files).get(&identity), Some(Copied::Made { .. }))
    }

    /// Whether a later pair may overwrite a first copy.
    pub fn has_places(&self) -> bool {
        !lock(&self.places).is_empty()
    }

    /// The first copies that were made at this place, and their sources.
    pub fn at(&self, dir: Identity, name: &CStr) -> Vec<(Identity, FirstCopy)> {
        let sources = lock(&self.places).get(&(dir, name.into())).cloned().unwrap_or_default();
        let files = lock(&self.files);
        let is_here = |copy: &FirstCopy| copy.dir == Some(dir) && *copy.name == *name;
        let copy_of = |source| match files.get(&source) {
            Some(Copied::Made { copy, .. }) if is_here(copy) => Some((source, copy.clone())),
            _ => None,
        };
        sources.into_iter().filter_map(copy_of).collect()
    }

    /// Forgets the first copy of this source, because it is overwritten.
    pub fn forget(&self, source: Identity, copy: &FirstCopy) {
        lock(&self.files).remove(&source);
        copy.is_overwritten.store(true, Ordering::Release);
    }

    /// Notes that the first copy of a file with several links was made, or that none was.
    pub fn made(&self, identity: Identity, nlink: u64, copy: Option<FirstCopy>) {
        let mut linked = lock(&self.files);
        match copy {
            Some(copy) => {
                copy.place.has_links.store(true, Ordering::Relaxed);
                if let Some(dir) = copy.dir {
                    let place = (dir, copy.name.clone());
                    lock(&self.places).entry(place).or_default().push(identity);
                }
                linked.insert(identity, Copied::Made { copy, left: nlink.saturating_sub(1) });
            }
            None => drop(linked.remove(&identity)),
        }
        drop(linked);
        self.is_made.notify_all();
    }
}
