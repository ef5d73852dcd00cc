//! Directory records in bulk: the kernel fills one buffer, and many entries are borrowed from it.
//!
//! The records have the layout of Linux's `linux_dirent64`. The other backends write this layout
//! too, so that one bounds-checked decoder serves all:
//!
//! ```text
//!   0        8        16      18      19                 reclen
//!   | d_ino  | d_off  |reclen | type  | name … NUL … pad |
//! ```
//!
//! A buffer owns its bytes. One worker can give it to another, which then stats the entries.

use std::ffi::CStr;
use std::io;

use crate::nt::records::NtMeta;
use crate::{FileType, Meta};

/// The byte offsets of a record's fields, as in the picture above.
pub(crate) const POSITION_AT: usize = 8;
pub(crate) const RECLEN_AT: usize = 16;
const TYPE_AT: usize = 18;
/// A bit in the type's byte: the file is hidden. No system's types use this bit.
const HIDDEN: u8 = 0x80;
/// The byte offset of the name, which is the length of a record's fixed part.
pub(crate) const NAME_AT: usize = 19;
/// The least length of a record, in bytes: that of a name of one to four bytes.
pub const LEAST_RECORD: usize = 24;
/// The least space, in bytes, for which a read is made. A record with a name of 255 bytes fits, and
/// so does one with a name of 255 characters of three bytes in UTF-8. (FUSE allows names of 1,024
/// bytes; their records may need the next buffer.)
const MAX_RECORD: usize = 1024;
/// The longest name that a record holds, in bytes: far more than any file system permits.
const LONGEST_NAME: usize = 1 << 15;
/// A bound on the length of a record, in bytes: the length is stored in 16 bits.
#[cfg(any(target_os = "linux", target_os = "android"))]
const LONGEST: usize = 1 << 16;

/// One entry, borrowed from a [`Buffer`]. Reading a field makes no system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawEntry<'a> {
    /// The entry's name; `.` and `..` appear only where the caller asks for them.
    pub name: &'a CStr,
    /// The inode number in the dirent. Windows: the file's number on its volume.
    pub ino: u64,
    /// The type in the dirent; [`FileType::Unknown`] if the file system reports none.
    pub file_type: FileType,
    /// Whether the file has the attribute "hidden". Only Windows has it.
    pub is_hidden: bool,
}

/// Space for directory records, and the records in it. No method makes a system call.
#[derive(Debug)]
pub struct Buffer {
    /// The records. The space is the vector's capacity, which is never written before it is needed:
    /// a small directory touches one page of it.
    bytes: Vec<u8>,
    /// The records are paths that the caller gave. `.` and `..` are not left out from among them.
    of_paths: bool,
    /// The metadata that came with the names, on systems whose directories hold metadata. A
    /// record's `d_off` is the index here, counted from 1.
    found: Vec<NtMeta>,
}

impl Buffer {
    /// An empty buffer of at least `capacity` bytes, and at least 4 KiB: room for a few records of
    /// any length.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Buffer {
        Buffer::of(Vec::with_capacity(capacity.max(4 * MAX_RECORD)))
    }

    fn of(bytes: Vec<u8>) -> Buffer {
        Buffer { bytes, of_paths: false, found: Vec::new() }
    }

    /// An empty buffer for which [`Dir::fill`](crate::Dir::fill) makes as few reads as the system
    /// allows. Linux: one.
    #[must_use]
    pub(crate) fn for_one_read() -> Buffer {
        let capacity = if cfg!(windows) { 4 * MAX_RECORD } else { MAX_RECORD };
        Buffer::of(Vec::with_capacity(capacity))
    }

    /// A buffer that holds these records. For tests, fuzzing and captured bytes.
    #[must_use]
    pub fn from_records(records: &[u8]) -> Buffer {
        Buffer::of(records.to_vec())
    }

    /// Removes all records and keeps the space.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.of_paths = false;
        self.found.clear();
    }

    /// Whether the buffer holds no record, not even `.`.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The size of the space, in bytes.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    /// The size of the records, in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The entries without `.` and `..`, in the order of the directory.
    #[must_use]
    pub fn entries(&self) -> RawEntries<'_> {
        self.entries_in(0..self.len())
    }

    /// The entries in a part of the records. The range counts bytes and must begin and end between
    /// two records.
    #[must_use]
    pub fn entries_in(&self, range: std::ops::Range<usize>) -> RawEntries<'_> {
        let rest = self.bytes.get(range).unwrap_or(&[]);
        RawEntries { rest, malformed: false, with_dots: self.of_paths }
    }

    /// As [`entries_in`](Buffer::entries_in), with `.` and `..` if `dots` is true.
    #[must_use]
    pub fn entries_and_dots(&self, range: std::ops::Range<usize>, dots: bool) -> RawEntries<'_> {
        let entries = self.entries_in(range);
        RawEntries { with_dots: entries.with_dots || dots, ..entries }
    }

    /// The inode of `.`, the directory itself, if the record of `.` is in this buffer. (The record
    /// need not be the first: in a small directory of ext4 its hash decides where it stands.)
    #[must_use]
    pub fn dot_ino(&self) -> Option<u64> {
        let mut rest = &self.bytes[..];
        // The loop reads no more than the length and the first two bytes of the name.
        while let Some(head) = rest.first_chunk::<{ NAME_AT + 2 }>() {
            if head[NAME_AT..] == *b".\0" {
                return head.first_chunk().map(|ino| u64::from_ne_bytes(*ino));
            }
            let reclen = u16::from_ne_bytes([head[RECLEN_AT], head[RECLEN_AT + 1]]);
            rest = rest.get(usize::from(reclen).max(1)..)?;
        }
        None
    }

    /// The bytes of the records.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(crate) fn records(&self) -> &[u8] {
        &self.bytes
    }

    /// The records, to which a read appends, if there are at least [`MAX_RECORD`] bytes of space.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(crate) fn space(&mut self) -> Option<&mut Vec<u8>> {
        let space = self.capacity() - self.len();
        (space >= MAX_RECORD).then_some(&mut self.bytes)
    }

    /// Enlarges an empty buffer to the size of the longest record. `false`: the buffer is as large
    /// already, or holds records.
    #[cold]
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(crate) fn grow(&mut self) -> bool {
        if !self.is_empty() || self.capacity() >= LONGEST {
            return false;
        }
        self.bytes = Vec::with_capacity(LONGEST);
        true
    }

    /// Where the records of the first `count` entries end, and the position in the directory from
    /// which on the others can be read again. `None` if there are no others.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(crate) fn others_than(&self, count: usize) -> Option<(usize, u64)> {
        let mut entries = self.entries();
        let last = entries.by_ref().take(count).last()?;
        let end = self.len() - entries.bytes_left();
        entries.next()?;
        Some((end, self.position_of(&last)?))
    }

    /// Removes the records from this byte on.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(crate) fn truncate(&mut self, len: usize) {
        self.bytes.truncate(len);
    }

    /// Appends a record for a path, so that the path can be treated like an entry of the current
    /// directory. An inode that is not known is 0. `false`: the record does not fit.
    #[must_use]
    pub fn push_root(&mut self, ino: u64, file_type: FileType, path: &[u8]) -> bool {
        self.of_paths = true;
        self.push(ino, file_type, path)
    }

    /// Appends a record of a name that the caller remembers, and enlarges the buffer if it is full.
    /// `false`: no entry has such a name. One with a separator would lead out of the directory.
    #[must_use]
    pub fn push_remembered(&mut self, ino: u64, file_type: FileType, name: &[u8]) -> bool {
        let leads_elsewhere = name.is_empty() || name.iter().any(|byte| matches!(byte, 0 | b'/'));
        if leads_elsewhere || name.len() > LONGEST_NAME {
            return false;
        }
        while !self.push(ino, file_type, name) {
            self.bytes.reserve_exact(2 * self.capacity() - self.len());
        }
        true
    }

    /// Appends a record. `false`: the record does not fit.
    pub(crate) fn push(&mut self, ino: u64, file_type: FileType, name: &[u8]) -> bool {
        let reclen = (NAME_AT + name.len() + 1).next_multiple_of(8);
        if self.capacity() - self.len() < reclen {
            return false;
        }
        let Ok(reclen_bytes) = u16::try_from(reclen).map(u16::to_ne_bytes) else { return false };
        let start = self.len();
        self.bytes.resize(start + reclen, 0);
        let space = &mut self.bytes[start..];
        space[..8].copy_from_slice(&ino.to_ne_bytes());
        space[RECLEN_AT..TYPE_AT].copy_from_slice(&reclen_bytes);
        space[TYPE_AT] = file_type.d_type();
        space[NAME_AT..NAME_AT + name.len()].copy_from_slice(name);
        true
    }

    /// Appends a record with the metadata that came with the name, for systems whose directories
    /// hold metadata (Windows). `false`: the record does not fit.
    #[must_use]
    pub fn push_found(&mut self, found: &NtMeta, name: &[u8]) -> bool {
        let record = self.len();
        if !self.push(found.id, found.file_type(), name) {
            return false;
        }
        self.found.push(*found);
        let index = self.found.len() as u64;
        self.bytes[record + POSITION_AT..][..8].copy_from_slice(&index.to_ne_bytes());
        self.bytes[record + TYPE_AT] |= if found.is_hidden() { HIDDEN } else { 0 };
        true
    }

    /// Reserves memory for the metadata of `count` more entries.
    #[cfg(windows)]
    pub(crate) fn reserve_found(&mut self, count: usize) {
        self.found.reserve(count);
    }

    /// The number of entries whose metadata came with their names. 0 everywhere but on Windows.
    #[must_use]
    pub fn prefetched(&self) -> usize {
        self.found.len()
    }

    /// The metadata that came with the name of an entry of this buffer. `None` on systems whose
    /// directories hold no metadata: everywhere but on Windows.
    #[inline]
    #[must_use]
    pub fn meta(&self, entry: &RawEntry<'_>) -> Option<Meta> {
        if self.found.is_empty() { None } else { self.found_meta(entry) }
    }

    fn found_meta(&self, entry: &RawEntry<'_>) -> Option<Meta> {
        let index = usize::try_from(self.position_of(entry)?).ok()?;
        Some(self.found.get(index.checked_sub(1)?)?.meta())
    }

    /// The `d_off` of an entry, which is borrowed from these bytes: so the address of its name
    /// identifies its record.
    fn position_of(&self, entry: &RawEntry<'_>) -> Option<u64> {
        let name = entry.name.as_ptr().addr().checked_sub(self.bytes.as_ptr().addr())?;
        let position = self.bytes.get(name.checked_sub(NAME_AT - POSITION_AT)?..)?.first_chunk()?;
        Some(u64::from_ne_bytes(*position))
    }
}

/// The outcome of one [`Dir::fill`](crate::Dir::fill). Reading a field makes no system call.
#[derive(Debug)]
pub struct Fill {
    /// The number of reads that the call made.
    pub calls: u32,
    /// `Ok(true)` if the directory has no more records. An error if a read failed; the buffer then
    /// holds the records that earlier reads returned.
    pub at_end: io::Result<bool>,
}

/// An iterator over the entries of a [`Buffer`]. No method makes a system call.
#[derive(Clone, Debug)]
pub struct RawEntries<'a> {
    rest: &'a [u8],
    malformed: bool,
    with_dots: bool,
}

impl<'a> RawEntries<'a> {
    /// The entries in these records: a pure function of the bytes.
    #[must_use]
    pub fn new(records: &'a [u8]) -> RawEntries<'a> {
        RawEntries { rest: records, malformed: false, with_dots: false }
    }

    /// The size of the records that are left, in bytes.
    #[must_use]
    pub fn bytes_left(&self) -> usize {
        self.rest.len()
    }

    /// Goes to the next record whose name begins with a dot. Of the records before it, this reads
    /// only the length and the first byte of the name.
    #[inline]
    pub fn skip_to_dot(&mut self) {
        while let Some(head) = self.rest.first_chunk::<{ NAME_AT + 1 }>()
            && head[NAME_AT] != b'.'
        {
            let reclen = usize::from(u16::from_ne_bytes([head[RECLEN_AT], head[RECLEN_AT + 1]]));
            match self.rest.get(reclen..) {
                Some(rest) if reclen > NAME_AT => self.rest = rest,
                // The bytes are no record. `next` will say so.
                _ => return,
            }
        }
    }

    /// Whether the iteration ended because the bytes were no record.
    #[must_use]
    pub fn is_malformed(&self) -> bool {
        self.malformed
    }
}

impl<'a> Iterator for RawEntries<'a> {
    type Item = RawEntry<'a>;

    #[inline(always)]
    fn next(&mut self) -> Option<RawEntry<'a>> {
        while !self.rest.is_empty() {
            let Some((entry, rest)) = split_record(self.rest) else {
                self.malformed = true;
                self.rest = &[];
                return None;
            };
            self.rest = rest;
            if self.with_dots || !matches!(entry.name.to_bytes(), b"." | b"..") {
                return Some(entry);
            }
        }
        None
    }
}

/// The first record of `bytes`, and the bytes behind it. `None`: the bytes are no record.
#[inline(always)]
fn split_record(bytes: &[u8]) -> Option<(RawEntry<'_>, &[u8])> {
    let head: &[u8; NAME_AT] = bytes.first_chunk()?;
    let ino = u64::from_ne_bytes(*head.first_chunk()?);
    let reclen = u16::from_ne_bytes([head[RECLEN_AT], head[RECLEN_AT + 1]]);
    let file_type = FileType::from_d_type(head[TYPE_AT] & !HIDDEN);
    let (record, rest) = bytes.split_at_checked(usize::from(reclen))?;
    let name = name_of(record)?;
    // With an empty name a later open or stat could reach the directory itself.
    if name.is_empty() {
        return None;
    }
    let is_hidden = head[TYPE_AT] & HIDDEN != 0;
    Some((RawEntry { name, ino, file_type, is_hidden }, rest))
}

/// The name in a record: up to the first NUL, which must be there.
///
/// The length of a record is a multiple of eight, so that words cover it without a remainder. Its
/// third word holds the first five bytes of the name.
#[inline(always)]
fn name_of(record: &[u8]) -> Option<&CStr> {
    let (words, _) = record.get(RECLEN_AT..)?.as_chunks::<8>();
    let mut taken = RECLEN_AT;
    let mut before_name = 0x00ff_ffff;
    for word in words {
        let nul = first_zero(u64::from_le_bytes(*word) | before_name);
        if nul < 8 {
            let name = record.get(NAME_AT..=taken + nul)?;
            // SAFETY: `name` ends at the first NUL from NAME_AT on: the words before this one had
            // no NUL, and `before_name` made the bytes before the name other than zero.
            return Some(unsafe { CStr::from_bytes_with_nul_unchecked(name) });
        }
        taken += 8;
        before_name = 0;
    }
    until_nul(record.get(NAME_AT..)?)
}

/// The string at the start of `bytes`, up to the first NUL; `None` if there is no NUL. Makes no
/// system call.
///
/// The result is that of [`CStr::from_bytes_until_nul`]. This function looks at eight bytes at a
/// time, because for strings as short as file names a call of memchr costs more.
#[inline(always)]
#[must_use]
pub fn until_nul(bytes: &[u8]) -> Option<&CStr> {
    let (words, _) = bytes.as_chunks::<8>();
    let mut taken = 0;
    for word in words {
        let nul = first_zero(u64::from_le_bytes(*word));
        if nul < 8 {
            let name = bytes.get(..=taken + nul)?;
            // SAFETY: `name` ends at the first NUL of `bytes`: the words before this one had no
            // NUL.
            return Some(unsafe { CStr::from_bytes_with_nul_unchecked(name) });
        }
        taken += 8;
    }
    let rest = bytes.get(taken..)?;
    let nul = rest.iter().position(|&byte| byte == 0)?;
    CStr::from_bytes_with_nul(bytes.get(..=taken + nul)?).ok()
}

/// The index of the first zero byte in a word of little-endian bytes; 8 if there is no zero byte.
#[inline]
fn first_zero(word: u64) -> usize {
    // Each byte is 1: subtracting it sets the highest bit of a byte that is zero.
    const ONES: u64 = 0x0101_0101_0101_0101;
    // The lowest marked byte is zero. A byte above it may be marked by the borrow alone.
    let marked = word.wrapping_sub(ONES) & !word & (ONES << 7);
    (marked.trailing_zeros() / 8) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::nt::kind::attribute;

    fn names(buffer: &Buffer) -> Vec<Vec<u8>> {
        buffer.entries().map(|entry| entry.name.to_bytes().to_vec()).collect()
    }

    #[test]
    fn every_name_that_begins_with_a_dot_is_found() {
        let mut buffer = Buffer::with_capacity(4096);
        for name in [".", "a", ".b", "c", "..", "d", "e.f", ".gh", ".i", "long-name.without-dot"] {
            assert!(buffer.push(1, FileType::File, name.as_bytes()));
        }
        let mut entries = buffer.entries();
        let mut found = Vec::new();
        while let Some(entry) = {
            entries.skip_to_dot();
            entries.next()
        } {
            found.push(entry.name.to_str().expect("text"));
        }
        // `next` passes over `.` and `..`, and returns the name after each.
        assert_eq!(found, ["a", ".b", "d", ".gh", ".i"]);
        assert!(!entries.is_malformed());
        // A wrong length ends the iteration without a panic.
        let mut cut = RawEntries::new(&buffer.bytes[24..buffer.len() - 8]);
        while cut.next().is_some() {
            cut.skip_to_dot();
        }
        assert!(cut.is_malformed());
    }

    #[test]
    fn dot_and_dot_dot_are_left_out_and_dot_is_found() {
        let mut buffer = Buffer::with_capacity(0);
        for (ino, name) in [(7, "."), (2, ".."), (9, "a"), (10, "...")] {
            assert!(buffer.push(ino, FileType::Directory, name.as_bytes()));
        }
        assert_eq!(names(&buffer), [b"a".to_vec(), b"...".to_vec()]);
        assert_eq!(buffer.dot_ino(), Some(7));
    }

    #[test]
    fn dot_is_found_wherever_it_stands() {
        let mut buffer = Buffer::with_capacity(0);
        for ino in 0..100 {
            buffer.push(ino, FileType::File, format!(".{ino}").as_bytes());
        }
        assert_eq!(buffer.dot_ino(), None);
        buffer.push(4711, FileType::Directory, b".");
        assert_eq!(buffer.dot_ino(), Some(4711));
        assert_eq!(Buffer::from_records(&[0; 64]).dot_ino(), None);
    }

    #[test]
    fn what_an_enumeration_told_is_found_again() {
        let mut buffer = Buffer::with_capacity(0);
        assert!(buffer.push(1, FileType::File, b"plain"));
        for size in 1..20 {
            let attributes = if size % 2 == 0 { attribute::HIDDEN } else { attribute::ARCHIVE };
            let found = NtMeta { size, attributes, id: size, ..NtMeta::default() };
            assert!(buffer.push_found(&found, format!("file{size}").as_bytes()));
        }
        for (size, entry) in buffer.entries().enumerate() {
            let meta = buffer.meta(&entry);
            let told = (size > 0).then_some(size as u64);
            assert_eq!(meta.as_ref().and_then(Meta::size), told);
            assert_eq!(meta.as_ref().and_then(Meta::dev), None);
            assert_eq!(entry.is_hidden, size > 0 && size % 2 == 0);
            assert_eq!(entry.file_type, FileType::File);
        }
        let other = RawEntry { name: c"elsewhere", ..buffer.entries().next().expect("one") };
        assert!(buffer.meta(&other).is_none());
        buffer.clear();
        assert!(buffer.is_empty());
    }

    #[test]
    fn a_full_buffer_refuses_and_keeps_what_it_has() {
        let mut buffer = Buffer::with_capacity(0);
        let mut pushed = 0;
        while buffer.push(pushed, FileType::File, &[b'x'; 255]) {
            pushed += 1;
        }
        assert_eq!(buffer.entries().count() as u64, pushed);
        assert!(pushed > 10);
    }

    #[test]
    fn a_record_longer_than_the_buffer_is_malformed() {
        let mut buffer = Buffer::with_capacity(0);
        buffer.push(1, FileType::File, b"whole");
        buffer.push(2, FileType::File, b"cut");
        let cut = buffer.len() - 8;
        let mut entries = RawEntries::new(&buffer.bytes[..cut]);
        assert_eq!(entries.by_ref().count(), 1);
        assert!(entries.is_malformed());
    }

    #[test]
    fn a_name_without_nul_and_an_empty_name_are_malformed() {
        let mut buffer = Buffer::with_capacity(0);
        buffer.push(1, FileType::File, b"abc");
        let mut no_nul = buffer.bytes[..buffer.len()].to_vec();
        no_nul[NAME_AT..].fill(b'x');
        let mut empty = buffer.bytes[..buffer.len()].to_vec();
        empty[NAME_AT] = 0;
        for bytes in [no_nul, empty] {
            let mut entries = RawEntries::new(&bytes);
            assert_eq!(entries.next(), None);
            assert!(entries.is_malformed());
        }
    }

    #[test]
    fn a_record_of_length_zero_ends_the_iteration() {
        let mut entries = RawEntries::new(&[0; 64]);
        assert_eq!(entries.next(), None);
        assert!(entries.is_malformed());
    }

    /// Under Miri a case takes a thousand times as long.
    fn cases() -> ProptestConfig {
        let usual = ProptestConfig::default();
        ProptestConfig { cases: if cfg!(miri) { 4 } else { usual.cases }, ..usual }
    }

    fn name() -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(
            any::<u8>().prop_filter("no name", |byte| !b"/\0".contains(byte)),
            1..40,
        )
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn what_is_pushed_comes_back(names in prop::collection::vec((name(), any::<u64>(), 0_u8..15), 0..20)) {
            let mut buffer = Buffer::with_capacity(0);
            let mut expected = Vec::new();
            for (name, ino, kind) in &names {
                let file_type = FileType::from_d_type(*kind);
                if buffer.push(*ino, file_type, name) && !matches!(&name[..], b"." | b"..") {
                    expected.push((name.clone(), *ino, file_type));
                }
            }
            let got: Vec<_> = buffer
                .entries()
                .map(|entry| (entry.name.to_bytes().to_vec(), entry.ino, entry.file_type))
                .collect();
            prop_assert_eq!(got, expected);
        }

        #[test]
        fn names_end_at_their_first_nul(bytes in prop::collection::vec(0_u8..9, 0..80)) {
            prop_assert_eq!(until_nul(&bytes), CStr::from_bytes_until_nul(&bytes).ok());
        }

        #[test]
        fn names_of_records_end_at_their_first_nul(record in prop::collection::vec(0_u8..3, 0..80)) {
            let name = record.get(NAME_AT..).and_then(|name| CStr::from_bytes_until_nul(name).ok());
            prop_assert_eq!(name_of(&record), name);
        }

        #[test]
        fn high_bytes_are_no_nul(bytes in prop::collection::vec(0x7e_u8..0x83, 0..40)) {
            let ended = [&bytes[..], &[0]].concat();
            prop_assert_eq!(until_nul(&ended).map(CStr::to_bytes), Some(&bytes[..]));
        }

        #[test]
        fn any_bytes_end(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            prop_assert!(RawEntries::new(&bytes).count() <= bytes.len());
        }
    }
}
