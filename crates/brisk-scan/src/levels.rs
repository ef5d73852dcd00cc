//! [`Levels`]: the ignore rules in force in directories that an earlier unit has read, above those
//! with which this one begins.

use std::collections::HashMap;
use std::io;
use std::sync::Mutex;

use brisk::ignore::Level;
use brisk::{Directory, Error};
use brisk_cli::internal::{lock, told};

use crate::plan::Plan;

/// Levels by the prefixes of their directories.
#[derive(Default)]
pub(crate) struct Levels(Mutex<HashMap<Box<[u8]>, Level>>);

impl Plan {
    /// The level of a directory that this walk does not read. `top` is the one above the roots. Rule
    /// files of each directory are looked for once.
    #[cold]
    pub fn level_of(&self, dir: &Directory<'_>, top: &Level) -> Level {
        let prefix = dir.prefix();
        let inner = &prefix[..prefix.len().saturating_sub(1)];
        let slashes = inner.iter().enumerate().rev().filter(|(_, byte)| **byte == b'/');
        let mut ends: Vec<_> = slashes.map(|(at, _)| at + 1).take(dir.depth()).collect();
        ends.insert(0, prefix.len());
        let mut level = top.clone();
        for (depth, end) in ends.into_iter().rev().enumerate() {
            let prefix = &prefix[..end];
            let known = lock(&self.levels.0).get(prefix).cloned();
            level = known.unwrap_or_else(|| {
                let (level, errors) = level.enter_above(prefix, depth);
                self.tell_rules(&errors);
                lock(&self.levels.0).insert(prefix.into(), level.clone());
                level
            });
        }
        level
    }

    /// Says which rule files could not be read.
    pub fn tell_rules(&self, errors: &[Error]) {
        // A malformed line in an ignore file concerns its author, not the scan.
        let bad = errors.iter().filter(|error| error.io().kind() != io::ErrorKind::InvalidData);
        bad.for_each(|error| self.complain(error.path(), told(error)));
    }
}
