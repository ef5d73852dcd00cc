//! The entries of a state, with their places.

use std::collections::HashMap;

use brisk::FileType;

use crate::change::Place;
use crate::record::{Flags, Record};
use crate::save::Next;
use crate::state::{DirEntry, TOP};

/// The listed entries and all directories; `roots` are the names of the roots' records.
pub(crate) fn entries(next: &Next<'_>, roots: &[Box<[u8]>]) -> Vec<(Place, FileType)> {
    let mut prefixes = HashMap::new();
    let mut found = Vec::new();
    for (number, dir) in next.directories().into_iter().filter(|(number, _)| *number != TOP) {
        let Some(prefix) = prefix(next, &dir, roots, &prefixes) else { continue };
        for record in next.block(number).iter().filter(is_named) {
            let path = [&prefix.path, record.name].concat();
            found.push((Place { path, ..prefix }, record.stamp.file_type()));
        }
        prefixes.insert(number, prefix);
    }
    found.sort_by(|(one, _), (other, _)| {
        let roots = one.root.cmp(&other.root);
        roots.then_with(|| names(&one.path).cmp(names(&other.path)))
    });
    found
}

/// What the paths of a directory's entries begin with.
fn prefix(
    next: &Next<'_>,
    dir: &DirEntry,
    roots: &[Box<[u8]>],
    prefixes: &HashMap<u32, Place>,
) -> Option<Place> {
    let own = next.block(dir.parent).record(dir.place as usize)?;
    if dir.parent == TOP {
        let root = roots.iter().position(|root| **root == *own.name)?;
        return Some(Place { root, path: Vec::new() });
    }
    let above = prefixes.get(&dir.parent)?;
    Some(Place { path: [&above.path, own.name, b"/"].concat(), ..*above })
}

fn is_named(record: &Record<'_>) -> bool {
    record.flags.has(Flags::LISTED) || record.stamp.file_type() == FileType::Directory
}

fn names(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/')
}
