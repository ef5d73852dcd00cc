//! [`Began`]: the generation of each btrfs, the journal of each NTFS, and the mounts below the roots,
//! when a rescan began.

use std::io;

use brisk_sys::btrfs::Subvolume;
use brisk_sys::nt::usn::Position;
use brisk_sys::paths::bytes_to_path;
use brisk_sys::slashed::below;
use brisk_sys::volume::{Volume, VolumeKind, mounts_below};
use brisk_sys::{BorrowedHandle, handle_of, usn, xfs};
use xxhash_rust::xxh3::xxh3_64;

use crate::change::Place;
use crate::roots::{self, Root};
use crate::volumes::{Basis, Progress};

/// How far the changes of file systems had come when a rescan began.
#[derive(Debug, Default)]
pub(crate) struct Began {
    subvolumes: Vec<Subvolume>,
    journals: Vec<(Volume, Position)>,
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
    /// Asks the file systems of the roots. For each root: an open, the calls of
    /// [`Volume::of`](brisk_sys::volume::Volume::of) and a close. On btrfs: another open, two
    /// ioctls, statx, a close and a file of `/proc`; on XFS: another open, an ioctl and a close; on
    /// both, where they can be searched, a file of `/proc`. On Windows's NTFS:
    /// GetFinalPathNameByHandle, CreateFile, NtFsControlFile and NtClose.
    pub fn note(roots: &[Root]) -> Began {
        let mut began = Began::default();
        let mut is_any = false;
        for root in roots {
            let Ok((dir, volume)) = roots::open(&root.path) else { continue };
            let Some(handle) = handle_of(&dir) else { continue };
            match volume.kind {
                VolumeKind::Btrfs => began.subvolumes.extend(Subvolume::of(handle)),
                VolumeKind::Xfs => is_any |= xfs::check(handle).is_ok(),
                VolumeKind::Ntfs => {
                    began.journals.extend(position_in_journal(handle).map(|at| (volume, at)));
                }
                _ => {}
            }
        }
        if is_any || !began.subvolumes.is_empty() || !began.journals.is_empty() {
            began.mounts = Mounts::below(roots).ok();
        }
        began
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
    fn below(roots: &[Root]) -> io::Result<Mounts> {
        let (mut places, mut told) = (Vec::new(), Vec::new());
        for (number, root) in roots.iter().enumerate() {
            for mount in mounts_below(bytes_to_path(&root.place))? {
                let path = below(&mount.place, &root.place).unwrap_or_default().to_vec();
                places.push(Place { root: number, path });
                told.extend([&mount.told[..], b"\n"].concat());
            }
        }
        Ok(Mounts { places, hash: xxh3_64(&told) })
    }
}
