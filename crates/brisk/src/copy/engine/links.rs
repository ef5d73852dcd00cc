//! [`Linked`]: the copies of files with several links, so that their other names become links to
//! these copies.

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use brisk_sys::Identity;

use super::mirror::Mirror;
use crate::Meta;
use crate::sched::lock;

#[derive(Default)]
pub(super) struct Linked {
    copies: Mutex<Copies>,
    is_made: Condvar,
}

#[derive(Default)]
struct Copies {
    /// By the identity of their sources.
    by_source: HashMap<Identity, Copied>,
    /// The sources of first copies whose identity was recorded, by that identity.
    sources: HashMap<Identity, Identity>,
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
    /// Which file it is, if another one may get its name.
    pub file: Option<OwnedFile>,
}

/// A file and its owner: a file of another user may have the inode of one that was removed.
pub(super) type OwnedFile = (Identity, Option<u32>);

pub(super) fn which(meta: &Meta) -> Option<OwnedFile> {
    Some((meta.identity()?, meta.uid()))
}

/// What a worker does with one of several links.
pub(super) enum Link {
    /// It makes the first copy, and then calls [`Linked::made`].
    First,
    /// It makes a link to this copy.
    To(FirstCopy),
}

impl Copies {
    fn forget(&mut self, source: Identity) {
        if let Some(Copied::Made { copy, .. }) = self.by_source.remove(&source)
            && let Some((file, _)) = copy.file
        {
            self.sources.remove(&file);
        }
    }
}

impl Linked {
    /// What to do with one of several links to a file. Waits while another worker makes the first
    /// copy. That takes no longer than copying one file, because that worker waits for no other.
    pub fn next(&self, identity: Identity, nlink: u64) -> Link {
        let mut copies = lock(&self.copies);
        loop {
            match copies.by_source.get_mut(&identity) {
                None => {
                    copies.by_source.insert(identity, Copied::Begun);
                    return Link::First;
                }
                Some(Copied::Begun) => {
                    let waited = self.is_made.wait(copies);
                    copies = waited.unwrap_or_else(PoisonError::into_inner);
                }
                Some(Copied::Made { copy, left }) => {
                    let to = copy.clone();
                    *left = left.saturating_sub(1).min(nlink);
                    if *left == 0 {
                        copies.forget(identity);
                    }
                    return Link::To(to);
                }
            }
        }
    }

    /// Whether the first copy of a file with several links has been made.
    pub fn has(&self, identity: Identity) -> bool {
        matches!(lock(&self.copies).by_source.get(&identity), Some(Copied::Made { .. }))
    }

    /// Forgets this first copy, because it is no longer where it was made.
    pub fn forget(&self, source: Identity, gone: &FirstCopy) {
        let mut copies = lock(&self.copies);
        let Some(Copied::Made { copy, .. }) = copies.by_source.get(&source) else { return };
        if Arc::ptr_eq(&copy.place, &gone.place) && copy.name == gone.name {
            copies.forget(source);
        }
    }

    /// A file is about to be overwritten or removed, for a copy of `own`. If it is the first copy of
    /// another source, forgets that: the next name of that source is copied anew. Returns whether it
    /// was one. Asks for the identities only if first copies were identified.
    pub fn goes(
        &self,
        own: impl FnOnce() -> Option<Identity>,
        file: impl FnOnce() -> Option<Identity>,
    ) -> bool {
        if lock(&self.copies).sources.is_empty() {
            return false;
        }
        let (own, Some(file)) = (own(), file()) else { return false };
        let mut copies = lock(&self.copies);
        let source = copies.sources.get(&file).copied().filter(|source| Some(*source) != own);
        source.into_iter().for_each(|source| copies.forget(source));
        source.is_some()
    }

    /// Notes that the first copy of a file with several links was made, or that none was.
    pub fn made(&self, identity: Identity, nlink: u64, copy: Option<FirstCopy>) {
        let mut copies = lock(&self.copies);
        match copy {
            Some(copy) => {
                copy.place.has_links.store(true, Ordering::Relaxed);
                let file = copy.file.map(|it| it.0);
                // A file that is kept may be the copy of two sources.
                if let Some(other) = file.and_then(|file| copies.sources.insert(file, identity)) {
                    copies.by_source.remove(&other);
                }
                copies
                    .by_source
                    .insert(identity, Copied::Made { copy, left: nlink.saturating_sub(1) });
            }
            None => drop(copies.by_source.remove(&identity)),
        }
        drop(copies);
        self.is_made.notify_all();
    }
}
