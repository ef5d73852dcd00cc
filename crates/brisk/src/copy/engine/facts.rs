//! [`DirFacts`]: what is known of a destination directory.

use std::ffi::CString;
use std::sync::OnceLock;

use brisk_sys::{Identity, Ids};

use crate::Meta;

/// What is known of a destination directory that was made or opened.
#[derive(Debug, Default)]
pub(super) struct DirFacts {
    /// It does not exist: in a dry run, it is reported as made.
    pub is_missing: bool,
    /// It was not there, or only under a temporary name.
    pub is_made: bool,
    /// It may have entries.
    pub may_have_entries: bool,
    /// A killed run has left it.
    pub is_adopted: bool,
    /// It has a temporary name, or is below one that has.
    pub is_hidden: bool,
    /// Files made in it may inherit an access control list.
    pub inherits: bool,
    /// The mode with which it was made.
    pub mode: u32,
    /// The owners that new entries in it get, if they are known.
    pub owners: Option<Ids>,
    /// Directories made in it inherit setgid.
    pub is_setgid: bool,
    pub dev: u64,
    /// Its metadata before the copy, if it was there.
    pub before: Option<Meta>,
    /// The name under which it was made, if that is a temporary one.
    pub temporary: Option<CString>,
    pub identity: OnceLock<Identity>,
}

impl DirFacts {
    /// The facts of a directory that a killed run has left in `above`, and that was taken back.
    pub fn left(above: &DirFacts, meta: &Meta) -> DirFacts {
        DirFacts {
            is_made: true,
            may_have_entries: true,
            is_adopted: true,
            is_hidden: true,
            inherits: above.inherits,
            owners: above.owners,
            is_setgid: above.is_setgid,
            dev: meta.dev().unwrap_or(0),
            ..DirFacts::default()
        }
    }

    /// The facts of a directory that exists.
    pub fn existing(meta: Meta) -> DirFacts {
        DirFacts {
            may_have_entries: true,
            inherits: true,
            dev: meta.dev().unwrap_or(0),
            before: Some(meta),
            ..DirFacts::default()
        }
    }
}
