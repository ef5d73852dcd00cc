//! What rules and filter say about entries that only a destination has.

use std::ffi::CStr;
use std::io;

use brisk_sys::{Dir, Fields, FileType, Freshness, Links};

use crate::filter::{Early, Filter, Scratch};
use crate::{Directory, Entry, Walk};

/// What rules and filter say about an entry that the source does not have.
#[derive(PartialEq)]
pub(super) enum Fate {
    Goes,
    /// It stays; what is below it may be removed.
    Stays,
    StaysWithAllBelow,
}

/// Whether neither rules nor filter would leave out this entry of a destination, which is not a
/// directory.
pub(super) fn may_go(
    walk: &Walk,
    source: &Directory<'_>,
    dir: &Dir,
    name: &CStr,
) -> io::Result<bool> {
    Ok(fate(walk, source, dir, name)?.1 == Fate::Goes)
}

/// The type of an entry of a destination directory, and what rules and filter say about it. They
/// compare its path in the source.
pub(super) fn fate(
    walk: &Walk,
    source: &Directory<'_>,
    dir: &Dir,
    name: &CStr,
) -> io::Result<(FileType, Fate)> {
    let filter = walk.filter.as_ref();
    let wanted = filter.map_or(Fields::empty(), |filter| filter.fields(FileType::Unknown));
    let meta = dir.stat(name, wanted | Fields::TYPE, Links::NoFollow, Freshness::AsStat)?;
    let file_type = meta.file_type().unwrap_or_default();
    let depth = u32::try_from(source.depth() + 1).unwrap_or(u32::MAX);
    let entry = Entry::new(source, name, 0, file_type, depth).with(Some(&meta));
    if source.rules().is_some_and(|rules| entry.is_ignored_by(rules)) {
        return Ok((file_type, Fate::StaysWithAllBelow));
    }
    let goes = filter.is_none_or(|filter| passes(filter, &entry));
    let fate = match (entry.is_pruned(), goes) {
        (true, _) => Fate::StaysWithAllBelow,
        (false, true) => Fate::Goes,
        (false, false) => Fate::Stays,
    };
    Ok((file_type, fate))
}

fn passes(filter: &Filter, entry: &Entry<'_>) -> bool {
    let mut scratch = Scratch::default();
    match filter.early(entry, &mut scratch) {
        Early::No => false,
        Early::Yes => true,
        Early::Ask(_) => filter.judge(entry, &mut scratch),
    }
}
