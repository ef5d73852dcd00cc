//! [`Emptying`]: the remover's state of a directory that is being emptied: whether the directory
//! may be removed in the end.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use brisk_sys::{Dir, Identity, Owners};

use crate::Meta;

/// A directory that is being emptied. What an entry that stays means for it:
///
/// | method | rmdir of the directory |
/// |---|---|
/// | [`let_rmdir_fail`](Emptying::let_rmdir_fail) | is tried, and fails |
/// | [`must_stay`](Emptying::must_stay) | is not tried |
#[derive(Default)]
pub(super) struct Emptying {
    /// An entry of the directory stays, so the directory stays.
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
    /// An entry stays, so that rmdir is not tried: it failed or was spared, or the user said no to
    /// entering a directory or to removing an empty one. For the other noes see
    /// [`let_rmdir_fail`](Emptying::let_rmdir_fail).
    pub fn must_stay(&self) {
        self.stays.store(true, Ordering::Relaxed);
    }

    /// In a removal with questions: the user said no to a file or to an emptied directory, or an entry
    /// could not be asked about or statted. As in GNU rm, rmdir is still tried, and fails.
    pub fn let_rmdir_fail(&self) {
        self.rmdir_fails.store(true, Ordering::Relaxed);
    }

    pub fn rmdir_will_fail(&self) -> bool {
        self.rmdir_fails.load(Ordering::Relaxed)
    }

    /// The error with which the system would refuse to remove an entry of this directory, as far as
    /// that can be known. Adds the requests that this takes to `requests`.
    pub fn predicted_refusal(
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
