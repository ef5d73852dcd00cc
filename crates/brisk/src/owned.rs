//! Copies that outlive a walk's buffers: [`DirEntry`] of one entry, [`OwnedChunk`] of all entries
//! of a chunk.

use std::ffi::{CStr, OsStr};
use std::path::{Path, PathBuf};

use brisk_sys::append;
use brisk_sys::paths::bytes_to_path;

use crate::packed::{PackedEntries, StoredEntry};
use crate::{Directory, Entry, FileType, Meta};

/// Entries of one directory or several, packed so that another thread can have them: what
/// [`Walk::par_chunks`](crate::Walk::par_chunks) yields.
///
/// # Cost
/// Four allocations a chunk, and a fifth if entries have metadata. The first holds the directories'
/// paths, the second 12 bytes for each directory, the third the names, each with 14 bytes more, the
/// fourth 8 bytes for each entry, the fifth the metadata, stored once for neighbours that have the
/// same. An entry allocates nothing of its own, unless its metadata has a link's text or a security
/// context.
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
    /// Each directory's path with a separator and a NUL at its end.
    prefixes: Vec<u8>,
    dirs: Vec<PackedDir>,
    places: Vec<Place>,
    entries: PackedEntries,
}

/// A directory of a chunk. Offsets and indices are smaller than 2^32, which no walk's chunk comes
/// near.
#[derive(Clone, Copy, Debug)]
struct PackedDir {
    /// Where its path begins and ends among the prefixes.
    start: u32,
    end: u32,
    /// The depth of its entries.
    depth: u32,
}

/// Where an entry is.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The index of its directory.
    dir: u32,
    /// Where its record begins.
    at: u32,
}

impl OwnedChunk {
    /// Packs entries of one directory, as [`Visitor::entries`](crate::Visitor::entries) is handed
    /// them.
    #[must_use]
    pub fn new(dir: &Directory<'_>, entries: &[Entry<'_>]) -> OwnedChunk {
        let mut chunk = OwnedChunk {
            prefixes: Vec::with_capacity(dir.prefix().len() + 1),
            dirs: Vec::with_capacity(1),
            places: Vec::with_capacity(entries.len()),
            entries: PackedEntries::with_room_for(entries),
        };
        chunk.add(dir, entries);
        chunk.entries.shrink();
        chunk
    }

    /// Adds entries of a directory.
    pub(crate) fn add(&mut self, dir: &Directory<'_>, entries: &[Entry<'_>]) {
        let index = self.dirs.len() as u32;
        let start = self.prefixes.len() as u32;
        append(&mut self.prefixes, dir.prefix());
        let end = self.prefixes.len() as u32;
        self.prefixes.push(0);
        let depth = entries.first().map_or(0, |entry| entry.depth);
        self.dirs.push(PackedDir { start, end, depth });
        let packed = entries.iter().map(|entry| self.entries.push(entry));
        self.places.extend(packed.map(|at| Place { dir: index, at }));
    }

    /// Forgets all entries, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.prefixes.clear();
        self.dirs.clear();
        self.places.clear();
        self.entries.clear();
    }

    /// How many bytes the names and paths take.
    pub(crate) fn bytes(&self) -> usize {
        self.prefixes.len() + self.entries.names_size()
    }

    /// How many entries the chunk has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether the chunk has no entries. A walk's chunks have at least one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether any of the entries has metadata.
    #[must_use]
    pub fn has_meta(&self) -> bool {
        self.entries.has_meta()
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
        let Place { dir, at } = self.places[at];
        let PackedDir { start, end, depth } = self.dirs[dir as usize];
        let prefix_with_nul = &self.prefixes[start as usize..=end as usize];
        ChunkEntry { record: self.entries.record(at), prefix_with_nul, depth }
    }
}

/// One entry of an [`OwnedChunk`], borrowed from the chunk.
///
/// Nothing here makes a system call, and no path is built until it is asked for.
#[derive(Debug)]
pub struct ChunkEntry<'a> {
    record: StoredEntry<'a>,
    prefix_with_nul: &'a [u8],
    depth: u32,
}

impl<'a> ChunkEntry<'a> {
    /// The name's bytes (WTF-8 on Windows). For a root this is the path as it was given.
    #[must_use]
    pub fn name(&self) -> &'a [u8] {
        self.record.packed.name.to_bytes()
    }

    /// The same with a NUL at its end, as C takes it.
    #[must_use]
    pub fn c_name(&self) -> &'a CStr {
        self.record.packed.name
    }

    /// The bytes of its directory's path, ending in a separator: the entry's path begins with these
    /// bytes. Empty for a root. Entries of one directory that follow each other share the memory.
    #[must_use]
    pub fn prefix(&self) -> &'a [u8] {
        &self.prefix_with_nul[..self.prefix_with_nul.len() - 1]
    }

    /// The same with a NUL at its end, as C takes it.
    #[must_use]
    pub fn prefix_with_nul(&self) -> &'a [u8] {
        self.prefix_with_nul
    }

    /// The type: the target's if the walk follows this link.
    #[must_use]
    pub fn file_type(&self) -> FileType {
        self.record.file_type()
    }

    /// Whether the type and metadata are those of a followed link's target.
    #[must_use]
    pub fn is_followed_link(&self) -> bool {
        self.record.is_followed()
    }

    /// Whether it is hidden: its name begins with a dot, or (on Windows) an attribute says so.
    #[must_use]
    pub fn is_hidden(&self) -> bool {
        self.record.is_hidden() || self.name().starts_with(b".")
    }

    /// The inode number that the directory gives; stat's may differ at mount points and on
    /// overlayfs.
    #[must_use]
    pub fn ino(&self) -> u64 {
        self.record.packed.ino
    }

    /// How deep the entry is; a root's depth is 0.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth as usize
    }

    /// The metadata that the visitor wanted; `None` if it wanted none, or if the request failed.
    #[must_use]
    pub fn meta(&self) -> Option<&'a Meta> {
        self.record.meta
    }

    /// Appends the entry's path to `out`.
    pub fn path_into(&self, out: &mut Vec<u8>) {
        append(out, self.prefix());
        append(out, self.name());
    }

    /// An entry that outlives the chunk. Allocates its path, and room for its metadata.
    #[must_use]
    pub fn to_owned(&self) -> DirEntry {
        let dir = Directory::new(self.prefix(), 0, None);
        self.record.entry(&dir, self.depth, false).to_owned()
    }
}

impl Entry<'_> {
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

    #[test]
    fn a_chunk_goes_to_any_thread() {
        fn goes_anywhere<T: Send + Sync + 'static>() {}
        goes_anywhere::<OwnedChunk>();
    }
}
