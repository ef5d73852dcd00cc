//! [`WatchedDirs`]: which directories are watched, as which directories of the state. A walk watches a
//! directory before it reads it, so what changes from then on is in an event.
//!
//! ```text
//!   stat D   ► open D ► watch D ► read D: a, b        create D/c ► event: c in D
//!                        └ what is created before is read, what is created after is told, and
//!                          what is created in between is both
//! ```
//!
//! A watch belongs to an inode, and stays with it wherever that is moved. While a walk goes on, and
//! until the state without the old name is accepted, one inode may be several directories of the
//! state, and its events belong to all of them. A directory whose name was touched is watched again.
//! If it gets another watch then, it is another directory, and no watch below is believed.
//!
//! Where watches are recursive, a root alone gets one, and its events have paths, which are looked up
//! when the next look begins ([`Noticed::look_up`]). A directory below is watched once it was read
//! after the root got its watch. If its name was touched, nothing below is believed.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;
use std::path::Path;
use std::sync::Mutex;

use brisk::Directory;
use brisk::unstable::handle;
use brisk_sys::events::{Events, Notice, Reach};
use brisk_sys::output::directory;
use brisk_sys::paths::with_slashes;
use brisk_sys::threads::lock;
use brisk_sys::volume::{Volume, VolumeKind};
use brisk_sys::{Backend, BorrowedHandle, Dir, handle_of};

use crate::format::record::{DirId, NO_DIR, TOP};
use crate::format::state::State;
use crate::sources::noticed::Noticed;
use crate::watch::why::WhyScanned;

/// The watches of directories.
pub(crate) struct WatchedDirs {
    pub events: Events,
    /// The roots that are files: their names, by the watches of their directories.
    pub files: HashMap<i32, HashSet<Vec<u8>>>,
    /// The watches of directories on the ways to the roots, and those of `files`. They stay, whether
    /// or not they are also directories of the state.
    pub ways: HashSet<i32>,
    numbers: Mutex<Numbers>,
}

/// What was in the queue of events.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    /// Events of watched directories, and of roots that are files.
    pub has_any: bool,
    /// Whether events were lost.
    pub has_lost: bool,
}

/// The numbers of watches.
#[derive(Default)]
struct Numbers {
    /// The directories of each watch.
    dirs: BTreeSet<(i32, DirId)>,
    /// The watch of each directory; [`ENDED`] if it had one. Another directory may have it by now.
    watches: Vec<i32>,
    /// The directories that have got a watch, or another one, during the look.
    added: Vec<DirId>,
    /// The watches that may have no directory any more. They end when no walk goes on: a worker may
    /// just have got one of them for another directory.
    unneeded: Vec<i32>,
    /// The directories that have to be polled, and why.
    polled: HashMap<DirId, WhyScanned>,
    /// Whether `polled` has changed since it was last asked about.
    has_new_polled: bool,
}

/// The numbers for a watch that has ended, and for none. The system's numbers begin at 1.
const ENDED: i32 = -1;
const NONE: i32 = 0;
/// The number for the watch of a directory above.
const ABOVE: i32 = i32::MAX;
/// How many watches end before the queue is emptied: it gets an event of each end.
const MOST_ENDS: usize = 4096;

impl WatchedDirs {
    pub fn new() -> io::Result<WatchedDirs> {
        let events = Events::new()?;
        let numbers = Mutex::default();
        Ok(WatchedDirs { events, files: HashMap::new(), ways: HashSet::new(), numbers })
    }

    /// Whether events tell what changes in a directory.
    pub fn has(&self, id: DirId) -> bool {
        lock(&self.numbers).has(id)
    }

    /// Watches an open directory in `parent`, which the state has if `state` is given. If it had
    /// another watch, those below it are not believed any more.
    pub fn add(
        &self,
        id: DirId,
        parent: DirId,
        dir: &Directory<'_>,
        volume: &Volume,
        state: Option<&State>,
    ) {
        let set = match Events::IS_RECURSIVE && parent != TOP {
            true => self.set_above(parent, volume),
            false => self.set(handle(dir), dir.path(), Some(volume), Reach::Tree),
        };
        let mut numbers = lock(&self.numbers);
        let old = numbers.watch_of(id);
        if set != Ok(old) {
            numbers.added.push(id);
            numbers.forget(id);
            let has_none_below = set.is_err() && !Events::IS_RECURSIVE;
            let state = state.filter(|_| old != NONE && !has_none_below).into_iter();
            state.for_each(|state| below(state, id, |id| numbers.forget(id)));
        }
        numbers.has_new_polled |= match set {
            Ok(watch) => {
                *numbers.watch_mut(id) = watch;
                numbers.dirs.insert((watch, id));
                numbers.polled.remove(&id).is_some()
            }
            Err(why) => numbers.polled.insert(id, why) != Some(why),
        };
    }

    /// Watches the directory of a root that is a file: editors replace files by renaming others. Only
    /// events of the file's name count. Returns the watch; or why there is none.
    pub fn add_file(&mut self, file: &Path) -> Result<i32, WhyScanned> {
        let path = directory(file);
        let dir = Dir::open_path_only(Backend::Native, path).map_err(|_| WhyScanned::NoWatch)?;
        let handle = handle_of(&dir);
        let volume = handle.map(Volume::of).transpose().map_err(|_| WhyScanned::NoWatch)?;
        let watch = self.set(handle, path, volume.as_ref(), Reach::Entries)?;
        let name = with_slashes(file.file_name().unwrap_or_default().as_ref());
        self.files.entry(watch).or_default().insert(name);
        Ok(watch)
    }

    /// The number of an open directory's watch; or why it has none.
    fn set(
        &self,
        dir: Option<BorrowedHandle<'_>>,
        path: &Path,
        volume: Option<&Volume>,
        reach: Reach,
    ) -> Result<i32, WhyScanned> {
        let why = |error: io::Error| match error.kind() {
            // The limit is looked up once it is told.
            io::ErrorKind::StorageFull => WhyScanned::WatchLimit(None),
            io::ErrorKind::Unsupported => WhyScanned::Unsupported,
            _ => WhyScanned::NoWatch,
        };
        volume.and_then(silent).map_or(Ok(()), Err)?;
        self.events.watch(dir, path, reach).map_err(why)
    }

    /// As `set`, where the watch of a directory is that of its parent.
    fn set_above(&self, parent: DirId, volume: &Volume) -> Result<i32, WhyScanned> {
        silent(volume).map_or(Ok(ABOVE), Err)?;
        lock(&self.numbers).polled.get(&parent).map_or(Ok(ABOVE), |why| Err(*why))
    }

    /// Takes all events: which directories of the state they name.
    pub fn take(&self, noticed: &mut Noticed, state: Option<&State>) -> io::Result<Taken> {
        let mut numbers = lock(&self.numbers);
        let mut taken = Taken { has_any: false, has_lost: false };
        loop {
            let few = numbers.unneeded.len().min(MOST_ENDS);
            for watch in numbers.unneeded.drain(..few).collect::<Vec<_>>() {
                if numbers.of(watch).next().is_none() && !self.ways.contains(&watch) {
                    self.events.unwatch(watch);
                }
            }
            taken.has_lost |= self.events.take(|watch, notice| {
                let files = self.files.get(&watch);
                taken.has_any |= numbers.note(watch, notice, noticed, state)
                    || matches!(notice, Notice::Name(name) | Notice::Inside(name)
                        if files.is_some_and(|files| files.contains(name)));
            })?;
            if numbers.unneeded.is_empty() {
                return Ok(taken);
            }
        }
    }

    /// The directories that have got a watch, or another one, since the last call. With `doubt`, their
    /// watches are not believed until they are set again.
    pub fn take_added(&self, doubt: bool) -> Vec<DirId> {
        let mut numbers = lock(&self.numbers);
        let added = std::mem::take(&mut numbers.added);
        for id in added.iter().filter(|_| doubt) {
            let watch = numbers.watch_of(*id);
            let is_doubted = numbers.dirs.remove(&(watch, *id));
            numbers.unneeded.extend(is_doubted.then_some(watch));
        }
        added
    }

    /// No longer believes any watch, until it is set again. Those that the look does not set end
    /// after it.
    pub fn doubt_all(&self) {
        let numbers = &mut *lock(&self.numbers);
        let doubted = std::mem::take(&mut numbers.dirs).into_iter();
        numbers.unneeded.extend(doubted.map(|(watch, _)| watch));
    }

    /// No longer believes the watches of a directory of the state and of all below it: all that is
    /// there is scanned when a walk comes to it.
    pub fn forget(&self, id: DirId, state: &State) {
        let mut numbers = lock(&self.numbers);
        numbers.forget(id);
        below(state, id, |id| numbers.forget(id));
    }

    /// Forgets everything.
    pub fn forget_all(&self) {
        let new = Numbers { has_new_polled: true, ..Numbers::default() };
        let numbers = std::mem::replace(&mut *lock(&self.numbers), new);
        let watches = numbers.dirs.into_iter().map(|(watch, _)| watch).chain(numbers.unneeded);
        watches.for_each(|watch| self.events.unwatch(watch));
    }

    /// Forgets directories that are gone.
    pub fn remove(&self, gone: &[DirId]) {
        let mut numbers = lock(&self.numbers);
        for id in gone {
            numbers.forget(*id);
            *numbers.watch_mut(*id) = NONE;
            numbers.has_new_polled |= numbers.polled.remove(id).is_some();
        }
    }

    /// The directories that have to be polled, and why.
    pub fn polled(&self) -> Vec<(DirId, WhyScanned)> {
        lock(&self.numbers).polled.iter().map(|(id, why)| (*id, *why)).collect()
    }

    /// Whether other directories have to be polled than at the last call.
    pub fn has_new_polled(&self) -> bool {
        std::mem::take(&mut lock(&self.numbers).has_new_polled)
    }
}

impl Numbers {
    fn watch_of(&self, id: DirId) -> i32 {
        self.watches.get(id as usize).copied().unwrap_or(NONE)
    }

    fn watch_mut(&mut self, id: DirId) -> &mut i32 {
        debug_assert_ne!(id, NO_DIR, "BUG: a directory that was not entered has no watch");
        let id = id as usize;
        if id >= self.watches.len() {
            self.watches.resize(id + 1, NONE);
        }
        &mut self.watches[id]
    }

    fn forget(&mut self, id: DirId) {
        let watch = std::mem::replace(self.watch_mut(id), ENDED);
        if self.dirs.remove(&(watch, id)) {
            self.unneeded.push(watch);
        }
    }

    /// Notes what an event says. Returns whether its watch has a directory.
    fn note(
        &mut self,
        watch: i32,
        notice: Notice<'_>,
        noticed: &mut Noticed,
        state: Option<&State>,
    ) -> bool {
        let ids: Vec<_> = self.of(watch).collect();
        for id in ids.iter().copied() {
            match notice {
                Notice::Name(path) => noticed.touch_path(id, path, true),
                Notice::Inside(path) => noticed.touch_path(id, path, false),
                Notice::Itself => noticed.touch(id),
                Notice::Ended => {
                    self.end(watch, id);
                    state.iter().for_each(|state| noticed.touch_record_of(id, state));
                }
            }
        }
        !ids.is_empty()
    }

    fn end(&mut self, watch: i32, id: DirId) {
        self.dirs.remove(&(watch, id));
        if self.watch_of(id) == watch {
            *self.watch_mut(id) = ENDED;
        }
    }

    fn has(&self, id: DirId) -> bool {
        self.dirs.contains(&(self.watch_of(id), id))
    }

    fn of(&self, watch: i32) -> impl Iterator<Item = DirId> {
        self.dirs.range((watch, 0)..=(watch, DirId::MAX)).map(|(_, id)| *id)
    }
}

/// Passes the directories below one.
fn below(state: &State, id: DirId, mut each: impl FnMut(DirId)) {
    let mut pending = vec![id];
    // In a damaged state, directories may form a cycle.
    let mut left = state.index.len();
    while let Some(id) = pending.pop().filter(|_| left > 0) {
        left -= 1;
        for (_, child) in state.block(id).subdirs() {
            each(child);
            pending.push(child);
        }
    }
}

/// Why no events come from a file system that others can change.
fn silent(volume: &Volume) -> Option<WhyScanned> {
    use VolumeKind as Kind;
    /// By statfs(2): shared folders of VirtualBox; files of processes and of devices.
    const OTHERS: [u32; 3] = [0x786f_4256, 0x9fa0, 0x6265_6572];
    let remote = [Kind::Fuse, Kind::Nfs, Kind::Smb, Kind::Ceph, Kind::Lustre, Kind::NineP];
    let magic = volume.kind.magic();
    let is_silent = remote.contains(&volume.kind) || OTHERS.contains(&magic);
    is_silent.then_some(WhyScanned::NoEvents(magic))
}
