//! Visitors that panic: the walk ends, and the caller gets the panic.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use brisk::{
    Directory, Enter, Entry, Error, Flow, Flushed, Order, Parallel, Pause, Select, Visitor, Walk,
};

use crate::record::{ORDERS, in_time, linger};
use crate::tree::bushy;

/// Where the visitor panics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Enter,
    Select,
    Entries,
    Flush,
    Fork,
}

#[derive(Clone)]
struct Fragile {
    at: At,
    /// Calls until it breaks.
    left: Arc<AtomicUsize>,
}

impl Fragile {
    fn reach(&self, at: At) {
        if self.at == at && self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
            // A message that does not look like a failed test's.
            std::panic::resume_unwind(Box::new("as planned"));
        }
    }
}

impl Visitor for Fragile {
    type State = ();

    fn top(&self) {
        linger(Duration::from_micros(500));
    }

    fn enter(&mut self, _: &Entry<'_>, (): &()) -> Enter<()> {
        self.reach(At::Enter);
        Enter::Read(())
    }

    fn select(&mut self, (): &(), _: &Entry<'_>) -> Select {
        self.reach(At::Select);
        Select::Take(brisk::Fields::empty())
    }

    fn entries(&mut self, _: &Directory<'_>, (): &(), _: &[Entry<'_>]) -> Flow {
        self.reach(At::Entries);
        Flow::Continue
    }

    fn error(&mut self, _: Error) -> Flow {
        Flow::Continue
    }

    fn flush(&mut self, _: Pause) -> Flushed {
        // Long enough for a sample, so that other workers are started.
        linger(Duration::from_micros(2200));
        self.reach(At::Flush);
        Flushed::default()
    }
}

impl Parallel for Fragile {
    fn fork(&self, _: usize) -> Fragile {
        self.reach(At::Fork);
        self.clone()
    }

    fn merge(&mut self, _: Fragile) {}
}

#[test]
fn a_visitor_that_panics_does_not_hang_the_walk() {
    let place = tempfile::tempdir().expect("a scratch directory");
    bushy(place.path(), 3, 4, 2);
    for order in ORDERS {
        for at in [At::Enter, At::Select, At::Entries, At::Flush, At::Fork] {
            for calls in [1, 2, 30] {
                let root = place.path().to_owned();
                let panicked = in_time("a walk whose visitor panics", move || {
                    let walk = Walk::new(root).order(order).threads(std::num::NonZeroUsize::new(8));
                    let visitor = Fragile { at, left: Arc::new(AtomicUsize::new(calls)) };
                    catch_unwind(AssertUnwindSafe(|| walk.visit_parallel(visitor))).is_err()
                });
                // At most seven workers are forked, and in an ordered walk the calling thread may
                // do all the work.
                let sure = at != At::Fork || calls <= 2 && order == Order::Unordered;
                assert!(panicked || !sure, "{order:?} {at:?} {calls}");
            }
        }
    }
}

/// An iterator that its consumer drops ends the walk, and no thread waits for it.
#[test]
fn an_iterator_that_is_dropped_ends_the_walk() {
    let place = tempfile::tempdir().expect("a scratch directory");
    bushy(place.path(), 4, 6, 3);
    for order in ORDERS {
        for taken in [0, 1, 100] {
            let walk = Walk::new(place.path()).order(order);
            in_time("a dropped iterator", move || {
                let threads = walk.clone().threads(std::num::NonZeroUsize::new(4));
                let entries = threads.par_iter(brisk::Fields::empty());
                assert_eq!(entries.take(taken).count(), taken);
                assert_eq!(walk.into_iter().take(taken).count(), taken);
            });
        }
    }
}
