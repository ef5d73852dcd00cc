//! Any bytes as the output of NtQueryDirectoryFile: the parser ends, stays within the bytes, agrees
//! with a plain parser, and names survive the way to WTF-8 and back.

#![no_main]

use brisk_sys::Buffer;
use brisk_sys::nt::records::{Class, Records};
use brisk_sys::nt::wtf8;
use libfuzzer_sys::fuzz_target;

/// The number of `N` bytes at a place.
fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + N)?;
    Some(bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
}

/// A plain reading of the layout: where each name begins and ends, and whether all bytes are
/// records.
fn plain(bytes: &[u8], name_at: usize) -> (Vec<(usize, usize)>, bool) {
    let mut found = Vec::new();
    let mut at = 0;
    while !bytes.is_empty() {
        let (Some(next), Some(length)) = (number::<4>(bytes, at), number::<4>(bytes, at + 60))
        else {
            return (found, false);
        };
        let (next, length) = (next as usize, length as usize);
        let name = (at + name_at, at + name_at + length);
        let end = if next == 0 { bytes.len() } else { at + next };
        let fits = name.1 <= end && end <= bytes.len() && (next == 0 || end < bytes.len());
        if !fits || length == 0 || length % 2 == 1 {
            return (found, false);
        }
        found.push(name);
        if next == 0 {
            break;
        }
        at = end;
    }
    (found, true)
}

fuzz_target!(|bytes: &[u8]| {
    for (class, name_at) in [(Class::IdFull, 80), (Class::Full, 68)] {
        let (expected, whole) = plain(bytes, name_at);
        let mut records = Records::new(bytes, class);
        let mut buffer = Buffer::with_capacity(1 << 16);
        let mut kept = Vec::new();
        for (start, end) in expected {
            let record = records.next().expect("a record");
            assert_eq!(record.name, &bytes[start..end]);
            let mut name = Vec::new();
            wtf8::append_utf16le(&mut name, record.name);
            let units = wtf8::to_utf16(&name).expect("WTF-8");
            assert!(
                units.iter().flat_map(|unit| unit.to_le_bytes()).eq(record.name.iter().copied())
            );
            if !name.contains(&0) && buffer.push_found(&record.found, &name) {
                kept.push((name, record.found));
            }
        }
        assert_eq!(records.next(), None);
        assert_eq!((records.bytes_left(), records.is_malformed()), (0, !whole));
        let mut entries = buffer.entries();
        for (name, found) in kept {
            if name == b"." || name == b".." {
                continue;
            }
            let entry = entries.next().expect("an entry");
            assert_eq!(entry.name.to_bytes(), name);
            assert_eq!((entry.is_hidden, entry.file_type), (found.is_hidden(), found.file_type()));
            let meta = buffer.meta(&entry).expect("the record's metadata");
            assert_eq!((meta.size(), meta.mtime()), (Some(found.size), found.meta().mtime()));
        }
        assert_eq!(entries.next(), None);
    }
});
