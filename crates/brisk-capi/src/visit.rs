//! [`brisk_visit`]: a walk that calls the caller's functions, from the threads that read.

use std::ffi::{c_char, c_int, c_void};
use std::mem::MaybeUninit;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use brisk::{Directory, Enter, Fields, Flow, Needs, Parallel, Select};

use crate::border::{ErrorFunction, guarded};
use crate::constants::{BRISK_CONTINUE, BRISK_PRUNE};
use crate::entry::{Entry, EntryView};
use crate::error::Error;
use crate::given::{self, Growing};
use crate::options::{Asked, WalkOptions};

/// Some entries of one directory, at least one. It is the library's, and so is all that it points
/// at; the callback may use it until it returns.
#[repr(C)]
pub struct Chunk {
    /// The size of this structure in bytes.
    size: usize,
    entries: *const Entry,
    count: usize,
    /// The number of the thread that calls: 0 is the one that called brisk_visit. No two that run at
    /// once have the same, and none is above 1024.
    worker: usize,
}

/// The functions that brisk_visit calls. A function that is NULL is not called. What none of them
/// may do: throw, leave by longjmp, or return in a child that it has forked.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Visitor {
    /// The size of this structure: sizeof(brisk_visitor).
    size: usize,
    /// What the functions get as `data`.
    data: *mut c_void,
    /// Gets entries as they are read. In order only in a walk that is depth-first or sorted; then
    /// the thread that called brisk_visit calls it.
    entries: Option<unsafe extern "C" fn(data: *mut c_void, chunk: &Chunk) -> c_int>,
    /// Decides whether a directory is entered: BRISK_CONTINUE, BRISK_PRUNE or BRISK_STOP. The
    /// directory has no metadata. In a walk that is depth-first or sorted this comes before the
    /// directory's turn.
    enter: Option<unsafe extern "C" fn(data: *mut c_void, dir: &Entry) -> c_int>,
    /// Gets what failed, such as a directory that cannot be read.
    error: ErrorFunction,
}

// SAFETY: it is repr(C), begins with the size, and has pointers alone.
unsafe impl Growing for Visitor {}

/// Calls the caller's functions. Each worker has one.
struct Calling<'a> {
    visitor: Visitor,
    /// The metadata that is wanted of each entry.
    fields: Fields,
    worker: usize,
    view: EntryView,
    /// A function has refused: none is called any more.
    stopped: &'a AtomicBool,
}

// SAFETY: what is not `Send` is the caller's functions and data, and the caller of `brisk_visit`
// knows that they are called from several threads.
unsafe impl Send for Calling<'_> {}

impl Calling<'_> {
    /// Whether a function may be called: not after one has refused.
    fn may_call(&self) -> bool {
        !self.stopped.load(Relaxed)
    }

    fn flow(&self, answer: c_int) -> Flow {
        if answer == BRISK_CONTINUE {
            return Flow::Continue;
        }
        self.stopped.store(true, Relaxed);
        Flow::Stop
    }
}

impl brisk::Visitor for Calling<'_> {
    type State = ();

    fn needs(&self) -> Needs {
        Needs::fields(self.fields)
    }

    fn select(&mut self, (): &(), _: &brisk::Entry<'_>) -> Select {
        Select::Take(self.fields)
    }

    fn enter(&mut self, dir: &brisk::Entry<'_>, (): &()) -> Enter<()> {
        let Some(enter) = self.visitor.enter.filter(|_| self.may_call()) else {
            return Enter::Read(());
        };
        let dir = &self.view.of(dir.directory().prefix(), std::slice::from_ref(dir))[0];
        // SAFETY: the caller has given the function and its data for this.
        let answer = unsafe { enter(self.visitor.data, dir) };
        if answer == BRISK_PRUNE {
            return Enter::Prune;
        }
        match self.flow(answer) {
            Flow::Continue => Enter::Read(()),
            Flow::Stop => Enter::Stop,
        }
    }

    fn entries(&mut self, dir: &Directory<'_>, (): &(), entries: &[brisk::Entry<'_>]) -> Flow {
        let Some(call) = self.visitor.entries.filter(|_| self.may_call()) else {
            return Flow::Continue;
        };
        let entries = self.view.of(dir.prefix(), entries);
        let chunk = Chunk {
            size: size_of::<Chunk>(),
            entries: entries.as_ptr(),
            count: entries.len(),
            worker: self.worker,
        };
        // SAFETY: as in `enter`.
        let answer = unsafe { call(self.visitor.data, &chunk) };
        self.flow(answer)
    }

    fn error(&mut self, error: brisk::Error) -> Flow {
        let Some(call) = self.visitor.error.filter(|_| self.may_call()) else {
            return Flow::Continue;
        };
        // SAFETY: as in `enter`.
        let answer = unsafe { call(self.visitor.data, &Error::from(&error)) };
        self.flow(answer)
    }
}

impl Parallel for Calling<'_> {
    fn fork(&self, worker: usize) -> Self {
        Calling { worker, view: EntryView::default(), ..*self }
    }

    fn merge(&mut self, _: Self) {}
}

/// Walks the trees at `roots` and calls the functions of `visitor`, several at once from threads of
/// the walk, which have ended when this returns; with `threads` = 1 in the options from the calling
/// thread alone. `options` may be NULL. Returns 0 if the walk came to its end, 1 if a callback or
/// `cancel` has ended it, and -1 with an error if an option cannot be understood.
///
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brisk_visit(
    roots: *const *const c_char,
    root_count: usize,
    options: *const WalkOptions,
    visitor: *const Visitor,
    error: Option<&mut MaybeUninit<Option<Box<Error>>>>,
) -> c_int {
    guarded(error, -1, || {
        // SAFETY: the caller promises it.
        let asked = unsafe { Asked::read(roots, root_count, options) }?;
        // SAFETY: the caller promises it.
        let visitor = unsafe { given::options(visitor) }?;
        let Asked { walk, fields, cancel } = asked;
        let stopped = &AtomicBool::default();
        let view = EntryView::default();
        walk.visit_parallel(Calling { visitor, fields, worker: 0, view, stopped });
        Ok(c_int::from(stopped.load(Relaxed) || cancel.is_cancelled()))
    })
}
