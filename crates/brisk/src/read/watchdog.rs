//! The watchdog: a thread that looks for hung workers, and queues what such a worker had ready for
//! others.
//!
//! A stat of a file on a dead server may take minutes, and the worker that made the request can do
//! nothing meanwhile: it hangs. So a worker notes in its [`InFlight`](super::in_flight::InFlight)
//! what it asks about, and the watchdog checks all of these every 10 ms:
//!
//! ```text
//!   records of a part    1 2 3 4 5 6 7 8 9
//!                        └─ready─┘ ▲ └not yet asked┘
//!                           │      │      └► batches, for any worker
//!                           │      └ asked for 10 ms: this one alone is left to the hung worker
//!                           └► again, by another worker: the system answers these quickly now
//! ```
//!
//! The watchdog takes a part under the lock of its `InFlight`. When the answer comes, the hung
//! worker either still has its whole part, or keeps only the record that it waited for. The same
//! holds for the errors of a part's records, which are reported at its end. The worker may be at a
//! later record when the watchdog takes the part: a busy machine makes an answer late too.
//!
//! The watchdog makes no request itself, so it cannot hang. It also lets the visitor write lines
//! that hung workers had delivered, and spawns a worker for each hung one. A worker starts the
//! watchdog as soon as an answer takes longer than one from memory, or once the walk has lasted
//! long enough. Only a parallel, unordered walk that makes requests about entries has one. (Tests:
//! below and `every/hung.rs`. The states of a worker's requests are in `in_flight.rs`.)

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::drive::task::{Chunk, DeferredRead, Task, WalkKind};
use crate::drive::worker::Worker;
use crate::read::batches::{LARGEST_BATCH, split};
use crate::read::in_flight::{PERIOD, Watched};
use crate::sched::lock;
use crate::sched::parking::Credit;
use crate::visitor::Visitor;

/// What the watchdog does until the walk is over.
pub(crate) fn watch<V: Visitor, K: WalkKind<State = V::State>>(worker: &mut Worker<'_, V, K>) {
    let shared = Arc::clone(&worker.shared);
    while !shared.is_over() {
        // This writes lines of all workers, also of hung ones.
        worker.let_write(true);
        check(worker, Instant::now());
        shared.parking.suspend(Some(PERIOD), || shared.is_over());
    }
}

fn check<V: Visitor, K: WalkKind<State = V::State>>(worker: &mut Worker<'_, V, K>, now: Instant) {
    let shared = Arc::clone(&worker.shared);
    let Ok(workers) = shared.in_flight.try_lock() else { return };
    let account = |part: &Watched<K>| {
        let is_kept_open = part.chunk.keep_open(&shared.budget);
        if is_kept_open {
            shared.pace.hung.fetch_add(1, Ordering::Relaxed);
            shared.add_unfinished_in(&mut Credit::default(), &part.chunk.reading);
        }
        is_kept_open
    };
    let hung: Vec<_> = workers.iter().filter_map(|worker| worker.take_hung(now, account)).collect();
    drop(workers);
    for (part, at) in &hung {
        take_over(worker, part, *at);
    }
    if !hung.is_empty() {
        worker.spawn_wanted();
        shared.parking.wake_all();
    }
}

/// Queues a part except for the one record that its worker waits for. The records that were ready
/// are one task, which `check` has counted.
fn take_over<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &mut Worker<'_, V, K>,
    part: &Watched<K>,
    at: u32,
) {
    let Watched { chunk, range, .. } = part;
    take_rest(worker, chunk);
    let mut records = chunk.buffer.entries_and_dots(range.clone(), worker.shared.settings.dots);
    records.by_ref().take(at.saturating_sub(1) as usize).for_each(drop);
    let ready = range.start..range.end - records.bytes_left();
    records.next();
    split(worker, chunk, records, range.end, LARGEST_BATCH);
    worker.push(Task::Batch(Arc::clone(chunk), ready));
}

/// Queues the rest of a chunk whose worker hangs in a request about its first entries, and the task
/// of reading on.
fn take_rest<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &mut Worker<'_, V, K>,
    chunk: &Arc<Chunk<K>>,
) {
    let Some(DeferredRead { from, reading }) = lock(&chunk.deferred_read).take() else { return };
    worker.add(Task::ReadNext(reading));
    let end = chunk.buffer.len();
    let records = chunk.buffer.entries_and_dots(from..end, worker.shared.settings.dots);
    split(worker, chunk, records, end, LARGEST_BATCH);
}

#[cfg(all(test, unix))]
mod tests {
    use std::path::{Path, PathBuf};
    use std::sync::Mutex;
    use std::sync::atomic::AtomicUsize;
    use std::sync::mpsc::sync_channel;
    use std::thread::{Builder, JoinHandle};

    use super::*;
    use crate::drive::queue::UnorderedQueue;
    use crate::drive::run::Setup;
    use crate::drive::shared::Shared;
    use crate::drive::worker::WATCHDOG;
    use crate::emit::Unordered;
    use crate::read::in_flight::InFlight;
    use crate::visitor::{Flow, Select};
    use crate::{Directory, Entry, Error, Fields, FileType, Follow, Needs, Walk};

    type Plain = Unordered<()>;
    type Taken = Option<(Watched<Plain>, u32)>;

    /// At the first file after a request, a watchdog takes the part of the worker, which meanwhile
    /// goes on to the next request.
    struct Overtaken {
        shared: Option<Arc<Shared<Plain>>>,
        in_flight: Option<Arc<InFlight<Plain>>>,
        /// The watchdog that is under way, and whether there was one.
        watchdog: (Option<JoinHandle<Taken>>, bool),
        errors: Vec<PathBuf>,
        files: usize,
    }

    impl Visitor for Overtaken {
        type State = ();

        fn select(&mut self, (): &(), entry: &Entry<'_>) -> Select {
            if entry.file_type() == FileType::File && !self.watchdog.1 {
                self.watchdog.0 = self.overtake();
                self.watchdog.1 = self.watchdog.0.is_some();
            }
            Select::Take(Fields::empty())
        }

        fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
            self.files += entries.iter().filter(|entry| entry.depth() == 1).count();
            Flow::Continue
        }

        fn error(&mut self, error: Error) -> Flow {
            self.errors.push(error.path().to_owned());
            Flow::Continue
        }
    }

    impl Overtaken {
        /// Starts the watchdog, and returns when it has decided to take the part.
        fn overtake(&self) -> Option<JoinHandle<Taken>> {
            let shared = self.shared.clone()?;
            let in_flight = self.in_flight.clone()?;
            let at = in_flight.at.load(Ordering::Relaxed);
            let now = Instant::now();
            in_flight.take_hung(now, |_| true);
            let (decided, is_decided) = sync_channel(1);
            let watchdog = Builder::new().spawn(move || {
                in_flight.take_hung(now + PERIOD, |part| {
                    shared.add_unfinished_in(&mut Credit::default(), &part.chunk.reading);
                    shared.pace.hung.fetch_add(1, Ordering::Relaxed);
                    let _ = decided.send(());
                    // The worker may wait for the lock instead.
                    while in_flight.at.load(Ordering::Relaxed) == at && now.elapsed().as_secs() < 1
                    {
                        std::thread::yield_now();
                    }
                    true
                })
            });
            is_decided.recv().is_ok().then(|| watchdog.expect("a thread"))
        }
    }

    /// (Seen to fail: the worker reported the error of the record that it had gone on to, and so
    /// did the one that got the rest.)
    #[test]
    fn an_error_is_reported_once_although_its_worker_was_only_late() {
        const EACH: usize = 8;
        let place = tempfile::tempdir().expect("a scratch directory");
        for number in 0..EACH {
            std::fs::write(place.path().join(format!("file{number}")), "").expect("a file");
            std::os::unix::fs::symlink(".", place.path().join(format!("link{number}")))
                .expect("a link");
        }
        let walk = Walk::new(place.path()).follow(Follow::Always);
        let walk = walk.threads(std::num::NonZeroUsize::new(2));
        let visitor = Overtaken {
            shared: None,
            in_flight: None,
            watchdog: (None, false),
            errors: Vec::new(),
            files: 0,
        };
        let setup = Setup::<Plain>::new(walk, &visitor, UnorderedQueue::new(false));
        // No batches: the part is whole when the watchdog comes.
        setup.shared.split_chunks.store(usize::MAX / 2, Ordering::Relaxed);
        let mut worker = Worker::new(Arc::clone(&setup.shared), visitor, None, 0);
        worker.visitor.shared = Some(Arc::clone(&setup.shared));
        worker.visitor.in_flight = worker.in_flight.clone();
        setup.begin(&mut worker);
        while worker.do_one_task() {}
        let watchdog = worker.visitor.watchdog.0.take().expect("a file comes after a link");
        let (part, at) = watchdog.join().expect("no panic").expect("the worker was at one record");
        take_over(&mut worker, &part, at);
        drop(part);
        while worker.do_one_task() {}
        assert!(setup.shared.is_over());
        let Overtaken { mut errors, files, .. } = worker.visitor;
        errors.sort();
        let links: Vec<_> = (0..EACH).map(|n| place.path().join(format!("link{n}"))).collect();
        assert_eq!((errors, files), (links, EACH));
    }

    /// How many files the hung workers' directory has.
    const FILES: usize = 6;

    /// How many parts the watchdog has taken in all walks of the test.
    static TAKEN: AtomicUsize = AtomicUsize::new(0);

    /// What one worker of [`hanging`] does when it comes to a file.
    type Hang = Box<dyn FnOnce()>;

    /// Asks for the size of everything, and hangs once.
    struct Hanging {
        /// The number of files that are chosen before the worker hangs, and what happens meanwhile.
        hang: Option<(usize, Hang)>,
        chosen: usize,
        /// The names of the files that were delivered, by all workers.
        found: Arc<Mutex<Vec<Vec<u8>>>>,
    }

    impl Visitor for Hanging {
        type State = ();

        fn needs(&self) -> Needs {
            Needs::fields(Fields::SIZE)
        }

        fn select(&mut self, (): &(), entry: &Entry<'_>) -> Select {
            if entry.file_type() == FileType::File {
                self.chosen += 1;
                if let Some((_, hang)) = self.hang.take_if(|(after, _)| *after < self.chosen) {
                    hang();
                }
            }
            Select::Take(Fields::SIZE)
        }

        fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
            let files = entries.iter().filter(|entry| entry.file_type() == FileType::File);
            let names = files.map(|entry| entry.name().to_vec());
            lock(&self.found).extend(names);
            Flow::Continue
        }

        fn error(&mut self, error: Error) -> Flow {
            panic!("{error}");
        }
    }

    /// When another worker does what the watchdog has queued.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Done {
        /// Before the hung worker has its answer.
        Meanwhile,
        /// Not at all: the hung worker has its answer, and takes its own tasks back.
        Back,
    }

    /// Walks with workers that hang one in the other: the first when it has chosen as many files as
    /// the first number says, and the second likewise while it does what the first has left.
    /// Between them the watchdog looks as often as `looks` says. Everything runs on this thread.
    fn walk_hanging(root: &Path, hangs: &[usize], looks: u32, done: Done) {
        let found = Arc::new(Mutex::new(Vec::new()));
        let visitor = |hang| Hanging { hang, chosen: 0, found: Arc::clone(&found) };
        let walk = Walk::new(root).threads(std::num::NonZeroUsize::new(8));
        let setup = Setup::<Plain>::new(walk, &visitor(None), UnorderedQueue::new(false));
        let shared = &setup.shared;
        // No batches but those of the watchdog.
        shared.split_chunks.store(usize::MAX / 2, Ordering::Relaxed);
        let mut worker = Worker::new(Arc::clone(shared), visitor(None), None, 0);
        worker.visitor.hang = hanging(&setup.shared, hangs, looks, done, &found);
        setup.begin(&mut worker);
        while worker.do_one_task() {}
        let what = format!("{hangs:?}, {looks} looks, {done:?}");
        assert!(shared.is_over(), "{what}");
        assert_eq!(shared.pace.hung.load(Ordering::Relaxed), 0, "{what}");
        let mut found = std::mem::take(&mut *lock(&found));
        found.sort();
        let expected: Vec<_> = (0..FILES).map(|number| number.to_string().into_bytes()).collect();
        assert_eq!(found, expected, "{what}");
    }

    /// What happens while a worker hangs.
    fn hanging(
        shared: &Arc<Shared<Plain>>,
        hangs: &[usize],
        looks: u32,
        done: Done,
        found: &Arc<Mutex<Vec<Vec<u8>>>>,
    ) -> Option<(usize, Hang)> {
        let (&after, further) = hangs.split_first()?;
        let shared = Arc::clone(shared);
        let further = further.to_vec();
        let found = Arc::clone(found);
        let hang = move || {
            let visitor = |hang| Hanging { hang, chosen: 0, found: Arc::clone(&found) };
            let mut watchdog = Worker::new(Arc::clone(&shared), visitor(None), None, WATCHDOG);
            let hung = shared.pace.hung.load(Ordering::Relaxed);
            let start = Instant::now();
            for number in 0..looks {
                check(&mut watchdog, start + PERIOD * number);
            }
            // The second check takes the part, unless it has just begun: on a busy machine, the
            // files before this one may have been delivered as a part of their own.
            let taken = shared.pace.hung.load(Ordering::Relaxed) - hung;
            assert!(taken <= usize::from(looks > 1));
            TAKEN.fetch_add(taken, Ordering::Relaxed);
            if done == Done::Meanwhile {
                let hang = hanging(&shared, &further, looks, done, &found);
                let mut other = Worker::new(Arc::clone(&shared), visitor(hang), None, 1);
                while other.do_one_task() {}
            }
        };
        Some((after, Box::new(hang)))
    }

    #[test]
    fn a_hung_worker_keeps_one_record_whenever_its_answer_comes() {
        let place = tempfile::tempdir().expect("a scratch directory");
        for number in 0..FILES {
            std::fs::write(place.path().join(number.to_string()), "").expect("a file");
        }
        for first in 0..FILES {
            for looks in 0..4 {
                for done in [Done::Meanwhile, Done::Back] {
                    walk_hanging(place.path(), &[first], looks, done);
                }
                for second in 0..FILES {
                    walk_hanging(place.path(), &[first, second], looks, Done::Meanwhile);
                }
            }
        }
        assert!(TAKEN.load(Ordering::Relaxed) > 0);
    }
}
