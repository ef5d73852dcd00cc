//! What an entry of a walk can have besides its name and type.

use brisk::{Fields, FileType, Meta, Timestamp};

/// A number that `fields` can name: as `fs.Stats` names it, what it needs, how it is read.
pub type Field = (&'static str, Fields, fn(&Meta) -> Option<f64>);

/// Numbers above 2^53 lose their last digits, as in `fs.Stats`.
pub const FIELDS: [Field; 12] = [
    ("dev", Fields::DEV, |meta| meta.dev().map(|dev| dev as f64)),
    ("ino", Fields::INO, |meta| meta.ino().map(|ino| ino as f64)),
    ("mode", Fields::MODE.union(Fields::TYPE), mode),
    ("nlink", Fields::NLINK, |meta| meta.nlink().map(|nlink| nlink as f64)),
    ("uid", Fields::UID, |meta| meta.uid().map(f64::from)),
    ("gid", Fields::GID, |meta| meta.gid().map(f64::from)),
    ("size", Fields::SIZE, |meta| meta.size().map(|size| size as f64)),
    ("blocks", Fields::BLOCKS, |meta| meta.blocks().map(|blocks| blocks as f64)),
    ("atimeMs", Fields::ATIME, |meta| meta.atime().map(milliseconds)),
    ("mtimeMs", Fields::MTIME, |meta| meta.mtime().map(milliseconds)),
    ("ctimeMs", Fields::CTIME, |meta| meta.ctime().map(milliseconds)),
    ("birthtimeMs", Fields::BTIME, |meta| meta.btime().map(milliseconds)),
];

fn mode(meta: &Meta) -> Option<f64> {
    Some(f64::from(meta.mode()? | meta.file_type()?.mode_bits()))
}

fn milliseconds(time: Timestamp) -> f64 {
    time.secs as f64 * 1e3 + f64::from(time.nanos) / 1e6
}

/// The digit of libuv's `UV_DIRENT_…`.
pub fn digit(file_type: FileType) -> char {
    // The letters of the types in the order of their digits.
    let digit = "Ufdlpscb".find(file_type.letter()).unwrap_or(0);
    char::from(b'0' + digit as u8)
}
