//! The standard library's ways, on every system.

use std::io;
use std::path::Path;

use super::{Hit, Receive, Technique, whole};
use brisk_sys::Timestamp;

pub(super) const TECHNIQUES: &[Technique] = &[
    whole("std::fs read_dir + DirEntry::metadata", |dir, sink| {
        walk(dir, sink, ENTRY_COST, std::fs::DirEntry::metadata)
    }),
    whole("std::fs read_dir + symlink_metadata of the path", |dir, sink| {
        walk(dir, sink, 1, |entry| std::fs::symlink_metadata(entry.path()))
    }),
];

/// System calls for an entry's metadata: on Windows the enumeration brings it.
const ENTRY_COST: u64 = if cfg!(windows) { 0 } else { 1 };

fn walk(
    dir: &Path,
    sink: &mut Receive<'_>,
    cost: u64,
    ask: impl Fn(&std::fs::DirEntry) -> io::Result<std::fs::Metadata>,
) -> io::Result<u64> {
    let mut calls = 3;
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        let meta = ask(&entry)?;
        calls += cost;
        sink(Hit {
            name: entry.file_name().as_encoded_bytes(),
            file_type: brisk_sys::portable::file_type(meta.file_type()),
            size: meta.len(),
            mtime: meta.modified().map(Timestamp::from)?,
        });
    }
    Ok(calls)
}
