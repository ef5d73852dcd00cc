//! [`Record`] and [`Block`]: what a state holds about an entry, and about a directory's entries.
//!
//! A block has the records of one directory, sorted by name, and then the bytes that they point to:
//!
//! ```text
//!   block    | record | record | … | bytes: names, link targets, digests |
//!
//!   record   0   ino     u64      40  mtime's nanoseconds  u32      64  name, its place  u32
//!            8   size    u64      44  ctime's nanoseconds  u32      68  name, its length u16
//!            16  mtime   i64      48  btime's nanoseconds  u32      70  flags            u16
//!            24  ctime   i64      52  mode, with the type  u32      72  more             u32
//!            32  btime   i64      56  uid  60  gid         u32      76  more, its length u32
//! ```
//!
//! All numbers are little-endian. A place is an offset from the end of the records. `more` is the
//! place of a link's target or of a file's digest, and for a directory the number of its block.
//! Every access is checked, so that a damaged state can cause wrong results, but no panic.

use brisk::{Fields, FileType, Meta, Timestamp};

/// The bytes of a record, and of the stamp that it begins with.
pub(crate) const RECORD: usize = 80;
pub(crate) const STAMP: usize = 64;
/// The number of no block: the entry is no directory, or one that was not entered.
pub(crate) const NO_BLOCK: u32 = u32::MAX;
/// The bytes of a digest.
pub(crate) const DIGEST: usize = 32;

/// What else a state knows of an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags(pub u16);

impl Flags {
    /// The entry is a result: the choice took it.
    pub const LISTED: Flags = Flags(1);
    /// The entry may have changed since without a trace in its times.
    pub const RACY: Flags = Flags(2);
    /// `more` is the place of a digest.
    pub const DIGEST: Flags = Flags(4);
    /// The digest was taken because the entry was racy, and not because contents decide.
    pub const UNASKED: Flags = Flags(8);

    pub fn has(self, flag: Flags) -> bool {
        self.0 & flag.0 != 0
    }

    pub fn with(self, flag: Flags, is_set: bool) -> Flags {
        if is_set { Flags(self.0 | flag.0) } else { Flags(self.0 & !flag.0) }
    }
}

/// The metadata of an entry that a state compares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub ino: u64,
    pub size: u64,
    pub mtime: Timestamp,
    pub ctime: Timestamp,
    pub btime: Timestamp,
    /// With the bits of the type.
    pub mode: u32,
    pub uid: u32,
    pub gid: u32,
}

impl Stamp {
    /// The fields of metadata that a stamp has.
    pub const FIELDS: Fields = Fields::TYPE
        .union(Fields::MODE)
        .union(Fields::UID)
        .union(Fields::GID)
        .union(Fields::INO)
        .union(Fields::SIZE)
        .union(Fields::MTIME)
        .union(Fields::CTIME)
        .union(Fields::BTIME)
        .union(Fields::DEV);

    /// The stamp of what was asked; fields that the system lacks are zero.
    #[inline]
    pub fn of(meta: &Meta) -> Stamp {
        let file_type = meta.file_type().unwrap_or_default();
        Stamp {
            ino: meta.ino().unwrap_or(0),
            size: meta.size().unwrap_or(0),
            mtime: meta.mtime().unwrap_or_default(),
            ctime: meta.ctime().unwrap_or_default(),
            btime: meta.btime().unwrap_or_default(),
            mode: meta.mode().unwrap_or(0) & 0o7777 | file_type.mode_bits(),
            uid: meta.uid().unwrap_or(0),
            gid: meta.gid().unwrap_or(0),
        }
    }

    pub fn append(&self, out: &mut Vec<u8>) {
        let Stamp { ino, size, mtime, ctime, btime, mode, uid, gid } = *self;
        let times = [mtime, ctime, btime];
        out.extend([ino, size].iter().flat_map(|number| number.to_le_bytes()));
        out.extend(times.iter().flat_map(|time| time.secs.to_le_bytes()));
        out.extend(times.iter().flat_map(|time| time.nanos.to_le_bytes()));
        out.extend([mode, uid, gid].iter().flat_map(|number| number.to_le_bytes()));
    }

    /// The stamp in these bytes, which [`append`](Stamp::append) made.
    #[inline]
    pub fn of_bytes(bytes: &[u8; STAMP]) -> Stamp {
        let time = |secs, nanos| Timestamp {
            secs: u64_at(bytes, secs) as i64,
            nanos: u32_at(bytes, nanos),
        };
        Stamp {
            ino: u64_at(bytes, 0),
            size: u64_at(bytes, 8),
            mtime: time(16, 40),
            ctime: time(24, 44),
            btime: time(32, 48),
            mode: u32_at(bytes, 52),
            uid: u32_at(bytes, 56),
            gid: u32_at(bytes, 60),
        }
    }

    pub fn file_type(&self) -> FileType {
        FileType::from_mode(self.mode)
    }

    /// The fields in which two stamps differ, without those of directories that say nothing: their
    /// times and their size.
    pub fn differs(&self, new: &Stamp) -> Fields {
        let mut fields = Fields::empty();
        let is_dir = new.file_type().is_dir() && self.file_type().is_dir();
        let mut add =
            |differs: bool, field| fields |= if differs { field } else { Fields::empty() };
        add(self.file_type() != new.file_type(), Fields::TYPE);
        add(self.mode & 0o7777 != new.mode & 0o7777, Fields::MODE);
        add(self.uid != new.uid, Fields::UID);
        add(self.gid != new.gid, Fields::GID);
        add(self.ino != new.ino, Fields::INO);
        add(!is_dir && self.size != new.size, Fields::SIZE);
        add(!is_dir && self.mtime != new.mtime, Fields::MTIME);
        add(!is_dir && self.ctime != new.ctime, Fields::CTIME);
        fields
    }
}

/// What a record says, borrowed from its block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a> {
    pub name: &'a [u8],
    pub stamp: Stamp,
    pub flags: Flags,
    /// The target of a link, or the digest of a file's contents.
    pub more: &'a [u8],
    /// The number of a directory's own block, or [`NO_BLOCK`].
    pub block: u32,
}

impl<'a> Record<'a> {
    pub fn is_dir(&self) -> bool {
        self.stamp.file_type().is_dir()
    }

    pub fn digest(&self) -> Option<&'a [u8]> {
        self.flags.has(Flags::DIGEST).then_some(self.more)
    }
}

/// A part of a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Brief {
    pub ino: u64,
    pub flags: Flags,
    pub is_file: bool,
    pub is_dir: bool,
    pub block: u32,
}

/// The records of one directory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Block<'a> {
    pub records: &'a [[u8; RECORD]],
    pub heap: &'a [u8],
}

impl<'a> Block<'a> {
    /// The block in these bytes; an empty one if there are fewer records than that.
    pub fn new(bytes: &'a [u8], count: usize) -> Block<'a> {
        let Some((records, heap)) = bytes.split_at_checked(count.saturating_mul(RECORD)) else {
            return Block::default();
        };
        Block { records: records.as_chunks().0, heap }
    }

    pub fn len(&self) -> usize {
        self.records.len()
    }

    #[inline]
    pub fn name(&self, at: usize) -> &'a [u8] {
        let Some(record) = self.records.get(at) else { return &[] };
        self.bytes(u32_at(record, 64), u16_at(record, 68).into())
    }

    #[inline]
    pub fn record(&self, at: usize) -> Option<Record<'a>> {
        let record = self.records.get(at)?;
        let stamp = record.first_chunk().map(Stamp::of_bytes)?;
        let is_dir = stamp.file_type().is_dir();
        Some(Record {
            name: self.name(at),
            stamp,
            flags: Flags(u16_at(record, 70)),
            more: if is_dir { &[] } else { self.more(record) },
            block: if is_dir { u32_at(record, 72) } else { NO_BLOCK },
        })
    }

    pub fn iter(self) -> impl Iterator<Item = Record<'a>> {
        (0..self.len()).filter_map(move |at| self.record(at))
    }

    /// What a search compares of each record.
    pub fn briefs(self) -> impl Iterator<Item = Brief> {
        self.records.iter().map(|record| {
            let file_type = FileType::from_mode(u32_at(record, 52));
            let is_dir = file_type.is_dir();
            Brief {
                ino: u64_at(record, 0),
                flags: Flags(u16_at(record, 70)),
                is_file: file_type == FileType::File,
                is_dir,
                block: if is_dir { u32_at(record, 72) } else { NO_BLOCK },
            }
        })
    }

    /// For each record the number of the directory's own block, or [`NO_BLOCK`].
    pub fn children(self) -> impl Iterator<Item = u32> {
        self.briefs().map(|brief| brief.block)
    }

    /// Whether two records are the same, and no directories: byte for byte, names and targets too.
    pub fn is_same_leaf(self, at: usize, other: Block<'_>, other_at: usize) -> bool {
        let (Some(a), Some(b)) = (self.records.get(at), other.records.get(other_at)) else {
            return false;
        };
        a[..64] == b[..64]
            && a[68..72] == b[68..72]
            && has_more(a)
            && self.name(at) == other.name(other_at)
            && self.more(a) == other.more(b)
    }

    fn more(&self, record: &[u8; RECORD]) -> &'a [u8] {
        self.bytes(u32_at(record, 72), u32_at(record, 76))
    }

    /// What the records point to in the bytes behind them: where each is, and how long.
    pub fn places(self) -> impl Iterator<Item = (u32, u32)> {
        self.records
            .iter()
            .flat_map(|record| {
                let name = (u32_at(record, 64), u16_at(record, 68).into());
                [Some(name), has_more(record).then(|| (u32_at(record, 72), u32_at(record, 76)))]
            })
            .flatten()
    }

    /// The number of the record with this name. A caller that asks in the block's order gives the
    /// number it expects.
    #[inline]
    pub fn find(&self, name: &[u8], expected: usize) -> Option<usize> {
        if expected < self.len() && self.name(expected) == name {
            return Some(expected);
        }
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.name(middle).cmp(name) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    #[inline]
    fn bytes(&self, at: u32, length: u32) -> &'a [u8] {
        let at = at as usize;
        self.heap.get(at..at.saturating_add(length as usize)).unwrap_or_default()
    }
}

/// Whether a record points to a link's target or a digest.
fn has_more(record: &[u8; RECORD]) -> bool {
    !FileType::from_mode(u32_at(record, 52)).is_dir()
}

/// Makes records that are moved, without the bytes before `start` behind them, point to these bytes.
pub(crate) fn move_places(records: &mut [u8], start: u32) {
    for record in records.as_chunks_mut::<RECORD>().0 {
        let places = if has_more(record) { &[64, 72][..] } else { &[64] };
        for &at in places {
            let place = u32_at(record, at).wrapping_sub(start);
            record[at..at + 4].copy_from_slice(&place.to_le_bytes());
        }
    }
}

/// The number at `at`; zero beyond the end.
#[inline]
pub(crate) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |word| u16::from_le_bytes(*word))
}

/// As [`u16_at`].
#[inline]
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |word| u32::from_le_bytes(*word))
}

/// As [`u16_at`].
#[inline]
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |word| u64::from_le_bytes(*word))
}

/// Builds a block. Records are added in the order of their names.
#[derive(Debug, Default)]
pub(crate) struct BlockBuilder {
    records: Vec<u8>,
    heap: Vec<u8>,
    /// How many records, and how many bytes behind records, were taken.
    taken: (usize, usize),
}

impl BlockBuilder {
    pub fn push(&mut self, record: &Record<'_>) {
        let out = &mut self.records;
        record.stamp.append(out);
        let (_, before) = self.taken;
        let name = (before + self.heap.len()) as u32;
        self.heap.extend_from_slice(record.name);
        let (more, length) = match record.is_dir() {
            true => (record.block, 0),
            false => ((before + self.heap.len()) as u32, record.more.len() as u32),
        };
        self.heap.extend_from_slice(record.more);
        out.extend(name.to_le_bytes());
        out.extend((record.name.len() as u16).to_le_bytes());
        out.extend(record.flags.0.to_le_bytes());
        out.extend([more, length].iter().flat_map(|number| number.to_le_bytes()));
    }

    /// How many records were added.
    pub fn len(&self) -> usize {
        self.taken.0 + self.records.len() / RECORD
    }

    /// The bytes that are in memory.
    pub fn size(&self) -> usize {
        self.records.len() + self.heap.len()
    }

    /// Takes the bytes that are in memory: records, and what they point to. The block is that of
    /// all records taken, and then of all the other bytes.
    pub fn take(&mut self) -> [Vec<u8>; 2] {
        self.taken = (self.len(), self.taken.1 + self.heap.len());
        [&mut self.records, &mut self.heap].map(std::mem::take)
    }

    /// The bytes of the block, and how many records it has.
    pub fn finish(mut self) -> (Vec<u8>, usize) {
        let count = self.records.len() / RECORD;
        self.records.extend_from_slice(&self.heap);
        (self.records, count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(mode: u32) -> Stamp {
        let time = |secs| Timestamp { secs, nanos: 7 };
        let (mtime, ctime, btime) = (time(-1), time(2), time(3));
        Stamp { ino: 1 << 40, size: 9, mtime, ctime, btime, mode, uid: 5, gid: 6 }
    }

    #[test]
    fn what_is_written_is_read() {
        let mut builder = BlockBuilder::default();
        let flags = Flags::default().with(Flags::LISTED, true);
        let dir = stamp(FileType::Directory.mode_bits() | 0o755);
        let link = stamp(FileType::Symlink.mode_bits() | 0o777);
        builder.push(&Record { name: b"a", stamp: dir, flags, more: b"", block: 12 });
        builder.push(&Record { name: b"bc", stamp: link, flags, more: b"to", block: NO_BLOCK });
        let (bytes, count) = builder.finish();
        let block = Block::new(&bytes, count);
        let read = block.record(0).expect("a record");
        assert_eq!((read.name, read.stamp, read.block), (&b"a"[..], dir, 12));
        let read = block.record(1).expect("a record");
        assert_eq!((read.name, read.stamp, read.more), (&b"bc"[..], link, &b"to"[..]));
        assert_eq!((block.find(b"bc", 0), block.find(b"a", 0)), (Some(1), Some(0)));
        assert_eq!(block.find(b"b", 0), None);
    }

    #[test]
    fn damaged_bytes_are_no_records() {
        assert_eq!(Block::new(&[0; RECORD], 2).len(), 0);
        let block = [[0xff; RECORD]];
        let block = Block { records: &block, heap: b"" };
        assert_eq!(block.record(0).map(|record| record.name.len()), Some(0));
    }
}
