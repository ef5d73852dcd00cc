//! Directory records in bulk: one buffer filled by the kernel, many entries borrowed from it.
//!
//! The records have the layout of Linux's `linux_dirent64`, which the portable backend writes too, so
//! that one bounds-checked decoder serves both:
//!
//! ```text
//!   0        8        16      18      19                 reclen
//!   | d_ino  | d_off  |reclen | type  | name … NUL … pad |
//! ```
//!
//! A buffer owns its bytes and can change owner, so that another worker can stat its entries.

use std::ffi::CStr;
use std::io;

use crate::nt::records::Found;
use crate::{FileType, Meta};

pub(crate) const PLACE_AT: usize = 8;
pub(crate) const RECLEN_AT: usize = 16;
const TYPE_AT: usize = 18;
/// A bit of the type that no system uses: the file is hidden.
const HIDDEN: u8 = 0x80;
/// Where the name begins: the length of a record's fixed part.
pub(crate) const NAME_AT: usize = 19;
/// The space, in bytes, that a read is worth making for: every record with a name of up to 255
/// bytes fits, and those of file systems whose names have 255 characters of UTF-8. (FUSE grants
/// names of 1,024 bytes: their records may need the next buffer.)
const MAX_RECORD: usize = 1024;
/// The longest record that there can be, in bytes: its length is a number of 16 bits.
#[cfg(any(target_os = "linux", target_os = "android"))]
const LONGEST: usize = 1 << 16;

/// One entry, borrowed from a [`Buffer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawEntry<'a> {
    /// Its name; `.` and `..` only where they were asked for.
    pub name: &'a CStr,
    /// The inode number as the directory has it.
    pub ino: u64,
    /// The type as the directory has it; [`FileType::Unknown`] where it has none.
    pub file_type: FileType,
    /// Whether an attribute says that the file is hidden (Windows).
    pub is_hidden: bool,
}

/// Space for directory records.
#[derive(Debug)]
pub struct Buffer {
    bytes: Box<[u8]>,
    len: usize,
    /// The records are paths, among which `.` and `..` are as good as any.
    of_paths: bool,
    /// What the directory told beyond the records, for systems that tell more: a record's `d_off` is
    /// the place here, counted from 1.
    found: Vec<Found>,
}

impl Buffer {
    /// An empty buffer of `capacity` bytes, at least large enough for a few records.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Buffer {
        Buffer {
            bytes: vec![0; capacity.max(4 * MAX_RECORD)].into_boxed_slice(),
            len: 0,
            of_paths: false,
            found: Vec::new(),
        }
    }

    /// An empty buffer that [`Dir::fill`](crate::Dir::fill) fills by as few reads as the system
    /// allows: Linux by one.
    #[must_use]
    pub(crate) fn for_one_read() -> Buffer {
        let capacity = if cfg!(windows) { 4 * MAX_RECORD } else { MAX_RECORD };
        let bytes = vec![0; capacity].into_boxed_slice();
        Buffer { bytes, len: 0, of_paths: false, found: Vec::new() }
    }

    /// A buffer that holds these records: for tests, fuzzing and captured bytes.
    #[must_use]
    pub fn from_records(records: &[u8]) -> Buffer {
        let (bytes, len) = (records.into(), records.len());
        Buffer { bytes, len, of_paths: false, found: Vec::new() }
    }

    /// Forgets the records.
    pub fn clear(&mut self) {
        self.len = 0;
        self.of_paths = false;
        self.found.clear();
    }

    /// Whether there are no records, not even `.`.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number of bytes there is room for.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.bytes.len()
    }

    /// The number of bytes in use.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The entries without `.` and `..`, in the directory's own order.
    #[must_use]
    pub fn entries(&self) -> RawEntries<'_> {
        self.entries_in(0..self.len)
    }

    /// The entries in a part of the records, which must begin and end between two of them.
    #[must_use]
    pub fn entries_in(&self, range: std::ops::Range<usize>) -> RawEntries<'_> {
        let rest = self.bytes[..self.len].get(range).unwrap_or(&[]);
        RawEntries { rest, malformed: false, with_dots: self.of_paths }
    }

    /// As [`entries_in`](Buffer::entries_in), with `.` and `..` if they are wanted.
    #[must_use]
    pub fn entries_and_dots(&self, range: std::ops::Range<usize>, dots: bool) -> RawEntries<'_> {
        let entries = self.entries_in(range);
        RawEntries { with_dots: entries.with_dots || dots, ..entries }
    }

    /// The inode of `.`, the directory itself, if it stands among these records. (It need not be the
    /// first: in a small directory of ext4 it stands where its hash puts it.)
    #[must_use]
    pub fn dot_ino(&self) -> Option<u64> {
        let mut rest = &self.bytes[..self.len];
        // Only lengths and two bytes of each name are looked at.
        while let Some(head) = rest.first_chunk::<{ NAME_AT + 2 }>() {
            if head[NAME_AT..] == *b".\0" {
                return head.first_chunk().map(|ino| u64::from_ne_bytes(*ino));
            }
            let reclen = u16::from_ne_bytes([head[RECLEN_AT], head[RECLEN_AT + 1]]);
            rest = rest.get(usize::from(reclen).max(1)..)?;
        }
        None
    }

    /// The bytes in use.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(crate) fn records(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// The unused end of the buffer, if a record is sure to fit in it.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(crate) fn space(&mut self) -> Option<&mut [u8]> {
        let space = &mut self.bytes[self.len..];
        (space.len() >= MAX_RECORD).then_some(space)
    }

    /// Makes an empty buffer large enough for every record; `false` if it is so already, or has
    /// records.
    #[cold]
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(crate) fn grow(&mut self) -> bool {
        if !self.is_empty() || self.bytes.len() >= LONGEST {
            return false;
        }
        self.bytes = vec![0; LONGEST].into_boxed_slice();
        true
    }

    /// Declares that the first `count` bytes of [`space`](Buffer::space) hold records now.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(crate) fn advance(&mut self, count: usize) {
        self.len = (self.len + count).min(self.bytes.len());
    }

    /// Appends a record for a path, so that it can be treated like an entry of the current directory.
    /// `false` if there is no room for it.
    #[must_use]
    pub fn push_root(&mut self, file_type: FileType, path: &[u8]) -> bool {
        self.of_paths = true;
        self.push(0, file_type, path)
    }

    /// The same for a root whose inode is known.
    #[must_use]
    pub fn push_known_root(&mut self, ino: u64, file_type: FileType, name: &[u8]) -> bool {
        self.of_paths = true;
        self.push(ino, file_type, name)
    }

    /// Appends a record, unless there is no room for it.
    pub(crate) fn push(&mut self, ino: u64, file_type: FileType, name: &[u8]) -> bool {
        let reclen = (NAME_AT + name.len() + 1).next_multiple_of(8);
        let Some(space) = self.bytes[self.len..].get_mut(..reclen) else { return false };
        let Ok(reclen_bytes) = u16::try_from(reclen).map(u16::to_ne_bytes) else { return false };
        space.fill(0);
        space[..8].copy_from_slice(&ino.to_ne_bytes());
        space[RECLEN_AT..TYPE_AT].copy_from_slice(&reclen_bytes);
        space[TYPE_AT] = d_type(file_type);
        space[NAME_AT..NAME_AT + name.len()].copy_from_slice(name);
        self.len += reclen;
        true
    }

    /// Appends a record with all that an enumeration told, unless there is no room for it: for systems
    /// whose directories hold metadata.
    #[must_use]
    pub fn push_found(&mut self, found: &Found, name: &[u8]) -> bool {
        let record = self.len;
        if !self.push(found.id, found.file_type(), name) {
            return false;
        }
        self.found.push(*found);
        let place = self.found.len() as u64;
        self.bytes[record + PLACE_AT..][..8].copy_from_slice(&place.to_ne_bytes());
        self.bytes[record + TYPE_AT] |= if found.is_hidden() { HIDDEN } else { 0 };
        true
    }

    /// Makes room for what is told of this many entries more.
    #[cfg(windows)]
    pub(crate) fn reserve_found(&mut self, count: usize) {
        self.found.reserve(count);
    }

    /// Of how many entries the enumeration told more than name and type.
    #[must_use]
    pub fn told(&self) -> usize {
        self.found.len()
    }

    /// The metadata that came with an entry of this buffer; `None` where directories hold none.
    #[inline]
    #[must_use]
    pub fn meta(&self, entry: &RawEntry<'_>) -> Option<Meta> {
        if self.found.is_empty() { None } else { self.found_meta(entry) }
    }

    fn found_meta(&self, entry: &RawEntry<'_>) -> Option<Meta> {
        // The entry is borrowed from these bytes: where its name stands tells which record it is.
        let name = entry.name.as_ptr().addr().checked_sub(self.bytes.as_ptr().addr())?;
        let place = self.bytes.get(name.checked_sub(NAME_AT - PLACE_AT)?..)?.first_chunk()?;
        let place = usize::try_from(u64::from_ne_bytes(*place)).ok()?;
        Some(self.found.get(place.checked_sub(1)?)?.meta())
    }
}

/// What one [`Dir::fill`](crate::Dir::fill) did.
#[derive(Debug)]
pub struct Fill {
    /// The number of reads that it took.
    pub calls: u32,
    /// `Ok(true)` if the directory has no more records; an error if reading failed, in which case
    /// the records before it are in the buffer all the same.
    pub complete: io::Result<bool>,
}

/// Iterates over the entries of a [`Buffer`].
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

    /// How many bytes of records are left.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Whether the iteration ended at bytes that are no record.
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

/// The first record of `bytes` and what follows it; `None` if the bytes are no record.
#[inline(always)]
fn split_record(bytes: &[u8]) -> Option<(RawEntry<'_>, &[u8])> {
    let head: &[u8; NAME_AT] = bytes.first_chunk()?;
    let ino = u64::from_ne_bytes(*head.first_chunk()?);
    let reclen = u16::from_ne_bytes([head[RECLEN_AT], head[RECLEN_AT + 1]]);
    let file_type = from_d_type(head[TYPE_AT] & !HIDDEN);
    let (record, rest) = bytes.split_at_checked(usize::from(reclen))?;
    let name = name_of(record)?;
    // An empty name would lead a later open astray.
    if name.is_empty() {
        return None;
    }
    let is_hidden = head[TYPE_AT] & HIDDEN != 0;
    Some((RawEntry { name, ino, file_type, is_hidden }, rest))
}

/// The name in a record: up to the first NUL, which must be there.
///
/// A record is whole words, so that no bytes are left over at its end: its third word has the first five
/// bytes of the name.
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
            // none, and in the first word the bytes before the name were made other than zero.
            return Some(unsafe { CStr::from_bytes_with_nul_unchecked(name) });
        }
        taken += 8;
        before_name = 0;
    }
    until_nul(record.get(NAME_AT..)?)
}

/// The string that `bytes` begins with, up to its first NUL; `None` if there is no NUL.
///
/// As [`CStr::from_bytes_until_nul`], eight bytes at a time: file names are too short for a call of
/// memchr to pay.
#[inline(always)]
#[must_use]
pub fn until_nul(bytes: &[u8]) -> Option<&CStr> {
    let (words, _) = bytes.as_chunks::<8>();
    let mut taken = 0;
    for word in words {
        let nul = first_zero(u64::from_le_bytes(*word));
        if nul < 8 {
            let name = bytes.get(..=taken + nul)?;
            // SAFETY: `name` ends at the first NUL of `bytes`: the words before this one had none.
            return Some(unsafe { CStr::from_bytes_with_nul_unchecked(name) });
        }
        taken += 8;
    }
    let rest = bytes.get(taken..)?;
    let nul = rest.iter().position(|&byte| byte == 0)?;
    CStr::from_bytes_with_nul(bytes.get(..=taken + nul)?).ok()
}

/// The index of the first zero byte of a word read in little-endian order, 8 if there is none.
#[inline]
fn first_zero(word: u64) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // The lowest marked byte is exact; those above it may be marked by the borrow alone.
    let marked = word.wrapping_sub(ONES) & !word & (ONES << 7);
    (marked.trailing_zeros() / 8) as usize
}

fn from_d_type(d_type: u8) -> FileType {
    match d_type {
        0 => FileType::Unknown,
        1 => FileType::Fifo,
        2 => FileType::CharDevice,
        4 => FileType::Directory,
        6 => FileType::BlockDevice,
        8 => FileType::File,
        10 => FileType::Symlink,
        12 => FileType::Socket,
        _ => FileType::Other,
    }
}

fn d_type(file_type: FileType) -> u8 {
    match file_type {
        FileType::Unknown => 0,
        FileType::Fifo => 1,
        FileType::CharDevice => 2,
        FileType::Directory => 4,
        FileType::BlockDevice => 6,
        FileType::File => 8,
        FileType::Symlink => 10,
        FileType::Socket => 12,
        FileType::Other => 14,
    }
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
            let found = Found { size, attributes, id: size, ..Found::default() };
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
                let file_type = from_d_type(*kind);
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
