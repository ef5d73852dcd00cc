//! Questions about single files that no field of their metadata answers.

use std::path::Path;

/// Whether the directory can be read and has no entries. System calls: an open, one or two reads,
/// a close.
pub(crate) fn is_empty_directory(path: &Path) -> bool {
    std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_empty_directory_is_one() {
        let dir = tempfile::tempdir().unwrap();
        assert!(is_empty_directory(dir.path()));
        std::fs::write(dir.path().join("x"), "").unwrap();
        assert!(!is_empty_directory(dir.path()));
        assert!(!is_empty_directory(&dir.path().join("x")));
    }
}
