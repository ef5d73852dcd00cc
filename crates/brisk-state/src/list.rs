//! The entries of a state, with their places.

use std::collections::HashMap;

use brisk::FileType;

use crate::change::Place;
use crate::record::Flags;
use crate::save::Next;
use crate::state::TOP;

/// The listed entries; `roots` are the names of the roots' records.
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
        for record in block.iter().filter(|record| record.flags.has(Flags::LISTED)) {
            let path = [&prefix.path, record.name].concat();
            found.push((Place { path, ..prefix }, record.stamp.file_type()));
        }
        prefixes.insert(number, prefix);
    }
    found.sort_by(|(one, _), (other, _)| {
        let names = |place: &Place| {
            place.path.split(|byte| *byte == b'/').map(<[u8]>::to_vec).collect::<Vec<_>>()
        };
        (one.root, names(one)).cmp(&(other.root, names(other)))
    });
    found
}
