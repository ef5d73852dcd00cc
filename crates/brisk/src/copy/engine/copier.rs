//! [`Copier`]: one worker's visitor. It copies entries as directories list them, opens the
//! destination of each directory ([`Mirror`]) when the walk opens the source, and completes it when
//! the walk leaves the source.

use std::ffi::{CStr, CString};
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use brisk_sys::change::stat;
use brisk_sys::copy::{self, Attribute};
use brisk_sys::{BorrowedHandle, Dir, Identity, Links, base_of, handle_of};

use super::existing::Verdict;
use super::job::{ALL, Refusal, Route, at};
use super::mirror::{Facts, Mirror};
use crate::copy::observer::Begun;
use crate::copy::report::{Report, Step, Way};
use crate::copy::settings::{Directories, Paths, Update};
use crate::sched::lock;
use crate::{
    Act, At, Directory, Enter, Entry, Error, Fields, FileType, Flow, Flushed, Follow, Leaving,
    Meta, Needs, Operation, Outcome, Parallel, Pause, Select, Visitor,
};

/// One worker.
pub(super) struct Copier<'a> {
    pub route: &'a Route<'a>,
    /// What it has done since the last flush.
    pub counts: Report,
    pub ways: Vec<Way>,
    pub requests: u64,
    /// The paths of the entry that is being copied, where they are needed.
    source: Vec<u8>,
    destination: Vec<u8>,
    /// The destination that was opened last, if its handle is not kept there.
    last: Option<(Arc<Mirror>, Arc<Dir>)>,
    /// The device that has no extended attributes.
    pub bare_device: Option<u64>,
    /// The device that has no files without names.
    pub named_device: Option<u64>,
    pub room: Vec<u8>,
}

/// What a directory's visitor remembers: its destination, once it is known.
#[derive(Default)]
pub(super) enum State {
    /// Above the roots.
    #[default]
    Top,
    /// The walk is about to open the directory. `true` if the filter refuses it, so that it is made
    /// only for what is in it.
    Entered(Arc<Mirror>, CString, bool),
    Opened(Arc<Mirror>),
}

/// Where an entry is to be copied to.
pub(super) struct Place<'p> {
    pub mirror: &'p Arc<Mirror>,
    pub dir: &'p Dir,
    pub base: BorrowedHandle<'p>,
    pub name: &'p CStr,
    pub is_root: bool,
    pub entry: &'p Entry<'p>,
    /// Where the source is.
    pub at: At<'p>,
}

impl Place<'_> {
    pub fn stat(&self, links: Links) -> io::Result<Meta> {
        stat(self.base, self.name, ALL, links)
    }

    pub fn facts(&self) -> &Facts {
        self.mirror.facts()
    }
}

impl<'a> Copier<'a> {
    pub fn new(route: &'a Route<'a>) -> Self {
        Copier {
            route,
            counts: Report::default(),
            ways: Vec::new(),
            requests: 0,
            source: Vec::new(),
            destination: Vec::new(),
            last: None,
            bare_device: None,
            named_device: None,
            room: Vec::new(),
        }
    }

    /// The paths of an entry.
    pub fn paths(&mut self, entry: &Entry<'_>) -> Paths<'_> {
        self.source.clear();
        entry.path_into(&mut self.source);
        self.route.destination_of(&self.source, &mut self.destination);
        Paths { source: &self.source, destination: &self.destination }
    }

    #[cold]
    pub fn fail(&mut self, entry: &Entry<'_>, refusal: Refusal) {
        let job = self.route.job;
        job.fail(self.paths(entry), refusal);
    }

    #[cold]
    fn fail_at(&mut self, source: &[u8], refusal: Refusal) {
        self.route.destination_of(source, &mut self.destination);
        self.route.job.fail(Paths { source, destination: &self.destination }, refusal);
    }

    /// The destination of a directory's entries.
    fn mirror(&self, state: &State) -> Option<Arc<Mirror>> {
        match state {
            State::Top => Some(Arc::clone(&self.route.place)),
            State::Entered(..) => None,
            State::Opened(mirror) => Some(Arc::clone(mirror)),
        }
    }

    fn handle(&mut self, mirror: &Arc<Mirror>) -> Result<Option<Arc<Dir>>, Refusal> {
        if let Some((_, dir)) = self.last.as_ref().filter(|last| Arc::ptr_eq(&last.0, mirror)) {
            return Ok(Some(Arc::clone(dir)));
        }
        let handle = mirror.handle(self.route)?;
        self.last = handle.as_ref().map(|dir| (Arc::clone(mirror), Arc::clone(dir)));
        Ok(handle)
    }

    /// The source's metadata: what the walk has, or what the system says now.
    pub fn meta_of(&mut self, entry: &Entry<'_>) -> Result<Meta, Refusal> {
        if let Some(meta) = entry.meta() {
            return Ok(meta.clone());
        }
        self.requests += 1;
        entry.stat(ALL).map_err(at(Step::Stat))
    }

    /// Copies an entry that is no directory, or does with a directory what comes before it is
    /// entered.
    fn entry(&mut self, mirror: &Arc<Mirror>, entry: &Entry<'_>) -> Result<(), Refusal> {
        let copy = self.route.job.copy;
        if entry.file_type().is_dir() {
            if copy.directories == Directories::Omitted {
                entry.prune();
                return Err((Step::OmitDirectory, None));
            }
            // The walk does not enter it: it is on another file system, or too deep.
            let is_last = entry.is_pruned() || entry.depth() >= copy.walk.max_depth;
            return if is_last { self.unentered(mirror, entry) } else { Ok(()) };
        }
        let follows = match copy.walk.follow {
            Follow::Never => false,
            Follow::Roots => entry.depth() == 0,
            Follow::Always => true,
        };
        if follows && entry.file_type() == FileType::Symlink {
            let asked = entry.at().and_then(|it| stat(it.base, it.name, ALL, Links::Follow));
            let why = asked.err().unwrap_or_else(|| io::ErrorKind::NotFound.into());
            return Err((Step::Stat, Some(why)));
        }
        let Some(dir) = self.handle(mirror)? else { return self.only_told(entry) };
        let base = base_of(&dir).map_err(at(Step::OpenDirectory))?;
        let is_root = entry.depth() == 0;
        let name = if is_root { &*self.route.name } else { entry.c_name() };
        let from = entry.at().map_err(at(Step::Stat))?;
        let place = Place { mirror, dir: &dir, base, name, is_root, entry, at: from };
        self.copy(&place)
    }

    fn only_told(&mut self, entry: &Entry<'_>) -> Result<(), Refusal> {
        self.begin(entry, None);
        self.counts.files += 1;
        Ok(())
    }

    fn copy(&mut self, place: &Place<'_>) -> Result<(), Refusal> {
        let verdict = self.decide(place)?;
        if let Verdict::Keep = verdict {
            self.counts.unchanged += 1;
            return Ok(());
        }
        let Verdict::Copy(old, backup) = verdict else { return Ok(()) };
        self.begin(place.entry, backup.as_deref());
        if !self.route.job.copy.dry_run {
            place.mirror.is_dirty.store(true, Ordering::Relaxed);
            self.make(place, old.as_deref())?;
        }
        self.counts.files += 1;
        if place.is_root {
            self.remember_created(place);
        }
        Ok(())
    }

    /// Tells the observer that the copy of an entry begins.
    fn begin(&mut self, entry: &Entry<'_>, backup: Option<&[u8]>) {
        let job = self.route.job;
        if job.wants_begun {
            let file_type = entry.file_type();
            let paths = self.paths(entry);
            job.observer.begun(&Begun { paths, file_type, backup });
        }
    }

    /// Makes the destination of a directory that the walk does not enter, and completes it.
    fn unentered(&mut self, mirror: &Arc<Mirror>, entry: &Entry<'_>) -> Result<(), Refusal> {
        let meta = self.meta_of(entry)?;
        let name = if entry.depth() == 0 { self.route.name.clone() } else { entry.c_name().into() };
        let made = Arc::new(Mirror::new(Some(Arc::clone(mirror)), name, meta, Vec::new()));
        made.handle(self.route)?;
        let path = entry.path();
        self.complete(&made, path.as_os_str().as_encoded_bytes())
    }

    /// The extended attributes of an open source that are to be copied.
    pub fn attributes(
        &mut self,
        file: BorrowedHandle<'_>,
        device: u64,
    ) -> io::Result<Vec<Attribute>> {
        let job = self.route.job;
        if !job.lists_attributes() || self.bare_device == Some(device) {
            return Ok(Vec::new());
        }
        self.requests += 1;
        match copy::attributes(file, |name| job.wants_attribute(name)) {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                self.bare_device = Some(device);
                Ok(Vec::new())
            }
            found => found,
        }
    }

    /// The source directory is open: its destination.
    fn mirror_of(
        &mut self,
        dir: &Directory<'_>,
        (above, name): (Arc<Mirror>, CString),
    ) -> Result<Mirror, Refusal> {
        self.requests += 3;
        let meta = dir.stat(ALL).map_err(at(Step::Stat))?;
        if meta.identity().is_some() && meta.identity() == self.route.root.get().copied() {
            return Err((Step::IntoItself, None));
        }
        if let Some(identity) = meta.identity().filter(|_| self.route.job.has_many_pairs) {
            self.not_again(dir, identity)?;
        }
        let source = dir.handle.and_then(handle_of);
        let found =
            source.map_or(Ok(Vec::new()), |it| self.attributes(it, meta.dev().unwrap_or(0)));
        Ok(Mirror::new(Some(above), name, meta, found.unwrap_or_default()))
    }

    /// Refuses a directory that an earlier pair has copied to another place, as GNU cp does.
    /// `self.source` is that place then.
    fn not_again(&mut self, dir: &Directory<'_>, identity: Identity) -> Result<(), Refusal> {
        let job = self.route.job;
        let is_root = dir.depth() == 0;
        let path = dir.path().as_os_str().as_encoded_bytes();
        self.route.destination_of(path, &mut self.destination);
        let mut known = lock(&job.directories);
        let follows = match job.copy.walk.follow {
            Follow::Never => false,
            Follow::Roots => is_root,
            Follow::Always => true,
        };
        match known.get(&identity) {
            Some(place) if *place == self.destination => Err((Step::DirectoryGivenTwice, None)),
            Some(place) if !follows => {
                self.source.clone_from(place);
                Err((Step::DirectoryAgain, None))
            }
            None if is_root => {
                known.insert(identity, self.destination.clone());
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Everything below a directory is done.
    fn leave(&mut self, dir: &Leaving<'_>, state: &State) -> Result<(), Refusal> {
        let mirror = match state {
            State::Top => return Ok(()),
            State::Opened(mirror) => Arc::clone(mirror),
            // The walk could not open it. Its destination is made, as cp does.
            State::Entered(_, _, true) => return Ok(()),
            State::Entered(above, name, false) => {
                let meta = dir.stat(ALL).map_err(at(Step::Stat))?;
                let mirror = Mirror::new(Some(Arc::clone(above)), name.clone(), meta, Vec::new());
                mirror.handle(self.route)?;
                Arc::new(mirror)
            }
        };
        if !mirror.is_opened() {
            // The filter has refused it, and nothing is in it.
            return Ok(());
        }
        let deletes = self.route.job.copy.delete || mirror.facts().is_adopted;
        if deletes && dir.outcome() == Outcome::Complete && mirror.facts().may_have_entries {
            self.delete(dir, &mirror)?;
        }
        let path = dir.directory().path().as_os_str().as_encoded_bytes();
        self.complete(&mirror, path)
    }

    /// Sets a directory's attributes, and gives it its name.
    fn complete(&mut self, mirror: &Arc<Mirror>, path: &[u8]) -> Result<(), Refusal> {
        if let Some(handle) = self.handle(mirror)? {
            self.last = None;
            self.counts.directories += u64::from(mirror.facts().is_made);
            if !self.route.job.copy.dry_run {
                if let Some(file) = handle_of(&handle) {
                    self.finish_dir(mirror, file, path);
                }
                drop(handle);
                mirror.place().map_err(at(Step::MakeDirectory))?;
            }
        } else {
            self.counts.directories += 1;
        }
        mirror.close();
        Ok(())
    }

    /// Reports a failure of something that is copied all the same.
    #[cold]
    pub fn fail_path(&mut self, source: &[u8], step: Step, error: io::Error) {
        self.fail_at(source, (step, Some(error)));
    }

    fn remember_created(&self, place: &Place<'_>) {
        let found = place.stat(Links::NoFollow).ok();
        if let Some(identity) = found.and_then(|meta| meta.identity()) {
            let name = place.name.to_bytes().to_vec();
            lock(&self.route.job.created).insert((identity, name));
        }
    }
}

impl Visitor for Copier<'_> {
    type State = State;

    fn needs(&self) -> Needs {
        Needs { vanished: true, ..Needs::fields(Fields::empty()) }
    }

    fn select(&mut self, _: &State, entry: &Entry<'_>) -> Select {
        let update = self.route.job.copy.update;
        let compares = matches!(update, Update::Older | Update::Changed | Update::Contents);
        let asks = compares && !entry.file_type().is_dir();
        Select::Take(if asks { ALL } else { Fields::empty() })
    }

    fn entries(&mut self, _: &Directory<'_>, state: &State, entries: &[Entry<'_>]) -> Flow {
        let Some(mirror) = self.mirror(state) else { return Flow::Continue };
        for entry in entries {
            if let Err(refusal) = self.entry(&mirror, entry) {
                self.fail(entry, refusal);
            }
            if self.route.job.is_stopped() {
                return Flow::Stop;
            }
        }
        Flow::Continue
    }

    fn enter(&mut self, entry: &Entry<'_>, parent: &State) -> Enter<State> {
        let name = if entry.depth() == 0 { self.route.name.clone() } else { entry.c_name().into() };
        match self.mirror(parent) {
            Some(above) => Enter::Read(State::Entered(above, name, entry.is_refused())),
            None => Enter::Prune,
        }
    }

    fn opened(&mut self, dir: &Directory<'_>, state: &mut State) -> Enter<()> {
        let State::Entered(above, name, is_refused) = std::mem::take(state) else {
            return Enter::Prune;
        };
        let made = self.mirror_of(dir, (above, name)).and_then(|mirror| {
            let mirror = Arc::new(mirror);
            if !is_refused {
                mirror.handle(self.route)?;
            }
            Ok(mirror)
        });
        match made {
            Ok(mirror) => {
                *state = State::Opened(mirror);
                Enter::Read(())
            }
            Err(refusal) => {
                let path = dir.path().as_os_str().as_encoded_bytes();
                match refusal.0 {
                    Step::DirectoryAgain => {
                        let earlier = std::mem::take(&mut self.source);
                        self.route.destination_of(path, &mut self.destination);
                        let paths = Paths { source: &earlier, destination: &self.destination };
                        self.route.job.fail(paths, refusal);
                    }
                    Step::IntoItself | Step::DirectoryGivenTwice => {
                        self.fail_at(self.route.source, refusal);
                    }
                    _ => self.fail_at(path, refusal),
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
        self.fail_path(&path, step, error.into_io());
        Flow::Continue
    }

    fn flush(&mut self, _: Pause) -> Flushed {
        self.route.job.add(&mut self.counts);
        let job = self.route.job;
        let flow = if job.is_stopped() { Flow::Stop } else { Flow::Continue };
        Flushed { flow, requests: std::mem::take(&mut self.requests), ..Flushed::default() }
    }
}

impl Parallel for Copier<'_> {
    fn fork(&self, _: usize) -> Self {
        Copier::new(self.route)
    }

    /// A worker that ends has flushed.
    fn merge(&mut self, mut other: Self) {
        self.route.job.add_ways(&mut other.ways);
    }
}

impl Act for Copier<'_> {
    const BY_INODE: bool = true;

    fn leaving(&mut self, dir: &Leaving<'_>, state: &State, _: &State) -> Flow {
        if let Err(refusal) = self.leave(dir, state) {
            let path = dir.directory().path().as_os_str().as_encoded_bytes();
            self.fail_at(path, refusal);
        }
        Flow::Continue
    }
}
