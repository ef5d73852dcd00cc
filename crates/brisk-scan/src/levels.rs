//! [`Levels`]: the ignore rules in force in directories that an earlier unit has read, above those
//! with which this one begins.

use std::collections::HashMap;
use std::sync::Mutex;

use brisk::ignore::Level;
use brisk::{Directory, Error};
use brisk_sys::threads::lock;

/// Levels by the prefixes of their directories.
#[derive(Default)]
pub(crate) struct Levels(Mutex<HashMap<Box<[u8]>, Level>>);

impl Levels {
    /// The level of a directory that this walk does not read. `top` is the one above the roots. Rule
    /// files of each directory are looked for once; `tell` gets what could not be read.
    #[cold]
    pub fn of(&self, dir: &Directory<'_>, top: &Level, tell: impl Fn(&[Error])) -> Level {
        let prefix = dir.prefix();
        let inner = &prefix[..prefix.len().saturating_sub(1)];
        let slashes = inner.iter().enumerate().rev().filter(|(_, byte)| **byte == b'/');
        let mut ends: Vec<_> = slashes.map(|(at, _)| at + 1).take(dir.depth()).collect();
        ends.insert(0, prefix.len());
        let mut level = top.clone();
        for (depth, end) in ends.into_iter().rev().enumerate() {
            let prefix = &prefix[..end];
            let known = lock(&self.0).get(prefix).cloned();
            level = known.unwrap_or_else(|| {
                let (level, errors) = level.enter_above(prefix, depth);
                tell(&errors);
                lock(&self.0).insert(prefix.into(), level.clone());
                level
            });
        }
        level
    }
}
