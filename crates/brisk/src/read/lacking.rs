//! [`Lacking`]: which devices have no extended attributes. `fetch` asks about the first file of a
//! device, and about files that other workers ask about at that moment, but about none after that.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::plan::XattrCall;
use crate::sched::lock;
use crate::{Access, Fields, Meta};

/// Devices that have answered that they have no extended attributes, and the fields that need not
/// be asked for there.
#[derive(Debug, Default)]
pub(crate) struct Lacking {
    /// Whether there are any. Before that, no request needs a file's device.
    any: AtomicBool,
    devices: Mutex<Vec<(u64, Fields)>>,
}

impl Lacking {
    /// Whether any device is known to lack something.
    pub fn is_any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    /// What files on this device lack.
    pub fn on(&self, dev: u64) -> Fields {
        let devices = lock(&self.devices);
        let found = devices.iter().find(|(known, _)| *known == dev);
        found.map_or(Fields::empty(), |(_, fields)| *fields)
    }

    pub fn add(&self, dev: u64, fields: Fields) {
        let mut devices = lock(&self.devices);
        match devices.iter_mut().find(|(known, _)| *known == dev) {
            Some((_, known)) => *known |= fields,
            None => devices.push((dev, fields)),
        }
        self.any.store(true, Ordering::Release);
    }
}

/// The fields that a device lacks if it refuses a call. A device that lists no names has no
/// attributes at all.
pub(crate) fn lacked(call: XattrCall) -> Fields {
    match call {
        XattrCall::List => Fields::XATTR,
        XattrCall::Capability | XattrCall::Context => call.answers(),
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
