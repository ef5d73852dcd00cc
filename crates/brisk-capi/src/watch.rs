//! [`PulledWatch`]: batches of changes, which the caller pulls.

use std::ffi::{c_char, c_int};
use std::mem::MaybeUninit;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use brisk_state::{Batches, RescanError, Waker};
use brisk_sys::paths::bytes_to_path;
use brisk_sys::threads::lock;

use crate::border::{ErrorOut, guarded};
use crate::changed::{ChangedOptions, Changes, failed, failed_rescan, rescan};
use crate::error::Error;
use crate::given::{self, bytes};

/// Batches of changes in trees, as they come.
pub struct PulledWatch {
    batches: Mutex<Batches>,
    cancel: brisk::Cancel,
    waker: Waker,
}

/// Begins to watch the trees and files at `roots`. The first batch has what has changed since the
/// state in the file `state`, where what is accepted is saved; if it is NULL, everything is added,
/// and nothing saved. A batch ends when nothing has happened for `settle` milliseconds, or for ten
/// times as long since its first event; 20 is a good choice. `options` may be NULL; its function
/// `error` is not called: what cannot be read is a change '?'. Returns NULL with an error if `state`
/// is a file of something else, or if the system has no more of what a watch needs.
///
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brisk_watch_new(
    state: *const c_char,
    roots: *const *const c_char,
    root_count: usize,
    settle: u32,
    options: *const ChangedOptions,
    error: Option<&mut MaybeUninit<Option<Box<Error>>>>,
) -> Option<Box<PulledWatch>> {
    guarded(error, None, || {
        // SAFETY: the caller promises it.
        let options: ChangedOptions = unsafe { given::options(options) }?;
        // SAFETY: the caller promises it.
        let rescan = unsafe { rescan(roots, root_count, &options) }?;
        // SAFETY: the caller promises it.
        let file = unsafe { bytes(state) }.map(bytes_to_path);
        let cancel = rescan.cancel.clone();
        let batches = Batches::new(rescan, file, Duration::from_millis(settle.into()));
        let batches = batches.map_err(|why| failed_rescan(&why))?;
        let waker = batches.waker();
        Ok(Some(Box::new(PulledWatch { batches: Mutex::new(batches), cancel, waker })))
    })
}

/// Accepts the last batch, and waits for the next one: for `timeout` milliseconds, or without an end
/// if that is negative. The first batch comes at once, also without changes. Returns NULL without an
/// error if the time is over, or the watch was ended. The changes are freed with brisk_changes_free;
/// brisk_changes_save does not take them. A root that is missing is an error at the first batch; one
/// that vanishes later is waited for.
///
/// Threads: any, one at a time.
#[unsafe(no_mangle)]
pub extern "C" fn brisk_watch_next(
    watch: Option<&PulledWatch>,
    timeout: i64,
    error: Option<&mut MaybeUninit<Option<Box<Error>>>>,
) -> Option<Box<Changes>> {
    guarded(error, None, || {
        let watch = watch.ok_or_else(no_watch)?;
        let timeout = u64::try_from(timeout).ok().map(Duration::from_millis);
        let until = timeout.and_then(|time| Instant::now().checked_add(time));
        let mut batches = lock(&watch.batches);
        let batch = batches.next(until).map_err(|why| failed_rescan(&why))?;
        Ok(batch.map(|batch| Box::new(Changes::of_batch(batch))))
    })
}

/// Accepts the last batch, as asking for the next one does, and saves the state. Returns 0; -1 with
/// an error if it cannot be saved.
///
/// Threads: any, one at a time.
#[unsafe(no_mangle)]
pub extern "C" fn brisk_watch_save(
    watch: Option<&PulledWatch>,
    error: Option<&mut MaybeUninit<Option<Box<Error>>>>,
) -> c_int {
    with(watch, error, |batches| batches.accept().and_then(|()| batches.save()))
}

/// Ends a brisk_watch_next that waits, and all later ones.
///
/// Threads: any, several at once.
#[unsafe(no_mangle)]
pub extern "C" fn brisk_watch_end(watch: Option<&PulledWatch>) {
    if let Some(watch) = watch {
        watch.cancel.now();
        watch.waker.wake();
    }
}

/// Frees a watch, or NULL. What was accepted is saved first; the last batch is accepted by
/// brisk_watch_save alone, and is told again otherwise. Returns 0; -1 with an error if the state cannot
/// be saved.
///
/// Threads: any; no other thread may use the watch.
#[unsafe(no_mangle)]
pub extern "C" fn brisk_watch_free(
    watch: Option<Box<PulledWatch>>,
    error: Option<&mut MaybeUninit<Option<Box<Error>>>>,
) -> c_int {
    match watch {
        Some(watch) => with(Some(&watch), error, Batches::save),
        None => guarded(error, 0, || Ok(0)),
    }
}

fn with(
    watch: Option<&PulledWatch>,
    error: ErrorOut<'_>,
    work: impl FnOnce(&mut Batches) -> Result<(), RescanError>,
) -> c_int {
    guarded(error, -1, || {
        let watch = watch.ok_or_else(no_watch)?;
        work(&mut lock(&watch.batches)).map_err(|why| failed(c"save state", &why))?;
        Ok(0)
    })
}

#[cold]
fn no_watch() -> Error {
    Error::argument("there is no watch")
}
