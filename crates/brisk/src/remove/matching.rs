//! [`Remove::matching`]: removes the entries that a search chooses. The caller's visitor marks
//! them, and the visitor here removes them.

use std::io;

use super::settings::Remove;
use crate::{
    Act, Breath, Directory, Enter, Entry, Error, Flow, Leaving, Listing, Needs, Operation,
    Parallel, Select, Stats, Visitor, Walk,
};

impl Remove {
    /// Walks, and removes the entries that the visitor marks ([`Entry::mark`]): files at
    /// once, by the handle of the directory that listed them; directories once everything below
    /// them is done, by their parent's handle. A directory that the walk does not enter (because of
    /// a limit on the depth, or because it was pruned) is removed at once, if it is empty. Nothing
    /// else is removed.
    ///
    /// An entry that cannot be removed is an [`Error`] of the operation [`Operation::Remove`]; one
    /// that is gone already is not. The walk is unordered, whatever its order. It enters no mount
    /// point below the roots, as with [`Mounts::SameMount`](crate::Mounts::SameMount), and follows
    /// the rule of [`Walk::mounts`] as well.
    ///
    /// Costs an unlinkat for each marked entry, beside what the walk costs.
    ///
    /// # Example
    /// ```
    /// # fn main() -> std::io::Result<()> {
    /// # let scratch = tempfile::tempdir()?;
    /// # std::fs::create_dir(scratch.path().join("d"))?;
    /// # std::fs::write(scratch.path().join("d/a.o"), "")?;
    /// # std::fs::write(scratch.path().join("d/a.c"), "")?;
    /// # let root = scratch.path();
    /// use brisk::remove::Remove;
    /// use brisk::{Directory, Entry, Error, Flow, Parallel, Visitor, Walk};
    ///
    /// struct Objects;
    ///
    /// impl Visitor for Objects {
    ///     type State = ();
    ///     fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
    ///         let objects = entries.iter().filter(|entry| entry.name().ends_with(b".o"));
    ///         objects.for_each(Entry::mark);
    ///         Flow::Continue
    ///     }
    ///     fn error(&mut self, error: Error) -> Flow {
    ///         eprintln!("{error}");
    ///         Flow::Continue
    ///     }
    /// }
    ///
    /// impl Parallel for Objects {
    ///     fn fork(&self, _: usize) -> Self {
    ///         Objects
    ///     }
    ///     fn merge(&mut self, _: Self) {}
    /// }
    ///
    /// Remove::matching(Walk::new(root), Objects);
    /// assert!(root.join("d/a.c").exists() && !root.join("d/a.o").exists());
    /// # Ok(())
    /// # }
    /// ```
    pub fn matching<V: Parallel>(walk: Walk, visitor: V) -> (V, Stats) {
        let matching = Matching { visitor, max_depth: walk.max_depth, requests: 0 };
        let (matching, stats) = walk.act(matching);
        (matching.visitor, stats)
    }
}

/// The caller's visitor, whose marked entries are removed.
struct Matching<V> {
    visitor: V,
    /// Directories at this depth are not entered.
    max_depth: usize,
    requests: u64,
}

/// The visitor's state of a directory, and whether the directory is marked.
#[derive(Default)]
struct DirState<S> {
    state: S,
    is_marked: bool,
}

impl<V: Visitor> Matching<V> {
    /// Removes an entry, unless it is a directory that is removed when the walk leaves it.
    fn remove_now(&mut self, entry: &Entry<'_>) -> Flow {
        let is_dir = entry.file_type().is_dir();
        if is_dir && !entry.is_pruned() && entry.depth() < self.max_depth {
            return Flow::Continue;
        }
        self.requests += 1;
        match if is_dir { entry.remove_dir() } else { entry.unlink() } {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let error = Error::new(Operation::Remove, entry.path(), entry.depth(), error);
                self.visitor.error(error)
            }
            _ => Flow::Continue,
        }
    }
}

impl<V: Visitor> Visitor for Matching<V> {
    type State = DirState<V::State>;

    fn needs(&self) -> Needs {
        self.visitor.needs()
    }

    fn top(&self) -> Self::State {
        DirState { state: self.visitor.top(), is_marked: false }
    }

    fn enter(&mut self, entry: &Entry<'_>, parent: &Self::State) -> Enter<Self::State> {
        match self.visitor.enter(entry, &parent.state) {
            // What is to be removed is read, whatever the visitor remembers.
            Enter::Read(state) | Enter::Recall(state, _) => {
                Enter::Read(DirState { state, is_marked: entry.is_marked() })
            }
            Enter::Prune => Enter::Prune,
            Enter::Stop => Enter::Stop,
        }
    }

    fn opened(&mut self, dir: &Directory<'_>, level: &mut Self::State) -> Enter<()> {
        self.visitor.opened(dir, &mut level.state)
    }

    fn listed(&mut self, dir: &Directory<'_>, names: &Listing<'_>, level: &mut Self::State) {
        self.visitor.listed(dir, names, &mut level.state);
    }

    #[inline]
    fn select(&mut self, level: &Self::State, entry: &Entry<'_>) -> Select {
        self.visitor.select(&level.state, entry)
    }

    fn entries(&mut self, dir: &Directory<'_>, level: &Self::State, entries: &[Entry<'_>]) -> Flow {
        let flow = self.visitor.entries(dir, &level.state, entries);
        for entry in entries.iter().filter(|entry| entry.is_marked()) {
            if self.remove_now(entry) == Flow::Stop {
                return Flow::Stop;
            }
        }
        flow
    }

    fn error(&mut self, error: Error) -> Flow {
        self.visitor.error(error)
    }

    fn breathe(&mut self, slow: bool) -> Breath {
        let breath = self.visitor.breathe(slow);
        Breath { requests: breath.requests + std::mem::take(&mut self.requests), ..breath }
    }
}

impl<V: Parallel> Parallel for Matching<V> {
    fn fork(&self, worker: usize) -> Self {
        let visitor = self.visitor.fork(worker);
        Matching { visitor, max_depth: self.max_depth, requests: 0 }
    }

    fn merge(&mut self, other: Self) {
        self.visitor.merge(other.visitor);
    }
}

impl<V: Parallel> Act for Matching<V> {
    const REMOVES: bool = true;

    fn leaving(&mut self, dir: &Leaving<'_>, level: &Self::State, parent: &Self::State) -> Flow {
        let mut flow = Flow::Continue;
        if level.is_marked {
            self.requests += 1;
            if let Err(error) = dir.remove() {
                let here = dir.directory();
                let path = here.path().to_owned();
                flow = self.visitor.error(Error::new(Operation::Remove, path, here.depth(), error));
            }
        }
        if flow == Flow::Continue && self.visitor.needs().leave {
            flow = self.visitor.leave(dir.directory(), &level.state, &parent.state, dir.outcome());
        }
        flow
    }
}
