//! [`Row`]: an entry, as temporary files have it.
//!
//! ```text
//!   0   all bytes behind this number u32    16  bits: digest 1, unlisted 2            u32
//!   4   root                         u16    20  size, inode, seconds of three times   u64 each
//!   6   volume; 65,535 for none      u16    60  their nanoseconds, mode, uid, gid     u32 each
//!   8   length of the path           u32    84  the path, the target, the digest
//!   12  length of the target         u32
//! ```

use std::cmp::Ordering;

use brisk::{FileType, Timestamp};
use brisk_sys::slashed::by_component;

use crate::Known;

/// The bytes before the path.
const HEAD: usize = 84;
/// The bytes of the number that a row begins with.
pub(super) const LENGTH: usize = 4;
const NO_VOLUME: u16 = u16::MAX;
const DIGEST: u32 = 1;
const UNLISTED: u32 = 2;

/// An entry, and where it is: the number of its root, and the path below it. The name in `known` is
/// that at the end of the path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    pub root: u16,
    pub path: &'a [u8],
    pub known: Known<'a>,
}

impl<'a> Row<'a> {
    pub fn append(&self, out: &mut Vec<u8>) {
        let Row { root, path, known } = self;
        let times = [known.mtime, known.ctime, known.btime];
        let mode = known.mode & 0o7777 | known.file_type.mode_bits();
        let bits = if known.digest.is_some() { DIGEST } else { 0 };
        let bits = bits | if known.is_unlisted { UNLISTED } else { 0 };
        let digest = known.digest.as_ref().map_or(&[][..], |digest| digest);
        let more = path.len() + known.target.len() + digest.len();
        let numbers = [path.len() as u32, known.target.len() as u32, bits];
        out.extend(((HEAD - LENGTH + more) as u32).to_le_bytes());
        let volume = known.volume.unwrap_or(NO_VOLUME);
        out.extend([*root, volume].iter().flat_map(|number| number.to_le_bytes()));
        out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        out.extend([known.size, known.ino].iter().flat_map(|number| number.to_le_bytes()));
        out.extend(times.iter().flat_map(|time| time.secs.to_le_bytes()));
        out.extend(times.iter().flat_map(|time| time.nanos.to_le_bytes()));
        out.extend([mode, known.uid, known.gid].iter().flat_map(|number| number.to_le_bytes()));
        [path, known.target, digest].iter().for_each(|bytes| out.extend_from_slice(bytes));
    }

    /// The row in these bytes, which [`append`](Row::append) made.
    pub fn of(bytes: &'a [u8]) -> Row<'a> {
        let time = |at: usize| Timestamp {
            secs: u64_at(bytes, 36 + 8 * at) as i64,
            nanos: u32_at(bytes, 60 + 4 * at),
        };
        let (bits, mode) = (u32_at(bytes, 16), u32_at(bytes, 72));
        let [volume, root] = [6, 4].map(|at| u32_at(bytes, at) as u16);
        let path = path(bytes);
        let rest = bytes.get(HEAD + path.len()..).unwrap_or_default();
        let (target, digest) =
            rest.split_at_checked(u32_at(bytes, 12) as usize).unwrap_or_default();
        let known = Known {
            name: path.rsplit(|byte| *byte == b'/').next().unwrap_or_default(),
            file_type: FileType::from_mode(mode),
            size: u64_at(bytes, 20),
            mode: mode & 0o7777,
            uid: u32_at(bytes, 76),
            gid: u32_at(bytes, 80),
            ino: u64_at(bytes, 28),
            mtime: time(0),
            ctime: time(1),
            btime: time(2),
            target,
            digest: digest.first_chunk().filter(|_| bits & DIGEST != 0).copied(),
            volume: Some(volume).filter(|volume| *volume != NO_VOLUME),
            is_unlisted: bits & UNLISTED != 0,
        };
        Row { root, path, known }
    }
}

/// The order of two rows: that of a depth-first walk.
pub(super) fn order(one: &[u8], other: &[u8]) -> Ordering {
    let root = |bytes| u32_at(bytes, 4) as u16;
    root(one).cmp(&root(other)).then_with(|| by_component(path(one), path(other)))
}

fn path(bytes: &[u8]) -> &[u8] {
    bytes.get(HEAD..).and_then(|rest| rest.get(..u32_at(bytes, 8) as usize)).unwrap_or_default()
}

/// The number of bytes behind the number that a row begins with.
pub(super) fn length(bytes: &[u8]) -> usize {
    u32_at(bytes, 0) as usize
}

#[inline]
fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |word| u32::from_le_bytes(*word))
}

#[inline]
fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |word| u64::from_le_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_appended_is_read() {
        let time = |secs| Timestamp { secs, nanos: 9 };
        let known = Known {
            name: b"b",
            file_type: FileType::Symlink,
            size: 1 << 40,
            mode: 0o4755,
            uid: 1,
            gid: 2,
            ino: u64::MAX,
            mtime: time(-1),
            ctime: time(2),
            btime: time(3),
            target: b"to",
            digest: Some([7; 32]),
            volume: Some(3),
            is_unlisted: true,
        };
        for known in [known, Known { digest: None, volume: None, target: b"", ..known }] {
            let mut bytes = Vec::new();
            Row { root: 5, path: b"a/b", known }.append(&mut bytes);
            let row = Row::of(&bytes);
            assert_eq!((row.root, row.path), (5, &b"a/b"[..]));
            assert_eq!(format!("{:?}", row.known), format!("{known:?}"));
            assert_eq!(length(&bytes) + LENGTH, bytes.len());
        }
    }
}
