//! [`Search`]: the visitor of both kinds of walk. It applies rules and filters, and passes what is
//! wanted on to a [`Sink`].

use std::sync::Arc;

use brisk::ignore::{Level, Rules};
use brisk::{
    Directory, Enter, Entry, Error, FileType, Flow, Flushed, Listing, Needs, Parallel, Select,
    Visitor, Walk,
};

use crate::options::Wanted;

/// Where entries go. Each worker has one.
pub trait Sink: Send + Sized {
    /// Whether a directory is entered.
    fn enter(&mut self, _dir: &Entry<'_>) -> Enter<()> {
        Enter::Read(())
    }

    /// Entries of one directory, at least one.
    fn entries(&mut self, dir: &Directory<'_>, entries: &[Entry<'_>]) -> Flow;

    fn error(&mut self, error: Error) -> Flow;

    /// As [`Visitor::flush`].
    fn flush(&mut self, _slow: bool) -> Flushed {
        Flushed::default()
    }

    /// The worker has ended.
    fn end(self) {}

    fn fork(&self, worker: usize) -> Self;
}

struct Search<S> {
    wanted: Arc<Wanted>,
    sink: S,
    scratch: Vec<u8>,
    /// The sink has refused an error where the engine does not ask whether the walk goes on.
    is_refused: bool,
}

/// Walks; with `is_serial` on the calling thread alone.
pub fn run<S: Sink>(walk: Walk, wanted: Wanted, sink: S, is_serial: bool) {
    let search = Search::new(Arc::new(wanted), sink);
    let (search, _) = if is_serial { walk.visit(search) } else { walk.visit_parallel(search) };
    search.sink.end();
}

impl<S: Sink> Search<S> {
    fn new(wanted: Arc<Wanted>, sink: S) -> Search<S> {
        Search { wanted, sink, scratch: Vec::new(), is_refused: false }
    }
}

impl<S: Sink> Visitor for Search<S> {
    /// The ignore rules in force; `None` if nothing is ignored.
    type State = Option<Level>;

    fn needs(&self) -> Needs {
        let listing = self.wanted.rules.as_ref().is_some_and(Rules::wants_listing);
        Needs { listing, ..Needs::fields(self.wanted.fields) }
    }

    fn top(&self) -> Option<Level> {
        self.wanted.rules.as_ref().map(Rules::top)
    }

    fn enter(&mut self, dir: &Entry<'_>, parent: &Option<Level>) -> Enter<Option<Level>> {
        if self.wanted.prunes(dir, &mut self.scratch) {
            return Enter::Prune;
        }
        match self.sink.enter(dir) {
            Enter::Stop => Enter::Stop,
            Enter::Prune => Enter::Prune,
            _ => Enter::Read(parent.as_ref().map(|level| level.enter(dir))),
        }
    }

    fn listed(&mut self, dir: &Directory<'_>, names: &Listing<'_>, level: &mut Option<Level>) {
        let Some(level) = level else { return };
        for error in level.listed(dir, names) {
            // A malformed line in an ignore file concerns its author, not the walk.
            if error.io().kind() != std::io::ErrorKind::InvalidData {
                self.is_refused |= self.sink.error(error) == Flow::Stop;
            }
        }
    }

    #[inline]
    fn select(&mut self, level: &Option<Level>, entry: &Entry<'_>) -> Select {
        if level.as_ref().is_some_and(|level| level.is_ignored(entry)) {
            return Select::Drop;
        }
        if self.wanted.is_all || self.wanted.takes(entry, &mut self.scratch) {
            return Select::Take(self.wanted.fields);
        }
        if entry.file_type() == FileType::Directory { Select::Enter } else { Select::Drop }
    }

    fn entries(&mut self, dir: &Directory<'_>, _: &Option<Level>, entries: &[Entry<'_>]) -> Flow {
        self.sink.entries(dir, entries)
    }

    fn error(&mut self, error: Error) -> Flow {
        self.sink.error(error)
    }

    fn flush(&mut self, slow: bool) -> Flushed {
        let mut flushed = self.sink.flush(slow);
        if self.is_refused {
            flushed.flow = Flow::Stop;
        }
        flushed
    }
}

impl<S: Sink> Parallel for Search<S> {
    fn fork(&self, worker: usize) -> Search<S> {
        Search::new(Arc::clone(&self.wanted), self.sink.fork(worker))
    }

    fn merge(&mut self, other: Search<S>) {
        other.sink.end();
    }
}
