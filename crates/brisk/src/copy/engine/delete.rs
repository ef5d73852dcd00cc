//! Removing from a destination directory what its source does not have. What the walk's rules or
//! filter would leave out if the source had it stays, and so do the directories above it.

use std::ffi::{CStr, CString};
use std::io;
use std::sync::atomic::Ordering;

use brisk_sys::{Buffer, Dir, Fields, FileType, Freshness, Links};

use super::job::{Denied, at, remove};
use super::mirror::Mirror;
use super::work::{Item, Work};
use crate::copy::report::Step;
use crate::copy::settings::PathPair;
use crate::filter::{Early, Filter, Scratch};
use crate::{Directory, Entry, Leaving};

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
    let names = names_in(&handle).map_err(at(Step::OpenDirectory))?;
    work.requests += names.len() as u64;
    for name in names.iter().filter(|name| is_missing(&source, name)) {
        let [shown, now] =
            [Mirror::path_of, Mirror::path_now].map(|of| of(mirror, work.route, name));
        let source = Directory { handle: Some(&handle), ..*dir.directory() };
        Surplus { source, handle: &handle, name, shown, now }.delete_or_tell(work, mirror);
    }
    Ok(())
}

/// Removes a directory in whose place an entry that is none is to be copied. `false` if something in
/// it stays.
pub(super) fn make_way(work: &mut Work<'_>, place: &Item<'_>) -> io::Result<bool> {
    let mirror = place.mirror;
    let [shown, now] =
        [Mirror::path_of, Mirror::path_now].map(|of| of(mirror, work.route, place.name));
    let source = Directory { handle: Some(place.dir), ..*place.entry.directory() };
    Surplus { source, handle: place.dir, name: place.name, shown, now }.delete(work, mirror)
}

/// What becomes of an entry that the source does not have.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Goes,
    /// What is below it may go.
    Stays,
    StaysWithAllBelow,
}

/// An entry of a destination directory that the source does not have.
struct Surplus<'d> {
    /// Its directory, as it is called in the source, where rules and filter have the paths from.
    source: Directory<'d>,
    handle: &'d Dir,
    name: &'d CStr,
    /// The path as it is shown, and the one that leads there now.
    shown: Vec<u8>,
    now: Vec<u8>,
}

impl Surplus<'_> {
    /// The same as [`delete`](Surplus::delete), but a failure is reported with this path.
    fn delete_or_tell(&self, work: &mut Work<'_>, mirror: &Mirror) {
        if let Err(error) = self.delete(work, mirror) {
            let paths = PathPair { source: b"", destination: &self.shown };
            work.route.job.fail(paths, (Step::Remove, Some(error)));
        }
    }

    /// Removes it, unless it or something below it stays. Returns whether it has gone.
    fn delete(&self, work: &mut Work<'_>, mirror: &Mirror) -> io::Result<bool> {
        let job = work.route.job;
        work.requests += 2;
        let (file_type, fate) = self.fate(work)?;
        if file_type != FileType::Directory {
            if fate == Fate::Goes && !job.copy.dry_run {
                self.handle.unlink(self.name)?;
            }
        } else if fate != Fate::StaysWithAllBelow {
            let dir = self.handle.open_child_same_mount(self.name)?;
            if fate == Fate::Stays || self.holds_what_stays(&dir, work)? {
                self.below(&dir, &mut |below| {
                    below.delete_or_tell(work, mirror);
                    Ok(true)
                })?;
                return Ok(false);
            }
            if !job.copy.dry_run {
                remove(&self.now, self.handle, &dir)?;
            }
        }
        if fate == Fate::Goes {
            self.tell(work, mirror, file_type);
        }
        Ok(fate == Fate::Goes)
    }

    /// It has gone.
    fn tell(&self, work: &mut Work<'_>, mirror: &Mirror, file_type: FileType) {
        mirror.is_dirty.store(true, Ordering::Relaxed);
        if !mirror.facts().is_adopted {
            work.counts.deleted += 1;
            if work.route.job.wants_begun {
                work.route.job.observer.removed(&self.shown, file_type);
            }
        }
    }

    /// Its type, and what rules and filter say of it.
    fn fate(&self, work: &Work<'_>) -> io::Result<(FileType, Fate)> {
        let filter = work.route.job.copy.walk.filter.as_ref();
        let wanted = filter.map_or(Fields::empty(), |filter| filter.fields(FileType::Unknown));
        let wanted = wanted | Fields::TYPE;
        let meta = self.handle.stat(self.name, wanted, Links::NoFollow, Freshness::AsStat)?;
        let file_type = meta.file_type().unwrap_or_default();
        let depth = u32::try_from(self.source.depth() + 1).unwrap_or(u32::MAX);
        let entry = Entry::new(&self.source, self.name, 0, file_type, depth).with(Some(&meta));
        if self.source.rules().is_some_and(|rules| entry.is_ignored_by(rules)) {
            return Ok((file_type, Fate::StaysWithAllBelow));
        }
        let goes = filter.is_none_or(|filter| passes(filter, &entry));
        let fate = match (entry.is_pruned(), goes) {
            (true, _) => Fate::StaysWithAllBelow,
            (false, true) => Fate::Goes,
            (false, false) => Fate::Stays,
        };
        Ok((file_type, fate))
    }

    /// Whether something below this directory stays.
    fn holds_what_stays(&self, dir: &Dir, work: &Work<'_>) -> io::Result<bool> {
        let walk = &work.route.job.copy.walk;
        if walk.filter.is_none() && walk.rules.is_none() {
            return Ok(false);
        }
        let goes_wholly = |below: &Surplus<'_>| match below.fate(work)? {
            (FileType::Directory, Fate::Goes) => {
                // What cannot be opened stays, and says why when its turn comes.
                let dir = below.handle.open_child_same_mount(below.name).ok();
                dir.map_or(Ok(false), |dir| Ok(!below.holds_what_stays(&dir, work)?))
            }
            (_, fate) => Ok(fate == Fate::Goes),
        };
        Ok(!self.below(dir, &mut &goes_wholly)?)
    }

    /// Calls `each` for the entries of this directory until it says `false`, and returns what it
    /// said last.
    fn below(
        &self,
        dir: &Dir,
        each: &mut dyn FnMut(&Surplus<'_>) -> io::Result<bool>,
    ) -> io::Result<bool> {
        let prefix = [self.source.prefix(), self.name.to_bytes(), b"/"].concat();
        let rules = self.source.rules;
        let source =
            Directory { rules, ..Directory::new(&prefix, self.source.depth() + 1, Some(dir)) };
        for name in names_in(dir)? {
            let [shown, now] =
                [&self.shown, &self.now].map(|above| [above, &b"/"[..], name.to_bytes()].concat());
            if !each(&Surplus { source, handle: dir, name: &name, shown, now })? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn passes(filter: &Filter, entry: &Entry<'_>) -> bool {
    let mut scratch = Scratch::default();
    match filter.early(entry, &mut scratch) {
        Early::No => false,
        Early::Yes => true,
        Early::Ask(_) => filter.judge(entry, &mut scratch),
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
