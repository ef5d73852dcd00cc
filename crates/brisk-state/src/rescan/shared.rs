//! [`Shared`]: what all workers of a walk share. [`Findings`]: what each of them finds.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock};

use brisk::{Entry, Error, Meta};
use brisk_sys::output::is_temporary;
use brisk_sys::threads::lock;

use super::marks::Marks;
use super::racy::Racy;
use super::roots::{Omitted, Root};
use super::settings::Rescan;
use super::volumes::Volumes;
use super::watched::WatchedDirs;
use crate::format::block::Block;
use crate::format::index::ListingInfo;
use crate::format::record::{Attrs, DirId, Flags, NO_DIR, Record, TOP};
use crate::format::state::State;
use crate::sources::ToCheck;

/// What all workers share.
pub(crate) struct Shared<'a> {
    pub state: Option<&'a State>,
    pub rescan: &'a Rescan,
    pub omitted: Omitted,
    /// A number that changes if the filter changes, or if other files are omitted.
    pub fingerprint: u64,
    pub racy: Racy,
    pub volumes: &'a Volumes,
    /// What file systems report as changed since the state was made, if any of them does.
    pub to_check: Option<ToCheck>,
    /// Where directories are watched, if they are.
    pub watched: Option<&'a WatchedDirs>,
    pub roots: &'a [Root],
    pub dir_ids: DirIds<'a>,
    /// For each record of the state, whether it is carried over if there is no new record: its
    /// entry was met, or could not be examined.
    pub carried_over_records: Marks,
    /// For each directory of the state, whether its record proves it unchanged, so that its names
    /// may be recalled.
    pub unchanged_dirs: Marks,
    /// For each directory of the state, whether another inode has its name now. A walk that events
    /// drive may have recalled the name with the old inode.
    pub dirs_with_new_inode: Marks,
    /// For each directory of the state, whether the walk has opened it: the entries of those of its
    /// records that are neither replaced nor carried over are deleted.
    pub opened_dirs: Marks,
    /// For each directory of the state, whether its records are carried over, because it could not be
    /// read or nothing in it must be checked. The records below it are carried over too, except
    /// those of directories that the walk opened.
    pub carried_over_dirs: Marks,
    pub mounts: MountPoints,
    /// Empty metadata, for entries of which only names and types count.
    pub no_meta: Meta,
}

/// The directories that are on another device than the directory above.
#[derive(Default)]
pub(crate) struct MountPoints {
    names: Mutex<HashSet<DirName>>,
    has_any: AtomicBool,
}

impl MountPoints {
    #[cold]
    pub fn add(&self, parent: DirId, name: &[u8]) {
        self.has_any.store(true, Relaxed);
        lock(&self.names).insert((parent, name.into()));
    }

    pub fn has(&self, parent: DirId, name: &[u8]) -> bool {
        self.has_any.load(Relaxed) && lock(&self.names).contains(&(parent, name.into()))
    }
}

impl<'a> Shared<'a> {
    /// The block of a directory in the state; an empty one if the directory is new.
    pub fn block(&self, id: DirId) -> Block<'a> {
        self.state.map_or_else(Block::default, |state| state.block(id))
    }

    /// The name of an entry's record. That of a root is the path at which the state has the root.
    #[inline]
    pub fn name<'n>(&self, entry: &Entry<'n>) -> &'n [u8]
    where
        'a: 'n,
    {
        if entry.depth() > 0 {
            return entry.name();
        }
        let root = self.roots.iter().find(|root| root.walked == entry.name());
        root.map_or(entry.name(), |root| &root.old_name)
    }

    /// Whether a name is omitted, in a directory in which some are.
    pub fn is_omitted(&self, entry: &Entry<'_>) -> bool {
        let names = self.omitted.get(entry.directory().prefix());
        let is_temporary = || entry.file_type().is_file() && is_temporary(entry.name());
        names.is_some_and(|names| names.contains(entry.name()) || is_temporary())
    }

    /// Whether events name an entry: it may be another one than its record says.
    pub fn is_touched(&self, parent: DirId, name: &[u8]) -> bool {
        let events = self.to_check.as_ref().and_then(ToCheck::events);
        events.is_some_and(|events| events.is_touched(parent, name))
    }

    /// Whether the state has entries of a directory that was on another file system than the
    /// directory above. They are missing if that file system is no longer mounted. With
    /// [`accepts_other_volumes`](Rescan::accepts_other_volumes) no directory counts as one.
    pub fn was_mount(&self, dir: DirId, above: DirId) -> bool {
        let old = |id| self.state?.index.dir(id);
        let dirs = old(dir).zip(old(above)).filter(|_| !self.rescan.accepts_other_volumes);
        dirs.is_some_and(|(dir, above)| {
            dir.count > 0 && dir.listing.volume_number != above.listing.volume_number
        })
    }
}

/// A name in a directory.
pub(crate) type DirName = (DirId, Box<[u8]>);

/// The record of an entry that is new, that differs, or whose old record does not prove that it is
/// unchanged: a racy one, or one without a digest where contents decide.
#[derive(Debug)]
pub(crate) struct NewRecord {
    pub parent: DirId,
    pub name: Box<[u8]>,
    /// The walk does not enter it: ignore rules or the filter prune it.
    pub is_pruned: bool,
    pub attrs: Attrs,
    pub flags: Flags,
    /// The target of a link, or the digest of a file's contents.
    pub target_or_digest: Box<[u8]>,
    /// The number of the directory's file system, or
    /// [`NO_VOLUME`](crate::format::index::NO_VOLUME) for a root and for a mount point.
    pub volume_number: u16,
}

impl NewRecord {
    /// The record, still without the id of a directory.
    pub fn record(&self) -> Record<'_> {
        let NewRecord { name, attrs, flags, target_or_digest, .. } = self;
        Record { name, attrs: *attrs, flags: *flags, target_or_digest, dir_id: NO_DIR }
    }
}

/// What workers have found.
#[derive(Default)]
pub(crate) struct Findings {
    pub records: Vec<NewRecord>,
    /// The directories that the state does not have.
    pub new_dirs: Vec<(DirId, DirName)>,
    /// The names that were directories when they were listed, or in the state, and something else, or
    /// gone, when they were statted.
    pub no_longer_dirs: Vec<DirName>,
    /// How directories were read. The names in a directory may be recalled if each [`ListingInfo`] of
    /// it says so.
    pub listings: Vec<(DirId, ListingInfo)>,
    pub errors: Vec<Error>,
    pub warnings: Vec<Error>,
    /// The files with several names, if directories are watched, and their inodes.
    pub linked: Vec<(DirName, u64)>,
}

impl Findings {
    pub fn merge(&mut self, other: Findings) {
        self.records.extend(other.records);
        self.new_dirs.extend(other.new_dirs);
        self.no_longer_dirs.extend(other.no_longer_dirs);
        self.listings.extend(other.listings);
        self.errors.extend(other.errors);
        self.warnings.extend(other.warnings);
        self.linked.extend(other.linked);
    }
}

/// Assigns ids to new directories: first those that the state does not use, then higher ones.
pub(crate) struct DirIds<'a> {
    state: Option<&'a State>,
    given: AtomicU32,
    unused: OnceLock<Vec<DirId>>,
}

impl DirIds<'_> {
    pub fn new(state: Option<&State>) -> DirIds<'_> {
        DirIds { state, given: AtomicU32::new(0), unused: OnceLock::new() }
    }

    pub fn next(&self) -> DirId {
        let known = self.state.map_or(0, |state| state.index.len()) as DirId;
        let is_unused = |id: &DirId| self.state.is_none_or(|state| state.index.dir(*id).is_none());
        let unused = self.unused.get_or_init(|| (0..known).filter(is_unused).collect());
        let count = self.given.fetch_add(1, Relaxed);
        let above = || known.max(TOP + 1) + (count - unused.len() as u32);
        unused.get(count as usize).copied().unwrap_or_else(above)
    }
}
