//! Type and permission bits as letters (`drwxr-xr-t`), and Windows's attributes (`-a-h-----`).

use brisk::FileType;
use brisk_sys::nt::kind::attribute;

/// The letter before the permission bits.
fn letter(file_type: FileType) -> u8 {
    match file_type {
        FileType::File => b'-',
        FileType::Other | FileType::Unknown => b'?',
        other => other.letter() as u8,
    }
}

/// Type and permission bits; question marks where they are not known.
pub(crate) fn letters(file_type: FileType, mode: Option<u32>) -> [u8; 10] {
    let mut letters = [if mode.is_some() { b'-' } else { b'?' }; 10];
    letters[0] = letter(file_type);
    let mode = mode.unwrap_or(0);
    for (index, sign) in b"rwxrwxrwx".iter().enumerate() {
        if mode >> (8 - index) & 1 == 1 {
            letters[index + 1] = *sign;
        }
    }
    let mut special = |bit: u32, at: usize, with: u8, without: u8| {
        if mode & bit != 0 {
            letters[at] = if letters[at] == b'x' { with } else { without };
        }
    };
    special(0o4000, 3, b's', b'S');
    special(0o2000, 6, b's', b'S');
    special(0o1000, 9, b't', b'T');
    letters
}

/// Attributes that are shown, with their letters: archive, read-only, hidden, system, compressed,
/// encrypted, offline (the contents are on other storage).
const ATTRIBUTES: [(u32, u8); 7] = [
    (attribute::ARCHIVE, b'a'),
    (attribute::READONLY, b'r'),
    (attribute::HIDDEN, b'h'),
    (attribute::SYSTEM, b's'),
    (attribute::COMPRESSED, b'c'),
    (attribute::ENCRYPTED, b'e'),
    (attribute::OFFLINE | attribute::RECALL_ON_DATA_ACCESS, b'o'),
];

/// Type and attributes; question marks where they are not known.
pub(crate) fn attribute_letters(file_type: FileType, attributes: Option<u32>) -> [u8; 8] {
    let mut letters = [b'?'; 8];
    letters[0] = letter(file_type);
    if let Some(attributes) = attributes {
        for (at, (bits, letter)) in ATTRIBUTES.into_iter().enumerate() {
            letters[at + 1] = if attributes & bits == 0 { b'-' } else { letter };
        }
    }
    letters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_attribute_has_its_letter() {
        let table = [
            (FileType::File, Some(attribute::ARCHIVE), b"-a------"),
            (FileType::Directory, Some(attribute::DIRECTORY | attribute::READONLY), b"d-r-----"),
            (FileType::File, Some(attribute::HIDDEN | attribute::SYSTEM), b"---hs---"),
            (FileType::File, Some(attribute::COMPRESSED | attribute::ENCRYPTED), b"-----ce-"),
            (FileType::File, Some(attribute::RECALL_ON_DATA_ACCESS), b"-------o"),
            (FileType::Symlink, None, b"l???????"),
        ];
        for (file_type, attributes, expected) in table {
            assert_eq!(&attribute_letters(file_type, attributes), expected);
        }
    }

    #[test]
    fn every_bit_has_its_letter() {
        let table = [
            (FileType::File, 0o644, b"-rw-r--r--"),
            (FileType::Directory, 0o1777, b"drwxrwxrwt"),
            (FileType::Directory, 0o1776, b"drwxrwxrwT"),
            (FileType::File, 0o4755, b"-rwsr-xr-x"),
            (FileType::File, 0o6644, b"-rwSr-Sr--"),
            (FileType::Symlink, 0o777, b"lrwxrwxrwx"),
            (FileType::Fifo, 0, b"p---------"),
        ];
        for (file_type, mode, expected) in table {
            assert_eq!(&letters(file_type, Some(mode)), expected);
        }
        assert_eq!(&letters(FileType::File, None), b"-?????????");
    }
}
