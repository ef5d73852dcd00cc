//! Decoding what NtQueryDirectoryFile wrote: a chain of records, each with a name and most
//! metadata.
//!
//! ```text
//!   0      4       8         40       48         56     60      64     68   72     80
//!   | next | index | 4 times | size | allocated | attr | length | tag | pad | id   | name … IdFull
//!   | next | index | 4 times | size | allocated | attr | length | tag | name …                Full
//! ```
//!
//! `next` is the distance to the next record, in bytes, and 0 in the last record. (A published loop
//! advances before it tests `next`, and so loses the last record of each buffer.) All numbers are
//! little-endian. Times count units of 100 ns since 1601. `tag` is the reparse tag if the attributes
//! name a reparse point.

use super::kind::{attribute, file_type};
use crate::{Fields, FileType, Meta, Timestamp};

/// The structure of the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// FileIdFullDirectoryInformation.
    IdFull,
    /// FileFullDirectoryInformation: as `IdFull` without ids, for file systems that have none.
    Full,
}

impl Class {
    fn name_at(self) -> usize {
        match self {
            Class::IdFull => 80,
            Class::Full => 68,
        }
    }
}

/// The metadata in a record: everything but the name. No method makes a system call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NtMeta {
    /// Creation, last access, last write and change, in units of 100 ns since 1601; 0 if unknown.
    pub times: [i64; 4],
    /// Size in bytes.
    pub size: u64,
    /// The space that the file takes, in bytes.
    pub allocated: u64,
    /// File attributes, as Windows numbers them.
    pub attributes: u32,
    /// The reparse tag; 0 if the file is no reparse point.
    pub tag: u32,
    /// The file's number on its volume; 0 if the file system has none.
    pub id: u64,
}

/// Seconds from 1601, where Windows's times begin, to 1970.
const EPOCH: i64 = 11_644_473_600;
/// How many units of Windows's times, of 100 ns, make a second.
const TICKS: i64 = 10_000_000;

/// A time given in units of 100 ns since 1601. `None` for 0, which means that the time is unknown.
/// Makes no system call.
#[must_use]
pub fn timestamp(ticks: i64) -> Option<Timestamp> {
    let nanos = ticks.rem_euclid(TICKS) as u32 * 100;
    (ticks != 0).then(|| Timestamp { secs: ticks.div_euclid(TICKS) - EPOCH, nanos })
}

impl NtMeta {
    /// The file's type.
    #[must_use]
    pub fn file_type(&self) -> FileType {
        file_type(self.attributes, self.tag)
    }

    /// Whether the attributes say that the file is hidden.
    #[must_use]
    pub fn is_hidden(&self) -> bool {
        self.attributes & attribute::HIDDEN != 0
    }

    /// The type and the attributes as metadata.
    #[must_use]
    pub fn type_and_attributes(&self) -> Meta {
        Meta {
            filled: Fields::TYPE | Fields::ATTRIBUTES,
            file_type: self.file_type(),
            mnt_id: u64::from(self.attributes),
            ..Meta::default()
        }
    }

    /// Everything as metadata. The size of directories and links is 0, as Windows reports it.
    #[must_use]
    pub fn meta(&self) -> Meta {
        let mut meta = self.type_and_attributes();
        meta.filled |= Fields::SIZE | Fields::BLOCKS;
        meta.size = self.size;
        meta.blocks = self.allocated.div_ceil(512);
        if self.id != 0 {
            meta.ino = self.id;
            meta.filled |= Fields::INO;
        }
        let slots = [
            (Fields::BTIME, &mut meta.btime),
            (Fields::ATIME, &mut meta.atime),
            (Fields::MTIME, &mut meta.mtime),
            (Fields::CTIME, &mut meta.ctime),
        ];
        for ((field, slot), ticks) in slots.into_iter().zip(self.times) {
            if let Some(time) = timestamp(ticks) {
                *slot = time;
                meta.filled |= field;
            }
        }
        meta
    }
}

/// One record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NtRecord<'a> {
    /// The name in UTF-16, as bytes; never empty. `.` and `..` are not left out.
    pub name: &'a [u8],
    /// The metadata.
    pub found: NtMeta,
}

/// An iterator over records. No method makes a system call.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    /// The bytes from the next record on; empty after the last one.
    rest: &'a [u8],
    class: Class,
    malformed: bool,
}

impl<'a> Records<'a> {
    /// The records in `bytes`, which must be exactly the bytes that the system reported to have
    /// written.
    #[must_use]
    pub fn new(bytes: &'a [u8], class: Class) -> Records<'a> {
        Records { rest: bytes, class, malformed: false }
    }

    /// The number of bytes that are left, from the next record on; 0 after the last one.
    #[must_use]
    pub fn bytes_left(&self) -> usize {
        self.rest.len()
    }

    /// Whether the iteration ended because the bytes were no record.
    #[must_use]
    pub fn is_malformed(&self) -> bool {
        self.malformed
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = NtRecord<'a>;

    fn next(&mut self) -> Option<NtRecord<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        match split(self.rest, self.class) {
            Some((record, rest)) => {
                self.rest = rest;
                Some(record)
            }
            None => {
                self.rest = &[];
                self.malformed = true;
                None
            }
        }
    }
}

/// The first record, and the bytes from the next record on: none if it is the last. `None`: the
/// bytes are no record.
fn split(bytes: &[u8], class: Class) -> Option<(NtRecord<'_>, &[u8])> {
    let next = u32_at(bytes, 0)? as usize;
    // A `next` that leads out of the bytes, or to their end, is refused.
    let record = if next == 0 { bytes } else { bytes.get(..next)? };
    let rest = if next == 0 { &[] } else { bytes.get(next..).filter(|rest| !rest.is_empty())? };
    let length = u32_at(record, 60)? as usize;
    let name = record.get(class.name_at()..)?.get(..length)?;
    if name.is_empty() || name.len() % 2 == 1 {
        return None;
    }
    let attributes = u32_at(record, 56)?;
    let is_reparse = attributes & attribute::REPARSE_POINT != 0;
    let found = NtMeta {
        times: [8, 16, 24, 32].map(|at| u64_at(record, at).unwrap_or(0).cast_signed()),
        size: u64_at(record, 40)?,
        allocated: u64_at(record, 48)?,
        attributes,
        tag: if is_reparse { u32_at(record, 64)? } else { 0 },
        id: if class == Class::IdFull { u64_at(record, 72)? } else { 0 },
    };
    Some((NtRecord { name, found }, rest))
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests;
