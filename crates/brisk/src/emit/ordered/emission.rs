//! [`Emission`]: the calling thread's part of an ordered walk. It goes through the tree, delivers
//! entries, and takes each directory from its [`Slot`] when the directory's turn comes. A visitor
//! that acts gets one entry at a time, and leaves each directory by its parent's handle.

use std::ops::Range;
use std::sync::Arc;

use brisk_sys::Dir;

use super::arrange::Arrange;
use super::slot::{OrderedDir, ReadyDir, Slot};
use super::{InOrder, tell_early_errors, tell_errors};
use crate::Operation;
use crate::drive::task::{Queue, Reading, Task, ToEnter};
use crate::drive::worker::Worker;
use crate::emit::{self, leave, leave_by_parent};
use crate::entry::Directory;
use crate::tree::{Child, EmitState};
use crate::visitor::{Flow, Visitor};

/// The most entries that the visitor gets in one call: the views of a directory's entries need not
/// all exist at once, however many there are.
const MAX_SLICE: usize = 1024;

/// The number of steps after which the visitor may write and the clock is read. Unless the visitor
/// acts, a step takes less than a system call.
const STEPS: usize = 8;

type OrderedKind<V, A> = InOrder<<V as Visitor>::State, A>;
type Ordered<V, A> = OrderedDir<OrderedKind<V, A>>;
type Ready<V, A> = ReadyDir<OrderedKind<V, A>>;
/// The calling thread's worker.
type TurnWorker<'s, V, A> = Worker<'s, V, OrderedKind<V, A>>;

/// How far an ordered walk has come: the directories from the roots down to the current one.
pub(crate) struct Emission<V: Visitor, A: Arrange<V>> {
    stack: Vec<Frame<V, A>>,
    steps: usize,
}

/// A directory, or a chunk of one, on its way to the visitor.
struct Frame<V: Visitor, A: Arrange<V>> {
    dir: Ready<V, A>,
    /// The index of the first entry that was not delivered.
    next: usize,
    /// The number of its directories whose turn has come.
    passed: usize,
    /// In post-order: the index of the directory that is to be delivered when the frames above this
    /// one are done.
    after: Option<usize>,
    /// The directory was pruned after a reader had claimed it. Nothing of it is delivered, but the
    /// visitor leaves it if a reader has entered it.
    is_mute: bool,
    answers: Answers,
    /// The next chunk of the same directory is in the frame below this one.
    has_next_chunk: bool,
}

/// What the visitor has answered to the directories that were delivered.
#[derive(Default)]
struct Answers {
    /// Those that are not entered: the visitor pruned them, or they were met before.
    not_entered: Vec<u32>,
    /// The [bits](crate::tree::Child::bits) of the last one that is entered.
    bits: u8,
}

/// What comes after the entries that were delivered.
enum Next<V: Visitor, A: Arrange<V>> {
    /// The turn of a directory, by its number among the directories.
    Enter(usize),
    /// A directory that is not to be entered, but that a reader has claimed.
    Unwanted(Arc<Slot<OrderedKind<V, A>>>),
    End,
}

impl<V: Visitor, A: Arrange<V>> Frame<V, A> {
    fn new(dir: Ready<V, A>, is_mute: bool) -> Self {
        let answers = Answers::default();
        Frame { dir, next: 0, passed: 0, after: None, is_mute, answers, has_next_chunk: false }
    }
}

impl<V: Visitor, A: Arrange<V>> Emission<V, A> {
    /// The emission of a whole walk, beginning with the roots.
    pub fn new(worker: &mut TurnWorker<'_, V, A>, roots: &Arc<Slot<OrderedKind<V, A>>>) -> Self {
        let mut emission = Emission { stack: Vec::new(), steps: 0 };
        if let Some(roots) = Self::await_slot(worker, roots) {
            emission.child(worker, roots);
        }
        emission
    }

    /// Delivers what comes next: entries up to a directory, or what follows a directory that is
    /// done. `false` at the end.
    pub fn deliver_next(&mut self, worker: &mut TurnWorker<'_, V, A>) -> bool {
        let Some(frame) = self.stack.last_mut() else { return false };
        if worker.shared.is_stopped() {
            return false;
        }
        match Self::up_to_directory(worker, frame) {
            Next::Enter(number) => match Self::take_child(worker, frame, number) {
                Some(child) => self.child(worker, child),
                None => self.after(worker),
            },
            Next::Unwanted(slot) => {
                let child = Self::await_slot(worker, &slot);
                self.stack.extend(child.map(|child| Frame::new(child, true)));
            }
            Next::End => self.end(worker),
        }
        self.steps += 1;
        if self.steps.is_multiple_of(STEPS) {
            worker.flush_and_measure();
        }
        true
    }

    /// A directory's turn has come.
    fn child(&mut self, worker: &mut TurnWorker<'_, V, A>, child: Ready<V, A>) {
        let is_told = child.draft.is_none() || worker.shared.settings.siblings_first;
        if is_told && child.was_read && child.node.parent.is_some() {
            Self::tell(worker, &child, A::begin);
        }
        if worker.shared.settings.siblings_first {
            self.siblings(worker, child);
        } else {
            self.stack.push(Frame::new(child, false));
        }
    }

    /// Delivers all of a directory's entries, chunk by chunk. The turns of its subdirectories come
    /// after that, those of the first chunk first.
    fn siblings(&mut self, worker: &mut TurnWorker<'_, V, A>, first: Ready<V, A>) {
        let bottom = self.stack.len();
        let mut next = Some(first);
        while let Some(dir) = next {
            let mut frame = Frame::new(dir.clone(), false);
            frame.next = dir.len();
            tell_errors(worker, &dir, usize::MAX);
            match &dir.draft {
                Some(draft) => Self::adopt(worker, &dir, draft.piece(0)),
                None => Self::deliver(worker, &dir, 0..dir.len(), true, &mut frame.answers),
            }
            next = if worker.shared.is_stopped() {
                None
            } else {
                Self::read_more(worker, dir.clone())
            };
            frame.has_next_chunk = next.is_some();
            // The last chunk's frame always stays: when it ends, the visitor leaves the directory.
            if !(frame.has_next_chunk && dir.directories.is_empty()) {
                self.stack.push(frame);
            }
        }
        self.stack[bottom..].reverse();
        if let Some(dir) = self.stack.get(bottom).map(|frame| frame.dir.clone())
            && dir.was_read
            && dir.node.parent.is_some()
        {
            Self::tell(worker, &dir, A::end);
        }
    }

    /// In post-order: delivers the directory that the last frame has just come back from.
    fn after(&mut self, worker: &mut TurnWorker<'_, V, A>) {
        if let Some(frame) = self.stack.last_mut()
            && let Some(at) = frame.after.take()
        {
            let dir = frame.dir.clone();
            Self::deliver(worker, &dir, at..at + 1, false, &mut Answers::default());
        }
    }

    /// The entries of the last frame, and everything below them, were delivered.
    fn end(&mut self, worker: &mut TurnWorker<'_, V, A>) {
        let Some(frame) = self.stack.pop() else { return };
        let Frame { dir, has_next_chunk, is_mute, .. } = frame;
        if has_next_chunk {
            return;
        }
        if A::ACTS && dir.reading.is_none() {
            return self.leave_or_reenter(worker, dir);
        }
        if !is_mute && !worker.shared.settings.siblings_first && dir.reading.is_some() {
            worker.shared.queue.forget(&dir);
            let more = Self::read_more(worker, dir);
            self.stack.extend(more.map(|more| Frame::new(more, false)));
            return;
        }
        // Its last entry, and everything below it, was delivered.
        worker.shared.queue.forget(&dir);
        if worker.shared.settings.calls_leave
            && let Some(parent) = &dir.node.parent
        {
            leave(worker, &dir.node, parent, dir.outcome());
        }
        if dir.by != worker.index {
            // A reader frees what a reader has read.
            worker.shared.queue.spend(dir);
        }
        if !is_mute {
            self.after(worker);
        }
    }

    /// Everything below a directory is done: a visitor that acts leaves it by its parent's handle,
    /// after its own was closed.
    fn leave_or_reenter(&mut self, worker: &mut TurnWorker<'_, V, A>, dir: Ready<V, A>) {
        let Some(parent) = dir.node.parent.clone() else { return };
        let node = Arc::clone(&dir.node);
        let outcome = dir.outcome();
        let handle = dir.kept().cloned();
        drop(dir);
        let above = self.stack.last().and_then(|frame| frame.dir.kept());
        let held = above.cloned().or_else(|| parent.emit_state.held());
        let left = leave_by_parent(worker, &node, &parent, (held, handle), outcome, A::leaving);
        if !left.reenters {
            return self.after(worker);
        }
        let slot = Slot::new(worker.shared.queue.siblings, 0);
        worker.enter(&ToEnter {
            parent: &parent,
            handle: left.up.as_ref(),
            child: node.as_child_again(),
            position: node.emit_state.at,
            slot: Some(Arc::clone(&slot)),
        });
        match Self::await_slot(worker, &slot) {
            Some(dir) => self.child(worker, dir),
            None => self.after(worker),
        }
    }

    /// Delivers entries up to the next directory that is to be entered, and that directory itself
    /// unless the walk is in post-order.
    fn up_to_directory(worker: &mut TurnWorker<'_, V, A>, frame: &mut Frame<V, A>) -> Next<V, A> {
        let dir = frame.dir.clone();
        while frame.passed < dir.directories.len() {
            let number = frame.passed;
            frame.passed += 1;
            if !frame.is_mute && Self::deliver_and_enter(worker, frame, number) {
                return Next::Enter(number);
            }
            if let Some(slot) = dir.pass(number) {
                return Next::Unwanted(slot);
            }
        }
        if !frame.is_mute {
            Self::deliver_rest(worker, frame);
        }
        Next::End
    }

    /// Delivers what follows the last directory that is entered.
    fn deliver_rest(worker: &mut TurnWorker<'_, V, A>, frame: &mut Frame<V, A>) {
        let dir = frame.dir.clone();
        let from = std::mem::replace(&mut frame.next, dir.len());
        match &dir.draft {
            None => Self::deliver(worker, &dir, from..dir.len(), true, &mut frame.answers),
            // With siblings first, its only piece was delivered.
            Some(_) if worker.shared.settings.siblings_first => {}
            Some(draft) => Self::adopt(worker, &dir, draft.piece(dir.directories.len())),
        }
        tell_errors(worker, &dir, usize::MAX);
    }

    /// Delivers entries up to a directory, given by its number among the directories; `true` if it
    /// is to be entered.
    fn deliver_and_enter(
        worker: &mut TurnWorker<'_, V, A>,
        frame: &mut Frame<V, A>,
        number: usize,
    ) -> bool {
        let dir = frame.dir.clone();
        let index = dir.directories[number];
        let at = index as usize;
        if frame.next > at {
            return !frame.answers.not_entered.contains(&index);
        }
        let from = std::mem::replace(&mut frame.next, at + 1);
        if let Some(draft) = &dir.draft {
            tell_errors(worker, &dir, at);
            Self::adopt(worker, &dir, draft.piece(number));
            return true;
        }
        if !worker.shared.settings.post_order {
            Self::deliver(worker, &dir, from..at + 1, true, &mut frame.answers);
            return frame.answers.not_entered.pop().is_none();
        }
        Self::deliver(worker, &dir, from..at, true, &mut frame.answers);
        tell_errors(worker, &dir, at);
        let nowhere = Directory::new(b"", 0, None);
        let entry = dir.entry(&nowhere, at);
        let unique = worker.shared.unique.as_ref();
        let is_first = entry.undelivered || unique.is_none_or(|unique| unique.is_first(&entry));
        let enters = is_first && !entry.is_pruned();
        frame.after = enters.then_some(at);
        if is_first && !enters {
            Self::deliver(worker, &dir, at..at + 1, false, &mut Answers::default());
        }
        enters
    }

    /// Delivers a piece of a draft.
    fn adopt(worker: &mut TurnWorker<'_, V, A>, dir: &Ordered<V, A>, (count, bytes): (u32, &[u8])) {
        if count > 0 && !worker.shared.is_stopped() {
            worker.stats.taken += u64::from(count);
            let flow = A::adopt(&mut worker.visitor, &dir.node.state, bytes);
            worker.obey(flow);
        }
    }

    /// Delivers entries; if `check`, without the files that were met before.
    fn deliver(
        worker: &mut TurnWorker<'_, V, A>,
        dir: &Ordered<V, A>,
        entries: Range<usize>,
        check: bool,
        answers: &mut Answers,
    ) {
        let mut from = entries.start;
        while from < entries.end && !worker.shared.is_stopped() {
            tell_errors(worker, dir, from);
            // An error may come before any of the entries.
            let is_single = A::ACTS || dir.errors.is_some();
            let to = entries.end.min(from + if is_single { 1 } else { MAX_SLICE });
            Self::deliver_slice(worker, dir, from..to, check, answers);
            if A::ACTS && to.is_multiple_of(STEPS) {
                worker.flush_and_measure();
            }
            from = to;
        }
    }

    fn deliver_slice(
        worker: &mut TurnWorker<'_, V, A>,
        ordered: &Ordered<V, A>,
        range: Range<usize>,
        check: bool,
        answers: &mut Answers,
    ) {
        let prefix = worker.path.lend(&ordered.node);
        let mut dir = ordered.directory(&prefix);
        let reached;
        if A::ACTS && dir.handle.is_none() {
            let Some(handle) = Self::reach(worker, ordered) else {
                answers.not_entered.extend_from_slice(ordered.directories_in(range));
                return worker.path.give_back(prefix);
            };
            reached = handle;
            dir.handle = Some(&reached);
        }
        let mut entries = worker.memory.borrow_entries();
        let all = range.clone().map(|index| ordered.entry(&dir, index));
        entries.extend(all.filter(|entry| !entry.undelivered));
        if check && let Some(unique) = &worker.shared.unique {
            unique.keep_first(&mut entries, |_| true);
        }
        emit::hand_to_visitor(worker, &dir, &ordered.node.state, &entries);
        let mut handed = entries.iter();
        for &index in ordered.directories_in(range) {
            let record = ordered.record(index as usize);
            let mut ahead = handed.clone();
            match ahead.find(|entry| std::ptr::eq(entry.name, record.packed.name)) {
                Some(entry) if !entry.pruned.get() => {
                    answers.bits = Child::of(entry).bits;
                    handed = ahead;
                }
                None if record.is_undelivered() => answers.bits = record.child().bits,
                _ => answers.not_entered.push(index),
            }
        }
        worker.memory.return_entries(entries);
        worker.path.give_back(prefix);
    }

    /// A handle of a directory whose handle was given up, for a visitor that acts. `None` if no way
    /// leads back: the directory's other entries stay.
    #[cold]
    fn reach(worker: &mut TurnWorker<'_, V, A>, dir: &Ordered<V, A>) -> Option<Arc<Dir>> {
        let reached = worker.opening(|it| it.reacher.reach(&dir.node));
        let lost = |why| {
            if dir.node.mark_incomplete() {
                worker.report(Operation::Reopen, &dir.node, why);
                tell_early_errors(worker);
            }
        };
        reached.map_err(lost).ok()
    }

    /// Makes one of the visitor's calls for a directory: `begin` or `end`.
    fn tell(
        worker: &mut TurnWorker<'_, V, A>,
        ordered: &Ordered<V, A>,
        what: fn(&mut V, &Directory<'_>, &V::State) -> Flow,
    ) {
        let prefix = worker.path.lend(&ordered.node);
        let flow = what(&mut worker.visitor, &ordered.directory(&prefix), &ordered.node.state);
        worker.obey(flow);
        worker.path.give_back(prefix);
    }

    /// The directory whose turn it is: it is ready, or a reader reads it, or this thread does.
    /// `None` if the visitor pruned it.
    fn take_child(
        worker: &mut TurnWorker<'_, V, A>,
        frame: &Frame<V, A>,
        number: usize,
    ) -> Option<Ready<V, A>> {
        let slot = frame.dir.pass(number).unwrap_or_else(|| {
            let slot = Slot::new(worker.shared.queue.siblings, 0);
            let mut next = frame.dir.to_enter(number, &slot);
            if frame.dir.draft.is_none() {
                next.child.bits = frame.answers.bits;
            }
            worker.enter(&next);
            worker.flush_and_measure();
            slot
        });
        Self::await_slot(worker, &slot)
    }

    /// Waits until a slot's directory is ready, and reads ahead meanwhile like any other worker.
    /// `None` if the visitor pruned the directory, or the walk was stopped.
    fn await_slot(
        worker: &mut TurnWorker<'_, V, A>,
        slot: &Arc<Slot<OrderedKind<V, A>>>,
    ) -> Option<Ready<V, A>> {
        let shared = Arc::clone(&worker.shared);
        loop {
            let filled = slot.filled();
            if filled.is_some() || shared.is_stopped() {
                let dir = filled.flatten();
                if dir.as_ref().is_some_and(|dir| shared.queue.shrink(dir.bytes)) {
                    shared.parking.wake_all();
                }
                return dir;
            }
            // One directory at a time, because the one that this thread waits for may be ready any
            // moment.
            if let Some(task) = shared.queue.take(false, shared.pace.target()) {
                worker.perform(task);
                worker.flush_and_measure();
            } else {
                worker.let_write(true);
                worker.ledger.settle();
                let is_ready =
                    || slot.filled().is_some() || shared.is_stopped() || shared.queue.has_work();
                shared.parking.await_turn(is_ready);
                worker.was_idle();
            }
        }
    }

    /// The next chunk of a directory that is delivered chunk by chunk; `None` after the last. The
    /// entries of the chunk before are freed first, unless the caller still needs them.
    fn read_more(worker: &mut TurnWorker<'_, V, A>, dir: Ready<V, A>) -> Option<Ready<V, A>> {
        let before = dir.reading.clone()?;
        let ordinal = dir.ordinal + 1;
        let slot = Slot::new(dir.siblings, ordinal);
        drop(dir);
        let reading = Reading { slot: Some(Arc::clone(&slot)), ordinal, ..before };
        worker.ledger.add_unfinished(1);
        worker.perform(Task::ReadNext(reading));
        worker.flush_and_measure();
        Self::await_slot(worker, &slot)
    }
}
