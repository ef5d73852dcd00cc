//! [`Scanned`], [`WhyScanned`]: where events do not say what changes, and why.

use std::fmt;

use brisk_sys::volume::VolumeKind;

use crate::change::RootedPath;

/// A part of the trees in which events do not say what changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scanned {
    /// The directory, with everything below it; `None`: all of the trees.
    pub place: Option<RootedPath>,
    /// Why.
    pub why: WhyScanned,
}

/// Why events do not say what changes. The texts are for users.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WhyScanned {
    /// There were more events than the system's queue holds.
    Overflow,
    /// The user, or the user namespace, has no more watches: the name of the system's setting that
    /// limits them, and its value, if they are known.
    WatchLimit(Option<(&'static str, u64)>),
    /// File systems of this kind send no events about changes by other machines or programs: the
    /// kind's magic number, as statfs(2) returns it.
    NoEvents(u32),
    /// The directory cannot be watched.
    NoWatch,
    /// Something was mounted or unmounted there.
    Mounts,
    /// A root was moved, replaced or removed.
    Root,
    /// The clock was set, or the machine slept.
    Clock,
    /// There are too many files with several names to check all of them in each batch.
    Links,
    /// The system sends no events, or none from there.
    Unsupported,
}

impl fmt::Display for WhyScanned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            WhyScanned::Overflow => "the system's queue of events overflowed",
            WhyScanned::WatchLimit(Some((setting, limit))) => {
                return write!(f, "the system allows no more watches ({setting} is {limit})");
            }
            WhyScanned::WatchLimit(None) => "the system allows no more watches",
            WhyScanned::NoEvents(magic) => {
                let kind = VolumeKind::from_magic(*magic);
                return write!(f, "{kind} does not report changes by others");
            }
            WhyScanned::NoWatch => "the directory cannot be watched",
            WhyScanned::Mounts => "something was mounted or unmounted",
            WhyScanned::Root => "a named directory was moved or replaced, or was missing",
            WhyScanned::Clock => "the clock was set, or the machine slept",
            WhyScanned::Links => {
                "many files have several hard links, and may be written through another one"
            }
            WhyScanned::Unsupported => "the system sends no events from there",
        };
        f.write_str(text)
    }
}
