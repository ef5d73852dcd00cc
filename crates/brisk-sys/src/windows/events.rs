//! ReadDirectoryChangesW: one request for each tree, and for each directory on the way to it.
//!
//! ```text
//!   a tree has changed ───────────► the answer to a request ┐
//!   a name on the way to a root ──► the answer to a request ├► one event, until `take` resets it
//!   another thread wakes this one ──────────────────────────┘
//! ```
//!
//! While a directory is open, Windows renames none above it. Others may rename and remove the
//! directory itself.

use std::collections::BTreeMap;
use std::io;
use std::os::windows::io::{AsHandle, BorrowedHandle};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use windows_sys::Win32::Storage::FileSystem as fs;

use super::call::open_path;
use super::change_request::{ChangeRequest, WaitEvent};
use super::stat::stat_handle;
use crate::notice::{Notice, Reach};
use crate::nt::notices::deliver;
use crate::threads::lock;
use crate::{Fields, Identity, Links};

/// What is asked of a tree: all that changes what brisk tells, and never who opens or reads it.
const CHANGES: u32 = fs::FILE_NOTIFY_CHANGE_FILE_NAME
    | fs::FILE_NOTIFY_CHANGE_DIR_NAME
    | fs::FILE_NOTIFY_CHANGE_ATTRIBUTES
    | fs::FILE_NOTIFY_CHANGE_SIZE
    | fs::FILE_NOTIFY_CHANGE_LAST_WRITE
    | fs::FILE_NOTIFY_CHANGE_CREATION
    | fs::FILE_NOTIFY_CHANGE_SECURITY;

/// Space for the answer about a tree, in words: 512 KiB, some 8,000 changes. The system keeps as many
/// between two requests. (Over a network it refuses more than 64 KiB; shares are polled.)
const TREE: usize = 512 << 7;
/// Space for the answer about a directory on the way, which brisk does not read.
const WAY: usize = 512;

/// The requests that are pending.
#[derive(Debug)]
pub struct Events {
    watches: Mutex<Watches>,
    waker: Waker,
}

#[derive(Debug, Default)]
struct Watches {
    /// The number of the last one.
    last: i32,
    by_number: BTreeMap<i32, TreeWatch>,
}

/// A watch.
#[derive(Debug)]
struct TreeWatch {
    /// The directory, and how far the watch reaches; `None`: it is of a directory on a way.
    of: (Option<Identity>, Option<Reach>),
    request: ChangeRequest,
}

/// Ends a wait for events, from any thread.
#[derive(Clone, Debug)]
pub struct Waker(Arc<(AtomicBool, Arc<WaitEvent>)>);

impl Waker {
    /// Ends the wait, or the next one. One SetEvent.
    pub fn wake(&self) {
        self.0.0.store(true, SeqCst);
        self.0.1.set();
    }
}

impl Events {
    /// Whether a watch is of all that is below its directory. Then the system may queue an event after
    /// the end of the call that made it.
    pub const IS_RECURSIVE: bool = true;

    /// No requests. One CreateEvent.
    ///
    /// # Errors
    /// Those of the call.
    pub fn new() -> io::Result<Events> {
        let waker = Waker(Arc::new((AtomicBool::new(false), Arc::new(WaitEvent::new()?))));
        Ok(Events { watches: Mutex::default(), waker })
    }

    fn event(&self) -> &Arc<WaitEvent> {
        &self.waker.0.1
    }

    /// Watches an open directory: its number. The same directory always has the same number. The path
    /// is that of the directory, for systems that need it. NtQueryInformationFile, NtCreateFile,
    /// ReadDirectoryChangesW.
    ///
    /// # Errors
    /// The errors of the calls: file systems may refuse. [`Unsupported`](io::ErrorKind::Unsupported):
    /// there is no open directory.
    pub fn watch(
        &self,
        dir: Option<BorrowedHandle<'_>>,
        _: &Path,
        reach: Reach,
    ) -> io::Result<i32> {
        self.add(dir.ok_or(io::ErrorKind::Unsupported)?, Some(reach), CHANGES, TREE)
    }

    /// Watches which names a directory on the way to a root has: those of directories and, with
    /// `names`, of files. CreateFile, and the calls of [`watch`](Events::watch).
    ///
    /// # Errors
    /// As [`watch`](Events::watch).
    pub fn watch_way(&self, dir: &Path, names: bool) -> io::Result<i32> {
        let files = if names { fs::FILE_NOTIFY_CHANGE_FILE_NAME } else { 0 };
        let dir = open_path(dir, fs::FILE_LIST_DIRECTORY, Links::Follow)?;
        self.add(dir.as_handle(), None, fs::FILE_NOTIFY_CHANGE_DIR_NAME | files, WAY)
    }

    fn add(
        &self,
        dir: BorrowedHandle<'_>,
        reach: Option<Reach>,
        filter: u32,
        words: usize,
    ) -> io::Result<i32> {
        let identity = stat_handle(dir, Fields::DEV | Fields::INO, None)?.identity();
        let of = (identity, reach);
        let mut watches = lock(&self.watches);
        let mut known = watches.by_number.iter().filter(|_| identity.is_some());
        if let Some((number, _)) = known.find(|(_, watch)| watch.of == of) {
            return Ok(*number);
        }
        let is_tree = reach == Some(Reach::Tree);
        let request = ChangeRequest::new(dir, self.event(), is_tree, filter, words);
        // The request may have reset the event that another one has signalled.
        self.event().set();
        let watch = TreeWatch { of, request: request? };
        watches.last += 1;
        let number = watches.last;
        watches.by_number.insert(number, watch);
        Ok(number)
    }

    /// Ends a watch. CancelIoEx, NtClose.
    pub fn unwatch(&self, watch: i32) {
        lock(&self.watches).by_number.remove(&watch);
    }

    /// Waits until something has happened, or for this time. One WaitForSingleObject.
    ///
    /// # Errors
    /// None.
    pub fn wait(&self, time: Option<Duration>) -> io::Result<()> {
        if !self.waker.0.0.load(SeqCst) {
            self.event().wait(time);
        }
        Ok(())
    }

    /// Takes all answers: the watch of each change, and what it says. Returns whether changes were
    /// lost since the last call. Two calls, and a ReadDirectoryChangesW for each answer.
    ///
    /// # Errors
    /// None.
    pub fn take(&self, mut each: impl FnMut(i32, Notice<'_>)) -> io::Result<bool> {
        let event = self.event();
        event.reset();
        let mut has_lost = false;
        let mut ended = Vec::new();
        let mut watches = lock(&self.watches);
        for (number, watch) in &mut watches.by_number {
            while let Some(answer) = watch.request.answer() {
                let is_way = watch.of.1.is_none();
                let mut is_lost = |bytes| !is_way && deliver(bytes, |notice| each(*number, notice));
                let lost = answer
                    .map(|bytes| bytes.is_some_and(&mut is_lost))
                    .and_then(|is_lost| watch.request.ask().map(|()| is_lost));
                // As in `add`.
                event.set();
                ended.extend(lost.is_err().then_some(*number));
                if lost.unwrap_or(false) {
                    has_lost = true;
                    // What comes next may be lost as well, without an end.
                    break;
                }
            }
        }
        for number in ended {
            watches.by_number.remove(&number);
            each(number, Notice::Ended);
        }
        Ok(has_lost)
    }

    /// Windows does not tell. Makes no system call.
    #[must_use]
    pub fn has_clock_jumped(&self) -> bool {
        false
    }

    /// What is mounted below a root is behind a reparse point, which no walk enters. Makes no system
    /// call.
    #[must_use]
    pub fn have_mounts_changed(&self) -> bool {
        false
    }

    /// Whether a waker was used since the last call. Makes no system call.
    #[must_use]
    pub fn is_woken(&self) -> bool {
        self.waker.0.0.swap(false, SeqCst)
    }

    /// What ends a wait from another thread.
    #[must_use]
    pub fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// What is signalled while something has happened.
    #[must_use]
    pub fn handle(&self) -> Option<BorrowedHandle<'_>> {
        Some(self.event().as_handle())
    }
}

#[cfg(test)]
mod tests;
