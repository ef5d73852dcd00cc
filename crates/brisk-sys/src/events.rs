//! Events of directories: that something in one of them may have changed.
//!
//! An event says where to look, and not what happened: events of one entry may be merged, and those
//! of a queue that is full are lost. Linux has inotify; other systems give no events here, and
//! [`Events`] only waits.

pub use crate::native::events::{Events, Waker};

/// What an event says of a watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice<'a> {
    /// The entry with this name has come, gone, or been replaced.
    Name(&'a [u8]),
    /// The contents or the metadata of the entry with this name may have changed.
    Inside(&'a [u8]),
    /// The directory itself was moved, removed or unmounted, or its metadata changed.
    Itself,
    /// The watch has ended: the directory is gone.
    Ended,
}

impl Events {
    /// The highest number of watches that the system allows, if it says so: for users. Linux: reads
    /// a file of `/proc`.
    #[must_use]
    pub fn most_watches() -> Option<u64> {
        let limit = crate::whole::read("/proc/sys/fs/inotify/max_user_watches".as_ref()).ok()?;
        String::from_utf8(limit).ok()?.trim().parse().ok()
    }
}

#[cfg(all(test, any(target_os = "linux", target_os = "android")))]
mod tests;
