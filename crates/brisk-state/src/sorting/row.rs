//! [`Row`]: an entry, as temporary files have it.
//!
//! ```text
//!   0   all bytes behind this number u32    12  flags                                u32
//!   4   root u16   6   volume        u16    16  the stamp, as in a record            64 bytes
//!   8   length of the path           u32    80  the path; the link's target or the digest
//! ```

use std::cmp::Ordering;

use brisk_sys::slashed::by_component;

use crate::record::{Flags, NO_BLOCK, Record, STAMP, Stamp, u16_at, u32_at};

/// The bytes before the stamp, and before the path.
const NUMBERS: usize = 16;
const HEAD: usize = NUMBERS + STAMP;
/// The bytes of the number that a row begins with.
pub(super) const LENGTH: usize = 4;

/// An entry, and where it is: the number of its root, the path below it, and the number of its file
/// system. The name in `record` is that at the end of the path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    pub root: u16,
    pub path: &'a [u8],
    pub volume: u16,
    pub record: Record<'a>,
}

impl<'a> Row<'a> {
    pub fn append(&self, out: &mut Vec<u8>) {
        let Row { root, path, volume, record: Record { stamp, flags, more, .. } } = self;
        out.extend(((HEAD - LENGTH + path.len() + more.len()) as u32).to_le_bytes());
        out.extend([*root, *volume].iter().flat_map(|number| number.to_le_bytes()));
        out.extend(
            [path.len() as u32, flags.0.into()].iter().flat_map(|number| number.to_le_bytes()),
        );
        stamp.append(out);
        out.extend_from_slice(path);
        out.extend_from_slice(more);
    }

    /// The row in these bytes, which [`append`](Row::append) made.
    pub fn of(bytes: &'a [u8]) -> Row<'a> {
        let path = path(bytes);
        let stamp = bytes.get(NUMBERS..).and_then(<[u8]>::first_chunk);
        let record = Record {
            name: path.rsplit(|byte| *byte == b'/').next().unwrap_or_default(),
            stamp: stamp.map(Stamp::of_bytes).unwrap_or_default(),
            flags: Flags(u16_at(bytes, 12)),
            more: bytes.get(HEAD + path.len()..).unwrap_or_default(),
            block: NO_BLOCK,
        };
        Row { root: u16_at(bytes, 4), path, volume: u16_at(bytes, 6), record }
    }
}

/// The order of two rows: that of a depth-first walk.
pub(super) fn order(one: &[u8], other: &[u8]) -> Ordering {
    u16_at(one, 4).cmp(&u16_at(other, 4)).then_with(|| by_component(path(one), path(other)))
}

fn path(bytes: &[u8]) -> &[u8] {
    bytes.get(HEAD..).and_then(|rest| rest.get(..u32_at(bytes, 8) as usize)).unwrap_or_default()
}

/// The number of bytes behind the number that a row begins with.
pub(super) fn length(bytes: &[u8]) -> usize {
    u32_at(bytes, 0) as usize
}

#[cfg(test)]
mod tests {
    use brisk::{FileType, Timestamp};

    use super::*;

    #[test]
    fn what_is_appended_is_read() {
        let time = |secs| Timestamp { secs, nanos: 9 };
        let stamp = Stamp {
            ino: u64::MAX,
            size: 1 << 40,
            mtime: time(-1),
            ctime: time(2),
            btime: time(3),
            mode: FileType::Symlink.mode_bits() | 0o4755,
            uid: 1,
            gid: 2,
        };
        let (flags, more) = (Flags::DIGEST.with(Flags::LISTED, true), &[7; 32][..]);
        let record = Record { name: b"b", stamp, flags, more, block: NO_BLOCK };
        for record in [record, Record { flags: Flags::default(), more: b"", ..record }] {
            let mut bytes = Vec::new();
            Row { root: 5, path: b"a/b", volume: 3, record }.append(&mut bytes);
            let row = Row::of(&bytes);
            assert_eq!((row.root, row.path, row.volume), (5, &b"a/b"[..], 3));
            assert_eq!(format!("{:?}", row.record), format!("{record:?}"));
            assert_eq!(length(&bytes) + LENGTH, bytes.len());
        }
    }
}
