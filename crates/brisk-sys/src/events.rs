//! Events of directories: that something in one of them may have changed.
//!
//! An event says where to look, and not what happened: events of one entry may be merged, and those
//! of a queue that is full are lost.
//!
//! | system | events | a watch is of |
//! |---|---|---|
//! | Linux | inotify | one directory |
//! | Windows | ReadDirectoryChangesW | a directory and all that is below it |
//! | macOS | FSEvents | a directory and all that is below it |
//! | others | none: [`Events`] only waits | |

use std::fs::File;
use std::io::Read;

pub use crate::native::events::{Events, Waker};
pub use crate::notice::{Notice, Reach};

impl Events {
    /// The setting that allows the fewest watches, and how many: for users. Linux: reads two files
    /// of `/proc`.
    #[must_use]
    pub fn most_watches() -> Option<(&'static str, u64)> {
        let limit = |name: &'static str| {
            let file = format!("/proc/sys/{}", name.replace('.', "/"));
            // Such a file has to be read by one call.
            let mut text = [0; 32];
            let length = File::open(file).and_then(|mut file| file.read(&mut text)).ok()?;
            Some((name, str::from_utf8(&text[..length]).ok()?.trim().parse().ok()?))
        };
        let limits = ["fs.inotify.max_user_watches", "user.max_inotify_watches"];
        limits.into_iter().filter_map(limit).min_by_key(|(_, limit)| *limit)
    }
}

#[cfg(all(test, any(target_os = "linux", target_os = "android")))]
mod tests;
