//! File systems, as a state remembers them.

use brisk_sys::volume::{Volume, VolumeKind};

/// The bytes of a volume in a state.
pub(crate) const VOLUME: usize = 24;

/// The bytes of a volume.
pub(crate) fn to_bytes(volume: &Volume) -> [u8; VOLUME] {
    let mut bytes = [0; VOLUME];
    bytes[..8].copy_from_slice(&code(volume.kind).to_le_bytes());
    bytes[8..16].copy_from_slice(&volume.fsid.to_le_bytes());
    bytes[16] = u8::from(volume.is_fine);
    bytes
}

/// The volume of these bytes.
pub(crate) fn from_bytes(bytes: &[u8; VOLUME]) -> Volume {
    let word = |at: usize| bytes[at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
    Volume { kind: kind(word(0)), fsid: word(8), is_fine: bytes[16] != 0 }
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
            assert_eq!(from_bytes(&to_bytes(&volume)), volume);
        }
    }
}
