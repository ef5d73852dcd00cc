//! The visitor that removes: files as they are listed, directories as they are left.

use std::borrow::Cow;
use std::io;
use std::sync::Mutex;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::report::MOST_FAILURES;
use super::roots::{Spellings, root_identity};
use super::{
    Directories, Failure, Preserve, Progress, Question, Remove, Report, Subject, Watch, Why,
};
use crate::entry::bytes_to_path_buf;
use crate::queue::lock;
use crate::{
    Directory, Enter, Entry, Error, Fields, FileType, Flow, Leaving, Listing, Operation, Select,
    Stats, Visitor,
};

/// How often a directory that others keep filling is read again before it stays. (A file system that
/// loses its place in a directory while entries go needs a few rounds of its own.)
const MOST_READINGS: u32 = 20;

/// What all workers share, and add up.
pub(super) struct Tally<'a, W> {
    pub remove: &'a Remove,
    watch: &'a W,
    fields: Fields,
    files: AtomicU64,
    directories: AtomicU64,
    bytes: AtomicU64,
    spared: AtomicU64,
    failed: AtomicU64,
    failures: Mutex<Vec<Failure>>,
    stopped: AtomicBool,
    stats: Mutex<Stats>,
    spellings: Mutex<Spellings>,
    root: OnceLock<Option<(u64, u64)>>,
}

impl<'a, W: Watch> Tally<'a, W> {
    pub fn new(remove: &'a Remove, watch: &'a W) -> Self {
        Tally {
            remove,
            watch,
            fields: remove.fields(watch.asks()),
            files: AtomicU64::new(0),
            directories: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            spared: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            failures: Mutex::default(),
            stopped: AtomicBool::new(false),
            stats: Mutex::default(),
            spellings: Mutex::default(),
            root: OnceLock::new(),
        }
    }

    /// The directory that is never removed, if there is one: device and inode.
    pub fn root(&self) -> Option<(u64, u64)> {
        if self.remove.preserve == Preserve::Nothing {
            return None;
        }
        *self.root.get_or_init(root_identity)
    }

    pub fn spell(&self, shown: Vec<u8>, given: &[u8]) {
        lock(&self.spellings).insert(shown, given.to_vec());
    }

    pub fn add(&self, stats: &Stats) {
        lock(&self.stats).add_later(stats);
    }

    pub fn is_stopped(&self) -> bool {
        if self.watch.is_stopped() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        self.stopped.load(Ordering::Relaxed)
    }

    /// Reports what stays, unless it is missing and that is fine.
    #[cold]
    pub fn not_removed(&self, path: &[u8], why: Why) {
        if let Why::System(error) = &why
            && self.remove.ignore_missing
            && is_missing(error)
        {
            return;
        }
        self.failed.fetch_add(1, Ordering::Relaxed);
        let failure = Failure { path: bytes_to_path_buf(path), why };
        self.watch.failed(&failure);
        let mut failures = lock(&self.failures);
        if failures.len() < MOST_FAILURES {
            failures.push(failure);
        }
    }

    fn progress(&self) -> Progress {
        Progress {
            files: self.files.load(Ordering::Relaxed),
            directories: self.directories.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
        }
    }

    pub fn into_report(self) -> Report {
        let Progress { files, directories, failed } = self.progress();
        let take = |mutex: Mutex<Vec<Failure>>| mutex.into_inner().unwrap_or_default();
        Report {
            files,
            directories,
            bytes: self.bytes.into_inner(),
            spared: self.spared.into_inner(),
            failed,
            failures: take(self.failures),
            stopped: self.stopped.into_inner(),
            stats: *lock(&self.stats),
        }
    }
}

/// Whether the path that was given leads nowhere.
fn is_missing(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidFilename, InvalidInput, NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory | InvalidInput | InvalidFilename)
}

/// A directory that is being emptied.
#[derive(Default)]
pub(super) struct Level {
    /// Something in it stays, so it stays.
    stays: AtomicBool,
    /// It is not the directory that was looked at, or must not be touched.
    refused: AtomicBool,
    /// It was asked about, when it was found to be empty.
    asked: bool,
    /// The inode of a root, as it was when it was looked at.
    ino: u64,
}

impl Level {
    fn keep(&self) {
        self.stays.store(true, Ordering::Relaxed);
    }
}

/// One worker.
pub(super) struct Remover<'a, W> {
    tally: &'a Tally<'a, W>,
    path: Vec<u8>,
    requests: u64,
    /// Files that went and are not in the tally yet: it is shared, and would be fought for at each.
    files: u64,
    /// Why the directory that is left next could not be opened.
    unopened: Option<Error>,
}

impl<'a, W: Watch> Remover<'a, W> {
    pub fn new(tally: &'a Tally<'a, W>) -> Self {
        Remover { tally, path: Vec::new(), requests: 0, files: 0, unopened: None }
    }

    /// The path as it is shown.
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
        if self.tally.watch.wants_removed() {
            self.tally.watch.removed(&self.spelled(depth), file_type);
        }
    }

    fn spare(&self, level: &Level) {
        self.tally.spared.fetch_add(1, Ordering::Relaxed);
        level.keep();
    }

    fn set_path(&mut self, entry: &Entry<'_>) {
        self.path.clear();
        entry.path_into(&mut self.path);
    }

    /// Only where it is shown: of a chain of directories the paths are longer than all the rest.
    fn set_dir_path(&mut self, dir: &Leaving<'_>) {
        self.path.clear();
        self.path.extend_from_slice(dir.directory().path().as_os_str().as_encoded_bytes());
    }

    /// Removes one entry that is no directory.
    fn file(&mut self, level: &Level, entry: &Entry<'_>) {
        let tally = self.tally;
        if let Some(time) = tally.remove.older_than
            && entry.meta().and_then(crate::Meta::mtime).is_none_or(|mtime| mtime >= time)
        {
            return self.spare(level);
        }
        if tally.watch.asks() && !self.allowed(level, entry, Subject::Entry(entry), false) {
            return;
        }
        if tally.remove.dry_run {
            let size = entry.meta().and_then(crate::Meta::size).unwrap_or(0);
            tally.bytes.fetch_add(size, Ordering::Relaxed);
        } else {
            self.requests += 1;
            if let Err(error) = entry.unlink() {
                return self.file_failed(level, entry, error);
            }
        }
        self.files += 1;
        if tally.watch.wants_removed() {
            self.set_path(entry);
            self.gone(entry.depth(), entry.file_type());
        }
    }

    #[cold]
    fn file_failed(&mut self, level: &Level, entry: &Entry<'_>, error: io::Error) {
        let below = entry.depth() > 0;
        match error.kind() {
            // Somebody else was faster.
            io::ErrorKind::NotFound if below => {}
            // It has become a directory: its parent will not go, and be read again.
            io::ErrorKind::IsADirectory if below => {}
            _ => {
                level.keep();
                self.set_path(entry);
                self.not_removed(entry.depth(), Why::System(error));
            }
        }
    }

    /// A directory among the entries: it will be entered, unless it is not to be.
    fn directory(&mut self, level: &Level, entry: &Entry<'_>) {
        let tally = self.tally;
        if tally.watch.asks() {
            let is_empty = entry.is_empty_dir().unwrap_or(false);
            if !self.allowed(level, entry, Subject::Entry(entry), is_empty) {
                return entry.prune();
            }
            if is_empty {
                entry.mark();
            }
        }
        if tally.remove.directories == Directories::Empty {
            entry.prune();
            self.empty_directory(level, entry);
        }
    }

    /// Removes a directory that was named, without entering it.
    fn empty_directory(&mut self, level: &Level, entry: &Entry<'_>) {
        self.set_path(entry);
        self.requests += 1;
        match if self.tally.remove.dry_run { Ok(()) } else { entry.remove_dir() } {
            Ok(()) => {
                self.tally.directories.fetch_add(1, Ordering::Relaxed);
                self.gone(entry.depth(), FileType::Directory);
            }
            Err(error) => {
                level.keep();
                self.not_removed(entry.depth(), Why::System(error));
            }
        }
    }

    /// Whether the watch lets it go.
    fn allowed(
        &mut self,
        level: &Level,
        entry: &Entry<'_>,
        subject: Subject<'_>,
        is_empty: bool,
    ) -> bool {
        self.set_path(entry);
        let path = self.spelled(entry.depth());
        let answer = self.tally.watch.ask(&Question { path: &path, subject, is_empty });
        self.answered(level, entry.depth(), answer)
    }

    fn answered(&self, level: &Level, depth: usize, answer: io::Result<bool>) -> bool {
        match answer {
            Ok(true) => true,
            Ok(false) => {
                self.spare(level);
                false
            }
            Err(error) => {
                level.keep();
                self.not_removed(depth, Why::System(error));
                false
            }
        }
    }

    /// Why a directory that could not be opened stays; `None` if it may be tried all the same.
    fn unopened(&mut self, dir: &Leaving<'_>, error: Error) -> Option<Why> {
        match error.io().kind() {
            io::ErrorKind::CrossesDevices if dir.is_on_other_device() => Some(Why::OtherDevice),
            io::ErrorKind::CrossesDevices => Some(Why::Mounted),
            // What is in it cannot be told.
            _ if self.tally.remove.dry_run => Some(Why::System(error.into_io())),
            // An empty directory goes even if it cannot be read.
            _ => {
                self.unopened = Some(error);
                None
            }
        }
    }

    /// Removes a directory that was emptied.
    fn emptied(&mut self, dir: &Leaving<'_>, level: &Level, parent: &Level) {
        let depth = dir.directory().depth();
        if self.tally.watch.asks() && !level.asked {
            self.set_dir_path(dir);
            let path = self.spelled(depth);
            let subject = Subject::Emptied(dir);
            let question = Question { path: &path, subject, is_empty: true };
            let answer = self.tally.watch.ask(&question);
            if !self.answered(parent, depth, answer) {
                return;
            }
        }
        if !self.tally.remove.dry_run {
            self.requests += 1;
            if let Err(error) = dir.remove() {
                return self.emptied_failed(dir, parent, error);
            }
        }
        self.tally.directories.fetch_add(1, Ordering::Relaxed);
        if self.tally.watch.wants_removed() {
            self.set_dir_path(dir);
            self.gone(depth, FileType::Directory);
        }
    }

    #[cold]
    fn emptied_failed(&mut self, dir: &Leaving<'_>, parent: &Level, error: io::Error) {
        let depth = dir.directory().depth();
        let unopened = self.unopened.take();
        match error.kind() {
            // Somebody else was faster, or put something else in its place: the parent is read again.
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory if depth > 0 => {}
            io::ErrorKind::DirectoryNotEmpty
                if unopened.is_none() && dir.times_read_before() < MOST_READINGS =>
            {
                dir.read_again();
            }
            _ => {
                parent.keep();
                self.set_dir_path(dir);
                let first = unopened.map_or(error, Error::into_io);
                self.not_removed(depth, Why::System(first));
            }
        }
    }
}

impl<W: Watch> Visitor for Remover<'_, W> {
    type State = Level;

    fn top(&self) -> Level {
        Level::default()
    }

    fn fork(&self) -> Self {
        Remover::new(self.tally)
    }

    fn merge(&mut self, other: Self) {
        self.requests += other.requests;
    }

    fn enter(&mut self, entry: &Entry<'_>, _: &Level) -> Enter<Level> {
        Enter::Read(Level { asked: entry.is_marked(), ino: entry.ino(), ..Level::default() })
    }

    fn wants_listing(&self) -> bool {
        true
    }

    /// The last look at what was opened: by its handle, which nobody can redirect.
    fn listed(&mut self, dir: &Directory<'_>, _: &Listing<'_>, level: &mut Level) {
        if dir.depth() == 0 {
            let meta = dir.stat(Fields::DEV | Fields::INO).unwrap_or_default();
            let identity = meta.dev().zip(meta.ino());
            let swapped = meta.ino() != Some(level.ino);
            if swapped || (identity.is_some() && identity == self.tally.root()) {
                *level.refused.get_mut() = true;
            }
        }
        if let Some(time) = self.tally.remove.older_than {
            let mtime = dir.stat(Fields::MTIME).ok().and_then(|meta| meta.mtime());
            if mtime.is_none_or(|mtime| mtime >= time) {
                level.keep();
            }
        }
    }

    fn likely_fields(&self) -> Fields {
        self.tally.fields
    }

    fn select(&mut self, level: &Level, entry: &Entry<'_>) -> Select {
        if level.refused.load(Ordering::Relaxed) {
            return Select::Drop;
        }
        let fields = self.tally.fields;
        let asks = !entry.file_type().is_dir() || self.tally.watch.asks();
        Select::Take(if asks { fields } else { Fields::empty() })
    }

    fn entries(&mut self, level: &Level, entries: &[Entry<'_>]) -> Flow {
        if self.tally.is_stopped() {
            return Flow::Stop;
        }
        for entry in entries {
            if entry.file_type().is_dir() {
                self.directory(level, entry);
            } else {
                self.file(level, entry);
            }
        }
        self.tally.files.fetch_add(std::mem::take(&mut self.files), Ordering::Relaxed);
        Flow::Continue
    }

    fn removes(&self) -> bool {
        true
    }

    fn remove(&mut self, dir: &Leaving<'_>, level: &Level, parent: &Level) -> Flow {
        let depth = dir.directory().depth();
        let why = match self.unopened.take() {
            Some(error) => self.unopened(dir, error),
            None => level.refused.load(Ordering::Relaxed).then_some(Why::Swapped),
        };
        if let Some(why) = why {
            parent.keep();
            self.set_dir_path(dir);
            self.not_removed(depth, why);
        } else if depth == 0 && self.tally.remove.keep_roots {
            if let Some(error) = self.unopened.take() {
                self.set_dir_path(dir);
                self.not_removed(depth, Why::System(error.into_io()));
            }
        } else if level.stays.load(Ordering::Relaxed) || !dir.is_complete() {
            parent.keep();
        } else {
            self.emptied(dir, level, parent);
        }
        self.unopened = None;
        if self.tally.is_stopped() { Flow::Stop } else { Flow::Continue }
    }

    fn requests(&mut self) -> u64 {
        std::mem::take(&mut self.requests)
    }

    fn error(&mut self, error: Error) -> Flow {
        match error.operation() {
            // What becomes of it shows when the directory is left, right after this.
            Operation::Open | Operation::FollowLoop => self.unopened = Some(error),
            // Its removal will tell, unless something had to be known before.
            Operation::Stat if self.tally.fields.is_empty() => {}
            _ => {
                let path = error.path().as_os_str().as_encoded_bytes().to_vec();
                self.tally.not_removed(&path, Why::System(error.into_io()));
            }
        }
        Flow::Continue
    }

    fn pause(&mut self, _slow: bool) -> Flow {
        let flow = self.tally.watch.pause(&self.tally.progress());
        if flow == Flow::Stop {
            self.tally.stopped.store(true, Ordering::Relaxed);
        }
        flow
    }
}
