//! [`Remover`]: the visitor that removes files as directories list them, and directories as the
//! walk leaves them. [`Tally`] adds up what it did; [`Emptied`] is its state of a directory.

use std::borrow::Cow;
use std::io;
use std::sync::atomic::Ordering;

use super::emptied::Emptied;
use super::observer::{Question, Subject};
use super::report::Why;
use super::settings::Directories;
use super::tally::Tally;
use crate::sched::lock;
use crate::{
    Act, Directory, Enter, Entry, Error, Fields, FileType, Flow, Flushed, Leaving, Meta, Needs,
    Operation, Parallel, Pause, Select, Visitor,
};

/// How often a directory that other processes go on filling is read again before it stays. Some
/// file systems need a few readings anyway, because they skip entries while others are removed.
/// `Leaving::reenter` has a bound of its own, by the bits of a note, for every visitor. Readings by
/// the same handle (`emit/retained.rs`) count apart from both.
const MAX_READINGS: u32 = 20;

/// One worker's visitor.
pub(super) struct Remover<'a> {
    pub(super) tally: &'a Tally<'a>,
    path: Vec<u8>,
    pub(super) requests: u64,
    /// The observer wants to know what is removed; asked for each chunk.
    tells: bool,
    /// The number of removed files that are not in the tally yet: workers would contend for the
    /// tally if each file were added by itself.
    files: u64,
    /// Why the directory that is left next could not be opened.
    open_error: Option<Error>,
}

impl<'a> Remover<'a> {
    pub fn new(tally: &'a Tally<'a>) -> Self {
        let tells = tally.observer.wants_removed();
        Remover { tally, path: Vec::new(), requests: 0, tells, files: 0, open_error: None }
    }

    /// The path as the observer sees it.
    pub(super) fn spelled(&self, depth: usize) -> Cow<'_, [u8]> {
        let given = || lock(&self.tally.spellings).get(&self.path).cloned();
        let given = if depth == 0 { given() } else { None };
        given.map_or(Cow::Borrowed(&self.path), Cow::Owned)
    }

    #[cold]
    pub(super) fn not_removed(&self, depth: usize, why: Why) {
        self.tally.not_removed(&self.spelled(depth), why);
    }

    fn gone(&self, depth: usize, file_type: FileType) {
        if self.tells {
            self.tally.observer.removed(&self.spelled(depth), file_type);
        }
    }

    fn spare(&self, state: &Emptied) {
        self.tally.spared.fetch_add(1, Ordering::Relaxed);
        state.keep();
    }

    pub(super) fn set_path(&mut self, entry: &Entry<'_>) {
        self.path.clear();
        entry.path_into(&mut self.path);
    }

    /// Called only where the path is shown, because in a deep chain of directories building paths
    /// would cost more than everything else.
    fn set_dir_path(&mut self, dir: &Leaving<'_>) {
        self.path.clear();
        self.path.extend_from_slice(dir.directory().path().as_os_str().as_encoded_bytes());
    }

    /// Whether an entry with this metadata stays because of its age.
    fn is_young(&self, meta: &Meta) -> bool {
        let time = self.tally.remove.older_than;
        time.is_some_and(|time| meta.mtime().is_none_or(|mtime| mtime >= time))
    }

    /// An entry whose metadata could not be read stays; the failure was reported.
    fn unknown(&self, state: &Emptied) {
        if self.tally.prompts { state.decline() } else { state.keep() }
    }

    /// Removes one entry that is no directory.
    fn file(&mut self, state: &Emptied, entry: &Entry<'_>, meta: Option<&Meta>) {
        let tally = self.tally;
        if !tally.fields.is_empty() {
            let Some(meta) = meta else { return self.unknown(state) };
            if self.is_young(meta) {
                return self.spare(state);
            }
        }
        if tally.prompts && !self.allowed(state, entry, meta, false) {
            return;
        }
        if tally.remove.dry_run {
            let Some(meta) = meta else { return };
            if let Some(error) = state.foreseen(entry.dir.handle, meta, &mut self.requests) {
                return self.file_failed(state, entry, error);
            }
            tally.would_go(meta);
        } else {
            self.requests += 1;
            if let Err(error) = entry.unlink() {
                return self.file_failed(state, entry, error);
            }
        }
        self.files += 1;
        if self.tells {
            self.set_path(entry);
            self.gone(entry.depth(), entry.file_type());
        }
    }

    #[cold]
    fn file_failed(&mut self, state: &Emptied, entry: &Entry<'_>, error: io::Error) {
        let below = entry.depth() > 0;
        match error.kind() {
            // Another process has removed it.
            io::ErrorKind::NotFound if below => {}
            // It has become a directory: its parent cannot be removed yet, and is read again.
            io::ErrorKind::IsADirectory if below => {}
            _ => {
                state.keep();
                self.set_path(entry);
                self.not_removed(entry.depth(), Why::System(error));
            }
        }
    }

    /// A directory among the entries: removes it, prunes it, or lets the walk enter it.
    fn directory(&mut self, state: &Emptied, entry: &Entry<'_>, meta: Option<&Meta>) {
        let tally = self.tally;
        if self.asks_about_directories() && meta.is_none() {
            entry.prune();
            return self.unknown(state);
        }
        let enters = tally.remove.directories != Directories::Empty;
        if !enters {
            entry.prune();
            if meta.is_some_and(|meta| self.is_young(meta)) {
                return self.spare(state);
            }
        }
        if tally.prompts {
            let is_empty = entry.is_empty_dir().unwrap_or(false);
            if !self.allowed(state, entry, meta, is_empty) {
                return entry.prune();
            }
            if is_empty {
                entry.mark();
            }
        }
        if !enters {
            self.empty_directory(state, entry, meta);
        }
    }

    /// Whether fields of directories are needed before they are entered.
    fn asks_about_directories(&self) -> bool {
        let goes_at_once = self.tally.remove.directories == Directories::Empty;
        (self.tally.prompts || goes_at_once) && !self.tally.fields.is_empty()
    }

    /// Removes a directory that the caller named, without entering it.
    fn empty_directory(&mut self, state: &Emptied, entry: &Entry<'_>, meta: Option<&Meta>) {
        self.requests += 1;
        let refused = if self.tally.remove.dry_run {
            self.foreseen_empty(state, entry, meta)
        } else {
            entry.remove_dir().err()
        };
        self.set_path(entry);
        match refused {
            None => {
                self.tally.directories.fetch_add(1, Ordering::Relaxed);
                self.gone(entry.depth(), FileType::Directory);
            }
            Some(error) => {
                state.keep();
                self.not_removed(entry.depth(), Why::System(error));
            }
        }
    }

    /// As `foreseen`, for a directory that is removed only if it is empty.
    fn foreseen_empty(
        &mut self,
        state: &Emptied,
        entry: &Entry<'_>,
        meta: Option<&Meta>,
    ) -> Option<io::Error> {
        let refused =
            meta.and_then(|meta| state.foreseen(entry.dir.handle, meta, &mut self.requests));
        refused.or_else(|| match entry.is_empty_dir() {
            Ok(true) => None,
            Ok(false) => Some(io::ErrorKind::DirectoryNotEmpty.into()),
            // It is unknown whether the directory is empty.
            Err(error) => Some(error),
        })
    }

    /// Why a directory that could not be opened stays; `None` if removing it is to be tried all the
    /// same.
    fn why_unopened_stays(&mut self, dir: &Leaving<'_>, error: Error) -> Option<Why> {
        match error.io().kind() {
            io::ErrorKind::CrossesDevices if dir.is_on_other_device() => Some(Why::OtherDevice),
            io::ErrorKind::CrossesDevices => Some(Why::Mounted),
            // It is unknown what the directory holds.
            _ if self.tally.remove.dry_run => Some(Why::System(error.into_io())),
            // An empty directory can be removed even if it cannot be read.
            _ => {
                self.open_error = Some(error);
                None
            }
        }
    }

    /// Removes a directory that was emptied.
    fn emptied(&mut self, dir: &Leaving<'_>, state: &Emptied, parent: &Emptied) {
        let depth = dir.directory().depth();
        if self.tally.prompts && !state.asked {
            self.set_dir_path(dir);
            let path = self.spelled(depth);
            let subject = Subject::Emptied(dir);
            let question = Question { path: &path, subject, is_empty: true };
            let answer = self.tally.observer.ask(&question);
            if !self.answered(depth, answer) {
                return parent.decline();
            }
        }
        self.requests += 1;
        let refused = if self.tally.remove.dry_run {
            self.foreseen_emptied(dir, state, parent)
        } else {
            dir.remove().err()
        };
        if let Some(error) = refused {
            return self.emptied_failed(dir, state, parent, error);
        }
        self.tally.directories.fetch_add(1, Ordering::Relaxed);
        if self.tells {
            self.set_dir_path(dir);
            self.gone(depth, FileType::Directory);
        }
    }

    /// As `foreseen`, for a directory whose entries have all been visited.
    fn foreseen_emptied(
        &mut self,
        dir: &Leaving<'_>,
        state: &Emptied,
        parent: &Emptied,
    ) -> Option<io::Error> {
        let meta = dir.stat(self.tally.fields);
        let refused = meta
            .map_or_else(Some, |meta| parent.foreseen(dir.parent.ok(), &meta, &mut self.requests));
        let not_empty = || state.is_declined().then(|| io::ErrorKind::DirectoryNotEmpty.into());
        refused.or_else(not_empty)
    }

    /// A directory stays because it is too young, and perhaps because it could not be opened.
    fn young_stays(&mut self, dir: &Leaving<'_>, state: &Emptied, parent: &Emptied) {
        match self.open_error.take() {
            None if state.is_declined() => parent.keep(),
            None => self.spare(parent),
            Some(error) => {
                parent.keep();
                self.set_dir_path(dir);
                self.not_removed(dir.directory().depth(), Why::System(error.into_io()));
            }
        }
    }

    /// Whether a directory stays because it is too young. One that could not be opened is looked at
    /// now; one that is gone has no age.
    fn is_young_dir(&mut self, dir: &Leaving<'_>, state: &Emptied) -> bool {
        if state.young.is_some() || self.tally.remove.older_than.is_none() {
            return state.young == Some(true);
        }
        self.requests += 1;
        match dir.stat(self.tally.fields) {
            Ok(meta) => self.is_young(&meta),
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        }
    }

    #[cold]
    fn emptied_failed(
        &mut self,
        dir: &Leaving<'_>,
        state: &Emptied,
        parent: &Emptied,
        error: io::Error,
    ) {
        let depth = dir.directory().depth();
        let open_error = self.open_error.take();
        match error.kind() {
            // Another process has removed it, or put a file there: then the parent is read again.
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory if depth > 0 => {}
            io::ErrorKind::DirectoryNotEmpty
                if open_error.is_none()
                    && !state.is_declined()
                    && dir.times_read_before() < MAX_READINGS =>
            {
                dir.reenter();
            }
            _ => {
                parent.keep();
                self.set_dir_path(dir);
                let first = open_error.map_or(error, Error::into_io);
                self.not_removed(depth, Why::System(first));
            }
        }
    }
}

impl Visitor for Remover<'_> {
    type State = Emptied;

    fn needs(&self) -> Needs {
        // What rules or a filter refuse stays, and so do the directories above it.
        Needs { refused: true, ..Needs::fields(self.tally.fields) }
    }

    fn enter(&mut self, entry: &Entry<'_>, _: &Emptied) -> Enter<Emptied> {
        let state = Emptied { asked: entry.is_marked(), ino: entry.ino(), ..Emptied::default() };
        if entry.is_refused() {
            state.keep();
        }
        Enter::Read(state)
    }

    /// Checks the directory that was opened, by its handle, which no other process can redirect.
    fn opened(&mut self, dir: &Directory<'_>, state: &mut Emptied) -> Enter<()> {
        let has_limit = self.tally.remove.older_than.is_some();
        if dir.depth() > 0 && !has_limit {
            return Enter::Read(());
        }
        let fields = Fields::DEV | Fields::INO | (self.tally.fields & Fields::MTIME);
        let meta = dir.stat(fields).unwrap_or_default();
        state.identity = meta.identity();
        if dir.depth() == 0 {
            let is_root = state.identity.is_some() && state.identity == self.tally.root();
            state.must_stay = is_root || meta.ino() != Some(state.ino);
        }
        if has_limit {
            state.young = Some(self.is_young(&meta) && !self.tally.was_old(state.identity));
        }
        Enter::Read(())
    }

    fn select(&mut self, state: &Emptied, entry: &Entry<'_>) -> Select {
        if state.must_stay {
            return Select::Drop;
        }
        if entry.is_refused() {
            state.keep();
            return if entry.is_pruned() { Select::Drop } else { Select::Enter };
        }
        let fields = self.tally.fields;
        let is_needed = !entry.file_type().is_dir() || self.asks_about_directories();
        // A removal that asks looks at each entry when its turn comes: until then the user may
        // answer for minutes.
        Select::Take(if is_needed && !self.tally.prompts { fields } else { Fields::empty() })
    }

    fn entries(&mut self, _: &Directory<'_>, state: &Emptied, entries: &[Entry<'_>]) -> Flow {
        if self.tally.is_stopped() {
            return Flow::Stop;
        }
        self.tells = self.tally.observer.wants_removed();
        for entry in entries {
            if entry.is_refused() {
                state.keep();
                continue;
            }
            let looked_at = if self.tally.prompts { self.look(entry) } else { None };
            // What the walk knows may be old, and is no answer where looking failed.
            let meta = if self.tally.prompts { looked_at.as_ref() } else { entry.meta() };
            if entry.gone.get() {
                entry.prune();
            } else if entry.file_type().is_dir() {
                self.directory(state, entry, meta);
            } else {
                self.file(state, entry, meta);
            }
        }
        self.tally.files.fetch_add(std::mem::take(&mut self.files), Ordering::Relaxed);
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        match error.operation() {
            // Whether the directory stays is decided when the walk leaves it, right after this.
            Operation::Open | Operation::FollowLoop => self.open_error = Some(error),
            // Removing the entry will fail as well, unless metadata was needed before.
            Operation::Stat if self.tally.fields.is_empty() => {}
            _ => {
                let path = error.path().as_os_str().as_encoded_bytes().to_vec();
                self.tally.not_removed(&path, Why::System(error.into_io()));
            }
        }
        Flow::Continue
    }

    fn flush(&mut self, _: Pause) -> Flushed {
        let flow = self.tally.observer.pause(&self.tally.progress());
        if flow == Flow::Stop {
            self.tally.stopped.store(true, Ordering::Relaxed);
        }
        let requests = std::mem::take(&mut self.requests);
        Flushed { flow, requests, ..Flushed::default() }
    }
}

impl Parallel for Remover<'_> {
    fn fork(&self, _: usize) -> Self {
        Remover::new(self.tally)
    }

    fn merge(&mut self, other: Self) {
        self.requests += other.requests;
    }
}

impl Act for Remover<'_> {
    const REMOVES: bool = true;

    fn leaving(&mut self, dir: &Leaving<'_>, state: &Emptied, parent: &Emptied) -> Flow {
        let depth = dir.directory().depth();
        let is_lost = self.open_error.is_none() && dir.is_lost();
        let why = match self.open_error.take() {
            Some(error) => self.why_unopened_stays(dir, error),
            None => state.must_stay.then_some(Why::Swapped),
        };
        if let Some(why) = why {
            parent.keep();
            self.set_dir_path(dir);
            self.not_removed(depth, why);
        } else if depth == 0 && self.tally.remove.keep_roots {
            if let Some(error) = self.open_error.take() {
                self.set_dir_path(dir);
                self.not_removed(depth, Why::System(error.into_io()));
            }
        } else if state.stays.load(Ordering::Relaxed) || !dir.is_complete() || is_lost {
            parent.keep();
        } else if self.is_young_dir(dir, state) {
            self.young_stays(dir, state, parent);
        } else {
            self.emptied(dir, state, parent);
        }
        self.open_error = None;
        if let Some(identity) = state.identity.filter(|_| state.young == Some(false))
            && !dir.gone.get()
        {
            self.tally.stays_old(identity, dir.again.get());
        }
        if self.tally.is_stopped() { Flow::Stop } else { Flow::Continue }
    }
}
