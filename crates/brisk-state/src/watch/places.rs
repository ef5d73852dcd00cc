//! [`Places`]: the roots, the directories on the way to them, and the mounts below them.
//! [`Linked`]: the files with several names. [`FilesByInode`]: where the other names of a file are.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use brisk_sys::events::Events;
use brisk_sys::memory;
use brisk_sys::paths::with_slashes;
use brisk_sys::slashed::below;
use brisk_sys::volume::{Mount, mounts_below};
use brisk_sys::{Backend, Fields, FileType, Links, stat_path};

use super::why::{Scanned, WhyScanned};
use crate::change::RootedPath;
use crate::format::record::{DirId, NO_DIR};
use crate::format::state::State;
use crate::rescan::roots::{self, Paths, Root};
use crate::rescan::watched::WatchedDirs;
use crate::rescan::{DirName, Report, Rescan, RescanError};
use crate::sources::noticed::Noticed;

/// How many files with several names are checked in each batch. If there are more, they are polled.
const MOST_LINKED: usize = 500;

/// How many links the way to a root may have: as many as the kernel follows.
const MOST_LINKS: usize = 40;

/// Where the trees are.
#[derive(Default)]
pub(super) struct Places {
    pub roots: Vec<Root>,
    /// Each root's device and inode; zeros for a root that is not a directory.
    identities: Vec<Option<(u64, u64)>>,
    /// All mounts of the system.
    mounts: BTreeSet<Mount>,
    /// Where something was mounted or unmounted. All that is below has to be scanned.
    pub remounted: BTreeSet<RootedPath>,
    /// The roots that are files and about which no events come.
    pub silent_files: Vec<Scanned>,
    /// Whether a directory on the way to a root cannot be watched, for example because the user may
    /// not read it: then no event says that the root is another directory now.
    pub has_silent_way: bool,
}

/// What has become of the roots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RootsNow {
    Same,
    /// One of them is another directory.
    Other,
    /// One of them is gone.
    Gone,
    /// One that was a file is gone: another file may be about to get its name.
    FileGone,
}

impl RootsNow {
    pub fn are_gone(self) -> bool {
        matches!(self, RootsNow::Gone | RootsNow::FileGone)
    }
}

impl Places {
    /// Identifies the roots; watches the directories on the way to them, and the roots that are
    /// files.
    ///
    /// # Errors
    /// A root is gone.
    pub fn watch(&mut self, rescan: &Rescan, watched: &mut WatchedDirs) -> Result<(), RescanError> {
        watched.ways.drain().for_each(|watch| watched.events.unwatch(watch));
        watched.files.clear();
        self.silent_files.clear();
        self.has_silent_way = false;
        // The watches come before the roots are identified, so that no change is missed.
        for (root, path) in rescan.roots.iter().enumerate() {
            let absolute = std::path::absolute(path).unwrap_or_else(|_| path.clone());
            let real = path.canonicalize().unwrap_or_default();
            let parents = real.ancestors().skip(1).map(|dir| (dir.to_owned(), false));
            for (dir, names) in parents.chain(link_dirs(absolute).map(|dir| (dir, true))) {
                let watch = watched.events.watch_way(&dir, names);
                self.has_silent_way |= watch.is_err();
                watched.ways.extend(watch);
            }
            if real.metadata().is_ok_and(|meta| !meta.is_dir()) {
                self.watch_file(root, &real, watched);
            }
        }
        self.roots = roots::find(&rescan.roots, None, true)?.0;
        self.identities = identities(rescan);
        self.mounts = mounts();
        Ok(())
    }

    fn watch_file(&mut self, root: usize, file: &Path, watched: &mut WatchedDirs) {
        match watched.add_file(file) {
            Ok(watch) => _ = watched.ways.insert(watch),
            Err(why) => {
                let place = Some(RootedPath { root, path: Vec::new() });
                self.silent_files.push(Scanned { place, why });
            }
        }
    }

    /// Whether the roots are the same directories as before.
    pub fn roots_now(&self, rescan: &Rescan) -> RootsNow {
        match identities(rescan) {
            now if now == self.identities => RootsNow::Same,
            now if now.contains(&None) => {
                let both = now.iter().zip(&self.identities);
                let is_dir = |(now, then): (&Option<_>, &_)| now.is_none() && *then != Some(FILE);
                if both.into_iter().any(is_dir) { RootsNow::Gone } else { RootsNow::FileGone }
            }
            _ => RootsNow::Other,
        }
    }

    /// Adds to `remounted` where something was mounted or unmounted below the roots since the last
    /// call, unless it was undone. Reads the table of mounts, unless nothing is mounted below the
    /// roots and the system has reported no change.
    pub fn look_at_mounts(&mut self, has_told: bool) {
        // Mounts move with the directories that they are in, and the system does not report that.
        if !has_told && !self.mounts.iter().any(|mount| self.below_roots(mount).next().is_some()) {
            return;
        }
        let now = mounts();
        let changed = now.symmetric_difference(&self.mounts);
        let places: Vec<_> = changed.flat_map(|mount| self.below_roots(mount)).collect();
        self.remounted.extend(places);
        self.mounts = now;
    }

    fn below_roots<'a>(&'a self, mount: &'a Mount) -> impl Iterator<Item = RootedPath> + 'a {
        self.roots.iter().enumerate().filter_map(|(root, Root { absolute, .. })| {
            let path = below(&mount.place, absolute).filter(|path| !path.is_empty())?;
            Some(RootedPath { root, path: path.to_vec() })
        })
    }

    /// Touches the places in `remounted`, and forgets the watches there: what is there now has
    /// none.
    pub fn touch_mounts(&self, state: &State, watched: &WatchedDirs, noticed: &mut Noticed) {
        for place in &self.remounted {
            let Some((parent, id)) = self.dir_at(place, state) else { continue };
            id.iter().for_each(|id| watched.forget(*id, state));
            let name = place.path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
            noticed.touch_name(parent, name, true);
        }
    }

    /// The places in `remounted`, for the batch.
    pub fn scanned_mounts(&self) -> impl Iterator<Item = Scanned> {
        let places = self.remounted.iter().cloned().map(Some);
        places.map(|place| Scanned { place, why: WhyScanned::Mounts })
    }

    fn paths<'a>(&'a self, state: &'a State) -> Paths<'a> {
        Paths::new(Some(state), &self.roots)
    }

    /// The directory of the state at a place, and its parent.
    pub fn dir_at(&self, place: &RootedPath, state: &State) -> Option<(DirId, Option<DirId>)> {
        let (parent, at) = self.paths(state).find(place)?;
        let record = state.block(parent).record(at)?;
        // A directory that the walk did not enter has no id.
        Some((parent, Some(record.dir_id).filter(|id| *id != NO_DIR)))
    }

    /// The place of a path that is spelled as a walk spells it.
    pub fn place_of(&self, path: &Path, state: &State) -> Option<RootedPath> {
        self.paths(state).place_of(&with_slashes(path))
    }

    /// For each reason, the innermost directory that has all directories with this reason below it.
    pub fn gathered(&self, dirs: &[(DirId, WhyScanned)], state: &State) -> Vec<Scanned> {
        let paths = self.paths(state);
        let mut places: HashMap<WhyScanned, Option<RootedPath>> = HashMap::new();
        for (id, why) in dirs.iter().filter(|(id, _)| state.index.dir(*id).is_some()) {
            let place = paths.place(*id, Vec::new());
            let common = places.entry(*why).or_insert_with(|| Some(place.clone()));
            *common = common.take().and_then(|common| above_both(common, &place));
        }
        let scanned = |(why, place): (_, Option<RootedPath>)| {
            let why = match why {
                WhyScanned::WatchLimit(None) => WhyScanned::WatchLimit(Events::most_watches()),
                why => why,
            };
            let is_all = place.as_ref().is_some_and(|place| place.path.is_empty());
            let is_only = self.roots.len() == 1;
            Scanned { place: place.filter(|_| !(is_all && is_only)), why }
        };
        places.into_iter().map(scanned).collect()
    }
}

/// The directories that hold a link on the way along a path, or along the path of such a link's
/// target.
fn link_dirs(path: PathBuf) -> impl Iterator<Item = PathBuf> {
    let mut pending = vec![path];
    let mut dirs = Vec::new();
    while let Some(path) = pending.pop().filter(|_| dirs.len() < MOST_LINKS) {
        for place in path.ancestors() {
            if let Some((target, dir)) = place.read_link().ok().zip(place.parent()) {
                pending.push(dir.join(target));
                dirs.push(dir.to_owned());
            }
        }
    }
    dirs.into_iter()
}

/// All mounts: every mount is below the empty path.
fn mounts() -> BTreeSet<Mount> {
    mounts_below(Path::new("")).unwrap_or_default().into_iter().collect()
}

/// The innermost directory that has both places below it; `None` if their roots differ.
fn above_both(one: RootedPath, other: &RootedPath) -> Option<RootedPath> {
    if one.root != other.root {
        return None;
    }
    let mut path = one.path;
    while below(&other.path, &path).is_none() && !path.is_empty() {
        path.truncate(path.iter().rposition(|&byte| byte == b'/').unwrap_or(0));
    }
    Some(RootedPath { path, ..one })
}

/// The identity of a root that is not a directory: any file may get its name.
const FILE: (u64, u64) = (0, 0);

fn identities(rescan: &Rescan) -> Vec<Option<(u64, u64)>> {
    let identity = |path: &PathBuf| {
        let fields = Fields::DEV | Fields::INO | Fields::TYPE;
        let meta = stat_path(Backend::Native, path, fields, Links::Follow).ok()?;
        let is_dir = meta.file_type().is_some_and(FileType::is_dir);
        if is_dir { meta.dev().zip(meta.ino()) } else { Some(FILE) }
    };
    rescan.roots.iter().map(identity).collect()
}

/// Files with several names: a write by another name may cause no event.
#[derive(Default)]
pub(super) struct Linked {
    /// The names in each directory, with their inodes.
    names: HashMap<DirId, BTreeMap<Box<[u8]>, u64>>,
    count: usize,
}

impl Linked {
    /// Adds the files that a rescan has found; if the rescan covered `all` of them, only these
    /// stay. Returns the inodes of the new ones: a file that gets a second name sends no event
    /// about its first one.
    pub fn add(&mut self, found: Vec<(DirName, u64)>, all: bool) -> HashSet<u64> {
        let old = if all { std::mem::take(self) } else { Linked::default() };
        let mut new = HashSet::new();
        for ((id, name), ino) in found {
            let known = old.ino(id, &name).or(self.ino(id, &name));
            new.extend((known != Some(ino)).then_some(ino));
            let replaced = self.names.entry(id).or_default().insert(name, ino);
            self.count += usize::from(replaced.is_none());
        }
        new
    }

    /// Whether an entry is a file with several names.
    pub fn has(&self, id: DirId, name: &[u8]) -> bool {
        self.count > 0 && self.ino(id, name).is_some()
    }

    fn ino(&self, id: DirId, name: &[u8]) -> Option<u64> {
        self.names.get(&id)?.get(name).copied()
    }

    /// Whether there are too many to check all of them in each batch.
    pub fn are_many(&self) -> bool {
        self.count > MOST_LINKED
    }

    /// Touches all of them, so that they are checked.
    pub fn touch(&self, noticed: &mut Noticed) {
        for (id, names) in &self.names {
            names.keys().for_each(|name| noticed.touch_name(*id, name, false));
        }
    }
}

/// In which directories of the accepted state the files of each inode are. Outdated pairs stay
/// until they are half of all.
#[derive(Default)]
pub(super) struct FilesByInode {
    dirs: BTreeSet<(u64, DirId)>,
    /// The directories whose records have changed since `dirs` was filled.
    changed: BTreeSet<DirId>,
}

impl FilesByInode {
    /// Notes a report that is about to be accepted. If it is not the latest one, another report may
    /// bring back records that are not among its changes.
    pub fn change(&mut self, report: &Report, is_latest: bool) {
        if !is_latest {
            *self = FilesByInode::default();
        } else if !self.dirs.is_empty() {
            self.changed.extend(report.changed_dirs().dirs().map(|(id, _)| *id));
        }
    }

    /// Touches all names of these inodes, so that they are checked. Returns whether there are any.
    pub fn touch_names(
        &mut self,
        inodes: &HashSet<u64>,
        state: &State,
        noticed: &mut Noticed,
    ) -> bool {
        if inodes.is_empty() {
            return false;
        }
        self.read(state);
        let dirs = inodes.iter().flat_map(|ino| self.dirs.range((*ino, 0)..=(*ino, DirId::MAX)));
        let mut is_any = false;
        for id in dirs.map(|(_, id)| *id).collect::<BTreeSet<_>>() {
            let block = state.block(id);
            for (at, head) in block.heads().enumerate() {
                if inodes.contains(&head.ino) && !head.file_type.is_dir() {
                    noticed.touch_name(id, block.name(at), false);
                    is_any = true;
                }
            }
        }
        is_any
    }

    /// Reads all records the first time, and later only those in directories that have changed.
    fn read(&mut self, state: &State) {
        let files = |id| {
            let files = state.block(id).heads().filter(|head| !head.file_type.is_dir());
            files.map(move |head| (head.ino, id))
        };
        if self.dirs.is_empty() || self.dirs.len() > 2 * state.len() {
            self.changed.clear();
            self.dirs = state.index.dirs().flat_map(|(id, _)| files(id)).collect();
            state.give_back();
            memory::give_back();
        } else {
            self.dirs.extend(std::mem::take(&mut self.changed).into_iter().flat_map(files));
        }
    }
}
