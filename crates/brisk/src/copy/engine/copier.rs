//! [`Copier`]: one worker's visitor. It copies entries as directories list them, opens the
//! destination of each directory ([`Mirror`]) when the walk opens the source, and completes it when
//! the walk leaves the source.

use std::ffi::{CStr, CString};
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use brisk_sys::change::stat;
use brisk_sys::{Dir, Freshness, Links, base_of, handle_of, slashed};

use super::attributes::finish_dir;
use super::delete::delete;
use super::existing::{Decision, decide};
use super::file::make;
use super::job::{ALL, Denied, Route, at};
use super::links::Linked;
use super::mirror::Mirror;
use super::sources::{mirror_of, mirror_with, unread};
use super::work::{Item, Old, Work};
use crate::copy::observer::Begun;
use crate::copy::report::Step;
use crate::copy::settings::{Specials, Update};
use crate::sched::lock;
use crate::{
    Act, Directory, Enter, Entry, Error, Fields, FileType, Flow, Flushed, Leaving, Needs,
    Operation, Outcome, Parallel, Pause, Select, Visitor,
};

/// One worker.
pub(super) struct Copier<'a> {
    pub work: Work<'a>,
    /// The directory that holds the pair's destination.
    place: Arc<Mirror>,
    /// The destination directory that was opened last, and its handle.
    last: Option<(Arc<Mirror>, Arc<Dir>)>,
}

/// What the visitor remembers of a source directory: its destination, once that is known.
#[derive(Default)]
pub(super) enum MirrorState {
    /// What contains the roots.
    #[default]
    Top,
    /// The walk is about to open the directory. `true` if the filter refuses the directory, so that
    /// it is made only for what is in it.
    Entered(Arc<Mirror>, CString, bool),
    Opened(Arc<Mirror>),
}

impl<'a> Copier<'a> {
    pub fn new(route: &'a Route<'a>, linked: &'a Linked, place: Arc<Mirror>) -> Self {
        Copier { work: Work::new(route, linked), place, last: None }
    }

    /// The destination of a directory's entries.
    fn mirror(&self, state: &MirrorState) -> Option<Arc<Mirror>> {
        match state {
            MirrorState::Top => Some(Arc::clone(&self.place)),
            MirrorState::Entered(..) => None,
            MirrorState::Opened(mirror) => Some(Arc::clone(mirror)),
        }
    }

    /// The name of an entry's copy.
    fn name_of(&self, entry: &Entry<'_>) -> CString {
        if entry.depth() == 0 { self.work.route.name.clone() } else { entry.c_name().into() }
    }

    fn handle(&mut self, mirror: &Arc<Mirror>) -> Result<Option<Arc<Dir>>, Denied> {
        if let Some((_, dir)) = self.last.as_ref().filter(|last| Arc::ptr_eq(&last.0, mirror)) {
            return Ok(Some(Arc::clone(dir)));
        }
        let handle = mirror.handle(self.work.route).inspect_err(|_| mirror.distrust())?;
        self.last = handle.as_ref().map(|dir| (Arc::clone(mirror), Arc::clone(dir)));
        Ok(handle)
    }

    /// Copies an entry that is not a directory. For a directory, does what comes before the walk
    /// enters it.
    fn entry(&mut self, mirror: &Arc<Mirror>, entry: &Entry<'_>) -> Result<(), Denied> {
        let copy = self.work.route.job.copy;
        if entry.file_type().is_dir() {
            if !copy.recursive {
                entry.prune();
                return Err((Step::OmitDirectory, None));
            }
            // The walk does not enter the directory: it is on another file system, or too deep.
            let is_last = entry.is_pruned() || entry.depth() >= copy.walk.max_depth;
            return if is_last { self.unentered(mirror, entry) } else { Ok(()) };
        }
        let is_root = entry.depth() == 0;
        let own = entry.c_name();
        self.check_type(entry, is_root).inspect_err(|_| self.distrust(mirror, own))?;
        let dir = match self.handle(mirror) {
            Ok(Some(dir)) => dir,
            Ok(None) => {
                self.begin(entry, None);
                self.work.counts.files += 1;
                return Ok(());
            }
            Err(refusal) => return mirror.fail(self.work.route, refusal),
        };
        let base = base_of(&dir).map_err(at(Step::OpenDirectory))?;
        let name = if is_root { &*self.work.route.name } else { entry.c_name() };
        let from =
            entry.at().inspect_err(|_| self.distrust(mirror, own)).map_err(at(Step::Stat))?;
        let replaced = None;
        let place = Item { mirror, dir: &dir, base, name, is_root, entry, at: from, replaced };
        self.copy(&place)
    }

    /// Distrusts a tree that a killed run has left, if `name` exists in this directory of it: what
    /// exists there was not compared.
    fn distrust(&self, mirror: &Mirror, name: &CStr) {
        self.distrust_unless(mirror, |dir| {
            let asked = dir.stat(name, Fields::TYPE, Links::NoFollow, Freshness::AsStat);
            asked.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
        });
    }

    /// The same of anything in this directory.
    fn distrust_all(&self, mirror: &Mirror) {
        self.distrust_unless(mirror, |dir| dir.is_empty().unwrap_or(false));
    }

    fn distrust_unless(&self, mirror: &Mirror, has_none: impl FnOnce(&Dir) -> bool) {
        let is_left = mirror.is_opened() && mirror.facts().is_adopted;
        let is_fine = |dir: Option<Arc<Dir>>| dir.is_some_and(|dir| has_none(&dir));
        if is_left && !mirror.handle(self.work.route).is_ok_and(is_fine) {
            mirror.distrust();
        }
    }

    /// Refuses links that cannot be followed and, with [`Specials::Refuse`], special files.
    fn check_type(&self, entry: &Entry<'_>, is_root: bool) -> Result<(), Denied> {
        let Route { job, .. } = self.work.route;
        match entry.file_type() {
            FileType::Symlink if self.work.route.follows(is_root) => {
                let asked = entry.at().and_then(|it| stat(it.base, it.name, ALL, Links::Follow));
                let why = asked.err().unwrap_or_else(|| io::ErrorKind::NotFound.into());
                Err((Step::Stat, Some(why)))
            }
            FileType::File | FileType::Symlink | FileType::Unknown => Ok(()),
            _ if job.copy.specials == Specials::Refuse => Err((Step::SpecialFile, None)),
            _ => Ok(()),
        }
    }

    fn copy(&mut self, place: &Item<'_>) -> Result<(), Denied> {
        let decided = decide(&mut self.work, place).inspect_err(|_| place.mirror.distrust());
        if matches!(decided, Err((Step::DanglingLink, _))) {
            // GNU cp prints the names first, and then why it does not copy.
            self.begin(place.entry, None);
        }
        match decided? {
            Decision::Keep => self.work.counts.unchanged += 1,
            Decision::Done => {}
            Decision::Copy(old, backup) => {
                self.begin(place.entry, backup.as_deref());
                if !self.work.route.job.copy.dry_run {
                    self.make(place, &old, backup.as_deref())?;
                }
                self.work.counts.files += 1;
                if place.is_root {
                    self.remember_created(place);
                }
            }
        }
        Ok(())
    }

    /// Makes the copy. If that fails, the backup gets its old name again.
    fn make(&mut self, place: &Item<'_>, old: &Old, backup: Option<&[u8]>) -> Result<(), Denied> {
        place.mirror.is_dirty.store(true, Ordering::Relaxed);
        let made = make(&mut self.work, place, old);
        if let (Err(_), Some(backup)) = (&made, backup.map(slashed::last)) {
            let _ = CString::new(backup).map(|name| place.dir.rename_here(&name, place.name));
        }
        made
    }

    /// Tells the observer that the copy of an entry begins.
    fn begin(&mut self, entry: &Entry<'_>, backup: Option<&[u8]>) {
        let job = self.work.route.job;
        if job.wants_begun {
            let file_type = entry.file_type();
            let paths = self.work.paths(entry);
            job.observer.begun(&Begun { paths, file_type, backup });
        }
    }

    /// Makes the destination of a directory that the walk does not enter, and completes it.
    fn unentered(&mut self, mirror: &Arc<Mirror>, entry: &Entry<'_>) -> Result<(), Denied> {
        let meta = self.work.meta_of(entry)?;
        let path = entry.path();
        let path = path.as_os_str().as_encoded_bytes();
        let from = entry.at().map_err(at(Step::Stat))?;
        let preserve = &self.work.route.job.copy.preserve;
        let attributes = self.work.attributes_at(from.base, from.name, entry.follow(), preserve);
        let name = self.name_of(entry);
        let mut made = mirror_with(&mut self.work, path, mirror, name, meta, attributes);
        made.rules = entry.directory().rules().cloned();
        let made = Arc::new(made);
        made.handle(self.work.route)?;
        // The entries of the directory are neither copied nor compared.
        self.distrust_all(&made);
        self.complete(&made, path)
    }

    /// Completes a directory: everything below it is copied.
    fn leave(&mut self, dir: &Leaving<'_>, state: &MirrorState) -> Result<(), Denied> {
        let mirror = match state {
            MirrorState::Top => return Ok(()),
            MirrorState::Opened(mirror) => Arc::clone(mirror),
            // The walk could not open it. The destination is made all the same, as by GNU cp.
            MirrorState::Entered(_, _, true) => return Ok(()),
            MirrorState::Entered(above, name, false) => {
                let mirror = unread(&mut self.work, dir, above, name)?;
                mirror.handle(self.work.route).inspect_err(|_| self.distrust(above, name))?;
                Arc::new(mirror)
            }
        };
        let is_complete = dir.outcome() == Outcome::Complete;
        let Route { job, is_in_source, .. } = self.work.route;
        let deletes = is_complete && job.copy.delete && !is_in_source.load(Ordering::Relaxed);
        if !(mirror.is_opened() || deletes && mirror.is_there(self.work.route)?) {
            // The filter refuses the directory, and nothing in it was copied.
            return Ok(());
        }
        if !is_complete {
            self.distrust_all(&mirror);
        }
        let deletes = deletes || is_complete && mirror.facts().is_adopted;
        if deletes && mirror.facts().may_have_entries {
            delete(&mut self.work, dir, &mirror)?;
        }
        let is_dirty = mirror.facts().is_made || mirror.is_dirty.load(Ordering::Relaxed);
        if mirror.is_refused && !is_dirty {
            mirror.close();
            return Ok(());
        }
        let path = dir.directory().path().as_os_str().as_encoded_bytes();
        self.complete(&mirror, path)
    }

    /// Sets a directory's attributes, and gives it its name.
    fn complete(&mut self, mirror: &Arc<Mirror>, path: &[u8]) -> Result<(), Denied> {
        if let Some(handle) = self.handle(mirror)? {
            self.last = None;
            if mirror.facts().is_adopted {
                for name in self.work.route.unseen_in(path) {
                    self.distrust(mirror, &name);
                }
            }
            if !self.work.route.job.copy.dry_run {
                if let Some(file) = handle_of(&handle) {
                    finish_dir(&mut self.work, mirror, file);
                }
                if let Err(error) = mirror.place() {
                    if error.kind() == io::ErrorKind::AlreadyExists {
                        mirror.discard(self.work.route, &handle);
                    }
                    return Err((Step::MakeDirectory, Some(error)));
                }
            }
        }
        mirror.close();
        Ok(())
    }

    fn remember_created(&self, place: &Item<'_>) {
        let found = place.stat(Links::NoFollow).ok();
        if let Some(identity) = found.and_then(|meta| meta.identity()) {
            lock(&self.work.route.job.created).insert(place.as_made(identity));
        }
    }
}

impl Visitor for Copier<'_> {
    type State = MirrorState;

    fn needs(&self) -> Needs {
        // The first name of a file that a directory lists decides, as with GNU cp, whether the
        // destination is kept; the other names become links to it.
        let copy = self.work.route.job.copy;
        let listing_order = copy.update == Update::Older && copy.preserve.links;
        Needs { vanished: true, listing_order, ..Needs::default() }
    }

    fn select(&mut self, _: &MirrorState, entry: &Entry<'_>) -> Select {
        let asks = self.work.route.job.asks_times() && !entry.file_type().is_dir();
        Select::Take(if asks { ALL } else { Fields::empty() })
    }

    fn entries(&mut self, _: &Directory<'_>, state: &MirrorState, entries: &[Entry<'_>]) -> Flow {
        let Some(mirror) = self.mirror(state) else { return Flow::Continue };
        for entry in entries {
            let copied = self.entry(&mirror, entry);
            self.work.tell(entry);
            match copied {
                // The copy was stopped in the middle of this entry.
                Err((_, Some(error)))
                    if error.kind() == io::ErrorKind::Interrupted
                        && self.work.route.job.is_stopped() => {}
                Err(refusal) => self.work.fail(entry, refusal),
                Ok(()) => {}
            }
            if self.work.route.job.is_stopped() {
                return Flow::Stop;
            }
        }
        Flow::Continue
    }

    fn enter(&mut self, entry: &Entry<'_>, parent: &MirrorState) -> Enter<MirrorState> {
        let Some(above) = self.mirror(parent) else { return Enter::Prune };
        Enter::Read(MirrorState::Entered(above, self.name_of(entry), entry.is_refused()))
    }

    fn opened(&mut self, dir: &Directory<'_>, state: &mut MirrorState) -> Enter<()> {
        let MirrorState::Entered(above, name, is_refused) = std::mem::take(state) else {
            return Enter::Prune;
        };
        let parent = Arc::clone(&above);
        let made = mirror_of(&mut self.work, dir, (above, name)).and_then(|mut mirror| {
            mirror.is_refused = is_refused;
            let mirror = Arc::new(mirror);
            if !is_refused {
                mirror.handle(self.work.route)?;
            }
            Ok(mirror)
        });
        match made {
            Ok(mirror) => {
                *state = MirrorState::Opened(mirror);
                Enter::Read(())
            }
            Err(refusal) => {
                let path = dir.path().as_os_str().as_encoded_bytes();
                // A root's parent is never a tree that a killed run has left.
                let name = CString::new(slashed::last(path)).unwrap_or_default();
                self.distrust(&parent, &name);
                let path = if dir.depth() == 0 { self.work.route.source } else { path };
                match refusal.0 {
                    Step::DirectoryAgain => {}
                    Step::IntoItself | Step::DirectoryGivenTwice => {
                        self.work.fail_at(self.work.route.source, refusal);
                    }
                    _ => self.work.fail_at(path, refusal),
                }
                Enter::Prune
            }
        }
    }

    fn error(&mut self, error: Error) -> Flow {
        let step = match error.operation() {
            Operation::Stat | Operation::Follow => Step::Stat,
            Operation::FollowLoop => Step::Loop,
            _ => Step::ReadDirectory,
        };
        let path = error.path().as_os_str().as_encoded_bytes().to_vec();
        if step != Step::ReadDirectory {
            // For the walk, the directory that lists this entry is complete.
            lock(&self.work.route.unseen).push(path.clone());
        }
        self.work.fail_at(&path, (step, Some(error.into_io())));
        Flow::Continue
    }

    fn flush(&mut self, _: Pause) -> Flushed {
        self.work.route.job.add(&mut self.work.counts);
        let job = self.work.route.job;
        let flow = if job.is_stopped() { Flow::Stop } else { Flow::Continue };
        Flushed { flow, requests: std::mem::take(&mut self.work.requests), ..Flushed::default() }
    }
}

impl Parallel for Copier<'_> {
    fn fork(&self, _: usize) -> Self {
        Copier::new(self.work.route, self.work.linked, Arc::clone(&self.place))
    }

    /// The counts are in the job: a worker flushes before it ends.
    fn merge(&mut self, mut other: Self) {
        self.work.route.job.add_ways(&mut other.work.ways);
    }
}

impl Act for Copier<'_> {
    const BY_INODE: bool = true;

    fn leaving(&mut self, dir: &Leaving<'_>, state: &MirrorState, _: &MirrorState) -> Flow {
        let left = self.leave(dir, state);
        let path = dir.directory().path().as_os_str().as_encoded_bytes();
        self.work.tell_at(path);
        if let Err(refusal) = left {
            if let MirrorState::Opened(mirror) = state {
                mirror.distrust();
            }
            self.work.fail_at(path, refusal);
        }
        Flow::Continue
    }
}
