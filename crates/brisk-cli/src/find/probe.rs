//! Questions about single files that no field of their metadata answers.

use std::path::Path;

/// Whether this user may execute the file (enter the directory): access lists, read-only and
/// noexec mounts counted. System calls: one faccessat.
#[cfg(unix)]
pub(crate) fn may_execute(path: &Path) -> bool {
    use rustix::fs::{Access, AtFlags, CWD, accessat};
    accessat(CWD, path, Access::EXEC_OK, AtFlags::EACCESS).is_ok()
}

/// Whether this user may execute the file: elsewhere than on Unix the name decides.
#[cfg(not(unix))]
pub(crate) fn may_execute(path: &Path) -> bool {
    let runs = ["exe", "com", "bat", "cmd"];
    path.extension()
        .and_then(std::ffi::OsStr::to_str)
        .is_some_and(|extension| runs.contains(&extension.to_ascii_lowercase().as_str()))
}

/// Whether the directory can be read and has no entries. System calls: an open, one or two reads,
/// a close.
pub(crate) fn is_empty_directory(path: &Path) -> bool {
    std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_shell_may_be_executed_and_the_password_file_not() {
        assert!(may_execute(Path::new("/bin/sh")));
        assert!(!may_execute(Path::new("/etc/passwd")));
        assert!(!may_execute(Path::new("/no/such/file")));
    }

    #[test]
    fn only_an_empty_directory_is_one() {
        let dir = tempfile::tempdir().unwrap();
        assert!(is_empty_directory(dir.path()));
        std::fs::write(dir.path().join("x"), "").unwrap();
        assert!(!is_empty_directory(dir.path()));
        assert!(!is_empty_directory(&dir.path().join("x")));
    }
}
