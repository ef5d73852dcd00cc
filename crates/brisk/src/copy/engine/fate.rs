//! What rules and filter say about entries that only a destination has.

use std::ffi::CStr;
use std::io;

use brisk_sys::{Fields, FileType, Links, Xattr};

use crate::filter::{Early, Filter, Scratch};
use crate::read::fetch::without;
use crate::{Directory, Entry, Meta, Walk};

/// What rules and filter say about an entry that the source does not have.
#[derive(PartialEq)]
pub(super) enum Fate {
    Goes,
    /// It stays; what is below it may be removed.
    Stays,
    StaysWithAllBelow,
}

/// Whether neither rules nor filter would leave out this entry of a destination directory. The
/// entry is no directory.
pub(super) fn may_go(walk: &Walk, dir: &Directory<'_>, name: &CStr) -> io::Result<bool> {
    Ok(fate(walk, dir, name)?.1 == Fate::Goes)
}

/// The type of an entry of a destination directory, and what rules and filter say about it. They
/// compare its path in the source: `dir` has the handle of the destination and the source's path.
pub(super) fn fate(walk: &Walk, dir: &Directory<'_>, name: &CStr) -> io::Result<(FileType, Fate)> {
    let filter = walk.filter.as_ref();
    let wanted = filter.map_or(Fields::empty(), |filter| filter.fields(FileType::Unknown));
    let depth = u32::try_from(dir.depth() + 1).unwrap_or(u32::MAX);
    let listed = Entry::new(dir, name, 0, FileType::Unknown, depth);
    let meta = meta_of(&listed, wanted)?;
    let entry = listed.with_meta(&meta);
    let file_type = entry.file_type();
    if dir.rules().is_some_and(|rules| entry.is_ignored_by(rules)) {
        return Ok((file_type, Fate::StaysWithAllBelow));
    }
    let goes = filter.map_or(Ok(true), |filter| passes(filter, &entry))?;
    // As in the walk, -prune keeps out of directories, and has no effect on other files.
    let fate = match (file_type.is_dir() && entry.is_pruned(), goes) {
        (true, _) => Fate::StaysWithAllBelow,
        (false, true) => Fate::Goes,
        (false, false) => Fate::Stays,
    };
    Ok((file_type, fate))
}

/// The metadata that a filter may need. What cannot be read is an error; otherwise the negation of
/// a test would hold.
fn meta_of(entry: &Entry<'_>, wanted: Fields) -> io::Result<Meta> {
    let mut meta = entry.stat(wanted)?;
    if wanted.intersects(Fields::XATTR) {
        let (dir, name) = entry.request_at()?;
        without(&mut meta, Fields::XATTR);
        if let Xattr::Known(found) = dir.attributes(name, Links::NoFollow)? {
            meta.set_access(found.access());
            meta.set_capability(found.capability);
        }
        if let Xattr::Known(context) = dir.context(name, Links::NoFollow)? {
            meta.set_context(context);
        }
    }
    Ok(meta)
}

fn passes(filter: &Filter, entry: &Entry<'_>) -> io::Result<bool> {
    let mut scratch = Scratch::default();
    let goes = match filter.early(entry, &mut scratch) {
        Early::No => false,
        Early::Yes => true,
        Early::Ask(_) => filter.judge(entry, &mut scratch),
    };
    scratch.failed.pop().map_or(Ok(goes), Err)
}
