//! [`ChangeBatch`]: what a watcher tells at a time.

use std::fmt;

use crate::change::RootedPath;
use crate::rescan::Report;

/// Changes that belong together: what changed since the last accepted batch.
///
/// A consumer that keeps names first takes away all that the batch deletes, with the old names of
/// what was renamed, and then adds the rest. An entry that is gone when the consumer looks will be
/// told as deleted.
#[derive(Debug)]
pub struct ChangeBatch {
    /// The changes, as a rescan reports them.
    pub report: Report,
    /// What was scanned because events could not say what changed there.
    pub scanned: Vec<Scanned>,
}

impl ChangeBatch {
    /// Why everything was scanned; `None` if only parts were, or nothing.
    #[must_use]
    pub fn full(&self) -> Option<&WhyScanned> {
        self.scanned.iter().find(|scanned| scanned.place.is_none()).map(|scanned| &scanned.why)
    }
}

/// A part of the trees of which events do not say what changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scanned {
    /// The directory, with everything below it; `None`: all of the trees.
    pub place: Option<RootedPath>,
    /// Why.
    pub why: WhyScanned,
}

/// Why events do not say what changes. The texts are for users.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhyScanned {
    /// There were more events than the system's queue holds.
    Overflow,
    /// The system has no more watches for this user: the setting that says how many, if it is
    /// known.
    WatchLimit(Option<u64>),
    /// File systems of this kind send no events of what others change.
    NoEvents(String),
    /// Something was mounted or unmounted there.
    Mounts,
    /// The root was moved, replaced, or was gone.
    Root,
    /// A directory was moved out of the trees, or its watch ended.
    Moved,
    /// The clock was set, or the machine slept.
    Clock,
    /// This system's events are not used.
    Unsupported,
}

impl fmt::Display for WhyScanned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WhyScanned::Overflow => f.write_str("there were more events than the queue holds"),
            WhyScanned::WatchLimit(Some(limit)) => write!(
                f,
                "the system allows no more watches: fs.inotify.max_user_watches is {limit}"
            ),
            WhyScanned::WatchLimit(None) => f.write_str("the system allows no more watches"),
            WhyScanned::NoEvents(kind) => write!(f, "{kind} does not tell what others change"),
            WhyScanned::Mounts => f.write_str("something was mounted or unmounted"),
            WhyScanned::Root => f.write_str("the directory was moved, replaced, or gone"),
            WhyScanned::Moved => f.write_str("a directory was moved away"),
            WhyScanned::Clock => f.write_str("the clock was set, or the machine slept"),
            WhyScanned::Unsupported => f.write_str("events of this system are not used"),
        }
    }
}
