//! How the engine drives a visitor, whichever of the public traits the visitor has.
//!
//! A serial walk asks only for [`Visitor`], a parallel one for [`Parallel`], one with an order of the
//! visitor's for [`InTurn`], and a removal for [`Removal`]. The engine is written once, for a
//! [`Driver`]; each of the four has a wrapper here that answers what its trait can, and the rest by
//! a default that the compiler removes.

use std::cmp::Ordering;
use std::ops::{Deref, DerefMut};

use crate::entry::Leaving;
use crate::visitor::eight_bytes;
use crate::{Directory, Entry, Flow, InTurn, Parallel, Visitor};

/// A visitor in its wrapper.
pub(crate) trait Driver: DerefMut<Target = Self::Visitor> + Sized {
    type Visitor: Visitor<State = Self::State>;
    type State: Default + Send + Sync;

    /// Whether directories are removed when they are left: see `keep.rs`.
    const REMOVES: bool = false;

    /// The same for another worker; `None` in a serial walk.
    fn fork(&self, worker: usize) -> Option<Self>;

    /// Takes in what another worker gathered.
    fn merge(&mut self, other: Self);

    #[inline]
    fn rank(&self, entry: &Entry<'_>, level: usize) -> u64 {
        eight_bytes(entry.name(), 8 * level)
    }

    #[inline]
    fn compare(&self, a: &Entry<'_>, b: &Entry<'_>) -> Ordering {
        a.name().cmp(b.name())
    }

    fn begin(&mut self, _dir: &Directory<'_>, _state: &Self::State) -> Flow {
        Flow::Continue
    }

    fn end(&mut self, _dir: &Directory<'_>, _state: &Self::State) -> Flow {
        Flow::Continue
    }

    fn draft(&mut self, _entries: &[Entry<'_>], _out: &mut Vec<u8>) {}

    fn adopt(&mut self, _state: &Self::State, _draft: &[u8]) -> Flow {
        Flow::Continue
    }

    fn remove(&mut self, _dir: &Leaving<'_>, _state: &Self::State, _parent: &Self::State) -> Flow {
        Flow::Continue
    }
}

/// A visitor that removes: the walk is unordered, and directories are left by their parent's handle.
pub(crate) trait Removal: Parallel {
    /// Everything below the directory is done, and it may be removed. Also called for a directory that
    /// could not be opened: right after [`error`](Visitor::error) in the same worker, if that was
    /// called at all.
    fn remove(&mut self, dir: &Leaving<'_>, state: &Self::State, parent: &Self::State) -> Flow;
}

macro_rules! wrapper {
    ($(#[$doc:meta])* $name:ident: $bound:ident { $($body:tt)* }) => {
        $(#[$doc])*
        pub(crate) struct $name<V>(pub V);

        impl<V> Deref for $name<V> {
            type Target = V;

            #[inline(always)]
            fn deref(&self) -> &V {
                &self.0
            }
        }

        impl<V> DerefMut for $name<V> {
            #[inline(always)]
            fn deref_mut(&mut self) -> &mut V {
                &mut self.0
            }
        }

        impl<V: $bound> Driver for $name<V> {
            type Visitor = V;
            type State = V::State;
            $($body)*
        }
    };
}

wrapper! {
    /// Drives a visitor on the calling thread alone.
    Serial: Visitor {
        fn fork(&self, _: usize) -> Option<Self> {
            None
        }

        fn merge(&mut self, _: Self) {}
    }
}

wrapper! {
    /// Drives one visitor a worker.
    Forked: Parallel {
        fn fork(&self, worker: usize) -> Option<Self> {
            Some(Forked(self.0.fork(worker)))
        }

        fn merge(&mut self, other: Self) {
            self.0.merge(other.0);
        }
    }
}

wrapper! {
    /// Drives one visitor a worker, and lets it choose the order of siblings.
    Arranged: InTurn {
        fn fork(&self, worker: usize) -> Option<Self> {
            Some(Arranged(self.0.fork(worker)))
        }

        fn merge(&mut self, other: Self) {
            self.0.merge(other.0);
        }

        #[inline]
        fn rank(&self, entry: &Entry<'_>, level: usize) -> u64 {
            self.0.rank(entry, level)
        }

        #[inline]
        fn compare(&self, a: &Entry<'_>, b: &Entry<'_>) -> Ordering {
            self.0.compare(a, b)
        }

        fn begin(&mut self, dir: &Directory<'_>, state: &V::State) -> Flow {
            self.0.begin(dir, state)
        }

        fn end(&mut self, dir: &Directory<'_>, state: &V::State) -> Flow {
            self.0.end(dir, state)
        }

        fn draft(&mut self, entries: &[Entry<'_>], out: &mut Vec<u8>) {
            self.0.draft(entries, out);
        }

        fn adopt(&mut self, state: &V::State, draft: &[u8]) -> Flow {
            self.0.adopt(state, draft)
        }
    }
}

wrapper! {
    /// Drives one visitor a worker, and has it remove directories.
    Removing: Removal {
        const REMOVES: bool = true;

        fn fork(&self, worker: usize) -> Option<Self> {
            Some(Removing(self.0.fork(worker)))
        }

        fn merge(&mut self, other: Self) {
            self.0.merge(other.0);
        }

        fn remove(&mut self, dir: &Leaving<'_>, state: &V::State, parent: &V::State) -> Flow {
            self.0.remove(dir, state, parent)
        }
    }
}
