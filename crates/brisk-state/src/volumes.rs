//! File systems, as a state records them.

use brisk_sys::btrfs::Subvolume;
use brisk_sys::volume::{Volume, VolumeKind};

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
    /// On btrfs, how far its changes had come. XFS does not count them.
    pub subvolume: Option<Subvolume>,
}

impl Basis {
    /// Whether both are of the same subvolume, mounts and start of the machine.
    pub fn is_like(&self, other: &Basis) -> bool {
        let own = self.subvolume.zip(other.subvolume);
        let own = own.map(|(own, other)| Subvolume { next: other.next, ..own });
        Basis { subvolume: own.or(self.subvolume), ..*self } == *other
    }
}

/// The bytes of a volume.
pub(crate) fn to_bytes(Remembered { volume, basis }: &Remembered) -> [u8; VOLUME] {
    let mut bytes = [0; VOLUME];
    bytes[..8].copy_from_slice(&code(volume.kind).to_le_bytes());
    bytes[8..16].copy_from_slice(&volume.fsid.to_le_bytes());
    bytes[16] = u8::from(volume.is_fine);
    let Some(Basis { mounts, subvolume }) = basis else { return bytes };
    bytes[17] = if subvolume.is_some() { COUNTED } else { UNCOUNTED };
    bytes[96..].copy_from_slice(&mounts.to_le_bytes());
    if let Some(Subvolume { filesystem, id, uuid, boot, mount, next }) = subvolume {
        for (at, uuid) in (24..).step_by(16).zip([filesystem, uuid, boot]) {
            bytes[at..at + 16].copy_from_slice(uuid);
        }
        for (at, number) in (72..).step_by(8).zip([id, mount, next]) {
            bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        }
    }
    bytes
}

/// The volume has a basis with or without a subvolume.
const COUNTED: u8 = 1;
const UNCOUNTED: u8 = 2;

/// The volume of these bytes.
pub(crate) fn from_bytes(bytes: &[u8; VOLUME]) -> Remembered {
    let word = |at: usize| bytes[at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
    let uuid = |at: usize| bytes[at..].first_chunk().copied().unwrap_or_default();
    let volume = Volume { kind: kind(word(0)), fsid: word(8), is_fine: bytes[16] != 0 };
    let [filesystem, of_subvolume, boot] = [24, 40, 56].map(uuid);
    let [id, mount, next, mounts] = [72, 80, 88, 96].map(word);
    let subvolume = Subvolume { filesystem, id, uuid: of_subvolume, boot, mount, next };
    let basis = match bytes[17] {
        COUNTED => Some(Basis { mounts, subvolume: Some(subvolume) }),
        UNCOUNTED => Some(Basis { mounts, subvolume: None }),
        _ => None,
    };
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
            let basis = |subvolume| Some(Basis { mounts: 8, subvolume });
            for basis in [None, basis(None), basis(Some(subvolume))] {
                let remembered = Remembered { volume, basis };
                assert_eq!(from_bytes(&to_bytes(&remembered)), remembered);
            }
        }
    }
}
