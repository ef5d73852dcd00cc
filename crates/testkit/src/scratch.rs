//! A scratch directory with files.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A directory that goes with this value.
pub struct Scratch(TempDir);

impl Scratch {
    /// One in which a test may remove: see [`scratch`](crate::scratch).
    #[expect(clippy::new_without_default, reason = "it makes a directory")]
    #[must_use]
    pub fn new() -> Scratch {
        Scratch(crate::scratch())
    }

    /// One in this directory, for a test that removes nothing.
    #[must_use]
    pub fn below(dir: &Path) -> Scratch {
        Scratch(TempDir::new_in(dir).expect("a scratch directory"))
    }

    /// A path in it; "" is its own.
    #[must_use]
    pub fn path(&self, below: &str) -> PathBuf {
        if below.is_empty() { self.0.path().to_owned() } else { self.0.path().join(below) }
    }

    /// Writes a file, and makes the directories above it.
    pub fn write(&self, below: &str, text: &str) {
        let path = self.path(below);
        let above = path.parent().expect("a directory above");
        fs::create_dir_all(above).expect("the directories above a file");
        fs::write(path, text).expect("a file");
    }

    /// Writes files below a directory, each with a text.
    pub fn fill<'a>(&self, dir: &str, files: impl IntoIterator<Item = &'a str>, text: &str) {
        files.into_iter().for_each(|file| self.write(&format!("{dir}/{file}"), text));
    }

    /// A file's text.
    #[must_use]
    pub fn read(&self, below: &str) -> String {
        let bytes = fs::read(self.path(below)).expect("a file");
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
