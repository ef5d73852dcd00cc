//! A stamp: a list of entries with their digests, for build tools that compare files.

use std::collections::HashMap;
use std::io::{self, Write};

use brisk::FileType;

use crate::record::{DIGEST, Flags, Record};
use crate::save::Next;
use crate::state::TOP;

/// Writes the lines. Paths are relative to their root; where there are several roots, the root's
/// number in the order of their paths stands before them.
pub(crate) fn write(next: &Next<'_>, out: &mut dyn Write) -> io::Result<()> {
    let has_several = next.block(TOP).len() > 1;
    let mut prefixes: HashMap<u32, Vec<u8>> = HashMap::new();
    let mut lines: Vec<Vec<u8>> = Vec::new();
    for (number, dir) in next.directories() {
        let above = prefixes.get(&dir.parent).cloned().unwrap_or_default();
        let own = next.block(dir.parent).record(dir.place as usize);
        let prefix = match own.filter(|_| number != TOP) {
            None => Vec::new(),
            Some(own) if dir.parent != TOP => [&above, own.name, b"/"].concat(),
            Some(_) if has_several => format!("{}/", dir.place).into_bytes(),
            Some(_) => Vec::new(),
        };
        let listed = next.block(number).iter().filter(|record| record.flags.has(Flags::LISTED));
        if number != TOP {
            lines.extend(listed.map(|record| line(&record, &prefix)));
        }
        prefixes.insert(number, prefix);
    }
    lines.sort();
    lines.iter().try_for_each(|line| out.write_all(line))
}

fn line(record: &Record<'_>, prefix: &[u8]) -> Vec<u8> {
    let letter = record.stamp.file_type().letter();
    let mut line = [prefix, record.name, b"\t", &[letter as u8], b"\t"].concat();
    match (record.stamp.file_type(), record.digest().and_then(<[u8]>::first_chunk::<DIGEST>)) {
        (FileType::File, Some(digest)) => {
            line.extend(blake3::Hash::from_bytes(*digest).to_hex().bytes());
        }
        (FileType::File, None) => line.push(b'?'),
        (FileType::Symlink, _) => line.extend_from_slice(record.more),
        _ => {}
    }
    line.push(b'\n');
    line
}
