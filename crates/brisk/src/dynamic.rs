//! [`DynVisitor`]: visitors behind a pointer, for bindings to other languages and for callers that
//! choose a visitor at run time.
//!
//! A [`Visitor`] has a type for each directory's state and is compiled into the walk. A
//! [`DynVisitor`] gets the same calls through a table of functions, with a number as state.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use crate::{
    Directory, Enter, Entry, Error, Flow, Flushed, Listing, Needs, Outcome, Parallel, Select,
    Stats, Visitor, Walk,
};

/// A [`Visitor`] whose type the walk does not know: [`Walk::visit_dyn`] drives it.
///
/// Ten calls are those of [`Visitor`], with the same meaning and in the same order; `fork` and
/// `merge` are those of [`Parallel`]. [`selects`](DynVisitor::selects) is the only one that they
/// do not have. Only `entries` and `error` are required.
///
/// # State
/// A directory's state is a number that the visitor chooses in [`enter`](DynVisitor::enter): an
/// index, or the address of an object in another language. The walk only hands the number back. It
/// says once for each number that no other call will have it, also where the walk is stopped or the
/// directory pruned: [`drop_state`](DynVisitor::drop_state).
///
/// # Cost
/// One virtual call for each chunk, two for each directory (`enter`, `opened`), and about one for
/// each task (`flush`); `listed` and `leave` are one more for each directory if the visitor
/// [needs](DynVisitor::needs) them. None for an entry, unless the visitor
/// [selects](DynVisitor::selects).
///
/// # Example
/// ```
/// # fn main() -> std::io::Result<()> {
/// # let scratch = tempfile::tempdir()?;
/// # std::fs::write(scratch.path().join("a"), "")?;
/// # std::fs::write(scratch.path().join("b"), "")?;
/// # let root = scratch.path();
/// use std::any::Any;
///
/// use brisk::{Directory, DynVisitor, Entry, Error, Flow, Walk};
///
/// struct Count(usize);
///
/// impl DynVisitor for Count {
///     fn entries(&mut self, _: &Directory<'_>, _: u64, entries: &[Entry<'_>]) -> Flow {
///         self.0 += entries.len();
///         Flow::Continue
///     }
///     fn error(&mut self, error: Error) -> Flow {
///         eprintln!("{error}");
///         Flow::Continue
///     }
///     fn fork(&self, _: usize) -> Option<Box<dyn DynVisitor>> {
///         Some(Box::new(Count(0)))
///     }
///     fn merge(&mut self, other: Box<dyn DynVisitor>) {
///         let other: Box<dyn Any> = other;
///         self.0 += other.downcast::<Count>().map_or(0, |other| other.0);
///     }
/// }
///
/// let (visitor, _) = Walk::new(root).min_depth(1).visit_dyn(Box::new(Count(0)));
/// let visitor: Box<dyn Any> = visitor;
/// assert_eq!(visitor.downcast_ref::<Count>().map(|count| count.0), Some(2));
/// # Ok(())
/// # }
/// ```
pub trait DynVisitor: Any + Send {
    /// As [`Visitor::entries`].
    fn entries(&mut self, dir: &Directory<'_>, state: u64, entries: &[Entry<'_>]) -> Flow;

    /// As [`Visitor::error`].
    fn error(&mut self, error: Error) -> Flow;

    /// As [`Visitor::needs`].
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// Whether the walk calls [`select`](DynVisitor::select) for every entry. The walk asks once,
    /// before it begins and before any fork. If the answer is `false`, every entry is handed on,
    /// with the fields filled that [`needs`](DynVisitor::needs) names.
    fn selects(&self) -> bool {
        false
    }

    /// What frees the object that a state stands for, if any does. The walk asks once, before it
    /// begins and before any fork. It calls the function with each number that
    /// [`top`](DynVisitor::top) and [`enter`](DynVisitor::enter) have returned (as
    /// [`opened`](DynVisitor::opened) and [`listed`](DynVisitor::listed) have changed it) once,
    /// after all other calls with that number, in any worker.
    fn drop_state(&self) -> Option<DropState> {
        None
    }

    /// The state above the roots, as [`Visitor::top`]; by default 0.
    fn top(&self) -> u64 {
        0
    }

    /// As [`Visitor::enter`]; by default every directory is read, with the state 0.
    fn enter(&mut self, _entry: &Entry<'_>, _parent: u64) -> Enter<u64> {
        Enter::Read(0)
    }

    /// As [`Visitor::opened`].
    fn opened(&mut self, _dir: &Directory<'_>, _state: &mut u64) -> Enter<()> {
        Enter::Read(())
    }

    /// As [`Visitor::listed`]. Called if [`Needs::listing`](field@Needs::listing) is set.
    fn listed(&mut self, _dir: &Directory<'_>, _names: &Listing<'_>, _state: &mut u64) {}

    /// As [`Visitor::select`]. Called if [`selects`](DynVisitor::selects) says so.
    fn select(&mut self, _state: u64, _entry: &Entry<'_>) -> Select {
        Select::Take(self.needs().fields)
    }

    /// As [`Visitor::leave`]. Called if [`Needs::leave`](field@Needs::leave) is set.
    fn leave(
        &mut self,
        _dir: &Directory<'_>,
        _state: u64,
        _parent: u64,
        _outcome: Outcome,
    ) -> Flow {
        Flow::Continue
    }

    /// As [`Visitor::flush`].
    fn flush(&mut self, _slow: bool) -> Flushed {
        Flushed::default()
    }

    /// A visitor for another worker, as [`Parallel::fork`]; the default is `None`.
    ///
    /// The first call comes before the walk begins. If its answer is `None`, the walk is serial:
    /// all calls come on the calling thread. Otherwise later calls must not answer `None`.
    fn fork(&self, _worker: usize) -> Option<Box<dyn DynVisitor>> {
        None
    }

    /// Takes in the results of another worker's visitor, as [`Parallel::merge`]. Each visitor that
    /// [`fork`](DynVisitor::fork) has made is merged, even if its worker was never started.
    fn merge(&mut self, _other: Box<dyn DynVisitor>) {}
}

/// Frees the object that a directory's state stands for; see [`DynVisitor::drop_state`].
pub type DropState = Arc<dyn Fn(u64) + Send + Sync>;

impl Walk {
    /// Walks with a visitor whose type the walk does not know: as
    /// [`visit_parallel`](Walk::visit_parallel) if the visitor can be [forked](DynVisitor::fork),
    /// else as [`visit`](Walk::visit). What comes back is the visitor that was given; as
    /// `Box<dyn Any>` it can be cast down.
    ///
    /// # Panics
    /// The visitor's [`fork`](DynVisitor::fork) answers `None` after it has made a visitor.
    pub fn visit_dyn(self, visitor: Box<dyn DynVisitor>) -> (Box<dyn DynVisitor>, Stats) {
        let adapter = Adapter::new(visitor);
        let (adapter, stats) = match adapter.visitor.fork(FIRST_FORK) {
            Some(fork) => self.visit_parallel(adapter.with_spare(fork)),
            None => self.visit(adapter),
        };
        (adapter.into_visitor(), stats)
    }
}

/// The number of the first worker besides the calling thread, which is number 0.
const FIRST_FORK: usize = 1;

/// Makes a [`DynVisitor`] a [`Visitor`].
struct Adapter {
    visitor: Box<dyn DynVisitor>,
    needs: Needs,
    drop_state: Option<DropState>,
    /// The selection for every entry; `None` if the visitor is asked about each.
    every: Option<Select>,
    /// The fork that was made before the walk began, until its worker is started.
    spare: Arc<Mutex<Option<Box<dyn DynVisitor>>>>,
}

impl Adapter {
    fn new(visitor: Box<dyn DynVisitor>) -> Adapter {
        let needs = visitor.needs();
        let every = (!visitor.selects()).then_some(Select::Take(needs.fields));
        let drop_state = visitor.drop_state();
        Adapter { visitor, needs, drop_state, every, spare: Arc::default() }
    }

    fn state(&self, number: u64) -> State {
        State { number, drop_state: self.drop_state.clone() }
    }

    fn with_spare(self, fork: Box<dyn DynVisitor>) -> Adapter {
        Adapter { spare: Arc::new(Mutex::new(Some(fork))), ..self }
    }

    fn take_spare(&self) -> Option<Box<dyn DynVisitor>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn into_visitor(mut self) -> Box<dyn DynVisitor> {
        if let Some(spare) = self.take_spare() {
            self.visitor.merge(spare);
        }
        self.visitor
    }
}

/// A directory's number, and what frees its object once the walk has dropped the directory.
#[derive(Default)]
struct State {
    number: u64,
    drop_state: Option<DropState>,
}

impl Drop for State {
    fn drop(&mut self) {
        if let Some(drop_state) = &self.drop_state {
            drop_state(self.number);
        }
    }
}

impl Visitor for Adapter {
    type State = State;

    fn entries(&mut self, dir: &Directory<'_>, state: &State, entries: &[Entry<'_>]) -> Flow {
        self.visitor.entries(dir, state.number, entries)
    }

    fn error(&mut self, error: Error) -> Flow {
        self.visitor.error(error)
    }

    fn needs(&self) -> Needs {
        self.needs
    }

    fn top(&self) -> State {
        self.state(self.visitor.top())
    }

    fn enter(&mut self, entry: &Entry<'_>, parent: &State) -> Enter<State> {
        match self.visitor.enter(entry, parent.number) {
            Enter::Read(number) => Enter::Read(self.state(number)),
            Enter::Recall(number, recalled) => Enter::Recall(self.state(number), recalled),
            Enter::Prune => Enter::Prune,
            Enter::Stop => Enter::Stop,
        }
    }

    fn opened(&mut self, dir: &Directory<'_>, state: &mut State) -> Enter<()> {
        self.visitor.opened(dir, &mut state.number)
    }

    fn listed(&mut self, dir: &Directory<'_>, names: &Listing<'_>, state: &mut State) {
        self.visitor.listed(dir, names, &mut state.number);
    }

    #[inline]
    fn select(&mut self, state: &State, entry: &Entry<'_>) -> Select {
        match self.every {
            Some(select) => select,
            None => self.visitor.select(state.number, entry),
        }
    }

    fn leave(
        &mut self,
        dir: &Directory<'_>,
        state: &State,
        parent: &State,
        outcome: Outcome,
    ) -> Flow {
        self.visitor.leave(dir, state.number, parent.number, outcome)
    }

    fn flush(&mut self, slow: bool) -> Flushed {
        self.visitor.flush(slow)
    }
}

impl Parallel for Adapter {
    fn fork(&self, worker: usize) -> Adapter {
        let spare = if worker == FIRST_FORK { self.take_spare() } else { None };
        let visitor = spare.or_else(|| self.visitor.fork(worker));
        let visitor = visitor.expect("DynVisitor::fork said None after it had made a visitor");
        let drop_state = self.drop_state.clone();
        let spare = Arc::clone(&self.spare);
        Adapter { visitor, needs: self.needs, drop_state, every: self.every, spare }
    }

    fn merge(&mut self, other: Adapter) {
        self.visitor.merge(other.visitor);
    }
}
