//! Looks the caller's paths up, groups them by parent ([`RootGroup`]), and forms batches of these
//! groups ([`RootBatch`]). Refuses paths that must stay. A [`Root`] is one path by itself, for `Remove::inspect`.
//!
//! ```text
//!   "a/b/dir/"  ──►  openat("a/b", O_PATH), once for neighbours that share it
//!                    statx(handle, "dir"): type, device, inode
//!                    refused? . and .. · the root · a preserved mount point · a link with a
//!                    slash at the end · a file swapped since the caller looked
//! ```
//!
//! Roots are removed in batches, side by side. If one root of a batch were part of another, what
//! happens to them would depend on which is first, so the later one waits for the next batch:
//!
//! ```text
//!   d  d/e     d/e, or a directory above it, is a root of this batch already
//!   d/e  d     d holds a root of this batch, or is above its parent
//!   d/e  d/.   the same: `d/.` has a group of its own, as `.` is not an entry of d
//! ```
//!
//! From here on no other process can redirect a path: the removal uses only the last component, by
//! the handle of the directory that held it.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::ffi::{CStr, CString};
use std::io;
use std::iter::Peekable;
use std::path::Path;
use std::sync::Arc;

use brisk_sys::slashed::with_one_slash;
use brisk_sys::{Backend, Buffer, Dir, Freshness, Identity, Links, STATX, limits};

use super::above::SelfAndAbove;
use super::report::Why;
use super::settings::{Directories, FileIdentity, Preserve};
use super::tally::Tally;
use crate::drive::run::OpenParent;
use crate::entry::bytes_to_path;
use crate::sched::lock;
use crate::{Fields, FileType, Meta, walk};

/// The most parents that are open at once: neighbouring paths mostly share one, and descriptors are
/// scarce.
const MAX_PARENTS: usize = 64;

/// The most roots of a batch, which bounds memory: enough to keep all workers busy.
const MAX_ROOTS: usize = 16_384;

/// The fields that show which file a path leads to, and whether the file is a mount point.
const ASKED: Fields = Fields::TYPE.union(Fields::INO).union(Fields::DEV).union(Fields::MNT_ID);

/// The open directory that holds a name.
type Handle = Arc<Dir>;

/// A path that was looked up, and the open directory that holds it.
#[derive(Debug)]
pub struct Root {
    handle: Handle,
    name: CString,
    pub(crate) identity: FileIdentity,
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

    /// See [`unstable::rename`](crate::unstable::rename).
    pub(crate) fn rename(&self, new: &CStr) -> io::Result<()> {
        self.handle.rename_here(&self.name, new)?;
        if identify(&self.handle, new).is_ok_and(|(now, _)| now.itself == self.identity.itself) {
            return Ok(());
        }
        self.handle.rename_here(new, &self.name)?;
        Err(io::ErrorKind::NotFound.into())
    }
}

fn identify(parent: &Dir, name: &CStr) -> io::Result<(FileIdentity, FileType)> {
    let unknown = || io::Error::from(io::ErrorKind::Unsupported);
    let meta = parent.stat(name, ASKED | Fields::UID, Links::NoFollow, Freshness::AsStat)?;
    let above = parent.stat_self(ASKED)?;
    let identity = |meta: &Meta| meta.identity().ok_or_else(unknown);
    let owner = if STATX.contains(Fields::UID) { meta.uid().ok_or_else(unknown)? } else { 0 };
    let known = FileIdentity { parent: identity(&above)?, itself: identity(&meta)?, owner };
    Ok((known, meta.file_type().unwrap_or_default()))
}

/// Looks paths up, and reports those that are refused.
pub(super) struct Roots<'t> {
    tally: &'t Tally<'t>,
    most_parents: usize,
    /// The root directories of the current batch.
    batch_roots: HashSet<Identity>,
}

/// Roots that are removed side by side.
#[derive(Default)]
pub(super) struct RootBatch {
    pub parents: Vec<OpenParent>,
    /// The path that ended the batch, as the caller spelled it: with `in_turn` a directory or a
    /// refused path; in a dry run, or if questions may be asked, any path. Otherwise empty.
    pub last_given: Vec<u8>,
    /// Why that path is not a root: to be reported after the roots before it.
    pub failed: Option<Why>,
}

/// An open parent, and its roots so far.
struct RootGroup {
    prefix: Vec<u8>,
    /// The only root is `.`, `..`, `/` or a drive: not an entry of `handle`, but `handle`'s
    /// directory itself or one elsewhere, perhaps above it.
    names_no_entry: bool,
    handle: Handle,
    roots: Vec<(u64, FileType, CString)>,
    above: OnceCell<SelfAndAbove>,
}

/// A path, split at its last component.
struct SplitPath<'a> {
    /// The path before the last component, with the slash.
    prefix: &'a [u8],
    name: CString,
    /// The path ends in a slash, so the caller means a directory.
    wants_dir: bool,
}

impl<'t> Roots<'t> {
    pub fn new(tally: &'t Tally<'t>) -> Self {
        let few = usize::try_from(limits::open_files() / 8).unwrap_or(MAX_PARENTS);
        let most_parents = few.clamp(1, MAX_PARENTS);
        Roots { tally, most_parents, batch_roots: HashSet::new() }
    }

    /// Looks up paths until as many parents are open as may be, or enough roots are found. In a dry
    /// run, or if the observer asks questions, a batch is one path. Otherwise, with
    /// [`in_turn`](field@super::Remove::in_turn), it is files of one directory, and then at most
    /// one tree.
    pub fn next_batch<P: AsRef<Path>>(
        &mut self,
        paths: &mut Peekable<impl Iterator<Item = P>>,
    ) -> RootBatch {
        let one_by_one = self.tally.asks || self.tally.remove.dry_run;
        let in_turn = one_by_one || self.tally.remove.in_turn;
        lock(&self.tally.given).clear();
        self.batch_roots.clear();
        let mut groups: Vec<RootGroup> = Vec::new();
        let mut batch = RootBatch::default();
        for _ in 0..MAX_ROOTS {
            let has_room = groups.len() < self.most_parents;
            let Some(path) = paths.peek().filter(|_| has_room) else { break };
            let given = path.as_ref().as_os_str().as_encoded_bytes();
            let is_last = match self.add(given, &mut groups) {
                Ok(None) => break,
                Ok(Some(FileType::Directory)) => in_turn,
                Ok(Some(_)) => one_by_one,
                Err(why) if in_turn => {
                    batch.failed = Some(why);
                    true
                }
                Err(why) => {
                    self.tally.path_refused(with_one_slash(given), why);
                    false
                }
            };
            if is_last {
                batch.last_given = with_one_slash(given).to_vec();
            }
            paths.next();
            if is_last {
                break;
            }
        }
        let taken = groups.into_iter().filter(|group| !group.roots.is_empty());
        batch.parents = taken.map(RootGroup::into_open_parent).collect();
        batch
    }

    /// Looks up all paths, each by itself.
    pub fn all(&mut self, paths: &[walk::Root]) -> Vec<Root> {
        let mut roots = Vec::new();
        for root in paths {
            let given = root.path.as_os_str().as_encoded_bytes();
            let mut groups = Vec::new();
            self.batch_roots.clear();
            let found = self.add(given, &mut groups).and_then(|_| {
                let group = groups.pop().expect("BUG: a path that was looked up is in a group");
                group.into_root().map_err(Why::System)
            });
            match found {
                Ok(root) => roots.push(root),
                Err(why) => self.tally.path_refused(with_one_slash(given), why),
            }
        }
        roots
    }

    /// Opens the parent of a path, unless it is the last one that was opened. `false` if the path
    /// has to wait for the next batch.
    fn open(&self, split: &SplitPath<'_>, groups: &mut Vec<RootGroup>) -> Result<bool, Why> {
        let names_no_entry = split.names_no_entry();
        let is_open = |last: &RootGroup| !last.names_no_entry && last.prefix == split.prefix;
        if !names_no_entry && groups.last().is_some_and(is_open) {
            return Ok(true);
        }
        if self.tally.remove.in_turn && !groups.is_empty() {
            return Ok(false);
        }
        let handle = split.open_parent().map_err(Why::System)?;
        let prefix = split.prefix.to_vec();
        let above = OnceCell::new();
        let group = RootGroup { prefix, names_no_entry, handle, roots: Vec::new(), above };
        if self.is_inside_empty(&group) {
            return Err(Why::System(io::ErrorKind::NotFound.into()));
        }
        if !self.batch_roots.is_empty() && group.above().may_be_any_of(&self.batch_roots) {
            return Ok(false);
        }
        groups.push(group);
        Ok(true)
    }

    /// In a dry run: whether the roots of a group are in an earlier root, which would be empty by
    /// then.
    fn is_inside_empty(&self, group: &RootGroup) -> bool {
        let emptied = lock(&self.tally.would_be_empty);
        !emptied.is_empty() && group.above().is_any_of(&emptied, usize::from(group.names_no_entry))
    }

    /// Makes a directory one of this batch. `false` if it has to wait for the next batch, because
    /// it is a root of this one already, or is above one.
    fn enlist(&mut self, meta: &Meta, groups: &[RootGroup]) -> bool {
        let Some(id) = meta.identity() else { return true };
        let others = &groups[..groups.len() - 1];
        let itself = HashSet::from([id]);
        let is_free = !others.iter().any(|group| group.above().may_be_any_of(&itself));
        is_free && self.batch_roots.insert(id)
    }

    /// Looks a path up, and adds it to the group of its parent, which is the last one then. Returns
    /// the type of what it leads to; `None` if the path has to wait for the next batch.
    fn add(&mut self, given: &[u8], groups: &mut Vec<RootGroup>) -> Result<Option<FileType>, Why> {
        let split = SplitPath::new(given).map_err(Why::System)?;
        let walk = &self.tally.remove.walk;
        let is_open = walk.root_handles.as_ref().is_some_and(|handles| handles.shows(given));
        if is_open || walk.max_depth != usize::MAX {
            return Err(Why::System(io::ErrorKind::Unsupported.into()));
        }
        if !self.open(&split, groups)? {
            return Ok(None);
        }
        let group = groups.last_mut().expect("BUG: one was just pushed");
        let ask = |links| group.handle.stat(&split.name, ASKED, links, Freshness::AsStat);
        let meta = ask(Links::NoFollow).map_err(Why::System)?;
        if let Some(expected) = self.tally.remove.only {
            let (found, _) = identify(&group.handle, &split.name).map_err(Why::System)?;
            if found != expected {
                return Err(Why::Swapped);
            }
        }
        let file_type = meta.file_type().unwrap_or_default();
        if file_type.is_dir() {
            self.check(&split, &group.handle, &meta)?;
            if self.tally.would_be_empty_root(&meta) {
                let is_kept = self.tally.remove.keep_roots;
                let gone = Why::System(io::ErrorKind::NotFound.into());
                return if is_kept { Ok(Some(file_type)) } else { Err(gone) };
            }
            if !self.enlist(&meta, groups) {
                return Ok(None);
            }
        } else if split.wants_dir {
            // With a slash at the end, other programs follow a link and empty its target.
            return Err(self.slash_refused(&ask(Links::Follow).map_err(Why::System)?));
        } else if self.tally.remove.keep_roots {
            // The system's error for this is one that `ignore_missing` ignores.
            return Err(Why::System(io::Error::other("not a directory")));
        }
        let walked = [split.prefix, split.name.to_bytes()].concat();
        if walked != given {
            lock(&self.tally.given).insert(walked, with_one_slash(given).to_vec());
        }
        let group = groups.last_mut().expect("BUG: it was opened above");
        group.roots.push((meta.ino().unwrap_or(0), file_type, split.name));
        Ok(Some(file_type))
    }

    /// Whether a directory that the caller named may be removed or emptied.
    fn check(&self, split: &SplitPath<'_>, parent: &Dir, meta: &Meta) -> Result<(), Why> {
        let remove = self.tally.remove;
        if remove.directories == Directories::Refused {
            return Err(Why::System(io::ErrorKind::IsADirectory.into()));
        }
        let is_itself = split.name.to_bytes() == b".";
        if (is_itself && !remove.keep_roots) || split.name.to_bytes() == b".." {
            // As GNU rm, which first looks whether the directory is empty.
            let is_full = remove.directories == Directories::Empty
                && parent
                    .open_child(&split.name, Links::NoFollow)
                    .is_ok_and(|dir| dir.is_empty().is_ok_and(|is_empty| !is_empty));
            let not_empty = || Why::System(io::ErrorKind::DirectoryNotEmpty.into());
            return Err(if is_full { not_empty() } else { Why::Dots });
        }
        if self.is_protected(meta) || remove.preserve != Preserve::Nothing && split.is_drive() {
            return Err(Why::Root);
        }
        if remove.preserve == Preserve::RootAndMounts {
            let above = if is_itself {
                parent.stat(c"..", ASKED, Links::NoFollow, Freshness::AsStat)
            } else {
                parent.stat_self(ASKED)
            };
            let above = above.map_err(Why::UnknownParent)?;
            let is_mount_point = match above.mnt_id().zip(meta.mnt_id()) {
                _ if above.dev() != meta.dev() => true,
                Some((above, own)) => above != own,
                // Without a mount id from statx, finding out takes a handle. A directory whose
                // mount stays unknown is not removed.
                None if is_itself => return Err(Why::Preserved),
                None => parent.is_mount_point(&split.name).map_err(Why::System)?,
            };
            return if is_mount_point { Err(Why::Preserved) } else { Ok(()) };
        }
        Ok(())
    }

    /// Why a path that ends in a slash is refused, which leads to no directory but perhaps, through
    /// a link, to `target`.
    fn slash_refused(&self, target: &Meta) -> Why {
        match target.file_type() {
            _ if self.is_protected(target) => Why::Root,
            Some(FileType::Directory) if self.tally.remove.directories == Directories::Refused => {
                Why::System(io::ErrorKind::IsADirectory.into())
            }
            Some(FileType::Directory) => Why::LinkBehindSlash,
            _ => Why::System(io::ErrorKind::NotADirectory.into()),
        }
    }

    fn is_protected(&self, meta: &Meta) -> bool {
        self.tally.protected_root().is_some_and(|root| meta.identity() == Some(root))
    }
}

impl<'a> SplitPath<'a> {
    fn new(given: &'a [u8]) -> io::Result<SplitPath<'a>> {
        if given.is_empty() {
            return Err(io::ErrorKind::NotFound.into());
        }
        let end = given.iter().rposition(|byte| !is_slash(byte)).map_or(0, |last| last + 1);
        let trimmed = &given[..end];
        let start = trimmed.iter().rposition(is_slash).map_or(0, |slash| slash + 1);
        // `C:name` is in the current directory of that drive.
        let start = if start == 0 { drive(trimmed, cfg!(windows)) } else { start };
        let (prefix, name) = trimmed.split_at(start);
        // The path is slashes only: the root of the file system has no other name.
        let name = if name.is_empty() { b"/" } else { name };
        let name = CString::new(name)?;
        Ok(SplitPath { prefix, name, wants_dir: end < given.len() })
    }

    /// Whether the path ends in the letter of a drive of Windows.
    fn is_drive(&self) -> bool {
        cfg!(windows) && self.name.to_bytes().ends_with(b":")
    }

    /// Whether the name is `.`, `..`, `/` or a drive: no entry of the directory before it.
    fn names_no_entry(&self) -> bool {
        self.is_drive() || matches!(self.name.to_bytes(), b"." | b".." | b"/")
    }

    /// Opens the directory that holds the name. On Windows the current directory is opened too. The
    /// name then means the same in each call: by a path, Windows would drop dots and blanks at its
    /// end, and would find `dir` where the caller wrote `dir.`.
    fn open_parent(&self) -> io::Result<Handle> {
        let place = match self.prefix {
            [] if cfg!(windows) && !self.names_no_entry() => b".",
            prefix => prefix,
        };
        let handle = if place.is_empty() {
            Dir::current(Backend::Native)
        } else {
            Dir::open_path_only(Backend::Native, bytes_to_path(place))?
        };
        Ok(Arc::new(handle.without_access_times()))
    }
}

/// The length of the drive at the start of a path of Windows, before a name.
fn drive(path: &[u8], is_windows: bool) -> usize {
    match path {
        [letter, b':', _, ..] if is_windows && letter.is_ascii_alphabetic() => 2,
        _ => 0,
    }
}

impl RootGroup {
    fn above(&self) -> &SelfAndAbove {
        self.above.get_or_init(|| SelfAndAbove::of(&self.handle))
    }

    fn into_root(mut self) -> io::Result<Root> {
        let (_, _, name) = self.roots.pop().ok_or(io::ErrorKind::NotFound)?;
        let (identity, file_type) = identify(&self.handle, &name)?;
        Ok(Root { handle: self.handle, name, identity, prefix: self.prefix, file_type })
    }

    fn into_open_parent(self) -> OpenParent {
        // A record has 19 bytes before the name, a NUL behind it, and is padded to 8.
        let bytes = self.roots.iter().map(|(_, _, name)| name.count_bytes() + 32).sum();
        let mut roots = Buffer::with_capacity(bytes);
        for (ino, file_type, name) in &self.roots {
            let fits = roots.push_root(*ino, *file_type, name.to_bytes());
            assert!(fits, "BUG: the buffer was made for these names");
        }
        let prefix = CString::new(self.prefix).expect("BUG: the parent was opened by this path");
        OpenParent { prefix, handle: self.handle, roots }
    }
}

/// Whether the byte separates the components of a path.
fn is_slash(byte: &u8) -> bool {
    std::path::is_separator(char::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Walk;
    use crate::remove::Remove;

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
            let split = SplitPath::new(given.as_bytes()).expect("no NUL in it");
            assert_eq!(split.prefix, prefix.as_bytes(), "{given}");
            assert_eq!(split.name.to_bytes(), name.as_bytes(), "{given}");
            assert_eq!(split.wants_dir, wants_dir, "{given}");
        }
        assert!(SplitPath::new(b"").is_err());
        assert!(SplitPath::new(b"a\0b").is_err());
    }

    #[test]
    fn a_name_behind_a_drive_is_in_the_directory_of_that_drive() {
        for (path, length) in [("C:a", 2), ("C:", 0), ("a:", 0), ("1:a", 0), ("ab:c", 0), ("", 0)] {
            assert_eq!(drive(path.as_bytes(), true), length, "{path}");
            assert_eq!(drive(path.as_bytes(), false), 0, "{path}");
        }
    }

    #[test]
    fn a_directory_and_its_entries_are_in_different_batches() {
        let scratch = testkit::scratch();
        std::fs::create_dir_all(scratch.path().join("x/sub")).expect("the names are free");
        std::fs::create_dir(scratch.path().join("x/other")).expect("the name is free");
        for (names, expected) in [
            ("x/. x/sub", &[1, 1][..]),
            ("x/sub x/.", &[1, 1]),
            ("x/sub x/other x/. x/. x/other x/sub", &[2, 1, 1, 2]),
            ("x x/.", &[1, 1]),
            // Windows takes `x/.` for another directory than `x`.
            ("x/./other x/sub", if cfg!(windows) { &[1, 1] } else { &[2] }),
        ] {
            let remove = Remove { keep_roots: true, ..Remove::new(Walk::over::<&Path>([])) };
            let tally = Tally::new(&remove, &());
            let mut paths = names.split(' ').map(|name| scratch.path().join(name)).peekable();
            let mut roots = Roots::new(&tally);
            let mut sizes: Vec<usize> = Vec::new();
            while paths.peek().is_some() {
                let batch = roots.next_batch(&mut paths);
                sizes.push(batch.parents.iter().map(|it| it.roots.entries().count()).sum());
            }
            assert_eq!(sizes, expected, "{names}");
        }
    }
}
