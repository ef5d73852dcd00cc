//! [`Listing`]: the entries of the directory that is shown, each with its identity: a later removal
//! checks that the name still belongs to the same file.

use std::collections::HashSet;
use std::io;
use std::path::Path;

use brisk::unstable::FileIdentity;
use brisk::usage::{Apparent, HardLinks, Sums, Usage};
use brisk::{DirEntry, Fields, FileType, Meta, Timestamp};
use brisk_commands::internal::error_text;
use brisk_sys::{Backend, Identity, Links, stat_path};

const FIELDS: Fields = Fields::SIZE
    .union(Fields::BLOCKS)
    .union(Fields::MTIME)
    .union(Fields::BTIME)
    .union(Fields::UID)
    .union(Fields::DEV)
    .union(Fields::INO);

/// Which file an entry was when it was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    pub file: FileIdentity,
    /// The birth time: some file systems give the inode number of a removed file to a new one.
    pub born: Option<Timestamp>,
}

/// An entry of a directory.
#[derive(Clone, Debug, Default)]
pub struct ListedEntry {
    pub name: Box<[u8]>,
    pub is_dir: bool,
    /// The sums of the entry itself; for a directory, without what is below it.
    pub sums: Sums,
    /// Whether the file has other names.
    pub is_linked: bool,
    /// Whether another name of the file comes before this one in this directory.
    pub is_repeated: bool,
    /// `None` if the system gave no identity.
    pub shown: Option<Shown>,
}

/// The entries of a directory, sorted by name.
#[derive(Debug, Default)]
pub struct Listing {
    pub entries: Vec<ListedEntry>,
    /// The message about the first entry that could not be read.
    pub failed: Option<String>,
}

impl Listing {
    /// The entry of this name.
    pub fn entry(&self, name: &[u8]) -> Option<&ListedEntry> {
        let at = self.entries.binary_search_by(|entry| (*entry.name).cmp(name));
        at.ok().map(|at| &self.entries[at])
    }

    /// Reads a directory. System calls: a walk of one directory, with one statx per entry.
    pub fn read(usage: &Usage, dir: &Path) -> Listing {
        let parent = stat_path(Backend::Native, dir, Fields::DEV | Fields::INO, Links::Follow);
        let parent = parent.ok().and_then(|meta| meta.identity());
        let walk = usage.walk.clone().root(dir).min_depth(1).max_depth(1);
        let mut listing = Listing::default();
        for entry in walk.par_iter(FIELDS) {
            match entry {
                Ok(entry) => listing.entries.push(listed(&entry, usage.apparent, parent)),
                Err(error) => listing.failed = listing.failed.or_else(|| Some(error_text(&error))),
            }
        }
        listing.entries.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        if usage.links != HardLinks::Each {
            listing.find_repeated();
        }
        listing
    }

    fn find_repeated(&mut self) {
        let mut met = HashSet::new();
        for entry in self.entries.iter_mut().filter(|entry| entry.is_linked) {
            entry.is_repeated = entry.shown.is_some_and(|shown| !met.insert(shown.file.itself));
        }
    }
}

fn listed(entry: &DirEntry, apparent: Apparent, parent: Option<Identity>) -> ListedEntry {
    let name = entry.file_name().as_encoded_bytes().into();
    let file_type = entry.file_type();
    let is_dir = file_type.is_dir();
    let mut listed = ListedEntry { name, is_dir, ..ListedEntry::default() };
    if let Some(meta) = entry.meta() {
        listed.sums = sums_of(file_type, meta, apparent);
        listed.is_linked = is_linked(file_type, meta);
        let owner = meta.uid().unwrap_or(0);
        let file = |(parent, itself)| FileIdentity { parent, itself, owner };
        let shown = |file| Shown { file, born: meta.btime() };
        listed.shown = parent.zip(meta.identity()).map(file).map(shown);
    }
    listed
}

/// The sums of an entry itself.
pub fn sums_of(file_type: FileType, meta: &Meta, apparent: Apparent) -> Sums {
    let has_content =
        apparent == Apparent::All || matches!(file_type, FileType::File | FileType::Symlink);
    let mut sums = Sums::default();
    sums.entries = 1;
    sums.allocated = meta.blocks().unwrap_or(0).saturating_mul(512);
    sums.apparent = meta.size().filter(|_| has_content).unwrap_or(0);
    sums.newest = meta.mtime();
    sums
}

/// Whether a file has several hard links.
pub fn is_linked(file_type: FileType, meta: &Meta) -> bool {
    !file_type.is_dir() && meta.nlink().is_some_and(|links| links > 1)
}

/// Whether the path still leads to the file that was shown.
///
/// # Errors
/// The file's metadata could not be read.
pub fn is_still(path: &Path, shown: &Shown) -> io::Result<bool> {
    let wanted = Fields::DEV | Fields::INO | Fields::BTIME;
    let meta = stat_path(Backend::Native, path, wanted, Links::NoFollow)?;
    Ok(meta.identity() == Some(shown.file.itself) && meta.btime() == shown.born)
}
