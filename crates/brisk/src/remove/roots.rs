//! Turns the caller's paths into [`Root`]s: names in open directories. Refuses the paths that must
//! stay.
//!
//! ```text
//!   "a/b/dir/"  ──►  openat("a/b", O_PATH), once for neighbours that share it
//!                    statx(handle, "dir"): type, device, inode
//!                    refused? . and .. · the root · a preserved mount point · a link with a
//!                    slash at the end · a file swapped since the caller looked
//! ```
//!
//! From here on no other process can redirect a path: the removal uses only the last component, by
//! the handle of the directory that held it.

use std::ffi::{CStr, CString};
use std::io;
use std::iter::Peekable;
use std::path::PathBuf;
use std::sync::Arc;

use brisk_sys::{Backend, Buffer, Dir, Freshness, Links, limits};

use super::report::Why;
use super::settings::{Directories, Known, Preserve};
use super::tally::Tally;
use crate::entry::bytes_to_path;
use crate::run::Top;
use crate::{Fields, FileType, Meta};

/// The most parents that are open at once: neighbouring paths mostly share one, and descriptors are
/// scarce.
const MOST_PARENTS: usize = 64;

/// The fields that tell which file a path leads to, and whether the file is a mount point.
const ASKED: Fields = Fields::TYPE.union(Fields::INO).union(Fields::DEV).union(Fields::MNT_ID);

/// The open directory that holds a name.
type Handle = Arc<Dir>;

/// A path that was looked up, and the open directory that holds it.
#[derive(Debug)]
pub struct Root {
    handle: Handle,
    name: CString,
    known: Known,
    prefix: Vec<u8>,
    file_type: FileType,
}

impl Root {
    /// The part of the caller's path before the name: empty, or with a slash at its end.
    #[must_use]
    pub fn prefix(&self) -> &[u8] {
        &self.prefix
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        self.name.to_bytes()
    }

    /// Its type.
    #[must_use]
    pub fn file_type(&self) -> FileType {
        self.file_type
    }

    /// Which file it is.
    #[must_use]
    pub fn known(&self) -> Known {
        self.known
    }

    /// Gives the file another name in its directory, which must be free. System calls: one
    /// renameat2, and statx of the file and of the directory, to see that it is the file that was
    /// looked up; if not, another renameat2 takes that back.
    ///
    /// # Errors
    /// What the operating system says; [`io::ErrorKind::NotFound`] if another file had the name by
    /// then.
    pub fn rename(&self, new: &CStr) -> io::Result<()> {
        self.handle.rename_here(&self.name, new)?;
        if self.known_as(new).is_ok_and(|known| known.itself == self.known.itself) {
            return Ok(());
        }
        self.handle.rename_here(new, &self.name)?;
        Err(io::ErrorKind::NotFound.into())
    }

    /// The file that has this name in the same directory now.
    fn known_as(&self, name: &CStr) -> io::Result<Known> {
        known(&self.handle, name).map(|(known, _)| known)
    }
}

fn known(parent: &Dir, name: &CStr) -> io::Result<(Known, FileType)> {
    let unknown = || io::Error::from(io::ErrorKind::Unsupported);
    let meta = parent.stat(name, ASKED | Fields::UID, Links::NoFollow, Freshness::AsStat)?;
    let above = parent.stat_self(ASKED)?;
    let identity = |meta: &Meta| meta.dev().zip(meta.ino()).ok_or_else(unknown);
    let owner = meta.uid().ok_or_else(unknown)?;
    let known = Known { parent: identity(&above)?, itself: identity(&meta)?, owner };
    Ok((known, meta.file_type().unwrap_or_default()))
}

/// Looks paths up, and reports those that are refused.
pub(super) struct Roots<'t> {
    tally: &'t Tally<'t>,
    most_parents: usize,
}

/// An open parent, and its roots so far.
struct Group {
    prefix: Vec<u8>,
    handle: Handle,
    roots: Vec<(u64, FileType, CString)>,
}

/// A path, split at its last component.
struct Spelling<'a> {
    /// The path before the last component, with the slash.
    prefix: &'a [u8],
    name: CString,
    /// The path ends in a slash, so the caller means a directory.
    wants_dir: bool,
}

impl<'t> Roots<'t> {
    pub fn new(tally: &'t Tally<'t>) -> Self {
        let few = usize::try_from(limits::open_files() / 8).unwrap_or(MOST_PARENTS);
        Roots { tally, most_parents: few.clamp(1, MOST_PARENTS) }
    }

    /// Looks up paths until enough parents are open; only one path if the observer asks questions.
    pub fn next_batch<'p>(
        &mut self,
        paths: &mut Peekable<impl Iterator<Item = &'p PathBuf>>,
    ) -> Vec<Top> {
        let mut groups: Vec<Group> = Vec::new();
        while groups.len() < self.most_parents
            && let Some(path) = paths.next()
        {
            let given = path.as_os_str().as_encoded_bytes();
            if let Err(why) = self.take(given, &mut groups) {
                self.tally.not_found(given, why);
            }
            if self.tally.asks {
                break;
            }
        }
        groups.into_iter().map(Group::into_top).collect()
    }

    /// Looks up all paths, each by itself.
    pub fn all(&mut self, paths: &[PathBuf]) -> Vec<Root> {
        let mut roots = Vec::new();
        for path in paths {
            let given = path.as_os_str().as_encoded_bytes();
            let mut groups = Vec::new();
            let taken = self.take(given, &mut groups).and_then(|()| {
                let group = groups.pop().expect("BUG: a path that was looked up is in a group");
                group.into_root().map_err(Why::System)
            });
            match taken {
                Ok(root) => roots.push(root),
                Err(why) => self.tally.not_found(given, why),
            }
        }
        roots
    }

    fn take(&self, given: &[u8], groups: &mut Vec<Group>) -> Result<(), Why> {
        let spelling = Spelling::new(given).map_err(Why::System)?;
        if groups.last().is_none_or(|group| group.prefix != spelling.prefix) {
            let handle = spelling.open_parent().map_err(Why::System)?;
            let prefix = spelling.prefix.to_vec();
            groups.push(Group { prefix, handle, roots: Vec::new() });
        }
        let group = groups.last_mut().expect("BUG: one was just pushed");
        let ask = |links| group.handle.stat(&spelling.name, ASKED, links, Freshness::AsStat);
        let meta = ask(Links::NoFollow).map_err(Why::System)?;
        if let Some(expected) = self.tally.remove.only {
            let (found, _) = known(&group.handle, &spelling.name).map_err(Why::System)?;
            if found != expected {
                return Err(Why::Swapped);
            }
        }
        let file_type = meta.file_type().unwrap_or_default();
        if file_type.is_dir() {
            self.check(&spelling, &group.handle, &meta)?;
        } else if spelling.wants_dir {
            // With a slash at the end, other programs follow a link and empty its target.
            let target = ask(Links::Follow).map_err(Why::System)?;
            if self.is_root(&target) {
                return Err(Why::Root);
            }
            if target.file_type() == Some(FileType::Directory) {
                return Err(Why::LinkBehindSlash);
            }
            return Err(Why::System(io::ErrorKind::NotADirectory.into()));
        }
        let shown = [spelling.prefix, spelling.name.to_bytes()].concat();
        if shown != given {
            self.tally.spell(shown, with_one_slash(given));
        }
        group.roots.push((meta.ino().unwrap_or(0), file_type, spelling.name));
        Ok(())
    }

    /// Whether a directory that the caller named may be removed or emptied.
    fn check(&self, spelling: &Spelling<'_>, parent: &Dir, meta: &Meta) -> Result<(), Why> {
        let remove = self.tally.remove;
        if remove.directories == Directories::Refused {
            return Err(Why::System(io::ErrorKind::IsADirectory.into()));
        }
        if matches!(spelling.name.to_bytes(), b"." | b"..") {
            return Err(Why::Dots);
        }
        if self.is_root(meta) {
            return Err(Why::Root);
        }
        if remove.preserve == Preserve::RootAndMounts {
            let above = parent.stat_self(ASKED).map_err(Why::UnknownParent)?;
            let is_mount_point = match above.mnt_id().zip(meta.mnt_id()) {
                _ if above.dev() != meta.dev() => true,
                Some((above, own)) => above != own,
                // Without a mount id from statx, finding out takes a handle. A directory whose
                // mount stays unknown is not removed.
                None => parent.is_mount_point(&spelling.name).map_err(Why::System)?,
            };
            return if is_mount_point { Err(Why::Preserved) } else { Ok(()) };
        }
        Ok(())
    }

    fn is_root(&self, meta: &Meta) -> bool {
        self.tally.root().is_some_and(|root| meta.dev().zip(meta.ino()) == Some(root))
    }
}

impl<'a> Spelling<'a> {
    fn new(given: &'a [u8]) -> io::Result<Spelling<'a>> {
        if given.is_empty() {
            return Err(io::ErrorKind::NotFound.into());
        }
        let end = given.iter().rposition(|&byte| byte != b'/').map_or(0, |last| last + 1);
        let trimmed = &given[..end];
        let start = trimmed.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
        let (prefix, name) = trimmed.split_at(start);
        // The path is slashes only: the root of the file system has no other name.
        let name = if name.is_empty() { b"/" } else { name };
        let name = CString::new(name)?;
        Ok(Spelling { prefix, name, wants_dir: end < given.len() })
    }

    fn open_parent(&self) -> io::Result<Handle> {
        let handle = if self.prefix.is_empty() {
            Dir::current(Backend::Native).without_access_times()
        } else {
            Dir::open_place(Backend::Native, bytes_to_path(self.prefix))?.without_access_times()
        };
        Ok(Arc::new(handle))
    }
}

impl Group {
    fn into_root(mut self) -> io::Result<Root> {
        let (_, _, name) = self.roots.pop().ok_or(io::ErrorKind::NotFound)?;
        let (known, file_type) = known(&self.handle, &name)?;
        Ok(Root { handle: self.handle, name, known, prefix: self.prefix, file_type })
    }

    fn into_top(self) -> Top {
        // A record has 19 bytes before the name, a NUL behind it, and is padded to 8.
        let bytes = self.roots.iter().map(|(_, _, name)| name.count_bytes() + 32).sum();
        let mut roots = Buffer::with_capacity(bytes);
        for (ino, file_type, name) in &self.roots {
            let fits = roots.push_known_root(*ino, *file_type, name.to_bytes());
            assert!(fits, "BUG: the buffer was made for these names");
        }
        let prefix = CString::new(self.prefix).expect("BUG: the parent was opened by this path");
        Top { prefix, handle: self.handle, roots }
    }
}

/// The path as messages show it: with one slash at the end instead of several.
fn with_one_slash(given: &[u8]) -> &[u8] {
    let end = given.iter().rposition(|&byte| byte != b'/').map_or(1, |last| last + 2);
    &given[..end.min(given.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_taken_apart_at_the_last_component() {
        for (given, prefix, name, wants_dir) in [
            ("a", "", "a", false),
            ("a/", "", "a", true),
            ("a//b///", "a//", "b", true),
            ("/", "", "/", true),
            ("//", "", "/", true),
            ("/a", "/", "a", false),
            ("./", "", ".", true),
            ("a/..", "a/", "..", false),
        ] {
            let spelling = Spelling::new(given.as_bytes()).expect("no NUL in it");
            assert_eq!(spelling.prefix, prefix.as_bytes(), "{given}");
            assert_eq!(spelling.name.to_bytes(), name.as_bytes(), "{given}");
            assert_eq!(spelling.wants_dir, wants_dir, "{given}");
        }
        assert!(Spelling::new(b"").is_err());
        assert!(Spelling::new(b"a\0b").is_err());
    }
}
