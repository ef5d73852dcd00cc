//! Copies that outlive a walk's buffers: [`DirEntry`] of one entry, [`OwnedChunk`] of all entries
//! of a chunk.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use brisk_sys::append;
use brisk_sys::paths::bytes_to_path;

use crate::entry::joined;
use crate::{Directory, Entry, FileType, Meta};

/// Entries of one directory or several, packed so that another thread can have them: what
/// [`Walk::par_chunks`](crate::Walk::par_chunks) yields.
///
/// # Cost
/// Three allocations a chunk, and a fourth if entries have metadata. The first holds each
/// directory's path and the names behind it, the second 16 bytes for each directory, the third 24
/// bytes for each entry, the fourth the metadata, stored once for neighbours that have the same. An
/// entry allocates nothing of its own, unless its metadata has a link's text or a security context.
/// Sending a chunk to another thread copies none of these allocations. Nothing here makes a system
/// call.
///
/// # Example
/// A visitor sends its entries to another thread.
/// ```
/// # fn main() -> std::io::Result<()> {
/// # let scratch = tempfile::tempdir()?;
/// # std::fs::write(scratch.path().join("a"), "")?;
/// # std::fs::write(scratch.path().join("b"), "")?;
/// # let root = scratch.path();
/// use std::sync::mpsc::{SyncSender, sync_channel};
///
/// use brisk::{Directory, Entry, Error, Flow, OwnedChunk, Visitor, Walk};
///
/// struct Sending(SyncSender<OwnedChunk>);
///
/// impl Visitor for Sending {
///     type State = ();
///     fn entries(&mut self, dir: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
///         match self.0.send(OwnedChunk::new(dir, entries)) {
///             Ok(()) => Flow::Continue,
///             Err(_) => Flow::Stop,
///         }
///     }
///     fn error(&mut self, error: Error) -> Flow {
///         eprintln!("{error}");
///         Flow::Continue
///     }
/// }
///
/// let (sender, chunks) = sync_channel(8);
/// let walk = Walk::new(root).min_depth(1);
/// std::thread::Builder::new().spawn(move || drop(walk.visit(Sending(sender))))?;
/// let mut names = Vec::new();
/// for chunk in chunks {
///     names.extend(chunk.iter().map(|entry| entry.name().to_vec()));
/// }
/// names.sort();
/// assert_eq!(names, [b"a", b"b"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct OwnedChunk {
    /// For each directory its path with a separator at its end, then its names. Each has a NUL
    /// behind it.
    bytes: Vec<u8>,
    dirs: Vec<PackedDir>,
    entries: Vec<PackedEntry>,
    metas: Vec<Meta>,
}

/// A directory of a chunk, whose entries are side by side. Offsets and indices are smaller than
/// 2^32, which no walk's chunk comes near.
#[derive(Clone, Copy, Debug)]
struct PackedDir {
    /// Where its path begins and ends in the chunk's bytes.
    start: u32,
    end: u32,
    /// The index of its first entry.
    first: u32,
    /// The depth of its entries.
    depth: u32,
}

/// What a chunk stores of an entry besides name and metadata.
#[derive(Clone, Copy, Debug)]
struct PackedEntry {
    ino: u64,
    /// Where the name ends in the chunk's bytes; the next name begins behind the NUL there.
    name_end: u32,
    /// The index of its directory.
    dir: u32,
    /// The index of this entry's metadata plus one; 0 if the entry has none.
    meta: u32,
    file_type: FileType,
    is_followed_link: bool,
    is_hidden: bool,
}

impl OwnedChunk {
    /// Packs entries of one directory, as [`Visitor::entries`](crate::Visitor::entries) is handed
    /// them.
    #[must_use]
    pub fn new(dir: &Directory<'_>, entries: &[Entry<'_>]) -> OwnedChunk {
        let names: usize = entries.iter().map(|entry| entry.name().len() + 1).sum();
        let metas = (0..entries.len()).filter(|&at| differs(entries, at)).count();
        let mut chunk = OwnedChunk {
            bytes: Vec::with_capacity(dir.prefix().len() + 1 + names),
            dirs: Vec::with_capacity(1),
            entries: Vec::with_capacity(entries.len()),
            metas: Vec::with_capacity(metas),
        };
        chunk.add(dir, entries);
        chunk
    }

    /// Adds entries of a directory.
    pub(crate) fn add(&mut self, dir: &Directory<'_>, entries: &[Entry<'_>]) {
        let index = self.dirs.len() as u32;
        let start = self.bytes.len() as u32;
        append(&mut self.bytes, dir.prefix());
        self.dirs.push(PackedDir {
            start,
            end: self.bytes.len() as u32,
            first: self.len() as u32,
            depth: entries.first().map_or(0, |entry| entry.depth),
        });
        self.bytes.push(0);
        self.entries.reserve(entries.len());
        for (at, entry) in entries.iter().enumerate() {
            if differs(entries, at) {
                self.metas.extend(entry.meta().cloned());
            }
            append(&mut self.bytes, entry.c_name().to_bytes_with_nul());
            self.entries.push(PackedEntry {
                ino: entry.ino(),
                name_end: self.bytes.len() as u32 - 1,
                dir: index,
                meta: entry.meta().map_or(0, |_| self.metas.len() as u32),
                file_type: entry.file_type(),
                is_followed_link: entry.is_followed_link(),
                is_hidden: entry.is_hidden(),
            });
        }
    }

    /// Forgets all entries, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.dirs.clear();
        self.entries.clear();
        self.metas.clear();
    }

    /// How many bytes the names and paths take.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// How many entries the chunk has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the chunk has no entries. A walk's chunks have at least one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether any of the entries has metadata.
    #[must_use]
    pub fn has_meta(&self) -> bool {
        !self.metas.is_empty()
    }

    /// The entry at the index `at`; `None` if there are fewer entries.
    #[must_use]
    pub fn get(&self, at: usize) -> Option<ChunkEntry<'_>> {
        (at < self.len()).then(|| self.entry(at))
    }

    /// The entries, as the walk delivered them: those of a directory follow each other.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = ChunkEntry<'_>> + ExactSizeIterator {
        (0..self.len()).map(|at| self.entry(at))
    }

    #[inline]
    fn entry(&self, at: usize) -> ChunkEntry<'_> {
        let packed = &self.entries[at];
        let dir = &self.dirs[packed.dir as usize];
        let is_first = at == dir.first as usize;
        let before = if is_first { dir.end } else { self.entries[at - 1].name_end };
        let name_with_nul = &self.bytes[before as usize + 1..=packed.name_end as usize];
        ChunkEntry { chunk: self, packed, dir, name_with_nul }
    }
}

/// Whether the entry at the index `at` has metadata that differs from that of the entry before it.
fn differs(entries: &[Entry<'_>], at: usize) -> bool {
    let Some(meta) = entries[at].meta() else { return false };
    at == 0 || entries[at - 1].meta() != Some(meta)
}

/// One entry of an [`OwnedChunk`], borrowed from the chunk.
///
/// Nothing here makes a system call, and no path is built until it is asked for.
#[derive(Debug)]
pub struct ChunkEntry<'a> {
    chunk: &'a OwnedChunk,
    packed: &'a PackedEntry,
    dir: &'a PackedDir,
    name_with_nul: &'a [u8],
}

impl<'a> ChunkEntry<'a> {
    /// The name's bytes (WTF-8 on Windows). For a root this is the path as it was given.
    #[must_use]
    pub fn name(&self) -> &'a [u8] {
        &self.name_with_nul[..self.name_with_nul.len() - 1]
    }

    /// The same with a NUL at its end, as C takes it.
    #[must_use]
    pub fn name_with_nul(&self) -> &'a [u8] {
        self.name_with_nul
    }

    /// The name as an `OsStr`.
    #[must_use]
    pub fn file_name(&self) -> &'a OsStr {
        bytes_to_path(self.name()).as_os_str()
    }

    /// The bytes of its directory's path, ending in a separator: the entry's path begins with these
    /// bytes. Empty for a root. Entries of one directory that follow each other share the memory.
    #[must_use]
    pub fn prefix(&self) -> &'a [u8] {
        &self.chunk.bytes[self.dir.start as usize..self.dir.end as usize]
    }

    /// The same with a NUL at its end, as C takes it.
    #[must_use]
    pub fn prefix_with_nul(&self) -> &'a [u8] {
        &self.chunk.bytes[self.dir.start as usize..=self.dir.end as usize]
    }

    /// The type: the target's if the walk follows this link.
    #[must_use]
    pub fn file_type(&self) -> FileType {
        self.packed.file_type
    }

    /// Whether the type and metadata are those of a followed link's target.
    #[must_use]
    pub fn is_followed_link(&self) -> bool {
        self.packed.is_followed_link
    }

    /// Whether it is hidden: its name begins with a dot, or (on Windows) an attribute says so.
    #[must_use]
    pub fn is_hidden(&self) -> bool {
        self.packed.is_hidden
    }

    /// The inode number that the directory gives; stat's may differ at mount points and on
    /// overlayfs.
    #[must_use]
    pub fn ino(&self) -> u64 {
        self.packed.ino
    }

    /// How deep the entry is; a root's depth is 0.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.dir.depth as usize
    }

    /// The metadata that the visitor wanted; `None` if it wanted none, or if the request failed.
    #[must_use]
    pub fn meta(&self) -> Option<&'a Meta> {
        let before = (self.packed.meta as usize).checked_sub(1)?;
        self.chunk.metas.get(before)
    }

    /// Appends the entry's path to `out`.
    pub fn path_into(&self, out: &mut Vec<u8>) {
        append(out, self.prefix());
        append(out, self.name());
    }

    /// The entry's path. Allocates: where many are needed, use
    /// [`path_into`](ChunkEntry::path_into).
    #[must_use]
    pub fn path(&self) -> PathBuf {
        joined(self.prefix(), self.name())
    }

    /// An entry that outlives the chunk. Allocates its path, and room for its metadata.
    #[must_use]
    pub fn to_owned(&self) -> DirEntry {
        DirEntry {
            path: self.path(),
            name_len: self.name().len(),
            file_type: self.file_type(),
            followed: self.is_followed_link(),
            ino: self.ino(),
            depth: self.depth(),
            meta: self.meta().cloned().map(Box::new),
        }
    }
}

impl Entry<'_> {
    /// An entry that outlives the chunk. Allocates its path, and room for its metadata.
    #[must_use]
    pub fn to_owned(&self) -> DirEntry {
        DirEntry {
            path: joined(self.directory().prefix(), self.name()),
            name_len: self.name().len(),
            file_type: self.file_type(),
            followed: self.is_followed_link(),
            ino: self.ino(),
            depth: self.depth(),
            meta: self.meta().cloned().map(Box::new),
        }
    }
}

/// An owned entry, as iterators yield it.
#[derive(Clone, Debug)]
pub struct DirEntry {
    path: PathBuf,
    name_len: usize,
    file_type: FileType,
    followed: bool,
    ino: u64,
    depth: usize,
    meta: Option<Box<Meta>>,
}

impl DirEntry {
    /// The path, beginning with the root as it was given.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path, without a copy.
    #[must_use]
    pub fn into_path(self) -> PathBuf {
        self.path
    }

    /// The last component; for a root, the path as it was given.
    #[must_use]
    pub fn file_name(&self) -> &OsStr {
        let bytes = self.path.as_os_str().as_encoded_bytes();
        bytes_to_path(&bytes[bytes.len() - self.name_len..]).as_os_str()
    }

    /// The type: the target's if the walk follows this link.
    #[must_use]
    pub fn file_type(&self) -> FileType {
        self.file_type
    }

    /// Whether the type and metadata are those of a followed link's target.
    #[must_use]
    pub fn is_followed_link(&self) -> bool {
        self.followed
    }

    /// The inode number that the directory gives.
    #[must_use]
    pub fn ino(&self) -> u64 {
        self.ino
    }

    /// How deep the entry is; a root's depth is 0.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The metadata that was asked for.
    #[must_use]
    pub fn meta(&self) -> Option<&Meta> {
        self.meta.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, Fields, Flow, Order, Select, Shape, Visitor, Walk};

    /// Packs every chunk.
    struct Pack(Fields, Vec<OwnedChunk>);

    impl Visitor for Pack {
        type State = ();

        fn select(&mut self, (): &(), _: &Entry<'_>) -> Select {
            Select::Take(self.0)
        }

        fn entries(&mut self, dir: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
            self.1.push(OwnedChunk::new(dir, entries));
            Flow::Continue
        }

        fn error(&mut self, error: Error) -> Flow {
            panic!("{error}");
        }
    }

    /// The chunks below `root`, sorted.
    fn packed(root: &Path, fields: Fields) -> Vec<OwnedChunk> {
        let walk = Walk::new(root).order(Order::Sorted(Shape::Pre)).min_depth(1);
        walk.visit(Pack(fields, Vec::new())).0.1
    }

    #[test]
    fn a_chunk_has_the_memory_that_it_needs() {
        let place = tempfile::tempdir().expect("a scratch directory");
        for at in 0..1000 {
            std::fs::write(place.path().join(format!("name-{at:04}")), "x".repeat(at % 7)).unwrap();
        }
        let mut entries = 0;
        for fields in [Fields::empty(), Fields::SIZE] {
            for chunk in packed(place.path(), fields) {
                let prefix = chunk.get(0).expect("an entry").prefix_with_nul().len();
                let names: usize = chunk.iter().map(|entry| entry.name_with_nul().len()).sum();
                // A vector that had grown would have more capacity than it needs.
                assert_eq!(chunk.bytes.capacity(), prefix + names);
                assert_eq!(chunk.bytes.len(), chunk.bytes.capacity());
                assert_eq!(chunk.entries.capacity(), chunk.len());
                assert_eq!(chunk.metas.capacity(), chunk.metas.len());
                assert_eq!(chunk.metas.is_empty(), fields.is_empty());
                entries += chunk.len();
            }
        }
        assert_eq!(entries, 2000);
    }

    #[test]
    fn neighbours_with_the_same_metadata_share_them() {
        let place = tempfile::tempdir().expect("a scratch directory");
        let path = |name| place.path().join(name);
        for (name, text) in [("a", "1"), ("d", "22")] {
            std::fs::write(path(name), text).unwrap();
        }
        for (link, file) in [("b", "a"), ("c", "a"), ("e", "d"), ("f", "a")] {
            std::fs::hard_link(path(file), path(link)).unwrap();
        }
        let chunks = packed(place.path(), Fields::SIZE | Fields::NLINK);
        let [chunk] = &chunks[..] else { panic!("{chunks:?}") };
        let found: Vec<_> = chunk.iter().map(|entry| entry.meta().and_then(Meta::size)).collect();
        assert_eq!(found, [1, 1, 1, 2, 2, 1].map(Some));
        if cfg!(target_os = "linux") {
            assert_eq!(chunk.metas.len(), 3);
        }
    }

    #[test]
    fn a_packed_entry_stays_small_and_a_chunk_goes_to_any_thread() {
        fn goes_anywhere<T: Send + Sync + 'static>() {}
        goes_anywhere::<OwnedChunk>();
        assert!(size_of::<PackedEntry>() <= 24, "{}", size_of::<PackedEntry>());
    }
}
