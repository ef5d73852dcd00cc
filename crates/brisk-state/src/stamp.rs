//! A stamp: a list of entries with their digests, for build tools that compare files.

use std::io::{self, Write};

use brisk::FileType;

use crate::change::Place;
use crate::list;
use crate::record::{DIGEST, Flags, Record};
use crate::save::Next;
use crate::state::TOP;

/// Writes the lines. Paths are relative to their root; where there are several roots, the root's
/// number in the order of their paths stands before them.
pub(crate) fn write(next: &Next<'_>, out: &mut dyn Write) -> io::Result<()> {
    let has_several = next.block(TOP).len() > 1;
    let mut lines: Vec<Vec<u8>> = Vec::new();
    list::for_each(next, Some, |Place { root, path }, record| {
        if record.flags.has(Flags::LISTED) {
            let number = if has_several { format!("{root}/") } else { String::new() };
            lines.push([number.as_bytes(), &path, &what(record), b"\n"].concat());
        }
    });
    lines.sort();
    lines.iter().try_for_each(|line| out.write_all(line))
}

/// The type of an entry, and its contents, behind tabs.
fn what(record: &Record<'_>) -> Vec<u8> {
    let letter = record.stamp.file_type().letter();
    let mut what = format!("\t{letter}\t").into_bytes();
    match (record.stamp.file_type(), record.digest().and_then(<[u8]>::first_chunk::<DIGEST>)) {
        (FileType::File, Some(digest)) => {
            what.extend(blake3::Hash::from_bytes(*digest).to_hex().bytes());
        }
        (FileType::File, None) => what.push(b'?'),
        (FileType::Symlink, _) => what.extend_from_slice(record.more),
        _ => {}
    }
    what
}
