//! Decoding the answers of NtQueryVolumeInformationFile, and the path of a volume.
//!
//! ```text
//!   0       4        8        12
//!   | flags | longest | length | name …             FileFsAttributeInformation
//!   | type  | characteristics |                      FileFsDeviceInformation
//! ```

use super::records::u32_at;
use crate::volume::VolumeKind;

/// The characteristic of a device on another machine (FILE_REMOTE_DEVICE).
const REMOTE: u32 = 0x10;

/// The type of a file system, by its attributes and its device. `None`: the bytes are too few. Makes
/// no system call.
#[must_use]
pub fn kind(attributes: &[u8], device: &[u8]) -> Option<VolumeKind> {
    let characteristics = u32_at(device, 4)?;
    let length = u32_at(attributes, 8)? as usize;
    let name = attributes.get(12..)?;
    let name = name.get(..length)?.as_chunks().0.iter().map(|unit| u16::from_le_bytes(*unit));
    let name: String = char::decode_utf16(name).map(|unit| unit.unwrap_or('?')).collect();
    Some(match &*name {
        // The attributes of a share name the file system on the server.
        _ if characteristics & REMOTE != 0 => VolumeKind::Smb,
        "NTFS" => VolumeKind::Ntfs,
        "FAT" | "FAT12" | "FAT16" | "FAT32" => VolumeKind::Fat,
        "exFAT" => VolumeKind::ExFat,
        _ => VolumeKind::Other(0),
    })
}

/// The path of a file's volume, such as `\\?\Volume{…}`, which is the beginning of the file's final
/// path by volume GUID, such as `\\?\Volume{…}\dir\file`. Both are in UTF-16. The result has no
/// separator at its end: with one, it would lead to the root directory. `None`: another form of
/// path. Makes no system call.
#[must_use]
pub fn device(path: &[u16]) -> Option<&[u16]> {
    const BEFORE: &str = r"\\?\Volume{";
    let begins = BEFORE.encode_utf16().eq(path.iter().copied().take(BEFORE.len()));
    let separator = |unit: &u16| *unit == u16::from(b'\\');
    let rest = path.get(BEFORE.len()..).filter(|_| begins)?;
    let end = BEFORE.len() + rest.iter().position(separator)?;
    path.get(..end).filter(|path| path.last() == Some(&u16::from(b'}')))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn attributes(name: &str) -> Vec<u8> {
        let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let length = (name.len() as u32).to_le_bytes();
        [&[0xff, 0, 0xe7, 3, 0xff, 0, 0, 0], &length[..], &name, &[0xff; 3]].concat()
    }

    #[test]
    fn types_are_told_by_name() {
        let disk = [7, 0, 0, 0, 0, 0, 2, 0];
        let share = [7, 0, 0, 0, 0x10, 0, 0, 0];
        for (name, kind_of_disk) in [
            ("NTFS", VolumeKind::Ntfs),
            ("FAT32", VolumeKind::Fat),
            ("exFAT", VolumeKind::ExFat),
            ("ReFS", VolumeKind::Other(0)),
            ("", VolumeKind::Other(0)),
        ] {
            assert_eq!(kind(&attributes(name), &disk), Some(kind_of_disk), "{name}");
            assert_eq!(kind(&attributes(name), &share), Some(VolumeKind::Smb), "{name}");
        }
        assert_eq!(kind(&attributes("NTFS")[..19], &disk), None);
        assert_eq!(kind(&attributes("NTFS"), &disk[..7]), None);
    }

    #[test]
    fn a_volume_has_a_path_of_its_own() {
        let of = |path: &str| {
            let path: Vec<u16> = path.encode_utf16().collect();
            device(&path).map(String::from_utf16_lossy)
        };
        let volume = r"\\?\Volume{0e2f3c1a-0000-0000-0000-100000000000}";
        for below in [r"\", r"\dir", r"\dir\Volume{1}\x"] {
            assert_eq!(of(&format!("{volume}{below}")).as_deref(), Some(volume));
        }
        for other in [volume, r"\\?\C:\dir", r"\\?\Volume{1\dir", r"\\?\UNC\a\b\c", ""] {
            assert_eq!(of(other), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_have_a_type_or_none(attributes: Vec<u8>, device_type: [u8; 8], path: Vec<u16>) {
            let _ = kind(&attributes, &device_type);
            prop_assert!(device(&path).is_none_or(|found| found.len() < path.len()));
        }
    }
}
