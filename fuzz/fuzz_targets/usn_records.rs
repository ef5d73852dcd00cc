//! Any bytes as an answer of FSCTL_READ_USN_JOURNAL: the parser ends, stays within the bytes, and
//! agrees with a plain parser. The same for the names of a file, without a plain parser.

#![no_main]

use brisk_sys::nt::links;
use brisk_sys::nt::usn::{Changes, UsnJournal};
use libfuzzer_sys::fuzz_target;

/// The number of `width` bytes at a place.
fn number(bytes: &[u8], at: usize, width: usize) -> Option<u128> {
    let bytes = bytes.get(at..at + width)?;
    Some(bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u128::from(*byte)))
}

/// A plain reading of the layout: file, parent and reason of each change, and whether all bytes are
/// records.
fn plain(bytes: &[u8]) -> (Vec<[u128; 3]>, bool) {
    let mut found = Vec::new();
    let mut at = 8;
    while at < bytes.len() {
        let Some(length) = number(bytes, at, 4) else { return (found, false) };
        let length = length as usize;
        if length < 8 || at + length > bytes.len() {
            return (found, false);
        }
        let record = &bytes[at..at + length];
        at += length;
        // Where the file, its directory and the reason stand, and the width of the first two.
        let (parent, reason, width) = match number(record, 4, 2) {
            Some(2) => (16, 40, 8),
            Some(3) => (24, 56, 16),
            _ => continue,
        };
        let Some(reason) = number(record, reason, 4) else { return (found, false) };
        let file = [8, parent].map(|at| number(record, at, width).expect("before the reason"));
        found.push([file[0], file[1], reason]);
    }
    (found, true)
}

fuzz_target!(|bytes: &[u8]| {
    let names = links::directories(bytes).map_or(0, |names| names.len());
    assert!(names <= bytes.len());
    assert_eq!(UsnJournal::from_bytes(bytes).is_some(), bytes.len() >= 32);
    let Some(mut changes) = Changes::new(bytes) else {
        assert!(bytes.len() < 8);
        return;
    };
    let (expected, whole) = plain(bytes);
    for [file, parent, reason] in expected {
        let change = changes.next().expect("a change");
        assert_eq!([change.file, change.parent, change.reason.into()], [file, parent, reason]);
    }
    assert_eq!(changes.next(), None);
    assert_eq!(changes.is_malformed(), !whole);
});
