//! [`Block`]: the records of one directory, sorted by name, followed by the bytes they point to.
//!
//! ```text
//!   block    | record | record | … | heap: names, link targets, digests |
//!
//!   record   0   ino     u64      40  mtime's nanoseconds  u32      64  name, its offset u32
//!            8   size    u64      44  ctime's nanoseconds  u32      68  name, its length u16
//!            16  mtime   i64      48  btime's nanoseconds  u32      70  flags            u16
//!            24  ctime   i64      52  mode, with the type  u32      72  offset or id     u32
//!            32  btime   i64      56  uid  60  gid         u32      76  length           u32
//! ```
//!
//! Offsets are counted from the start of the heap. The last two fields are those of a link's target
//! or of a file's digest. For a directory, they are its id and 0.

use brisk::FileType;

use super::record::{Attrs, DirId, Flags, NO_DIR, RECORD, Record, u16_at, u32_at, u64_at};

/// The records of one directory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Block<'a> {
    records: &'a [[u8; RECORD]],
    heap: &'a [u8],
}

/// The fields of a record that a search for changes needs: decoded in less time than all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordHead {
    pub ino: u64,
    pub flags: Flags,
    pub file_type: FileType,
    pub dir_id: DirId,
}

impl<'a> Block<'a> {
    /// The block in these bytes; an empty block if there are too few bytes for `count` records.
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
        self.records.get(at).map_or(&[], |record| self.name_of(record))
    }

    #[inline]
    fn name_of(&self, record: &[u8; RECORD]) -> &'a [u8] {
        self.bytes(u32_at(record, 64), u16_at(record, 68).into())
    }

    #[inline]
    pub fn record(&self, at: usize) -> Option<Record<'a>> {
        let record = self.records.get(at)?;
        let attrs = record.first_chunk().map(Attrs::of_bytes)?;
        let is_dir = attrs.file_type().is_dir();
        Some(Record {
            name: self.name(at),
            attrs,
            flags: Flags(u16_at(record, 70)),
            target_or_digest: if is_dir { &[] } else { self.target_or_digest(record) },
            dir_id: if is_dir { u32_at(record, 72) } else { NO_DIR },
        })
    }

    pub fn iter(self) -> impl Iterator<Item = Record<'a>> {
        (0..self.len()).filter_map(move |at| self.record(at))
    }

    pub fn heads(self) -> impl Iterator<Item = RecordHead> {
        self.records.iter().map(|record| {
            let file_type = FileType::from_mode(u32_at(record, 52));
            RecordHead {
                ino: u64_at(record, 0),
                flags: Flags(u16_at(record, 70)),
                file_type,
                dir_id: if file_type.is_dir() { u32_at(record, 72) } else { NO_DIR },
            }
        })
    }

    /// The directories among the records: position in the block, and id.
    pub fn subdirs(self) -> impl Iterator<Item = (u32, DirId)> {
        let subdirs = (0..).zip(self.heads().map(|head| head.dir_id));
        subdirs.filter(|(_, id)| *id != NO_DIR)
    }

    /// Whether two records are equal, including name, target and digest, and are not directories.
    pub fn is_same_leaf(self, at: usize, other: Block<'_>, other_at: usize) -> bool {
        let (Some(a), Some(b)) = (self.records.get(at), other.records.get(other_at)) else {
            return false;
        };
        a[..64] == b[..64]
            && a[68..72] == b[68..72]
            && has_target_or_digest(a)
            && self.name(at) == other.name(other_at)
            && self.target_or_digest(a) == other.target_or_digest(b)
    }

    fn target_or_digest(&self, record: &[u8; RECORD]) -> &'a [u8] {
        self.bytes(u32_at(record, 72), u32_at(record, 76))
    }

    /// The parts of the heap that the records point to, each by its offset and length.
    pub fn heap_parts(self) -> impl Iterator<Item = (u32, u32)> {
        let parts = |record: &'a [u8; RECORD]| {
            let name = (u32_at(record, 64), u16_at(record, 68).into());
            let other = has_target_or_digest(record);
            [Some(name), other.then(|| (u32_at(record, 72), u32_at(record, 76)))]
        };
        self.records.iter().flat_map(parts).flatten()
    }

    /// The position of the record with this name. `expected` is tried first: it is right if the
    /// caller searches in the order of the block.
    #[inline]
    pub fn find(&self, name: &[u8], expected: usize) -> Option<usize> {
        if expected < self.len() && self.name(expected) == name {
            return Some(expected);
        }
        self.records.binary_search_by(|record| self.name_of(record).cmp(name)).ok()
    }

    #[inline]
    fn bytes(&self, offset: u32, length: u32) -> &'a [u8] {
        let start = offset as usize;
        self.heap.get(start..start.saturating_add(length as usize)).unwrap_or_default()
    }
}

/// Whether the record points to a link's target or a digest.
fn has_target_or_digest(record: &[u8; RECORD]) -> bool {
    !FileType::from_mode(u32_at(record, 52)).is_dir()
}

/// Adjusts the offsets in records to a heap that begins at `start`.
pub(crate) fn move_offsets(records: &mut [u8], start: u32) {
    for record in records.as_chunks_mut::<RECORD>().0 {
        let fields = if has_target_or_digest(record) { &[64, 72][..] } else { &[64] };
        for &at in fields {
            let offset = u32_at(record, at).wrapping_sub(start);
            record[at..at + 4].copy_from_slice(&offset.to_le_bytes());
        }
    }
}

/// Builds a block. Records are added in the order of their names.
#[derive(Debug, Default)]
pub(crate) struct BlockBuilder {
    records: Vec<u8>,
    heap: Vec<u8>,
    /// How many records, and how many bytes of the heap, [`take`](BlockBuilder::take) has taken.
    taken_records: usize,
    taken_heap: usize,
}

/// The bytes of a block, and how many records it has.
#[derive(Debug, Default)]
pub(crate) struct NewBlock {
    pub bytes: Vec<u8>,
    pub count: usize,
}

impl BlockBuilder {
    pub fn push(&mut self, record: &Record<'_>) {
        record.attrs.append(&mut self.records);
        let name = self.add(record.name);
        let is_dir = record.is_dir();
        let other = if is_dir { record.dir_id } else { self.add(record.target_or_digest) };
        let length = if is_dir { 0 } else { record.target_or_digest.len() as u32 };
        self.records.extend(name.to_le_bytes());
        self.records.extend((record.name.len() as u16).to_le_bytes());
        self.records.extend(record.flags.0.to_le_bytes());
        self.records.extend(other.to_le_bytes());
        self.records.extend(length.to_le_bytes());
    }

    /// Appends bytes to the heap, and returns their offset.
    fn add(&mut self, bytes: &[u8]) -> u32 {
        let offset = self.taken_heap + self.heap.len();
        self.heap.extend_from_slice(bytes);
        offset as u32
    }

    /// How many records were added.
    pub fn len(&self) -> usize {
        self.taken_records + self.records.len() / RECORD
    }

    /// How many bytes are in memory.
    pub fn size(&self) -> usize {
        self.records.len() + self.heap.len()
    }

    /// Takes the bytes that are in memory: records, and their part of the heap. The block consists
    /// of all records that were taken, followed by all parts of the heap.
    pub fn take(&mut self) -> [Vec<u8>; 2] {
        self.taken_records = self.len();
        self.taken_heap += self.heap.len();
        [&mut self.records, &mut self.heap].map(std::mem::take)
    }

    pub fn finish(self) -> NewBlock {
        let count = self.len();
        let mut bytes = self.records;
        bytes.extend(self.heap);
        NewBlock { bytes, count }
    }
}

#[cfg(test)]
mod tests {
    use brisk::Timestamp;

    use super::*;

    fn attrs(mode: u32) -> Attrs {
        let time = |secs| Timestamp { secs, nanos: 7 };
        let [mtime, ctime, btime] = [-1, 2, 3].map(time);
        Attrs { ino: 1 << 40, size: 9, mtime, ctime, btime, mode, uid: 5, gid: 6 }
    }

    #[test]
    fn what_is_written_is_read() {
        let mut builder = BlockBuilder::default();
        let flags = Flags::default().with(Flags::RESULT, true);
        let dir = attrs(FileType::Directory.mode_bits() | 0o755);
        let link = attrs(FileType::Symlink.mode_bits() | 0o777);
        let record = |name, attrs, target_or_digest, dir_id| Record {
            name,
            attrs,
            flags,
            target_or_digest,
            dir_id,
        };
        builder.push(&record(b"a", dir, b"", 12));
        builder.push(&record(b"bc", link, b"to", NO_DIR));
        let NewBlock { bytes, count } = builder.finish();
        let block = Block::new(&bytes, count);
        let read = block.record(0).expect("a record");
        assert_eq!((read.name, read.attrs, read.dir_id), (&b"a"[..], dir, 12));
        let read = block.record(1).expect("a record");
        assert_eq!((read.name, read.attrs, read.target_or_digest), (&b"bc"[..], link, &b"to"[..]));
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
