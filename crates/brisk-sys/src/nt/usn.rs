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
//! All numbers are little-endian. A file's number has 64 bits in version 2 and 128 in version 3. On
//! NTFS both have the same value. Records of version 4 list the ranges of a file that were written,
//! and are skipped: they add nothing to the other records of the file.

use std::io;
use std::ops::ControlFlow;

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
    /// A hard link was made or removed. The directory may be that of another link of the file.
    pub const LINK: u32 = 0x1_0000;
}

/// A volume's journal. Each record has an update sequence number (USN), which is its position in
/// the journal in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsnJournal {
    /// The id of this journal. A journal that is deleted and created again gets another id.
    pub id: u64,
    /// The USN of the first record that the journal still holds.
    pub first: i64,
    /// The USN that the next record gets.
    pub next: i64,
    /// The lowest USN that a record of this journal can have.
    pub lowest: i64,
}

/// A place in a journal: that of the next record at some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The journal's id.
    pub id: u64,
    /// The USN that the next record got.
    pub next: i64,
}

impl UsnJournal {
    /// What FSCTL_QUERY_USN_JOURNAL told (`USN_JOURNAL_DATA`). `None`: the bytes are too few. Makes
    /// no system call.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<UsnJournal> {
        let number = |at| u64_at(bytes, at).map(u64::cast_signed);
        Some(UsnJournal {
            id: u64_at(bytes, 0)?,
            first: number(8)?,
            next: number(16)?,
            lowest: number(24)?,
        })
    }

    /// The end of the journal. Makes no system call.
    #[must_use]
    pub fn position(&self) -> Position {
        Position { id: self.id, next: self.next }
    }

    /// How many bytes the journal has grown by since a position. Makes no system call.
    ///
    /// # Errors
    /// Why the journal does not hold all of these bytes, in words: it is another journal, it has
    /// dropped some, or it ends before the position.
    pub fn growth(&self, since: &Position) -> Result<u64, &'static str> {
        match since.next {
            _ if self.id != since.id => Err("its journal was deleted and created again"),
            next if next < self.first.max(self.lowest) => {
                Err("its journal has dropped changes made since the state")
            }
            next if next > self.next => {
                Err("its journal ends before the state's position: the volume was restored")
            }
            next => Ok(self.next.abs_diff(next)),
        }
    }
}

/// A change. No method makes a system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsnRecord {
    /// The number of the file or directory that changed.
    pub file: u128,
    /// The number of the directory that it stands or stood in.
    pub parent: u128,
    /// Why: a set of [`reason`]s and others.
    pub reason: u32,
}

impl UsnRecord {
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

    /// The USN from which the next reading goes on.
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
    type Item = UsnRecord;

    fn next(&mut self) -> Option<UsnRecord> {
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

/// Calls `each` for every change in an answer to a reading that began at `from`, until `each`
/// breaks. Returns where the next reading goes on; `None` after the last one. Makes no system call.
///
/// # Errors
/// [`InvalidData`](io::ErrorKind::InvalidData): the bytes are not an answer, or hold something that
/// is not a record.
pub fn deliver(
    answer: &[u8],
    from: i64,
    each: &mut impl FnMut(UsnRecord) -> ControlFlow<()>,
) -> io::Result<Option<i64>> {
    let mut changes = Changes::new(answer).ok_or(io::ErrorKind::InvalidData)?;
    if changes.by_ref().any(|change| each(change).is_break()) {
        return Ok(None);
    }
    if changes.is_malformed() {
        return Err(io::ErrorKind::InvalidData.into());
    }
    // Where no change has been added since, the next reading would begin at the same USN.
    Ok(Some(changes.next_usn()).filter(|next| *next > from))
}

/// The length of the beginning that all versions share, in bytes.
const HEAD: usize = 8;

/// The first record, and the bytes behind it. `None`: the bytes are no record.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = u32_at(bytes, 0)? as usize;
    (length >= HEAD).then(|| bytes.split_at_checked(length))?
}

fn short(record: &[u8]) -> Option<UsnRecord> {
    let file = u64_at(record, 8)?;
    let parent = u64_at(record, 16)?;
    Some(UsnRecord { file: file.into(), parent: parent.into(), reason: u32_at(record, 40)? })
}

fn long(record: &[u8]) -> Option<UsnRecord> {
    let number = |at| {
        let low = u64_at(record, at)?;
        let high = u64_at(record, at + 8)?;
        Some(u128::from(low) | u128::from(high) << 64)
    };
    Some(UsnRecord { file: number(8)?, parent: number(24)?, reason: u32_at(record, 56)? })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn record(version: u16, change: UsnRecord, name: &str) -> Vec<u8> {
        testkit::usn::record(version, [change.file, change.parent], change.reason, name)
    }

    fn change(file: u128, reason: u32) -> UsnRecord {
        UsnRecord { file, parent: 0x0005_0000_0000_0005, reason }
    }

    fn answer(records: &[Vec<u8>]) -> Vec<u8> {
        testkit::usn::answer(4096, records)
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
    fn a_journal_tells_the_changes_since_a_position_while_it_holds_them() {
        let bytes: Vec<u8> = [77, 100, 900, 90, 1 << 40, 1 << 25, 1 << 22]
            .iter()
            .flat_map(|number: &u64| number.to_le_bytes())
            .collect();
        let now = UsnJournal::from_bytes(&bytes).expect("a journal");
        assert_eq!(now, UsnJournal { id: 77, first: 100, next: 900, lowest: 90 });
        assert_eq!(UsnJournal::from_bytes(&bytes[..31]), None);
        assert_eq!(now.position(), Position { id: 77, next: 900 });
        let raised = UsnJournal { lowest: 300, ..now };
        for (journal, id, next, growth) in [
            (now, 77, 900, Ok(0)),
            (now, 77, 100, Ok(800)),
            (now, 77, 99, Err("has dropped")),
            (raised, 77, 299, Err("has dropped")),
            (raised, 77, 300, Ok(600)),
            (now, 77, 901, Err("ends before")),
            (now, 78, 500, Err("was deleted")),
        ] {
            match (journal.growth(&Position { id, next }), growth) {
                (Err(why), Err(part)) => assert!(why.contains(part), "{why}"),
                (told, growth) => assert_eq!(told, growth, "{journal:?}, {next}"),
            }
        }
    }

    #[test]
    fn readings_go_on_until_nothing_is_added() {
        let whole = answer(&[record(2, change(1, 1), "a"), record(2, change(2, 2), "b")]);
        let mut found = Vec::new();
        let mut each = |change: UsnRecord| {
            found.push(change.file);
            if change.file == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        assert_eq!(deliver(&whole, 1000, &mut each).expect("changes"), Some(4096));
        assert_eq!(deliver(&whole[..8], 4096, &mut each).expect("no changes"), None);
        let more = answer(&[record(2, change(3, 1), "c"), record(2, change(4, 1), "d")]);
        assert_eq!(deliver(&more, 1000, &mut each).expect("a change"), None);
        for bytes in [&whole[..7], &whole[..9], &whole[..whole.len() - 1]] {
            let error = deliver(bytes, 1000, &mut each).expect_err("a cut answer");
            assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        }
        assert_eq!(found, [1, 2, 3, 1]);
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
