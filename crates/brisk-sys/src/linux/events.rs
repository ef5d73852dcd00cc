//! inotify, and what wakes a wait for its events beside them.
//!
//! ```text
//!   inotify ────────────────► something changed in a watched directory ┐
//!   /proc/self/mountinfo ───► something was mounted or unmounted       ├► epoll: one descriptor
//!   a timer far in the future ► the clock was set, the machine woke up │
//!   an event counter ───────► another thread wakes this one            ┘
//! ```
//!
//! The kernel puts an event into the queue inside the call that made it, so an empty queue says that
//! no call that has returned is unknown. (That inotify says nothing of mounts, nor of writes through
//! a mapping, is tested where it matters.)

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd};
use rustix::fs::SeekFrom;
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::io::Errno;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime,
};

use super::call::retry;
use crate::notice::{Notice, Reach};
use crate::until_nul;

/// What is asked of a directory: what changes it or an entry, and never who opens or reads it.
const CHANGES: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR);

/// What is asked of a directory on the way to a root: whether it still is there. It may be inside
/// another root, and then keeps what is asked of it there.
const ON_THE_WAY: WatchFlags = WatchFlags::DELETE_SELF
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR)
    .union(WatchFlags::MASK_ADD);

/// What is asked in addition of a directory that has a link on the way to a root.
const NAMES: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO);

/// How many bytes of events are read at a time: some 1,500 events.
const READ: usize = 64 << 10;
/// The length of an event without its name, in bytes.
const EVENT: usize = 16;
/// The end of time, for a timer that only the setting of the clock cancels.
const NEVER: i64 = i64::MAX >> 16;

/// A queue of events, and its watches.
#[derive(Debug)]
pub struct Events {
    inotify: OwnedFd,
    /// Can be read while anything has happened.
    all: OwnedFd,
    clock: Option<OwnedFd>,
    waker: Waker,
    /// The table of mounts, twice: once to be told through `all`, which forgets what it has told,
    /// and once to be asked.
    mounts: Option<[File; 2]>,
}

/// Ends a wait for events, from any thread.
#[derive(Clone, Debug)]
pub struct Waker(Arc<OwnedFd>);

impl Waker {
    /// Ends the wait, or the next one. One write.
    pub fn wake(&self) {
        // The counter is full only if it has been woken very often.
        let _ = retry(|| rustix::io::write(&self.0, &1_u64.to_ne_bytes()));
    }
}

impl Events {
    /// Whether a watch is of all that is below its directory. Then the system may queue an event after
    /// the end of the call that made it.
    pub const IS_RECURSIVE: bool = false;

    /// An empty queue. System calls: inotify_init1, epoll_create1, eventfd2, timerfd_create,
    /// timerfd_settime, an open, and an epoll_ctl for each.
    ///
    /// # Errors
    /// The errors of these calls: EMFILE if the user has too many queues or the process too many
    /// open files.
    pub fn new() -> io::Result<Events> {
        let inotify = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        let all = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let waker = Waker(Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?));
        let clock = clock().ok();
        let mounts = || File::open("/proc/self/mountinfo").ok();
        let mounts = mounts().zip(mounts()).map(<[File; 2]>::from);
        let add = |fd: BorrowedFd<'_>, flags| epoll::add(&all, fd, EventData::new_u64(0), flags);
        add(inotify.as_fd(), EventFlags::IN)?;
        add(waker.0.as_fd(), EventFlags::IN)?;
        clock.iter().try_for_each(|clock| add(clock.as_fd(), EventFlags::IN))?;
        mounts.iter().try_for_each(|[told, _]| add(told.as_fd(), EventFlags::PRI))?;
        Ok(Events { inotify, all, clock, waker, mounts })
    }

    /// Watches an open directory, which may have been opened with `O_PATH`: its number. The same
    /// directory always has the same number. The directory is rewound, so that a read sees all names
    /// that had no event. The path is that of the directory, for systems that need it. System calls:
    /// inotify_add_watch, lseek.
    ///
    /// # Errors
    /// [`StorageFull`](io::ErrorKind::StorageFull): the user, or the user namespace, has no more
    /// watches. [`Unsupported`](io::ErrorKind::Unsupported): there is no open directory. Other errors
    /// of the call, for example if `/proc` is not mounted.
    pub fn watch(&self, dir: Option<BorrowedFd<'_>>, _: &Path, _: Reach) -> io::Result<i32> {
        let dir = dir.ok_or(io::ErrorKind::Unsupported)?;
        let path = format!("/proc/self/fd/{}", dir.as_raw_fd());
        let watch = retry(|| inotify::add_watch(&self.inotify, path.as_str(), CHANGES))?;
        // btrfs lists the names that a directory had when it was opened or rewound. With `O_PATH` this
        // fails.
        let _ = rustix::fs::seek(dir, SeekFrom::Start(0));
        Ok(watch)
    }

    /// Watches whether a directory on the way to a root stays where it is and, with `names`, which
    /// names it has. One inotify_add_watch.
    ///
    /// # Errors
    /// As [`watch`](Events::watch).
    pub fn watch_way(&self, dir: &Path, names: bool) -> io::Result<i32> {
        let asked = if names { ON_THE_WAY | NAMES } else { ON_THE_WAY };
        Ok(retry(|| inotify::add_watch(&self.inotify, dir, asked))?)
    }

    /// Ends a watch. One inotify_rm_watch.
    pub fn unwatch(&self, watch: i32) {
        // It may have ended by itself.
        let _ = inotify::remove_watch(&self.inotify, watch);
    }

    /// Waits until something has happened, or for this time. One epoll_wait.
    ///
    /// # Errors
    /// Those of the call; a signal ends the wait without one.
    pub fn wait(&self, time: Option<Duration>) -> io::Result<()> {
        // The kernel rounds milliseconds up, and so does not wake too early again and again.
        let time = time.and_then(|time| Timespec::try_from(time).ok());
        let mut happened = Vec::with_capacity(4);
        match epoll::wait(&self.all, spare_capacity(&mut happened), time.as_ref()) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Takes all events from the queue: the watch of each, and what it says. Returns whether events
    /// were lost since the last call. One read, and one more for each 64 KiB.
    ///
    /// # Errors
    /// Those of the call.
    pub fn take(&self, mut each: impl FnMut(i32, Notice<'_>)) -> io::Result<bool> {
        let mut bytes = Vec::with_capacity(READ);
        let mut has_lost = false;
        loop {
            bytes.clear();
            match retry(|| rustix::io::read(&self.inotify, spare_capacity(&mut bytes))) {
                Ok(1..) => has_lost |= decode(&bytes, &mut each),
                Ok(0) | Err(Errno::AGAIN) => return Ok(has_lost),
                Err(error) => return Err(error.into()),
            }
            // What is left of a full queue is worth another read; a few bytes are not.
            if bytes.len() < READ / 2 {
                return Ok(has_lost);
            }
        }
    }

    /// Whether the clock was set, or the machine slept, since the last call. One read.
    #[must_use]
    pub fn has_clock_jumped(&self) -> bool {
        let mut count = [0; 8];
        let read = self.clock.as_ref().map(|clock| retry(|| rustix::io::read(clock, &mut count)));
        read == Some(Err(Errno::CANCELED))
    }

    /// Whether something was mounted or unmounted since the last call. One poll.
    #[must_use]
    pub fn have_mounts_changed(&self) -> bool {
        let Some([_, asked]) = &self.mounts else { return false };
        let mut asked = [PollFd::new(asked, PollFlags::PRI)];
        let now = Timespec::default();
        retry(|| rustix::event::poll(&mut asked, Some(&now))).is_ok_and(|count| count > 0)
    }

    /// Whether a waker was used since the last call. One read.
    #[must_use]
    pub fn is_woken(&self) -> bool {
        let mut count = [0; 8];
        retry(|| rustix::io::read(&self.waker.0, &mut count)).is_ok()
    }

    /// What ends a wait from another thread.
    #[must_use]
    pub fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// What can be read while something has happened.
    #[must_use]
    pub fn handle(&self) -> Option<BorrowedFd<'_>> {
        Some(self.all.as_fd())
    }
}

/// A timer that never ends, and that setting the clock cancels.
fn clock() -> io::Result<OwnedFd> {
    let flags = TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK;
    let clock = timerfd_create(TimerfdClockId::Realtime, flags)?;
    let never = Timespec { tv_sec: NEVER, tv_nsec: 0 };
    let never = Itimerspec { it_interval: Timespec::default(), it_value: never };
    let flags = TimerfdTimerFlags::ABSTIME | TimerfdTimerFlags::CANCEL_ON_SET;
    timerfd_settime(&clock, flags, &never)?;
    Ok(clock)
}

/// Decodes events. Returns whether one says that others were lost.
///
/// ```text
///   0       4      8        12       16
///   | watch | mask | cookie | length | name, zeros …
/// ```
fn decode(mut bytes: &[u8], each: &mut impl FnMut(i32, Notice<'_>)) -> bool {
    let mut has_lost = false;
    while let Some((head, rest)) = bytes.split_first_chunk::<EVENT>() {
        let word = |at: usize| u32::from_ne_bytes(std::array::from_fn(|byte| head[at + byte]));
        let (name, rest) = rest.split_at(rest.len().min(word(12) as usize));
        bytes = rest;
        let mask = ReadFlags::from_bits_retain(word(4));
        let names =
            ReadFlags::CREATE | ReadFlags::DELETE | ReadFlags::MOVED_FROM | ReadFlags::MOVED_TO;
        let notice = match until_nul(name).unwrap_or_default().to_bytes() {
            _ if mask.contains(ReadFlags::QUEUE_OVERFLOW) => {
                has_lost = true;
                continue;
            }
            _ if mask.contains(ReadFlags::IGNORED) => Notice::Ended,
            b"" => Notice::Itself,
            name if mask.intersects(names) => Notice::Name(name),
            name => Notice::Inside(name),
        };
        each(word(0).cast_signed(), notice);
    }
    has_lost
}
