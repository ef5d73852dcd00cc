//! [`Emptied`]: the remover's state of a directory that is being emptied: whether the directory may
//! be removed in the end.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use brisk_sys::{Dir, Identity, Owners};

use crate::Meta;

/// A directory that is being emptied.
#[derive(Default)]
pub(super) struct Emptied {
    /// An entry of the directory stays, so the directory stays.
    pub stays: AtomicBool,
    /// The user said no to an entry of the directory. The user is still asked about the directory,
    /// as by GNU rm, and rmdir then fails.
    pub declined: AtomicBool,
    /// This is not the directory that was looked up, or one that must not be touched.
    pub must_stay: bool,
    /// The user was asked about the directory when it was found to be empty.
    pub asked: bool,
    /// In a removal by age: whether the directory was too young when it was opened.
    pub young: Option<bool>,
    /// Device and inode of the directory that was opened, if they were asked for.
    pub identity: Option<Identity>,
    /// The inode of a root, as it was when the root was looked up.
    pub ino: u64,
    /// In a dry run: the owners whose entries may be removed from the directory, or the raw value
    /// of the system's refusal.
    pub owners: OnceLock<Result<Owners, i32>>,
}

impl Emptied {
    pub fn keep(&self) {
        self.stays.store(true, Ordering::Relaxed);
    }

    pub fn decline(&self) {
        self.declined.store(true, Ordering::Relaxed);
    }

    pub fn is_declined(&self) -> bool {
        self.declined.load(Ordering::Relaxed)
    }

    /// The error with which the system would refuse to remove an entry of this directory, as far as
    /// that can be known. Adds the requests that this takes to `requests`.
    pub fn foreseen(
        &self,
        dir: Option<&Dir>,
        meta: &Meta,
        requests: &mut u64,
    ) -> Option<io::Error> {
        let dir = dir?;
        let ask = || {
            *requests += 2;
            dir.removable().map_err(|error| error.raw_os_error().unwrap_or_default())
        };
        match self.owners.get_or_init(ask) {
            Ok(owners) => owners.refusal(meta),
            Err(number) => Some(io::Error::from_raw_os_error(*number)),
        }
    }
}
