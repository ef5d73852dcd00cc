//! Roots that lie in each other: which may be walked at the same time, and what counted already.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use brisk_sys::{Backend, Identity, Links, stat_path};

use crate::walk::Root;
use crate::{Fields, Meta};

/// Roots that overlap others, by device and inode, and whether they have counted.
#[derive(Debug, Default)]
pub(super) struct Watched(HashMap<Identity, AtomicBool>);

impl Watched {
    /// Of roots in several groups, with links followed or not.
    pub fn new(groups: &[Vec<Root>], links: Links) -> Watched {
        let roots = groups.iter().filter(|_| groups.len() > 1).flatten();
        let known = |root: &Root| Some((identity(&root.path, links)?, false.into()));
        Watched(roots.filter_map(known).collect())
    }

    /// Whether this file is such a root and has counted. From now on it has.
    #[inline]
    pub fn has_counted(&self, meta: &Meta) -> bool {
        !self.0.is_empty()
            && meta.dev().zip(meta.ino()).is_some_and(|id| {
                self.0.get(&id).is_some_and(|counted| counted.swap(true, Relaxed))
            })
    }

    /// What must be known of an entry.
    pub fn fields(&self) -> Fields {
        if self.0.is_empty() { Fields::empty() } else { Fields::DEV | Fields::INO }
    }
}

fn identity(path: &Path, links: Links) -> Option<Identity> {
    let fields = Fields::DEV | Fields::INO;
    let meta = stat_path(Backend::Native, path, fields, links).ok()?;
    meta.dev().zip(meta.ino())
}

/// All roots together; each on its own, in their order, if one lies in another. System calls: where
/// there are several roots, one readlink for each component of each path.
pub(super) fn groups(roots: Vec<Root>) -> Vec<Vec<Root>> {
    let place = |root: &Root| std::fs::canonicalize(&root.path).ok();
    if roots.len() < 2 || !overlap(roots.iter().filter_map(place).collect()) {
        return vec![roots];
    }
    roots.into_iter().map(|root| vec![root]).collect()
}

/// Whether one of these places lies in another.
fn overlap(mut places: Vec<PathBuf>) -> bool {
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
            assert_eq!(overlap(all.collect()), expected, "{place}");
        }
    }
}
