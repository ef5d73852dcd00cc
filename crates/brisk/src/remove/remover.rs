//! [`Remover`]: the visitor that removes files as directories list them, and directories as the
//! walk leaves them. [`Tally`] adds up what it did; [`Emptied`] is its state of a directory.

use std::borrow::Cow;
use std::io;
use std::sync::atomic::Ordering;

use brisk_sys::Dir;

use super::emptied::Emptied;
use super::observer::{Question, Subject};
use super::report::Why;
use super::settings::Directories;
use super::tally::Tally;
use crate::sched::lock;
use crate::tree::TIMES;
use crate::{
    Act, Directory, Enter, Entry, Error, Fields, FileType, Flow, Flushed, Leaving, Meta, Needs,
    Operation, Outcome, Parallel, Pause, Select, Visitor,
};

/// How often a directory that other processes go on filling is read again before it stays. Some
/// file systems need a few readings anyway, because they skip entries while others are removed.
/// `Leaving::reenter` has a bound of its own, by the bits of a note, for every visitor. Readings by
/// the same handle (`emit/retained.rs`) count apart from both.
const MAX_READINGS: u32 = 20;

/// One worker's visitor.
pub(super) struct Remover<'a> {
    tally: &'a Tally<'a>,
    path: Vec<u8>,
    requests: u64,
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
    fn spelled(&self, depth: usize) -> Cow<'_, [u8]> {
        let given = || lock(&self.tally.spellings).get(&self.path).cloned();
        let given = if depth == 0 { given() } else { None };
        given.map_or(Cow::Borrowed(&self.path), Cow::Owned)
    }

    #[cold]
    fn not_removed(&self, depth: usize, why: Why) {
        self.tally.not_removed(&self.spelled(depth), why);
    }

    fn gone(&self, depth: usize, file_type: FileType) {
        if self.tells {
            self.tally.observer.removed(&self.spelled(depth), file_type);
        }
    }

    #[cold]
    fn dir_stays(&mut self, dir: &Leaving<'_>, why: Why) {
        self.set_dir_path(dir);
        self.not_removed(dir.directory().depth(), why);
    }

    fn spare(&self, state: &Emptied) {
        lock(&self.tally.report).spared += 1;
        state.keep();
    }

    fn set_path(&mut self, entry: &Entry<'_>) {
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

    /// The metadata of an entry whose turn to be asked about has come. One that has vanished below
    /// the roots counts as gone, another failure is reported.
    fn look(&mut self, entry: &Entry<'_>) -> Option<Meta> {
        self.requests += 1;
        match entry.stat(self.tally.fields) {
            Ok(meta) => return Some(meta),
            Err(error) if error.kind() == io::ErrorKind::NotFound && entry.depth() > 0 => {
                entry.gone.set(true);
            }
            Err(error) => {
                let _ = self.error(Error::new(Operation::Stat, entry.path(), entry.depth(), error));
            }
        }
        None
    }

    /// Whether the observer lets the entry at the path be removed or entered. If not, it counts as
    /// spared or, without an answer, as failed.
    fn allowed(&self, depth: usize, subject: Subject<'_>, is_empty: bool) -> bool {
        let path = self.spelled(depth);
        match self.tally.observer.ask(&Question { path: &path, subject, is_empty }) {
            Ok(true) => return true,
            // After the removal was stopped, a no is not an answer of the user.
            Ok(false) if self.tally.is_stopped() => {}
            Ok(false) => lock(&self.tally.report).spared += 1,
            Err(error) => self.not_removed(depth, Why::System(error)),
        }
        false
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
        if tally.prompts {
            self.set_path(entry);
            if !self.allowed(entry.depth(), Subject::Entry(entry, meta), false) {
                return state.decline();
            }
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
            self.set_path(entry);
            if !self.allowed(entry.depth(), Subject::Entry(entry, meta), is_empty) {
                state.keep();
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
            self.foreseen(state, entry.dir.handle, meta, || entry.is_empty_dir())
        } else {
            entry.remove_dir().err()
        };
        self.set_path(entry);
        match refused {
            None => {
                lock(&self.tally.report).directories += 1;
                self.gone(entry.depth(), FileType::Directory);
            }
            Some(error) => {
                state.keep();
                self.not_removed(entry.depth(), Why::System(error));
            }
        }
    }

    /// As [`Emptied::foreseen`], for a directory; `is_empty` says whether it has no entries by then.
    fn foreseen(
        &mut self,
        parent: &Emptied,
        handle: Option<&Dir>,
        meta: Option<&Meta>,
        is_empty: impl FnOnce() -> io::Result<bool>,
    ) -> Option<io::Error> {
        let refused = meta.and_then(|meta| parent.foreseen(handle, meta, &mut self.requests));
        refused.or_else(|| match is_empty() {
            Ok(true) => None,
            Ok(false) => Some(io::ErrorKind::DirectoryNotEmpty.into()),
            // It is unknown whether the directory is empty.
            Err(error) => Some(error),
        })
    }

    /// Removes a directory that was emptied. Returns why the system refuses.
    fn rmdir(&mut self, dir: &Leaving<'_>, state: &Emptied, parent: &Emptied) -> Option<io::Error> {
        let depth = dir.directory().depth();
        if self.tally.prompts && !state.asked {
            self.set_dir_path(dir);
            if !self.allowed(depth, Subject::Emptied(dir), true) {
                parent.decline();
                return None;
            }
        }
        self.requests += 1;
        let refused = if self.tally.remove.dry_run {
            let is_empty = || Ok(!state.is_declined());
            dir.stat(self.tally.fields).map_or_else(Some, |meta| {
                self.foreseen(parent, dir.parent.ok(), Some(&meta), is_empty)
            })
        } else {
            dir.remove().err()
        };
        if refused.is_none() {
            lock(&self.tally.report).directories += 1;
            if self.tells {
                self.set_dir_path(dir);
                self.gone(depth, FileType::Directory);
            }
        }
        refused
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
    fn not_removed_dir(
        &mut self,
        dir: &Leaving<'_>,
        state: &Emptied,
        parent: &Emptied,
        (error, open_error): (io::Error, Option<Error>),
    ) {
        match error.kind() {
            // Another process has removed it, or put a file there: then the parent is read again.
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                if dir.directory().depth() > 0 => {}
            io::ErrorKind::DirectoryNotEmpty
                if open_error.is_none()
                    && !state.is_declined()
                    && u32::from(dir.note & TIMES) < MAX_READINGS =>
            {
                dir.reenter();
            }
            _ => {
                parent.keep();
                self.dir_stays(dir, Why::System(open_error.map_or(error, Error::into_io)));
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
        if dir.depth() == 0 {
            let meta = dir.stat(Fields::DEV | Fields::INO).unwrap_or_default();
            let identity = meta.identity();
            let swapped = meta.ino() != Some(state.ino);
            if swapped || (identity.is_some() && identity == self.tally.root()) {
                *state.must_stay.get_mut() = true;
            }
        }
        if let Some(time) = self.tally.remove.older_than {
            let mtime = dir.stat(Fields::MTIME).ok().and_then(|meta| meta.mtime());
            state.young = Some(mtime.is_none_or(|mtime| mtime >= time));
        }
        Enter::Read(())
    }

    fn select(&mut self, state: &Emptied, entry: &Entry<'_>) -> Select {
        if state.must_stay.load(Ordering::Relaxed) {
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
        lock(&self.tally.report).files += std::mem::take(&mut self.files);
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
                self.tally.not_removed(&path, error.into());
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
        let mut open_error = self.open_error.take();
        // No way led back to its parent, which the walk has reported then.
        let is_lost = open_error.is_none() && dir.outcome == Outcome::Unread && dir.parent.is_err();
        let why = match open_error.as_ref().map(|error| error.io().kind()) {
            None => state.must_stay.load(Ordering::Relaxed).then_some(Why::Swapped),
            Some(io::ErrorKind::CrossesDevices) if dir.is_on_other_device() => {
                Some(Why::OtherDevice)
            }
            Some(io::ErrorKind::CrossesDevices) => Some(Why::Mounted),
            // It is unknown what the directory holds.
            Some(_) if self.tally.remove.dry_run => open_error.take().map(Why::from),
            // An empty directory can be removed even if it cannot be read.
            Some(_) => None,
        };
        let keeps_root = dir.directory().depth() == 0 && self.tally.remove.keep_roots;
        if let Some(why) = why {
            parent.keep();
            self.dir_stays(dir, why);
        } else if keeps_root {
            open_error.into_iter().for_each(|error| self.dir_stays(dir, error.into()));
        } else if state.stays.load(Ordering::Relaxed) || !dir.is_complete() || is_lost {
            parent.keep();
        } else if self.is_young_dir(dir, state) {
            match open_error {
                None if state.is_declined() => parent.keep(),
                None => self.spare(parent),
                Some(error) => {
                    parent.keep();
                    self.dir_stays(dir, error.into());
                }
            }
        } else if let Some(error) = self.rmdir(dir, state, parent) {
            self.not_removed_dir(dir, state, parent, (error, open_error));
        }
        if self.tally.is_stopped() { Flow::Stop } else { Flow::Continue }
    }
}
