//! The entries of a state, with their places.

use std::collections::HashMap;

use brisk::FileType;

use crate::change::Place;
use crate::record::{Flags, Record};
use crate::save::Next;
use crate::state::TOP;

/// The listed entries and all directories; `roots` are the names of the roots' records.
pub(crate) fn entries(next: &Next<'_>, roots: &[Box<[u8]>]) -> Vec<(Place, FileType)> {
    let mut prefixes: HashMap<u32, Place> = HashMap::new();
    let mut found = Vec::new();
    for (number, dir) in next.directories().into_iter().filter(|(number, _)| *number != TOP) {
        let Some(own) = next.block(dir.parent).record(dir.place as usize) else { continue };
        let prefix = if dir.parent == TOP {
            let root = roots.iter().position(|root| **root == *own.name);
            root.map(|root| Place { root, path: Vec::new() })
        } else {
            let above = prefixes.get(&dir.parent);
            above.map(|above| Place { path: [&above.path, own.name, b"/"].concat(), ..*above })
        };
        let Some(prefix) = prefix else { continue };
        let block = next.block(number);
        let is_named = |record: &Record<'_>| {
            record.flags.has(Flags::LISTED) || record.stamp.file_type() == FileType::Directory
        };
        for record in block.iter().filter(is_named) {
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

fn names(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/')
}
