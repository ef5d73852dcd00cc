//! Decoding the answer of NtQueryInformationFile about the names of one file.
//!
//! ```text
//!   0        4       8
//!   | needed | count | link | link | …                FileHardLinkInformation
//!
//!   0      4   8           16       20
//!   | next | 0 | directory | length | name            a link
//! ```
//!
//! `next` is the distance to the next link, in bytes, and 0 in the last link.

use super::records::{u32_at, u64_at};

/// The numbers of the directories that hold a name of the file, one for each name. `None`: the bytes
/// are cut, or are no such answer. Makes no system call.
#[must_use]
pub fn directories(bytes: &[u8]) -> Option<Vec<u64>> {
    let needed = u32_at(bytes, 0)? as usize;
    let count = u32_at(bytes, 4)? as usize;
    if needed > bytes.len() {
        return None;
    }
    let mut found = Vec::new();
    let mut at = 8_usize;
    while found.len() < count {
        found.push(u64_at(bytes, at.checked_add(8)?)?);
        match u32_at(bytes, at)? as usize {
            0 => break,
            next => at = at.checked_add(next)?,
        }
    }
    (found.len() == count).then_some(found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn answer(directories: &[u64], name: &str) -> Vec<u8> {
        let mut bytes = vec![0; 8];
        for (left, directory) in (0..directories.len()).rev().zip(directories) {
            let mut link = vec![0; 8];
            link.extend(directory.to_le_bytes());
            link.extend((name.len() as u32).to_le_bytes());
            link.extend(name.encode_utf16().flat_map(u16::to_le_bytes));
            if left > 0 {
                link.resize(link.len().next_multiple_of(8), 0);
                let next = link.len() as u32;
                link[..4].copy_from_slice(&next.to_le_bytes());
            }
            bytes.extend(link);
        }
        let needed = bytes.len() as u32;
        let count = directories.len() as u32;
        bytes[..4].copy_from_slice(&needed.to_le_bytes());
        bytes[4..8].copy_from_slice(&count.to_le_bytes());
        bytes
    }

    #[test]
    fn each_name_has_its_directory() {
        for names in [&[5][..], &[1 << 50, 7, 1 << 50]] {
            let bytes = answer(names, "name");
            assert_eq!(directories(&bytes).as_deref(), Some(names));
            for length in 0..bytes.len() {
                assert_eq!(directories(&bytes[..length]), None, "{length}");
            }
        }
        assert_eq!(directories(&answer(&[], "")), Some(Vec::new()));
    }

    #[test]
    fn a_chain_that_ends_early_is_none() {
        let mut bytes = answer(&[5, 6], "name");
        bytes[8..12].fill(0);
        assert_eq!(directories(&bytes), None);
        bytes[8..12].fill(0xff);
        assert_eq!(directories(&bytes), None);
    }

    proptest! {
        #[test]
        fn any_bytes_end(bytes: Vec<u8>) {
            let _ = directories(&bytes);
        }
    }
}
