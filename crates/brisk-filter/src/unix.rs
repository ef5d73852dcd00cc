//! What only the system knows: the numbers of owners, and who may execute a file.

use std::path::Path;

use brisk::Entry;
use nix::unistd::{Gid, Group, Uid, User};
use rustix::fs::{Access, AtFlags, CWD, accessat};

/// The number of the user with this name.
pub fn user_id(name: &str) -> Option<u32> {
    Some(User::from_name(name).ok()??.uid.as_raw())
}

/// The number of the group with this name.
pub fn group_id(name: &str) -> Option<u32> {
    Some(Group::from_name(name).ok()??.gid.as_raw())
}

/// Whether a user has this number.
pub(crate) fn has_user(id: u32) -> bool {
    matches!(User::from_uid(Uid::from_raw(id)), Ok(Some(_)))
}

/// Whether a group has this number.
pub(crate) fn has_group(id: u32) -> bool {
    matches!(Group::from_gid(Gid::from_raw(id)), Ok(Some(_)))
}

/// Whether this user may read (`r`), write (`w`) or execute what the entry leads to.
pub(crate) fn may(entry: &Entry<'_>, wanted: u8) -> bool {
    let wanted = match wanted {
        b'r' => Access::READ_OK,
        b'w' => Access::WRITE_OK,
        _ => Access::EXEC_OK,
    };
    match entry.at() {
        Ok(at) => accessat(at.as_fd(), at.name(), wanted, AtFlags::EACCESS).is_ok(),
        // The directory that listed the entry is closed by now.
        Err(_) => accessat(CWD, entry.path(), wanted, AtFlags::EACCESS).is_ok(),
    }
}

/// Whether this user may execute the file (for a directory: enter it). Access lists, read-only and
/// noexec mounts count. System calls: one faccessat.
pub fn may_execute(path: &Path) -> bool {
    accessat(CWD, path, Access::EXEC_OK, AtFlags::EACCESS).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_decides_what_may_be_executed() {
        assert!(may_execute(Path::new("/bin/sh")));
        assert!(!may_execute(Path::new("/etc/passwd")));
        assert!(!may_execute(Path::new("/no/such/file")));
    }
}
