//! [`brisk_changed`]: what has changed in trees since a state of them was saved.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::MaybeUninit;
use std::path::PathBuf;
use std::ptr::null;

use brisk_state::{Report, Rescan, RescanError, RootedPath};
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

/// Changes that brisk_changed has found.
pub struct Changes {
    report: Report,
    state: PathBuf,
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
fn failed(operation: &'static CStr, why: &RescanError) -> Error {
    let path = why.path().as_os_str().as_encoded_bytes();
    Error::new(operation, path, why.errno(), &why.to_string())
}

impl Changes {
    fn new(report: Report, state: PathBuf) -> Changes {
        let path_of =
            |place: &RootedPath| c_string(report.path(place).as_os_str().as_encoded_bytes());
        let paths = report.changes.iter();
        let paths = paths.map(|change| (path_of(&change.place), change.from.as_ref().map(path_of)));
        Changes { paths: paths.collect(), report, state }
    }
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
        let roots = unsafe { paths(roots, root_count) }?;
        // SAFETY: the caller promises it.
        let state = unsafe { bytes(state) };
        let state = state.ok_or_else(|| Error::argument("the state's path is NULL"))?;
        let all = BRISK_CHANGED_CONTENT | BRISK_CHANGED_NO_CTIME | BRISK_CHANGED_NO_RENAMES;
        check_bits(options.flags, all, "flag")?;
        let file = bytes_to_path(state).to_owned();
        // A look with other rules must not accept what this state has pending.
        let made_with = (options.ignore != 0).then(|| format!("ignore {:#x}", options.ignore));
        let rescan = Rescan {
            made_with: made_with.unwrap_or_default().into(),
            rules: rules(options.ignore)?,
            content: options.flags & BRISK_CHANGED_CONTENT != 0,
            ctime: options.flags & BRISK_CHANGED_NO_CTIME == 0,
            renames: options.flags & BRISK_CHANGED_NO_RENAMES == 0,
            // SAFETY: the caller promises it.
            cancel: unsafe { Cancel::of(options.cancel) },
            ..Rescan::over(roots)
        };
        let report = rescan.run_since(&file).map_err(|why| match why {
            RescanError::File(..) => failed(c"load state", &why),
            _ => failed(c"changed", &why),
        })?;
        // SAFETY: the caller has given the function and its data for this.
        unsafe { tell(options.error, options.data, &report.errors) };
        Ok(Some(Box::new(Changes::new(report, file))))
    })
}

/// How many changes there are; 0 if `changes` is NULL.
///
/// Threads: any, several at once.
#[unsafe(no_mangle)]
pub extern "C" fn brisk_changes_count(changes: Option<&Changes>) -> usize {
    changes.map_or(0, |changes| changes.paths.len())
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
        let found = changes.and_then(|changes| {
            let (path, old_path) = changes.paths.get(index)?;
            changes.report.changes.get(index).map(|change| (change, path, old_path))
        });
        let no_such = || Error::argument("there is no such change");
        let (change, path, old_path) = found.ok_or_else(no_such)?;
        place.write(&Change {
            size: 0,
            path: path.as_ptr(),
            old_path: old_path.as_ref().map_or(null(), |path| path.as_ptr()),
            // A letter of ASCII.
            kind: change.kind.letter() as u8 as c_char,
            r#type: letter(change.file_type),
        });
        Ok(0)
    })
}

/// Saves what was found as the state that the next brisk_changed compares with. The file is replaced
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
        let changes = changes.ok_or_else(|| Error::argument("there are no changes"))?;
        changes.report.save(&changes.state).map_err(|why| failed(c"save state", &why))?;
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
