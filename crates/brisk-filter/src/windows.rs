//! What only the system knows. On Windows files have no numeric owners, and the name decides
//! whether a file is a program.

use std::ffi::OsStr;
use std::path::Path;

use brisk::Entry;

/// The number of the user with this name: there are none here.
pub fn user_id(_name: &str) -> Option<u32> {
    None
}

/// The number of the group with this name: there are none here.
pub fn group_id(_name: &str) -> Option<u32> {
    None
}

/// Whether a user has this number: files have none here.
pub(crate) fn has_user(_id: u32) -> bool {
    false
}

/// Whether a group has this number: files have none here.
pub(crate) fn has_group(_id: u32) -> bool {
    false
}

/// Whether this user may read, write or execute a file: not asked here.
pub(crate) fn may(_entry: &Entry<'_>, _wanted: u8) -> bool {
    false
}

/// Whether the name is that of a program.
pub fn may_execute(path: &Path) -> bool {
    let runs = ["exe", "com", "bat", "cmd"];
    path.extension()
        .and_then(OsStr::to_str)
        .is_some_and(|extension| runs.contains(&extension.to_ascii_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_known_by_their_extension() {
        assert!(may_execute(Path::new(r"C:\a\b.EXE")));
        assert!(!may_execute(Path::new(r"C:\a\b.txt")));
    }
}
