//! [`Checkpoints`]: what the file systems of the roots said before anything was read: where the next
//! search for their changes begins, and which mounts are below the roots.

use std::io;

use brisk_sys::btrfs::Subvolume;
use brisk_sys::nt::usn::Position;
use brisk_sys::paths::bytes_to_path;
use brisk_sys::slashed::below;
use brisk_sys::volume::{Volume, VolumeKind, mounts_below};
use brisk_sys::{BorrowedHandle, usn, xfs};
use xxhash_rust::xxh3::xxh3_64;

use crate::change::Place;
use crate::format::index::{Checkpoint, Progress};

/// What the file systems of the roots said when a rescan began.
#[derive(Debug, Default)]
pub(crate) struct Checkpoints {
    subvolumes: Vec<Subvolume>,
    journals: Vec<(Volume, Position)>,
    has_xfs: bool,
    /// The mounts below the roots, if one of these file systems can be searched.
    pub mounts: Option<Mounts>,
}

/// The mounts below the roots.
#[derive(Debug)]
pub(crate) struct Mounts {
    pub places: Vec<Place>,
    /// A hash of all that the system says of them.
    pub hash: u64,
}

impl Checkpoints {
    /// Asks the file system of a root. On btrfs: an open, two ioctls, statx, a close and a file of
    /// `/proc`; on XFS: an open, an ioctl and a close. On Windows's NTFS: GetFinalPathNameByHandle,
    /// CreateFile, NtFsControlFile and NtClose.
    pub fn add(&mut self, root: BorrowedHandle<'_>, volume: &Volume) {
        match volume.kind {
            VolumeKind::Btrfs => self.subvolumes.extend(Subvolume::of(root)),
            VolumeKind::Xfs => self.has_xfs |= xfs::check(root).is_ok(),
            VolumeKind::Ntfs => {
                self.journals.extend(position_in_journal(root).map(|at| (*volume, at)));
            }
            _ => {}
        }
    }

    /// Finds the mounts below the places of the roots, if a file system can be searched: a file of
    /// `/proc`.
    pub fn find_mounts<'a>(&mut self, places: impl Iterator<Item = &'a [u8]>) {
        if self.has_xfs || !self.subvolumes.is_empty() || !self.journals.is_empty() {
            self.mounts = Mounts::below(places).ok();
        }
    }

    /// The checkpoint of a directory's file system.
    pub fn of(&self, dir: BorrowedHandle<'_>, volume: &Volume) -> Option<Checkpoint> {
        let mounts = self.mounts.as_ref()?.hash;
        let progress = match volume.kind {
            VolumeKind::Xfs => Progress::Uncounted,
            VolumeKind::Btrfs => Progress::Generation(self.subvolume_of(dir)?),
            VolumeKind::Ntfs => Progress::Journal(self.journal_of(volume)?),
            _ => return None,
        };
        Some(Checkpoint { mounts, progress })
    }

    /// The position in the journal that the first root on the volume gave. A copy of a volume has
    /// the same serial number: then no position is certain.
    fn journal_of(&self, volume: &Volume) -> Option<Position> {
        let mut own = self.journals.iter().filter(|(known, _)| known == volume);
        let (_, first) = own.next()?;
        own.all(|(_, other)| other.id == first.id).then_some(*first)
    }

    /// The subvolumes of one file system have one count of generations.
    fn subvolume_of(&self, dir: BorrowedHandle<'_>) -> Option<Subvolume> {
        let own = Subvolume::of(dir).ok()?;
        let mut all = self.subvolumes.iter();
        let next = all.find(|other| other.filesystem == own.filesystem)?.next;
        Some(Subvolume { next, ..own })
    }
}

fn position_in_journal(dir: BorrowedHandle<'_>) -> io::Result<Position> {
    Ok(usn::journal_of(&usn::open_volume(dir)?)?.position())
}

impl Mounts {
    fn below<'a>(roots: impl Iterator<Item = &'a [u8]>) -> io::Result<Mounts> {
        let mut places = Vec::new();
        let mut told = Vec::new();
        for (root, top) in roots.enumerate() {
            for mount in mounts_below(bytes_to_path(top))? {
                let path = below(&mount.place, top).unwrap_or_default().to_vec();
                places.push(Place { root, path });
                told.extend([&mount.told[..], b"\n"].concat());
            }
        }
        Ok(Mounts { places, hash: xxh3_64(&told) })
    }
}
