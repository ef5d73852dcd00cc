//! Handing on in turn: what the calling thread does in an ordered walk.

use std::sync::Arc;

use super::place::{Contents, Draft, Filled, Place};
use crate::driver::Driver;
use crate::queue::Queue;
use crate::worker::Worker;
use crate::{Directory, Flow, Outcome};

/// As many entries as the visitor is given at once: a directory that is held whole need not be
/// borrowed whole.
const CHUNK: usize = 1024;

/// How far an ordered walk has come: the directories from the roots down to the current one.
pub(crate) struct Emission<S> {
    stack: Vec<Frame<S>>,
    steps: usize,
}

/// Once in so many steps the visitor may write and the clock is looked at.
const STEPS: usize = 8;

/// Contents on their way to the visitor.
struct Frame<S> {
    contents: Filled<S>,
    /// The first item that was not handed on.
    next: usize,
    /// How many of its directories were passed.
    passed: usize,
    /// In post-order: the directory that is to be handed on when what is above this frame is done.
    after: Option<usize>,
    /// It was pruned after readers had begun with it: nothing of it is handed on, but what was entered
    /// is left.
    is_mute: bool,
    /// Directories that were handed on, but are not to be entered after all.
    refused: Vec<u32>,
    /// More of the same directory follows in the frame below.
    goes_on: bool,
}

/// What comes after the entries that were handed on.
enum Next<S> {
    /// The turn of a directory, by its number among the directories.
    Enter(usize),
    /// A directory that is not wanted, but that a reader has begun with.
    Unwanted(Arc<Place<S>>),
    End,
}

impl<S> Frame<S> {
    fn new(contents: Filled<S>, is_mute: bool) -> Frame<S> {
        Frame {
            contents,
            next: 0,
            passed: 0,
            after: None,
            is_mute,
            refused: Vec::new(),
            goes_on: false,
        }
    }
}

impl<V: Driver> Worker<'_, '_, V> {
    /// Everything that the calling thread will hand on, beginning with the roots.
    pub fn emission(&mut self, roots: &Arc<Place<V::State>>) -> Emission<V::State> {
        let mut emission = Emission { stack: Vec::new(), steps: 0 };
        if let Some(roots) = self.await_place(roots) {
            self.emit_child(&mut emission.stack, roots);
        }
        emission
    }

    /// Hands on what comes next: entries up to a directory, or what follows a directory that is done.
    /// `false` at the end.
    pub fn emit_step(&mut self, emission: &mut Emission<V::State>) -> bool {
        let stack = &mut emission.stack;
        let Some(frame) = stack.last_mut() else { return false };
        if self.shared.is_stopped() {
            return false;
        }
        match self.emit_to_directory(frame) {
            Next::Enter(number) => match self.take_child(&frame.contents, number) {
                Some(child) => self.emit_child(stack, child),
                None => self.emit_after(stack.last_mut()),
            },
            Next::Unwanted(place) => {
                let child = self.await_place(&place);
                stack.extend(child.map(|child| Frame::new(child, true)));
            }
            Next::End => self.emit_end(stack),
        }
        emission.steps += 1;
        if emission.steps.is_multiple_of(STEPS) {
            self.unit_done();
        }
        true
    }

    /// A directory's turn has come.
    fn emit_child(&mut self, stack: &mut Vec<Frame<V::State>>, child: Filled<V::State>) {
        if child.was_read && !child.node.is_top() {
            self.tell(&child, V::begin);
        }
        if self.shared.siblings_first {
            self.emit_siblings(stack, child);
        } else {
            stack.push(Frame::new(child, false));
        }
    }

    /// Hands on all of a directory's entries, chunk by chunk. What is in its subdirectories comes after
    /// that, those of the first chunk first.
    fn emit_siblings(&mut self, stack: &mut Vec<Frame<V::State>>, first: Filled<V::State>) {
        let bottom = stack.len();
        let mut next = Some(first);
        while let Some(contents) = next {
            let mut frame = Frame::new(contents.clone(), false);
            frame.next = contents.len();
            match &contents.draft {
                Some(draft) => self.emit_draft(&contents, draft),
                None => {
                    self.emit_items(&contents, 0..contents.len(), true, &mut frame.refused);
                }
            }
            next = if self.shared.is_stopped() { None } else { self.read_more(&contents) };
            frame.goes_on = next.is_some();
            // The last one stays whatever it holds: with it the directory is left.
            if !(frame.goes_on && contents.directories.is_empty()) {
                stack.push(frame);
            }
        }
        stack[bottom..].reverse();
        if let Some(contents) = stack.get(bottom).map(|frame| frame.contents.clone())
            && contents.was_read
            && !contents.node.is_top()
        {
            self.tell(&contents, V::end);
        }
    }

    /// Hands on entries up to and with the next directory that is to be entered; in post-order, without
    /// it.
    fn emit_to_directory(&mut self, frame: &mut Frame<V::State>) -> Next<V::State> {
        let contents = frame.contents.clone();
        while let Some(&index) = contents.directories.get(frame.passed) {
            let number = frame.passed;
            frame.passed += 1;
            if !frame.is_mute && self.emit_and_enter(frame, index) {
                return Next::Enter(number);
            }
            if let Some(place) = contents.pass(number) {
                return Next::Unwanted(place);
            }
        }
        let from = std::mem::replace(&mut frame.next, contents.len());
        if !frame.is_mute {
            self.emit_items(&contents, from..contents.len(), true, &mut frame.refused);
        }
        Next::End
    }

    /// Hands on entries up to the directory at `index`, and says whether that is to be entered.
    fn emit_and_enter(&mut self, frame: &mut Frame<V::State>, index: u32) -> bool {
        let contents = frame.contents.clone();
        let at = index as usize;
        if frame.next > at {
            return !frame.refused.contains(&index);
        }
        let from = std::mem::replace(&mut frame.next, at + 1);
        if !self.shared.post_order {
            self.emit_items(&contents, from..at + 1, true, &mut frame.refused);
            return frame.refused.pop().is_none();
        }
        self.emit_items(&contents, from..at, true, &mut frame.refused);
        let dir = Directory { prefix: b"", depth: 0, handle: None };
        let enters = contents.record(at).is_silent()
            || self
                .shared
                .unique
                .as_ref()
                .is_none_or(|unique| unique.is_first(&contents.entry(&dir, at)));
        frame.after = enters.then_some(at);
        enters
    }

    /// In post-order: hands on the directory that the last frame has just come back from.
    fn emit_after(&mut self, frame: Option<&mut Frame<V::State>>) {
        if let Some(frame) = frame
            && let Some(at) = frame.after.take()
        {
            let contents = frame.contents.clone();
            self.emit_items(&contents, at..at + 1, false, &mut Vec::new());
        }
    }

    /// Everything of the last frame was handed on, and everything below it.
    fn emit_end(&mut self, stack: &mut Vec<Frame<V::State>>) {
        let Some(frame) = stack.pop() else { return };
        let contents = frame.contents;
        if frame.goes_on {
            return;
        }
        if !frame.is_mute && !self.shared.siblings_first && contents.reading.is_some() {
            let more = self.read_more(&contents);
            stack.extend(more.map(|more| Frame::new(more, false)));
            return;
        }
        self.emit_leave(&contents);
        self.spend(contents);
        if !frame.is_mute {
            self.emit_after(stack.last_mut());
        }
    }

    /// Hands on what the visitor has made of all entries.
    fn emit_draft(&mut self, contents: &Contents<V::State>, draft: &Draft) {
        if draft.count == 0 || self.shared.is_stopped() {
            return;
        }
        self.stats.taken += draft.count as u64;
        if self.visitor.adopt(&contents.node.state, &draft.bytes) == Flow::Stop {
            self.shared.stop();
        }
    }

    /// Hands items on, those met before excepted if that is to be checked. Directories among them that
    /// are not to be entered after all are added to `refused`.
    fn emit_items(
        &mut self,
        contents: &Contents<V::State>,
        items: std::ops::Range<usize>,
        check: bool,
        refused: &mut Vec<u32>,
    ) {
        let mut from = items.start;
        while from < items.end && !self.shared.is_stopped() {
            let to = items.end.min(from + CHUNK);
            self.emit_chunk(contents, from..to, check, refused);
            from = to;
        }
    }

    fn emit_chunk(
        &mut self,
        contents: &Contents<V::State>,
        items: std::ops::Range<usize>,
        check: bool,
        refused: &mut Vec<u32>,
    ) {
        self.set_prefix(&contents.node);
        let prefix = self.lend_prefix();
        let dir = contents.directory(&prefix);
        let mut entries = self.borrow_entries();
        let all = items.clone().map(|index| contents.entry(&dir, index));
        entries.extend(all.filter(|entry| !entry.silent));
        if check && let Some(unique) = &self.shared.unique {
            unique.keep_first(&mut entries, |_| true);
        }
        self.give(&dir, &contents.node.state, &entries);
        let mut handed = entries.iter();
        for &index in contents.directories_in(items) {
            let record = contents.record(index as usize);
            let mut ahead = handed.clone();
            match ahead.find(|entry| std::ptr::eq(entry.name, record.name)) {
                Some(entry) if !entry.pruned.get() => handed = ahead,
                None if record.is_silent() => {}
                _ => refused.push(index),
            }
        }
        self.return_entries(entries);
        self.return_prefix(prefix);
    }

    /// Tells the visitor how far a directory has come.
    fn tell(
        &mut self,
        contents: &Contents<V::State>,
        what: fn(&mut V, &Directory<'_>, &V::State) -> Flow,
    ) {
        self.set_prefix(&contents.node);
        let prefix = self.lend_prefix();
        if what(&mut self.visitor, &contents.directory(&prefix), &contents.node.state) == Flow::Stop
        {
            self.shared.stop();
        }
        self.return_prefix(prefix);
    }

    /// The contents of a directory whose turn it is: ready, or read now, here or with others' help.
    fn take_child(
        &mut self,
        contents: &Contents<V::State>,
        number: usize,
    ) -> Option<Filled<V::State>> {
        let place = contents.pass(number).unwrap_or_else(|| {
            let sorted = matches!(&self.shared.queue, Queue::Turns(turns) if turns.sorted);
            let place = Place::new(sorted, 0);
            self.read_place(contents, number, &place);
            self.unit_done();
            place
        });
        self.await_place(&place)
    }

    /// Leaves contents that were handed on to whoever gathered them.
    fn spend(&self, contents: Filled<V::State>) {
        if let Queue::Turns(turns) = &self.shared.queue
            && contents.by != self.index
        {
            turns.spend(contents);
        }
    }

    /// The last entry of a directory and everything below it has been handed on.
    fn emit_leave(&mut self, contents: &Contents<V::State>) {
        let shared = Arc::clone(&self.shared);
        if let Queue::Turns(turns) = &shared.queue {
            turns.forget(contents);
        }
        let Some(parent) = &contents.node.parent else { return };
        if shared.wants_leave {
            let read = contents.node.outcome();
            let outcome = if contents.was_read { read } else { Outcome::Unread };
            self.leave(&contents.node, parent, outcome);
        }
    }
}
