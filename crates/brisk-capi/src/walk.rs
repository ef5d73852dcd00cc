//! [`Walk`]: a walk whose entries the caller pulls. It runs in threads of its own, which pack what
//! they find; the caller's thread writes the entries into the caller's array.
//!
//! ```text
//!   workers ─► Batch ─► channel ─► brisk_walk_next ─► brisk_entry[]
//!      ▲                                │ read
//!      └──────────── spare ◄────────────┘
//! ```

use std::collections::VecDeque;
use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use brisk::{Directory, Flow, Flushed, Parallel, Visitor};

use crate::batch::Batch;
use crate::border::{guarded, panicked};
use crate::entry::{Entry, Meta};
use crate::error::Error;
use crate::given::{self, paths};
use crate::options::{Asked, WalkOptions};

/// A worker sends what it has once there are this many entries: waking the other thread then costs
/// little in comparison, and all of a batch is still in the processor's cache.
const ENTRIES: usize = 512;

/// The same for the bytes of names and paths.
const BYTES: usize = 64 << 10;

/// The most batches that wait to be pulled, which bounds memory.
const BATCHES: usize = 32;

/// What the caller's thread says to the workers.
#[derive(Default)]
struct Back {
    /// Batches that were read, to be filled again.
    spare: Mutex<Vec<Batch>>,
    has_ended: AtomicBool,
}

impl Back {
    fn spare(&self) -> MutexGuard<'_, Vec<Batch>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A walk whose entries are pulled.
pub struct Walk {
    /// Closed when the walk has ended, or is to end.
    batches: Option<Receiver<Batch>>,
    back: Arc<Back>,
    /// The batch that the caller has entries of, and how many of them.
    batch: Batch,
    pulled: usize,
    metas: Vec<Meta>,
    errors: VecDeque<brisk::Error>,
    thread: Option<JoinHandle<()>>,
}

/// Packs entries and sends them.
struct Packing {
    batch: Batch,
    channel: SyncSender<Batch>,
    back: Arc<Back>,
    /// How long the worker has waited for the caller.
    waited: Duration,
}

impl Packing {
    fn send(&mut self) -> Flow {
        if self.batch.is_empty() {
            return Flow::Continue;
        }
        let empty = self.back.spare().pop();
        let batch = std::mem::replace(&mut self.batch, empty.unwrap_or_default());
        let is_sent = match self.channel.try_send(batch) {
            Ok(()) => true,
            Err(TrySendError::Disconnected(_)) => false,
            Err(TrySendError::Full(batch)) => {
                let began = Instant::now();
                let sent = self.channel.send(batch);
                self.waited += began.elapsed();
                sent.is_ok()
            }
        };
        if is_sent { Flow::Continue } else { Flow::Stop }
    }
}

impl Visitor for Packing {
    type State = ();

    fn entries(&mut self, dir: &Directory<'_>, (): &(), entries: &[brisk::Entry<'_>]) -> Flow {
        self.batch.add(dir, entries);
        Flow::Continue
    }

    fn error(&mut self, error: brisk::Error) -> Flow {
        self.batch.errors.push(error);
        Flow::Continue
    }

    fn flush(&mut self, slow: bool) -> Flushed {
        let is_full = self.batch.len() >= ENTRIES || self.batch.bytes() >= BYTES;
        let flow = if self.back.has_ended.load(Relaxed) {
            Flow::Stop
        } else if is_full || slow {
            self.send()
        } else {
            Flow::Continue
        };
        Flushed { flow, waited: std::mem::take(&mut self.waited), ..Flushed::default() }
    }
}

impl Parallel for Packing {
    fn fork(&self, _: usize) -> Packing {
        Packing::new(self.channel.clone(), Arc::clone(&self.back))
    }

    fn merge(&mut self, mut other: Packing) {
        // The caller may have stopped listening.
        let _ = other.send();
    }
}

impl Packing {
    fn new(channel: SyncSender<Batch>, back: Arc<Back>) -> Packing {
        Packing { batch: Batch::default(), channel, back, waited: Duration::ZERO }
    }
}

impl Walk {
    fn start(asked: Asked) -> Result<Walk, Error> {
        let (channel, batches) = sync_channel(BATCHES);
        let back = Arc::<Back>::default();
        let packing = Packing::new(channel, Arc::clone(&back));
        let thread = Builder::new().name("brisk-walk".to_owned());
        let thread = thread.spawn(move || _ = asked.run(packing).send());
        let thread = thread.map_err(|error| Error::system(c"start thread", b"", &error))?;
        Ok(Walk {
            batches: Some(batches),
            back,
            batch: Batch::default(),
            pulled: 0,
            metas: Vec::new(),
            errors: VecDeque::new(),
            thread: Some(thread),
        })
    }

    /// Waits for a batch with entries that were not pulled; `false` at the end.
    fn fill(&mut self) -> Result<bool, Error> {
        while self.pulled == self.batch.len() {
            let Some(next) = self.batches.as_ref().and_then(|batches| batches.recv().ok()) else {
                return self.join().map(|()| false);
            };
            let mut read = std::mem::replace(&mut self.batch, next);
            self.pulled = 0;
            read.clear();
            self.back.spare().push(read);
            self.errors.extend(self.batch.errors.drain(..));
        }
        Ok(true)
    }

    /// Ends the walk, and waits for its threads.
    ///
    /// # Errors
    /// One of them has panicked.
    fn join(&mut self) -> Result<(), Error> {
        self.back.has_ended.store(true, Relaxed);
        // A worker that waits for room in the channel stops waiting.
        self.batches = None;
        let ended = self.thread.take().map_or(Ok(()), JoinHandle::join);
        ended.map_err(|panic| panicked(&*panic))
    }
}

/// Starts a walk over the trees at `roots`, which the caller pulls with brisk_walk_next. It runs in
/// threads of its own, which wait when the caller is slow, and have ended when brisk_walk_end
/// returns. `options` may be NULL. Returns NULL if an option cannot be understood or no thread can
/// be started. A root that cannot be read is an error of the walk: brisk_walk_next_error.
///
/// Threads: any. The strings and options are not needed after the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brisk_walk_start(
    roots: *const *const c_char,
    root_count: usize,
    options: *const WalkOptions,
    error: Option<&mut MaybeUninit<Option<Box<Error>>>>,
) -> Option<Box<Walk>> {
    guarded(error, None, || {
        // SAFETY: the caller promises it.
        let options: WalkOptions = unsafe { given::options(options) }?;
        // SAFETY: the caller promises it.
        let roots = unsafe { paths(roots, root_count) }?;
        // SAFETY: the caller promises it.
        let asked = unsafe { options.read(&roots) }?;
        Walk::start(asked).map(|walk| Some(Box::new(walk)))
    })
}

/// Writes the next entries to `entries`, which has room for `count`, and returns how many there are.
/// Waits until there is at least one; 0 is the end, also of a walk that was cancelled. The strings
/// and metadata that the entries point at are valid until the next call for this walk.
///
/// Threads: any, but one at a time for each walk.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brisk_walk_next(
    walk: Option<&mut Walk>,
    entries: *mut Entry,
    count: usize,
    error: Option<&mut MaybeUninit<Option<Box<Error>>>>,
) -> usize {
    guarded(error, 0, || {
        let Some(walk) = walk.filter(|_| !entries.is_null() && count > 0) else {
            return Err(Error::argument("there is no walk, or no room for an entry"));
        };
        if !walk.fill()? {
            return Ok(0);
        }
        let found = walk.batch.view(walk.pulled, count, &mut walk.metas);
        let number = found.len();
        for (at, entry) in found.enumerate() {
            // SAFETY: the caller promises room for `count` entries, and there are no more.
            unsafe { entries.wrapping_add(at).write(entry) };
        }
        walk.pulled += number;
        Ok(number)
    })
}

/// Returns the next error that the walk has met, such as a directory that cannot be read, or NULL if
/// there is none now. The walk goes on after each. To be called after brisk_walk_next until it
/// returns NULL: errors that are not taken stay in memory. The caller frees the error.
///
/// Threads: any, but one at a time for each walk.
#[unsafe(no_mangle)]
pub extern "C" fn brisk_walk_next_error(walk: Option<&mut Walk>) -> Option<Box<Error>> {
    guarded(None, None, || {
        let error = walk.and_then(|walk| walk.errors.pop_front());
        Ok(error.map(|error| Box::new(Error::from(&error))))
    })
}

/// Ends a walk, also one that is not done, waits until its threads have ended, and frees it. `walk`
/// may be NULL.
///
/// Threads: any; no other thread may use the walk.
#[unsafe(no_mangle)]
pub extern "C" fn brisk_walk_end(walk: Option<Box<Walk>>) {
    guarded(None, (), || walk.map_or(Ok(()), |mut walk| walk.join()));
}
