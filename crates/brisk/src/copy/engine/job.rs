//! [`CopyJob`]: what all workers of a copy share and add up. [`Route`]: the same for one pair.

use std::collections::{HashMap, HashSet};
use std::ffi::{CStr, CString, OsString};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use brisk_sys::change::set_mode;
use brisk_sys::{Dir, Freshness, Identity, Links, base_of, limits, slashed};

use crate::copy::observer::Observer;
use crate::copy::pair::Pair;
use crate::copy::report::{NotCopied, Report, Step, Way};
use crate::copy::settings::{Copy, PathPair, Update};
use crate::entry::bytes_to_path_buf;
use crate::remove::Remove;
use crate::remove::settings::FileIdentity;
use crate::sched::lock;
use crate::{Cancel, Fields, Follow, HandleBudget, Meta, Stats, Walk};

/// The metadata fields that are requested of an entry: all that a copy may need.
pub(super) const ALL: Fields = Fields::TYPE
    .union(Fields::MODE)
    .union(Fields::NLINK)
    .union(Fields::UID)
    .union(Fields::GID)
    .union(Fields::INO)
    .union(Fields::SIZE)
    .union(Fields::BLOCKS)
    .union(Fields::ATIME)
    .union(Fields::MTIME)
    .union(Fields::CTIME)
    .union(Fields::DEV);

/// A step that failed or was refused, and the system's error.
pub(super) type Denied = (Step, Option<io::Error>);

/// Turns the system's error into a failure of this step.
pub(super) fn at(step: Step) -> impl FnOnce(io::Error) -> Denied {
    move |error| (step, Some(error))
}

/// Why no directory is made where something else is. `links` says whether a link in its place may
/// be followed.
pub(super) fn in_the_way(links: Links) -> Denied {
    match links {
        Links::Follow => (Step::StatDestination, Some(io::ErrorKind::NotADirectory.into())),
        Links::NoFollow => (Step::NoDirectoryInTheWay, None),
    }
}

/// Why a directory was not replaced: it holds what a filter or ignore rules keep, or what could not
/// be removed.
pub(super) fn something_stays() -> Denied {
    let why = io::Error::new(io::ErrorKind::IsADirectory, "something in it stays");
    (Step::DirectoryInTheWay, Some(why))
}

/// A file that was given, and the last component of its path.
type Given = (Identity, Vec<u8>);

/// The directories of sources, and which they are once there are several.
#[derive(Default)]
pub(super) struct GivenDirs {
    paths: HashSet<OsString>,
    identities: HashSet<Identity>,
}

impl GivenDirs {
    /// Whether this directory is among them; if not, adds it.
    pub fn has(&mut self, dir: &Path, ask: impl Fn(&Path) -> Option<Identity>) -> bool {
        if self.paths.contains(dir.as_os_str()) {
            return true;
        }
        if self.identities.is_empty() {
            self.identities.extend(self.paths.iter().filter_map(|dir| ask(Path::new(dir))));
        }
        let own = if self.paths.is_empty() { None } else { ask(dir) };
        let is_known = own.is_some_and(|own| !self.identities.insert(own));
        if !is_known {
            self.paths.insert(dir.into());
        }
        is_known
    }
}

/// A file that was made, the directory that holds it, and its name there.
pub(super) type Made = (Identity, Option<Identity>, Vec<u8>);

pub(super) struct CopyJob<'a> {
    pub copy: &'a Copy,
    pub observer: &'a dyn Observer,
    pub wants_begun: bool,
    pub asks: bool,
    /// The effective user of this process.
    pub user: u32,
    pub may_give_away: bool,
    pub umask: u32,
    /// There is more than one pair.
    pub has_many_pairs: bool,
    /// Handles of destinations, and of the walk's directories.
    pub budget: Arc<HandleBudget>,
    report: Mutex<Report>,
    stopped: AtomicBool,
    /// See [`Report::left`].
    pub left: AtomicU64,
    /// See [`Report::directories`].
    pub made: AtomicU64,
    /// The sources of pairs so far, and the directories of their paths.
    pub given: Mutex<HashMap<Given, GivenDirs>>,
    /// The destinations of pairs so far.
    pub created: Mutex<HashSet<Made>>,
    /// One directory on each file system that is to be synced.
    pub places: Mutex<Vec<(u64, Arc<Dir>)>>,
    /// The directories that are sources of pairs, and their destinations' paths.
    pub directories: Mutex<HashMap<Identity, Vec<u8>>>,
    /// The sources of first copies of files with several links, by the identity of the copy, if that
    /// may be replaced. A file that is kept may be the copy of several.
    pub firsts: Mutex<HashMap<Identity, Vec<Identity>>>,
}

impl<'a> CopyJob<'a> {
    pub fn new(copy: &'a Copy, observer: &'a dyn Observer) -> CopyJob<'a> {
        let handles = usize::try_from(limits::open_files() / 8).unwrap_or(usize::MAX);
        let user = brisk_sys::copy::effective_user();
        CopyJob {
            copy,
            observer,
            wants_begun: observer.wants_begun(),
            asks: observer.asks(),
            user,
            may_give_away: user == 0,
            umask: copy.umask.unwrap_or_else(brisk_sys::copy::umask),
            has_many_pairs: false,
            budget: copy.walk.budget.clone().unwrap_or_else(|| HandleBudget::new(handles)),
            report: Mutex::default(),
            stopped: AtomicBool::new(false),
            left: AtomicU64::new(0),
            made: AtomicU64::new(0),
            given: Mutex::default(),
            created: Mutex::default(),
            places: Mutex::default(),
            directories: Mutex::default(),
            firsts: Mutex::default(),
        }
    }

    pub fn is_stopped(&self) -> bool {
        let cancel = &self.copy.walk.cancel;
        if self.observer.is_stopped() || cancel.as_ref().is_some_and(Cancel::is_cancelled) {
            self.stopped.store(true, Ordering::Relaxed);
        }
        self.stopped.load(Ordering::Relaxed)
    }

    /// Notes that something is copied into this directory.
    pub fn note_place(&self, dev: u64, dir: &Arc<Dir>) {
        if self.copy.sync {
            let mut places = lock(&self.places);
            if !places.iter().any(|it| it.0 == dev) {
                places.push((dev, Arc::clone(dir)));
            }
        }
    }

    /// Whether the decision about a destination depends on times.
    pub fn asks_times(&self) -> bool {
        self.copy.update == Update::Older || self.compares()
    }

    /// Whether a destination that is the same as its source stays as it is.
    pub fn compares(&self) -> bool {
        matches!(self.copy.update, Update::Changed | Update::Contents)
    }

    /// Whether a directory may replace what is not a directory.
    pub fn replaces_with_directories(&self) -> bool {
        self.copy.delete && !self.copy.backup && !self.asks
    }

    /// A name of a file is about to be removed, for a copy of `own`. If it is the last one, the file is
    /// no longer the first copy of another source: another file may get its inode. Asks only if first
    /// copies are known by their identities.
    pub fn goes(
        &self,
        own: impl FnOnce() -> Option<Identity>,
        found: impl FnOnce() -> Option<Meta>,
    ) {
        if lock(&self.firsts).is_empty() {
            return;
        }
        let last = found().filter(|found| found.nlink() == Some(1));
        if let Some(file) = last.and_then(|found| found.identity()) {
            let own = own();
            self.forget_firsts(file, |source| Some(source) != own);
        }
    }

    /// Forgets that a file is the first copy of these sources. Returns whether it was one.
    pub fn forget_firsts(&self, file: Identity, of: impl Fn(Identity) -> bool) -> bool {
        let mut firsts = lock(&self.firsts);
        let Some(sources) = firsts.get_mut(&file) else { return false };
        let before = sources.len();
        sources.retain(|source| !of(*source));
        let is_one = sources.len() < before;
        if sources.is_empty() {
            firsts.remove(&file);
        }
        is_one
    }

    /// Removes an entry that is not a directory, where a directory is to be made.
    pub fn make_way_for_directory(
        &self,
        dir: &Dir,
        name: &CStr,
        found: &Meta,
        path: impl FnOnce() -> Vec<u8>,
    ) -> Result<(), Denied> {
        if !self.copy.dry_run {
            self.goes(|| None, || Some(found.clone()));
            dir.unlink(name).map_err(at(Step::Remove))?;
        }
        self.add(&mut Report { deleted: 1, ..Report::default() });
        if self.wants_begun {
            self.observer.removed(&path(), found.file_type().unwrap_or_default());
        }
        Ok(())
    }

    #[cold]
    pub fn fail(&self, paths: PathPair<'_>, (step, error): Denied) {
        let source = bytes_to_path_buf(paths.source);
        let destination = bytes_to_path_buf(paths.destination);
        let failure = NotCopied { step, source, destination, error };
        self.observer.failed(&failure);
        lock(&self.report).add_failure(failure);
    }

    /// Reports a failure with a pair as a whole.
    pub fn fail_unless(&self, done: Result<(), Denied>, pair: &Pair) {
        if let Err(refusal) = done {
            let source = pair.source.as_os_str().as_encoded_bytes();
            let destination = pair.destination.as_os_str().as_encoded_bytes();
            self.fail(PathPair { source, destination }, refusal);
        }
    }

    /// Whether the copy continues what a killed run has left under a temporary name. Not with a
    /// filter or rules: what they leave out may be in it, and would stay.
    pub fn resumes(&self) -> bool {
        let walk = &self.copy.walk;
        self.compares() && walk.filter.is_none() && walk.rules.is_none()
    }

    /// Adds what a worker did since the last call, and tells the observer.
    pub fn add(&self, counts: &mut Report) {
        let numbers = std::mem::take(counts);
        let mut report = lock(&self.report);
        report.add_numbers(&numbers);
        let [left, directories] = [&self.left, &self.made].map(|it| it.load(Ordering::Relaxed));
        let so_far = Report { left, directories, ..report.numbers() };
        drop(report);
        self.observer.progressed(&so_far);
    }

    pub fn add_ways(&self, ways: &mut Vec<Way>) {
        let mut report = lock(&self.report);
        ways.drain(..).for_each(|way| report.add_way(way));
    }

    pub fn add_stats(&self, stats: &Stats) {
        lock(&self.report).stats.add_later(stats);
    }

    pub fn into_report(self) -> Report {
        let report = std::mem::take(&mut *lock(&self.report));
        let directories = self.made.into_inner();
        Report { stopped: self.stopped.into_inner(), directories, ..report }
    }
}

/// What all workers that copy one pair share.
pub(super) struct Route<'a> {
    pub job: &'a CopyJob<'a>,
    /// The pair's paths; the source's without separators at its end.
    pub source: &'a [u8],
    pub destination: &'a [u8],
    /// The destination's name in the directory that holds it.
    pub name: CString,
    /// The destination's path ends in a separator.
    pub wants_dir: bool,
    /// The identity of the directory at the destination.
    pub root: OnceLock<Identity>,
    /// The destination is inside the source: nothing more is removed from it.
    pub is_in_source: AtomicBool,
    /// The entries whose metadata the walk could not get, so that their copies were not compared.
    pub unseen: Mutex<Vec<Vec<u8>>>,
}

impl Route<'_> {
    /// Whether links are followed: those that are roots (`is_root`), or those below.
    pub fn follows(&self, is_root: bool) -> bool {
        match self.job.copy.walk.follow {
            Follow::Never => false,
            Follow::Roots => is_root,
            Follow::Always => true,
        }
    }

    /// The names of the unseen entries in this source directory.
    pub fn unseen_in(&self, dir: &[u8]) -> Vec<CString> {
        let names = lock(&self.unseen);
        let names = names.iter().filter_map(|path| slashed::below(path, dir));
        names.filter(|name| !name.contains(&b'/')).flat_map(CString::new).collect()
    }

    /// Writes the destination's path that belongs to a source's path.
    pub fn destination_of(&self, source: &[u8], out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(self.destination);
        let below = source.get(self.source.len()..).unwrap_or_default();
        slashed::push(out, below.strip_prefix(b"/").unwrap_or(below));
    }
}

/// Removes this directory with everything below it.
pub(super) fn remove(path: &[u8], above: &Dir, dir: &Dir) -> io::Result<()> {
    let meta = dir.stat_self(ALL)?;
    let unknown = || io::Error::from(io::ErrorKind::Unsupported);
    let itself = meta.identity().ok_or_else(unknown)?;
    let only = FileIdentity { parent: above.identity()?, itself, owner: meta.uid().unwrap_or(0) };
    let walk = Walk::new(bytes_to_path_buf(path)).threads(std::num::NonZeroUsize::new(1));
    let report = Remove { only: Some(only), ..Remove::new(walk) }.run(&());
    report.failures.first().map_or(Ok(()), |failure| Err(failure.why().to_io()))
}

/// Whether other users may rename in this directory what this user has made there.
pub(super) fn is_open_to_others(dir: &Dir) -> bool {
    dir.stat_self(ALL).map_or(true, |meta| {
        let trusted = [0, brisk_sys::copy::effective_user()];
        let is_trusted = meta.uid().is_some_and(|uid| trusted.contains(&uid));
        !is_trusted || meta.mode().is_none_or(|mode| mode & 0o022 != 0 && mode & 0o1000 == 0)
    })
}

/// The device and inode of what this name leads to.
pub(super) fn identity_of(dir: &Dir, name: &CStr, links: Links) -> Option<Identity> {
    let asked = Fields::INO | Fields::DEV;
    dir.stat(name, asked, links, Freshness::AsStat).ok()?.identity()
}

/// Whether this user owns a directory, and no other user can have moved it into `above`: others
/// cannot write to `above`, or to the directory (the sticky bit lets them move only that). Root
/// accepts any owner where only root may write to `above`: it may be the source's already.
pub(super) fn is_own(above: &Dir, dir: &Dir) -> bool {
    let is_shared = |meta: Meta| meta.mode().is_none_or(|mode| mode & 0o022 != 0);
    let may_be_moved = above.stat_self(ALL).map_or(true, is_shared);
    let user = brisk_sys::copy::effective_user();
    dir.stat_self(ALL).is_ok_and(|meta| match meta.uid() == Some(user) {
        true => !(may_be_moved && is_shared(meta)),
        false => user == 0 && !may_be_moved,
    })
}

/// Opens a directory that this user has made. If the umask denies this user access, sets the
/// missing permissions, as GNU cp does. If the directory still cannot be opened, removes it.
pub(super) fn open_made(route: &Route<'_>, above: &Dir, name: &CStr, mode: u32) -> io::Result<Dir> {
    let open = || above.open_beneath(name, Links::NoFollow, false);
    let umask = route.job.umask;
    let opened = match open() {
        Ok(dir) if umask & 0o700 == 0 => return Ok(dir),
        Err(error) if error.kind() != io::ErrorKind::PermissionDenied => Err(error),
        _ => base_of(above)
            .and_then(|base| set_mode(base, name, mode & !umask | 0o700, Links::NoFollow))
            .and_then(|()| open()),
    };
    if opened.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::NotFound) {
        let _ = above.remove_dir(name);
    }
    opened
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::path::Path;

    use super::GivenDirs;

    /// Directory `n` is that of number n % 100; a path that is known needs no question.
    #[test]
    fn each_directory_of_sources_is_asked_once() {
        let asked = Cell::new(0);
        let mut dirs = GivenDirs::default();
        let mut has = |number: u64| {
            dirs.has(Path::new(&number.to_string()), |dir| {
                asked.set(asked.get() + 1);
                dir.to_str().and_then(|dir| dir.parse().ok()).map(|n: u64| (1, n % 100))
            })
        };
        assert!(!has(0) && has(0));
        assert_eq!(asked.get(), 0);
        assert!((1..100).all(|number| !has(number)));
        assert_eq!(asked.get(), 100);
        assert!((0..100).all(&mut has));
        assert_eq!(asked.get(), 100);
        assert!((100..200).all(&mut has));
        assert_eq!(asked.get(), 200);
    }
}
