//! What the system reports about a removal before it is tried, for dry runs.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::sync::OnceLock;

use rustix::fs::{Access, StatVfsMountFlags};
use rustix::io::Errno;

use super::call::retry;
use super::open::Dir;
use super::remove::access;
use crate::{Fields, Owners, Pins};

/// The sticky bit of a mode: only an entry's owner or the directory's owner may remove the entry.
const STICKY: u32 = 0o1000;

/// The number of the capability to act as any file's owner (CAP_FOWNER).
const ACT_AS_OWNER: u32 = 3;

impl Dir {
    pub(crate) fn removable(&self) -> io::Result<Owners> {
        if let Err(refused) = access(self.fd(), c".", Access::WRITE_OK | Access::EXEC_OK) {
            // A removal checks for a read-only mount before everything else.
            return Err(if is_read_only(self.fd()) { Errno::ROFS } else { refused }.into());
        }
        let meta = self.stat_self(Fields::MODE | Fields::UID)?;
        if meta.pins().intersects(Pins::APPEND_ONLY | Pins::IMMUTABLE) {
            return Err(Errno::PERM.into());
        }
        let user = rustix::process::geteuid().as_raw();
        let is_sticky = meta.mode().is_some_and(|mode| mode & STICKY != 0);
        if !is_sticky || meta.uid() == Some(user) {
            return Ok(Owners::All);
        }
        Ok(sticky_owners(user))
    }
}

/// Whether the file system that an open directory is on is mounted read-only.
fn is_read_only(dir: BorrowedFd<'_>) -> bool {
    let told = match dir {
        // The current directory has no handle: it is named by a path.
        dir if dir.as_raw_fd() == libc::AT_FDCWD => retry(|| rustix::fs::statvfs(c".")),
        dir => retry(|| rustix::fs::fstatvfs(dir)),
    };
    told.is_ok_and(|told| told.f_flag.contains(StatVfsMountFlags::RDONLY))
}

/// Whose entries this process may remove from a sticky directory of another user. The answer is the
/// same for every directory; two files in `/proc` are read the first time.
fn sticky_owners(user: u32) -> Owners {
    static OWNERS: OnceLock<Owners> = OnceLock::new();
    let find_out = || match (may_act_as_owner(), knows_all_users()) {
        (true, true) => Owners::All,
        (true, false) => Owners::Known,
        (false, _) => Owners::Only(user),
    };
    *OWNERS.get_or_init(find_out)
}

/// Whether the process has the capability. Without `/proc`: whether the user is root.
fn may_act_as_owner() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let set = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let set = set.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok());
    set.map_or_else(|| rustix::process::geteuid().is_root(), |set| set >> ACT_AS_OWNER & 1 == 1)
}

/// Whether every user has an id in the user namespace of this process, as in the initial one.
fn knows_all_users() -> bool {
    let map = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    map.is_empty() || map.split_whitespace().nth(2) == Some("4294967295")
}
