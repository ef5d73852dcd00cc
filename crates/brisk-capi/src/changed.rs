//! [`brisk_changed`]: what has changed in trees since a state of them was saved. Its changes are also
//! those that a watch finds.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::MaybeUninit;
use std::path::PathBuf;
use std::ptr::null;

use brisk_state::{ChangeBatch, Report, Rescan, RescanError, RootedPath};
use brisk_sys::paths::bytes_to_path;

use crate::border::{ErrorFunction, guarded, tell};
use crate::cancel::Cancel;
use crate::constants::{BRISK_CHANGED_CONTENT, BRISK_CHANGED_NO_CTIME, BRISK_CHANGED_NO_RENAMES};
use crate::entry::letter;
use crate::error::{Error, c_string};
use crate::given::{self, Growing, OutStruct, bytes, check_bits, paths};
use crate::options::rules;

/// What counts as a change. What is 0 is the default. Later versions may add members at the end.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ChangedOptions {
    /// The size of this structure: sizeof(brisk_changed_options).
    size: usize,
    /// Ends the search; may be NULL.
    cancel: *const Cancel,
    /// What `error` gets as `data`.
    data: *mut c_void,
    /// Is called for each error, such as a directory that cannot be read, on the calling thread when
    /// the search is done; no more after it has answered BRISK_STOP.
    error: ErrorFunction,
    /// BRISK_CHANGED_….
    flags: u32,
    /// BRISK_IGNORE_… of what does not belong to the state.
    ignore: u32,
}

// SAFETY: it is repr(C), begins with the size, and has pointers and numbers alone.
unsafe impl Growing for ChangedOptions {}

/// Changes that brisk_changed or brisk_watch_next has found.
pub struct Changes {
    /// What brisk_changes_save saves.
    saves: Option<(Report, PathBuf)>,
    /// The letters of each change: its kind, and the entry's type.
    letters: Vec<[c_char; 2]>,
    reason: Option<CString>,
    /// What was scanned, and why.
    scanned: Vec<(CString, CString)>,
    /// The path of each change, and where a renamed entry was.
    paths: Vec<(CString, Option<CString>)>,
}

/// A change of one entry. Later versions may add members at the end.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Change {
    /// The size of this structure: sizeof(brisk_change).
    size: usize,
    /// The path, beginning with the root as it was given.
    path: *const c_char,
    /// Where a renamed entry was; NULL if it was not renamed.
    old_path: *const c_char,
    /// 'A' added, 'M' modified, 'D' deleted, 'T' type changed, 'R' renamed, '?' cannot be read now.
    kind: c_char,
    /// The type, as brisk_entry's; of a deleted entry the one it had.
    r#type: c_char,
}

// SAFETY: it is repr(C), begins with the size, and has pointers and letters alone.
unsafe impl Growing for Change {}

/// Why there is no answer.
#[cold]
pub fn failed(operation: &'static CStr, why: &RescanError) -> Error {
    let path = why.path().as_os_str().as_encoded_bytes();
    Error::new(operation, path, why.errno(), &why.to_string())
}

impl Changes {
    fn new(report: &Report) -> Changes {
        let path_of =
            |place: &RootedPath| c_string(report.path(place).as_os_str().as_encoded_bytes());
        let paths = report.changes.iter();
        let paths = paths.map(|change| (path_of(&change.place), change.from.as_ref().map(path_of)));
        // Letters of ASCII.
        let letters = |change: &brisk_state::Change| {
            [change.kind.letter() as u8 as c_char, letter(change.file_type)]
        };
        Changes {
            letters: report.changes.iter().map(letters).collect(),
            paths: paths.collect(),
            reason: report.no_state.as_ref().map(|why| c_string(why.to_string().as_bytes())),
            saves: None,
            scanned: Vec::new(),
        }
    }

    pub fn of_batch(batch: &ChangeBatch) -> Changes {
        let part = |(path, why): (PathBuf, String)| {
            (c_string(path.as_os_str().as_encoded_bytes()), c_string(why.as_bytes()))
        };
        let reason = batch.reason().map(|why| c_string(why.as_bytes()));
        let scanned = batch.parts().map(part).collect();
        Changes { reason, scanned, ..Changes::new(&batch.report) }
    }
}

/// The rescan of these roots that the options ask for.
///
/// # Safety
/// As [`paths`], and for what is in the options.
pub unsafe fn rescan(
    roots: *const *const c_char,
    root_count: usize,
    options: &ChangedOptions,
) -> Result<Rescan, Error> {
    // SAFETY: the caller promises it.
    let roots = unsafe { paths(roots, root_count) }?;
    let all = BRISK_CHANGED_CONTENT | BRISK_CHANGED_NO_CTIME | BRISK_CHANGED_NO_RENAMES;
    check_bits(options.flags, all, "flag")?;
    // A look with other rules must not accept what this state has pending.
    let made_with = (options.ignore != 0).then(|| format!("ignore {:#x}", options.ignore));
    Ok(Rescan {
        made_with: made_with.unwrap_or_default().into(),
        rules: rules(options.ignore)?,
        content: options.flags & BRISK_CHANGED_CONTENT != 0,
        ctime: options.flags & BRISK_CHANGED_NO_CTIME == 0,
        renames: options.flags & BRISK_CHANGED_NO_RENAMES == 0,
        // SAFETY: the caller promises it.
        cancel: unsafe { Cancel::of(options.cancel) },
        ..Rescan::over(roots)
    })
}

/// The error of a rescan.
#[cold]
pub fn failed_rescan(why: &RescanError) -> Error {
    let is_file = matches!(why, RescanError::File(..));
    failed(if is_file { c"load state" } else { c"changed" }, why)
}

/// Finds what has changed in the trees at `roots` since the state in the file `state` was saved.
/// Everything is added if there is no usable state. The state is not changed: brisk_changes_save
/// does that. `options` may be NULL. Returns NULL with an error if a root cannot be examined, if
/// `state` is a file of something else, if `cancel` has ended the search, or if an option cannot be
/// understood.
///
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brisk_changed(
    state: *const c_char,
    roots: *const *const c_char,
    root_count: usize,
    options: *const ChangedOptions,
    error: Option<&mut MaybeUninit<Option<Box<Error>>>>,
) -> Option<Box<Changes>> {
    guarded(error, None, || {
        // SAFETY: the caller promises it.
        let options: ChangedOptions = unsafe { given::options(options) }?;
        // SAFETY: the caller promises it.
        let state = unsafe { bytes(state) };
        let state = state.ok_or_else(|| Error::argument("the state's path is NULL"))?;
        let file = bytes_to_path(state).to_owned();
        // SAFETY: the caller promises it.
        let rescan = unsafe { rescan(roots, root_count, &options) }?;
        let report = rescan.run_since(&file).map_err(|why| failed_rescan(&why))?;
        // SAFETY: the caller has given the function and its data for this.
        unsafe { tell(options.error, options.data, &report.errors) };
        let changes = Changes::new(&report);
        Ok(Some(Box::new(Changes { saves: Some((report, file)), ..changes })))
    })
}

/// How many changes there are; 0 if `changes` is NULL.
///
/// Threads: any, several at once.
#[unsafe(no_mangle)]
pub extern "C" fn brisk_changes_count(changes: Option<&Changes>) -> usize {
    changes.map_or(0, |changes| changes.paths.len())
}

/// Why all is told, and not only what has changed lately, such as "there is no state yet"; NULL if
/// that is not so. The string lives as long as `changes`.
///
/// Threads: any, several at once.
#[unsafe(no_mangle)]
pub extern "C" fn brisk_changes_reason(changes: Option<&Changes>) -> *const c_char {
    let reason = changes.and_then(|changes| changes.reason.as_ref());
    reason.map_or(null(), |reason| reason.as_ptr())
}

/// The path of a directory that a watch has scanned, because events did not say what had changed
/// there; NULL if there are not so many. `reason` gets the reason; it may be NULL. The strings live as
/// long as `changes`.
///
/// Threads: any, several at once.
#[unsafe(no_mangle)]
pub extern "C" fn brisk_changes_scanned(
    changes: Option<&Changes>,
    index: usize,
    reason: Option<&mut MaybeUninit<*const c_char>>,
) -> *const c_char {
    let found = changes.and_then(|changes| changes.scanned.get(index));
    if let Some(place) = reason {
        place.write(found.map_or(null(), |(_, why)| why.as_ptr()));
    }
    found.map_or(null(), |(path, _)| path.as_ptr())
}

/// Writes the change with this index to `change`, whose `size` is set. They are sorted by path,
/// component by component. The strings live as long as `changes`. Returns 0; -1 if there is no such
/// change, or the size is not set.
///
/// Threads: any, several at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brisk_changes_get(
    changes: Option<&Changes>,
    index: usize,
    change: *mut Change,
) -> c_int {
    guarded(None, -1, || {
        // SAFETY: the caller promises it.
        let place = unsafe { OutStruct::new(change) }?;
        let found = changes
            .and_then(|changes| changes.letters.get(index).copied().zip(changes.paths.get(index)));
        let no_such = || Error::argument("there is no such change");
        let ([kind, r#type], (path, old_path)) = found.ok_or_else(no_such)?;
        place.write(&Change {
            size: 0,
            path: path.as_ptr(),
            old_path: old_path.as_ref().map_or(null(), |path| path.as_ptr()),
            kind,
            r#type,
        });
        Ok(0)
    })
}

/// Saves what brisk_changed has found as the state that the next brisk_changed compares with. The file is replaced
/// at once; it is not written if nothing is new. Returns 0, and -1 with an error if it cannot be
/// written.
///
/// Threads: any, but one at a time for each file.
#[unsafe(no_mangle)]
pub extern "C" fn brisk_changes_save(
    changes: Option<&Changes>,
    error: Option<&mut MaybeUninit<Option<Box<Error>>>>,
) -> c_int {
    guarded(error, -1, || {
        let saves = changes.and_then(|changes| changes.saves.as_ref());
        let (report, state) = saves.ok_or_else(|| Error::argument("there are no such changes"))?;
        report.save(state).map_err(|why| failed(c"save state", &why))?;
        Ok(0)
    })
}

/// Frees changes and their strings. `changes` may be NULL.
///
/// Threads: any; no other thread may use the changes.
#[unsafe(no_mangle)]
pub extern "C" fn brisk_changes_free(changes: Option<Box<Changes>>) {
    drop(changes);
}
