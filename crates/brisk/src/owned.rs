//! Copies that outlive a walk's buffers: [`DirEntry`] of one entry, [`OwnedChunk`] of all entries
//! of a chunk.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use brisk_sys::append;
use brisk_sys::paths::{bytes_to_path, without_separator};

use crate::entry::joined;
use crate::{Directory, Entry, FileType, Meta};

/// The entries of one chunk, packed so that another thread can have them: what
/// [`Walk::par_chunks`](crate::Walk::par_chunks) yields.
///
/// # Cost
/// Two allocations a chunk, and a third if entries have metadata. The first holds the directory's
/// path and all names behind it, the second 24 bytes for each entry, the third the metadata, stored
/// once for neighbours that have the same. An entry allocates nothing of its own, unless its
/// metadata has a link's text or a security context. Sending a chunk to another thread copies none
/// of these allocations. Nothing here makes a system call.
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
///     assert_eq!(chunk.path(), root);
///     names.extend(chunk.iter().map(|entry| entry.name().to_vec()));
/// }
/// names.sort();
/// assert_eq!(names, [b"a", b"b"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct OwnedChunk {
    /// The directory's path with a separator at its end, then the names side by side.
    bytes: Vec<u8>,
    /// How long that path is, in bytes.
    prefix_len: usize,
    /// The depth of all entries: they are siblings.
    depth: usize,
    entries: Vec<PackedEntry>,
    metas: Vec<Meta>,
}

/// What a chunk stores of an entry besides name and metadata.
#[derive(Clone, Copy, Debug)]
struct PackedEntry {
    ino: u64,
    /// Where the name ends in the chunk's bytes; the next name begins there.
    name_end: usize,
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
        let names: usize = entries.iter().map(|entry| entry.name().len()).sum();
        let metas = (0..entries.len()).filter(|&at| differs(entries, at)).count();
        let prefix_len = dir.prefix().len();
        let mut chunk = OwnedChunk {
            bytes: Vec::with_capacity(prefix_len + names),
            prefix_len,
            depth: entries.first().map_or(0, Entry::depth),
            entries: Vec::with_capacity(entries.len()),
            metas: Vec::with_capacity(metas),
        };
        append(&mut chunk.bytes, dir.prefix());
        for (at, entry) in entries.iter().enumerate() {
            if differs(entries, at) {
                chunk.metas.extend(entry.meta().cloned());
            }
            chunk.push(entry);
        }
        chunk
    }

    /// Packs an entry whose metadata, if any, was stored last.
    fn push(&mut self, entry: &Entry<'_>) {
        append(&mut self.bytes, entry.name());
        self.entries.push(PackedEntry {
            ino: entry.ino(),
            name_end: self.bytes.len(),
            // No walk's chunk has 2^32 entries, which take 64 bytes each.
            meta: entry.meta().map_or(0, |_| self.metas.len() as u32),
            file_type: entry.file_type(),
            is_followed_link: entry.is_followed_link(),
            is_hidden: entry.is_hidden(),
        });
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

    /// The bytes of the directory's path, ending in a separator: each entry's path begins with
    /// these bytes. Empty if the entries are roots.
    #[must_use]
    pub fn prefix(&self) -> &[u8] {
        &self.bytes[..self.prefix_len]
    }

    /// The directory's path, without the separator at the end.
    #[must_use]
    pub fn path(&self) -> &Path {
        bytes_to_path(without_separator(self.prefix()))
    }

    /// The entry at the index `at`; `None` if there are fewer entries.
    #[must_use]
    pub fn get(&self, at: usize) -> Option<ChunkEntry<'_>> {
        (at < self.len()).then(|| self.entry(at))
    }

    /// The entries, as the walk handed them on.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = ChunkEntry<'_>> + ExactSizeIterator {
        (0..self.len()).map(|at| self.entry(at))
    }

    fn entry(&self, at: usize) -> ChunkEntry<'_> {
        let packed = &self.entries[at];
        let start = if at == 0 { self.prefix_len } else { self.entries[at - 1].name_end };
        ChunkEntry { chunk: self, packed, name: &self.bytes[start..packed.name_end] }
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
    name: &'a [u8],
}

impl<'a> ChunkEntry<'a> {
    /// The name's bytes (WTF-8 on Windows). For a root this is the path as it was given.
    #[must_use]
    pub fn name(&self) -> &'a [u8] {
        self.name
    }

    /// The name as an `OsStr`.
    #[must_use]
    pub fn file_name(&self) -> &'a OsStr {
        bytes_to_path(self.name).as_os_str()
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
        self.chunk.depth
    }

    /// The metadata that the visitor wanted; `None` if it wanted none, or if the request failed.
    #[must_use]
    pub fn meta(&self) -> Option<&'a Meta> {
        let before = (self.packed.meta as usize).checked_sub(1)?;
        self.chunk.metas.get(before)
    }

    /// Appends the entry's path to `out`.
    pub fn path_into(&self, out: &mut Vec<u8>) {
        append(out, self.chunk.prefix());
        append(out, self.name);
    }

    /// The entry's path. Allocates: where many are needed, use
    /// [`path_into`](ChunkEntry::path_into).
    #[must_use]
    pub fn path(&self) -> PathBuf {
        joined(self.chunk.prefix(), self.name)
    }

    /// An entry that outlives the chunk. Allocates its path, and room for its metadata.
    #[must_use]
    pub fn to_owned(&self) -> DirEntry {
        DirEntry {
            path: self.path(),
            name_len: self.name.len(),
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
    fn a_chunk_is_one_allocation_for_names_one_for_entries_and_one_for_metadata() {
        let place = tempfile::tempdir().expect("a scratch directory");
        for at in 0..1000 {
            std::fs::write(place.path().join(format!("name-{at:04}")), "x".repeat(at % 7)).unwrap();
        }
        let mut entries = 0;
        for fields in [Fields::empty(), Fields::SIZE] {
            for chunk in packed(place.path(), fields) {
                let names: usize = chunk.iter().map(|entry| entry.name().len()).sum();
                // A vector that had grown would have more capacity than it needs.
                assert_eq!(chunk.bytes.capacity(), chunk.prefix().len() + names);
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
