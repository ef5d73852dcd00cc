//! FSEvents, through the crate notify: one stream for each tree.
//!
//! The system passes events to a thread of notify's, some time after the calls that made them. It tells
//! nothing of the ways to the roots: a wait ends once a second, so that its caller looks at the roots.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::io;
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use notify::event::ModifyKind;
use notify::{Config, Event, EventKind, FsEventWatcher, RecursiveMode, Watcher};

use crate::BorrowedHandle;
use crate::notice::{Notice, Reach};
use crate::threads::lock;

/// How many events are kept: as many as inotify keeps.
const MOST: usize = 16_384;
/// How long a wait lasts at most.
const LONGEST: Duration = Duration::from_secs(1);

/// A queue of events, and the streams that fill it.
#[derive(Debug)]
pub struct Events {
    watches: Mutex<BTreeMap<i32, TreeWatch>>,
    waker: Waker,
}

/// A watch.
#[derive(Debug)]
struct TreeWatch {
    /// The directory's absolute path without links: what the paths of events begin with.
    path: PathBuf,
    reach: Reach,
    /// Its end ends the stream.
    _stream: FsEventWatcher,
}

/// What the threads of notify have put here.
#[derive(Debug, Default)]
struct Received {
    events: Vec<(i32, Event)>,
    has_lost: bool,
    is_woken: bool,
}

/// Ends a wait for events, from any thread.
#[derive(Clone, Debug, Default)]
pub struct Waker(Arc<(Mutex<Received>, Condvar)>);

impl Waker {
    /// Ends the wait, or the next one. Makes no system call of its own.
    pub fn wake(&self) {
        lock(&self.0.0).is_woken = true;
        self.0.1.notify_all();
    }

    fn add(&self, watch: i32, event: notify::Result<Event>) {
        let mut queue = lock(&self.0.0);
        match event {
            Ok(event) if !event.need_rescan() && queue.events.len() < MOST => {
                queue.events.push((watch, event));
            }
            _ => queue.has_lost = true,
        }
        self.0.1.notify_all();
    }
}

impl Events {
    /// Whether a watch is of all that is below its directory. Then the system may queue an event after
    /// the end of the call that made it.
    pub const IS_RECURSIVE: bool = true;

    /// An empty queue. Makes no system call.
    ///
    /// # Errors
    /// None.
    pub fn new() -> io::Result<Events> {
        Ok(Events { watches: Mutex::default(), waker: Waker::default() })
    }

    /// Watches a directory by its path: its number. The same path always has the same number. Starts a
    /// stream, and its thread.
    ///
    /// # Errors
    /// The path leads nowhere, or the stream cannot be started.
    /// [`Unsupported`](io::ErrorKind::Unsupported): the file system is on another machine.
    pub fn watch(
        &self,
        _: Option<BorrowedHandle<'_>>,
        path: &Path,
        reach: Reach,
    ) -> io::Result<i32> {
        let path = path.canonicalize()?;
        if !is_local(&path)? {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let mut watches = lock(&self.watches);
        let mut known = watches.iter();
        if let Some((number, _)) = known.find(|(_, of)| of.path == path && of.reach == reach) {
            return Ok(*number);
        }
        let number = watches.last_key_value().map_or(1, |(last, _)| last + 1);
        let waker = self.waker();
        let add = move |event| waker.add(number, event);
        let mut stream = FsEventWatcher::new(add, Config::default()).map_err(io::Error::other)?;
        let mode = match reach {
            Reach::Tree => RecursiveMode::Recursive,
            Reach::Entries => RecursiveMode::NonRecursive,
        };
        stream.watch(&path, mode).map_err(io::Error::other)?;
        watches.insert(number, TreeWatch { path, reach, _stream: stream });
        Ok(number)
    }

    /// Makes no system call.
    ///
    /// # Errors
    /// Always [`Unsupported`](io::ErrorKind::Unsupported).
    pub fn watch_way(&self, _: &Path, _: bool) -> io::Result<i32> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Ends a watch, its stream and its thread.
    pub fn unwatch(&self, watch: i32) {
        lock(&self.watches).remove(&watch);
    }

    /// Waits until something has happened, or for this time, or for a second.
    ///
    /// # Errors
    /// None.
    pub fn wait(&self, time: Option<Duration>) -> io::Result<()> {
        let (queue, signal) = &*self.waker.0;
        let queue = lock(queue);
        if queue.events.is_empty() && !queue.has_lost && !queue.is_woken {
            let time = time.map_or(LONGEST, |time| time.min(LONGEST));
            drop(signal.wait_timeout(queue, time).unwrap_or_else(PoisonError::into_inner));
        }
        Ok(())
    }

    /// Takes all events from the queue: the watch of each, and what it says. Returns whether events
    /// were lost since the last call. Makes no system call.
    ///
    /// # Errors
    /// None.
    pub fn take(&self, mut each: impl FnMut(i32, Notice<'_>)) -> io::Result<bool> {
        let mut queue = lock(&self.waker.0.0);
        let events = std::mem::take(&mut queue.events);
        let has_lost = std::mem::take(&mut queue.has_lost);
        drop(queue);
        let watches = lock(&self.watches);
        for (number, event) in &events {
            let Some(watch) = watches.get(number) else { continue };
            let paths = event.paths.iter().filter_map(|path| path.strip_prefix(&watch.path).ok());
            for path in paths.map(|path| path.as_os_str().as_encoded_bytes()) {
                let is_inside = matches!(
                    event.kind,
                    EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_))
                );
                each(
                    *number,
                    match path {
                        b"" => Notice::Itself,
                        path if is_inside => Notice::Inside(path),
                        path => Notice::Name(path),
                    },
                );
            }
        }
        Ok(has_lost)
    }

    /// Not asked on this system.
    #[must_use]
    pub fn has_clock_jumped(&self) -> bool {
        false
    }

    /// Not asked on this system: mounts are in events.
    #[must_use]
    pub fn have_mounts_changed(&self) -> bool {
        false
    }

    /// Whether a waker was used since the last call. Makes no system call.
    #[must_use]
    pub fn is_woken(&self) -> bool {
        std::mem::take(&mut lock(&self.waker.0.0).is_woken)
    }

    /// What ends a wait from another thread.
    #[must_use]
    pub fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// There is none.
    #[must_use]
    pub fn handle(&self) -> Option<BorrowedHandle<'_>> {
        None
    }
}

/// Whether a path is on a file system of this machine: of others only this machine's changes are told.
/// One statfs.
fn is_local(path: &Path) -> io::Result<bool> {
    let path = CString::new(path.as_os_str().as_encoded_bytes())?;
    let mut told = MaybeUninit::<libc::statfs>::zeroed();
    // SAFETY: the path ends in a zero, and there is room for what the call writes.
    if unsafe { libc::statfs(path.as_ptr(), told.as_mut_ptr()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: zeros are a valid value, and the call has written others.
    let told = unsafe { told.assume_init() };
    Ok(told.f_flags & libc::MNT_LOCAL.cast_unsigned() != 0)
}
