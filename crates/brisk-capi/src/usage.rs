//! [`brisk_usage_of`]: how much space trees take up.

use std::ffi::{CString, c_char, c_int, c_void};
use std::mem::MaybeUninit;
use std::num::NonZeroUsize;

use brisk::usage::{self, DirectorySums, HardLinks, Sums};
use brisk::{Follow, Walk};

use crate::border::{ErrorFunction, guarded, tell};
use crate::cancel::Cancel;
use crate::error::{Error, c_string};
use crate::given::{self, Growing, OutStruct, choice, paths};
use crate::options::{follow, mounts, rules};

/// By the numbers of BRISK_LINKS_….
const LINKS: [HardLinks; 2] = [HardLinks::FirstSorted, HardLinks::Each];

/// What is added up. What is 0 is the default. Later versions may add members at the end.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct UsageOptions {
    /// The size of this structure: sizeof(brisk_usage_options).
    size: usize,
    /// Ends the count; may be NULL.
    cancel: *const Cancel,
    /// What the functions get as `data`.
    data: *mut c_void,
    /// Is called for each directory that is at most `max_depth` deep, those below first, on the
    /// calling thread when the count is done; no more after it has answered BRISK_STOP. What it gets
    /// is the library's.
    total: Option<unsafe extern "C" fn(data: *mut c_void, total: &Total) -> c_int>,
    /// Is called for each error, such as a directory that cannot be read, in the same way.
    error: ErrorFunction,
    /// How deep the directories are that `total` gets; a root's depth is 0.
    max_depth: usize,
    /// BRISK_LINKS_….
    links: u32,
    /// BRISK_FOLLOW_…; by default BRISK_FOLLOW_NEVER.
    follow: u32,
    /// BRISK_MOUNTS_….
    mounts: u32,
    /// BRISK_IGNORE_… of what does not count.
    ignore: u32,
    /// The number of threads; by default the count measures how many are worth while.
    threads: u32,
}

// SAFETY: it is repr(C), begins with the size, and has pointers and numbers alone.
unsafe impl Growing for UsageOptions {}

/// What trees take up. Later versions may add members at the end.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Usage {
    /// The size of this structure: sizeof(brisk_usage).
    size: usize,
    /// The bytes that are allocated.
    allocated: u64,
    /// The bytes of the contents.
    apparent: u64,
    /// The number of files and directories.
    entries: u64,
    /// How many errors there were, so that the sums may be too small.
    errors: u64,
}

// SAFETY: it is repr(C), begins with the size, and has numbers alone.
unsafe impl Growing for Usage {}

/// What a directory takes up, with everything below it.
#[repr(C)]
pub struct Total {
    /// The size of this structure in bytes.
    size: usize,
    path: *const c_char,
    /// How deep the directory is; a root's depth is 0.
    depth: usize,
    allocated: u64,
    apparent: u64,
    entries: u64,
}

impl From<&(CString, DirectorySums)> for Total {
    fn from((path, found): &(CString, DirectorySums)) -> Total {
        let Sums { allocated, apparent, entries, .. } = found.sums;
        let size = size_of::<Total>();
        Total { size, path: path.as_ptr(), depth: found.depth, allocated, apparent, entries }
    }
}

/// Adds up what the trees at `roots` take, into `usage`. `options` may be NULL. Returns 0; 1 if there
/// were errors or `cancel` has ended the count, so that the sums may be too small; and -1 with an
/// error if an option cannot be understood.
///
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brisk_usage_of(
    roots: *const *const c_char,
    root_count: usize,
    options: *const UsageOptions,
    usage: *mut Usage,
    error: Option<&mut MaybeUninit<Option<Box<Error>>>>,
) -> c_int {
    guarded(error, -1, || {
        // SAFETY: the caller promises it.
        let options: UsageOptions = unsafe { given::options(options) }?;
        // SAFETY: the caller promises it.
        let roots = unsafe { paths(roots, root_count) }?;
        // SAFETY: the caller promises it.
        let place = unsafe { OutStruct::new(usage) }?;
        // SAFETY: the caller promises it.
        let cancel = unsafe { Cancel::of(options.cancel) };
        let walk = Walk::over(roots)
            .follow(follow(options.follow, Follow::Never)?)
            .mounts(mounts(options.mounts)?)
            .threads(NonZeroUsize::new(options.threads as usize))
            .rules(rules(options.ignore)?)
            .cancelled_by(&cancel);
        let mut count = usage::Usage::new(walk);
        count.links = choice(options.links, &LINKS, "way to count links")?;
        let max_depth = options.total.map_or(0, |_| options.max_depth);
        let directories = count.directories(max_depth);
        let Sums { allocated, apparent, entries, .. } = directories.report.total;
        let errors = directories.errors.len() as u64;
        place.write(&Usage { size: 0, allocated, apparent, entries, errors });
        let path_of = |found: &DirectorySums| c_string(found.path.as_os_str().as_encoded_bytes());
        let found = directories.found.into_iter().map(|found| (path_of(&found), found));
        // SAFETY: the caller has given the functions and their data for this.
        unsafe { tell(options.total, options.data, &found.collect::<Vec<_>>()) };
        // SAFETY: as above.
        unsafe { tell(options.error, options.data, &directories.errors) };
        Ok(c_int::from(errors > 0 || cancel.is_cancelled()))
    })
}
