//! Replays ordered walks on one thread, once for each order in which the calling thread and two
//! readers can take their steps.
//!
//! A reader that has nothing claims what the queue offers. The next step is either the calling
//! thread's, or a reader completes what it has claimed. When the calling thread would wait for a
//! reader, both complete.

use std::cell::RefCell;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use super::InOrder;
use super::arrange::ByName;
use super::emission::Emission;
use super::turns::Turns;
use crate::drive::run::Setup;
use crate::drive::shared::Shared;
use crate::drive::task::Task;
use crate::drive::worker::Worker;
use crate::visitor::{Flushed, Pause};
use crate::{Directory, Enter, Entry, Error, Flow, Needs, Order, Outcome, Shape, Visitor, Walk};

type OrderedKind = InOrder<(), ByName>;

/// A choice at each step, and those of a replay.
#[derive(Default)]
struct Schedule {
    /// The first choices; further ones are 0.
    prefix: Vec<usize>,
    /// The choices that were made, each with the number of options.
    made: Vec<(usize, usize)>,
}

impl Schedule {
    fn choose(&mut self, options: usize) -> usize {
        let choice = self.prefix.get(self.made.len()).copied().unwrap_or(0).min(options - 1);
        self.made.push((choice, options));
        choice
    }

    /// The next schedule; `None` after the last.
    fn next(mut self) -> Option<Schedule> {
        while let Some((choice, options)) = self.made.pop() {
            if choice + 1 < options {
                let mut prefix: Vec<_> = self.made.into_iter().map(|(choice, _)| choice).collect();
                prefix.push(choice + 1);
                return Some(Schedule { prefix, made: Vec::new() });
            }
        }
        None
    }
}

/// What the visitors of one walk have seen.
#[derive(Default)]
struct Seen {
    /// Paths that were delivered, and with a `/` behind them directories that were left.
    calls: Vec<String>,
    entered: Vec<String>,
}

/// The visitor of a reader.
struct Reader(Rc<RefCell<Seen>>);

fn path(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn path_of(entry: &Entry<'_>) -> String {
    let mut bytes = Vec::new();
    entry.path_into(&mut bytes);
    path(&bytes)
}

impl Visitor for Reader {
    type State = ();

    fn enter(&mut self, entry: &Entry<'_>, (): &()) -> Enter<()> {
        self.0.borrow_mut().entered.push(path_of(entry));
        Enter::Read(())
    }

    fn entries(&mut self, _: &Directory<'_>, (): &(), _: &[Entry<'_>]) -> Flow {
        panic!("a reader hands entries on");
    }

    fn error(&mut self, error: Error) -> Flow {
        panic!("{error}");
    }
}

/// Two readers, with what they have claimed.
struct Readers {
    shared: Arc<Shared<OrderedKind>>,
    workers: Vec<Worker<'static, Reader, OrderedKind>>,
    claimed: Vec<Task<OrderedKind>>,
    schedule: Schedule,
    are_quick: bool,
}

impl Readers {
    /// Readers take steps until it is the calling thread's turn to take one.
    fn act(&mut self) {
        loop {
            while self.claimed.len() < self.workers.len()
                && let Some(task) = self.shared.queue.take(self.are_quick, 2)
            {
                self.claimed.push(task);
            }
            match self.schedule.choose(1 + self.claimed.len()) {
                0 => return,
                choice => self.complete(choice - 1),
            }
        }
    }

    fn complete(&mut self, at: usize) {
        let task = self.claimed.remove(at);
        self.workers[at].perform(task);
    }

    /// The calling thread is about to wait: all complete, in any order.
    fn help(&mut self) {
        while !self.claimed.is_empty() {
            let at = self.schedule.choose(self.claimed.len());
            self.complete(at);
        }
    }
}

/// The calling thread's visitor.
struct Caller {
    seen: Rc<RefCell<Seen>>,
    readers: Option<Rc<RefCell<Readers>>>,
    /// The name of the directories that it prunes when they are delivered.
    prunes: &'static str,
}

impl Visitor for Caller {
    type State = ();

    fn needs(&self) -> Needs {
        Needs { leave: true, ..Needs::default() }
    }

    fn enter(&mut self, entry: &Entry<'_>, (): &()) -> Enter<()> {
        self.seen.borrow_mut().entered.push(path_of(entry));
        Enter::Read(())
    }

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        for entry in entries {
            if entry.name() == self.prunes.as_bytes() {
                entry.prune();
            }
            self.seen.borrow_mut().calls.push(path_of(entry));
        }
        Flow::Continue
    }

    fn leave(&mut self, dir: &Directory<'_>, (): &(), (): &(), _: Outcome) -> Flow {
        self.seen.borrow_mut().calls.push(path(dir.prefix()));
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        panic!("{error}");
    }

    fn flush(&mut self, Pause { write_is_cheap, .. }: Pause) -> Flushed {
        if write_is_cheap && let Some(readers) = &self.readers {
            readers.borrow_mut().help();
        }
        Flushed::default()
    }
}

/// A way to walk.
#[derive(Clone, Copy, Debug)]
struct WalkForm {
    order: Order,
    prunes: &'static str,
    /// Readers claim several directories at once.
    are_quick: bool,
}

/// Walks with this schedule. Returns what was seen, and the schedule as it was made.
fn replay(root: &Path, way: WalkForm, schedule: Schedule) -> (Seen, Schedule) {
    let seen = Rc::new(RefCell::new(Seen::default()));
    let walk = Walk::new(root).order(way.order).threads(NonZeroUsize::new(3));
    let visitor = Caller { seen: Rc::clone(&seen), readers: None, prunes: way.prunes };
    let queue = Turns::new(walk.siblings());
    let setup = Setup::<OrderedKind>::new(walk, &visitor, queue);
    let shared = &setup.shared;
    let reader = |index| Worker::new(Arc::clone(shared), Reader(Rc::clone(&seen)), None, index);
    let readers = Rc::new(RefCell::new(Readers {
        shared: Arc::clone(shared),
        workers: [1, 2].map(reader).into(),
        claimed: Vec::new(),
        schedule,
        are_quick: way.are_quick,
    }));
    let mut worker = Worker::new(Arc::clone(shared), visitor, None, 0);
    worker.visitor.readers = Some(Rc::clone(&readers));
    let roots = setup.begin(&mut worker).expect("a walk in turn has a slot of the roots");
    let mut emission = Emission::new(&mut worker, &roots);
    readers.borrow_mut().act();
    while emission.deliver_next(&mut worker) {
        readers.borrow_mut().act();
    }
    while !readers.borrow().claimed.is_empty() {
        readers.borrow_mut().complete(0);
    }
    worker.ledger.one_finished();
    worker.ledger.settle();
    assert!(shared.is_over());
    let schedule = std::mem::take(&mut readers.borrow_mut().schedule);
    (seen.take(), schedule)
}

/// Replays all schedules. Returns their number.
fn replay_all(root: &Path, way: WalkForm) -> usize {
    let seen = Rc::new(RefCell::new(Seen::default()));
    let alone = Caller { seen: Rc::clone(&seen), readers: None, prunes: way.prunes };
    Walk::new(root).order(way.order).visit(alone);
    let expected = seen.take();
    let is_handed_on = |call: &&String| !call.ends_with('/');
    let mut next = Some(Schedule::default());
    let mut count = 0;
    while let Some(schedule) = next {
        let (seen, made) = replay(root, way, schedule);
        let what = format!("{way:?} {:?}", made.made);
        // A pruned directory that a reader has entered is left as well.
        let handed_on: Vec<_> = seen.calls.iter().filter(is_handed_on).collect();
        assert!(
            handed_on.iter().eq(&expected.calls.iter().filter(is_handed_on).collect::<Vec<_>>()),
            "{what}: {:?}",
            seen.calls
        );
        if way.prunes.is_empty() {
            assert_eq!(seen.calls, expected.calls, "{what}");
        }
        let mut left: Vec<_> =
            seen.calls.iter().filter_map(|call| call.strip_suffix('/')).collect();
        let mut entered = seen.entered;
        left.sort_unstable();
        entered.sort_unstable();
        assert_eq!(left, entered, "{what}");
        next = made.next();
        count += 1;
    }
    count
}

/// Makes directories, and files where a path does not end in `/`.
fn grow(root: &Path, paths: &[&str]) {
    for path in paths {
        let at = root.join(path);
        if path.ends_with('/') {
            fs::create_dir_all(at).expect("a directory");
        } else {
            fs::write(at, "").expect("a file");
        }
    }
}

#[test]
fn whatever_completes_first_the_calls_are_the_same() {
    let place = tempfile::tempdir().expect("a scratch directory");
    let trees: [&[&str]; 5] = [
        &["a/", "a/f", "b/", "c"],
        &["a/b/", "a/b/f", "c"],
        &["a/b/", "c/"],
        &["a/", "b/", "b/g", "c/", "d"],
        &["a/b/", "a/c/", "d/"],
    ];
    for (number, tree) in trees.into_iter().enumerate() {
        let root = place.path().join(number.to_string());
        fs::create_dir(&root).expect("a directory");
        grow(&root, tree);
        for shape in [Shape::Pre, Shape::Post, Shape::SiblingsFirst] {
            for prunes in ["", "b"] {
                for are_quick in [false, true] {
                    let way = WalkForm { order: Order::Sorted(shape), prunes, are_quick };
                    let count = replay_all(&root, way);
                    assert!(count > 10, "{count} schedules of {way:?}");
                }
            }
        }
    }
}
