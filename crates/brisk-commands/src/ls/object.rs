//! `--json`: an object for each entry, and for each path that is listed itself.

use brisk::Entry;
use brisk_sys::slashed::last;

use crate::show::json;
use crate::show::long::{Item, Page};
use crate::write::out::Out;

/// Appends an entry. `path` is room for its path.
pub(crate) fn write(entry: &Entry<'_>, item: &Item<'_>, path: &mut Vec<u8>, out: &mut Vec<u8>) {
    path.clear();
    entry.path_into(path);
    append(path, item, entry.depth(), out);
}

/// Appends the paths that are listed themselves. Such an item's name is the path as the user gave
/// it.
pub(crate) fn write_operands(operands: &Page, out: &mut Out) {
    for item in operands.iter() {
        let path = item.name;
        append(path, &Item { name: last(path), ..item }, 0, &mut out.bytes);
        if out.write_if_full() == brisk::Flow::Stop {
            break;
        }
    }
}

fn append(path: &[u8], item: &Item<'_>, depth: usize, out: &mut Vec<u8>) {
    json::write(path, item.name, item.file_type, depth, item.meta, out);
    out.push(b'\n');
}
