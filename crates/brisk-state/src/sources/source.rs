//! [`AskedVolume`]: a file system that is asked for its changes. [`Answer`]: what it says.

use std::io;

use brisk_sys::BorrowedHandle;
use brisk_sys::volume::Volume;

use crate::format::block::RecordHead;
use crate::format::index::Checkpoint;
use crate::format::record::{DirId, TOP};
use crate::format::state::State;
use crate::rescan::marks::Marks;
use crate::rescan::roots::Paths;
use crate::rescan::settings::Rescan;
use crate::rescan::volumes::Volumes;

/// A search may find one in four entries changed. If more changed, checking all entries is as fast.
const ONE_IN: usize = 4;
/// A search may find this many entries changed in any case.
pub(super) const ALWAYS: usize = 1_000;

/// What a [`Source`] may use of the rescan.
pub(crate) struct ChangeSearch<'a> {
    pub state: &'a State,
    pub paths: &'a Paths<'a>,
    pub rescan: &'a Rescan,
    pub volumes: &'a Volumes,
}

/// A file system of the state that is asked for its changes.
pub(super) struct AskedVolume<'a> {
    pub search: &'a ChangeSearch<'a>,
    /// The number of the file system in the state.
    pub volume_number: usize,
    /// A directory on the file system.
    pub dir: BorrowedHandle<'a>,
}

/// Asks a file system of one kind for the changes since the state was made. Returns them, and how
/// they were found. The error is a text for the user: why the file system was not asked, or did not
/// answer.
pub(super) type Source = fn(&AskedVolume<'_>) -> Result<(Inodes, String), String>;

/// The answer of a file system.
pub(super) struct Answer {
    pub inodes: Inodes,
    /// How the changes were found, for the user.
    pub how: String,
    /// The device number of the file system.
    pub dev: u64,
}

/// Which inodes changed.
pub(super) enum Inodes {
    /// These inodes may have changed. They are in ascending order.
    Changed(Vec<u64>),
    /// The inodes of the records with these marks did not change.
    Unchanged(Marks),
}

impl Inodes {
    /// Whether the inode of the record with this number may have changed. Without an inode number,
    /// it always may.
    pub fn may_have_changed(&self, record: usize, inode: u64) -> bool {
        match self {
            Inodes::Changed(_) if inode == 0 => true,
            Inodes::Changed(inodes) => inodes.binary_search(&inode).is_ok(),
            Inodes::Unchanged(records) => !records.get(record),
        }
    }
}

impl AskedVolume<'_> {
    /// Where the search has to begin; or why a search is not possible.
    pub fn checkpoint(&self) -> Result<Checkpoint, String> {
        let stored = self.search.state.index.volumes[self.volume_number].checkpoint;
        let stored = stored.ok_or("the last run could not read everything, or could not search")?;
        let mounts = self.search.volumes.before_walk.mounts.as_ref();
        if mounts.is_none_or(|mounts| mounts.hash != stored.mounts_hash) {
            return Err("something was mounted or unmounted in it".to_owned());
        }
        Ok(stored)
    }

    /// Whether the directory is on the file system that the state has.
    pub fn is_same_volume(&self) -> Result<bool, String> {
        let stored = self.search.state.index.volumes[self.volume_number].volume;
        Ok(stored.fsid != 0 && stored == Volume::of(self.dir).map_err(text)?)
    }

    /// Notes where the next search begins, and whether that is worth writing a state for.
    pub fn advance(&self, checkpoint: Checkpoint, is_worth_saving: bool) {
        if let Some(known) = self.search.volumes.lock().get_mut(self.volume_number) {
            known.checkpoint = Some(checkpoint);
            known.is_worth_saving = is_worth_saving;
        }
    }

    /// How many entries a search may find changed. If more changed, checking all entries is as
    /// fast.
    pub fn most_changed(&self) -> usize {
        (self.search.state.len() / ONE_IN).max(ALWAYS)
    }
}

pub(super) fn text(error: io::Error) -> String {
    error.to_string()
}

/// A record of the state: its entry's parent, and its position `at` in the parent's block.
pub(super) struct StateRecord {
    pub parent: DirId,
    pub at: usize,
    pub head: RecordHead,
    /// The number of the file system; of a mount point, that of the mounted file system.
    pub volume_number: usize,
    pub is_mount: bool,
    /// Whether the entry is a directory whose names must not be recalled.
    pub must_be_read: bool,
}

pub(super) fn for_each_record(state: &State, mut each: impl FnMut(StateRecord)) {
    for (parent, dir) in state.index.dirs() {
        let own = usize::from(dir.listing.volume_number);
        for (at, head) in state.block(parent).heads().enumerate() {
            let listing = state.index.dir(head.dir_id).map(|below| below.listing);
            let volume_number = listing.map_or(own, |listing| usize::from(listing.volume_number));
            let is_mount = volume_number != own && parent != TOP;
            let must_be_read =
                listing.map_or(head.file_type.is_dir(), |listing| !listing.may_be_recalled);
            each(StateRecord { parent, at, head, volume_number, is_mount, must_be_read });
        }
    }
}
