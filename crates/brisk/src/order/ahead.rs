//! Reading ahead: what any worker does in an ordered walk.

use std::sync::Arc;

use super::place::{Claim, Contents, Draft, Filled, Place};
use crate::Directory;
use crate::driver::Driver;
use crate::queue::{Queue, Reading, Unit};
use crate::sched::lock;
use crate::tree::Child;
use crate::worker::{Parent, Visit, Worker};

/// The entries of larger directories are not drafted all at once: the first of them come sooner so.
const MOST_DRAFTED: usize = 2048;

impl<V: Driver> Worker<'_, '_, V> {
    /// In an ordered walk: where the roots' entries will be found, in the order they were given.
    pub fn first_place(&self) -> Option<Arc<Place<V::State>>> {
        matches!(self.shared.queue, Queue::Turns(_)).then(|| Place::new(false, 0))
    }

    /// A directory is completely gathered: its entries are put in order, and wait for their turn.
    pub fn publish(&mut self, reading: &Reading<V::State>, place: &Arc<Place<V::State>>) {
        let shared = Arc::clone(&self.shared);
        let Queue::Turns(turns) = &shared.queue else { return };
        let mut contents = place.arrange(&shared, &self.visitor, reading, self.index);
        if shared.drafts && (1..=MOST_DRAFTED).contains(&contents.len()) {
            self.draft(&mut contents);
        }
        if !contents.directories.is_empty() {
            self.remember(&reading.node, &reading.handle, contents.handle.is_some());
        }
        // Before it can be seen, and shrink again.
        turns.grow(contents.bytes);
        place.fill(Some(contents));
        let Some(Some(contents)) = place.filled() else { return };
        if shared.pace.is_parallel() && !contents.directories.is_empty() && !shared.is_stopped() {
            lock(&turns.ahead).queue(&contents);
            shared.parking.wake();
        } else {
            shared.parking.wake_turn();
        }
    }

    /// Has the visitor draft a directory's entries.
    fn draft(&mut self, contents: &mut Contents<V::State>) {
        if contents.node.is_top() {
            return;
        }
        let dir = Directory { prefix: b"", depth: contents.node.depth(), handle: None };
        let mut entries = self.borrow_entries();
        let all = (0..contents.len()).map(|index| contents.entry(&dir, index));
        entries.extend(all.filter(|entry| !entry.silent));
        let mut bytes = Vec::new();
        self.visitor.draft(&entries, &mut bytes);
        let count = entries.len();
        self.return_entries(entries);
        contents.keep(Draft { count, bytes });
    }

    /// Reads directories that were claimed, one after the other.
    pub fn read_claimed(&mut self, contents: &Filled<V::State>, claim: &Claim<V::State>) {
        let shared = Arc::clone(&self.shared);
        if self.index > 0
            && let Queue::Turns(turns) = &shared.queue
        {
            turns.free_spent();
        }
        for (number, place) in (claim.first..).zip(&claim.places) {
            if number > claim.first {
                self.unit_done();
            }
            self.read_place(contents, number, place);
        }
    }

    /// Reads a directory, by its number among those of its parent.
    pub(super) fn read_place(
        &mut self,
        contents: &Contents<V::State>,
        number: usize,
        place: &Arc<Place<V::State>>,
    ) {
        let index = contents.directories[number];
        let record = contents.record(index as usize);
        let parent = Parent {
            node: &contents.node,
            handle: contents.handle.as_ref().map(|(handle, _)| handle),
            position: contents.position(index),
        };
        let child = Child::new(record.name, record.ino, record.links());
        match self.visit_dir(&parent, child, Some(Arc::clone(place))) {
            Visit::Reading(reading, buffer, complete) => self.go_on(reading, buffer, complete, 0),
            Visit::Unread(node) => self.fill_place(place, Some(Contents::unread(Arc::new(node)))),
            Visit::Pruned => self.fill_place(place, None),
        }
    }

    fn fill_place(&self, place: &Place<V::State>, contents: Option<Contents<V::State>>) {
        place.fill(contents);
        self.shared.parking.wake_turn();
    }

    /// Waits until a place is filled, reading ahead meanwhile like any other worker.
    pub(super) fn await_place(&mut self, place: &Arc<Place<V::State>>) -> Option<Filled<V::State>> {
        let shared = Arc::clone(&self.shared);
        let Queue::Turns(turns) = &shared.queue else { return None };
        loop {
            if let Some(contents) = place.filled() {
                if contents.as_ref().is_some_and(|contents| turns.shrink(contents.bytes)) {
                    shared.parking.wake_all();
                }
                return contents;
            }
            if shared.is_stopped() {
                return None;
            }
            // One directory at a time: the one that is waited for may be ready any moment.
            if let Some(unit) = turns.pop(false, shared.pace.target()) {
                self.perform(unit);
                self.unit_done();
            } else {
                self.let_write(true);
                let ready = || place.is_filled() || shared.is_stopped() || turns.has_work();
                shared.parking.await_turn(ready);
                self.rested();
            }
        }
    }

    /// The next chunk of a directory that is handed on in its own order.
    pub(super) fn read_more(&mut self, contents: &Contents<V::State>) -> Option<Filled<V::State>> {
        let before = contents.reading.as_ref()?;
        let ordinal = contents.ordinal + 1;
        let place = Place::new(false, ordinal);
        let reading = Reading { gathering: Some(Arc::clone(&place)), ..before.clone() };
        self.shared.added(1);
        self.perform(Unit::Continue(reading, ordinal));
        self.unit_done();
        self.await_place(&place)
    }
}
