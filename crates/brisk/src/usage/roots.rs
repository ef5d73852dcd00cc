//! Roots that lie in each other: which may be walked at the same time, and what counted already.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use brisk_sys::{Backend, Identity, Links, stat_path};

use crate::walk::Root;
use crate::{Fields, Meta};

const IDENTITY: Fields = Fields::DEV.union(Fields::INO);

/// Roots that overlap others, by device and inode, and whether they have counted.
#[derive(Debug, Default)]
pub(super) struct Watched(HashMap<Identity, AtomicBool>);

impl Watched {
    /// These roots, with links followed or not.
    pub fn new(roots: &[Root], links: Links) -> Watched {
        let known = |root: &Root| {
            let meta = stat_path(Backend::Native, &root.path, IDENTITY, links).ok()?;
            Some((meta.identity()?, false.into()))
        };
        Watched(roots.iter().filter_map(known).collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this file is such a root and has counted. From now on it has.
    #[inline]
    pub fn has_counted(&self, meta: &Meta) -> bool {
        !self.is_empty() && self.of(meta).is_some_and(|counted| counted.swap(true, Relaxed))
    }

    /// Whether this file is such a root and has counted.
    pub fn is_counted(&self, meta: &Meta) -> bool {
        self.of(meta).is_some_and(|counted| counted.load(Relaxed))
    }

    fn of(&self, meta: &Meta) -> Option<&AtomicBool> {
        self.0.get(&meta.identity()?)
    }

    /// What must be known of an entry.
    pub fn fields(&self) -> Fields {
        if self.is_empty() { Fields::empty() } else { IDENTITY }
    }
}

/// Whether one root lies in another. System calls: where there are several roots, one readlink for
/// each component of each path.
pub(super) fn overlap(roots: &[Root]) -> bool {
    let place = |root: &Root| std::fs::canonicalize(&root.path).ok();
    roots.len() > 1 && lie_in_each_other(roots.iter().filter_map(place).collect())
}

fn lie_in_each_other(mut places: Vec<PathBuf>) -> bool {
    places.sort_unstable();
    places.windows(2).any(|pair| pair[1].starts_with(&pair[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_overlap_by_components() {
        let places = ["/a/b", "/a/b-c", "/c"];
        let table = [("/a", true), ("/a/b", true), ("/a/b/c", true), ("/a/bc", false)];
        for (place, expected) in table.into_iter().chain([("/b", false), ("/", true)]) {
            let all = places.iter().chain([&place]).map(PathBuf::from);
            assert_eq!(lie_in_each_other(all.collect()), expected, "{place}");
        }
    }
}
