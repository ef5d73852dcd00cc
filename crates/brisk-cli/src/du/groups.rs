//! --by: what files are grouped by.

use std::collections::BTreeMap;
use std::time::SystemTime;

use brisk::usage::Sums;
use brisk::{Entry, Fields, FileType, Timestamp};

use super::options::Group;
use crate::common::names;

/// Ages, in days, by what a file is called that is not older.
const AGES: [(i64, &str); 5] =
    [(1, "a day"), (7, "a week"), (30, "30 days"), (90, "90 days"), (365, "a year")];

/// The fields that grouping asks of files.
pub(super) fn fields(group: Group) -> Fields {
    match group {
        Group::Owner => Fields::UID,
        Group::Age => Fields::MTIME,
        Group::Extension | Group::Type => Fields::empty(),
    }
}

/// Adds to a group's sums.
pub(super) fn add(groups: &mut BTreeMap<Vec<u8>, Sums>, key: Vec<u8>, sums: &Sums) {
    let old = groups.entry(key).or_default();
    old.allocated += sums.allocated;
    old.apparent += sums.apparent;
    old.entries += sums.entries;
}

/// The name of the file's group.
pub(super) fn key(group: Group, entry: &Entry<'_>) -> Vec<u8> {
    match group {
        Group::Extension => extension(entry.name()).to_vec(),
        Group::Type => type_word(entry.file_type()).into(),
        Group::Age => age(entry.meta().and_then(brisk::Meta::mtime)),
        Group::Owner => match entry.meta().and_then(brisk::Meta::uid) {
            Some(uid) => names::with_user(uid, |name| {
                name.map_or_else(|| uid.to_string(), str::to_owned).into_bytes()
            }),
            None => b"(unknown)".to_vec(),
        },
    }
}

fn extension(name: &[u8]) -> &[u8] {
    match name.iter().rposition(|byte| *byte == b'.') {
        Some(at) if at > 0 && at + 1 < name.len() => &name[at..],
        _ => b"(none)",
    }
}

fn type_word(file_type: FileType) -> &'static str {
    match file_type {
        FileType::File => "file",
        FileType::Directory => "directory",
        FileType::Symlink => "symlink",
        FileType::Fifo => "pipe",
        FileType::Socket => "socket",
        FileType::BlockDevice => "block-device",
        FileType::CharDevice => "char-device",
        _ => "(unknown)",
    }
}

fn age(time: Option<Timestamp>) -> Vec<u8> {
    let Some(time) = time else { return b"(unknown)".to_vec() };
    let days = (Timestamp::from(SystemTime::now()).secs - time.secs) / 86_400;
    let young = AGES.iter().find(|(limit, _)| days < *limit);
    young.map_or_else(|| "older".into(), |(_, name)| format!("within {name}").into_bytes())
}
