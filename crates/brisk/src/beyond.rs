//! Metadata that statx does not tell: where links lead, and what extended attributes say.
//!
//! Each is one request relative to the directory's handle, made where the plan says so, in the same
//! batches as stats. A device without extended attributes is remembered: its first file is asked, and
//! files that are being asked at that moment, but none after that.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use brisk_sys::{Access, Links, Xattr};

use crate::driver::Driver;
use crate::plan::{Request, XattrCall};
use crate::sift::{Known, Sieve};
use crate::worker::Worker;
use crate::{Fields, FileType, Meta, Operation, Target};

/// Devices that have said that they keep no extended attributes, and what need not be asked of them.
#[derive(Debug, Default)]
pub(crate) struct Lacking {
    /// Whether there are any: until then nobody needs to know on which device a file is.
    any: AtomicBool,
    devices: Mutex<Vec<(u64, Fields)>>,
}

impl Lacking {
    /// What files on this device lack.
    fn on(&self, dev: u64) -> Fields {
        let devices = self.devices.lock().unwrap_or_else(PoisonError::into_inner);
        let found = devices.iter().find(|(known, _)| *known == dev);
        found.map_or(Fields::empty(), |(_, fields)| *fields)
    }

    fn add(&self, dev: u64, fields: Fields) {
        let mut devices = self.devices.lock().unwrap_or_else(PoisonError::into_inner);
        match devices.iter_mut().find(|(known, _)| *known == dev) {
            Some((_, known)) => *known |= fields,
            None => devices.push((dev, fields)),
        }
        self.any.store(true, Ordering::Release);
    }
}

/// What a device lacks that refuses a call. One that lists no names has no attributes at all.
fn lacked(call: XattrCall) -> Fields {
    match call {
        XattrCall::List => Fields::XATTR,
        XattrCall::Capability | XattrCall::Context => call.answers(),
    }
}

/// Files on a device without extended attributes have none of these.
fn without(meta: &mut Meta, fields: Fields) {
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

impl<V: Driver> Worker<'_, '_, V> {
    /// Makes the requests that the plan wants beyond a stat. `None`: the entry is gone.
    #[inline(never)]
    pub fn ask_beyond(
        &mut self,
        sieve: &mut Sieve<'_, V::State>,
        known: &mut Known<'_>,
        request: &Request,
    ) -> Option<()> {
        let mut meta = sieve.metas.get_mut(known.meta as usize).map(std::mem::take);
        let fresh = meta.get_or_insert_default();
        if request.target {
            self.ask_target(sieve, known, fresh);
        }
        if request.read_link {
            self.read_link(sieve, known, fresh)?;
        }
        if !request.xattr.is_empty() {
            self.ask_xattr(sieve, known, request.xattr, fresh);
        }
        if let Some(meta) = meta {
            sieve.replace(&mut known.meta, meta);
        }
        Some(())
    }

    /// Where the walk follows links, one that is still a link was tried already.
    fn ask_target(&mut self, sieve: &mut Sieve<'_, V::State>, known: &Known<'_>, meta: &mut Meta) {
        let found = if sieve.follows() {
            None
        } else {
            let mask = Fields::TYPE | Fields::MODE;
            self.stat(sieve, known.raw.name, mask, Links::Follow).ok()
        };
        meta.set_target(found.as_ref().map_or(Target::Dangling, Target::from));
    }

    fn read_link(
        &mut self,
        sieve: &mut Sieve<'_, V::State>,
        known: &Known<'_>,
        meta: &mut Meta,
    ) -> Option<()> {
        sieve.asked();
        self.stats.calls.read_link += 1;
        match sieve.handle.read_link(known.raw.name) {
            Ok(target) => meta.set_link_target(target),
            // Removed since it was listed.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
            Err(error) => self.entry_failed(sieve, Operation::ReadLink, known.raw.name, error),
        }
        Some(())
    }

    fn ask_xattr(
        &mut self,
        sieve: &mut Sieve<'_, V::State>,
        known: &Known<'_>,
        wanted: Fields,
        meta: &mut Meta,
    ) {
        let lacking = self.lacking(sieve, meta);
        without(meta, wanted & lacking);
        let mut left = wanted - lacking;
        while let Some(call) = XattrCall::first(left) {
            left -= call.answers();
            let answer = self.ask_once(sieve, known, call, wanted, meta);
            match answer {
                Ok(Xattr::Told(())) => {
                    if meta.filled().contains(Fields::CONTEXT) {
                        left -= Fields::CONTEXT;
                    }
                }
                Ok(Xattr::Unsupported) => {
                    let lacked = lacked(call);
                    self.lacks(sieve, meta, lacked);
                    without(meta, wanted & lacked);
                    left -= lacked;
                }
                Err(error) => {
                    use std::io::ErrorKind::{NotFound, Unsupported};
                    // Gone, or there is no way to ask: the fields stay unfilled.
                    if !matches!(error.kind(), NotFound | Unsupported) {
                        self.entry_failed(sieve, Operation::ReadXattr, known.raw.name, error);
                    }
                    return;
                }
            }
        }
    }

    /// One request, and what it tells.
    fn ask_once(
        &mut self,
        sieve: &mut Sieve<'_, V::State>,
        known: &Known<'_>,
        call: XattrCall,
        wanted: Fields,
        meta: &mut Meta,
    ) -> std::io::Result<Xattr<()>> {
        sieve.asked();
        self.stats.calls.xattr += 1;
        let (name, links) = (known.raw.name, known.links);
        match call {
            XattrCall::List => {
                let Xattr::Told(found) = sieve.handle.attributes(name, links)? else {
                    return Ok(Xattr::Unsupported);
                };
                meta.set_access(found.access());
                if known.file_type == FileType::File {
                    meta.set_capability(found.capability);
                }
                if wanted.contains(Fields::CONTEXT) && !found.context {
                    meta.set_context(None);
                }
            }
            XattrCall::Capability => {
                let Xattr::Told(found) = sieve.handle.has_capability(name, links)? else {
                    return Ok(Xattr::Unsupported);
                };
                meta.set_capability(found);
            }
            XattrCall::Context => {
                let Xattr::Told(found) = sieve.handle.context(name, links)? else {
                    return Ok(Xattr::Unsupported);
                };
                meta.set_context(found);
            }
        }
        Ok(Xattr::Told(()))
    }

    /// What the entry's device is known to lack.
    fn lacking(&mut self, sieve: &mut Sieve<'_, V::State>, meta: &Meta) -> Fields {
        let lacking = &sieve.shared.lacking;
        if !lacking.any.load(Ordering::Acquire) {
            return Fields::empty();
        }
        let Some(dev) = self.device(sieve, meta) else { return Fields::empty() };
        match sieve.lacking {
            Some((known, fields)) if known == dev => fields,
            _ => {
                let fields = sieve.shared.lacking.on(dev);
                sieve.lacking = Some((dev, fields));
                fields
            }
        }
    }

    /// Remembers that the entry's device lacks something.
    #[cold]
    fn lacks(&mut self, sieve: &mut Sieve<'_, V::State>, meta: &Meta, fields: Fields) {
        let Some(dev) = self.device(sieve, meta) else { return };
        sieve.shared.lacking.add(dev, fields);
        sieve.lacking = None;
    }

    /// The entry's device: a stat has told it, or else it is taken to be the directory's, which is
    /// asked once. Of a root that was not asked it is unknown.
    fn device(&mut self, sieve: &Sieve<'_, V::State>, meta: &Meta) -> Option<u64> {
        let node = &*sieve.chunk.reading.node;
        if meta.dev().is_some() || node.is_top() {
            return meta.dev();
        }
        let known = node.dev.load(Ordering::Relaxed);
        if known != 0 {
            return Some(known);
        }
        self.stats.calls.stat += 1;
        let dev = sieve.handle.stat_self(Fields::DEV).ok()?.dev()?;
        node.dev.store(dev, Ordering::Relaxed);
        Some(dev)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_devices_lack_adds_up() {
        let lacking = Lacking::default();
        assert!(!lacking.any.load(Ordering::Relaxed));
        lacking.add(1, lacked(XattrCall::Capability));
        lacking.add(2, lacked(XattrCall::List));
        lacking.add(1, lacked(XattrCall::Context));
        assert!(lacking.any.load(Ordering::Relaxed));
        assert_eq!(lacking.on(1), Fields::CAPS | Fields::CONTEXT);
        assert_eq!(lacking.on(2), Fields::XATTR);
        assert_eq!(lacking.on(3), Fields::empty());
    }
}
