//! Visit once: which files have been handed on already, by device and inode.

use std::collections::HashSet;

use crate::{FileType, Meta};

/// Files seen so far.
#[derive(Debug, Default)]
pub(crate) struct Seen(HashSet<(u64, u64)>);

impl Seen {
    /// Whether this is the first time that a file is met. A file that cannot be told apart is.
    ///
    /// `single_way` says that there is one root and that no link is followed: then a file with one link
    /// can be met only once and need not be remembered.
    pub fn is_first(&mut self, file_type: FileType, meta: Option<&Meta>, single_way: bool) -> bool {
        let Some((dev, ino)) = meta.and_then(|meta| Some((meta.dev()?, meta.ino()?))) else {
            return true;
        };
        let one_link = meta.and_then(Meta::nlink) == Some(1);
        if single_way && one_link && !file_type.is_dir() {
            return true;
        }
        self.0.insert((dev, ino))
    }
}
