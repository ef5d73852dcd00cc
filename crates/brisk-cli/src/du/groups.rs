//! --by: what files are grouped by.

use std::collections::BTreeMap;
use std::time::SystemTime;

use brisk::usage::Sums;
use brisk::{Entry, Fields, Meta, Timestamp};

use super::options::Group;
use super::plan::Plan;
use super::rows::Row;
use crate::common::{json, names};

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

/// The groups, and what is in none of them.
pub(super) fn rows(plan: &Plan<'_>, groups: BTreeMap<Vec<u8>, Sums>, total: &Sums) -> Vec<Row> {
    let mut directories = *total;
    groups.values().for_each(|sums| directories -= *sums);
    let others = (b"(directories)".to_vec(), directories);
    let others = Some(others).filter(|_| directories.entries > 0);
    let row = |(name, sums): (Vec<u8>, _)| Row { path: name.into(), depth: 0, sums, is_dir: false };
    groups.into_iter().chain(others).map(row).filter(|row| plan.shows(&row.sums)).collect()
}

/// The name of the file's group.
pub(super) fn key(group: Group, entry: &Entry<'_>) -> Vec<u8> {
    match group {
        Group::Extension => extension(entry.name()).to_vec(),
        Group::Type => json::type_word(entry.file_type()).unwrap_or("(unknown)").into(),
        Group::Age => age(entry.meta().and_then(Meta::mtime)),
        Group::Owner => match entry.meta().and_then(Meta::uid) {
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

fn age(time: Option<Timestamp>) -> Vec<u8> {
    let Some(time) = time else { return b"(unknown)".to_vec() };
    let days = (Timestamp::from(SystemTime::now()).secs - time.secs) / 86_400;
    let young = AGES.iter().find(|(limit, _)| days < *limit);
    young.map_or_else(|| "older".into(), |(_, name)| format!("within {name}").into_bytes())
}
