//! [`Cancel`]: ends work from another thread.

/// Ends walks, counts, removals and rescans from another thread.
pub struct Cancel(brisk::Cancel);

impl Cancel {
    /// The engine's own; a new one if the caller has given none.
    ///
    /// # Safety
    /// `given` is NULL, or was made by [`brisk_cancel_new`] and is not freed.
    pub unsafe fn of(given: *const Cancel) -> brisk::Cancel {
        // SAFETY: the caller promises it.
        unsafe { given.as_ref() }.map_or_else(brisk::Cancel::new, |cancel| cancel.0.clone())
    }
}

/// Creates an object that can end a walk, a removal, a search or a count in whose options it is
/// named. It can be freed before that has ended.
///
/// Threads: any.
#[unsafe(no_mangle)]
pub extern "C" fn brisk_cancel_new() -> Box<Cancel> {
    Box::new(Cancel(brisk::Cancel::new()))
}

/// Ends all that it was given to, and all that it will be given to. Callbacks may still be called
/// for what had begun.
///
/// Threads: any, several at once, and signal handlers.
#[unsafe(no_mangle)]
pub extern "C" fn brisk_cancel_now(cancel: Option<&Cancel>) {
    if let Some(cancel) = cancel {
        cancel.0.now();
    }
}

/// Whether it was told to end them; false if it is NULL.
///
/// Threads: any, several at once, and signal handlers.
#[unsafe(no_mangle)]
pub extern "C" fn brisk_is_cancelled(cancel: Option<&Cancel>) -> bool {
    cancel.is_some_and(|cancel| cancel.0.is_cancelled())
}

/// Frees it, or NULL.
///
/// Threads: any; no other thread may use it.
#[unsafe(no_mangle)]
pub extern "C" fn brisk_cancel_free(cancel: Option<Box<Cancel>>) {
    drop(cancel);
}
