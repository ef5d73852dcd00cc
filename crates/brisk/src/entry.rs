//! [`Entry`]: a name in a directory, borrowed while the walk holds it.

use std::cell::Cell;
use std::ffi::{CStr, OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::PathBuf;

use brisk_sys::{Dir, Freshness, Links};

pub use crate::directory::Directory;
use crate::read::fetch::is_missing;
use crate::tree::request_at;
use crate::{At, Fields, FileType, Meta, Target};
use brisk_sys::append;
pub(crate) use brisk_sys::paths::bytes_to_path;

/// One entry of a directory, borrowed from the kernel's buffer.
///
/// The methods that make system calls say so. No path of the entry is built until the visitor asks
/// for it.
#[derive(Debug)]
pub struct Entry<'a> {
    pub(crate) dir: &'a Directory<'a>,
    pub(crate) name: &'a CStr,
    pub(crate) ino: u64,
    pub(crate) meta: Option<&'a Meta>,
    pub(crate) depth: u32,
    pub(crate) file_type: FileType,
    /// The entry is a link and the walk follows it: type and metadata are the target's.
    pub(crate) followed: bool,
    /// An attribute says that it is hidden.
    pub(crate) hidden: bool,
    pub(crate) pruned: Cell<bool>,
    /// Rules or the filter refuse it.
    pub(crate) refused: Cell<bool>,
    /// The directory is entered, but not delivered. A walk that is ordered, acts, or delivers each
    /// file once keeps it among the other entries.
    pub(crate) undelivered: bool,
    /// The visitor has marked the directory, to recognise it later.
    pub(crate) marked: Cell<bool>,
    /// The visitor has removed it, or another process has.
    pub(crate) gone: Cell<bool>,
}

impl<'a> Entry<'a> {
    #[inline]
    pub(crate) fn new(
        dir: &'a Directory<'a>,
        name: &'a CStr,
        ino: u64,
        file_type: FileType,
        depth: u32,
    ) -> Entry<'a> {
        Entry {
            dir,
            name,
            ino,
            meta: None,
            depth,
            file_type,
            followed: false,
            hidden: false,
            pruned: Cell::new(false),
            refused: Cell::new(false),
            undelivered: false,
            marked: Cell::new(false),
            gone: Cell::new(false),
        }
    }

    #[inline]
    pub(crate) fn followed(self, followed: bool) -> Entry<'a> {
        Entry { followed, ..self }
    }

    #[inline]
    pub(crate) fn hidden(self, hidden: bool) -> Entry<'a> {
        Entry { hidden, ..self }
    }

    /// The same entry with this metadata.
    pub(crate) fn with<'b>(&self, meta: Option<&'b Meta>) -> Entry<'b>
    where
        'a: 'b,
    {
        let [pruned, refused, marked, gone] =
            [&self.pruned, &self.refused, &self.marked, &self.gone].map(Cell::clone);
        Entry { meta, pruned, refused, marked, gone, ..*self }
    }

    /// The name's bytes (WTF-8 on Windows). For a root this is the path as it was given, in a
    /// removal its last component.
    #[must_use]
    pub fn name(&self) -> &'a [u8] {
        self.name.to_bytes()
    }

    /// The same with a NUL at its end, as C takes it.
    #[must_use]
    pub fn c_name(&self) -> &'a CStr {
        self.name
    }

    /// The name as an `OsStr`.
    #[must_use]
    pub fn file_name(&self) -> &'a OsStr {
        bytes_to_path(self.name()).as_os_str()
    }

    /// The type: the target's if the walk follows this link. Never `Unknown` in
    /// [`Visitor::entries`](crate::Visitor::entries), unless the stat that should tell failed.
    ///
    /// It is the type that the directory lists or, from `entries` on, that of the metadata if the
    /// walk fetched any: the two differ where a file is mounted on another one. A directory is
    /// always as listed.
    #[must_use]
    pub fn file_type(&self) -> FileType {
        self.file_type
    }

    /// Whether the type and metadata are those of a followed link's target.
    #[must_use]
    pub fn is_followed_link(&self) -> bool {
        self.followed
    }

    /// Whether the entry is hidden: its name begins with a dot, or (on Windows) an attribute says
    /// so.
    #[must_use]
    pub fn is_hidden(&self) -> bool {
        self.hidden || self.name().starts_with(b".")
    }

    /// The inode number that the directory gives; stat's may differ at mount points and on
    /// overlayfs.
    #[must_use]
    pub fn ino(&self) -> u64 {
        self.ino
    }

    /// How deep the entry is; a root's depth is 0.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth as usize
    }

    /// The metadata that the visitor wanted; `None` if it wanted none, or if the request failed.
    #[must_use]
    pub fn meta(&self) -> Option<&'a Meta> {
        self.meta
    }

    /// The directory that holds the entry.
    #[must_use]
    pub fn directory(&self) -> &'a Directory<'a> {
        self.dir
    }

    /// Appends the entry's path to `out`.
    pub fn path_into(&self, out: &mut Vec<u8>) {
        append(out, self.dir.prefix);
        append(out, self.name());
    }

    /// The entry's path. Allocates: where many are needed, use [`path_into`](Entry::path_into).
    #[must_use]
    pub fn path(&self) -> PathBuf {
        joined(self.dir.prefix, self.name())
    }

    /// Keeps the walk from entering this directory. Only useful in
    /// [`Visitor::entries`](crate::Visitor::entries).
    pub fn prune(&self) {
        self.pruned.set(true);
    }

    /// Whether this directory is pruned: by the visitor, by the walk's ignore rules (it is then
    /// [refused](Entry::is_refused) too), by a prune in its filter, or by the walk itself, which
    /// may keep to [one device](crate::Mounts::SameDevice). A directory that is not entered because
    /// of its depth is not pruned.
    #[must_use]
    pub fn is_pruned(&self) -> bool {
        self.pruned.get()
    }

    /// Whether the walk's [rules](crate::Walk::rules) or its [filter](crate::Walk::filter) refuse
    /// the entry: to be met in [`Visitor::enter`](crate::Visitor::enter), because such a directory
    /// may be entered, and elsewhere by a visitor that [needs](field@crate::Needs::refused) what is
    /// refused.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.refused.get()
    }

    /// Marks a directory, so that the visitor knows it again in
    /// [`Visitor::enter`](crate::Visitor::enter) and when it is [left](crate::Leaving::is_marked).
    /// Only useful in [`Visitor::entries`](crate::Visitor::entries) of a visitor that
    /// [acts](crate::Act).
    pub fn mark(&self) {
        self.marked.set(true);
    }

    /// Whether the visitor has marked the entry.
    #[must_use]
    pub fn is_marked(&self) -> bool {
        self.marked.get()
    }

    /// Where the operating system finds the entry: the handle of the directory that listed it, and
    /// its name there. For a root this is the path as it was given, or the handle; in a removal as
    /// for any entry.
    ///
    /// # Errors
    /// [`io::ErrorKind::Unsupported`] if the directory that listed the entry is not open, as is
    /// often so in ordered walks, and where the walk has no handles.
    pub fn at(&self) -> io::Result<At<'_>> {
        let (here, name) = self.request_at()?;
        At::new(here, name)
    }

    /// The entry's metadata as it is now: the target's if the walk follows this link. System calls:
    /// one statx; one readlinkat for [`Fields::LINK_TARGET`] and another statx for
    /// [`Fields::TARGET`] of a link. A target that exists and cannot be reached is
    /// not filled. Extended attributes are not asked for.
    ///
    /// # Errors
    /// What the operating system says; [`io::ErrorKind::Unsupported`] if the directory that listed
    /// the entry is not open, as is often so in ordered walks.
    pub fn stat(&self, wanted: Fields) -> io::Result<Meta> {
        let (here, name) = self.request_at()?;
        let stat = |mask, follow| here.stat(name, mask, follow, Freshness::AsStat);
        let mut meta = stat(wanted | Fields::TYPE, self.follow())?;
        if meta.file_type() == Some(FileType::Symlink) {
            if wanted.contains(Fields::LINK_TARGET) {
                meta.set_link_target(here.read_link(name)?);
            }
            if wanted.contains(Fields::TARGET) {
                match stat(Fields::TYPE | Fields::MODE, Links::Follow) {
                    Err(error) if !is_missing(&error) => {}
                    target => {
                        meta.set_target(target.as_ref().map_or(Target::Dangling, Target::from))
                    }
                }
            }
        }
        Ok(meta)
    }

    /// The metadata of what a link leads to; of what is not a link, its own. System calls: one statx.
    ///
    /// # Errors
    /// What the operating system says; [`io::ErrorKind::Unsupported`] if the directory that listed
    /// the entry is not open, as is often so in ordered walks.
    pub fn stat_target(&self, wanted: Fields) -> io::Result<Meta> {
        let (here, name) = self.request_at()?;
        here.stat(name, wanted | Fields::TYPE, Links::Follow, Freshness::AsStat)
    }

    /// The same entry with this metadata, which [`stat`](Entry::stat) gave, and with its type if
    /// the directory did not give one. What is [pruned](Entry::prune) is this one, not the other.
    #[must_use]
    pub fn with_meta<'b>(&self, meta: &'b Meta) -> Entry<'b>
    where
        'a: 'b,
    {
        let entry = self.with(Some(meta));
        let file_type = match self.file_type {
            FileType::Unknown => meta.file_type().unwrap_or_default(),
            known => known,
        };
        Entry { file_type, ..entry }
    }

    /// Whether the directory has no entries. It is opened relative to the handle of the directory
    /// that listed it; a link is opened only where the walk follows it. System calls: openat2,
    /// getdents64, close.
    ///
    /// # Errors
    /// What the operating system says; [`io::ErrorKind::Unsupported`] if the directory that listed
    /// the entry is not open, as is often so in ordered walks.
    pub fn is_empty_dir(&self) -> io::Result<bool> {
        let (here, name) = self.request_at()?;
        here.open_child(name, self.follow())?.is_empty()
    }

    /// Opens the entry for reading, if it is a regular file. It is opened relative to the handle of
    /// the directory that listed it, without following a link. System calls: openat, fstat.
    ///
    /// # Errors
    /// What the operating system says; [`io::ErrorKind::InvalidInput`] if the file is not regular,
    /// [`io::ErrorKind::Unsupported`] if the directory that listed the entry is not open, as is
    /// often so in ordered walks.
    pub fn open_file(&self) -> io::Result<File> {
        let (here, name) = self.request_at()?;
        let file = here.open_file(name)?;
        if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
    }

    /// Whether the system lets this process execute the file, or enter the directory. System calls:
    /// one faccessat2.
    ///
    /// # Errors
    /// What the operating system says; [`io::ErrorKind::Unsupported`] if the directory that listed
    /// the entry is not open, as is often so in ordered walks, and on systems that do not report it
    /// (Windows).
    pub fn may_execute(&self) -> io::Result<bool> {
        let (here, name) = self.request_at()?;
        here.may_execute(name)
    }

    /// Removes the entry, relative to the handle of the directory that listed it. A link goes, not
    /// what it leads to. System calls: one unlinkat.
    ///
    /// # Errors
    /// What the operating system says; a directory is an error
    /// ([`IsADirectory`](io::ErrorKind::IsADirectory) on Linux). [`io::ErrorKind::Unsupported`] if
    /// the directory is not open, as in ordered walks that do not act.
    pub fn unlink(&self) -> io::Result<()> {
        let removed = self.dir.handle.ok_or(io::ErrorKind::Unsupported)?.unlink(self.name);
        self.gone.set(is_gone(&removed));
        removed
    }

    /// Removes an empty directory, relative to the handle of the one that listed it. System calls:
    /// one unlinkat.
    ///
    /// # Errors
    /// What the operating system says; [`io::ErrorKind::Unsupported`] if the
    /// directory is not open, as in ordered walks that do not act.
    pub fn remove_dir(&self) -> io::Result<()> {
        let removed = self.dir.handle.ok_or(io::ErrorKind::Unsupported)?.remove_dir(self.name);
        self.gone.set(is_gone(&removed));
        removed
    }

    /// Whether the system lets this process write to the file. System calls: one faccessat2.
    ///
    /// # Errors
    /// What the operating system says; [`io::ErrorKind::Unsupported`] if the directory that listed
    /// the entry is not open, as is often so in ordered walks.
    pub fn may_write(&self) -> io::Result<bool> {
        let (here, name) = self.request_at()?;
        here.may_write(name)
    }

    /// The directory and the name by which the system is asked about the entry.
    pub(crate) fn request_at(&self) -> io::Result<(&Dir, &CStr)> {
        let here = self.dir.handle.ok_or(io::ErrorKind::Unsupported)?;
        Ok(request_at(self.dir.root_handles, here, self.name))
    }

    /// How a directory is to be opened.
    pub(crate) fn follow(&self) -> Links {
        Links::followed(self.followed)
    }
}

/// Whether an entry that was to be removed is gone.
pub(crate) fn is_gone(removed: &io::Result<()>) -> bool {
    removed.as_ref().err().is_none_or(|error| error.kind() == io::ErrorKind::NotFound)
}

/// A path of a directory's prefix and a name, in one allocation.
pub(crate) fn joined(prefix: &[u8], name: &[u8]) -> PathBuf {
    let mut path = OsString::with_capacity(prefix.len() + name.len());
    path.push(bytes_to_path(prefix));
    path.push(bytes_to_path(name));
    PathBuf::from(path)
}

/// An owned path from bytes.
pub(crate) fn bytes_to_path_buf(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsString::from(bytes_to_path(bytes).as_os_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Entries are made by the hundred thousand: a larger one is a decision, not an accident.
    #[test]
    fn an_entry_stays_within_a_cache_line() {
        assert!(size_of::<Entry<'_>>() <= 64, "{}", size_of::<Entry<'_>>());
    }
}
