//! [`Began`]: the generation of each btrfs, the journal of each NTFS, and the mounts below the roots,
//! when a rescan began.

use std::io;

use brisk_sys::btrfs::Subvolume;
use brisk_sys::nt::usn::Position;
use brisk_sys::paths::bytes_to_path;
use brisk_sys::slashed::below;
use brisk_sys::volume::{Volume, VolumeKind, mounts_below};
use brisk_sys::{BorrowedHandle, usn, xfs};
use xxhash_rust::xxh3::xxh3_64;

use crate::change::Place;
use crate::volumes::{Basis, Progress};

/// How far the changes of file systems had come when a rescan began.
#[derive(Debug, Default)]
pub(crate) struct Began {
    subvolumes: Vec<Subvolume>,
    journals: Vec<(Volume, Position)>,
    has_xfs: bool,
    /// The mounts below the roots, if a file system of theirs can be searched.
    pub mounts: Option<Mounts>,
}

/// The mounts below the roots.
#[derive(Debug)]
pub(crate) struct Mounts {
    pub places: Vec<Place>,
    /// A hash of all that the system says of them.
    pub hash: u64,
}

impl Began {
    /// Asks the file system of a root. On btrfs: an open, two ioctls, statx, a close and a file of
    /// `/proc`; on XFS: an open, an ioctl and a close. On Windows's NTFS: GetFinalPathNameByHandle,
    /// CreateFile, NtFsControlFile and NtClose.
    pub fn note(&mut self, root: BorrowedHandle<'_>, volume: &Volume) {
        match volume.kind {
            VolumeKind::Btrfs => self.subvolumes.extend(Subvolume::of(root)),
            VolumeKind::Xfs => self.has_xfs |= xfs::check(root).is_ok(),
            VolumeKind::Ntfs => {
                self.journals.extend(position_in_journal(root).map(|at| (*volume, at)));
            }
            _ => {}
        }
    }

    /// Finds the mounts below the places of the roots, where a file system can be searched: a file
    /// of `/proc`.
    pub fn note_mounts<'a>(&mut self, places: impl Iterator<Item = &'a [u8]>) {
        if self.has_xfs || !self.subvolumes.is_empty() || !self.journals.is_empty() {
            self.mounts = Mounts::below(places).ok();
        }
    }

    /// How far the changes of the file system of a directory had come.
    pub fn basis_of(&self, dir: BorrowedHandle<'_>, volume: &Volume) -> Option<Basis> {
        let mounts = self.mounts.as_ref()?.hash;
        let progress = match volume.kind {
            VolumeKind::Xfs => Progress::Uncounted,
            VolumeKind::Btrfs => Progress::Generation(self.subvolume_of(dir)?),
            VolumeKind::Ntfs => Progress::Journal(self.journal_of(volume)?),
            _ => return None,
        };
        Some(Basis { mounts, progress })
    }

    /// What the first of its roots told. A copy of a volume has the same serial number: what is
    /// ambiguous is no answer.
    fn journal_of(&self, volume: &Volume) -> Option<Position> {
        let mut own = self.journals.iter().filter(|(known, _)| known == volume);
        let (_, first) = own.next()?;
        own.all(|(_, other)| other.id == first.id).then_some(*first)
    }

    /// Subvolumes of one file system count in common.
    fn subvolume_of(&self, dir: BorrowedHandle<'_>) -> Option<Subvolume> {
        let told = Subvolume::of(dir).ok()?;
        let mut all = self.subvolumes.iter();
        let next = all.find(|begun| begun.filesystem == told.filesystem)?.next;
        Some(Subvolume { next, ..told })
    }
}

fn position_in_journal(dir: BorrowedHandle<'_>) -> io::Result<Position> {
    Ok(usn::journal_of(&usn::open_volume(dir)?)?.position())
}

impl Mounts {
    fn below<'a>(roots: impl Iterator<Item = &'a [u8]>) -> io::Result<Mounts> {
        let (mut places, mut told) = (Vec::new(), Vec::new());
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
