//! Any bytes as directory records: the decoder ends, stays within the bytes, and agrees with a
//! plain one.

#![no_main]

use brisk_sys::{Buffer, RawEntries};
use libfuzzer_sys::fuzz_target;

/// Inode, name, and where the record ends.
type Record<'a> = (u64, &'a [u8], usize);

/// A plain reading of the layout, one byte at a time, and whether all bytes are records.
fn plain(bytes: &[u8]) -> (Vec<Record<'_>>, bool) {
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        if rest.len() < 19 {
            return (found, false);
        }
        let ino = u64::from_ne_bytes(rest[..8].try_into().expect("eight bytes"));
        let reclen = usize::from(u16::from_ne_bytes([rest[16], rest[17]]));
        if reclen < 19 || reclen > rest.len() {
            return (found, false);
        }
        let name = &rest[19..reclen];
        let Some(end) = name.iter().position(|&byte| byte == 0) else { return (found, false) };
        if end == 0 {
            return (found, false);
        }
        at += reclen;
        found.push((ino, &name[..end], at));
    }
    (found, true)
}

fuzz_target!(|bytes: &[u8]| {
    let (expected, whole) = plain(bytes);
    let mut entries = RawEntries::new(bytes);
    let mut boundaries = vec![0];
    for (ino, name, end) in &expected {
        if !matches!(*name, b"." | b"..") {
            let entry = entries.next().expect("a record");
            assert_eq!((entry.ino, entry.name.to_bytes()), (*ino, *name));
            assert_eq!(bytes.len() - entries.bytes_left(), *end);
        }
        boundaries.push(*end);
    }
    assert_eq!(entries.next(), None);
    assert_eq!(entries.bytes_left(), 0);
    assert_eq!(entries.is_malformed(), !whole);

    let buffer = Buffer::from_records(bytes);
    assert!(buffer.entries().eq(RawEntries::new(bytes)));
    let dot = buffer.dot_ino();
    if whole {
        let dots = expected.iter().find(|(_, name, _)| *name == b".");
        assert_eq!(dot, dots.map(|(ino, ..)| *ino));
        // The records of two parts, cut between any two records, are the records of the whole.
        for &cut in &boundaries {
            let parts = buffer.entries_in(0..cut).chain(buffer.entries_in(cut..bytes.len()));
            assert!(parts.eq(buffer.entries()));
        }
    }
});
