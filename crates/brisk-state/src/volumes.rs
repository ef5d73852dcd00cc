//! File systems, as a state records them.

use brisk_sys::btrfs::Subvolume;
use brisk_sys::nt::usn::Position;
use brisk_sys::volume::{Volume, VolumeKind};

use crate::record::u64_at;

/// The bytes of a volume in a state.
pub(crate) const VOLUME: usize = 104;

/// A file system, and how far its changes had come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Remembered {
    pub volume: Volume,
    /// `None` if the file system cannot be searched for changes, or if some were not looked at.
    pub basis: Option<Basis>,
}

/// What a search for the changes of a file system goes out from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Basis {
    /// A hash of the mounts below the roots.
    pub mounts: u64,
    pub progress: Progress,
}

/// How far the changes of a file system had come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// XFS does not count them.
    Uncounted,
    /// On btrfs: the generation in which the next change falls.
    Generation(Subvolume),
    /// On NTFS: where the journal has the next change.
    Journal(Position),
}

impl Basis {
    /// Whether both are of the same journal, or of the same subvolume, mounts and start of the
    /// machine.
    pub fn is_like(&self, other: &Basis) -> bool {
        use Progress::{Generation, Journal};
        let progress = match (self.progress, other.progress) {
            (Generation(own), Generation(other)) => {
                Generation(Subvolume { next: other.next, ..own })
            }
            (Journal(own), Journal(other)) => Journal(Position { next: other.next, ..own }),
            (own, _) => own,
        };
        Basis { progress, ..*self } == *other
    }
}

/// The bytes of a volume.
pub(crate) fn to_bytes(Remembered { volume, basis }: &Remembered) -> [u8; VOLUME] {
    let mut bytes = [0; VOLUME];
    bytes[..8].copy_from_slice(&code(volume.kind).to_le_bytes());
    bytes[8..16].copy_from_slice(&volume.fsid.to_le_bytes());
    bytes[16] = u8::from(volume.is_fine);
    let Some(Basis { mounts, progress }) = basis else { return bytes };
    let (tag, uuids, numbers) = match progress {
        Progress::Uncounted => (UNCOUNTED, [[0; 16]; 3], [0; 3]),
        Progress::Generation(Subvolume { filesystem, id, uuid, boot, mount, next }) => {
            (GENERATION, [*filesystem, *uuid, *boot], [*id, *mount, *next])
        }
        Progress::Journal(Position { id, next }) => {
            (JOURNAL, [[0; 16]; 3], [*id, 0, next.cast_unsigned()])
        }
    };
    bytes[17] = tag;
    for (at, uuid) in (24..).step_by(16).zip(uuids) {
        bytes[at..at + 16].copy_from_slice(&uuid);
    }
    for (at, number) in (72..).step_by(8).zip(numbers.into_iter().chain([*mounts])) {
        bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
    }
    bytes
}

/// What the volume's basis has beside the mounts. A brisk that does not know a number reads no basis.
const GENERATION: u8 = 1;
const UNCOUNTED: u8 = 2;
const JOURNAL: u8 = 3;

/// The volume of these bytes.
pub(crate) fn from_bytes(bytes: &[u8; VOLUME]) -> Remembered {
    let word = |at| u64_at(bytes, at);
    let uuid = |at: usize| bytes[at..].first_chunk().copied().unwrap_or_default();
    let volume = Volume { kind: kind(word(0)), fsid: word(8), is_fine: bytes[16] != 0 };
    let [filesystem, of_subvolume, boot] = [24, 40, 56].map(uuid);
    let [id, mount, next, mounts] = [72, 80, 88, 96].map(word);
    let subvolume = Subvolume { filesystem, id, uuid: of_subvolume, boot, mount, next };
    let progress = match bytes[17] {
        GENERATION => Some(Progress::Generation(subvolume)),
        UNCOUNTED => Some(Progress::Uncounted),
        JOURNAL => Some(Progress::Journal(Position { id, next: next.cast_signed() })),
        _ => None,
    };
    let basis = progress.map(|progress| Basis { mounts, progress });
    Remembered { volume, basis }
}

/// The types that have a number in a state, which never changes: the place here.
const KINDS: [VolumeKind; 17] = [
    VolumeKind::Ext,
    VolumeKind::Xfs,
    VolumeKind::Btrfs,
    VolumeKind::Tmpfs,
    VolumeKind::Overlay,
    VolumeKind::Fuse,
    VolumeKind::Nfs,
    VolumeKind::Smb,
    VolumeKind::Ceph,
    VolumeKind::Lustre,
    VolumeKind::NineP,
    VolumeKind::Fat,
    VolumeKind::ExFat,
    VolumeKind::Ntfs,
    VolumeKind::Zfs,
    VolumeKind::F2fs,
    VolumeKind::Bcachefs,
];

/// A bit that says that the other bits are a magic number.
const MAGIC: u64 = 1 << 32;

fn code(kind: VolumeKind) -> u64 {
    match kind {
        VolumeKind::Other(magic) => MAGIC | u64::from(magic),
        known => KINDS.iter().position(|&kind| kind == known).unwrap_or(KINDS.len()) as u64,
    }
}

fn kind(code: u64) -> VolumeKind {
    let known = usize::try_from(code).ok().and_then(|code| KINDS.get(code));
    known.copied().unwrap_or(VolumeKind::Other(code as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_keeps_its_number() {
        for kind in KINDS.into_iter().chain([VolumeKind::Other(7), VolumeKind::Other(u32::MAX)]) {
            let volume = Volume { kind, fsid: 1 << 60, is_fine: true };
            let uuids = [1, 2, 3].map(|byte| [byte; 16]);
            let [filesystem, uuid, boot] = uuids;
            let subvolume = Subvolume { filesystem, id: 5, uuid, boot, mount: 6, next: 7 };
            let journal = Position { id: u64::MAX, next: 1 << 40 };
            let progress =
                [Progress::Uncounted, Progress::Generation(subvolume), Progress::Journal(journal)];
            let bases = progress.map(|progress| Some(Basis { mounts: 8, progress }));
            for basis in bases.into_iter().chain([None]) {
                let remembered = Remembered { volume, basis };
                assert_eq!(from_bytes(&to_bytes(&remembered)), remembered);
            }
        }
    }

    /// The bytes of a volume as an earlier version wrote them, and of one that a later may write.
    #[test]
    fn the_places_of_a_basis_stay() {
        let mut bytes = [0; VOLUME];
        bytes[..18].copy_from_slice(&[2, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
        for (at, byte) in bytes.iter_mut().enumerate().skip(24) {
            *byte = (at / 8) as u8;
        }
        let uuid = |low, high| [[low; 8], [high; 8]].concat().try_into().expect("16 bytes");
        let number = |byte| u64::from_le_bytes([byte; 8]);
        let (filesystem, of_subvolume, boot) = (uuid(3, 4), uuid(5, 6), uuid(7, 8));
        let [id, mount, next, mounts] = [9, 10, 11, 12].map(number);
        let subvolume = Subvolume { filesystem, id, uuid: of_subvolume, boot, mount, next };
        let volume = Volume { kind: VolumeKind::Btrfs, fsid: 9, is_fine: true };
        let basis = Some(Basis { mounts, progress: Progress::Generation(subvolume) });
        assert_eq!(from_bytes(&bytes), Remembered { volume, basis });
        assert_eq!(to_bytes(&Remembered { volume, basis }), bytes);
        bytes[17] = 4;
        assert_eq!(from_bytes(&bytes), Remembered { volume, basis: None });
    }

    #[test]
    fn a_later_place_in_the_same_journal_is_like_the_earlier() {
        let basis = |mounts, progress| Basis { mounts, progress };
        let journal = |id, next| Progress::Journal(Position { id, next });
        let one = basis(8, journal(1, 100));
        assert!(basis(8, journal(1, 900)).is_like(&one));
        for other in [basis(9, journal(1, 100)), basis(8, journal(2, 100))] {
            assert!(!other.is_like(&one), "{other:?}");
        }
        assert!(!basis(8, Progress::Uncounted).is_like(&one));
    }
}
