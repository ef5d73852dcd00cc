//! No events: what waits for them only waits.

use std::io;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::BorrowedHandle;
use crate::notice::{Notice, Reach};
use crate::threads::lock;

/// A queue that stays empty.
#[derive(Debug, Default)]
pub struct Events(Waker);

/// Ends a wait for events, from any thread.
#[derive(Clone, Debug, Default)]
pub struct Waker(Arc<(Mutex<bool>, Condvar)>);

impl Waker {
    /// Ends the wait, or the next one. Makes no system call of its own.
    pub fn wake(&self) {
        *lock(&self.0.0) = true;
        self.0.1.notify_all();
    }
}

impl Events {
    /// Whether a watch is of all that is below its directory.
    pub const IS_RECURSIVE: bool = false;

    /// A queue. Makes no system call.
    ///
    /// # Errors
    /// None.
    pub fn new() -> io::Result<Events> {
        Ok(Events::default())
    }

    /// Makes no system call.
    ///
    /// # Errors
    /// Always [`Unsupported`](io::ErrorKind::Unsupported).
    pub fn watch(&self, _: Option<BorrowedHandle<'_>>, _: &Path, _: Reach) -> io::Result<i32> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Makes no system call.
    ///
    /// # Errors
    /// Always [`Unsupported`](io::ErrorKind::Unsupported).
    pub fn watch_way(&self, _: &Path, _: bool) -> io::Result<i32> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Does nothing.
    pub fn unwatch(&self, _: i32) {}

    /// Waits until a waker is used, or for this time.
    ///
    /// # Errors
    /// None.
    pub fn wait(&self, time: Option<Duration>) -> io::Result<()> {
        let (woken, signal) = &*self.0.0;
        let is_woken = lock(woken);
        if !*is_woken {
            let waits = signal.wait_timeout(is_woken, time.unwrap_or(Duration::MAX));
            drop(waits.unwrap_or_else(PoisonError::into_inner));
        }
        Ok(())
    }

    /// There are no events. Makes no system call.
    ///
    /// # Errors
    /// None.
    pub fn take(&self, _: impl FnMut(i32, Notice<'_>)) -> io::Result<bool> {
        Ok(false)
    }

    /// Makes no system call.
    #[must_use]
    pub fn has_clock_jumped(&self) -> bool {
        false
    }

    /// Makes no system call.
    #[must_use]
    pub fn have_mounts_changed(&self) -> bool {
        false
    }

    /// Whether a waker was used since the last call. Makes no system call.
    #[must_use]
    pub fn is_woken(&self) -> bool {
        std::mem::take(&mut *lock(&self.0.0.0))
    }

    /// What ends a wait from another thread.
    #[must_use]
    pub fn waker(&self) -> Waker {
        self.0.clone()
    }

    /// There is none.
    #[must_use]
    pub fn handle(&self) -> Option<BorrowedHandle<'_>> {
        None
    }
}
