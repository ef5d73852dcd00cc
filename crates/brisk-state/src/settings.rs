//! [`Settings`]: what the caller of a rescan chose.

use std::path::PathBuf;
use std::sync::Arc;

use brisk::ignore::Rules;
use xxhash_rust::xxh3::xxh3_64;

use crate::choice::Choice;
use crate::roots::{self, LeftOut, Root};

/// What the caller of a rescan chose.
pub(crate) struct Settings {
    pub choice: Arc<dyn Choice>,
    /// What the choice says of itself.
    pub takes_all: bool,
    pub rules: Option<Rules>,
    pub left_out: LeftOut,
    /// A number that differs where the choice or what is left out differ.
    pub fingerprint: u64,
    pub ctime: bool,
    pub content: bool,
    pub shortcuts: bool,
    /// Directories that are on another file system than before are accepted.
    pub accepts_new: bool,
    /// A file system is committed to be asked what was written, however long that takes.
    pub commits: bool,
}

impl Settings {
    /// Sets what is left out of these roots, which makes the settings complete.
    pub fn leave_out(&mut self, files: &[PathBuf], roots: &[Root]) {
        self.left_out = roots::left_out(files, roots);
        self.takes_all = self.choice.is_all();
        let mut bytes = self.choice.fingerprint().to_le_bytes().to_vec();
        for (dir, names) in &self.left_out {
            bytes.extend([dir, &b"\0"[..]].concat());
            names.iter().for_each(|name| bytes.extend([name, &b"\0"[..]].concat()));
        }
        self.fingerprint = xxh3_64(&bytes);
    }
}
