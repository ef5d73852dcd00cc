//! [`Work`]: one worker's buffers and counts. [`Item`]: an entry and where it goes.

use std::ffi::CStr;
use std::io;
use std::sync::Arc;

use brisk_sys::change::stat;
use brisk_sys::copy::{self, Attribute};
use brisk_sys::{BorrowedHandle, Dir, Links};

use super::facts::DirFacts;
use super::job::{ALL, Denied, Route, at};
use super::links::Linked;
use super::mirror::Mirror;
use crate::copy::report::{Report, Step, Way};
use crate::copy::settings::{Demand, PathPair, Preserve};
use crate::{At, Entry, FileType, Meta};

/// One worker's buffers and counts.
pub(super) struct Work<'a> {
    pub route: &'a Route<'a>,
    pub linked: &'a Linked,
    /// What the worker has done since the last flush.
    pub counts: Report,
    pub ways: Vec<Way>,
    pub requests: u64,
    /// The paths of the entry that is being copied, where they are needed.
    pub source: Vec<u8>,
    pub destination: Vec<u8>,
    /// A device that is known to have no extended attributes.
    bare_device: Option<u64>,
    /// A device that is known to have no files without names.
    pub named_device: Option<u64>,
    /// A device, and whether it says reliably where data is.
    pub tells_holes: Option<(u64, bool)>,
    pub room: Vec<u8>,
    /// This worker's part of [`Report::left`].
    pub left: u64,
}

/// Where an entry is to be copied to.
pub(super) struct Item<'p> {
    pub mirror: &'p Arc<Mirror>,
    pub dir: &'p Dir,
    pub base: BorrowedHandle<'p>,
    pub name: &'p CStr,
    pub is_root: bool,
    pub entry: &'p Entry<'p>,
    /// Where the source is.
    pub at: At<'p>,
}

impl Item<'_> {
    pub fn stat(&self, links: Links) -> io::Result<Meta> {
        stat(self.base, self.name, ALL, links)
    }

    pub fn facts(&self) -> &DirFacts {
        self.mirror.facts()
    }

    /// Which attributes the copy keeps.
    pub fn preserved(&self, work: &Work<'_>) -> Preserve {
        work.route.job.copy.preserved(self.entry.file_type())
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

    /// Removes an entry's destination, if it is still there, and tells the observer.
    pub fn unlink(&mut self, place: &Item<'_>, file_type: FileType) -> Result<(), Denied> {
        let job = self.route.job;
        self.requests += 1;
        let removed = if job.copy.dry_run { Ok(()) } else { place.dir.unlink(place.name) };
        match removed {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err((Step::Remove, Some(error)));
            }
            _ => {}
        }
        if job.wants_begun && !place.facts().is_adopted {
            job.observer.removed(self.paths(place.entry).destination, file_type);
        }
        Ok(())
    }

    /// The source's metadata: the walk's, or the system's answer now.
    pub fn meta_of(&mut self, entry: &Entry<'_>) -> Result<Meta, Denied> {
        // The walk requests less for roots, and for what it does not enter.
        if let Some(meta) = entry.meta().filter(|meta| meta.filled().contains(ALL)) {
            return Ok(meta.clone());
        }
        self.requests += 1;
        entry.stat(ALL).map_err(at(Step::Stat))
    }

    /// The extended attributes of an open source that are to be copied.
    pub fn attributes(
        &mut self,
        file: BorrowedHandle<'_>,
        device: u64,
        preserve: &Preserve,
    ) -> io::Result<Vec<Attribute>> {
        if !preserve.lists_attributes() || self.bare_device == Some(device) {
            return Ok(Vec::new());
        }
        self.requests += 1;
        match copy::attributes(file, |name| preserve.wants_attribute(name)) {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                self.bare_device = Some(device);
                Ok(Vec::new())
            }
            found => found,
        }
    }

    /// The same for an entry that is not opened.
    pub fn attributes_at(
        &mut self,
        base: BorrowedHandle<'_>,
        name: &CStr,
        links: Links,
        preserve: &Preserve,
    ) -> io::Result<Vec<Attribute>> {
        if !preserve.lists_attributes() {
            return Ok(Vec::new());
        }
        self.requests += 1;
        copy::attributes_at(base, name, links, |name| preserve.wants_attribute(name))
    }

    /// The attributes that were found of a directory: none if they could not be read, which may be
    /// a failure.
    pub fn found_in_dir(
        &mut self,
        found: io::Result<Vec<Attribute>>,
        source: &[u8],
    ) -> Vec<Attribute> {
        found.unwrap_or_else(|error| {
            if self.route.job.copy.preserve.xattr == Demand::Required {
                self.fail_at(source, (Step::Attributes, Some(error)));
            }
            Vec::new()
        })
    }
}
