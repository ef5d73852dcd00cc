//! [`Linked`]: the copies of files with several links, so that their other names become links to
//! these copies.

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use brisk_sys::Identity;

use super::job::CopyJob;
use super::mirror::Mirror;
use crate::Meta;
use crate::sched::lock;

/// The files with several links, by the identity of their sources.
#[derive(Default)]
pub(super) struct Linked {
    files: Mutex<HashMap<Identity, Copied>>,
    is_made: Condvar,
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

impl Linked {
    /// What to do with one of several links to a file. Waits while another worker makes the first
    /// copy. That takes no longer than copying one file, because that worker waits for no other.
    pub fn next(&self, job: &CopyJob<'_>, identity: Identity, nlink: u64) -> Link {
        let is_known = |file: &OwnedFile| {
            lock(&job.firsts).get(&file.0).is_some_and(|sources| sources.contains(&identity))
        };
        let mut files = lock(&self.files);
        loop {
            match files.get_mut(&identity) {
                Some(Copied::Begun) => {
                    let waited = self.is_made.wait(files);
                    files = waited.unwrap_or_else(PoisonError::into_inner);
                }
                Some(Copied::Made { copy, left }) if copy.file.as_ref().is_none_or(is_known) => {
                    let to = copy.clone();
                    *left = left.saturating_sub(1).min(nlink);
                    if *left == 0 {
                        files.remove(&identity);
                        if let Some((file, _)) = to.file {
                            job.forget_firsts(file, |source| source == identity);
                        }
                    }
                    return Link::To(to);
                }
                _ => {
                    files.insert(identity, Copied::Begun);
                    return Link::First;
                }
            }
        }
    }

    /// Whether the first copy of a file with several links has been made.
    pub fn has(&self, identity: Identity) -> bool {
        matches!(lock(&self.files).get(&identity), Some(Copied::Made { .. }))
    }

    /// Forgets this first copy, because it is no longer where it was made.
    pub fn forget(&self, job: &CopyJob<'_>, source: Identity, gone: &FirstCopy) {
        let mut files = lock(&self.files);
        if let Some(Copied::Made { copy, .. }) = files.get(&source)
            && Arc::ptr_eq(&copy.place, &gone.place)
            && copy.name == gone.name
        {
            files.remove(&source);
            if let Some((file, _)) = gone.file {
                job.forget_firsts(file, |of| of == source);
            }
        }
    }

    /// Notes that the first copy of a file with several links was made, or that none was.
    pub fn made(&self, job: &CopyJob<'_>, identity: Identity, nlink: u64, copy: Option<FirstCopy>) {
        let mut files = lock(&self.files);
        match copy {
            Some(copy) => {
                copy.place.has_links.store(true, Ordering::Relaxed);
                if let Some((file, _)) = copy.file {
                    lock(&job.firsts).entry(file).or_default().push(identity);
                }
                files.insert(identity, Copied::Made { copy, left: nlink.saturating_sub(1) });
            }
            None => drop(files.remove(&identity)),
        }
        drop(files);
        self.is_made.notify_all();
    }
}
