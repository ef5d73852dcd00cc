//! Attributes that are set in a mirrored tree.

use std::fs::{File, FileTimes, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt, lchown};
use std::path::Path;
use std::time::SystemTime;

use fuser::TimeOrNow;

/// What is to be set; `None` leaves what there is.
pub(crate) struct Change {
    pub(crate) mode: Option<u32>,
    pub(crate) user: Option<u32>,
    pub(crate) group: Option<u32>,
    pub(crate) size: Option<u64>,
    pub(crate) atime: Option<TimeOrNow>,
    pub(crate) mtime: Option<TimeOrNow>,
}

impl Change {
    /// Sets it, times last. The kernel has already followed links, so there are none to follow;
    /// the times of a link cannot be set.
    pub(crate) fn apply(&self, path: &Path) -> io::Result<()> {
        if self.user.is_some() || self.group.is_some() {
            lchown(path, self.user, self.group)?;
        }
        if let Some(mode) = self.mode {
            std::fs::set_permissions(path, Permissions::from_mode(mode & 0o7777))?;
        }
        if let Some(size) = self.size {
            OpenOptions::new().write(true).open(path)?.set_len(size)?;
        }
        if self.atime.is_some() || self.mtime.is_some() {
            File::open(path)?.set_times(self.times())?;
        }
        Ok(())
    }

    fn times(&self) -> FileTimes {
        let time = |wanted| match wanted {
            TimeOrNow::SpecificTime(time) => time,
            TimeOrNow::Now => SystemTime::now(),
        };
        let times = FileTimes::new();
        let times = self.atime.map_or(times, |it| times.set_accessed(time(it)));
        self.mtime.map_or(times, |it| times.set_modified(time(it)))
    }
}
