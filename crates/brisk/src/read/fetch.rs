//! [`Fetch`]: requests about single entries, made relative to the directory's handle: statx, link
//! targets, extended attributes. The plan says which are made.

use std::ffi::CStr;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

use brisk_sys::{Dir, Freshness, Links, Xattr};

use crate::plan::{Request, XattrCall};
use crate::sched::lock;
use crate::stats::Calls;
use crate::tree::{RootHandles, request_at};
use crate::{Access, Fields, FileType, Meta, Operation, Target};

/// What requests about the entries of one part of a directory need.
pub(crate) struct Fetch<'a> {
    pub handle: &'a Dir,
    /// The roots that the caller has open; only the node above the roots knows them.
    pub root_handles: Option<&'a RootHandles>,
    pub freshness: Freshness,
    /// Links in this directory are followed.
    pub follows: bool,
    pub lacking: &'a Lacking,
    /// The directory's own device, 0 while it is unknown; `None` for the node above the roots.
    pub dir_dev: Option<&'a AtomicU64>,
    /// The device of the last entry whose attributes were wanted, and the fields that it lacks.
    pub lacking_on: Option<(u64, Fields)>,
    /// The last device that is known to store some of what a list of attributes shows.
    pub storing: Option<u64>,
    pub progress: PartProgress<'a>,
    pub calls: Calls,
    /// The failed requests about the last entry, without those whose failure loses the entry.
    pub failed: Vec<(Operation, io::Error)>,
}

/// How far the requests about a part have come.
#[derive(Default)]
pub(crate) struct PartProgress<'a> {
    /// When the first request began, and the number of entries for which there were requests.
    pub begun: Option<(Instant, u32)>,
    /// The number of records classified so far, with the current one.
    pub record_count: u32,
    /// The number of the record that the last request was about.
    last_requested: u32,
    /// When the records were read, if the worker looked at the clock then. The first request begins
    /// soon after that.
    pub read_at: Option<Instant>,
    /// Where the watchdog sees the number of the record that is asked about.
    at: Option<&'a AtomicU32>,
}

impl<'a> PartProgress<'a> {
    /// No request was made yet; `at` shows the watchdog the record of the last one.
    pub fn new(at: Option<&'a AtomicU32>) -> PartProgress<'a> {
        PartProgress { at, ..PartProgress::default() }
    }

    /// A request is about to be made.
    #[inline]
    fn request_begins(&mut self) {
        if let Some(at) = self.at {
            at.store(self.record_count, Ordering::Relaxed);
        }
        let begun = || (self.read_at.unwrap_or_else(Instant::now), 0);
        let (_, count) = self.begun.get_or_insert_with(begun);
        *count += u32::from(self.last_requested != self.record_count);
        self.last_requested = self.record_count;
    }

    /// The nanoseconds that a record took on average, including records without a request.
    pub fn nanos_each(&self) -> u32 {
        let elapsed = self.begun.map_or(0, |(began, _)| began.elapsed().as_nanos());
        u32::try_from(elapsed / u128::from(self.record_count.max(1))).unwrap_or(u32::MAX)
    }
}

/// Whether nothing has this name, or nothing is where a link of this name leads.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

impl Fetch<'_> {
    /// One statx.
    pub fn stat(&mut self, name: &CStr, mask: Fields, follow: Links) -> io::Result<Meta> {
        self.progress.request_begins();
        self.calls.stat += 1;
        let (dir, name) = request_at(self.root_handles, self.handle, name);
        dir.stat(name, mask, follow, self.freshness)
    }

    /// Makes the requests that the plan wants in addition to a stat. `None` if the entry is gone.
    #[inline(never)]
    pub fn fill(
        &mut self,
        name: &CStr,
        follow: Links,
        file_type: FileType,
        request: &Request,
        meta: &mut Meta,
    ) -> Option<()> {
        if request.target {
            self.target(name, meta);
        }
        if request.read_link {
            self.link_text(name, meta)?;
        }
        if !request.xattr.is_empty() {
            self.attributes(name, follow, file_type, request.xattr, meta);
        }
        Some(())
    }

    /// Asks where a link leads. If the walk follows links, one that is still a link leads nowhere.
    fn target(&mut self, name: &CStr, meta: &mut Meta) {
        let found = match self.follows {
            true => Err(io::ErrorKind::NotFound.into()),
            false => self.stat(name, Fields::TYPE | Fields::MODE, Links::Follow),
        };
        meta.set_target(found.as_ref().map_or(Target::Dangling, Target::from));
    }

    fn link_text(&mut self, name: &CStr, meta: &mut Meta) -> Option<()> {
        self.progress.request_begins();
        self.calls.read_link += 1;
        match self.handle.read_link(name) {
            Ok(target) => meta.set_link_target(target),
            // Another process has removed the link since it was listed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            // The name is not a link any more. What was asked before is true of the link.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {}
            Err(error) => self.failed.push((Operation::ReadLink, error)),
        }
        Some(())
    }

    fn attributes(
        &mut self,
        name: &CStr,
        follow: Links,
        file_type: FileType,
        wanted: Fields,
        meta: &mut Meta,
    ) {
        let lacking = self.lacking_of(meta);
        without(meta, wanted & lacking);
        let mut left = wanted - lacking;
        while let Some(call) = XattrCall::first(left) {
            left -= call.answers();
            match self.one_call(name, follow, file_type, call, wanted, meta) {
                Ok(true) => left -= meta.filled() & Fields::CONTEXT,
                Ok(false) => {
                    // A device that lists no names has no attributes at all.
                    let all = call == XattrCall::List;
                    let lacked = if all { Fields::XATTR } else { call.answers() };
                    if let Some(dev) = self.device(meta) {
                        self.lacking.add(dev, lacked);
                        self.lacking_on = None;
                    }
                    without(meta, wanted & lacked);
                    left -= lacked;
                }
                Err(error) => {
                    use io::ErrorKind::{NotFound, Unsupported};
                    // The entry is gone, or the system has no such call: the fields stay unfilled.
                    if !matches!(error.kind(), NotFound | Unsupported) {
                        self.failed.push((Operation::ReadXattr, error));
                    }
                    return;
                }
            }
        }
    }

    /// Makes one request for attributes, and fills the fields that its answer gives; `false` if the
    /// device has none.
    fn one_call(
        &mut self,
        name: &CStr,
        follow: Links,
        file_type: FileType,
        call: XattrCall,
        wanted: Fields,
        meta: &mut Meta,
    ) -> io::Result<bool> {
        if call == XattrCall::List && !self.stores(name, follow, file_type, meta) {
            return Ok(false);
        }
        self.progress.request_begins();
        self.calls.xattr += 1;
        let (dir, name) = request_at(self.root_handles, self.handle, name);
        match call {
            XattrCall::List => {
                let Xattr::Known(found) = dir.attributes(name, follow)? else { return Ok(false) };
                meta.set_access(found.access());
                if file_type == FileType::File {
                    meta.set_capability(found.capability);
                }
                if wanted.contains(Fields::CONTEXT) && !found.context {
                    meta.set_context(None);
                }
            }
            XattrCall::Capability => {
                let Xattr::Known(found) = dir.has_capability(name, follow)? else {
                    return Ok(false);
                };
                meta.set_capability(found);
            }
            XattrCall::Context => {
                let Xattr::Known(found) = dir.context(name, follow)? else { return Ok(false) };
                meta.set_context(found);
            }
        }
        Ok(true)
    }

    /// Whether the entry's device may store what a list shows: asked once, of a first entry that is
    /// no link, since links have no access lists anywhere.
    fn stores(&mut self, name: &CStr, follow: Links, file_type: FileType, meta: &Meta) -> bool {
        let Some(dev) = meta.dev().filter(|_| file_type != FileType::Symlink) else { return true };
        if self.storing == Some(dev) {
            return true;
        }
        let is_known = self.lacking.is_known(dev);
        let stores = is_known || {
            self.progress.request_begins();
            self.calls.xattr += 1;
            let (dir, name) = request_at(self.root_handles, self.handle, name);
            dir.stores_attributes(name, follow)
        };
        if stores {
            self.lacking.add(dev, Fields::empty());
            self.storing = Some(dev);
        }
        stores
    }

    /// The fields that the entry's device is known to lack.
    fn lacking_of(&mut self, meta: &Meta) -> Fields {
        if !self.lacking.any.load(Ordering::Acquire) {
            return Fields::empty();
        }
        let Some(dev) = self.device(meta) else { return Fields::empty() };
        match self.lacking_on {
            Some((known, fields)) if known == dev => fields,
            _ => {
                let fields = self.lacking.on(dev);
                self.lacking_on = Some((dev, fields));
                fields
            }
        }
    }

    /// The entry's device, if a stat has given it; else its directory's, for which one stat asks.
    /// Unknown for a root that no stat has asked about.
    fn device(&mut self, meta: &Meta) -> Option<u64> {
        let Some(dir_dev) = self.dir_dev.filter(|_| meta.dev().is_none()) else {
            return meta.dev();
        };
        let known = dir_dev.load(Ordering::Relaxed);
        if known != 0 {
            return Some(known);
        }
        self.calls.stat += 1;
        let dev = self.handle.stat_self(Fields::DEV).ok()?.dev()?;
        dir_dev.store(dev, Ordering::Relaxed);
        Some(dev)
    }
}

/// Devices that have answered whether they have extended attributes, and the fields that need not be
/// asked for there.
#[derive(Debug, Default)]
pub(crate) struct Lacking {
    /// Whether there are such fields. Before that, no request needs a file's device.
    any: AtomicBool,
    devices: Mutex<Vec<(u64, Fields)>>,
}

impl Lacking {
    /// What files on this device lack.
    pub fn on(&self, dev: u64) -> Fields {
        let devices = lock(&self.devices);
        let found = devices.iter().find(|(known, _)| *known == dev);
        found.map_or(Fields::empty(), |(_, fields)| *fields)
    }

    pub fn is_known(&self, dev: u64) -> bool {
        lock(&self.devices).iter().any(|(known, _)| *known == dev)
    }

    pub fn add(&self, dev: u64, fields: Fields) {
        let mut devices = lock(&self.devices);
        match devices.iter_mut().find(|(known, _)| *known == dev) {
            Some((_, known)) => *known |= fields,
            None => devices.push((dev, fields)),
        }
        if !fields.is_empty() {
            self.any.store(true, Ordering::Release);
        }
    }
}

/// Fills these fields with what holds for a file without extended attributes.
pub(crate) fn without(meta: &mut Meta, fields: Fields) {
    if fields.contains(Fields::ACCESS) {
        meta.set_access(Access::Plain);
    }
    if fields.contains(Fields::CAPS) {
        meta.set_capability(false);
    }
    if fields.contains(Fields::CONTEXT) {
        meta.set_context(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_devices_lack_adds_up() {
        let lacking = Lacking::default();
        lacking.add(3, Fields::empty());
        assert!(!lacking.any.load(Ordering::Relaxed));
        assert!(lacking.is_known(3) && !lacking.is_known(1));
        lacking.add(1, Fields::CAPS);
        lacking.add(2, Fields::XATTR);
        lacking.add(1, Fields::CONTEXT);
        assert!(lacking.any.load(Ordering::Relaxed));
        assert_eq!(lacking.on(1), Fields::CAPS | Fields::CONTEXT);
        assert_eq!(lacking.on(2), Fields::XATTR);
        assert_eq!(lacking.on(3), Fields::empty());
    }
}
