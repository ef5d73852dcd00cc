//! Removes from a destination directory what its source does not have. An entry stays if the walk's
//! rules or filter would leave it out of the source, and so do the directories above it.

use std::collections::HashSet;
use std::ffi::{CStr, CString};
use std::io;
use std::sync::atomic::Ordering;

use brisk_sys::{Buffer, Dir, Fields, FileType, Freshness, Identity, Links, copy, output};

use super::fate::{Fate, fate};
use super::job::{ALL, Denied, at, identity_of};
use super::mirror::Mirror;
use super::work::{Item, Work};
use crate::copy::report::Step;
use crate::copy::settings::PathPair;
use crate::{Directory, Leaving};

/// Removes the entries of a destination directory that the source directory does not have.
pub(super) fn delete(
    work: &mut Work<'_>,
    dir: &Leaving<'_>,
    mirror: &Mirror,
) -> Result<(), Denied> {
    let Some(handle) = mirror.handle(work.route)? else { return Ok(()) };
    let parent = dir.parent.map_err(|error| (Step::ReadDirectory, Some(error.kind().into())))?;
    let source =
        parent.open_child_path_only(dir.name, dir.follow).map_err(at(Step::ReadDirectory))?;
    if source.identity().ok() != mirror.source.identity() {
        return Err((Step::Replaced, None));
    }
    let names = names_in(&handle).map_err(at(Step::OpenDirectory))?;
    work.requests += names.len() as u64;
    let missing: Vec<_> = names.iter().filter(|name| is_missing(&source, name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let copies = unlisted(&source, &handle, &names).map_err(at(Step::ReadDirectory))?;
    let shown = mirror.path_of(work.route, c"");
    let mut surplus = Surplus::new(work, mirror, dir.directory(), &handle, shown);
    for name in missing {
        if copies.is_empty() || !copies.contains(&identity_of(&handle, name, Links::NoFollow)) {
            surplus.delete(name);
        }
    }
    Ok(())
}

/// In a destination that ignores case: the entries that the source has in another spelling.
fn unlisted(
    source: &Dir,
    destination: &Dir,
    names: &[CString],
) -> io::Result<HashSet<Option<Identity>>> {
    let listed: HashSet<_> = names.iter().collect();
    let mut own = names_in(source)?;
    own.retain(|name| !listed.contains(name));
    let identities = own.iter().map(|name| identity_of(destination, name, Links::NoFollow));
    Ok(identities.filter(Option::is_some).collect())
}

/// Removes a directory that is in the way of an entry of another type. `false` if something in it
/// stays.
pub(super) fn make_way(work: &mut Work<'_>, place: &Item<'_>) -> bool {
    let shown = place.mirror.path_of(work.route, c"");
    let directory = place.entry.directory();
    Surplus::new(work, place.mirror, directory, place.dir, shown).delete(place.name)
}

/// What is removed from a destination directory, one entry after the other.
struct Surplus<'s, 'w> {
    work: &'s mut Work<'w>,
    mirror: &'s Mirror,
    /// The source directory: rules and filter compare paths in the source.
    source: &'s Directory<'s>,
    dir: &'s Dir,
    /// The source of the pair. It is not removed, even if it is mounted below the destination.
    root: Option<Identity>,
    /// The directories that are being emptied.
    levels: Vec<SurplusDir>,
    /// The path in the source of the innermost of them, with a slash at its end.
    prefix: Vec<u8>,
    /// Its path in messages, with a slash at its end.
    shown: Vec<u8>,
}

/// How many directories are open at most while those below them are emptied.
const MAX_OPEN: usize = 16;

/// A directory that is being emptied.
struct SurplusDir {
    /// Its handle; or its identity, once the handle was closed.
    dir: Result<Dir, Identity>,
    name: CString,
    names: std::vec::IntoIter<CString>,
    /// It is to be removed; `false` once something in it stays.
    goes: bool,
}

impl<'s, 'w> Surplus<'s, 'w> {
    fn new(
        work: &'s mut Work<'w>,
        mirror: &'s Mirror,
        source: &'s Directory<'s>,
        dir: &'s Dir,
        mut shown: Vec<u8>,
    ) -> Self {
        if !shown.ends_with(b"/") {
            shown.push(b'/');
        }
        let prefix = source.prefix().to_vec();
        let root = mirror.source_of_top();
        Surplus { work, mirror, source, dir, root, levels: Vec::new(), prefix, shown }
    }

    /// Removes an entry of `dir`, unless it or something below it stays. Returns whether it was
    /// removed.
    fn delete(&mut self, name: &CStr) -> bool {
        let mut has_gone = self.visit(name);
        while let Some(level) = self.levels.last_mut() {
            has_gone = match level.names.next() {
                Some(name) => self.visit(&name),
                None => self.leave(),
            };
        }
        has_gone
    }

    /// Removes a file, or begins to empty a directory.
    fn visit(&mut self, name: &CStr) -> bool {
        if self.work.route.job.is_stopped() {
            return self.stays();
        }
        match self.try_visit(name) {
            Ok(Some(file_type)) => self.has_gone(name, file_type),
            Ok(None) => false,
            Err(error) => self.failed(name, error),
        }
    }

    /// Returns the type of what was removed.
    fn try_visit(&mut self, name: &CStr) -> io::Result<Option<FileType>> {
        self.work.requests += 2;
        let (file_type, fate) = self.fate(name)?;
        let is_dir = file_type == FileType::Directory;
        match fate {
            Fate::StaysWithAllBelow => _ = self.stays(),
            goes if is_dir => self.enter(name, goes == Fate::Goes)?,
            Fate::Stays => _ = self.stays(),
            Fate::Goes => {
                let job = self.work.route.job;
                if !job.copy.dry_run {
                    let asked = || self.dir().stat(name, ALL, Links::NoFollow, Freshness::AsStat);
                    job.goes(|| None, || asked().ok());
                    self.dir().unlink(name)?;
                }
                return Ok(Some(file_type));
            }
        }
        Ok(None)
    }

    /// Begins to empty a directory.
    fn enter(&mut self, name: &CStr, goes: bool) -> io::Result<()> {
        let dir = self.dir().open_child_same_mount(name)?;
        if self.root.is_some() && dir.identity().ok() == self.root {
            return Err(io::Error::other("it is the source"));
        }
        if output::is_temporary(name.to_bytes()) && !copy::lock(&dir) {
            return Err(io::Error::other("another copy is making it"));
        }
        let names = names_in(&dir)?.into_iter();
        for path in [&mut self.prefix, &mut self.shown] {
            path.extend_from_slice(name.to_bytes());
            path.push(b'/');
        }
        let name = name.to_owned();
        self.levels.push(SurplusDir { dir: Ok(dir), name, names, goes });
        let outer = self.levels.len().checked_sub(MAX_OPEN + 1).map(|at| &mut self.levels[at]);
        if let Some(outer) = outer
            && let Ok(dir) = &outer.dir
            && let Ok(identity) = dir.identity()
        {
            outer.dir = Err(identity);
        }
        Ok(())
    }

    /// If the innermost directory was closed, opens it again as the parent of `below`.
    fn open_above(&mut self, below: &SurplusDir) -> io::Result<()> {
        let Some(level) = self.levels.last_mut() else { return Ok(()) };
        let Err(identity) = level.dir else { return Ok(()) };
        let stale = |_| io::ErrorKind::StaleNetworkFileHandle.into();
        match below.dir.as_ref().map_err(stale).and_then(|dir| dir.open_parent(identity)) {
            Ok(dir) => level.dir = Ok(dir),
            Err(error) => {
                level.names = Vec::new().into_iter();
                return Err(error);
            }
        }
        Ok(())
    }

    /// Removes the directory that was emptied.
    fn leave(&mut self) -> bool {
        let level = self.levels.pop().expect("BUG: no directory is left");
        let mut removed = self.open_above(&level);
        if removed.is_ok() && level.goes && !self.work.route.job.copy.dry_run {
            self.work.requests += 1;
            removed = self.dir().remove_dir(&level.name);
        }
        for path in [&mut self.prefix, &mut self.shown] {
            path.truncate(path.len() - level.name.as_bytes().len() - 1);
        }
        match removed {
            Err(error) => self.failed(&level.name, error),
            Ok(()) if level.goes => self.has_gone(&level.name, FileType::Directory),
            Ok(()) => self.stays(),
        }
    }

    /// The innermost directory.
    fn dir(&self) -> &Dir {
        let innermost = self.levels.last().map(|level| level.dir.as_ref());
        innermost.map_or(self.dir, |dir| dir.expect("BUG: the innermost is open"))
    }

    /// Notes that something in the innermost directory stays.
    fn stays(&mut self) -> bool {
        self.mirror.distrust();
        if let Some(level) = self.levels.last_mut() {
            level.goes = false;
        }
        false
    }

    fn failed(&mut self, name: &CStr, error: io::Error) -> bool {
        let paths = PathPair { source: b"", destination: &self.path_of(name) };
        self.work.route.job.fail(paths, (Step::Remove, Some(error)));
        self.stays()
    }

    fn path_of(&self, name: &CStr) -> Vec<u8> {
        [&self.shown, name.to_bytes()].concat()
    }

    /// Notes that an entry of the innermost directory was removed.
    fn has_gone(&mut self, name: &CStr, file_type: FileType) -> bool {
        self.mirror.is_dirty.store(true, Ordering::Relaxed);
        if !self.mirror.facts().is_adopted {
            self.work.counts.deleted += 1;
            if self.work.route.job.wants_begun {
                self.work.route.job.observer.removed(&self.path_of(name), file_type);
            }
        }
        true
    }

    /// The type of an entry of the innermost directory, and what rules and filter say of it.
    fn fate(&self, name: &CStr) -> io::Result<(FileType, Fate)> {
        let depth = self.source.depth() + self.levels.len();
        let directory = Directory::new(&self.prefix, depth, Some(self.dir()));
        let directory = Directory { rules: self.source.rules, ..directory };
        fate(&self.work.route.job.copy.walk, &directory, name)
    }
}

fn names_in(dir: &Dir) -> io::Result<Vec<CString>> {
    let listed = dir.open_child(c".", Links::NoFollow)?;
    let mut buffer = Buffer::with_capacity(32 << 10);
    let mut names = Vec::new();
    loop {
        buffer.clear();
        let at_end = listed.fill(&mut buffer).at_end?;
        names.extend(buffer.entries().map(|entry| entry.name.to_owned()));
        if at_end {
            return Ok(names);
        }
    }
}

fn is_missing(source: &Dir, name: &CStr) -> bool {
    let asked = source.stat(name, Fields::TYPE, Links::NoFollow, Freshness::AsStat);
    asked.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}
