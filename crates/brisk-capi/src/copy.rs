//! [`brisk_copy`]: the engine's copy of a file or a tree.

use std::ffi::{c_char, c_int, c_void};
use std::mem::MaybeUninit;

use brisk::copy::{Copy, Pair, Preserve, Report, Update};

use crate::border::{ErrorFunction, guarded, tell};
use crate::constants::{
    BRISK_COPY_ARCHIVE, BRISK_COPY_CHANGED, BRISK_COPY_DELETE, BRISK_COPY_DRY_RUN, BRISK_COPY_KEEP,
    BRISK_COPY_NEW, BRISK_COPY_SYNC,
};
use crate::error::Error;
use crate::given::{self, Growing, OutStruct, check_bits};
use crate::options::WalkOptions;

/// How a tree is copied. What is 0 is the default. Later versions may add members at the end.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CopyOptions {
    /// The size of this structure: sizeof(brisk_copy_options).
    size: usize,
    /// Which entries are copied: what the walk over the source delivers. Its order and fields have
    /// no effect; what cancels it ends the copy. May be NULL.
    walk: *const WalkOptions,
    /// What `failed` gets as `data`.
    data: *mut c_void,
    /// Is called for each failure, the first thousand, on the calling thread when the copy is done;
    /// no more after it has answered BRISK_STOP.
    failed: ErrorFunction,
    /// BRISK_COPY_….
    flags: u32,
}

// SAFETY: it is repr(C), begins with the size, and has pointers and numbers alone.
unsafe impl Growing for CopyOptions {}

/// What was copied. Later versions may add members at the end.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Copied {
    /// The size of this structure: sizeof(brisk_copied).
    size: usize,
    /// Entries that are no directories.
    files: u64,
    /// Directories that were made.
    directories: u64,
    /// The bytes of the contents, without holes; 0 after BRISK_COPY_DRY_RUN.
    bytes: u64,
    /// Entries that were there already, and stay as they are.
    unchanged: u64,
    /// Entries that BRISK_COPY_DELETE has removed.
    deleted: u64,
    failed: u64,
}

// SAFETY: it is repr(C), begins with the size, and has numbers alone.
unsafe impl Growing for Copied {}

/// Copies the file or tree at `source` to `destination`, which is the copy's own path, to the end
/// whatever fails on the way. A new file or tree gets its name when it is whole. An existing file is
/// overwritten in place, or replaced if it cannot be opened for writing; an existing link is
/// replaced. Below both paths no link is followed that another process puts in the place of a file
/// or directory. `options` and `copied` may be NULL. Returns 0 if all is copied, 1 if something
/// failed or the copy was cancelled, and -1 with an error if an option cannot be understood. On
/// other systems than Linux everything fails.
///
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brisk_copy(
    source: *const c_char,
    destination: *const c_char,
    options: *const CopyOptions,
    copied: *mut Copied,
    error: Option<&mut MaybeUninit<Option<Box<Error>>>>,
) -> c_int {
    guarded(error, -1, || {
        // SAFETY: the caller promises it.
        let options: CopyOptions = unsafe { given::options(options) }?;
        // SAFETY: the caller promises it.
        let paths = unsafe { given::paths([source, destination].as_ptr(), 2) }?;
        // SAFETY: the caller promises it.
        let place = (!copied.is_null()).then(|| unsafe { OutStruct::new(copied) }).transpose()?;
        // SAFETY: the caller promises it.
        let walk: WalkOptions = unsafe { given::options(options.walk) }?;
        // SAFETY: the caller promises it.
        let walk = unsafe { walk.read(&paths[..1]) }?.walk;
        let copy = options.copy(Copy::new(walk))?;
        let report = copy.run([Pair::new(paths[0].to_owned(), paths[1].to_owned())], &());
        if let Some(place) = place {
            let Report { files, directories, bytes, unchanged, deleted, failed, .. } = report;
            place.write(&Copied { size: 0, files, directories, bytes, unchanged, deleted, failed });
        }
        // SAFETY: the caller has given the function and its data for this.
        unsafe { tell(options.failed, options.data, &report.failures) };
        Ok(c_int::from(!report.is_complete()))
    })
}

impl CopyOptions {
    /// # Errors
    /// There is no such flag.
    fn copy(&self, copy: Copy) -> Result<Copy, Error> {
        let all = BRISK_COPY_ARCHIVE
            | BRISK_COPY_NEW
            | BRISK_COPY_KEEP
            | BRISK_COPY_CHANGED
            | BRISK_COPY_DELETE
            | BRISK_COPY_DRY_RUN
            | BRISK_COPY_SYNC;
        check_bits(self.flags, all, "flag")?;
        let has = |flag| self.flags & flag != 0;
        Ok(Copy {
            preserve: if has(BRISK_COPY_ARCHIVE) { Preserve::ARCHIVE } else { copy.preserve },
            merge: !has(BRISK_COPY_NEW),
            update: match () {
                () if has(BRISK_COPY_KEEP) => Update::None,
                () if has(BRISK_COPY_CHANGED) => Update::Changed,
                () => copy.update,
            },
            force: true,
            delete: has(BRISK_COPY_DELETE),
            dry_run: has(BRISK_COPY_DRY_RUN),
            sync: has(BRISK_COPY_SYNC),
            ..copy
        })
    }
}
