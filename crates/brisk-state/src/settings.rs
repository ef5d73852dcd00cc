//! [`Settings`]: what the caller of a rescan chose.

use std::sync::Arc;

use brisk::ignore::Rules;

use crate::choice::Choice;

/// What the caller of a rescan chose.
pub(crate) struct Settings {
    pub choice: Arc<dyn Choice>,
    pub rules: Option<Rules>,
    /// Files that are left out, by their directory's path as the walk spells it, and their name.
    pub without: Vec<(Vec<u8>, Vec<u8>)>,
    pub ctime: bool,
    pub content: bool,
    pub shortcuts: bool,
    /// A file system is committed to be asked what was written, however long that takes.
    pub commits: bool,
}
