//! [`Began`]: the generation of each btrfs, and the mounts below the roots, when a rescan began.

use brisk_sys::btrfs::Subvolume;
use brisk_sys::paths::bytes_to_path;
use brisk_sys::volume::{VolumeKind, mounts_below};
use brisk_sys::{BorrowedHandle, handle_of};
use xxhash_rust::xxh3::xxh3_64;

use crate::roots::{self, Root};
use crate::volumes::Generation;

/// How far the changes of file systems had come when a rescan began.
#[derive(Debug, Default)]
pub(crate) struct Began {
    subvolumes: Vec<Subvolume>,
    /// A hash of the mounts below the roots.
    pub mounts: u64,
}

impl Began {
    /// Asks the file systems of the roots. For each root: an open, the calls of
    /// [`Volume::of`](brisk_sys::volume::Volume::of) and a close. On btrfs: another open, two
    /// ioctls, statx, a close and two files of `/proc`.
    pub fn note(roots: &[Root]) -> Began {
        let subvolume = |root: &Root| {
            let (dir, volume) = roots::open(&root.path).ok()?;
            let handle = handle_of(&dir).filter(|_| volume.kind == VolumeKind::Btrfs)?;
            Subvolume::of(handle).ok()
        };
        let subvolumes: Vec<_> = roots.iter().filter_map(subvolume).collect();
        if subvolumes.is_empty() {
            return Began::default();
        }
        let below = |root: &Root| mounts_below(bytes_to_path(&root.place));
        match roots.iter().map(below).collect::<Result<Vec<_>, _>>() {
            Ok(mounts) => Began { subvolumes, mounts: xxh3_64(&mounts.concat()) },
            Err(_) => Began::default(),
        }
    }

    /// How far the changes of the subvolume of a directory had come. Subvolumes of one file system
    /// count in common.
    pub fn generation_of(&self, dir: BorrowedHandle<'_>) -> Option<Generation> {
        if self.subvolumes.is_empty() {
            return None;
        }
        let told = Subvolume::of(dir).ok()?;
        let mut all = self.subvolumes.iter();
        let next = all.find(|begun| begun.filesystem == told.filesystem)?.next;
        Some(Generation { subvolume: Subvolume { next, ..told }, mounts: self.mounts })
    }
}
