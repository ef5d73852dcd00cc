//! How directories are left in a walk that removes them: by their parent's handle, never by a path.
//!
//! A directory with subdirectories keeps its handle until it is left ([`Keep`]), as far as the bound on
//! handles allows. Beyond the bound it gives the handle up, remembers which directory it was, and has
//! its subdirectories visited one at a time, because each of them is the way back up:
//!
//! ```text
//!   /               held        opened once, its name is what the caller gave
//!   └─ a            held        children of it wait in the queue, with its handle
//!      └─ b         given up    dev 8:1 ino 77; one child is visited, the others are parked here
//!         └─ c      open        left: openat(c, "..") must be 8:1 77 ──► unlinkat(b, "c")
//!                                    the next parked child is opened by b; if there is none, b is left:
//!                               openat(b, "..") is not needed, a is held ──► unlinkat(a, "b")
//! ```
//!
//! Whoever finishes a directory has its handle in hand, so a chain of any depth is climbed with two:
//! it has just read its last part, or left its last child by it, or failed to open that child from it.
//! A directory that was moved elsewhere meanwhile has another `..` than the one remembered: then nothing
//! above is touched from here. (Test: the mover in `tests/attacks/`.)

use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use brisk_sys::{Dir, Identity};

use crate::driver::Driver;
use crate::entry::Leaving;
use crate::queue::{Reading, Unit};
use crate::sched::lock;
use crate::tree::{CONDEMNED, Child, Held, Hold, Names, Node, Run, TIMES};
use crate::worker::Worker;
use crate::{Directory, Flow, Outcome};

/// A directory's handle, or how to come back to it. Made when its first subdirectory is found.
pub(crate) struct Keep {
    /// The handle, until the directory is left; `None` where there were too many.
    held: Mutex<Option<(Arc<Dir>, Option<Hold>)>>,
    /// Which directory it is, if the handle was given up.
    identity: Option<Identity>,
    parked: Mutex<Parked>,
}

/// Children of a directory without a handle.
#[derive(Default)]
struct Parked {
    names: Names,
    used: usize,
    /// One of them is being visited.
    active: bool,
}

impl Keep {
    /// Keeps a handle that somebody else answers for.
    pub fn always(handle: &Arc<Dir>) -> Keep {
        let held = Mutex::new(Some((Arc::clone(handle), None)));
        Keep { held, identity: None, parked: Mutex::default() }
    }

    /// Keeps the handle if fewer than `limit` are kept, else only what it leads to.
    fn new(handle: &Arc<Dir>, held: &Arc<Held>, limit: usize, stats: &mut u64) -> Keep {
        match Held::hold(held, limit) {
            Some(hold) => {
                let held = Mutex::new(Some((Arc::clone(handle), Some(hold))));
                Keep { held, identity: None, parked: Mutex::default() }
            }
            None => {
                *stats += 1;
                let identity = handle.identity().ok();
                Keep { held: Mutex::new(None), identity, parked: Mutex::default() }
            }
        }
    }

    fn handle(&self) -> Option<Arc<Dir>> {
        lock(&self.held).as_ref().map(|(handle, _)| Arc::clone(handle))
    }
}

/// A parent's handle, or why there is none.
type Up = io::Result<Arc<Dir>>;

impl<V: Driver> Worker<'_, '_, V> {
    /// Queues the children that a directory's entries led to, or parks them.
    pub fn queue_kept(&mut self, reading: &Reading<V::State>, names: &mut Names) {
        let shared = Arc::clone(&self.shared);
        let node = &reading.node;
        let stats = &mut self.stats.calls.stat;
        let keep = node.keep.get_or_init(|| {
            Box::new(Keep::new(&reading.handle, &shared.held, shared.held_limit, stats))
        });
        if let Some(handle) = keep.handle() {
            self.add(Unit::Open(Run::lent(node, &handle, names)));
        } else {
            let mut parked = lock(&keep.parked);
            parked.names.take_in(names);
            let first = !std::mem::replace(&mut parked.active, true);
            drop(parked);
            if first {
                self.next_parked(node, &reading.handle);
            }
        }
        names.clear();
    }

    /// Queues the next of a directory's parked children, to be opened by this handle of it.
    fn next_parked(&mut self, node: &Arc<Node<V::State>>, handle: &Arc<Dir>) {
        let Some(keep) = node.keep.get() else { return };
        let mut parked = lock(&keep.parked);
        let Parked { names, used, active } = &mut *parked;
        if !*active {
            return;
        }
        let next = names.split_first(used);
        *active = next.is_some();
        drop(parked);
        if let Some(next) = next {
            // Nobody is called: a chain is no work for two, and whoever comes by may take it.
            self.shared.queue.push(&self.own, Unit::Open(Run::lent(node, handle, &next)));
        }
    }

    /// A part of a directory is done. If it was the last one the directory is left, and then perhaps
    /// those above it. `handle` is the directory's own, if there is one.
    pub fn depart_finished(&mut self, node: Arc<Node<V::State>>, handle: Option<Arc<Dir>>) {
        let (mut node, mut handle) = (node, handle);
        while node.unfinished.fetch_sub(1, Ordering::AcqRel) == 1 {
            let Some(parent) = node.parent.clone() else { return };
            let up = self.way_up(handle, &parent);
            let outcome = node.outcome();
            let Some(up) = self.depart(&node, &parent, up, outcome) else { return };
            (node, handle) = (parent, up);
        }
    }

    /// A directory that could not be opened is left; `handle` is its parent's.
    pub fn depart_unread(&mut self, node: Arc<Node<V::State>>, handle: Option<&Arc<Dir>>) {
        let parent = node.parent.clone().expect("BUG: a directory to be opened has a parent");
        let up = handle.cloned().ok_or_else(|| io::ErrorKind::NotFound.into());
        if let Some(up) = self.depart(&node, &parent, up, Outcome::Unread) {
            self.depart_finished(parent, up);
        }
    }

    /// A child of `parent` is not visited at all; `handle` is the parent's.
    pub fn passed_over(&mut self, parent: &Arc<Node<V::State>>, handle: Option<&Arc<Dir>>) {
        if let Some(handle) = handle {
            self.next_parked(parent, handle);
        }
        self.depart_finished(Arc::clone(parent), handle.cloned());
    }

    /// The parent's handle: the one that is held, or by `..` from the directory that is left.
    fn way_up(&mut self, handle: Option<Arc<Dir>>, parent: &Node<V::State>) -> Up {
        let keep = parent.keep.get().ok_or(io::ErrorKind::NotFound)?;
        if let Some(held) = keep.handle() {
            return Ok(held);
        }
        let (handle, identity) = handle.zip(keep.identity).ok_or(io::ErrorKind::NotFound)?;
        self.stats.calls.reopen += 1;
        self.stats.calls.stat += 1;
        handle.open_parent(identity).map(Arc::new)
    }

    /// Has the visitor remove a directory. Returns the parent's handle for whoever leaves the parent
    /// next; `None` if the directory is to be read once more.
    fn depart(
        &mut self,
        node: &Arc<Node<V::State>>,
        parent: &Arc<Node<V::State>>,
        up: Up,
        outcome: Outcome,
    ) -> Option<Option<Arc<Dir>>> {
        if let Some(keep) = node.keep.get() {
            // Closed before it goes.
            drop(lock(&keep.held).take());
        }
        if !self.shared.is_stopped() && self.ask_to_remove(node, parent, &up, outcome) {
            let up = up.expect("BUG: only what can be reached is read again");
            self.read_again(node, parent, &up);
            return None;
        }
        match &up {
            Ok(up) => self.next_parked(parent, up),
            Err(_) => self.abandon(parent),
        }
        Some(up.ok())
    }

    /// Calls the visitor; whether it wants the directory to be read again.
    fn ask_to_remove(
        &mut self,
        node: &Arc<Node<V::State>>,
        parent: &Node<V::State>,
        up: &Up,
        outcome: Outcome,
    ) -> bool {
        self.set_prefix(node);
        let leaving = Leaving {
            dir: Directory { prefix: &self.prefix, depth: node.depth(), handle: None },
            name: &node.name,
            parent: up.as_ref().map(|up| &**up),
            note: node.note,
            outcome,
            again: false.into(),
        };
        let flow = self.visitor.remove(&leaving, &node.state, &parent.state);
        let again = leaving.again.get();
        if flow == Flow::Stop {
            self.shared.stop();
        }
        again && flow == Flow::Continue
    }

    /// Queues a directory that was left, as its parent's child; the parent goes on counting it.
    fn read_again(
        &mut self,
        node: &Node<V::State>,
        parent: &Arc<Node<V::State>>,
        handle: &Arc<Dir>,
    ) {
        let times = (node.note & TIMES) + 1;
        let note = (node.note & CONDEMNED) | times;
        let mut names = Names::default();
        names.push(Child { name: &node.name, ino: node.ino, links: node.links, note });
        self.shared.added(1);
        self.add(Unit::Open(Run::lent(parent, handle, &names)));
    }

    /// The way back to a directory was lost: nobody comes for its parked children any more.
    #[cold]
    fn abandon(&mut self, node: &Node<V::State>) {
        let Some(keep) = node.keep.get() else { return };
        let mut parked = lock(&keep.parked);
        let count = parked.names.count();
        parked.names.clear();
        parked.used = 0;
        parked.active = false;
        drop(parked);
        node.unfinished.fetch_sub(count, Ordering::AcqRel);
        for _ in 0..count {
            self.shared.finished();
        }
    }
}
