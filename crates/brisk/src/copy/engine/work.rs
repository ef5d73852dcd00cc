//! [`Work`]: one worker's buffers and counts. [`Item`]: an entry, and where its copy goes; [`Old`]:
//! what is there.

use std::ffi::CStr;
use std::io;
use std::sync::Arc;

use brisk_sys::change::stat;
use brisk_sys::copy::{self, Attribute};
use brisk_sys::{BorrowedHandle, Dir, Identity, Ids, Links, permitting};

use super::facts::DirFacts;
use super::job::{ALL, Denied, Made, Route, at};
use super::links::{FirstCopy, Linked, which};
use super::mirror::Mirror;
use super::preserve::is_access_list;
use crate::copy::report::{Report, Step, Way};
use crate::copy::settings::{Demand, Modes, PathPair, Preserve};
use crate::{At, Entry, FileType, Meta};

/// One worker's buffers and counts.
pub(super) struct Work<'a> {
    pub route: &'a Route<'a>,
    pub linked: &'a Linked,
    /// What the worker has done since the last flush.
    pub counts: Report,
    pub ways: Vec<Way>,
    pub requests: u64,
    /// Buffers for the paths of the entry that is being copied.
    pub source: Vec<u8>,
    pub destination: Vec<u8>,
    /// A device that is known to have no extended attributes.
    bare_device: Option<u64>,
    /// A device whose file system is known to lack files without names (O_TMPFILE).
    pub named_device: Option<u64>,
    /// A device, and whether its file system says reliably where data is.
    pub tells_holes: Option<(u64, bool)>,
    pub room: Vec<u8>,
    /// What has failed for the entry that is being copied, each step once.
    failed: Vec<Denied>,
    /// This worker's part of [`Report::left`].
    pub left: u64,
}

/// Where an entry is to be copied to.
#[derive(Clone, Copy)]
pub(super) struct Item<'p> {
    pub mirror: &'p Arc<Mirror>,
    pub dir: &'p Dir,
    pub base: BorrowedHandle<'p>,
    pub name: &'p CStr,
    pub is_root: bool,
    pub entry: &'p Entry<'p>,
    /// Where the source is.
    pub at: At<'p>,
    /// The file that the copy replaces, some of which it keeps: see [`as_replaced`].
    ///
    /// [`as_replaced`]: super::replaced::as_replaced
    pub replaced: Option<&'p Meta>,
}

/// What is at a destination before the copy.
pub(super) enum Old {
    /// The name is free.
    Nothing,
    /// The copy is written to this, or replaces it, as the settings say.
    Over(Box<Meta>),
    /// What the copy replaces. It stays until the copy is complete, so that it is not lost if the
    /// copy fails.
    Goes,
    /// A directory that the copy replaces with all that is in it, unless something in it stays.
    DirectoryGoes,
}

impl Old {
    /// Whether the copy may replace it; what could be overwritten, only if `reason` holds.
    pub fn may_go(&self, reason: bool) -> bool {
        match self {
            Old::Nothing => false,
            Old::Over(_) => reason,
            Old::Goes | Old::DirectoryGoes => true,
        }
    }
}

impl Item<'_> {
    pub fn stat(&self, links: Links) -> io::Result<Meta> {
        stat(self.base, self.name, ALL, links)
    }

    pub fn facts(&self) -> &DirFacts {
        self.mirror.facts()
    }

    /// The destination of a pair, if it is this file.
    pub fn as_made(&self, identity: Identity) -> Made {
        let dir = self.facts().before.as_ref().and_then(Meta::identity);
        (identity, dir, self.name.to_bytes().to_vec())
    }

    /// Where the first copy of a file with several links is, now that it has been made with this
    /// metadata. `None` if another file may get its name, and its metadata is not known.
    pub fn first_copy(&self, route: &Route<'_>, made: Option<&Meta>) -> Option<FirstCopy> {
        let may_go = self.may_be_replaced(route);
        let file = if may_go { Some(made.and_then(which)?) } else { None };
        Some(FirstCopy { place: Arc::clone(self.mirror), name: self.name.into(), file })
    }

    /// The metadata of a link or node that was just made here; `None` if what is here is none of this
    /// user's own.
    pub fn own(&self, route: &Route<'_>) -> Option<Meta> {
        let is_own = |meta: &Meta| {
            meta.file_type() == Some(self.entry.file_type())
                && meta.nlink() == Some(1)
                && meta.uid() == Some(route.job.user)
        };
        self.stat(Links::NoFollow).ok().filter(is_own)
    }

    /// Whether a backup, a later pair or another user may put another file in the place of the copy.
    pub fn may_be_replaced(&self, route: &Route<'_>) -> bool {
        route.job.has_many_pairs || route.job.copy.backup || self.is_shared(route)
    }

    /// Whether other users may rename in the destination's directory, now or when the directory is
    /// complete.
    fn is_shared(&self, route: &Route<'_>) -> bool {
        let job = route.job;
        let preserve = job.copy.preserve;
        let is_other = |uid| uid != 0 && uid != job.user;
        let is_open = |mode| mode & 0o022 != 0;
        // The directory that holds a pair's destination has no source.
        let source = &self.mirror.source;
        let opens = match preserve.keeps_mode() {
            true => source.mode().is_some_and(is_open),
            false => self.facts().is_made && is_open(!job.umask),
        };
        let gives_away = preserve.ownership && job.may_give_away;
        opens
            || gives_away && source.uid().is_some_and(is_other)
            || self.facts().before.as_ref().is_some_and(|before| {
                before.uid().is_none_or(is_other) || before.mode().is_none_or(is_open)
            })
    }

    /// Which attributes the copy keeps.
    pub fn preserved(&self, work: &Work<'_>) -> Preserve {
        let preserve = work.route.job.copy.preserved(self.entry.file_type());
        // It keeps the attributes of its source, or of the file that it replaces.
        let xattr = if preserve.xattr == Demand::No { Demand::Required } else { preserve.xattr };
        match self.replaced.is_some() {
            true => Preserve { mode: Modes::Preserved, ownership: true, xattr, ..preserve },
            false => preserve,
        }
    }
}

impl<'a> Work<'a> {
    pub fn new(route: &'a Route<'a>, linked: &'a Linked) -> Self {
        Work {
            route,
            linked,
            counts: Report::default(),
            ways: Vec::new(),
            requests: 0,
            source: Vec::new(),
            destination: Vec::new(),
            bare_device: None,
            named_device: None,
            tells_holes: None,
            room: Vec::new(),
            failed: Vec::new(),
            left: 0,
        }
    }

    /// The paths of an entry.
    pub fn paths(&mut self, entry: &Entry<'_>) -> PathPair<'_> {
        self.source.clear();
        entry.path_into(&mut self.source);
        self.route.destination_of(&self.source, &mut self.destination);
        PathPair { source: &self.source, destination: &self.destination }
    }

    #[cold]
    pub fn fail(&mut self, entry: &Entry<'_>, refusal: Denied) {
        let job = self.route.job;
        job.fail(self.paths(entry), refusal);
    }

    #[cold]
    pub fn fail_at(&mut self, source: &[u8], refusal: Denied) {
        self.route.destination_of(source, &mut self.destination);
        self.route.job.fail(PathPair { source, destination: &self.destination }, refusal);
    }

    /// Notes how a step ended without which the entry is copied all the same.
    pub fn note(&mut self, step: Step, done: io::Result<()>) {
        if let Err(error) = done
            && !self.has_failed(step)
        {
            self.failed.push((step, Some(error)));
        }
    }

    /// Whether this step has failed for the entry that is being copied.
    pub fn has_failed(&self, step: Step) -> bool {
        self.failed.iter().any(|it| it.0 == step)
    }

    /// Reports what was noted for this entry.
    pub fn tell(&mut self, entry: &Entry<'_>) {
        if !self.failed.is_empty() {
            self.tell_at(entry.path().as_os_str().as_encoded_bytes());
        }
    }

    /// The same for the entry that has this path.
    pub fn tell_at(&mut self, source: &[u8]) {
        std::mem::take(&mut self.failed).into_iter().for_each(|it| self.fail_at(source, it));
    }

    /// The steps that were noted for this entry.
    pub fn noted(&self) -> Vec<Step> {
        self.failed.iter().map(|it| it.0).collect()
    }

    /// Does not report these steps, which have been reported for this entry.
    pub fn leave_out(&mut self, told: &[Step]) {
        self.failed.retain(|it| !told.contains(&it.0));
    }

    /// This is about to be removed at an entry's destination: see [`CopyJob::goes`].
    ///
    /// [`CopyJob::goes`]: super::job::CopyJob::goes
    pub fn goes(&mut self, place: &Item<'_>, found: &Meta) {
        let job = self.route.job;
        job.goes(|| self.meta_of(place.entry).ok()?.identity(), || Some(found.clone()));
    }

    /// Tells the observer that an entry's destination is about to be replaced.
    pub fn tell_removed(&mut self, place: &Item<'_>, file_type: FileType) {
        let job = self.route.job;
        if job.wants_begun && !place.facts().is_adopted {
            job.observer.removed(self.paths(place.entry).destination, file_type);
        }
    }

    /// The source's metadata: from the walk, or requested now.
    pub fn meta_of(&mut self, entry: &Entry<'_>) -> Result<Meta, Denied> {
        // The walk requests less for roots, and for what it does not enter.
        if let Some(meta) = entry.meta().filter(|meta| meta.filled().contains(ALL)) {
            return Ok(meta.clone());
        }
        self.requests += 1;
        entry.stat(ALL).map_err(at(Step::Stat))
    }

    /// The extended attributes of an open source that are to be copied, and whether all of these were
    /// read. If not, that is noted.
    pub fn attributes(
        &mut self,
        file: BorrowedHandle<'_>,
        device: u64,
        preserve: &Preserve,
    ) -> (Vec<Attribute>, bool) {
        if !preserve.lists_attributes() || self.bare_device == Some(device) {
            return (Vec::new(), true);
        }
        self.requests += 1;
        let found = copy::attributes(file, |name| preserve.wants_attribute(name));
        if found.is_none() {
            self.bare_device = Some(device);
        }
        self.note_unread(preserve, found)
    }

    /// The same for an entry that is not opened, by its name.
    pub fn attributes_at(
        &mut self,
        base: BorrowedHandle<'_>,
        name: &CStr,
        links: Links,
        preserve: &Preserve,
    ) -> (Vec<Attribute>, bool) {
        if !preserve.lists_attributes() {
            return (Vec::new(), true);
        }
        self.requests += 1;
        let found = copy::attributes_at(base, name, links, |name| preserve.wants_attribute(name));
        self.note_unread(preserve, found)
    }

    /// Notes which attributes could not be read, if that is a failure. Returns the others, and whether
    /// they are all.
    pub fn note_unread(
        &mut self,
        preserve: &Preserve,
        found: Option<copy::Attributes>,
    ) -> (Vec<Attribute>, bool) {
        let (found, failed) = found.unwrap_or_default();
        let are_all = failed.is_empty();
        for (name, error) in failed {
            // The file system has no access lists, so the mode is complete.
            let has_none = is_access_list(&name) && error.kind() == io::ErrorKind::Unsupported;
            if let Some(step) = preserve.step_of(&name).filter(|_| !has_none) {
                self.note(step, Err(error));
            }
        }
        (found, are_all)
    }

    /// If the access list of the source could not be read, its metadata as the copy will get it: closed
    /// to others, because the group's permissions in its mode may be only that list's mask.
    pub fn closed_if_unread(&self, source: &Meta) -> Option<Meta> {
        let mode = source.mode().unwrap_or(0) & !0o077;
        self.has_failed(Step::Mode).then(|| permitting(source, mode, Ids::of(source)))
    }
}
