//! Runs the code that parks workers and ends a walk (`src/sched/parking.rs`) in all orders that the
//! memory model allows, with loom: no worker waits for ever, and none ends before all tasks are
//! done. In a faulty walk, loom finds an order that shows the fault.

#[path = "../../src/sched/parking.rs"]
#[expect(dead_code, reason = "what waits for a time has no model")]
mod parking;
mod sync;

use std::sync::Arc;

use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use loom::thread;

use parking::{Credit, Parking};

/// What a walk does wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    /// There are no fences between what one worker writes and another one reads.
    NoFence,
    /// A task is counted after it was queued.
    CountsLate,
    /// A worker waits without having subtracted what it has done.
    KeepsCredit,
    /// A worker waits without a second look for work.
    LooksOnce,
}

/// A walk whose tasks are numbers: the first ones have a further one each, which becomes known when
/// they are done.
struct Walk {
    parking: Parking,
    parents: AtomicUsize,
    leaves: AtomicUsize,
    done: AtomicUsize,
    fault: Fault,
}

impl Walk {
    fn add(&self, credit: &mut Credit, queue: &AtomicUsize) {
        if self.fault == Fault::CountsLate {
            queue.fetch_add(1, Ordering::Release);
            self.parking.add(credit, 1);
        } else {
            self.parking.add(credit, 1);
            queue.fetch_add(1, Ordering::Release);
        }
        self.parking.wake();
    }

    fn has_work(&self) -> bool {
        self.parents.load(Ordering::Acquire) + self.leaves.load(Ordering::Acquire) > 0
    }

    fn pop(queue: &AtomicUsize) -> bool {
        let less = |tasks: usize| tasks.checked_sub(1);
        queue.fetch_update(Ordering::AcqRel, Ordering::Acquire, less).is_ok()
    }

    /// As a worker's loop (`drive/perform.rs`).
    fn work(&self, credit: &mut Credit) {
        while !self.parking.is_finished() {
            if Walk::pop(&self.leaves) {
                self.done.fetch_add(1, Ordering::Relaxed);
                self.parking.done(credit);
            } else if Walk::pop(&self.parents) {
                self.add(credit, &self.leaves);
                self.done.fetch_add(1, Ordering::Relaxed);
                self.parking.done(credit);
            } else {
                if self.fault != Fault::KeepsCredit {
                    self.parking.settle(credit);
                }
                let looks = self.fault != Fault::LooksOnce;
                self.parking.park(|| self.parking.is_finished() || looks && self.has_work());
            }
        }
    }
}

/// What the calling thread does when it has listed the roots.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Caller {
    Works,
    /// It is suspended: all tasks are done by others.
    IsSuspended,
}

/// A walk of the calling thread and so many workers; each task in `parents` is followed by one more.
fn walk(caller: Caller, workers: usize, [parents, leaves]: [usize; 2], fault: Fault) {
    let mut model = loom::model::Builder::new();
    // Few preemptions show most faults, and all orders would take days.
    model.preemption_bound = Some(2);
    model.check(move || {
        sync::FENCES.set(fault != Fault::NoFence);
        let walk = Arc::new(Walk {
            parking: Parking::new(),
            parents: AtomicUsize::new(0),
            leaves: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            fault,
        });
        let works = |walk: Arc<Walk>| {
            move || {
                walk.work(&mut Credit::default());
                walk.done.load(Ordering::Relaxed)
            }
        };
        let others: Vec<_> =
            (0..workers).map(|_| thread::spawn(works(Arc::clone(&walk)))).collect();
        // Listing the roots is the first task.
        let mut credit = Credit::default();
        (0..parents).for_each(|_| walk.add(&mut credit, &walk.parents));
        (0..leaves).for_each(|_| walk.add(&mut credit, &walk.leaves));
        walk.parking.done(&mut credit);
        if caller == Caller::IsSuspended {
            walk.parking.settle(&mut credit);
            while !walk.parking.is_finished() {
                walk.parking.suspend(None, || walk.parking.is_finished());
            }
        }
        walk.work(&mut credit);
        let all = 2 * parents + leaves;
        assert_eq!(walk.done.load(Ordering::Relaxed), all, "the walk ended early");
        for other in others {
            assert_eq!(other.join().expect("no panic"), all, "a worker ended early");
        }
    });
}

#[test]
fn two_workers_do_all_tasks_and_end() {
    walk(Caller::Works, 1, [1, 1], Fault::None);
}

#[test]
fn what_a_suspended_worker_has_added_is_done_by_another() {
    walk(Caller::IsSuspended, 1, [1, 1], Fault::None);
}

#[test]
fn two_workers_share_what_a_suspended_one_has_added() {
    walk(Caller::IsSuspended, 2, [0, 1], Fault::None);
}

#[test]
#[should_panic(expected = "deadlock")]
fn without_fences_a_worker_waits_for_ever() {
    walk(Caller::IsSuspended, 1, [0, 1], Fault::NoFence);
}

#[test]
#[should_panic(expected = "ended early")]
fn a_task_that_is_counted_late_ends_the_walk_early() {
    walk(Caller::Works, 1, [1, 1], Fault::CountsLate);
}

#[test]
#[should_panic(expected = "deadlock")]
fn a_worker_that_keeps_its_credit_ends_no_walk() {
    walk(Caller::Works, 1, [1, 1], Fault::KeepsCredit);
}

#[test]
#[should_panic(expected = "deadlock")]
fn a_worker_that_looks_once_waits_for_ever() {
    walk(Caller::IsSuspended, 1, [0, 1], Fault::LooksOnce);
}

/// A thread waits for its turn, and another one fills the slot.
fn turn(fault: Fault) {
    loom::model(move || {
        sync::FENCES.set(fault != Fault::NoFence);
        let both = Arc::new((Parking::new(), AtomicBool::new(false)));
        let filled = Arc::clone(&both);
        let reader = thread::spawn(move || {
            filled.1.store(true, Ordering::Release);
            filled.0.wake_turn();
        });
        while !both.1.load(Ordering::Acquire) {
            both.0.await_turn(|| both.1.load(Ordering::Acquire));
        }
        reader.join().expect("no panic");
    });
}

#[test]
fn whoever_waits_for_a_turn_gets_it() {
    turn(Fault::None);
}

#[test]
#[should_panic(expected = "deadlock")]
fn without_fences_a_turn_is_missed() {
    turn(Fault::NoFence);
}

/// A stopped walk wakes those that wait for work and those that are suspended.
#[test]
fn a_stopped_walk_ends() {
    loom::model(|| {
        let parking = Arc::new(Parking::new());
        let others = [true, false].map(|parks| {
            let parking = Arc::clone(&parking);
            thread::spawn(move || {
                while !parking.is_stopped() {
                    if parks {
                        parking.park(|| parking.is_stopped());
                    } else {
                        parking.suspend(None, || parking.is_stopped());
                    }
                }
            })
        });
        parking.stop();
        others.into_iter().for_each(|other| other.join().expect("no panic"));
    });
}
