//! Roots that lie in each other: which may be walked at the same time, and what counted already.

use std::collections::{BTreeSet, HashMap};
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

/// Groups of roots that do not overlap, in the order of the roots. A root that lies in one of the
/// group before it, or holds one of them, begins the next group. System calls: where there are
/// several roots, one readlink for each component of each path.
pub(super) fn groups(roots: Vec<Root>) -> Vec<Vec<Root>> {
    if roots.len() < 2 {
        return vec![roots];
    }
    let mut groups = vec![Vec::new()];
    let mut places = BTreeSet::new();
    for root in roots {
        if let Ok(place) = std::fs::canonicalize(&root.path) {
            if overlaps(&places, &place) {
                places.clear();
                groups.push(Vec::new());
            }
            places.insert(place);
        }
        groups.last_mut().expect("BUG: there is a group").push(root);
    }
    groups
}

/// Whether a place lies in one of these, or holds one of them.
fn overlaps(places: &BTreeSet<PathBuf>, place: &Path) -> bool {
    let next = places.range(place.to_owned()..).next();
    place.ancestors().any(|above| places.contains(above))
        || next.is_some_and(|next| next.starts_with(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_overlap_by_components() {
        let places = BTreeSet::from(["/a/b", "/c"].map(PathBuf::from));
        let table = [("/a", true), ("/a/b", true), ("/a/b/c", true), ("/a/bc", false)];
        for (place, expected) in table.into_iter().chain([("/b", false), ("/", true)]) {
            assert_eq!(overlaps(&places, Path::new(place)), expected, "{place}");
        }
    }
}
