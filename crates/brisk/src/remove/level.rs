//! What a removal remembers of a directory that is being emptied.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use brisk_sys::{Dir, Owners};

use crate::Meta;

/// A directory that is being emptied.
#[derive(Default)]
pub(super) struct Level {
    /// Something in it stays, so it stays.
    pub stays: AtomicBool,
    /// Something in it was asked about and stays. GNU rm asks about the directory all the same, and
    /// finds that it is not empty.
    pub declined: AtomicBool,
    /// It is not the directory that was looked at, or must not be touched.
    pub refused: AtomicBool,
    /// It was asked about, when it was found to be empty.
    pub asked: bool,
    /// It was found to be as old as it must be.
    pub old: bool,
    /// The inode of a root, as it was when it was looked at.
    pub ino: u64,
    /// In a dry run: whose entries may be removed from it, or the number of the system's refusal.
    pub owners: OnceLock<Result<Owners, i32>>,
}

impl Level {
    pub fn keep(&self) {
        self.stays.store(true, Ordering::Relaxed);
    }

    pub fn decline(&self) {
        self.declined.store(true, Ordering::Relaxed);
    }

    pub fn is_declined(&self) -> bool {
        self.declined.load(Ordering::Relaxed)
    }

    /// What the system would answer to the removal of an entry of this directory, as far as it
    /// tells. Counts the requests that are made for that.
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
