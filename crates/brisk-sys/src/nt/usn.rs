//! Decoding what NTFS and ReFS remember of their own changes: the update sequence number (USN)
//! journal.
//!
//! ```text
//!   0      8
//!   | next | record | record | …                        the answer of a reading; `next` is a USN
//!
//!   0        4       6       8      16       24    32     40       56       60
//!   | length | major | minor | file | parent | usn | time | reason | …      | name   version 2
//!   | length | major | minor | file          | parent     | usn    | time   | …      version 3
//!   0        4       6       8               24           40       48       56
//! ```
//!
//! All numbers are little-endian. A file is numbered by 64 bits in version 2 and by 128 in version
//! 3; both are the same number on NTFS. Records of other versions tell no single change, and are
//! passed over.

use super::records::{u32_at, u64_at};

/// Why a record was written, as Windows numbers it. A record holds the reasons since the file was
/// opened.
pub mod reason {
    /// A file or directory was created.
    pub const CREATE: u32 = 0x100;
    /// A file or directory was removed.
    pub const DELETE: u32 = 0x200;
    /// It was renamed: the record with the directory before.
    pub const RENAME_OLD: u32 = 0x1000;
    /// It was renamed: the record with the directory after.
    pub const RENAME_NEW: u32 = 0x2000;
    /// A hard link was made or removed.
    pub const LINK: u32 = 0x1_0000;
}

/// A volume's journal. Every change has a number, which is the change's position in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Journal {
    /// The journal's own id: a journal that was deleted and made again has another one.
    pub id: u64,
    /// The number of the first change that the journal still holds.
    pub first: i64,
    /// The number that the next change gets.
    pub next: i64,
}

impl Journal {
    /// What FSCTL_QUERY_USN_JOURNAL told (`USN_JOURNAL_DATA`). `None`: the bytes are too few. Makes
    /// no system call.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Journal> {
        let number = |at| u64_at(bytes, at).map(u64::cast_signed);
        Some(Journal { id: u64_at(bytes, 0)?, first: number(8)?, next: number(16)? })
    }

    /// Whether this is the same journal at a time that is not earlier, and still holds each change
    /// since. Makes no system call.
    #[must_use]
    pub fn continues(&self, earlier: &Journal) -> bool {
        self.id == earlier.id && (self.first..=self.next).contains(&earlier.next)
    }
}

/// A change. Makes no system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The number of the file or directory that changed.
    pub file: u128,
    /// The number of the directory that it stands or stood in.
    pub parent: u128,
    /// Why: a set of [`reason`]s and others.
    pub reason: u32,
}

impl Change {
    /// Whether the directory's names changed.
    #[must_use]
    pub fn is_of_names(&self) -> bool {
        use reason::{CREATE, DELETE, LINK, RENAME_NEW, RENAME_OLD};
        self.reason & (CREATE | DELETE | LINK | RENAME_NEW | RENAME_OLD) != 0
    }
}

/// An iterator over the changes in an answer. No method makes a system call.
#[derive(Clone, Debug)]
pub struct Changes<'a> {
    /// Where the next reading begins.
    next: i64,
    /// The bytes from the next record on; empty after the last one.
    rest: &'a [u8],
    malformed: bool,
}

impl<'a> Changes<'a> {
    /// The changes in an answer of FSCTL_READ_USN_JOURNAL, which must be exactly the bytes that the
    /// system reported to have written. `None`: they are too few.
    #[must_use]
    pub fn new(answer: &'a [u8]) -> Option<Changes<'a>> {
        let next = u64_at(answer, 0)?.cast_signed();
        Some(Changes { next, rest: answer.get(8..)?, malformed: false })
    }

    /// The number from which the next reading goes on.
    #[must_use]
    pub fn next_usn(&self) -> i64 {
        self.next
    }

    /// Whether the iteration ended because the bytes were no record.
    #[must_use]
    pub fn is_malformed(&self) -> bool {
        self.malformed
    }
}

impl Iterator for Changes<'_> {
    type Item = Change;

    fn next(&mut self) -> Option<Change> {
        while !self.rest.is_empty() {
            let Some((record, rest)) = split(self.rest) else {
                self.rest = &[];
                self.malformed = true;
                break;
            };
            self.rest = rest;
            let version = u16::from_le_bytes([record[4], record[5]]);
            let change = match version {
                2 => short(record),
                3 => long(record),
                _ => continue,
            };
            self.malformed |= change.is_none();
            if change.is_some() {
                return change;
            }
            self.rest = &[];
        }
        None
    }
}

/// The length of the beginning that all versions share, in bytes.
const HEAD: usize = 8;

/// The first record, and the bytes behind it. `None`: the bytes are no record.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = u32_at(bytes, 0)? as usize;
    (length >= HEAD).then(|| bytes.split_at_checked(length))?
}

fn short(record: &[u8]) -> Option<Change> {
    let (file, parent) = (u64_at(record, 8)?, u64_at(record, 16)?);
    Some(Change { file: file.into(), parent: parent.into(), reason: u32_at(record, 40)? })
}

fn long(record: &[u8]) -> Option<Change> {
    let number = |at| {
        let (low, high) = (u64_at(record, at)?, u64_at(record, at + 8)?);
        Some(u128::from(low) | u128::from(high) << 64)
    };
    Some(Change { file: number(8)?, parent: number(24)?, reason: u32_at(record, 56)? })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A record as NTFS writes it: padded to a multiple of eight bytes.
    fn record(version: u16, change: Change, name: &str) -> Vec<u8> {
        let mut bytes = vec![0; 4];
        bytes.extend(version.to_le_bytes());
        bytes.extend([0; 2]);
        for number in [change.file, change.parent] {
            let width = if version == 2 { 8 } else { 16 };
            bytes.extend(&number.to_le_bytes()[..width]);
        }
        for number in [1000, 132_000_000_000_000_000_u64] {
            bytes.extend(number.to_le_bytes());
        }
        for number in [change.reason, 0, 0, 0x20] {
            bytes.extend(number.to_le_bytes());
        }
        let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        bytes.extend((name.len() as u16).to_le_bytes());
        bytes.extend((bytes.len() as u16 + 2).to_le_bytes());
        bytes.extend(name);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        let length = bytes.len() as u32;
        bytes[..4].copy_from_slice(&length.to_le_bytes());
        bytes
    }

    fn change(file: u128, reason: u32) -> Change {
        Change { file, parent: 0x0005_0000_0000_0005, reason }
    }

    fn answer(records: &[Vec<u8>]) -> Vec<u8> {
        [4096_i64.to_le_bytes().to_vec(), records.concat()].concat()
    }

    /// Records as the documentation of Windows lays them out, byte by byte.
    #[test]
    fn a_record_of_version_2_is_laid_out_as_documented() {
        let mut bytes = vec![0x48, 0, 0, 0, 2, 0, 0, 0];
        bytes.extend([0x2a, 0, 0, 0, 0, 0, 3, 0]);
        bytes.extend([5, 0, 0, 0, 0, 0, 5, 0]);
        bytes.extend([0xe8, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0x5a, 0xf6, 0x4c, 0xf5, 0xd4, 1]);
        bytes.extend([2, 1, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0]);
        bytes.extend([10, 0, 0x3c, 0]);
        bytes.extend("a.txt".encode_utf16().flat_map(u16::to_le_bytes));
        bytes.resize(0x48, 0);
        let expected = change(0x0003_0000_0000_002a, 0x8000_0102);
        assert_eq!(record(2, expected, "a.txt")[..58], bytes[..58]);
        let bytes = answer(&[bytes]);
        let mut changes = Changes::new(&bytes).expect("an answer");
        assert_eq!(changes.next_usn(), 4096);
        assert_eq!(changes.next(), Some(expected));
        assert_eq!((changes.next(), changes.is_malformed()), (None, false));
    }

    #[test]
    fn both_versions_are_read_and_others_passed_over() {
        let first = change(42, reason::CREATE);
        let second = change(7 << 100, 0x8000_0002);
        let others = [record(4, first, "x"), record(1, first, "y"), record(9, first, "")];
        let records = [record(2, first, "a"), others.concat(), record(3, second, "long name")];
        let bytes = answer(&records);
        let changes: Vec<_> = Changes::new(&bytes).expect("an answer").collect();
        assert_eq!(changes, [first, second]);
        assert!(first.is_of_names() && !second.is_of_names());
        for reason in [0x200, 0x1000, 0x2000, 0x1_0000] {
            assert!(change(1, reason | 0x8000_0000).is_of_names());
        }
        let nothing = answer(&[]);
        assert_eq!(Changes::new(&nothing).expect("an answer").count(), 0);
        assert!(Changes::new(&nothing[..7]).is_none());
    }

    #[test]
    fn a_record_that_is_cut_or_too_short_is_malformed() {
        let whole = answer(&[record(2, change(1, 1), "a"), record(3, change(2, 2), "b")]);
        let ends = [8, 8 + 64, whole.len()];
        for length in 8..=whole.len() {
            let mut changes = Changes::new(&whole[..length]).expect("an answer");
            let count = changes.by_ref().count();
            assert_eq!(count, ends[1..].iter().filter(|&&end| end <= length).count());
            assert_eq!(changes.is_malformed(), !ends.contains(&length), "{length}");
        }
        for length in [0_u32, 4, 7, 8, 43, u32::MAX] {
            let mut bytes = whole.clone();
            bytes[8..12].copy_from_slice(&length.to_le_bytes());
            let mut changes = Changes::new(&bytes).expect("an answer");
            assert_eq!((changes.next(), changes.is_malformed()), (None, true), "{length}");
        }
    }

    #[test]
    fn a_journal_continues_while_it_holds_what_came_since() {
        let bytes: Vec<u8> = [77, 100, 900, 0, 1 << 40, 1 << 25, 1 << 22]
            .iter()
            .flat_map(|number: &u64| number.to_le_bytes())
            .collect();
        let now = Journal::from_bytes(&bytes).expect("a journal");
        assert_eq!(now, Journal { id: 77, first: 100, next: 900 });
        assert_eq!(Journal::from_bytes(&bytes[..23]), None);
        for (id, next, continues) in
            [(77, 900, true), (77, 100, true), (77, 99, false), (77, 901, false), (78, 500, false)]
        {
            let earlier = Journal { id, first: 0, next };
            assert_eq!(now.continues(&earlier), continues, "{earlier:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_end(bytes: Vec<u8>) {
            if let Some(changes) = Changes::new(&bytes) {
                prop_assert!(changes.count() <= bytes.len() / HEAD);
            }
        }
    }
}
