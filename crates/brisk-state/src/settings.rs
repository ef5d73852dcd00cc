//! [`Settings`]: what the caller of a rescan chose.

use std::sync::Arc;

use brisk::ignore::Rules;
use xxhash_rust::xxh3::xxh3_64;

use crate::choice::Choice;

/// What the caller of a rescan chose.
pub(crate) struct Settings {
    pub choice: Arc<dyn Choice>,
    /// What the choice says of itself.
    pub takes_all: bool,
    pub rules: Option<Rules>,
    /// Files that are left out, by their directory's path as the walk spells it, and their name.
    pub without: Vec<(Vec<u8>, Vec<u8>)>,
    /// A number that differs where the choice or these files differ.
    pub fingerprint: u64,
    pub ctime: bool,
    pub content: bool,
    pub shortcuts: bool,
    /// A file system is committed to be asked what was written, however long that takes.
    pub commits: bool,
}

impl Settings {
    /// Sets the files that are left out, which makes the settings complete.
    pub fn leave_out(&mut self, files: Vec<(Vec<u8>, Vec<u8>)>) {
        let mut bytes = self.choice.fingerprint().to_le_bytes().to_vec();
        for (dir, name) in &files {
            bytes.extend([&dir[..], b"\0", name, b"\0"].concat());
        }
        self.fingerprint = xxh3_64(&bytes);
        self.without = files;
        self.takes_all = self.choice.is_all();
    }
}
