//! The entries of a state, with their places.

use std::collections::HashMap;

use brisk::FileType;

use crate::change::Place;
use crate::record::{Flags, Record};
use crate::save::Next;
use crate::state::TOP;

/// The listed entries and all directories; `roots` are the names of the roots' records.
pub(crate) fn entries(next: &Next<'_>, roots: &[Box<[u8]>]) -> Vec<(Place, FileType)> {
    let mut found = Vec::new();
    let root = |at| roots.iter().position(|root| **root == *next.block(TOP).name(at));
    for_each(next, root, |place, record| {
        let file_type = record.stamp.file_type();
        if record.flags.has(Flags::LISTED) || file_type.is_dir() {
            found.push((place, file_type));
        }
    });
    found.sort_by(|(one, _), (other, _)| one.cmp_by_component(other));
    found
}

/// Calls `each` for each entry below the roots. `root` gives a root's number by the place of its
/// record among the roots' records, or `None` to leave the root out.
pub(crate) fn for_each(
    next: &Next<'_>,
    root: impl Fn(usize) -> Option<usize>,
    mut each: impl FnMut(Place, &Record<'_>),
) {
    let mut prefixes: HashMap<u32, Place> = HashMap::new();
    for (number, dir) in next.directories().into_iter().filter(|(number, _)| *number != TOP) {
        let at = dir.place as usize;
        let prefix = match prefixes.get(&dir.parent) {
            Some(Place { root, path }) => {
                let name = next.block(dir.parent).name(at);
                Some(Place { root: *root, path: [path, name, b"/"].concat() })
            }
            None => {
                root(at).filter(|_| dir.parent == TOP).map(|root| Place { root, path: Vec::new() })
            }
        };
        let Some(prefix) = prefix else { continue };
        for record in next.block(number).iter() {
            each(Place { path: [&prefix.path, record.name].concat(), ..prefix }, &record);
        }
        prefixes.insert(number, prefix);
    }
}
