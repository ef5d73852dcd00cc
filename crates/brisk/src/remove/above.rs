//! [`SelfAndAbove`]: where a directory lies, by which roots are seen to be parts of one another.

use std::collections::HashSet;
use std::ffi::CString;
use std::io;

use brisk_sys::{Dir, Freshness, Identity, Links};

use crate::Fields;

/// A directory and those above it, as far as they can be told.
pub(super) struct SelfAndAbove {
    identities: Vec<Identity>,
    is_complete: bool,
}

impl SelfAndAbove {
    /// System calls: one statx for each directory above `dir`.
    pub fn of(dir: &Dir) -> SelfAndAbove {
        let wanted = Fields::DEV | Fields::INO;
        let mut identities: Vec<Identity> = dir.identity().into_iter().collect();
        let mut way = b"..".to_vec();
        let error = loop {
            let name = CString::new(&*way).expect("BUG: dots and slashes");
            let meta = match dir.stat(&name, wanted, Links::NoFollow, Freshness::AsStat) {
                Ok(meta) => meta,
                Err(error) => break Some(error.kind()),
            };
            let id = meta.identity();
            match id {
                Some(id) if identities.last() != Some(&id) => identities.push(id),
                // The root of the file system is above itself.
                _ => break None,
            }
            way.extend_from_slice(b"/..");
        };
        // A system without `..` has told all that it can.
        let barred = [io::ErrorKind::PermissionDenied, io::ErrorKind::InvalidFilename];
        SelfAndAbove { identities, is_complete: error.is_none_or(|kind| !barred.contains(&kind)) }
    }

    /// Leaves the lowest `left_out` directories out.
    pub fn is_any_of(&self, directories: &HashSet<Identity>, left_out: usize) -> bool {
        self.identities.iter().skip(left_out).any(|id| directories.contains(id))
    }

    /// As [`SelfAndAbove::is_any_of`], and also if that cannot be told.
    pub fn may_be_any_of(&self, directories: &HashSet<Identity>) -> bool {
        !self.is_complete || self.is_any_of(directories, 0)
    }
}
