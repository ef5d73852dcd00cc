//! What only the system tells: the numbers of owners, and who may execute a file.

use std::path::Path;

use nix::unistd::{Group, User};
use rustix::fs::{Access, AtFlags, CWD, accessat};

/// The number of the user with this name.
pub fn user_id(name: &str) -> Option<u32> {
    Some(User::from_name(name).ok()??.uid.as_raw())
}

/// The number of the group with this name.
pub fn group_id(name: &str) -> Option<u32> {
    Some(Group::from_name(name).ok()??.gid.as_raw())
}

/// Whether this user may execute the file (enter the directory). Access lists, read-only and noexec
/// mounts count. System calls: one faccessat.
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
