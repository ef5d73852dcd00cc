//! [`Settings`]: what the caller of a rescan chose.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use brisk::ignore::Rules;
use xxhash_rust::xxh3::xxh3_64;

use crate::choice::Choice;
use crate::roots::{self, Root};

/// What the caller of a rescan chose.
pub(crate) struct Settings {
    pub choice: Arc<dyn Choice>,
    /// What the choice says of itself.
    pub takes_all: bool,
    pub rules: Option<Rules>,
    /// Files that are left out, by their directory's path as the walk spells it, and their name.
    pub without: Vec<(Vec<u8>, Vec<u8>)>,
    /// Roots in other roots, by their directory's path as the walk spells it.
    pub inner: BTreeMap<Vec<u8>, BTreeSet<Vec<u8>>>,
    /// A number that differs where the choice, these files or these roots differ.
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
        self.without = roots::left_out(files, roots);
        self.inner = roots::inner(roots);
        self.takes_all = self.choice.is_all();
        let mut bytes = self.choice.fingerprint().to_le_bytes().to_vec();
        let files = self.without.iter().map(|(dir, name)| (dir, name));
        let inner =
            self.inner.iter().flat_map(|(dir, names)| names.iter().map(move |name| (dir, name)));
        for (dir, name) in files.chain(inner) {
            bytes.extend([&dir[..], b"\0", name, b"\0"].concat());
        }
        self.fingerprint = xxh3_64(&bytes);
    }
}
