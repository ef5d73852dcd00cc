//! --by: what files are grouped by.

use std::time::SystemTime;

use brisk::{Entry, Fields, Timestamp};

use crate::show::names;
use crate::show::template::parts;
use crate::system::Owner;

/// What files are grouped by.
#[derive(Debug)]
pub(crate) struct Group {
    /// The value of --by.
    pub word: &'static str,
    /// The fields that are asked of files.
    pub fields: Fields,
    /// The name of a file's group; `None` if it is not known.
    pub name: fn(&Entry<'_>) -> Option<Vec<u8>>,
}

pub(super) static GROUPS: [Group; 4] = [
    Group { word: "owner", fields: Fields::UID, name: owner },
    Group { word: "extension", fields: Fields::empty(), name: extension },
    Group { word: "age", fields: Fields::MTIME, name: age },
    Group { word: "type", fields: Fields::empty(), name: file_type },
];

/// Ages, in days, by what a file is called that is not older.
const AGES: [(i64, &str); 5] =
    [(1, "a day"), (7, "a week"), (30, "30 days"), (90, "90 days"), (365, "a year")];

/// The number of days since then.
pub(super) fn days_since(time: Timestamp) -> i64 {
    (Timestamp::from(SystemTime::now()).secs - time.secs) / 86_400
}

fn owner(entry: &Entry<'_>) -> Option<Vec<u8>> {
    let mut name = Vec::new();
    names::append(Owner::User(entry.meta()?.uid()?), &mut name);
    Some(name)
}

fn extension(entry: &Entry<'_>) -> Option<Vec<u8>> {
    let extension = parts::extension(entry.name());
    Some(extension.map_or(b"(none)".into(), |extension| [b".", extension].concat()))
}

fn age(entry: &Entry<'_>) -> Option<Vec<u8>> {
    let days = days_since(entry.meta()?.mtime()?);
    let young = AGES.iter().find(|(limit, _)| days < *limit);
    Some(young.map_or("older".into(), |(_, name)| format!("within {name}").into()))
}

fn file_type(entry: &Entry<'_>) -> Option<Vec<u8>> {
    entry.file_type().word().map(Vec::from)
}
