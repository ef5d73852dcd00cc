//! [`Emptying`]: the remover's state of a directory that is being emptied: whether the directory
//! may be removed in the end.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use brisk_sys::{Dir, Identity, Owners};

use crate::Meta;

/// A directory that is being emptied. What an entry that stays means for it:
///
/// | method | the entry stays because of | rmdir |
/// |---|---|---|
/// | `let_rmdir_fail` | only with questions: a no to a file or an emptied directory, as in GNU rm; a question or stat that failed | tried, and fails |
/// | `must_stay` | a failure (without questions also of a stat); its age; a no to entering a directory, or to an empty one | not tried |
#[derive(Default)]
pub(super) struct Emptying {
    /// The directory stays: an entry of it stays, or the filter refuses the directory itself.
    pub stays: AtomicBool,
    /// An entry stays, but the user is still asked about the directory, as by GNU rm, and rmdir
    /// then fails.
    pub rmdir_fails: AtomicBool,
    /// Another directory was opened than the one that was looked up, perhaps `/`.
    pub is_another: bool,
    /// In a removal by age: whether the directory was too young when it was opened.
    pub young: Option<bool>,
    /// Device and inode of the directory that was opened, if they were asked for.
    pub identity: Option<Identity>,
    /// The inode that the directory's parent lists, or with which a root was looked up. Only a
    /// root's is compared.
    pub ino: u64,
    /// In a dry run: the owners whose entries may be removed from the directory, or the raw value
    /// of the system's refusal.
    pub owners: OnceLock<Result<Owners, i32>>,
}

impl Emptying {
    /// An entry stays, so that rmdir is not tried.
    pub fn must_stay(&self) {
        self.stays.store(true, Ordering::Relaxed);
    }

    /// An entry stays, and rmdir is still tried.
    pub fn let_rmdir_fail(&self) {
        self.rmdir_fails.store(true, Ordering::Relaxed);
    }

    pub fn rmdir_will_fail(&self) -> bool {
        self.rmdir_fails.load(Ordering::Relaxed)
    }

    /// The error with which the system would refuse to remove an entry of this directory, as far as
    /// that can be known. Adds the requests that this takes to `requests`.
    pub fn predicted_error(
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
