//! What only the system tells. Files have no numeric owners here, and names say what runs.

use std::ffi::OsStr;
use std::path::Path;

/// The number of the user with this name: there are none here.
pub fn user_id(_name: &str) -> Option<u32> {
    None
}

/// The number of the group with this name: there are none here.
pub fn group_id(_name: &str) -> Option<u32> {
    None
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
