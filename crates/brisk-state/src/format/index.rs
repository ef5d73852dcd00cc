//! The header and the index of a state file: their fields, and how they are encoded.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek};

use brisk_sys::btrfs::Subvolume;
use brisk_sys::nt::usn::Position;
use brisk_sys::volume::{Volume, VolumeKind};
use xxhash_rust::xxh3::xxh3_64;

use super::record::{DirId, TOP, u16_at, u32_at, u64_at};

/// The first bytes of every state file.
const MAGIC: [u8; 8] = *b"brisk\0st";
/// The version of the format that this program reads and writes.
const VERSION: u32 = 2;
/// The length of the header, in bytes.
pub(crate) const HEADER: usize = 64;
/// The length of an [`IndexedDir`], in bytes.
pub(crate) const DIR: usize = 48;
/// The length of an [`IndexedVolume`], in bytes.
pub(crate) const VOLUME: usize = 104;

/// The number that stands for an unknown file system, whose inode numbers do not identify files. A
/// state has fewer file systems than this.
pub(crate) const NO_VOLUME: u16 = u16::MAX;

/// Why there is no state to compare with.
#[derive(Debug)]
#[non_exhaustive]
pub enum Unusable {
    /// There is no such file: this is the first run.
    Missing,
    /// The file cannot be read.
    Unreadable(io::Error),
    /// The file is not a state.
    Foreign,
    /// The file has another version of the format: this one.
    Version(u32),
    /// The file is damaged: its length or a checksum is wrong, for example.
    Damaged,
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unusable::Missing => f.write_str("there is no state yet"),
            Unusable::Unreadable(error) => write!(f, "the state cannot be read: {error}"),
            Unusable::Foreign => f.write_str("the file is not a state of brisk"),
            Unusable::Version(version) => {
                write!(f, "the state has version {version}, which this brisk cannot read")
            }
            Unusable::Damaged => f.write_str("the state is damaged"),
        }
    }
}

impl std::error::Error for Unusable {}

impl Unusable {
    /// The reason for an I/O error: the file is missing, or cannot be read.
    pub(crate) fn of(error: io::Error) -> Unusable {
        match error.kind() {
            io::ErrorKind::NotFound => Unusable::Missing,
            _ => Unusable::Unreadable(error),
        }
    }
}

/// The header of a state.
pub(crate) struct Header {
    /// How many ids of directories the index has, used or not.
    dirs: u32,
    /// The index: its offset in the file, its length in bytes, and its checksum.
    pub index_at: u64,
    pub index_len: u64,
    checksum: u64,
    /// The length of the text at the end of the index, in bytes.
    made_with_len: u32,
    /// Whether the file holds names alone: the file of `brisk find --index`.
    pub names_only: bool,
}

impl Header {
    /// The header of a file that has this index, of `dirs` directories and with a text of `text`
    /// bytes at its end, at offset `at`.
    pub fn of(dirs: usize, at: u64, index: &[u8], text: usize, names_only: bool) -> Header {
        let index_len = index.len() as u64;
        let checksum = xxh3_64(index);
        let made_with_len = text as u32;
        Header { dirs: dirs as u32, index_at: at, index_len, checksum, made_with_len, names_only }
    }

    pub fn to_bytes(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.dirs.to_le_bytes());
        let end = self.index_at + self.index_len;
        let numbers = [self.index_at, self.index_len, self.checksum, end].map(u64::to_le_bytes);
        bytes[16..48].copy_from_slice(numbers.as_flattened());
        bytes[48..52].copy_from_slice(&self.made_with_len.to_le_bytes());
        bytes[52] = self.names_only.into();
        let checksum = xxh3_64(&bytes[..HEADER - 8]);
        bytes[HEADER - 8..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads the header of a file that is as long as the header says. System calls: fstat, lseek,
    /// read.
    pub fn read(file: &File) -> Result<Header, Unusable> {
        let header = Header::read_alone(file)?;
        let length = file.metadata().map_err(Unusable::Unreadable)?.len();
        if header.index_at.saturating_add(header.index_len) == length {
            Ok(header)
        } else {
            Err(Unusable::Damaged)
        }
    }

    /// Reads the header of a file that may be damaged behind it. System calls: lseek, read.
    pub fn read_alone(mut file: &File) -> Result<Header, Unusable> {
        let mut bytes = Vec::with_capacity(HEADER);
        let rewound = file.rewind();
        let read = rewound.and_then(|()| file.take(HEADER as u64).read_to_end(&mut bytes));
        read.map_err(Unusable::Unreadable)?;
        Header::decode(&bytes)
    }

    /// Decodes the header from the first bytes of a file.
    fn decode(bytes: &[u8]) -> Result<Header, Unusable> {
        let start = &bytes[..bytes.len().min(MAGIC.len())];
        let head: &[u8; HEADER] = match bytes.first_chunk() {
            Some(head) if head.starts_with(&MAGIC) => head,
            // After a crash, some file systems leave the right length, but only zeros.
            Some(head) if head.iter().all(|byte| *byte == 0) => return Err(Unusable::Damaged),
            None if MAGIC.starts_with(start) => return Err(Unusable::Damaged),
            _ => return Err(Unusable::Foreign),
        };
        let version = u32_at(head, 8);
        if version != VERSION {
            return Err(Unusable::Version(version));
        }
        if xxh3_64(&head[..HEADER - 8]) != u64_at(head, HEADER - 8) {
            return Err(Unusable::Damaged);
        }
        Ok(Header {
            dirs: u32_at(head, 12),
            index_at: u64_at(head, 16),
            index_len: u64_at(head, 24),
            checksum: u64_at(head, 32),
            made_with_len: u32_at(head, 48),
            names_only: head[52] != 0,
        })
    }
}

/// How a directory was read: what its names depend on, and whether they may be recalled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListingInfo {
    /// The fingerprint of the filter, the files that were omitted, and the inherited ignore rules.
    pub fingerprint: u64,
    /// The number of the directory's file system.
    pub volume_number: u16,
    /// Whether all names were read, and none of them is a file of ignore rules. Only then the next
    /// rescan may take the names from the state.
    pub may_be_recalled: bool,
}

/// A directory in the index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct IndexedDir {
    /// The directory's block: its offset in the file, and its length, in bytes.
    pub offset: u64,
    pub len: u32,
    /// How many records the block has.
    pub count: u32,
    pub checksum: u64,
    pub listing: ListingInfo,
    /// The parent, and the position of this directory's record in the parent's block.
    pub parent: DirId,
    pub record_at: u32,
}

impl IndexedDir {
    /// The offset at which the block ends.
    pub fn end(&self) -> u64 {
        self.offset.saturating_add(u64::from(self.len))
    }

    pub fn to_bytes(self) -> [u8; DIR] {
        let ListingInfo { fingerprint, volume_number, may_be_recalled } = self.listing;
        let mut bytes = [0; DIR];
        bytes[..8].copy_from_slice(&self.offset.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.len.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.count.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.checksum.to_le_bytes());
        bytes[24..32].copy_from_slice(&fingerprint.to_le_bytes());
        bytes[32..34].copy_from_slice(&volume_number.to_le_bytes());
        bytes[34] = u8::from(may_be_recalled) | IS_THERE;
        bytes[36..40].copy_from_slice(&self.parent.to_le_bytes());
        bytes[40..44].copy_from_slice(&self.record_at.to_le_bytes());
        bytes
    }

    /// Decodes a directory; `None` if the id is unused.
    #[inline]
    fn of_bytes(bytes: &[u8; DIR]) -> Option<IndexedDir> {
        (bytes[34] & IS_THERE != 0).then(|| IndexedDir {
            offset: u64_at(bytes, 0),
            len: u32_at(bytes, 8),
            count: u32_at(bytes, 12),
            checksum: u64_at(bytes, 16),
            listing: ListingInfo {
                fingerprint: u64_at(bytes, 24),
                volume_number: u16_at(bytes, 32),
                may_be_recalled: bytes[34] & 1 != 0,
            },
            parent: u32_at(bytes, 36),
            record_at: u32_at(bytes, 40),
        })
    }
}

/// The flag of an id that is in use. An unused one has zeros.
const IS_THERE: u8 = 2;

/// The index: the directories, which stay encoded, the file systems, and what the state says of how
/// it was made.
#[derive(Debug)]
pub(crate) struct Index {
    bytes: Vec<u8>,
    dirs: usize,
    pub volumes: Vec<IndexedVolume>,
    pub made_with: Vec<u8>,
    pub names_only: bool,
}

impl Index {
    /// Decodes an index.
    ///
    /// # Errors
    /// The index is too short, its checksum is wrong, it has no top directory, a block reaches into
    /// it, or there are more than `u32::MAX` records.
    pub fn decode(bytes: Vec<u8>, header: &Header) -> Result<Index, Unusable> {
        let dirs = header.dirs as usize;
        let rest = bytes.get(dirs.saturating_mul(DIR)..).ok_or(Unusable::Damaged)?;
        let volumes =
            rest.len().checked_sub(header.made_with_len as usize).ok_or(Unusable::Damaged)?;
        let (volumes, made_with) = rest.split_at(volumes);
        let made_with = made_with.to_vec();
        let volumes = volumes.as_chunks().0.iter().map(IndexedVolume::of_bytes).collect();
        let has_right_checksum = xxh3_64(&bytes) == header.checksum;
        let index = Index { bytes, dirs, volumes, made_with, names_only: header.names_only };
        let is_inside = |(_, dir): (_, IndexedDir)| dir.end() <= header.index_at;
        let records: u64 = index.dirs().map(|(_, dir)| u64::from(dir.count)).sum();
        let is_sound = has_right_checksum
            && index.dir(TOP).is_some()
            && index.dirs().all(is_inside)
            && records <= u64::from(u32::MAX);
        if is_sound { Ok(index) } else { Err(Unusable::Damaged) }
    }

    /// One more than the highest id of a directory.
    pub fn len(&self) -> usize {
        self.dirs
    }

    #[inline]
    pub fn dir(&self, id: DirId) -> Option<IndexedDir> {
        let at = id as usize;
        let dirs = self.bytes.as_chunks().0;
        dirs.get(at).filter(|_| at < self.dirs).and_then(IndexedDir::of_bytes)
    }

    /// Changes a directory, or makes its id unused.
    pub fn set(&mut self, id: DirId, dir: Option<IndexedDir>) {
        let at = id as usize;
        // What comes after the directories in a file was decoded before.
        self.bytes.truncate(self.dirs * DIR);
        self.dirs = self.dirs.max(at + 1);
        self.bytes.resize(self.dirs * DIR, 0);
        let bytes = dir.map_or([0; DIR], IndexedDir::to_bytes);
        self.bytes[at * DIR..][..DIR].copy_from_slice(&bytes);
    }

    pub fn dirs(&self) -> impl Iterator<Item = (DirId, IndexedDir)> {
        (0..self.dirs as DirId).filter_map(|id| Some((id, self.dir(id)?)))
    }

    /// The file system of a directory's entries.
    pub fn volume(&self, id: DirId) -> Option<&Volume> {
        let number = self.dir(id)?.listing.volume_number;
        self.volumes.get(usize::from(number)).map(|indexed| &indexed.volume)
    }
}

/// A file system in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IndexedVolume {
    pub volume: Volume,
    /// `None` if the file system cannot be asked for changes, or if some entries could not be read.
    pub checkpoint: Option<Checkpoint>,
}

/// Where the next search for the changes of a file system begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Checkpoint {
    /// A hash of the mounts below the roots.
    pub mounts_hash: u64,
    pub position: ChangePosition,
}

/// A position in the sequence of a file system's changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangePosition {
    /// On XFS: none, because XFS does not count its changes.
    Uncounted,
    /// On btrfs: the generation that the next change belongs to.
    Generation(Subvolume),
    /// On NTFS: the position of the next change in the journal.
    Journal(Position),
}

impl Checkpoint {
    /// The part that stays the same while files change: the mounts, and either the journal or the
    /// subvolume with its mount and boot.
    pub fn without_next(self) -> Checkpoint {
        let position = match self.position {
            ChangePosition::Generation(own) => {
                ChangePosition::Generation(Subvolume { next: 0, ..own })
            }
            ChangePosition::Journal(own) => ChangePosition::Journal(Position { next: 0, ..own }),
            ChangePosition::Uncounted => ChangePosition::Uncounted,
        };
        Checkpoint { position, ..self }
    }
}

/// The tags of [`ChangePosition`] in a file. A checkpoint with an unknown tag is ignored.
const GENERATION: u8 = 1;
const UNCOUNTED: u8 = 2;
const JOURNAL: u8 = 3;

impl IndexedVolume {
    pub fn to_bytes(self) -> [u8; VOLUME] {
        let IndexedVolume { volume, checkpoint } = self;
        let mut bytes = [0; VOLUME];
        bytes[..8].copy_from_slice(&code(volume.kind).to_le_bytes());
        bytes[8..16].copy_from_slice(&volume.fsid.to_le_bytes());
        bytes[16] = u8::from(volume.has_nanoseconds);
        let Some(Checkpoint { mounts_hash, position }) = checkpoint else { return bytes };
        let (tag, uuids, numbers) = match position {
            ChangePosition::Uncounted => (UNCOUNTED, [[0; 16]; 3], [0; 3]),
            ChangePosition::Generation(Subvolume { filesystem, id, uuid, boot, mount, next }) => {
                (GENERATION, [filesystem, uuid, boot], [id, mount, next])
            }
            ChangePosition::Journal(Position { id, next }) => {
                (JOURNAL, [[0; 16]; 3], [id, 0, next.cast_unsigned()])
            }
        };
        bytes[17] = tag;
        bytes[24..72].copy_from_slice(uuids.as_flattened());
        bytes[72..96].copy_from_slice(numbers.map(u64::to_le_bytes).as_flattened());
        bytes[96..].copy_from_slice(&mounts_hash.to_le_bytes());
        bytes
    }

    pub fn of_bytes(bytes: &[u8; VOLUME]) -> IndexedVolume {
        let word = |at| u64_at(bytes, at);
        let uuid = |at: usize| bytes[at..].first_chunk().copied().unwrap_or_default();
        let volume = Volume { kind: kind(word(0)), fsid: word(8), has_nanoseconds: bytes[16] != 0 };
        let [filesystem, of_subvolume, boot] = [24, 40, 56].map(uuid);
        let [id, mount, next, mounts_hash] = [72, 80, 88, 96].map(word);
        let subvolume = Subvolume { filesystem, id, uuid: of_subvolume, boot, mount, next };
        let position = match bytes[17] {
            GENERATION => Some(ChangePosition::Generation(subvolume)),
            UNCOUNTED => Some(ChangePosition::Uncounted),
            JOURNAL => Some(ChangePosition::Journal(Position { id, next: next.cast_signed() })),
            _ => None,
        };
        let checkpoint = position.map(|position| Checkpoint { mounts_hash, position });
        IndexedVolume { volume, checkpoint }
    }
}

/// The flag of a code whose low 32 bits are the magic number of an unknown file system.
const IS_MAGIC: u64 = 1 << 32;

fn code(kind: VolumeKind) -> u64 {
    match kind {
        VolumeKind::Other(magic) => IS_MAGIC | u64::from(magic),
        known => {
            VolumeKind::NAMED.iter().position(|&kind| kind == known).unwrap_or_default() as u64
        }
    }
}

fn kind(code: u64) -> VolumeKind {
    let known = usize::try_from(code).ok().and_then(|code| VolumeKind::NAMED.get(code));
    known.copied().unwrap_or(VolumeKind::Other(code as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_keeps_its_number() {
        for kind in
            VolumeKind::NAMED.into_iter().chain([VolumeKind::Other(7), VolumeKind::Other(u32::MAX)])
        {
            let volume = Volume { kind, fsid: 1 << 60, has_nanoseconds: true };
            let uuids = [1, 2, 3].map(|byte| [byte; 16]);
            let [filesystem, uuid, boot] = uuids;
            let subvolume = Subvolume { filesystem, id: 5, uuid, boot, mount: 6, next: 7 };
            let journal = Position { id: u64::MAX, next: 1 << 40 };
            let position = [
                ChangePosition::Uncounted,
                ChangePosition::Generation(subvolume),
                ChangePosition::Journal(journal),
            ];
            let checkpoints =
                position.map(|position| Some(Checkpoint { mounts_hash: 8, position }));
            for checkpoint in checkpoints.into_iter().chain([None]) {
                let indexed = IndexedVolume { volume, checkpoint };
                assert_eq!(IndexedVolume::of_bytes(&indexed.to_bytes()), indexed);
            }
        }
    }

    /// An encoded file system as an earlier version wrote it, and as a later version may write it.
    #[test]
    fn the_fields_of_a_checkpoint_stay() {
        let mut bytes = [0; VOLUME];
        bytes[..18].copy_from_slice(&[2, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
        for (at, byte) in bytes.iter_mut().enumerate().skip(24) {
            *byte = (at / 8) as u8;
        }
        let uuid = |low, high| [[low; 8], [high; 8]].concat().try_into().expect("16 bytes");
        let number = |byte| u64::from_le_bytes([byte; 8]);
        let filesystem = uuid(3, 4);
        let of_subvolume = uuid(5, 6);
        let boot = uuid(7, 8);
        let [id, mount, next, mounts_hash] = [9, 10, 11, 12].map(number);
        let subvolume = Subvolume { filesystem, id, uuid: of_subvolume, boot, mount, next };
        let volume = Volume { kind: VolumeKind::Btrfs, fsid: 9, has_nanoseconds: true };
        let checkpoint =
            Some(Checkpoint { mounts_hash, position: ChangePosition::Generation(subvolume) });
        assert_eq!(IndexedVolume::of_bytes(&bytes), IndexedVolume { volume, checkpoint });
        assert_eq!(IndexedVolume { volume, checkpoint }.to_bytes(), bytes);
        bytes[17] = 4;
        assert_eq!(IndexedVolume::of_bytes(&bytes), IndexedVolume { volume, checkpoint: None });
    }

    #[test]
    fn a_later_position_in_the_same_journal_is_like_the_earlier() {
        let checkpoint = |mounts_hash, position| Checkpoint { mounts_hash, position };
        let journal = |id, next| ChangePosition::Journal(Position { id, next });
        let one = checkpoint(8, journal(1, 100)).without_next();
        assert_eq!(checkpoint(8, journal(1, 900)).without_next(), one);
        for other in [checkpoint(9, journal(1, 100)), checkpoint(8, journal(2, 100))] {
            assert_ne!(other.without_next(), one);
        }
        assert_ne!(checkpoint(8, ChangePosition::Uncounted).without_next(), one);
    }
}
