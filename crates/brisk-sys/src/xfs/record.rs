//! A record of XFS's answer: a pure function of bytes.

use crate::{Fields, FileType, Meta, Timestamp};

/// The size of a record, in bytes.
pub const RECORD: usize = 192;

/// The metadata in a record, `struct xfs_bulkstat`. Its numbers are the processor's. Makes no
/// system call.
///
/// ```text
///   0     8      16..32   32..64                64    68    72    80..96        112     132
///   | ino | size | …      | seconds of 4 times  | gen | uid | gid | nanoseconds | nlink | mode
/// ```
#[must_use]
pub fn meta_of(record: &[u8; RECORD]) -> Meta {
    let mode = u32::from(u16::from_ne_bytes(bytes_at(record, 132)));
    Meta {
        filled: Fields::TYPE
            | Fields::MODE
            | Fields::NLINK
            | Fields::UID
            | Fields::GID
            | Fields::INO
            | Fields::SIZE
            | Fields::ATIME
            | Fields::MTIME
            | Fields::CTIME
            | Fields::BTIME,
        file_type: FileType::from_mode(mode),
        mode,
        nlink: u64::from(u32_at(record, 112)),
        uid: u32_at(record, 68),
        gid: u32_at(record, 72),
        ino: u64::from_ne_bytes(bytes_at(record, 0)),
        size: u64::from_ne_bytes(bytes_at(record, 8)),
        atime: time(record, 0),
        mtime: time(record, 1),
        ctime: time(record, 2),
        btime: time(record, 3),
        ..Meta::default()
    }
}

/// One of the four times.
fn time(record: &[u8; RECORD], at: usize) -> Timestamp {
    let secs = i64::from_ne_bytes(bytes_at(record, 32 + 8 * at));
    Timestamp { secs, nanos: u32_at(record, 80 + 4 * at) }
}

fn u32_at(record: &[u8; RECORD], at: usize) -> u32 {
    u32::from_ne_bytes(bytes_at(record, at))
}

fn bytes_at<const N: usize>(record: &[u8; RECORD], at: usize) -> [u8; N] {
    std::array::from_fn(|byte| record[at + byte])
}
