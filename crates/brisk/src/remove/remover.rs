//! [`Remover`]: the visitor that removes files as directories list them, and directories as the
//! walk leaves them. [`Tally`] adds up what it did; [`Emptying`] is its state of a directory.

use std::borrow::Cow;
use std::io;
use std::sync::atomic::Ordering;

use brisk_sys::Dir;

use super::emptying::Emptying;
use super::observer::Subject;
use super::report::Why;
use super::settings::Directories;
use super::tally::Tally;
use crate::sched::lock;
use crate::tree::REENTRIES_MASK;
use crate::{
    Act, Directory, Enter, Entry, Error, Fields, FileType, Flow, Flushed, Leaving, Meta, Needs,
    Operation, Outcome, Parallel, Pause, Select, Visitor,
};

/// How often a directory is entered again because rmdir says that it is not empty; then it stays.
/// Other processes may go on filling it, and in a removal with questions its file system may leave
/// entries out while others are removed. Listing again by the same handle has a limit of its own
/// (`emit/retained.rs`).
const MAX_REENTRIES: u32 = 20;

/// One worker's visitor.
pub(super) struct Remover<'a> {
    tally: &'a Tally<'a>,
    path: Vec<u8>,
    requests: u64,
    /// The observer wants to know what is removed; asked every few entries.
    reports_removed: bool,
    /// The number of removed files that are not in the tally yet: workers would contend for the
    /// tally if each file were added by itself.
    files: u64,
    /// Why the directory that is left next could not be opened, or must not be read.
    open_error: Option<Error>,
}

impl<'a> Remover<'a> {
    pub fn new(tally: &'a Tally<'a>) -> Self {
        let reports_removed = tally.observer.wants_removed();
        Remover { tally, path: vec![], requests: 0, reports_removed, files: 0, open_error: None }
    }

    /// The entry's path as the observer sees it.
    fn path_of(&mut self, entry: &Entry<'_>) -> Cow<'_, [u8]> {
        self.path.clear();
        entry.path_into(&mut self.path);
        self.tally.as_given(&self.path, entry.depth())
    }

    /// The directory's path as the observer sees it.
    fn path_of_dir<'d>(&self, dir: &'d Leaving<'_>) -> Cow<'d, [u8]> {
        let dir = dir.directory();
        self.tally.as_given(dir.path().as_os_str().as_encoded_bytes(), dir.depth())
    }

    #[cold]
    fn dir_stays(&self, dir: &Leaving<'_>, parent: &Emptying, why: Why) {
        parent.must_stay();
        self.tally.not_removed(&self.path_of_dir(dir), why);
    }

    fn spare(&self, state: &Emptying) {
        lock(&self.tally.report).spared += 1;
        state.must_stay();
    }

    /// An entry whose metadata could not be read stays; the failure was reported.
    fn stays_unexamined(&self, state: &Emptying) {
        if self.tally.asks { state.let_rmdir_fail() } else { state.must_stay() }
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

    /// Removes one entry that is not a directory.
    fn file(&mut self, state: &Emptying, entry: &Entry<'_>, meta: Option<&Meta>) {
        let tally = self.tally;
        if !tally.fields.is_empty() {
            let Some(meta) = meta else { return self.stays_unexamined(state) };
            if self.tally.is_young(meta) {
                return self.spare(state);
            }
        }
        let subject = Subject::Entry(entry, meta);
        if tally.asks && !tally.is_allowed(&self.path_of(entry), subject, false) {
            return state.let_rmdir_fail();
        }
        if tally.remove.dry_run {
            let Some(meta) = meta else { return };
            if let Some(error) = state.predicted_error(entry.dir.handle, meta, &mut self.requests) {
                return self.file_failed(state, entry, error);
            }
            tally.would_go(entry, meta);
        } else {
            self.requests += 1;
            if let Err(error) = entry.unlink() {
                return self.file_failed(state, entry, error);
            }
        }
        self.files += 1;
        if self.reports_removed {
            tally.observer.removed(&self.path_of(entry), entry.file_type());
        }
    }

    #[cold]
    fn file_failed(&mut self, state: &Emptying, entry: &Entry<'_>, error: io::Error) {
        let below = entry.depth() > 0;
        match error.kind() {
            // Another process has removed it.
            io::ErrorKind::NotFound if below => {}
            // It has become a directory: its parent cannot be removed yet, and is entered again.
            io::ErrorKind::IsADirectory if below => {}
            _ => {
                state.must_stay();
                self.tally.not_removed(&self.path_of(entry), Why::System(error));
            }
        }
    }

    /// A directory among the entries: removes it, prunes it, or lets the walk enter it.
    fn directory(&mut self, state: &Emptying, entry: &Entry<'_>, meta: Option<&Meta>) {
        let tally = self.tally;
        if self.needs_meta_of_dirs() && meta.is_none() {
            entry.prune();
            return self.stays_unexamined(state);
        }
        let enters = tally.remove.directories != Directories::Empty;
        if !enters {
            entry.prune();
            if meta.is_some_and(|meta| self.tally.is_young(meta)) {
                return self.spare(state);
            }
        }
        if tally.asks && (enters || !tally.remove.keep_roots) {
            let is_empty = entry.is_empty_dir().unwrap_or(false);
            let subject = Subject::Entry(entry, meta);
            if !tally.is_allowed(&self.path_of(entry), subject, is_empty) {
                state.must_stay();
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
    fn needs_meta_of_dirs(&self) -> bool {
        let goes_at_once = self.tally.remove.directories == Directories::Empty;
        (self.tally.asks || goes_at_once) && !self.tally.fields.is_empty()
    }

    /// Removes a directory that the caller named, without entering it. With `keep_roots`
    /// it is not removed, but is a failure if it is not empty.
    fn empty_directory(&mut self, state: &Emptying, entry: &Entry<'_>, meta: Option<&Meta>) {
        self.requests += 1;
        let tally = self.tally;
        let stays = tally.remove.keep_roots;
        let error = if tally.remove.dry_run || stays {
            let meta = meta.filter(|_| !stays);
            self.predicted_dir_error(state, entry.dir.handle, meta, || entry.is_empty_dir())
        } else {
            entry.remove_dir().err()
        };
        if let Some(error) = error {
            state.must_stay();
            return tally.not_removed(&self.path_of(entry), Why::System(error));
        }
        if stays {
            return;
        }
        tally.note_would_be_empty(meta.and_then(Meta::identity));
        lock(&tally.report).directories += 1;
        if self.reports_removed {
            tally.observer.removed(&self.path_of(entry), FileType::Directory);
        }
    }

    /// As [`Emptying::predicted_error`], for a directory; `is_empty` says whether it has no
    /// entries by then.
    fn predicted_dir_error(
        &mut self,
        parent: &Emptying,
        handle: Option<&Dir>,
        meta: Option<&Meta>,
        is_empty: impl FnOnce() -> io::Result<bool>,
    ) -> Option<io::Error> {
        let error = meta.and_then(|meta| parent.predicted_error(handle, meta, &mut self.requests));
        error.or_else(|| match is_empty() {
            Ok(true) => {
                meta.into_iter().for_each(|meta| self.tally.dir_would_go(meta, handle));
                None
            }
            Ok(false) => Some(io::ErrorKind::DirectoryNotEmpty.into()),
            // It is unknown whether the directory is empty.
            Err(error) => Some(error),
        })
    }

    /// Removes a directory that was emptied. Returns why the system refuses.
    fn rmdir(
        &mut self,
        dir: &Leaving<'_>,
        state: &Emptying,
        parent: &Emptying,
    ) -> Option<io::Error> {
        let tally = self.tally;
        // The user was asked about a marked one when it was found to be empty.
        let asks = tally.asks && !dir.is_marked();
        if asks && !tally.is_allowed(&self.path_of_dir(dir), Subject::Emptied(dir), true) {
            parent.let_rmdir_fail();
            return None;
        }
        self.requests += 1;
        let error = if tally.remove.dry_run {
            let is_empty = || Ok(!state.rmdir_will_fail());
            dir.stat(tally.fields).map_or_else(Some, |meta| {
                self.predicted_dir_error(parent, dir.parent.ok(), Some(&meta), is_empty)
            })
        } else {
            dir.remove().err()
        };
        if error.is_none() {
            if dir.directory().depth() == 0 {
                tally.note_would_be_empty(state.identity);
            }
            lock(&tally.report).directories += 1;
            if self.reports_removed {
                tally.observer.removed(&self.path_of_dir(dir), FileType::Directory);
            }
        }
        error
    }

    /// `Err`: the directory stays, for this reason. `Ok(Some(error))`: it could not be opened, and is
    /// removed only if it is empty. `Ok(None)`: it was opened.
    fn reason_to_stay(
        &self,
        dir: &Leaving<'_>,
        state: &Emptying,
        open_error: Option<Error>,
    ) -> Result<Option<Error>, Why> {
        match open_error {
            None if state.is_another => Err(Why::Swapped),
            // Its rules are not all known: they may keep the directory itself.
            Some(error) if error.operation() == Operation::LearnRules => Err(error.into()),
            Some(error) if error.io().kind() == io::ErrorKind::CrossesDevices => {
                Err(if dir.is_on_other_device() { Why::OtherDevice } else { Why::Mounted })
            }
            // It is unknown what the directory holds.
            Some(error) if self.tally.remove.dry_run => Err(error.into()),
            open_error => Ok(open_error),
        }
    }

    /// Whether a directory stays because it is too young. One that could not be opened is looked at
    /// now; one that is gone has no age.
    fn is_young_dir(&mut self, dir: &Leaving<'_>, state: &Emptying) -> bool {
        if state.young.is_some() || self.tally.remove.older_than.is_none() {
            return state.young == Some(true);
        }
        self.requests += 1;
        match dir.stat(self.tally.fields) {
            Ok(meta) => self.tally.is_young(&meta),
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        }
    }

    #[cold]
    fn rmdir_failed(
        &mut self,
        dir: &Leaving<'_>,
        state: &Emptying,
        parent: &Emptying,
        (error, open_error): (io::Error, Option<Error>),
    ) {
        match error.kind() {
            // Another process has removed it. Or it has put a file there: then rmdir of the parent
            // fails, and the parent is entered again.
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                if dir.directory().depth() > 0 => {}
            io::ErrorKind::DirectoryNotEmpty
                if open_error.is_none()
                    && !state.rmdir_will_fail()
                    && u32::from(dir.bits & REENTRIES_MASK) < MAX_REENTRIES =>
            {
                dir.reenter();
            }
            _ => {
                let first = open_error.map_or(error, Error::into_io);
                self.dir_stays(dir, parent, Why::System(first));
            }
        }
    }
}

impl Visitor for Remover<'_> {
    type State = Emptying;

    fn needs(&self) -> Needs {
        // What ignore rules or a filter refuse stays, and so do the directories above it: no failure.
        Needs { refused: true, ..Needs::fields(self.tally.fields) }
    }

    fn enter(&mut self, entry: &Entry<'_>, _: &Emptying) -> Enter<Emptying> {
        let state = Emptying { ino: entry.ino(), ..Emptying::default() };
        if entry.is_refused() {
            state.must_stay();
        }
        Enter::Read(state)
    }

    /// Checks the directory that was opened, by its handle, which no other process can redirect.
    fn opened(&mut self, dir: &Directory<'_>, state: &mut Emptying) -> Enter<()> {
        let has_limit = self.tally.remove.older_than.is_some();
        if dir.depth() > 0 && !has_limit {
            return Enter::Read(());
        }
        let fields = Fields::DEV | Fields::INO | (self.tally.fields & Fields::MTIME);
        let meta = dir.stat(fields).unwrap_or_default();
        state.identity = meta.identity();
        if dir.depth() == 0 {
            let is_root = state.identity.is_some() && state.identity == self.tally.protected_root();
            state.is_another = is_root || meta.ino() != Some(state.ino);
        }
        if has_limit {
            state.young = Some(self.tally.is_young(&meta) && !self.tally.was_old(state.identity));
        }
        Enter::Read(())
    }

    fn select(&mut self, state: &Emptying, entry: &Entry<'_>) -> Select {
        if state.is_another {
            return Select::Drop;
        }
        if entry.is_refused() {
            state.must_stay();
            return if entry.is_pruned() { Select::Drop } else { Select::Enter };
        }
        let fields = self.tally.fields;
        let is_needed = !entry.file_type().is_dir() || self.needs_meta_of_dirs();
        // A removal that asks looks at each entry when its turn comes: until then the user may
        // answer for minutes.
        Select::Take(if is_needed && !self.tally.asks { fields } else { Fields::empty() })
    }

    fn entries(&mut self, _: &Directory<'_>, state: &Emptying, entries: &[Entry<'_>]) -> Flow {
        if self.tally.is_stopped() {
            return Flow::Stop;
        }
        self.reports_removed = self.tally.observer.wants_removed();
        for entry in entries {
            // Refused by its metadata. What is refused by name is never delivered (see `select`).
            if entry.is_refused() {
                state.must_stay();
                continue;
            }
            let looked_at = if self.tally.asks { self.look(entry) } else { None };
            // Of what the user may be asked about, only the stat made just now counts: the walk's
            // metadata may be out of date, and is not used even if this stat failed.
            let meta = if self.tally.asks { looked_at.as_ref() } else { entry.meta() };
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
            Operation::Open | Operation::FollowLoop | Operation::LearnRules => {
                self.open_error = Some(error)
            }
            // Without need of metadata, removing the entry is tried, and reports what fails.
            Operation::Stat if self.tally.fields.is_empty() => {}
            _ => {
                let path = error.path().as_os_str().as_encoded_bytes().to_vec();
                self.tally.not_removed(&path, error.into());
            }
        }
        Flow::Continue
    }

    fn flush(&mut self, _: Pause) -> Flushed {
        self.tally.observer.progressed(&self.tally.progress());
        let requests = std::mem::take(&mut self.requests);
        Flushed { flow: self.tally.flow(), requests, ..Flushed::default() }
    }
}

impl Parallel for Remover<'_> {
    fn fork(&self, _: usize) -> Self {
        Remover::new(self.tally)
    }

    /// A worker that ends has flushed.
    fn merge(&mut self, _: Self) {}
}

impl Act for Remover<'_> {
    const REMOVES: bool = true;

    fn leaving(&mut self, dir: &Leaving<'_>, state: &Emptying, parent: &Emptying) -> Flow {
        let open_error = self.open_error.take();
        let is_unread = dir.outcome() == Outcome::Unread;
        // It was not opened because no way led back to its parent, which the walk has reported.
        let is_parent_lost = open_error.is_none() && is_unread && dir.parent.is_err();
        let is_partial = dir.outcome() == Outcome::Partial;
        let keeps_root = dir.directory().depth() == 0 && self.tally.remove.keep_roots;
        match self.reason_to_stay(dir, state, open_error) {
            Err(why) => self.dir_stays(dir, parent, why),
            Ok(None) if keeps_root => {
                let stays = state.stays.load(Ordering::Relaxed) || state.rmdir_will_fail();
                if !stays && !is_partial {
                    self.tally.note_would_be_empty(state.identity);
                }
            }
            Ok(Some(error)) if keeps_root => self.dir_stays(dir, parent, error.into()),
            Ok(_) if state.stays.load(Ordering::Relaxed) || is_partial || is_parent_lost => {
                parent.must_stay();
            }
            Ok(open_error) if self.is_young_dir(dir, state) => match open_error {
                None if state.rmdir_will_fail() => parent.must_stay(),
                None => self.spare(parent),
                Some(error) => self.dir_stays(dir, parent, error.into()),
            },
            Ok(open_error) => {
                if let Some(error) = self.rmdir(dir, state, parent) {
                    self.rmdir_failed(dir, state, parent, (error, open_error));
                }
            }
        }
        if state.young == Some(false) && !dir.gone.get() {
            self.tally.remember_old(state.identity, dir.reenters.get());
        }
        self.tally.flow()
    }
}
