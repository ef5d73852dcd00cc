//! [`brisk_remove`]: the engine's removal of trees.

use std::ffi::{c_char, c_int, c_void};
use std::mem::MaybeUninit;
use std::num::NonZeroUsize;

use brisk::Walk;
use brisk::remove::{Remove, Report};

use crate::border::{ErrorFunction, guarded, tell};
use crate::cancel::Cancel;
use crate::constants::{
    BRISK_REMOVE_CROSS_MOUNTS, BRISK_REMOVE_DRY_RUN, BRISK_REMOVE_IGNORE_MISSING,
    BRISK_REMOVE_KEEP_ROOTS,
};
use crate::error::Error;
use crate::given::{self, Growing, OutStruct, check_bits};

/// How trees are removed. What is 0 is the default. Later versions may add members at the end.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RemoveOptions {
    /// The size of this structure: sizeof(brisk_remove_options).
    size: usize,
    /// Ends the removal; may be NULL.
    cancel: *const Cancel,
    /// What `failed` gets as `data`.
    data: *mut c_void,
    /// Is called for each entry that stays, the first thousand, on the calling thread when the
    /// removal is done; no more after it has answered BRISK_STOP.
    failed: ErrorFunction,
    /// BRISK_REMOVE_….
    flags: u32,
    /// The number of threads; by default the removal measures how many are worth while.
    threads: u32,
}

// SAFETY: it is repr(C), begins with the size, and has pointers and numbers alone.
unsafe impl Growing for RemoveOptions {}

/// What was removed. Later versions may add members at the end.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Removed {
    /// The size of this structure: sizeof(brisk_removed).
    size: usize,
    /// Entries that are no directories.
    files: u64,
    directories: u64,
    /// Only after BRISK_REMOVE_DRY_RUN: the bytes of the files.
    bytes: u64,
    /// How many entries stay.
    failed: u64,
}

// SAFETY: it is repr(C), begins with the size, and has numbers alone.
unsafe impl Growing for Removed {}

/// Removes the trees, files or links at `paths`, to the end whatever fails on the way. Each entry is
/// removed by its directory's handle, so no link is followed, whatever another process does.
/// `options` and `removed` may be NULL. Returns 0 if all is gone, 1 if entries stay or `cancel` has
/// ended it, and -1 with an error if an option cannot be understood.
///
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brisk_remove(
    paths: *const *const c_char,
    path_count: usize,
    options: *const RemoveOptions,
    removed: *mut Removed,
    error: Option<&mut MaybeUninit<Option<Box<Error>>>>,
) -> c_int {
    guarded(error, -1, || {
        // SAFETY: the caller promises it.
        let options: RemoveOptions = unsafe { given::options(options) }?;
        // SAFETY: the caller promises it.
        let paths = unsafe { given::paths(paths, path_count) }?;
        // SAFETY: the caller promises it.
        let place = (!removed.is_null()).then(|| unsafe { OutStruct::new(removed) }).transpose()?;
        let all = BRISK_REMOVE_KEEP_ROOTS
            | BRISK_REMOVE_IGNORE_MISSING
            | BRISK_REMOVE_CROSS_MOUNTS
            | BRISK_REMOVE_DRY_RUN;
        check_bits(options.flags, all, "flag")?;
        let has = |flag| options.flags & flag != 0;
        // SAFETY: the caller promises it.
        let cancel = unsafe { Cancel::of(options.cancel) };
        let walk = Walk::over(paths).threads(NonZeroUsize::new(options.threads as usize));
        let removal = Remove {
            keep_roots: has(BRISK_REMOVE_KEEP_ROOTS),
            ignore_missing: has(BRISK_REMOVE_IGNORE_MISSING),
            cross_mounts: has(BRISK_REMOVE_CROSS_MOUNTS),
            dry_run: has(BRISK_REMOVE_DRY_RUN),
            ..Remove::new(walk.cancelled_by(&cancel))
        };
        let report = removal.run(&());
        if let Some(place) = place {
            let Report { files, directories, bytes, failed, .. } = report;
            place.write(&Removed { size: 0, files, directories, bytes, failed });
        }
        // SAFETY: the caller has given the function and its data for this.
        unsafe { tell(options.failed, options.data, &report.failures) };
        Ok(c_int::from(!report.is_complete()))
    })
}
